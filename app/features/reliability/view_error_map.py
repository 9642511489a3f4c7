"""ErrorMapChart: predicted minus true probability over the plane, with the boundary and a bar of the colours."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor, QFontMetricsF

from app.engine.frames import Picture
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import Chart
from app.views.chart.colour_map import BLACK, WHITE, levels_of, shades
from app.views.chart.marks import BAR, ColourBar, Line, Mark, SurfaceMark
from app.views.theme import Theme
from app.views.widgets.inputs import describe

from . import text as words
from .scene import LaneReliability

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
        x = ChartAxis(low=grid.left, high=grid.right, grid=False)
        y = ChartAxis(words.map_title(lane), low=grid.bottom, high=grid.top, grid=False)
        self.show_marks(marks, theme, x, y, over=[ColourBar(pixels=shades(True), low=-span, high=span, texts=texts)])
        self.setAccessibleName(f"Map of {lane.name}: predicted − true")
        self.setAccessibleDescription(words.map_caption(lane))

    def right_of(self, metrics: QFontMetricsF) -> float:
        return BAR + metrics.horizontalAdvance("+100 %") + 16
