"""RaceCurves: how far each racer is from the optimum, against what it has spent; both axes logarithmic."""

from __future__ import annotations

import math
import time
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF

from app.core.number_format import grouped
from app.engine.shading import RGB
from app.views.charts.chart import Chart, Plot, paint_columns, paint_rows
from app.views.charts.scales import powers
from app.views.plot.lines import draw_line
from app.views.theme import Theme, theme_of
from app.views.widgets.painting import blank, painter_on, saved
from solver.core.arrays import Array

from .race_frame import CURVE, NEAR_GAP, RaceFrame

#: What can be drawn upwards and to the right: columns of a curve, and what they are called.
UPWARDS = {"gap": "Gap", "violation": "KKT violation"}
RIGHTWARDS = {"steps": "Steps", "evaluations": "Evaluations", "seconds": "Time"}
NAMES = {"steps": "Steps →", "evaluations": "Kernel evaluations →", "seconds": "Solver time →"}
#: Dash and gap of the racers' lines, in pixels; none is a solid line.
DASHES: tuple[tuple[float, float] | None, ...] = (None, (12.0, 5.0), (2.5, 3.0), (6.0, 2.5))
MARKERS = ("disc", "square", "triangle", "diamond")
#: Width of a line, size of a marker, and markers on a line, at most.
WIDTH, MARKER, MOST_MARKERS = 2.0, 7.0, 9
#: Below this, a gap or violation is drawn at it: the axis has to end somewhere.
LOWEST = 1e-9
#: Seconds between two paintings while the race goes on: long dashed lines are the slowest part of the window.
INTERVAL = 0.1
EMPTY = "The curves appear when the race runs."
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def colour_of(theme: Theme, slot: int) -> RGB:
    """The colour of the racer in place `slot`: none of the first classes' colours, which stand for points."""
    theme = theme_of(theme.dark)  # its own colours: those of the document may be too faint for lines
    return (theme.ink, theme.classes[5], theme.classes[4], theme.classes[2])[slot % 4]


def draw_racer(painter: QPainter, theme: Theme, slot: int, x: Array, y: Array, seen: QRectF) -> None:
    """Draw the line of the racer in place `slot`, as far as it lies in `seen`."""
    draw_line(painter, x, y, QPen(QColor(*colour_of(theme, slot)), WIDTH), seen, DASHES[slot % 4])


def draw_marker(painter: QPainter, theme: Theme, slot: int, at: QPointF, size: float = MARKER) -> None:
    """Draw the sign of the racer in place `slot`."""
    half, x, y = 0.5 * size, at.x(), at.y()
    painter.setPen(QPen(QColor(*theme.base), 1.0))
    painter.setBrush(QColor(*colour_of(theme, slot)))
    kind = MARKERS[slot % 4]
    if kind == "disc":
        painter.drawEllipse(at, half, half)
    elif kind == "square":
        painter.drawRect(QRectF(x - half, y - half, size, size))
    else:
        top, low = QPointF(x, y - 1.2 * half), 1.2 * half
        if kind == "triangle":
            corners = [top, QPointF(x + low, y + half), QPointF(x - low, y + half)]
        else:
            corners = [top, QPointF(x + low, y), QPointF(x, y + low), QPointF(x - low, y)]
        painter.drawPolygon(QPolygonF(corners))
    painter.setBrush(Qt.BrushStyle.NoBrush)


