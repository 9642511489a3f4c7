"""Tools that move points: move, soft drag, jitter, magnet."""

from __future__ import annotations

import numpy as np

from app.core.points import Ids
from app.state.commands import MovePoints
from solver.core.arrays import Array

from .base import CLICK_PIXELS, PointerPosition, Tool, point_at

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
    point = document.points.ids[index]
    selection = tool.target.session.selection.ids
    return selection if point in selection else np.array([point])


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
        share = np.clip(1.0 - ((points.xy - pointer.xy) ** 2).sum(axis=1) / self.radius**2, 0.0, None) ** 2
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
        near = np.flatnonzero(((points.xy - pointer.xy) ** 2).sum(axis=1) <= self.radius**2)
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
        shaken: Array = xy + self.rng.normal(0.0, JITTER * self.radius, xy.shape)
        return shaken


class MagnetTool(_Field):
    """Pull the points under the brush towards the pointer; with Shift, push them away."""

    verb = "Pull"

    def pushed(self, xy: Array, pointer: PointerPosition) -> Array:
        pulled: Array = xy + (-PULL if self.keys.shift else PULL) * (pointer.xy - xy)
        return pulled
