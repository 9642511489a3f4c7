"""Tools that select: rectangle and lasso.  Shift adds to the selection, Ctrl takes away from it."""

from __future__ import annotations

import numpy as np

from app.state.points import Ids
from app.state.session import Outline
from solver.core.arrays import Array, Mask

from .base import GRAB_PIXELS, PointerPosition, inside_polygon, nearest
from .moving import Grip, _Mover, held

#: Pixels between two corners of a lasso.
CORNER_PIXELS = 3.0


class _Selector(_Mover):
    """Selects what its outline holds; a press on a selected point moves the selection, a click picks one point."""

    def take_hold(self, pointer: PointerPosition) -> Grip | None:
        ids = held(self, pointer)
        taken = ids is not None and len(np.intersect1d(ids, self.desk.session.selection.ids)) > 0
        plain = not (self.keys.shift or self.keys.control)
        return self.grip_of(ids) if ids is not None and taken and plain else None

    def end(self, pointer: PointerPosition) -> None:
        if self._grip is not None:
            return
        points = self.desk.document.points
        if self._moving:
            chosen = points.ids[self.holds(points.xy)]
        else:
            index = nearest(self.desk.document, pointer, GRAB_PIXELS)
            chosen = points.ids[:0] if index is None else points.ids[[index]]
        self.desk.select(self._combined(chosen))

    def holds(self, xy: Array) -> Mask:
        """Which places the outline holds."""
        raise NotImplementedError

    def _combined(self, chosen: Ids) -> Ids:
        old = self.desk.session.selection.ids
        if self.keys.shift:
            return np.union1d(old, chosen)
        return np.setdiff1d(old, chosen) if self.keys.control else chosen


class RectangleTool(_Selector):
    """Selects the points in a rectangle."""

    @property
    def outline(self) -> Outline | None:
        if self.start is None or self.pointer is None or self._grip is not None:
            return None
        return Outline("rectangle", np.stack((self.start.xy, self.pointer.xy)))

    def holds(self, xy: Array) -> Mask:
        assert self.start is not None and self.pointer is not None
        low, high = np.minimum(self.start.xy, self.pointer.xy), np.maximum(self.start.xy, self.pointer.xy)
        return np.asarray(((xy >= low) & (xy <= high)).all(axis=1))


class LassoTool(_Selector):
    """Selects the points inside a line drawn by hand, closed by a straight one."""

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
