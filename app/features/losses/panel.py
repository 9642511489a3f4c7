"""LossPanel: hinge and 0-1 loss as curves over y f, with every point of a run on them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.engine.run_state import RunState
from app.features.kkt import text as words
from app.scene.model import Scene
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import INSET
from app.views.chart.linked import Hover, PointChart
from app.views.chart.marks import (
    DASHED,
    DOTTED,
    Dash,
    LevelLine,
    Line,
    Mark,
    Region,
    Scatter,
    Strokes,
    Texts,
    class_symbols,
)
from app.views.plot.symbol_painting import size_for
from app.views.plot.symbols import POINT
from app.views.theme import Theme
from app.views.widgets.inputs import describe, filled
from app.views.widgets.picture_beside_text import PictureBesideText
from app.views.widgets.roomy_label import RoomyLabel
from solver.core.arrays import Array, Indices
from solver.inspection.metrics import KKT_WORDS

#: Size of y f beyond which points are counted, not drawn; and smallest range of the picture.
FARTHEST, LEAST_RANGE = 6.0, (-1.5, 2.5)
#: Distance (pixels) within which the pointer finds a point.
REACH = 14.0
#: Half the length (pixels) of a point's tick at its 0-1 loss, and depth of the tick of loss 0 below the axis.
TICK, BELOW = 4.0, 10.0


def x_range(margins: Array) -> tuple[float, float]:
    """Return the range of the picture: all margins within limits, in half steps so that it rarely jumps."""
    low, high = float(margins.min()), float(margins.max())
    left = min(LEAST_RANGE[0], np.floor(2.0 * max(low, -FARTHEST)) / 2.0)
    right = max(LEAST_RANGE[1], np.ceil(2.0 * min(high, FARTHEST)) / 2.0)
    return max(float(left), -FARTHEST), min(float(right), FARTHEST)


class LossPicture(PointChart):
    """The curves with the points."""

    least_height, preferred = (80, 4), (300, 240)

    def __init__(self, hover: Hover) -> None:
        super().__init__(hover)
        self._margins: Array = np.empty(0)
        self._range = LEAST_RANGE

    def changed(self) -> None:
        if self.run_state is not None and len(self.run_state.y):
            self._margins = words.margins_of(self.run_state)
            self._range = x_range(self._margins)

    # -- where things are ------------------------------------------------------------------------------------------

    @property
    def _top(self) -> float:
        return 1.0 - self._range[0]

    def plot_area(self) -> QRectF:
        """Return the rectangle of margins and losses, in pixels."""
        return QRectF(self.pixel(self._range[0], self._top), self.pixel(self._range[1], 0.0))

    def to_widget(self, margin: ArrayLike, loss: ArrayLike) -> tuple[Array, Array]:
        """Return the pixels of margins and losses; values beyond the picture are at its edge."""
        return self.pixels(np.clip(margin, *self._range), np.clip(loss, 0.0, self._top))

    def symbol_pixels(self) -> tuple[Array, Array]:
        """Return the pixels of all points on the hinge curve."""
        return self.to_widget(self._margins, np.maximum(0.0, 1.0 - self._margins))

    def tick_pixels(self) -> tuple[Array, Array]:
        """Return the pixels of the middles of their ticks at the 0-1 loss."""
        wrong = self._margins <= 0.0
        x, y = self.to_widget(self._margins, wrong.astype(np.float64))
        return x, np.where(wrong, y, y + BELOW)

    def order(self) -> Indices:
        return np.argsort(self._margins, kind="stable").astype(np.intp)

    def index_at(self, position: QPointF) -> int:
        if not len(self._margins):
            return -1
        squares = [
            (x - position.x()) ** 2 + (y - position.y()) ** 2 for x, y in (self.symbol_pixels(), self.tick_pixels())
        ]
        nearest = np.minimum(*squares)
        index = int(nearest.argmin())
        return index if nearest[index] <= REACH**2 else -1

    # -- drawing ---------------------------------------------------------------------------------------------------

    def show_run(self, run_state: RunState) -> None:
        left, right = self._range
        theme, area = self.theme, self.area()
        pixel = self._top / max(area.height() - BELOW - TICK - 2 * INSET, 1.0)
        marks: list[Mark] = [
            Region(low=left, high=0.0, colour=theme.ink, opacity=34),
            Region(low=0.0, high=1.0, colour=theme.ink, opacity=16),
            LevelLine(at=0.0, upright=True, colour=theme.ink, width=1.3, dash=None),
            LevelLine(at=1.0, upright=True, colour=theme.ink, width=1.3),
            *self._curves(run_state, left, right),
            self._ticks(self._margins, pixel, width=1.0),
            *self._points(run_state, area.width()),
            *self._words(right),
        ]
        if self.highlighted >= 0:
            marks += self._lit(run_state, pixel)
        x = ChartAxis("y f", low=left, high=right)
        self.show_marks(marks, theme, x, ChartAxis(low=-(BELOW + TICK) * pixel, high=self._top, numbered=0.0))

    def _curves(self, run_state: RunState, left: float, right: float) -> list[Mark]:
        theme, name = self.theme, "0-1: 1 if y f ≤ 0, else 0"
        x, y = [left, 0.0, np.nan, 0.0, right], [1.0, 1.0, np.nan, 0.0, 0.0]
        marks: list[Mark] = [Line(x=x, y=y, colour=theme.accent, name=name, width=2.2, read=False)]
        knees: list[tuple[str, float, Dash]] = [("hinge: max(0, 1 − y f)", 1.0, None)]
        if not run_state.trainer.has_margins:
            knees.insert(0, (f"{run_state.trainer.title.lower()}: max(0, −y f)", 0.0, DASHED))
        for name, knee, dash in knees:
            x, y = [left, knee, right], [knee - left, 0.0, 0.0]
            marks.append(Line(x=x, y=y, colour=theme.ink, name=name, width=2.2, dash=dash, read=False))
        # At y f = 0 the upper one counts.
        return [
            *marks,
            Scatter(x=[0.0], y=[0.0], size=6.0, colour=theme.background, edge=theme.accent, edge_width=1.6),
            Scatter(x=[0.0], y=[1.0], size=6.0, colour=theme.accent),
        ]

    def _ticks(self, margins: Array, pixel: float, width: float, longer: float = 0.0) -> Strokes:
        at = np.unique(np.clip(margins, *self._range))
        middle, half = np.where(at <= 0.0, 1.0, -BELOW * pixel), (TICK + longer) * pixel
        return Strokes(x=at, low=middle - half, high=middle + half, width=width, colour=self.theme.accent)

    def _points(self, run_state: RunState, width: float) -> list[Mark]:
        """Return the points; all are on one line, so of each class one per pixel is enough."""
        labels = run_state.points.labels[run_state.index].astype(np.intp)
        at = np.clip(self._margins, *self._range)
        size, scale = size_for(len(at)), width * self.devicePixelRatioF()
        marks: list[Mark] = []
        for label in np.unique(labels).tolist():
            mine = at[labels == label][::-1]
            pixel = np.floor((mine - self._range[0]) * (scale / (self._range[1] - self._range[0])))
            marks.append(_symbols(self.theme, label, mine[np.unique(pixel, return_index=True)[1]], size))
        return marks

    def _words(self, right: float) -> list[Mark]:
        """Return the names of the sides, and how many points are beyond the picture."""
        ink, background = self.theme.ink, self.theme.background
        top = self._top
        named = [("wrong side ", 0.0, (1.0, 0.0)), (" on the margin", 1.0, (0.0, 0.0))]
        unit = self.area().width() / (right - self._range[0])
        if self.fontMetrics().horizontalAdvance("inside") + 12 <= unit:
            named.append(("inside", 0.5, (0.5, 0.0)))
        marks: list[Mark] = [Texts(x=[x], y=[top], texts=[text], colour=ink, anchor=at) for text, x, at in named]
        beyond = (("left", self._margins < self._range[0], 0.0), ("right", self._margins > right, 1.0))
        for side, mask, at in beyond:
            if mask.any():
                text = words.beyond_words(int(mask.sum()), side)
                text = f"◂ {text}" if side == "left" else f"{text} ▸"
                x = self._range[0] if side == "left" else right
                marks.append(Texts(x=[x], y=[0.35 * top], texts=[text], colour=ink, anchor=(at, 0.5), plate=background))
        return marks

    def _lit(self, run_state: RunState, pixel: float) -> list[Mark]:
        """Return the highlighted point, joined to its tick."""
        theme, margin = self.theme, float(np.clip(self._margins[self.highlighted], *self._range))
        loss, tick = max(0.0, 1.0 - margin), 1.0 if margin <= 0.0 else -BELOW * pixel
        return [
            Line(x=[margin, margin], y=[loss, tick], colour=theme.accent, dash=DOTTED, read=False),
            self._ticks(np.array([margin]), pixel, width=3.0, longer=2.0),
            Scatter(x=[margin], y=[loss], size=20.0, colour=theme.background, edge=theme.accent, edge_width=2.5),
            _symbols(theme, int(run_state.points.labels[run_state.index[self.highlighted]]), np.array([margin]), POINT),
        ]


def _symbols(theme: Theme, label: int, margins: Array, size: float) -> Scatter:
    """Return points of a class on the hinge curve."""
    return class_symbols(theme, label, margins, np.maximum(0.0, 1.0 - margins), size)


class LossPanel(QWidget):
    """The picture, the losses in numbers, and the numbers of one point.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        describe(self, "loss", "Loss", "Hinge loss and 0-1 loss of the training points.", hover=False)
        self.picture = LossPicture(lambda point: controller.playback.hover(point))
        describe(
            self.picture,
            "loss.picture",
            "Losses over y f",
            "Each point at its y f and its hinge loss. Arrow keys go from point to point.",
            hover=False,
        )
        longest = "y f = −0.00123, hinge loss max(0, 1 − y f) = 0.00123\n\n" + max(KKT_WORDS.values(), key=len)
        self._point = RoomyLabel("loss.point", longest)
        self._numbers = RoomyLabel(
            "loss.numbers",
            "\n".join(
                (
                    "Hinge loss: 1/n Σ max(0, 1 − y f) = 0.00123",
                    "0-1 loss: 1/n Σ [y f ≤ 0] = 10 000 / 10 000 = 99.9 %",
                    "Perceptron's loss: 1/n Σ max(0, −y f) = 0.00123",
                    "The hinge loss is an upper bound: it is never below the 0-1 loss.",
                )
            ),
        )
        self._spread = PictureBesideText("loss.message", self.picture, self._point, (self._numbers,))
        filled(QVBoxLayout(self), self._spread, margins=0)
        self.first_stop = self.picture

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the losses of the scene's run."""
        run_state = scene.run_state
        plain = ""
        if run_state is None:
            plain = scene.no_run or words.NO_RUN
        elif not run_state.trainer.has_f:
            plain = words.without_f(run_state.trainer)
        self._spread.show_plain(plain)
        self.picture.show_run_state(run_state, scene.session.hovered, theme)
        if run_state is None or not len(run_state.y):
            return
        self._numbers.say("\n".join(words.loss_words(run_state)))
        hint = "Point at a point, or go from one to the next with ← and →."
        index = self.picture.highlighted
        self._point.say("\n".join(words.point_words(run_state, index)) if index >= 0 else hint)
