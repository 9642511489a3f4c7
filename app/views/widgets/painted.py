"""Painted: a widget that paints itself, and shows by a frame that it has the focus."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.theme import LIGHT, Theme

from .painting import painter_on


def paint_frame(painter: QPainter, frame: QRectF, theme: Theme, focused: bool) -> None:
    """Paint the frame of a picture, wider and in the accent colour while the picture has the focus."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(*(theme.accent if focused else theme.faint)), 2 if focused else 1))
    painter.drawRect(frame.adjusted(focused, focused, 0, 0))


class Painted(QWidget):
    """A widget that paints itself in `paint`.

    Attributes
    ----------
    framed : bool
        Paint the frame without the focus as well.
    """

    framed = False

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def metrics(self) -> QFontMetricsF:
        """Return the metrics of its font."""
        return QFontMetricsF(self.font())

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Paint all but the frame."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self, smooth=True) as painter:
            painter.setFont(self.font())
            self.paint(painter, self._theme)
            if self.framed or self.hasFocus():
                paint_frame(painter, QRectF(self.rect()).adjusted(0, 0, -1, -1), self._theme, self.hasFocus())
