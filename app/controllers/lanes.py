"""LaneController: add, duplicate, remove, move and select lanes.  No Qt."""

from __future__ import annotations

from app.controllers.host import Host, SubjectController
from app.learners.table import LEARNERS
from app.state.commands import AddLane, MoveLane, RemoveLane
from app.state.document import MAX_LANES, Lane
from app.state.session import PER_SLOT, Session


class LaneController(SubjectController):
    """Translate user actions on lanes, given by their indices, into commands."""

    def add(self, beside: int) -> None:
        """Add a new classifier to the right of the one at index `beside`, of a kind that is not displayed yet."""
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
        """Add a copy of the classifier to its right."""
        add_lane(self._host, AddLane(index=index + 1, lane=self._host.document.lanes[index], verb="Duplicate"))

    def remove(self, index: int) -> None:
        """Remove a classifier."""
        self._host.dispatch(RemoveLane(index=index))

    def move(self, index: int, by: int) -> None:
        """Move a classifier `by` positions to the right."""
        self._host.dispatch(MoveLane(index=index, to=index + by))

    def select(self, index: int) -> None:
        """Select the classifier that the panels beside the pictures show."""
        self._host.set_session(selected_slot=self._host.document.slots[index])

    def toggle_pin(self, panel: str) -> None:
        """Let a panel keep showing the lane that it shows, or follow the selected one again."""
        session = self._host.session
        pins = dict(session.pins)
        if pins.pop(panel, None) is None:
            pins[panel] = self._host.document.slots[session.selected_lane(self._host.document)]
        self._host.set_session(pins=tuple(pins.items()))


def add_lane(host: Host, command: AddLane) -> None:
    """Add a lane as a new one: it plays at full speed, whatever the state of the lane that had its slot before."""
    if host.dispatch(command):
        session, fresh = host.session, Session()
        slot = host.document.slots[command.index]
        host.set_session(
            *(part.of_new_lane(slot) for part in session.features),
            selected_slot=slot,
            **{
                name: tuple(getattr(fresh if index == slot else session, name)[index] for index in range(MAX_LANES))
                for name in PER_SLOT
            },
        )
