"""Items: the marks of a chart as items of pyqtgraph's, which get new numbers in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.engine.shading import RGB
from app.views.plot.lines import draw_line, draw_pieces, pieces_in
from app.views.theme import Theme
from app.views.widgets.painting import saved
from solver.core.arrays import Array

from .axis import Axis
from .marks import Band, Bars, Cells, Dash, Level, Line, Mark, Region, Spots, Strokes, Texts

#: Values for each pixel of width from which a line is thinned to the least and the largest in each.
DENSE = 3
#: A line that goes up and down by so many times its width is drawn with a pen of one pixel, which Qt fills at once.
WILD = 6.0


def pen_of(colour: RGB, width: float, dash: Dash = None, *, cosmetic: bool = True) -> QPen:
    """Return a pen of so many pixels; not `cosmetic` where one draws in pixels, or it is thinner in fine pictures."""
    pen = QPen(QColor(*colour), width)
    pen.setCosmetic(cosmetic)
    if dash is not None:
        pen.setDashPattern([each / width for each in dash])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def item_of(mark: Mark) -> Any:
    """Return an item for marks of this kind; ``item.display(mark, x, y, theme)`` gives it one."""
    return _ITEMS[type(mark)]()


class _PixelItem(pg.GraphicsObject):
    """Draws in pixels, over what the chart displays."""

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()

    def boundingRect(self) -> QRectF:
        box = self.getViewBox()
        return QRectF() if box is None else QRectF(box.viewRect())

    def display(self, mark: Any, x: Axis, y: Axis, theme: Theme) -> None:
        """Draw `mark`."""
        self._mark, self._x, self._y = mark, x, y
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        to = painter.worldTransform()
        seen = to.mapRect(self.boundingRect())
        with saved(painter):
            painter.resetTransform()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.draw(painter, to, seen)

    def draw(self, painter: QPainter, to: Any, seen: QRectF) -> None:
        """Paint in pixels; `to` leads from places to them."""
        raise NotImplementedError


class LineItem(_PixelItem):
    """A line, with dashes that stay where they are."""

    def __init__(self) -> None:
        super().__init__()
        self.setCacheMode(self.CacheMode.DeviceCoordinateCache)  # what moves over it does not draw it anew
        self._signs = pg.ScatterPlotItem(pxMode=True)
        self._signs.setParentItem(self)

    def display(self, mark: Line, x: Axis, y: Axis, theme: Theme) -> None:
        super().display(mark, x, y, theme)
        self._at = x.place(mark.x), y.place(mark.y)
        signs = np.asarray(mark.signs, dtype=np.intp) if mark.sign else np.empty(0, dtype=np.intp)
        edge = pen_of(theme.background, 1.0)
        across, up = (each[signs] for each in self._at)
        fine = np.isfinite(across) & np.isfinite(up)
        brush = pg.mkBrush(*mark.colour)
        self._signs.setData(across[fine], up[fine], symbol=mark.sign or "o", size=mark.sign_size, brush=brush, pen=edge)

    def draw(self, painter: QPainter, to: Any, seen: QRectF) -> None:
        x, y = self._at[0] * to.m11() + to.dx(), self._at[1] * to.m22() + to.dy()
        mark = self._mark
        if len(x) > DENSE * max(seen.width(), 1.0):
            x, y = thinned(x, y)
        length = float(np.nansum(np.abs(np.diff(y)))) if len(x) > 200 else 0.0
        if length > WILD * seen.width():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            draw_pieces(painter, pieces_in(x, y, seen), pen_of(mark.colour, 1.0))
        else:
            draw_line(painter, x, y, pen_of(mark.colour, mark.width, cosmetic=False), seen, mark.dash)


def thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the first, least, largest and last value in each column of pixels; what is drawn is the same."""
    fine = np.isfinite(x) & np.isfinite(y)
    x, y = x[fine], y[fine]
    if not len(x):
        return x, y
    first = np.flatnonzero(np.diff(np.floor(x), prepend=np.nan))
    last = np.append(first[1:], len(x)) - 1
    four = y[first], np.minimum.reduceat(y, first), np.maximum.reduceat(y, first), y[last]
    middle = 0.5 * (x[first] + x[last])
    return np.column_stack((x[first], middle, middle, x[last])).ravel(), np.column_stack(four).ravel()


class StrokesItem(_PixelItem):
    """Upright pieces, on whole pixels."""

    def draw(self, painter: QPainter, to: Any, seen: QRectF) -> None:
        mark, painted = self._mark, QPainter.RenderHint.Antialiasing
        x = np.floor(self._x.place(mark.x) * to.m11() + to.dx() + mark.aside) + 0.5
        if mark.foot:
            low, high = np.full(len(x), seen.bottom()), np.full(len(x), seen.bottom() - mark.foot)
            x, kept = np.unique(x, return_index=True)
            low, high = low[kept], high[kept]
        else:
            low, high = (self._y.place(each) * to.m22() + to.dy() for each in (mark.low, mark.high))
        painter.setRenderHint(painted, mark.width > 1.0)
        ends = np.column_stack((x, low, x, high))
        draw_pieces(painter, ends[np.isfinite(ends).all(axis=1)], pen_of(mark.colour, mark.width, cosmetic=False))


class BandItem(pg.PlotCurveItem):
    """The ground between two lines."""

    def display(self, mark: Band, x: Axis, y: Axis, theme: Theme) -> None:
        """Draw `mark`."""
        across, low, high = x.place(mark.x), y.place(mark.low), y.place(mark.high)
        fine = np.isfinite(across) & np.isfinite(low) & np.isfinite(high)
        there_and_back = np.append(across[fine], across[fine][::-1])
        up = np.append(high[fine], low[fine][::-1])
        self.setData(there_and_back, up, pen=None, brush=pg.mkBrush(*mark.colour, mark.opacity), fillLevel="enclosed")


