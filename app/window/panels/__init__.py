"""Panels: point table, history and notes, which belong to the window and to no feature.

Scenes come in; edits go to the controller. Start with `table_panel.py`; `point_model.py` holds the rows of its table.
"""
