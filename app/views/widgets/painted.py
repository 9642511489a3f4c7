"""Painted: a widget that paints itself within a guard, and shows by a frame that it has the focus."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.theme import LIGHT, Theme

from .painting import blank, painter_on

MIDDLE = Qt.AlignmentFlag.AlignVCenter
RIGHT, LEFT = MIDDLE | Qt.AlignmentFlag.AlignRight, MIDDLE | Qt.AlignmentFlag.AlignLeft


class Painted(QWidget):
    """Paints itself in `paint`.

    Attributes
    ----------
    framed : bool
        There is a frame without the focus, too.
    copied : bool
        What was painted is copied until `update` is called: something beside or below it is painted anew more often.
    """

    framed = copied = False

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme = LIGHT
        self._copy: QPixmap | None = None
        self._copied_for: tuple[object, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def metrics(self) -> QFontMetricsF:
        """Measures of its text."""
        return QFontMetricsF(self.font())

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Paint all but the frame."""
        raise NotImplementedError

    def frame(self) -> QRectF:
        """Where the frame is."""
        return QRectF(self.rect()).adjusted(0, 0, -1, -1)

    def update(self, *area: Any) -> None:
        """Have it painted anew."""
        self._copy = None
        super().update(*area)

    def depends_on(self) -> tuple[object, ...]:
        """On what else than its own state a picture that is copied depends."""
        return ()

    def _paint_copied(self, painter: QPainter) -> None:
        ratio = self.devicePixelRatioF()
        made_for = (self.size(), ratio, self.font(), self._theme, *self.depends_on())
        if self._copy is None or made_for != self._copied_for:
            self._copied_for, self._copy = made_for, blank(self.width(), self.height(), ratio)
            with painter_on(self._copy) as onto:
                onto.setFont(self.font())
                self.paint(onto, self._theme)
        painter.drawPixmap(0, 0, self._copy)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            painter.setFont(self.font())
            if self.copied:
                self._paint_copied(painter)
            else:
                self.paint(painter, self._theme)
            focused = self.hasFocus()
            if focused or self.framed:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                theme, inset = self._theme, 1 if focused else 0
                painter.setPen(QPen(QColor(*(theme.accent if focused else theme.faint)), 2 if focused else 1))
                painter.drawRect(self.frame().adjusted(inset, inset, 0, 0))


def plate(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A ground for text over lines."""
    painter.fillRect(box, QColor(*theme.background, 215))
