"""Curves and densities that the data sets draw points from, and the boundaries between their true classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array

from .densities import LENGTH, Density, NoisyCurve, boxes, even_edges, panels, strips

#: For each class, a curve, or a density that is not one of a curve.
Shapes = tuple[NoisyCurve | Density, ...]

#: Largest distance of a point from its shape, because generators round to six decimals.
ROUNDING = 1e-6
#: Largest coordinate of the chessboard, and of the square of the exercise.
EDGE = 1.0
FIELDS = 4  # fields of the chessboard in each direction


# -- curves ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClassCurve:
    """The curve that the points of a class lie on.

    Attributes
    ----------
    at : callable
        Returns the points (n, 2) of the curve at t.
    last : float
        Largest t; the smallest is 0.
    speed : float
        Largest length of the curve per t.
    weight : callable
        Returns the density of the points in t, up to a constant factor.
    quantile : callable
        Returns the t up to which a share of the points lies, as a share of `last`.
    """

    at: Callable[[Array], Array]
    last: float
    speed: float
    weight: Callable[[Array], Array]
    quantile: Callable[[Array], Array]


def polar(radius: Array, angle: Array) -> Array:
    """Return points (n, 2) from radii and angles."""
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def half_circles(n_classes: int) -> tuple[ClassCurve, ClassCurve]:
    """Return the curves of the moons."""

    def outer(t: Array) -> Array:
        return polar(np.ones(len(t)), t)

    def inner(t: Array) -> Array:
        return np.column_stack([1.0 - np.cos(t), 0.5 - np.sin(t)])

    first, second = (ClassCurve(at, math.pi, 1.0, np.ones_like, lambda share: share) for at in (outer, inner))
    return first, second


def arms(n_classes: int) -> tuple[ClassCurve, ...]:
    """Return the curves of the spirals; the number of points per length varies little along them."""

    def arm(start: float) -> ClassCurve:
        speed = math.hypot(0.9, 3.0 * math.pi)  # where the radius is 1
        return ClassCurve(
            lambda t: polar(0.1 + 0.9 * t, 3.0 * math.pi * t + start), 1.0, speed, lambda t: 2.0 * t, np.sqrt
        )

    return tuple(arm(2.0 * math.pi * c / n_classes) for c in range(n_classes))


def along(paths: Callable[[int], tuple[ClassCurve, ...]]) -> Callable[[float, float, int], Shapes]:
    """Return the function that returns the distributions of points along `paths`."""
    return lambda noise, shift, n_classes: tuple(
        NoisyCurve.along(path.at, path.weight, path.speed, path.last, noise) for path in paths(n_classes)
    )


# -- densities ---------------------------------------------------------------------------------------------------------


def single_locations(noise: float, shift: float, n_classes: int) -> Shapes:
    """Return the distributions of blobs: single locations, evenly on the unit circle."""
    angles = 2.0 * math.pi * np.arange(n_classes) / n_classes
    return tuple(NoisyCurve(centre[None], np.ones(1), noise) for centre in polar(np.ones(n_classes), angles))


def quadrants(noise: float, shift: float, n_classes: int) -> Shapes:
    """Return the densities of xor."""
    ends = np.array([[side * shift, side] for side in (1.0, -1.0)])
    x = np.sort(ends, axis=1)

    def of_class(other: float) -> Density:
        y = np.sort(other * ends, axis=1)
        low, high = np.column_stack([x[:, 0], y[:, 0]]), np.column_stack([x[:, 1], y[:, 1]])
        return boxes(low, high, noise, ROUNDING)

    return of_class(1.0), of_class(-1.0)


def fields(noise: float, shift: float, n_classes: int) -> Shapes:
    """Return the densities of the chessboard."""
    width = 2.0 * EDGE / FIELDS

    def of_class(c: int) -> Density:
        corner = np.array([(i, j) for i in range(FIELDS) for j in range(FIELDS) if (i + j) % 2 == c]) * width - EDGE
        low, high = np.maximum(corner + 0.5 * shift, -EDGE), np.minimum(corner + width - 0.5 * shift, EDGE)
        return boxes(low, high, noise, ROUNDING)

    return of_class(0), of_class(1)


def rings(noise: float, shift: float, n_classes: int) -> Shapes:
    """Return the densities of the circle: a disc in a ring."""
    return _ring(noise, 0.0, 0.5 - shift), _ring(noise, 0.5 + shift, 1.0)


def _ring(noise: float, inner: float, outer: float) -> Density:
    """Return the density of the ring between the squared radii `inner` and `outer`."""
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
    """Return the densities of line: the density of x decreases from left to right."""
    return _triangles(noise, shift, lambda x: 0.5 * (1.0 - x) / (1.0 - max(0.5 * shift, 0.0) ** 2))


def crowded_triangles(noise: float, shift: float, n_classes: int) -> Shapes:
    """Return the densities of wrong: x is uniform."""
    return _triangles(noise, shift, lambda x: np.full(len(x), 1.0 / (EDGE - max(shift, 0.0) + EDGE)))


def _triangles(noise: float, shift: float, column: Density) -> Shapes:
    """Return the densities of the triangle above the line and of its mirror image; x has the density `column`."""
    above = _above(noise, shift, column)
    return above, lambda X: above(-X)


def _above(noise: float, shift: float, column: Density) -> Density:
    """Return the density with x of density `column`, and y uniform from x + shift, clipped at the edge, to 1."""
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


# -- true boundaries: polylines within (left, right, bottom, top) or a little beyond, separated by NaN rows, (m, 2) ----


def diagonal(left: float, right: float, bottom: float, top: float) -> Array:
    """Return the line y = x."""
    low, high = max(left, bottom), min(right, top)
    return np.array([[low, low], [high, high]]) if low < high else np.empty((0, 2))


def axes(left: float, right: float, bottom: float, top: float) -> Array:
    """Return the lines x = 0 and y = 0."""
    return _lattice([0.0], left, right, bottom, top)


def board(left: float, right: float, bottom: float, top: float) -> Array:
    """Return the lines between the fields of the chessboard."""
    inner = np.linspace(-EDGE, EDGE, FIELDS + 1)[1:-1].tolist()
    return _lattice(inner, max(left, -EDGE), min(right, EDGE), max(bottom, -EDGE), min(top, EDGE))


def _lattice(coordinates: list[float], left: float, right: float, bottom: float, top: float) -> Array:
    """Return the vertical and horizontal lines at these coordinates."""
    rows: list[list[float]] = []
    if left < right and bottom < top:
        for coordinate in coordinates:
            if bottom <= coordinate <= top:
                rows += [[left, coordinate], [right, coordinate], [math.nan, math.nan]]
            if left <= coordinate <= right:
                rows += [[coordinate, bottom], [coordinate, top], [math.nan, math.nan]]
    return np.array(rows[:-1]) if rows else np.empty((0, 2))


def arc(left: float, right: float, bottom: float, top: float) -> Array:
    """Return the visible part of the circle as 720 chords, with an error below 2e-6 of its size."""
    radius = math.sqrt(0.5)
    first, last = -math.pi, math.pi
    if not (left <= 0 <= right and bottom <= 0 <= top):  # then the angle of view is less than half a turn
        middle = math.atan2(0.5 * (bottom + top), 0.5 * (left + right))
        corners = [math.atan2(y, x) - middle for x in (left, right) for y in (bottom, top)]
        turned = [(angle + math.pi) % (2.0 * math.pi) - math.pi for angle in corners]
        first, last = middle + min(turned), middle + max(turned)
    t = np.linspace(first, last, 721)
    xy = radius * np.column_stack([np.cos(t), np.sin(t)])
    margin = radius * (last - first) / 300.0  # keep the chord that crosses the edge
    occupied = (xy[:, 0] >= left - margin) & (xy[:, 0] <= right + margin)
    occupied &= (xy[:, 1] >= bottom - margin) & (xy[:, 1] <= top + margin)
    if occupied.all():
        return xy
    xy[~occupied] = math.nan
    kept = occupied | np.append(False, occupied[:-1])  # one NaN row between two pieces
    return xy[kept] if occupied.any() else np.empty((0, 2))
