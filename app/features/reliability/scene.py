"""Scene of the reliability: what is asked about the probabilities of each lane, and what the panel shows."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from app.core.number_format import count, grouped
from app.core.points import Points
from app.engine.query import Answer, LaneQuestion, Query
from app.engine.requests import Frame, Phase
from app.features.scores.scene import measured_on, plain_lane
from app.scene.context import Context, is_present
from app.state.document import Document
from app.state.law import law_of
from solver.core import fast_loops
from solver.data.distribution import Law

from .query import FRESH, Reliability, ReliabilityQuery

PANEL = "reliability"


class LaneReliability(Struct, frozen=True):
    """What the panel shows of one lane.

    Attributes
    ----------
    name : str
        "1 kNN".
    value : Reliability or None
    stale : bool
        The value is of an earlier model, or missing; a newer one follows.
    message : str
        Why there is none, in a sentence; or "".
    """

    name: str
    value: Reliability | None
    stale: bool
    message: str


class ReliabilityScene(Struct, frozen=True):
    """What the panel shows.

    Attributes
    ----------
    measured : str
        What the curves are measured on, such as "60 test points"; "" where there is nothing.
    lanes : tuple of LaneReliability
    class_names : tuple of str
        All eight.
    """

    measured: str
    lanes: tuple[LaneReliability, ...]
    class_names: tuple[str, ...]


def queries(context: Context) -> dict[str, Query]:
    """Ask about each finished model on screen, while the panel is in sight."""
    document, asked = context.document, dict[str, Query]()
    if PANEL not in context.session.open_panels or context.session.drawing or not fast_loops.ready():
        return asked
    for index, slot in enumerate(document.slots[: document.shown]):
        if (query := query_of(document, index, context.results.frame(slot))) is not None:
            asked[_question(slot)] = query
    return asked


def query_of(document: Document, index: int, frame: Frame | None) -> ReliabilityQuery | None:
    """Return the query about the finished model of the lane at place `index`; None where there is none."""
    of = measured_on(document)
    if of is None or frame is None or frame.model is None or not is_present(document, index, frame):
        return None
    if frame.phase is not Phase.DONE or document.lanes[index].is_difference:
        return None
    slot, law = document.slots[index], law_of(document.origin)
    return ReliabilityQuery(slot, frame.model, plain_lane(frame.lane), frame.points, of, law)


def scene(context: Context, lanes: object) -> tuple[ReliabilityScene, ...]:
    """What the panel shows, while it is in sight."""
    document, results = context.document, context.results
    if PANEL not in context.session.open_panels:
        return ()
    rows = []
    for index, slot in enumerate(document.slots[: document.shown]):
        if not document.lanes[index].is_difference:
            query, answer = query_of(document, index, results.frame(slot)), results.answer(_question(slot))
            fresh = answer is not None and answer.query == query
            rows.append(_lane(index, document.lanes[index].title, answer, fresh))
    return (ReliabilityScene(_measured(measured_on(document)), tuple(rows), document.class_names),)


def _measured(of: Points | Law | None) -> str:
    """ "60 test points", "5 000 new points of the generator"; "" where there is nothing to measure on."""
    if of is None:
        return ""
    return count(len(of), "test point") if isinstance(of, Points) else f"{grouped(FRESH)} new points of the generator"


def _question(slot: int) -> LaneQuestion:
    return LaneQuestion("reliability", slot)


@lru_cache(maxsize=16)
def _lane(index: int, title: str, answer: Answer | None, fresh: bool) -> LaneReliability:
    value = None if answer is None else answer.value
    done = answer is not None and fresh and answer.done
    return LaneReliability(
        f"{index + 1} {title.partition(',')[0]}",
        value,
        not done,
        answer.message if answer is not None and fresh else "",
    )
