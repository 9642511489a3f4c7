"""CurvesPanel: the plots of a run against its steps, one above the other, and the choice of their step axis."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStyle, QToolButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.controllers.playback import PlaybackController
from app.core.number_format import grouped, short
from app.engine.run_state import RunState
from app.engine.shading import RGB
from app.scene.model import Scene
from app.views.charts import strokes
from app.views.charts.chart import Chart
from app.views.charts.scales import StepScale, Tick, cell_edges
from app.views.charts.strokes import DOTTED, SOLID, Dash
from app.views.theme import Theme
from app.views.widgets import timeline_keys
from app.views.widgets.form_fields import describe, filled, label_for
from app.views.widgets.scrolling_form import scrolling

from . import view_axes
from . import view_cells as curve_cells
from .view_axes import LEADING, Entry, between, draw, flow, summary
from .view_cells import CHANGES, COLOURS, CURVES, PLOTS

#: Steps that "last 1000" shows.
RECENT = 1000
#: Free at both sides of the legends.
SIDE = 6
#: Least width of the whole and least height of a plot, in pixels; of the latter also in lines of text.
LEAST_WIDTH, LEAST_HEIGHT, LEAST_LINES = 200, 44, 3
#: Width of a curve, of the space between two plots, and of the marks of changes, in pixels.
LINE, SPACE, MARKS = 2.5, 6, 7
NOTHING = "No run to draw.\nThe curves of a classifier that is trained step by step appear here."
NO_CURVE = "This learner notes nothing at each step;\nits curves appear where a certificate was made."


@dataclass(frozen=True, eq=False)
class _Plot:
    """One plot: what it shows, its legend with the places of the entries, and the rectangles of legend and curves.

    Before it has its place, the legend has only its height, and the area none.
    """

    name: str
    curves: list[str]
    entries: list[Entry]
    places: list[tuple[float, int]]
    legend: QRectF
    area: QRectF


class CurvesPlot(Chart):
    """The plots.  What is of the axes only (linear or logarithmic, how far back) is kept here, and nowhere else."""

    def __init__(self, playback: PlaybackController) -> None:
        super().__init__()
        self._playback = playback
        self._study: RunState | None = None
        self._lane = 0
        self._steps_log = self._recent = False
        self._log = {name: spec.log for name, spec in PLOTS.items()}
        self._held: int | None = None  # the step under the pointer, until a scene comes after the drag
        self._range: tuple[int, int] | None = None  # of the axis, while the user drags
        self._dragging = False
        self._shown: dict[str, list[str]] = {}
        self._numbers = (0, 0)  # widths of the longest numbers at the left and at the right
        self._landmarks: object = None
        self.setObjectName("curves.plot")
        self.setAccessibleName("Curves of the run")
        self._no_run = ""
        self.setAccessibleDescription(summary(None))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip("Click or drag: go to that step. Arrow keys, page keys: step by step.")
        self._toggles = {name: self._toggle(name) for name, spec in PLOTS.items() if spec.may_log}

    def _toggle(self, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setText("log")
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setChecked(self._log[name])
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setStyleSheet("min-height: 20px; padding: 1px 4px;")  # 24 in all: a legend is no toolbar
        button.setMinimumSize(30, 24)
        describe(
            button,
            f"curves.log.{name}",
            f"Logarithmic axis of the {PLOTS[name].title}",
            "Equal ratios are equal heights; values not above zero are at the lower edge.",
        )
        button.clicked.connect(lambda on: self._set_log(name, on))
        button.hide()
        return button

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, 220)

    def sizeHint(self) -> QSize:
        return QSize(420, 460)

    # -- what is shown ---------------------------------------------------------------------------------------------

    def render_study(self, run_state: RunState | None, lane: int, theme: Theme, no_run: str = "") -> None:
        """Show the run of `lane`, or why there is none; a drag ends where the run is another one."""
        if run_state is self._study and lane == self._lane and theme is self._theme and no_run == self._no_run:
            return
        self._no_run = no_run
        old, new = (None if each is None else each.recording for each in (self._study, run_state))
        if old != new or lane != self._lane:
            self._dragging = False
        if not self._dragging:
            self._held = self._range = None
        self._study, self._lane, self._theme = run_state, lane, theme
        shown = {} if run_state is None else curve_cells.curves_of(run_state.trace)
        for name, button in self._toggles.items():
            button.setVisible(name in shown)
        self.setAccessibleDescription(no_run or summary(run_state))
        if shown != self._shown:
            self._shown = shown
            self._keep_room()
        self.update()

    def show_steps(self, *, log: bool | None = None, recent: bool | None = None) -> None:
        """Choose the step axis: logarithmic or not, the last `RECENT` steps or all."""
        self._steps_log = self._steps_log if log is None else log
        self._recent = self._recent if recent is None else recent
        self.update()

    def _set_log(self, name: str, on: bool) -> None:
        self._log[name] = on
        self.update()

    @property
    def cursor_step(self) -> int:
        """Where the cursor stands: under the pointer in a drag, else where the run is."""
        if self._held is not None:
            return self._held
        return 0 if self._study is None else self._study.step

    def step_scale(self) -> StepScale:
        """Of the pixels of the screen in the plots."""
        first, last = self._range or self._whole()
        return StepScale(first, last, max(2, round(self._sides()[1] * self.devicePixelRatioF())), self._steps_log)

    def _whole(self) -> tuple[int, int]:
        length = 0 if self._study is None else self._study.length
        return max(0, length - RECENT) if self._recent else 0, length

    def area(self, name: str) -> QRectF:
        """Where the plot `name` is, without its legend."""
        return next(plot.area for plot in self.plots() if plot.name == name)

    # -- layout ----------------------------------------------------------------------------------------------------

    def _sides(self) -> tuple[int, int]:
        """Left edge and width of the plots; at both sides there is room for numbers."""
        metrics, (left, right) = self.fontMetrics(), self._numbers
        left = max(metrics.horizontalAdvance("−0.005"), left) + 8
        right = max(metrics.horizontalAdvance("00"), right) + 8
        return left, max(self.width() - left - right, 20)

    def _drafts(self, width: int) -> tuple[list[_Plot], float]:
        """What each plot shows and how high its legend is in so many pixels, and the height of all that is no plot."""
        if self._study is None:
            return [], 0.0
        metrics = self.metrics()
        line, drafts = metrics.height() + LEADING, []
        for name, curves in curve_cells.curves_of(self._study.trace).items():
            entries = self._entries(name, curves)
            places = flow(entries, metrics, width - 2 * SIDE, width - 2 * SIDE - self._toggle_width(name))
            button = self._toggles.get(name)
            first = max(line, button.sizeHint().height() + 2) if button is not None else line + 2
            legend = QRectF(SIDE, 0, self.width() - 2 * SIDE, first + line * places[-1][1])
            drafts.append(_Plot(name, curves, entries, places, legend, QRectF()))
        under = round(0.3 * metrics.height())  # the uppermost number beside an axis stands half above it
        rest = line + 4 + MARKS + sum(draft.legend.height() + under + SPACE for draft in drafts)
        return drafts, rest

    def plots(self) -> list[_Plot]:
        """The plots, from above."""
        drafts, rest = self._drafts(self.width())
        left, width = self._sides()
        each = max(LEAST_HEIGHT, int((self.height() - rest) / max(len(drafts), 1)))
        y = 2.0
        for draft in drafts:
            draft.legend.moveTop(y)
            draft.area.setRect(left, round(draft.legend.bottom() + 0.3 * self.fontMetrics().height()), width, each)
            y = draft.area.bottom() + SPACE
        return drafts

    def _keep_room(self) -> None:
        """Ask for as much height as keeps every plot readable, whether or not a bar for scrolling takes some width."""
        drafts, rest = self._drafts(self.width() - self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent))
        each = max(LEAST_HEIGHT, LEAST_LINES * self.fontMetrics().height())
        height = max(ceil(rest) + 4 + each * len(drafts), LEAST_HEIGHT)
        if height != self.minimumHeight():
            self.setMinimumHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_room()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._keep_room()

    def _entries(self, plot: str, curves: list[str]) -> list[Entry]:
        """The legend of a plot."""
        run_state, theme = self._study, self._theme
        assert run_state is not None
        entries, older = [], None
        for name in curves:
            spec = CURVES[name]
            value = curve_cells.value_at(run_state.trace, name, self.cursor_step)
            text = "–" if value is None else between(*value[:2], spec.percent, PLOTS[plot].whole)
            marked = name not in run_state.trace.names
            if marked and value is not None and value[2] != self.cursor_step:
                older = value[2]
            sign = spec.sign if marked else ""
            room = grouped(9999) if PLOTS[plot].whole else "0.0000 %" if spec.percent else "0.0000"
            entries.append(Entry(spec.label, text, _colour(spec.colour, theme), spec.dash, sign, room))
        if marked_names := [name for name in curves if name not in run_state.trace.names]:
            names = ", ".join(CURVES[name].short for name in marked_names)
            where = f"; here {grouped(older)}" if older is not None else ""
            known = grouped(curve_cells.known_steps(run_state.trace))
            entries.append(Entry(f"({names}: at {known} marked steps{where})", room="" if where else "; here 00 000"))
        if plot == "violation":
            entries.append(Entry("tolerance", short(run_state.tol), theme.ink, DOTTED, room="0.00"))
        strokes_of = [CHANGES[name] for name in curves if name in CHANGES]
        entries += [Entry(text, "", theme.ink, sign="strokes", room="") for text in strokes_of]
        return entries

    # -- painting --------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, theme: Theme) -> None:
        plots = self.plots()
        if not plots:
            painter.setPen(QColor(*theme.faint))
            words = (self._no_run or NOTHING) if self._study is None else NO_CURVE
            inner = QRectF(self.rect()).adjusted(12, 8, -12, -8)
            painter.drawText(inner, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, words)
            return
        scale = self.step_scale()
        painter.drawPixmap(0, 0, self._painted(plots, scale, theme))
        for plot in plots:
            self._place_toggle(plot)
            self._paint_legend(painter, plot, theme)
        areas = [plot.area for plot in plots]
        view_axes.paint_cursor(painter, areas, scale, self.cursor_step, theme, self.devicePixelRatioF())

    def _place_toggle(self, plot: _Plot) -> None:
        button = self._toggles.get(plot.name)
        if button is not None:
            size = button.sizeHint()
            at = QPointF(self.width() - size.width() - 4, plot.legend.top()).toPoint()
            if button.pos() != at or button.size() != size:
                button.setGeometry(at.x(), at.y(), size.width(), size.height())

    def _paint_legend(self, painter: QPainter, plot: _Plot, theme: Theme) -> None:
        ink, faint = QColor(*theme.ink), QColor(*theme.faint)
        line = self.metrics().height() + LEADING
        first = plot.legend.height() - line * plot.places[-1][1]
        for entry, (x, number) in zip(plot.entries, plot.places, strict=True):
            y = plot.legend.top() + (first + line * (number - 1) if number else 0)
            room = plot.legend.width() - (0 if number else self._toggle_width(plot.name))
            draw(painter, entry, QRectF(plot.legend.left() + x, y, room - x, line if number else first), ink, faint)

    def _toggle_width(self, plot: str) -> int:
        button = self._toggles.get(plot)
        return button.sizeHint().width() + 4 if button is not None else 0

    def _painted(self, plots: list[_Plot], scale: StepScale, theme: Theme) -> QPixmap:
        """Everything but the legends and the cursor: it stays as it is while these move and the run does not grow."""
        run_state = self._study
        assert run_state is not None
        if self._landmarks is not run_state.trace.landmarks:
            self._landmarks, self._key = run_state.trace.landmarks, ()
        places = tuple((plot.name, tuple(plot.curves), plot.area.top(), plot.area.height()) for plot in plots)
        run = run_state.recording, run_state.length, run_state.tol
        key = (*run, scale, tuple(self._log.values()), places, theme)
        ground = self.palette().window().color()
        return self.kept(key, ground, lambda painter: self._paint_plots(painter, run_state, plots, scale, theme))

    def _paint_plots(
        self, painter: QPainter, run_state: RunState, plots: list[_Plot], scale: StepScale, theme: Theme
    ) -> None:
        """All plots, and the steps below them."""
        ratio = self.devicePixelRatioF()
        ticks = view_axes.step_ticks(scale, self.metrics(), ratio)
        widths = [self._paint_plot(painter, run_state, plot, scale, ticks, theme) for plot in plots]
        numbers = ceil(max(left for left, _ in widths)), ceil(max(right for _, right in widths))
        if numbers != self._numbers:  # the next picture will have room for them
            self._numbers = numbers
            self.update()
        lowest = plots[-1].area
        view_axes.paint_changes(painter, lowest, run_state.trace.changes(cell_edges(scale)), MARKS, theme, ratio)
        view_axes.paint_steps(painter, lowest, ticks, MARKS, theme, ratio)

    def _paint_plot(
        self, painter: QPainter, run_state: RunState, plot: _Plot, steps: StepScale, ticks: list[Tick], theme: Theme
    ) -> tuple[float, float]:
        """Draw one plot; returns the widths of its longest numbers at the left and at the right."""
        ratio, area = self.devicePixelRatioF(), plot.area
        rows = round(area.height() * ratio)
        view_axes.paint_grid(painter, area, ticks, theme, ratio)
        cells = {name: curve_cells.cells_of(run_state.trace, name, steps) for name in plot.curves}
        tol = run_state.tol if plot.name == "violation" else None
        scale = view_axes.value_scale(cells, PLOTS[plot.name], self._log[plot.name], tol, rows, ratio)
        right = view_axes.share_scale(cells, rows, ratio)
        longest = view_axes.paint_values(painter, area, scale, ratio, theme)
        shares = 0.0 if right is None else view_axes.paint_shares(painter, area, right, ratio, theme)
        if tol is not None:
            view_axes.paint_level(painter, area, scale.place_one(tol) / ratio, theme)
        for name in reversed(plot.curves):  # the first lies on top
            spec = CURVES[name]
            own = right if spec.percent and right is not None else scale
            covered = strokes.coverage(cells[name], own, steps.columns, rows, LINE * ratio, _longer(spec.dash, ratio))
            if name not in run_state.trace.names:
                strokes.stamp(covered, cells[name], own, spec.sign, ratio)
            strokes.paint(painter, area.topLeft(), covered, _colour(spec.colour, theme), ratio)
        return longest, shares

    # -- the user --------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._study is not None:
            self._dragging = True
            self._range = self._whole()  # the axis stands still under the pointer
            self._hold(event)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._hold(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._dragging:
            self._dragging = False
            self._range = None
            self.update()

    def _hold(self, event: QMouseEvent) -> None:
        """Go to the step under the pointer; left of the plots, to the first, which a logarithmic axis has not."""
        x = event.position().x() - self._sides()[0]
        scale = self.step_scale()
        step = scale.first if x < 0 else scale.step_at(x * self.devicePixelRatioF())
        moved = step != self.cursor_step
        self._held = step
        if moved:
            self._playback.seek(self._lane, step)
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        run_state = self._study
        if run_state is None or not timeline_keys.take_key(event, self._playback, self._lane, run_state.length):
            event.ignore()


def _colour(number: int, theme: Theme) -> RGB:
    return COLOURS[number][theme.dark]


def _longer(dash: Dash, ratio: float) -> Dash:
    """A dash in the pixels of the screen."""
    return dash if dash is SOLID else (dash[0] * ratio, dash[1])


class CurvesPanel(QWidget):
    """The plots with two choices above them."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.setObjectName("curves")
        self.plot = CurvesPlot(controller.playback)
        self._steps = self._choice(
            "steps",
            "Steps",
            ("linear", "log"),
            "Logarithmic: the early steps, where most happens, get as much room as the many late ones;"
            " the axis then begins at step 1.",
        )
        self._steps.activated.connect(lambda row: self.plot.show_steps(log=row == 1))
        self._range = self._choice("range", "Range", ("all", f"last {RECENT}"), "How many steps are drawn.")
        self._range.activated.connect(lambda row: self.plot.show_steps(recent=row == 1))
        steps, extent = label_for("Steps", self._steps), label_for("Range", self._range)
        line = filled(QHBoxLayout(), steps, self._steps, extent, self._range, 1, margins=(6, 0, 4, 0), spacing=6)
        scrolled = scrolling(self.plot)  # in a low dock, or with large text
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        filled(QVBoxLayout(self), line, (scrolled, 1), margins=2, spacing=0)
        self.first_stop = self.plot

    @staticmethod
    def _choice(name: str, title: str, texts: tuple[str, ...], sentence: str) -> QComboBox:
        combo = QComboBox()
        combo.addItems(texts)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.setMinimumHeight(24)
        return describe(combo, f"curves.{name}", title, sentence)

    def sizeHint(self) -> QSize:
        return QSize(440, 480)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(max(least.width(), LEAST_WIDTH), max(least.height(), 160))

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's run."""
        self.plot.render_study(scene.run_state, scene.studied, theme, scene.no_run)
