"""Class overlay: the boundaries drawn by a class, all in one picture."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from app.features.lessons.overlay import COLOURS, WIDTH
from app.features.lessons.state import Line
from app.scene.model import LaneScene, Scene
from app.views.plot.lines import to_pixels
from app.views.plot.overlays import LaidLayer
from app.views.theme import Theme
from app.views.widgets.painting import blank, painter_on
from solver import Grid

from .scene import ClassScene

#: Opacity of one boundary (of 255): a single one is visible, and where many agree the colour is full.
OPACITY = 110
#: Number of points up to which lines are wide and antialiased, at 25 microseconds a point; else one pixel wide.
MOST_SMOOTH = 1500


@dataclass(eq=False)
class ClassOverlay:
    """The contents of the overlay, in the canvas's pixels: a path for each learner, painted once and cached.

    Attributes
    ----------
    paths : list of QPainterPath
    area : QRectF
    """

    paths: list[QPainterPath]
    area: QRectF
    _kept: tuple[tuple[object, ...], QPixmap] | None = field(default=None, init=False)

    def paint(self, painter: QPainter, theme: Theme, within: QRectF) -> None:
        """Draw the paths: a line that crosses itself is no darker there, lines of two learners are."""
        ratio = painter.device().devicePixelRatio()
        key = (theme.dark, ratio)
        if self._kept is None or self._kept[0] != key:
            self._kept = key, self._painted(theme.dark, ratio)
        painter.drawPixmap(self.area.topLeft(), self._kept[1])

    def _painted(self, dark: bool, ratio: float) -> QPixmap:
        pixmap = blank(self.area.width(), self.area.height(), ratio)
        smooth = sum(path.elementCount() for path in self.paths) <= MOST_SMOOTH
        with painter_on(pixmap, smooth=smooth) as painter:
            painter.translate(-self.area.topLeft())
            pen = QPen(QColor(*COLOURS[dark], OPACITY), WIDTH if smooth else 1.0)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.setPen(pen)
            for path in self.paths:
                painter.drawPath(path)
        return pixmap


class ClassLayer(LaidLayer[ClassOverlay]):
    """The boundaries of a class over the picture of a lane."""

    def lay(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont, hovering: bool) -> list[QRect]:
        """Lay the overlay out for `area`, which shows `grid`; return the rectangles to repaint."""
        answers = scene.feature(ClassScene)
        drawn = () if answers is None or answers.drawn_on != lane.slot else answers.boundaries
        made_of = (drawn, grid, area) if drawn else None
        anew = self.renew(made_of, lambda: ClassOverlay([path_of(lines, grid, area) for lines in drawn], area))
        return [area.toAlignedRect()] * anew


def path_of(lines: tuple[Line, ...], grid: Grid, area: QRectF) -> QPainterPath:
    """Return the boundary of one learner, in the pixels of `area`, which shows `grid`."""
    path = QPainterPath()
    for line in lines:
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in to_pixels(np.array(line), grid, area).tolist()]))
    return path
