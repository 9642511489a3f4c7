"""Widgets of general use; they know nothing of documents or classifiers."""
