"""Losses: hinge and 0-1 loss over y f, with every point on the curves.

The state of a run comes in with the scene.  Start with `panel.py`; the sentences are in `kkt/text.py`.
"""
