"""Compiled bounds on the distances in a tile of pixels: which locations surely vote there, and which do not."""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import lean_part

from ._knn_loops import COSINE, EUCLIDEAN, MANHATTAN, MINKOWSKI

SLACK = 1e-9  # relative, for distances
SLACK_COSINE = 1e-13  # absolute: the rounding error of 1 - cos is about 1e-15, however small the value


@lean_part
def angle_of_tile(cx, cy, box):  # type: ignore[no-untyped-def]
    """Return the largest angle at the origin between (cx, cy) and a point of the rectangle."""
    if box.x0 <= 0.0 <= box.x1 and box.y0 <= 0.0 <= box.y1:
        return math.pi
    own = math.atan2(cy, cx)
    widest = 0.0
    for corner in range(4):
        angle = abs(math.atan2(box.y1 if corner & 1 else box.y0, box.x1 if corner & 2 else box.x0) - own)
        widest = max(widest, min(angle, 2.0 * math.pi - angle))
    return widest * (1.0 + SLACK) + 1e-12


@lean_part
def thresholds(metric, t, radius, zeros):  # type: ignore[no-untyped-def]
    """Return (far, near): a location with d > far votes nowhere in the tile, one with d < near everywhere in it.

    `t` is the distance (as compared) from the centre to the k-th nearest location, and `radius` that to the farthest
    pixel.  For the cosine, the triangle inequality holds for angles, so both are converted to angles.  A zero vector
    (`zeros`: there is one) has distance 1 from every pixel.
    """
    if metric.code == COSINE:
        outer = min(math.pi, math.acos(max(-1.0, 1.0 - t - SLACK_COSINE)) + radius)
        inner = max(0.0, math.acos(min(1.0, 1.0 - t + SLACK_COSINE)) - radius)
        if zeros:
            outer = max(outer, 0.5 * math.pi)
            inner = min(inner, 0.5 * math.pi)
        outer = min(math.pi, outer + radius)
        inner = max(0.0, inner - radius)
        return 1.0 - math.cos(outer) + SLACK_COSINE, 1.0 - math.cos(inner) - SLACK_COSINE
    if metric.code == EUCLIDEAN:
        t = math.sqrt(t)
    far = (t + 2.0 * radius) * (1.0 + SLACK)
    near = t * (1.0 - SLACK) - 2.0 * radius * (1.0 + SLACK)
    if metric.code == EUCLIDEAN:
        # the constant allows for squares so small that they lose digits
        return far * far + 1e-300, (near * near - 1e-300 if near > 0.0 else -1.0)
    return far, near


@lean_part
def length(metric, x, y):  # type: ignore[no-untyped-def]
    """Return the length of the vector (x, y) in a metric other than the cosine."""
    x = abs(x)
    y = abs(y)
    largest = max(x, y)
    if metric.code == EUCLIDEAN:
        return math.sqrt(x * x + y * y)
    if metric.code == MANHATTAN:
        return x + y
    if metric.code == MINKOWSKI and largest > 0.0:
        return largest * math.pow(1.0 + math.pow(min(x, y) / largest, metric.p), 1.0 / metric.p)
    return largest


@lean_part
def radius_of(metric, cx, cy, box):  # type: ignore[no-untyped-def]
    """Return the distance from (cx, cy) to the farthest point of a rectangle; for the cosine an angle."""
    if metric.code == COSINE:
        return angle_of_tile(cx, cy, box)
    return length(metric, max(box.x1 - cx, cx - box.x0), max(box.y1 - cy, cy - box.y0))


@lean_part
def reach_of(metric, q, cx, cy, radius, last, plane):  # type: ignore[no-untyped-def]
    """Return how far from (cx, cy) a location may be that is among the q nearest at a pixel within `radius`.

    `last` holds x, y and the q-th distance of another location of the picture; the distance is -1 if there is none.
    """
    if metric.code == COSINE:
        return np.inf
    if last[2] < 0.0:
        bound = first_bound(metric, q, cx, cy, plane)
    else:  # at most the distance at the last tile plus the distance between the centres
        bound = last[2] + length(metric, last[0] - cx, last[1] - cy)
    return (bound + 2.0 * radius) * (1.0 + SLACK) + 1e-150


@lean_part
def first_bound(metric, k, cx, cy, plane):  # type: ignore[no-untyped-def]
    """Return a bound on the k-th distance: the largest distance of k locations near (cx, cy) in its strip."""
    at, strips, edges = plane.at, plane.strips, plane.edges
    s = 0
    while s < strips.size - 2 and edges[1, s] < cx:
        s += 1
    i = strips[s]
    while i < strips[s + 1] - 1 and at[1, i] < cy:
        i += 1
    first = max(0, min(i - k // 2, at.shape[1] - k))
    bound = 0.0
    for i in range(first, first + k):
        bound = max(bound, length(metric, at[0, i] - cx, at[1, i] - cy))
    return bound
