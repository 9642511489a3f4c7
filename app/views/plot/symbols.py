"""Symbols: the shapes of classes and marks, for the plots, the buttons and the legends.

Pictures without axes draw many symbols, or a long line, in a single call: each call of a painter releases the
interpreter lock, and must wait to regain it while other threads are busy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPixmap, QTransform

from app.core.points import MAX_CLASSES
from app.engine.overlays import LineStyle
from app.scene.marks import KKT_MARKS, case_of, mark_of
from app.views import kkt_style
from app.views.theme import SYMBOLS, Theme
from app.views.widgets.painting import blank, paint_with, painter_on, saved
from solver.core.arrays import Array, Indices
from solver.inspection.metrics import KktCase

from .bulk_drawing import draw_fragments

#: Marks of the support vectors: an outline of the point's own shape, so that it hides no other point.
BOUNDED_OF = tuple(f"bounded{label}" for label in range(len(SYMBOLS)))
FREE_OF = tuple(f"free{label}" for label in range(len(SYMBOLS)))
MAYBE_OF = tuple(f"maybe{label}" for label in range(len(SYMBOLS)))
#: Marks: the first lies below the selected points, which it marks; the others above all points, in this order.
MARKS = ("selected", *BOUNDED_OF, *FREE_OF, *MAYBE_OF, "wrong", "tied")
#: Symbols of classes with a hole, for test points.
TEST_POINTS = tuple(f"test{label}" for label in range(len(SYMBOLS)))
#: Width of a pie, as a multiple of a point's: smaller than the disc below a selected point.
PIE = 1.5
#: Width of the round hole, as a share of the symbol's width; least width (pixels).
HOLE, LEAST_HOLE = 0.45, 2.6
#: Sizes (pixels) of a point and of the marks on and around it; widths of the outlines of support vectors.
POINT, FREE, WRONG, SELECTED = 11, 17, 9, 20
RING, EDGE = 1.8, 2.8
#: Width (pixels) of the equals sign on a tied point; thickness of its bars as a share of that; distance (pixels) of
#: each bar from the middle.
TIE, TIE_STROKE, TIE_GAP = 7.5, 0.2, 1.8
#: Widths of the rings that overlays draw: round the points of a step, the point under the pointer, and voters.
RINGS = {"pair": 3.0, "hover": 3.0, "voter": 1.6}
#: Number of dashes of a broken ring.
DASHES = 8
#: Colour of the disc below a selected point; in both themes unlike every surface.
HIGHLIGHT = (255, 208, 0)


def line_pen(theme: Theme, width: float) -> QPen:
    """Return a pen in the theme's ink, `width` pixels wide."""
    return QPen(QColor(*theme.ink), width)


Shape = tuple[QPainterPath, QPen, QBrush]


@lru_cache(maxsize=256)
def shapes(theme: Theme, kind: str, scale: float = 1.0) -> tuple[Shape, ...]:
    """Return paths, pens and brushes of a class ("0" to "7", or one of `TEST_POINTS`), a mark (`MARKS`, those of
    `scene.marks`) or a pie, about the origin.

    The lowest comes first.  Outlines have the same width at every `scale`, so that small symbols keep them; only the
    painter's own scale widens them.
    """
    ink, background = QColor(*theme.ink), QColor(*theme.background)
    if kind.isdigit():
        # A dark outline in both themes: it separates every class colour from every surface.
        outline = QColor(0, 0, 0) if theme.dark else ink
        return (_shape(SYMBOLS[int(kind)], POINT * scale, outline, 1.0, QColor(*theme.classes[int(kind)])),)
    if kind in TEST_POINTS:
        label = int(kind[-1])
        share = 0.7 * HOLE if SYMBOLS[label] == "star" else HOLE  # the arms of a star are thin
        size = max(share * POINT * scale, LEAST_HOLE)
        hole = _shape("o", size, background, 0.0, background)
        rim = QPen(QColor(0, 0, 0) if theme.dark else ink, 0.6) if scale > 0.6 else QPen(Qt.PenStyle.NoPen)
        return (*shapes(theme, str(label), scale), (hole[0], rim, hole[2]))
    if kind.startswith("pie"):
        return _pie(theme, int(kind.removeprefix("pie")), PIE * scale)
    if kind in KKT_MARKS:
        return _kkt_mark(theme, kind, scale)
    if kind == "wrong":
        return (_shape("x", WRONG * scale, background, max(scale, 0.4), ink),)
    if kind == "tied":
        pen = QPen(background, max(0.5 * scale, 0.3))
        return tuple((_bar(TIE * scale, side * TIE_GAP * scale), pen, QBrush(ink)) for side in (-1, 1))
    if kind == "selected":
        size = max(SELECTED * scale, POINT * scale + 6)
        return (_shape("o", size, QColor(0, 0, 0), 1.0, QColor(*HIGHLIGHT)),)
    shape = SYMBOLS[int(kind[-1])]
    if kind in BOUNDED_OF:
        return (_shape(shape, POINT * scale, ink, max(EDGE * scale, 1.8)),)
    ring = _shape(shape, max(FREE * scale, POINT * scale + 4), ink, RING * max(scale, 1.0))
    return (_broken(*ring) if kind in MAYBE_OF else ring,)


