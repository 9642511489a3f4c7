"""Cloud: many symbols of a plot, painted as copies of a few small images, or as vectors."""

from __future__ import annotations

from functools import lru_cache
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.core.points import MAX_CLASSES
from app.scene.marks import KKT_MARKS
from app.views.theme import Theme
from app.views.widgets.painting import paint_with, painter_on
from solver import Grid
from solver.core.arrays import Array, Indices

from . import symbols

#: Kinds of symbols: the eight classes, then the marks, those of the KKT cases, and last the classes' test points.
KINDS = (*map(str, range(MAX_CLASSES)), *symbols.MARKS, *KKT_MARKS, *symbols.TEST_POINTS)
FIRST_TEST = KINDS.index(symbols.TEST_POINTS[0])
#: Number of symbols from which their picture is cached, so that a new surface below does not redraw them.
KEPT = 2000
#: Number of symbols on screen from which skipping hidden ones is faster than copying all.
CULLED = 8000
#: Largest number of symbols that a vector file holds as paths: each takes 20 us and 360 bytes.
VECTORS = 3000
#: Size of a point, as a share of the picture's shorter side, for up to `FEW` points, and its limits (pixels).
SHARE, FEW = 0.025, 100
LEAST_SIZE, MOST_SIZE = 4, 26
#: Default of a picture's shorter side (pixels).
SIDE = 400.0


def kinds_of(names: tuple[str, ...]) -> Indices:
    """Return the indices of these names in `KINDS`."""
    return np.array([KINDS.index(name) for name in names], dtype=np.intp)


def size_for(count: int, side: float = SIDE) -> int:
    """Return the size in pixels of one of `count` symbols in a picture whose shorter side has `side` pixels.

    Sixteen times as many points have half the diameter: to cover the same share of the picture they would need a
    quarter, but points must remain visible.
    """
    size = SHARE * side * (max(count, FEW) / FEW) ** -0.25
    return int(min(max(round(size), LEAST_SIZE), MOST_SIZE))


class Atlas:
    """The images of all `kinds` in a row of square cells; a cell has an odd width, so that it has a middle pixel.

    Parameters
    ----------
    theme : Theme
    size : int
        Size of a point, in pixels of `ratio` device pixels each.
    ratio : float
    kinds : tuple of str
    """

    def __init__(self, theme: Theme, size: int, ratio: float, kinds: tuple[str, ...]) -> None:
        scale = size / symbols.POINT
        #: Largest distances of a mark's and a class symbol's pixels from the middle one, in device pixels.  The time to
        #: copy a symbol is proportional to the area of its cell.
        self.reach = int(np.ceil((14.5 * max(scale, 0.6) + 1) * ratio))
        self.class_reach = int(np.ceil((0.56 * size + 1.0) * ratio))
        self.cell = 2 * self.reach + 1
        self.pixmap = symbols.cells(
            len(kinds), self.cell, ratio, lambda painter, index: symbols.draw(painter, theme, kinds[index], scale)
        )


#: All clouds that exist: several lanes show the same points, of which one paints the picture.
_CLOUDS: WeakSet[Cloud] = WeakSet()


@lru_cache(maxsize=8)
def atlas_for(theme: Theme, size: int, ratio: float, kinds: tuple[str, ...] = KINDS) -> Atlas:
    """Return the atlas for a theme, a point size, a pixel ratio and kinds of symbols."""
    return Atlas(theme, size, ratio, kinds)


