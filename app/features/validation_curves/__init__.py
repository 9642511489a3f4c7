"""Validation curves: accuracy over the whole range of a slider."""
