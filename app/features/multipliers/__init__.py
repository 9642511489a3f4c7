"""Multipliers: every alpha as a bar between 0 and its C."""
