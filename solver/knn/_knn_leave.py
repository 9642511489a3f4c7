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
    out = np.empty((len(rows), index.n_classes))
    for i, row in enumerate(rows.tolist()):
        less = _without(index, row) if compiled else _without_row(index, row)
        out[i] = less.shares(index.own[row : row + 1], k, weights, compiled)[0]
    return out


def _without_row(index: Index, row: int) -> Index:
    """For the plain version, which looks at the points one by one."""
    return replace(index, points=np.delete(index.points, row, axis=0), codes=np.delete(index.codes, row))


def _without(index: Index, row: int) -> Index:
    """For the compiled loops, which look at locations; pictures cannot be made of the result."""
    location = int((index.columns == index.points[row][:, None]).all(axis=0).argmax())
    first, last = int(index.start[location]), int(index.start[location + 1])
    entry = first + int(np.flatnonzero(index.label[first:last] == index.codes[row])[0])
    if index.count[entry] > 1:
        count = index.count.copy()
        count[entry] -= 1
        return replace(index, count=count)
    start = index.start.copy()
    start[location + 1 :] -= 1
    label, count = np.delete(index.label, entry), np.delete(index.count, entry)
    if last - first > 1:
        return replace(index, start=start, label=label, count=count)
    columns = np.ascontiguousarray(np.delete(index.columns, location, axis=1))
    norms, start = np.delete(index.norms, location), np.delete(start, location + 1)
    return replace(index, columns=columns, norms=norms, start=start, label=label, count=count)