class Cloud:
    """Symbols at locations in the plane; later ones are on top."""

    def __init__(self) -> None:
        self.xy: Array = np.empty((0, 2))
        self.kinds: Indices = np.empty(0, dtype=np.intp)
        self._names = KINDS
        self._image: QImage | None = None
        self._made_of: tuple[object, ...] = ()
        self._made_for = QRectF()
        self._moved = QPoint()
        _CLOUDS.add(self)

    def __len__(self) -> int:
        return len(self.xy)

    def show(self, xy: Array, kinds: Indices, names: tuple[str, ...] = KINDS) -> None:
        """Set the symbols: `kinds` (indices into `names`) at `xy`, shape (n, 2)."""
        if xy is not self.xy or kinds is not self.kinds:  # else the picture stays
            self.xy, self.kinds, self._names, self._image = xy, kinds, names, None

    def paint(self, painter: QPainter, corners: QRectF, area: QRectF, theme: Theme, size: int, ratio: float) -> None:
        """Paint on a raster device, in device pixels.

        Parameters
        ----------
        painter : QPainter
            In device pixels.
        corners : QRectF
            The rectangle of the plane that `area` shows; its top is the smallest y.
        area : QRectF
            In device pixels.
        theme : Theme
        size : int
            Size of a point, in pixels of `ratio` device pixels each.
        ratio : float
        """
        if not len(self.xy):
            return
        atlas = atlas_for(theme, size, ratio, self._names)
        device = painter.device()
        unit = ratio if isinstance(device, QWidget) else 1.0  # an image counts in device pixels, a widget does not
        canvas = QRectF(0, 0, device.width() * unit, device.height() * unit)
        if len(self.xy) <= KEPT or not canvas.adjusted(-1, -1, 1, 1).contains(area):
            # Few symbols, or a strip of a large picture, which is painted once.
            self._copy(painter, corners, area, area.intersected(canvas), atlas, ratio)
            return
        # The offset of the area is irrelevant as long as its fraction of a pixel stays the same.
        home = QPointF(np.floor(area.left()), np.floor(area.top()))
        self._keep_image(corners, area.translated(-home), theme, size, ratio)
        assert self._image is not None
        painter.drawImage(home, self._image)

    def paint_vectors(
        self, painter: QPainter, corners: QRectF, area: QRectF, theme: Theme, size: int, fineness: float
    ) -> None:
        """Paint as vector paths; more than `VECTORS` of them as an image of `fineness` pixels per unit of `area`."""
        x, y, kinds = self._inside(corners, area, area)
        if len(x) > VECTORS:
            fine = QRectF(0, 0, round(area.width() * fineness), round(area.height() * fineness))
            atlas = atlas_for(theme, size, fineness, self._names)
            painter.drawImage(area, self._new_image(corners, fine, atlas, fineness))
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        last = None
        for at_x, at_y, kind in zip(x.tolist(), y.tolist(), kinds.tolist(), strict=True):
            # No translation and no repeated pen: each would become a group of its own in the file.
            parts = symbols.shapes(theme, self._names[kind], size / symbols.POINT)
            for path, pen, brush in parts:
                if kind != last or len(parts) > 1:
                    paint_with(painter, pen, brush)
                painter.drawPath(path.translated(at_x, at_y))
            last = kind
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _keep_image(self, corners: QRectF, area: QRectF, theme: Theme, size: int, ratio: float) -> None:
        """Update the cached picture of `area`, whose corner is in pixel (0, 0), from the previous one."""
        atlas = atlas_for(theme, size, ratio, self._names)
        old, was = self._image, self._made_for
        key = (area.getRect(), theme, size, ratio)
        if old is not None and key == self._made_of:
            # Shift since the picture was made; not accumulated, so that rounding errors do not add up.
            across, down = corners.width() / area.width(), corners.height() / area.height()
            dx, dy = (was.left() - corners.left()) / across, (corners.top() - was.top()) / down
            moved = QPoint(round(dx), round(dy)) if max(abs(dx), abs(dy)) < 1e6 else QPoint()
            same_scale = abs(corners.width() - was.width()) < 1e-9 * was.width()
            if same_scale and max(abs(dx - moved.x()), abs(dy - moved.y())) < 1e-3:
                step = moved - self._moved
                if not step.isNull():
                    self._image = self._mended(old, corners, area, atlas, ratio, step)
                    self._moved = moved
                return
        self._image = self._others_image(corners, key)
        if self._image is None:
            self._image = self._new_image(corners, area, atlas, ratio)
        self._made_of, self._made_for, self._moved = key, corners, QPoint()

    def _others_image(self, corners: QRectF, key: tuple[object, ...]) -> QImage | None:
        """Return what another plot has just painted from the same symbols for the same area."""
        for other in _CLOUDS:
            same = other.xy is self.xy and other.kinds is self.kinds and other._moved.isNull()
            if same and other._made_of == key and other._made_for == corners and other._image is not None:
                return other._image
        return None

    def _new_image(self, corners: QRectF, area: QRectF, atlas: Atlas, ratio: float) -> QImage:
        image = _transparent(int(np.ceil(area.right())), int(np.ceil(area.bottom())))
        with painter_on(image) as painter:
            self._copy(painter, corners, area, area, atlas, ratio)
        return image

    def _mended(self, old: QImage, corners: QRectF, area: QRectF, atlas: Atlas, ratio: float, step: QPoint) -> QImage:
        """Return `old` moved by `step`, with the uncovered parts painted."""
        image = _transparent(old.width(), old.height())
        whole = image.rect()
        with painter_on(image) as painter:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            painter.drawImage(step, old)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
            left, top = whole.translated(step).topLeft().toTuple()
            right, bottom = left + whole.width(), top + whole.height()
            width, height = whole.width(), whole.height()
            for strip in (
                QRect(0, 0, left, height),
                QRect(right, 0, width - right, height),
                QRect(max(left, 0), 0, min(right, width) - max(left, 0), top),
                QRect(max(left, 0), bottom, min(right, width) - max(left, 0), height - bottom),
            ):
                if not (strip & whole).isEmpty():
                    painter.setClipRect(strip)
                    self._copy(painter, corners, area, QRectF(strip & whole), atlas, ratio)
        return image

    def _inside(self, corners: QRectF, area: QRectF, part: QRectF) -> tuple[Array, Array, Indices]:
        """Return the locations in `area` of the symbols inside `part` of it, and their kinds."""
        x, y = on_screen(self.xy, corners, area)
        inside = (x >= part.left()) & (x <= part.right()) & (y >= part.top()) & (y <= part.bottom())
        if inside.all():
            return x, y, self.kinds
        return x[inside], y[inside], self.kinds[inside]

    def _copy(self, painter: QPainter, corners: QRectF, area: QRectF, part: QRectF, atlas: Atlas, ratio: float) -> None:
        """Copy the symbols that reach into `part` of `area`."""
        reach = atlas.reach
        x, y, kinds = self._inside(corners, area, part.adjusted(-reach, -reach, reach, reach))
        groups = _GROUPS[kinds] if self._names is KINDS else np.ones(len(kinds), dtype=np.uint8)
        if len(x) > CULLED:
            visible = _visible(x, y, groups, ratio)
            x, y, kinds, groups = x[visible], y[visible], kinds[visible], groups[visible]
        if not len(x):
            return
        own = np.where(groups == 0, atlas.class_reach, reach)
        # A symbol's middle is the middle of its pixel.
        x, y, inset = np.floor(x) + 0.5, np.floor(y) + 0.5, reach - own
        symbols.copy_cells(painter, atlas.pixmap, x, y, kinds * atlas.cell + inset, 2 * own + 1, inset)


