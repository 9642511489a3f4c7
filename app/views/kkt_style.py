"""KKT style: the colour, the pattern and the mark of each KKT case, the same in every view.

The colours follow Tol's "medium contrast" set (Paul Tol, Colour Schemes, SRON/EPS/TN/09-002), distinguishable with
every kind of colour vision and in greyscale; pattern and shape encode the case a second time.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPen, QPixmap, QTransform

from app.engine.shading import RGB
from app.views.theme import Theme
from app.views.widgets.painting import paint_with, painter_on
from solver.inspection.metrics import KktCase

#: Side of the square that a pattern repeats (pixels).
TILE = 6


class CaseStyle(Struct, frozen=True):
    """Colour, mark and pattern of one KKT case.

    Attributes
    ----------
    light, dark : (int, int, int)
        Colour in the light and in the dark theme.
    shape : str
        Shape of the mark around a point, in pyqtgraph's names: disc, square, diamond.
    size : float
        Size of that mark, in pixels.
    pattern : {"solid", "stripes", "dots"}
        Pattern of a bar.
    """

    light: RGB
    dark: RGB
    shape: str
    size: float
    pattern: str

    def rgb(self, theme: Theme) -> RGB:
        """Return the case's colour in `theme`."""
        return self.dark if theme.dark else self.light

    def colour(self, theme: Theme) -> QColor:
        """Return the same colour as a QColor."""
        return QColor(*self.rgb(theme))


CASES: dict[KktCase, CaseStyle] = {
    KktCase.NOT_SUPPORT: CaseStyle((95, 95, 95), (170, 170, 170), "o", 16.0, "solid"),
    KktCase.FREE: CaseStyle((0, 68, 136), (130, 185, 240), "o", 20.0, "solid"),
    KktCase.INSIDE: CaseStyle((153, 119, 0), (238, 204, 102), "s", 19.0, "stripes"),
    KktCase.MISCLASSIFIED: CaseStyle((153, 68, 85), (238, 153, 170), "d", 26.0, "dots"),
}


@lru_cache(maxsize=16)
def _tile(theme: Theme, case: KktCase, ratio: float) -> QImage:
    """Return the square of device pixels that a bar of `case` repeats."""
    style = CASES[case]
    side = max(1, round(TILE * ratio))
    tile = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    tile.fill(style.colour(theme))
    with painter_on(tile, smooth=True) as painter:
        painter.scale(side / TILE, side / TILE)
        gap = QColor(*theme.background)
        if style.pattern == "stripes":
            painter.setPen(QPen(gap, 1.5))
            for shift in (-TILE, 0, TILE):
                painter.drawLine(QLineF(shift - 1, TILE + 1, shift + TILE + 1, -1))
        elif style.pattern == "dots":
            paint_with(painter, Qt.PenStyle.NoPen, gap)
            for x, y in ((1.5, 1.5), (4.5, 4.5)):
                painter.drawEllipse(QPointF(x, y), 1.0, 1.0)
    return tile


@lru_cache(maxsize=4)
def bar_brushes(theme: Theme, ratio: float) -> tuple[QBrush, ...]:
    """Return the brushes of the bars, one for each case."""
    return tuple(bar_brush(theme, case, ratio) for case in KktCase)


def bar_brush(theme: Theme, case: KktCase, ratio: float) -> QBrush:
    brush = QBrush(QPixmap.fromImage(_tile(theme, case, ratio)))
    brush.setTransform(QTransform.fromScale(1 / ratio, 1 / ratio))
    return brush
