"""ReliabilityPanel: curves, log loss and Brier score of all lanes beside their ideal values, and maps of errors."""

from __future__ import annotations

from itertools import zip_longest

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.state.document import MAX_LANES
from app.views.theme import Theme
from app.views.widgets.boxes import in_column
from app.views.widgets.clickable import clickable
from app.views.widgets.inputs import describe, filled
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm

from . import text as words
from .scene import ReliabilityScene
from .view_chart import ReliabilityChart
from .view_error_map import ErrorMapChart


class ReliabilityPanel(QWidget):
    """Everything it shows is in the scene.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        describe(self, "reliability", "Reliability", "Predicted probabilities against observed shares.")
        self.setToolTip("")
        self._measured = RoomyLabel("reliability.measured", title="What it is measured on")
        self._split = clickable(
            QPushButton("Keep some points for testing"),
            "reliability.split",
            "Keep some points for testing",
            "A share of each class is kept back: nothing is trained on it.",
            lambda: controller.splitting.choose("ratio"),
        )
        self._chart = ReliabilityChart()
        self._chart.setToolTip("")
        self._table = RoomyLabel("reliability.table", title="Log loss and Brier score", rich=True)
        self._table.setToolTip(words.LOSSES)
        self._remarks = RoomyLabel("reliability.remarks", title="More about the curves", rich=True, hides=True)
        self._about_maps = RoomyLabel("reliability.maps", title="What the maps show", hides=True)
        self._maps = [ErrorMapChart(index) for index in range(MAX_LANES)]
        self._meaning = RoomyLabel("reliability.meaning", title="What the curves mean")
        self._meaning.say(f"{words.MEANING}\n\n{words.LOSSES}")
        parts: list[QWidget] = [self._chart, self._table, self._remarks, self._about_maps]
        self._found = in_column(*parts, *self._maps, self._meaning, spacing=6)
        inner = in_column(self._measured, self._split, self._found, 1, margins=(8, 6, 8, 6), spacing=6)
        filled(QVBoxLayout(self), ScrollingForm(inner), margins=0)
        self.first_stop = self._chart

    def sizeHint(self) -> QSize:
        return QSize(360, 640)

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the present results."""
        shown = scene.feature(ReliabilityScene)
        if shown is None:
            return
        self._measured.say(f"On {shown.measured}" if shown.measured else words.NOTHING)
        self._split.setVisible(not shown.measured)
        self._found.setVisible(bool(shown.measured))
        self._chart.show_reliability(shown, theme)
        self._table.say(words.table(shown))
        self._remarks.say(words.remarks(shown))
        self._about_maps.say(words.maps(shown))
        span = words.map_span(shown)
        for chart, lane in zip_longest(self._maps, shown.lanes):
            chart.setVisible(lane is not None and lane.errors is not None)
            if lane is not None:
                chart.show_map(lane, span, theme)
