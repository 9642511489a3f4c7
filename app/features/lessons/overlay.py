"""Guess overlay: what is drawn or picked for a prediction, over the picture; and a word on a cover."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.scene.model import LaneScene, Scene
from app.views.plot.lines import to_pixels
from app.views.plot.overlays import LaidLayer
from app.views.theme import Theme
from app.views.widgets.painting import bold
from solver import Grid
from solver.core.arrays import Array

from .phrases import say
from .scene import LessonScene, read
from .state import Line

#: Colours of a guess in the light and the dark theme: unlike any class, line of a model or mark.
COLOURS = ((205, 0, 110), (255, 110, 190))
#: Width of a line drawn by hand, and of its continuation to the edge; radius of the ring round a picked point (pixels).
WIDTH, ON, RING = 3.0, 1.5, 15.0
#: Space around it (pixels).
PAD = 6.0


class GuessOverlay(Struct, frozen=True, eq=False):
    """The contents of the overlay, in the canvas's pixels.

    Attributes
    ----------
    lines, on : list of list of QPointF
        Lines as drawn, and as continued.
    picked, taken : list of QPointF
        Points of the picked pair, and of the rule's.
    word : str
        Word on the cover.
    area : QRectF
    font : QFont
    """

    lines: list[list[QPointF]]
    on: list[list[QPointF]]
    picked: list[QPointF]
    taken: list[QPointF]
    word: str
    area: QRectF
    font: QFont

    def paint(self, painter: QPainter, theme: Theme, within: QRectF) -> None:
        """Draw the guess; each line over one of the background's colour, so that it is visible on every surface."""
        colour, background = QColor(*COLOURS[theme.dark]), QColor(*theme.background, 220)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for lines, width, style in ((self.on, ON, Qt.PenStyle.DashLine), (self.lines, WIDTH, Qt.PenStyle.SolidLine)):
            for pen in (QPen(background, width + 2.5), QPen(colour, width, style)):
                pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
                painter.setPen(pen)
                for line in lines:
                    painter.drawPolyline(line)
        for points, radius, pen in (
            (self.taken, RING + 4.0, QPen(QColor(*theme.ink), 2.0, Qt.PenStyle.DashLine)),
            (self.picked, RING, QPen(colour, WIDTH)),
        ):
            for point in points:
                for each in (QPen(background, pen.widthF() + 2.5), pen):
                    painter.setPen(each)
                    painter.drawEllipse(point, radius, radius)
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


class LessonLayer(LaidLayer[GuessOverlay]):
    """The guess over the picture of a lane."""

    def lay(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont, hovering: bool) -> list[QRect]:
        """Lay the overlay out for `area`, which shows `grid`; return the rectangles to repaint."""
        lesson = scene.feature(LessonScene)
        if lesson is None or lane.slot not in lesson.drawn_on:
            return [area.toAlignedRect()] * self.renew(None, lambda: None)
        word = say(lesson.lesson.language, "covered") if lane.slot in lesson.covered else ""
        lines, box = lesson.now.state.guess.lines, (grid.left, grid.right, grid.bottom, grid.top)
        drawn = [line for line in lines if len(line) > 1]
        anew = self.renew(
            (lines, lesson.pair, lesson.taken, word, grid, area, font.pixelSize(), font.pointSize()),
            lambda: GuessOverlay(
                [_on_screen(line, grid, area) for line in drawn],
                [_on_screen(read(line, box, scene.document.view.ratio), grid, area) for line in drawn],
                _on_screen(lesson.pair, grid, area),
                _on_screen(lesson.taken, grid, area),
                word,
                area,
                font,
            ),
        )
        return [area.toAlignedRect()] * anew


def _on_screen(xy: Line | Array, grid: Grid, area: QRectF) -> list[QPointF]:
    return [QPointF(x, y) for x, y in to_pixels(np.reshape(xy, (-1, 2)), grid, area).tolist()]
