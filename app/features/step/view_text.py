"""TextView: paragraphs that may change many times a second without a new layout of the form."""

from __future__ import annotations

import math

from msgspec import Struct
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.views.theme import Theme
from app.views.widgets.fitted import FittedWidget
from app.views.widgets.painting import painter_on, scale_font

from .view_drawing import draw_text, paint_symbol, width_of, wrapped

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
            x += wide
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
