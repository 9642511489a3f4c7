"""Lines: polylines on screen: dashes that stay where they are whatever part of a picture is painted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: No piece of a line between two vertices is longer, in pixels of its picture: `shading` leaves out 7 in a row.
LONGEST = 24


def near(y: Array, height: int, width: float) -> Array:
    """`y` of line vertices with NaN where an image with rows 0 to `height` shows nothing of a line so wide."""
    reach = width + LONGEST
    return np.where((y > -reach) & (y < height + reach), y, np.nan)


def dashed(x: Array, y: Array, on: float, off: float) -> tuple[Array, Array]:
    """Polylines, parted by NaN, cut into dashes of length `on` and gaps of length `off`.

    Qt's own dashes are counted from where a line enters the painted part, so those of two strips would not meet.
    """
    period, tiny = on + off, 1e-6 * on
    parts: list[Array] = []
    for piece in np.split(np.arange(len(x)), np.flatnonzero(np.isnan(x))):
        of_line = piece[np.isfinite(x[piece])]
        if len(of_line) < 2:
            continue
        px, py = x[of_line], y[of_line]
        length = np.concatenate(([0.0], np.hypot(np.diff(px), np.diff(py)).cumsum()))
        begins = np.arange(0.0, length[-1], period)
        cuts = np.concatenate((length, begins, np.minimum(begins + on, length[-1])))
        cuts.sort()
        into = np.mod(cuts + tiny, period) - tiny
        cuts, into = cuts[into <= on + tiny], into[into <= on + tiny]
        points = np.stack((np.interp(cuts, length, px), np.interp(cuts, length, py)))
        # Each dash ends with a gap.
        ends = np.flatnonzero(into >= on - tiny) + 1
        parts.append(np.insert(points, ends, np.nan, axis=1))
        parts.append(np.full((2, 1), np.nan))
    if not parts:
        return np.empty(0), np.empty(0)
    joined = np.concatenate(parts[:-1], axis=1)
    return joined[0], joined[1]
