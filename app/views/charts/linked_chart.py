"""LinkedChart: a picture of a study's points; the one under the pointer stands out here and everywhere else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter

from app.engine.run_state import RunState
from app.views.theme import Theme
from solver.core.arrays import Indices, Integers, Mask

from .chart import Chart, goal_of, is_plain

#: Tells the window of the point under the pointer, by its lifelong id.
Hover = Callable[[int | None], None]


class LinkedChart(Chart):
    """Holds the study it paints, and speaks of points as places in the study's `index`.

    Parameters
    ----------
    hover : callable
        Told the id of the point under the pointer, or that the arrow keys chose; None for none.
    """

    framed = True

    def __init__(self, hover: Hover) -> None:
        super().__init__()
        self._hover = hover
        self._study: RunState | None = None
        self._hovered: int | None = None
        self._told: int | None = None  # the point that stands out from now on: the one drawn may be a moment older
        self._ids: Integers = np.empty(0, dtype=np.int64)
        self._of: tuple[object, object] = (None, None)
        #: Place of the point that stands out; -1 for none.
        self.place = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_study(self, run_state: RunState | None, hovered: int | None, theme: Theme) -> None:
        """Paint `run_state`, with the point of id `hovered` standing out if it is one of its points."""
        self._told = hovered
        if run_state is self._study and hovered == self._hovered and theme is self._theme:
            return
        if run_state is not self._study:
            self._study = run_state
            points, index = (None, None) if run_state is None else (run_state.points, run_state.index)
            if points is not self._of[0] or index is not self._of[1]:
                self._of = (points, index)
                self._ids = np.empty(0, dtype=np.int64) if run_state is None else run_state.points.ids[run_state.index]
            self._changed()
        self._hovered, self._theme = hovered, theme
        self.place = -1 if hovered is None else _first(self._ids == hovered)
        self.update()

    def _changed(self) -> None:
        """The study is another one: forget what was made of the last."""

    def place_at(self, position: QPointF) -> int:
        """The point that is drawn at `position`, -1 for none."""
        raise NotImplementedError

    def order(self) -> Indices:
        """The points in the order in which the arrow keys go through them."""
        raise NotImplementedError

    def spot_in_order(self) -> int:
        """Where in `order` the point stands that stands out, -1 for nowhere."""
        place = self._newest_place()
        return _first(self.order() == place) if place >= 0 else -1

    def _newest_place(self) -> int:
        return -1 if self._told is None else _first(self._ids == self._told)

    # -- the user --------------------------------------------------------------------------------------------------

    def _tell(self, place: int) -> None:
        self._tell_id(int(self._ids[place]) if place >= 0 else None)

    def _tell_id(self, point: int | None) -> None:
        if point != self._told:
            self._told = point
            self._hover(point)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._study is not None:
            self._tell(self.place_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._tell_id(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        order = self.order() if self._study is not None else np.empty(0, dtype=np.intp)
        goal = goal_of(event, self.spot_in_order(), 0, len(order) - 1)
        if event.key() == Qt.Key.Key_Escape and is_plain(event) and self._told is not None:
            self._tell_id(None)
        elif goal is not None and len(order):
            self._tell(int(order[goal]))
        else:
            event.ignore()

    # -- drawing ---------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.fillRect(self.rect(), QColor(*theme.background))
        if self._study is not None and len(self._study.y):
            self.paint_study(painter, self._study)

    def paint_study(self, painter: QPainter, run_state: RunState) -> None:
        """Paint all but ground and frame."""
        raise NotImplementedError


def _first(mask: Mask) -> int:
    """Place of the first True, -1 for none."""
    place = int(mask.argmax()) if len(mask) else 0
    return place if len(mask) and mask[place] else -1


def nice_ticks(top: float, most: int) -> list[float]:
    """At most `most` round numbers from 0 to `top`, 1, 2 or 5 times a power of ten apart."""
    if not 0 < top < np.inf:
        return [0.0]
    power = 10.0 ** np.floor(np.log10(top / max(most - 1, 1)))
    step = next(float(power * k) for k in (1.0, 2.0, 5.0, 10.0, 20.0) if top / (power * k) <= most - 1 + 1e-9)
    return [float(k * step) for k in range(int(top / step + 1e-9) + 1)]
