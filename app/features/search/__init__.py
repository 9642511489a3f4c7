"""The search for neighbours: the k-d tree of a kNN lane, and the walk through it for one query, step by step."""
