"""Geometry of the pictures of an SMO step: the box with its segment, and D along it; no Qt.

`StepBox` and `StepGain` use the units of the step; `fitted`, `leaves` and `apart` use pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from solver.core.arrays import Array
from solver.inspection.step_explanation import Explanation

PlotPoint = tuple[float, float]
#: A bound beyond the multipliers by this factor is not drawn: the step would be a dot in a corner.
FAR = 12.0
#: Drawn length of an axis without bound, relative to the largest multiplier.
BEYOND = 1.35
#: Largest ratio of the sides of a box that is drawn to scale.
SLIMMEST = 4.0
#: Drawn length of the parabola: relative to lambda* if it is free, to lambda* and to the step if it is clipped; and
#: before zero.
PAST_TOP, PAST_CLIPPED, PAST_STEP, BEFORE = 1.5, 1.15, 2.5, 0.08
SAMPLES = 33


class StepBox(Struct, frozen=True):
    """The box [0, C_i] x [0, C_j] and the step in it; locations are (alpha_i, alpha_j).

    Attributes
    ----------
    width, height : float
        Drawn length of both axes.
    bounded_i, bounded_j : bool
        True if the far side is C itself; else there is none, or it is further out.
    to_scale : bool
    aspect : float
        Width divided by height of the drawing.
    low_end, high_end : tuple of float
        Ends of the segment, smallest and largest alpha_j, or where it leaves the drawing.
    low_ends, high_ends : bool
        True if these are L and H.
    now, after : tuple of float
    top : tuple of float or None
        The maximum, at lambda*; None if D has none.
    labels : tuple of (float, str)
        Labels of the alpha_j axis from below: 0, C, L and H; equal ones are joined.
    """

    width: float
    height: float
    bounded_i: bool
    bounded_j: bool
    to_scale: bool
    aspect: float
    low_end: PlotPoint
    high_end: PlotPoint
    low_ends: bool
    high_ends: bool
    now: PlotPoint
    after: PlotPoint
    top: PlotPoint | None
    labels: tuple[tuple[float, str], ...]


def box_of(step: Explanation) -> StepBox:
    """Return the box of `step`."""
    largest = max(step.alpha_i, step.alpha_j, *step.after)
    bounded_i, bounded_j = step.C_i <= FAR * largest, step.C_j <= FAR * largest
    width = step.C_i if bounded_i else BEYOND * largest
    height = step.C_j if bounded_j else BEYOND * largest
    if not bounded_i and bounded_j:
        width = max(width, height)
    elif bounded_i and not bounded_j:
        height = max(width, height)
    ratio = width / height
    to_scale = 1.0 / SLIMMEST <= ratio <= SLIMMEST
    # Lengths of lambda along the segment; alpha_j falls with it if y_j is +1.
    back = min(step.back, _room(step.alpha_i, -step.y_i, width), _room(step.alpha_j, step.y_j, height))
    ahead = min(step.longest, _room(step.alpha_i, step.y_i, width), _room(step.alpha_j, -step.y_j, height))
    ends = [(at(step, -back), back >= step.back), (at(step, ahead), ahead >= step.longest)]
    low, high = ends if step.y_j < 0 else reversed(ends)
    return StepBox(
        width,
        height,
        bounded_i,
        bounded_j,
        to_scale,
        ratio if to_scale else 1.0,
        low[0],
        high[0],
        low[1],
        high[1],
        (step.alpha_i, step.alpha_j),
        step.after,
        step.optimum if step.curved else None,
        _labels(step),
    )


def at(step: Explanation, length: float) -> PlotPoint:
    """Return (alpha_i, alpha_j) after a step of this length, within the box."""
    alpha_i, alpha_j = step.alpha_i + step.y_i * length, step.alpha_j - step.y_j * length
    return min(max(alpha_i, 0.0), step.C_i), min(max(alpha_j, 0.0), step.C_j)


def _room(alpha: float, sign: float, extent: float) -> float:
    return extent - alpha if sign > 0 else np.inf


def _labels(step: Explanation) -> tuple[tuple[float, str], ...]:
    names = {"0": 0.0, "L": step.low, "H": step.high, "C": step.C_j}
    found: dict[float, list[str]] = {}
    for name, value in sorted(names.items(), key=lambda item: item[1]):
        found.setdefault(value, []).append(name)
    # "L = 0" but "H = C": letters before the number.
    return tuple((value, " = ".join(sorted(names, key="HLC0".index))) for value, names in found.items())


class StepGain(Struct, frozen=True, eq=False):
    """D along the segment, relative to its present value; locations are (lambda, gain).

    Attributes
    ----------
    left, right, bottom, top : float
        The drawn range.
    limits : tuple
        The ends of the box, as far as they are drawn; else None.
    curve : ndarray of shape (m, 2)
    vertex : tuple of float or None
        The maximum, at lambda*; None if D has none.
    vertex_inside : bool
        True if it is drawn.
    """

    left: float
    right: float
    bottom: float
    top: float
    limits: tuple[float | None, float | None]
    curve: Array
    vertex: PlotPoint | None
    vertex_inside: bool

    def between(self, low: float, high: float) -> list[PlotPoint]:
        """Return the curve from one lambda to another."""
        inside = (self.curve[:, 0] > low) & (self.curve[:, 0] < high)
        lengths = self.curve[:, 0]
        ends = [(end, float(np.interp(end, lengths, self.curve[:, 1]))) for end in (low, high)]
        return [ends[0], *((x, y) for x, y in self.curve[inside].tolist()), ends[1]]


def gain_of(step: Explanation) -> StepGain:
    """Return the parabola of `step`."""
    right = BEYOND * step.step
    vertex = None
    if step.curved:
        vertex = step.unclipped, step.gain_unclipped
        right = PAST_TOP * step.unclipped
        if step.clipped:
            right = min(PAST_CLIPPED * step.unclipped, PAST_STEP * step.step)
    left = -BEFORE * right
    lengths = np.linspace(left, right, SAMPLES)
    gains = lengths * (step.v_i - step.v_j - 0.5 * step.curvature * lengths)
    bottom, top = float(gains.min()), max(float(gains.max()), step.gain)
    inside = vertex is not None and vertex[0] <= right
    if inside and vertex is not None:
        top = max(top, vertex[1])
    return StepGain(
        left,
        right,
        bottom,
        top,
        (-step.back if -step.back >= left else None, step.longest if step.longest <= right else None),
        np.column_stack((lengths, gains)),
        vertex,
        inside,
    )


# -- pixels ------------------------------------------------------------------------------------------------------------


class PlotFrame(Struct, frozen=True):
    """A rectangle of pixels that shows [x0, x1] x [y0, y1], y upwards."""

    left: float
    top: float
    width: float
    height: float
    x0: float
    x1: float
    y0: float
    y1: float

    def at(self, point: PlotPoint) -> PlotPoint:
        """Return the pixel of a location."""
        x = self.left + self.width * (point[0] - self.x0) / (self.x1 - self.x0)
        y = self.top + self.height * (1.0 - (point[1] - self.y0) / (self.y1 - self.y0))
        return x, y


def fitted(box: StepBox, left: float, top: float, width: float, height: float) -> PlotFrame:
    """Return the largest frame for `box` in the middle of a rectangle of pixels."""
    wide = min(width, height * box.aspect)
    high = wide / box.aspect
    return PlotFrame(
        left + 0.5 * (width - wide), top + 0.5 * (height - high), wide, high, 0.0, box.width, 0.0, box.height
    )


def leaves(
    start: PlotPoint, end: PlotPoint, left: float, top: float, right: float, bottom: float
) -> tuple[PlotPoint, bool]:
    """Return the last point of a rectangle on the way from `start`, inside, to `end`; and whether it is not `end`."""
    share = 1.0
    for begin, finish, low, high in ((start[0], end[0], left, right), (start[1], end[1], top, bottom)):
        if finish > high:
            share = min(share, (high - begin) / (finish - begin))
        elif finish < low:
            share = min(share, (low - begin) / (finish - begin))
    return (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])), share < 1.0


def free_corner(frame: PlotFrame, start: PlotPoint, end: PlotPoint) -> PlotPoint:
    """Return the corner of `frame` farthest from the line of pixels from `start` to `end`."""
    corners = [(x, y) for y in (frame.top, frame.top + frame.height) for x in (frame.left, frame.left + frame.width)]
    dx, dy = end[0] - start[0], end[1] - start[1]
    square = dx * dx + dy * dy or 1.0

    def distance(corner: PlotPoint) -> float:
        share = ((corner[0] - start[0]) * dx + (corner[1] - start[1]) * dy) / square
        share = min(max(share, 0.0), 1.0)
        away = np.hypot(start[0] + share * dx - corner[0], start[1] + share * dy - corner[1])
        return round(float(away), 3)  # of two equally distant ones, the upper left one

    return max(corners, key=distance)


def apart(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return `positions`, which ascend, moved as little as necessary to be `gap` apart and within [low, high]."""
    moved: list[float] = []
    for position in positions:
        moved.append(max(position, moved[-1] + gap if moved else low))
    limit = high
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], limit)
        limit = moved[index] - gap
    return moved


def shown_rows(total: int, chosen: int, room: int) -> list[int]:
    """Return which of `total` candidates are shown in `room` rows: the first ones; a chosen one beyond them is last."""
    count = min(total, max(room, 1))
    if chosen < count:
        return list(range(count))
    return [*range(count - 1), chosen]
