"""Keep kernel rows when a few points move: compute only the entries and the rows of the moved points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array, Indices

from ._kernel_rows import COMPUTED, Cache, KernelNumbers, kernel_row

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


def keep_rows(kernel: KernelNumbers, before: Array, XT: Array, cache: Cache) -> MovedRows | None:
    """Update the rows in `cache` to the points `XT`; return None, with no change, if too many points have moved.

    Each entry gets the bits that it has in a row computed anew: a kernel value does not depend on the order of its two
    points.

    Parameters
    ----------
    kernel : tuple
        (code, gamma, coef0, degree).
    before, XT : ndarray of shape (n_features, n)
        The old points, whose rows are in the cache, and the new ones.
    cache : tuple
        See `_kernel_rows`.
    """
    rows, slot_of, owner, _, head = cache
    index = np.flatnonzero((before != XT).any(axis=0))
    kept = min(int(head[COMPUTED]), len(rows))
    if ROWS_PER_POINT * len(index) > kept:
        return None
    new = np.empty((len(index), len(slot_of)))
    for point, row in zip(index, new, strict=True):
        kernel_row(kernel, XT, point, row)
        rows[:kept, point] = row[owner[:kept]]
        if slot_of[point] >= 0:
            rows[slot_of[point]] = row
    return MovedRows(index, new)