def _shape(shape: str, size: float, colour: QColor, width: float, fill: QColor | None = None) -> Shape:
    # Not a cosmetic pen: that would be a hairline on a fine screen and in print.
    path = QTransform.fromScale(size, size).map(Symbols[shape])
    return path, QPen(colour, width), QBrush(fill) if fill is not None else QBrush(Qt.BrushStyle.NoBrush)


def _pie(theme: Theme, powers: int, scale: float) -> tuple[Shape, ...]:
    """Return a sector of the symbol of each class, so that shapes, too, name the classes; two are the two halves."""
    kinds = [kind for power, kind in enumerate((*map(str, range(MAX_CLASSES)), *TEST_POINTS)) if powers >> power & 1]
    angle, side, background = 360.0 / len(kinds), 2.0 * POINT * scale, QColor(*theme.background)
    parts = [_shape("o", POINT * scale, background, 0.0, background)]  # it hides the points below
    for index, kind in enumerate(kinds):
        sector = QPainterPath(QPointF(0.0, 0.0))
        sector.arcTo(QRectF(-side / 2, -side / 2, side, side), 90.0 + angle * index, angle)
        parts += [(path.intersected(sector), pen, brush) for path, pen, brush in shapes(theme, kind, scale)]
    return tuple(parts)


def _bar(width: float, middle: float) -> QPainterPath:
    """Return one of the two bars of an equals sign."""
    path = QPainterPath()
    path.addRect(QRectF(-width / 2, middle - TIE_STROKE * width / 2, width, TIE_STROKE * width))
    return path


def _kkt_mark(theme: Theme, kind: str, scale: float) -> tuple[Shape, ...]:
    """Return a ring in the case's colour, broken if violated, on a seam that is visible on every surface."""
    case, satisfied = case_of(kind)
    style = kkt_style.CASES[case]
    width = 2.0 if scale > 0.8 else 1.4
    parts: list[Shape] = []
    for colour, wide in ((QColor(*theme.background), width + 2.0 * min(scale, 1.0)), (style.colour(theme), width)):
        path, pen, brush = _shape(style.shape, style.size * scale, colour, wide)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        parts.append((path, pen, brush) if satisfied or not parts else _broken(path, pen, brush))
    return tuple(parts)


def _broken(path: QPainterPath, pen: QPen, brush: QBrush) -> Shape:
    """Return a shape with its outline broken into dashes, as many for every shape."""
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    dash = path.length() / (2.0 * DASHES * pen.widthF())
    pen.setDashPattern([dash, dash])
    pen.setDashOffset(0.5 * dash)
    return path, pen, brush


def draw(painter: QPainter, theme: Theme, kind: str, scale: float = 1.0) -> None:
    """Draw `shapes` about the painter's origin."""
    for path, pen, brush in shapes(theme, kind, scale):
        paint_with(painter, pen, brush)
        painter.drawPath(path)


