"""Legend: what the marks of a chart are, in as many lines as the width needs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.views.theme import Theme
from app.views.widgets.painting import saved

from .marks import Mark

#: Length of a sample, and the gaps beside it and between two entries, in pixels.
SAMPLE, GAP, BETWEEN = 26.0, 5.0, 12.0
#: A value has room for so much, so that the next entry stays where it is.
ROOM = "−0.0000e-4"
MIDDLE = Qt.AlignmentFlag.AlignVCenter
LEFT, RIGHT, CENTRE = (
    MIDDLE | each for each in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter)
)


def width_of(mark: Mark, metrics: QFontMetricsF) -> float:
    """Return the width of a mark's entry."""
    words, room = metrics.horizontalAdvance(mark.name), "100.0 %" if mark.value.endswith("%") else ROOM
    value = max(metrics.horizontalAdvance(f" {each}") for each in (mark.value, room)) if mark.value else 0.0
    return SAMPLE + GAP + words + value


def flow(marks: Sequence[Mark], title: str, metrics: QFontMetricsF, width: float) -> list[QRectF]:
    """Return the boxes of the marks' entries, from the upper left corner of the legend; `title` stands before them."""
    boxes, y, high = [], 0.0, metrics.lineSpacing() + 2.0
    x = metrics.horizontalAdvance(title) + BETWEEN if title else 0.0
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
    painter.setPen(ink)
    painter.drawText(QRectF(corner.x(), corner.y(), 1e4, metrics.lineSpacing() + 2), LEFT, title)
    for mark, box in zip(marks, boxes, strict=False):
        at = box.translated(corner)
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            mark.draw_sample(painter, QRectF(at.left(), at.top(), SAMPLE, at.height()), theme)
        at.setLeft(at.left() + SAMPLE + GAP)
        room = at.width() - (metrics.horizontalAdvance(mark.value) + 1 if mark.value else 0.0)
        label = metrics.elidedText(mark.name, Qt.TextElideMode.ElideRight, room + 2)
        painter.setPen(faint if mark.value else ink)
        painter.drawText(at.adjusted(0, 0, 2, 0), LEFT, label)
        at.setLeft(at.left() + metrics.horizontalAdvance(f"{label} "))
        painter.setPen(ink)
        painter.drawText(at.adjusted(0, 0, 40, 0), LEFT, mark.value)
