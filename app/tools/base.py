"""Tool: one gesture from press to release, the pointer's position during it, and the `ToolTarget` it acts on."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from msgspec import Struct

from app.core.points import Ids, Points
from app.state.commands import Command
from app.state.document import Document
from app.state.session import Outline, Session
from solver.core.arrays import Array, Integers, Mask

#: Least distance of a drag (pixels): a shorter press is a click.
CLICK_PIXELS = 4.0
#: Smallest distance (px) from a point's centre within which the pointer hits it, however small its symbol is; the
#: second is for fingers and for the keyboard cursor, which moves in steps of 10.
POINT_PIXELS, COARSE_PIXELS = 6.0, 10.0
#: Smallest distance (px) within which a removal hits a point.
REMOVE_PIXELS = 12.0


class PointerPosition(Struct, frozen=True):
    """The position of the pointer.

    Attributes
    ----------
    x, y : float
        In the plane.
    unit : float
        Width of a pixel in the plane.
    reach : float
        Distance (px) from a point's centre within which the pointer hits it: the radius of the symbols.
    ratio : float
        Height of a pixel in the plane, in widths.
    """

    x: float
    y: float
    unit: float
    reach: float = POINT_PIXELS
    ratio: float = 1.0

    @property
    def xy(self) -> Array:
        """The location, shape (2,)."""
        return np.array([self.x, self.y])

    @property
    def pixel(self) -> Array:
        """Width and height of a pixel in the plane, shape (2,)."""
        return np.array([self.unit, self.unit * self.ratio])

    def away(self, xy: Array) -> Array:
        """Return the distances in pixels to locations in the plane, shape (n,)."""
        return np.asarray(np.hypot(*((xy - self.xy) / self.pixel).T))

    def pixels_to(self, x: float, y: float) -> float:
        """Return the distance in pixels to a location in the plane."""
        return float(self.away(np.array([x, y])))


def nearest(document: Document, pointer: PointerPosition, pixels: float) -> int | None:
    """Return the index of the point nearest to `pointer`, within `pixels`, or None; of several at the same distance,
    the newest, which is on top.
    """
    if len(document.points) == 0:
        return None
    xy, (width, height) = document.points.xy, pixels * pointer.pixel
    # First a square, then the circle in it: of 100 000 points few remain, and this runs at every move.
    near = np.flatnonzero(np.abs(xy[:, 0] - pointer.x) <= width)
    near = near[np.abs(xy[near, 1] - pointer.y) <= height]
    if len(near) == 0:
        return None
    away = pointer.away(xy[near])
    last = len(away) - 1 - int(away[::-1].argmin())
    return int(near[last]) if away[last] <= pixels else None


def point_at(document: Document, pointer: PointerPosition) -> int | None:
    """Return the index of the point whose symbol `pointer` hits, or None; of several, the nearest."""
    return nearest(document, pointer, pointer.reach)


def along(points: Points, start: PointerPosition, end: PointerPosition, radius: float) -> Integers:
    """Return the ids of the points within `radius` pixels of the segment from `start` to `end`."""
    way = (end.xy - start.xy) / end.pixel
    length = float(way @ way)
    from_start = (points.xy - start.xy) / end.pixel
    share = np.clip(from_start @ way / length, 0.0, 1.0) if length > 0 else np.zeros(len(points))
    away = from_start - share[:, None] * way
    near: Integers = points.ids[np.hypot(away[:, 0], away[:, 1]) <= radius]
    return near


def inside_polygon(xy: Array, corners: Array) -> Mask:
    """Return which of the locations lie inside a closed polygon, by the parity of the edges to their right.

    For each edge only the locations at its height are tested, so a long lasso around many points stays fast.
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


class Keys(Struct, frozen=True):
    """Modifier keys held at the press.

    Attributes
    ----------
    shift, control : bool
    alt : bool
        A click adds a point, even on top of another.
    double : bool
        This is the second press of a double click: it may begin a drag, but is no click.
    """

    shift: bool = False
    control: bool = False
    alt: bool = False
    double: bool = False


NO_KEYS = Keys()


class ToolTarget(Protocol):
    """What tools can read of the program, and the methods through which they act."""

    @property
    def document(self) -> Document: ...
    @property
    def session(self) -> Session: ...
    def dispatch(self, command: Command) -> None: ...
    def select(self, ids: Ids) -> None: ...
    def say(self, sentence: str) -> None: ...


class Tool:
    """A gesture; subclasses implement press, move, hold and release.

    All commands of one gesture carry `stroke` as their merge key, so they are one undo step.

    Parameters
    ----------
    target : ToolTarget
    rng : numpy Generator, optional
        Source of randomness for sprays and jitters.
    """

    #: Delay (ms) after which a held press begins to call `hold`; 0 for never.
    holds_after = 0
    #: True if the Enter key makes a whole click; else it begins and ends a drag.
    clicks = False

    def __init__(self, target: ToolTarget, rng: np.random.Generator | None = None) -> None:
        self.target = target
        self.rng = rng or np.random.default_rng()
        self.stroke: object = object()
        self.start: PointerPosition | None = None
        self.pointer: PointerPosition | None = None
        self.keys = NO_KEYS

    @property
    def busy(self) -> bool:
        """True between press and release."""
        return self.start is not None

    def press(self, pointer: PointerPosition, keys: Keys = NO_KEYS) -> None:
        """Handle the main button going down."""
        self.stroke, self.start, self.pointer, self.keys = object(), pointer, pointer, keys
        self.begin(pointer)

    def move(self, pointer: PointerPosition) -> None:
        """Handle a move of the pointer; nothing happens unless the button is down."""
        if self.start is not None:
            self.go(pointer)
            self.pointer = pointer

    def hold(self) -> None:
        """Act while the button is held down."""
        if self.pointer is not None and self.busy:
            self.stay(self.pointer)

    def release(self, pointer: PointerPosition) -> None:
        """Handle the button going up."""
        if self.start is not None:
            self.move(pointer)
            self.end(pointer)
            self.start = self.pointer = None

    def cancel(self) -> object:
        """Abort the gesture; return its merge key."""
        self.start = self.pointer = None
        return self.stroke

    @property
    def outline(self) -> Outline | None:
        """The outline to draw over the canvas now."""
        return None

    def begin(self, pointer: PointerPosition) -> None:
        """Act on a press."""

    def go(self, pointer: PointerPosition) -> None:
        """Act on a move from `self.location` to `pointer`."""

    def stay(self, pointer: PointerPosition) -> None:
        """Act repeatedly while the button is held at `pointer`."""

    def end(self, pointer: PointerPosition) -> None:
        """Act on a release, after the move to its location."""

    # -- for subclasses --------------------------------------------------------------------------------------------

    @property
    def radius(self) -> int:
        """Radius of the brush (pixels)."""
        return self.target.session.radius

    @property
    def dragged(self) -> bool:
        """Return True if the pointer has moved further from the press than a shaking hand does."""
        assert self.start is not None and self.pointer is not None
        return self.pointer.pixels_to(self.start.x, self.start.y) > CLICK_PIXELS
