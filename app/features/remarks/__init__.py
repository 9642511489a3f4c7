"""Remarks: what a good teacher would say about a classifier and its data.

Finished trainings come in; remarks in the status line, its tip and the settings go out, some with a better value.
Start with `scene.py`, which has the table of remarks; `diagnosis.py` works out in the background what they say.
"""
