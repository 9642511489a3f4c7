"""LaneController: lanes are added, duplicated, removed, moved, and their settings opened and folded.  No Qt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from app.features.difference.scene import compared
from app.state.commands import Command, SetFields
from app.state.document import MAX_LANES, Document, Lane
from app.state.lane_commands import AddLane, MoveLane, RemoveLane
from app.state.session import PER_SLOT, Session


class Desk(Protocol):
    """Where document and session are kept."""

    session: Session

    @property
    def document(self) -> Document: ...

    def dispatch(self, command: Command) -> bool: ...

    @property
    def say(self) -> Callable[[str], None]: ...

    def set_session(self, **changes: Any) -> None: ...


class LaneController:
    """Turns wishes about lanes, which are named by their places, into commands.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def add(self, beside: int) -> None:
        """A new classifier to the right of the one at place `beside`: of a kind that is not on screen yet."""
        document = self._desk.document
        present = {lane.classifier for lane in document.lanes[: document.shown]}
        lanes = [Lane("svm"), Lane("knn"), Lane("perceptron"), Lane("pegasos")]
        free = [lane for lane in lanes if lane.classifier not in present]
        self._add(AddLane(index=beside + 1, lane=(free or lanes)[0]))

    def duplicate(self, index: int) -> None:
        """The same classifier once more, to the right."""
        self._add(AddLane(index=index + 1, lane=self._desk.document.lanes[index], verb="Duplicate"))

    def remove(self, index: int) -> None:
        """Take a classifier away."""
        self._desk.dispatch(RemoveLane(index=index))

    def move(self, index: int, by: int) -> None:
        """Move a classifier `by` places to the right."""
        self._desk.dispatch(MoveLane(index=index, to=index + by))

    def compare(self, first: int, second: int) -> None:
        """Compare the lanes at these places."""
        self._desk.dispatch(SetFields(changes=(("compared", (first, second)),), text="Compare other classifiers"))

    def swap_compared(self) -> None:
        """The first of the two is the second, and the other way round."""
        places = compared(self._desk.document)
        if places is not None:
            self.compare(places[1], places[0])

    def toggle_wipe(self) -> None:
        """Lay half of the second picture over the first, or take it away."""
        self.wipe(0.5 if self._desk.session.wipe is None else None)

    def show_difference(self) -> None:
        """A lane of its own for the difference, behind the others."""
        document = self._desk.document
        if any(lane.is_difference for lane in document.lanes[: document.shown]):
            self._desk.say("The difference has a lane already.")
        else:
            self._add(AddLane(index=document.shown, lane=Lane("difference"), verb="Show the difference as"))

    def _add(self, command: AddLane) -> None:
        """Add a lane that is a new one: it plays at full speed, whatever the one did that had its slot before."""
        if self._desk.dispatch(command):
            session, fresh = self._desk.session, Session()
            slot = self._desk.document.slots[command.index]
            self._desk.set_session(
                **{
                    name: tuple(getattr(fresh if place == slot else session, name)[place] for place in range(MAX_LANES))
                    for name in PER_SLOT
                }
            )

    def toggle_differing(self) -> None:
        """Mark where the two differ, in every picture, or no more."""
        self._desk.set_session(differing=not self._desk.session.differing)

    def wipe(self, at: float | None) -> None:
        """Lay the second picture over the first from this share of its width on; None takes it away."""
        self._desk.set_session(wipe=None if at is None else min(max(at, 0.0), 1.0))

    def verbs(self) -> dict[str, Callable[[], None]]:
        """What the actions of the window do."""
        return {
            "add_lane": lambda: self.add(self._desk.document.shown - 1),
            "differing": self.toggle_differing,
            "wipe": self.toggle_wipe,
            "difference": self.show_difference,
        }

    def fold(self, index: int, folded: bool) -> None:
        """Fold a lane's settings away, or open them; of more than two lanes one at a time is open."""
        document, folds = self._desk.document, list(self._desk.session.folds)
        if document.shown > 2 and not folded:
            folds = [True] * len(folds)
        folds[document.slots[index]] = folded
        self._desk.set_session(folds=tuple(folds))
