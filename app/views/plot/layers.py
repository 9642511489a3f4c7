"""Layers: everything inside the axes of a plot (surface, lines, points, marks), painted in one pass in device pixels.

It is one graphics item instead of a dozen of pyqtgraph's: a picture at full resolution is copied pixel by pixel instead
of being transformed, and all points and marks are drawn in one call.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.core.caches import kept
from app.core.points import MAX_CLASSES, Points
from app.engine.frames import Marks, Picture
from app.engine.overlays import Sheet, Specks
from app.learners.perceptron_orders import Orders
from app.scene.marks import PointMarks
from app.scene.model import LaneScene, Scene
from app.state.split import SplitPoints
from app.views.theme import Theme
from app.views.widgets.painting import painter_on, saved
from solver import Grid
from solver.core.arrays import Indices

from . import symbols
from .lines import draws_shapes
from .overlays import paint_sheets
from .picture import paint_lines, paint_surface
from .symbol_painting import FIRST_TEST, KINDS, Cloud, kinds_of, on_screen, rectangle_on_screen, size_for

#: Opacity of the hatching across a provisional surface (0 to 255).
HATCH = 170
#: Width of the line with the widest margin; opacity of the lines of other orders (0 to 255).
WIDEST, ORDERS = 3.5, 130
NOTHING: Indices = np.empty(0, dtype=np.intp)
NO_PIES = PointMarks(NOTHING, (), NOTHING)


@kept(2)
def _kinds_of(points: Points, parts: SplitPoints) -> Indices:
    """Return the indices into `KINDS` of these points, some of which are test points."""
    kinds = points.labels.astype(np.intp)
    kinds[parts.held_out] += FIRST_TEST
    return kinds


@kept(2)
def _selection(points: Points, parts: SplitPoints, selected: bytes) -> tuple[np.ndarray, Indices, Indices]:
    """Return the locations of the selected points (indices), and the kinds of their discs and of the points."""
    index = np.frombuffer(selected, np.intp)
    return points.xy[index], np.full(len(index), MAX_CLASSES), _kinds_of(points, parts)[index]


class Layers(pg.GraphicsObject):
    """The graphics item inside the axes of a plot."""

    #: Errors in painting a picture for a file are raised to the maker of the file.
    raises = True

    def __init__(self) -> None:
        super().__init__()
        self._view = Grid(0.0, 1.0, 0.0, 1.0, 1, 1)
        self._theme: Theme | None = None
        self._picture: Picture | None = None
        self._provisional = False
        self._orders: Orders | None = None
        self._sheets: tuple[Sheet, ...] = ()
        self.points, self._discs, self._pies, self._selected, self.marks = (Cloud() for _ in range(5))
        self._backdrop: QImage | None = None
        self._made_of: tuple[object, ...] = ()
        #: Factor on the widths of all lines.
        self.weight = 1.0
        self._points_away = False
        #: Image drawn in place of the surface: a vector file embeds the surface itself later.
        self.stand_in: QImage | None = None

    # -- contents -------------------------------------------------------------------------------------------------

    def show_view(self, view: Grid) -> None:
        """Set the displayed part of the plane, with one sample per device pixel."""
        self.prepareGeometryChange()
        self._view = view

    def show_lane(self, lane: LaneScene, theme: Theme, points_away: bool) -> None:
        """Set surface and lines, hatched if provisional, and what features draw between them and the points.

        With `points_away`, points, marks and specks are hidden.
        """
        self._theme, self._points_away = theme, points_away
        self._picture, self._provisional = lane.picture, lane.provisional
        self._orders, self._sheets = lane.orders, lane.sheets

    def show_points(
        self, scene: Scene, marks: Marks, selected: Indices = NOTHING, instead: PointMarks | None = None
    ) -> None:
        """Set the points, the pies, the `selected` points above them (indices, as in `marks`), and the marks on top.

        The marks `instead` replace `marks` if given.
        """
        self.points.show(scene.points.xy, _kinds_of(scene.points, scene.parts))
        xy, discs, chosen = _selection(scene.points, scene.parts, np.asarray(selected, np.intp).tobytes())
        self._discs.show(xy, discs)
        self._selected.show(xy, chosen)
        pies = scene.pies or NO_PIES
        if pies.kind is not self._pies.kinds:
            self._pies.show(scene.points.xy[pies.index], pies.kind, pies.kinds)
        if instead is not None:
            self.marks.show(scene.points.xy[instead.index], kinds_of(instead.kinds)[instead.kind])
            return
        bold, thin = np.concatenate((marks.free, marks.chosen, marks.kept)), marks.bounded
        outlined = [(thin, symbols.BOUNDED_OF[0]), (bold, symbols.FREE_OF[0]), (marks.maybe, symbols.MAYBE_OF[0])]
        over = [(marks.wrong, "wrong"), (marks.tied, "tied")]
        kinds = [KINDS.index(first) + scene.points.labels[index].astype(np.intp) for index, first in outlined]
        kinds += [np.full(len(index), KINDS.index(kind)) for index, kind in over]
        marked = np.concatenate([index for index, _ in (*outlined, *over)])
        self.marks.show(scene.points.xy[marked], np.concatenate(kinds))

    def paint_anew(self) -> None:
        """Discard cached pictures: the edges of a copy may differ slightly in shade."""
        self._made_of = ()

    # -- drawing ---------------------------------------------------------------------------------------------------

    def boundingRect(self) -> QRectF:
        view = self._view
        return QRectF(view.left, view.bottom, view.right - view.left, view.top - view.bottom)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if self._theme is None:
            return
        vectors = draws_shapes(painter)
        ratio = 1.0 if vectors else painter.device().devicePixelRatioF()
        area = painter.worldTransform().mapRect(self.boundingRect())
        with saved(painter):
            painter.resetTransform()
            if not vectors:  # in device pixels from here on: an image at whole pixels is copied, not resampled
                painter.scale(1.0 / ratio, 1.0 / ratio)
                # Transforming through plane coordinates leaves rounding errors: 49.99999999 is not pixel 49.
                sides = (area.left(), area.top(), area.width(), area.height())
                area = QRectF(*(round(side * ratio, 6) for side in sides))
            if self._picture is not None:
                if vectors:
                    self._paint_below(painter, area, area, self._theme, ratio)
                else:
                    self._paint_backdrop(painter, area, self._theme, ratio)
            if not self._points_away:
                self._paint_symbols(painter, area, self._theme, ratio, vectors)

    def point_size(self, width: float, height: float) -> int:
        """Return the size of a point's symbol in a picture of this size (pixels)."""
        # The size depends on the number of points alone; an additional mark must not change it.
        # Wide lines depend on the height of a picture, even where it is narrow.
        return size_for(len(self.points), height if self.weight > 1.0 else min(width, height))

    def _paint_symbols(self, painter: QPainter, area: QRectF, theme: Theme, ratio: float, vectors: bool) -> None:
        size = self.point_size(area.width() / ratio, area.height() / ratio)
        # Surface pixels per unit of `area`.
        fine = 2.0 if self._picture is None else max(1.0, self._picture.grid.width / area.width())
        for cloud in (self.points, self._discs, self._pies, self._selected, self.marks):
            if vectors:
                cloud.paint_vectors(painter, self.boundingRect(), area, theme, size, fine)
            else:
                cloud.paint(painter, self.boundingRect(), area, theme, size, ratio)

    def _paint_backdrop(self, painter: QPainter, area: QRectF, theme: Theme, ratio: float) -> None:
        """Paint surface and lines; cache them, so that repainting at the same location copies them.

        Stroking lines is the slowest part of a picture, and a moving pointer, the most frequent reason to repaint,
        changes none.
        """
        device = painter.device()
        unit = ratio if isinstance(device, QWidget) else 1.0  # an image counts in device pixels, a widget does not
        canvas = QRectF(0, 0, device.width() * unit, device.height() * unit)
        if not canvas.adjusted(-1, -1, 1, 1).contains(area):  # a strip of a large picture, which is painted once
            self._paint_below(painter, area, canvas.intersected(area), theme, ratio)
            return
        home = QPointF(np.floor(area.left()), np.floor(area.top()))
        drawn = (self._picture, self._provisional, self._orders, self._sheets, self.weight, self._points_away)
        made_of = (drawn, theme, ratio, self.boundingRect(), area.translated(-home))
        if made_of != self._made_of:
            self._made_of, self._backdrop = made_of, None
            with saved(painter):
                painter.setClipRect(area, Qt.ClipOperation.IntersectClip)  # clip lines as the image would
                self._paint_below(painter, area, area, theme, ratio)
            return
        if self._backdrop is None:
            image = QImage(int(np.ceil(area.width())) + 1, int(np.ceil(area.height())) + 1, QImage.Format.Format_RGB32)
            image.fill(QColor(*theme.background))
            with painter_on(image) as on_image:
                at_home = area.translated(-home)
                on_image.setClipRect(at_home)
                self._paint_below(on_image, at_home, at_home, theme, ratio)
            self._backdrop = image
        painter.drawImage(area, self._backdrop, QRectF(area.topLeft() - home, area.size()))

    def _paint_below(self, painter: QPainter, area: QRectF, visible: QRectF, theme: Theme, ratio: float) -> None:
        """Paint all that is below the points, in the part `visible` of `area`."""
        self._paint_surface(painter, area, visible, theme)
        self._paint_lines(painter, area, visible, theme, ratio)
        sheets = tuple(sheet for sheet in self._sheets if not (self._points_away and isinstance(sheet, Specks)))
        with saved(painter):
            paint_sheets(painter, sheets, self.boundingRect(), area, visible, theme, ratio, self.weight)

    def _paint_surface(self, painter: QPainter, area: QRectF, visible: QRectF, theme: Theme) -> None:
        assert self._picture is not None
        if self.stand_in is not None:
            painter.drawImage(rectangle_on_screen(self._picture.grid, self.boundingRect(), area), self.stand_in)
            return
        paint_surface(painter, self._picture, self.boundingRect(), area, visible)
        if self._provisional:
            painter.fillRect(area, QBrush(QColor(*theme.background, HATCH), Qt.BrushStyle.BDiagPattern))

    def _paint_orders(self, painter: QPainter, area: QRectF, theme: Theme, ratio: float, orders: Orders) -> None:
        """Paint many thin separating lines, and the one with the widest margin, which stands out."""
        ink, accent = QColor(*theme.ink, ORDERS), QColor(*theme.accent)
        ratio *= self.weight
        halo = QPen(QColor(*theme.background), (WIDEST + 2.5) * ratio)
        thin, loose = QPen(ink, 1.2 * ratio), QPen(ink, 1.2 * ratio, Qt.PenStyle.DotLine)
        widest = orders.widest_line(self._view)
        for lines, pen in (
            (orders.lines(self._view, rested=False), loose),
            (orders.lines(self._view), thin),
            (widest, halo),
            (widest, QPen(accent, WIDEST * ratio)),
        ):
            painter.setPen(pen)
            x, y = on_screen(lines.reshape(-1, 2), self.boundingRect(), area)
            for a in range(0, len(x), 2):
                painter.drawLine(QPointF(x[a], y[a]), QPointF(x[a + 1], y[a + 1]))

    def _paint_lines(self, painter: QPainter, area: QRectF, visible: QRectF, theme: Theme, ratio: float) -> None:
        assert self._picture is not None
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._orders is not None:
            self._paint_orders(painter, area, theme, ratio, self._orders)
        paint_lines(painter, self._picture, self.boundingRect(), area, visible, theme, ratio * self.weight)
