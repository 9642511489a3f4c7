"""StudyPicture: the results of a study as a map or as curves, with a cursor; and the same for a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPaintDevice, QPainter, QPen, QPolygonF

from app.engine.shading import RGB
from app.views.application import make_application
from app.views.charts.chart import Chart, Plot, is_plain, legend_size, paint_columns, paint_legend, paint_rows, plate
from app.views.charts.scales import ValueScale
from app.views.png_bytes import png_bytes
from app.views.theme import LIGHT, Theme, contrast
from app.views.widgets.painting import painter_on, svg_bytes
from solver.core.arrays import Array

from .cells import Places
from .controller import CURVES
from .map_reading import (
    Best,
    all_rests,
    best_of,
    blocks,
    choice_text,
    is_log,
    measure_text,
    plane_of,
    span_of,
    value_text,
)
from .model import MEASURES, Study, existing_cells
from .planning import titles
from .results import Means, StudyResults

#: Of a map, cividis: dark blue to yellow, told apart by all eyes and in grey print.
COLOURS = ("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838")
#: Of a map about a midpoint: blue, white, orange, told apart by all eyes.
ABOUT = ("#08306b", "#2b6cb0", "#8fbbdc", "#f4f4f4", "#f2b27a", "#d06a1a", "#7f3b08")
#: Width of the bar of colours, and the least cell that has its number written in it is a number wide.
BAR, GAP = 14.0, 8.0
#: Dashes of the lines of a picture with several.
DASHES = ((), (5.0, 2.5), (1.5, 2.0), (7.0, 2.0, 1.5, 2.0), (3.0, 1.5), (9.0, 3.0))


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn.

    Attributes
    ----------
    kept : StudyResults
    means : Means
        Of `value`.
    value : str
    rest : tuple of int
    best : Best or None
    cross : tuple of float or None
        Where the lane stands, in cells from the first.
    same : bool
        All its other settings are those of the study.
    midpoint, level : float or None
    span : tuple of float or None
        What the colours go from and to, where maps beside each other share them.
    """

    kept: StudyResults
    means: Means
    value: str
    rest: tuple[int, ...] = ()
    best: Best | None = None
    cross: tuple[float, ...] | None = None
    same: bool = True
    midpoint: float | None = None
    level: float | None = None
    span: tuple[float, float] | None = None

    @property
    def study(self) -> Study:
        """What it is of."""
        return self.kept.study

    @property
    def curves(self) -> bool:
        """It is drawn as curves."""
        return self.study.kind in CURVES or len(self.study.axes) == 1

    @property
    def sides(self) -> tuple[int, int]:
        """Cells to the right and upwards."""
        columns, rows = (*self.study.shape, 1)[:2]
        return columns, rows

    @property
    def grid(self) -> tuple[int, int]:
        """Columns and rows that the cursor goes through: cells, or places and lines."""
        return self.sides[0], len(lines_of(self)) if self.curves else self.sides[1]

    def places(self, column: int, row: int) -> Places:
        """Of the cell there."""
        return (column, row, *self.rest)[: len(self.study.axes)]


def readable_on(ground: QColor) -> RGB:
    """Black or white, whichever is the easier to read there."""
    under = ground.red(), ground.green(), ground.blue()
    return max(((255, 255, 255), (0, 0, 0)), key=lambda ink: contrast(ink, under))


def mixed(share: float, midpoint: bool) -> QColor:
    """The colour of a share from 0 to 1."""
    colours = ABOUT if midpoint else COLOURS
    place = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    first = min(int(place), len(colours) - 2)
    one, other, part = QColor(colours[first]), QColor(colours[first + 1]), place - first
    pairs = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round(a + part * (b - a)) for a, b in pairs))


def _title(drawn: Drawn, place: int) -> str:
    """What an axis is called."""
    name = drawn.study.axes[place].name
    return titles(drawn.study.lane, True).get(name, name)


def _labels(drawn: Drawn, place: int) -> list[str]:
    study = drawn.study
    return [value_text(study, place, each) for each in study.axes[place].values] if place < len(study.axes) else [""]


