"""StudyPicture: the results of a study as a map or as curves, with a cursor; and the same for a file."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QKeyEvent

from app.core.number_format import distinct
from app.engine.shading import RGB
from app.views.application import make_application
from app.views.chart import saving
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import Chart, is_plain
from app.views.chart.colour_map import BLACK, WHITE, levels_of, rgb_of, shades
from app.views.chart.marks import BAR, DASHES, Cells, ColourBar, Line, Mark, Scatter, Strokes, Texts
from app.views.png_bytes import png_bytes
from app.views.theme import LIGHT, Theme, contrast
from app.views.widgets.painting import painter_on
from solver import Grid
from solver.core.arrays import Array
from solver.kernels.lines import level_lines

from .cells import CellIndex
from .controller import CURVES
from .map_reading import (
    Best,
    all_further,
    axis_title,
    best_of,
    blocks,
    choice_text,
    is_log,
    measure_text,
    plane_of,
    span_of,
    value_text,
)
from .model import MEASURES, Study
from .results import Means, StudyResults

#: Colour of cells without a result, on a light and a dark background.
MISSING = np.uint32(0xFFDCDCDC), np.uint32(0xFF4A4A4D)
#: Corners of a cell relative to its middle, x and y.
SQUARE = (-0.5, 0.5, 0.5, -0.5, -0.5), (-0.5, -0.5, 0.5, 0.5, -0.5)
#: Distance (pixels) within which the pointer finds a value of a curve.
FAR = 60.0
#: Distance (cells) of the star above the middle of its cell; the number is below.
UP = 0.2
#: Distance (pixels) between the spreads of two curves at the same value.
ASIDE = 2.0
KEY = Qt.Key
#: Columns to the right and rows upwards that a key moves by.
WAYS = {KEY.Key_Left: (-1, 0), KEY.Key_Right: (1, 0), KEY.Key_Up: (0, 1), KEY.Key_Down: (0, -1)}
#: Positions of no cells.
NOWHERE = np.empty((0, 0)), np.empty((0, 0))


class Drawn(Struct, frozen=True, eq=False):
    """The data of a picture.

    Attributes
    ----------
    kept : StudyResults
    means : Means
        Of `value`.
    value : str
    rest : tuple of int
    best : Best or None
    cross : tuple of float or None
        Position of the lane's settings, in cells from the first.
    same : bool
        True if all its other settings are those of the study.
    midpoint, level : float or None
    span : tuple of float or None
        Ends of the colour scale, if maps side by side share it.
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
        """The study."""
        return self.kept.study

    @property
    def curves(self) -> bool:
        """True if it is drawn as curves."""
        return self.study.kind in CURVES or len(self.study.axes) == 1

    @property
    def sides(self) -> tuple[int, int]:
        """Number of cells to the right and upwards."""
        columns, rows = (*self.study.shape, 1)[:2]
        return columns, rows

    def cell(self, column: int, row: int) -> CellIndex:
        """Return the index of the cell on each axis."""
        return (column, row, *self.rest)[: len(self.study.axes)]


def readable_on(background: RGB) -> RGB:
    """Return black or white, whichever is more readable on this background."""
    return max((WHITE, BLACK), key=lambda ink: contrast(ink, background))


def _labels(drawn: Drawn, axis: int) -> tuple[str, ...]:
    study = drawn.study
    return tuple(value_text(study, axis, v) for v in study.axes[axis].values) if axis < len(study.axes) else ("",)


def _heading(drawn: Drawn) -> str:
    """Return the heading; for maps side by side with the choice of the further axes."""
    choice = choice_text(drawn.study, drawn.rest, 2) if drawn.span is not None else ""
    return f"{choice}   {drawn.study.heading(drawn.value)}".strip()


# -- maps --------------------------------------------------------------------------------------------------------------


def map_axes(drawn: Drawn) -> tuple[ChartAxis, ChartAxis]:
    """Return the axes of a map: a name for each column and row."""
    study = drawn.study
    up = ChartAxis(f"{axis_title(study, 1)} ↑   {_heading(drawn)}, mean", names=_labels(drawn, 1))
    return ChartAxis(axis_title(study, 0), names=_labels(drawn, 0)), up


