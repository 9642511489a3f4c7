"""Layers: everything inside the axes of a plot (surface, lines, points, marks), painted in one go in screen pixels.

One item instead of a dozen of pyqtgraph's: a picture at full resolution is copied pixel by pixel instead of being
transformed, and all points and marks are one call.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.jobs.requests import Marks, Picture
from app.scene import Scene
from app.views.theme import Theme
from solver import Grid

from . import symbols

#: Cells of the symbol atlas: the eight classes, then these marks.
MARKS = ("bounded", "free", "wrong")
CLASSES = 8


class Layers(pg.GraphicsObject):
    """The inside of a plot."""

    def __init__(self) -> None:
        super().__init__()
        self._view = Grid(0.0, 1.0, 0.0, 1.0, 1, 1)
        self._theme: Theme | None = None
        self._image: QImage | None = None
        self._pixels: np.ndarray | None = None
        self._picture: Picture | None = None
        self._xy = np.empty((0, 2))
        self._cells = np.empty(0, dtype=np.intp)
        self._atlas = QPixmap()
        self._atlas_key: tuple[object, ...] = ()
        self._cell = 0
        self._pens: tuple[QPen, QPen] = (QPen(), QPen())

    # -- what to draw ----------------------------------------------------------------------------------------------

    def show_view(self, view: Grid) -> None:
        """The part of the plane on screen, a sample per device pixel."""
        self.prepareGeometryChange()
        self._view = view

    def show_theme(self, theme: Theme) -> None:
        """Colours of lines and symbols."""
        self._theme = theme
        margin = symbols.line_pen(theme, 1.3)
        margin.setDashPattern([5, 4])
        self._pens = (symbols.line_pen(theme, 2.0), margin)

    def show_picture(self, picture: Picture | None) -> None:
        """Surface and lines; None for neither."""
        self._picture = picture
        if picture is None:
            self._image = self._pixels = None
        else:
            height, width = picture.argb.shape
            self._pixels = picture.argb  # QImage does not keep its memory alive
            self._image = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)

    def show_points(self, scene: Scene, marks: Marks) -> None:
        """Points and their marks; marks lie on top."""
        chosen = (marks.bounded, marks.free, marks.wrong)
        self._xy = np.concatenate([scene.xy, *(scene.xy[index] for index in chosen)])
        labels = [scene.labels.astype(np.intp), *(np.full(len(c), CLASSES + m) for m, c in enumerate(chosen))]
        self._cells = np.concatenate(labels)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def boundingRect(self) -> QRectF:
        view = self._view
        return QRectF(view.left, view.bottom, view.right - view.left, view.top - view.bottom)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if self._theme is None:
            return
        area = painter.worldTransform().mapRect(self.boundingRect())
        ratio = painter.device().devicePixelRatio()
        painter.save()
        painter.resetTransform()
        if self._picture is not None and self._image is not None:
            self._paint_surface(painter, area, ratio)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for lines, pen in zip((self._picture.boundary, self._picture.margins), self._pens, strict=True):
                if len(lines):
                    painter.setPen(pen)
                    x, y = self._on_screen(lines, area)
                    painter.drawPath(pg.arrayToQPath(x, y, connect="finite"))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if len(self._xy):
            self._paint_symbols(painter, area, ratio)
        painter.restore()

    def _on_screen(self, xy: np.ndarray, area: QRectF) -> tuple[np.ndarray, np.ndarray]:
        view = self._view
        x = area.left() + (xy[:, 0] - view.left) * (area.width() / (view.right - view.left))
        y = area.bottom() - (xy[:, 1] - view.bottom) * (area.height() / (view.top - view.bottom))
        return x, y

    def _paint_surface(self, painter: QPainter, area: QRectF, ratio: float) -> None:
        assert self._picture is not None and self._image is not None
        grid = self._picture.grid
        corners = np.array([[grid.left, grid.top], [grid.right, grid.bottom]])
        x, y = self._on_screen(corners, area)
        width, height = x[1] - x[0], y[1] - y[0]
        exact = abs(width * ratio - grid.width) < 0.01 and abs(height * ratio - grid.height) < 0.01
        if exact and max(abs(x[0] - round(x[0])), abs(y[0] - round(y[0]))) < 0.01:
            self._image.setDevicePixelRatio(ratio)
            painter.drawImage(QPointF(round(x[0]), round(y[0])), self._image)
        else:  # coarse, or of another view: each sample is a block, never blurred
            self._image.setDevicePixelRatio(1.0)
            painter.drawImage(QRectF(x[0], y[0], width, height), self._image)

    def _paint_symbols(self, painter: QPainter, area: QRectF, ratio: float) -> None:
        size = symbols.POINT if len(self._xy) <= 4000 else 7 if len(self._xy) <= 30_000 else 4
        self._make_atlas(size, ratio)
        x, y = self._on_screen(self._xy, area)
        margin = self._cell
        inside = (x > area.left() - margin) & (x < area.right() + margin)
        inside &= (y > area.top() - margin) & (y < area.bottom() + margin)
        count = int(inside.sum())
        if not count:
            return
        fragments = PrimitiveArray(QPainter.PixmapFragment, 10)
        fragments.resize(count)
        cell = self._cell * ratio
        table = fragments.ndarray()
        # The middle of a symbol is the middle of the pixel it stands on.
        table[:, 0] = np.floor(x[inside]) + 0.5
        table[:, 1] = np.floor(y[inside]) + 0.5
        table[:, 2] = self._cells[inside] * cell
        table[:, 3] = 0.0
        table[:, 4] = table[:, 5] = cell
        table[:, 6] = table[:, 7] = 1.0 / ratio
        table[:, 8], table[:, 9] = 0.0, 1.0
        painter.drawPixmapFragments(*fragments.drawargs(), self._atlas)  # type: ignore[call-arg]

    def _make_atlas(self, size: int, ratio: float) -> None:
        key = (self._theme, size, ratio)
        if key == self._atlas_key:
            return
        assert self._theme is not None
        self._atlas_key = key
        # An odd cell has a middle pixel.
        self._cell = 27 if size == symbols.POINT else 17
        pixmap = QPixmap(round(self._cell * (CLASSES + len(MARKS)) * ratio), round(self._cell * ratio))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(ratio, ratio)
        scale = size / symbols.POINT
        for place, kind in enumerate([*map(str, range(CLASSES)), *MARKS]):
            painter.save()
            painter.translate((place + 0.5) * self._cell, 0.5 * self._cell)
            symbols.draw(painter, self._theme, kind, scale)
            painter.restore()
        painter.end()
        self._atlas = pixmap
