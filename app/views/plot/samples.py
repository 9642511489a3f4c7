"""Samples: stretches a picture of samples over a part of the screen: each a block, and only what is seen is drawn."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QImage, QPainter

Indices = NDArray[np.intp]


def in_sight(target: QRectF, seen: QRectF) -> QRect:
    """The whole pixels of `target`, which may be larger than any screen, that `seen` shows a part of."""
    part = target.intersected(seen)
    sides = (part.left(), part.top(), part.right(), part.bottom())
    if part.isEmpty() or not all(map(math.isfinite, sides)):
        return QRect()
    left, top, right, bottom = (math.floor(sides[0]), math.floor(sides[1]), math.ceil(sides[2]), math.ceil(sides[3]))
    return QRect(left, top, right - left, bottom - top)


def sample_at(pixels: range, begin: float, length: float, count: int) -> Indices:
    """Which of `count` samples, stretched over `length` pixels from `begin` on, lies at the middle of each pixel."""
    middles = np.arange(pixels.start, pixels.stop) + 0.5
    places: Indices = np.clip(np.floor((middles - begin) * (count / length)), 0, count - 1).astype(np.intp)
    return places


def draw_samples(painter: QPainter, image: QImage, target: QRectF, seen: QRectF) -> None:
    """Draw `image` over `target`, each of its pixels a block, never blurred.

    Of a picture that is stretched far beyond the screen only the samples in sight are handed to the painter, whose
    own arithmetic ends at some 30 000 pixels.

    Parameters
    ----------
    painter : QPainter
    image : QImage
    target : QRectF
        In the painter's coordinates.
    seen : QRectF
        The part of them that is painted.
    """
    x, y, width, height = target.x(), target.y(), target.width(), target.height()
    exact = abs(width - image.width()) < 0.01 and abs(height - image.height()) < 0.01
    if exact and max(abs(x - round(x)), abs(y - round(y))) < 0.01:
        painter.drawImage(QPointF(round(x), round(y)), image)
        return
    part = in_sight(target, seen)
    if part.isEmpty():
        return
    columns, rows = image.width() / width, image.height() / height  # samples per pixel
    left = max(math.floor((part.left() - x) * columns), 0)
    top = max(math.floor((part.top() - y) * rows), 0)
    right = min(math.ceil((part.right() + 1 - x) * columns), image.width())
    bottom = min(math.ceil((part.bottom() + 1 - y) * rows), image.height())
    source = QRect(left, top, right - left, bottom - top)
    place = QRectF(x + source.x() / columns, y + source.y() / rows, source.width() / columns, source.height() / rows)
    painter.drawImage(place, image, QRectF(source))
