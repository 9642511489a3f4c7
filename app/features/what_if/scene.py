"""What if: the state that is kept before an edit, the queries about it, and what is drawn.  No Qt.

While it is armed, the first change of an undo step (a drag is one step) stores the document and the models before it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.engine.frames import Frame, Phase
from app.engine.overlays import Lines
from app.engine.query import LaneQuestion, Query
from app.features.scores.scene import measured_on
from app.scene.model import Context, is_present
from app.state.document import Document
from app.state.session import FeatureSession
from solver.core import fast_loops
from solver.core.arrays import Integers

from .query import ChangeQuery, GhostQuery, StateSide, exists


class Baseline(Struct, frozen=True, eq=False):
    """A state of the lanes with which a later one is compared.

    Attributes
    ----------
    document : Document
    frames : tuple of Frame or None
        By slot, the last frame of each lane trained on these points; None if its training had not ended.
    """

    document: Document
    frames: tuple[Frame | None, ...]

    @staticmethod
    def of(document: Document, frame_of: Callable[[int], Frame | None]) -> Baseline:
        """Return the state of `document`, with its known models."""
        frames: list[Frame | None] = [None] * len(document.slots)
        for index, slot in enumerate(document.slots[: len(document.lanes)]):
            frame = frame_of(slot)
            if frame is not None and is_present(document, index, frame):
                frames[slot] = frame if frame.phase is Phase.DONE and frame.model is not None else None
        return Baseline(document, tuple(frames))


class WhatIfSession(FeatureSession, frozen=True):
    """What-if in the session.

    Attributes
    ----------
    armed : bool
        Whether the state before an edit is drawn beside the present one.
    baseline : Baseline or None
        The state before the last edit, if there was one.
    """

    armed: bool = False
    baseline: Baseline | None = None


def side_of(baseline: Baseline, slot: int) -> StateSide | None:
    """Return the old state of the lane with this slot; None if it was not displayed, or had no model."""
    document = baseline.document
    index = document.slots.index(slot)
    if index >= document.shown or not exists(document.lanes[index], document.training_points):
        return None
    frame = baseline.frames[slot]
    model = None if frame is None else frame.model
    return StateSide(document.training_points, document.lanes[index], model, frame is None or frame.ended)


def differs(old: Document, new: Document) -> bool:
    """Whether some lane is trained differently in `new`."""
    if old.training_points is not new.training_points:
        return True
    before = dict(zip(old.slots, old.lanes, strict=False))
    return any(before.get(slot, lane) != lane for slot, lane in zip(new.slots, new.lanes, strict=False))


# -- queries and pictures ----------------------------------------------------------------------------------------------


def queries(context: Context) -> dict[str, Query]:
    """Return the queries for each lane's old boundary and its changes, while what-if is armed, after an edit."""
    document, session = context.document, context.session
    baseline = session.of(WhatIfSession).baseline
    if baseline is None or not fast_loops.ready():
        return {}
    asked: dict[str, Query] = {}
    for index, (slot, grid) in enumerate(zip(document.slots, context.grids, strict=False)):
        old, new = side_of(baseline, slot), _present(document, context.results.frame(slot), index)
        if old is None or is_present(document, index, old):
            continue
        asked[LaneQuestion("ghost", slot)] = GhostQuery(old, grid)
        if new is not None and "whatif" in session.open_panels:
            asked[LaneQuestion("whatif", slot)] = ChangeQuery(old, new, grid.coarse(), measured_on(document))
    return asked


def _present(document: Document, frame: Frame | None, index: int) -> StateSide | None:
    """Return the present state of the lane at `index`; None while it displays none."""
    if frame is None or frame.model is None or not is_present(document, index, frame):
        return None
    return StateSide(frame.points, frame.lane, frame.model, frame.ended)


def sheets(context: Context, index: int) -> tuple[Lines, ...]:
    """Return the old boundary over the picture of lane `index`."""
    slot, baseline = context.document.slots[index], context.session.of(WhatIfSession).baseline
    answer = context.results.answer(f"ghost{slot}")
    if answer is None or baseline is None or not isinstance(answer.query, GhostQuery):
        return ()
    laid: tuple[Lines, ...] = answer.value or ()
    # An answer about an older state would be wrong; one on another grid is right within that grid.
    return laid if answer.query.side == side_of(baseline, slot) else ()


class Removable(Struct, frozen=True, eq=False):
    """Ids of points that can be removed to see what support vectors are; `reason` tells why there are none.

    Attributes
    ----------
    ids, support : ndarray of int64
        Points that are no support vectors, and those that are, free ones first.
    reason : str
    idle : bool
        The picture is that of nearest neighbours, and some points may be idle.
    """

    ids: Integers
    support: Integers
    reason: str = ""
    idle: bool = False


NONE = np.empty(0, dtype=np.int64)


def removable(document: Document, frame: Frame | None) -> Removable:
    """Return what can be removed from the points of a frame."""
    if frame is None or frame.points is not document.training_points or frame.phase is not Phase.DONE:
        return Removable(NONE, NONE, "Wait until the training has come to its end.")
    return _removable(
        document.points, frame, document.split.kind, len(document.parts.training) < document.parts.n_trainable
    )


@kept(8)
def _removable(points: object, frame: Frame, split: str, sampled: bool) -> Removable:
    lane, trainer = frame.lane, frame.lane.trainer
    neighbours = frame.neighbours if trainer is None else None  # a trainer may have left out some of the points itself
    vectors = trainer is not None and trainer.has_multipliers
    optimal = vectors and frame.ended and lane.same_optimum
    obstacles = (
        (lane.standardises, "It standardises: without one point, mean, deviation and the picture would change."),
        (
            neighbours is not None and len(frame.points) <= neighbours.n_neighbors,
            "There are no more points than k: all of them vote everywhere.",
        ),
        (
            neighbours is None and not vectors,
            "Only a support vector machine has support vectors; here every point may count.",
        ),
        (
            neighbours is None and not optimal,
            "This training did not end at the optimum: its multipliers prove nothing.",
        ),
        (sampled, "The classifier learns from a sample: without these points it would draw others."),
        (split == "ratio", "Test points kept back as a share would be drawn anew; paint them, or keep none."),
    )
    reason = next((sentence for applies, sentence in obstacles if applies), "")
    if reason or neighbours is not None:
        return Removable(NONE, NONE, reason, idle=not reason)
    support = np.concatenate((frame.marks.free, frame.marks.bounded))
    others = np.setdiff1d(np.arange(len(frame.points)), support)
    return Removable(frame.points.ids[others], frame.points.ids[support])
