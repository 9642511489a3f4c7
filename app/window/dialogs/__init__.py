"""Dialogs: files, import and export of points, classes, help.

The window opens them; what the user chooses goes to the controllers. None of them blocks: a dialog calls back when it
is answered. Start with `files.py`.
"""
