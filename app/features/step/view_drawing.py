"""Drawing of an SMO step: pens, marks, arrows, and text with subscripts.

TextView: paragraphs that may change many times a second without a new layout of the form.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from app.engine.shading import RGB
from app.views.plot.symbols import draw
from app.views.theme import SMALL, Theme
from app.views.widgets.fitted import FittedWidget
from app.views.widgets.painting import broken, paint_with, painter_on, saved, scale_font

#: Radii (lines of text) of the marks: present point, new point, top of the parabola.
NOW, AFTER, TOP = 0.28, 0.46, 0.3
LEGEND = (("now", "now"), ("after", "after"), ("top", "λ*"))


#: Offset of a subscript downwards, relative to the height of the text.
DROP = 0.16
_LETTERS = str.maketrans("ᵢⱼₖ", "ijk")
_SUBSCRIPTS = re.compile("([ᵢⱼₖ]+)")


def pen(colour: RGB, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine, dashes: Sequence[float] = ()) -> QPen:
    """Return a pen with round ends and joints; `dashes` replace the dashes of `style`."""
    made = QPen(QColor(*colour), width, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    if dashes:
        made.setDashPattern(list(dashes))
    return made


def mark(painter: QPainter, theme: Theme, kind: str, at: QPointF, line: float) -> None:
    """Draw an entry of `LEGEND`: a disc, a ring or a hollow diamond, each with a rim of the background's colour."""
    if kind == "now":
        paint_with(painter, pen(theme.background, 0.1 * line), QColor(*theme.ink))
        painter.drawEllipse(at, NOW * line, NOW * line)
        return
    if kind == "after":
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, width in ((theme.background, 0.32), (theme.accent, 0.17)):
            painter.setPen(pen(colour, width * line))
            painter.drawEllipse(at, AFTER * line, AFTER * line)
        return
    size = TOP * line
    corners = QPolygonF([at + QPointF(x * size, y * size) for x, y in ((0, -1), (1, 0), (0, 1), (-1, 0))])
    painter.setBrush(QColor(*theme.background))
    for colour, width in ((theme.background, 0.26), (theme.ink, 0.12)):
        painter.setPen(pen(colour, width * line))
        painter.drawPolygon(corners)


def arrow(painter: QPainter, colour: RGB, start: QPointF, tip: QPointF, size: float) -> None:
    """Draw the head of an arrow at `tip`, coming from `start`."""
    way = QLineF(start, tip)
    if way.length() < 1e-6:
        return
    along = (tip - start) / way.length()
    across = QPointF(-along.y(), along.x())
    paint_with(painter, Qt.PenStyle.NoPen, QColor(*colour))
    foot = tip - along * size
    painter.drawPolygon(QPolygonF([tip, foot + across * (0.45 * size), foot - across * (0.45 * size)]))


def text_at(
    painter: QPainter,
    theme: Theme,
    at: QPointF,
    text: str,
    area: QRectF,
    *,
    right: bool = False,
    faint: bool = False,
    middle: bool = False,
    halo: bool = False,
) -> None:
    """Write `text` within `area`, its left end, `right` end or `middle` at a position half-way up its height."""
    metrics = QFontMetricsF(painter.font())
    width, height = width_of(text, painter.font()), metrics.height()
    left = at.x() - (width if right else 0.5 * width if middle else 0)
    left = max(min(left, area.right() - width), area.left())
    top = max(min(at.y() - 0.5 * height, area.bottom() - height), area.top())
    box = QRectF(left, top, width + 1, height)
    if halo:
        painter.fillRect(box.adjusted(-2, 1, 2, -1), QColor(*theme.background, 225))
    painter.setPen(QColor(*(theme.faint if faint else theme.ink)))
    draw_text(painter, QPointF(left, top + metrics.ascent()), text)


def wrapped(texts: Sequence[str], font: QFont, width: float) -> list[str]:
    """Return the texts in lines no wider than `width`, broken at spaces, but not beside an equals sign."""
    lines: list[str] = []
    for text in texts:
        whole = text.replace(" = ", "\u00a0=\u00a0").replace(" ≤ ", "\u00a0≤\u00a0")
        fits = width_of(text, font) <= width
        lines += [text] if fits else broken(whole, lambda part: width_of(part, font), width)
    return lines


def paint_symbol(painter: QPainter, theme: Theme, label: int, at: QPointF, height: float) -> None:
    """Paint the symbol of a class, as tall as a line of this height, with its centre at `at`."""
    with saved(painter):
        painter.translate(at)
        painter.scale(height / 17.0, height / 17.0)
        draw(painter, theme, str(label))


def width_of(text: str, font: QFont) -> float:
    """Return the width (pixels) of `text` in `draw_text`."""
    small = QFontMetricsF(_small(font.toString()))
    whole = QFontMetricsF(font)
    return sum((small if index % 2 else whole).horizontalAdvance(part) for index, part in enumerate(_parts(text)))


