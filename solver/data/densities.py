"""Densities of plane shapes with Gaussian noise: boxes in closed form, strips and curves by quadrature.

With noise of standard deviation s in both coordinates, phi_s its density and Phi the normal distribution function:

    box     product over x and y of [Phi((high - x) / s) - Phi((low - x) / s)] / (high - low)
    strips  sum over x_j of  w_j phi_s(x - x_j) [Phi((b_j - y) / s) - Phi((a_j - y) / s)]:  a shape that is even along
            each vertical, which reaches from a_j to b_j at x_j; Gauss-Legendre in x
    curve   sum over places c_j of  w_j phi_s(x - c_jx) phi_s(y - c_jy):  Gauss-Legendre along the curve

Phi comes from a table whose cubics agree with it to 1e-12.  The panels of the quadrature are no longer than 2 s,
with eight places each, and those of a curve are ever shorter towards its ends, where from afar the integrand falls
steeply: against adaptive quadrature the error of a density is below 1e-8, and that of the logarithm of a curve's below
1e-6 as far as 20 s away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from solver.core.arrays import Array, Indices

#: Density at points (n, 2), shape (n,).
Density = Callable[[Array], Array]
#: Nodes of a panel, and its length in units of s.
ORDER, LENGTH = 8, 2.0
#: Panels of a shape at least, whatever the noise.
FEWEST = 16
#: Halvings of the panels towards the end of a curve.
HALVINGS = 9
#: Points that are worked on together.
TOGETHER = 64
#: From so many s on, a factor of a density is below the table's accuracy.
REACH = 8.0
#: exp(-NEGLIGIBLE) is below rounding.
NEGLIGIBLE = 37.0
_STEP = 1.0 / 256.0


@lru_cache(maxsize=1)
def _table() -> tuple[Array, Array]:
    z = np.arange(-REACH - _STEP, REACH + 3 * _STEP, _STEP)
    values = np.array([0.5 * math.erfc(-each / math.sqrt(2.0)) for each in z])
    return values, np.exp(-0.5 * z * z) * (_STEP / math.sqrt(2.0 * math.pi))


def normal_cdf(z: Array) -> Array:
    """Phi(z), to 1e-12; 0 and 1 beyond `REACH`."""
    values, slopes = _table()
    place = (np.clip(z, -REACH, REACH) + (REACH + _STEP)) / _STEP
    index = place.astype(np.intp)
    t = place - index
    below, above = values[index], values[index + 1]
    rise, left, right = above - below, slopes[index], slopes[index + 1]
    # Hermite's cubic through both values with both slopes.
    result: Array = below + t * (left + t * (3.0 * rise - 2.0 * left - right + t * (left + right - 2.0 * rise)))
    return result


def panels(edges: Array) -> tuple[Array, Array]:
    """Nodes and weights of Gauss-Legendre quadrature on the panels between `edges`, shape (ORDER * panels,)."""
    nodes, weights = np.polynomial.legendre.leggauss(ORDER)
    half = 0.5 * np.diff(edges)[:, None]
    middle = 0.5 * (edges[1:] + edges[:-1])[:, None]
    return (middle + half * nodes).ravel(), (half * weights).ravel()


def even_edges(low: float, high: float, length: float) -> Array:
    """Edges of panels of one length, at most `length`, and `FEWEST` at least."""
    number = max(FEWEST, math.ceil((high - low) / length))
    return np.linspace(low, high, number + 1)


def boxes(low: Array, high: Array, noise: float, slack: float) -> Density:
    """The density of boxes of even density, each with the same share of the points.

    Parameters
    ----------
    low, high : ndarray of shape (m, 2)
        Corners.
    noise : float
        Standard deviation; 0 for sharp edges, which belong to the box.
    slack : float
        By how much a point may lie outside a sharp edge, as rounding puts it there.
    """

    def shares(x: Array, least: float, most: float) -> Array:
        """How much of a density even from `least` to `most` lies at `x`, but for its height."""
        if noise > 0:
            return normal_cdf((most - x) / noise) - normal_cdf((least - x) / noise)
        return ((x >= least - slack) & (x <= most + slack)).astype(np.float64)

    def density(X: Array) -> Array:
        total = np.zeros(len(X))
        for corner, opposite in zip(low, high, strict=True):
            inside = np.ones(len(X))
            for axis in range(2):
                inside *= shares(X[:, axis], corner[axis], opposite[axis]) / (opposite[axis] - corner[axis])
            total += inside
        return total / len(low)

    return density


def strips(x: Array, weight: Array, low: Array, high: Array, noise: float) -> Density:
    """The density of a shape that is even along each vertical, with noise.

    Parameters
    ----------
    x, weight : ndarray of shape (m,)
        Nodes, ascending, and quadrature weight times density along the vertical; it may be negative, for a hole.
    low, high : ndarray of shape (m,)
        Where the vertical lies within the shape.
    noise : float
        Above 0.
    """

    def density(X: Array) -> Array:
        result = np.zeros(len(X))
        order = np.argsort(X[:, 0])
        for start in range(0, len(X), TOGETHER):
            block = order[start : start + TOGETHER]
            at, y = X[block, 0, None], X[block, 1, None]
            near = slice(*np.searchsorted(x, (at[0, 0] - REACH * noise, at[-1, 0] + REACH * noise)))
            if near.start < near.stop:
                across = np.exp(-0.5 * ((at - x[near]) / noise) ** 2)
                along = normal_cdf((high[near] - y) / noise) - normal_cdf((low[near] - y) / noise)
                result[block] = (across * along) @ weight[near]
        return np.maximum(result / (noise * math.sqrt(2.0 * math.pi)), 0.0)

    return density


@dataclass(frozen=True, eq=False)
class Curve:
    """Points along a curve, with noise.

    Attributes
    ----------
    places : ndarray of shape (m, 2)
        Nodes along the curve.
    weight : ndarray of shape (m,)
        Share of the points that each node stands for; their sum is 1.
    noise : float
        Above 0.
    """

    places: Array
    weight: Array
    noise: float

    @staticmethod
    def along(
        path: Callable[[Array], Array], weight: Callable[[Array], Array], length: float, last: float, noise: float
    ) -> Curve:
        """The curve ``path(t)`` with density `weight(t)`, t from 0 to `last`; it is at most `length` long per t."""
        edges = even_edges(0.0, last, LENGTH * noise / length)
        first = edges[1] * 0.5 ** np.arange(HALVINGS, 0, -1)
        edges = np.concatenate((edges[:1], first, edges[1:-1], last - first[::-1], edges[-1:]))
        t, w = panels(edges)
        w = w * weight(t)
        return Curve(path(t), w / w.sum(), noise)

    @cached_property
    def log_weight(self) -> Array:
        """Logarithm of `weight`."""
        result: Array = np.log(self.weight)
        return result

    def log_density(self, X: Array) -> Array:
        """Its logarithm at the points `X` (n, 2), shape (n,): finite wherever the distance is."""
        result = np.empty(len(X))
        for group in neighbourhoods(X):
            result[group] = self._of_group(*_about(X[group]), -math.inf)
        return result

    def _of_group(self, X: Array, middle: Array, radius: float, least: float) -> Array:
        """At points `X`, relative to their `middle`, from which none is farther than `radius`; -inf where all nodes
        together add less than exp(-NEGLIGIBLE) of exp(least)."""
        s = self.noise
        places = self.places - middle
        away = np.sqrt(places[:, 0] ** 2 + places[:, 1] ** 2)
        # What a node adds at most, at any of the points, against what the best adds at least there.
        most = self.log_weight - 0.5 * (np.maximum(away - radius, 0.0) / s) ** 2
        least = max(least, float((self.log_weight - 0.5 * ((away + radius) / s) ** 2).max()))
        near = np.flatnonzero(most > least - NEGLIGIBLE - math.log(len(away)))
        if not len(near):
            return np.full(len(X), -np.inf)
        terms = (X[:, 0, None] - places[near, 0]) ** 2
        terms += (X[:, 1, None] - places[near, 1]) ** 2
        terms *= -0.5 / s**2
        terms += self.log_weight[near]
        largest = terms.max(axis=1)
        terms -= largest[:, None]
        result: Array = np.log(np.exp(terms, out=terms).sum(axis=1)) + largest - math.log(2.0 * math.pi * s * s)
        return result

    def _least(self, middle: Array, radius: float) -> float:
        """Logarithm, but for a constant, of what the density is at least within `radius` of `middle`."""
        places = self.places - middle
        away = np.sqrt(places[:, 0] ** 2 + places[:, 1] ** 2)
        return float((self.log_weight - 0.5 * ((away + radius) / self.noise) ** 2).max())


def likeliest(curves: Sequence[Curve], X: Array) -> Array:
    """log p(x | c) at the points `X` (n, 2), shape (n, len(curves)), of curves with the same noise.

    Of classes that are less likely than the likeliest by more than rounding it is -inf: so of many arms only those
    nearby are worked on.
    """
    result = np.empty((len(X), len(curves)))
    for group in neighbourhoods(X):
        points, middle, radius = _about(X[group])
        least = max(curve._least(middle, radius) for curve in curves)
        for c, curve in enumerate(curves):
            result[group, c] = curve._of_group(points, middle, radius, least)
    return result


def _about(X: Array) -> tuple[Array, Array, float]:
    """Points relative to their middle, which keeps the digits of those far from the origin; the middle, the radius."""
    middle = 0.5 * (X.min(axis=0) + X.max(axis=0))
    X = X - middle
    return X, middle, float(np.sqrt((X**2).sum(axis=1).max()))


def neighbourhoods(X: Array) -> list[Indices]:
    """The points in groups of some that lie near each other."""
    if len(X) <= TOGETHER:
        return [np.arange(len(X))] if len(X) else []
    low, size = X.min(axis=0), np.ptp(X, axis=0)
    side = math.sqrt(TOGETHER * max(size[0] * size[1], 1e-300) / len(X))
    side = max(side, float(size.max()) * TOGETHER / len(X) / 64, 1e-300)
    cell = ((X - low) / side).astype(np.int64)
    order = np.lexsort((cell[:, 0], cell[:, 1]))
    return [order[start : start + TOGETHER] for start in range(0, len(X), TOGETHER)]
