"""RankingView: the candidates for one index of the pair, as bars; the pointer shows them in the plane."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen

from app.core.number_format import grouped
from app.views.chart.chart import is_plain
from app.views.chart.legend import LEFT, RIGHT
from app.views.plot.symbols import HIGHLIGHT, symbol_pixmap
from app.views.theme import Theme
from app.views.widgets.inputs import describe
from app.views.widgets.painted import Painted
from app.views.widgets.painting import bold, paint_with
from solver.core.arrays import Array
from solver.svm.working_set_candidates import Ranking

from . import text as words
from .geometry import shown_rows
from .view_drawing import draw_text, wrapped

#: Minimum height of a row (pixels), its height (lines), and minimum number of rows.
ROW, ROW_LINES, LEAST_ROWS = 24, 1.45, 3
HEADER = 2.35
ICON = 18


class RankedPoints(Struct, frozen=True, eq=False):
    """A ranking, and the identity of its candidates.

    Attributes
    ----------
    ranking : Ranking
    ids : tuple of int
        Permanent ids.
    labels : tuple of int
        Classes.
    rows : tuple of int
        Rows in the table of points; 0 for a deleted point.
    """

    ranking: Ranking
    ids: tuple[int, ...]
    labels: tuple[int, ...]
    rows: tuple[int, ...]


def sizes_of(ranking: Ranking) -> Array:
    """Return the lengths of the bars: how far v is on the wrong side of M or m; else the numbers themselves."""
    signed = ranking.base - ranking.values if ranking.measure.smallest_first else ranking.values - ranking.base
    return np.maximum(np.where(np.isfinite(signed), signed, 0.0), 0.0)


class RankingView(Painted):
    """The bars of one ranking.

    Parameters
    ----------
    name : str
        Object name.
    hover : callable
        ``hover(id)``: called with the point under the pointer or with the focus; None for none.
    """

    def __init__(self, name: str, hover: Callable[[int | None], None]) -> None:
        super().__init__()
        describe(self, name, "Candidates", "")
        self._hover = hover
        self._strip: RankedPoints | None = None
        self._hovered: int | None = None
        self._reported: int | None = None
        self._newest: int | None = None  # the point hovered last: what is drawn may be older
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_strip(self, strip: RankedPoints, hovered: int | None, theme: Theme) -> None:
        """Show a ranking, with the bar of the point `hovered` marked."""
        if strip is not self._strip:
            self.setAccessibleName(f"Candidates for {strip.ranking.member}")
            self.setAccessibleDescription(strip.ranking.sentence)
            self.setToolTip(strip.ranking.sentence)
        self._newest = hovered
        if strip is self._strip and hovered == self._hovered and theme is self._theme:
            return
        self._strip, self._hovered, self._theme = strip, hovered, theme
        self.update()

    def clear(self) -> None:
        """Show nothing."""
        if self._strip is not None:
            self._strip = None
            self._report(None)
            self.update()

    # -- size and rows ---------------------------------------------------------------------------------------------

    def minimumSizeHint(self) -> QSize:
        line = self.metrics().height()
        return QSize(math.ceil(7.9 * line), math.ceil(HEADER * line + LEAST_ROWS * self._row() + 2.25 * line))

    def _row(self) -> float:
        return max(ROW, ROW_LINES * self.metrics().height())

    def _top(self) -> float:
        return HEADER * self.metrics().height()

    def shown(self) -> list[int]:
        """Return the candidates that have a bar, from above."""
        if self._strip is None:
            return []
        ranking = self._strip.ranking
        line = self.metrics().height()
        rows = int((self.height() - self._top() - (1.05 * len(self._footer(0)) + 0.15) * line) // self._row())
        return shown_rows(len(ranking.candidates), ranking.chosen, rows)

    def _footer(self, shown: int) -> list[str]:
        """Return the lines below the bars: where they begin if not at 0, and how many candidates follow."""
        if self._strip is None:
            return []
        ranking = self._strip.ranking
        lines = []
        if ranking.measure.base:
            lines.append(f"bars from {ranking.measure.base} = {words.number(ranking.base)}")
        if ranking.total > shown:
            lines.append(f"and {grouped(ranking.total - shown)} more")
        return wrapped(lines, self.font(), self.width())

    def row_at(self, y: float) -> int | None:
        """Return the index in the ranking of the bar at a height."""
        shown = self.shown()
        row = math.floor((y - self._top()) / self._row())
        return shown[row] if 0 <= row < len(shown) else None

    def bar(self, index: int) -> QRectF:
        """Return the rectangle of the row of a visible candidate."""
        return QRectF(0, self._top() + self.shown().index(index) * self._row(), self.width(), self._row())

    # -- the user --------------------------------------------------------------------------------------------------

    def _report(self, index: int | None) -> None:
        point = None if index is None or self._strip is None else self._strip.ids[index]
        if point != self._reported:
            self._reported = self._newest = point
            self._hover(point)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._report(self.row_at(event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._report(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._report(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shown, key = self.shown(), Qt.Key
        here = -1
        if self._strip is not None and self._newest in self._strip.ids:
            index = self._strip.ids.index(self._newest)
            here = shown.index(index) if index in shown else -1
        steps = {key.Key_Down: here + 1, key.Key_Up: max(here - 1, 0), key.Key_Home: 0, key.Key_End: len(shown) - 1}
        row = steps.get(key(event.key()))
        if row is None or not shown or not is_plain(event):
            event.ignore()
        else:
            self._report(shown[min(row, len(shown) - 1)])

    # -- painting --------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if self._strip is not None:
            self._paint_strip(painter, self._strip, theme)

    def _paint_strip(self, painter: QPainter, strip: RankedPoints, theme: Theme) -> None:
        ranking, metrics = strip.ranking, self.metrics()
        line = metrics.height()
        ink, faint = QColor(*theme.ink), QColor(*theme.faint)
        strong = bold(self.font())
        title = words.HOW.get(ranking.how, ranking.measure.title)
        full = QRectF(0, 0, self.width(), line)
        painter.setFont(strong)
        painter.setPen(ink)
        painter.drawText(full, LEFT, f"{ranking.member}: {title}")
        painter.setFont(self.font())
        painter.setPen(faint)
        draw_text(painter, QPointF(0, 1.05 * line + metrics.ascent()), ranking.measure.formula)
        shown = self.shown()
        numbers = dict(zip(shown, words.ranked([float(ranking.values[index]) for index in shown]), strict=True))
        widest = QFontMetricsF(strong)
        number = max((widest.horizontalAdvance(text) for text in numbers.values()), default=0.0) + 0.4 * line
        sizes = sizes_of(ranking)
        largest = float(sizes.max(initial=0.0)) or 1.0
        begin, height = 0.75 * line + 1.35 * line, self._row()
        room = max(self.width() - begin - number - 0.3 * line, 1.0)
        ratio = self.devicePixelRatioF()
        icon = round(max(ICON, 1.05 * line))
        for row, index in enumerate(shown):
            area = QRectF(0, self._top() + row * height, self.width(), height)
            middle = area.center().y()
            chosen, hovered = index == ranking.chosen, strip.ids[index] == self._hovered
            if hovered:
                paint_with(painter, QPen(QColor(0, 0, 0), 1.0), QColor(*HIGHLIGHT))
                painter.drawRoundedRect(area.adjusted(0.5, 1, -0.5, -1), 4, 4)
            text = QColor(0, 0, 0) if hovered else ink
            if chosen:
                painter.setFont(strong)
                painter.setPen(text)
                painter.drawText(area.adjusted(0.2 * line, 0, 0, 0), LEFT, ranking.member)
            pixmap = symbol_pixmap(theme, str(strip.labels[index]), icon, ratio)
            painter.drawPixmap(QPointF(0.7 * line, middle - 0.5 * icon), pixmap)
            share = min(float(sizes[index]) / largest, 1.0)
            bar = QRectF(begin, middle - 0.36 * line, share * room, 0.72 * line)
            colour = QColor(*(theme.accent if chosen else theme.faint))
            colour.setAlpha(255 if chosen else 150)
            painter.setBrush(colour if ranking.compared else Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(text if chosen else QColor(*theme.faint), 2.0 if chosen else 1.0))
            if share > 0.0:
                painter.drawRect(bar)
            painter.setPen(text)
            painter.drawText(area.adjusted(0, 0, -0.2 * line, 0), RIGHT, numbers[index])
            if chosen:
                painter.setFont(self.font())
        painter.setPen(faint)
        for row, note in enumerate(self._footer(len(shown))):
            below = QRectF(0, self._top() + len(shown) * height + 1.05 * row * line, self.width(), 1.2 * line)
            painter.drawText(below, LEFT, note)
