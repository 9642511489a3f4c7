"""Validation curves: accuracy over the whole range of a slider, below it: which are asked for, what is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from app.engine.query import Answer, Query
from app.scene.context import Context
from app.state.document import Document, Lane
from app.state.number_format import count, grouped, short
from app.state.points import Points
from app.state.session import FeatureSession
from app.state.slider_scales import Scale, controls_of, scale_of, value_of

from .query import MOST_UPDATES, Curve, CurveQuery, asked_lane

SYMBOLS = {"k": "k", "C": "C", "gamma": "γ"}
#: What is written at a curve, and in full.
SHORT = {"leave-one-out": "LOO"}


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
    control : {"k", "C", "gamma"}
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

    control: str
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
    """A question for each strip in sight."""
    document, session = context.document, context.session
    if not session.of(ValidationCurvesSession).strips or not context.compiled:
        return {}
    return {
        name_of(slot, control): question_of(document, lane, control)
        for index, (lane, slot) in enumerate(zip(document.lanes[: document.shown], document.slots, strict=False))
        if not session.is_folded(document, index)
        for control in controls_of(lane)
    }


def lane(context: Context, index: int) -> Strips:
    """The strips of the lane at place `index`, one for each of its sliders."""
    document, session, results = context.document, context.session, context.results
    lane, slot, n = document.lanes[index], document.slots[index], len(document.training_points)
    strips = []
    for control in controls_of(lane):
        scale, value = scale_of(control, n), value_of(lane, control)
        if not session.of(ValidationCurvesSession).strips:
            strips.append(ValidationCurve(control, scale, value))
            continue
        answer = results.answer(name_of(slot, control))
        stale = answer is None or answer.query != question_of(document, lane, control)
        strips.append(ValidationCurve(control, scale, value, True, _curve(answer), stale, _message(answer, stale)))
    return Strips(tuple(strips))


def _curve(answer: Answer | None) -> Curve | None:
    return answer.value if answer is not None and isinstance(answer.value, Curve) else None


def _message(answer: Answer | None, stale: bool) -> str:
    if answer is None:
        return "Trying the whole range…"
    return "" if stale and answer.value is not None else answer.message


# -- words -------------------------------------------------------------------------------------------------------------


def number(control: str, value: float) -> str:
    """A control's value as it stands on screen."""
    return grouped(int(value)) if control == "k" else short(value)


def rows(curve: Curve, place: int) -> list[tuple[str, float]]:
    """Name and accuracy of each series at place `place` of the curve; NaN where it is not known."""
    series = [("train", curve.train), (curve.method, curve.validated)]
    if curve.total and not all(map(math.isnan, curve.test)):
        series.append(("test", curve.test))
    return [(name, float(values[place])) for name, values in series]


def accuracy(value: float) -> str:
    """An accuracy in three digits that never round up to 1: "0.975", "1"; "–" where it is not known."""
    return "–" if math.isnan(value) else f"{value if value == 1.0 else min(value, 0.999):.3g}"


@lru_cache(maxsize=64)
def sentence(curve: Curve, position: int, stale: bool) -> str:
    """ "C = 10: train 0.97, 5-fold 0.93, test 0.91", and what is to be said about these numbers."""
    scale, control = curve.scale, curve.control
    place = min(max(position, scale.low), scale.high) - scale.low
    head = f"{SYMBOLS[control]} = {number(control, scale.value_at(scale.low + place))}"
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
    lines = [remark(curve).capitalize()] if remark(curve) else []
    if curve.control != "k" and 0 < curve.fewest < curve.folds:
        lines.append(f"The smallest class has {count(curve.fewest, 'point')}: some of {curve.folds} parts have none")
    if not all(curve.finished[curve.known]):
        lines.append(f"Hollow ring: given up after {grouped(MOST_UPDATES)} updates, or there is no solution")
    return "\n".join(f"{line}." for line in lines)
