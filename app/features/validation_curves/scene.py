"""Validation curves: accuracy over the whole range of a slider, below it; which are asked for, and what is shown.

A learner that answers for all values at once (`Learner.searched`: kNN for k) is judged by leaving one out; others
by five folds: they are trained anew at each value, first at every fourth, with a limit of updates; where it is reached,
that is said.
Each value is computed from nothing but the points and the settings: none depends on what was computed before it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.core.number_format import count, grouped, percent
from app.core.points import Points, shuffled
from app.engine.cross_validation import cross_validated
from app.engine.fitting import fitted
from app.engine.outcome import credit_of, outcome
from app.engine.pieces import Pace, Step
from app.engine.query import Answer, Query
from app.learners.base import Ahead
from app.learners.fields import Field
from app.learners.scales import Scale
from app.scene.context import Context
from app.state.document import Document, Lane
from app.state.session import FeatureSession
from solver.core import fast_loops
from solver.core.arrays import Array

#: Seconds between two posts of a curve that grows.
INTERVAL = 0.12
#: Every how many places are tried first.
COARSE = 4
#: Number of folds, and the seed that deals them: evaluation with as many folds reports the same accuracy.
FOLDS, SEED = 5, 0
#: Points an SVM's curve is made of at most, and points whose kNN votes are counted at most: of more, a sample.
MOST_TRAINED, MOST_COUNTED = 500, 4000
#: Updates of one training after which it is given up.
MOST_UPDATES = 50_000
#: Distances and counts of neighbours held at once.
BLOCK = 40_000


@dataclass(frozen=True, eq=False)
class Curve:
    """Accuracies over the range of a control, as far as they are known.

    Attributes
    ----------
    field : Field
        Whose slider it is.
    scale : Scale
        Place p of the arrays is the slider's position ``scale.low + p``.
    train, validated, test : ndarray of shape (m,)
        Share of points classified rightly: training points by the model that learnt them all, the same points by
        models that did not learn them, test points; NaN where that is not known (yet).
    finished : ndarray of shape (m,), bool
        False where a training was given up before it was certified, or has no solution.
    counted, total : int
        How many of the points have been counted so far; less than all of them only for kNN.
    n_points : int
        Of so many points there are; fewer of them were used when `sampled`.
    sampled : int
        How many points the curve is made of.
    complete : bool
        Nothing is still to come.
    folds : int
        Into how many parts the points were dealt; 0: each of them was left out.
    fewest : int
        Points of the smallest class, 0 where that does not matter: fewer than `folds`, and some parts have none.
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

    @property
    def method(self) -> str:
        """How `validated` was made, in a word."""
        return f"{self.folds} folds" if self.folds else "leave-one-out"

    @property
    def known(self) -> NDArray[np.intp]:
        """The places with a value, ascending."""
        return np.flatnonzero(~np.isnan(self.validated))


