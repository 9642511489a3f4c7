"""Race: the same problem solved under several working-set rules at once.

Points and settings of a lane come in; a query of the background runs one solver per rule and posts frames, which the
panel shows as pictures, a table and curves.  Start with `race_frame.py`, the values; `racer.py` and `race_run.py` do
the work, `controller.py` has the user's choices, `panel.py` and the `view_` files show them.
"""
