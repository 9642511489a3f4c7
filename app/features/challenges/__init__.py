"""Challenges: "here is a picture, find the classifier": a lesson of one step, made from a document and shared as a
text.

The document and the choices of a dialog come in, the Markdown of a lesson goes out (`making.py`, which to read first);
`app.features.lessons` opens it and scores the solution.
"""
