"""Raster: the surface of a model, walked in blocks of rows, and the lines in it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from solver import Grid
from solver.core.arrays import Array, Mask

from .pieces import Pace, Step
from .shading import Regions, level_lines, region_lines
from .surface_values import Source, Values


@dataclass(eq=False)
class Surface:
    """What a model says at the pixels of `grid`; row 0 is the lowest.

    Attributes
    ----------
    grid : Grid
    classes : ndarray of shape (height, width), int8
        Those predicted; of a difference, by the first model.
    tie : ndarray of shape (height, width), bool
    f : ndarray of shape (height, width) or None
        Of the problem with the margins.
    other : ndarray of shape (height, width), int8, or None
        What the second model of a difference predicts.
    levels : tuple of float
        Values of f at the margins.
    """

    grid: Grid
    classes: Regions
    tie: Mask
    f: Array | None = None
    other: Regions | None = None
    levels: tuple[float, ...] = ()

    def put(self, block: slice, values: Values) -> None:
        """Fill in a block of rows."""
        self.tie[block] = values.tie
        if values.two is None:
            self.classes[block] = values.classes
        else:
            self.other = np.empty_like(self.classes) if self.other is None else self.other
            self.classes[block], self.other[block] = values.two
        if values.f is not None:
            self.f = np.empty(self.classes.shape) if self.f is None else self.f
            self.f[block], self.levels = values.f, values.margins

    def boundary(self, n_classes: int) -> Array:
        """f = 0 for two classes, else the borders between the regions of the classes."""
        if self.f is not None and n_classes == 2:
            return level_lines(self.grid, self.f, (0.0,))
        return region_lines(self.grid, np.where(self.tie, np.int8(-1), self.classes))

    def margins(self) -> Array:
        """Where f is one of `levels`; of a difference, the borders of the second model."""
        if self.other is not None:
            return region_lines(self.grid, self.other)
        return np.empty((0, 2)) if self.f is None else level_lines(self.grid, self.f, self.levels)


def surface(
    source: Source, grid: Grid, pace: Pace, show: Callable[[slice, Values], None] | None = None, size: int = 8
) -> Generator[Step, None, Surface]:
    """Evaluate `source` at all pixels; `show` is called with each block of rows, of which the first has `size`."""
    rows, ys, shape = source(grid.xs), grid.ys, (grid.height, grid.width)
    found = Surface(grid, np.empty(shape, dtype=np.int8), np.empty(shape, dtype=bool))

    def fill(block: slice) -> None:
        values = rows(ys[block])
        found.put(block, values)
        if show is not None:
            show(block, values)

    yield from pace.in_blocks(grid.height, fill, size=size)
    return found


def rows_of(grid: Grid, block: slice) -> Grid:
    """Some rows of a grid."""
    row = (grid.top - grid.bottom) / grid.height
    bottom, top = (grid.bottom + place * row for place in (block.start, block.stop))
    return Grid(grid.left, grid.right, bottom, top, grid.width, block.stop - block.start)


def unless_too_dense(lines: Array, most: int) -> Array:
    """Lines, or none where they would cover the picture: black instead of colours, and seconds to paint."""
    return lines if len(lines) <= most else np.empty((0, 2))
