"""Axes: the widths and the names of the two axes of a plot."""

from __future__ import annotations

from html import escape
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem

from app.core.number_format import AxisNumbers, even
from app.core.plain_text import plain

from .date_ticks import date_ticks


class PlotAxis(pg.AxisItem):
    """An axis that writes its own numbers, all with equally many decimals, or dates; none that the plot would cut off.

    pyqtgraph scales the numbers of an axis with a name by powers of 1000; `tickStrings` ignores its scale.

    Attributes
    ----------
    numbers : AxisNumbers
        How they are written.  `size_axes` prints its offset, so the offset of all numbers is the printed one.
    second : float
        Length of a second on an axis of dates; 0 on one of numbers.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)  # else the name would end in "(x0.001)"
        self.numbers, self.second = AxisNumbers(), 0.0
        self._dates: dict[float, list[str]] = {}  # texts of the present ticks, by their spacing
        self._span = ""

    @property
    def end(self) -> str:
        """What to print behind the name: the offset, or the part of the dates that the ticks lack."""
        return self._span if self.second else self.numbers.end

    def fit(self, low: float, high: float, length: float, second: float) -> str:
        """Choose how to write numbers, or dates, between `low` and `high`, and return the longest; length in pixels."""
        if second != self.second:
            self.setGrid(False)  # discards its picture, which pyqtgraph keeps for equal ranges
        self.numbers, self.second = AxisNumbers.between(low, high), second
        levels = self.tickValues(low, high, length)[:2]
        texts = [text for spacing, values in levels for text in self.tickStrings(values, 1.0, spacing)]
        return max(("−0.0", *self._even(texts)), key=len)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        """Return the ticks of each spacing, the widest first."""
        if not self.second:
            return list(super().tickValues(minVal, maxVal, size))
        metrics = QFontMetricsF(self.style["tickFont"] or self.font())
        upright = self.orientation in ("left", "right")
        width = (lambda _: metrics.height()) if upright else metrics.horizontalAdvance
        ticks, self._span = date_ticks(minVal / self.second, maxVal / self.second, size, width)
        self._dates = {spacing: texts for spacing, _, texts in ticks}
        return [(spacing, [at * self.second for at in seconds]) for spacing, seconds, _ in ticks]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the texts of ticks, without the offset at the end of the axis."""
        return [*self._dates[spacing]] if self.second else [self.numbers.text(value, spacing) for value in values]

    def _even(self, texts: list[str]) -> list[str]:
        return texts if self.second else even(texts)

    def generateDrawSpecs(self, p: QPainter) -> Any:
        """Return the drawing specification without the numbers that the edge of the plot would cut off."""
        specs = super().generateDrawSpecs(p)
        if specs is None:
            return None
        line, ticks, texts = specs
        room = self.mapRectFromParent(self.parentItem().boundingRect())
        upright = self.orientation in ("left", "right")
        metrics = QFontMetricsF(self.style["tickFont"] or p.font())
        alike = []
        for (rect, flags, number), same in zip(texts, self._even([number for *_, number in texts]), strict=True):
            wider = 0.5 * (metrics.horizontalAdvance(same) - metrics.horizontalAdvance(number))
            alike.append((rect if upright else rect.adjusted(-wider, 0, wider, 0), flags, same))
        kept: list[Any] = []  # from the coarsest level on; long numbers could overlap
        for text in alike:
            if _within(text[0], room, upright) and not any(text[0].intersects(other) for other, *_ in kept):
                kept.append(text)
        return line, ticks, kept


class PlotBox(pg.GraphicsWidget):
    """A view box with an axis below it and one at its left.

    A `pg.PlotItem` has the same, and besides menus of 70 widgets, of which this program shows none.

    Attributes
    ----------
    box : ViewBox
    axes : dict of str to PlotAxis
        By side: "left", "bottom".
    """

    def __init__(self) -> None:
        super().__init__()
        self.box = pg.ViewBox(parent=self, enableMenu=False, defaultPadding=0.0)
        self.axes = {side: PlotAxis(side) for side in ("left", "bottom")}
        self.layout = QGraphicsGridLayout(self)
        self.layout.setContentsMargins(0, 0, 0, 0)
        self.layout.setSpacing(0)
        self.layout.addItem(self.box, 0, 1)
        for place, axis in zip(((0, 0), (1, 1)), self.axes.values(), strict=True):
            axis.linkToView(self.box)
            self.layout.addItem(axis, *place)
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            axis.setZValue(-1)  # the axis line must not tint the outermost pixels of the picture


def _within(text: QRectF, room: QRectF, upright: bool) -> bool:
    """Return True if a number fits along its axis."""
    if upright:
        return bool(text.top() >= room.top() and text.bottom() <= room.bottom())
    return bool(text.left() >= room.left() and text.right() <= room.right())


#: Widest number that fits beside the vertical axis by default.
NUMBER = "−0.000"


def size_axes(
    item: PlotBox, font: QFont, names: tuple[str, str], room: tuple[int, int], number: str = NUMBER, tight: bool = False
) -> None:
    """Set the sizes of the axes of `item` to whole pixels, so that picture pixels and screen pixels coincide.

    Parameters
    ----------
    item : PlotBox
    font : QFont
        Font of numbers and names.
    names : tuple of str
        Plain text below the horizontal axis and beside the vertical one, in front of the offset of the numbers; an axis
        with neither takes no room for them.
    room : tuple of int
        Pixels available for name and offset; a longer name ends in "…".
    number : str
        The widest number beside the vertical axis.
    tight : bool
        Leave no room beside the numbers.
    """
    metrics = QFontMetrics(font)
    below, beside = (4, 7) if tight else (8, 12)
    sizes = (metrics.height() + below, metrics.horizontalAdvance(number) + beside)
    for index, (side, name, size) in enumerate(zip(("bottom", "left"), names, sizes, strict=True)):
        axis = item.axes[side]
        axis.setStyle(tickFont=font, tickTextOffset=2)
        name, end = plain(" ".join(name.split())), f"\N{EM SPACE}{axis.end}".rstrip()
        left = room[index] - 8 - metrics.horizontalAdvance(end)
        fitting = (metrics.elidedText(name, pg.QtCore.Qt.TextElideMode.ElideRight, left) + end).strip()
        axis.label.setFont(font)
        if fitting:
            axis.setLabel(escape(fitting))
        else:
            axis.showLabel(False)
        size += metrics.height() + 3 if fitting else 0
        if side == "left":
            axis.setWidth(size)
        else:
            axis.setHeight(size)
        axis.resizeEvent()  # centres the name
        if side == "bottom":  # and too low: descenders would be cut off
            axis.label.moveBy(0, -5)
