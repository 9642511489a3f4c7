"""Bayes boundary: where the likeliest class changes, followed on a grid between the logarithms of the densities."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.overlays import Lines
from app.engine.pieces import Pace, Step
from app.engine.shading import joined, level_lines
from solver import Grid
from solver.core.arrays import Array
from solver.data.distribution import Law

#: Pixels a side of the cells of the finer of both pictures.  Along the cells' edges the line lies where interpolated
#: log-densities cross, so finer cells would move it by less than a tenth of a pixel.
CELL = 2
#: Pixels a side of the first tiles.
TILE = 16


@dataclass(frozen=True)
class Boundary:
    """Query: the ideal boundary on the rectangle of `grid`.

    Parameters
    ----------
    law : Law
        One whose ideal class is defined everywhere: with noise.
    grid : Grid
    """

    law: Law
    grid: Grid

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        g = self.grid
        fine = Grid(g.left, g.right, g.bottom, g.top, max(2, g.width // CELL), max(2, g.height // CELL))
        coarse, pace = g.coarse(), Pace(overtaken)
        for grid in (coarse, fine) if coarse.width * coarse.height < fine.width * fine.height else (fine,):
            logs = yield from _on(self.law, grid, pace)
            parts = []
            for c in range(logs.shape[2] - 1):
                parts.append(border(grid, logs, c))
                yield from pace.pause()
            post(Lines(joined(parts), "ideal"))


def _on(law: Law, grid: Grid, pace: Pace) -> Generator[Step, None, Array]:
    """log p(x | c) on `grid`, shape (height, width, n_classes), in tiles: near each other, points share most work."""
    xs, ys = grid.xs, grid.ys
    logs = np.empty((grid.height, grid.width, law.n_classes))
    for row in range(0, grid.height, TILE):
        rows = slice(row, row + TILE)

        def fill(columns: slice, rows: slice = rows) -> None:
            x, y = np.meshgrid(xs[columns], ys[rows])
            values = law.log_density(np.column_stack([x.ravel(), y.ravel()]))
            logs[rows, columns] = values.reshape(*x.shape, law.n_classes)

        yield from pace.in_blocks(grid.width, fill, size=TILE)
    return logs


def border(grid: Grid, logs: Array, c: int) -> Array:
    """Where class `c` gives way to a later class as the one of the largest of `logs` (height, width, n_classes).

    Returns
    -------
    xy : ndarray of shape (m, 2)
        Polylines joined with NaN rows.
    """
    others = np.full(logs.shape[:2], -np.inf)
    for other in range(logs.shape[2]):
        if other != c:
            np.maximum(others, logs[..., other], out=others)
    line = level_lines(grid, logs[..., c] - others, (0.0,))
    return _with_rivals(grid, line, logs, c) if c > 0 and len(line) else line


def _with_rivals(grid: Grid, line: Array, logs: Array, c: int) -> Array:
    """The pieces of the border `line` of class `c` beyond which a later class begins."""
    middle = 0.5 * (line[:-1] + line[1:])
    ends = np.isnan(middle).any(axis=1)
    x = np.where(ends, 0.0, (middle[:, 0] - grid.xs[0]) / (grid.xs[1] - grid.xs[0]))
    y = np.where(ends, 0.0, (middle[:, 1] - grid.ys[0]) / (grid.ys[1] - grid.ys[0]))
    column = np.clip(x.astype(np.intp), 0, grid.width - 2)
    row = np.clip(y.astype(np.intp), 0, grid.height - 2)
    x, y = (x - column)[:, None], (y - row)[:, None]
    values = (1 - y) * ((1 - x) * logs[row, column] + x * logs[row, column + 1])
    values += y * ((1 - x) * logs[row + 1, column] + x * logs[row + 1, column + 1])
    values[:, c] = -np.inf
    later = ~ends & (values.argmax(axis=1) > c)
    pieces = np.full((len(middle), 3, 2), np.nan)
    pieces[:, 0], pieces[:, 1] = line[:-1], line[1:]
    # A vertex for each end that stays, and a gap where the next piece is left out.
    keep = np.zeros((len(middle), 3), dtype=bool)
    begins = later & ~np.append(False, later[:-1])
    keep[:, 0] = begins
    keep[:, 1] = later
    keep[:, 2] = later & ~np.append(later[1:], False)
    return pieces[keep][:-1] if later.any() else np.empty((0, 2))
