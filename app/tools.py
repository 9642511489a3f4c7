"""Tools: gestures on a canvas become commands; positions come in plane units and pixels, never as Qt events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .commands import AddPoints, Command, MovePoint, RemovePoints
from .document import Document

#: A press that moves less is a click.
CLICK_PIXELS = 4.0
#: How near a press must be to take hold of a point, and a removal to mean it.
GRAB_PIXELS = 10.0
REMOVE_PIXELS = 12.0


@dataclass(frozen=True)
class Spot:
    """Where the pointer is: (x, y) in the plane, and the size of a pixel there."""

    x: float
    y: float
    unit: float

    def pixels_to(self, x: float, y: float) -> float:
        """Distance in pixels to a place of the plane."""
        return float(np.hypot(x - self.x, y - self.y)) / self.unit


def nearest(document: Document, spot: Spot, pixels: float) -> int | None:
    """Index of the point nearest to `spot`, within `pixels`; None when there is none.  Of equals the newest, on top."""
    if len(document.points) == 0:
        return None
    xy, reach = document.points.xy, pixels * spot.unit
    # First a square, then the circle in it: of 100 000 points a few are left, and this is asked at every move.
    near = np.flatnonzero(np.abs(xy[:, 0] - spot.x) <= reach)
    near = near[np.abs(xy[near, 1] - spot.y) <= reach]
    if len(near) == 0:
        return None
    away = np.hypot(*(xy[near] - (spot.x, spot.y)).T)
    last = len(away) - 1 - int(away[::-1].argmin())
    return int(near[last]) if away[last] <= reach else None


class PointerTool:
    """The tool of the plain pointer: click puts a point, a drag from a point moves it.

    Parameters
    ----------
    dispatch : callable
        ``dispatch(command)``.
    """

    def __init__(self, dispatch: Callable[[Command], None]) -> None:
        self._dispatch = dispatch
        self._strokes = 0
        self._start: Spot | None = None
        self._held: int | None = None
        self._offset = (0.0, 0.0)
        self._dragging = False

    @property
    def busy(self) -> bool:
        """True between press and release."""
        return self._start is not None

    def press(self, document: Document, spot: Spot) -> None:
        """The main button goes down."""
        self._strokes += 1
        self._start, self._dragging = spot, False
        self._held = nearest(document, spot, GRAB_PIXELS)
        if self._held is not None:
            x, y = document.points.xy[self._held]
            self._offset = (float(x) - spot.x, float(y) - spot.y)

    def move(self, spot: Spot) -> None:
        """The pointer moves with the button down."""
        if self._start is None or self._held is None:
            return
        self._dragging = self._dragging or spot.pixels_to(self._start.x, self._start.y) > CLICK_PIXELS
        if self._dragging:
            dx, dy = self._offset
            self._dispatch(MovePoint(index=self._held, x=spot.x + dx, y=spot.y + dy, merge_key=("move", self._strokes)))

    def release(self, spot: Spot, label: int) -> None:
        """The button goes up: a click puts a point of class `label`."""
        start, self._start = self._start, None
        if start is None or self._dragging:
            return
        # A hand that shook within the click distance meant the place it pressed.
        at = start if self._held is not None or spot.pixels_to(start.x, start.y) <= CLICK_PIXELS else spot
        self._dispatch(AddPoints(xy=((at.x, at.y),), label=label))

    def cancel(self) -> None:
        """Forget a press (the window lost the pointer)."""
        self._start = None

    def remove(self, document: Document, spot: Spot) -> bool:
        """Remove the point nearest to `spot`; False when none is near."""
        index = nearest(document, spot, REMOVE_PIXELS)
        if index is not None and not self.busy:
            self._dispatch(RemovePoints(indices=(index,)))
        return index is not None
