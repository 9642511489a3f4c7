"""Ground truth: classifiers against the distribution of the generator, and their stability on resampled points.

Points, generator and models of the lanes come in; background queries return errors on new points, the Bayes error, the
ideal boundary and bootstrap boundaries, for the panel and as lines over the pictures.  Start with `scene.py`, which
makes the queries; `fresh_points.py` and `bootstrap.py` answer them, `model.py` has the values for `panel.py`.
"""
