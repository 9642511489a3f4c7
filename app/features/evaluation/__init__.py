"""Evaluation: how good the classifiers are on points they were not trained on."""
