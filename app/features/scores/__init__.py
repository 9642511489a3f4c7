"""Scores: how often each classifier is right on points it was not trained on, beside its picture.

Models and test points come in, or the distribution of the generator; the accuracy in the status line, marks on test
points, and the `Scores` that other features use go out.  Start with `scene.py`.
"""
