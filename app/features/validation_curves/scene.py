"""Scene of the validation curves: which are requested, and what is displayed below the sliders of a lane.

A learner that answers for all values at once (`Learner.searched`: kNN for k) is validated by leaving one point out;
others by five folds: they are trained at each value, first at every fourth, with a limit of updates.  A value at which
the limit is reached is marked.  Along C each training of an SVM begins where the one before ended (`PathOfC`), and ends
at the same tolerance; any other value is computed independently of the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.points import MAX_CLASSES, Points, shuffled
from app.engine.cross_validation import PathOfC, PathsOfC, cross_validated, tested
from app.engine.outcome import BLOCK, credit_of, credit_of_all
from app.engine.pacing import Pace, Step
from app.engine.query import Query
from app.learners.base import Ahead
from app.learners.fields import Field
from app.learners.scales import Scale
from app.scene.model import Context
from app.state.document import Document, Lane
from app.state.session import FeatureSession
from solver.core import fast_loops
from solver.core.arrays import Array

#: Least time between two posts of a growing curve (s).
INTERVAL = 0.12
#: Spacing of the positions that are computed first.
COARSE = 4
#: Number of folds and their seed: the evaluation with as many folds reports the same accuracy.
FOLDS, SEED = 5, 0
#: Largest number of points of an SVM's curve, and of points whose kNN votes are counted; of more, a sample.
MOST_TRAINED, MOST_COUNTED = 500, 4000
#: Largest number of distances that are sorted for a curve of kNN, and smallest number of points counted nevertheless.
MOST_DISTANCES, LEAST_COUNTED = 40_000_000, 500
#: Number of updates after which a training is stopped.
MOST_UPDATES = 50_000


class Curve(Struct, frozen=True, eq=False):
    """Accuracies over the range of a control, as far as they are computed.

    Attributes
    ----------
    field : Field
        The field of the slider.
    scale : Scale
        Index p of the arrays belongs to the slider's position ``scale.low + p``.
    train, validated, test : ndarray of shape (m,)
        Share of points classified correctly: training points by the model of all of them, the same points by models
        that were not trained on them, and test points; NaN if unknown.
    finished : ndarray of shape (m,), bool
        False if a training was stopped before its certificate, or has no solution.
    counted, total : int
        Number of points counted so far, and of all to be counted; they differ only for kNN.
    n_points : int
        Number of training points.
    sampled : int
        Number of points that the curve is computed from, perhaps a sample.
    complete : bool
        Whether the computation has finished.
    folds : int
        Number of folds; 0: each point was left out.
    fewest : int
        Number of points of the smallest class, 0 if irrelevant; with fewer than `folds`, some folds have none of it.
    tested : int
        Number of test points if they are a sample, else 0.
    """

    field: Field
    scale: Scale
    train: Array
    validated: Array
    test: Array
    finished: NDArray[np.bool_]
    counted: int
    total: int
    n_points: int
    sampled: int
    complete: bool = False
    folds: int = FOLDS
    fewest: int = 0
    tested: int = 0

    @property
    def method(self) -> str:
        """How `validated` was computed, in a word."""
        return f"{self.folds} folds" if self.folds else "leave-one-out"

    @property
    def known(self) -> NDArray[np.intp]:
        """Indices that have a value, ascending."""
        return np.flatnonzero(~np.isnan(self.validated))


class CurveQuery(Struct, frozen=True):
    """Query: the accuracy over the whole range of one control; `lane` as made by `asked_lane`.

    Attributes
    ----------
    points : Points
        The training points.
    lane : Lane
    control : str
        The name of a slider.
    test : Points or None
    """

    points: Points
    lane: Lane
    control: str
    test: Points | None = None

    @property
    def field(self) -> Field:
        """The field of the control."""
        return self.lane.family.field(self.control)

    def answer(self, post: Callable[[Curve], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post growing curves; raise ValueError with a sentence if there is none."""
        if len(self.points) < 2:
            raise ValueError("The curve needs two points or more.")
        search = None if self.lane.standardises else self.lane.family.searched  # a scaler is fitted without each fold
        if search is not None and self.control == search.field:
            ahead = search.ahead(self.lane.settings, self.points.xy, self.points.labels)
            yield from _at_once(self, ahead, post, overtaken)
        else:
            if len(self.points.classes) < 2:
                raise ValueError("The curve needs points of two classes.")
            yield from _trained_anew(self, post, overtaken)


