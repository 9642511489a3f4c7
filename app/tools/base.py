"""Tool: one gesture from press to release; where the pointer is meanwhile; and the `Desk` it works at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.core.points import Ids, Points
from app.state.commands import Command
from app.state.document import Document
from app.state.session import Outline, Session
from solver.core.arrays import Array, Integers, Mask

#: A press that moves less is a click.
CLICK_PIXELS = 4.0
#: Least distance (px) from the centre of a point within which the pointer is on it, however small its symbol is; and
#: the same for the keyboard cursor, which moves in steps of 10, and for a finger.
POINT_PIXELS, COARSE_PIXELS = 6.0, 10.0
#: Least distance (px) within which a removal means a point.
REMOVE_PIXELS = 12.0


@dataclass(frozen=True)
class PointerPosition:
    """Where the pointer is.

    Attributes
    ----------
    x, y : float
        In the plane.
    unit : float
        Length of a pixel in the plane.
    reach : float
        Distance (px) from the centre of a point within which the pointer is on it: the radius of the symbols.
    """

    x: float
    y: float
    unit: float
    reach: float = POINT_PIXELS

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


def point_at(document: Document, pointer: PointerPosition) -> int | None:
    """Index of the point whose symbol `pointer` is on, or None; of several, the one with the nearest centre."""
    return nearest(document, pointer, pointer.reach)


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


@dataclass(frozen=True)
class Keys:
    """Modifier keys held at the press.

    Attributes
    ----------
    shift, control : bool
    alt : bool
        A click adds a point, also on top of another.
    double : bool
        This is the second press of a double click: it may begin a drag, but is no click.
    """

    shift: bool = False
    control: bool = False
    alt: bool = False
    double: bool = False


NO_KEYS = Keys()


class Desk(Protocol):
    """What tools see, and where they put what they do."""

    @property
    def document(self) -> Document: ...
    @property
    def session(self) -> Session: ...
    def dispatch(self, command: Command) -> None: ...
    def select(self, ids: Ids) -> None: ...
    def say(self, sentence: str) -> None: ...


class Tool:
    """A gesture; subclasses fill in what press, move, hold and release do.

    All commands of one gesture carry `stroke` as their merge key, so they are one undo step.

    Parameters
    ----------
    desk : Desk
    rng : numpy Generator, optional
        Where sprays and jitters get their chance from.
    """

    #: Milliseconds after which a press that is held begins to call `hold`; 0 for never.
    holds_after = 0
    #: The Enter key is a whole click; else it begins a drag, and ends it.
    clicks = False

    def __init__(self, desk: Desk, rng: np.random.Generator | None = None) -> None:
        self.desk = desk
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
        """The main button goes down."""
        self.stroke, self.start, self.pointer, self.keys = object(), pointer, pointer, keys
        self.begin(pointer)

    def move(self, pointer: PointerPosition) -> None:
        """The pointer moves; nothing happens unless the button is down."""
        if self.start is not None:
            self.go(pointer)
            self.pointer = pointer

    def hold(self) -> None:
        """The button stays down while time passes."""
        if self.pointer is not None and self.busy:
            self.stay(self.pointer)

    def release(self, pointer: PointerPosition) -> None:
        """The button goes up."""
        if self.start is not None:
            self.move(pointer)
            self.end(pointer)
            self.start = self.pointer = None

    def cancel(self) -> object:
        """Break the gesture off; returns its merge key."""
        self.start = self.pointer = None
        return self.stroke

    @property
    def outline(self) -> Outline | None:
        """What to draw over the canvas now."""
        return None

    def begin(self, pointer: PointerPosition) -> None:
        """What a press does."""

    def go(self, pointer: PointerPosition) -> None:
        """What a move from `self.spot` to `pointer` does."""

    def stay(self, pointer: PointerPosition) -> None:
        """What happens over and over while the button is held at `pointer`."""

    def end(self, pointer: PointerPosition) -> None:
        """What a release does, after the move to its place."""

    # -- for subclasses --------------------------------------------------------------------------------------------

    @property
    def radius(self) -> float:
        """Radius of the brush in the plane."""
        assert self.pointer is not None
        return self.desk.session.radius * self.pointer.unit

    @property
    def dragged(self) -> bool:
        """The pointer has left the place of the press by more than a shaking hand does."""
        assert self.start is not None and self.pointer is not None
        return self.pointer.pixels_to(self.start.x, self.start.y) > CLICK_PIXELS
