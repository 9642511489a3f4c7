"""Lines: polylines on screen, with dashes that stay in place whatever part of a picture is painted.

All lines are clipped first: a line of an old picture may be a million times as long as the new view is wide, and
dashing the whole of it would take minutes and all memory.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPen

from solver import Grid
from solver.core.arrays import Array, Indices

from .bulk_drawing import draw_lines

#: Distance beyond the visible edge (pixels) at which lines are cut off: more than half the width of any line.
BEYOND = 24.0


def draw_pieces(painter: QPainter, ends: Array, pen: QPen) -> None:
    """Draw straight pieces, rows ``x1, y1, x2, y2``, in an eighth of the time that Qt takes for polylines."""
    painter.setPen(pen)
    draw_lines(painter, ends)


def pieces_of(x: Array, y: Array) -> Array:
    """Return the straight pieces of polylines separated by NaN, shape (m, 4)."""
    ends = np.column_stack((x[:-1], y[:-1], x[1:], y[1:]))
    return ends[np.isfinite(ends).all(axis=1)]


def pieces_in(x: Array, y: Array, visible: QRectF) -> Array:
    """Return the visible parts of the straight pieces, shape (m, 4)."""
    pieces = pieces_of(x, y)
    return pieces if _all_in(x, y, visible) else clipped(pieces, visible)[0]


def _all_in(x: Array, y: Array, visible: QRectF) -> bool:
    """Return whether the lines need no clipping, as in most pictures."""
    return len(x) == 0 or bool(
        np.fmin.reduce(x) >= visible.left() - BEYOND
        and np.fmax.reduce(x) <= visible.right() + BEYOND
        and np.fmin.reduce(y) >= visible.top() - BEYOND
        and np.fmax.reduce(y) <= visible.bottom() + BEYOND
    )


def draw_line(
    painter: QPainter, x: Array, y: Array, pen: QPen, visible: QRectF, dashes: tuple[float, float] | None = None
) -> None:
    """Draw the visible parts of polylines, separated by NaN.

    Parameters
    ----------
    painter : QPainter
    x, y : ndarray of shape (n,)
        In the painter's coordinates.
    pen : QPen
    visible : QRectF
        Rectangle that is painted; lines outside it take no time.
    dashes : (float, float), optional
        Lengths of a dash and of a gap.
    """
    pen = QPen(pen)
    # Square ends join where the line turns; dashes end where they should.
    pen.setCapStyle(Qt.PenCapStyle.SquareCap if dashes is None else Qt.PenCapStyle.FlatCap)
    draw_on_any(painter, pieces_in(x, y, visible) if dashes is None else dashed(x, y, *dashes, visible), pen)


def draws_shapes(painter: QPainter) -> bool:
    """Return whether `painter` draws shapes, as for SVG, not pixels."""
    return painter.paintEngine().type() in (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf, QPaintEngine.Type.Picture)


def draw_on_any(painter: QPainter, ends: Array, pen: QPen) -> None:
    """Draw straight pieces as `draw_pieces` does; on a device for shapes draw all of them as one shape."""
    if draws_shapes(painter):
        painter.setPen(pen)
        painter.drawPath(pg.arrayToQPath(*ends.reshape(-1, 2).T, connect="pairs"))
    else:
        draw_pieces(painter, ends, pen)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # infinite and NaN coordinates are dropped below
def clipped(pieces: Array, visible: QRectF) -> tuple[Array, Indices, Array]:
    """Return the parts of straight pieces that lie in `visible` or up to `BEYOND` pixels outside it.

    Each side of the rectangle cuts off a part of a piece (Liang and Barsky 1984).

    Parameters
    ----------
    pieces : ndarray of shape (m, 4)
    visible : QRectF

    Returns
    -------
    parts : ndarray of shape (k, 4)
    which : ndarray of shape (k,)
        Index of the piece of each part.
    skipped : ndarray of shape (k,)
        Share of the piece before the part, 0 to 1.
    """
    low = np.array([visible.left(), visible.top()]) - BEYOND
    high = np.array([visible.right(), visible.bottom()]) + BEYOND
    ends = pieces.reshape(-1, 2)
    if len(pieces) and (ends >= low).all() and (ends <= high).all():  # the usual case
        return pieces, np.arange(len(pieces)), np.zeros(len(pieces))
    start, way = pieces[:, :2], pieces[:, 2:] - pieces[:, :2]
    first, second = (low - start) / way, (high - start) / way
    still = way == 0.0
    within = (start >= low) & (start <= high)
    enter = np.where(still, np.where(within, -np.inf, np.inf), np.minimum(first, second)).max(axis=1, initial=0.0)
    leave = np.where(still, np.where(within, np.inf, -np.inf), np.maximum(first, second)).min(axis=1, initial=1.0)
    kept = np.flatnonzero(enter <= leave)
    a, b = enter[kept, None], leave[kept, None]
    parts: Array = np.concatenate((start[kept] + a * way[kept], start[kept] + b * way[kept]), axis=1)
    # Rounding of distant ends must not leave the rectangle, and no painter can draw a piece of infinite length.
    parts = np.clip(parts, np.tile(low, 2), np.tile(high, 2))
    sound = np.isfinite(parts).all(axis=1)
    return parts[sound], kept[sound], enter[kept][sound]


@np.errstate(invalid="ignore", over="ignore")
def dashed(x: Array, y: Array, on: float, off: float, visible: QRectF) -> Array:
    """Cut the visible parts of polylines, separated by NaN, into dashes of length `on` and gaps of length `off`.

    Return the dashes as straight pieces, shape (m, 4).  Qt counts its dashes from where a line enters the painted part,
    so those of two strips would not meet.
    """
    ends, period = pieces_of(x, y), on + off
    if not len(ends):
        return ends
    # Distance of each piece from the start of its line; a line starts where no piece ends.
    joined = np.concatenate(([False], (ends[1:, :2] == ends[:-1, 2:]).all(axis=1)))
    length = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1])
    total = length.cumsum()
    begin = total - length
    first = np.maximum.accumulate(np.where(joined, 0, np.arange(len(ends))))
    begin -= begin[first]
    if not _all_in(x, y, visible):
        ends, kept, skipped = clipped(ends, visible)
        # Counted from the last dash begun: for long lines the number of the dash would not be exact.
        begin = np.nan_to_num((begin[kept] + skipped * length[kept]) % period)
        length = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1])
    # Each dash that a piece contains a part of becomes a row.
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


def to_pixels(xy: Array, grid: Grid, area: QRectF) -> Array:
    """Return the pixels of `area`, which shows `grid`, for the locations `xy`, shape (n, 2)."""
    x = area.left() + (xy[:, 0] - grid.left) * (area.width() / (grid.right - grid.left))
    y = area.bottom() - (xy[:, 1] - grid.bottom) * (area.height() / (grid.top - grid.bottom))
    return np.column_stack((x, y))