def map_area(drawn: Drawn, room: QRectF, metrics: QFontMetricsF) -> QRectF:
    """Where the cells are: as high as wide where there is room for that."""
    left = max(map(metrics.horizontalAdvance, _labels(drawn, 1))) + 10
    right = BAR + GAP + metrics.horizontalAdvance("99.9+ %") + 8
    above, below = 1.3 * metrics.height() + 4, 2.3 * metrics.height() + 6
    return room.adjusted(left, above, -right, -below)


def paint_map(painter: QPainter, drawn: Drawn, room: QRectF, theme: Theme) -> None:
    """Cells, axes, contour, marks and the scale of colours."""
    metrics = QFontMetricsF(painter.font())
    area = map_area(drawn, room, metrics)
    if area.width() < 10 or area.height() < 10:
        return
    columns, rows = drawn.sides
    mean = plane_of(drawn.means.mean, drawn.study, drawn.rest)
    span = drawn.span or span_of(mean, drawn.midpoint)
    _paint_cells(painter, drawn, area, mean, span, theme)
    ink = QColor(*theme.ink)
    if drawn.level is not None:
        _paint_contour(painter, area, mean, drawn.level)
    painter.setPen(QPen(ink, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(area)
    texts = _labels(drawn, 0)
    wide = max(map(metrics.horizontalAdvance, texts)) + 8
    every = max(1, math.ceil(wide * columns / area.width()))
    for at in range(0, columns, every):
        label = QRectF(_x(area, drawn, at) - wide, area.bottom() + 3, 2 * wide, metrics.height())
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, texts[at])
    below = QRectF(area.left(), area.bottom() + 4 + metrics.height(), area.width(), metrics.height() + 2)
    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, _title(drawn, 0))
    texts = _labels(drawn, 1)
    every = max(1, math.ceil(1.1 * metrics.height() * rows / area.height()))
    for at in range(0, rows, every):
        middle = _y(area, drawn, at)
        label = QRectF(room.left(), middle - metrics.height() / 2, area.left() - room.left() - 6, metrics.height())
        painter.drawText(label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, texts[at])
    above = QRectF(room.left() + 2, room.top(), room.width(), metrics.height() + 2)
    what = drawn.study.heading(drawn.value)
    upwards = f"{_title(drawn, 1)} ↑   " if len(drawn.study.axes) > 1 else ""
    painter.drawText(above, Qt.AlignmentFlag.AlignLeft, f"{upwards}{what}, mean")
    _paint_bar(painter, drawn, area, span, metrics)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    side = min(area.width() / columns, area.height() / rows)
    if drawn.best is not None:
        best = (*drawn.best.places, 0)
        up = 0.3 * area.height() / rows if side >= 34 else 0.0  # above the number
        star = QPointF(_x(area, drawn, best[0]), _y(area, drawn, best[1]) - up)
        _paint_star(painter, star, min(max(0.32 * side, 5.0), 10.0))
    if drawn.cross is not None:
        stands = (*drawn.cross, 0.0)
        _paint_cross(painter, QPointF(_x(area, drawn, stands[0]), _y(area, drawn, stands[1])), drawn.same)


def _x(area: QRectF, drawn: Drawn, at: float) -> float:
    return area.left() + (at + 0.5) * area.width() / drawn.sides[0]


def _y(area: QRectF, drawn: Drawn, at: float) -> float:
    return area.bottom() - (at + 0.5) * area.height() / drawn.sides[1]


