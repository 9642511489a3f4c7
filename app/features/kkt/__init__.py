"""KKT: the KKT case and the slack of every point, in the pictures.

The state of a run comes in; marks, slack lines and a card of the hovered point go over the picture of its lane.  Start
with `scene.py`, the marks; `overlay.py` arranges and paints the rest.  `text.py` has the sentences,
also those of the panels of multipliers and losses.
"""