@dataclass(frozen=True)
class CurveQuery:
    """How the accuracy changes over the whole range of one control; `lane` as `asked_lane` makes it.

    Attributes
    ----------
    points : Points
        To learn from.
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
        """Post curves that grow; ValueError with a sentence where there is none."""
        if len(self.points) < 2:
            raise ValueError("The curve needs two points or more.")
        family = self.lane.family
        if self.control == family.searched:
            ahead = family.ahead_of_all(self.lane, self.points.xy, self.points.labels)
            yield from _at_once(self, ahead, post, overtaken)
        else:
            if len(self.points.classes) < 2:
                raise ValueError("The curve needs points of two classes.")
            yield from _trained_anew(self, post, overtaken)


@lru_cache(maxsize=64)
def asked_lane(lane: Lane, control: str) -> Lane:
    """`lane` with all that a curve of `control` does not depend on at its default: the control itself above all."""
    settings = lane.family.curve_settings(lane, lane.family.field(control).parameter)
    return Lane(lane.classifier).with_part(lane.classifier, settings)


def places(count: int) -> list[int]:
    """The order in which so many places are tried: every fourth and the last, then those between."""
    first = sorted({*range(0, count, COARSE), count - 1})
    return first + [place for place in range(count) if place not in set(first)]


class _Posting:
    """The curve under way: its arrays grow, what is posted are copies, not too often."""

    def __init__(self, query: CurveQuery, sampled: int, total: int, post: Callable[[Curve], None]) -> None:
        scale = query.field.scale(len(query.points))
        m = scale.high - scale.low + 1
        self._post, self._posted = post, 0.0
        self.curve = Curve(
            query.field,
            scale,
            np.full(m, np.nan),
            np.full(m, np.nan),
            np.full(m, np.nan),
            np.ones(m, dtype=bool),
            0,
            total,
            len(query.points),
            sampled,
        )

    def now(self, counted: int, complete: bool) -> None:
        """Post, unless that was done a moment ago."""
        if not complete and time.perf_counter() - self._posted < INTERVAL:
            return
        curve = self.curve
        train, validated, test, finished = (
            curve.train.copy(),
            curve.validated.copy(),
            curve.test.copy(),
            curve.finished.copy(),
        )
        for array in (train, validated, test, finished):
            array.flags.writeable = False
        self._post(
            replace(
                curve,
                train=train,
                validated=validated,
                test=test,
                finished=finished,
                counted=counted,
                complete=complete,
            )
        )
        self._posted = time.perf_counter()


# -- all values at once ------------------------------------------------------------------------------------------------


def _at_once(
    query: CurveQuery, ahead: Ahead, post: Callable[[Curve], None], overtaken: Callable[[], bool]
) -> Generator[Step]:
    """Accuracies at all values from one answer for each point."""
    points, pace = query.points, Pace(overtaken)
    classes = np.unique(points.labels)
    order = np.argsort(shuffled(points.ids), kind="stable")[:MOST_COUNTED]
    asked, counted = len(order), 0
    sheet = _Posting(query, asked, asked, post)
    curve = sheet.curve = replace(sheet.curve, folds=0)
    values = np.array([curve.scale.value_at(place) for place in range(curve.scale.high + 1)], dtype=np.int64)
    size = max(1, BLOCK // (len(points) * (1 + len(classes))))
    right = np.zeros((2, len(values)))
    for start in range(0, asked, size):
        block = order[start : start + size]
        for row, left_out in enumerate((None, block)):
            leaders = ahead(points.xy[block], values, left_out)
            right[row] += credit_of(leaders, classes, points.labels[block]).sum(axis=0)
            yield from pace.pause()
        counted += len(block)
        curve.train[:], curve.validated[:] = right / counted
        if counted < asked:
            sheet.now(counted, complete=False)
    test = query.test
    if test is not None and len(test):
        hits = np.zeros(len(values))
        for start in range(0, len(test), size):
            part = slice(start, start + size)
            hits += credit_of(ahead(test.xy[part], values, None), classes, test.labels[part]).sum(axis=0)
            yield from pace.pause()
        curve.test[:] = hits / len(test)
    sheet.now(counted, complete=True)


# -- each value trained ------------------------------------------------------------------------------------------------


def _trained_anew(query: CurveQuery, post: Callable[[Curve], None], overtaken: Callable[[], bool]) -> Generator[Step]:
    """Accuracies at each value: one training on all points, one without each fold."""
    points, pace = query.points.sample(MOST_TRAINED), Pace(overtaken)
    folds = min(FOLDS, len(points))
    sheet = _Posting(query, len(points), len(points), post)
    fewest = min(int((points.labels == label).sum()) for label in points.classes)
    curve = sheet.curve = replace(sheet.curve, folds=folds, fewest=fewest)
    order = places(len(curve.train))
    for number, place in enumerate(order, 1):
        lane = query.lane.with_value(query.field, curve.scale.value_at(curve.scale.low + place))
        made = yield from fitted(lane, points, pace, most=MOST_UPDATES)
        for values, asked in ((curve.train, points), (curve.test, query.test)):
            if asked is not None and len(asked):
                values[place] = (yield from outcome(made.model, asked.xy, asked.labels, pace)).accuracy
        validated = yield from cross_validated(lane, points, folds, SEED, pace, most=MOST_UPDATES)
        curve.validated[place] = validated.mean
        curve.finished[place] = made.finished and not validated.unfinished
        sheet.now(len(points), complete=number == len(order))


#: What is written at a curve where there is little room.
SHORT = {"training": "train", "validation": "valid", "test": "test"}


@dataclass(frozen=True)
class ValidationCurvesSession(FeatureSession):
    """What is done with the curves below the sliders.

    Attributes
    ----------
    strips : bool
        Under each slider, accuracy over its whole range.
    """

    strips: bool = False


@dataclass(frozen=True)
class ValidationCurve:
    """What stands below one slider.

    Attributes
    ----------
    field : Field
    scale : Scale
        What the slider's positions stand for.
    value : float
        What the control stands at.
    shown : bool
    curve : Curve or None
    stale : bool
        The curve is of other points or settings; the new one is on its way.
    message : str
        Why there is no curve, in a sentence; or "".
    """

    field: Field
    scale: Scale
    value: float
    shown: bool = False
    curve: Curve | None = None
    stale: bool = False
    message: str = ""

    @property
    def place(self) -> int:
        """The slider's position."""
        return self.scale.place_of(self.value)


@dataclass(frozen=True)
class Strips:
    """What stands below the sliders of a lane."""

    curves: tuple[ValidationCurve, ...]


