"""Nearest neighbours: votes, pictures, many k at once."""
