"""Validation curves: accuracy over the whole range of a slider.

Points and settings of a lane come in; a query for each slider computes a `Curve`, which `view_curve.py` draws below
the slider.  Start with `scene.py`, the query and when it is requested.
"""
