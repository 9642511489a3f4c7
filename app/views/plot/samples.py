"""Samples: stretches a picture of samples over a part of the screen: each a block, and only what is seen is drawn."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QImage, QPainter

from solver.core.arrays import Indices


def in_sight(target: QRectF, seen: QRectF) -> QRect:
    """The pixels of `seen` whose middles lie in `target`, which may be larger than any screen."""
    low = (max(target.left(), seen.left() - 1.0), max(target.top(), seen.top() - 1.0))
    high = (min(target.right(), seen.right() + 1.0), min(target.bottom(), seen.bottom() + 1.0))
    if not all(map(math.isfinite, low + high)) or high[0] < low[0] or high[1] < low[1]:
        return QRect()
    left, top, right, bottom = (math.ceil(side - 0.5) for side in low + high)
    return QRect(left, top, right - left, bottom - top)


def sample_at(pixels: range, begin: float, length: float, count: int) -> Indices:
    """Which of `count` samples, stretched over `length` pixels from `begin` on, lies at the middle of each pixel."""
    middles = np.arange(pixels.start, pixels.stop) + 0.5
    places: Indices = np.clip(np.floor((middles - begin) * (count / length)), 0, count - 1).astype(np.intp)
    return places


def draw_samples(painter: QPainter, argb: NDArray[np.uint32], target: QRectF, seen: QRectF) -> None:
    """Draw samples over `target`, each a block, never blurred: a pixel shows what lies at its middle.

    Qt's own stretching ends at some 30 000 pixels, and a picture of another view may be a million times as large.

    Parameters
    ----------
    painter : QPainter
    argb : ndarray of shape (height, width)
        Colours 0xffrrggbb; row 0 is the highest.
    target : QRectF
        In the painter's coordinates.
    seen : QRectF
        The part of them that is painted.
    """
    height, width = argb.shape
    exact = abs(target.width() - width) < 0.01 and abs(target.height() - height) < 0.01
    if exact and max(abs(target.x() - round(target.x())), abs(target.y() - round(target.y()))) < 0.01:
        painter.drawImage(QPointF(round(target.x()), round(target.y())), image_of(argb))
        return
    part = in_sight(target, seen)
    if not part.isEmpty():
        columns = sample_at(range(part.left(), part.right() + 1), target.x(), target.width(), width)
        rows = sample_at(range(part.top(), part.bottom() + 1), target.y(), target.height(), height)
        painter.drawImage(part.topLeft(), image_of(argb.take(columns, axis=1).take(rows, axis=0)))


def image_of(argb: NDArray[np.uint32]) -> QImage:
    """The image of these pixels, 0xffrrggbb, which must outlive it."""
    height, width = argb.shape
    return QImage(argb.data, width, height, 4 * width, QImage.Format.Format_RGB32)
