"""Metric balls: the outline of all places at one distance from a centre, in the true shape of each metric."""

from __future__ import annotations

import numpy as np

from solver.core.arrays import Array

#: Places of an outline, at least and at most.
FEWEST, MOST = 180, 20_000


def outline(metric: str, p: float, centre: tuple[float, float], radius: float, reach: float, fineness: float) -> Array:
    """The places of the plane at distance `radius` from `centre`, as a polyline.

    A circle, a diamond, a square, the ball of the p-norm between them; for the cosine, which sees directions only, two
    rays from the origin.

    Parameters
    ----------
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski", "cosine"}
    p : float
        Exponent of the Minkowski metric.
    centre : (x, y)
    radius : float
        At least 0.
    reach : float
        How far rays go.
    fineness : float
        How far the line may be off the curve.

    Returns
    -------
    ndarray of shape (m, 2)
        Closed: the last place is the first; the rays as (end, origin, end).  Empty where there is no such line: from
        the origin, or for a distance of 2 or more, the cosine sees no border.

    Raises
    ------
    ValueError
        An unknown metric.
    """
    x, y = centre
    if metric == "cosine":
        return _sector(x, y, radius, reach)
    if metric == "minkowski":
        metric = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(p, metric)
    if metric == "manhattan":
        shape = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)])
    elif metric == "chebyshev":
        shape = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)])
    elif metric in ("euclidean", "minkowski"):
        # The height of an arc over its chord is r a^2 / 8 for an angle a.
        wanted = 2.0 * np.pi * np.sqrt(radius / (8.0 * fineness)) if fineness > 0.0 else MOST
        n = 8 * (int(np.clip(wanted, FEWEST, MOST)) // 8 + 1)
        angle = np.arange(n + 1) * (2.0 * np.pi / n)
        shape = np.column_stack((np.cos(angle), np.sin(angle)))
        shape[-1] = shape[0]
        if metric == "minkowski":
            shape = _of_norm(shape, p)
    else:
        raise ValueError(f"metric is {metric!r}; it has no outline.")
    places: Array = np.array([x, y]) + radius * shape
    return places


def _of_norm(circle: Array, p: float) -> Array:
    """Places of norm 1 in the p-norm: in all directions, and evenly along the bends near the diagonals."""
    size = np.abs(circle)
    largest = size.max(axis=1, keepdims=True)
    even = circle / (largest * ((size / largest) ** p).sum(axis=1, keepdims=True) ** (1.0 / p))
    bent = np.sign(circle) * size ** (2.0 / p)
    both = np.concatenate((even[:-1], bent[:-1]))
    both = both[np.argsort(np.arctan2(both[:, 1], both[:, 0]), kind="stable")]
    closed: Array = np.concatenate((both, both[:1]))
    return closed


def _sector(x: float, y: float, radius: float, reach: float) -> Array:
    """The two rays whose directions are at `radius` = 1 - cos from that of (x, y)."""
    if (x == 0.0 and y == 0.0) or not 0.0 <= radius < 2.0:
        return np.empty((0, 2))
    # arccos(1 - r) without the loss of digits at small r.
    half = 2.0 * np.arcsin(np.sqrt(0.5 * radius))
    middle = np.arctan2(y, x)
    ends = [(reach * np.cos(angle), reach * np.sin(angle)) for angle in (middle + half, middle - half)]
    return np.array([ends[0], (0.0, 0.0), ends[1]])
