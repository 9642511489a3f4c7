"""Validation curves: accuracy over the whole range of a slider.

Points and settings of a lane come in; a query for each slider (`query.py`) computes a `Curve`, which `view_curve.py`
draws below the slider.  Start with `query.py`; `scene.py` decides which curves are requested.
"""
