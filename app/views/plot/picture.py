"""Paint the picture of a lane: its surface, and the boundary and margins on it; wherever one is displayed."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.engine.requests import Picture
from app.views.theme import Theme

from .clouds import on_screen, rectangle_on_screen
from .lines import draw_line
from .samples import draw_samples
from .symbols import line_pen

#: Widths of the boundary and of the margins, and dash and gap of the margins in units of their width.
BOUNDARY, MARGIN, DASHES = 2.0, 1.3, (5.0, 4.0)


def paint_surface(painter: QPainter, picture: Picture, corners: QRectF, area: QRectF, seen: QRectF) -> None:
    """Paint the colours on `area`, which shows the rectangle `corners` of the plane, as far as they lie in `seen`."""
    draw_samples(painter, picture.argb, rectangle_on_screen(picture.grid, corners, area), seen)


def paint_lines(
    painter: QPainter,
    picture: Picture,
    corners: QRectF,
    area: QRectF,
    seen: QRectF,
    theme: Theme,
    ratio: float = 1.0,
    widths: tuple[float, float] = (BOUNDARY, MARGIN),
    dashes: tuple[float, float] = DASHES,
) -> None:
    """Paint boundary and margins, smoothed; widths are in units of `ratio` pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for lines, width, dashed in ((picture.boundary, widths[0], False), (picture.margins, widths[1], True)):
        if len(lines):
            width *= ratio
            x, y = on_screen(lines, corners, area)
            cut = (dashes[0] * width, dashes[1] * width) if dashed else None
            draw_line(painter, x, y, line_pen(theme, width), seen, cut)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
