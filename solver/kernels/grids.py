"""Kernel expansions on a grid: f(x, y) = sum_s c_s k(p_s, (x, y)) without visiting every pixel for every p_s.

    rbf        exp(-g (x - p_x)^2) exp(-g (y - p_y)^2): a matrix product, (rows, support) times (support, columns).
               As it is smooth, its values at few Chebyshev points determine those of all columns, and of all
               rows, to rounding.
    laplacian  exp(-g |x - p_x|) exp(-g |y - p_y|): from column to column the terms of the points at the left decay
               by one factor, those at the right grow by one: two passes for any number of support vectors.
    linear, polynomial: one polynomial in x and y for any number of support vectors.
    sigmoid, and any new kernel: one row of pixels after the other.

Nothing is smoothed: the omitted terms of a sum are below its rounding error.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Protocol

import numpy as np

from solver.core.arrays import Array

from ._grid_loops import fading_sums

#: Function ``rows(ys) -> (len(ys), len(xs), n_outputs)``: the expansion on the grid rows at the heights `ys`.
GridRows = Callable[[Array], Array]


class Parameters(Protocol):
    """What of a `kernels.Kernel` the formulas and pictures use."""

    @property
    def gamma(self) -> float:
        """Factor gamma in the formulas."""

    @property
    def coef0(self) -> float:
        """Constant beside <x, z>."""

    @property
    def degree(self) -> int:
        """Exponent of a polynomial kernel."""

    def gram(self, A: Array, B: Array) -> Array:
        """Return the kernel values, as `kernels.Kernel.gram`."""


#: Largest share of each term that interpolation may omit: below half a unit in the last place.
LEFT_OUT = 1e-16
#: Parameters of the ellipses that `chebyshev_count` tries.
RHO = 1.0 + np.geomspace(0.01, 30.0, 80)


def _planes(n_outputs: int, height: int, width: int) -> Array:
    """Return one plane of memory per output; the caller's `moveaxis` makes it (height, width, n_outputs)."""
    return np.empty((n_outputs, height, width))


def _bumps(gamma: float, at: Array, centres: Array) -> Array:
    """Return exp(-gamma (at[i] - centres[j])^2), shape (len(at), len(centres))."""
    power = at[:, None] - centres
    with np.errstate(over="ignore"):
        np.square(power, out=power)
        power *= -gamma
    return np.exp(power, out=power)


def chebyshev_count(spread: float) -> int:
    """Return the number of Chebyshev points that interpolate exp(-gamma (x - p)^2) to `LEFT_OUT`, for every p.

    Parameters
    ----------
    spread : float
        gamma L^2, where L is half the length of the interval.

    Notes
    -----
    On the ellipse around the interval with parameter rho the function is at most
    M = exp(gamma L^2 (rho - 1/rho)^2 / 4), and interpolation in n + 1 points is off by at most 4 M rho^-n / (rho - 1)
    (Trefethen, Approximation Theory and Approximation Practice, theorem 8.2); the best of some rho is taken.
    """
    with np.errstate(over="ignore"):
        logarithm = 0.25 * spread * (RHO - 1.0 / RHO) ** 2 + np.log(4.0 / (RHO - 1.0)) - np.log(LEFT_OUT)
        return int(min(np.ceil((logarithm / np.log(RHO)).min()) + 1, 1e9))


def _interpolation(xs: Array, count: int) -> tuple[Array, Array]:
    """Return `count` Chebyshev points of the interval of `xs`, and the matrix from values there to values at `xs`.

    It is the barycentric formula (Berrut, Trefethen, SIAM Review 46, 2004, equation 5.3).
    """
    low, high = float(xs.min()), float(xs.max())
    angles = np.pi * (np.arange(count) + 0.5) / count
    nodes = 0.5 * (low + high) + 0.5 * (high - low) * np.cos(angles)
    weights = np.sin(angles) * np.where(np.arange(count) % 2, -1.0, 1.0)
    distance = xs - nodes[:, None]
    hit = distance == 0.0
    distance[hit] = 1.0
    matrix = weights[:, None] / distance
    at = hit.any(axis=0)
    matrix[:, at] = hit[:, at]  # a column on a Chebyshev point has the value there
    matrix /= matrix.sum(axis=0)
    return nodes, matrix


def _half(values: Array) -> float:
    """Return half the length of the interval of the values."""
    return 0.5 * float(np.ptp(values)) if len(values) else 0.0


