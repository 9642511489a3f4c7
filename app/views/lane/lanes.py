"""Lanes: header, form, picture, transport and status strip of each lane, side by side or two above two."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMainWindow, QPushButton, QWidget

from app.controllers.controller import Controller
from app.features import table
from app.scene.model import Scene
from app.views.plot.canvas import Canvas
from app.views.theme import Theme
from app.views.widgets.form_fields import describe, later
from app.views.widgets.scrolling_form import ScrollingForm
from app.views.widgets.window_size import shrink

from .form import LanePanel
from .header import LaneHeader
from .playback_bar import PlaybackBar
from .status_strip import StatusStrip

GAP = 8  # pixels between two; even, so that an even width can be halved
#: Lanes that are made at the start; the others when they are first shown.
AT_START = 2
#: Pixels that a lane beside two others should be wide, if it is not to stand below them.
COMFORTABLE = 380
HEADER, FORM, CANVAS, BAR, STRIP = range(5)


class Lanes(QWidget):
    """All lanes of the same width: one pixel more would be another picture.

    Parameters
    ----------
    controller : Controller
    resized : callable
        Called after the size of a picture has changed.
    """

    def __init__(self, controller: Controller, resized: Callable[[], None]) -> None:
        super().__init__()
        self._controller, self._resized = controller, resized
        self._scene: Scene | None = None
        self._least_lane = 0
        self._arranged = (0, 0)
        self.canvases: list[Canvas] = []
        self.headers: list[LaneHeader] = []
        self.panels: list[LanePanel] = []
        self.forms: list[ScrollingForm] = []
        self.bars: list[PlaybackBar] = []
        self.strips: list[StatusStrip] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.setHorizontalSpacing(GAP)
        self._more = QPushButton("Add a classifier")
        describe(self._more, "lanes.more", "Add a classifier", "One more on the same points (Ctrl+L).")
        self._more.clicked.connect(lambda: controller.lanes.add(controller.document.shown - 1))
        for _ in range(AT_START):
            self._make()
        self._arrange(AT_START, AT_START)
        self._more.setParent(self)  # behind the lanes for the Tab key; without a parent it would outlive the window

    def _make(self) -> None:
        """The parts of one lane more."""
        index, controller = len(self.canvases), self._controller
        self.headers.append(LaneHeader(index, controller))
        self.panels.append(LanePanel(index, controller))
        self.forms.append(ScrollingForm(self.panels[-1]))
        canvas = Canvas(index, controller.editing, controller, self._resized)
        canvas.covers = [kind(controller, canvas) for kind in table.views("cover")]
        self.canvases.append(canvas)
        self.bars.append(PlaybackBar(index, controller))
        self.strips.append(StatusStrip(index))
        if index >= AT_START:
            before = self._stops(index - 1)
            for part in self._parts(index):
                part.setParent(self)
            for first, second in zip((before[-1:] + self._stops(index))[:-1], self._stops(index), strict=False):
                QWidget.setTabOrder(first, second)

    def _parts(self, index: int) -> tuple[QWidget, ...]:
        return self.headers[index], self.forms[index], self.canvases[index], self.bars[index], self.strips[index]

    def _stops(self, index: int) -> list[QWidget]:
        """Where the Tab key stops within a lane, as the eye reads."""
        inside = [each for part in self._parts(index) for each in (part, *part.findChildren(QWidget))]
        own = self.window()  # the list of a combo box is a window of its own
        return [each for each in inside if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.window() is own]

    # -- arrangement -------------------------------------------------------------------------------------------------

    def _columns(self, shown: int, width: int) -> int:
        """How many lanes stand in a row: all, or of three and four two, where there is no room for more."""
        if shown <= 2:
            return shown
        comfortable = max(COMFORTABLE, self._least_lane)
        return shown if width >= shown * (comfortable + GAP) else 2

    def _arrange(self, shown: int, columns: int) -> None:
        if (shown, columns) == self._arranged:
            return
        self._arranged = shown, columns
        for index in range(len(self.canvases)):
            for part in self._parts(index):
                self._grid.removeWidget(part)
        self._grid.removeWidget(self._more)
        for place in range(max(shown, 1)):
            band, column = divmod(place, columns)
            for row, part in enumerate(self._parts(place)):
                self._grid.addWidget(part, 5 * band + row, column)
        band, column = divmod(shown, columns)
        if column:
            self._grid.addWidget(self._more, 5 * band + CANVAS, column, Qt.AlignmentFlag.AlignCenter)
        self._more.setVisible(column > 0)
        for place in range(4):
            self._grid.setColumnStretch(place, int(place < columns))
            self._grid.setColumnMinimumWidth(place, self._least_lane if place < columns else 0)
            self._grid.setRowStretch(5 * place + CANVAS, int(place * columns < shown))
        self._even_out(self.width())

    def _even_out(self, width: int) -> None:
        """Leave the odd pixels that the columns cannot share to the margin."""
        columns = max(self._arranged[1], 1)
        self._grid.setContentsMargins(0, 0, (width - (columns - 1) * GAP) % columns, 0)

    def minimumSizeHint(self) -> QSize:
        """Room for two lanes in a row at the least width of the widest, and for the odd pixel that no lane gets.

        The grid's own answer would change with that pixel, and the window's layout never come to rest.
        """
        columns = min(self._arranged[0], 2)
        height = self._grid.minimumSize().height()
        least = self._least_lane or self._least()  # any label in the window asks for it anew
        return QSize(columns * least + (columns - 1) * GAP + columns - 1, height)

    def _keep_size(self, size: QSize) -> None:
        window = self.window()
        if isinstance(window, QMainWindow):
            shrink(window, size)

    def _shown(self) -> range:
        return range(self._arranged[0])

    def _least(self) -> int:
        """The least width of a lane: that of the widest, for all are as wide."""
        parts = [part for index in self._shown() for part in self._parts(index)[:STRIP] if not part.isHidden()]
        return max((max(part.minimumSizeHint().width(), part.minimumWidth()) for part in parts), default=0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            least = self._least()
            if least != self._least_lane:
                self._least_lane = least
                for place in range(self._arranged[1]):
                    self._grid.setColumnMinimumWidth(place, least)
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        shown = self._arranged[0]
        self._arrange(shown, self._columns(shown, event.size().width()))
        self._even_out(event.size().width())

    # -- drawing -----------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme, anew: bool) -> None:
        """Draw the scene's lanes; `anew` also what has not changed."""
        old, self._scene = None if anew else self._scene, scene
        folds = [lane.folded for lane in scene.lanes]
        if old is not None and folds != [lane.folded for lane in old.lanes]:
            # A form that has never been seen asks for too much room at first: the window must not keep it.
            later(self, partial(self._keep_size, self.window().size()))
        put_down = old is not None and old.session.drawing and not scene.session.drawing
        while len(self.canvases) < scene.shown:
            self._make()
        for index in range(len(self.canvases)):
            shown = index < scene.shown
            open_form = shown and not scene.lanes[index].folded
            trained = shown and scene.lanes[index].lane.trainer is not None
            for part, seen in zip(
                self._parts(index),
                (shown, open_form, shown, trained and (open_form or scene.shown < 3), shown),
                strict=True,
            ):
                if part.isHidden() == seen:
                    part.setVisible(seen)
            if shown:
                lane = scene.lanes[index]
                if old is None or old.shown != scene.shown or old.lanes[index] != lane or put_down:
                    self.headers[index].render_scene(lane, scene.shown, theme)
                    if open_form:
                        self.panels[index].render_scene(lane, scene.session.drawing, theme)
                    self.bars[index].render_scene(lane, theme)
                    self.strips[index].render_scene(lane, theme, compact=scene.shown > 2)
                self.canvases[index].render_scene(scene, lane, theme)
        self._arrange(scene.shown, self._columns(scene.shown, self.width()))