def draw_text(painter: QPainter, at: QPointF, text: str) -> None:
    """Draw `text` in the painter's font, its left end on the baseline at `at`."""
    font = painter.font()
    whole, small = QFontMetricsF(font), _small(font.toString())
    below = QPointF(0, DROP * whole.height())
    for index, part in enumerate(_parts(text)):
        if index % 2:
            painter.setFont(small)
            painter.drawText(at + below, part)
            painter.setFont(font)
            at = at + QPointF(QFontMetricsF(small).horizontalAdvance(part), 0)
        else:
            painter.drawText(at, part)
            at = at + QPointF(whole.horizontalAdvance(part), 0)


@lru_cache(maxsize=512)
def _parts(text: str) -> tuple[str, ...]:
    """Return the parts of a text: every second one consists of subscripts, as ordinary letters."""
    return tuple(part.translate(_LETTERS) for part in _SUBSCRIPTS.split(text))


@lru_cache(maxsize=32)
def _small(key: str) -> QFont:
    """Return the font of subscripts for the font with this description."""
    small = QFont()
    small.fromString(key)
    scale_font(small, SMALL)
    return small


#: Space between paragraphs (lines).
GAP = 0.25
#: Number of paragraphs whose lines are cached.
CACHED = 100


class Paragraph(Struct, frozen=True):
    """A text in one style; with the symbol of a class before it unless `symbol` is -1.

    Attributes
    ----------
    size : float
        Size of the letters, relative to the form's.
    goes_on : bool
        True if it continues the line of the paragraph before, if there is room.
    """

    text: str
    size: float = 1.0
    bold: bool = False
    symbol: int = -1
    goes_on: bool = False


class TextView(FittedWidget):
    """Paragraphs below each other.

    It grows with the text, but does not shrink before `release`: a picture below it would jump.
    """

    def __init__(self) -> None:
        super().__init__(sizePolicy=QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed))
        self.paragraphs: tuple[Paragraph, ...] = ()
        self._theme: Theme | None = None
        self._kept = 0
        self._look: tuple[int, str] | None = None
        self._lines: dict[Paragraph, tuple[list[str], float]] = {}  # and the width of the first line

    def show_text(self, paragraphs: tuple[Paragraph, ...], theme: Theme) -> None:
        """Show `paragraphs`; draws nothing if they are already shown."""
        if paragraphs == self.paragraphs and theme is self._theme:
            return
        self.paragraphs, self._theme = paragraphs, theme
        self.fit()
        self.update()

    def release(self) -> None:
        """Shrink to the present text."""
        self._kept = 0
        self.fit()

    def fit(self) -> None:
        look = self.width(), self.font().toString()
        if look != self._look:
            self._look, self._kept = look, 0
            self._lines.clear()
        self._kept = max(self._kept, math.ceil(self._lay_out(None)))
        self.setFixedHeight(self._kept)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self, smooth=True) as painter:
            self._lay_out(painter)

    def _lay_out(self, painter: QPainter | None) -> float:
        """Return the height of the paragraphs; with a painter, write them."""
        y = x = 0.0
        last = 0.0
        for index, paragraph in enumerate(self.paragraphs):
            font = QFont(self.font())
            scale_font(font, paragraph.size)
            font.setBold(paragraph.bold)
            height = QFontMetricsF(font).height()
            indent = 1.25 * height if paragraph.symbol >= 0 else 0.0
            if paragraph not in self._lines:
                if len(self._lines) > CACHED:
                    self._lines.clear()
                lines = wrapped([paragraph.text], font, max(self.width() - indent, 40.0))
                self._lines[paragraph] = lines, indent + width_of(lines[0], font)
            lines, wide = self._lines[paragraph]
            if paragraph.goes_on and len(lines) == 1 and x + 1.5 * height + wide <= self.width():
                x, y = x + 1.5 * height, y - last
            else:
                x = 0.0
                y += GAP * height if index else 0.0
            if painter is not None and self._theme is not None:
                self._write(painter, self._theme, paragraph, font, lines, x, y)
            x += wide if len(lines) == 1 else self.width()  # beside a broken paragraph there is no room
            last = height * len(lines)
            y += last
        return y

    @staticmethod
    def _write(
        painter: QPainter, theme: Theme, paragraph: Paragraph, font: QFont, lines: list[str], x: float, y: float
    ) -> None:
        metrics = QFontMetricsF(font)
        height = metrics.height()
        if paragraph.symbol >= 0:
            paint_symbol(painter, theme, paragraph.symbol, QPointF(x + 0.5 * height, y + 0.5 * height), height)
            x += 1.25 * height
        painter.setFont(font)
        painter.setPen(QColor(*theme.ink))
        for row, line in enumerate(lines):
            draw_text(painter, QPointF(x, y + row * height + metrics.ascent()), line)
