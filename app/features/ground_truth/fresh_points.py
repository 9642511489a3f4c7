"""FreshQuery: count the errors of a model on new points of the generator; also the error of the ideal classifier."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from app.core.points import Points
from app.engine.fitting import predictions
from app.engine.outcome import outcome
from app.engine.pacing import Pace, Step
from app.learners.model import Model
from app.state.document import GeneratorSettings
from solver.core.arrays import Array, Indices, Integers
from solver.data.densities import neighbourhoods
from solver.data.distribution import Law, cover_hart

#: Seed that distinguishes new points from all other draws of the same law.
_FRESH = 71
#: Seed that distinguishes these draws from all others of the same law.
_IDEAL = 72
#: Largest number of errors marked in a picture, and number of points up to which the others are shown as well.
MOST_SHOWN, FEW = 1000, 300
#: Number of locations for the mean error of the ideal classifier, and how many are drawn at a time.
N_LOCATIONS, PORTION = 100_000, 10_000
#: Number of locations along a side of the data set's square where a model is compared with the truth.
SIDE = 200


class FreshDraw(Struct, frozen=True):
    """New points: `batches` of `count` points each, numbered from `first`; the same numbers give the same points.

    There are no points while `batches` is 0.
    """

    count: int = 1000
    first: int = 1
    batches: int = 0

    @property
    def total(self) -> int:
        """Number of points."""
        return self.count * self.batches

    @property
    def last(self) -> int:
        """Number of the last batch."""
        return self.first + self.batches - 1

    def points(self, law: Law, batch: int) -> tuple[Array, Integers]:
        """Return locations (count, 2) and classes (count,) of one batch, counted from 0."""
        return law.draw(self.count, (_FRESH, self.first + batch))


class FreshTally(Struct, frozen=True, eq=False):
    """The errors of a model on new points.

    Attributes
    ----------
    law : Law
    fresh_draw : FreshDraw
        With the number of batches counted so far.
    model : Model or None
        None for the ideal classifier.
    failures : float
        Number of misclassified points; a tie of m classes, one of which is right, counts (m - 1) / m.
    xy : ndarray of shape (m, 2)
        Locations of the points that are shown: the errors, up to `MOST_SHOWN`, and after them the others if they are
        few.
    labels : ndarray of shape (m,)
        Their classes.
    marked : int
        Number of errors among the points that are shown.
    """

    law: Law
    fresh_draw: FreshDraw
    model: Model | None
    failures: float = 0.0
    xy: Array = field(default_factory=lambda: np.empty((0, 2)))
    labels: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    marked: int = 0

    @property
    def thrown(self) -> int:
        """Number of drawn points."""
        return self.fresh_draw.total

    def of(self, law: Law, fresh_draw: FreshDraw) -> bool:
        """Return True if it counts points of `fresh_draw`, perhaps not all of them yet."""
        first = replace(fresh_draw, batches=min(self.fresh_draw.batches, fresh_draw.batches))
        return self.law == law and self.fresh_draw == first

    def with_batch(self, xy: Array, labels: Integers, credit: Array) -> FreshTally:
        """Return the tally with one more batch; `credit` is as in `Outcome`."""
        wrong, room = credit == 0.0, MOST_SHOWN - self.marked
        fresh_draw = replace(self.fresh_draw, batches=self.fresh_draw.batches + 1)
        shown = [(self.xy[: self.marked], self.labels[: self.marked]), (xy[wrong][:room], labels[wrong][:room])]
        if fresh_draw.total <= FEW:
            shown += [(self.xy[self.marked :], self.labels[self.marked :]), (xy[~wrong], labels[~wrong])]
        return replace(
            self,
            fresh_draw=fresh_draw,
            failures=self.failures + float((1.0 - credit).sum()),
            xy=np.concatenate([locations for locations, _ in shown]),
            labels=np.concatenate([classes for _, classes in shown]),
            marked=len(shown[0][0]) + len(shown[1][0]),
        )


@dataclass(frozen=True)
class FreshQuery:
    """Query: the errors of a model on new points.

    Parameters
    ----------
    law : Law
    fresh_draw : FreshDraw
    model : Model or None
        None for the ideal classifier.
    before : FreshTally or None
        The last tally, shown until there is a newer one; for the same model, counting continues from it.
    """

    law: Law
    fresh_draw: FreshDraw
    model: Model | None
    before: FreshTally | None = dataclasses.field(default=None, compare=False)

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        tally, before = FreshTally(self.law, replace(self.fresh_draw, batches=0), self.model), self.before
        post(tally if before is None else before)
        if before is not None and before.model is self.model and before.of(self.law, self.fresh_draw):
            tally = before
        pace = Pace(overtaken)
        while tally.fresh_draw.batches < self.fresh_draw.batches:
            xy, labels = self.fresh_draw.points(self.law, tally.fresh_draw.batches)
            yield from pace.pause()
            credit = yield from _credit(self.law, self.model, xy, labels, pace)
            tally = tally.with_batch(xy, labels, credit)
        post(tally)


def _credit(law: Law, model: Model | None, xy: Array, labels: Integers, pace: Pace) -> Generator[Step, None, Array]:
    if model is not None:
        return (yield from outcome(model, xy, labels, pace)).credit
    result = np.empty(len(xy), dtype=np.int64)

    def decide(part: Indices) -> None:
        result[part] = law.bayes(xy[part])

    yield from _in_parts(xy, decide, pace)
    credit: Array = np.where(result == labels, 1.0, 0.0)
    return credit


def _in_parts(xy: Array, work: Callable[[Indices], None], pace: Pace) -> Generator[Step]:
    """Call `work` for all locations, in parts of neighbours."""
    order = np.concatenate([np.empty(0, dtype=np.intp), *neighbourhoods(xy)])
    yield from pace.in_blocks(len(order), lambda block: work(order[block]), size=32)


class BayesError(Struct, frozen=True):
    """Error of the ideal classifier: mean of its risk over `n_locations` random locations, and standard error of it.

    `nearest` is the same mean for 1-NN with infinitely many points.
    """

    value: float
    standard_error: float
    n_locations: int
    nearest: float = 0.0


class BayesErrorQuery(Struct, frozen=True):
    """Query: the error of the ideal classifier."""

    law: Law

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        if not self.law.has_density:
            # Flipped labels are shared evenly by the other classes: then the bound of Cover and Hart is the error
            # itself.
            flipped = self.law.flipped
            post(BayesError(flipped, 0.0, 0, cover_hart(flipped, self.law.n_classes)))
            return
        total = squares = nearest = 0.0
        pace = Pace(overtaken)
        for portion in range(N_LOCATIONS // PORTION):
            xy, _ = self.law.draw(PORTION, (_IDEAL, portion))

            def add(part: Indices, xy: Array = xy) -> None:
                nonlocal total, squares, nearest
                risk, risk_of_nearest = self.law.risks(xy[part])
                total, squares = total + float(risk.sum()), squares + float((risk * risk).sum())
                nearest += float(risk_of_nearest.sum())

            yield from pace.pause()
            yield from _in_parts(xy, add, pace)
            n_locations = (portion + 1) * PORTION
            mean = total / n_locations
            spread = math.sqrt(max(squares / n_locations - mean * mean, 0.0))
            post(BayesError(mean, spread / math.sqrt(n_locations), n_locations, nearest / n_locations))


class SquareShare(Struct, frozen=True):
    """Share of the data set's square where a model and the truth disagree, from `SIDE` x `SIDE` locations."""

    model: Model
    share: float


@dataclass(frozen=True)
class SquareQuery:
    """Query: the share of the square where a model and the truth of the exercise disagree."""

    law: Law
    model: Model
    before: SquareShare | None = dataclasses.field(default=None, compare=False)

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        if self.before is not None:
            post(self.before)
        low, high = self.law.square
        middle = low + (np.arange(SIDE) + 0.5) * ((high - low) / SIDE)
        xy = np.column_stack([each.ravel() for each in np.meshgrid(middle, middle)])
        predicted = yield from predictions(self.model, xy, Pace(overtaken))
        post(SquareShare(self.model, float((predicted != self.law.truth.classes(xy)).mean())))


class EditedQuery(Struct, frozen=True):
    """Query: whether the points differ from those that the generator made."""

    origin: GeneratorSettings
    points: Points

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        yield from Pace(overtaken).pause()
        post(not self.origin.points().looks_like(self.points))
