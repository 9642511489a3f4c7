"""Tools that select, and that move points.

Rectangle, lasso, and the point tool, whose clicks on free ground add points; move, soft drag, jitter and magnet.

Shift adds to the selection.  With Ctrl, rectangle and lasso remove from it; a click and the rubber band of the point
tool toggle: they invert whether a point is selected.
"""

from __future__ import annotations

import numpy as np

from app.core.points import Ids
from app.state.commands import AddPoints, MovePoints
from app.state.session import Outline
from solver.core.arrays import Array, Mask

from .base import CLICK_PIXELS, PointerPosition, Tool, inside_polygon, point_at

#: Share of the brush radius by which one jitter moves a point, as a standard deviation.
JITTER = 0.08
#: Share of the way to the pointer that one pull of the magnet covers.
PULL = 0.08


class Grip:
    """Points held by a gesture: they follow the pointer, each by its share of the way."""

    def __init__(self, ids: Ids, xy: Array, share: Array | float = 1.0) -> None:
        self.ids, self._xy = ids, xy
        self._share = np.broadcast_to(np.asarray(share, dtype=np.float64), (len(ids),))

    def dragged(self, start: PointerPosition, pointer: PointerPosition) -> Array:
        """Return the locations of the points after the pointer has moved from `start` to `pointer`."""
        return self._xy + self._share[:, None] * (pointer.xy - start.xy)


class _Mover(Tool):
    """Drag what `take_hold` returns; a press that hardly moves moves nothing."""

    verb = "Move"

    def begin(self, pointer: PointerPosition) -> None:
        self._grip = self.take_hold(pointer)
        self._moving = False

    def take_hold(self, pointer: PointerPosition) -> Grip | None:
        """Return the points that a press at `pointer` holds, or None."""
        raise NotImplementedError

    def go(self, pointer: PointerPosition) -> None:
        assert self.start is not None
        far = pointer.pixels_to(self.start.x, self.start.y) > CLICK_PIXELS
        self._moving = self._moving or far
        if self._grip is not None and self._moving:
            self.target.dispatch(
                MovePoints(self.stroke, ids=self._grip.ids, xy=self._grip.dragged(self.start, pointer), verb=self.verb)
            )

    def grip_of(self, ids: Ids) -> Grip:
        """Return a grip that moves these points rigidly."""
        points = self.target.document.points
        index = points.indices_of(ids)
        return Grip(points.ids[index], points.xy[index])


def held(tool: Tool, pointer: PointerPosition) -> Ids | None:
    """Return the point under `pointer`, with the whole selection if it is selected; None if there is none."""
    document = tool.target.document
    index = point_at(document, pointer)
    if index is None:
        return None
    stack, selection = document.points.ids[document.points.stack(index)], tool.target.session.selection.ids
    return selection if np.isin(stack, selection).any() else stack[-1:]


class MoveTool(_Mover):
    """Move a point, the selection it belongs to, or its whole class; never add one."""

    def take_hold(self, pointer: PointerPosition) -> Grip | None:
        ids = held(self, pointer)
        if ids is None:
            return None
        if self.target.session.moves == "class":
            points = self.target.document.points
            label = points.labels[points.indices_of(ids)[-1]]
            if len(ids) == 1:
                ids = points.ids[points.labels == label]
        return self.grip_of(ids)

    def end(self, pointer: PointerPosition) -> None:
        if self._grip is None:
            self.target.say("Press on a point to move it; press on a selected one to move the selection.")


class SoftDragTool(_Mover):
    """Move a point; its neighbours follow by (1 - d²/r²)² of the way, at distance d within the radius r."""

    verb = "Soft-drag"

    def take_hold(self, pointer: PointerPosition) -> Grip | None:
        points = self.target.document.points
        share = np.clip(1.0 - (pointer.away(points.xy) / self.radius) ** 2, 0.0, None) ** 2
        near = np.flatnonzero(share)
        return Grip(points.ids[near], points.xy[near], share[near]) if len(near) else None


class _Field(Tool):
    """Act on all points within the radius, at every move and while the button is held."""

    holds_after = 40
    verb = ""

    def begin(self, pointer: PointerPosition) -> None:
        self.stay(pointer)

    def go(self, pointer: PointerPosition) -> None:
        self.stay(pointer)

    def stay(self, pointer: PointerPosition) -> None:
        points = self.target.document.points
        near = np.flatnonzero(pointer.away(points.xy) <= self.radius)
        if len(near):
            moved = self.pushed(points.xy[near], pointer)
            self.target.dispatch(MovePoints(self.stroke, ids=points.ids[near], xy=moved, verb=self.verb))

    def pushed(self, xy: Array, pointer: PointerPosition) -> Array:
        """Return the new locations of points at `xy` after one turn."""
        raise NotImplementedError


class JitterTool(_Field):
    """Shake the points under the brush."""

    verb = "Jitter"

    def pushed(self, xy: Array, pointer: PointerPosition) -> Array:
        shaken: Array = xy + self.rng.normal(0.0, JITTER * self.radius, xy.shape) * pointer.pixel
        return shaken


