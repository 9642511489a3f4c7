"""RaceCurves: the distance of each racer from the optimum, against what it has spent; both axes are logarithmic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPixmap

from app.engine.shading import RGB
from app.views.chart.axis import ChartAxis, exact, exact_percent, whole
from app.views.chart.chart import Chart
from app.views.chart.marks import DASHES, LevelLine, Line, Mark, Scatter, Texts
from app.views.theme import Theme, theme_of
from app.views.widgets.painting import blank, painter_on
from solver.core.arrays import Array

from .race_frame import CURVE, NEAR_GAP, RaceFrame
from .text import title

#: Choices of the vertical and horizontal axis: columns of a curve, with their titles.
UPWARDS = {"gap": "Gap", "violation": "KKT violation"}
RIGHTWARDS = {"steps": "Steps", "evaluations": "Evaluations", "seconds": "Time"}
NAMES = {"steps": "Steps →", "evaluations": "Kernel evaluations →", "seconds": "Solver time →"}
MARKERS = ("o", "s", "t1", "d")
#: Size of a marker (pixels), and largest number of markers on a line.
MARKER, MOST_MARKERS = 7.0, 9
#: Lower end of the vertical axis: smaller gaps and violations are drawn there.
LOWEST = 1e-9
EMPTY = "The curves appear when the race runs."
#: Units of the axes, and exact texts of the values that are read off; others are counts.
UNITS: dict[str, tuple[str, Callable[[float], str]]] = {
    "gap": ("%", exact_percent),
    "violation": ("", exact),
    "seconds": ("s", lambda seconds: f"{exact(seconds)} s"),
}


def colour_of(theme: Theme, slot: int) -> RGB:
    """Return the colour of the racer with index `slot`: none of the first classes' colours, which stand for points."""
    theme = theme_of(theme.dark)  # its own colours: those of the document may be too faint for lines
    return (theme.ink, theme.classes[5], theme.classes[4], theme.classes[2])[slot % 4]


def racer_line(theme: Theme, slot: int, xy: Array, name: str, symbols_at: Sequence[int] = ()) -> Line:
    """Return the line of the racer with index `slot`, with its marker at some of its points."""
    dash, marker = DASHES[slot % 4], MARKERS[slot % 4]
    return Line(
        x=xy[:, 0],
        y=xy[:, 1],
        colour=colour_of(theme, slot),
        dash=dash,
        symbol=marker,
        symbols_at=symbols_at,
        name=name,
    )


def key_pixmap(theme: Theme, slot: int, ratio: float, height: int, longish: float) -> QPixmap:
    """Return a piece of the racer's line with its marker, `longish` times as long as high, for headings and table."""
    width = round(longish * height)
    pixmap = blank(width, height, ratio)
    with painter_on(pixmap, smooth=True) as painter:
        racer_line(theme, slot, np.empty((0, 2)), "").draw_sample(painter, QRectF(0, 0, width, height), theme)
    return pixmap


class RaceCurves(Chart):
    """The plot; the table beside it names the lines."""

    preferred = (420, 140)

    def __init__(self) -> None:
        super().__init__()
        self._frame: RaceFrame | None = None
        self.upwards, self.rightwards = "gap", "steps"
        self.setMinimumSize(200, 120)

    def show_frame(self, frame: RaceFrame | None, theme: Theme) -> None:
        """Show the curves of `frame`."""
        if frame is not self._frame or theme is not self.theme or not self.marks:
            self._frame, self.theme = frame, theme
            self._show()

    def choose(self, upwards: str, rightwards: str) -> None:
        """Choose the axes, keys of `UPWARDS` and `RIGHTWARDS`."""
        self.upwards, self.rightwards = upwards, rightwards
        self._show()

    def lines_of(self) -> list[tuple[int, Array]]:
        """Return (index, xy of shape (m, 2)) of each racer with something to show, in the units of the axes."""
        if self._frame is None:
            return []
        x, y = CURVE.index(self.rightwards), CURVE.index(self.upwards)
        found = []
        for slot, racer in enumerate(self._frame.racers):
            xy = racer.curve[:, (x, y)]
            xy = xy[np.isfinite(xy).all(axis=1) & (xy[:, 0] > 0)]
            if len(xy):
                found.append((slot, xy))
        return found

    @property
    def goal(self) -> float:
        """Height of the finish line."""
        return NEAR_GAP if self.upwards == "gap" else self._frame.tol if self._frame is not None else 1e-3

    def named(self) -> list[Mark]:
        return []

    def _show(self) -> None:
        found, theme = self.lines_of(), self.theme
        if not found or self._frame is None:
            missing = self._frame is not None and self._frame.begun
            what = UPWARDS[self.upwards].lower()
            self.show_marks((), theme, message=f"There is no {what} to be drawn here." if missing else EMPTY)
            return
        goal = f"{NEAR_GAP:.0%}".replace("%", "\u202f%") if self.upwards == "gap" else "tolerance"
        least = min(float(xy[0, 0]) for _, xy in found)
        most = max(float(xy[-1, 0]) for _, xy in found)
        marks: list[Mark] = [LevelLine(at=self.goal, colour=theme.accent, width=1.5, name=goal)]
        for slot, xy in found:
            # Markers at equal ratios to the right, each racer's beside the others'.
            shares = (np.arange(1, MOST_MARKERS) + 0.2 * slot) / MOST_MARKERS
            wanted = least * (most / least) ** shares
            at = sorted({int(np.searchsorted(xy[:, 0], each)) for each in wanted if xy[0, 0] <= each < xy[-1, 0]})
            marks.append(racer_line(theme, slot, xy, title(self._frame.racers[slot].rule), at))
        size, edge = 1.6 * MARKER, theme.base
        marks += [  # the present state of each
            Scatter(x=xy[-1:, 0], y=xy[-1:, 1], colour=colour_of(theme, n), symbol=MARKERS[n % 4], size=size, edge=edge)
            for n, xy in found
        ]
        marks.append(
            Texts(x=[most], y=[self.goal], texts=[goal], colour=theme.accent, anchor=(1.0, 1.1), plate=theme.background)
        )
        x, y = _axis(NAMES[self.rightwards], self.rightwards), replace(_axis("", self.upwards), floor=LOWEST)
        self.show_marks(marks, theme, x, y)


@cache
def _axis(title: str, name: str) -> ChartAxis:
    unit, read = UNITS.get(name, ("", whole))
    return ChartAxis(title, log=True, whole=name not in UNITS, unit=unit, exact=read)
