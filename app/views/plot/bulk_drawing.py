"""Bulk drawing: paint many lines, or many parts of a pixmap, from the rows of an array in one call of Qt.

pyqtgraph's `PrimitiveArray` passes an array to Qt without an object for each row.  It is a private class: with a
version of pyqtgraph that lacks it, the objects are made one by one, which paints the same pixels in more time.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter, QPixmap

from solver.core.arrays import Array

try:
    from pyqtgraph.Qt.internals import PrimitiveArray
except ImportError:
    PrimitiveArray = None

#: Number of lines up to which they are drawn one by one: making an array for Qt takes longer.
FEW = 4
#: Number of fragments passed to Qt at once: they fit into the cache of a processor.
PIECE = 2048


def draw_lines(painter: QPainter, ends: Array) -> None:
    """Draw straight lines with the painter's pen.

    Parameters
    ----------
    painter : QPainter
    ends : ndarray of shape (n, 4)
        Rows x1, y1, x2, y2.
    """
    if PrimitiveArray is None or len(ends) <= FEW:
        for line in ends.tolist():
            painter.drawLine(QLineF(*line))
    else:
        lines = _filled(QLineF, ends)
        painter.drawLines(*lines.drawargs())


def draw_fragments(painter: QPainter, fragments: Array, pixmap: QPixmap) -> None:
    """Draw parts of `pixmap`.

    Parameters
    ----------
    painter : QPainter
    fragments : ndarray of shape (n, 10)
        Rows x, y (centre of the target), left, top, width, height (in the pixmap), two scales, rotation (degrees),
        opacity: the fields of ``QPainter.PixmapFragment``.
    pixmap : QPixmap
    """
    if PrimitiveArray is None:
        for x, y, left, top, width, height, *rest in fragments.tolist():
            part = QPainter.PixmapFragment.create(QPointF(x, y), QRectF(left, top, width, height), *rest)
            painter.drawPixmapFragments(part, 1, pixmap)
    else:
        for first in range(0, len(fragments), PIECE):
            parts = _filled(QPainter.PixmapFragment, fragments[first : first + PIECE])
            painter.drawPixmapFragments(*parts.drawargs(), pixmap)  # type: ignore[call-arg]


def _filled(kind: type, rows: Array) -> Any:
    """Return a `PrimitiveArray` of Qt's class `kind` with the given rows; its `drawargs` point into it."""
    primitives = PrimitiveArray(kind, rows.shape[1])
    primitives.resize(len(rows))
    primitives.ndarray()[:] = rows
    return primitives
