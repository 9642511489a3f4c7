"""Lanes: form, picture, transport and status strip of each lane, side by side."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from app.controller import Controller
from app.scene import Scene

from .panels.lane_panel import LanePanel
from .panels.scrolling import ScrollingForm
from .panels.strip import StatusStrip
from .panels.transport_bar import TransportBar
from .plot.canvas import Canvas
from .theme import Theme

LANES = 2
GAP = 8  # pixels between two; even, so that an even width can be halved


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
        self._scene: Scene | None = None
        self._widths: list[int] = []
        self.canvases = [Canvas(index, controller.editing, controller, resized) for index in range(LANES)]
        self.panels = [LanePanel(index, controller) for index in range(LANES)]
        self.forms = [ScrollingForm(panel) for panel in self.panels]
        self.bars = [TransportBar(index, controller) for index in range(LANES)]
        self.strips = [StatusStrip(index) for index in range(LANES)]
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setRowStretch(1, 1)
        for index in range(LANES):
            self._grid.addWidget(self.forms[index], 0, index)
            self._grid.addWidget(self.canvases[index], 1, index)
            self._grid.addWidget(self.bars[index], 2, index)
            self._grid.addWidget(self.strips[index], 3, index)

    def minimumSizeHint(self) -> QSize:
        """Room for all lanes at the least width of the widest, and for the odd pixel that no lane gets.

        The grid's own answer would change with that pixel, and the window's layout never come to rest.
        """
        shown = self._shown()
        height = self._grid.minimumSize().height()
        least = max(self._widths) if any(self._widths) else self._least()  # any label in the window asks for it anew
        return QSize(len(shown) * least + (len(shown) - 1) * GAP + LANES - 1, height)

    def _shown(self) -> list[int]:
        return [index for index in range(LANES) if not self.canvases[index].isHidden()]

    def _least(self) -> int:
        """The least width of a lane: that of the widest, for all are as wide."""
        columns = (self.forms, self.canvases, self.bars)
        parts = [column[index] for index in self._shown() for column in columns if not column[index].isHidden()]
        return max((max(part.minimumSizeHint().width(), part.minimumWidth()) for part in parts), default=0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            least, shown = self._least(), self._shown()
            widths = [least if index in shown else 0 for index in range(LANES)]
            if widths != self._widths:
                self._widths = widths
                for index, width in enumerate(widths):
                    self._grid.setColumnMinimumWidth(index, width)
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grid.setContentsMargins(0, 0, event.size().width() % LANES, 0)

    def render_scene(self, scene: Scene, theme: Theme, anew: bool) -> None:
        """Draw the scene's lanes; `anew` also what has not changed."""
        old, self._scene = None if anew else self._scene, scene
        put_down = old is not None and old.session.drawing and not scene.session.drawing
        for index in range(LANES):
            shown = index < scene.shown
            self._grid.setColumnStretch(index, int(shown))
            for widget in (self.forms[index], self.canvases[index], self.strips[index]):
                if widget.isHidden() == shown:
                    widget.setVisible(shown)
            trained = shown and scene.lanes[index].lane.trainer is not None
            if self.bars[index].isHidden() == trained:
                self.bars[index].setVisible(trained)
            if shown:
                lane = scene.lanes[index]
                if old is None or index >= len(old.lanes) or old.lanes[index] != lane or put_down:
                    self.panels[index].render_scene(lane, scene.session.drawing, theme)
                    self.bars[index].render_scene(lane, theme)
                    self.strips[index].render_scene(lane, theme)
                self.canvases[index].render_scene(scene, lane, theme)
