"""Painted: a widget that paints itself, reports painting errors, and shows by a frame that it has the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.theme import LIGHT, Theme

from .painting import painter_on


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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Paint all but the frame."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self, smooth=True) as painter:
            painter.setFont(self.font())
            self.paint(painter, self._theme)
            focused = self.hasFocus()
            if focused or self.framed:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                theme, inset = self._theme, 1 if focused else 0
                painter.setPen(QPen(QColor(*(theme.accent if focused else theme.faint)), 2 if focused else 1))
                painter.drawRect(QRectF(self.rect()).adjusted(inset, inset, -1, -1))
