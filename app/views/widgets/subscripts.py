"""Subscripts: texts such as "αᵢ" painted with letters that can be told apart; those of Unicode are too small."""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from .painting import scale_font

#: Size of a subscript as a multiple of its text's, and how far it stands below the line, in heights of a text.
SIZE, DROP = 0.82, 0.16
_LETTERS = str.maketrans("ᵢⱼₖ", "ijk")
_SUBSCRIPTS = re.compile("([ᵢⱼₖ]+)")


def width_of(text: str, font: QFont) -> float:
    """Return the width in pixels that `draw_text` takes for `text`."""
    small = QFontMetricsF(_small(font.toString()))
    whole = QFontMetricsF(font)
    return sum((small if place % 2 else whole).horizontalAdvance(part) for place, part in enumerate(_parts(text)))


def draw_text(painter: QPainter, at: QPointF, text: str) -> None:
    """Draw `text` in the painter's font, with its left end on the line at `at`."""
    font = painter.font()
    whole, small = QFontMetricsF(font), _small(font.toString())
    below = QPointF(0, DROP * whole.height())
    for place, part in enumerate(_parts(text)):
        if place % 2:
            painter.setFont(small)
            painter.drawText(at + below, part)
            painter.setFont(font)
            at = at + QPointF(QFontMetricsF(small).horizontalAdvance(part), 0)
        else:
            painter.drawText(at, part)
            at = at + QPointF(whole.horizontalAdvance(part), 0)


@lru_cache(maxsize=512)
def _parts(text: str) -> tuple[str, ...]:
    """Return the parts of a text: every second one is of subscripts, as ordinary letters."""
    return tuple(part.translate(_LETTERS) for part in _SUBSCRIPTS.split(text))


@lru_cache(maxsize=32)
def _small(key: str) -> QFont:
    """Return the font of subscripts of the font with this description."""
    small = QFont()
    small.fromString(key)
    scale_font(small, SIZE)
    return small
