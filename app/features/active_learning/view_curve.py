"""LearningCurve: accuracy against the number of labels, for the least certain and for random points, and this run."""

from __future__ import annotations

import math

import numpy as np

from app.core.number_format import percent
from app.views.chart.axis import ChartAxis, of_shares, whole
from app.views.chart.chart import Chart
from app.views.chart.marks import DASHED, DOTTED, Band, LevelLine, Line, Mark, Strokes
from app.views.theme import Theme
from app.views.widgets.inputs import describe

from .query import Curves
from .state import STRATEGIES, ActiveLearningRun

NAMES = {"closest": "least sure point", "random": "random"}


class LearningCurve(Chart):
    """Chart of the comparison, and of the present run."""

    def __init__(self) -> None:
        super().__init__()
        describe(
            self,
            "asking.curve",
            "Accuracy against the number of labels",
            "Solid: the least sure point is asked for. Dashed: a random point. Lines are means, bands hold half of"
            " the runs. Dotted: the accuracy with all labels. The disc is this run, here.",
        )

    def show_curves(self, asking: ActiveLearningRun | None, curves: Curves | None, theme: Theme) -> None:
        """Draw the comparison as far as it is computed, and the run."""
        marks: list[Mark] = []
        run = [] if asking is None else [last_step.score.shown for last_step in asking.steps]
        if asking is not None and curves is not None:
            marks += _comparison(curves, theme)
        if asking is not None and run:
            x = np.arange(len(asking.given), len(asking.given) + len(run))
            marks += [
                Strokes(x=x[-1:], low=[0.0], high=run[-1:], colour=theme.faint),
                Line(
                    x=x,
                    y=run,
                    width=1.2,
                    colour=theme.ink,
                    name="this run",
                    symbol="o",
                    symbols_at=[-1],
                    symbol_size=10.0,
                ),
            ]
        if asking is None:
            self.show_marks((), theme)
            return
        last = max(len(asking.pool) if curves is None else curves.last, len(asking.given) + len(run) - 1)
        bands = [] if curves is None else [float(band.low.min(initial=1.0)) for band in curves.bands.values()]
        low = min(0.9, math.floor(min([1.0, *run, *bands]) * 10) / 10)
        x_axis = ChartAxis("labels", whole=True, low=0.0, high=float(last), exact=whole)
        self.show_marks(marks, theme, x_axis, of_shares(low=low))


def _comparison(curves: Curves, theme: Theme) -> list[Mark]:
    """Return bands and means of both strategies; random first, so that both are visible where they coincide."""
    marks: list[Mark] = []
    # No class is grey; and the lines differ in width and dashes as well.
    steps = {"closest": (theme.accent, 2.2, None), "random": (theme.faint, 2.0, DASHED)}
    strategies = STRATEGIES[::-1] if len(curves.labels) > 1 else ()
    for strategy in strategies:
        band, colour = curves.bands[strategy], steps[strategy][0]
        marks.append(Band(x=curves.labels, low=band.low, high=band.high, colour=colour))
    for strategy in strategies:
        colour, width, dash = steps[strategy]
        mean = curves.bands[strategy].mean
        marks.append(Line(x=curves.labels, y=mean, colour=colour, width=width, dash=dash, name=NAMES[strategy]))
    if not math.isnan(curves.full):
        name = f"all labels: {percent(curves.full)}"
        marks.append(LevelLine(at=curves.full, colour=theme.ink, width=1.1, dash=DOTTED, name=name))
    return marks
