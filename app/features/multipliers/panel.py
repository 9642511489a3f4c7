"""MultipliersPanel: every multiplier as a bar between 0 and its C, and the number of points of each KKT case."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import short
from app.engine.run_state import RunState
from app.features.kkt import text as words
from app.scene.model import Scene
from app.views import kkt_style
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import EDGE, INSET
from app.views.chart.linked import Hover, PointChart
from app.views.chart.marks import Bars, Line, Mark, Region, Strokes, class_symbols
from app.views.plot.symbols import kkt_pixmap
from app.views.theme import Theme
from app.views.widgets.boxes import grid_on, in_column
from app.views.widgets.clickable import chooser
from app.views.widgets.inputs import describe, filled
from app.views.widgets.picture_beside_text import PictureBesideText
from app.views.widgets.roomy_label import RoomyLabel
from solver.core.arrays import Array, Indices
from solver.inspection.metrics import KKT_WORDS, KktCase

#: Width of a bar (pixels) from which its point is shown below it.
ROOM_FOR_POINTS = 26
#: Width of a bar (pixels) from which there are gaps between bars.
ROOM_FOR_GAPS = 3
#: Width of a bar (pixels) from which it has an edge.
EDGED = 6
#: Largest width of a bar (pixels).
WIDEST = 40


class BarGroups(Struct, frozen=True, eq=False):
    """The order and the groups of the bars.

    Attributes
    ----------
    index : ndarray of shape (m,)
        Point of each bar, from the left: of its group the one with the largest multiplier.
    bar : ndarray of shape (n,)
        Index of the bar whose group has the point.
    per_bar : int
        Number of points in a group; the last may have fewer.
    """

    index: Indices
    bar: Indices
    per_bar: int


def bars_of(run_state: RunState, by_size: bool, most: int) -> BarGroups:
    """Return at most `most` bars for the multipliers of `run_state`, by descending size or in the order of the points.

    Among equal multipliers, those of one case and one C are adjacent.
    """
    assert run_state.alpha is not None and run_state.C is not None and run_state.kkt is not None
    n = len(run_state.alpha)
    order = np.lexsort((-run_state.C, -run_state.kkt.case, -run_state.alpha)) if by_size else np.arange(n)
    per_bar = -(-n // max(most, 1))
    m = -(-n // per_bar)
    padded = np.full(m * per_bar, -1.0)
    padded[:n] = run_state.alpha[order]
    first = padded.reshape(m, per_bar).argmax(axis=1) + per_bar * np.arange(m)
    bar = np.empty(n, dtype=np.intp)
    bar[order] = np.arange(n) // per_bar
    return BarGroups(order[first].astype(np.intp), bar, per_bar)


class MultiplierBars(PointChart):
    """The bars."""

    least_height, preferred = (80, 3), (300, 220)

    def __init__(self, hover: Hover) -> None:
        super().__init__(hover)
        self.by_size = True
        self.up_to_C = True
        self._bars: BarGroups | None = None
        self._most = 0

    def choose(self, by_size: bool, up_to_C: bool) -> None:
        """Choose the order of the bars, and whether the height goes up to their bounds or to the largest multiplier."""
        self.by_size, self.up_to_C = by_size, up_to_C
        self._bars = None
        self.draw_points()

    def changed(self) -> None:
        self._bars = None

    # -- where things are ------------------------------------------------------------------------------------------

    def right_of(self, metrics: QFontMetricsF) -> float:
        return EDGE

    def _room(self) -> float:
        return max(self.area().width() - 2 * INSET, 1.0)

    def bars(self) -> BarGroups:
        """Return groups and order of the bars at the present width."""
        assert self.run_state is not None and self.run_state.alpha is not None
        most = max(1, int(self._room()))
        if self._bars is None or len(self._bars.index) > most or (self._bars.per_bar > 1 and most != self._most):
            self._bars = bars_of(self.run_state, self.by_size, most)
            self._most = most
        return self._bars

    def top(self) -> float:
        """Return the multiplier at the upper end of the axis."""
        run_state = self.run_state
        assert run_state is not None and run_state.alpha is not None and run_state.C is not None
        finite = run_state.C[np.isfinite(run_state.C)]
        largest = float(run_state.alpha.max())
        bound = float(finite.max()) if self.up_to_C and len(finite) else 0.0
        return max(largest, bound) or (float(finite.max()) if len(finite) else 1.0)

    def plot_area(self) -> QRectF:
        """Return the rectangle of the bars, in pixels."""
        wide = max(len(self.bars().index), self._room() / WIDEST) if self._has_bars() else 1.0
        return QRectF(self.pixel(0.0, self.top()), self.pixel(wide, 0.0)) if self._has_bars() else self.area()

    def _points_fit(self) -> bool:
        n = 0 if self.run_state is None else len(self.run_state.y)
        return n > 0 and n * ROOM_FOR_POINTS <= self._room()

    def pitch(self) -> float:
        """Return the distance (pixels) from bar to bar."""
        return min(self._room() / len(self.bars().index), WIDEST)

    def gap(self) -> float:
        """Return the gap (pixels) between bars."""
        pitch = self.pitch()
        return 0.0 if pitch < ROOM_FOR_GAPS else max(1.0, round(0.25 * pitch))

    def order(self) -> Indices:
        return self.bars().index if self._has_bars() else np.empty(0, dtype=np.intp)

    def position_in_order(self) -> int:
        index = self.newest_index()
        return int(self.bars().bar[index]) if index >= 0 and self._has_bars() else -1

    def _has_bars(self) -> bool:
        return self.run_state is not None and self.run_state.alpha is not None and len(self.run_state.alpha) > 0

    def index_at(self, position: QPointF) -> int:
        if not self._has_bars() or position.x() < self.area().left():
            return -1
        bar, indices = math.floor(self.values_at(position)[0]), self.bars().index
        return int(indices[bar]) if 0 <= bar < len(indices) else -1

    # -- drawing ---------------------------------------------------------------------------------------------------

    def show_run(self, run_state: RunState) -> None:
        if run_state.alpha is None or run_state.C is None or run_state.kkt is None:
            self.show_marks((), self.theme)
            return
        bars, theme, top = self.bars(), self.theme, self.top()
        m, gap = len(bars.index), 0.5 * self.gap() / self.pitch()
        below = (ROOM_FOR_POINTS + 4 if self._points_fit() else 0) + 14
        low = -top * below / max(self.area().height() - 2 * INSET - below, 1.0)
        case = run_state.kkt.case[bars.index]
        brushes = kkt_style.bar_brushes(theme, self.devicePixelRatioF())
        colours = [kkt_style.CASES[each].rgb(theme) for each in KktCase]
        left = np.arange(m, dtype=np.float64) + gap
        right = left + 1 - 2 * gap
        edges = [colours[each] for each in case.tolist()] if self.pitch() >= EDGED else ()
        alpha = run_state.alpha[bars.index]
        open_bars = np.unique(bars.bar[~run_state.kkt.satisfied]) + 0.5
        bound, note = self._bound(run_state, bars, top)
        marks: list[Mark] = [
            Bars(left=left, right=right, height=alpha, brushes=[brushes[each] for each in case.tolist()], edges=edges),
            Line(x=bound[0], y=bound[1], colour=theme.background, width=3.5, read=False),
            Line(x=bound[0], y=bound[1], colour=theme.ink, width=1.5, read=False),
            Strokes(x=open_bars, foot=10.0, width=1.0 if self.pitch() < ROOM_FOR_GAPS else 2.0, colour=theme.ink),
        ]
        if self._points_fit():
            labels = run_state.points.labels[run_state.index][bars.index]
            height = 0.5 * low * (14 + below) / below
            for label in np.unique(labels).tolist():
                at = np.flatnonzero(labels == label) + 0.5
                marks.append(class_symbols(theme, label, at, np.full(len(at), height)))
        if self.highlighted >= 0:
            bar, reach = int(bars.bar[self.highlighted]), float(run_state.alpha[self.highlighted])
            half = max(0.5, 3.0 / self.pitch())
            # The bar of a group belongs to another point: this one reaches up to here.
            marks += [
                Region(low=bar + 0.5 - half, high=bar + 0.5 + half, colour=theme.accent, opacity=90),
                Line(x=[bar - half, bar + 1 + half], y=[reach, reach], colour=theme.accent, read=False),
            ]
        x = ChartAxis(low=0.0, high=float(max(m, self._room() / WIDEST)), bare=True, grid=False)
        self.show_marks(marks, theme, x, ChartAxis(f"α   {note}", low=low, high=top, numbered=0.0))

    def _bound(self, run_state: RunState, bars: BarGroups, top: float) -> tuple[tuple[Array, Array], str]:
        """Return a line at C, with steps where C changes, and its description."""
        assert run_state.C is not None
        bounds = run_state.C[bars.index]
        least, most = float(run_state.C.min()), float(run_state.C.max())
        inside = np.isfinite(bounds) & (bounds <= top * (1 + 1e-9))
        line = np.repeat(np.arange(len(bounds) + 1.0), 2)[1:-1], np.repeat(np.where(inside, bounds, np.nan), 2)
        if not inside.any():
            return line, "no upper bound: C = ∞" if np.isinf(least) else f"C = {short(least)}, far above"
        return line, f"C = {short(most)}" if least == most else f"C of each point: {short(least)} to {short(most)}"


class MultipliersPanel(QWidget):
    """The bars, their order, the meaning of each colour, and the numbers of one point.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        describe(self, "alphas", "Multipliers", "The multipliers α of the training points, by KKT case.", hover=False)
        self._theme: Theme | None = None
        self._order = chooser(
            "alphas.order",
            "Order of the bars",
            "By the size of α, or as the points come.",
            lambda by_size: self._choose(),
            (("Largest first", True), ("In the order of the points", False)),
            width=8,
        )
        self._height = chooser(
            "alphas.height",
            "Height of the picture",
            "Up to the bound C, or only up to the largest multiplier: bars far below C become visible.",
            lambda up_to_C: self._choose(),
            (("Height up to C", True), ("Height up to the largest α", False)),
            width=8,
        )
        self.bars = describe(
            MultiplierBars(lambda point: controller.playback.hover(point)),
            "alphas.bars",
            "Multipliers as bars",
            "One bar for each point, from 0 to its α. Arrow keys go from bar to bar.",
            hover=False,
        )
        self._line = RoomyLabel(
            "alphas.point",
            "α = 0.00123, C = 0.00123\ny f = −0.00123, slack ξ = 1.00123\n" + max(KKT_WORDS.values(), key=len),
        )
        self._count = RoomyLabel("alphas.count", words.bars_words(10_000, 12))
        self._legend = _Legend()
        options = filled(QHBoxLayout(), (self._order, 1), (self._height, 1))
        picture = in_column(options, (self.bars, 1))
        self._spread = PictureBesideText("alphas.message", picture, self._line, (self._legend, self._count))
        filled(QVBoxLayout(self), self._spread, margins=0)
        self.first_stop = self.bars

    def _choose(self) -> None:
        self.bars.choose(bool(self._order.currentData()), bool(self._height.currentData()))

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the multipliers of the scene's run."""
        run_state = scene.run_state
        plain = ""
        if run_state is None:
            plain = scene.no_run or words.NO_RUN
        elif run_state.alpha is None or run_state.C is None or run_state.kkt is None:
            plain = words.without_alpha(run_state.trainer)
        self._spread.show_plain(plain)
        self.bars.show_run_state(None if plain else run_state, scene.session.hovered, theme)
        if theme is not self._theme:
            self._theme = theme
            self._legend.show_theme(theme)
        if run_state is None or plain or run_state.kkt is None or run_state.C is None:
            return
        self._height.setEnabled(bool(np.isfinite(run_state.C).any()))
        self._legend.show_counts(words.case_counts(run_state.kkt))
        self._count.say(words.bars_words(len(run_state.y), self.bars.bars().per_bar))
        hint = "Point at a bar, or go from bar to bar with ← and →."
        index = self.bars.highlighted
        self._line.say("\n".join(words.point_words(run_state, index)) if index >= 0 else hint)


