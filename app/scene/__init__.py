"""Scene: everything the views draw, as frozen values made from document, session and results.  No Qt.

`compose` is the pure function that makes a `Scene`; views render it, and compare it with the last by identity.  What a
feature adds is described in `feature.py`, and `feature_table.py` has all features.  Read `model.py` first, then
`compose.py`.
"""
