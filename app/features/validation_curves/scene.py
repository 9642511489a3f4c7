"""Scene of the validation curves: which are requested, and what is displayed below the sliders of a lane."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.core.points import Points
from app.engine.query import Query
from app.learners.fields import Field
from app.learners.scales import Scale
from app.scene.model import Context
from app.state.document import Document, Lane
from app.state.session import FeatureSession
from solver.core import fast_loops

from .query import Curve, CurveQuery, asked_lane


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