def draw_entry(painter: QPainter, theme: Theme, kind: str, size: float = 22.0) -> None:
    """Draw the symbol of a legend entry about the origin: one of `shapes` or `RINGS`, or boundary, margin, tie."""
    if kind == "tie":
        painter.fillRect(QRectF(-8, -6, 16, 12), QColor(*theme.tie))
    elif kind == "provisional":
        painter.fillRect(QRectF(-8, -6, 16, 12), QColor(*theme.classes[0], 150))
        painter.fillRect(QRectF(-8, -6, 16, 12), QBrush(QColor(*theme.background, 230), Qt.BrushStyle.BDiagPattern))
    elif kind == "slack":
        colour = kkt_style.CASES[KktCase.MISCLASSIFIED].colour(theme)
        painter.setPen(QPen(colour, 2.0))
        painter.drawLines([QLineF(-8, 0, 8, 0), QLineF(8, -5, 8, 5)])
    elif kind in ("free", "bounded", "chosen", "kept", "maybe"):
        draw(painter, theme, "0", 1.2)
        draw(painter, theme, f"{kind if kind in ('bounded', 'maybe') else 'free'}0", 1.2)
    elif kind in RINGS:
        painter.setPen(QPen(QColor(*(theme.accent if kind == "hover" else theme.ink)), RINGS[kind]))
        painter.drawEllipse(QPointF(), 7.0, 7.0)
    elif kind == "test":
        draw(painter, theme, TEST_POINTS[0], 1.2)
    elif isinstance(kind, LineStyle):
        pen = QPen(QColor(*(theme.accent if kind.accent else theme.ink), 110 if kind.faint else 255), kind.width)
        if kind.sample is not None:
            pen.setDashPattern(list(kind.sample))
        painter.setPen(pen)
        for dy in (-4.0, 0.0, 4.0) if kind.faint else (0.0,):
            painter.drawLine(QLineF(1 - size / 2, dy, size / 2 - 1, 0.4 * dy))
    elif kind == "differ":
        painter.setPen(QPen(QColor(*theme.ink), 2.0))
        painter.drawLines([QLineF(x - 4, 6, x + 4, -6) for x in (-6, 0, 6)])
    elif kind == "orders":
        for width, tilt, rgb in ((1.2, -5.0, theme.ink), (1.2, 5.0, theme.ink), (3.5, 0.0, theme.accent)):
            painter.setPen(QPen(QColor(*rgb), width))
            painter.drawLine(QLineF(1 - size / 2, -tilt, size / 2 - 1, tilt))
    elif kind in ("boundary", "margin", "probability", "second"):
        pen = line_pen(theme, 2.2 if kind == "boundary" else 1.6)
        if kind != "boundary":
            pen.setDashPattern([2.2, 1.6])
        painter.setPen(pen)
        painter.drawLine(QLineF(1 - size / 2, 0, size / 2 - 1, 0))
    else:
        draw(painter, theme, kind, 1.2 if kind.isdigit() or kind in TEST_POINTS else 0.95)


@lru_cache(maxsize=256)
def symbol_pixmap(theme: Theme, kind: str, size: int = 22, ratio: float = 1.0) -> QPixmap:
    """Return the picture of a legend entry."""
    pixmap = blank(size, size, ratio)
    with painter_on(pixmap, smooth=True) as painter:
        painter.translate(size / 2, size / 2)
        draw_entry(painter, theme, kind, size)
    return pixmap