def map_marks(drawn: Drawn, theme: Theme) -> list[Mark]:
    """Return the cells with their numbers, contour, star and cross."""
    study, rest = drawn.study, drawn.rest
    mean, errors = plane_of(drawn.means.mean, study, rest), plane_of(drawn.means.errors, study, rest)
    there, exists = np.isfinite(mean), plane_of(drawn.kept.defined, study, rest)
    shown, table = blocks(there, study), shades(drawn.midpoint is not None)
    filled = (shown[..., 0] >= 0) & exists & (there | (errors == 0))
    coloured = table[levels_of(mean[shown[..., 0], shown[..., 1]], drawn.span or span_of(mean, drawn.midpoint))]
    empty = np.where(exists, MISSING[theme.dark], np.uint32(QColor(*theme.background).rgb()))
    columns, rows = np.nonzero(there)
    failed = np.nonzero(errors.astype(np.bool_) & ~there)
    line = _contour(mean, drawn.level)
    name = f"{_heading(drawn)}, {axis_title(study, 1)} by {axis_title(study, 0)}"
    marks: list[Mark] = [
        Cells(pixels=np.where(filled, coloured, empty).T, values=mean.T, name=name),
        Texts(
            x=columns.tolist(),
            y=(rows - 0.5).tolist(),
            texts=[measure_text(drawn.value, each) for each in mean[there].tolist()],
            colours=[readable_on(rgb_of(each)) for each in coloured[there].tolist()],
            anchor=(0.5, 1.0),
            in_cells=True,
        ),
        Scatter(x=failed[0], y=failed[1], symbol="x", size=10.0, colour=theme.ink),
        Line(x=line[:, 0], y=line[:, 1], colour=WHITE, width=4.0),
        Line(x=line[:, 0], y=line[:, 1], colour=BLACK, width=1.8),
    ]
    if drawn.best is not None:
        x, y = (*drawn.best.cell, 0)[:2]
        marks.append(Scatter(x=[x], y=[y + UP], symbol="star", size=19.0, colour=WHITE, edge=BLACK, edge_width=1.5))
    if drawn.cross is not None:
        at = (*drawn.cross, 0.0)
        fill, edge = (BLACK, WHITE) if drawn.same else (WHITE, BLACK)  # open: its other settings differ
        marks.append(Scatter(x=at[:1], y=at[1:2], symbol="+", size=22.0, colour=fill, edge=edge, edge_width=1.5))
    return marks


def colour_bar(drawn: Drawn) -> ColourBar:
    """Return the bar that explains the colours of a map, without colours that no cell has."""
    mean, middle = plane_of(drawn.means.mean, drawn.study, drawn.rest), drawn.midpoint
    least, most = drawn.span or span_of(mean, None)
    if middle is not None:
        least, most = min(least, middle), max(most, middle)
    between = 0.5 * (least + most) if middle is None else middle
    pixels = shades(middle is not None)[levels_of(np.linspace(least, most, 256), drawn.span or span_of(mean, middle))]
    values = (least, most, between)
    texts = distinct(values, partial(measure_text, drawn.value), 0)
    return ColourBar(pixels=pixels, low=least, high=most, texts=[*zip(values, texts, strict=True)], level=drawn.level)


def _contour(mean: Array, level: float | None) -> Array:
    """Return the line on which the mean is `level`, between the cells' middles, separated by NaN, shape (n, 2)."""
    if level is None:
        return np.empty((0, 2))
    width, height = mean.shape
    return level_lines(Grid(-0.5, width - 0.5, -0.5, height - 0.5, width, height), mean.T, (level,), thin=0.0)


# -- curves ------------------------------------------------------------------------------------------------------------


def curves_of(drawn: Drawn) -> list[tuple[str, Array, Array]]:
    """Return title, means and spreads of the curves: one per value of the second axis, else one per measure."""
    study = drawn.study
    if len(study.axes) > 1:
        mean, spread = (plane_of(each, study, drawn.rest) for each in (drawn.means.mean, drawn.means.spread))
        return list(zip(_labels(drawn, 1), mean.T, spread.T, strict=True))
    names = [drawn.value]
    if "accuracy" in drawn.value:
        names += [name for name in study.values if "accuracy" in name and name != drawn.value]
    means = [drawn.kept.means(name) for name in names[1:]]
    return [(study.heading(n), each.mean, each.spread) for n, each in zip(names, (drawn.means, *means), strict=True)]


def curves_x(drawn: Drawn) -> tuple[ChartAxis, Array]:
    """Return the horizontal axis and the values on it; choices, and a single value, are side by side."""
    axis, title, names = drawn.study.axes[0], axis_title(drawn.study, 0), _labels(drawn, 0)
    values = axis.values
    if len(values) < 2 or any(isinstance(each, str) for each in values):
        return ChartAxis(title, names=names), np.arange(len(values), dtype=np.float64)
    numbers = tuple(float(each) for each in values)
    return ChartAxis(title, log=is_log(axis), names=names, at=numbers), np.array(numbers)


