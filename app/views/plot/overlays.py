"""Overlays: what features draw between the surface and the points of a picture, and over the points of one lane."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from app.engine.overlays import Hatch, Lines, LineStyle, Sheet, Specks
from app.scene.feature import FeatureTable
from app.scene.model import LaneScene, Scene
from app.views.theme import Theme
from solver import Grid

from .lines import dashed, draw_on_any, draws_shapes, pieces_in
from .picture import in_sight, sample_at
from .symbol_painting import Cloud, kinds_of, on_screen, rectangle_on_screen
from .symbols import POINT

T = TypeVar("T")
#: Distance between two stripes of the same colour in a hatching (pixels).
STRIPES = 8
#: Opacity of faint lines (0 to 255).
FAINT = 70


def paint_sheets(
    painter: QPainter,
    sheets: tuple[Sheet, ...],
    corners: QRectF,
    area: QRectF,
    visible: QRectF,
    theme: Theme,
    ratio: float,
    weight: float = 1.0,
) -> None:
    """Paint `sheets` on `area`, in the painter's pixels; `area` shows the rectangle `corners` of the plane.

    Only the part `visible` of the area is painted.  Lines are `weight` times as wide as their styles specify.
    """
    for sheet in sheets:
        if isinstance(sheet, Hatch):
            _paint_hatch(painter, sheet, corners, area, visible, theme, ratio * weight)
        elif isinstance(sheet, Lines):
            _paint_lines(painter, sheet, corners, area, visible, theme, ratio * weight)
        else:
            _paint_specks(painter, sheet, corners, area, theme, ratio)


def pens_of(style: LineStyle, theme: Theme, width: float) -> list[QPen]:
    """Return the pens of a style, the lowest first."""
    if style.faint:
        return [QPen(QColor(*theme.ink, FAINT), width)]
    colour = theme.accent if style.accent else theme.ink
    return [QPen(QColor(*theme.background, 220), width + 2.0), QPen(QColor(*colour), width)]


def _paint_lines(
    painter: QPainter, sheet: Lines, corners: QRectF, area: QRectF, visible: QRectF, theme: Theme, ratio: float
) -> None:
    if not len(sheet.xy):
        return
    style, dashes = sheet.style, sheet.style.dashes
    width = style.width * ratio
    x, y = on_screen(sheet.xy, corners, area)
    pieces = pieces_in(x, y, visible) if dashes is None else dashed(x, y, dashes[0] * width, dashes[1] * width, visible)
    # Faint lines have thousands of segments: antialiasing takes 13 ms and is invisible.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not style.faint)
    for pen in pens_of(style, theme, width):
        # Square caps join segments where a line bends; on faint lines they would be dots at every vertex.
        square = dashes is None and not style.faint
        pen.setCapStyle(Qt.PenCapStyle.SquareCap if square else Qt.PenCapStyle.FlatCap)
        draw_on_any(painter, pieces, pen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_hatch(
    painter: QPainter, sheet: Hatch, corners: QRectF, area: QRectF, visible: QRectF, theme: Theme, ratio: float
) -> None:
    target = rectangle_on_screen(sheet.grid, corners, area)
    left, top = round(target.left()), round(target.top())
    width, height = max(1, round(target.width())), max(1, round(target.height()))
    part = in_sight(QRectF(left, top, width, height), visible)
    if not part.isEmpty():
        inside = (part.left() - left, part.top() - top, part.width(), part.height())
        image = hatched(sheet, width, height, inside, theme, max(2, round(STRIPES * ratio)))
        painter.drawImage(part.topLeft(), image)


@lru_cache(maxsize=4)
def hatched(
    sheet: Hatch, width: int, height: int, inside: tuple[int, int, int, int], theme: Theme, period: int
) -> QImage:
    """Return the marked area in stripes of dark and light, with the rest transparent.

    Parameters
    ----------
    sheet : Hatch
    width, height : int
        Pixels over which the whole mask is stretched.
    inside : (left, top, width, height)
        The part of these pixels that the image covers.
    theme : Theme
    period : int
        Distance between two stripes of a colour (pixels).
    """
    left, top, columns, rows = inside
    h, w = sheet.mask.shape
    row = sample_at(range(top, top + rows), 0.0, height, h)
    column = sample_at(range(left, left + columns), 0.0, width, w)
    mask = sheet.mask.take(column, axis=1).take(row, axis=0)
    colours = np.zeros(period, dtype=np.uint32)
    stripe = max(1, period // 4)
    colours[:stripe] = _premultiplied(theme.ink, 235)
    colours[stripe : 2 * stripe] = _premultiplied(theme.background, 200)
    # Each row is the one above, shifted by one pixel.
    line = colours[(np.arange(rows + columns - 1) + (left + top) % period) % period]
    pixels = np.where(mask, np.lib.stride_tricks.sliding_window_view(line, columns), np.uint32(0))
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied).copy()


def _premultiplied(colour: tuple[int, int, int], alpha: int) -> int:
    red, green, blue = (part * alpha // 255 for part in colour)
    return alpha << 24 | red << 16 | green << 8 | blue


def _paint_specks(painter: QPainter, sheet: Specks, corners: QRectF, area: QRectF, theme: Theme, ratio: float) -> None:
    cloud = Cloud()
    cloud.show(sheet.xy, kinds_of(sheet.kinds)[sheet.kind])
    size = round(0.8 * POINT)
    if draws_shapes(painter):
        cloud.paint_vectors(painter, corners, area, theme, size, 2.0)
    else:
        cloud.paint(painter, corners, area, theme, size, ratio)


class LaidLayer(Generic[T]):
    """A layer whose overlay `laid` is laid out again only when what it is made of changes."""

    laid: T | None = None
    _made_of: object = None

    def renew(self, made_of: object, make: Callable[[], T | None]) -> bool:
        """Make the overlay anew if `made_of` (None: no overlay) has changed; return whether it has."""
        if made_of == self._made_of:
            return False
        self._made_of, self.laid = made_of, None if made_of is None else make()
        return True


class LaneOverlays:
    """One layer of each feature that has one; the first is on top."""

    def __init__(self, features: FeatureTable) -> None:
        self.layers = [kind() for kind in features.views("overlay")]

    def lay(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont, hovering: bool) -> list[QRect]:
        """Lay all out for `area`, which shows `grid`; return the rectangles to repaint.

        `hovering` is True if the pointer itself is over this picture.
        """
        return [part for layer in self.layers for part in layer.lay(scene, lane, grid, area, font, hovering)]

    def paint(self, painter: QPainter, theme: Theme, rect: QRectF) -> None:
        """Paint the part in `rect`."""
        for layer in reversed(self.layers):
            if layer.laid is not None:
                layer.laid.paint(painter, theme, rect)
