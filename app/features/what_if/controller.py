"""WhatIf: keep the state before an edit, and remove points that change nothing.  No Qt.

While it is armed, the first change of an undo step (a drag is one step) stores the document and the models before it.

Idle points are removed one after the other, as long as no pixel of kNN's picture changes class.  Each idle point alone
is idle, but without several of them the picture may change.  After each removal the next point is therefore checked
again, and at the end all that are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from app.controllers.host import Host
from app.core.number_format import count
from app.core.points import Points
from app.engine.frames import Frame
from app.files.background_task import Progress, Task
from app.state.commands import RemovePoints
from app.state.document import Document
from solver import Grid
from solver.core.arrays import Indices, Integers, Mask

from .scene import Baseline, WhatIfSession, differs, removable

if TYPE_CHECKING:
    from solver import KNeighborsClassifier


#: Rows of the picture between two checks for cancellation.
ROWS = 128


class IdlePoints(Struct, frozen=True, eq=False):
    """The `ids` of those `points` that can be removed together without changing the picture."""

    points: Points
    ids: Integers


def removal(model: KNeighborsClassifier, points: Points, grid: Grid) -> Task[IdlePoints]:
    """Return the task that finds which `points` can be removed without a change of `model`'s picture on `grid`.

    At least k points stay, and one of each class.
    """

    def work(progress: Progress) -> IdlePoints:
        left = np.arange(len(points))
        share = 0.0

        def needed(rows: Indices | None) -> Mask:
            of_rest = type(model)(**model.get_params()).fit(points.xy[left], points.labels[left])
            needed_in, ys = of_rest.kept_on(grid.xs, rows), grid.ys
            for begin in range(0, grid.height, ROWS):
                found: Mask = needed_in(ys[begin : begin + ROWS])
                progress(share)
                if found.all():
                    break
            return found

        while True:
            idle = left[~needed(None)]
            before = len(left)
            for done, point in enumerate(idle.tolist()):
                share = done / len(idle)
                alone = np.count_nonzero(points.labels[left] == points.labels[point]) == 1
                at = int(np.searchsorted(left, point))
                if len(left) > model.n_neighbors and not alone and not needed(np.array([at])).any():
                    left = np.delete(left, at)
            if len(left) == before:
                return IdlePoints(points, np.delete(points.ids, left))

    return Task("Removing idle points", work, "No idle points were removed", kept=False)


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