def kkt_pixmap(theme: Theme, case: KktCase | None, ratio: float) -> QPixmap:
    """Return the symbols of a KKT case in a legend, its bar and its mark; those of a violation for None."""
    pixmap = blank(52, 26, ratio)
    with painter_on(pixmap, smooth=True) as painter:
        mark = mark_of(KktCase.FREE, False) if case is None else mark_of(case, True)
        if case is None:
            painter.setPen(QPen(QColor(*theme.ink), 2))
            painter.drawLine(QLineF(11, 10, 11, 16))
        else:
            paint_with(painter, QPen(kkt_style.CASES[case].colour(theme), 1.5), kkt_style.bar_brush(theme, case, ratio))
            bare = case is KktCase.NOT_SUPPORT  # the background of multipliers that are 0
            painter.drawLine(QLineF(3, 13, 19, 13)) if bare else painter.drawRect(QRectF(3, 4, 16, 18))
        if mark:
            painter.translate(38, 13)
            draw(painter, theme, mark, 0.9)
    return pixmap


def cells(count: int, side: int, ratio: float, draw_cell: Callable[[QPainter, int], None]) -> QPixmap:
    """Return small pictures in a row of square cells; an odd `side` has a middle pixel.

    Parameters
    ----------
    count, side : int
        Number of cells, and side of a cell (device pixels).
    ratio : float
        Device pixels per unit of what `draw_cell` draws.
    draw_cell : callable
        ``draw_cell(painter, index)`` draws the picture of a cell about the painter's origin.
    """
    pixmap = blank(side * count, side, 1.0)
    with painter_on(pixmap, smooth=True) as painter:
        for index in range(count):
            with saved(painter):
                painter.translate((index + 0.5) * side, 0.5 * side)
                painter.scale(ratio, ratio)
                draw_cell(painter, index)
    return pixmap


def copy_cells(
    painter: QPainter,
    pixmap: QPixmap,
    x: Array,
    y: Array,
    left: Indices,
    side: Indices | int,
    top: Indices | int = 0,
    scale: float = 1.0,
) -> None:
    """Copy a square of `pixmap`, with its corner at (left, top) and `side` pixels wide, about each (x, y)."""
    fragments = np.empty((len(x), 10))
    fragments[:, 0], fragments[:, 1], fragments[:, 2], fragments[:, 3] = x, y, left, top
    fragments[:, 4] = fragments[:, 5] = side
    fragments[:, 6] = fragments[:, 7] = scale
    fragments[:, 8], fragments[:, 9] = 0.0, 1.0
    draw_fragments(painter, fragments, pixmap)


#: Kind of the stamp of a point whose class is unknown; the kinds below it are the classes.
UNKNOWN = MAX_CLASSES
#: Half the size (pixels) of a stamp at scale 1; radius of the hollow disc of an unknown class.
REACH, DISC = 9.0, 3.2


def path(x: Array, y: Array) -> QPainterPath:
    """Return a path of polylines through (x, y), separated by NaN."""
    drawn: QPainterPath = pg.arrayToQPath(x, y, connect="finite")
    return drawn


def stamp(painter: QPainter, theme: Theme, xy: Array, kinds: Indices, scale: float, ratio: float) -> None:
    """Draw symbols at `xy` (n, 2), the later ones on top.

    Parameters
    ----------
    kinds : ndarray of shape (n,)
        Classes 0 to 7, or `UNKNOWN`.
    scale : float
        1 is the size of symbols in a plot of few points.
    ratio : float
        Device pixels to one unit of the painter.
    """
    if not len(xy):
        return
    sheet, cell = _sheet(theme, scale, ratio)
    copy_cells(painter, sheet, xy[:, 0], xy[:, 1], kinds * cell, cell, scale=1.0 / ratio)


@lru_cache(maxsize=8)
def _sheet(theme: Theme, scale: float, ratio: float) -> tuple[QPixmap, int]:
    """Return the stamps in a row, and the side of each (device pixels)."""
    cell = 2 * int(np.ceil(REACH * max(scale, 0.5) * ratio)) + 1

    def draw_cell(painter: QPainter, kind: int) -> None:
        if kind == UNKNOWN:
            painter.setBrush(QColor(*theme.background, 150))
            painter.setPen(QPen(QColor(*theme.faint), 1.3))
            painter.drawEllipse(QPointF(0.0, 0.0), DISC * scale, DISC * scale)
        else:
            draw(painter, theme, str(kind), scale)

    return cells(MAX_CLASSES + 1, cell, ratio, draw_cell), cell
