"""Data sets: seeded generators of labelled points, and the distributions they draw from.

The name of a data set, a seed and options come in; points and labels go out, and densities, from which the ideal
boundary follows.  Read `datasets` first, then `distribution`.
"""
