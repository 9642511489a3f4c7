"""Queries about the picture of kNN: the boundaries of its cells, and the points that it needs."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from msgspec import Struct

from app.engine.lane_job import TILE
from app.engine.overlays import Lines, LineStyle
from app.engine.pacing import Pace, Step
from app.engine.pool import Delay, Priority
from solver import Grid
from solver.core.arrays import Mask
from solver.kernels.lines import cell_boundaries

if TYPE_CHECKING:
    from solver import KNeighborsClassifier

#: Mean number of pixels per cell below which no boundaries are drawn: they would be a grey area.
LEAST_PIXELS = 200.0
#: The same on a coarse grid, which misses small cells.
LEAST_COARSE = 300.0
#: Share of a pixel by which lines may omit a vertex, the size of the steps of a slanting line: they are drawn faster,
#: and stay within two thirds of a pixel.
THIN = 0.36
#: Smallest number of rows computed together.
ROWS = 4
#: Delay (s) that leaves the processors to the pictures of the other lanes.
PAUSE = 0.012
#: Line style of the cells' boundaries.
CELL = LineStyle("cell", 0, 1.0, faint=True)


class KnnCells(Struct, frozen=True, eq=False):
    """The cells of a picture.

    Attributes
    ----------
    count : int
        Number of visible cells.
    pixels : float
        Mean number of the picture's pixels per cell.
    lines : tuple of Lines
        Their boundaries; empty if the cells are too small.
    coarse : bool
        True if they were found on a coarse grid, which misses small cells.
    """

    count: int
    pixels: float
    lines: tuple[Lines, ...]
    coarse: bool


class CellsQuery(Struct, frozen=True):
    """Query: the cells of the picture of `model` on `grid`."""

    model: KNeighborsClassifier
    grid: Grid
    priority: ClassVar[Priority] = Priority.FIRST_PICTURE

    def answer(self, post: Callable[[KnnCells], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the cells on a coarse grid in any case, so that a drag shows them, then those on the full grid."""
        coarse = self.grid.coarse()
        yield Delay(PAUSE, self.priority)
        post((yield from self._cells(coarse, Pace(priority=self.priority))))
        if coarse != self.grid:
            pace = Pace(overtaken)
            yield from pace.pause()
            post((yield from self._cells(self.grid, pace)))

    def _cells(self, grid: Grid, pace: Pace) -> Generator[Step, None, KnnCells]:
        rows, ys = self.model.cells_on(grid.xs), grid.ys
        cells = np.empty((grid.height, grid.width), dtype=np.int64)

        def fill(block: slice) -> None:
            cells[block] = rows(ys[block])

        yield from pace.in_blocks(grid.height, fill, size=TILE, least=TILE)
        samples = self.grid.width * self.grid.height
        most = samples / (LEAST_PIXELS if grid == self.grid else LEAST_COARSE)
        xy, count = cell_boundaries(grid, cells, most, THIN)
        return KnnCells(count, samples / count, (Lines(xy, CELL),) if count <= most else (), grid != self.grid)


class KeptQuery(Struct, frozen=True):
    """Query: the training points without one of which the picture of `model` on `grid` would change."""

    model: KNeighborsClassifier
    grid: Grid

    def answer(self, post: Callable[[Mask], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post once which points the picture needs, shape (n,)."""
        needed, ys = self.model.kept_on(self.grid.xs), self.grid.ys
        kept: list[Mask] = []

        def fill(block: slice) -> None:
            kept[:] = [needed(ys[block])]

        yield from Pace(overtaken).in_blocks(self.grid.height, fill, size=ROWS, least=ROWS)
        post(kept[0])
