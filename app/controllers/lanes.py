"""LaneController: lanes are added, duplicated, removed, moved, and their settings opened and folded.  No Qt."""

from __future__ import annotations

from app.controllers.host import Host
from app.learners.table import LEARNERS
from app.state.commands import AddLane, MoveLane, RemoveLane
from app.state.document import MAX_LANES, Lane
from app.state.session import PER_SLOT, Session


class LaneController:
    """Turns wishes about lanes, which are named by their places, into commands.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def add(self, beside: int) -> None:
        """A new classifier to the right of the one at place `beside`: of a kind that is not on screen yet."""
        document = self._host.document
        present = {lane.classifier for lane in document.lanes[: document.shown]}
        simple = self._host.session.simple
        names = [
            name
            for name, each in LEARNERS.items()
            if each.is_available and not each.compares and (each.simple or not simple)
        ]
        lanes = [Lane(), *map(Lane, names)]
        lane = next((lane for lane in lanes if lane.classifier not in present), lanes[0])
        add_lane(self._host, AddLane(index=beside + 1, lane=lane))

    def duplicate(self, index: int) -> None:
        """The same classifier once more, to the right."""
        add_lane(self._host, AddLane(index=index + 1, lane=self._host.document.lanes[index], verb="Duplicate"))

    def remove(self, index: int) -> None:
        """Take a classifier away."""
        self._host.dispatch(RemoveLane(index=index))

    def move(self, index: int, by: int) -> None:
        """Move a classifier `by` places to the right."""
        self._host.dispatch(MoveLane(index=index, to=index + by))

    def toggle_fold(self, index: int) -> None:
        """Open a lane's settings, or fold them away."""
        self.fold(index, not self._host.session.is_folded(self._host.document, index))

    def fold(self, index: int, folded: bool) -> None:
        """Fold a lane's settings away, or open them; of more than two lanes one at a time is open."""
        document, folds = self._host.document, list(self._host.session.folds)
        if document.shown > 2 and not folded:
            folds = [True] * len(folds)
        folds[document.slots[index]] = folded
        self._host.set_session(folds=tuple(folds))


def add_lane(host: Host, command: AddLane) -> None:
    """Add a lane that is a new one: it plays at full speed, whatever the one did that had its slot before."""
    if host.dispatch(command):
        session, fresh = host.session, Session()
        slot = host.document.slots[command.index]
        host.set_session(
            *(part.of_new_lane(slot) for part in session.features),
            **{
                name: tuple(getattr(fresh if place == slot else session, name)[place] for place in range(MAX_LANES))
                for name in PER_SLOT
            },
        )
