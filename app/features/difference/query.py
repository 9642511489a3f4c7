"""Differing: where two models predict different classes: which pixels of the view, which points, and who is right."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.engine.fitting import predictions
from app.engine.overlays import Hatch
from app.engine.pieces import Pace, Step
from app.engine.requests import Sides
from app.engine.surface_values import source_of
from app.state.points import Points
from solver import Grid
from solver.core.arrays import Indices, Integers

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
    index: Indices
    said: Integers

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
        pace = Pace(overtaken)
        promised = len(self.points) <= PROMISED
        involved = (yield from self._involved(Pace())) if promised else None
        coarse = self.grid.coarse()
        found = Difference((yield from self._hatch(coarse, Pace())), coarse == self.grid, involved)
        post(found)
        if not promised:
            found = replace(found, involved=(yield from self._involved(pace)))
            post(found)
        if not found.full:
            post(replace(found, hatch=(yield from self._hatch(self.grid, pace)), full=True))

    def _involved(self, pace: Pace) -> Generator[Step, None, Involved]:
        said = []
        for side in self.sides:
            said.append((yield from predictions(side.model, self.points.xy, self.compiled, pace)))
        both = np.column_stack(said)
        index = np.flatnonzero(both[:, 0] != both[:, 1])
        return Involved(self.points, index, both[index])

    def _hatch(self, grid: Grid, pace: Pace) -> Generator[Step, None, Hatch]:
        mask, ys = np.empty((grid.height, grid.width), dtype=bool), grid.ys
        first, second = (source_of(side.model, side.lane, side.compiled)(grid.xs) for side in self.sides)

        def fill(block: slice) -> None:
            mask[::-1][block] = first(ys[block]).classes != second(ys[block]).classes

        yield from pace.pause()
        yield from pace.in_blocks(grid.height, fill, size=8, most=256)
        return Hatch(mask, grid)
