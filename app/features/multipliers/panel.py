"""MultipliersPanel: every multiplier as a bar between 0 and its C, and how many there are of each KKT case."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import even, short
from app.engine.run_state import RunState
from app.features.kkt import text as words
from app.scene.marks import mark_of
from app.scene.model import Scene
from app.views import kkt_style
from app.views.charts.chart import paint_rows
from app.views.charts.linked_chart import Hover, LinkedChart, nice_ticks
from app.views.plot.symbols import draw, symbol_pixmap
from app.views.theme import Theme
from app.views.widgets.form_fields import combo_box, describe, filled
from app.views.widgets.painting import blank, painter_on
from app.views.widgets.picture_beside_text import PictureBesideText
from app.views.widgets.roomy_label import RoomyLabel
from solver.core.arrays import Indices
from solver.inspection.metrics import KKT_WORDS, KktCase

#: From so many pixels per bar on, its point stands below it.
ROOM_FOR_POINTS = 26
#: From so many on, there is a gap between bars.
ROOM_FOR_GAPS = 3
#: From so many on, a bar has an edge.
EDGED = 6
#: Bars grow up to this width.
WIDEST = 40


@dataclass(frozen=True, eq=False)
class Bars:
    """Which multipliers stand where.

    Attributes
    ----------
    place : ndarray of shape (m,)
        The point of each bar, from the left: of its group the one with the largest multiplier.
    bar : ndarray of shape (n,)
        In which bar's group each point is.
    per_bar : int
        Points of a group; the last may have fewer.
    """

    place: Indices
    bar: Indices
    per_bar: int


def bars_of(run_state: RunState, by_size: bool, most: int) -> Bars:
    """At most `most` bars for the multipliers of `run_state`, by falling size or in the points' own order.

    Of the same size, those of one case and of one C stand together.
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
    return Bars(order[first].astype(np.intp), bar, per_bar)


