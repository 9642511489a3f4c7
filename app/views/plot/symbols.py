"""Symbols: the shapes of classes and marks, for the plots, the buttons and the legend."""

from __future__ import annotations

from functools import lru_cache

from pyqtgraph import mkPen
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap

from app.views.theme import SYMBOLS, Theme

#: Sizes in pixels of a point and of the marks round it.
POINT, FREE, BOUNDED, WRONG = 11, 19, 17, 9


def line_pen(theme: Theme, width: float) -> QPen:
    """Line in the theme's ink, `width` pixels wide at any scale."""
    pen: QPen = mkPen(QColor(*theme.ink), width=width)
    return pen


def draw(painter: QPainter, theme: Theme, kind: str, scale: float = 1.0) -> None:
    """Draw a class ("0" to "7") or a mark ("free", "bounded", "wrong") about the painter's origin."""
    ink, background = QColor(*theme.ink), QColor(*theme.background)
    if kind.isdigit():
        # A dark outline, in both themes: it keeps every class colour apart from every surface.
        pen = mkPen(QColor(0, 0, 0) if theme.dark else ink, width=1.0)
        drawSymbol(painter, SYMBOLS[int(kind)], POINT * scale, pen, QBrush(QColor(*theme.classes[int(kind)])))
    elif kind == "wrong":
        drawSymbol(painter, "x", WRONG * scale, mkPen(background, width=1.0), QBrush(ink))
    else:
        shape, size, width = ("o", FREE, 2.0) if kind == "free" else ("s", BOUNDED, 1.2)
        drawSymbol(painter, shape, size * scale, line_pen(theme, width), QBrush(Qt.BrushStyle.NoBrush))


@lru_cache(maxsize=256)
def symbol_pixmap(theme: Theme, kind: str, size: int = 22, ratio: float = 1.0) -> QPixmap:
    """Picture of one legend entry: what `draw` draws, or "boundary", "margin" or "tie"."""
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(size / 2, size / 2)
    if kind == "tie":
        painter.fillRect(QRectF(-8, -6, 16, 12), QColor(*theme.tie))
    elif kind in ("boundary", "margin"):
        pen = line_pen(theme, 2.2 if kind == "boundary" else 1.6)
        if kind == "margin":
            pen.setDashPattern([2.2, 1.6])
        painter.setPen(pen)
        painter.drawLine(int(-size / 2 + 1), 0, int(size / 2 - 1), 0)
    else:
        draw(painter, theme, kind, 1.2 if kind.isdigit() else 0.95)
    painter.end()
    return pixmap
