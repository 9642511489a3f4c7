"""Data sets: seeded generators, and the distributions they draw from."""
