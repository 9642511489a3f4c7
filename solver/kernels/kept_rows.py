"""Keep kernel rows when a few points move: compute only the entries and the rows of the moved points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array, Indices

from ._kernel_rows import COMPUTED, RowCache, kernel_row

#: Least number of kept rows per moved point: entries of moved points are set one by one.
ROWS_PER_POINT = 8


@dataclass(frozen=True)
class MovedRows:
    """Points that have moved, and their kernel rows.

    Attributes
    ----------
    index : ndarray of shape (n_moved,)
    rows : ndarray of shape (n_moved, n)
    """

    index: Indices
    rows: Array


def keep_rows(cache: RowCache, XT: Array) -> MovedRows | None:
    """Update the rows in `cache` to the points `XT`; return None, with no change, if too many points have moved.

    Each entry gets the bits that it has in a row computed anew: a kernel value does not depend on the order of its two
    points.

    Parameters
    ----------
    cache : RowCache
        With the old points.
    XT : ndarray of shape (n_features, n)
        The new ones.
    """
    rows, slot_of = cache.rows, cache.slot_of
    index = np.flatnonzero((cache.XT != XT).any(axis=0))
    kept = min(int(cache.head[COMPUTED]), len(rows))
    if ROWS_PER_POINT * len(index) > kept:
        return None
    new = np.empty((len(index), len(slot_of)))
    for point, row in zip(index, new, strict=True):
        kernel_row(cache.kernel, XT, point, row)
        rows[:kept, point] = row[cache.owner[:kept]]
        if slot_of[point] >= 0:
            rows[slot_of[point]] = row
    return MovedRows(index, new)
