"""Axes: how wide the two axes of a plot are, and their names."""

from __future__ import annotations

from html import escape

import pyqtgraph as pg
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.state.plain_text import plain
from app.views.widgets.painting import guarded


class Axis(pg.AxisItem):
    """An axis that stays away, with a sentence in its place, where it cannot be painted."""

    def paint(self, p: QPainter, opt: QStyleOptionGraphicsItem, widget: QWidget | None) -> None:
        with guarded(p, self.boundingRect(), widget):
            super().paint(p, opt, widget)


def size_axes(item: pg.PlotItem, font: QFont, names: tuple[str, str], room: tuple[int, int]) -> None:
    """Give the axes of `item` their sizes: whole pixels, so that a pixel of the picture is a pixel of the screen.

    Parameters
    ----------
    item : pg.PlotItem
    font : QFont
        Of numbers and names.
    names : tuple of str
        Plain text below the horizontal axis and beside the vertical one; "" for none, which takes no room.
    room : tuple of int
        Pixels there are for the names along the two axes; a longer name ends in "…".
    """
    metrics = QFontMetrics(font)
    sizes = (metrics.height() + 8, metrics.horizontalAdvance("−0.000") + 12)
    for place, (side, name, size) in enumerate(zip(("bottom", "left"), names, sizes, strict=True)):
        axis = item.getAxis(side)
        axis.enableAutoSIPrefix(False)  # it would write "(x0.001)" behind the name and scale the numbers
        axis.setStyle(tickFont=font)
        name = plain(" ".join(name.split()))
        fitting = metrics.elidedText(name, pg.QtCore.Qt.TextElideMode.ElideRight, room[place] - 8)
        axis.label.setFont(font)
        if fitting:
            axis.setLabel(escape(fitting))
        else:
            axis.showLabel(False)
        size += metrics.height() + 2 if fitting else 0
        if side == "left":
            axis.setWidth(size)
        else:
            axis.setHeight(size)
        axis.resizeEvent()  # it puts the name in the middle
        if side == "bottom":  # and too low: what hangs below the line would be cut off
            axis.label.moveBy(0, -4)
