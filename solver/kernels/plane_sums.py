"""Sums ``f(x) = sum_j weights_j k(x_j, x)`` in the plane, in time linear in the points: no kernel rows.

A smooth kernel in the plane is, up to a proved error, a short sum of products of functions of one coordinate each:

    k(x, z)  ~  sum_abcd  T_a(x_1) T_b(x_2)  G_abcd  T_c(z_1) T_d(z_2)

First the moments ``M_cd = sum_j weights_j T_c(x_j1) T_d(x_j2)``, one matrix product; then a small map of M to V; then
``f(x_i) = sum_ab T_a(x_i1) V_ab T_b(x_i2)``, another one.  Both cost O(n m^2) for m functions of each coordinate.

RBF: T are Chebyshev polynomials on the interval of the points, and V = G1 M G2' with G the coefficients of the
interpolant of ``exp(-gamma (s - t)^2)`` at m by m Chebyshev nodes.  On [-1, 1], with c = gamma times the square of half
the interval, that function is analytic, and at most ``exp(c h^2)``, ``h = (rho - 1 / rho) / 2``, in the ellipse whose
half axes have the sum rho.  So the error of the interpolant in one variable is at most ``4 exp(c h^2) rho^(1-m) / (rho
- 1)`` for each rho > 1 (Trefethen, Approximation Theory and Practice, theorem 8.2), and in both at most that times 1
plus the Lebesgue constant, which is at most ``1 + 2 / pi log m`` (Rivlin 1974).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from solver.core.arrays import Array, Indices
from solver.core.certificate import EPS

from .table import Kernel

#: Largest error of a kernel value by interpolation, and largest number of functions of a coordinate.
ACCURACY, MOST = 1e-14, 160
#: Largest degree of a polynomial kernel that is expanded.
LARGEST_DEGREE = 8
#: Number of points of a block: its values fit the processor's cache.
BLOCK = 4096
#: The same if there are several features for each function, and number of blocks of a piece of work.
PART, AT_ONCE = 512, 8
#: Number of multiplications of a matrix product that take as long as one entry of a pass over an array.
PER_ENTRY = 8


@dataclass(frozen=True)
class PlaneSums:
    """The kernel between points of a rectangle, as a sum of products.

    Attributes
    ----------
    kernel : Kernel
    middle, half : ndarray of shape (2,)
        Centre and half sides of the rectangle.
    maps : tuple of ndarray
        For RBF, G1 and G2; else the factor of each moment.
    error : float
        Bound on abs(k - its expansion) on the rectangle, apart from rounding.
    rounding : float
        EPS times this is about the rounding error of a kernel value.
    """

    kernel: Kernel
    middle: Array
    half: Array
    maps: tuple[Array, ...]
    error: float
    rounding: float

    @property
    def cost(self) -> int:
        """Time per point of the moments or of the values, in entries."""
        (m1, m2) = self._shape
        return m1 * m2 // PER_ENTRY + 4 * (m1 + m2)

    @property
    def _shape(self) -> tuple[int, int]:
        return (len(self.maps[0]), len(self.maps[-1])) if len(self.maps) == 2 else self.maps[0].shape

    def uncertainty(self, weights: Array) -> float:
        """Return a bound on the error of f, rounding included as far as EPS times the size of its terms covers it."""
        return float(np.abs(weights).sum() * (self.error + EPS * self.rounding))

    def _functions(self, XT: Array) -> tuple[Array, Array]:
        """Return the functions of both coordinates at points (2, n): (m1, n), (m2, n)."""
        both = []
        for x, middle, half, m in zip(XT, self.middle, self.half, self._shape, strict=True):
            u = (x - middle) / half
            T = np.empty((m, len(u)))
            T[0] = 1.0
            if m > 1:
                T[1] = u
            polynomials = len(self.maps) == 2
            u = 2.0 * u if polynomials else u
            for k in range(2, m):
                np.multiply(u, T[k - 1], out=T[k])
                if polynomials:
                    T[k] -= T[k - 2]
            both.append(T)
        return both[0], both[1]

    def moments(self, XT: Array, weights: Array) -> Iterator[Array]:
        """Yield M in pieces; the last value yielded is M."""
        used = np.flatnonzero(weights)
        M = np.zeros(self._shape)
        for start in range(0, len(used), BLOCK):
            index = used[start : start + BLOCK]
            T1, T2 = self._functions(XT[:, index])
            T1 *= weights[index]
            M += T1 @ T2.T
            yield M
        yield M

    def values(self, M: Array, XT: Array, out: Array) -> Iterator[None]:
        """Compute f of these moments at points (2, n) into `out`, in pieces."""
        V = self.mapped(M)
        for start in range(0, len(out), BLOCK):
            T1, T2 = self._functions(XT[:, start : start + BLOCK])
            np.einsum("ij,ij->j", V.T @ T1, T2, out=out[start : start + BLOCK])
            yield

    def values_of(self, maps: Sequence[Array], XT: Array) -> list[Array]:
        """Return f of each of several V at points (2, n), at once."""
        T1, T2 = self._functions(XT)
        return [np.einsum("ij,ij->j", V.T @ T1, T2) for V in maps]

    def mapped(self, M: Array) -> Array:
        """Return V of these moments."""
        return self.maps[0] @ M @ self.maps[1].T if len(self.maps) == 2 else self.maps[0] * M

    def features(self, share: float) -> Features:
        """Return the expansion as a scalar product of features, without those below about `share` of k(x, x)."""
        if len(self.maps) == 2:
            (w1, Q1), (w2, Q2) = (np.linalg.eigh(0.5 * (G + G.T)) for G in self.maps)
            weight = np.maximum(w1, 0.0)[:, None] * np.maximum(w2, 0.0)
        else:
            Q1, Q2 = (np.eye(m) for m in self._shape)
            weight = np.maximum(self.maps[0], 0.0)
        a, b = np.nonzero(weight > share * weight.max())
        return Features(self, Q1, Q2, a, b, np.sqrt(weight[a, b]))

    def all_at_once(self, XT: Array, weights: Array, queries: Array) -> Array:
        """Return f at `queries` (2, m)."""
        out = np.empty(queries.shape[1])
        *_, M = self.moments(XT, weights)
        list(self.values(M, queries, out))
        return out


@dataclass(frozen=True)
class Features:
    """Features phi with ``k(x, z) ~ <phi(x), phi(z)>``: products of one function of each coordinate.

    Attributes
    ----------
    plane : PlaneSums
    first, second : ndarray of shape (m1, m1), (m2, m2)
        The functions of each coordinate, as columns of coefficients.
    a, b : ndarray of shape (rank,)
        Indices of the two functions of each feature.
    scale : ndarray of shape (rank,)
        Factor of each feature.
    """

    plane: PlaneSums
    first: Array
    second: Array
    a: Indices
    b: Indices
    scale: Array

    @property
    def rank(self) -> int:
        """Number of features."""
        return len(self.a)

    def pieces(self, XT: Array) -> Iterator[Array]:
        """Yield phi at points (2, n) in pieces; the last value yielded is phi."""
        Z = np.empty((XT.shape[1], self.rank))
        for start in range(0, len(Z), PART):
            T1, T2 = self.plane._functions(XT[:, start : start + PART])
            first = ((self.first.T @ T1)[self.a]) * self.scale[:, None]
            first *= (self.second.T @ T2)[self.b]
            Z[start : start + PART] = first.T
            if start % (AT_ONCE * PART) == 0:
                yield Z
        yield Z

    def sum(self, M: Array) -> Array:
        """Return ``sum_j weights_j phi(x_j)`` from the moments of the weights."""
        return (self.first.T @ M @ self.second)[self.a, self.b] * self.scale


def plane_sums(kernel: Kernel, XT: Array, accuracy: float = ACCURACY) -> PlaneSums | None:
    """Return the expansion of `kernel` between the points XT (2, n), or None if there is no short one.

    Parameters
    ----------
    kernel : Kernel
    XT : ndarray of shape (2, n)
    accuracy : float, default=1e-14
        Largest error of a kernel value, apart from rounding.
    """
    if XT.shape[0] != 2 or kernel.name not in ("rbf", "linear", "poly"):
        return None
    low, high = XT.min(axis=1), XT.max(axis=1)
    if kernel.name == "rbf":
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        half = half * (1.0 + 8 * EPS) + 8 * EPS * np.abs(middle) + 1e-300  # so that rounding leaves no point outside
        # Rounding of the coordinates themselves, far from the origin, is no error: the kernel is that of the doubles.
        axes = [_gaussian(kernel.gamma * h * h, 0.25 * accuracy) for h in half.tolist()]
        if axes[0] is None or axes[1] is None:
            return None
        (first, e1), (second, e2) = axes  # type: ignore[misc]
        size = float(np.abs(first).sum() * np.abs(second).sum()) + 4.0 * max(len(first), len(second))
        # Error of u: an EPS, and more far from the origin.
        slope = 2.0 * float(np.sqrt(kernel.gamma) * np.abs(np.stack([low, high])).max())
        return PlaneSums(kernel, middle, half, (first, second), float(e1 + (1.0 + e1) * e2), size + slope)
    degree, gamma, coef0 = (1, 1.0, 0.0) if kernel.name == "linear" else (kernel.degree, kernel.gamma, kernel.coef0)
    largest = kernel.largest(XT.T)
    if degree > LARGEST_DEGREE or not largest < 1e100:
        return None
    half = np.maximum(np.maximum(np.abs(low), np.abs(high)), 1e-100)
    factors = np.zeros((degree + 1, degree + 1))
    for a in range(degree + 1):
        for b in range(degree + 1 - a):
            rest = degree - a - b
            times = comb(degree, a) * comb(degree - a, b)
            factors[a, b] = times * (gamma * half[0] ** 2) ** a * (gamma * half[1] ** 2) ** b * coef0**rest
    return PlaneSums(kernel, np.zeros(2), half, (factors,), 0.0, 4.0 * (degree + 1) * largest)


def _gaussian(c: float, accuracy: float) -> tuple[Array, float] | None:
    """Return the Chebyshev coefficients of ``exp(-c (s - t)^2)`` on [-1, 1]^2, and a bound on their error."""
    if not c < 1e6:
        return None
    rho = 1.0 + np.geomspace(1e-3, 1e6, 400)
    h = 0.5 * (rho - 1.0 / rho)
    sizes = np.arange(2, MOST + 1)
    bounds = (np.log(4.0 / (rho - 1.0)) + c * h * h - (sizes[:, None] - 1) * np.log(rho)).min(axis=1)
    errors = np.exp(np.minimum(bounds, 0.0)) * (2.0 + 2.0 / np.pi * np.log(sizes))
    if errors[-1] > accuracy:
        return None
    k = int((errors <= accuracy).argmax())
    m, error = int(sizes[k]), float(errors[k])
    angle = (np.arange(m) + 0.5) * (np.pi / m)
    nodes = np.cos(angle)
    W = (2.0 / m) * np.cos(np.outer(np.arange(m), angle))
    W[0] *= 0.5
    return W @ np.exp(-c * (nodes[:, None] - nodes) ** 2) @ W.T, error