class _Legend(QWidget):
    """The meaning of the colours, with the number of points of each case, and of those that violate theirs."""

    def __init__(self) -> None:
        super().__init__()
        texts = [(f"alphas.case{case:d}", words.case_words(case, 10_000, 10_000)) for case in KktCase]
        texts.append(("alphas.violations", words.violation_words(10_000)))
        self._rows = [(QLabel(), RoomyLabel(name, longest)) for name, longest in texts]
        layout = grid_on(self, across=6, down=2)
        layout.setColumnStretch(1, 1)
        for row, (sign, text) in enumerate(self._rows):
            layout.addWidget(sign, row, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(text, row, 1)

    def show_theme(self, theme: Theme) -> None:
        """Draw the signs in the theme's colours: the bar, and the mark of the pictures."""
        for case, (sign, _) in zip((*KktCase, None), self._rows, strict=True):
            sign.setPixmap(kkt_pixmap(theme, case, self.devicePixelRatioF()))

    def show_counts(self, counts: dict[KktCase, tuple[int, int]]) -> None:
        """Show the number of points of each case, and of those that violate theirs."""
        for case, (number, not_yet) in counts.items():
            self._rows[case][1].say(words.case_words(case, number, not_yet))
        self._rows[-1][1].say(words.violation_words(sum(not_yet for _, not_yet in counts.values())))