@lru_cache(maxsize=32)
def _marker(dark: bool, slot: int, size: float, ratio: float) -> QPixmap:
    """A sign as a picture: copying it takes a tenth of the time that drawing it does."""
    side = math.ceil(1.3 * size) + 2
    pixmap = blank(side, side, ratio)
    with painter_on(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_marker(painter, theme_of(dark), slot, QPointF(0.5 * side, 0.5 * side), size)
    return pixmap


def key_pixmap(theme: Theme, slot: int, ratio: float, height: int, longish: float) -> QPixmap:
    """A piece of the racer's line with its sign, for headings and the table; `longish` times as long as high."""
    width = round(longish * height)
    pixmap = blank(width, height, ratio)
    with painter_on(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ends = np.array([0.0, width]), np.array([0.5, 0.5]) * height
        draw_racer(painter, theme, slot, *ends, QRectF(0, 0, width, height))
        draw_marker(painter, theme, slot, QPointF(0.5 * width, 0.5 * height), 0.55 * height)
    return pixmap


def decades(values: Array, steps: int) -> tuple[float, float]:
    """The ends of an axis of `values` above 0: powers of ten or, with more `steps`, parts of one."""
    logarithms = np.log10(values)
    low = math.floor(float(logarithms.min()) * steps + 1e-9) / steps
    high = math.ceil(float(logarithms.max()) * steps - 1e-9) / steps
    return 10.0**low, 10.0 ** max(high, low + 1)


def tick_text(name: str, exponent: int) -> str:
    """What stands at 10^exponent of the axis `name`."""
    if name == "seconds" and exponent >= -6:
        unit = "s" if exponent >= 0 else "ms" if exponent >= -3 else "µs"
        return f"{grouped(10 ** (exponent % 3 if exponent < 0 else exponent))} {unit}"
    if name == "gap" and -6 <= exponent <= 0:
        return f"{10.0 ** (exponent + 2):.{max(0, -exponent - 2)}f}\u202f%"
    if 0 <= exponent <= 3:
        return grouped(10**exponent)
    return "10" + str(exponent).translate(_SUPERSCRIPTS) + (" s" if name == "seconds" else "")


class RaceCurves(Chart):
    """The plot."""

    def __init__(self) -> None:
        super().__init__()
        self._frame: RaceFrame | None = None
        self._painted = 0.0
        self.upwards, self.rightwards = "gap", "steps"
        self.setMinimumSize(200, 120)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def sizeHint(self) -> QSize:
        return QSize(420, 140)

    def show_frame(self, frame: RaceFrame | None, theme: Theme, moving: bool = False) -> None:
        """Show the curves of `frame`; while they are `moving`, not each of them."""
        now = time.perf_counter()
        if moving and theme is self._theme and now < self._painted + INTERVAL:
            return
        if frame is not self._frame or theme is not self._theme:
            self._frame, self._theme, self._painted = frame, theme, now
            self.update()

    def choose(self, upwards: str, rightwards: str) -> None:
        """Choose the axes, names of `UPWARDS` and `RIGHTWARDS`."""
        if (upwards, rightwards) != (self.upwards, self.rightwards):
            self.upwards, self.rightwards = upwards, rightwards
            self.update()

    def lines(self) -> list[tuple[int, Array]]:
        """(slot, xy of shape (m, 2)) of each racer that has something to show, in the units of the axes."""
        if self._frame is None:
            return []
        x, y = CURVE.index(self.rightwards), CURVE.index(self.upwards)
        found = []
        for slot, racer in enumerate(self._frame.racers):
            xy = racer.curve[:, (x, y)]
            xy = xy[np.isfinite(xy).all(axis=1) & (xy[:, 0] > 0)]
            if len(xy):
                found.append((slot, np.column_stack((xy[:, 0], np.maximum(xy[:, 1], LOWEST)))))
        return found

    @property
    def goal(self) -> float:
        """The height of the line that a racer has to come down to."""
        return NEAR_GAP if self.upwards == "gap" else self._frame.tol if self._frame is not None else 1e-3

    # -- painting --------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.fillRect(self.rect(), QColor(*theme.base))
        lines = self.lines()
        if lines:
            self._paint_lines(painter, theme, lines)
        else:
            painter.setPen(QColor(*theme.faint))
            missing = self._frame is not None and self._frame.begun
            text = f"There is no {UPWARDS[self.upwards].lower()} to be drawn here." if missing else EMPTY
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(8, 8, -8, -8), flags, text)

    def _paint_lines(self, painter: QPainter, theme: Theme, lines: list[tuple[int, Array]]) -> None:
        everything = np.concatenate([xy for _, xy in lines])
        plot = self._paint_axes(painter, theme, everything)
        area = plot.area
        placed = [(slot, *plot.places(xy[:, 0], xy[:, 1])) for slot, xy in lines]
        with saved(painter):
            painter.setClipRect(area.adjusted(-WIDTH, -WIDTH, WIDTH, WIDTH))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for slot, x, y in placed:
                draw_racer(painter, theme, slot, x, y, area)
                # Signs at even distances to the right, and always where it stands.
                wanted = np.linspace(area.left(), area.right(), MOST_MARKERS)[1:-1] + 9 * slot
                at = {int(np.searchsorted(x, each)) for each in wanted if x[0] <= each <= x[-1]}
                for place in sorted(at - {len(x) - 1}):
                    self._mark(painter, theme, slot, float(x[place]), float(y[place]), MARKER)
            for slot, x, y in placed:
                self._mark(painter, theme, slot, float(x[-1]), float(y[-1]), 1.6 * MARKER)

    def _mark(self, painter: QPainter, theme: Theme, slot: int, x: float, y: float, size: float) -> None:
        pixmap = _marker(theme.dark, slot, size, self.devicePixelRatioF())
        half = 0.5 * pixmap.deviceIndependentSize().width()
        painter.drawPixmap(QPointF(x - half, y - half), pixmap)

    def _paint_axes(self, painter: QPainter, theme: Theme, everything: Array) -> Plot:
        """Numbers, lines and names; returns the plot that they belong to."""
        metrics, grid = self.fontMetrics(), QPen(QColor(*theme.faint, 70))
        high = metrics.height()
        across, up = decades(everything[:, 0], 3), decades(np.append(everything[:, 1], self.goal), 1)
        numbers = powers(*up, max(2, int((self.height() - 3 * high) / (1.3 * high))))
        texts = [tick_text(self.upwards, exponent) for exponent in numbers]
        left = 10 + max(map(metrics.horizontalAdvance, texts), default=0)
        area = QRectF(left, 0.8 * high, self.width() - left - 14, self.height() - 3.1 * high)
        plot = Plot.over(area, across, up, log=True)
        rows = [(plot.y.place_one(10.0**each), text) for each, text in zip(numbers, texts, strict=True)]
        paint_rows(painter, area, rows, theme, grid)
        at = powers(*across, max(2, int(area.width() / metrics.horizontalAdvance("10 000 ms"))))
        columns = [(plot.x.place_one(10.0**each), tick_text(self.rightwards, each)) for each in at]
        painter.setPen(grid)
        painter.drawLines([QLineF(x, area.top(), x, area.bottom()) for x, _ in columns])
        paint_columns(painter, area, columns, "", 4, theme)
        painter.setPen(QColor(*theme.faint))
        painter.drawRect(area)
        painter.setPen(QColor(*theme.ink))
        box = QRectF(area.left(), area.bottom() + high + 4, area.width(), high + 2)
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, NAMES[self.rightwards])
        self._paint_goal(painter, theme, plot)
        return plot

    def _paint_goal(self, painter: QPainter, theme: Theme, plot: Plot) -> None:
        """A line that a racer has to come down to, and its name."""
        area, metrics, goal = plot.area, self.fontMetrics(), plot.y.place_one(self.goal)
        pen = QPen(QColor(*theme.accent), 1.5)
        pen.setDashPattern([8, 4])
        painter.setPen(pen)
        painter.drawLine(QLineF(area.left(), goal, area.right(), goal))
        text = f"{NEAR_GAP:.0%}".replace("%", "\u202f%") if self.upwards == "gap" else "tolerance"
        label = QRectF(0, goal - metrics.height() - 1, metrics.horizontalAdvance(text) + 8, metrics.height())
        label.moveRight(area.right() - 3)
        if label.top() < area.top():
            label.moveTop(goal + 2)
        painter.fillRect(label, QColor(*theme.base, 210))
        painter.setPen(QColor(*theme.accent))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)
