"""Scene of the reliability: what is asked about the probabilities of each lane, and what the panel shows."""

from __future__ import annotations

from typing import cast

from msgspec import Struct

from app.core.caches import kept
from app.engine.frames import Frame, Phase
from app.engine.query import Answer, LaneQuestion, Query
from app.features.scores.scene import measured_on, measured_words, plain_lane, scoring_of
from app.scene.model import Context
from app.state.document import Document
from app.state.law import law_of
from solver.core import fast_loops

from .query import FRESH, ErrorMap, ErrorMapQuery, Reliability, ReliabilityQuery

PANEL = "reliability"
#: Width and height (pixels) whose product is the number of pixels of a map.
MAP = 120, 90


class LaneReliability(Struct, frozen=True):
    """One lane in the panel.

    Attributes
    ----------
    name : str
        "1 kNN".
    value : Reliability or None
    stale : bool
        The value is of an earlier model, or missing; a newer one follows.
    message : str
        Why there is none, in a sentence; or "".
    errors : ErrorMap or None
    errors_stale : bool
        `errors` is of an earlier model, or missing.
    """

    name: str
    value: Reliability | None
    stale: bool
    message: str
    errors: ErrorMap | None
    errors_stale: bool


class ReliabilityScene(Struct, frozen=True):
    """Content of the panel.

    Attributes
    ----------
    measured : str
        What the curves are measured on, such as "60 test points"; "" where there is nothing.
    lanes : tuple of LaneReliability
    class_names : tuple of str
        All eight.
    truth_known : bool
        The true probabilities of the points are known.
    """

    measured: str
    lanes: tuple[LaneReliability, ...]
    class_names: tuple[str, ...]
    truth_known: bool


def queries(context: Context) -> dict[str, Query]:
    """Ask about each finished model on screen, while the panel is in sight."""
    document, asked = context.document, dict[str, Query]()
    if PANEL not in context.session.open_panels or context.session.drawing or not fast_loops.ready():
        return asked
    for index, slot in enumerate(document.slots[: document.shown]):
        query, answer = query_of(document, index, context.results.frame(slot)), context.results.answer(_question(slot))
        if query is None:
            continue
        asked[_question(slot)] = query
        # Only after the curve: the map then finds the probability fitted, and two jobs never fit the same one.
        known = answer is not None and answer.done and answer.query == query
        last = context.results.answer(_map_question(slot))
        if answer is not None and answer.message:
            continue
        if known and query.law is not None and query.law.has_density and index < len(context.grids):
            grid = context.grids[index].coarse(*MAP, share=0.0)
            asked[_map_question(slot)] = ErrorMapQuery(slot, query.model, query.lane, query.training, query.law, grid)
        elif last is not None:
            asked[_map_question(slot)] = last.query
    return asked


def query_of(document: Document, index: int, frame: Frame | None) -> ReliabilityQuery | None:
    """Return the query about the finished model of the lane at place `index`; None where there is none."""
    scoring = scoring_of(document, index, frame)
    if scoring is None or frame is None or frame.phase is not Phase.DONE or document.lanes[index].is_difference:
        return None
    slot, law = document.slots[index], law_of(document.origin)
    return ReliabilityQuery(slot, scoring.model, plain_lane(frame.lane), frame.points, scoring.of, law)


def scene(context: Context, lanes: object) -> tuple[ReliabilityScene, ...]:
    """Return the content of the panel while it is open."""
    document, results = context.document, context.results
    if PANEL not in context.session.open_panels:
        return ()
    rows = []
    for index, slot in enumerate(document.slots[: document.shown]):
        if not document.lanes[index].is_difference:
            query, answer = query_of(document, index, results.frame(slot)), results.answer(_question(slot))
            fresh = answer is not None and answer.query == query
            mapped = results.answer(_map_question(slot))
            of_now = (
                mapped is not None and query is not None and cast("ErrorMapQuery", mapped.query).model is query.model
            )
            errors = None if mapped is None else mapped.value
            rows.append(_lane(index, document.lanes[index].title, answer, fresh, errors, not of_now))
    law, measured = law_of(document.origin), measured_words(measured_on(document), FRESH)
    truth_known = law is not None and law.has_density
    return (ReliabilityScene(measured, tuple(rows), document.class_names, truth_known),)


def _question(slot: int) -> LaneQuestion:
    return LaneQuestion("reliability", slot)


def _map_question(slot: int) -> LaneQuestion:
    return LaneQuestion("errors", slot)


@kept(16)
def _lane(
    index: int, title: str, answer: Answer | None, fresh: bool, errors: ErrorMap | None, errors_stale: bool
) -> LaneReliability:
    value = None if answer is None else answer.value
    done = answer is not None and fresh and answer.done
    return LaneReliability(
        f"{index + 1} {title.partition(',')[0]}",
        value,
        not done,
        answer.message if answer is not None and fresh else "",
        errors,
        errors_stale,
    )
