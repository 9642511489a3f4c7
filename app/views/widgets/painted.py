"""Painted: a widget that paints itself within a guard, and shows by a frame that it has the focus."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.theme import LIGHT, Theme

from .painting import painter_on

MIDDLE = Qt.AlignmentFlag.AlignVCenter
RIGHT, LEFT = MIDDLE | Qt.AlignmentFlag.AlignRight, MIDDLE | Qt.AlignmentFlag.AlignLeft


class Painted(QWidget):
    """Paints itself in `paint`."""

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def metrics(self) -> QFontMetricsF:
        """Measures of its text."""
        return QFontMetricsF(self.font())

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Paint all but the frame."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            painter.setFont(self.font())
            self.paint(painter, self._theme)
            if self.hasFocus():
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(*self._theme.accent), 2))
                painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
