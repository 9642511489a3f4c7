"""CurvesPanel: the plots of a run against its steps, one above the other, and the choice of their step axis."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.engine.run_state import RunState
from app.scene.model import Scene
from app.views.theme import LIGHT, Theme
from app.views.widgets import timeline_keys
from app.views.widgets.boxes import in_column
from app.views.widgets.deferred import later
from app.views.widgets.inputs import ShortCombo, describe, filled, label_for
from app.views.widgets.scrolling_form import scrolling

from .view_cells import PLOTS, curves_of
from .view_chart import CurveChart, summary

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
        scrolled = scrolling(in_column(self._message, *self.charts.values(), spacing=2))
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
