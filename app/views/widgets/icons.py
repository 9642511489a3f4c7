"""Icons: the program's own, drawn in the theme's foreground colour from the SVG files of `assets/icons`."""

from __future__ import annotations

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QFont, QFontInfo, QIcon, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.files.assets import assets
from app.views.theme import Theme

from .painting import blank, painter_on

ICONS = assets("icons")
#: Widths of an icon beside text of usual size, and of the largest one with which all tools are in sight (pixels).
ICON_SIZE, LARGEST = 20, 26


def icon_size(font: QFont, bounded: bool = True) -> int:
    """Return the width of an icon beside this text (pixels), at most `LARGEST` if `bounded`."""
    text = QFontInfo(font).pixelSize()
    return max(ICON_SIZE, min(round(1.5 * text), LARGEST), 0 if bounded else round(1.1 * text))


@lru_cache(maxsize=256)
def icon(name: str, theme: Theme, ratio: float) -> QIcon:
    """Return the icon of this name in the theme's foreground colour; an empty one if it cannot be read."""
    return QIcon(drawn(name, QColor(*theme.ink), ICON_SIZE, ratio))


def drawn(name: str, ink: QColor, size: int, ratio: float) -> QPixmap:
    """Return the symbol of this name, `size` pixels wide; an empty one if it cannot be read."""
    try:
        svg = _source(name).replace("currentColor", ink.name())
    except OSError:
        return QPixmap()
    pixmap = blank(size, size, ratio)
    with painter_on(pixmap) as painter:
        QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, size, size))
    return pixmap


@cache
def _source(name: str) -> str:
    return (ICONS / f"{name}.svg").read_text(encoding="utf-8")
