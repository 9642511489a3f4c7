"""Guess overlay: what is drawn or picked of a prediction, over the picture; and a word on one that is covered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from app.scene.model import LaneScene, Scene
from app.views.plot.lines import to_pixels
from app.views.theme import Theme
from app.views.widgets.painting import bold
from solver import Grid
from solver.core.arrays import Array

from .predicting import read
from .scene import LessonScene

#: Colour of a guess in the light and the dark theme: that of no class, no line of a model, and no mark.
COLOURS = ((205, 0, 110), (255, 110, 190))
#: Width of a line drawn by hand, and of its way on to the edge; radius of the ring round a picked point; in pixels.
WIDTH, ON, RING = 3.0, 1.5, 15.0
#: On a cover: short, for large text.
WORD = "Covered"
#: Pixels round it.
PAD = 6.0


@dataclass(frozen=True, eq=False)
class GuessOverlay:
    """What lies over a picture, in the canvas's pixels.

    Attributes
    ----------
    lines, on : tuple of ndarray of shape (n, 2)
        As drawn, and as they are read.
    picked, taken : tuple of (x, y)
        Points of the pair that was picked, and of the rule's.
    word : str
        On the cover.
    area : QRectF
    font : QFont
    """

    lines: tuple[Array, ...]
    on: tuple[Array, ...]
    picked: tuple[tuple[float, float], ...]
    taken: tuple[tuple[float, float], ...]
    word: str
    area: QRectF
    font: QFont

    def paint(self, painter: QPainter, theme: Theme, within: QRectF) -> None:
        """Draw it: each line on one of the background's colour, so that it stands out from every surface."""
        colour, ground = QColor(*COLOURS[theme.dark]), QColor(*theme.background, 220)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for lines, width, style in ((self.on, ON, Qt.PenStyle.DashLine), (self.lines, WIDTH, Qt.PenStyle.SolidLine)):
            for pen in (QPen(ground, width + 2.5), QPen(colour, width, style)):
                pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
                painter.setPen(pen)
                for line in lines:
                    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in line.tolist()]))
        for points, pen in (
            (self.taken, QPen(QColor(*theme.ink), 2.0, Qt.PenStyle.DashLine)),
            (self.picked, QPen(colour, WIDTH)),
        ):
            radius = RING if pen.style() is Qt.PenStyle.SolidLine else RING + 4.0
            for x, y in points:
                for each in (QPen(ground, pen.widthF() + 2.5), pen):
                    painter.setPen(each)
                    painter.drawEllipse(QPointF(x, y), radius, radius)
        if self.word:
            self._paint_word(painter, theme)

    def _paint_word(self, painter: QPainter, theme: Theme) -> None:
        font = bold(self.font)
        metrics = QFontMetricsF(font)
        room = self.area.width() - 2 * PAD
        word = metrics.elidedText(self.word, Qt.TextElideMode.ElideRight, room - 2 * PAD)
        box = QRectF(0, 0, metrics.horizontalAdvance(word) + 2 * PAD, metrics.height() + PAD)
        box.moveCenter(QPointF(self.area.center().x(), self.area.top() + PAD + box.height() / 2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(*COLOURS[theme.dark]))
        painter.drawRoundedRect(box, 4, 4)
        painter.setFont(font)
        painter.setPen(QColor(*theme.background))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, word)
        painter.setBrush(Qt.BrushStyle.NoBrush)


class LessonLayer:
    """The guess over the picture of a lane."""

    def __init__(self) -> None:
        self.laid: GuessOverlay | None = None
        self._made_of: tuple[object, ...] = ()

    def lay(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont, hovering: bool) -> list[QRect]:
        """Lay it out for `area`, which shows `grid`; returns what must be painted anew."""
        lesson = scene.feature(LessonScene)
        covered = lesson is not None and lane.slot in lesson.covered
        if lesson is None or lane.slot not in lesson.drawn_on:
            made_of: tuple[object, ...] = ()
        else:
            made_of = (lesson.lines, lesson.pair, lesson.taken, covered, grid, area, font.pixelSize(), font.pointSize())
        if made_of == self._made_of:
            return []
        self._made_of = made_of
        if not made_of or lesson is None:
            self.laid = None
        else:
            box = (grid.left, grid.right, grid.bottom, grid.top)
            drawn = [line for line in lesson.lines if len(line) > 1]
            self.laid = GuessOverlay(
                tuple(to_pixels(np.array(line), grid, area) for line in drawn),
                tuple(to_pixels(read(line, box), grid, area) for line in drawn),
                tuple((x, y) for x, y in _pixels(lesson.pair, grid, area)),
                tuple((x, y) for x, y in _pixels(lesson.taken, grid, area)),
                WORD if covered else "",
                area,
                font,
            )
        return [area.toAlignedRect()]


def _pixels(places: tuple[tuple[float, float], ...], grid: Grid, area: QRectF) -> list[list[float]]:
    found: list[list[float]] = to_pixels(np.array(places).reshape(-1, 2), grid, area).tolist()
    return found
