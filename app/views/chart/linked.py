"""PointChart: a chart of a run's points; the point under the pointer is highlighted here and in all other views."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent

from app.engine.run_state import RunState
from app.views.theme import Theme
from solver.core.arrays import Indices, Integers, Mask

from .chart import READING, Chart, goal_of, is_plain

#: Callback for the id of the point under the pointer; None for none.
Hover = Callable[[int | None], None]


class PointChart(Chart):
    """A chart of the points of a run; it refers to points by their position in the run's `index`.

    Parameters
    ----------
    hover : callable
        Called with the id of the point under the pointer or chosen by the arrow keys; None for none.
    """

    framed = True

    def __init__(self, hover: Hover) -> None:
        super().__init__()
        self._hover = hover
        self.run_state: RunState | None = None
        self._hovered: int | None = None
        self._announced: int | None = None  # the newest highlighted point: the drawn one may be a moment older
        self._ids: Integers = np.empty(0, dtype=np.int64)
        #: Position of the highlighted point; -1 for none.
        self.highlighted = -1

    def show_run_state(self, run_state: RunState | None, hovered: int | None, theme: Theme) -> None:
        """Display `run_state`, and highlight the point of id `hovered` if it belongs to the run."""
        self._announced = hovered
        if run_state is self.run_state and hovered == self._hovered and theme is self.theme:
            return
        if run_state is not self.run_state:
            self.run_state = run_state
            self._ids = np.empty(0, dtype=np.int64) if run_state is None else run_state.points.ids[run_state.index]
            self.changed()
        self._hovered, self.theme = hovered, theme
        self.highlighted = -1 if hovered is None else _first(self._ids == hovered)
        self.draw_points()

    def draw_points(self) -> None:
        """Display the points of the run."""
        if self.run_state is not None and len(self.run_state.y):
            self.show_run(self.run_state)
        else:
            self.show_marks((), self.theme)

    def made_for(self) -> object:
        return round(self.area().width()), round(self.area().height())

    def remake(self) -> None:
        self.draw_points()

    def changed(self) -> None:
        """Discard what was derived from the previous run."""

    def show_run(self, run_state: RunState) -> None:
        """Display the marks of a run that has points."""
        raise NotImplementedError

    def index_at(self, position: QPointF) -> int:
        """Return the position of the point drawn at the pixel `position`, -1 for none."""
        raise NotImplementedError

    def order(self) -> Indices:
        """Return the points in the order in which the arrow keys go through them."""
        raise NotImplementedError

    def position_in_order(self) -> int:
        """Return the position in `order` of the highlighted point, -1 for none."""
        index = self.newest_index()
        return _first(self.order() == index) if index >= 0 else -1

    def newest_index(self) -> int:
        """Return the position of the point that is to be highlighted, -1 for none."""
        return -1 if self._announced is None else _first(self._ids == self._announced)

    # -- mouse and keys --------------------------------------------------------------------------------------------

    def _announce(self, index: int) -> None:
        point = int(self._ids[index]) if index >= 0 else None
        if point != self._announced:
            self._announced = point
            self._hover(point)

    def pointed(self, position: QPointF | None) -> None:
        if self.run_state is not None:
            self._announce(-1 if position is None else self.index_at(position))

    def takes(self, event: QKeyEvent) -> bool:
        return event.key() in READING and self.run_state is not None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        order = self.order() if self.run_state is not None else np.empty(0, dtype=np.intp)
        goal = goal_of(event.key(), self.position_in_order(), 0, len(order) - 1) if is_plain(event) else None
        if event.key() == Qt.Key.Key_Escape and is_plain(event) and self._announced is not None:
            self._announce(-1)
        elif goal is not None and len(order):
            self._announce(int(order[goal]))
        else:
            super().keyPressEvent(event)


def _first(mask: Mask) -> int:
    """Return the index of the first True, -1 for none."""
    index = int(mask.argmax()) if len(mask) else 0
    return index if len(mask) and mask[index] else -1
