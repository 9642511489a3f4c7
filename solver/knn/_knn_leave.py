"""Leaving one point out of an index of nearest neighbours: how the others vote at its place, exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solver.core.arrays import Array, Integers

from ._knn_index import Index


def shares_without_self(index: Index, rows: Integers, k: int, weights: int, compiled: bool) -> Array:
    """Vote shares (len(rows), n_classes) at the training points `rows` as all others vote.

    For each of them the index loses that point and nothing else, and is asked by the loops that answer any query: so
    the tie rule is the model's own, also among points that lie on one another.
    """
    if compiled:
        return index.shares(index.own[rows], k, weights, compiled, rows)
    out = np.empty((len(rows), index.n_classes))
    for i, row in enumerate(rows.tolist()):
        less = replace(index, points=np.delete(index.points, row, axis=0), codes=np.delete(index.codes, row))
        out[i] = less.shares(index.own[row : row + 1], k, weights, compiled)[0]
    return out
