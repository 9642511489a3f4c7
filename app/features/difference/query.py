"""Differing: where two models predict different classes: which pixels of the view, which points, and who is right."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.fitting import next_size, predictions
from app.engine.overlays import Hatch
from app.engine.pool import Priority
from app.engine.query import Step
from app.engine.requests import Sides
from app.engine.surface_values import source_of
from app.state.points import Points
from solver import Grid

#: Points up to which the list is worked out even while the models change: some tenths of a second in the background.
PROMISED = 20_000


@dataclass(frozen=True, eq=False)
class Involved:
    """The points that two models give different classes.

    Attributes
    ----------
    points : Points
        All that were looked at.
    index : ndarray of shape (n,), intp
        Which of them.
    said : ndarray of shape (n, 2), int64
        What the first and the second model say.
    """

    points: Points
    index: NDArray[np.intp]
    said: NDArray[np.int64]

    @property
    def right(self) -> tuple[int, int]:
        """Of how many of them the first model is right, and the second."""
        right = self.said == self.points.labels[self.index, None]
        return int(right[:, 0].sum()), int(right[:, 1].sum())


@dataclass(frozen=True, eq=False)
class Difference:
    """What is known of where two models differ.

    Attributes
    ----------
    hatch : Hatch
        The pixels in which they do.
    full : bool
        One for each pixel that was asked for.
    involved : Involved or None
        None until the points have been looked at.
    """

    hatch: Hatch
    full: bool
    involved: Involved | None = None

    @property
    def share(self) -> float:
        """Share of the pixels."""
        return float(self.hatch.mask.mean())


@dataclass(frozen=True)
class Differing:
    """The question: where do the models of `sides` predict different classes, of `grid` and of `points`?"""

    sides: Sides
    grid: Grid
    points: Points
    compiled: bool

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Posts a `Difference` that becomes finer.

        The first one comes whatever happens, of up to `PROMISED` points with its list: else nothing of it would be
        seen as long as one of the two trains.
        """
        promised = len(self.points) <= PROMISED
        involved = (yield from self._involved(lambda: False)) if promised else None
        coarse = self.grid.coarse()
        mask = yield from self._mask(coarse, lambda: False)
        assert mask is not None
        found = Difference(Hatch(mask, coarse), coarse == self.grid, involved)
        post(found)
        if not promised:
            involved = yield from self._involved(overtaken)
            if involved is None:
                return
            post(Difference(found.hatch, found.full, involved))
        if not found.full:
            mask = yield from self._mask(self.grid, overtaken)
            if mask is not None:
                post(Difference(Hatch(mask, self.grid), True, involved))

    def _involved(self, overtaken: Callable[[], bool]) -> Generator[Step, None, Involved | None]:
        said = []
        for side in self.sides:
            classes = yield from predictions(side.model, self.points.xy, self.compiled, overtaken)
            if classes is None:
                return None
            said.append(classes)
        both = np.column_stack(said)
        index = np.flatnonzero(both[:, 0] != both[:, 1])
        return Involved(self.points, index, both[index])

    def _mask(self, grid: Grid, overtaken: Callable[[], bool]) -> Generator[Step, None, NDArray[np.bool_] | None]:
        mask = np.empty((grid.height, grid.width), dtype=bool)
        ys = grid.ys
        first, second = (source_of(side.model, side.lane, side.compiled)(grid.xs) for side in self.sides)
        row, height = 0, 8
        while row < grid.height:
            yield Priority.BACKGROUND
            if overtaken():
                return None
            begun = time.perf_counter()
            block = slice(row, min(row + height, grid.height))
            mask[::-1][block] = first(ys[block]).classes != second(ys[block]).classes
            row = block.stop
            height = min(next_size(height, time.perf_counter() - begun), 256)
        return mask
