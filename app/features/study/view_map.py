"""The map of a study as a picture: mean of each cell as a colour, the best cell marked; drawn without a window."""

from __future__ import annotations

import math
from itertools import product

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from .cells import Places
from .map_reading import measure_text
from .model import Study, Value
from .results import Summary

#: Of cividis: dark blue to yellow, told apart by all eyes and in grey print.
COLOURS = ("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838")
MISSING = "#e4e4e4"
SIDE, LEFT, TOP, BOTTOM, GAP, BAR = 54, 84, 34, 48, 28, 110


def png(study: Study, value: str, means: dict[Places, Summary]) -> bytes:
    """A map for each choice of the axes beyond the second, side by side, as the bytes of a PNG file."""
    from app.main import make_application

    make_application()
    columns = len(study.axes[0].values)
    rows = len(study.axes[1].values) if len(study.axes) > 1 else 1
    rests = list(product(*(range(len(axis.values)) for axis in study.axes[2:])))
    side = max(10, min(SIDE, 1200 // max(columns, rows)))
    across = min(len(rests), max(1, math.ceil(math.sqrt(len(rests)))))
    width, height = LEFT + columns * side + GAP, TOP + rows * side + BOTTOM
    image = QImage(across * width + BAR, 30 + math.ceil(len(rests) / across) * height, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        numbers = [each.mean for each in means.values() if each.count]
        low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
        painter.drawText(QPointF(12, 20), f"{study.heading(value)}: mean of repetitions and folds")
        for number, rest in enumerate(rests):
            x, y = number % across * width + LEFT, 30 + number // across * height + TOP
            _map(painter, study, means, rest, QRectF(x, y, columns * side, rows * side), low, high, value)
        _bar(painter, QRectF(across * width + 10, 30 + TOP, 18, max(rows * side, 80)), low, high, value)
    finally:
        painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # its stub wants bytes, which it refuses
    return bytes(data.data())


def _map(
    painter: QPainter,
    study: Study,
    means: dict[Places, Summary],
    rest: Places,
    room: QRectF,
    low: float,
    high: float,
    value: str,
) -> None:
    across, up = study.axes[0], study.axes[1] if len(study.axes) > 1 else None
    rows = len(up.values) if up is not None else 1
    side = room.width() / len(across.values)
    title = ", ".join(
        f"{axis.name} = {_name(axis.values[place])}" for axis, place in zip(study.axes[2:], rest, strict=True)
    )
    painter.drawText(QPointF(room.left(), room.top() - 10), title)
    best: tuple[float, QRectF] | None = None
    for i, j in product(range(len(across.values)), range(rows)):
        places = (i, *((j,) if up is not None else ()), *rest)
        cell = QRectF(room.left() + i * side, room.bottom() - (j + 1) * side, side, side)
        summary = means.get(places)
        if summary is None or not summary.count:
            if study.exists(places):
                painter.fillRect(cell, QColor(MISSING))
            continue
        share = (summary.mean - low) / (high - low) if high > low else 0.5
        painter.fillRect(cell, shade(share))
        if side >= 48:
            painter.setPen(QColor("white") if share < 0.55 else QColor("black"))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, measure_text(value, summary.mean))
            painter.setPen(QColor("black"))
        if best is None or summary.mean > best[0]:
            best = summary.mean, cell
    if best is not None and "accuracy" in value:
        for colour, thickness in (("black", 4.0), ("white", 1.5)):
            painter.setPen(QPen(QColor(colour), thickness))
            painter.drawRect(best[1].adjusted(2, 2, -2, -2))
        painter.setPen(QColor("black"))
    every = max(1, math.ceil(34 / side))
    for i in range(0, len(across.values), every):
        label = QRectF(room.left() + (i + 0.5) * side - 40, room.bottom() + 2, 80, 16)
        painter.drawText(label, Qt.AlignmentFlag.AlignHCenter, _name(across.values[i]))
    below = QRectF(room.left(), room.bottom() + 20, room.width(), 18)
    painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, across.name)
    if up is None:
        return
    for j in range(0, rows, max(1, math.ceil(18 / side))):
        label = QRectF(room.left() - LEFT, room.bottom() - (j + 0.5) * side - 9, LEFT - 8, 18)
        painter.drawText(label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _name(up.values[j]))
    corner = QRectF(room.left() - LEFT, room.top() - 22, LEFT - 8, 18)
    painter.drawText(corner, Qt.AlignmentFlag.AlignRight, up.name)


def _bar(painter: QPainter, room: QRectF, low: float, high: float, measure: str) -> None:
    steps = int(room.height())
    for step in range(steps):
        strip = QRectF(room.left(), room.bottom() - step - 1, room.width(), 1.0)
        painter.fillRect(strip, shade(step / max(steps - 1, 1)))
    for value, y in ((low, room.bottom()), (0.5 * (low + high), room.center().y()), (high, room.top())):
        painter.drawText(QPointF(room.right() + 6, y + 5), measure_text(measure, value))


def _name(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def shade(share: float) -> QColor:
    """The colour of a share from 0 to 1."""
    place = min(max(share, 0.0), 1.0) * (len(COLOURS) - 1)
    first = min(int(place), len(COLOURS) - 2)
    one, other, part = QColor(COLOURS[first]), QColor(COLOURS[first + 1]), place - first
    mixed = (a + part * (b - a) for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))  # type: ignore[index]
    return QColor(*(round(each) for each in mixed))
