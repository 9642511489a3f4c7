"""ReliabilityChart: observed shares over predicted probabilities, with intervals, and the true probabilities."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from app.views.chart.axis import of_shares
from app.views.chart.chart import Chart
from app.views.chart.marks import DASHES, DOTTED, Line, Mark, Scatter, Strokes
from app.views.theme import Theme, mixed
from app.views.widgets.inputs import describe

from . import text as words
from .scene import LaneReliability, ReliabilityScene

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
