"""Cells of kNN: where the same points vote, and which points the picture needs."""
