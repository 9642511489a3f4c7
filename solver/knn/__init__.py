"""Nearest neighbours: votes, pictures, and many k at once.

Labelled points come in; neighbours, shares of votes and predictions go out.  Read `neighbors` first; `_knn_index`
chooses how neighbours are searched for.
"""
