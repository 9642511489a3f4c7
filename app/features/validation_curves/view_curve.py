"""ValidationCurveView: accuracy over the whole range of a slider, each value straight below the handle's position.

Nothing is smoothed: values are drawn at the positions where they were computed, and straight lines only connect
neighbours.  If a training was stopped early, its value is a hollow ring, and the line is interrupted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QSizePolicy

from app.core.number_format import count, grouped, percent, share_text
from app.engine.shading import RGB
from app.learners.scales import Scale
from app.scene.model import LaneScene
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import EDGE, INSET, Chart, goal_of, is_plain
from app.views.chart.legend import width_of
from app.views.chart.marks import DASHED, DOTTED, SOLID, LevelLine, Line, Mark, Scatter, Texts
from app.views.theme import Theme, mixed
from app.views.widgets.deferred import later
from app.views.widgets.scale_slider import ScaleSlider
from solver.core.arrays import Array

from .scene import MOST_UPDATES, Curve, Strips, ValidationCurve

#: Short names of the series, for narrow curves.
SHORT = {"training": "train", "validation": "valid", "test": "test"}


def rows(curve: Curve, index: int) -> list[tuple[str, float]]:
    """Return name and accuracy of each series at `index` of the curve; NaN if unknown."""
    series = [("training", curve.train), ("validation", curve.validated)]
    if curve.total and not all(map(math.isnan, curve.test)):
        series.append(("test", curve.test))
    return [(name, float(values[index])) for name, values in series]


@lru_cache(maxsize=64)
def sentence(curve: Curve, position: int, stale: bool) -> str:
    """Return the accuracies at a position, with remarks on them: "C = 10: training 97.0 %, validation 93.0 %"."""
    scale, field = curve.scale, curve.field
    index = min(max(position, scale.low), scale.high) - scale.low
    head = f"{field.called} = {field.number(scale.value_at(scale.low + index))}"
    values = rows(curve, index)
    if all(math.isnan(value) for _, value in values):
        return f"{head}: not tried yet"
    text = f"{head}: " + ", ".join(f"{name} {percent(value)}" for name, value in values)
    if not curve.finished[index]:
        text += " (stopped early)"
    return text + (" (before the change)" if stale else "")


def remark(curve: Curve) -> str:
    """Return a remark about the whole curve, or ""."""
    if curve.counted < curve.total:
        return f"so far, of {grouped(curve.counted)} of {count(curve.total, 'point')}"
    return f"of a sample of {count(curve.sampled, 'point')}" if curve.sampled < curve.n_points else ""


def notes(strip: ValidationCurve) -> str:
    """Return what the picture may have no room for, and what its symbols mean: a sentence per line, or ""."""
    curve = strip.curve
    if curve is None or strip.message or not len(curve.known):
        return strip.message
    lines = [f"Training: points it was trained on; validation: each of them left out in turn ({curve.method})"]
    if not all(map(math.isnan, curve.test)):
        lines[0] += "; test: the test points" + (
            f", of which {grouped(curve.tested)} are counted" if curve.tested else ""
        )
    lines += [remark(curve).capitalize()] if remark(curve) else []
    if 0 < curve.fewest < curve.folds:
        lines.append(f"The smallest class has {count(curve.fewest, 'point')}: some of {curve.folds} parts have none")
    if not all(curve.finished[curve.known]):
        lines.append(f"Hollow ring: stopped early after {grouped(MOST_UPDATES)} updates, or there is no solution")
    return "\n".join(f"{line}." for line in lines)


#: Opacity of a curve that belongs to other points or settings.
FADED = 0.35
#: Distance beyond the first and last position that still belongs to the picture (pixels).
BESIDE = 7
#: Height of the curves (pixels) except in Simple.
HIGH = 80


class HandleAxis(ChartAxis, frozen=True):
    """The axis along a slider: values are at the centre of the handle.

    Attributes
    ----------
    values : tuple of float
        Values at the slider's positions.
    centres : tuple of float
        Pixels of the handle's centre at these positions.
    """

    values: tuple[float, ...] = (0.0, 1.0)
    centres: tuple[float, ...] = (0.0, 1.0)

    def positions(self, values: ArrayLike) -> Array:
        return np.interp(np.asarray(values, dtype=np.float64), self.values, self.centres)

    def value(self, position: float) -> float:
        return float(np.interp(position, self.centres, self.values))

    def ends(self, values: ArrayLike) -> tuple[float, float]:
        return self.centres[0], max(self.centres[-1], self.centres[0] + 1.0)


class ValidationCurveView(Chart):
    """The chart below `slider`.

    Parameters
    ----------
    slider : ScaleSlider
        A child of the same form.
    control : str
        Name of the control that the slider sets.
    jump : callable
        ``jump(value)`` sets the control, as one undo step.
    """

    framed = sets = under = True
    name, title = "strip", "Accuracy over"
    use = "Accuracy over the whole range: arrow keys read it value by value, Enter or a click goes there."

    def __init__(self, slider: ScaleSlider, control: str, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._slider, self._control, self._jump = slider, control, jump
        self._strip: ValidationCurve | None = None
        self._simple = False
        self.box.setMouseEnabled(x=False)  # no zoom: each value stays below the handle
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # the row of the form makes room
        slider.installEventFilter(self)
        self.hide()

    def render_lane(self, lane: LaneScene, theme: Theme) -> bool:
        """Show the lane's curve; return whether it is visible."""
        strips = lane.feature(Strips) or Strips(())
        curve = next((curve for curve in strips.curves if curve.field.name == self._control), None)
        if lane.simple != self._simple:
            self._simple = lane.simple
            self.updateGeometry()
        if curve is None or not curve.shown:  # the slider alone is visible
            if curve is not None:
                self._slider.show_scale(curve.scale)
            return False
        self.show_strip(curve, theme)
        return True

    def show_strip(self, strip: ValidationCurve, theme: Theme) -> None:
        """Show this curve; the slider gets its scale as well."""
        self._slider.show_scale(strip.scale)
        if strip == self._strip and theme is self.theme:
            return
        waits = self._strip is not None and strip.stale and theme is self.theme
        self._strip, self.theme = strip, theme
        if waits:  # a point has changed: the pictures are drawn first
            later(self, self.remake)
        else:
            self.remake()

    def made_for(self) -> object:
        return self.columns().tobytes(), self.width()

    def remake(self) -> None:
        strip, theme = self._strip, self.theme
        if strip is None:
            return
        curve = strip.curve if strip.curve is not None and len(strip.curve.known) else None
        values = _values(self._slider.scale)  # as many as there are centres
        x = HandleAxis(bare=True, grid=False, values=values, centres=tuple(self.columns().tolist()))
        floor = _floor(curve)
        y = ChartAxis(names=(share_text(floor), share_text(1.0)), at=(floor, 1.0), exact=percent)
        ink = mixed(theme.ink, theme.background, 0.45)
        marks: list[Mark] = [_upright(strip.scale.value_at(strip.position), ink, 3.0)]
        over: list[Mark] = []
        if curve is not None:
            marks += self._series(strip, curve)
            if self.reading is not None:
                over = [_upright(self._value(curve), theme.accent, 1.4)]
            elif note := remark(curve):
                middle, background = x.value(0.5 * (x.centres[0] + x.centres[-1])), theme.background
                over = [
                    Texts(x=[middle], y=[floor], texts=[note], colour=theme.ink, anchor=(0.5, 1.0), plate=background)
                ]
        message = strip.message or ("" if curve is not None else "Trying the whole range…")
        self.show_marks(marks, theme, x, y, message, over)
        about = notes(strip)
        self.setAccessibleDescription("\n".join(each for each in (self.words(), about) if each))
        self.setToolTip(about)

    def _series(self, strip: ValidationCurve, curve: Curve) -> list[Mark]:
        """Return the series, the most important last: lines where trainings ended, rings where they were stopped."""
        theme, marks = self.theme, list[Mark]()
        known, x = curve.known, np.array(_values(curve.scale))[curve.known]
        sure = curve.finished[known] & (curve.counted >= curve.total)
        grows = len(known) < len(curve.train)  # show which values have been computed so far
        values = dict(rows(curve, _within(curve, self._position(curve))))
        wide = width_of(Mark(name="validation", value="100 %"), self.metrics())
        for name, series, colour, width, dash in (
            ("training", curve.train, theme.faint, 1.6, DOTTED),
            ("test", curve.test, theme.ink, 1.6, DASHED),
            ("validation", curve.validated, theme.accent, 2.2, SOLID),
        ):
            colour = mixed(colour, theme.background, FADED) if strip.stale else colour
            if name in values:
                line = Line(
                    x=x,
                    y=np.where(sure, series[known], np.nan),
                    colour=colour,
                    width=1.0 if grows else width,
                    dash=SOLID if grows else dash,
                    symbol="o" if grows else "",
                    symbols_at=np.arange(len(known)),
                    symbol_size=4.0,
                    name=SHORT[name] if wide > self.width() - 2 * EDGE else name,
                    value=percent(values[name]),
                )
                marks += [Scatter(x=x[~sure], y=series[known][~sure], size=4.4, colour=colour, hollow=True), line]
        return marks

    # -- where things are ------------------------------------------------------------------------------------------

    def columns(self) -> Array:
        """Return x of the handle's centre at each of the slider's positions."""
        form = self.parentWidget()
        left = self._slider.mapTo(form, QPoint(0, 0)).x() - self.pos().x() if form is not None else 0
        return np.array(self._slider.centres()) + left

    def sides(self, metrics: QFontMetricsF, ends: tuple[float, float], high: float) -> tuple[float, float]:
        low, top = self.x.ends(())
        return low - INSET, top + INSET

    def frame(self) -> QRectF:
        return self.area()

    def minimumSizeHint(self) -> QSize:
        least = 3.5 * self.metrics().lineSpacing() + 10
        return QSize(200, math.ceil(max(0 if self._simple else HIGH, least) + 2 + self.legend_height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            later(self, self.arrange)
        return False

    def position_at(self, x: float) -> int | None:
        """Return the slider's position nearest to `x`, None outside the picture.

        Among several in one pixel, the present one is preferred, then the one with the shortest number.
        """
        columns, strip = self.columns(), self._strip
        if strip is None or not columns[0] - BESIDE <= x <= columns[-1] + BESIDE:
            return None
        away = np.abs(columns - x)
        near = (strip.scale.low + np.flatnonzero(away == away.min())).tolist()
        return min(near, key=lambda each: (each != strip.position, len(f"{strip.scale.value_at(each):g}")))

    # -- reading ---------------------------------------------------------------------------------------------------

    def lines(self) -> list[Line]:
        strip = self._strip
        if strip is None or strip.curve is None or strip.message or not len(strip.curve.known):
            return []
        return [Line(x=_values(strip.curve.scale), y=strip.curve.validated)]

    def nearest(self, position: QPointF) -> tuple[int, int] | None:
        index, strip = self.position_at(position.x() + 0.5), self._strip  # the middle of the pixel
        if index is None or strip is None or strip.curve is None:
            return None
        scale = strip.curve.scale  # with the previous points, k may have had a larger range
        return 0, scale.position_of(strip.scale.value_at(index)) - scale.low

    def read(self, found: tuple[int, int] | None) -> None:
        if found != self.reading:
            super().read(found)
            self.remake()

    def description(self, line: Line, index: int) -> str:
        return self.words()

    def words(self) -> str:
        """Return the accuracies at the position that is read, or at the control's, in a sentence."""
        strip = self._strip
        if strip is None or strip.curve is None:
            return ""
        return sentence(strip.curve, self._position(strip.curve), strip.stale)

    def _position(self, curve: Curve) -> int:
        """Return the position on the curve's scale that is read, or that of the control."""
        assert self._strip is not None
        return self._strip.position if self.reading is None else curve.scale.low + self.reading[1]

    def _value(self, curve: Curve) -> float:
        return curve.scale.value_at(self._position(curve))

    # -- the user --------------------------------------------------------------------------------------------------

    def put(self, position: QPointF) -> None:
        index = self.position_at(position.x() + 0.5)
        if self._strip is not None and index is not None and index != self._strip.position:
            self._jump(self._strip.scale.value_at(index))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        curve = None if not self.lines() or self._strip is None else self._strip.curve
        if curve is None or self._strip is None or not is_plain(event):
            super().keyPressEvent(event)
            return
        here, low, high = self._position(curve), curve.scale.low, curve.scale.high
        goal = goal_of(event.key(), here, low, high, self._slider.pageStep())
        if goal is not None:
            self.read_by_keys((0, goal - low))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._value(curve) != self._strip.value:
                self._jump(self._value(curve))
        else:
            super().keyPressEvent(event)


def _upright(at: float, colour: RGB, width: float) -> LevelLine:
    return LevelLine(at=at, upright=True, colour=colour, width=width, dash=SOLID, reached=False)


@lru_cache(maxsize=16)
def _values(scale: Scale) -> tuple[float, ...]:
    """Return the values at all positions of a scale."""
    return tuple(float(scale.value_at(position)) for position in range(scale.low, scale.high + 1))


def _within(curve: Curve, position: int) -> int:
    """Return the index on the curve of the slider's `position`."""
    return min(max(position - curve.scale.low, 0), len(curve.train) - 1)


def _floor(curve: Curve | None) -> float:
    """Return a round accuracy below nearly all of the curve; the rest may leave the picture."""
    if curve is None:
        return 0.5
    values = np.concatenate((curve.train, curve.validated, curve.test))
    least = float(np.quantile(values[~np.isnan(values)], 0.05))
    return min(0.9, max(0.0, math.floor(10.0 * least - 1e-9) / 10.0))
