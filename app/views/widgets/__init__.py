"""Widgets of general use, independent of documents and classifiers.

Forms, dialogs and panels are built from them; values come in through `show_…` methods, and signals report what the
user does.  Start with `inputs.py`.
"""
