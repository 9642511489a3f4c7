"""Legend: what the marks of a chart are, in as many lines above them as the width needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter

from app.views.plot.lines import draw_line
from app.views.theme import Theme
from app.views.widgets.painting import saved

from .items import pen_of
from .marks import Band, Bars, Level, Line, Mark, Spots, Strokes

#: Length of a sample, and the gaps beside it and between two entries, in pixels.
SAMPLE, GAP, BETWEEN = 26.0, 5.0, 12.0
#: A value has room for so much, so that the next entry stays where it is.
ROOM = "−0.0000e-4"
LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


def width_of(mark: Mark, metrics: QFontMetricsF) -> float:
    """Return the width of a mark's entry."""
    words = metrics.horizontalAdvance(f"{mark.name} " if mark.value else mark.name)
    value = max(metrics.horizontalAdvance(mark.value), metrics.horizontalAdvance(ROOM)) if mark.value else 0.0
    return SAMPLE + GAP + words + value


def column(marks: Sequence[Mark], metrics: QFontMetricsF, most: float) -> list[QRectF]:
    """Return the boxes of the entries, one below the other, `most` pixels high."""
    wide, high = max((width_of(mark, metrics) for mark in marks), default=0.0), metrics.lineSpacing()
    return [QRectF(0, number * high, wide, high) for number in range(len(marks)) if (number + 1) * high <= most]


def flow(marks: Sequence[Mark], title: str, metrics: QFontMetricsF, width: float) -> list[QRectF]:
    """Return the boxes of the marks' entries, from the upper left corner of the legend; `title` stands before them."""
    boxes, x, y, high = [], 0.0, 0.0, metrics.lineSpacing() + 2.0
    if title:
        x = metrics.horizontalAdvance(title) + BETWEEN
    for mark in marks:
        wide = width_of(mark, metrics)
        if x > 0 and x + wide > width:
            x, y = 0.0, y + high
        boxes.append(QRectF(x, y, min(wide, width), high))
        x += wide + BETWEEN
    return boxes


def paint_legend(
    painter: QPainter, corner: QPointF, marks: Sequence[Mark], boxes: Sequence[QRectF], title: str, theme: Theme
) -> None:
    """Paint what `flow` has laid out, its upper left corner at `corner`."""
    metrics = QFontMetricsF(painter.font())
    ink, faint = QColor(*theme.ink), QColor(*theme.faint)
    if title:
        painter.setPen(ink)
        wide = metrics.horizontalAdvance(title) + 2
        painter.drawText(QRectF(corner.x(), corner.y(), wide, metrics.lineSpacing() + 2), LEFT, title)
    for mark, box in zip(marks, boxes, strict=False):
        at = box.translated(corner)
        draw_sample(painter, mark, QRectF(at.left(), at.top(), SAMPLE, at.height()), theme)
        left = at.left() + SAMPLE + GAP
        room = at.right() - left
        painter.setPen(faint if mark.value else ink)
        if mark.value:
            room -= metrics.horizontalAdvance(mark.value) + 1
        label = mark.name
        if metrics.horizontalAdvance(label) > room + 1:
            label = metrics.elidedText(label, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(left, at.top(), room + 2, at.height()), LEFT, label)
        if mark.value:
            left += metrics.horizontalAdvance(f"{label} ")
            painter.setPen(ink)
            painter.drawText(QRectF(left, at.top(), at.right() - left + 40, at.height()), LEFT, mark.value)


def draw_sample(painter: QPainter, mark: Mark, box: QRectF, theme: Theme) -> None:
    """Paint a piece of `mark` in `box`."""
    middle, colour = box.center(), QColor(*mark.colour)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(mark, Line | Level):
            ends = np.array([box.left(), box.right()]), np.array([middle.y(), middle.y()])
            draw_line(painter, *ends, pen_of(mark.colour, mark.width, cosmetic=False), box, mark.dash)
            if isinstance(mark, Line) and mark.sign:
                _sign(painter, mark.sign, mark.sign_size, middle, theme, QBrush(colour))
        elif isinstance(mark, Spots):
            brush = QBrush(Qt.BrushStyle.NoBrush) if mark.hollow else QBrush(colour)
            _sign(painter, mark.sign, min(mark.size, 14.0), middle, theme, brush, mark)
        elif isinstance(mark, Strokes):
            for dx in (4, 10, 13, 20):
                painter.fillRect(QRectF(round(box.left()) + dx, round(middle.y()) - 3, 1, 6), colour)
        elif isinstance(mark, Bars):
            painter.fillRect(QRectF(middle.x() - 6, middle.y() - 5, 12, 10), mark.brushes[0])
        elif isinstance(mark, Band):
            colour.setAlpha(mark.opacity)
            painter.fillRect(box.adjusted(0, 4, 0, -4), colour)


def _sign(
    painter: QPainter, sign: str, size: float, at: QPointF, theme: Theme, brush: QBrush, spots: Spots | None = None
) -> None:
    painter.translate(at)
    edge = theme.background if spots is None else spots.edge or spots.colour
    drawSymbol(painter, sign, size, pen_of(edge, 1.0 if spots is None else spots.edge_width), brush)
