"""Chart: a picture over two axes, and what all of them share: places, numbers, lines, legend, keys and frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.theme import LIGHT, Theme
from app.views.widgets.painting import blank, painter_on
from solver.core.arrays import Array

from .scales import Tick, ValueScale

MIDDLE = Qt.AlignmentFlag.AlignVCenter
RIGHT, LEFT = MIDDLE | Qt.AlignmentFlag.AlignRight, MIDDLE | Qt.AlignmentFlag.AlignLeft
#: Where the sample of a line ends and its text begins, from the left of the legend, in pixels.
SAMPLE, TEXT = 30, 36


class Chart(QWidget):
    """Paints itself in `paint`, within a guard, and shows by its frame that it has the focus.

    Attributes
    ----------
    framed : bool
        There is a frame without the focus, too.
    copied : bool
        What was painted is copied until `update` is called: something beside or below it is painted anew more often.
    """

    framed = copied = False

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme = LIGHT
        self._picture = QPixmap()
        self._key: tuple[object, ...] = ()
        self._copy: QPixmap | None = None
        self._copied_for: tuple[object, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def metrics(self) -> QFontMetricsF:
        """Measures of the chart's text."""
        return QFontMetricsF(self.font())

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Paint all but the frame."""
        raise NotImplementedError

    def frame(self) -> QRectF:
        """Where the frame is."""
        return QRectF(self.rect()).adjusted(0, 0, -1, -1)

    def update(self, *area: Any) -> None:
        """Have it painted anew."""
        self._copy = None
        super().update(*area)

    def depends_on(self) -> tuple[object, ...]:
        """On what else than its own state a picture that is copied depends."""
        return ()

    def _paint_copied(self, painter: QPainter) -> None:
        ratio = self.devicePixelRatioF()
        made_for = (self.size(), ratio, self.font(), self._theme, *self.depends_on())
        if self._copy is None or made_for != self._copied_for:
            self._copied_for, self._copy = made_for, blank(self.width(), self.height(), ratio)
            with painter_on(self._copy) as onto:
                onto.setFont(self.font())
                self.paint(onto, self._theme)
        painter.drawPixmap(0, 0, self._copy)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            painter.setFont(self.font())
            if self.copied:
                self._paint_copied(painter)
            else:
                self.paint(painter, self._theme)
            focused = self.hasFocus()
            if focused or self.framed:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                theme, inset = self._theme, 1 if focused else 0
                painter.setPen(QPen(QColor(*(theme.accent if focused else theme.faint)), 2 if focused else 1))
                painter.drawRect(self.frame().adjusted(inset, inset, 0, 0))

    def kept(self, key: tuple[object, ...], ground: QColor, draw: Callable[[QPainter], None]) -> QPixmap:
        """What `draw` paints on `ground`, made anew where `key`, the size or the font is another."""
        ratio = self.devicePixelRatioF()
        key = (*key, ground, self.size(), ratio, self.font())
        if key != self._key:
            picture = blank(self.width(), self.height(), ratio, ground)
            with painter_on(picture) as painter:
                painter.setFont(self.font())
                draw(painter)
            self._picture, self._key = picture, key
        return self._picture


@dataclass(frozen=True)
class Plot:
    """The rectangle between the axes, and the scale of each; what lies beyond a scale stands at its end."""

    area: QRectF
    x: ValueScale
    y: ValueScale

    @staticmethod
    def over(area: QRectF, right: tuple[float, float], up: tuple[float, float], log: bool = False) -> Plot:
        """`area` with the least and the largest value to the right and upwards."""
        x = ValueScale(*right, area.left(), area.right(), log)
        return Plot(area, x, ValueScale(*up, area.bottom(), area.top(), log))

    def places(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """Pixels of these values."""
        return self.x.place(x), self.y.place(y)

    def point(self, x: float, y: float) -> QPointF:
        """Where this pair of values is."""
        return QPointF(self.x.place_one(x), self.y.place_one(y))

    def line(self, *ends: float) -> QLineF:
        """From the first pair of values to the second."""
        return QLineF(self.point(*ends[:2]), self.point(*ends[2:]))


def goal_of(event: QKeyEvent, here: int, first: int, last: int, page: int = 0, upright: bool = False) -> int | None:
    """Where a key leads along a curve, None for one that leads nowhere.

    Parameters
    ----------
    event : QKeyEvent
    here : int
        The present place; one before `first` is none: from there "left" leads to the last.
    first, last : int
        Home and End.
    page : int
        How far the page keys lead; 0 where they have no meaning.
    upright : bool
        Up and down are as right and left.
    """
    key = Qt.Key
    back, on = last if here < first else here - 1, here + 1
    ways = {key.Key_Left: back, key.Key_Right: on, key.Key_Home: first, key.Key_End: last}
    if page:
        ways |= {key.Key_PageDown: here - page, key.Key_PageUp: here + page}
    if upright:
        ways |= {key.Key_Down: back, key.Key_Up: on}
    goal = ways.get(key(event.key())) if is_plain(event) else None
    return None if goal is None else min(max(goal, first), last)


def is_plain(event: QKeyEvent) -> bool:
    """A key alone, or one of the pad of numbers."""
    return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


def paint_rows(
    painter: QPainter, area: QRectF, ticks: Sequence[Tick], theme: Theme, grid: QPen, beyond: float = 0.0
) -> None:
    """Numbers at the left of `area`, and a line across for each, which begins `beyond` it; one at its foot is solid."""
    high = QFontMetricsF(painter.font()).height()
    for y, text in ticks:
        painter.setPen(QPen(grid.color(), 1) if abs(y - area.bottom()) < 1 else grid)
        painter.drawLine(QLineF(area.left() - beyond, y, area.right(), y))
        painter.setPen(QColor(*theme.ink))
        painter.drawText(QRectF(0, y - high / 2, area.left() - 5, high), RIGHT, text)


def paint_columns(
    painter: QPainter, area: QRectF, ticks: Sequence[Tick], title: str, below: float, theme: Theme
) -> None:
    """Numbers `below` the area, and at their right end the title.

    A number that would touch it is left out; where there is none, the last number stands within the widget.
    """
    metrics = QFontMetricsF(painter.font())
    painter.setPen(QColor(*theme.ink))
    row = QRectF(area.left(), area.bottom() + below, area.width() + 8, metrics.height())
    painter.drawText(row, RIGHT, title)
    for x, text in ticks:
        half = 0.5 * metrics.horizontalAdvance(text) + 2
        free = row.right() - metrics.horizontalAdvance(title) - 2
        if x + half <= free or not title:
            x = min(x, free - half)
            painter.drawText(QRectF(x - half, row.top(), 2 * half, row.height()), Qt.AlignmentFlag.AlignCenter, text)


def plate(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A ground for text over lines."""
    painter.fillRect(box, QColor(*theme.background, 215))


def legend_size(metrics: QFontMetricsF, texts: Sequence[str]) -> QSizeF:
    """The room that a legend of these lines takes."""
    return QSizeF(max(map(metrics.horizontalAdvance, texts)) + TEXT + 4, len(texts) * metrics.lineSpacing() + 4)


def paint_legend(
    painter: QPainter, box: QRectF, lines: Sequence[tuple[QPen | None, str]], theme: Theme
) -> list[QPointF]:
    """A sample of each pen, where there is one, and its text; returns the middles of the samples."""
    high = QFontMetricsF(painter.font()).lineSpacing()
    middles = []
    for number, (pen, text) in enumerate(lines):
        row = QRectF(box.left() + TEXT, box.top() + 2 + number * high, box.width(), high)
        y = row.center().y()
        middles.append(QPointF(box.left() + 0.5 * (4 + SAMPLE), y))
        if pen is not None:
            painter.setPen(pen)
            painter.drawLine(QLineF(box.left() + 4, y, box.left() + SAMPLE, y))
        painter.setPen(QColor(*theme.ink))
        painter.drawText(row, LEFT, text)
    return middles
