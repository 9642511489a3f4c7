"""WhatIf: keeps what was before an edit, and removes what moves nothing.  No Qt.

While it is armed, the first change of a step (a drag is one step) keeps the document and the models of just before.
"""

from __future__ import annotations

from app.controllers.host import Host
from app.core.number_format import count
from app.engine.requests import Frame
from app.files.background_task import Task
from app.state.commands import RemovePoints
from app.state.document import Document
from solver import Grid
from solver.core.arrays import Integers

from .idle import IdlePoints, removal
from .scene import differs, removable
from .state import Baseline, WhatIfSession

HINT = "What if: delete, relabel or drag a point; the dashed line is the boundary before."


class RemoveNonSupport(RemovePoints, frozen=True):
    """The points with these `ids`, no support vectors, away."""

    def name(self, before: Document, after: Document) -> str:
        number = len(before.points) - len(after.points)
        return f"Remove {number} non-support vector{'' if number == 1 else 's'}"


class RemoveIdle(RemovePoints, frozen=True):
    """The points with these `ids`, which are idle, away."""

    def name(self, before: Document, after: Document) -> str:
        return f"Remove {count(len(before.points) - len(after.points), 'idle point')}"


class WhatIf:
    """What the user does with it; listens to the store for the state before each step.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._position = host.store.position
        host.store.listen(self._changed)

    def toggle(self) -> None:
        """Arm, or disarm and forget."""
        armed = not self._host.session.of(WhatIfSession).armed
        self._host.change(WhatIfSession, armed=armed, baseline=None)
        self._host.say(HINT if armed else "")

    def remove_non_support(self, index: int) -> None:
        """Remove all points that are no support vectors of the lane at place `index`."""
        self._remove(removable(self._host.document, self._frame(index)).ids, RemoveNonSupport)

    def remove_support(self, index: int) -> None:
        """Remove one support vector of the lane at place `index`."""
        self._remove(removable(self._host.document, self._frame(index)).support[:1], RemovePoints)

    def idle_removal(self, index: int, grid: Grid) -> Task[IdlePoints] | None:
        """The task that finds which points the picture of the lane at place `index`, on `grid`, does not need."""
        frame = self._frame(index)
        if frame is None or frame.neighbours is None or not removable(self._host.document, frame).idle:
            return None
        return removal(frame.neighbours, frame.points, grid)

    def take_idle(self, found: IdlePoints) -> None:
        """Remove the points that were found, unless others are there by now."""
        if found.points is not self._host.document.training_points:
            self._host.say("The points have changed meanwhile: no idle point was removed.")
            return
        self._remove(found.ids, RemoveIdle)
        number = count(len(found.ids), "idle point")
        moved = f"{number} removed, nothing moved: no pixel has changed class."
        self._host.say(moved if len(found.ids) else "No idle point can go: without any other one the picture changes.")

    def _frame(self, index: int) -> Frame | None:
        return self._host.results.frame(self._host.document.slots[index])

    def _remove(self, ids: Integers, command: type[RemovePoints]) -> None:
        if len(ids):
            if not self._host.session.of(WhatIfSession).armed:
                self._host.change(WhatIfSession, armed=True, baseline=None)
            self._host.dispatch(command(ids=ids))

    def _changed(self, old: Document, new: Document) -> None:
        position, before = self._host.store.position, self._position
        self._position = position
        session = self._host.session
        chosen = session.of(WhatIfSession)
        if not chosen.armed or not differs(old, new):
            return
        if not self._host.store.history or (session.drawing and position < before):
            self._host.change(WhatIfSession, baseline=None)  # another document, or a gesture that was broken off
        elif position != before or chosen.baseline is None:
            self._host.change(WhatIfSession, baseline=Baseline.of(old, self._host.results.frame))
