"""PenLayer: lies over a picture in presenter mode, and paints spotlight and pen."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.state.session import PenStroke, Presenting
from app.tools import PointerPosition
from app.views.plot.canvas import Canvas
from app.views.theme import Theme
from app.views.widgets.painting import painter_on

#: Radius of the spotlight's disc, as a share of the picture's shorter side; opacity of the dark around it (of 255).
DISC, DARK = 1 / 5, 190
#: Width of the pen's line, as a share of the picture's height; its two colours in light and dark theme, unlike those of
#: the classes.
PEN, INKS = 1 / 120, (((205, 0, 60), (255, 90, 140)), ((20, 20, 245), (120, 255, 80)))
#: Reach of the eraser, in widths of the line.
REACH = 1.5


class PenLayer(QWidget):
    """The layer over the picture of lane `index`.

    Parameters
    ----------
    index : int
    canvas : Canvas
    controller : Controller
    """

    def __init__(self, index: int, canvas: Canvas, controller: Controller) -> None:
        super().__init__(canvas)
        self._index, self._canvas, self._controller = index, canvas, controller
        self._state = Presenting()
        self._strokes: tuple[PenStroke, ...] = ()
        self._painted: tuple[object, ...] = ()
        self._location: PointerPosition | None = None
        self._drawing = False
        self._dark = False
        self.setObjectName(f"glass{index}")
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def render_scene(self, scene: Scene, presenting: Presenting, theme: Theme) -> None:
        """Show the lines and the spotlight of this picture."""
        area = self._canvas.plot_area().toAlignedRect()
        if self.geometry() != area:
            self.setGeometry(area)
        self._state = presenting
        slot = scene.lanes[self._index].slot
        self._strokes = tuple(stroke for stroke in presenting.strokes if stroke.slot == slot)
        self._dark = theme.dark
        if not presenting.pen:
            self._drawing = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not presenting.pen)
        inputs = (self._strokes, presenting.spotlight, scene.document.view, theme.dark)
        if inputs != self._painted:
            self._painted = inputs
            self.update()
        self.show()
        self.raise_()

    def aim(self, location: PointerPosition) -> None:
        """Move the spotlight to this location."""
        before = self._disc()
        self._location = location
        if self._state.spotlight:
            for disc in (before, self._disc()):
                self.update(self.rect() if disc is None else _bounds(disc))

    # -- drawing ---------------------------------------------------------------------------------------------------

    def _pixel(self, x: float, y: float) -> QPointF:
        """Return the pixel that shows (x, y)."""
        grid = self._canvas.grid()
        return QPointF(
            (x - grid.left) / (grid.right - grid.left) * self.width(),
            (grid.top - y) / (grid.top - grid.bottom) * self.height(),
        )

    def _disc(self) -> tuple[QPointF, float] | None:
        if self._location is None:
            return None
        return self._pixel(self._location.x, self._location.y), DISC * min(self.width(), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self, smooth=True) as painter:
            if self._state.spotlight:
                self._paint_dark(painter, QRectF(event.rect()))
            pen = QPen(QColor(), self._pen_width())
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            for stroke in self._strokes:
                pen.setColor(QColor(*INKS[stroke.ink][self._dark]))
                painter.setPen(pen)
                corners = [self._pixel(*corner) for corner in stroke.xy]
                painter.drawPolyline(QPolygonF(corners if len(corners) > 1 else corners * 2))

    def _pen_width(self) -> float:
        return max(3.0, PEN * self.height())

    def _paint_dark(self, painter: QPainter, rect: QRectF) -> None:
        dark = QPainterPath()
        dark.addRect(rect)
        if (disc := self._disc()) is not None:
            light = QPainterPath()
            light.addEllipse(disc[0], disc[1], disc[1])
            dark = dark.subtracted(light)
        painter.fillPath(dark, QColor(0, 0, 0, DARK))

    # -- the pen ---------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._drawing = True
            pointer = self._pointer(event)
            if self._state.erasing:
                self._erase(pointer)
            else:
                self._controller.presenting.begin(self._index, pointer.x, pointer.y)
        else:
            event.ignore()  # left to the picture: the view can still be moved

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pointer = self._pointer(event)
        self._controller.editing.hover(pointer)
        if self._drawing and event.buttons() & Qt.MouseButton.LeftButton:
            if self._state.erasing:
                self._erase(pointer)
            else:
                self._controller.presenting.go_on(pointer.x, pointer.y)
        else:
            self._drawing = False
            event.ignore()

    def _erase(self, pointer: PointerPosition) -> None:
        """Remove the lines at the pointer."""
        reach = REACH * self._pen_width() * self._canvas.unit()
        self._controller.presenting.erase(self._index, pointer.x, pointer.y, reach)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drawing and event.button() == Qt.MouseButton.LeftButton:
            self._drawing = False
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        self._controller.editing.hover(None)

    def _pointer(self, event: QMouseEvent) -> PointerPosition:
        return self._canvas.pointer_at(event.position() + QPointF(self.pos()))


class PenLayers:
    """The layers over the pictures of one window, while these are shown to an audience.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._glasses: list[PenLayer] = []

    def render_scene(self, scene: Scene, canvases: Sequence[Canvas], theme: Theme) -> None:
        """Show the lines over the first `scene.shown` of these pictures, or remove all layers."""
        presenting = scene.session.presenting
        if presenting is None:
            for glass in self._glasses:
                glass.hide()
                glass.deleteLater()
            self._glasses.clear()
            return
        while len(self._glasses) < scene.shown:
            index = len(self._glasses)
            self._glasses.append(PenLayer(index, canvases[index], self._controller))
        for glass in self._glasses[: scene.shown]:
            glass.render_scene(scene, presenting, theme)

    def aim(self, pointer: PointerPosition | None) -> None:
        """Move the spotlight to the pointer; without one it stays."""
        if pointer is not None:
            for glass in self._glasses:
                glass.aim(pointer)


def _bounds(disc: tuple[QPointF, float]) -> QRect:
    at, radius = disc
    reach = math.ceil(radius) + 2
    return QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach).toAlignedRect()
