"""What if: an edit beside what was before it: what is kept of the state before, asked of it, and drawn.  No Qt.

While it is armed, the first change of a step (a drag is one step) keeps the document and the models of just before.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct

from app.engine.overlays import Lines
from app.engine.query import LaneQuestion, Query
from app.engine.requests import Frame, Phase
from app.features.scores.scene import measured_on
from app.scene.context import Context, is_present
from app.state.document import Document
from solver.core import fast_loops
from solver.core.arrays import Integers

from .query import ChangeQuery, GhostQuery, StateSide, exists
from .state import Baseline, WhatIfSession


def side_of(baseline: Baseline, slot: int) -> StateSide | None:
    """The old state of the lane of this slot; None when it was not on screen, or had no model."""
    document = baseline.document
    place = document.slots.index(slot)
    if place >= document.shown or not exists(document.lanes[place], document.training_points):
        return None
    frame = baseline.frames[slot]
    model = None if frame is None else frame.model
    return StateSide(document.training_points, document.lanes[place], model, frame is None or frame.ended)


def differs(old: Document, new: Document) -> bool:
    """Whether some lane learns something else in `new`."""
    if old.training_points is not new.training_points:
        return True
    before = dict(zip(old.slots, old.lanes, strict=False))
    return any(before.get(slot, lane) != lane for slot, lane in zip(new.slots, new.lanes, strict=False))


# -- what the window draws and asks ------------------------------------------------------------------------------------


def queries(context: Context) -> dict[str, Query]:
    """The old boundary of each lane, and what has changed, while what-if is armed and something was edited."""
    document, session = context.document, context.session
    baseline = session.of(WhatIfSession).baseline
    if baseline is None or not fast_loops.ready():
        return {}
    asked: dict[str, Query] = {}
    for place, (slot, grid) in enumerate(zip(document.slots, context.grids, strict=False)):
        old, new = side_of(baseline, slot), _present(document, context.results.frame(slot), place)
        if old is None or is_present(document, place, old):
            continue
        asked[LaneQuestion("ghost", slot)] = GhostQuery(old, grid)
        if new is not None and "whatif" in session.open_panels:
            asked[LaneQuestion("whatif", slot)] = ChangeQuery(old, new, grid.coarse(), measured_on(document))
    return asked


def _present(document: Document, frame: Frame | None, place: int) -> StateSide | None:
    """What the lane at `place` shows of the present points; None while it shows none."""
    if frame is None or frame.model is None or not is_present(document, place, frame):
        return None
    return StateSide(frame.points, frame.lane, frame.model, frame.ended)


def sheets(context: Context, index: int) -> tuple[Lines, ...]:
    """The old boundary over the picture of the lane at place `index`."""
    slot, baseline = context.document.slots[index], context.session.of(WhatIfSession).baseline
    answer = context.results.answer(f"ghost{slot}")
    if answer is None or baseline is None or not isinstance(answer.query, GhostQuery):
        return ()
    laid: tuple[Lines, ...] = answer.value or ()
    # Of an older state it would be a wrong answer; on another grid it is right, as far as it goes.
    return laid if answer.query.side == side_of(baseline, slot) else ()


class Removable(Struct, frozen=True, eq=False):
    """Ids of points of a lane that can be removed to see what support vectors are; `reason` why there are none.

    Attributes
    ----------
    ids, support : ndarray of int64
        Points that are no support vectors, and those that are, the free ones first.
    reason : str
    idle : bool
        The picture is that of nearest neighbours, and some of the points may be idle.
    """

    ids: Integers
    support: Integers
    reason: str = ""
    idle: bool = False


NONE = np.empty(0, dtype=np.int64)


def removable(document: Document, frame: Frame | None) -> Removable:
    """What can be removed of what a frame shows of the document's points."""
    if frame is None or frame.points is not document.training_points or frame.phase is not Phase.DONE:
        return Removable(NONE, NONE, "Wait until the training has come to its end.")
    return _removable(
        document.points, frame, document.split.kind, len(document.parts.training) < document.parts.n_trainable
    )


@lru_cache(maxsize=8)
def _removable(points: object, frame: Frame, split: str, sampled: bool) -> Removable:
    trainer = frame.lane.trainer
    if frame.lane.standardises:
        return Removable(
            NONE, NONE, "It standardises: without one point, mean and deviation are others, and so is the picture."
        )
    neighbours = frame.neighbours if trainer is None else None  # else it has left out some of the points itself
    if neighbours is not None and len(frame.points) <= neighbours.n_neighbors:
        return Removable(NONE, NONE, "There are no more points than k: all of them vote everywhere.")
    if neighbours is None and (trainer is None or not trainer.has_multipliers):
        return Removable(NONE, NONE, "Only a support vector machine has support vectors; here every point may count.")
    if neighbours is None and not (frame.ended and frame.lane.family.reaches_optimum(frame.lane.settings)):
        return Removable(NONE, NONE, "This training did not end at the optimum: its multipliers prove nothing.")
    if sampled:
        return Removable(NONE, NONE, "The classifier learns from a sample: without these points it would draw others.")
    if split == "ratio":
        return Removable(NONE, NONE, "Test points kept back as a share would be drawn anew; paint them, or keep none.")
    if neighbours is not None:
        return Removable(NONE, NONE, idle=True)
    support = np.concatenate((frame.marks.free, frame.marks.bounded))
    others = np.setdiff1d(np.arange(len(frame.points)), support)
    return Removable(frame.points.ids[others], frame.points.ids[support])