def gaussian_on(kernel: Parameters, points: Array, coefficients: Array, xs: Array, offset: Array) -> GridRows:
    """Prepare the RBF kernel on columns `xs`; arguments and result as in `Kernel.expansion_on`."""
    gamma, (n_support, n_outputs) = kernel.gamma, coefficients.shape
    count = chebyshev_count(gamma * _half(xs) ** 2)
    interpolated = count * (n_support + len(xs)) < n_support * len(xs)
    columns, spread = _interpolation(xs, count) if interpolated else (xs, None)
    across = np.ascontiguousarray(_bumps(gamma, columns, points[:, 0]).T)

    def planes(ys: Array) -> Array:
        down = _bumps(gamma, ys, points[:, 1])
        out = _planes(n_outputs, len(ys), len(xs))
        for plane, column, constant in zip(out, coefficients.T, offset, strict=True):
            if spread is None:
                np.matmul(down * column, across, out=plane)
                plane += constant
            else:
                np.matmul((down * column) @ across + constant, spread, out=plane)
        return out

    def rows(ys: Array) -> Array:
        few = chebyshev_count(gamma * _half(ys) ** 2)
        if 2 * few > len(ys):
            return np.moveaxis(planes(ys), 0, 2)
        heights, between = _interpolation(ys, few)
        down = np.ascontiguousarray(between.T)
        out = _planes(n_outputs, len(ys), len(xs))
        for plane, known in zip(out, planes(heights), strict=True):
            np.matmul(down, known, out=plane)
        return np.moveaxis(out, 0, 2)

    return rows


def laplacian_on(kernel: Parameters, points: Array, coefficients: Array, xs: Array, offset: Array) -> GridRows:
    """Prepare the Laplacian kernel on columns `xs`."""
    gamma, n_outputs = kernel.gamma, coefficients.shape[1]
    order = np.argsort(xs, kind="stable")
    columns = xs[order]
    by_x = np.argsort(points[:, 0], kind="stable")
    px, py, weights = points[by_x, 0], points[by_x, 1], coefficients[by_x]
    # First column at or right of each point, and the decay of each point there and one column before.
    right = np.searchsorted(columns, px)
    with np.errstate(over="ignore"):
        fade = np.exp(-gamma * np.diff(columns, prepend=columns[:1]))
        to_right = np.exp(-gamma * (columns[np.minimum(right, max(len(columns) - 1, 0))] - px)) if len(columns) else px
        to_left = np.exp(-gamma * (px - columns[np.maximum(right - 1, 0)])) if len(columns) else px

    def rows(ys: Array) -> Array:
        out = _planes(n_outputs, len(ys), len(xs))
        with np.errstate(over="ignore"):
            down = np.exp(-gamma * np.abs(py[:, None] - ys))
        for plane, column, constant in zip(out, weights.T, offset, strict=True):
            fading_sums(down * column[:, None], right, to_right, to_left, fade, constant, plane)
        if not np.array_equal(order, np.arange(len(xs))):
            unsorted = np.empty_like(out)
            unsorted[:, :, order] = out
            out = unsorted
        return np.moveaxis(out, 0, 2)

    return rows


def linear_on(kernel: Parameters, points: Array, coefficients: Array, xs: Array, offset: Array) -> GridRows:
    """Prepare the linear kernel on columns `xs`."""
    return _polynomial_on((1.0, 0.0, 1), points, coefficients, xs, offset)


def polynomial_on(kernel: Parameters, points: Array, coefficients: Array, xs: Array, offset: Array) -> GridRows:
    """Prepare the polynomial kernel on columns `xs`."""
    return _polynomial_on((kernel.gamma, kernel.coef0, kernel.degree), points, coefficients, xs, offset)


@np.errstate(over="ignore", invalid="ignore")
def _polynomial_on(
    parameters: tuple[float, float, int], points: Array, coefficients: Array, xs: Array, offset: Array
) -> GridRows:
    # (g <p, x> + c)^d about the grid's middle (cx, 0), with a_s = g p_sx cx + c:
    #   sum over i + j <= d of  d! / (i! j! (d-i-j)!)  a^(d-i-j) (g p_x)^i (g p_y)^j  (x - cx)^i  y^j
    gamma, coef0, degree = parameters
    centre = float(xs.mean()) if len(xs) else 0.0
    px, py = gamma * points[:, 0], gamma * points[:, 1]
    base = px * centre + coef0
    table = np.zeros((degree + 1, degree + 1, coefficients.shape[1]))
    for i in range(degree + 1):
        for j in range(degree + 1 - i):
            weight = comb(degree, i) * comb(degree - i, j) * base ** (degree - i - j) * px**i * py**j
            table[i, j] = weight @ coefficients
    table[0, 0] += offset
    powers = (xs - centre)[:, None] ** np.arange(degree + 1)
    in_y = np.einsum("wi,ijm->mjw", powers, table)  # for each output the polynomial in y of each column

    @np.errstate(over="ignore", invalid="ignore")
    def rows(ys: Array) -> Array:
        out = _planes(len(in_y), len(ys), len(xs))
        heights = ys[:, None] ** np.arange(degree + 1)
        for plane, polynomials in zip(out, in_y, strict=True):
            np.matmul(heights, polynomials, out=plane)
        return np.moveaxis(out, 0, 2)

    return rows


def row_by_row_on(kernel: Parameters, points: Array, coefficients: Array, xs: Array, offset: Array) -> GridRows:
    """Prepare any kernel on columns `xs`, one row at a time; arguments and result as in `Kernel.expansion_on`."""

    def rows(ys: Array) -> Array:
        out = np.empty((len(ys), len(xs), coefficients.shape[1]))
        for r, y in enumerate(ys):
            out[r] = kernel.gram(np.column_stack((xs, np.full(len(xs), y))), points) @ coefficients + offset
        return out

    return rows
