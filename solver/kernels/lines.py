"""Lines of a picture: level lines and boundaries of regions, as polylines separated by NaN rows.

Between samples, values are linear along each side of a cell, as in contourpy, whose lines these are: the few cells that
lines cross are found first, for all levels at once, then the lines are followed in these only.
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
    finite = np.isfinite(values)
    gaps = np.empty(0, dtype=np.intp) if finite.all() else np.flatnonzero(~finite)
    above = np.zeros(values.shape, np.min_scalar_type(2 ** len(levels)))  # a bit for each level, the last one lowest
    for level in levels:
        above += above
        above += (values > level).view(np.uint8)
    cells, corners = _crossed(above)
    flat = values.ravel()
    bits = range(len(levels))[::-1]
    parts = [_lines(grid, cells, corners >> k & 1 > 0, flat, a, gaps, thin) for k, a in zip(bits, levels, strict=True)]
    return joined(parts)


def region_lines(grid: Grid, regions: NDArray[np.int8]) -> Array:
    """Return the boundaries between pixels of different `regions`, shape (m, 2)."""
    nothing, nowhere = np.empty(0), np.empty(0, dtype=np.intp)
    cells, corners = _crossed(regions)
    inside = np.unique(corners)[1:]
    return joined([_lines(grid, cells, corners == region, nothing, 0.5, nowhere, THIN) for region in inside])


def joined(parts: Iterable[Array]) -> Array:
    """Return the non-empty polylines, separated by NaN rows."""
    gap = np.full((1, 2), np.nan)
    pieces = [piece for part in parts if len(part) for piece in (part, gap)]
    return np.concatenate(pieces[:-1]) if pieces else np.empty((0, 2))


def _crossed(labels: NDArray[np.integer]) -> tuple[Indices, Integers]:
    """Return the cells whose corners differ, by the index of the lower left one, and these four labels, shape (4, m).

    The other corners are the lower right one, and the two above.
    """
    flat, (height, width) = labels.ravel(), labels.shape
    end = max(width * (height - 1) - 1, 0)
    across = flat[1:] != flat[:-1]  # all rows as one is several times as fast
    some = across[:end] | across[width : width + end]
    some |= flat[:end] != flat[width : width + end]
    some[width - 1 :: width] = False
    cells = np.flatnonzero(some)
    return cells, flat[cells + np.array([[0], [1], [width], [width + 1]])]


def _lines(grid: Grid, cells: Indices, above: Mask, values: Array, level: float, gaps: Indices, thin: float) -> Array:
    """Return the lines in these `cells`, given which of their corners, shape (4, m), are `above` the level.

    They are in the middle between samples if `values`, those of all samples, is empty.  No line passes through a cell
    with a corner among `gaps`, indices of samples.
    """
    # The code of a cell has a bit for each corner that is above; codes beyond the last cell of a row are NONE.
    code = np.array([2, 1, 8, 4], np.uint8) @ above.view(np.uint8)
    passed = code % 15 > 0
    cells, code, width = cells[passed], code[passed], grid.width
    if len(values):
        # Only two opposite corners are above, 6 or 9: the mean of all four decides which sides the two lines join.
        two = np.flatnonzero((code == 6) | (code == 9))
        both = cells[two]
        middle = 0.25 * (values[both] + values[both + 1] + values[both + width] + values[both + width + 1])
        code[two[middle > level]] |= MIDDLE
    codes = np.zeros(grid.height * width, np.uint8)
    codes[width - 1 :: width] = codes[-width:] = NONE
    codes[cells] = code
    for corner in (0, 1, width, width + 1):
        codes[gaps - corner] = NONE
    points = np.empty((6 * len(cells), 2))
    work: Callable[..., int] = compiled_follow if fast_loops.ready() else follow
    thinned: Callable[..., int] = compiled_straighten if fast_loops.ready() else straighten
    n = work(codes, cells, values, level, grid.xs, grid.ys, points)
    size = grid.pixel
    return points[: thinned(points, n, thin * size[0], size[0] / size[1])].copy()


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
