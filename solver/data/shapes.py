"""What the data sets are drawn from: curves, the densities of each class, and the lines between the true classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array

from .densities import LENGTH, Curve, Density, boxes, even_edges, panels, strips

#: For each class its curve, or its density where that is better computed as such.
Shapes = tuple[Curve | Density, ...]

#: The generators round to six decimals: a point may lie so far beside its shape.
ROUNDING = 1e-6
#: Corner of the board, and of the squares of the exercise.
EDGE = 1.0
FIELDS = 4  # of the chessboard, each way


# -- curves ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Path:
    """The curve that the points of a class lie on.

    Attributes
    ----------
    at : callable
        Its places (n, 2) at t.
    last : float
        t goes from 0 to here.
    speed : float
        It is at most so long per t.
    weight : callable
        Density of the points in t, but for a factor.
    quantile : callable
        The share of the last t up to which a share of the points lies.
    """

    at: Callable[[Array], Array]
    last: float
    speed: float
    weight: Callable[[Array], Array]
    quantile: Callable[[Array], Array]


def polar(radius: Array, angle: Array) -> Array:
    """Points (n, 2) at a radius and an angle."""
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def half_circles(n_classes: int) -> tuple[Path, Path]:
    """The moons."""

    def outer(t: Array) -> Array:
        return polar(np.ones(len(t)), t)

    def inner(t: Array) -> Array:
        return np.column_stack([1.0 - np.cos(t), 0.5 - np.sin(t)])

    first, second = (Path(at, math.pi, 1.0, np.ones_like, lambda share: share) for at in (outer, inner))
    return first, second


def arms(n_classes: int) -> tuple[Path, ...]:
    """The spirals: about as many points on the outer windings per length."""

    def arm(start: float) -> Path:
        speed = math.hypot(0.9, 3.0 * math.pi)  # where the radius is 1
        return Path(lambda t: polar(0.1 + 0.9 * t, 3.0 * math.pi * t + start), 1.0, speed, lambda t: 2.0 * t, np.sqrt)

    return tuple(arm(2.0 * math.pi * c / n_classes) for c in range(n_classes))


def along(paths: Callable[[int], tuple[Path, ...]]) -> Callable[[float, float, int], Shapes]:
    """The shapes of points along `paths`."""
    return lambda noise, shift, n_classes: tuple(
        Curve.along(path.at, path.weight, path.speed, path.last, noise) for path in paths(n_classes)
    )


# -- densities ---------------------------------------------------------------------------------------------------------


def places(noise: float, shift: float, n_classes: int) -> Shapes:
    """Of blobs: single places, evenly on the unit circle."""
    angles = 2.0 * math.pi * np.arange(n_classes) / n_classes
    return tuple(Curve(centre[None], np.ones(1), noise) for centre in polar(np.ones(n_classes), angles))


def quadrants(noise: float, shift: float, n_classes: int) -> Shapes:
    """Of xor."""
    ends = np.array([[side * shift, side] for side in (1.0, -1.0)])
    x = np.sort(ends, axis=1)

    def of_class(other: float) -> Density:
        y = np.sort(other * ends, axis=1)
        low, high = np.column_stack([x[:, 0], y[:, 0]]), np.column_stack([x[:, 1], y[:, 1]])
        return boxes(low, high, noise, ROUNDING)

    return of_class(1.0), of_class(-1.0)


def fields(noise: float, shift: float, n_classes: int) -> Shapes:
    """Of the chessboard."""
    width = 2.0 * EDGE / FIELDS

    def of_class(c: int) -> Density:
        corner = np.array([(i, j) for i in range(FIELDS) for j in range(FIELDS) if (i + j) % 2 == c]) * width - EDGE
        low, high = np.maximum(corner + 0.5 * shift, -EDGE), np.minimum(corner + width - 0.5 * shift, EDGE)
        return boxes(low, high, noise, ROUNDING)

    return of_class(0), of_class(1)


def rings(noise: float, shift: float, n_classes: int) -> Shapes:
    """Of the circle: a disc in a ring."""
    return _ring(noise, 0.0, 0.5 - shift), _ring(noise, 0.5 + shift, 1.0)


def _ring(noise: float, inner: float, outer: float) -> Density:
    """Density of the ring between the squared radii `inner` and `outer`."""
    even = 1.0 / (math.pi * (outer - inner))
    if noise == 0:

        def sharp(X: Array) -> Array:
            squared = (X * X).sum(axis=1)
            return np.where((squared >= inner - 2 * ROUNDING) & (squared <= outer + 2 * ROUNDING), even, 0.0)

        return sharp
    parts = []
    for squared, sign in ((outer, even), (inner, -even)):
        radius = math.sqrt(squared)
        if radius > 0:
            t, w = panels(even_edges(-0.5 * math.pi, 0.5 * math.pi, LENGTH * noise / radius))
            height = radius * np.cos(t)  # dx = height dt: smooth to the ends
            parts.append((radius * np.sin(t), sign * height * w, -height, height))
    x, weight, low, high = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(x)
    return strips(x[order], weight[order], low[order], high[order], noise)


def triangles(noise: float, shift: float, n_classes: int) -> Shapes:
    """Of line: x with density falling from the left to the right."""
    return _triangles(noise, shift, lambda x: 0.5 * (1.0 - x) / (1.0 - max(0.5 * shift, 0.0) ** 2))


def crowded_triangles(noise: float, shift: float, n_classes: int) -> Shapes:
    """Of wrong: x even."""
    return _triangles(noise, shift, lambda x: np.full(len(x), 1.0 / (EDGE - max(shift, 0.0) + EDGE)))


def _triangles(noise: float, shift: float, column: Density) -> Shapes:
    """The triangle above the line and its mirror image: x of density `column`, y even from x + shift, cut at the
    edge, to 1."""
    above = _above(noise, shift, column)
    return above, lambda X: above(-X)


def _above(noise: float, shift: float, column: Density) -> Density:
    last = EDGE - max(shift, 0.0)
    if noise == 0:

        def sharp(X: Array) -> Array:
            x, y = np.clip(X[:, 0], -EDGE, last), X[:, 1]
            low = np.maximum(x + shift, -EDGE)
            inside = (np.abs(x - X[:, 0]) <= ROUNDING) & (y >= low - 2 * ROUNDING) & (y <= EDGE + ROUNDING)
            return np.where(inside, column(x) / np.maximum(EDGE - low, ROUNDING), 0.0)

        return sharp
    edges = even_edges(-EDGE, last, LENGTH * noise)
    kink = -EDGE - shift  # up to here the verticals reach down to the edge
    if -EDGE < kink < last:
        edges = np.sort(np.append(edges, kink))
    x, w = panels(edges)
    low = np.maximum(x + shift, -EDGE)
    return strips(x, w * column(x) / (EDGE - low), low, np.full(len(x), EDGE), noise)


# -- true lines: polylines within (left, right, bottom, top) or a little beyond, joined with NaN rows, shape (m, 2) ----


def diagonal(left: float, right: float, bottom: float, top: float) -> Array:
    """y = x."""
    low, high = max(left, bottom), min(right, top)
    return np.array([[low, low], [high, high]]) if low < high else np.empty((0, 2))


def axes(left: float, right: float, bottom: float, top: float) -> Array:
    """x = 0 and y = 0."""
    return _lattice([0.0], left, right, bottom, top)


def board(left: float, right: float, bottom: float, top: float) -> Array:
    """The lines between the fields of the chessboard."""
    inner = np.linspace(-EDGE, EDGE, FIELDS + 1)[1:-1].tolist()
    return _lattice(inner, max(left, -EDGE), min(right, EDGE), max(bottom, -EDGE), min(top, EDGE))


def _lattice(places: list[float], left: float, right: float, bottom: float, top: float) -> Array:
    rows: list[list[float]] = []
    if left < right and bottom < top:
        for place in places:
            if bottom <= place <= top:
                rows += [[left, place], [right, place], [math.nan, math.nan]]
            if left <= place <= right:
                rows += [[place, bottom], [place, top], [math.nan, math.nan]]
    return np.array(rows[:-1]) if rows else np.empty((0, 2))


def arc(left: float, right: float, bottom: float, top: float) -> Array:
    """What a rectangle shows of the circle, in 720 chords: away from it by less than 2e-6 of what is seen."""
    radius = math.sqrt(0.5)
    first, last = -math.pi, math.pi
    if not (left <= 0 <= right and bottom <= 0 <= top):  # then it is seen under less than half a turn
        middle = math.atan2(0.5 * (bottom + top), 0.5 * (left + right))
        corners = [math.atan2(y, x) - middle for x in (left, right) for y in (bottom, top)]
        turned = [(angle + math.pi) % (2.0 * math.pi) - math.pi for angle in corners]
        first, last = middle + min(turned), middle + max(turned)
    t = np.linspace(first, last, 721)
    xy = radius * np.column_stack([np.cos(t), np.sin(t)])
    margin = radius * (last - first) / 300.0  # the chord that crosses the edge stays
    seen = (xy[:, 0] >= left - margin) & (xy[:, 0] <= right + margin)
    seen &= (xy[:, 1] >= bottom - margin) & (xy[:, 1] <= top + margin)
    if seen.all():
        return xy
    xy[~seen] = math.nan
    kept = seen | np.append(False, seen[:-1])  # one row without a place between two pieces
    return xy[kept] if seen.any() else np.empty((0, 2))
