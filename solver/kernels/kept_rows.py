"""Kernel rows that are kept when a few of the points move: only their entries, and their own rows, are computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array, Indices

from ._kernel_rows import COMPUTED, Cache, KernelNumbers, kernel_row

#: Rows kept for each point that moved, at least: its entries in them are set one by one.
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
    """Make the rows in `cache` those of the points `XT`; None, and nothing done, where too many have moved.

    Each entry gets the bits that it has in a row computed anew: a kernel value is the same whichever of its two points
    comes first.

    Parameters
    ----------
    kernel : tuple
        (code, gamma, coef0, degree).
    before, XT : ndarray of shape (n_features, n)
        The points that the rows belong to, and those that they shall belong to.
    cache : tuple
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
