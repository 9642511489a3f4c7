"""Evaluation: how good the classifiers are on points they were not trained on.

The test scores of `app.features.scores` come in, and the models; cross-validations and threshold lines are queries; a
panel and lines in the pictures go out.  Start with `scene.py`, the queries and the values that the panel displays.
"""
