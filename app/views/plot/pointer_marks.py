"""Pointer marks: what lies over a picture and is not of the model: brush, class, keyboard cursor, outlines."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.state.session import OutlineKind
from app.views.theme import Theme
from app.views.widgets.painting import saved

from .symbols import draw

#: Where the symbol of the active class stands beside the pointer, in pixels.
BESIDE = QPointF(14, 14)
#: Half the length of the keyboard cursor's arms, and the gap in their middle.
ARM, GAP = 14, 4


@dataclass(frozen=True, eq=False)
class Overlay:
    """All of it, in the canvas's pixels.

    Attributes
    ----------
    pointer : QPointF or None
        Where the mouse is, when it is inside the axes.
    radius : int
        Of the brush; 0 for none.
    paints : int
        The class that the tool puts, -1 for none.
    cursor : QPointF or None
        Of the keyboard.
    outline : (kind, corners) or None
    """

    pointer: QPointF | None
    radius: int
    paints: int
    cursor: QPointF | None
    outline: tuple[OutlineKind, list[QPointF]] | None

    def bounds(self) -> QRect:
        """The pixels it covers."""
        area = QRectF()
        marked = self.pointer if self.radius or self.paints >= 0 else None
        for at in (marked, self.cursor):
            if at is not None:
                reach = max(self.radius, ARM, BESIDE.x() + 10) + 4
                area |= QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach)
        if self.outline is not None:
            area |= QPolygonF(self.outline[1]).boundingRect().adjusted(-4, -4, 4, 4)
        return area.toAlignedRect()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw it; each line twice, light under dark, so that it stands out from every surface."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        halo, ink = QPen(QColor(*theme.background, 200), 3.0), QPen(QColor(*theme.ink), 1.4)
        for pen in (halo, ink):
            if self.outline is not None:  # in a colour that no line of the model has
                painter.setPen(halo if pen is halo else QPen(QColor(*theme.accent), 1.6))
                self._paint_outline(painter)
            painter.setPen(pen)
            for at in (self.pointer, self.cursor):
                if at is not None and self.radius:
                    painter.drawEllipse(at, self.radius, self.radius)
            if self.cursor is not None:
                self._paint_cursor(painter, self.cursor)
        for at in (self.pointer, self.cursor):
            if at is not None and self.paints >= 0:
                with saved(painter):
                    painter.translate(at + BESIDE)
                    painter.setOpacity(0.6)  # it is no point
                    painter.scale(0.8, 0.8)
                    draw(painter, theme, str(self.paints))

    def _paint_outline(self, painter: QPainter) -> None:
        assert self.outline is not None
        kind, corners = self.outline
        if kind == "path":
            painter.drawPolygon(QPolygonF(corners))
        elif kind == "line":
            painter.drawLine(corners[0], corners[1])
        else:
            box = QRectF(corners[0], corners[1]).normalized()
            (painter.drawRect if kind == "rectangle" else painter.drawEllipse)(box)

    @staticmethod
    def _paint_cursor(painter: QPainter, at: QPointF) -> None:
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            painter.drawLine(at + QPointF(GAP * dx, GAP * dy), at + QPointF(ARM * dx, ARM * dy))
