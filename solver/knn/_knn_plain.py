"""The nearest-neighbour vote in plain numpy, slower, for the time before the loops are compiled."""

from __future__ import annotations

import math
from itertools import repeat

import numpy as np

from solver.core.arrays import Array

from . import _knn_loops as loops


def distances(metric: int, p: float, queries: Array, points: Array) -> Array:
    """Return the distances as compared, (n_queries, n_points), by the same operations as the compiled loops."""
    d = np.zeros((len(queries), len(points)))
    features = list(zip(queries.T, points.T, strict=True))
    if metric == loops.COSINE:
        own, other = np.zeros(len(queries)), np.zeros(len(points))
        for x, z in features:
            d += np.multiply.outer(x, z)
            own += x * x
            other += z * z
        norms = np.multiply.outer(own, other)
        zero = norms == 0.0
        norms[zero] = 1.0
        d = 1.0 - d / np.sqrt(norms)
        d[d <= (len(features) + loops.ROUNDING) * loops.EPS] = 0.0
        d[zero] = 1.0
    elif metric == loops.MINKOWSKI:
        gaps = [abs(np.subtract.outer(x, z)) for x, z in features]
        largest = np.max(gaps, axis=0)
        most = 2.0 ** (loops.DIGITS / p) if p <= loops.MOST_WHOLE and p == math.floor(p) else 0.0
        whole = (largest < most) & (largest * most > 1.0)
        divisor = np.where(whole | (largest == 0.0), 1.0, largest)
        for gap in gaps:
            d[whole] += _whole_power(gap[whole], int(p) if most else 0)
            d[~whole] += _power((gap / divisor)[~whole], p)
        d = np.where(whole, 1.0, largest) * _power(d, 1.0 / p)
    else:
        for x, z in features:
            t = np.subtract.outer(x, z)
            if metric == loops.EUCLIDEAN:
                d += t * t
            elif metric == loops.MANHATTAN:
                d += abs(t)
            else:
                d = np.maximum(d, abs(t))
    return d


def _whole_power(values: Array, exponent: int) -> Array:
    """Return powers by products, in the order of `_knn_loops.whole_power`."""
    power = np.ones_like(values)
    with np.errstate(over="ignore", under="ignore"):
        while exponent:
            power, values, exponent = power * values if exponent & 1 else power, values * values, exponent >> 1
    return power


def _power(values: Array, exponent: float) -> Array:
    """Return powers by C's pow, as the compiled loops do: numpy may round differently, which would break ties."""
    powers = map(math.pow, values.ravel().tolist(), repeat(exponent))
    return np.fromiter(powers, np.float64, values.size).reshape(values.shape)


def weights_of(d: Array, weights: int, squared: bool) -> Array:
    """Return the weight 1/d or 1/d^2 of a vote at each of the distances `d`, as compared."""
    root, square = (np.sqrt(d), d) if squared else (d, d * d)
    with np.errstate(divide="ignore", over="ignore"):
        return np.minimum(1.0 / (root if weights == loops.INVERSE else square), loops.LARGEST_WEIGHT)


def shares(d: Array, k: int, weights: int, squared: bool, votes_of: Array) -> Array:
    """Return the vote shares (n_queries, n_classes) from distances `d` and one-hot classes `votes_of`."""
    kth = np.partition(d, k - 1, axis=1)[:, k - 1, None]
    near, tied = d < kth, d == kth
    size = tied.sum(axis=1, keepdims=True).astype(np.float64)
    room = k - near.sum(axis=1, keepdims=True).astype(np.float64)
    votes: Array
    if weights == loops.UNIFORM:
        votes = (near @ votes_of * size + tied @ votes_of * room) / (k * size)
        return votes
    weight = weights_of(d, weights, squared)
    votes = np.where(near, weight, np.where(tied, room / size * weight, 0.0)) @ votes_of
    at_zero = d == 0.0
    decided = at_zero.any(axis=1)
    votes[decided] = at_zero[decided] @ votes_of
    votes /= votes.sum(axis=1, keepdims=True)
    return votes
