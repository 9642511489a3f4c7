"""Curve legend: what each curve is and its exact value at the cursor, in as many lines as the width needs."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.engine.run_state import RunState
from app.engine.shading import RGB
from app.state.number_format import grouped, short
from app.views.charts.strokes import SOLID, Dash

from . import view_cells as cells
from .view_cells import CURVES, PLOTS

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
    align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    value = metrics.horizontalAdvance(" " + entry.value) if entry.value else 0.0
    room = max(at.right() - x - value, 0.0)
    label = metrics.elidedText(entry.label, Qt.TextElideMode.ElideRight, room)
    painter.setPen(faint)
    painter.drawText(QRectF(x, at.top(), room, at.height()), align, label)
    if entry.value:
        x += metrics.horizontalAdvance(label + " ")
        painter.setPen(ink)
        painter.drawText(QRectF(x, at.top(), max(at.right() - x, value), at.height()), align, entry.value)


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
        painter.save()
        painter.translate(middle)
        painter.rotate(45)
        painter.fillRect(QRectF(-3.2, -3.2, 6.4, 6.4), colour)
        painter.restore()


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
