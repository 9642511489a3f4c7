"""Cells of a nearest-neighbour picture, and the training points that it needs.

`KNeighborsClassifier.cells_on` and `kept_on` give them; the tie rule stands at the top of `neighbors`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solver.core.arrays import Array, Integers, Mask

from ._knn_cells import cells_on_grid
from ._knn_index import Index


def cells_on(index: Index, k: int, xs: Array) -> Callable[[Array], Integers]:
    """``rows(ys)`` of the cells on the columns `xs`, shape (len(ys), len(xs))."""
    keys = np.random.default_rng(len(index.norms)).integers(-(2**63), 2**63, len(index.norms), dtype=np.int64)

    def rows(ys: Array) -> Integers:
        cells = np.empty((len(ys), len(xs)), dtype=np.int64)
        _walk(index, k, 0, xs, ys, keys, cells, np.empty(0, dtype=np.bool_))
        return cells

    return rows


def kept_on(index: Index, k: int, weights: int, xs: Array, rows: Integers | None) -> Callable[[Array], Mask]:
    """``look(ys)`` of the columns `xs`: which of the points are needed at these pixels or those of an earlier call."""
    entry = index.entry
    looked = np.arange(len(entry)) if rows is None else rows
    kept = np.ones(len(index.label), dtype=np.bool_)
    if len(entry) > k:
        kept[entry[looked]] = False
    nothing, no_cells = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64)

    def look(ys: Array) -> Mask:
        _walk(index, k, weights, xs, ys, nothing, no_cells, kept)
        found: Mask = kept[entry[looked]]
        return found

    return look


def _walk(
    index: Index, k: int, weights: int, xs: Array, ys: Array, keys: Integers, cells: Integers, kept: Mask
) -> None:
    """`cells_on_grid`, with what it needs of these points."""
    if len(xs) == 0 or len(ys) == 0:
        return
    cells_on_grid(
        index.metric,
        index.p,
        weights,
        k,
        index.columns,
        index.start,
        index.label,
        index.count,
        index.sole,
        bool(len(index.norms) == len(index.points)),
        bool((index.norms == 0.0).any()),
        index.strips,
        index.edges,
        xs,
        ys,
        keys,
        cells,
        kept,
    )
