"""Classifier Playground: a window in which classifiers are watched while they learn."""

__version__ = "0.1.0"
