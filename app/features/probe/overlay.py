"""Probe overlay: a probe over a picture: crosshair, lines to the contributing points, the k-th distance."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPixmap

from app.scene.model import LaneScene, Scene
from app.views.plot.lines import clipped, draw_pieces, pieces_in, to_pixels
from app.views.plot.overlays import LaidLayer
from app.views.theme import Theme
from app.views.widgets.painting import blank, painter_on
from solver import Grid
from solver.core.arrays import Array, Indices, Mask
from solver.knn.metric_balls import outline

from .scene import NO_PROBE, Ball, LaneProbe, Location, Probe

#: Radius of the rings around points, length of the crosshair's arms and of the gap in its middle, radius of a pin
#: (pixels).
RING, ARM, GAP, PIN = 9.0, 14.0, 4.0, 6.0
#: Widths of lines for the smallest and the largest contribution (pixels).
THIN, THICK = 1.2, 4.2


class ProbeOverlay(Struct, frozen=True, eq=False):
    """The contents of the overlay, in the canvas's pixels.

    Attributes
    ----------
    cross : (x, y) or None
        The probed location.
    pinned : bool
    aim : (x, y) or None
        Location of the pointer in another picture.
    lines : ndarray of shape (m, 4)
        Lines from the location to the rings.
    sizes, positive, classes : ndarray of shape (m,)
        As in `Sketch`.
    rings : ndarray of shape (n, 2)
    ball_outline : ndarray of shape (p, 4)
        Segments of the line of the k-th distance.
    """

    cross: tuple[float, float] | None
    pinned: bool
    aim: tuple[float, float] | None
    lines: Array
    sizes: Array
    positive: Mask
    classes: Indices
    rings: Array
    ball_outline: Array

    def bounds(self) -> QRect:
        """Return the rectangle that it covers."""
        area, marks = QRectF(), np.array([each for each in (self.cross, self.aim) if each is not None])
        reaches = ((marks, ARM + 4), (self.lines, THICK + 2), (self.ball_outline, 4.0), (self.rings, RING + 4))
        for locations, reach in reaches:
            if len(locations):
                low, high = locations.reshape(-1, 2).min(axis=0), locations.reshape(-1, 2).max(axis=0)
                area |= QRectF(QPointF(*low), QPointF(*high)).adjusted(-reach, -reach, reach, reach)
        return area.toAlignedRect()

    def paint(self, painter: QPainter, theme: Theme, within: QRectF) -> None:
        """Draw the overlay; each line over a seam of the background's colour, to be visible on every surface."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        background, ink = QColor(*theme.background), QColor(*theme.ink)
        seam = QColor(*theme.background, 190)
        if len(self.ball_outline):
            for pen in (QPen(seam, 4.0), QPen(ink, 1.8)):
                pen.setCapStyle(Qt.PenCapStyle.SquareCap)
                draw_pieces(painter, self.ball_outline, pen)
        self._paint_lines(painter, theme, seam)
        ratio = painter.device().devicePixelRatioF()
        ring = _ring(theme, ratio)
        reach = ring.width() / ratio / 2.0
        for x, y in self.rings.tolist():
            painter.drawPixmap(QPointF(x - reach, y - reach), ring)
        for pixel, pinned in ((self.aim, False), (self.cross, self.pinned)):
            if pixel is not None:
                _paint_cross(painter, pixel, pinned, background, ink if pixel is self.aim else QColor(*theme.accent))

    def _paint_lines(self, painter: QPainter, theme: Theme, seam: QColor) -> None:
        """Draw the lines, the strongest on top; those against the positive class are dashed."""
        alike: dict[tuple[float, int, bool], list[int]] = {}
        for i in np.argsort(self.sizes, kind="stable").tolist():
            alike.setdefault((float(self.sizes[i]), int(self.classes[i]), bool(self.positive[i])), []).append(i)
        for back in (True, False):
            for (size, label, positive), rows in alike.items():
                width = THIN + (THICK - THIN) * size
                pen = QPen(seam, width + 2.0) if back else QPen(_line_colour(theme, label), width)
                pen.setCapStyle(Qt.PenCapStyle.FlatCap)
                if not back and not positive:
                    pen.setDashPattern([9.0 / width, 5.0 / width])
                draw_pieces(painter, self.lines[rows], pen)


@lru_cache(maxsize=4)
def _ring(theme: Theme, ratio: float) -> QPixmap:
    """Return a picture of a ring with its seam: copying it many times is cheaper than drawing it."""
    side = float(np.ceil((2.0 * RING + 6.0) * ratio)) / ratio
    pixmap = blank(side, side, ratio)
    with painter_on(pixmap, smooth=True) as painter:
        for pen in (QPen(QColor(*theme.background, 150), 3.6), QPen(QColor(*theme.ink), 1.6)):
            painter.setPen(pen)
            painter.drawEllipse(QPointF(side / 2.0, side / 2.0), RING, RING)
    return pixmap


def _line_colour(theme: Theme, label: int) -> QColor:
    """Return a class's colour, darker than the surface of that class; faint ink if there is no class."""
    if label < 0:
        return QColor(*theme.faint)
    colour = QColor(*theme.classes[label])
    return colour.lighter(115) if theme.dark else colour.darker(125)


