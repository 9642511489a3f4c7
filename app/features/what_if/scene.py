"""What if: an edit beside what was before it: what is kept of the state before, asked of it, and drawn.  No Qt.

While it is armed, the first change of a step (a drag is one step) keeps the document and the models of just before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from app.engine.overlays import Lines
from app.engine.query import Query
from app.engine.requests import Frame, Phase
from app.engine.results import Results
from app.features.validation_curves.query import same_optimum
from app.state.commands import Command, RemovePoints
from app.state.document import Document
from app.state.session import Session
from app.state.store import Store

from .query import ChangeQuery, Ghost, GhostQuery, StateSide, ended, exists

if TYPE_CHECKING:
    from app.scene.context import Context

HINT = "What if: delete, relabel or drag a point; the dashed line is the boundary before."


@dataclass(frozen=True, eq=False)
class Baseline:
    """A state of the lanes that a later one is compared with.

    Attributes
    ----------
    document : Document
    frames : tuple of Frame or None
        By slot, what each lane showed when it had learnt these very points; None where it had not (come to its end).
    """

    document: Document
    frames: tuple[Frame | None, ...]

    @staticmethod
    def of(document: Document, frame_of: Callable[[int], Frame | None]) -> Baseline:
        """The state of `document`, with the models that are known of it."""
        frames: list[Frame | None] = [None] * len(document.slots)
        for lane, slot in zip(document.lanes, document.slots, strict=False):
            frame = frame_of(slot)
            if frame is not None and frame.points is document.training_points and frame.lane == lane:
                frames[slot] = frame if frame.phase is Phase.DONE and frame.model is not None else None
        return Baseline(document, tuple(frames))

    def side(self, slot: int) -> StateSide | None:
        """The old state of the lane of this slot; None when it was not on screen, or had no model."""
        document = self.document
        place = document.slots.index(slot)
        if place >= document.shown or not exists(document.lanes[place], document.training_points):
            return None
        frame = self.frames[slot]
        model = None if frame is None else frame.model
        return StateSide(document.training_points, document.lanes[place], model, frame is None or ended(frame))


class RemoveNonSupport(RemovePoints):
    """The points with these `ids`, no support vectors, away."""

    def name(self, before: Document, after: Document) -> str:
        number = len(before.points) - len(after.points)
        return f"Remove {number} non-support vector{'' if number == 1 else 's'}"


class Desk(Protocol):
    """Where session and document are kept."""

    session: Session
    store: Store
    say: Callable[[str], None]

    @property
    def document(self) -> Document: ...

    def dispatch(self, command: Command) -> object: ...

    def set_session(self, **changes: Any) -> None: ...


class WhatIf:
    """What the hand does with it; listens to the store for the state before each step.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._position = desk.store.position
        self._frame_of: Callable[[int], Frame | None] = lambda slot: None
        desk.store.listen(self._changed)

    def attach(self, frame_of: Callable[[int], Frame | None]) -> None:
        """Take ``frame_of(slot)``, the newest that a lane shows."""
        self._frame_of = frame_of

    def toggle(self) -> None:
        """Arm, or disarm and forget."""
        armed = not self._desk.session.armed
        self._desk.set_session(armed=armed, baseline=None)
        self._desk.say(HINT if armed else "")

    def remove_non_support(self, index: int) -> None:
        """Remove all points that are no support vectors of the lane at place `index`."""
        self._remove(removable(self._desk.document, self._frame(index)).ids, RemoveNonSupport)

    def remove_support(self, index: int) -> None:
        """Remove one support vector of the lane at place `index`."""
        self._remove(removable(self._desk.document, self._frame(index)).support[:1], RemovePoints)

    def _frame(self, index: int) -> Frame | None:
        return self._frame_of(self._desk.document.slots[index])

    def _remove(self, ids: NDArray[np.int64], command: type[RemovePoints]) -> None:
        if len(ids):
            if not self._desk.session.armed:
                self._desk.set_session(armed=True, baseline=None)
            self._desk.dispatch(command(ids=ids))

    def _changed(self, old: Document, new: Document) -> None:
        position, before = self._desk.store.position, self._position
        self._position = position
        session = self._desk.session
        if not session.armed or not differs(old, new):
            return
        if not self._desk.store.history or (session.drawing and position < before):
            self._desk.set_session(baseline=None)  # another document, or a gesture that was broken off
        elif position != before or session.baseline is None:
            self._desk.set_session(baseline=Baseline.of(old, self._frame_of))


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
    baseline = session.baseline
    if not session.armed or baseline is None or not context.compiled:
        return {}
    asked: dict[str, Query] = {}
    for place, grid in zip(range(document.shown), context.grids, strict=False):
        slot = document.slots[place]
        old, new = baseline.side(slot), _present(document, context.results.frame(slot), place)
        if old is None or (old.points is document.training_points and old.lane == document.lanes[place]):
            continue
        asked[f"ghost{slot}"] = GhostQuery(old, grid, context.compiled)
        if new is not None and "whatif" in session.open_panels:
            test = document.test_points
            coarse = grid.coarse()
            asked[f"whatif{slot}"] = ChangeQuery(old, new, coarse, test if len(test) else None, context.compiled)
    return asked


def _present(document: Document, frame: Frame | None, place: int) -> StateSide | None:
    """What the lane at `place` shows of the present points; None while it shows none."""
    if frame is None or frame.model is None or frame.points is not document.training_points:
        return None
    if frame.lane != document.lanes[place]:
        return None
    return StateSide(frame.points, frame.lane, frame.model, ended(frame))


def sheets(document: Document, session: Session, results: Results, index: int) -> tuple[Lines, ...]:
    """The old boundary over the picture of the lane at place `index`."""
    answer = results.answer(f"ghost{document.slots[index]}") if session.armed and session.baseline is not None else None
    if answer is None or not isinstance(answer.query, GhostQuery) or not isinstance(answer.value, Ghost):
        return ()
    # Of an older state it would be a wrong answer; on another grid it is right, as far as it goes.
    assert session.baseline is not None
    return _sheet(answer.value) if answer.query.side == session.baseline.side(document.slots[index]) else ()


@lru_cache(maxsize=8)
def _sheet(ghost: Ghost) -> tuple[Lines, ...]:
    return (ghost.lines,)


@dataclass(frozen=True, eq=False)
class Removable:
    """Ids of points of a lane that can be removed to see what support vectors are; `reason` why there are none.

    Attributes
    ----------
    ids, support : ndarray of int64
        Points that are no support vectors, and those that are, the free ones first.
    reason : str
    """

    ids: NDArray[np.int64]
    support: NDArray[np.int64]
    reason: str = ""


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
    if trainer is None or not trainer.has_multipliers:
        return Removable(NONE, NONE, "Only a support vector machine has support vectors; here every point may count.")
    if not ended(frame) or not same_optimum(frame.lane.svm):
        return Removable(NONE, NONE, "This training did not end at the optimum: its multipliers prove nothing.")
    if sampled:
        return Removable(NONE, NONE, "The lane learns from a sample: without these points it would draw others.")
    if split == "ratio":
        return Removable(NONE, NONE, "Test points kept back as a share would be drawn anew; paint them, or keep none.")
    support = np.concatenate((frame.marks.free, frame.marks.bounded))
    others = np.setdiff1d(np.arange(len(frame.points)), support)
    return Removable(frame.points.ids[others], frame.points.ids[support])
