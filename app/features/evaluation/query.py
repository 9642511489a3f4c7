"""Queries of the evaluation: cross-validation, and the line of a threshold."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.core.points import Points
from app.engine.cover import Cover
from app.engine.cross_validation import cross_validated
from app.engine.overlays import Lines, LineStyle
from app.engine.pacing import Pace, Step
from app.engine.surface_values import rows_of
from app.learners.model import Model, remote
from app.state.document import Lane
from solver import Grid
from solver.core.arrays import Array
from solver.kernels.lines import joined, level_lines, region_lines

#: Style of the line of a threshold.
OTHER = LineStyle("other", 3, 2.0, (1.5, 2.0), (1.2, 1.6))
#: Pixels in which lines are searched at a time.
STRIP = 150_000

# -- cross-validation ----------------------------------------------------------------------------------------------


class CrossValidation(Struct, frozen=True):
    """Query: cross-validate the classifier of `lane`, see `cross_validated`."""

    lane: Lane
    points: Points
    k: int
    seed: int
    reveals: ClassVar[Cover] = Cover.TRAINING

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post `Validated` after each fold, or after some of the points."""
        yield from cross_validated(self.lane, self.points, self.k, self.seed, Pace(overtaken), post)


# -- threshold lines -----------------------------------------------------------------------------------------------


class ScoreGrid:
    """The score of a model of two classes on a grid, computed once for all thresholds, row by row.

    Only the job of its query writes to it, and there is one at a time.
    """

    def __init__(self, model: Model, grid: Grid) -> None:
        self.model, self.grid = model, grid
        self._values, self._known = np.empty((grid.height, grid.width)), 0
        self._rows: Callable[[Array], Array] | None = None

    def values(self, pace: Pace) -> Generator[Step, None, Array]:
        """Return the scores, shape (height, width), row 0 the lowest."""
        grid, process = self.grid, remote(self.model)
        if process is not None and not self._known:
            x, y = np.meshgrid(grid.xs, grid.ys)
            shares = yield from pace.wait(process.begin_shares(np.column_stack((x.ravel(), y.ravel()))))
            self._values[:], self._known = shares[:, 1].reshape(x.shape), grid.height
        if self._rows is None:
            self._rows = self._prepared()
            yield from pace.pause()
        values, rows, ys = self._values, self._rows, grid.ys

        def fill(block: slice) -> None:
            values[block] = rows(ys[block])
            self._known = block.stop

        yield from pace.in_blocks(grid.height, fill, size=8, begin=self._known)
        return values

    def _prepared(self) -> Callable[[Array], Array]:
        model = self.model
        if model.kind != "f":
            shares = model.surface_on(self.grid.xs)
            return lambda ys: shares(ys)[..., 1]
        rows = model.pair_surface_on(self.grid.xs)
        return lambda ys: rows(ys)[..., 0]


@kept(4)
def field_of(model: Model, grid: Grid) -> ScoreGrid:
    """Return the scores of a model on a grid; cached."""
    return ScoreGrid(model, grid)


class ThresholdLine(Struct, frozen=True):
    """Query: the line on which a model's score is `threshold`."""

    field: ScoreGrid
    threshold: float

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post what is drawn over the picture, once."""
        pace = Pace(overtaken)
        values = yield from self.field.values(pace)
        grid, votes = self.field.grid, self.field.model.kind == "votes"
        # In strips that share a row: the lines of a large picture take longer than a piece may.
        step, parts = max(1, STRIP // grid.width), []
        for row in range(0, max(grid.height - 1, 1), step):
            yield from pace.pause()
            block = slice(row, min(row + step + 1, grid.height))
            strip = rows_of(grid, block)
            if votes:  # not a smooth function: edges of pixels
                parts.append(region_lines(strip, (values[block] > self.threshold).astype(np.int8)))
            else:
                parts.append(level_lines(strip, values[block], (self.threshold,)))
        post((Lines(joined(parts), OTHER),))
