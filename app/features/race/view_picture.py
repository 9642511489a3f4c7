"""RacePicture: a small picture of one racer: surface, boundary, margins, points and the marks of support vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.engine.requests import NO_MARKS, Marks, Picture
from app.state.points import MAX_CLASSES, Points
from app.views.plot import symbols
from app.views.plot.clouds import on_screen
from app.views.plot.lines import draw_line
from app.views.plot.samples import draw_samples
from app.views.theme import Theme
from app.views.widgets.painting import painter_on
from solver import Grid

#: Widths in pixels of the decision boundary and of the margins.
BOUNDARY, MARGIN = 1.8, 1.1
#: Size of a point by the shorter side of the picture from which on it holds, in pixels.
SIZES = ((420, 9), (260, 7), (0, 5))
#: From so many points on they are as small as can be.
MANY = 1500
#: What is stamped: the classes, then the marks; by how much a mark is larger than a point, in pixels; outlines.
KINDS = (*map(str, range(MAX_CLASSES)), "bounded", "free")
LARGER = {"bounded": 3.0, "free": 5.0}
OUTLINE, MARK = 0.6, 1.1


@lru_cache(maxsize=8)
def _stamps(theme: Theme, size: int, ratio: float) -> tuple[QPixmap, int]:
    """The symbols of `KINDS` in a row of square cells, and the side of a cell, which is odd: it has a middle pixel.

    The symbols of the large pictures would be all outline in small ones.
    """
    cell = 2 * int(np.ceil(0.5 * (size + 8) * ratio)) + 1
    pixmap = QPixmap(cell * len(KINDS), cell)
    pixmap.fill(Qt.GlobalColor.transparent)
    with painter_on(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, kind in enumerate(KINDS):
            painter.save()
            painter.translate((place + 0.5) * cell, 0.5 * cell)
            painter.scale(ratio, ratio)
            basis = {"bounded": symbols.BOUNDED, "free": symbols.FREE}.get(kind, symbols.POINT)
            for path, pen, brush in symbols.shapes(theme, kind, (size + LARGER.get(kind, 0.0)) / basis):
                painter.setPen(QPen(pen.color(), MARK if kind in LARGER else OUTLINE))
                painter.setBrush(brush)
                painter.drawPath(path)
            painter.restore()
    return pixmap, cell


class RacePicture(QWidget):
    """Draws what it is shown, as large as it is.

    Parameters
    ----------
    resized : callable
        Called after its size has changed.
    """

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__()
        self._resized = resized
        self._picture: Picture | None = None
        self._points: Points | None = None
        self._marked: Marks | None = None
        self._theme: Theme | None = None
        self._view = Grid(0.0, 1.0, 0.0, 1.0, 1, 1)
        self._xy = np.empty((0, 2))
        self._kinds = np.empty(0, dtype=np.intp)
        self.setMinimumSize(130, 100)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def sizeHint(self) -> QSize:
        return QSize(220, 110)

    def show_frame(self, points: Points, picture: Picture | None, marks: Marks, view: Grid, theme: Theme) -> None:
        """Show a picture and marks of `points`, over the part of the plane that is `view`."""
        fresh = points is not self._points or marks is not self._marked
        if fresh:
            self._points, self._marked = points, marks
            chosen = (marks.bounded, marks.free)  # above the points
            kinds = [np.full(len(index), MAX_CLASSES + place) for place, index in enumerate(chosen)]
            self._xy = np.concatenate((points.xy, *(points.xy[index] for index in chosen)))
            self._kinds = np.concatenate((points.labels.astype(np.intp), *kinds))
        if picture is not self._picture:
            self._picture = picture
            fresh = True
        if fresh or view != self._view or theme is not self._theme:
            self._view, self._theme = view, theme
            self.update()

    def clear(self, theme: Theme) -> None:
        """Show nothing."""
        self.show_frame(Points(), None, NO_MARKS, self._view, theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        if theme is None:
            return
        with painter_on(self) as painter:
            self._paint(painter, theme)

    def _paint(self, painter: QPainter, theme: Theme) -> None:
        ratio = self.devicePixelRatioF()
        painter.scale(1.0 / ratio, 1.0 / ratio)  # in device pixels
        area = QRectF(0, 0, round(self.width() * ratio), round(self.height() * ratio))
        painter.fillRect(area, QColor(*theme.background))
        view = self._view
        corners = QRectF(view.left, view.bottom, view.right - view.left, view.top - view.bottom)
        if self._picture is not None:
            grid = self._picture.grid
            x, y = on_screen(np.array([[grid.left, grid.top], [grid.right, grid.bottom]]), corners, area)
            target = QRectF(x[0], y[0], x[1] - x[0], y[1] - y[0])
            draw_samples(painter, self._picture.argb, target, area)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for lines, width, dashes in (
                (self._picture.boundary, BOUNDARY, False),
                (self._picture.margins, MARGIN, True),
            ):
                if len(lines):
                    width *= ratio
                    x, y = on_screen(lines, corners, area)
                    cut = (4 * width, 3 * width) if dashes else None
                    draw_line(painter, x, y, symbols.line_pen(theme, width), area, cut)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._stamp(painter, corners, area, theme, ratio)
        painter.setPen(QPen(QColor(*theme.faint), 1))
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))

    def _stamp(self, painter: QPainter, corners: QRectF, area: QRectF, theme: Theme, ratio: float) -> None:
        """Copy the symbols of points and marks to their places."""
        if self._points is None or not len(self._xy):
            return
        side = min(self.width(), self.height())
        size = next(size for least, size in SIZES if side >= least)
        if len(self._points) > MANY:
            size = SIZES[-1][1]
        pixmap, cell = _stamps(theme, size, ratio)
        x, y = on_screen(self._xy, corners, area)
        fragments = PrimitiveArray(QPainter.PixmapFragment, 10)
        fragments.resize(len(x))
        table = fragments.ndarray()
        # The middle of a symbol is the middle of the pixel it stands on.
        table[:, 0], table[:, 1] = np.floor(x) + 0.5, np.floor(y) + 0.5
        table[:, 2], table[:, 3] = self._kinds * cell, 0
        table[:, 4] = table[:, 5] = cell
        table[:, 6] = table[:, 7] = table[:, 9] = 1.0
        table[:, 8] = 0.0
        painter.drawPixmapFragments(*fragments.drawargs(), pixmap)  # type: ignore[call-arg]
