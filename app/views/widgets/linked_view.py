"""LinkedView: a painted picture of a study's points; the one under the pointer stands out here and everywhere else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.engine.run_state import RunState
from app.views.theme import LIGHT, Theme
from app.views.widgets.form_fields import show_text
from solver.core.arrays import Indices, Integers, Mask

from .painting import painter_on

#: Tells the window of the point under the pointer, by its lifelong id.
Hover = Callable[[int | None], None]


class LinkedView(QWidget):
    """Holds the study it paints, and speaks of points as places in the study's `index`.

    Parameters
    ----------
    hover : callable
        Told the id of the point under the pointer, or that the arrow keys chose; None for none.
    """

    def __init__(self, hover: Hover) -> None:
        super().__init__()
        self._hover = hover
        self._study: RunState | None = None
        self._theme: Theme = LIGHT
        self._hovered: int | None = None
        self._ids: Integers = np.empty(0, dtype=np.int64)
        self._of: tuple[object, object] = (None, None)
        #: Place of the point that stands out; -1 for none.
        self.place = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_study(self, run_state: RunState | None, hovered: int | None, theme: Theme) -> None:
        """Paint `run_state`, with the point of id `hovered` standing out if it is one of its points."""
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
        return _first(self.order() == self.place) if self.place >= 0 else -1

    # -- the user --------------------------------------------------------------------------------------------------

    def _tell(self, place: int) -> None:
        point = int(self._ids[place]) if place >= 0 else None
        if point != self._hovered:
            self._hover(point)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._study is not None:
            self._tell(self.place_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self._hovered is not None:
            self._hover(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        order = self.order() if self._study is not None else np.empty(0, dtype=np.intp)
        here, key, last = self.spot_in_order(), Qt.Key, len(order) - 1
        goal = {
            key.Key_Left: last if here < 0 else max(here - 1, 0),
            key.Key_Right: min(here + 1, last),
            key.Key_Home: 0,
            key.Key_End: last,
        }.get(key(event.key()))
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() == key.Key_Escape and plain and self._hovered is not None:
            self._hover(None)
        elif goal is not None and plain and len(order):
            self._tell(int(order[goal]))
        else:
            event.ignore()

    # -- drawing ---------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        theme = self._theme
        painter.fillRect(self.rect(), QColor(*theme.background))
        if self._study is not None and len(self._study.y):
            self.paint_study(painter, self._study)
        focused = self.hasFocus()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(*(theme.accent if focused else theme.faint)), 2 if focused else 1))
        inset = 1 if focused else 0
        painter.drawRect(self.rect().adjusted(inset, inset, -1, -1))

    def paint_study(self, painter: QPainter, run_state: RunState) -> None:
        """Paint all but ground and frame."""
        raise NotImplementedError

    def metrics(self) -> QFontMetricsF:
        """Measures of the picture's text."""
        return QFontMetricsF(self.font())


def _first(mask: Mask) -> int:
    """Place of the first True, -1 for none."""
    place = int(mask.argmax()) if len(mask) else 0
    return place if len(mask) and mask[place] else -1


class Sentence(QLabel):
    """Text that changes with each picture, with the room that `longest` takes, so that nothing jumps.

    Parameters
    ----------
    name : str
        Its object name.
    longest : str
        No text that it will show takes more room than this one.
    """

    def __init__(self, name: str, longest: str) -> None:
        super().__init__()
        self._longest = longest
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str) -> None:
        """Say `text`."""
        show_text(self, text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.keep_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.keep_room()

    def keep_room(self) -> None:
        """Fit the height to the width and the font."""
        height = self._room()
        if height != self.height() or height != self.minimumHeight():
            self.setFixedHeight(height)

    def _room(self) -> int:
        """Pixels that the longest text needs at this width."""
        room = QRect(0, 0, max(self.width(), 60), 100_000)
        wrapped = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
        return self.fontMetrics().boundingRect(room, wrapped, self._longest).height() + 2


def nice_ticks(top: float, most: int) -> list[float]:
    """At most `most` round numbers from 0 to `top`, 1, 2 or 5 times a power of ten apart."""
    if not 0 < top < np.inf:
        return [0.0]
    power = 10.0 ** np.floor(np.log10(top / max(most - 1, 1)))
    step = next(float(power * k) for k in (1.0, 2.0, 5.0, 10.0, 20.0) if top / (power * k) <= most - 1 + 1e-9)
    return [float(k * step) for k in range(int(top / step + 1e-9) + 1)]


def plate(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A ground for text over lines."""
    painter.fillRect(box, QColor(*theme.background, 215))
