"""Symbols and paths for pictures painted without axes: many symbols, or a long line, in one call.

One, because each call of a painter lets other threads go on, and has to wait for its turn again when they are busy.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from app.state.points import MAX_CLASSES
from app.views.theme import Theme
from app.views.widgets.painting import painter_on
from solver.core.arrays import Array, Indices

from .symbols import draw

#: The kind of stamp of a point whose class is not known; the kinds below it are the classes.
UNKNOWN = MAX_CLASSES
#: Half the size of a stamp in pixels, for symbols of scale 1; and the radius of the hollow disc of an unknown class.
REACH, DISC = 9.0, 3.2


def path(x: Array, y: Array) -> QPainterPath:
    """Polylines through (x, y), parted by NaN."""
    drawn: QPainterPath = pg.arrayToQPath(x, y, connect="finite")
    return drawn


def stamp(painter: QPainter, theme: Theme, xy: Array, kinds: Indices, scale: float, ratio: float) -> None:
    """Draw symbols at `xy` (n, 2), the later ones on top.

    Parameters
    ----------
    kinds : ndarray of shape (n,)
        Classes 0 to 7, or `UNKNOWN`.
    scale : float
        1 is the size of symbols in a plot of few points.
    ratio : float
        Device pixels to one unit of the painter.
    """
    if not len(xy):
        return
    sheet, cell = _sheet(theme, scale, ratio)
    fragments = PrimitiveArray(QPainter.PixmapFragment, 10)
    fragments.resize(len(xy))
    table = fragments.ndarray()
    table[:, 0:2] = xy
    table[:, 2], table[:, 3] = kinds * cell, 0.0
    table[:, 4] = table[:, 5] = cell
    table[:, 6] = table[:, 7] = 1.0 / ratio
    table[:, 8], table[:, 9] = 0.0, 1.0
    painter.drawPixmapFragments(*fragments.drawargs(), sheet)  # type: ignore[call-arg]


@lru_cache(maxsize=8)
def _sheet(theme: Theme, scale: float, ratio: float) -> tuple[QPixmap, int]:
    """The stamps in a row, and the side of each in device pixels."""
    cell = 2 * int(np.ceil(REACH * max(scale, 0.5) * ratio)) + 1
    pixmap = QPixmap(cell * (MAX_CLASSES + 1), cell)
    pixmap.fill(Qt.GlobalColor.transparent)
    with painter_on(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for kind in range(MAX_CLASSES + 1):
            painter.save()
            painter.translate((kind + 0.5) * cell, 0.5 * cell)
            painter.scale(ratio, ratio)
            if kind == UNKNOWN:
                fill = QColor(*theme.background)
                fill.setAlpha(150)
                painter.setBrush(fill)
                painter.setPen(QPen(QColor(*theme.faint), 1.3))
                painter.drawEllipse(QPointF(0.0, 0.0), DISC * scale, DISC * scale)
            else:
                draw(painter, theme, str(kind), scale)
            painter.restore()
    return pixmap, cell
