"""TextView: paragraphs that may change many times a second without the form being laid out anew."""

from __future__ import annotations

import math

from msgspec import Struct
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.theme import Theme
from app.views.widgets.painting import painter_on, scale_font

from .view import draw_text, paint_symbol, width_of, wrapped

#: Between paragraphs, in lines.
GAP = 0.25
#: Paragraphs whose lines are remembered.
CACHED = 100


class Paragraph(Struct, frozen=True):
    """A text in one style; before it the symbol of a class, or none for -1.

    Attributes
    ----------
    size : float
        Of the letters, as a multiple of the form's.
    goes_on : bool
        It stands in the line of the paragraph before, if there is room.
    """

    text: str
    size: float = 1.0
    bold: bool = False
    symbol: int = -1
    goes_on: bool = False


class TextView(QWidget):
    """Paragraphs below one another.

    It becomes taller when the text needs it, but not lower until `release`: a picture below would jump.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.paragraphs: tuple[Paragraph, ...] = ()
        self._theme: Theme | None = None
        self._kept = 0
        self._look: tuple[int, str] | None = None
        self._lines: dict[Paragraph, tuple[list[str], float]] = {}  # and the width of the first, in this look

    def show_text(self, paragraphs: tuple[Paragraph, ...], theme: Theme) -> None:
        """Show `paragraphs`; nothing is drawn when they are shown already."""
        if paragraphs == self.paragraphs and theme is self._theme:
            return
        self.paragraphs, self._theme = paragraphs, theme
        self._make_room()
        self.update()

    def release(self) -> None:
        """As low as the present text allows."""
        self._kept = 0
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._make_room()

    def _make_room(self) -> None:
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
        """Write the paragraphs, if there is a painter; their height."""
        y = x = 0.0
        last = 0.0
        for place, paragraph in enumerate(self.paragraphs):
            font = QFont(self.font())
            scale_font(font, paragraph.size)
            font.setBold(paragraph.bold)
            metrics = QFontMetricsF(font)
            height = metrics.height()
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
                y += GAP * height if place else 0.0
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