def curves_marks(drawn: Drawn, x: Array, theme: Theme) -> tuple[list[Mark], ChartAxis]:
    """Return each curve with its spread, the first one on top, and the vertical axis."""
    curves, measure, marks = curves_of(drawn), MEASURES[drawn.value], list[Mark]()
    means = np.concatenate([mean[np.isfinite(mean)] for _, mean, _ in curves])
    log = measure.log and len(means) > 0 and bool(means.min() > 0)
    least = 10.0 ** math.floor(math.log10(means.min())) if log else 0.0 if measure.share else -np.inf
    most = 1.0 if measure.share else np.inf
    for number, (title, mean, spread) in reversed(list(enumerate(curves))):
        colour, there = theme.classes[number % len(theme.classes)], np.isfinite(mean)
        low, high = (np.clip(each, least, most) for each in (mean - spread, mean + spread))
        aside = ASIDE * (number - 0.5 * (len(curves) - 1))
        marks.append(Strokes(x=x, low=low, high=high, colour=colour, width=1.2, aside=aside, name=title))
        line = Line(
            x=x[there],
            y=mean[there],
            colour=colour,
            width=2.2,
            dash=DASHES[number % len(DASHES)],
            symbol="o",
            symbols_at=np.arange(there.sum()),
            name=title,
        )
        marks.append(line)
    return marks, ChartAxis(f"{_heading(drawn)}, mean ± spread", log=log, unit="%" if measure.share else "")


