"""PointerPosition: where the pointer is; and which points lie near it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.state.document import Document
from app.state.points import Points
from solver.core.arrays import Array, Integers, Mask

#: A press that moves less is a click.
CLICK_PIXELS = 4.0
#: How near a press must be to take hold of a point, and a removal to mean it.
GRAB_PIXELS = 10.0
REMOVE_PIXELS = 12.0


@dataclass(frozen=True)
class PointerPosition:
    """Where the pointer is: (x, y) in the plane, and the size of a pixel there."""

    x: float
    y: float
    unit: float

    @property
    def xy(self) -> Array:
        """The place, shape (2,)."""
        return np.array([self.x, self.y])

    def pixels_to(self, x: float, y: float) -> float:
        """Distance in pixels to a place of the plane."""
        return float(np.hypot(x - self.x, y - self.y)) / self.unit


def nearest(document: Document, pointer: PointerPosition, pixels: float) -> int | None:
    """Index of the point nearest to `pointer`, within `pixels`, or None.  Of equals the newest, on top."""
    if len(document.points) == 0:
        return None
    xy, reach = document.points.xy, pixels * pointer.unit
    # First a square, then the circle in it: of 100 000 points a few are left, and this is asked at every move.
    near = np.flatnonzero(np.abs(xy[:, 0] - pointer.x) <= reach)
    near = near[np.abs(xy[near, 1] - pointer.y) <= reach]
    if len(near) == 0:
        return None
    away = np.hypot(*(xy[near] - (pointer.x, pointer.y)).T)
    last = len(away) - 1 - int(away[::-1].argmin())
    return int(near[last]) if away[last] <= reach else None


def along(points: Points, start: PointerPosition, end: PointerPosition, radius: float) -> Integers:
    """Ids of the points within `radius` (in the plane) of the way from `start` to `end`."""
    way = end.xy - start.xy
    length = float(way @ way)
    from_start = points.xy - start.xy
    share = np.clip(from_start @ way / length, 0.0, 1.0) if length > 0 else np.zeros(len(points))
    away = from_start - share[:, None] * way
    near: Integers = points.ids[np.hypot(away[:, 0], away[:, 1]) <= radius]
    return near


def inside_polygon(xy: Array, corners: Array) -> Mask:
    """Which of the places lie inside a closed polygon, by the parity of the edges to their right.

    Only the places at the height of an edge are looked at for it, so a long lasso round many points stays quick.
    """
    inside = np.zeros(len(xy), dtype=bool)
    order = np.argsort(xy[:, 1], kind="stable")
    x, y = xy[order].T
    ends = np.roll(corners, -1, axis=0)
    for (ax, ay), (bx, by) in zip(corners, ends, strict=True):
        if ay == by:
            continue
        first, last = np.searchsorted(y, (min(ay, by), max(ay, by)))
        part = slice(first, last)
        crossing = ax + (y[part] - ay) * ((bx - ax) / (by - ay))
        inside[order[part]] ^= x[part] < crossing
    return inside
