"""MarksItem: the marks of a chart as one item of pyqtgraph's, painted anew only when they or their places change."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.views.theme import LIGHT, Theme
from app.views.widgets.painting import guarded

from .axis import Axis
from .marks import Frame, Mark, drawn_alike


class MarksItem(pg.GraphicsObject):
    """Draws the marks it was given last, in pixels, over the part of the plane that its ViewBox displays."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[tuple[Mark, ...], Axis, Axis, Theme] = ((), Axis(), Axis(), LIGHT)
        self.setCacheMode(self.CacheMode.DeviceCoordinateCache)  # what moves over it does not draw it anew

    def display(self, marks: Sequence[Mark], x: Axis, y: Axis, theme: Theme) -> None:
        """Draw `marks`, the first lowest."""
        before, *look = self._shown
        alike = look == [x, y, theme] and len(before) == len(marks) and all(map(drawn_alike, before, marks))
        self._shown = tuple(marks), x, y, theme
        if not alike:
            self.update()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        self.update()

    def boundingRect(self) -> QRectF:
        box = self.getViewBox()
        return QRectF() if box is None else QRectF(box.viewRect())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        to, (marks, x, y, theme) = painter.worldTransform(), self._shown
        frame = Frame(x, y, to, to.mapRect(self.boundingRect()), theme)
        view = self.getViewWidget()
        with guarded(painter, self.boundingRect(), view):
            painter.resetTransform()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if view is not None:
                painter.setFont(view.letters())
            for mark in marks:
                mark.draw(painter, frame)
