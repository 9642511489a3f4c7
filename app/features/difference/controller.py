"""DifferenceController: which two lanes are compared, and how their difference is displayed.  No Qt."""

from __future__ import annotations

from app.controllers.host import SubjectController
from app.controllers.lanes import add_lane
from app.scene.compared import compared
from app.state.commands import AddLane, SetFields
from app.state.document import Lane

from .scene import DifferenceSession


class DifferenceController(SubjectController):
    """Translate user actions on the comparison into commands and session changes; lanes are given by index."""

    def compare(self, first: int, second: int) -> None:
        """Compare these two lanes."""
        self._host.dispatch(SetFields(changes=(("compared", (first, second)),), text="Compare other classifiers"))

    def swap_compared(self) -> None:
        """Exchange the first and the second of the compared lanes."""
        if (indices := compared(self._host.document)) is not None:
            self.compare(indices[1], indices[0])

    def toggle_wipe(self) -> None:
        """Show the second picture over half of the first, or remove it."""
        self.wipe(0.5 if self._host.session.of(DifferenceSession).wipe is None else None)

    def wipe(self, at: float | None) -> None:
        """Show the second picture to the right of `at`, a share of the width; None removes it."""
        self._host.change(DifferenceSession, wipe=None if at is None else min(max(at, 0.0), 1.0))

    def move_wipe(self, by: float) -> None:
        """Move the edge of the wipe by this share of the width."""
        at = self._host.session.of(DifferenceSession).wipe
        if at is not None:
            self.wipe(at + by)

    def show_difference(self) -> None:
        """Add a lane with the difference, after the others."""
        document = self._host.document
        if any(lane.is_difference for lane in document.lanes[: document.shown]):
            self._host.say("The difference is on screen already.")
        else:
            add_lane(self._host, AddLane(index=document.shown, lane=Lane("difference"), verb="Show the difference as"))
