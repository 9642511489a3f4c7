"""Painting: painters that are always closed, and a sentence in place of what cannot be painted.

A painter left open by an exception is destroyed after its paint device, which ends the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPaintDevice, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QApplication

#: Length of the longest sentence (characters).
LONGEST = 200


def blank(width: float, height: float, ratio: float, colour: QColor | Qt.GlobalColor | None = None) -> QPixmap:
    """Return a picture to paint on, in Qt's pixels of `ratio` device pixels each; transparent without `colour`."""
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent if colour is None else colour)
    return pixmap


def bold(font: QFont) -> QFont:
    """Return `font` in bold."""
    strong = QFont(font)
    strong.setBold(True)
    return strong


def broken(text: str, measure: Callable[[str], float], most: float) -> list[str]:
    """Return `text` in lines for which `measure` returns at most `most`, broken between words."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip(" ")
        if lines[-1] and measure(longer) > most:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@contextmanager
def painter_on(device: QPaintDevice, smooth: bool = False) -> Iterator[QPainter]:
    """Open a painter on `device`, antialiased if `smooth`, and close it in any case."""
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
    try:
        yield painter
    finally:
        painter.end()


def paint_with(
    painter: QPainter, pen: QPen | QColor | Qt.PenStyle, brush: QBrush | QColor | Qt.BrushStyle = Qt.BrushStyle.NoBrush
) -> None:
    """Set the pen and the brush of `painter`; without a brush, shapes are outlines."""
    painter.setPen(pen)
    painter.setBrush(brush)


def svg_bytes(
    size: QSize,
    title: str,
    paint: Callable[[QPaintDevice], object],
    *,
    description: str = "Generated with Qt",
    plain: bool = False,
) -> bytes:
    """Return the SVG file that `paint` draws: version 1.1 at 96 dpi; if `plain`, Tiny 1.2, without clipping."""
    from PySide6.QtSvg import QSvgGenerator  # a library of its own, seldom needed

    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    versions = QSvgGenerator.SvgVersion
    generator = QSvgGenerator(versions.SvgTiny12 if plain else versions.Svg11)  # the older version has no clipping
    generator.setOutputDevice(buffer)
    generator.setResolution(72 if plain else 96)
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(), size))
    generator.setTitle(title)
    generator.setDescription(description)
    paint(generator)
    return bytes(data.data())


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Save the state of `painter`, and restore it afterwards."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


def announce(painter: QPainter, area: QRectF, error: Exception) -> None:
    """Paint a sentence about `error` in `area`."""
    text = "there is not enough memory" if isinstance(error, MemoryError) else str(error)
    reason = " ".join(text.split()) or type(error).__name__
    sentence = f"This cannot be drawn: {reason}"
    sentence = sentence.rstrip(".") + "." if len(sentence) <= LONGEST else sentence[: LONGEST - 1] + "…"
    palette = QApplication.palette()
    painter.setOpacity(1.0)
    painter.fillRect(area, palette.window())
    painter.setPen(palette.windowText().color())
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(area.adjusted(4, 4, -4, -4), int(flags), sentence)


def scale_font(font: QFont, size: float) -> None:
    """Scale the font size by `size`; a style sheet may have set the font in pixels."""
    if size == 1.0:
        return
    if font.pointSizeF() > 0:
        font.setPointSizeF(size * font.pointSizeF())
    else:
        font.setPixelSize(max(round(size * font.pixelSize()), 1))
