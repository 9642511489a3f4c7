"""Removing idle points: one after the other, as long as no pixel of kNN's picture changes class.

Each idle point alone is idle, but without several of them the picture may change.  After each removal the next point is
therefore checked again, and at the end all that are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.files.background_task import Progress, Task
from solver import Grid
from solver.core.arrays import Indices, Integers, Mask

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
