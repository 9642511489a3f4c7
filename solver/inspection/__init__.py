"""Inspection: what a fitted model or a step of a solver is made of, and how good it is."""
