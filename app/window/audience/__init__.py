"""Audience: the pictures once more, on a window for the projector."""