class MagnetTool(_Field):
    """Pull the points under the brush towards the pointer; with Shift, push them away."""

    verb = "Pull"

    def pushed(self, xy: Array, pointer: PointerPosition) -> Array:
        pulled: Array = xy + (-PULL if self.keys.shift else PULL) * (pointer.xy - xy)
        return pulled


def in_turn(stack: Ids, selected: Ids, on: bool = True) -> Ids:
    """Return the id after the last selected one of a stack, or with `on` False that one; else the first."""
    at = np.flatnonzero(np.isin(stack, selected))[-1:] + on
    return stack[at % len(stack)] if len(at) else stack[:1]


#: Distance between two corners of a lasso (pixels).
CORNER_PIXELS = 3.0


class _Selector(_Mover):
    """Select the points inside an outline; a click selects a point, a drag of a selected point moves the selection."""

    #: With Ctrl, the outline toggles points instead of removing them from the selection.
    toggles = False

    def take_hold(self, pointer: PointerPosition) -> Grip | None:
        ids = held(self, pointer)
        taken = ids is not None and len(np.intersect1d(ids, self.target.session.selection.ids)) > 0
        plain = not (self.keys.shift or self.keys.control)
        return self.grip_of(ids) if ids is not None and taken and plain else None

    def end(self, pointer: PointerPosition) -> None:
        points = self.target.document.points
        if not self._moving:
            self._click(points.ids)
        elif self._grip is None:
            self.target.select(self._combined(points.ids[self.holds(points.xy)], self.toggles))

    def _click(self, ids: Ids) -> None:
        """Select the point under the press, or none; of several at one location, the next in turn."""
        assert self.start is not None
        index = point_at(self.target.document, self.start)
        stack = ids[:0] if index is None else ids[self.target.document.points.stack(index)[::-1]]
        if not self.keys.double or len(stack) > 1:
            chosen = in_turn(stack, self.target.session.selection.ids, on=not self.keys.control)
            self.target.select(self._combined(chosen, toggles=True))

    def holds(self, xy: Array) -> Mask:
        """Return which locations are inside the outline."""
        raise NotImplementedError

    def _combined(self, chosen: Ids, toggles: bool) -> Ids:
        old = self.target.session.selection.ids
        if self.keys.shift:
            return np.union1d(old, chosen)
        if self.keys.control:
            return np.setxor1d(old, chosen) if toggles else np.setdiff1d(old, chosen)
        return chosen


class RectangleTool(_Selector):
    """Select the points in a rectangle."""

    @property
    def outline(self) -> Outline | None:
        if self.start is None or self.pointer is None or self._grip is not None:
            return None
        return Outline("rectangle", np.stack((self.start.xy, self.pointer.xy)))

    def holds(self, xy: Array) -> Mask:
        assert self.start is not None and self.pointer is not None
        low, high = np.minimum(self.start.xy, self.pointer.xy), np.maximum(self.start.xy, self.pointer.xy)
        return np.asarray(((xy >= low) & (xy <= high)).all(axis=1))


class PointerTool(RectangleTool):
    """Add or select a point by a click; move a point, or the selection it belongs to, by a drag.

    With Shift or Ctrl, a drag on free ground selects a rectangle.  With Alt, a click on a point adds one on top of it.
    """

    clicks = True
    toggles = True

    @property
    def _adds(self) -> bool:
        """Return whether the gesture adds a point."""
        return self._grip is None and (self.keys.alt or not (self.keys.shift or self.keys.control))

    def take_hold(self, pointer: PointerPosition) -> Grip | None:
        ids = None if self.keys.alt else held(self, pointer)
        return None if ids is None else self.grip_of(ids)

    @property
    def outline(self) -> Outline | None:
        return None if self.start is None or self._adds else super().outline

    def end(self, pointer: PointerPosition) -> None:
        if not self._adds:
            super().end(pointer)
        elif self._moving or not self.keys.double:
            # Within the click distance, the location of the press counts.
            at = pointer if self._moving else self.start
            assert at is not None
            self.target.select(self.target.document.points.ids[:0])
            self.target.dispatch(AddPoints(xy=(at.x, at.y), labels=self.target.session.active_class))


class LassoTool(_Selector):
    """Select the points inside a freehand line, closed by a straight one."""

    def begin(self, pointer: PointerPosition) -> None:
        super().begin(pointer)
        self._corners = [pointer]

    def go(self, pointer: PointerPosition) -> None:
        super().go(pointer)
        if pointer.pixels_to(self._corners[-1].x, self._corners[-1].y) >= CORNER_PIXELS:
            self._corners.append(pointer)

    @property
    def outline(self) -> Outline | None:
        if self.start is None or self.pointer is None or self._grip is not None:
            return None
        return Outline("path", np.array([(corner.x, corner.y) for corner in (*self._corners, self.pointer)]))

    def holds(self, xy: Array) -> Mask:
        outline = self.outline
        assert outline is not None
        return inside_polygon(xy, outline.xy)