def _paint_cells(
    painter: QPainter, drawn: Drawn, area: QRectF, mean: Array, span: tuple[float, float], theme: Theme
) -> None:
    columns, rows = drawn.sides
    errors = plane_of(drawn.means.errors, drawn.study, drawn.rest)
    there, exists = np.isfinite(mean), plane_of(existing_cells(drawn.study), drawn.study, drawn.rest)
    shown = blocks(there, drawn.study)
    table = _table(drawn.midpoint is not None)
    share = np.nan_to_num((mean[shown[..., 0], shown[..., 1]] - span[0]) / (span[1] - span[0]))
    level = np.clip(np.round(255 * share), 0, 255).astype(np.intp)
    missing, ground = QColor("#dcdcdc" if not theme.dark else "#4a4a4d"), QColor(*theme.background)
    pixels = np.where(exists, np.uint32(missing.rgb()), np.uint32(ground.rgb()))
    filled = (shown[..., 0] >= 0) & exists & (there | (errors == 0))
    pixels[filled] = table[level[filled]]
    pixels = np.ascontiguousarray(pixels.T[::-1])  # rows from above
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(area, QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32).copy())
    metrics = QFontMetricsF(painter.font())
    wide, high = area.width() / columns, area.height() / rows
    numbers = wide >= metrics.horizontalAdvance("00.0 %") + 8 and high >= metrics.height() + 4
    texts: list[tuple[int, int, str, QColor]] = []
    for column, row in np.argwhere(errors.astype(np.bool_) & ~there).tolist():
        texts.append((column, row, "×", QColor(*theme.ink)))
    for column, row in np.argwhere(there).tolist() if numbers else ():
        text = measure_text(drawn.value, float(mean[column, row]))
        if metrics.horizontalAdvance(text) + 4 <= wide:
            texts.append((column, row, text, QColor(*readable_on(QColor(int(table[level[column, row]]))))))
    foot = 4.0 if high >= 3.2 * metrics.height() else 0.5 * (high - metrics.height())  # below star and cross
    below = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
    for column, row, text, pen in texts:
        cell = QRectF(area.left() + column * wide, area.bottom() - (row + 1) * high, wide, high)
        painter.setPen(pen)
        painter.drawText(cell.adjusted(0, 0, 0, -foot), below, text)


@lru_cache(maxsize=2)
def _table(midpoint: bool) -> NDArray[np.uint32]:
    """The colours from least to greatest."""
    return np.array([mixed(step / 255, midpoint).rgb() for step in range(256)], dtype=np.uint32)


def _paint_contour(painter: QPainter, area: QRectF, mean: Array, level: float) -> None:
    """The line on which the mean is `level`, between the middles of the cells."""
    if min(mean.shape) < 2:
        return
    from contourpy import contour_generator

    lines = contour_generator(z=np.ma.masked_invalid(mean.T)).lines(level)
    columns, rows = mean.shape
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for pen in (QPen(QColor("white"), 4.0), QPen(QColor("black"), 1.8)):
        painter.setPen(pen)
        for line in lines:
            places = [
                QPointF(
                    area.left() + (x + 0.5) * area.width() / columns, area.bottom() - (y + 0.5) * area.height() / rows
                )
                for x, y in np.asarray(line).tolist()
            ]
            painter.drawPolyline(QPolygonF(places))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_bar(
    painter: QPainter, drawn: Drawn, area: QRectF, span: tuple[float, float], metrics: QFontMetricsF
) -> None:
    bar = QRectF(area.right() + GAP, area.top(), BAR, area.height())
    mean = plane_of(drawn.means.mean, drawn.study, drawn.rest)
    low, high = drawn.span or span_of(mean, None)
    if drawn.midpoint is not None:
        low, high = min(low, drawn.midpoint), max(high, drawn.midpoint)
    shares = (np.linspace(high, low, 256) - span[0]) / (span[1] - span[0])  # no colours that no cell has
    table = _table(drawn.midpoint is not None)[np.clip(np.round(255 * shares), 0, 255).astype(np.intp)]
    painter.drawImage(bar, QImage(table.data, 1, 256, 4, QImage.Format.Format_RGB32).copy())
    painter.drawRect(bar)
    scale = ValueScale(low, high, bar.bottom(), bar.top())
    ticks = {low, high}
    middle = 0.5 * (low + high) if drawn.midpoint is None else drawn.midpoint
    if min(abs(scale.place_one(middle) - end) for end in (bar.top(), bar.bottom())) > 1.3 * metrics.height():
        ticks.add(middle)
    if drawn.level is not None and low <= drawn.level <= high:
        y = scale.place_one(drawn.level)
        painter.drawLine(QPointF(bar.left() - 3, y), QPointF(bar.right() + 3, y))
    for value in ticks:
        box = QRectF(bar.right() + 4, scale.place_one(value) - metrics.height() / 2, 100, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, measure_text(drawn.value, value))