class MultiplierBars(LinkedChart):
    """The bars themselves."""

    def __init__(self, hover: Hover) -> None:
        super().__init__(hover)
        self.by_size = True
        self.up_to_C = True
        self._bars: Bars | None = None
        self._made_for = 0

    def sizeHint(self) -> QSize:
        return QSize(300, 220)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, round(3 * self.metrics().lineSpacing()) + 80)

    def choose(self, by_size: bool, up_to_C: bool) -> None:
        """How the bars are ordered, and whether they stand before their bounds or fill the height."""
        self.by_size, self.up_to_C = by_size, up_to_C
        self._changed()
        self.update()

    def _changed(self) -> None:
        self._bars = None

    # -- where things are ------------------------------------------------------------------------------------------

    def bars(self) -> Bars:
        """Groups and order of the bars at the present width."""
        assert self._study is not None and self._study.alpha is not None
        most = max(1, int(self.plot_area().width()))
        if self._bars is None or len(self._bars.place) > most or (self._bars.per_bar > 1 and most != self._made_for):
            self._bars = bars_of(self._study, self.by_size, most)
            self._made_for = most
        return self._bars

    def top(self) -> float:
        """The multiplier at the upper end of the axis."""
        run_state = self._study
        assert run_state is not None and run_state.alpha is not None and run_state.C is not None
        finite = run_state.C[np.isfinite(run_state.C)]
        largest = float(run_state.alpha.max())
        bound = float(finite.max()) if self.up_to_C and len(finite) else 0.0
        return max(largest, bound) or (float(finite.max()) if len(finite) else 1.0)

    def plot_area(self) -> QRectF:
        """The room of the bars."""
        metrics = self.metrics()
        widest = max(metrics.horizontalAdvance(text) for text in ("0.00", short(self.top())))
        left, above = int(widest) + 12, int(1.5 * metrics.height()) + 6  # whole pixels
        below = (ROOM_FOR_POINTS + 4 if self._points_fit(left) else 0) + 14
        return QRectF(left, above, max(self.width() - left - 8, 1), max(self.height() - above - below, 1))

    def _points_fit(self, left: float) -> bool:
        n = 0 if self._study is None else len(self._study.y)
        return n > 0 and n * ROOM_FOR_POINTS <= self.width() - left - 8

    def pitch(self) -> float:
        """Pixels from bar to bar."""
        return min(self.plot_area().width() / len(self.bars().place), WIDEST)

    def gap(self) -> float:
        """Pixels between bars."""
        pitch = self.pitch()
        return 0.0 if pitch < ROOM_FOR_GAPS else max(1.0, round(0.25 * pitch))

    def order(self) -> Indices:
        return self.bars().place if self._has_bars() else np.empty(0, dtype=np.intp)

    def spot_in_order(self) -> int:
        place = self._newest_place()
        return int(self.bars().bar[place]) if place >= 0 and self._has_bars() else -1

    def _has_bars(self) -> bool:
        return self._study is not None and self._study.alpha is not None and len(self._study.alpha) > 0

    def place_at(self, position: QPointF) -> int:
        if not self._has_bars():
            return -1
        bar = int((position.x() - self.plot_area().left()) // self.pitch())
        places = self.bars().place
        return int(places[bar]) if 0 <= bar < len(places) else -1

    # -- drawing ---------------------------------------------------------------------------------------------------

    def paint_study(self, painter: QPainter, run_state: RunState) -> None:
        if run_state.alpha is None or run_state.C is None or run_state.kkt is None:
            return
        columns, bars, pitch = self.plot_area(), self.bars(), self.pitch()
        self._paint_axis(painter, columns)
        lit = self._lit(columns, bars, pitch)
        accent = QColor(*self._theme.accent)
        if lit is not None:
            painter.fillRect(lit, QColor(*self._theme.accent, 80))
        self._paint_bars(painter, run_state, columns)
        self._paint_bounds(painter, run_state, columns, bars, pitch)
        self._paint_feet(painter, run_state, columns, bars, pitch)
        if lit is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(accent, 2))
            painter.drawRect(lit)
            # In a group, the bar is another point's: this one reaches up to here.
            y = columns.bottom() - columns.height() * float(run_state.alpha[self.place]) / self.top()
            painter.drawLine(QLineF(lit.left() - 3, y, lit.right() + 3, y))

    def _lit(self, columns: QRectF, bars: Bars, pitch: float) -> QRectF | None:
        """The column of the point that stands out."""
        if self.place < 0:
            return None
        middle, wide = columns.left() + (int(bars.bar[self.place]) + 0.5) * pitch, max(pitch, 6.0)
        return QRectF(middle - wide / 2, columns.top() - 4, wide, self.height() - columns.top() - 1)

    def _paint_axis(self, painter: QPainter, columns: QRectF) -> None:
        top, metrics = self.top(), self.metrics()
        ticks = nice_ticks(top, max(2, int(columns.height() / (2.2 * metrics.height()))))
        texts = even([short(tick) for tick in ticks])
        places = (round(columns.bottom() - columns.height() * tick / top) + 0.5 for tick in ticks)
        rows = list(zip(places, texts, strict=True))
        dotted = QPen(QColor(*self._theme.faint), 1, Qt.PenStyle.DotLine)
        paint_rows(painter, columns, rows, self._theme, dotted, beyond=3)
        painter.setPen(QColor(*self._theme.ink))
        painter.drawText(QPointF(6, metrics.ascent() + 2), "α")

    def _paint_bars(self, painter: QPainter, run_state: RunState, columns: QRectF) -> None:
        """All bars as one picture of device pixels; of many rectangles, each with its pattern, Qt makes 5 ms more."""
        assert run_state.alpha is not None and run_state.kkt is not None
        ratio = self.devicePixelRatioF()
        bars, pitch = self.bars(), self.pitch() * ratio
        width, height = round(columns.width() * ratio), round(columns.height() * ratio)
        gap = self.gap() * ratio
        steps = np.arange(len(bars.place))
        lefts = np.round(pitch * steps + gap / 2).astype(np.intp)
        widths = np.maximum(np.round(pitch * (steps + 1) - gap / 2).astype(np.intp), lefts + 1) - lefts
        exact = height / self.top() * run_state.alpha[bars.place]
        # No support vector is so small that it is none.
        tall = np.where(exact > 0, np.maximum(np.round(exact), 1), 0).astype(np.intp)
        of = np.repeat(steps, widths)
        within = np.arange(len(of)) - np.repeat(np.cumsum(widths) - widths, widths)
        at = lefts[of] + within
        kept = at < width
        of, at, within = of[kept], at[kept], within[kept]
        case = run_state.kkt.case[bars.place][of]
        tiles, plain = kkt_style.bar_tiles(self._theme, ratio)
        side = tiles.shape[1]
        pixels = np.zeros((height, width), dtype=np.uint32)
        up = np.arange(height, 0, -1)  # rows, counted from the ground
        edged = (pitch >= EDGED * ratio) & ((within == 0) | (within == widths[of] - 1))
        for phase in range(side):
            line = np.where(edged, plain[case], tiles[case, phase, at % side])
            pixels[phase::side, at] = np.where(up[phase::side, None] <= tall[of], line, 0)
        tops = tall[of] > 0
        pixels[height - tall[of][tops], at[tops]] = plain[case[tops]]
        image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        painter.drawImage(columns.topLeft(), image)

    def _paint_bounds(self, painter: QPainter, run_state: RunState, columns: QRectF, bars: Bars, pitch: float) -> None:
        """A line at C, with steps where C is another."""
        assert run_state.C is not None
        bounds, top = run_state.C[bars.place], self.top()
        ink = QColor(*self._theme.ink)
        inside = np.isfinite(bounds) & (bounds <= top * (1 + 1e-9))
        if not inside.any():
            least = float(run_state.C.min())
            self._paint_note(painter, "no upper bound: C = ∞" if np.isinf(least) else f"C = {short(least)}, far above")
            return
        height = columns.height() * np.where(inside, bounds, 0.0) / top
        ys = np.where(inside, np.round(columns.bottom() - height), np.nan)
        cuts = np.flatnonzero(~((ys[1:] == ys[:-1]) | (np.isnan(ys[1:]) & np.isnan(ys[:-1])))) + 1
        starts, ends = np.concatenate(([0], cuts)), np.concatenate((cuts, [len(ys)]))
        lines, last = [], np.nan
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            y, x = float(ys[start]) + 0.5, columns.left() + start * pitch
            if not np.isnan(last) and not np.isnan(y):
                lines.append(QLineF(x, last, x, y))
            if not np.isnan(y):
                lines.append(QLineF(x, y, columns.left() + end * pitch, y))
            last = y
        for pen in (QPen(QColor(*self._theme.background, 200), 3.5), QPen(ink, 1.5)):
            painter.setPen(pen)
            painter.drawLines(lines)
        least, most = float(run_state.C.min()), float(run_state.C.max())
        text = f"C = {short(most)}" if least == most else f"C of each point: {short(least)} to {short(most)}"
        self._paint_note(painter, text)

    def _paint_note(self, painter: QPainter, text: str) -> None:
        """Say at the upper right what the line is."""
        metrics = self.metrics()
        box = QRectF(0, 2, self.width() - 8, metrics.height())
        painter.setPen(QColor(*self._theme.ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_feet(self, painter: QPainter, run_state: RunState, columns: QRectF, bars: Bars, pitch: float) -> None:
        """Below the bars: which points have not the y f that their case asks for, and the points where they fit."""
        assert run_state.kkt is not None
        open_bars = np.unique(bars.bar[~run_state.kkt.satisfied])
        ink = QColor(*self._theme.ink)
        top = columns.bottom() + 4
        if len(open_bars):
            painter.setPen(QPen(ink, 1 if pitch < ROOM_FOR_GAPS else 2))
            xs = np.floor(columns.left() + pitch * (open_bars + 0.5)) + 0.5
            painter.drawLines([QLineF(x, top, x, top + 6) for x in xs.tolist()])
        if not self._points_fit(columns.left()):
            return
        labels, ratio = run_state.points.labels, self.devicePixelRatioF()
        for bar, place in enumerate(bars.place.tolist()):
            x, y = columns.left() + (bar + 0.5) * pitch, columns.bottom() + 14 + ROOM_FOR_POINTS / 2
            case = KktCase(int(run_state.kkt.case[place]))
            mark = mark_of(case, bool(run_state.kkt.satisfied[place]))
            for kind in (str(int(labels[run_state.index[place]])), mark):
                if kind:
                    pixmap = symbol_pixmap(self._theme, kind, 30, ratio)
                    painter.drawPixmap(QPointF(x - 15, y - 15), pixmap)


class MultipliersPanel(QWidget):
    """The bars, how to order them, what each colour is, and the numbers of one point.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        describe(self, "alphas", "Multipliers", "The multipliers α of the training points, by KKT case.")
        self.setToolTip("")
        self._theme: Theme | None = None
        orders = combo_box((("Largest first", True), ("In the order of the points", False)), 8)
        tip = "By the size of α, or as the points come."
        self._order = describe(orders, "alphas.order", "Order of the bars", tip)
        self._height = describe(
            combo_box((("Height up to C", True), ("Height up to the largest α", False)), 8),
            "alphas.height",
            "Height of the picture",
            "Up to the bound C, or only up to the largest multiplier: bars far below C become visible.",
        )
        for combo in (self._order, self._height):
            combo.activated.connect(self._choose)
        self.bars = describe(
            MultiplierBars(lambda point: controller.playback.hover(point)),
            "alphas.bars",
            "Multipliers as bars",
            "One bar for each point, from 0 to its α. Arrow keys go from bar to bar.",
        )
        self.bars.setToolTip("")
        self._line = RoomyLabel(
            "alphas.point",
            "α = 0.00123, C = 0.00123\ny f = −0.00123, slack ξ = 1.00123\n" + max(KKT_WORDS.values(), key=len),
        )
        self._count = RoomyLabel("alphas.count", words.bars_words(10_000, 12))
        self._legend = _Legend()
        options = filled(QHBoxLayout(), (self._order, 1), (self._height, 1))
        picture = QWidget()
        filled(QVBoxLayout(picture), options, (self.bars, 1), margins=0)
        self._spread = PictureBesideText("alphas.message", picture, self._line, (self._legend, self._count))
        filled(QVBoxLayout(self), self._spread, margins=0)
        self.first_stop = self.bars

    def _choose(self) -> None:
        self.bars.choose(bool(self._order.currentData()), bool(self._height.currentData()))

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the multipliers of the scene's study."""
        run_state = scene.run_state
        plain = ""
        if run_state is None:
            plain = scene.no_run or words.NO_STUDY
        elif run_state.alpha is None or run_state.C is None or run_state.kkt is None:
            plain = words.without_alpha(run_state.trainer)
        self._spread.show_plain(plain)
        self.bars.show_study(None if plain else run_state, scene.session.hovered, theme)
        if theme is not self._theme:
            self._theme = theme
            self._legend.show_theme(theme)
        if run_state is None or plain or run_state.kkt is None or run_state.C is None:
            return
        self._height.setEnabled(bool(np.isfinite(run_state.C).any()))
        self._legend.show_counts(words.case_counts(run_state.kkt))
        per_bar = self.bars.bars().per_bar
        self._count.say(words.bars_words(len(run_state.y), per_bar))
        hint = "Point at a bar, or go from bar to bar with ← and →."
        place = self.bars.place
        self._line.say("\n".join(words.point_words(run_state, place)) if place >= 0 else hint)


class _Legend(QWidget):
    """What the colours are, with the number of points of each case, and of those that violate theirs."""

    def __init__(self) -> None:
        super().__init__()
        self._signs: list[QLabel] = []
        self._texts: list[RoomyLabel] = []
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(6)
        layout.setVerticalSpacing(2)
        layout.setColumnStretch(1, 1)
        for row in range(len(KktCase) + 1):
            sign = QLabel()
            longest = words.violation_words(10_000)
            if row < len(KktCase):
                longest = words.case_words(KktCase(row), 10_000, 10_000)
            text = RoomyLabel(f"alphas.case{row}" if row < len(KktCase) else "alphas.violations", longest)
            layout.addWidget(sign, row, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(text, row, 1)
            self._signs.append(sign)
            self._texts.append(text)

    def show_theme(self, theme: Theme) -> None:
        """Draw the signs in the theme's colours: the bar, and the mark of the pictures."""
        ratio = self.devicePixelRatioF()
        for row, sign in enumerate(self._signs):
            pixmap = blank(52, 26, ratio)
            with painter_on(pixmap) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                if row < len(KktCase):
                    kkt_style.draw_swatch(painter, theme, KktCase(row), QRectF(3, 4, 16, 18), ratio)
                    mark = mark_of(KktCase(row), True)
                else:
                    painter.setPen(QPen(QColor(*theme.ink), 2))
                    painter.drawLine(QLineF(11, 10, 11, 16))
                    mark = mark_of(KktCase.FREE, False)
                if mark:
                    painter.translate(38, 13)
                    draw(painter, theme, mark, 0.9)
            sign.setPixmap(pixmap)

    def show_counts(self, counts: dict[KktCase, tuple[int, int]]) -> None:
        """Show how many points each case has, and how many violate theirs."""
        for case, (number, not_yet) in counts.items():
            self._texts[case].say(words.case_words(case, number, not_yet))
        self._texts[-1].say(words.violation_words(sum(not_yet for _, not_yet in counts.values())))
