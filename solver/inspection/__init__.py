"""Inspection: why a model or a step of a solver decides as it does, and how good a model is.

Fitted models and snapshots of solvers come in; scores, explanations and distances to the boundary go out.  Read
`metrics` first.
"""
