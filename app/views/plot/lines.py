"""Lines: polylines on screen: dashes that stay where they are whatever part of a picture is painted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QPainter, QPen

Array = NDArray[np.float64]
#: No piece of a line between two vertices is longer, in pixels of its picture: `shading` leaves out 7 in a row.
LONGEST = 24


def draw_pieces(painter: QPainter, ends: Array, pen: QPen) -> None:
    """Draw straight pieces, ``x1, y1, x2, y2`` each, in an eighth of the time that Qt takes for polylines."""
    if len(ends):
        pieces = PrimitiveArray(QLineF, 4)
        pieces.resize(len(ends))
        pieces.ndarray()[:] = ends
        painter.setPen(pen)
        painter.drawLines(*pieces.drawargs())


def pieces_of(x: Array, y: Array) -> Array:
    """The straight pieces of polylines parted by NaN, shape (m, 4)."""
    ends = np.column_stack((x[:-1], y[:-1], x[1:], y[1:]))
    return ends[np.isfinite(ends).all(axis=1)]


def draw_line(painter: QPainter, x: Array, y: Array, pen: QPen, dashes: tuple[float, float] | None = None) -> None:
    """Draw polylines, parted by NaN; `dashes` are the lengths of a dash and of a gap."""
    pen = QPen(pen)
    # Square ends join where the line turns; dashes end where they should.
    pen.setCapStyle(Qt.PenCapStyle.SquareCap if dashes is None else Qt.PenCapStyle.FlatCap)
    draw_pieces(painter, pieces_of(x, y) if dashes is None else dashed(x, y, *dashes), pen)


def near(pieces: Array, height: int, width: float) -> Array:
    """Those of the pieces, shape (m, 4), of which an image with rows 0 to `height` shows something."""
    y, reach = pieces[:, 1::2], width + LONGEST
    seen: Array = pieces[(y.max(axis=1) > -reach) & (y.min(axis=1) < height + reach)]
    return seen


def dashed(x: Array, y: Array, on: float, off: float) -> Array:
    """Polylines, parted by NaN, cut into dashes of length `on` and gaps of length `off`: straight pieces, shape (m, 4).

    Qt's own dashes are counted from where a line enters the painted part, so those of two strips would not meet.
    """
    ends, period = pieces_of(x, y), on + off
    if not len(ends):
        return ends
    # How far along its own line each piece begins: a line begins where no piece ends.
    joined = np.concatenate(([False], (ends[1:, :2] == ends[:-1, 2:]).all(axis=1)))
    length = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1])
    total = length.cumsum()
    begin = total - length
    first = np.maximum.accumulate(np.where(joined, 0, np.arange(len(ends))))
    begin -= begin[first]
    # Each dash that has a part of a piece becomes one of its own.
    dash, last = np.floor(begin / period), np.floor((begin + length) / period)
    count = (last - dash).astype(np.intp) + 1
    piece = np.repeat(np.arange(len(ends)), count)
    start = (dash[piece] + np.arange(len(piece)) - np.repeat(count.cumsum() - count, count)) * period
    low = np.maximum(start, begin[piece]) - begin[piece]
    high = np.minimum(start + on, begin[piece] + length[piece]) - begin[piece]
    drawn = high > low
    piece, low, high = piece[drawn], low[drawn], high[drawn]
    corner, way = ends[piece, :2], (ends[piece, 2:] - ends[piece, :2]) / length[piece, None]
    return np.concatenate((corner + low[:, None] * way, corner + high[:, None] * way), axis=1)
