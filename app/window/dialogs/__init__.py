"""Dialogs: files, import and export of points, classes, help."""