class ProbeLayer(LaidLayer[ProbeOverlay]):
    """The probe over the picture of a lane."""

    def lay(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont, hovering: bool) -> list[QRect]:
        """Lay the overlay out for `area`, which shows `grid`; return the rectangles to repaint."""
        probe, old = scene.feature(Probe) or NO_PROBE, self.laid
        shown = dict(zip((each.slot for each in scene.lanes), probe.lanes, strict=False))
        mine = shown.get(lane.slot)
        made_of = (*_marks(probe, hovering), probe.pinned, mine and mine.sketch, grid, area.getRect())
        anew = self.renew(made_of, lambda: probe_overlay(probe, mine, grid, area, hovering))
        return [each.bounds() for each in (old, self.laid) if each is not None] * anew


def _marks(probe: Probe, hovering: bool) -> tuple[Location | None, Location | None]:
    """Return the location to mark in a picture, and that of a pointer over another picture."""
    location = probe.location
    follows = location is not None and location == probe.aim and not probe.pinned
    aim = None if probe.aim is None or hovering or probe.aim == location else probe.aim
    return None if follows and hovering else location, aim


def probe_overlay(
    probe: Probe, lane: LaneProbe | None, grid: Grid, area: QRectF, hovering: bool
) -> ProbeOverlay | None:
    """Return the overlay of a picture, or None if there is nothing to draw.

    Parameters
    ----------
    probe : Probe
    lane : LaneProbe or None
        The probe of this lane.
    grid : Grid
        The part of the plane on screen.
    area : QRectF
        Its location on screen (pixels).
    hovering : bool
        Whether the pointer itself is over this picture, which then needs no mark.
    """
    location, (cross, aim) = probe.location, _marks(probe, hovering)
    sketch = None if lane is None or location is None else lane.sketch
    if cross is None and aim is None and (sketch is None or not len(sketch.ends)):
        return None
    lines, rings, ball_outline = np.empty((0, 4)), np.empty((0, 2)), np.empty((0, 4))
    sizes, positive, classes = np.empty(0), np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.intp)
    if sketch is not None and location is not None:
        at = to_pixels(np.array([location]), grid, area)[0]
        ends = to_pixels(sketch.ends, grid, area)
        way = ends - at
        length = np.hypot(*way.T)
        far = length > RING + 1.0
        tips = ends[far] - way[far] * (RING / length[far])[:, None]
        lines, kept, _ = clipped(np.column_stack((np.tile(at, (len(tips), 1)), tips)), area)
        sizes, positive, classes = (each[far][kept] for each in (sketch.sizes, sketch.positive, sketch.classes))
        if sketch.ball is not None:  # support vectors have other marks already
            rings, ball_outline = ends[_inside(ends, area)], _ball_outline(sketch.ball, location, grid, area)
    return ProbeOverlay(
        _pixel(cross, grid, area),
        probe.pinned,
        _pixel(aim, grid, area),
        lines,
        sizes,
        positive,
        classes,
        rings,
        ball_outline,
    )


def _ball_outline(ball: Ball, location: Location, grid: Grid, area: QRectF) -> Array:
    """Return the line of the k-th distance as segments (pixels) that intersect the picture.

    If the model standardises, the line is computed in standardised coordinates: a circle there is an ellipse here.
    """
    corners = np.array([[x, y] for x in (grid.left, grid.right) for y in (grid.bottom, grid.top)])
    pixel = np.divide((grid.right - grid.left, grid.top - grid.bottom), (area.width(), area.height()))
    centre, scaler = np.array(location), ball.scaler
    if scaler is not None:
        corners, centre, pixel = scaler.transform(corners), scaler.transform(centre), pixel / scaler.scale
    reach = 2.0 * float(np.hypot(*corners.T).max()) + 1e-12
    line = outline(
        ball.metric, ball.p, (float(centre[0]), float(centre[1])), ball.radius, reach, 0.1 * float(pixel.min())
    )
    if len(line) < 2:
        return np.empty((0, 4))
    pixels = to_pixels(line if scaler is None else scaler.inverse_transform(line), grid, area)
    return pieces_in(pixels[:, 0], pixels[:, 1], area)


def _inside(pixels: Array, area: QRectF) -> Mask:
    x, y = pixels.T
    inside: Mask = (x >= area.left() - RING) & (x <= area.right() + RING)
    inside &= (y >= area.top() - RING) & (y <= area.bottom() + RING)
    return inside


def _pixel(location: Location | None, grid: Grid, area: QRectF) -> tuple[float, float] | None:
    if location is None:
        return None
    at = to_pixels(np.array([location]), grid, area)[0]
    inside = area.adjusted(-ARM, -ARM, ARM, ARM).contains(QPointF(*at))
    return (float(at[0]), float(at[1])) if inside else None


def _paint_cross(painter: QPainter, at: tuple[float, float], pinned: bool, background: QColor, ink: QColor) -> None:
    pixel, inner = QPointF(*at), PIN if pinned else GAP
    for pen in (QPen(background, 5.0), QPen(ink, 2.2)):
        painter.setPen(pen)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            painter.drawLine(pixel + QPointF(inner * dx, inner * dy), pixel + QPointF(ARM * dx, ARM * dy))
        if pinned:
            painter.drawEllipse(pixel, PIN, PIN)
