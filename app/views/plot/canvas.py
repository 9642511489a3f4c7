"""Canvas: one lane's plot.  It draws a scene, and turns what the pointer does into calls of a `Hand`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)  # fmt: skip
from PySide6.QtWidgets import QFrame, QGestureEvent, QGraphicsView, QLabel, QPinchGesture, QWidget

from app.scene import LaneScene, Scene, grid_of
from app.tools import Spot
from app.views.theme import Theme
from solver import Grid

from .axes import size_axes
from .layers import Layers

#: Zoom of one notch of the wheel.
NOTCH = 1.2
_DIRECT = {
    QEvent.Type.MouseButtonPress: "mousePressEvent",
    QEvent.Type.MouseButtonRelease: "mouseReleaseEvent",
    QEvent.Type.MouseMove: "mouseMoveEvent",
    QEvent.Type.MouseButtonDblClick: "mouseDoubleClickEvent",
    QEvent.Type.Wheel: "wheelEvent",
}


class Hand(Protocol):
    """What a canvas asks for; lanes are told apart by their index."""

    def press(self, spot: Spot) -> None: ...
    def drag(self, spot: Spot) -> None: ...
    def release(self, spot: Spot) -> None: ...
    def remove(self, spot: Spot) -> None: ...
    def zoom(self, factor: float, spot: Spot) -> None: ...
    def pan(self, dx: float, dy: float) -> None: ...
    def hover(self, spot: Spot | None) -> None: ...
    def toggle_pause(self) -> None: ...


class Canvas(pg.PlotWidget):
    """The plot of one lane.

    Parameters
    ----------
    index : int
        The lane.
    hand : Hand
    resized : callable
        Called after the plot's size in pixels has changed.
    """

    def __init__(self, index: int, hand: Hand, resized: Callable[[], None]) -> None:
        super().__init__()
        self._hand = hand
        self._resized = resized
        self._scene: Scene | None = None
        self._lane: LaneScene | None = None
        self._theme: Theme | None = None
        self._axis_names = ("", "")
        self._pan_from: QPointF | None = None
        self._space = False
        self._space_used = False
        self._focus_shown = False  # the keyboard brought it here
        self._pointer: QPointF | None = None
        #: Job of the newest picture that has really been painted.
        self.painted_job = 0
        #: True while something was rendered that has not been painted.
        self.unpainted = False
        self._to_paint = 0
        self.on_painted: Callable[[int], None] = lambda job: None
        self.setObjectName(f"canvas{index}")
        self.setAccessibleName(f"Picture {index + 1}")
        self.setAccessibleDescription("The points, and how the classifier above divides the plane.")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.CrossCursor)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.grabGesture(Qt.GestureType.PinchGesture)
        self.setMinimumSize(200, 160)
        self._build()
        self._message = QLabel(self)
        self._message.setObjectName(f"lane{index}.message")
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._message.hide()

    def _build(self) -> None:
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.layout.setContentsMargins(0, 0, 0, 0)
        item.layout.setSpacing(0)
        box = item.getViewBox()
        box.setMouseEnabled(False, False)
        box.disableAutoRange()
        box.setDefaultPadding(0.0)
        self._layers = Layers()
        box.addItem(self._layers, ignoreBounds=True)

    # -- drawing ---------------------------------------------------------------------------------------------------

    @property
    def layers(self) -> Layers:
        """What is drawn inside the axes."""
        return self._layers

    def render_scene(self, scene: Scene, lane: LaneScene, theme: Theme) -> None:
        """Draw `scene`; what has not changed since the last one is left alone."""
        old, old_lane = self._scene, self._lane
        self._scene, self._lane = scene, lane
        dressed = theme is not self._theme
        moved = old is None or old.view != scene.view
        repainted = old_lane is None or old_lane.picture is not lane.picture
        same_points = old is not None and old.xy is scene.xy and old.labels is scene.labels
        marked = not same_points or old_lane is None or old_lane.marks is not lane.marks
        if dressed:
            self._dress(theme)
        if moved:
            self._show_view()
        if repainted:
            self._layers.show_picture(lane.picture)
        if marked:
            self._layers.show_points(scene, lane.marks)
        if old_lane is None or old_lane.message != lane.message:
            self._message.setText(lane.message)
            self._message.setVisible(bool(lane.message))
            self._place_message()
        # The other lane's news are no reason to paint this one: painting is most of the window's work in a drag.
        if dressed or moved or repainted or marked or self._to_paint != lane.job:
            self._to_paint = lane.job
            self.unpainted = True
            self.viewport().update()

    def _dress(self, theme: Theme) -> None:
        self._theme = theme
        self.setBackground(theme.window)
        self.getPlotItem().getViewBox().setBackgroundColor(theme.background)
        for name in ("left", "bottom"):
            axis = self.getPlotItem().getAxis(name)
            axis.setPen(theme.faint)
            axis.setTextPen(theme.ink)
            axis.setStyle(tickLength=4)
            axis.setZValue(-1)  # its line must not tint the outermost pixels of the picture
        self._size_axes()
        self._layers.show_theme(theme)
        background = "rgba(32,32,32,225)" if theme.dark else "rgba(255,255,255,225)"
        self._message.setStyleSheet(f"background: {background}; border-radius: 8px; padding: 12px;")

    def _size_axes(self) -> None:
        area = self.plot_area()
        room = (round(area.width()), round(area.height()))
        size_axes(self.getPlotItem(), self.font(), self._axis_names, room)

    def _show_axis_names(self, names: tuple[str, str]) -> None:
        """Name the horizontal and the vertical axis; "" for no name."""
        if names != self._axis_names:
            self._axis_names = names
            self._size_axes()
            self.lay_out()

    def _show_view(self) -> None:
        if self._scene is None:
            return
        grid = self.grid()
        self.getPlotItem().getViewBox().setRange(
            xRange=(grid.left, grid.right), yRange=(grid.bottom, grid.top), padding=0, disableAutoRange=True
        )
        self._layers.show_view(grid)

    def _place_message(self) -> None:
        if not self._message.isHidden():
            area = self.plot_area()
            width = min(int(area.width()) - 24, 420)
            self._message.setFixedWidth(max(width, 80))
            self._message.adjustSize()
            middle = area.center().y() - self._message.height() / 2
            # Where there are points, out of their way.
            crowded = self._scene is not None and len(self._scene.xy) > 0
            y = area.bottom() - self._message.height() - 12 if crowded else middle
            at = QPointF(area.center().x() - self._message.width() / 2, y)
            self._message.move(at.toPoint())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._focus_shown:
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self.palette().highlight().color(), 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
            painter.end()
        self.unpainted = False
        if self._to_paint != self.painted_job:
            self.painted_job = self._to_paint
            self.on_painted(self.painted_job)

    # -- geometry --------------------------------------------------------------------------------------------------

    def plot_area(self) -> QRectF:
        """The rectangle of the plot proper, inside the axes, in the canvas's pixels."""
        # pyqtgraph keeps scene and widget in the same pixels.  (The box's bounding rectangle is half a pixel larger.)
        box = self.getPlotItem().getViewBox()
        area: QRectF = box.mapRectToScene(box.rect())
        return area

    def grid(self) -> Grid:
        """One sample for each device pixel of the plot, over the part of the plane it shows."""
        assert self._scene is not None
        return self.grid_for(self._scene)

    def grid_for(self, scene: Scene) -> Grid:
        """The grid of `scene`'s view on this canvas."""
        width, height = self.plot_size()
        return grid_of(scene.view, width, height, self.devicePixelRatioF())

    def plot_size(self) -> tuple[int, int]:
        """Width and height of the plot proper in pixels."""
        area = self.plot_area()
        return max(1, round(area.width())), max(1, round(area.height()))

    def to_widget(self, x: float, y: float) -> QPoint:
        """The canvas's pixel that shows (x, y)."""
        area, grid = self.plot_area(), self.grid()
        px = area.left() + (x - grid.left) / (grid.right - grid.left) * area.width()
        py = area.bottom() - (y - grid.bottom) / (grid.top - grid.bottom) * area.height()
        return QPoint(int(np.floor(px)), int(np.floor(py)))

    def _spot(self, position: QPointF) -> Spot:
        area, grid = self.plot_area(), self.grid()
        unit = (grid.right - grid.left) / area.width()
        # The event names a pixel by its corner; what the eye clicks on is the middle of the pixel.
        x = grid.left + (position.x() + 0.5 - area.left()) * unit
        y = grid.bottom + (area.bottom() - position.y() - 0.5) * unit
        return Spot(x, y, unit)

    # -- the hand --------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if event.button() == Qt.MouseButton.MiddleButton or self._space:
            self._pan_from = position
            self._space_used = True
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            if self.plot_area().contains(position):
                self._hand.press(self._spot(position))
        elif event.button() == Qt.MouseButton.RightButton:
            self._hand.remove(self._spot(position))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = self._pointer = event.position()
        spot = self._spot(position)
        if self._pan_from is not None:
            moved = position - self._pan_from
            self._pan_from = position
            self._hand.pan(-moved.x() * spot.unit, moved.y() * spot.unit)
        elif event.buttons() & Qt.MouseButton.LeftButton:
            self._hand.drag(spot)
        self._hand.hover(spot)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pan_from is not None:
            self._pan_from = None
            self.viewport().setCursor(Qt.CursorShape.CrossCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._hand.release(self._spot(event.position()))
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)  # two quick clicks are two points

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y() / 120.0
        if notches:
            self._hand.zoom(NOTCH**-notches, self._spot(event.position()))
        event.accept()

    def event(self, event: QEvent) -> bool:
        # A scroll area hears the pointer through its viewport only; events sent to the canvas itself count as well.
        name = _DIRECT.get(event.type())
        if name is not None:
            getattr(self, name)(event)
            return True
        if isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture) and pinch.scaleFactor() > 0:
                at = QPointF(self.mapFromGlobal(pinch.centerPoint().toPoint()))
                self._hand.zoom(1.0 / pinch.scaleFactor(), self._spot(at))
                event.accept(pinch)
                return True
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self._hand.zoom(1.0 / max(0.2, 1.0 + event.value()), self._spot(event.position()))
            return True
        handled: bool = super().event(event)
        return handled

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._space, self._space_used = True, False
                self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
            event.accept()
        else:
            QWidget.keyPressEvent(self, event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat() and self._space:
                self._space = False
                self.viewport().setCursor(Qt.CursorShape.CrossCursor)
                if not self._space_used:
                    self._hand.toggle_pause()
            event.accept()
        else:
            QWidget.keyReleaseEvent(self, event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_focus(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._space = False
        super().focusOutEvent(event)
        self._show_focus(False)

    def _show_focus(self, shown: bool) -> None:
        if shown != self._focus_shown:
            self._focus_shown = shown
            self.viewport().update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._pointer = event.position()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self._hand.hover(None)

    def pointer_spot(self) -> Spot | None:
        """Where the pointer is, when it is over this canvas."""
        return None if self._pointer is None or self._scene is None else self._spot(self._pointer)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_message"):
            if any(self._axis_names):  # long names are shortened to the new room
                self.getPlotItem().layout.activate()
                self._size_axes()
            self.lay_out()

    def lay_out(self) -> None:
        """Fit everything into the present size."""
        # The layout must have its final size before the view is fitted into it.
        self.getPlotItem().layout.activate()
        self._show_view()
        self._place_message()
        self._resized()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._theme is not None:
            self._size_axes()
            self.lay_out()
