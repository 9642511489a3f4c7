"""Curve axes: the axes that a plot of curves has, and how numbers, lines, marks and the cursor are painted on them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPolygonF

from app.state.number_format import grouped
from app.views.charts import strokes
from app.views.charts.scales import StepScale, Tick, ValueScale
from app.views.theme import Theme
from solver.core.arrays import Mask

from .view_cells import CURVES, Cells, PlotSpec

#: How far below the tolerance a logarithmic axis goes at most; and the least share on its axis.
BELOW, LEAST_SHARE = 1e-3, 1e-6
#: How far below the largest value such an axis goes at most.
DEEPEST = 1e-12
#: Kept free above and below the curves, in pixels.
ABOVE, UNDER = 4, 3


def value_scale(
    cells: dict[str, Cells], plot: PlotSpec, log: bool, level: float | None, rows: int, ratio: float
) -> ValueScale:
    """The axis at the left, over all that is drawn against it.

    Parameters
    ----------
    cells : dict
        The plot's curves by name.
    plot : PlotSpec
    log : bool
        Logarithmic, where anything is positive.
    level : float or None
        A value that is marked by a line.
    rows : int
        Pixels of the screen.
    ratio : float
        Pixels of the screen in one of Qt's.
    """
    own = [each for name, each in cells.items() if not CURVES[name].percent and len(each)]
    values = np.concatenate([[] if level is None else [level], *(each.low for each in own), *(e.high for e in own)])
    bottom, top = rows - UNDER * ratio, ABOVE * ratio
    if not len(values):
        return ValueScale(0.0, 1.0, bottom, top)
    positive = values[values > 0]
    if log and len(positive):
        high = float(positive.max())
        least = max(BELOW * min(level if level is not None else 0.0, high), DEEPEST * high)
        return ValueScale.around(max(float(positive.min()), least), high, bottom, top, log=True)
    low, high = float(values.min()), float(values.max())
    return ValueScale.around(low, high, bottom, top, log=False, whole=plot.whole)


def share_scale(cells: dict[str, Cells], rows: int, ratio: float) -> ValueScale | None:
    """The axis at the right, of shares, always logarithmic; None where there are none."""
    own = [each.low for name, each in cells.items() if CURVES[name].percent and len(each)]
    if not own:
        return None
    values = np.concatenate(own)
    least = float(values[values > 0].min(initial=1.0))
    return ValueScale.around(min(max(least, LEAST_SHARE), 0.5), 1.0, rows - UNDER * ratio, ABOVE * ratio, log=True)


def grid_colour(theme: Theme) -> QColor:
    """Of the lines behind the curves.  (They are filled: Qt needs 0.4 ms to draw one line that is half transparent.)"""
    return QColor(*(round(0.75 * b + 0.25 * f) for b, f in zip(theme.background, theme.faint, strict=True)))


def paint_values(painter: QPainter, area: QRectF, scale: ValueScale, ratio: float, theme: Theme) -> float:
    """Numbers at the left of `area`, and a line across for each; returns the width of the longest."""
    metrics = QFontMetricsF(painter.font())
    align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    half = 0.5 * metrics.height()
    colour = grid_colour(theme)
    painter.setPen(QColor(*theme.ink))
    longest = 0.0
    for place, text in scale.ticks(1.2 * metrics.height() * ratio):
        longest = max(longest, metrics.horizontalAdvance(text))
        y = area.top() + round(place / ratio)
        painter.fillRect(QRectF(area.left(), y, area.width(), 1), colour)
        painter.drawText(QRectF(0, y - half, area.left() - 5, 2 * half), align, text)
    return longest


def paint_shares(painter: QPainter, area: QRectF, scale: ValueScale, ratio: float, theme: Theme) -> float:
    """Numbers in per cent at the right of `area`, each with a stroke at the edge; returns the width of the longest."""
    metrics = QFontMetricsF(painter.font())
    align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    half = 0.5 * metrics.height()
    painter.setPen(QColor(*theme.ink))
    most = max(1, int((scale.bottom - scale.top) / (1.2 * metrics.height() * ratio)))
    first, last = round(np.log10(scale.low)), round(np.log10(scale.high))
    longest = 0.0
    for power in range(last, first - 1, -max(1, -(-(last - first) // most))):
        text = f"{10.0 ** (power + 2):g} %"
        longest = max(longest, metrics.horizontalAdvance(text))
        y = area.top() + round(scale.place_one(10.0**power) / ratio)
        painter.fillRect(QRectF(area.right() - 4, y, 5, 1), QColor(*theme.ink))
        painter.drawText(QRectF(area.right() + 4, y - half, longest + 2, 2 * half), align, text)
    return longest


def paint_level(painter: QPainter, area: QRectF, y: float, theme: Theme) -> None:
    """A dotted line across `area`, `y` below its top."""
    at, ink = round(area.top() + y) - 1, QColor(*theme.ink)
    for x in range(round(area.left()), round(area.right()), 8):
        painter.fillRect(x, at, 4, 2, ink)


def paint_changes(painter: QPainter, area: QRectF, marks: Mask, height: int, theme: Theme, ratio: float) -> None:
    """Strokes below `area` where points enter or leave the support vectors."""
    covered = strokes.column_marks(marks, round((height - 2) * ratio))
    strokes.paint(painter, QPointF(area.left(), area.bottom() + 1), covered, theme.ink, ratio)


def step_ticks(scale: StepScale, metrics: QFontMetricsF, ratio: float) -> list[Tick]:
    """The steps that are named on the axis."""
    return scale.ticks(ratio * (metrics.horizontalAdvance(grouped(scale.last)) + 12))


def paint_steps(painter: QPainter, area: QRectF, ticks: list[Tick], below: int, theme: Theme, ratio: float) -> None:
    """Numbers of steps `below` the lowest area."""
    metrics = QFontMetricsF(painter.font())
    y = area.bottom() + below
    painter.setPen(QColor(*theme.faint))
    room = QRectF(2, y, metrics.horizontalAdvance("step") + 4, metrics.height())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft, "step")
    painter.setPen(QColor(*theme.ink))
    free = room.right()  # where the text before has ended
    for place, text in ticks:
        x = area.left() + (place + 0.5) / ratio
        half = 0.5 * metrics.horizontalAdvance(text) + 2
        if x - half >= free:
            painter.drawText(QRectF(x - half, y, 2 * half, metrics.height()), Qt.AlignmentFlag.AlignCenter, text)
            free = x + half


def paint_grid(painter: QPainter, area: QRectF, ticks: list[Tick], theme: Theme, ratio: float) -> None:
    """The ground of a plot, and a line down at each of `ticks`."""
    painter.fillRect(area, QColor(*theme.background))
    colour = grid_colour(theme)
    for place, _ in ticks:
        x = area.left() + place / ratio
        painter.fillRect(QRectF(round(x), area.top(), 1, area.height()), colour)


def paint_cursor(
    painter: QPainter, areas: list[QRectF], scale: StepScale, step: int, theme: Theme, ratio: float
) -> None:
    """A line through all of `areas` at `step`; an arrow at the edge behind which it is, where it is not on the axis."""
    colour = QColor(*theme.accent)
    place = float(scale.place(step))
    first, last = areas[0], areas[-1]
    x = first.left() + (place + 0.5) / ratio
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if -0.5 <= place <= scale.columns:
        for area in areas:
            painter.fillRect(QRectF(x - 1, area.top(), 2, area.height()), colour)
        tip = QPointF(x, last.bottom() - 4)
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(-5, 7), tip + QPointF(5, 7)]))
    else:
        tip = QPointF(first.left() if place < 0 else first.right(), first.top() + 10)
        away = 8.0 if place < 0 else -8.0
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(away, -6), tip + QPointF(away, 6)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
