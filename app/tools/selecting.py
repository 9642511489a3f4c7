"""Tools that select: rectangle and lasso, and the point tool, whose clicks on free ground add points.

Shift adds to the selection.  With Ctrl, rectangle and lasso remove from it; a click and the rubber band of the point
tool toggle: they invert whether a point is selected.
"""

from __future__ import annotations

import numpy as np

from app.core.points import Ids
from app.state.commands import AddPoints
from app.state.session import Outline
from solver.core.arrays import Array, Mask

from .base import PointerPosition, inside_polygon, point_at
from .moving import Grip, _Mover, held

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
        """Select the point under the press, or none."""
        assert self.start is not None
        if not self.keys.double:
            index = point_at(self.target.document, self.start)
            self.target.select(self._combined(ids[:0] if index is None else ids[[index]], toggles=True))

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
