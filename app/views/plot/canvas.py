"""Canvas: the plot of one lane; it draws a scene, and turns pointer actions into calls of the controllers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QGraphicsItem, QGraphicsView, QLabel

from app.controllers.controller import Controller
from app.controllers.editing import Editing
from app.scene.feature import FeatureTable
from app.scene.model import LaneScene, Scene
from app.tools import POINT_PIXELS, TOOLS, PointerPosition
from app.views.theme import Theme
from app.views.widgets.deferred import later
from app.views.widgets.inputs import named, show_or_hide
from app.views.widgets.painting import painter_on, saved
from solver import Grid

from .axes import NUMBER, size_axes
from .layers import Layers
from .overlays import LaneOverlays
from .pointer_input import PointingPlot
from .pointer_marks import Overlay
from .unit_handle import UnitHandle

#: Padding of the card of a message over a picture (pixels).
PADDING = 12


class CanvasCover(Protocol):
    """Something that temporarily covers part of a canvas with another lane's picture."""

    @property
    def over(self) -> tuple[LaneOverlays, LaneScene] | None:
        """Return its overlays and the lane shown there; None while it covers nothing."""

    def render_scene(self, scene: Scene, lane: LaneScene, theme: Theme, changed: bool) -> bool:
        """Cover part of the picture of `lane`, or nothing; return True if the canvas has to be repainted.

        `changed` is True if view, points or theme differ from the previous call.
        """

    def show_view(self, grid: Grid, area: QRectF) -> None:
        """Set the displayed part of the plane, and its rectangle on the canvas."""

    def paint(self, painter: QPainter, area: QRectF, own: LaneOverlays, rect: QRectF) -> None:
        """Paint the overlays of both lanes, `own` over what is not covered."""


