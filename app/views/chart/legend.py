"""Legend: lay out the entries of a chart's marks, in as many lines as the width requires."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from .marks import Mark

#: Length of a sample, the gap beside it, and the gap between two entries (pixels).
SAMPLE, GAP, BETWEEN = 26.0, 5.0, 12.0
#: Widest value: its room is reserved, so that the next entry does not move when the value changes.
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
    """Return the boxes of the marks' entries, relative to the upper left corner of the legend; `title` comes first."""
    boxes, y, high = [], 0.0, metrics.lineSpacing() + 2.0
    x = metrics.horizontalAdvance(title) + BETWEEN if title else 0.0
    for mark in marks:
        wide = width_of(mark, metrics)
        if x > 0 and x + wide > width:
            x, y = 0.0, y + high
        boxes.append(QRectF(x, y, min(wide, width), high))
        x += wide + BETWEEN
    return boxes
