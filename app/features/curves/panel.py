"""CurvesPanel: the plots of a run against its steps, one above the other, and the choice of their step axis."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import grouped, short
from app.engine.run_state import RunState
from app.scene.model import Scene
from app.views.chart.axis import ChartAxis, exact, exact_percent, of_shares, whole
from app.views.chart.chart import INSET, LEAST, Chart
from app.views.chart.marks import DOTTED, LevelLine, Line, Mark, Strokes
from app.views.chart.steps import StepScale, cell_edges
from app.views.theme import LIGHT, Theme
from app.views.widgets import timeline_keys
from app.views.widgets.boxes import in_column
from app.views.widgets.deferred import later
from app.views.widgets.inputs import ShortCombo, describe, filled, label_for
from app.views.widgets.scrolling_form import Scrolled
from solver.core.arrays import Array

from . import view_cells as curve_cells
from .view_cells import CHANGES, COLOURS, CURVES, PLOTS, CurveCells, curves_of

#: Least value of a logarithmic axis as a share of the tolerance; least value of an axis of shares.
BELOW, LEAST_SHARE = 1e-3, 1e-6
#: Least value of a logarithmic axis as a share of the largest value.
DEEPEST = 1e-12
#: Width of a curve and height of the strokes at changes (pixels); least height of the area (lines of text).
LINE, MARKS, LEAST_LINES = 2.5, 7.0, 3


class CurveChart(Chart):
    """The plot `name` of a run.

    Parameters
    ----------
    name : str
        A name of `PLOTS`.
    held : callable
        ``held(step)`` is called when the user drags to a step.
    released : callable
        Called when the drag ends.
    key : callable
        ``key(event)`` handles a key, or returns False.
    ranged : callable
        ``ranged(chart)`` is called when the user has zoomed.
    """

    sets = True

    def __init__(
        self,
        name: str,
        held: Callable[[int], None],
        released: Callable[[], None],
        key: Callable[[QKeyEvent], bool],
        ranged: Callable[[CurveChart], None],
    ) -> None:
        super().__init__()
        self.name, self._held, self._released, self._key, self._ranged = name, held, released, key, ranged
        self._shown: tuple[RunState, int, tuple[int, int], bool, bool] | None = None
        self._cells_of: tuple[object, ...] = ()
        self._landmarks: object = None
        spec = PLOTS[name]
        self.log = spec.log
        describe(self, f"curves.{name}", f"Curves of the run: {spec.title}", "")
        self.setToolTip("Click or drag: go to that step. Arrow keys, page keys: step by step.")
        self.toggle = self._toggle(spec.title) if spec.may_log else None
        self.hide()

    def _toggle(self, title: str) -> QToolButton:
        button = QToolButton(  # type: ignore[call-arg]  # properties of its bases
            self.viewport(),
            text="log",
            autoRaise=True,
            checkable=True,
            checked=self.log,
            styleSheet="min-height: 20px; padding: 1px 4px;",  # 24 in all: lower than in a toolbar
            minimumSize=QSize(30, 24),
        )
        describe(
            button,
            f"curves.log.{self.name}",
            f"Logarithmic axis of the {title}",
            "Equal ratios are equal heights; values not above zero are at the lower edge.",
        )
        button.clicked.connect(self._set_log)
        return button

    def _set_log(self, on: bool) -> None:
        self.log = on
        if self._shown is not None:
            self.show_run(*self._shown, self.theme)

    def free_right(self) -> float:
        return self.toggle.sizeHint().width() + 4.0 if self.toggle is not None else 0.0

    def minimumSizeHint(self) -> QSize:
        line = self.fontMetrics().lineSpacing()
        below = (0.5 if self.x.bare else 1.7) * line + 12
        return QSize(200, max(LEAST, math.ceil(self.legend_height() + max(44, LEAST_LINES * line) + below)))

    # -- what is shown ---------------------------------------------------------------------------------------------

    def show_run(
        self, run: RunState, cursor: int, steps: tuple[int, int], log: bool, lowest: bool, theme: Theme
    ) -> None:
        """Show a run over the range `steps`, with the cursor at a step; the `lowest` plot labels the axis."""
        names = curve_cells.curves_of(run.trace).get(self.name, [])
        self._shown = run, cursor, steps, log, lowest
        tol = run.tol if self.name == "violation" else None
        first = max(steps[0], 1) if log else steps[0]
        x = _steps(log, float(first), float(max(steps[1], first + 1)), not lowest)
        if x != self.x:
            self.zoomed = False
            self.x = x
        scale = self.scale()
        key = (run.recording, run.length, run.tol, scale, self.log, theme.dark, lowest)
        if key != self._cells_of or run.trace.landmarks is not self._landmarks:
            self._cells_of, self._landmarks = key, run.trace.landmarks
            cells = {name: curve_cells.cells_of(run.trace, name, scale) for name in names}
            self._y = _upwards(cells, self.name, self.log, tol)
            self._curves = {name: self._curve(run, name, each, scale) for name, each in cells.items()}
            changes = np.flatnonzero(run.trace.changes(cell_edges(scale)))
            entry = next((CHANGES[name] for name in names if name in CHANGES), "")
            feet = Strokes(x=_steps_at(changes, scale), foot=MARKS, colour=theme.faint, name=entry)
            self._feet = [feet] if lowest else []
        marks: list[Mark] = [*self._feet]
        if tol is not None:
            marks.append(
                LevelLine(
                    at=tol, colour=theme.ink, dash=DOTTED, width=2.0, name="tolerance", value=short(tol), reached=False
                )
            )
        marks += [self._with_value(run, name, cursor) for name in reversed(names)]  # the first on top
        at = LevelLine(at=float(cursor), upright=True, colour=theme.accent, dash=None, width=2.0)
        self.show_marks(marks, theme, self.x, self._y, over=(at,))

    def arrange(self) -> None:
        super().arrange()
        if self.toggle is not None:
            size = self.toggle.sizeHint()
            self.toggle.setGeometry(self.width() - size.width() - 4, 2, size.width(), size.height())

    def made_for(self) -> object:
        return self.scale()  # one cell per pixel

    def remake(self) -> None:
        if self._shown is not None:
            self.show_run(*self._shown, self.theme)

    def scale(self) -> StepScale:
        """Return the scale of the screen pixels in the plot."""
        ends = self.x.low or 0.0, self.x.high or 1.0
        first, last = (self.x.value(position) for position in self.box.viewRange()[0]) if self.zoomed else ends
        steps = self._shown[2] if self._shown is not None else (0, 1)
        low, high = max(math.floor(first), steps[0], 0), max(min(math.ceil(last), steps[1]), 0)
        columns = 1 + round((self.area().width() - (0.0 if self.zoomed else 2 * INSET)) * self.devicePixelRatioF())
        return StepScale(min(low, high), high, max(2, columns), self.x.log)

    def _curve(self, run: RunState, name: str, cells: CurveCells, scale: StepScale) -> tuple[Array, Array, Array]:
        """Return the curve, with least and largest value of each cell, and which of its points have a symbol."""
        x, y = np.repeat(_steps_at(cells.x, scale), 2), np.column_stack((cells.low, cells.high)).ravel()
        symbols_at = np.arange(0.0, len(x) if name not in run.trace.names else 0.0, 2.0)
        return x, y, symbols_at

    def _with_value(self, run: RunState, name: str, cursor: int) -> Line:
        spec, (x, y, symbols_at), plot = CURVES[name], self._curves[name], PLOTS[self.name]
        known = curve_cells.value_at(run.trace, name, cursor)
        text = "–" if known is None else between(*known[:2], plot.percent, plot.whole)
        if known is not None and known[2] != cursor:
            text += f" at {grouped(known[2])}"
        colour = COLOURS[spec.colour][self.theme.dark]
        return Line(
            x=x,
            y=y,
            colour=colour,
            width=LINE,
            dash=spec.dash,
            symbol=spec.symbol if len(symbols_at) else "",
            symbols_at=symbols_at,
            name=spec.label,
            value=text,
        )

    def description(self, line: Line, index: int) -> str:
        """Return what the run recorded at that step: the point may stand for many steps, with their extremes."""
        assert self._shown is not None
        name = next(name for name, spec in CURVES.items() if spec.label == line.name)
        step, plot = round(float(np.asarray(line.x)[index])), PLOTS[self.name]
        known = curve_cells.value_at(self._shown[0].trace, name, step)
        value = "–" if known is None else between(*known[:2], plot.percent, plot.whole)
        return f"{line.name}: {value} at step {whole(step)}"

    # -- the user --------------------------------------------------------------------------------------------------

    def put(self, position: QPointF) -> None:
        if self._shown is not None:
            first, last = self._shown[2]
            inside = position.x() >= self.area().left()  # left of it is step 0, which a logarithmic axis lacks
            step = round(self.values_at(position)[0]) if inside else first
            self._held(min(max(step, self.scale().start if inside else first), last))

    def put_down(self) -> None:
        self._released()

    def takes(self, event: QKeyEvent) -> bool:
        return False  # the window uses the same keys for runs

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._key(event):
            super().keyPressEvent(event)

    def _zoom(self, *_: object) -> None:
        super()._zoom()
        self._ranged(self)

    def show_all(self) -> None:
        super().show_all()
        self._ranged(self)


def _steps(log: bool, low: float, high: float, bare: bool) -> ChartAxis:
    return ChartAxis("" if bare else "step", log=log, whole=True, low=low, high=high, exact=whole, bare=bare)


def _steps_at(columns: ArrayLike, scale: StepScale) -> Array:
    """Return the steps, as fractions, at pixels of a scale."""
    start, end = scale.start, max(scale.last, scale.start + 1)
    share = np.asarray(columns, dtype=np.float64) / (scale.columns - 1)
    return start * (end / start) ** share if scale.log else start + share * (end - start)


def _upwards(cells: dict[str, CurveCells], plot: str, log: bool, level: float | None) -> ChartAxis:
    """Return the vertical axis for all that is drawn against it."""
    spec = PLOTS[plot]
    every = [np.concatenate((each.low, each.high)) for each in cells.values()]
    values = np.concatenate([np.empty(0), [] if level is None else [level], *every])
    positive = values[values > 0]
    if spec.percent:
        low = min(max(float(positive.min(initial=1.0)), LEAST_SHARE), 0.5)
        low = 10.0 ** math.floor(math.log10(low))
        return replace(of_shares(log=True, low=low), floor=low)
    if log and len(positive):
        high = float(positive.max())
        least = max(BELOW * min(level if level is not None else 0.0, high), DEEPEST * high)
        low = 10.0 ** math.floor(math.log10(max(float(positive.min()), least)) + 1e-9)
        top = 10.0 ** math.ceil(math.log10(high) - 1e-9)
        return ChartAxis(log=True, low=low, high=max(top, 10 * low), floor=low, exact=exact)
    low, high = ChartAxis(whole=spec.whole).ends(values)
    return ChartAxis(whole=spec.whole, low=low, high=high, exact=whole if spec.whole else exact)


def between(low: float, high: float, percent: bool = False, counts: bool = False) -> str:
    """Return one number, or "least to largest" where the trace keeps only these."""
    first, last = (number(each, percent, counts) for each in (low, high))
    return first if first == last else f"{first} to {last}"


def number(value: float, percent: bool = False, counts: bool = False) -> str:
    """Return a number in five significant digits, a share as "1.2346 %", a count in all its digits."""
    return whole(value) if counts else exact_percent(value) if percent else exact(value)


def summary(run_state: RunState | None) -> str:
    """Return the values of the curves at the present step, in words."""
    if run_state is None:
        return "No run to draw."
    sentences = [f"Step {grouped(run_state.step)} of {grouped(run_state.length)}."]
    view = run_state.trace
    for plot, names in curve_cells.curves_of(view).items():
        for name in names:
            spec, known = CURVES[name], curve_cells.value_at(view, name, run_state.step)
            if known is not None:
                value = between(*known[:2], PLOTS[plot].percent, PLOTS[plot].whole)
                where = f" at step {grouped(known[2])}" if known[2] != run_state.step else ""
                sentences.append(f"{spec.in_sentence} {value}{where}.")
    if "violation" in view.names:
        sentences.append(f"Tolerance {short(run_state.tol)}.")
    return " ".join(sentences)


#: Number of steps of the choice "last 1000".
RECENT = 1000
#: Least width of the panel (pixels).
LEAST_WIDTH = 200
NOTHING = "No run to draw.\nThe curves of a classifier that is trained step by step appear here."
NO_CURVE = "This learner records nothing at each step;\nits curves appear where a certificate was made."


class CurvesPanel(QWidget):
    """The plots, and two choices above them; the panel itself keeps which part of the step axis is visible."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.setObjectName("curves")
        self._playback = controller.playback
        self._run: RunState | None = None
        self._lane, self._theme, self._no_run = 0, LIGHT, ""
        self._log = self._recent = False
        self._held: int | None = None  # the step under the pointer, until the first scene after the drag
        self._range: tuple[int, int] | None = None  # of the axis, while the user drags
        self.charts = {name: CurveChart(name, self._hold, self._release, self._key, self._zoomed) for name in PLOTS}
        self._steps = self._choice(
            "steps",
            "Steps",
            ("linear", "log"),
            "Logarithmic: the early steps, where most happens, get as much room as the many late ones;"
            " the axis then begins at step 1.",
        )
        self._steps.activated.connect(self._choose)
        self._extent = self._choice("range", "Range", ("all", f"last {RECENT}"), "How many steps are drawn.")
        self._extent.activated.connect(self._choose)
        steps, extent = label_for("Steps", self._steps), label_for("Range", self._extent)
        line = filled(QHBoxLayout(), steps, self._steps, extent, self._extent, 1, margins=(6, 0, 4, 0), spacing=6)
        self._message = QLabel(NOTHING, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True, margin=12)
        # It scrolls in a low dock, or with large text.
        scrolled = Scrolled(in_column(self._message, *self.charts.values(), spacing=2))
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        filled(QVBoxLayout(self), line, (scrolled, 1), margins=2, spacing=0)
        self.first_stop = self.charts["objective"]

    @staticmethod
    def _choice(name: str, title: str, texts: tuple[str, ...], sentence: str) -> QComboBox:
        combo = ShortCombo(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.addItems(texts)
        combo.setMinimumHeight(24)
        return describe(combo, f"curves.{name}", title, sentence)

    def sizeHint(self) -> QSize:
        return QSize(440, 480)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(max(least.width(), LEAST_WIDTH), max(least.height(), 160))

    # -- what is shown ---------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's run, or why there is none; another run ends a drag."""
        now = scene.run_state, scene.run_lane, theme, scene.no_run
        if now == (self._run, self._lane, self._theme, self._no_run):
            return
        old, new = (None if each is None else each.recording for each in (self._run, scene.run_state))
        if old != new or scene.run_lane != self._lane:
            self._range = None
            for chart in self.charts.values():
                chart.dragging = False
        if self._range is None:
            self._held = None
        self._run, self._lane, self._theme, self._no_run = now
        self._show()

    @property
    def cursor_step(self) -> int:
        """Step of the cursor: the one under the pointer during a drag, else that of the run."""
        return self._held if self._held is not None else 0 if self._run is None else self._run.step

    def _whole(self) -> tuple[int, int]:
        length = 0 if self._run is None else self._run.length
        return max(0, length - RECENT) if self._recent else 0, length

    def _show(self) -> None:
        run = self._run
        shown = {} if run is None else curves_of(run.trace)
        self._message.setVisible(not shown)
        self._message.setText((self._no_run or NOTHING) if run is None else NO_CURVE)
        description = self._no_run or summary(run)
        for name, chart in self.charts.items():
            if run is not None and name in shown:
                steps, lowest = self._range or self._whole(), name == list(shown)[-1]
                chart.show_run(run, self.cursor_step, steps, self._log, lowest, self._theme)
            if chart.isHidden() == (name in shown):
                chart.setVisible(name in shown)
                later(self, self._align)  # at its final height it has other numbers beside the axis
            chart.setAccessibleDescription(description)
        self._align()

    def _align(self) -> None:
        """Give all charts one axis of steps."""
        widest = max((chart.needed_left for chart in self.charts.values() if not chart.isHidden()), default=0.0)
        for chart in self.charts.values():
            chart.stand_at(widest)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        later(self, self._align)

    def _choose(self) -> None:
        self._log, self._recent = self._steps.currentIndex() == 1, self._extent.currentIndex() == 1
        self._show()

    # -- the user --------------------------------------------------------------------------------------------------

    def _hold(self, step: int) -> None:
        if self._range is None:
            self._range = self._whole()  # the axis does not move under the pointer
        moved, self._held = step != self.cursor_step, step
        if moved:
            self._playback.seek(self._lane, step)
            self._show()

    def _release(self) -> None:
        if self._range is not None:
            self._range = None
            self._show()

    def _key(self, event: QKeyEvent) -> bool:
        run = self._run
        return run is not None and timeline_keys.take_key(event, self._playback, self._lane, run.length)

    def _zoomed(self, chart: CurveChart) -> None:
        """Show the same steps in all plots."""
        for other in self.charts.values():
            if other is not chart:
                other.zoomed = chart.zoomed
                other.box.setXRange(*chart.box.viewRange()[0], padding=0.0)
        self._show()