class Canvas(PointingPlot):
    """The plot of one lane.

    Parameters
    ----------
    index : int
        Index of the lane.
    editing : Editing
    eye : Controller
    resized : callable
        Called after the plot's size in pixels has changed.
    features : FeatureTable
        Features whose layers are drawn over the picture.
    """

    def __init__(
        self, index: int, editing: Editing, eye: Controller, resized: Callable[[], None], features: FeatureTable
    ) -> None:
        super().__init__(editing, eye)
        self._resized = resized
        self._scene: Scene | None = None
        self._lane: LaneScene | None = None
        self._theme: Theme | None = None
        self._overlay: Overlay | None = None
        self.features = features
        self.overlays = LaneOverlays(features)
        #: Objects that temporarily cover part of this picture.
        self.covers: list[CanvasCover] = []
        self._axis_names = ("", "")
        self._presenting = False
        self._number = NUMBER
        self._focus_shown = False  # the focus came by keyboard
        #: Job of the newest picture that has been painted on screen.
        self.painted_job = 0
        #: True while something rendered has not been painted yet.
        self.unpainted = False
        self._to_paint = 0
        self.on_painted: Callable[[int], None] = lambda job: None
        self.setObjectName(f"canvas{index}")
        self.setAccessibleName(f"Picture {index + 1}")
        self.setWhatsThis(
            "What the classifier predicts: the colour of a location is its class, stronger where it is surer; the solid"
            " line is the decision boundary.  Click adds or selects a point, dragging moves one; F1 explains more."
        )
        self.setAccessibleDescription("The points, and how the classifier above divides the plane.")
        self.setFrameShape(QFrame.Shape.NoFrame)
        # Each scene would paint all once more for itself after the view has changed: only this class requests updates.
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.NoViewportUpdate)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # each paint begins with the background
        self.setMinimumSize(200, 160)
        self._build()
        self._message_text = ""
        self._message = named(
            QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), f"lane{index}.message"
        )
        self._message.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._message.hide()
        #: Handles of y and of x, in tab order.
        self._units = [UnitHandle(self, axis, index, eye) for axis in (1, 0)]

    def _build(self) -> None:
        box = self.plot.box
        box.setMouseEnabled(False, False)
        box.disableAutoRange()
        #: The graphics item inside the axes.
        self.layers = Layers()
        box.addItem(self.layers, ignoreBounds=True)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, lane: LaneScene, theme: Theme) -> None:
        """Draw `scene`; whatever has not changed since the previous one is not redrawn."""
        old, old_lane = self._scene, self._lane
        self._scene, self._lane = scene, lane
        dressed = theme is not self._theme
        moved = old is None or old.document.view != scene.document.view
        moved |= old is not None and old.document.dates != scene.document.dates
        repainted = old_lane is None or old_lane.picture is not lane.picture or old_lane.provisional != lane.provisional
        same_points = (
            old is not None
            and old.points is scene.points
            and old.selected is scene.selected
            and old.parts.held_out is scene.parts.held_out
            and old.pies is scene.pies
        )
        marked = (
            not same_points or old_lane is None or (old_lane.marks, old_lane.run_marks) != (lane.marks, lane.run_marks)
        )
        for cover in self.covers:
            repainted |= cover.render_scene(scene, lane, theme, moved or not same_points or dressed)
        if dressed:
            self._dress(theme)
        self._show_axis_names(scene.document.axes)
        for handle, factor in zip(self._units, scene.document.units[::-1], strict=True):
            handle.show_factor(factor, theme)
            exported = self.testAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
            handle.setVisible(len(scene.points) > 0 and not exported and "units" not in scene.hidden)
        if moved:
            self._show_view()
        repainted |= old_lane is None or old_lane.orders is not lane.orders or old_lane.sheets != lane.sheets
        repainted |= old is None or old.session.points_away != scene.session.points_away
        self.layers.show_lane(lane, theme, scene.session.points_away)
        if marked:
            self.layers.show_points(scene, lane.marks, scene.selected, lane.run_marks)
        if moved or not same_points or old is None or old.session is not scene.session:
            self._lay_over()
        self._lay_features_over()
        if old_lane is None or old_lane.message != lane.message:
            self._message_text = lane.message
            show_or_hide(self._message, lane.message)
            self._place_message()
        # Changes of another lane do not repaint this one: painting is most of the window's work during a drag.
        if dressed or moved or repainted or marked or self._to_paint != lane.job:
            self._to_paint = lane.job
            self.unpainted = True
            self.viewport().update()

    def follow_pointer(self, scene: Scene) -> None:
        """Draw `scene`, which differs from the previous one only in what follows the pointer."""
        self._scene = scene
        self._lay_features_over()

    def _lanes_over(self) -> list[tuple[LaneOverlays, LaneScene]]:
        """Return the overlays of this lane, and those of the lane that covers parts of it."""
        assert self._lane is not None
        over = [(self.overlays, self._lane)]
        return over + [cover.over for cover in self.covers if cover.over is not None]

    def _lay_features_over(self) -> None:
        """Lay out the features' overlays for the present scene, and repaint only what changed."""
        assert self._scene is not None
        hovering = self.pointer is not None and self.inside(self.pointer)
        for over, lane in self._lanes_over():
            for area in over.lay(self._scene, lane, self.grid(), self.plot_area(), self.font(), hovering):
                self.viewport().update(area)

    def _dress(self, theme: Theme) -> None:
        self._theme = theme
        self.setBackground(theme.window)
        self.plot.box.setBackgroundColor(theme.background)
        exported = self.testAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        for axis in self.plot.axes.values():
            # Pixels that are kept are painted faster; in an exported picture, text must stay text.
            axis.setCacheMode(
                QGraphicsItem.CacheMode.NoCache if exported else QGraphicsItem.CacheMode.DeviceCoordinateCache
            )
            axis.setPen(theme.faint)
            axis.setTextPen(theme.ink)
            axis.setStyle(tickLength=4)
        self._size_axes()

    def _size_axes(self) -> None:
        room = self.plot_size()
        size_axes(self.plot, self.font(), self._axis_names, room, self._number, self._presenting)
        self.viewport().update()

    def present(self, weight: float | None) -> None:
        """Enter presenter mode with lines `weight` times as wide and axes fitted to their numbers; leave it if None."""
        self._presenting = weight is not None
        self._number = NUMBER
        self.layers.weight = 1.0 if weight is None else weight
        self._size_axes()
        self.lay_out()
        self.unpainted = True

    def _fit_numbers(self) -> None:
        """Fit the vertical axis to its numbers, and write the offsets of both axes."""
        assert self._scene is not None
        grid, (x, y) = self.grid(), (self.plot.axes[side] for side in ("bottom", "left"))
        area, dates = self.plot_area(), self._scene.document.dates
        before = len(self._number), x.end, y.end
        x.fit(grid.left, grid.right, area.width(), dates[0])
        number = y.fit(grid.bottom, grid.top, area.height(), dates[1])
        width = self.fontMetrics().horizontalAdvance
        if not self._presenting and width(number) <= width(NUMBER):
            number = NUMBER
        if (len(number), x.end, y.end) != before:
            self._number = number
            self._size_axes()
            self.plot.layout.activate()

    def _show_axis_names(self, names: tuple[str, str]) -> None:
        """Set the names of the horizontal and the vertical axis; "" for no name."""
        if names != self._axis_names:
            self._axis_names = names
            self._size_axes()
            self.lay_out()

    def _show_view(self) -> None:
        if self._scene is None:
            return
        self._fit_numbers()
        grid = self.grid()
        self.plot.box.setRange(
            xRange=(grid.left, grid.right), yRange=(grid.bottom, grid.top), padding=0, disableAutoRange=True
        )
        self.layers.show_view(grid)
        for cover in self.covers:
            cover.show_view(grid, self.plot_area())
        if self.pointer is not None:
            later(self, self.follow_layout)

    def _place_message(self) -> None:
        if not self._message.isHidden():
            area = self.plot_area()
            width = max(min(int(area.width()) - 24, 420), 80)
            self._message.ensurePolished()  # its padding is not known before it is polished or shown
            self._message.setWordWrap(True)
            self._message.setText(self._message_text)
            # Not adjustSize: it lags behind a new width, and cuts lines off.
            self._message.setFixedWidth(width)
            height, metrics = self._message.heightForWidth(width), self._message.fontMetrics()
            longest = max(map(metrics.horizontalAdvance, self._message_text.split()), default=0)
            # The line below the picture shows the message as well.
            if height > area.height() or longest > width - 2 * PADDING:
                self._message.setWordWrap(False)
                room = width - 2 * PADDING
                self._message.setText(metrics.elidedText(self._message_text, Qt.TextElideMode.ElideRight, room))
                height = metrics.height() + 2 * PADDING
            self._message.setFixedHeight(height)
            middle = area.center().y() - self._message.height() / 2
            # Out of the way of points, if there are any.
            crowded = self._scene is not None and len(self._scene.points) > 0
            # Keep its beginning visible.
            y = max(area.bottom() - self._message.height() - 12 if crowded else middle, 0.0)
            at = QPointF(area.center().x() - self._message.width() / 2, y)
            self._message.move(at.toPoint())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.unpainted = False
        if self._to_paint != self.painted_job:
            self.painted_job = self._to_paint
            self.on_painted(self.painted_job)
        with painter_on(self.viewport()) as painter:
            if self._overlay is not None and self._theme is not None:
                with saved(painter):
                    self._paint_over(painter, self._overlay, self._theme, QRectF(event.rect()))
            if self._focus_shown:
                painter.setPen(QPen(self.palette().highlight().color(), 2))
                painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))

    def _paint_over(self, painter: QPainter, overlay: Overlay, theme: Theme, rect: QRectF) -> None:
        """Paint what is over the picture, within `rect`."""
        painter.setClipRect(self.plot_area())
        cover = next((cover for cover in self.covers if cover.over is not None), None)
        if cover is None:
            self.overlays.paint(painter, theme, rect)
        else:
            cover.paint(painter, self.plot_area(), self.overlays, rect)
        overlay.paint(painter, theme)

    # -- geometry --------------------------------------------------------------------------------------------------

    def grid(self) -> Grid:
        """Return the grid of one sample per device pixel of the plot, over the displayed part of the plane."""
        assert self._scene is not None
        return self.grid_for(self._scene.document.view)

    def to_widget(self, x: float, y: float) -> QPoint:
        """Return the canvas pixel of (x, y) in the present view, which may not be painted yet."""
        at = self.position_of(x, y, self.grid_for(self._eye.view))
        return QPoint(int(np.floor(at.x())), int(np.floor(at.y())))

    def position_of(self, x: float, y: float, grid: Grid | None = None) -> QPointF:
        """Return the location of (x, y) on the canvas when it shows `grid`; default: as it is drawn."""
        area, grid = self.plot_area(), grid or self.grid()
        px = area.left() + (x - grid.left) / (grid.right - grid.left) * area.width()
        py = area.bottom() - (y - grid.bottom) / (grid.top - grid.bottom) * area.height()
        return QPointF(px, py)

    def pointer_at(self, position: QPointF) -> PointerPosition:
        # In the present view: the painted one may be older, and each event continues from the previous one.
        area, view, unit = self.plot_area(), self._eye.view, self.unit()
        grid = self.grid_for(view)
        # The event names a pixel by its corner; the user aims at the middle of the pixel.
        x = grid.left + (position.x() + 0.5 - area.left()) * unit
        y = grid.bottom + (area.bottom() - position.y() - 0.5) * unit * view.ratio
        radius = 0.5 * self.layers.point_size(area.width(), area.height())
        return PointerPosition(x, y, unit, max(radius, POINT_PIXELS), view.ratio)

    # -- mouse and keys --------------------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_focus(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show_focus(False)

    def _show_focus(self, shown: bool) -> None:
        if shown != self._focus_shown:
            self._focus_shown = shown
            self.viewport().update()

    def pointer_position(self) -> PointerPosition | None:
        """Return the pointer's location if it is over this picture, within its axes."""
        if self.pointer is None or self._scene is None or not self.inside(self.pointer):
            return None
        return self.pointer_at(self.pointer)

    def pointer_moved(self) -> None:
        self._lay_over()

    def _lay_over(self) -> None:
        """Update brush, cursor and outline, and repaint only these."""
        if self._scene is None:
            return
        session = self._scene.session
        kind = TOOLS[session.tool]
        pointer = self.pointer if self.pointer is not None and self.inside(self.pointer) else None
        if not session.drawing:  # during a stroke it stays as at the press
            self._on_point = pointer is not None and self._editing.selects_at(self.pointer_at(pointer))
            self._show_cursor()
        if session.cursor is not None:  # only one brush at a time: the keyboard's while it is in use
            pointer = None
        selects = session.outline is not None and session.outline.kind == "rectangle"
        selects = selects or (pointer is not None and self._on_point)
        new = Overlay(
            pointer,
            session.radius if kind.round and not session.gesture_hint else 0,
            session.active_class if kind.paints and not (session.gesture_hint or selects) else -1,
            None if session.cursor is None else self.position_of(*session.cursor),
            None
            if session.outline is None
            else (session.outline.kind, [self.position_of(*corner) for corner in session.outline.xy.tolist()]),
        )
        old, self._overlay = self._overlay, new
        for each in (old, new):
            if each is not None:
                self.viewport().update(each.bounds())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_message"):
            if any(self._axis_names):  # long names are shortened to fit the new size
                self.plot.layout.activate()
                self._size_axes()
            self.lay_out()

    def lay_out(self) -> None:
        """Fit everything to the present size."""
        # The layout must have its final size before the view is fitted to it.
        self.plot.layout.activate()
        self._show_view()
        self.viewport().update()
        self._place_message()
        for handle in self._units:
            handle.place(self.plot_area(), self.height())
        if self._lane is not None:
            self._lay_features_over()
        self._resized()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._theme is not None:
            self._size_axes()
            self.lay_out()
