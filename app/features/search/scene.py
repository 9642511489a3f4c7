"""Scene of the neighbour search: which lane it is of, how far it is displayed, and its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.engine.query import LaneQuestion, Query
from app.engine.results import Results
from app.features.probe.scene import NO_PROBE, Ball, LaneProbe, Place, Probe, ProbeSession, Sketch, place_of
from app.scene.context import Context
from app.scene.model import LaneScene
from app.state.document import Document
from app.state.session import Session
from solver import KNeighborsClassifier
from solver.core import fast_loops

from . import text as words
from .query import Search, SearchQuery
from .state import NAME, SearchSession

#: Lines to neighbours that the picture shows at most.
MOST_LINES = 60
NO_LANE_PROBE = LaneProbe()


@dataclass(frozen=True, eq=False)
class SearchScene:
    """What panel and picture show of a search.

    Attributes
    ----------
    slot : int
        Of the lane it is of; -1 without one.
    slots : tuple of int
        Those of all lanes on screen with kNN.
    search : Search or None
    step : int
        How many of its steps are displayed.
    probe : Probe
        The query, for the overlay.
    sketch : LaneProbe
        The nearest locations so far.
    heading, sentence, counts, own : str
        Which step this is, what it does, what has been looked at, and which tree the program itself searches.
    message : str
        Why there is no search, or "".
    """

    slot: int = -1
    slots: tuple[int, ...] = ()
    search: Search | None = None
    step: int = 0
    probe: Probe = NO_PROBE
    sketch: LaneProbe = NO_LANE_PROBE
    heading: str = ""
    sentence: str = ""
    counts: str = ""
    own: str = ""
    message: str = ""


def neighbours_of(results: Results, slot: int) -> KNeighborsClassifier | None:
    """Return the nearest neighbours of the model that a lane shows; None without any."""
    frame = results.frame(slot)
    return None if frame is None or frame.picture is None else frame.neighbours


def slots_of(document: Document, results: Results) -> tuple[int, ...]:
    """Return the slots of the lanes on screen with kNN."""
    return tuple(slot for slot in document.slots[: document.shown] if neighbours_of(results, slot) is not None)


def slot_of(document: Document, session: Session, results: Results) -> int:
    """Return the slot of the lane whose search is displayed; -1 for none."""
    slots, chosen = slots_of(document, results), session.of(SearchSession).slot
    return chosen if chosen in slots else next(iter(slots), -1)


def search_of(document: Document, session: Session, results: Results) -> Search | None:
    """Return the newest search that is known, while the panel is open."""
    slot = slot_of(document, session, results) if NAME in session.open_panels else -1
    answer = results.answer(LaneQuestion(NAME, slot))
    found: Search | None = None if slot < 0 or answer is None else answer.value
    return found


def queries(context: Context) -> dict[str, Query]:
    """Return the search at the query, while the panel is open."""
    session, results = context.session, context.results
    slot = slot_of(context.document, session, results)
    model = neighbours_of(results, slot)
    if NAME not in session.open_panels or model is None or model.metric == "cosine" or not fast_loops.ready():
        return {}
    location = place_of(session, context.pointer, NAME)
    return {LaneQuestion(NAME, slot): SearchQuery(model, location, session.of(SearchSession).leaf_size)}


def scene(context: Context, lanes: Sequence[LaneScene]) -> tuple[SearchScene, ...]:
    """Return what is displayed, while the panel is open."""
    document, session, results = context.document, context.session, context.results
    if NAME not in session.open_panels:
        return ()
    slots, slot = slots_of(document, results), slot_of(document, session, results)
    model, search = neighbours_of(results, slot), search_of(document, session, results)
    if model is None or model.metric == "cosine":
        return (SearchScene(slot, slots, message=words.NO_LANE if model is None else words.COSINE),)
    if search is None:
        return (SearchScene(slot, slots, message=words.WAITING),)
    chosen = session.of(SearchSession).step
    step = search.length if chosen is None else min(chosen, search.length)
    pinned, location = session.of(ProbeSession).probe is not None, _location(search)
    return (
        SearchScene(
            slot,
            slots,
            search,
            step,
            Probe(location, pinned, context.pointer),
            LaneProbe(sketch=_sketch(search, step)),
            words.heading(search, step),
            words.sentence(search, step),
            words.counts(search, step),
            words.own(search),
        ),
    )


def _location(search: Search) -> Place | None:
    return None if search.walk is None else (float(search.walk.query[0]), float(search.walk.query[1]))


def _sketch(search: Search, step: int) -> Sketch:
    """Lines to the nearest locations so far, and the line of the distance beyond which boxes are pruned."""
    done = max(step - search.n_splits, 0)
    found = np.empty(0, dtype=np.int64) if search.walk is None else search.walk.nearest(done)
    bound = np.inf if search.walk is None or not done else search.walk.steps[done - 1].next_bound
    ball = Ball(search.model.metric, float(search.model.p), bound) if np.isfinite(bound) else None
    shown = found[:MOST_LINES]
    size, colour = np.zeros(len(shown)), np.full(len(shown), -1, dtype=np.intp)
    return Sketch(search.kd_tree.points[shown], size, np.ones(len(shown), dtype=np.bool_), colour, ball)