class StudyPicture(Chart):
    """The picture; pointer and arrow keys read it, a click or Enter chooses a cell.

    Parameters
    ----------
    pointed : callable
        ``pointed(cell)`` is called with the cell that is read, or None.
    taken : callable
        ``taken(cell)`` is called with the chosen cell.
    """

    framed = sets = True
    short = 0.0  # there is no room for it beside the values

    def __init__(self, pointed: Callable[[CellIndex | None], object], taken: Callable[[CellIndex], object]) -> None:
        super().__init__()
        self._pointed, self._taken = pointed, taken
        self._shown: Drawn | None = None
        #: Positions on both axes of each column and row.
        self._at = NOWHERE
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(320, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 9 * self.fontMetrics().height())

    # -- the results -----------------------------------------------------------------------------------------------

    def show_results(self, drawn: Drawn | None, theme: Theme) -> None:
        """Draw these results."""
        if drawn is self._shown and theme is self.theme:
            return
        self._shown = drawn
        if drawn is None:
            self._at = NOWHERE
            self.show_marks((), theme)
        elif drawn.curves:
            across, x = curves_x(drawn)
            marks, up = curves_marks(drawn, x, theme)
            means = np.column_stack([mean for _, mean, _ in curves_of(drawn)])
            self._at = np.repeat(x[:, None], means.shape[1], axis=1), means
            self.show_marks(marks, theme, across, up, over=self._over())
        else:
            at = np.indices(drawn.sides, dtype=np.float64)
            self._at = at[0], at[1]
            self.show_marks(map_marks(drawn, theme), theme, *map_axes(drawn), over=self._over())

    def named(self) -> list[Mark]:
        lines: list[Mark] = [mark for mark in super().named() if isinstance(mark, Line)]
        return lines if len(lines) > 1 else []  # the title names a single one

    def lines(self) -> list[Line]:
        return []  # it is read by columns and rows

    def right_of(self, metrics: QFontMetricsF) -> float:
        texts = [text for mark in self.over if isinstance(mark, ColourBar) for _, text in mark.texts]
        widest = max(map(metrics.horizontalAdvance, [*texts, "99.9+ %"]))
        return BAR + widest + 16 if texts else super().right_of(metrics)

    def _over(self) -> list[Mark]:
        """Return the bar of colours, and a frame around the cell that is read."""
        drawn, marks = self._shown, list[Mark]()
        if drawn is None:
            return marks
        if not drawn.curves:
            marks.append(colour_bar(drawn))
        if self.reading is not None:
            column, row = self._at[0][self.reading], self._at[1][self.reading]
            for tint, width in ((WHITE, 4.0), (BLACK, 2.0)):
                if drawn.curves:
                    y = [row if np.isfinite(row) else self.y.value(self.box.viewRange()[1][0])]
                    marks.append(
                        Scatter(x=[column], y=y, symbol="s", size=14.0, colour=tint, edge_width=width, hollow=True)
                    )
                else:
                    x, y = ([at + dx for dx in side] for at, side in ((column, SQUARE[0]), (row, SQUARE[1])))
                    marks.append(Line(x=x, y=y, colour=tint, width=width))
        return marks

    # -- reading ---------------------------------------------------------------------------------------------------

    def _is_there(self, column: int, row: int) -> bool:
        columns, rows = self._at[0].shape
        return bool(column < columns and row < rows)

    def middles(self) -> tuple[Array, Array]:
        """Return the pixels in the middle of each cell, or at each value of the curves."""
        x, y = self.pixels(*self._at)
        return x, np.where(np.isfinite(y), y, self.area().bottom())

    def cell_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return the cell at `position`, or the nearest value of a curve."""
        drawn, (x, y) = self._shown, self.middles()
        if drawn is None or not (drawn.curves or self.area().contains(position)):
            return None
        far = np.abs(x - position.x()) + np.abs(y - position.y())
        column, row = np.unravel_index(int(far.argmin()), far.shape)
        return (int(column), int(row)) if far.min() < FAR or not drawn.curves else None

    def cell_read(self) -> CellIndex | None:
        """Return the cell of the study that is read."""
        return None if self._shown is None or self.reading is None else self._shown.cell(*self.reading)

    def read(self, found: tuple[int, int] | None) -> None:
        """Read off a column and row."""
        if found != self.reading:
            self.reading = found
            self._pointed(self.cell_read())
            self.over = tuple(self._over())
            self.viewport().update()

    # -- the user --------------------------------------------------------------------------------------------------

    def pointed(self, position: QPointF | None) -> None:
        if position is not None:
            self.read(self.cell_at(position))
        elif not self.hasFocus():
            self.read(None)

    def put(self, position: QPointF) -> None:
        self.dragging = False  # a click chooses one cell
        self.read(self.cell_at(position))
        self._take()

    def _take(self) -> bool:
        cell = self.cell_read()
        if cell is not None:
            self._taken(cell)
        return cell is not None

    def _goal(self, event: QKeyEvent) -> tuple[int, int] | None:
        drawn, way = self._shown, WAYS.get(KEY(event.key()))
        if drawn is None or way is None or not is_plain(event):
            return None
        columns, rows = self._at[0].shape
        up = -way[1] if drawn.curves else way[1]  # the first curve of the legend is on top
        if self.reading is None:
            column, row = (0, 0) if drawn.best is None else (*drawn.best.cell, 0)[:2]
        else:
            column, row = self.reading[0] + way[0], self.reading[1] + up
        return min(max(column, 0), columns - 1), min(max(row, 0), rows - 1)

    def takes(self, event: QKeyEvent) -> bool:
        return self._goal(event) is not None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        goal = self._goal(event)
        if goal is not None:
            self.read(goal)
        elif event.key() not in (KEY.Key_Return, KEY.Key_Enter) or not self._take():
            super().keyPressEvent(event)


# -- files -------------------------------------------------------------------------------------------------------------

#: Size (pixels) of a saved picture, and of each of several.
SAVED, OF_SEVERAL = (900, 720), (560, 460)
#: Size of its font (points).
LETTERS = 11.0


def chart_of(drawn: Drawn, least: tuple[int, int] = SAVED) -> StudyPicture:
    """Return a chart for a file, white and hidden, large enough for the numbers of a map that is not too large."""
    chart = StudyPicture(lambda cell: None, lambda cell: None)
    chart.framed = False
    chart.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    chart.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    chart.setAccessibleName("Study")
    font = chart.font()
    font.setPointSizeF(LETTERS)
    chart.setFont(font)
    columns, rows = (0, 0) if drawn.curves else drawn.sides
    chart.resize(max(least[0], min(columns * 60, 3000)), max(least[1], min(rows * 36, 3000)))
    chart.show_results(drawn, LIGHT)
    chart.show()
    return chart


def picture_bytes(drawn: Drawn, kind: str) -> Callable[[], bytes]:
    """Draw a PNG or an SVG file; return a function that encodes it, on any thread."""
    chart = chart_of(drawn)
    if kind == "svg":
        data = saving.svg_of(chart)
        return lambda: data
    image = saving.image_of(chart)
    return lambda: png_bytes(image)


def map_bytes(kept: StudyResults, value: str) -> bytes:
    """Return a PNG file with a picture for each choice of the axes beyond the second; needs no window."""
    make_application()
    means, fixed = kept.means(value), all_further(kept.study)
    drawns = [Drawn(kept, means, value, rest, span=span_of(means.mean, None)) for rest in fixed]
    drawns = [each if each.curves else replace(each, best=best_of(kept, value, each.rest)) for each in drawns]
    if len(drawns) == 1:
        return picture_bytes(drawns[0], "png")()
    pictures = [chart_of(each, OF_SEVERAL).grab() for each in drawns]
    across, size = math.ceil(math.sqrt(len(pictures))), pictures[0].deviceIndependentSize().toSize()
    high = math.ceil(len(pictures) / across) * size.height()
    image = QImage(across * size.width(), high, QImage.Format.Format_RGB32)
    image.fill(QColor(*LIGHT.background))
    with painter_on(image) as painter:
        for number, picture in enumerate(pictures):
            painter.drawPixmap(number % across * size.width(), number // across * size.height(), picture)
    return png_bytes(image)
