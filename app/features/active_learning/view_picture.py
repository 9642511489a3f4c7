"""PoolPicture: the pool of active learning over the surface of the present model, and the point in question.

LearningCurve: accuracy against the number of labels, for the least certain and for random points, and this run.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.core.number_format import coordinate, percent
from app.engine.frames import Picture
from app.state.document import View, are_unlike
from app.views.chart.axis import ChartAxis, of_shares, whole
from app.views.chart.chart import EDGE, Chart, is_plain
from app.views.chart.marks import (
    DASHED,
    DOTTED,
    Band,
    LevelLine,
    Line,
    Mark,
    Scatter,
    Strokes,
    SurfaceMark,
    Texts,
    class_symbols,
)
from app.views.plot.symbols import POINT
from app.views.theme import Theme
from app.views.widgets.inputs import describe
from solver import Grid
from solver.core.arrays import Array

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


#: Largest distance of a click from the point it selects (pixels).
REACH = 14
#: Diameters (pixels) of the ring round the point in question, of the disc in it, and of an unlabelled point.
RING, DISC, UNLABELLED = 26.0, 9.4, 6.4
#: Pools with more points than this have smaller symbols.
MANY = 400
#: Anchor of a sign at the upper right of a point and of a ring, in multiples of the sign's size.
BESIDE_POINT, BESIDE_RING = (-0.3, 1.4), (-0.5, 1.6)
_ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}


class PoolPicture(Chart):
    """Display the pool of a run; emit signals for chosen points and for its keys."""

    #: Index in the pool of the chosen point, or -1 for the requested one.
    chosen = Signal(int)
    #: Enter was pressed: give the true label.  Space was pressed: start or stop automatic answers.
    truth_wanted = Signal()
    play_wanted = Signal()
    #: The grid of the picture has changed.
    resized = Signal()

    framed = sets = equal = True
    least_height = (150, 0)

    def __init__(self) -> None:
        super().__init__()
        describe(
            self,
            "asking.picture",
            "Pool of points",
            "Click an unlabelled point, or go to one with the arrow keys, to label it instead of the one asked for."
            " Keys 1–8 answer, Enter labels automatically, Backspace steps back.",
            hover=False,
        )
        self._shown: tuple[ActiveLearningRun | None, Picture | None, str, Theme | None] = None, None, "", None

    def right_of(self, metrics: object) -> float:
        return EDGE

    def show_board(self, asking: ActiveLearningRun | None, picture: Picture | None, message: str, theme: Theme) -> None:
        """Draw the pool of `asking` over `picture`, or a `message` instead."""
        shown, before = (asking, picture, message, theme), self._shown[0]
        if shown == self._shown:
            return
        self._shown = shown
        x, y = self.x, self.y
        if asking is not None and (before is None or before.pool is not asking.pool):
            view = View.fitting(asking.pool.points, are_unlike(asking.pool.points))
            half, self.ratio = 0.5 * view.shown_span, view.ratio
            x, y = (
                ChartAxis(low=at - away, high=at + away, bare=True, grid=False)
                for at, away in ((view.x, half), (view.y, half * view.ratio))
            )
        marks: list[Mark] = [] if picture is None else [SurfaceMark(picture=picture)]
        over: list[Mark] = []
        if asking is not None:
            marks += _pool_marks(asking, theme)
            over = _question_marks(asking, theme)
        self.setAccessibleDescription(message or ("" if asking is None else _words(asking)))
        self.show_marks(marks, theme, x, y, message, over)

    def made_for(self) -> object:
        return self.grid()

    def remake(self) -> None:
        self.resized.emit()

    def grid(self) -> Grid:
        """Return the displayed part of the plane, with one sample per device pixel."""
        area, ((left, right), (bottom, top)), ratio = self.area(), self.box.viewRange(), self.devicePixelRatioF()
        width, height = (max(round(size * ratio), 16) for size in (area.width(), area.height()))
        return Grid(left, right, bottom, top, width, height)

    def point_pixels(self) -> Array:
        """Return the pixels of the points of the pool, shape (n, 2)."""
        assert self._shown[0] is not None
        return np.column_stack(self.pixels(*self._shown[0].pool.points.xy.T))

    # -- the user --------------------------------------------------------------------------------------------------

    def put(self, position: QPointF) -> None:
        self.dragging, asking = False, self._shown[0]  # a click chooses one point
        if asking is not None:
            distance = np.where(asking.open, np.hypot(*(self.point_pixels() - position.toTuple()).T), np.inf)
            nearest = int(distance.argmin())
            if distance[nearest] <= REACH:
                self.chosen.emit(nearest)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, asking = Qt.Key(event.key()), self._shown[0]
        if not is_plain(event):
            event.ignore()
        elif key in _ARROWS:
            self._go(*_ARROWS[key])
        elif key == Qt.Key.Key_Escape and asking is not None and asking.chosen is not None:
            self.chosen.emit(-1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.truth_wanted.emit()
        elif key == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self.play_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _go(self, dx: float, dy: float) -> None:
        """Choose the next unlabelled point in a direction: near, and not far to the side."""
        asking = self._shown[0]
        if asking is None or asking.finished:
            return
        pixels = self.point_pixels()
        here = pixels[asking.target] if asking.target is not None else np.array(self.area().center().toTuple())
        ahead = (pixels - here) @ (dx, dy)
        aside = np.abs((pixels - here) @ (dy, dx))
        usable = asking.open & (ahead > 0.0)
        if usable.any():
            self.chosen.emit(int(np.where(usable, ahead + 2.0 * aside, np.inf).argmin()))


def _pool_marks(asking: ActiveLearningRun, theme: Theme) -> list[Mark]:
    """Return the marks of all points, with a sign on those that are labelled wrongly."""
    xy, labelled, small = asking.pool.points.xy, asking.labelled, 1.0 if len(asking.pool) <= MANY else 0.75
    size, background, ink = UNLABELLED * small, theme.background, theme.ink
    x, y = xy[asking.open].T
    marks: list[Mark] = [Scatter(x=x, y=y, size=size, colour=background, edge=theme.faint, edge_width=1.3)]
    for label in sorted({answer.label for answer in labelled}):
        x, y = xy[[answer.index for answer in labelled if answer.label == label]].T
        marks.append(class_symbols(theme, label, x, y, POINT * small))
    x, y = xy[[answer.index for answer in labelled if answer.label != asking.pool.points.labels[answer.index]]].T
    marks.append(Texts(x=x, y=y, texts=[" ≠ "] * len(x), colour=background, plate=ink, anchor=BESIDE_POINT))
    return marks


def _question_marks(asking: ActiveLearningRun, theme: Theme) -> list[Mark]:
    """Return the marks of the point in question, with its "?", and a thin ring on the rule's choice if not the same."""
    target, question, marks, ink, background = asking.target, asking.question, list[Mark](), theme.ink, theme.background
    if target is None:
        return marks
    rings = [(target, theme.ink if asking.chosen is None else theme.accent, 2.8)]
    if question is not None and question.index != target:
        rings.insert(0, (question.index, ink, 1.4))
    for index, colour, width in rings:
        x, y = asking.pool.points.xy[[index]].T
        marks += [
            Scatter(x=x, y=y, size=RING, colour=each, edge_width=wide, hollow=True)
            for each, wide in ((background, width + 2.4), (colour, width))
        ]
    marks.append(Scatter(x=x, y=y, size=DISC, colour=background, edge=ink, edge_width=1.6))
    marks.append(Texts(x=x, y=y, texts=[" ? "], colour=background, plate=ink, anchor=BESIDE_RING))
    return marks


def _words(asking: ActiveLearningRun) -> str:
    """Return a description of the picture."""
    words = f"{len(asking.pool)} points, {len(asking.labelled)} of them labelled."
    if asking.target is not None:
        xy = asking.pool.points.xy
        x, y = map(coordinate, xy[asking.target].tolist(), np.ptp(xy, axis=0).tolist(), (3, 3))
        words += f" Asked about: ({x}, {y})."
    return words