class LevelItem(pg.InfiniteLine):
    """A straight line over all."""

    def display(self, mark: Level, x: Axis, y: Axis, theme: Theme) -> None:
        """Draw `mark`."""
        self.setAngle(90 if mark.upright else 0)
        place = float((x if mark.upright else y).place(mark.at))
        self.setVisible(bool(np.isfinite(place)))
        self.setValue(place if np.isfinite(place) else 0.0)
        self.setPen(pen_of(mark.colour, mark.width, mark.dash))
        self.setZValue(5 if mark.over else 0)


class RegionItem(pg.LinearRegionItem):
    """The ground from one x to another."""

    def __init__(self) -> None:
        super().__init__(movable=False, pen=pg.mkPen(None))

    def display(self, mark: Region, x: Axis, y: Axis, theme: Theme) -> None:
        """Draw `mark`."""
        self.setRegion([float(x.place(mark.low)), float(x.place(mark.high))])
        self.setBrush(pg.mkBrush(*mark.colour, mark.opacity))
        self.setZValue(-5)


class SpotsItem(pg.ScatterPlotItem):
    """Signs at places."""

    def display(self, mark: Spots, x: Axis, y: Axis, theme: Theme) -> None:
        """Draw `mark`."""
        across, up = x.place(mark.x), y.place(mark.y)
        fine = np.isfinite(across) & np.isfinite(up)
        brush = pg.mkBrush(None) if mark.hollow else pg.mkBrush(*mark.colour)
        edge = mark.edge or (mark.colour if mark.hollow else None)
        pen = pg.mkPen(None) if edge is None else pen_of(edge, mark.edge_width)
        self.setData(across[fine], up[fine], symbol=mark.sign, size=mark.size, brush=brush, pen=pen)


class BarsItem(_PixelItem):
    """Bars with patterns, each on whole pixels."""

    def display(self, mark: Bars, x: Axis, y: Axis, theme: Theme) -> None:
        super().display(mark, x, y, theme)
        self._at = x.place(mark.left), x.place(mark.right), y.place(mark.height)

    def draw(self, painter: QPainter, to: Any, seen: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        mark, ground = self._mark, round(to.dy())
        left, right = (np.round(each * to.m11() + to.dx()).astype(int) for each in self._at[:2])
        tall = np.where(self._at[2] > 0, np.maximum(np.round(-self._at[2] * to.m22()), 1), 0).astype(int)  # 0 is none
        painter.setPen(Qt.PenStyle.NoPen)
        for at in np.flatnonzero(tall).tolist():
            box = QRectF(left[at], ground - tall[at], max(right[at] - left[at], 1), tall[at])
            painter.setBrushOrigin(QPointF(0, ground))
            painter.fillRect(box, mark.brushes[at])
            if mark.edges:
                painter.setPen(QPen(QColor(*mark.edges[at]), 1))
                painter.drawRect(box.adjusted(0, 0, -1, -1))


class CellsItem(pg.ImageItem):
    """Coloured cells."""

    def __init__(self) -> None:
        super().__init__(axisOrder="row-major")

    def display(self, mark: Cells, x: Axis, y: Axis, theme: Theme) -> None:
        """Draw `mark`."""
        rows, columns = mark.pixels.shape
        self.setImage(rgba(mark.pixels), autoLevels=False, levels=None)
        self.setRect(QRectF(-0.5, -0.5, columns, rows))


def rgba(pixels: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """0xaarrggbb as four bytes."""
    parts = [(pixels >> np.uint32(shift)) & np.uint32(255) for shift in (16, 8, 0, 24)]
    return np.stack(parts, axis=-1).astype(np.uint8)


class TextsItem(_PixelItem):
    """Texts at places."""

    def display(self, mark: Texts, x: Axis, y: Axis, theme: Theme) -> None:
        super().display(mark, x, y, theme)
        self._at = x.place(mark.x), y.place(mark.y)

    def draw(self, painter: QPainter, to: Any, seen: QRectF) -> None:
        mark = self._mark
        view = self.getViewWidget()
        if view is not None:
            painter.setFont(view.font())
        metrics = painter.fontMetrics()
        widest = max(map(metrics.horizontalAdvance, mark.texts), default=0) if mark.in_cells else -np.inf
        if widest + 6 > to.m11() or (mark.in_cells and metrics.height() + 2 > abs(to.m22())):
            return
        for number, text in enumerate(mark.texts):
            box = QRectF(0, 0, metrics.horizontalAdvance(text) + 2, metrics.height())
            at = QPointF(self._at[0][number] * to.m11() + to.dx(), self._at[1][number] * to.m22() + to.dy())
            box.moveTopLeft(at - QPointF(mark.anchor[0] * box.width(), mark.anchor[1] * box.height()))
            if not mark.in_cells:
                box.moveLeft(min(max(box.left(), seen.left() + 1), max(seen.right() - box.width() - 1, seen.left())))
            if mark.plate is not None:
                painter.fillRect(box, QColor(*mark.plate))
            painter.setPen(QColor(*(mark.colours[number] if mark.colours else mark.colour)))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


_ITEMS: dict[type[Mark], Any] = {
    Line: LineItem,
    Band: BandItem,
    Level: LevelItem,
    Region: RegionItem,
    Strokes: StrokesItem,
    Spots: SpotsItem,
    Bars: BarsItem,
    Cells: CellsItem,
    Texts: TextsItem,
}
