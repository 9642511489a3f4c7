"""Paint the picture of a lane wherever it is displayed: its surface, with the boundary and margins.

A surface consists of samples: each becomes a block of pixels, and only the visible ones are drawn.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QImage, QPainter

from app.engine.frames import Picture
from app.views.theme import Theme
from solver.core.arrays import Indices

from .lines import draw_line
from .symbol_painting import on_screen, rectangle_on_screen
from .symbols import line_pen

#: Widths of the boundary and of the margins; dash and gap of the margins in units of their width.
BOUNDARY, MARGIN, DASHES = 2.0, 1.3, (5.0, 4.0)


def paint_surface(painter: QPainter, picture: Picture, corners: QRectF, area: QRectF, visible: QRectF) -> None:
    """Paint the colours on `area`, which shows the rectangle `corners` of the plane, within `visible`."""
    draw_samples(painter, picture.argb, rectangle_on_screen(picture.grid, corners, area), visible)


def paint_lines(
    painter: QPainter,
    picture: Picture,
    corners: QRectF,
    area: QRectF,
    visible: QRectF,
    theme: Theme,
    ratio: float = 1.0,
    widths: tuple[float, float] = (BOUNDARY, MARGIN),
    dashes: tuple[float, float] = DASHES,
) -> None:
    """Paint boundary and margins, antialiased; widths are in units of `ratio` pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for lines, width, dashed in ((picture.boundary, widths[0], False), (picture.margins, widths[1], True)):
        if len(lines):
            width *= ratio
            x, y = on_screen(lines, corners, area)
            cut = (dashes[0] * width, dashes[1] * width) if dashed else None
            draw_line(painter, x, y, line_pen(theme, width), visible, cut)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def in_sight(target: QRectF, visible: QRectF) -> QRect:
    """Return the pixels of `visible` whose middles lie in `target`, which may be larger than any screen."""
    low = (max(target.left(), visible.left() - 1.0), max(target.top(), visible.top() - 1.0))
    high = (min(target.right(), visible.right() + 1.0), min(target.bottom(), visible.bottom() + 1.0))
    if not all(map(math.isfinite, low + high)) or high[0] < low[0] or high[1] < low[1]:
        return QRect()
    left, top, right, bottom = (math.ceil(side - 0.5) for side in low + high)
    return QRect(left, top, right - left, bottom - top)


def sample_at(pixels: range, begin: float, length: float, count: int) -> Indices:
    """Return the one of `count` samples, stretched over `length` pixels from `begin` at the middle of each pixel."""
    middles = np.arange(pixels.start, pixels.stop) + 0.5
    indices: Indices = np.clip(np.floor((middles - begin) * (count / length)), 0, count - 1).astype(np.intp)
    return indices


def draw_samples(painter: QPainter, argb: NDArray[np.uint32], target: QRectF, visible: QRectF) -> None:
    """Draw samples over `target` as blocks, never blurred: a pixel shows the sample at its middle.

    Qt's own scaling ends at some 30 000 pixels, and a picture of another view may be a million times as large.

    Parameters
    ----------
    painter : QPainter
    argb : ndarray of shape (height, width)
        Colours 0xffrrggbb; row 0 is at the top.
    target : QRectF
        In the painter's coordinates.
    visible : QRectF
        The part of `target` that is painted.
    """
    height, width = argb.shape
    exact = abs(target.width() - width) < 0.01 and abs(target.height() - height) < 0.01
    if exact and max(abs(target.x() - round(target.x())), abs(target.y() - round(target.y()))) < 0.01:
        painter.drawImage(QPointF(round(target.x()), round(target.y())), image_of(argb))
        return
    part = in_sight(target, visible)
    if not part.isEmpty():
        columns = sample_at(range(part.left(), part.right() + 1), target.x(), target.width(), width)
        rows = sample_at(range(part.top(), part.bottom() + 1), target.y(), target.height(), height)
        painter.drawImage(part.topLeft(), image_of(argb.take(columns, axis=1).take(rows, axis=0)))


def image_of(argb: NDArray[np.uint32]) -> QImage:
    """Return the image of these pixels, 0xffrrggbb; the array must outlive it."""
    height, width = argb.shape
    return QImage(argb.data, width, height, 4 * width, QImage.Format.Format_RGB32)
