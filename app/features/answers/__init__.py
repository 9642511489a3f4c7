"""Answers: what learners did in a lesson, handed in as small texts, and displayed together to the class.

The session of a lesson comes in; one text for each learner goes out.  Such texts come in again, and go
out as a panel, an overlay of drawn boundaries, or a table on the command line.  Start with `hand_in.py`, the format.
"""
