"""Difference: where two classifiers predict different classes."""
