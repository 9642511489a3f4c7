"""Core: points, numbers as text, plain text and the log, for use in every other room of `app`.

Values and strings go in and out; nothing here depends on another room of `app`.  Start with `points.py`.
"""
