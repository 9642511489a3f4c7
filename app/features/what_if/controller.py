"""WhatIf: keep the state before an edit, and remove points that change nothing.  No Qt.

While it is armed, the first change of an undo step (a drag is one step) stores the document and the models before it.
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
from .scene import Baseline, WhatIfSession, differs, removable

HINT = "What if: delete, relabel or drag a point; the dashed line is the boundary before."


class WhatIf:
    """Translate user actions on what-if into commands; listen to the store for the state before each step.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._position = host.store.position
        host.store.listen(self._changed)

    def toggle(self) -> None:
        """Arm what-if, or disarm it and discard the stored state."""
        armed = not self._host.session.of(WhatIfSession).armed
        self._host.change(WhatIfSession, armed=armed, baseline=None)
        self._host.say(HINT if armed else "")

    def remove_non_support(self, index: int) -> None:
        """Remove all points that are no support vectors of lane `index`."""
        self._remove(removable(self._host.document, self._frame(index)).ids, "non-support vector")

    def remove_support(self, index: int) -> None:
        """Remove one support vector of lane `index`."""
        self._remove(removable(self._host.document, self._frame(index)).support[:1], "point")

    def idle_removal(self, index: int, grid: Grid) -> Task[IdlePoints] | None:
        """Return the task that finds the points which the picture of lane `index` on `grid` does not need."""
        frame = self._frame(index)
        if frame is None or frame.neighbours is None or not removable(self._host.document, frame).idle:
            return None
        return removal(frame.neighbours, frame.points, grid)

    def take_idle(self, found: IdlePoints) -> None:
        """Remove the points that were found, unless the points have changed."""
        if found.points is not self._host.document.training_points:
            self._host.say("The points have changed meanwhile: no idle point was removed.")
            return
        self._remove(found.ids, "idle point")
        number = count(len(found.ids), "idle point")
        moved = f"{number} removed, nothing moved: no pixel has changed class."
        self._host.say(moved if len(found.ids) else "No idle point can go: without any other one the picture changes.")

    def _frame(self, index: int) -> Frame | None:
        return self._host.results.frame(self._host.document.slots[index])

    def _remove(self, ids: Integers, noun: str) -> None:
        if len(ids):
            if not self._host.session.of(WhatIfSession).armed:
                self._host.change(WhatIfSession, armed=True, baseline=None)
            self._host.dispatch(RemovePoints(ids=ids, noun=noun))

    def _changed(self, old: Document, new: Document) -> None:
        position, before = self._host.store.position, self._position
        self._position = position
        session = self._host.session
        chosen = session.of(WhatIfSession)
        if not chosen.armed or not differs(old, new):
            return
        if not self._host.store.history or (session.drawing and position < before):
            self._host.change(WhatIfSession, baseline=None)  # another document, or a gesture that was cancelled
        elif position != before or chosen.baseline is None:
            self._host.change(WhatIfSession, baseline=Baseline.of(old, self._host.results.frame))
