"""Scene: everything the views draw, as frozen values made from document, session and results.  No Qt.

`compose` is the pure function that makes a `Scene`; views render it, and compare it with the last by identity.  What a
feature adds, and the table of all features, are described in `feature.py`.  Read `model.py` first, then `compose.py`.
"""
