"""What stands about the curves: the axes with numbers, lines, marks and the cursor; and the legend, with each curve's
exact value at the cursor, in as many lines as the width needs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from app.core.number_format import grouped, short
from app.engine.run_state import RunState
from app.engine.shading import RGB
from app.views.charts import strokes
from app.views.charts.chart import LEFT, paint_rows
from app.views.charts.scales import StepScale, Tick, ValueScale
from app.views.charts.strokes import SOLID, Cells, Dash
from app.views.theme import Theme
from app.views.widgets.painting import saved
from solver.core.arrays import Mask

from . import view_cells as cells
from .view_cells import CURVES, PLOTS, PlotSpec

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
    ticks = [(area.top() + round(y / ratio) + 0.5, text) for y, text in scale.ticks(1.2 * metrics.height() * ratio)]
    paint_rows(painter, area, ticks, theme, QPen(grid_colour(theme), 1))
    return max((metrics.horizontalAdvance(text) for _, text in ticks), default=0.0)


def paint_shares(painter: QPainter, area: QRectF, scale: ValueScale, ratio: float, theme: Theme) -> float:
    """Numbers in per cent at the right of `area`, each with a stroke at the edge; returns the width of the longest."""
    metrics = QFontMetricsF(painter.font())
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
        painter.drawText(QRectF(area.right() + 4, y - half, longest + 2, 2 * half), LEFT, text)
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


#: Length of the sample of a line, and the gaps beside it, between entries and between lines, in pixels.
SAMPLE, GAP, BETWEEN, LEADING = 26, 5, 12, 2
#: A value has room for so much, so that the next entry stays where it is.
ROOM = "−0.0000e-4"


@dataclass(frozen=True)
class Entry:
    """One entry: a sample of the line, a label and a value; the sample is left out for a mere remark.

    Attributes
    ----------
    label, value : str
    colour : (int, int, int) or None
    dash : (float, float)
    sign : str
        "square", "diamond", "" for the line alone, or "strokes" for those that mark changes, without a line.
    room : str
        A text as long as the value may become.
    """

    label: str
    value: str = ""
    colour: RGB | None = None
    dash: Dash = SOLID
    sign: str = ""
    room: str = ROOM

    def width(self, metrics: QFontMetricsF) -> float:
        """In pixels, the same for all values that are not longer than expected."""
        sample = 0.0 if self.colour is None else SAMPLE + GAP
        value = max(metrics.horizontalAdvance(self.value), metrics.horizontalAdvance(self.room)) if self.room else 0.0
        return sample + metrics.horizontalAdvance(self.label + " ") + value


def exact(value: float, percent: bool = False, whole: bool = False) -> str:
    """A number in five digits that count, "−0.012346", in per cent "1.2346 %"; a whole one in all of them."""
    if whole:
        return grouped(round(value)).replace("-", "−")
    text = f"{100 * value if percent else value:#.5g}".removesuffix(".") if value else "0"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return ("−" + text[1:] if text[0] == "-" else text) + (" %" if percent else "")


def between(low: float, high: float, percent: bool = False, whole: bool = False) -> str:
    """One number, or "least to largest" where the trace keeps no more."""
    first, last = exact(low, percent, whole), exact(high, percent, whole)
    return first if first == last else f"{first} to {last}"


def flow(entries: list[Entry], metrics: QFontMetricsF, width: float, first: float) -> list[tuple[float, int]]:
    """Where each entry stands: pixels from the left, and its line; the first line is only `first` pixels wide."""
    places, x, line = [], 0.0, 0
    for entry in entries:
        needed = entry.width(metrics)
        if x > 0 and x + needed > (width if line else first):
            x, line = 0.0, line + 1
        places.append((x, line))
        x += needed + BETWEEN
    return places


def draw(painter: QPainter, entry: Entry, at: QRectF, ink: QColor, faint: QColor) -> None:
    """Draw `entry` at the left of `at`, in the middle of its height; where it is too long, the label ends in "…"."""
    metrics = QFontMetricsF(painter.font())
    x = at.left()
    if entry.colour is not None:
        draw_sample(painter, entry, QPointF(x, at.center().y()))
        x += SAMPLE + GAP
    value = metrics.horizontalAdvance(" " + entry.value) if entry.value else 0.0
    room = max(at.right() - x - value, 0.0)
    label = metrics.elidedText(entry.label, Qt.TextElideMode.ElideRight, room)
    painter.setPen(faint)
    painter.drawText(QRectF(x, at.top(), room, at.height()), LEFT, label)
    if entry.value:
        x += metrics.horizontalAdvance(label + " ")
        painter.setPen(ink)
        painter.drawText(QRectF(x, at.top(), max(at.right() - x, value), at.height()), LEFT, entry.value)


def draw_sample(painter: QPainter, entry: Entry, at: QPointF) -> None:
    """Draw a piece of the entry's line to the right of `at`."""
    assert entry.colour is not None
    colour = QColor(*entry.colour)
    if entry.sign == "strokes":
        for dx in (4, 10, 13, 20):
            painter.fillRect(QRectF(round(at.x()) + dx, round(at.y()) - 3, 1, 6), colour)
        return
    period, drawn = (SAMPLE, 1.0) if entry.dash is SOLID else entry.dash
    x = 0.0
    while x < SAMPLE:
        painter.fillRect(QRectF(at.x() + x, at.y() - 1, min(period * drawn, SAMPLE - x), 2.5), colour)
        x += period
    middle = at + QPointF(SAMPLE / 2, 0)
    if entry.sign == "square":
        painter.fillRect(QRectF(middle.x() - 3.5, middle.y() - 3.5, 7, 7), colour)
    elif entry.sign == "diamond":
        with saved(painter):
            painter.translate(middle)
            painter.rotate(45)
            painter.fillRect(QRectF(-3.2, -3.2, 6.4, 6.4), colour)


def summary(run_state: RunState | None) -> str:
    """The curves in words and numbers, as they are where the run stands."""
    if run_state is None:
        return "No run to draw."
    said = [f"Step {grouped(run_state.step)} of {grouped(run_state.length)}."]
    view = run_state.trace
    for plot, names in cells.curves_of(view).items():
        for name in names:
            spec, known = CURVES[name], cells.value_at(view, name, run_state.step)
            if known is not None:
                value = between(*known[:2], spec.percent, PLOTS[plot].whole)
                where = f" at step {grouped(known[2])}" if known[2] != run_state.step else ""
                said.append(f"{spec.said} {value}{where}.")
    if "violation" in view.names:
        said.append(f"Tolerance {short(run_state.tol)}.")
    return " ".join(said)
