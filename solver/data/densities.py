"""Densities of plane shapes with Gaussian noise: boxes in closed form, strips and curves by quadrature.

With noise of standard deviation s in both coordinates, phi_s its density and Phi the normal distribution function:

    box     product over x and y of [Phi((high - x) / s) - Phi((low - x) / s)] / (high - low)
    strips  sum over x_j of  w_j phi_s(x - x_j) [Phi((b_j - y) / s) - Phi((a_j - y) / s)]:  a shape with even density
            along each vertical, which reaches from a_j to b_j at x_j; Gauss-Legendre quadrature in x
    curve   sum over nodes c_j of  w_j phi_s(x - c_jx) phi_s(y - c_jy):  Gauss-Legendre quadrature along the curve

Phi is interpolated from a table by cubics, with errors up to 1e-12.  The panels of the quadrature are at most 2 s long,
with eight nodes each.  The panels of a curve become shorter towards its ends, where the integrand falls steeply for
distant points.  Compared with adaptive quadrature, the error of a density is below 1e-8, and the error of the logarithm
of a curve's density is below 1e-6 up to 20 s away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from solver.core.arrays import Array, Indices

#: Function that returns the density at points (n, 2), shape (n,).
Density = Callable[[Array], Array]
#: Nodes of a panel, and its largest length in units of s.
ORDER, LENGTH = 8, 2.0
#: Smallest number of panels of a shape, whatever the noise.
FEWEST = 16
#: Number of times that the panel at an end of a curve is halved.
HALVINGS = 9
#: Points computed together: few enough to lie near each other, enough to make numpy worthwhile.
TOGETHER = 64
#: Distance (in units of s) from which a factor of a density is smaller than the table's error.
REACH = 8.0
#: exp(-NEGLIGIBLE) is smaller than the rounding error of 1.
NEGLIGIBLE = 37.0
#: Distance between two entries of the table of Phi.
_STEP = 1.0 / 256.0


@lru_cache(maxsize=1)
def _table() -> tuple[Array, Array]:
    z = np.arange(-REACH - _STEP, REACH + 3 * _STEP, _STEP)
    values = np.array([0.5 * math.erfc(-each / math.sqrt(2.0)) for each in z])
    return values, np.exp(-0.5 * z * z) * (_STEP / math.sqrt(2.0 * math.pi))


def normal_cdf(z: Array) -> Array:
    """Return Phi(z) with an error up to 1e-12; 0 and 1 beyond `REACH`."""
    values, slopes = _table()
    position = (np.clip(z, -REACH, REACH) + (REACH + _STEP)) / _STEP
    index = position.astype(np.intp)
    t = position - index
    below, above = values[index], values[index + 1]
    rise, left, right = above - below, slopes[index], slopes[index + 1]
    # Hermite's cubic through both values, with both slopes.
    return below + t * (left + t * (3.0 * rise - 2.0 * left - right + t * (left + right - 2.0 * rise)))


def panels(edges: Array) -> tuple[Array, Array]:
    """Return nodes and weights of Gauss-Legendre quadrature on the panels between `edges`, shape (ORDER * panels,)."""
    nodes, weights = np.polynomial.legendre.leggauss(ORDER)
    half = 0.5 * np.diff(edges)[:, None]
    middle = 0.5 * (edges[1:] + edges[:-1])[:, None]
    return (middle + half * nodes).ravel(), (half * weights).ravel()


def even_edges(low: float, high: float, length: float) -> Array:
    """Return the edges of at least `FEWEST` panels of equal length, which is at most `length`."""
    number = max(FEWEST, math.ceil((high - low) / length))
    return np.linspace(low, high, number + 1)


def boxes(low: Array, high: Array, noise: float, slack: float) -> Density:
    """Return the density of points that lie evenly in boxes, the same share in each.

    Parameters
    ----------
    low, high : ndarray of shape (m, 2)
        Lower left and upper right corners.
    noise : float
        Standard deviation; 0 for sharp edges, which belong to the box.
    slack : float
        Distance by which rounding may have moved a point across a sharp edge.
    """

    def shares(x: Array, least: float, most: float) -> Array:
        """Return the density at `x` of an even distribution from `least` to `most`, times its length."""
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
    """Return the density of a shape that is even along each vertical, with noise.

    Parameters
    ----------
    x, weight : ndarray of shape (m,)
        Nodes, ascending, and quadrature weights times the density along the vertical; negative for a hole.
    low, high : ndarray of shape (m,)
        Ends of the vertical within the shape.
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
class NoisyCurve:
    """Distribution of points along a curve, with noise; a call returns the logarithm of its density.

    Attributes
    ----------
    nodes : ndarray of shape (m, 2)
        Quadrature nodes along the curve.
    weight : ndarray of shape (m,)
        Share of the points that each node represents; the sum is 1.
    noise : float
        Above 0.
    """

    nodes: Array
    weight: Array
    noise: float

    @staticmethod
    def along(
        path: Callable[[Array], Array], weight: Callable[[Array], Array], length: float, last: float, noise: float
    ) -> NoisyCurve:
        """Return the curve ``path(t)`` with density `weight(t)`, t from 0 to `last`; its speed is at most `length`."""
        edges = even_edges(0.0, last, LENGTH * noise / length)
        first = edges[1] * 0.5 ** np.arange(HALVINGS, 0, -1)
        edges = np.concatenate((edges[:1], first, edges[1:-1], last - first[::-1], edges[-1:]))
        t, w = panels(edges)
        w = w * weight(t)
        return NoisyCurve(path(t), w / w.sum(), noise)

    @cached_property
    def log_weight(self) -> Array:
        """Logarithm of `weight`."""
        return np.log(self.weight)

    def __call__(self, X: Array) -> Array:
        """Return the logarithm of the density at the points `X` (n, 2), shape (n,), which is finite everywhere."""
        result = np.empty(len(X))
        for group in neighbourhoods(X):
            result[group] = self._of_group(*_about(X[group]), -math.inf)
        return result

    def _of_group(self, X: Array, middle: Array, radius: float, least: float) -> Array:
        """Return the logarithm of the density at points near each other, or -inf if it is negligible beside exp(least).

        `X` is relative to `middle`, from which no point is farther than `radius`.
        """
        s = self.noise
        nodes = self.nodes - middle
        away = np.sqrt(nodes[:, 0] ** 2 + nodes[:, 1] ** 2)
        # Upper bound of the logarithm of each node's term at all of these points, and lower bound of the largest term.
        most = self.log_weight - 0.5 * (np.maximum(away - radius, 0.0) / s) ** 2
        least = max(least, float((self.log_weight - 0.5 * ((away + radius) / s) ** 2).max()))
        near = np.flatnonzero(most > least - NEGLIGIBLE - math.log(len(away)))
        if not len(near):
            return np.full(len(X), -np.inf)
        terms = (X[:, 0, None] - nodes[near, 0]) ** 2
        terms += (X[:, 1, None] - nodes[near, 1]) ** 2
        terms *= -0.5 / s**2
        terms += self.log_weight[near]
        largest = terms.max(axis=1)
        terms -= largest[:, None]
        result: Array = np.log(np.exp(terms, out=terms).sum(axis=1)) + largest - math.log(2.0 * math.pi * s * s)
        return result

    def _least(self, middle: Array, radius: float) -> float:
        """Return a lower bound of the logarithm of the density within `radius` of `middle`, up to a constant."""
        nodes = self.nodes - middle
        away = np.sqrt(nodes[:, 0] ** 2 + nodes[:, 1] ** 2)
        return float((self.log_weight - 0.5 * ((away + radius) / self.noise) ** 2).max())


