"""Answers: what learners made of a lesson, handed in as small texts, and shown together to the class."""
