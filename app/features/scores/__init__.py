"""Scores: how often each classifier is right on points it was not trained on, beside its picture."""