@lru_cache(maxsize=64)
def asked_lane(lane: Lane, control: str) -> Lane:
    """Return `lane` with defaults for everything without effect on a curve of `control`, first the control."""
    family, plain = lane.family, lane.family.settings()
    hidden = (each.parameter for each in family.fields if not each.shown(lane.settings, range(MAX_CLASSES)))
    unused = {name: getattr(plain, name) for name in (family.field(control).parameter, *hidden)}
    settings = replace(family.training_key(lane.settings, fast=True), **unused)
    return Lane(lane.classifier, standardise=lane.standardise).with_part(lane.classifier, settings)


def order_of(count: int) -> list[int]:
    """Return the order in which the positions are computed: every fourth and the last, then those between."""
    first = sorted({*range(0, count, COARSE), count - 1})
    return first + [index for index in range(count) if index not in set(first)]


def most_counted(n: int) -> int:
    """Return how many of `n` training points, and of the test points, are counted."""
    return min(MOST_COUNTED, max(LEAST_COUNTED, MOST_DISTANCES // n))


class _Posting:
    """The curve in progress: its arrays grow, and copies of them are posted, not too often."""

    def __init__(
        self, query: CurveQuery, sampled: int, folds: int, post: Callable[[Curve], None], fewest: int = 0
    ) -> None:
        n = len(query.points)
        scale = query.field.scale(n)
        m = scale.high - scale.low + 1
        self._post, self._posted = post, 0.0
        train, validated, test = np.full((3, m), np.nan)
        finished = np.ones(m, dtype=bool)
        self.test = query.test and query.test.sample(most_counted(n))
        tested = 0 if self.test is None or self.test is query.test else len(self.test)
        self.curve = Curve(
            query.field, scale, train, validated, test, finished, 0, sampled, n, sampled, False, folds, fewest, tested
        )

    def now(self, counted: int, complete: bool) -> None:
        """Post the curve unless it was posted a moment ago."""
        if not complete and time.perf_counter() - self._posted < INTERVAL:
            return
        copies = {name: getattr(self.curve, name).copy() for name in ("train", "validated", "test", "finished")}
        for array in copies.values():
            array.flags.writeable = False
        self._post(replace(self.curve, **copies, counted=counted, complete=complete))
        self._posted = time.perf_counter()


# -- all values at once ------------------------------------------------------------------------------------------------


def _at_once(
    query: CurveQuery, ahead: Ahead, post: Callable[[Curve], None], overtaken: Callable[[], bool]
) -> Generator[Step]:
    """Compute the accuracies at all values from one answer for each point."""
    points, pace = query.points, Pace(overtaken)
    classes = np.unique(points.labels)
    order = np.argsort(shuffled(points.ids), kind="stable")[: most_counted(len(points))]
    asked = len(order)
    sheet = _Posting(query, asked, 0, post)
    curve = sheet.curve
    values = np.array([curve.scale.value_at(position) for position in range(curve.scale.high + 1)], dtype=np.int64)
    size = max(1, BLOCK // (len(points) * (1 + len(classes))))
    right = np.zeros((2, len(values)))
    for start in range(0, asked, size):
        block = order[start : start + size]
        for row, left_out in enumerate((None, block)):
            leaders = ahead(points.xy[block], values, left_out)
            right[row] += credit_of(leaders, classes, points.labels[block]).sum(axis=0)
            yield from pace.pause()
        counted = start + len(block)
        curve.train[:], curve.validated[:] = right / counted
        if counted < asked:
            sheet.now(counted, complete=False)
    test = sheet.test
    if test is not None and len(test):
        hits = yield from credit_of_all(ahead, values, points, test.xy, test.labels, pace)
        curve.test[:] = hits / len(test)
    sheet.now(asked, complete=True)


# -- each value trained ------------------------------------------------------------------------------------------------


def _trained_anew(query: CurveQuery, post: Callable[[Curve], None], overtaken: Callable[[], bool]) -> Generator[Step]:
    """Compute the accuracies at each value: one training on all points, one without each fold."""
    points, pace = query.points.sample(MOST_TRAINED), Pace(overtaken)
    folds = min(FOLDS, len(points))
    fewest = min(int((points.labels == label).sum()) for label in points.classes)
    sheet = _Posting(query, len(points), folds, post, fewest)
    curve, order = sheet.curve, order_of(len(sheet.curve.train))
    asked = [points] if sheet.test is None or not len(sheet.test) else [points, sheet.test]
    lanes = [query.lane.with_value(query.field, curve.scale.value_at(curve.scale.low + index)) for index in order]
    goes_on = query.control == "C" and PathOfC.suits(lanes[0], len(points), max(map(len, asked)))
    test = PathsOfC().tested if goes_on else tested
    for number, (index, lane) in enumerate(zip(order, lanes, strict=True), 1):
        found, finished = yield from test(folds, lane, points, asked, pace, MOST_UPDATES)
        for values, each in zip((curve.train, curve.test), found, strict=False):
            values[index] = each.accuracy
        validated = yield from cross_validated(lane, points, folds, SEED, pace, most=MOST_UPDATES, test=test)
        curve.validated[index] = validated.mean
        curve.finished[index] = finished and not validated.unfinished
        sheet.now(len(points), complete=number == len(order))


class ValidationCurvesSession(FeatureSession, frozen=True):
    """Whether curves are displayed below the sliders.

    Attributes
    ----------
    strips : bool
        Whether each slider has a curve.
    """

    strips: bool = False


class ValidationCurve(Struct, frozen=True):
    """The contents of the space below one slider.

    Attributes
    ----------
    field : Field
    scale : Scale
        Values of the slider's positions.
    value : float
        Present value of the control.
    shown : bool
    curve : Curve or None
    stale : bool
        The curve belongs to other points or settings; a new one will follow.
    message : str
        Sentence why there is no curve, or "".
    """

    field: Field
    scale: Scale
    value: float
    shown: bool = False
    curve: Curve | None = None
    stale: bool = False
    message: str = ""

    @property
    def position(self) -> int:
        """Position of the slider."""
        return self.scale.position_of(self.value)


class Strips(Struct, frozen=True):
    """The curves below the sliders of a lane."""

    curves: tuple[ValidationCurve, ...]


def name_of(slot: int, control: str) -> str:
    """Return the name of the query about a lane's control."""
    return f"curve{slot}.{control}"


def question_of(document: Document, lane: Lane, control: str) -> CurveQuery:
    """Return the query about a lane's control."""
    test: Points | None = getattr(document, "test_points", None)
    return CurveQuery(document.training_points, asked_lane(lane, control), control, test or None)


def queries(context: Context) -> dict[str, Query]:
    """Return a query for each slider, whether its form is folded or not."""
    document, session = context.document, context.session
    if not session.of(ValidationCurvesSession).strips or not fast_loops.ready():
        return {}
    return {
        name_of(slot, field.name): question_of(document, lane, field.name)
        for lane, slot in zip(document.lanes[: document.shown], document.slots, strict=False)
        for field in lane.family.curves(lane.settings)
    }


def lane(context: Context, index: int) -> Strips:
    """Return the curves of lane `index`, one for each of its sliders."""
    document, session, results = context.document, context.session, context.results
    lane, slot, n = document.lanes[index], document.slots[index], len(document.training_points)
    strips = []
    for field in lane.family.curves(lane.settings):
        strip = ValidationCurve(field, field.scale(n), float(field.value(lane.settings)))
        if session.of(ValidationCurvesSession).strips:
            strip, answer = replace(strip, shown=True), results.answer(name_of(slot, field.name))
            stale = answer is None or answer.query != question_of(document, lane, field.name)
            curve, message = (None, "Trying the whole range…") if answer is None else (answer.value, answer.message)
            strip = replace(strip, curve=curve, stale=stale, message="" if stale and curve is not None else message)
        strips.append(strip)
    return Strips(tuple(strips))