def likeliest(curves: Sequence[NoisyCurve], X: Array) -> Array:
    """Return log p(x | c) at the points `X` (n, 2), shape (n, len(curves)), for curves with the same noise.

    The value is -inf for classes whose density is smaller than the rounding error of the largest one: of many arms only
    the nearby ones are computed.
    """
    result = np.empty((len(X), len(curves)))
    for group in neighbourhoods(X):
        points, middle, radius = _about(X[group])
        least = max(curve._least(middle, radius) for curve in curves)
        for c, curve in enumerate(curves):
            result[group, c] = curve._of_group(points, middle, radius, least)
    return result


def _about(X: Array) -> tuple[Array, Array, float]:
    """Return points relative to their middle, the middle, and the largest distance from it.

    Relative coordinates have more correct digits far from the origin.
    """
    middle = 0.5 * (X.min(axis=0) + X.max(axis=0))
    X = X - middle
    return X, middle, float(np.sqrt((X**2).sum(axis=1).max()))


def neighbourhoods(X: Array) -> list[Indices]:
    """Return the indices of the points in groups of up to `TOGETHER`, whose members lie near each other."""
    if len(X) <= TOGETHER:
        return [np.arange(len(X))] if len(X) else []
    low, size = X.min(axis=0), np.ptp(X, axis=0)
    side = math.sqrt(TOGETHER * max(size[0] * size[1], 1e-300) / len(X))
    side = max(side, float(size.max()) * TOGETHER / len(X) / 64, 1e-300)
    cell = ((X - low) / side).astype(np.int64)
    order = np.lexsort((cell[:, 0], cell[:, 1]))
    return [order[start : start + TOGETHER] for start in range(0, len(X), TOGETHER)]
