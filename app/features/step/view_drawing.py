"""Drawing of an SMO step: pens, marks, arrows, and text with subscripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from app.engine.shading import RGB
from app.views.plot.symbols import draw
from app.views.theme import Theme
from app.views.widgets.painting import broken, paint_with, saved, scale_font

#: Radii (lines of text) of the marks: present point, new point, top of the parabola.
NOW, AFTER, TOP = 0.28, 0.46, 0.3
LEGEND = (("now", "now"), ("after", "after"), ("top", "λ*"))


#: Size of a subscript relative to its text, and its offset downwards, relative to the height of the text.
SUBSCRIPT, DROP = 0.82, 0.16
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
    scale_font(small, SUBSCRIPT)
    return small
