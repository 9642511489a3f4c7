"""ReliabilityPanel: curves, log loss and Brier score of all lanes beside their ideal values, and maps of errors."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.engine.frames import Picture
from app.scene.model import Scene
from app.state.document import MAX_LANES
from app.views.chart.axis import ChartAxis, of_shares
from app.views.chart.chart import Chart
from app.views.chart.colour_map import BLACK, WHITE, levels_of, shades
from app.views.chart.marks import BAR, DASHES, DOTTED, ColourBar, Line, Mark, Scatter, Strokes, SurfaceMark
from app.views.theme import Theme, mixed
from app.views.widgets.boxes import in_column
from app.views.widgets.clickable import clickable
from app.views.widgets.inputs import describe, filled
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm

from . import text as words
from .scene import LaneReliability, ReliabilityScene

NO_LINES = np.empty((0, 2))


class ErrorMapChart(Chart):
    """The map of one lane.

    Parameters
    ----------
    index : int
    """

    framed = equal = fixed = True
    least_height, preferred = (200, 4), (300, 0)

    def __init__(self, index: int) -> None:
        super().__init__()
        self._shown: object = None
        describe(self, f"reliability.map{index}", "Map of predicted minus true probability", "")

    def show_map(self, lane: LaneReliability, span: float, theme: Theme) -> None:
        """Show the map of `lane` in colours from -span to span."""
        errors, shown = lane.errors, (lane, span, theme)
        if errors is None or shown == self._shown:
            return
        self._shown, grid, line = shown, errors.grid, errors.boundary
        colours = shades(True)[levels_of(errors.error, (-span, span))]
        colours[np.isnan(errors.error)] = QColor(*theme.background).rgb()
        picture = Picture(np.ascontiguousarray(colours[::-1]), grid, NO_LINES, NO_LINES)
        texts = [(value, words.signed_percent(value)) for value in (span, -span, 0.0)]
        marks: list[Mark] = [
            SurfaceMark(picture=picture),
            *(Line(x=line[:, 0], y=line[:, 1], colour=ink, width=wide) for ink, wide in ((WHITE, 3.6), (BLACK, 1.4))),
        ]
        self.ratio = grid.pixel[1] / grid.pixel[0]
        x = ChartAxis(low=grid.left, high=grid.right, grid=False)
        y = ChartAxis(words.map_title(lane), low=grid.bottom, high=grid.top, grid=False)
        self.show_marks(marks, theme, x, y, over=[ColourBar(pixels=shades(True), low=-span, high=span, texts=texts)])
        self.setAccessibleName(f"Map of {lane.name}: predicted − true")
        self.setAccessibleDescription(words.map_caption(lane))

    def right_of(self, metrics: QFontMetricsF) -> float:
        return BAR + metrics.horizontalAdvance("+100 %") + 16


SHARE = of_shares(low=0.0)
#: Pixels between the intervals of two lanes.
ASIDE = 3.0


class ReliabilityChart(Chart):
    """Predicted to the right, observed upwards."""

    fixed, least_height, preferred = True, (240, 5), (300, 0)

    def __init__(self) -> None:
        super().__init__(replace(SHARE, title="predicted →"), replace(SHARE, title="observed share ↑"))
        self._shown: ReliabilityScene | None = None
        describe(
            self,
            "reliability.chart",
            "Reliability",
            "Observed shares over predicted probabilities: arrow keys read the points one by one.",
        )

    def show_reliability(self, scene: ReliabilityScene, theme: Theme) -> None:
        """Show the curves of all lanes that have one."""
        if scene == self._shown and theme is self.theme:
            return
        self._shown = scene
        marks: list[Mark] = [Line(x=[0, 1], y=[0, 1], colour=theme.faint, width=1.0, dash=DOTTED)]
        there = [(index, lane) for index, lane in enumerate(scene.lanes) if lane.value is not None]
        for index, lane in reversed(there):
            marks += _marks(index, lane, theme)
        x, y = (replace(SHARE, title=title) for title in words.axis_titles(scene))
        message = "" if there else "The curves follow when training is done."
        self.show_marks(marks, theme, x, y, message=message)

    def description(self, line: Line, index: int) -> str:
        assert self._shown is not None
        return words.reading(next(lane for lane in self._shown.lanes if lane.name == line.name), index)


def _marks(index: int, lane: LaneReliability, theme: Theme) -> list[Mark]:
    assert lane.value is not None
    colours = theme.accent, theme.ink, theme.bad, mixed(theme.ink, theme.background, 0.55)
    curve, colour = lane.value.curve, colours[index % 4]
    if lane.stale:
        colour = mixed(colour, theme.background, 0.5)
    marks: list[Mark] = [
        Strokes(x=curve.predicted, low=curve.low, high=curve.high, colour=colour, width=1.4, aside=ASIDE * index),
        Line(
            x=curve.predicted,
            y=curve.observed,
            colour=colour,
            width=2.0,
            dash=DASHES[index % 4],
            symbol="o",
            symbols_at=np.arange(len(curve.predicted)),
            name=lane.name,
        ),
    ]
    if curve.expected is not None:
        marks.append(Scatter(x=curve.predicted, y=curve.expected, size=11.0, colour=colour, hollow=True))
    return marks


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
