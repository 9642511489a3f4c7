"""Challenges: "here is a picture, find the classifier": a lesson of one step, made of a document, shared as a text."""
