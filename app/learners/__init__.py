"""Learners: every classifier that a lane can have.  No Qt."""
