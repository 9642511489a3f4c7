"""PoolPicture: the pool of active learning over the surface of what is learnt so far, and the point asked about."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.number_format import short
from app.core.points import Points
from app.engine.requests import Picture
from app.scene.model import grid_of
from app.state.document import View
from app.views.plot.picture import paint_lines, paint_surface
from app.views.plot.symbols import DISC, UNKNOWN, stamp
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.painting import blank, bold, painter_on
from solver import Grid
from solver.core.arrays import Array

from .state import ActiveLearningRun

#: Pixels from a point within which a click means it.
REACH = 14
#: Radius in pixels of the ring round the point asked about.
RING = 13.0
#: A pool of more points has smaller ones.
MANY = 400
_ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}


class PoolPicture(QWidget):
    """Shows the pool of a run; tells of the point the user chooses, and of its keys.

    The still part is painted once and copied from then on; only rings and the focus are drawn each time.
    """

    #: Place in the pool of the point chosen, or -1: back to the one asked for.
    chosen = Signal(int)
    #: Enter: the truth is to answer.  Space: it is to go on answering, or to stop.
    truth_wanted = Signal()
    play_wanted = Signal()
    #: There is another grid to paint on.
    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        describe(
            self,
            "asking.picture",
            "Pool of points",
            "Click an unlabelled point, or go to one with the arrow keys, to tell its label in place of the one"
            " asked for. Keys 1–8 answer, Enter labels automatically, Backspace steps back.",
        )
        self.setToolTip("")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._asking: ActiveLearningRun | None = None
        self._picture: Picture | None = None
        self._message = ""
        self._theme: Theme | None = None
        self._view = View()
        self._still: QPixmap | None = None

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # it takes what the others leave

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 150)

    def show_board(self, asking: ActiveLearningRun | None, picture: Picture | None, message: str, theme: Theme) -> None:
        """Draw the pool of `asking` over `picture`, with a `message` across it."""
        shown = asking, picture, message, theme
        if shown == (self._asking, self._picture, self._message, self._theme):
            return
        if asking is not None and (self._asking is None or self._asking.pool is not asking.pool):
            self._view = View.fitting(Points.of(asking.pool.xy, asking.pool.truth))
        self._asking, self._picture, self._message, self._theme = shown
        self._still = None
        self._tell(asking, message)
        self.update()

    def _tell(self, asking: ActiveLearningRun | None, words: str) -> None:
        """Say in words what the picture shows."""
        if asking is not None and not words:
            words = f"{len(asking.pool)} points, {len(asking.labelled)} of them labelled."
            if asking.target is not None:
                x, y = asking.pool.xy[asking.target]
                words += f" Asked about: ({short(x)}, {short(y)})."
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def grid(self) -> Grid:
        """The part of the plane on screen, a sample per device pixel."""
        return grid_of(self._view, max(self.width(), 16), max(self.height(), 16), self.devicePixelRatioF())

    def places(self) -> Array:
        """Where the points of the pool are in the widget, shape (n, 2)."""
        assert self._asking is not None
        grid, xy = self.grid(), self._asking.pool.xy
        x = (xy[:, 0] - grid.left) * (self.width() / (grid.right - grid.left))
        y = (grid.top - xy[:, 1]) * (self.height() / (grid.top - grid.bottom))
        return np.column_stack((x, y))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._still = None
        self.resized.emit()

    # -- the user --------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._asking is None:
            return
        away = self.places() - event.position().toTuple()
        distance = np.where(self._asking.open, np.hypot(*away.T), np.inf)
        nearest = int(distance.argmin())
        if distance[nearest] <= REACH:
            self.chosen.emit(nearest)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        elif key in _ARROWS:
            self._go(*_ARROWS[key])
        elif key == Qt.Key.Key_Escape and self._asking is not None and self._asking.chosen is not None:
            self.chosen.emit(-1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.truth_wanted.emit()
        elif key == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self.play_wanted.emit()
        else:
            event.ignore()

    def _go(self, dx: float, dy: float) -> None:
        """Choose the next unlabelled point in a direction: near, and not far to the side."""
        asking = self._asking
        if asking is None or asking.finished:
            return
        places = self.places()
        here = places[asking.target] if asking.target is not None else np.array([self.width(), self.height()]) / 2
        ahead = (places - here) @ (dx, dy)
        aside = np.abs((places - here) @ (dy, dx))
        usable = asking.open & (ahead > 0.0)
        if usable.any():
            self.chosen.emit(int(np.where(usable, ahead + 2.0 * aside, np.inf).argmin()))

    # -- painting --------------------------------------------------------------------------------------------------

    def paintEvent(self, event: object) -> None:
        with painter_on(self) as painter:
            if self._theme is not None:
                self._paint(painter, self._theme)

    def _paint(self, painter: QPainter, theme: Theme) -> None:
        if self._still is None:
            still = blank(self.width(), self.height(), self.devicePixelRatioF(), QColor(*theme.background))
            if self._asking is not None:
                with painter_on(still) as on_still:
                    self._paint_pool(on_still, self._asking, theme)
            self._still = still
        painter.drawPixmap(0, 0, self._still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._message:
            self._paint_message(painter, self._message, theme)
        elif self._asking is not None:
            self._paint_rings(painter, self._asking, theme)
        width = 2.0 if self.hasFocus() else 1.0
        painter.setPen(QPen(QColor(*(theme.accent if self.hasFocus() else theme.faint)), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2))

    def _paint_pool(self, painter: QPainter, asking: ActiveLearningRun, theme: Theme) -> None:
        """Surface, lines, and all points."""
        if self._picture is not None:
            grid = self.grid()
            corners = QRectF(grid.left, grid.bottom, grid.right - grid.left, grid.top - grid.bottom)
            area = QRectF(self.rect())
            paint_surface(painter, self._picture, corners, area, area)
            paint_lines(painter, self._picture, corners, area, area, theme)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        places, small = self.places(), 1.0 if len(asking.pool) <= MANY else 0.75
        unknown, told = np.flatnonzero(asking.open), asking.labelled
        kinds = [UNKNOWN] * len(unknown) + [answer.label for answer in told]
        order = np.concatenate((unknown, [answer.index for answer in told])).astype(np.intp)
        stamp(painter, theme, places[order], np.array(kinds, dtype=np.intp), small, self.devicePixelRatioF())
        for answer in told:
            if answer.label != asking.pool.truth[answer.index]:
                self._paint_sign(painter, QPointF(*places[answer.index]), 8.0, "≠", theme)

    def _paint_rings(self, painter: QPainter, asking: ActiveLearningRun, theme: Theme) -> None:
        """The point the next answer is about, with its "?"; beside an own choice, thinly, the one asked for."""
        target, question = asking.target, asking.question
        if target is None:
            return
        places = self.places()
        if question is not None and question.index != target:
            self._ring(painter, QPointF(*places[question.index]), theme, 1.4, Qt.PenStyle.SolidLine)
        own = asking.chosen is not None
        at = QPointF(*places[target])
        self._ring(painter, at, theme, 2.8, Qt.PenStyle.DashLine if own else Qt.PenStyle.SolidLine)
        painter.setPen(QPen(QColor(*theme.ink), 1.6))
        painter.setBrush(QColor(*theme.background))
        painter.drawEllipse(at, DISC + 1.5, DISC + 1.5)
        self._paint_sign(painter, at, RING, "?", theme)

    def _ring(self, painter: QPainter, at: QPointF, theme: Theme, width: float, style: Qt.PenStyle) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(*theme.background), width + 2.4))
        painter.drawEllipse(at, RING, RING)
        pen = QPen(QColor(*theme.ink), width, style)
        if style is Qt.PenStyle.DashLine:
            pen.setDashPattern([2.0, 1.4])
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawEllipse(at, RING, RING)

    def _paint_sign(self, painter: QPainter, at: QPointF, away: float, sign: str, theme: Theme) -> None:
        """A sign on a plate at the upper right of a point, or where there is room for it."""
        painter.setFont(bold(self.font()))
        metrics = painter.fontMetrics()
        side = max(metrics.height(), metrics.horizontalAdvance(sign) + 6) * 0.95
        reach = away * math.sqrt(0.5) + side * 0.42
        x = at.x() + reach if at.x() + reach + side / 2 < self.width() else at.x() - reach
        y = at.y() - reach if at.y() - reach - side / 2 > 0 else at.y() + reach
        plate = QRectF(x - side / 2, y - side / 2, side, side)
        painter.setPen(QPen(QColor(*theme.background), 1.0))
        painter.setBrush(QColor(*theme.ink))
        painter.drawEllipse(plate)
        painter.setPen(QColor(*theme.background))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, sign)

    def _paint_message(self, painter: QPainter, message: str, theme: Theme) -> None:
        room = QRectF(self.rect()).adjusted(14, 10, -14, -10)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        text = painter.boundingRect(room, flags, message)
        plate = QColor(*theme.background)
        plate.setAlpha(235)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(plate)
        painter.drawRoundedRect(text.adjusted(-8, -6, 8, 6), 4, 4)
        painter.setPen(QColor(*theme.ink))
        painter.drawText(room, flags, message)
