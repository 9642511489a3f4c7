"""Marks: the contents of a chart, as frozen values that paint themselves: lines, bands, bars, cells, texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.engine.frames import Picture
from app.engine.shading import RGB
from app.views.plot.lines import draw_line, draw_on_any, draw_pieces, draws_shapes, pieces_in
from app.views.plot.picture import draw_samples, paint_lines, paint_surface
from app.views.plot.symbols import POINT, cells, copy_cells
from app.views.theme import LIGHT, SYMBOLS, Theme
from app.views.widgets.painting import paint_with
from solver.core.arrays import Array

from .axis import ChartAxis

#: Lengths of a dash and of a gap (pixels); None for a solid line.
Dash = tuple[float, float] | None
SOLID, DASHED, DOTTED, LONG = None, (6.6, 4.4), (3.0, 3.0), (14.0, 4.0)
#: Dash patterns that distinguish several lines of one chart.
DASHES: tuple[Dash, ...] = (SOLID, (12.0, 5.0), (2.5, 3.0), (6.0, 2.5), (9.0, 3.0), (4.0, 6.0))
#: Number of values per pixel of width above which a line is thinned to the minimum and maximum of each pixel.
DENSE = 3
#: A line whose vertical extent adds up to more than this many widths is drawn one pixel wide, which Qt does fast.
WILD = 6.0
#: Width of a colour bar (pixels).
BAR = 14.0
#: Largest number of symbols painted as paths; more are painted as copies of one image.
FEW = 20


class ChartFrame(Struct, frozen=True):
    """The displayed part of the plane, with the transformation from values to pixels.

    Attributes
    ----------
    x, y : ChartAxis
    to : QTransform
        From axis positions to pixels.
    visible : QRectF
        The painted rectangle, in pixels.
    theme : Theme
    """

    x: ChartAxis
    y: ChartAxis
    to: QTransform
    visible: QRectF
    theme: Theme

    def across(self, values: ArrayLike) -> Array:
        """Return the pixels of values on the horizontal axis."""
        return self.x.positions(values) * self.to.m11() + self.to.dx()

    def up(self, values: ArrayLike) -> Array:
        """Return the pixels of values on the vertical axis."""
        return self.y.positions(values) * self.to.m22() + self.to.dy()


class Mark(Struct, frozen=True, eq=False, kw_only=True):
    """One kind of thing drawn in a chart.

    Attributes
    ----------
    colour : (int, int, int)
    name : str
        The name in the legend, in readings and in saved numbers; a mark without a name appears in none of them.
    value : str
        Text after the name in the legend.
    """

    colour: RGB = (0, 0, 0)
    name: str = ""
    value: str = ""

    def columns(self) -> dict[str, ArrayLike]:
        """Return the mark's numbers by column name, as they are saved."""
        return {}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        """Return the horizontal and vertical values that the axes have to include."""
        return (), ()

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        """Paint the mark, in pixels; `painter` is antialiased, unless the mark changes that."""
        raise NotImplementedError

    def draw_sample(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        """Paint a sample of the mark in `box`, for the legend; nothing for pictures and texts."""


def drawn_alike(first: Mark, second: Mark) -> bool:
    """Return True if two marks differ at most in their legend texts."""
    names = [name for name in first.__struct_fields__ if name not in ("name", "value")]
    pairs = (
        [(getattr(first, name), getattr(second, name)) for name in names] if type(first) is type(second) else [(0, 1)]
    )
    return all(a is b or (not isinstance(a, np.ndarray | list) and type(a) is type(b) and a == b) for a, b in pairs)


class Series(Mark, frozen=True, eq=False, kw_only=True):
    """A mark with a series of values.

    Attributes
    ----------
    x, y : array_like of shape (n,)
    """

    x: ArrayLike
    y: ArrayLike

    def columns(self) -> dict[str, ArrayLike]:
        return {"x": self.x, "y": self.y}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return self.x, self.y


class Line(Series, frozen=True, eq=False, kw_only=True):
    """A polyline, interrupted at NaN.

    Attributes
    ----------
    width : float
        In pixels.
    dash : (float, float) or None
    symbol : str
        A pyqtgraph symbol, drawn at the indices `symbols_at`.
    symbols_at : array_like of int
    read : bool
        The user can read off its values.
    """

    width: float = 2.0
    dash: Dash = SOLID
    symbol: str = ""
    symbols_at: ArrayLike = ()
    symbol_size: float = 7.0
    read: bool = True

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        x, y, visible = frame.across(self.x), frame.up(self.y), frame.visible
        at = np.asarray(self.symbols_at, dtype=np.intp) if self.symbol else np.empty(0, dtype=np.intp)
        symbols_at = x[at], y[at]
        if len(x) > DENSE * max(visible.width(), 1.0):
            x, y = thinned(x, y)
        if len(x) > 200 and float(np.nansum(np.abs(np.diff(y)))) > WILD * visible.width():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            draw_pieces(painter, pieces_in(x, y, visible), QPen(QColor(*self.colour), 1.0))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        else:
            draw_line(painter, x, y, QPen(QColor(*self.colour), self.width), visible, self.dash)
        self._draw_symbols(painter, *symbols_at, frame.theme)

    def draw_sample(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        _draw_level(painter, box, self.colour, self.width, self.dash)
        if self.symbol:
            self._draw_symbols(painter, np.array([box.center().x()]), np.array([box.center().y()]), theme)

    def _draw_symbols(self, painter: QPainter, x: Array, y: Array, theme: Theme) -> None:
        edge = QPen(QColor(*theme.background), 1.0)
        draw_symbols(painter, x, y, self.symbol, self.symbol_size, edge, QBrush(QColor(*self.colour)))


def thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the first, minimum, maximum and last value of each pixel column; the painted line stays the same."""
    fine = np.isfinite(x) & np.isfinite(y)
    x, y = x[fine], y[fine]
    if not len(x):
        return x, y
    first = np.flatnonzero(np.diff(np.floor(x), prepend=np.nan))
    last = np.append(first[1:], len(x)) - 1
    four = y[first], np.minimum.reduceat(y, first), np.maximum.reduceat(y, first), y[last]
    middle = 0.5 * (x[first] + x[last])
    return np.column_stack((x[first], middle, middle, x[last])).ravel(), np.column_stack(four).ravel()


def draw_symbols(painter: QPainter, x: Array, y: Array, symbol: str, size: float, pen: QPen, brush: QBrush) -> None:
    """Paint a pyqtgraph symbol, `size` pixels large, at each pixel position; NaN positions are skipped."""
    fine = np.isfinite(x) & np.isfinite(y)
    x, y = x[fine], y[fine]
    if not len(x):
        return
    path = QTransform.fromScale(size, size).map(Symbols[symbol])

    def draw(onto: QPainter, *_: object) -> None:
        paint_with(onto, pen, brush)
        onto.drawPath(path)

    if len(x) > FEW and not draws_shapes(painter):
        ratio = painter.device().devicePixelRatioF()
        side = 2 * int(np.ceil((0.6 * size + pen.widthF() + 1.0) * ratio)) + 1
        x, y = ((np.floor(each * ratio) + 0.5) / ratio for each in (x, y))
        copy_cells(painter, cells(1, side, ratio, draw), x, y, np.zeros(len(x), np.intp), side, scale=1.0 / ratio)
        return
    for at in zip(x.tolist(), y.tolist(), strict=True):
        painter.translate(*at)
        draw(painter)
        painter.translate(-at[0], -at[1])


def _draw_level(painter: QPainter, box: QRectF, colour: RGB, width: float, dash: Dash) -> None:
    """Paint a horizontal line through the middle of `box`."""
    ends, y = np.array([box.left(), box.right()]), np.full(2, box.center().y())
    draw_line(painter, ends, y, QPen(QColor(*colour), width), box, dash)


class Band(Mark, frozen=True, eq=False, kw_only=True):
    """The area between two lines; `opacity` is 0 to 255."""

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    opacity: int = 60

    def columns(self) -> dict[str, ArrayLike]:
        return {"x": self.x, "low": self.low, "high": self.high}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return self.x, np.append(self.low, self.high)

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        edges = np.column_stack((frame.across(self.x), frame.up(self.low), frame.up(self.high)))
        x, low, high = edges[np.isfinite(edges).all(axis=1)].T
        paint_with(painter, Qt.PenStyle.NoPen, QColor(*self.colour, self.opacity))
        painter.drawPath(pg.arrayToQPath(np.append(x, x[::-1]), np.append(high, low[::-1])))

    def draw_sample(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        painter.fillRect(box.adjusted(0, 4, 0, -4), QColor(*self.colour, self.opacity))


class LevelLine(Mark, frozen=True, eq=False, kw_only=True):
    """A straight line across the whole chart at height `at`, or at this x if `upright`.

    Attributes
    ----------
    at : float
    upright : bool
    width : float
        In pixels.
    dash : (float, float) or None
    reached : bool
        The axis is extended to include it.
    """

    at: float
    upright: bool = False
    width: float = 1.4
    dash: Dash = DASHED
    reached: bool = True

    def columns(self) -> dict[str, ArrayLike]:
        return {"x" if self.upright else "y": [self.at]}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        ends: tuple[ArrayLike, ArrayLike] = ([self.at], ()) if self.upright else ((), [self.at])
        return ends if self.reached else ((), ())

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        visible, at = frame.visible, np.full(2, (frame.across if self.upright else frame.up)(self.at))
        way = [visible.top(), visible.bottom()] if self.upright else [visible.left(), visible.right()]
        x, y = (at, np.array(way)) if self.upright else (np.array(way), at)
        draw_line(painter, x, y, QPen(QColor(*self.colour), self.width), visible, self.dash)

    def draw_sample(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        _draw_level(painter, box, self.colour, self.width, self.dash)


class Region(Mark, frozen=True, eq=False, kw_only=True):
    """The area from one x to another; `opacity` is 0 to 255, `pattern` a brush pattern of Qt."""

    low: float
    high: float
    opacity: int = 34
    pattern: Qt.BrushStyle = Qt.BrushStyle.SolidPattern

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        left, right = np.clip(frame.across([self.low, self.high]), frame.visible.left(), frame.visible.right())
        box = QRectF(left, frame.visible.top(), right - left, frame.visible.height())
        painter.fillRect(box, QBrush(QColor(*self.colour, self.opacity), self.pattern))

    def draw_sample(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        painter.fillRect(box.adjusted(0, 4, 0, -4), QBrush(QColor(*self.colour, self.opacity), self.pattern))


class Strokes(Mark, frozen=True, eq=False, kw_only=True):
    """Vertical strokes, for spreads and ticks: from `low` to `high`, or `foot` pixels high at the lower edge.

    They are shifted `aside` pixels to the right of x, to keep those of several lines apart.
    """

    x: ArrayLike
    low: ArrayLike = ()
    high: ArrayLike = ()
    width: float = 1.0
    foot: float = 0.0
    aside: float = 0.0

    def columns(self) -> dict[str, ArrayLike]:
        return {"x": self.x} if self.foot else {"x": self.x, "low": self.low, "high": self.high}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return ((), ()) if self.foot else (self.x, np.append(self.low, self.high))

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        x = np.floor(frame.across(self.x) + self.aside) + 0.5
        if self.foot:
            x = np.unique(x)
            low, high = np.full(len(x), frame.visible.bottom()), np.full(len(x), frame.visible.bottom() - self.foot)
        else:
            low, high = frame.up(self.low), frame.up(self.high)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self.width > 1.0)
        ends = np.column_stack((x, low, x, high))
        draw_on_any(painter, ends[np.isfinite(ends).all(axis=1)], QPen(QColor(*self.colour), self.width))

    def draw_sample(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        for dx in (4, 10, 13, 20):
            painter.fillRect(QRectF(round(box.left()) + dx, round(box.center().y()) - 3, 1, 6), QColor(*self.colour))


class Scatter(Series, frozen=True, eq=False, kw_only=True):
    """Symbols at given values.

    Attributes
    ----------
    symbol : str
        A pyqtgraph symbol.
    size : float
        In pixels.
    edge : (int, int, int) or None
        Colour of the outline.
    edge_width : float
    hollow : bool
        Draw the outline only.
    """

    symbol: str = "o"
    size: float = 8.0
    edge: RGB | None = None
    edge_width: float = 1.2
    hollow: bool = False

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        self._draw_at(painter, frame.across(self.x), frame.up(self.y))

    def draw_sample(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        self._draw_at(painter, np.array([box.center().x()]), np.array([box.center().y()]))

    def _draw_at(self, painter: QPainter, x: Array, y: Array) -> None:
        edge = self.edge or (self.colour if self.hollow else None)
        pen = QPen(Qt.PenStyle.NoPen) if edge is None else QPen(QColor(*edge), self.edge_width)
        brush = QBrush() if self.hollow else QBrush(QColor(*self.colour))
        draw_symbols(painter, x, y, self.symbol, self.size, pen, brush)


def class_symbols(theme: Theme, label: int, x: ArrayLike, y: ArrayLike, size: float = POINT) -> Scatter:
    """Return the symbols of a class, as in a plot."""
    edge = (0, 0, 0) if theme.dark else theme.ink
    return Scatter(x=x, y=y, symbol=SYMBOLS[label], size=size, colour=theme.classes[label], edge=edge, edge_width=1.0)


class Bars(Mark, frozen=True, eq=False, kw_only=True):
    """Bars that rise from 0, aligned with whole pixels.

    Attributes
    ----------
    left, right, height : ndarray of shape (n,)
    brushes : sequence of QBrush
    edges : sequence of (int, int, int)
        Colours of the outlines; empty for no outlines.
    """

    left: Array
    right: Array
    height: Array
    brushes: Sequence[QBrush]
    edges: Sequence[RGB] = ()

    def columns(self) -> dict[str, ArrayLike]:
        return {"left": self.left, "right": self.right, "y": self.height}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return np.append(self.left, self.right), self.height

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        base = round(float(frame.up(0.0)))
        left, right = (np.floor(frame.across(each) + 0.5).astype(int) for each in (self.left, self.right))
        above = base - frame.up(self.height)
        # a bar is 1 pixel high or more, unless its value is 0
        tall = np.where(self.height > 0, np.maximum(np.round(above), 1), 0).astype(int)
        painter.setBrushOrigin(QPointF(0, base))
        for at in np.flatnonzero(tall).tolist():
            box = QRectF(left[at], base - tall[at], max(right[at] - left[at], 1), tall[at])
            painter.fillRect(box, self.brushes[at])
            if self.edges:
                paint_with(painter, QPen(QColor(*self.edges[at]), 1))
                painter.drawRect(box.adjusted(0, 0, -1, -1))

    def draw_sample(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        painter.fillRect(box.adjusted(0, 4, 0, -4), self.brushes[0] if self.brushes else QBrush())


class Cells(Mark, frozen=True, eq=False, kw_only=True):
    """Cells of side 1, centred at whole numbers, from (0, 0) at the lower left.

    Attributes
    ----------
    pixels : ndarray of shape (rows, columns)
        0xffrrggbb; row 0 is the lowest.
    values : ndarray of shape (rows, columns)
        The numbers that are saved.
    """

    pixels: NDArray[np.uint32]
    values: Array

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        rows, columns = self.pixels.shape
        (left, right), (bottom, top) = frame.across([-0.5, columns - 0.5]), frame.up([-0.5, rows - 0.5])
        target = QRectF(left, top, right - left, bottom - top)
        draw_samples(painter, np.ascontiguousarray(self.pixels[::-1]), target, frame.visible)


class SurfaceMark(Mark, frozen=True, eq=False, kw_only=True):
    """The picture of a lane: its colours, boundary and margins."""

    picture: Picture

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        corners, visible = frame.to.inverted()[0].mapRect(frame.visible), frame.visible
        paint_surface(painter, self.picture, corners, visible, visible)
        paint_lines(painter, self.picture, corners, visible, visible, frame.theme)


class Texts(Mark, frozen=True, eq=False, kw_only=True):
    """Texts at given values, where the point `anchor` of each text's box lies; (0, 0) is its upper left corner.

    With `in_cells` they belong to cells of side 1: none is drawn unless the longest fits into one.
    """

    x: Sequence[float]
    y: Sequence[float]
    texts: Sequence[str]
    colours: Sequence[RGB] = ()
    anchor: tuple[float, float] = (0.5, 0.5)
    plate: RGB | None = None
    in_cells: bool = False

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        metrics, visible = painter.fontMetrics(), frame.visible
        widest = max(map(metrics.horizontalAdvance, self.texts), default=0) if self.in_cells else -np.inf
        if widest + 6 > frame.to.m11() or (self.in_cells and metrics.height() + 2 > abs(frame.to.m22())):
            return
        pixels = zip(frame.across(self.x).tolist(), frame.up(self.y).tolist(), strict=True)
        for number, (text, at) in enumerate(zip(self.texts, pixels, strict=True)):
            box = QRectF(0, 0, metrics.horizontalAdvance(text) + 2, metrics.height())
            box.moveTopLeft(QPointF(*at) - QPointF(self.anchor[0] * box.width(), self.anchor[1] * box.height()))
            if not self.in_cells:
                box.moveLeft(
                    min(max(box.left(), visible.left() + 1), max(visible.right() - box.width() - 1, visible.left()))
                )
            if self.plate is not None:
                painter.fillRect(box, QColor(*self.plate))
            painter.setPen(QColor(*(self.colours[number] if self.colours else self.colour)))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


class ColourBar(Mark, frozen=True, eq=False, kw_only=True):
    """A colour bar at the right of the chart.

    Attributes
    ----------
    pixels : ndarray of shape (n,)
        0xffrrggbb, from the lowest value to the highest.
    low, high : float
    texts : sequence of (float, str)
        Values and their texts beside the bar; of two that would overlap the later one is left out.
    level : float or None
        Value marked by a line across the bar.
    """

    pixels: NDArray[np.uint32]
    low: float
    high: float
    texts: Sequence[tuple[float, str]]
    level: float | None = None

    def draw(self, painter: QPainter, frame: ChartFrame) -> None:
        painter.setClipping(False)
        visible, high, taken = frame.visible, painter.fontMetrics().height(), list[float]()
        bar = QRectF(round(visible.right() + 8), round(visible.top()), BAR, round(visible.height()))
        draw_samples(painter, np.ascontiguousarray(self.pixels[::-1, None]), bar, bar)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        paint_with(painter, QColor(*frame.theme.ink))
        painter.drawRects([bar, visible])
        for value, text in self.texts:
            y = self._y(value, bar)
            if all(abs(y - other) > 1.3 * high for other in taken):
                taken.append(y)
                painter.drawText(QRectF(bar.right() + 4, y - high / 2, 100, high), Qt.AlignmentFlag.AlignVCenter, text)
        if self.level is not None and self.low <= self.level <= self.high:
            y = self._y(self.level, bar)
            painter.drawLine(QPointF(bar.left() - 3, y), QPointF(bar.right() + 3, y))

    def _y(self, value: float, bar: QRectF) -> float:
        return bar.bottom() - (value - self.low) / (self.high - self.low) * bar.height()


class MarksItem(pg.GraphicsObject):
    """A graphics item that draws the current marks, in pixels, over the part of the plane that its ViewBox displays."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[tuple[Mark, ...], ChartAxis, ChartAxis, Theme] = ((), ChartAxis(), ChartAxis(), LIGHT)
        self.setCacheMode(self.CacheMode.DeviceCoordinateCache)  # what moves above it does not repaint it

    def display(self, marks: Sequence[Mark], x: ChartAxis, y: ChartAxis, theme: Theme) -> None:
        """Draw `marks`, the first at the bottom."""
        before, *look = self._shown
        alike = look == [x, y, theme] and len(before) == len(marks) and all(map(drawn_alike, before, marks))
        self._shown = tuple(marks), x, y, theme
        if not alike:
            self.update()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        self.update()

    def boundingRect(self) -> QRectF:
        box = self.getViewBox()
        return QRectF() if box is None else QRectF(box.viewRect())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        to, (marks, x, y, theme) = painter.worldTransform(), self._shown
        frame = ChartFrame(x, y, to, to.mapRect(self.boundingRect()), theme)
        view = self.getViewWidget()
        painter.resetTransform()
        if view is not None:
            painter.setFont(view.letters())
        for mark in marks:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            mark.draw(painter, frame)
