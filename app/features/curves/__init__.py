"""Training curves: the numbers of a run against its steps."""
