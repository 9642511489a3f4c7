"""Metric balls: the curve of all locations at one distance from a centre, in the true shape of each metric."""

from __future__ import annotations

import numpy as np

from solver.core.arrays import Array

#: Smallest and largest number of points of an outline.
FEWEST, MOST = 180, 20_000
DIAMOND = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)])
#: Other names of the Minkowski metric with these exponents.
OF_NORMS = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}


def outline(metric: str, p: float, centre: tuple[float, float], radius: float, reach: float, fineness: float) -> Array:
    """Return the curve of all locations of the plane at distance `radius` from `centre`, as a polyline.

    The curve is a circle, a diamond, a square, or the unit circle of the p-norm; for the cosine, which depends on
    directions only, two rays from the origin.

    Parameters
    ----------
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski", "cosine"}
    p : float
        Exponent of the Minkowski metric.
    centre : (x, y)
    radius : float
        At least 0.
    reach : float
        Length of rays.
    fineness : float
        Largest distance of the polyline from the curve.

    Returns
    -------
    ndarray of shape (m, 2)
        A closed curve, whose last point is the first; rays as (end, origin, end).  Empty for the cosine if the centre
        is the origin, or if the distance is 2 or more.

    Raises
    ------
    ValueError
        If the metric is unknown.

    Examples
    --------
    >>> from solver.knn.metric_balls import outline
    >>> outline("manhattan", 2.0, (0.0, 0.0), 1.0, reach=1.0, fineness=0.01).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]]
    """
    x, y = centre
    if metric == "cosine":
        return _sector(x, y, radius, reach)
    if metric == "minkowski":
        metric = OF_NORMS.get(p, metric)
    if metric == "manhattan":
        shape = DIAMOND
    elif metric == "chebyshev":
        shape = DIAMOND @ [(1.0, 1.0), (-1.0, 1.0)]
    elif metric in ("euclidean", "minkowski"):
        # The distance of an arc from its chord is at most r a^2 / 8 for an angle a.
        wanted = 2.0 * np.pi * np.sqrt(radius / (8.0 * fineness)) if fineness > 0.0 else MOST
        n = 8 * (int(np.clip(wanted, FEWEST, MOST)) // 8 + 1)
        angle = np.arange(n + 1) * (2.0 * np.pi / n)
        shape = np.column_stack((np.cos(angle), np.sin(angle)))
        shape[-1] = shape[0]
        if metric == "minkowski":
            shape = _of_norm(shape, p)
    else:
        raise ValueError(f"metric is {metric!r}; it has no outline.")
    return np.array([x, y]) + radius * shape


def _of_norm(circle: Array, p: float) -> Array:
    """Return points of p-norm 1, in all directions, and closer together along the bends near the diagonals."""
    size = np.abs(circle)
    largest = size.max(axis=1, keepdims=True)
    even = circle / (largest * ((size / largest) ** p).sum(axis=1, keepdims=True) ** (1.0 / p))
    bent = np.sign(circle) * size ** (2.0 / p)
    both = np.concatenate((even[:-1], bent[:-1]))
    both = both[np.argsort(np.arctan2(both[:, 1], both[:, 0]), kind="stable")]
    return np.concatenate((both, both[:1]))


def _sector(x: float, y: float, radius: float, reach: float) -> Array:
    """Return the two rays whose directions have the cosine distance `radius` from that of (x, y)."""
    if (x == 0.0 and y == 0.0) or not 0.0 <= radius < 2.0:
        return np.empty((0, 2))
    # arccos(1 - r) without the loss of digits at small r.
    half = 2.0 * np.arcsin(np.sqrt(0.5 * radius))
    middle = np.arctan2(y, x)
    ends = [(reach * np.cos(angle), reach * np.sin(angle)) for angle in (middle + half, middle - half)]
    return np.array([ends[0], (0.0, 0.0), ends[1]])
