"""Challenges: a lesson of one step, "find the classifier of this picture", made from a document and shared as text.

The document and the choices of a dialog come in, the Markdown of a lesson goes out (`making.py`, which to read first);
`app.features.lessons` opens it and scores the solution.
"""