def _paint_star(painter: QPainter, middle: QPointF, size: float) -> None:
    """The best cell: a star."""
    places = []
    for corner in range(10):
        angle, far = math.pi * corner / 5, size if corner % 2 == 0 else 0.42 * size
        places.append(QPointF(middle.x() + far * math.sin(angle), middle.y() - far * math.cos(angle)))
    painter.setPen(QPen(QColor("black"), 1.5))
    painter.setBrush(QColor("white"))
    painter.drawPolygon(QPolygonF(places))


def _paint_cross(painter: QPainter, at: QPointF, same: bool) -> None:
    """Where the lane stands; dashed where its other settings are not those of the study."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for tint, width in (("white", 5.0), ("black", 2.2)):
        pen = QPen(QColor(tint), width)
        if not same and tint == "black":
            pen.setDashPattern([1.0, 1.0])
        painter.setPen(pen)
        painter.drawLine(QPointF(at.x() - 9, at.y()), QPointF(at.x() + 9, at.y()))
        painter.drawLine(QPointF(at.x(), at.y() - 9), QPointF(at.x(), at.y() + 9))


# -- curves ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Line:
    """A curve: where its values stand, with their spread, and what it is called; `row` is its place on the second
    axis, -1 where the lines are of several measures."""

    title: str
    mean: Array
    spread: Array
    row: int


def lines_of(drawn: Drawn) -> list[Line]:
    """A curve for each value of the second axis, else one for each measure of the same kind."""
    study = drawn.study
    if len(study.axes) > 1:
        mean, spread = (plane_of(each, study, drawn.rest) for each in (drawn.means.mean, drawn.means.spread))
        return [Line(text, mean[:, row], spread[:, row], row) for row, text in enumerate(_labels(drawn, 1))]
    shares = [name for name in study.values if "accuracy" in name]
    names = shares if drawn.value in shares else [drawn.value]
    found = []
    for name in (drawn.value, *(each for each in names if each != drawn.value)):
        means = drawn.means if name == drawn.value else drawn.kept.means(name)
        found.append(Line(study.heading(name), means.mean, means.spread, -1))
    return found


def curves_plot(drawn: Drawn, lines: list[Line], room: QRectF, metrics: QFontMetricsF) -> Plot:
    """The axes."""
    ends = [
        np.concatenate((line.mean - np.nan_to_num(line.spread), line.mean + np.nan_to_num(line.spread)))
        for line in lines
    ]
    every = np.concatenate(ends) if ends else np.empty(0)
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    if "accuracy" in drawn.value:
        low, high = max(low, 0.0), min(high, 1.0)
    positive = np.concatenate([line.mean for line in lines]) if lines else np.empty(0)
    positive = positive[np.isfinite(positive)]
    log = MEASURES[drawn.value].log and len(positive) > 0 and bool(positive.min() > 0)
    if log:
        low, high = float(positive.min()), float(positive.max())
    left = metrics.horizontalAdvance("0.0000") + 12
    legend = legend_size(metrics, [line.title for line in lines]).width()
    # Beside the curves, where there is room for it.
    right = legend + 6 if len(lines) > 2 and room.width() > 2.6 * legend else 14
    area = room.adjusted(left, 1.9 * metrics.height(), -right, -2.4 * metrics.height() - 4)
    upwards = ValueScale.around(low, high, area.bottom(), area.top(), log=log)
    last = drawn.sides[0] - 1
    inset = 10.0
    return Plot(area, ValueScale(0.0, max(last, 1), area.left() + inset, area.right() - inset), upwards)


def x_places(drawn: Drawn) -> Array:
    """Where the values of the first axis stand, in cells: by their ratios or differences."""
    axis = drawn.study.axes[0]
    last = len(axis.values) - 1
    if last < 1 or any(isinstance(each, str) for each in axis.values):
        return np.arange(last + 1, dtype=np.float64)
    numbers = np.array(axis.values, dtype=np.float64)
    along = np.log(numbers) if is_log(axis) else numbers
    return np.asarray((along - along[0]) / (along[-1] - along[0]) * last)


def _pen(number: int, theme: Theme) -> QPen:
    pen = QPen(QColor(*theme.classes[number % len(theme.classes)]), 2.2)
    if DASHES[number % len(DASHES)]:
        pen.setDashPattern(list(DASHES[number % len(DASHES)]))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def paint_curves(painter: QPainter, drawn: Drawn, room: QRectF, theme: Theme) -> None:
    """Axes, curves with their spread, and what is what."""
    metrics = QFontMetricsF(painter.font())
    lines = lines_of(drawn)
    plot = curves_plot(drawn, lines, room, metrics)
    x = plot.x.place(x_places(drawn))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    grid = QPen(QColor(*theme.faint, 70), 1.0)
    ticks = plot.y.ticks(1.8 * metrics.height())
    if MEASURES[drawn.value].share:
        ticks = [(y, f"{100.0 * float(text):g} %") for y, text in ticks]
    paint_rows(painter, plot.area, ticks, theme, grid)
    columns, free = [], -math.inf
    for at, text in zip(x.tolist(), _labels(drawn, 0), strict=True):
        half = 0.5 * metrics.horizontalAdvance(text) + 4
        if at - half > free:
            columns.append((at, text))
            free = at + half
    paint_columns(painter, plot.area, columns, "", 3, theme)
    below = QRectF(plot.area.left(), plot.area.bottom() + 3 + metrics.height(), plot.area.width(), metrics.height() + 2)
    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, _title(drawn, 0))
    title = drawn.study.heading(drawn.value)
    painter.drawText(QPointF(room.left() + 4, room.top() + metrics.ascent()), f"{title}, mean ± spread")
    for number, line in enumerate(lines):
        pen = _pen(number, theme)
        there = np.flatnonzero(np.isfinite(line.mean))
        y = plot.y.place(np.where(np.isfinite(line.mean), line.mean, plot.y.low))
        thin = QPen(pen.color(), 1.2)
        shift = (number - 0.5 * (len(lines) - 1)) * 2.0  # bars of several lines stand beside each other
        for at in there.tolist():
            if math.isfinite(line.spread[at]):
                ends = plot.y.place(np.maximum(line.mean[at] + np.array([-1.0, 1.0]) * line.spread[at], plot.y.low))
                painter.setPen(thin)
                painter.drawLine(QPointF(x[at] + shift, ends[0]), QPointF(x[at] + shift, ends[1]))
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([QPointF(x[at], y[at]) for at in there.tolist()]))
        painter.setPen(QPen(QColor(*theme.background), 1.0))
        painter.setBrush(pen.color())
        for at in there.tolist():
            painter.drawEllipse(QPointF(x[at], y[at]), 3.6, 3.6)
    texts = [line.title for line in lines]
    box = QRectF(QPointF(), legend_size(metrics, texts))
    beside = box.width() <= room.right() - plot.area.right()
    if beside:
        box.moveTopRight(QPointF(room.right(), plot.area.top()))
    elif "accuracy" in drawn.value:
        box.moveBottomRight(plot.area.bottomRight() - QPointF(4, 4))
    else:
        box.moveTopLeft(plot.area.topLeft() + QPointF(6, 2))
    # Else there is no room for it; which line is read is said below.
    if len(lines) > 1 and (beside or box.height() <= 0.45 * plot.area.height()):
        plate(painter, box, theme)
        paint_legend(painter, box, [(_pen(i, theme), text) for i, text in enumerate(texts)], theme)


def paint(painter: QPainter, drawn: Drawn, room: QRectF, theme: Theme) -> None:
    """All of it but the cursor."""
    (paint_curves if drawn.curves else paint_map)(painter, drawn, room, theme)


class StudyPicture(Chart):
    """The picture; pointer and arrow keys read it, a click or Enter takes a cell.

    Parameters
    ----------
    pointed : callable
        ``pointed(places)``: the cell that is read, or None.
    taken : callable
        ``taken(places)``.
    """

    framed = True

    def __init__(self, pointed: Callable[[Places | None], object], taken: Callable[[Places], object]) -> None:
        super().__init__()
        self._pointed, self._taken = pointed, taken
        self._drawn: Drawn | None = None
        #: Column and row that is read, and whether the pointer does it.
        self.cell: tuple[int, int] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(320, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 9 * self.fontMetrics().height())

    def show_results(self, drawn: Drawn | None, theme: Theme) -> None:
        """Draw this."""
        self._drawn, self._theme = drawn, theme
        if self.cell is not None and not self._within(self.cell):
            self.cell = None
        self.update()

    def _within(self, cell: tuple[int, int]) -> bool:
        columns, rows = self._drawn.grid if self._drawn is not None else (0, 0)
        return 0 <= cell[0] < columns and 0 <= cell[1] < rows

    def room(self) -> QRectF:
        """Where it is painted."""
        return QRectF(self.rect()).adjusted(6, 6, -6, -6)

    def middle_of(self, cell: tuple[int, int]) -> QPointF:
        """The pixel in the middle of a cell, or where a curve has its value."""
        assert self._drawn is not None
        drawn, metrics = self._drawn, self.metrics()
        if not drawn.curves:
            area = map_area(drawn, self.room(), metrics)
            return QPointF(_x(area, drawn, cell[0]), _y(area, drawn, cell[1]))
        lines = lines_of(drawn)
        plot = curves_plot(drawn, lines, self.room(), metrics)
        value = float(lines[cell[1]].mean[cell[0]])
        x = plot.x.place_one(float(x_places(drawn)[cell[0]]))
        return QPointF(x, plot.y.place_one(value) if math.isfinite(value) else plot.area.bottom())

    def cell_at(self, position: QPointF) -> tuple[int, int] | None:
        """The cell there."""
        if self._drawn is None:
            return None
        drawn, metrics = self._drawn, self.metrics()
        columns, rows = drawn.grid
        if drawn.curves:
            places = [(column, row) for column in range(columns) for row in range(rows)]
            far = [(self.middle_of(each) - position).manhattanLength() for each in places]
            nearest = int(np.argmin(far))
            return places[nearest] if far[nearest] < 60 else None
        area = map_area(drawn, self.room(), metrics)
        if not area.contains(position):
            return None
        column = int((position.x() - area.left()) / area.width() * columns)
        row = int((area.bottom() - position.y()) / area.height() * rows)
        return min(column, columns - 1), min(row, rows - 1)

    def places(self, cell: tuple[int, int] | None) -> Places | None:
        """The cell of the study."""
        if self._drawn is None or cell is None or not self._within(cell):
            return None
        return self._drawn.places(*cell)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        ground = QColor(*theme.background)
        drawn = self._drawn
        if drawn is None:
            painter.fillRect(self.rect(), ground)
            return
        key = (drawn, theme)
        painter.drawPixmap(0, 0, self.kept(key, ground, lambda onto: paint(onto, drawn, self.room(), theme)))
        if self.cell is None or not self._within(self.cell):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        middle = self.middle_of(self.cell)
        if drawn.curves:
            box = QRectF(middle.x() - 7, middle.y() - 7, 14, 14)
        else:
            area = map_area(drawn, self.room(), self.metrics())
            wide, high = area.width() / drawn.sides[0], area.height() / drawn.sides[1]
            box = QRectF(middle.x() - wide / 2, middle.y() - high / 2, wide, high)
        for tint, width in ((QColor("white"), 4.0), (QColor("black"), 2.0)):
            painter.setPen(QPen(tint, width))
            painter.drawRect(box)

    # -- the user ------------------------------------------------------------------------------------------------------

    def read(self, cell: tuple[int, int] | None) -> None:
        """Read a cell."""
        if cell != self.cell:
            self.cell = cell
            self._pointed(self.places(cell))
            self.update()

    def _goal(self, event: QKeyEvent) -> tuple[int, int] | None:
        if self._drawn is None or not is_plain(event):
            return None
        key, (columns, rows) = Qt.Key, self._drawn.grid
        ways = {key.Key_Left: (-1, 0), key.Key_Right: (1, 0), key.Key_Up: (0, 1), key.Key_Down: (0, -1)}
        if self._drawn.curves:  # the first line of the legend stands on top
            ways |= {key.Key_Up: (0, -1), key.Key_Down: (0, 1)}
        way = ways.get(key(event.key()))
        if way is None:
            return None
        best = self._drawn.best
        if self.cell is None:
            return (0, 0) if best is None else (best.places[0], (*best.places, 0)[1] if rows > 1 else 0)
        return min(max(self.cell[0] + way[0], 0), columns - 1), min(max(self.cell[1] + way[1], 0), rows - 1)

    def event(self, event: QEvent) -> bool:
        # Keys that are also commands of the window are those of the picture while it has the focus.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._goal(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        goal = self._goal(event)
        if goal is not None:
            self.read(goal)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (places := self.places(self.cell)) is not None:
            self._taken(places)
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.read(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self.hasFocus():
            self.read(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.read(self.cell_at(event.position()))
            places = self.places(self.cell)
            if places is not None:
                self._taken(places)


#: Size in pixels of a saved picture, and of each of several.
SAVED, OF_SEVERAL = (900, 720), (560, 460)


def save_size(drawn: Drawn, least: tuple[int, int] = SAVED) -> tuple[int, int]:
    """Of a saved picture: room for the numbers of a map that is not too large."""
    columns, rows = drawn.sides
    return least if drawn.curves else (max(least[0], min(columns * 60, 3000)), max(least[1], min(rows * 36, 3000)))


def picture_bytes(pictures: Sequence[Drawn], kind: str) -> bytes:
    """The pictures as the bytes of a PNG or an SVG file, on white; several side by side, each below its choice."""
    from PySide6.QtGui import QFont

    across = math.ceil(math.sqrt(len(pictures)))
    wide, high = save_size(pictures[0], SAVED if across == 1 else OF_SEVERAL)
    size = QSize(across * wide, math.ceil(len(pictures) / across) * high)

    def draw(device: QPaintDevice) -> None:
        with painter_on(device) as painter:
            font = QFont(painter.font())
            font.setPointSizeF(11.0)
            painter.setFont(font)
            for number, drawn in enumerate(pictures):
                room = QRectF(number % across * wide, number // across * high, wide, high).adjusted(12, 12, -12, -12)
                if len(pictures) > 1:
                    painter.setPen(QColor(*LIGHT.ink))
                    painter.drawText(room, Qt.AlignmentFlag.AlignHCenter, choice_text(drawn.study, drawn.rest, 2))
                    room.setTop(room.top() + 1.5 * painter.fontMetrics().height())
                paint(painter, drawn, room, LIGHT)

    if kind == "svg":
        return svg_bytes(size, "Study", draw, plain=True)
    ratio = 2 if across == 1 else 1
    image = QImage(size * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("white"))
    draw(image)
    return png_bytes(image)


def map_bytes(kept: StudyResults, value: str) -> bytes:
    """A PNG file of a picture for each choice of the axes beyond the second, without a window."""
    make_application()
    means = kept.means(value)
    span = span_of(means.mean, None)
    pictures = []
    for rest in all_rests(kept.study):
        drawn = Drawn(kept, means, value, rest, span=span)
        pictures.append(drawn if drawn.curves else replace(drawn, best=best_of(kept, value, rest)))
    return picture_bytes(pictures, "png")
