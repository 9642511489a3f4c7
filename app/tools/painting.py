"""Tools that paint: brush, eraser, relabel brush, test points; and shapes made of points: line, ellipse."""

from __future__ import annotations

import numpy as np

from app.state.commands import AddPoints, PaintTestPoints, RelabelPoints, RemovePoints
from app.state.session import Outline, OutlineKind
from solver.core.arrays import Array, Integers

from .base import PointerPosition, Tool, along

#: Share of the radius after which the brush sprays again.
SPACING = 0.5
#: Largest number of sprays in one move of the pointer: more would be a leap, as when a stroke is interrupted by a zoom.
MOST_SPRAYS = 200


class BrushTool(Tool):
    """Spray `density` points each time the brush has moved half its radius, and while it is held.

    They are uniform over the disc of the radius, or normal with half the radius as standard deviation.
    """

    holds_after = 300

    def begin(self, pointer: PointerPosition) -> None:
        self._travelled = 0.0
        self._spray(pointer.xy[None])

    def go(self, pointer: PointerPosition) -> None:
        assert self.pointer is not None
        way, length = pointer.xy - self.pointer.xy, pointer.pixels_to(self.pointer.x, self.pointer.y)
        gap = SPACING * self.radius
        turns = int(min((self._travelled + length) / gap, MOST_SPRAYS))
        locations = gap * np.arange(1, turns + 1) - self._travelled
        self._travelled = self._travelled + length - turns * gap if turns < MOST_SPRAYS else 0.0
        if turns:
            self._spray(self.pointer.xy + (locations / length)[:, None] * way)

    def stay(self, pointer: PointerPosition) -> None:
        self._spray(pointer.xy[None])

    def _spray(self, centres: Array) -> None:
        session = self.target.session
        n = session.density * len(centres)
        if session.spread == "normal":
            offsets = self.rng.normal(0.0, 0.5 * self.radius, (n, 2))
        else:
            r, angle = self.radius * np.sqrt(self.rng.random(n)), 2 * np.pi * self.rng.random(n)
            offsets = np.column_stack((r * np.cos(angle), r * np.sin(angle)))
        assert self.pointer is not None
        xy = np.repeat(centres, session.density, axis=0) + offsets * self.pointer.pixel
        self.target.dispatch(AddPoints(self.stroke, xy=xy, labels=session.active_class, verb="Brush"))


class _Sweep(Tool):
    """Act on every point that the brush passes over, however fast it moves."""

    def begin(self, pointer: PointerPosition) -> None:
        self._sweep(pointer, pointer)

    def go(self, pointer: PointerPosition) -> None:
        assert self.pointer is not None
        self._sweep(self.pointer, pointer)

    def _sweep(self, start: PointerPosition, end: PointerPosition) -> None:
        ids = along(self.target.document.points, start, end, self.radius)
        if len(ids):
            self.act(ids)

    def act(self, ids: Integers) -> None:
        """Act on the points under the brush."""
        raise NotImplementedError


class EraserTool(_Sweep):
    """Remove the points under the brush."""

    def act(self, ids: Integers) -> None:
        self.target.dispatch(RemovePoints(self.stroke, ids=ids, verb="Erase"))


class RelabelTool(_Sweep):
    """Give the points under the brush the active class."""

    def act(self, ids: Integers) -> None:
        self.target.dispatch(RelabelPoints(self.stroke, ids=ids, label=self.target.session.active_class))


class TestTool(_Sweep):
    """Turn the points under the brush into test points; with Shift, into training points."""

    def act(self, ids: Integers) -> None:
        self.target.dispatch(PaintTestPoints(self.stroke, ids=ids, test=not self.keys.shift))


class _Shape(Tool):
    """Draw a shape from corner to corner; its points appear at the release."""

    kind: OutlineKind
    verb = ""

    @property
    def outline(self) -> Outline | None:
        if self.start is None or self.pointer is None:
            return None
        return Outline(self.kind, np.stack(self.corners(self.start, self.pointer)))

    def corners(self, start: PointerPosition, end: PointerPosition) -> tuple[Array, Array]:
        """Return the two ends of the shape."""
        raise NotImplementedError

    def locations(self, first: Array, last: Array, n: int) -> Array:
        """Return the locations of `n` points of the shape, shape (n, 2)."""
        raise NotImplementedError

    def end(self, pointer: PointerPosition) -> None:
        assert self.start is not None
        self.pointer = pointer
        if not self.dragged:
            self.target.say(f"Press and drag: the {self.kind} of points goes from the press to the release.")
            return
        session = self.target.session
        xy = self.locations(*self.corners(self.start, pointer), session.count)
        xy = xy + self.rng.normal(0.0, session.scatter, xy.shape) * pointer.pixel
        self.target.dispatch(AddPoints(xy=xy, labels=session.active_class, verb=self.verb))


class LineTool(_Shape):
    """Put points at equal distances on a straight line; with Shift, only horizontal, vertical or diagonal."""

    kind, verb = "line", "Draw a line of"

    def corners(self, start: PointerPosition, end: PointerPosition) -> tuple[Array, Array]:
        way = (end.xy - start.xy) / end.pixel
        if self.keys.shift:
            angle = np.round(np.arctan2(way[1], way[0]) / (np.pi / 4)) * (np.pi / 4)
            direction = np.array([np.cos(angle), np.sin(angle)])
            way = float(way @ direction) * direction
        return start.xy, start.xy + way * end.pixel

    def locations(self, first: Array, last: Array, n: int) -> Array:
        return first + np.linspace(0.0, 1.0, n)[:, None] * (last - first) if n > 1 else ((first + last) / 2)[None]


class EllipseTool(_Shape):
    """Put points on the rim of an ellipse, or all over it; with Shift, a circle."""

    kind, verb = "ellipse", "Draw an ellipse of"

    def corners(self, start: PointerPosition, end: PointerPosition) -> tuple[Array, Array]:
        way: Array = (end.xy - start.xy) / end.pixel
        corner: Array = np.copysign(np.abs(way).max(), way) if self.keys.shift else way
        return start.xy, start.xy + corner * end.pixel

    def locations(self, first: Array, last: Array, n: int) -> Array:
        filled = self.target.session.filled
        r = np.sqrt(self.rng.random(n)) if filled else np.ones(n)
        angle = 2 * np.pi * (self.rng.random(n) if filled else np.arange(n) / n)
        unit = np.column_stack((r * np.cos(angle), r * np.sin(angle)))
        return (first + last) / 2 + unit * (last - first) / 2