def name_of(slot: int, control: str) -> str:
    """The name of the question about a lane's control."""
    return f"curve{slot}.{control}"


def question_of(document: Document, lane: Lane, control: str) -> CurveQuery:
    """What is asked about a lane's control."""
    test: Points | None = getattr(document, "test_points", None)
    return CurveQuery(document.training_points, asked_lane(lane, control), control, test or None)


def queries(context: Context) -> dict[str, Query]:
    """A question for each strip in sight: the sliders stand above every picture, folded settings or not."""
    document, session = context.document, context.session
    if not session.of(ValidationCurvesSession).strips or not fast_loops.ready():
        return {}
    return {
        name_of(slot, field.name): question_of(document, lane, field.name)
        for lane, slot in zip(document.lanes[: document.shown], document.slots, strict=False)
        for field in lane.family.curves(lane.settings)
    }


def lane(context: Context, index: int) -> Strips:
    """The strips of the lane at place `index`, one for each of its sliders."""
    document, session, results = context.document, context.session, context.results
    lane, slot, n = document.lanes[index], document.slots[index], len(document.training_points)
    strips = []
    for field in lane.family.curves(lane.settings):
        scale, value = field.scale(n), float(field.value(lane.settings))
        if not session.of(ValidationCurvesSession).strips:
            strips.append(ValidationCurve(field, scale, value))
            continue
        answer = results.answer(name_of(slot, field.name))
        stale = answer is None or answer.query != question_of(document, lane, field.name)
        strips.append(ValidationCurve(field, scale, value, True, _curve(answer), stale, _message(answer, stale)))
    return Strips(tuple(strips))


def _curve(answer: Answer | None) -> Curve | None:
    return answer.value if answer is not None and isinstance(answer.value, Curve) else None


def _message(answer: Answer | None, stale: bool) -> str:
    if answer is None:
        return "Trying the whole range…"
    return "" if stale and answer.value is not None else answer.message


# -- words -------------------------------------------------------------------------------------------------------------


def rows(curve: Curve, place: int) -> list[tuple[str, float]]:
    """Name and accuracy of each series at place `place` of the curve; NaN where it is not known."""
    series = [("training", curve.train), ("validation", curve.validated)]
    if curve.total and not all(map(math.isnan, curve.test)):
        series.append(("test", curve.test))
    return [(name, float(values[place])) for name, values in series]


def accuracy(value: float) -> str:
    """ "97.5 %", as everywhere; "–" where it is not known."""
    return "–" if math.isnan(value) else percent(value)


@lru_cache(maxsize=64)
def sentence(curve: Curve, position: int, stale: bool) -> str:
    """ "C = 10: training 97.0 %, validation 93.0 %, test 91.0 %", and what is to be said about these numbers."""
    scale, field = curve.scale, curve.field
    place = min(max(position, scale.low), scale.high) - scale.low
    head = f"{field.called} = {field.number(scale.value_at(scale.low + place))}"
    values = rows(curve, place)
    if all(math.isnan(value) for _, value in values):
        return f"{head}: not tried yet"
    text = f"{head}: " + ", ".join(f"{name} {accuracy(value)}" for name, value in values)
    if not curve.finished[place]:
        text += " (stopped early)"
    return text + (" (before the change)" if stale else "")


def remark(curve: Curve) -> str:
    """What is to be said about the whole curve, or ""."""
    return remarks(curve)[0]


def remarks(curve: Curve) -> tuple[str, ...]:
    """`remark`, and the same in ever less room."""
    if curve.counted < curve.total:
        done = grouped(curve.counted)
        return f"so far, of {done} of {count(curve.total, 'point')}", f"{done} so far", "so far"
    if curve.sampled < curve.n_points:
        number = grouped(curve.sampled)
        return f"of a sample of {count(curve.sampled, 'point')}", f"sample of {number}", f"of {number}"
    return ("",)


def notes(strip: ValidationCurve) -> str:
    """All that the picture may have no room for, and what its signs mean: a sentence a line, or ""."""
    curve = strip.curve
    if curve is None or strip.message or not len(curve.known):
        return strip.message
    lines = [f"Training: points it learnt from; validation: each of them left out in turn ({curve.method})"]
    if not all(map(math.isnan, curve.test)):
        lines[0] += "; test: the test points"
    lines += [remark(curve).capitalize()] if remark(curve) else []
    if 0 < curve.fewest < curve.folds:
        lines.append(f"The smallest class has {count(curve.fewest, 'point')}: some of {curve.folds} parts have none")
    if not all(curve.finished[curve.known]):
        lines.append(f"Hollow ring: stopped early after {grouped(MOST_UPDATES)} updates, or there is no solution")
    return "\n".join(f"{line}." for line in lines)
