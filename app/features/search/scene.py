"""Scene of the neighbour search: its lane, the displayed step, and its sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.engine.query import LaneQuestion, Query
from app.engine.results import Results
from app.features.probe.scene import NO_PROBE, Ball, LaneProbe, Probe, ProbeSession, Sketch, location_of
from app.scene.model import Context, LaneScene
from app.state.document import Document
from app.state.session import Session
from solver import KNeighborsClassifier
from solver.core import fast_loops

from . import text as words
from .state import NAME, Search, SearchQuery, SearchSession

#: Largest number of lines to neighbours in the picture.
MOST_LINES = 60
NO_LANE_PROBE = LaneProbe()


class SearchScene(Struct, frozen=True, eq=False):
    """The search for panel and picture.

    Attributes
    ----------
    slot : int
        Of its lane; -1 without one.
    search : Search or None
    step : int
        Number of displayed steps.
    probe : Probe
        The query, for the overlay.
    sketch : LaneProbe
        The nearest locations so far.
    texts : tuple of str
        Heading, sentence of the step, counts, and the sentence about the program's own search.
    message : str
        Why there is no search, or "".
    """

    slot: int = -1
    search: Search | None = None
    step: int = 0
    probe: Probe = NO_PROBE
    sketch: LaneProbe = NO_LANE_PROBE
    texts: tuple[str, str, str, str] = ("", "", "", "")
    message: str = ""


def slots_of(document: Document, results: Results) -> dict[int, KNeighborsClassifier]:
    """Return the nearest-neighbour models that the visible lanes show, by slot."""
    frames = {slot: results.frame(slot) for slot in document.slots[: document.shown]}
    models = {
        slot: frame.neighbours for slot, frame in frames.items() if frame is not None and frame.picture is not None
    }
    return {slot: model for slot, model in models.items() if model is not None}


def slot_of(session: Session, slots: Collection[int]) -> int:
    """Return the one of `slots` whose search is displayed while the panel is open: the selected one, else the first.

    -1 stands for none.
    """
    if NAME not in session.open_panels:
        return -1
    return next((slot for slot in slots if slot == session.slot_for(NAME)), next(iter(slots), -1))


def search_of(document: Document, session: Session, results: Results) -> Search | None:
    """Return the newest known search while the panel is open."""
    answer = results.answer(LaneQuestion(NAME, slot_of(session, slots_of(document, results))))
    return None if answer is None else cast("Search | None", answer.value)


def _refusal(model: KNeighborsClassifier) -> str:
    """Return why no search of `model` is displayed; "" if one is."""
    if model.metric == "cosine":
        return words.COSINE
    return "" if model.scaler is None else words.STANDARDISED


def queries(context: Context) -> dict[str, Query]:
    """Return the search for the query while the panel is open."""
    session, models = context.session, slots_of(context.document, context.results)
    slot = slot_of(session, models)
    if slot < 0 or _refusal(models[slot]) or not fast_loops.ready():
        return {}
    location = location_of(session, context.pointer, NAME)
    return {LaneQuestion(NAME, slot): SearchQuery(models[slot], location, session.of(SearchSession).leaf_size)}


def scene(context: Context, lanes: Sequence[LaneScene]) -> tuple[SearchScene, ...]:
    """Return the scene of the search while the panel is open."""
    document, session, results = context.document, context.session, context.results
    if NAME not in session.open_panels:
        return ()
    models, search = slots_of(document, results), search_of(document, session, results)
    slot = slot_of(session, models)
    if message := words.NO_LANE if slot < 0 else _refusal(models[slot]):
        return (SearchScene(slot, message=message),)
    if search is None:
        return (SearchScene(slot, message=words.WAITING),)
    chosen = session.of(SearchSession).step
    step = search.length if chosen is None else min(chosen, search.length)
    pinned = session.of(ProbeSession).probe is not None
    return (_displayed(slot, search, step, pinned, session.cursor is None),)


@kept(2)
def _displayed(slot: int, search: Search, step: int, pinned: bool, by_pointer: bool) -> SearchScene:
    """Return the scene of a search; a moving pointer requests the same one until its own search is known."""
    location = None if search.walk is None else (float(search.walk.query[0]), float(search.walk.query[1]))
    texts = words.heading(search, step), words.sentence(search, step), words.counts(search, step), words.own(search)
    probe = Probe(location, pinned, location if by_pointer else None)  # no cross under the pointer itself
    return SearchScene(slot, search, step, probe, _sketch(search, step), texts)


def _sketch(search: Search, step: int) -> LaneProbe:
    """Return lines to the nearest locations so far, and the circle of the distance beyond which boxes are pruned."""
    done = step - search.n_splits
    if search.walk is None or done <= 0:
        return NO_LANE_PROBE
    shown, bound = search.walk.nearest(done)[:MOST_LINES], search.walk.steps[done - 1].next_bound
    ball = Ball(search.model.metric, float(search.model.p), bound) if np.isfinite(bound) else None
    size, colour = np.zeros(len(shown)), np.full(len(shown), -1, dtype=np.intp)
    return LaneProbe(sketch=Sketch(search.kd_tree.points[shown], size, size == 0.0, colour, ball))
