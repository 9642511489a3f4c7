"""Lane overlays: what features draw over the points of one lane's picture, without painting that anew."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QFont, QPainter

from app.features import table
from app.scene.model import LaneScene, Scene
from app.views.theme import Theme
from solver import Grid


class LaneOverlays:
    """One layer of each feature that has some; the first lies on top."""

    def __init__(self) -> None:
        self.layers = [kind() for kind in table.views("overlay")]

    def lay(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont, hovering: bool) -> list[QRect]:
        """Lay all out for `area`, which shows `grid`; returns what must be painted anew.

        `hovering` when the pointer itself is over this picture.
        """
        return [part for layer in self.layers for part in layer.lay(scene, lane, grid, area, font, hovering)]

    def paint(self, painter: QPainter, theme: Theme, rect: QRectF) -> None:
        """Paint the part in `rect`."""
        for layer in reversed(self.layers):
            if layer.laid is not None:
                layer.laid.paint(painter, theme, rect)
