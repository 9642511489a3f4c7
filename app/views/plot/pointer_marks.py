"""Pointer marks: what is drawn over a picture for the pointer: brush, class, keyboard cursor, outlines."""

from __future__ import annotations

from msgspec import Struct
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.state.session import OutlineKind
from app.views.theme import Theme
from app.views.widgets.painting import saved

from .symbols import draw

#: Offset of the active class's symbol from the pointer (pixels).
BESIDE = QPointF(14, 14)
#: Length of the keyboard cursor's arms, and the gap in their middle (pixels).
ARM, GAP = 14, 4


class Overlay(Struct, frozen=True, eq=False):
    """The marks of the pointer, in the canvas's pixels.

    Attributes
    ----------
    pointer : QPointF or None
        The mouse, if it is inside the axes.
    radius : int
        Radius of the brush; 0 for none.
    paints : int
        Class of the points that the tool adds, -1 for none.
    cursor : QPointF or None
        The keyboard cursor.
    outline : (kind, corners) or None
    """

    pointer: QPointF | None
    radius: int
    paints: int
    cursor: QPointF | None
    outline: tuple[OutlineKind, list[QPointF]] | None

    def bounds(self) -> QRect:
        """Return the rectangle of the pixels it covers."""
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
        """Draw all marks; each line twice, light under dark, to stand out from every surface."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        halo, ink = QPen(QColor(*theme.background, 200), 3.0), QPen(QColor(*theme.ink), 1.4)
        for pen in (halo, ink):
            if self.outline is not None:  # in a colour that no line of a model has
                painter.setPen(halo if pen is halo else QPen(QColor(*theme.accent), 1.6))
                self._paint_outline(painter)
            painter.setPen(pen)
            for at in (self.pointer, self.cursor):
                if at is not None and self.radius:
                    painter.drawEllipse(at, self.radius, self.radius)
            if self.cursor is not None:
                for away in (QPointF(1, 0), QPointF(-1, 0), QPointF(0, 1), QPointF(0, -1)):
                    painter.drawLine(self.cursor + away * GAP, self.cursor + away * ARM)
        for at in (self.pointer, self.cursor):
            if at is not None and self.paints >= 0:
                with saved(painter):
                    painter.translate(at + BESIDE)
                    painter.setOpacity(0.6)  # translucent, to distinguish it from a point
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
