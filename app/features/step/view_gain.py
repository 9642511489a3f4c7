"""GainView: the dual along the segment of a step, a parabola, with its top, the limits of the box and the formulas."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QVBoxLayout

from app.views.chart.axis import ChartAxis
from app.views.chart.chart import EDGE, Chart
from app.views.chart.marks import DASHED, DOTTED, SOLID, Dash, LevelLine, Line, Mark, Region, Scatter, Texts
from app.views.theme import LIGHT, Theme
from app.views.widgets.fitted import FittedWidget
from app.views.widgets.inputs import describe, filled
from solver.inspection.step_explanation import Explanation

from . import text as words
from .geometry import StepGain, gain_of
from .view_text import Paragraph, TextView

#: Minimum height (lines) of the picture.
LINES = 6.0


class GainChart(Chart):
    """The parabola."""

    def __init__(self) -> None:
        super().__init__()
        self._step: Explanation | None = None

    def minimumSizeHint(self) -> QSize:
        return QSize(120, math.ceil(LINES * self.metrics().height()))

    def named(self) -> list[Mark]:
        return []  # the legend above the box explains the signs

    def right_of(self, metrics: QFontMetricsF) -> float:
        return EDGE

    def show_step(self, step: Explanation | None, theme: Theme) -> None:
        """Show the gain of `step`."""
        self._step, self.theme = step, theme
        if step is None:
            return
        gain = gain_of(step)
        low, high = max(gain.left, -step.back), min(gain.right, step.longest)
        at, texts = zip(*words.ticks(step, gain), strict=True)
        marks: list[Mark] = [
            Region(low=begin, high=end, colour=theme.faint, opacity=130, pattern=Qt.BrushStyle.BDiagPattern)
            for begin, end in ((gain.left, low), (high, gain.right))
            if end > begin
        ]
        marks.append(LevelLine(at=0.0, colour=theme.faint, dash=SOLID))
        curve: tuple[tuple[float, float, Dash], ...] = (
            (gain.left, low, DASHED),
            (high, gain.right, DASHED),
            (low, high, SOLID),
        )
        for begin, end, dash in curve:
            if end > begin:
                x, y = zip(*gain.between(begin, end), strict=True)
                marks.append(Line(x=x, y=y, colour=theme.ink, dash=dash, name="gain" if dash is SOLID else ""))
        marks += [LevelLine(at=at, upright=True, colour=theme.ink, dash=SOLID) for at in gain.limits if at is not None]
        marks += self._symbols(step, gain, theme)
        x_axis = ChartAxis(low=gain.left, high=gain.right, names=texts, at=at, grid=False, exact=words.number)
        room = 0.14 * (gain.top - gain.bottom)  # for the ring at the top
        y_axis = ChartAxis(
            "Gain of D along the segment",
            low=gain.bottom - room,
            high=gain.top + room,
            bare=True,
            grid=False,
            exact=words.number,
        )
        self.show_marks(marks, theme, x_axis, y_axis)

    def _symbols(self, step: Explanation, gain: StepGain, theme: Theme) -> list[Mark]:
        """Return the step with its gain, and the top of the parabola if the step does not end there."""
        length, up = step.step, step.gain
        ink, background, size = theme.ink, theme.background, self.metrics().height()
        marks: list[Mark] = [Line(x=[length, length], y=[0.0, up], colour=theme.accent, width=0.2 * size, read=False)]
        if up > 0.35 * (gain.top - gain.bottom):
            text = words.number(step.gain)
            marks.append(
                Texts(x=[length], y=[0.5 * up], texts=[text], colour=ink, anchor=(1.08, 0.5), plate=background)
            )
        if gain.vertex is not None and step.clipped and gain.vertex_inside:
            x, top = gain.vertex
            marks.append(Line(x=[length, length, x], y=[up, top, top], colour=theme.faint, dash=DOTTED, read=False))
            text = f"costs {words.number(step.lost)}"
            marks.append(Texts(x=[length], y=[top], texts=[text], colour=ink, anchor=(-0.08, -0.1), plate=background))
        elif gain.vertex is not None and step.clipped:
            y = float(gain.curve[-1, 1])
            text = f"λ* = {words.number(step.unclipped)} →"
            marks.append(Texts(x=[gain.right], y=[y], texts=[text], colour=ink, anchor=(1.0, 0.0), plate=background))
        marks.append(Scatter(x=[0.0], y=[0.0], size=0.56 * size, colour=ink, edge=background))
        for colour, width in ((background, 0.32), (theme.accent, 0.17)):
            marks.append(
                Scatter(x=[length], y=[up], size=0.92 * size, colour=colour, edge_width=width * size, hollow=True)
            )
        if gain.vertex is not None and gain.vertex_inside:
            x, top = gain.vertex
            marks.append(
                Scatter(
                    x=[x], y=[top], symbol="d", size=0.6 * size, colour=background, edge=ink, edge_width=0.12 * size
                )
            )
        return marks

    def numbers(self, way: int, size: float, ends: tuple[float, float] | None = None) -> list[tuple[float, str]]:
        """Return the most important positions first; one without room is left out."""
        shown: list[tuple[float, str]] = []
        width, (left, right) = self.metrics().horizontalAdvance, self.box.viewRange()[0]
        for at, text in zip(self.x.at, self.x.names, strict=True) if way == 0 else ():
            free = [0.5 * (width(text) + width(other)) + 6 for _, other in shown]
            away = [abs(at - position) / (right - left) * size for position, _ in shown]
            if left <= at <= right and all(far > least for far, least in zip(away, free, strict=True)):
                shown.append((at, text))
        return shown


class GainView(FittedWidget):
    """The gain of a step, and below it the formulas with its numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.step: Explanation | None = None
        self.theme, self._least = LIGHT, 0
        self.chart, self.formulas = GainChart(), TextView()
        describe(
            self.chart,
            "step.gain",
            "Gain along the segment",
            "D along the segment is a parabola with its top at λ*. Hatched: outside the box.",
        )
        filled(QVBoxLayout(self), (self.chart, 1), self.formulas, margins=0, spacing=2)

    def show_step(self, step: Explanation | None, theme: Theme) -> None:
        """Show the gain of `step`; draws nothing if it is already shown."""
        if step is not self.step or theme is not self.theme:
            self.step, self.theme = step, theme
            self.chart.show_step(step, theme)
            self.fit()

    def keep(self, least: int) -> None:
        """Request a height of at least this many pixels."""
        if least != self._least:
            self._least = least
            self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(0, self._least))

    def fit(self) -> None:
        if self.step is not None:
            lines = [words.curvature(self.step), words.FORMULA]
            lines += [words.length(self.step), words.clipping(self.step), words.gain_line(self.step)]
            self.formulas.show_text(tuple(map(Paragraph, lines)), self.theme)