def _transparent(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image


def _visible(x: Array, y: Array, groups: NDArray[np.uint8], unit: float) -> Indices:
    """Return the indices of the symbols that no later one on the same pixel (of `unit` device pixels) hides."""
    # A point hides earlier ones almost completely; a mark is hollow and hides only marks of its kind.
    columns = ((x - x.min()) / unit).astype(np.int32)
    pixels = ((y - y.min()) / unit).astype(np.int32)
    pixels *= np.int32(columns.max() + 1)
    pixels += columns
    newest = np.empty(int(pixels.max()) + 1, dtype=np.int32)
    visible = np.zeros(len(pixels), dtype=bool)
    for group in np.flatnonzero(np.bincount(groups)):
        of_group = np.flatnonzero(groups == group)
        own = pixels[of_group]
        newest[own] = of_group  # of a repeated index the last value is kept
        visible[of_group[newest[own] == of_group]] = True
    return np.flatnonzero(visible)


#: For each of `KINDS`: 0 for points, else the number of the mark.
_GROUPS = np.where(
    np.arange(len(KINDS)) < FIRST_TEST, np.maximum(np.arange(len(KINDS)) - (MAX_CLASSES - 1), 0), 0
).astype(np.uint8)


def on_screen(xy: Array, corners: QRectF, area: QRectF) -> tuple[Array, Array]:
    """Return the pixels of `area` for the locations `xy` when it shows the rectangle `corners` of the plane."""
    x, y = xy[:, 0] - corners.left(), xy[:, 1] - corners.top()
    # In place: for 100 000 points, allocating each step costs more than the arithmetic.
    x *= area.width() / corners.width()
    x += area.left()
    y *= -area.height() / corners.height()
    y += area.bottom()
    return x, y


def rectangle_on_screen(grid: Grid, corners: QRectF, area: QRectF) -> QRectF:
    """Return the rectangle of `area` that shows `grid` when it shows the rectangle `corners` of the plane."""
    x, y = on_screen(np.array([[grid.left, grid.top], [grid.right, grid.bottom]]), corners, area)
    return QRectF(x[0], y[0], x[1] - x[0], y[1] - y[0])
