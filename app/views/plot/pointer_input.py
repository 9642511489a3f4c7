"""Pointer input: turn mouse, touch and key events on a plot into calls of the controllers."""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QGuiApplication,
    QInputDevice,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPaintEvent,
    QTouchEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.controllers.controller import Controller
from app.controllers.editing import STEPS, Editing
from app.scene.model import grid_of
from app.state.document import View
from app.tools import CLICK_PIXELS, COARSE_PIXELS, NO_KEYS, Keys, PointerPosition
from solver import Grid

from .axes import PlotBox

#: Zoom factor of one notch of the wheel.
NOTCH = 1.2
#: Time between two repeats while a press is held (ms).
HOLD_TURN = 40
#: Time after which lifting a finger that has not moved opens a menu (ms), like a right click.
LONG_PRESS = 600
_DIRECT = {
    QEvent.Type.MouseButtonPress: "mousePressEvent",
    QEvent.Type.MouseButtonRelease: "mouseReleaseEvent",
    QEvent.Type.MouseMove: "mouseMoveEvent",
    QEvent.Type.MouseButtonDblClick: "mouseDoubleClickEvent",
    QEvent.Type.Wheel: "wheelEvent",
}
_ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}


class PointingPlot(pg.GraphicsView):
    """A plot that passes on the user's actions.

    Parameters
    ----------
    editing : Editing
        Controller of what the pointer does among the points.
    eye : Controller
        Controller of the view and of pausing the training.
    """

    def __init__(self, editing: Editing, eye: Controller) -> None:
        super().__init__()
        self.plot = PlotBox()
        self.setCentralItem(self.plot)
        self._area: QRectF | None = None
        self.plot.box.geometryChanged.connect(self._forget_area)
        self._editing = editing
        self._eye = eye
        self._pan_from: QPointF | None = None
        self._space = False
        self._space_used = False
        #: Location of the pointer in the widget (pixels) while it is over it.
        self.pointer: QPointF | None = None
        #: The same in the window's pixels: a new layout moves this widget below a mouse that does not move.
        self._in_window = QPointF()
        self._on_point = False  # a click would select the point under the pointer
        self._stroke: QPointF | None = None  # location of the present press
        self._repeated = True  # the effect of the last arrow key has been painted
        self._fingers = 0  # largest number of fingers since the first touched
        self._pinched = (QPointF(), QPointF())  # midpoint of two fingers, and the vector between them
        self._tapped = (0, QPointF())  # time (ms) and location of the last press of a finger
        self._stays = False  # that finger has not moved since
        #: ``open_menu(pointer, at)`` opens a context menu at a location on the screen; without `pointer` the picture's.
        self.open_menu: Callable[[PointerPosition | None, QPoint], None] = lambda pointer, at: None
        self._holding = QTimer(self)
        self._holding.timeout.connect(self._hold)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self._show_cursor()
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_AcceptTouchEvents)

    # -- geometry -------------------------------------------------------------------------------------------------

    def plot_area(self) -> QRectF:
        """Return the rectangle of the plot inside the axes, in the canvas's pixels."""
        # Cached: each call of Qt releases the interpreter lock, and regaining it may take a millisecond during
        # training.
        if self._area is None:
            # In pyqtgraph, scene and widget share their pixels.  (The bounds of the box are half a pixel larger.)
            box = self.plot.box
            self._area = box.mapRectToScene(box.rect())
        return self._area

    def _forget_area(self) -> None:
        self._area = None

    def grid_for(self, view: View) -> Grid:
        """Return the grid of `view` on this canvas."""
        width, height = self.plot_size()
        return grid_of(view, width, height, self.devicePixelRatioF())

    def plot_size(self) -> tuple[int, int]:
        """Return width and height of the plot inside the axes (pixels)."""
        area = self.plot_area()
        return max(1, round(area.width())), max(1, round(area.height()))

    def unit(self) -> float:
        """Return the width of a pixel in the plane."""
        grid = self.grid_for(self._eye.view)
        return (grid.right - grid.left) / self.plot_area().width()

    def inside(self, position: QPointF) -> bool:
        return self.plot_area().contains(position)

    def nearest_inside(self, position: QPointF) -> QPointF:
        area = self.plot_area()
        return QPointF(
            min(max(position.x(), area.left()), area.right() - 1), min(max(position.y(), area.top()), area.bottom() - 1)
        )

    # -- for the plot ----------------------------------------------------------------------------------------------

    def pointer_at(self, position: QPointF) -> PointerPosition:
        """Return the location in the plane of a position in the widget."""
        raise NotImplementedError

    def position_of(self, x: float, y: float) -> QPointF:
        """Return the position in the widget of a location in the plane."""
        raise NotImplementedError

    def pointer_moved(self) -> None:
        """Update what is drawn around the pointer after it has moved."""

    def _show_cursor(self) -> None:
        """Set the pointer shape that indicates what a press does."""
        shape = Qt.CursorShape.ArrowCursor if self._on_point else Qt.CursorShape.CrossCursor
        if self._pan_from is not None:
            shape = Qt.CursorShape.ClosedHandCursor
        elif self._space:
            shape = Qt.CursorShape.OpenHandCursor
        if self.viewport().cursor().shape() is not shape:
            self.viewport().setCursor(shape)

    # -- mouse -----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if event.button() == Qt.MouseButton.MiddleButton or self._space:
            self._end_stroke()
            self._pan_from = position
            self._space_used = True
            self._show_cursor()
        elif event.button() == Qt.MouseButton.LeftButton:
            self._press(position, _keys(event))
        elif event.button() == Qt.MouseButton.RightButton:
            self._right_click(position)
        event.accept()

    def _right_click(self, position: QPointF) -> None:
        """Open a menu, or let the tool act instead; do nothing during a stroke."""
        if self._stroke is None and not self._editing.right_click(self.pointer_at(position)):
            self._open_menu_at(position)

    def _open_menu_at(self, position: QPointF, reach: float = 0.0) -> None:
        self.open_menu(self._pointer_at(position, reach), self.mapToGlobal(position).toPoint())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            self._menu_by_key()
        elif event.reason() is not QContextMenuEvent.Reason.Mouse:  # the press of the mouse has already opened it
            self._right_click(event.pos().toPointF())
        event.accept()

    def _menu_by_key(self) -> None:
        """Open the menu of the keyboard cursor, of a selected point or of the pointer, else of the picture."""
        pointer = self._editing.menu_location(
            None if self.pointer is None else self.pointer_at(self.pointer), self.unit()
        )
        position = self.rect().center().toPointF() if pointer is None else self.position_of(pointer.x, pointer.y)
        self.open_menu(pointer, self.mapToGlobal(self.nearest_inside(position)).toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        self._place_pointer(position)
        if self._pan_from is not None:
            self._pan_by(position - self._pan_from)
            self._pan_from = position
        elif event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(position)
        else:
            self._end_stroke()  # its release went to another widget
        self._editing.hover(self.pointer_at(position))
        self.pointer_moved()
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._stroke is not None:
            self._drag(event.position())
            self._end_stroke()
        elif self._pan_from is not None:
            self._pan_from = None
            self._show_cursor()
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)  # it may start a drag

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y() / 120.0
        if notches:
            self._eye.zoom(NOTCH**-notches, self.pointer_at(event.position()))
        event.accept()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._place_pointer(event.position())
        self.pointer_moved()

    def _place_pointer(self, position: QPointF) -> None:
        self.pointer, self._in_window = position, self.viewport().mapTo(self.window(), position)

    def follow_layout(self) -> None:
        """Update what is below the pointer after the layout or the view has changed, as if it had moved there."""
        if self.pointer is None or self._stroke is not None or self._pan_from is not None:
            return
        position = self.viewport().mapFrom(self.window(), self._in_window)
        self.pointer = position if self.rect().contains(position.toPoint()) else None
        self._editing.hover(None if self.pointer is None else self.pointer_at(self.pointer))
        self.pointer_moved()

    def leaveEvent(self, event: QEvent) -> None:
        self.pointer = None
        self._editing.hover(None)
        self.pointer_moved()

    def _press(self, position: QPointF, keys: Keys = NO_KEYS, reach: float = 0.0) -> None:
        if self.inside(position):
            self._stroke = position
            self._editing.press(self._pointer_at(position, reach), keys)
            if self._editing.holds_after:
                self._holding.start(self._editing.holds_after)

    def _pointer_at(self, position: QPointF, reach: float) -> PointerPosition:
        """Return the pointer location for a position in the widget; points within `reach` pixels count as hit."""
        pointer = self.pointer_at(position)
        return replace(pointer, reach=max(pointer.reach, reach))

    def _drag(self, position: QPointF) -> None:
        if self._stroke is not None:
            self._stroke = self.nearest_inside(position)  # nothing happens outside the visible part
            self._editing.drag(self.pointer_at(self._stroke))

    def _end_stroke(self) -> None:
        """End the stroke of the mouse or a finger where it is; do nothing if there is none."""
        self._holding.stop()
        stroke, self._stroke = self._stroke, None
        if stroke is not None:
            self._editing.release(self.pointer_at(stroke))

    def _hold(self) -> None:
        self._holding.setInterval(HOLD_TURN)
        self._editing.hold()

    def _pan_by(self, moved: QPointF) -> None:
        unit = self.unit()
        self._eye.pan(-moved.x() * unit, moved.y() * unit * self._eye.view.ratio)

    def event(self, event: QEvent) -> bool:
        # A scroll area receives pointer events through its viewport only; handle those sent to the canvas itself as
        # well.
        name = _DIRECT.get(event.type())
        if name is not None:
            getattr(self, name)(event)
            return True
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self._eye.zoom(1.0 / max(0.2, 1.0 + event.value()), self.pointer_at(event.position()))
            return True
        return bool(super().event(event))

    # -- touch -----------------------------------------------------------------------------------------------------

    def viewportEvent(self, event: QEvent) -> bool:
        # Fingers on a touch pad move the pointer; only those on a touch screen touch the picture.
        if isinstance(event, QTouchEvent) and event.device().type() == QInputDevice.DeviceType.TouchScreen:
            self._touch(event)
            event.accept()
            return True
        return bool(super().viewportEvent(event))

    def _touch(self, event: QTouchEvent) -> None:
        """Treat one finger as the mouse; two pinch and pan, which undoes what the first had started."""
        points = event.points()
        if event.type() is QEvent.Type.TouchBegin:
            self._fingers = 0
        before, self._fingers = self._fingers, max(self._fingers, len(points))
        if event.type() is QEvent.Type.TouchCancel or self._fingers > 1 >= before:
            self._take_back()
        elif self._fingers == 1 and points:
            if before == 0:
                self._tap(points[0].position(), event.timestamp())
            else:
                self._drag(points[0].position())
                self._stays &= _length(points[0].position() - self._tapped[1]) <= CLICK_PIXELS
            if event.type() is QEvent.Type.TouchEnd:
                self._lift(event.timestamp())
        if len(points) > 1:
            self._pinch(points[0].position(), points[1].position(), anew=before < 2)

    def _tap(self, position: QPointF, now: int) -> None:
        """Handle a finger that touches at `now` (ms), perhaps for the second time in a double tap."""
        hints, (before, there) = QGuiApplication.styleHints(), self._tapped
        near = _length(position - there) <= hints.touchDoubleTapDistance()
        double = near and now - before < hints.mouseDoubleClickInterval()
        self._tapped = (now, position)
        self._press(position, Keys(double=double), COARSE_PIXELS)
        self._stays = not self._editing.holds_after  # else the tool acts while the finger stays down

    def _lift(self, now: int) -> None:
        """Handle a finger that lifts; if it has stayed long, undo what it had started and open a menu."""
        before, position = self._tapped
        if self._stays and self._stroke is not None and now - before >= LONG_PRESS:
            self._take_back()
            self._open_menu_at(position, COARSE_PIXELS)
        else:
            self._end_stroke()

    def _take_back(self) -> None:
        """Abort the stroke of a finger."""
        self._holding.stop()
        self._stroke = None
        self._editing.cancel()

    def _pinch(self, first: QPointF, second: QPointF, anew: bool) -> None:
        """Handle two fingers, `anew` when they have just touched together."""
        middle, between = (first + second) / 2, first - second
        # The event's own lastPosition uses other coordinates.
        (middle_before, between_before), self._pinched = self._pinched, (middle, between)
        if not anew:
            self._pan_by(middle - middle_before)
            now, before = _length(between), _length(between_before)
            if now > 1.0 and before > 1.0:
                self._eye.zoom(before / now, self.pointer_at(middle))

    # -- keys ------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, held = Qt.Key(event.key()), event.modifiers()
        plain, fine, coarse = STEPS
        if key == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._space, self._space_used = True, False
                self._show_cursor()
        elif key in _ARROWS:
            step = fine if held & Qt.KeyboardModifier.ShiftModifier else plain
            step = coarse if held & Qt.KeyboardModifier.ControlModifier else step
            dx, dy = _ARROWS[key]
            # Repeats of a held key that outpace painting would continue after its release.
            if self._repeated or not event.isAutoRepeat():
                self._repeated = False
                self._editing.arrow(step * dx, step * dy, self.unit(), event.isAutoRepeat())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not event.isAutoRepeat():
                self._editing.enter(self.unit())
        elif key == Qt.Key.Key_Escape:
            self._editing.escape()
        elif key == Qt.Key.Key_Menu or (key == Qt.Key.Key_F10 and held & Qt.KeyboardModifier.ShiftModifier):
            self._menu_by_key()
        else:
            QWidget.keyPressEvent(self, event)
            return
        event.accept()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return self._editing.select_next(forward) or super().focusNextPrevChild(forward)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat() and self._space:
                self._space = False
                self._show_cursor()
                if not self._space_used:
                    self._eye.toggle_pause()
            event.accept()
        else:
            QWidget.keyReleaseEvent(self, event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._space = False
        self._end_stroke()  # a menu or dialog has opened and gets the release
        super().focusOutEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._repeated = True


def _keys(event: QMouseEvent) -> Keys:
    held, modifier = event.modifiers(), Qt.KeyboardModifier
    return Keys(
        shift=bool(held & modifier.ShiftModifier),
        control=bool(held & modifier.ControlModifier),
        alt=bool(held & modifier.AltModifier),
        double=event.type() is QEvent.Type.MouseButtonDblClick,
    )


def _length(way: QPointF) -> float:
    return float((way.x() ** 2 + way.y() ** 2) ** 0.5)
