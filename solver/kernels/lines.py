"""Lines of a picture: level lines and boundaries of regions, as polylines separated by NaN rows.

Between samples, values are linear along each side of a cell, as in contourpy, whose lines these are: the few cells that
a line crosses are found first, then the lines are followed in these only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from solver.core import fast_loops
from solver.core.arrays import Array, Indices, Integers, Mask

from ._line_loops import MIDDLE, NONE, compiled_follow, compiled_straighten, follow, follow_boundaries, straighten
from .surface import Grid

#: Tolerance of dropped vertices, as a share of a pixel.
THIN = 0.05
#: Whether a line passes through a cell, by its code.
_CROSSED = (np.arange(256) % 15 > 0) & (np.arange(256) < NONE)


def level_lines(grid: Grid, values: Array, levels: tuple[float, ...], thin: float = THIN) -> Array:
    """Return the curves ``values == level`` on the grid's pixel centres, shape (m, 2).

    Parameters
    ----------
    grid : Grid
    values : ndarray of shape (height, width)
        No line passes between four samples of which one is not finite.
    levels : tuple of float
    thin : float, default=THIN
        Tolerance of dropped vertices, as a share of a pixel.
    """
    values = np.require(values, np.float64, ["C", "W"])
    gaps = np.flatnonzero(~np.isfinite(values))
    return joined([_lines(grid, values > level, values, level, gaps, thin) for level in levels])


def region_lines(grid: Grid, regions: NDArray[np.int8]) -> Array:
    """Return the boundaries between pixels of different `regions`, from -1 to 7, shape (m, 2)."""
    nothing, nowhere = np.empty(0), np.empty(0, dtype=np.intp)
    # The lowest region is left out: each of its lines is that of another one, too.
    masks = (regions == region for region in range(regions.min() + 1, regions.max() + 1))
    return joined([_lines(grid, mask, nothing, 0.5, nowhere, THIN) for mask in masks if mask.any()])


def joined(parts: Iterable[Array]) -> Array:
    """Return the non-empty polylines, separated by NaN rows."""
    gap = np.full((1, 2), np.nan)
    pieces = [piece for part in parts if len(part) for piece in (part, gap)]
    return np.concatenate(pieces[:-1]) if pieces else np.empty((0, 2))


def _lines(grid: Grid, above: Mask, values: Array, level: float, gaps: Indices, thin: float) -> Array:
    """Return the lines around the samples `above` the level; in the middle between samples if `values` is empty.

    No line passes through a cell with a corner among `gaps`, indices into `above`.
    """
    height, width = above.shape
    if min(height, width) < 2:
        return np.empty((0, 2))
    # The code of a cell has a bit for each corner that is above: 2 and 1 in its first row, 8 and 4 in the next; it is
    # at the index of the first corner in `above`.  All rows are coded as one, which is several times as fast; the
    # codes across their ends, and those beyond the last cell, stay NONE.
    bits, end = above.ravel().view(np.uint8), width * (height - 1) - 1
    pairs = bits[:-1] + bits[:-1]
    pairs += bits[1:]
    codes = np.full(-(-height * width // 8) * 8, NONE, dtype=np.uint8)
    np.multiply(pairs[width:], 4, out=codes[:end])
    codes[:end] += pairs[:end]
    codes[width - 1 : end : width] = NONE
    for corner in (0, 1, width, width + 1):
        codes[gaps - corner] = NONE
    # Most cells have no line: all corners are below, code 0, or above, code 15.  So the codes of eight neighbours are
    # compared as one number, with eight times 0 and eight times 15, and the few that remain one by one.
    words = codes.view(np.uint64)
    some = np.flatnonzero((words != 0) & (words != 0x0F0F0F0F0F0F0F0F))
    indices = (8 * some[:, None] + np.arange(8)).ravel()
    crossed = indices[_CROSSED[codes[indices]]]
    flat = values.ravel()
    if len(flat):
        # Only two opposite corners are above, 6 or 9: the mean of all four decides which sides the two lines join.
        both = crossed[(codes[crossed] == 6) | (codes[crossed] == 9)]
        middle = 0.25 * (flat[both] + flat[both + 1] + flat[both + width] + flat[both + width + 1])
        codes[both[middle > level]] |= MIDDLE
    points = np.empty((6 * len(crossed), 2))
    width, height = grid.pixel
    work: Callable[..., int] = compiled_follow if fast_loops.ready() else follow
    thinned: Callable[..., int] = compiled_straighten if fast_loops.ready() else straighten
    n = work(codes, crossed, flat, level, grid.xs, grid.ys, points)
    return points[: thinned(points, n, thin * width, width / height)].copy()


def cell_boundaries(grid: Grid, cells: Integers, most: float = np.inf, thin: float = THIN) -> tuple[Array, int]:
    """Return the boundaries between pixels of different `cells`, any numbers, and the number of cells.

    Unlike in `region_lines`, each boundary occurs once, and where several meet, in the middle of four pixels, they
    join.

    Parameters
    ----------
    grid : Grid
    cells : ndarray of shape (height, width), int64
    most : float, default=inf
        Number of cells above which no lines are computed.
    thin : float, default=THIN
        Tolerance of dropped vertices, as a share of a pixel; three rounds.

    Returns
    -------
    lines : ndarray of shape (m, 2)
    count : int
    """
    across, along = cells[:, 1:] != cells[:, :-1], cells[1:] != cells[:-1]
    first = np.concatenate((cells[:, 0], cells[:, 1:][across]))  # each run of equal pixels once: few of all
    count = len(np.unique(first))
    if min(cells.shape) < 2 or count > most:
        return np.empty((0, 2)), count
    crossed = np.flatnonzero(across[1:] | across[:-1] | along[:, 1:] | along[:, :-1])
    points = np.empty((4 * (np.count_nonzero(across) + np.count_nonzero(along)) + 1, 2))
    n = follow_boundaries(cells, across, along, crossed, grid.xs, grid.ys, points)
    width, height = grid.pixel
    n = compiled_straighten(points, n, thin * width, width / height)
    return points[1:n].copy(), count
