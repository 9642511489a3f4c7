"""Multipliers: every alpha as a bar between 0 and its C.

The state of a run comes in with the scene.  Start with `panel.py`; the sentences are in `kkt/text.py`.
"""
