"""Wipe: another lane's picture over the right part of a plot, with a grip that moves the edge between the two."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.controllers.controller import Controller
from app.scene.model import LaneScene, Scene
from app.views.plot.canvas import Canvas
from app.views.plot.layers import Layers
from app.views.plot.overlays import LaneOverlays
from app.views.theme import Theme
from app.views.widgets.inputs import describe
from app.views.widgets.painting import bold, paint_with, painter_on, saved
from solver import Grid

from .controller import DifferenceController
from .scene import Wipe

#: Diameter of the grip (pixels), and its step for an arrow key (share of the width).
GRIP = 28  # pixels
STEP = 0.02  # of the width, for the arrow keys


class _RightPart(Layers):
    """Layers that are visible only to the right of an edge."""

    def __init__(self) -> None:
        super().__init__()
        self.edge = 0.0
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsToShape)
        self.setZValue(1)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if self._picture is None and self._theme is not None:  # hide the picture below, too
            painter.fillRect(self.boundingRect(), QColor(*self._theme.background))
        super().paint(painter, option, widget)

    def shape(self) -> QPainterPath:
        whole, path = self.boundingRect(), QPainterPath()
        path.addRect(whole.adjusted(max(self.edge - whole.left(), 0.0), 0, 0, 0))
        return path


class WipeCover:
    """The other picture, while the wipe is on.

    Parameters
    ----------
    controller : Controller
    canvas : Canvas

    Attributes
    ----------
    over : tuple of (LaneOverlays, LaneScene) or None
        The overlays of the other picture, and its lane.
    """

    def __init__(self, controller: Controller, canvas: Canvas) -> None:
        self._canvas, self._controller = canvas, controller
        self._made: tuple[_RightPart, _Grip] | None = None
        self._overlays = LaneOverlays(canvas.features)
        self._wipe: Wipe | None = None
        self._theme: Theme | None = None

    @property
    def over(self) -> tuple[LaneOverlays, LaneScene] | None:
        return None if self._wipe is None else (self._overlays, self._wipe.other)

    def _make(self) -> tuple[_RightPart, _Grip]:
        nudge = self._controller.feature(DifferenceController).move_wipe
        layers, grip = _RightPart(), _Grip(self._canvas, self._move, nudge)
        QWidget.setTabOrder(self._canvas, grip)
        self._canvas.plot.box.addItem(layers, ignoreBounds=True)
        return layers, grip

    def _move(self, x: float) -> None:
        area = self._canvas.plot_area()
        self._controller.feature(DifferenceController).wipe((x - area.left()) / area.width())

    def render_scene(self, scene: Scene, lane: LaneScene, theme: Theme, changed: bool) -> bool:
        """Show the other picture, or nothing; return whether the canvas must be repainted."""
        wipe = scene.feature(Wipe)
        wipe = wipe if wipe is not None and scene.lanes[wipe.indices[0]].slot == lane.slot else None
        if wipe == self._wipe and (wipe is None or not changed):
            return False
        self._wipe, self._theme = wipe, theme
        layers, grip = self._made = self._made or self._make()
        layers.setVisible(wipe is not None)
        grip.setVisible(wipe is not None)
        if wipe is not None:
            other = wipe.other
            layers.show_lane(other, theme, scene.session.points_away)
            layers.show_points(scene, other.marks, scene.selected, other.run_marks)
            self.show_view(self._canvas.grid(), self._canvas.plot_area())
            grip.show_theme(theme)
        return True

    def show_view(self, grid: Grid, area: QRectF) -> None:
        """Follow the displayed part of the plane, and its rectangle on the canvas."""
        if self._wipe is not None and self._made is not None:
            layers, grip = self._made
            layers.edge = grid.left + self._wipe.at * (grid.right - grid.left)
            layers.show_view(grid)
            x = area.left() + self._wipe.at * area.width() - GRIP / 2
            x = min(max(x, area.left()), area.right() - GRIP)
            grip.move(round(x), round(area.bottom() - GRIP - 6))

    def paint(self, painter: QPainter, area: QRectF, own: LaneOverlays, rect: QRectF) -> None:
        """Paint the overlays of both pictures, `own` over the left part; the edge, and the lanes' numbers beside it."""
        if self._wipe is None or self._theme is None:
            return
        x = area.left() + self._wipe.at * area.width()
        for over, left, right in ((own, area.left(), x), (self._overlays, x, area.right())):
            with saved(painter):
                painter.setClipRect(
                    QRectF(left, area.top(), right - left, area.height()), Qt.ClipOperation.IntersectClip
                )
                over.paint(painter, self._theme, rect)
        accent, background = QColor(*self._theme.accent), QColor(*self._theme.background)
        for pen in (QPen(background, 4.0), QPen(accent, 2.0)):
            painter.setPen(pen)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setFont(bold(painter.font()))
        side = painter.fontMetrics().height() + 6.0
        for index, beside in zip(self._wipe.indices, (x - side - 4, x + 4), strict=True):
            left = min(max(beside, area.left() + 2), area.right() - side - 2)  # both stay readable at the sides
            box = QRectF(left, area.top() + 6 + (0 if left in (x - side - 4, x + 4) else side + 4), side, side)
            paint_with(painter, Qt.PenStyle.NoPen, accent)
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(background)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(index + 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)


class _Grip(QWidget):
    """The handle that the pointer drags; the arrow keys move it, too."""

    def __init__(self, canvas: QWidget, moved: Callable[[float], None], nudged: Callable[[float], None]) -> None:
        super().__init__(canvas)
        self._moved, self._nudged = moved, nudged
        self._theme: Theme | None = None
        self._held = 0.0
        name = canvas.objectName()
        describe(self, f"{name}.wipe", "Edge between the two pictures", "Drag it, or use the arrow keys.")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFixedSize(GRIP, GRIP)

    def show_theme(self, theme: Theme) -> None:
        """Use the colours of `theme`."""
        if theme is not self._theme:
            self._theme = theme
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = event.position().x() - GRIP / 2

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self.isVisible():
            self._moved(self.x() + event.position().x() - self._held)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        way = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if way is None:
            super().keyPressEvent(event)
        else:
            self._nudged(way * STEP)  # relative to the present edge, which may not be drawn yet

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._theme is None:
            return
        with painter_on(self, smooth=True) as painter:
            width = 3.0 if self.hasFocus() else 1.5
            paint_with(painter, QPen(QColor(*self._theme.background), width), QColor(*self._theme.accent))
            painter.drawEllipse(QRectF(self.rect()).adjusted(2, 2, -2, -2))
            middle, pen = GRIP / 2, QPen(QColor(*self._theme.background), 2.0)
            painter.setPen(pen)
            for way in (-1, 1):
                tip = middle + way * 8
                for dy in (-4, 4):
                    painter.drawLine(QPointF(tip, middle), QPointF(tip - way * 4, middle + dy))
