"""Evaluation in the background: cross-validation and threshold lines, as queries."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from app.core.points import Points
from app.engine.cover import Cover
from app.engine.fitting import fitted
from app.engine.outcome import outcome, outcome_of_shares
from app.engine.pieces import Pace, Step
from app.engine.shading import joined, level_lines, region_lines
from app.engine.surface_values import rows_of
from app.learners.model import Model
from app.state.document import Lane
from app.state.test_split import folds_of
from solver import Grid
from solver.core.arrays import Array, Integers

#: Training points up to which each of them is left out in turn: of kNN, which looks for neighbours anew, and of
#: learners that train anew.
MOST_LEFT_OUT, MOST_REFITS = 20_000, 300
#: Updates after which a fold's training counts as stopped early.
MOST_UPDATES = 3_000_000
#: Pixels in which lines are looked for in one go.
STRIP = 150_000

# -- cross-validation ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Validated:
    """A cross-validation as far as it has come.

    Attributes
    ----------
    right, sizes : ndarray of shape (n_done,)
        Points classified rightly, a tie of m classes counting 1 / m, and points, of each fold that is done; of leaving
        one out all in one.
    folds : int
        How many there will be.
    left_out : int
        How many points have been tested.
    unfinished : int
        Folds in which training was stopped before its end.
    each : bool
        Every point is a fold of its own.
    one_class : int
        Folds without which points of only one class are left: then that class is what is always said.
    """

    right: Array
    sizes: Integers
    folds: int
    left_out: int
    unfinished: int
    each: bool
    one_class: int = 0

    @property
    def accuracies(self) -> Array:
        """Of each fold that is done."""
        return self.right / self.sizes

    @property
    def mean(self) -> float:
        """Mean accuracy of the folds that are done; of points left out one by one, the share classified rightly."""
        return float(self.accuracies.mean()) if len(self.sizes) else float("nan")

    @property
    def spread(self) -> float:
        """Standard deviation of the folds' accuracies."""
        return float(self.accuracies.std()) if len(self.sizes) else float("nan")


@dataclass(frozen=True)
class CrossValidation:
    """Train on all folds but one, test on that, and so on; with 0 folds, every point is a fold of its own.

    Of kNN that is exact without training anything: the others vote at the place of each point.
    """

    lane: Lane
    points: Points
    k: int
    seed: int
    tells: ClassVar[Cover] = Cover.TRAINING

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Posts `Validated` after each fold, or after some of the points."""
        n = len(self.points)
        if self.k == 0 and self.lane.family.leaves_out:
            yield from self._without_each(post, overtaken)
            return
        if self.k == 0 and n > MOST_REFITS:
            raise ValueError(
                f"Leaving out each of {n} points means {n} trainings: choose 10 folds, or at most {MOST_REFITS} points."
            )
        folds = self.k or n
        if not 2 <= folds <= n:
            raise ValueError(f"{max(folds, 2)} folds need as many training points; there are {n}.")
        if self.lane.trainer is not None and len(self.points.classes) < 2:
            raise ValueError("This classifier needs training points of two classes.")
        fold = folds_of(self.points, folds, self.seed)
        xy, labels = self.points.xy, self.points.labels
        right: list[float] = []
        sizes: list[int] = []
        unfinished = one_class = 0
        pace = Pace(overtaken)
        for number in range(folds):
            out = fold == number
            rest = Points.of(xy[~out], labels[~out])
            if self.lane.trainer is not None and len(rest.classes) < 2:
                # As the curves under the sliders have it: who has seen one class only says no other.
                one_class += 1
                right.append(float((labels[out] == rest.classes[0]).sum()))
                yield from pace.pause()
            else:
                done = yield from fitted(self.lane, rest, pace, most=MOST_UPDATES)
                found = yield from outcome(done.model, xy[out], labels[out], pace)
                right.append(float(found.credit.sum()))
                unfinished += not done.finished
            sizes.append(int(out.sum()))
            post(_validated(right, sizes, folds, unfinished, self.k == 0, one_class))

    def _without_each(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        points = self.points
        n = len(points)
        if n < 2:
            raise ValueError("Leaving one out needs at least two training points.")
        if n > MOST_LEFT_OUT:
            raise ValueError(
                f"Leaving out each of {n} points takes too long: choose folds, or at most {MOST_LEFT_OUT}."
            )
        model = self.lane.family.leave_one_out(self.lane, points)
        right, posted, pace = 0.0, time.perf_counter(), Pace(overtaken)

        def count(block: slice) -> None:
            nonlocal right, posted
            rows = np.arange(block.start, block.stop)
            shares = model.shares_without_self(rows)
            right += float(outcome_of_shares(shares, model.classes_, points.labels[rows]).credit.sum())
            if time.perf_counter() - posted > 0.2 or block.stop == n:
                posted = time.perf_counter()
                post(Validated(np.array([right]), np.array([block.stop]), n, block.stop, 0, True))

        yield from pace.pause()
        yield from pace.in_blocks(n, count, size=8)


def _validated(
    right: list[float], sizes: list[int], folds: int, unfinished: int, each: bool, one_class: int
) -> Validated:
    if each:
        all_right, all_sizes = np.array([sum(right)]), np.array([sum(sizes)])
        return Validated(all_right, all_sizes, folds, sum(sizes), unfinished, True, one_class)
    return Validated(np.array(right), np.array(sizes), folds, sum(sizes), unfinished, False, one_class)


# -- threshold lines -----------------------------------------------------------------------------------------------


class ScoreGrid:
    """The score of a model of two classes on a grid, worked out once for all thresholds; rows are made as needed.

    Only the job of its question writes to it, and there is one at a time.
    """

    def __init__(self, model: Model, grid: Grid) -> None:
        self.model, self.grid = model, grid
        self._values: Array | None = None
        self._known = 0
        self._rows: Callable[[Array], Array] | None = None

    def values(self, pace: Pace) -> Generator[Step, None, Array]:
        """The scores, shape (height, width), row 0 the lowest."""
        grid = self.grid
        if self._values is None:
            self._values = np.empty((grid.height, grid.width))
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


@lru_cache(maxsize=4)
def field_of(model: Model, grid: Grid) -> ScoreGrid:
    """The field of a model on a grid: the same one as long as it is asked for."""
    return ScoreGrid(model, grid)


@dataclass(frozen=True)
class ThresholdLine:
    """Where a model's score is `threshold`."""

    field: ScoreGrid
    threshold: float

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Posts polylines joined with NaN rows, shape (m, 2), once."""
        pace = Pace(overtaken)
        values = yield from self.field.values(pace)
        grid, votes = self.field.grid, self.field.model.kind == "votes"
        # In strips that share a row: of a large picture the lines take longer than a piece may.
        step, parts = max(1, STRIP // grid.width), []
        for row in range(0, max(grid.height - 1, 1), step):
            yield from pace.pause()
            block = slice(row, min(row + step + 1, grid.height))
            strip = rows_of(grid, block)
            if votes:  # no smooth function: borders of pixels
                parts.append(region_lines(strip, (values[block] > self.threshold).astype(np.int8)))
            else:
                parts.append(level_lines(strip, values[block], (self.threshold,)))
        post(joined(parts))
