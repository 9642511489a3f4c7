"""Kinds of kernels: all computations with a kernel that is a function of <x, z>, or of the difference x - z.

A row of the table of kernels is an instance of one of these, with the few functions that distinguish it from the
others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array
from solver.core.certificate import EPS

from .grids import GridRows, Parameters


@dataclass(frozen=True, kw_only=True)
class KernelKind(ABC):
    """A row of the table of kernels: all about one kernel, apart from its branch of `_kernel_rows.kernel_values`.

    Attributes
    ----------
    code : int
        Its number in `_kernel_rows`.
    title, formula : str
        Name and formula for the screen.
    parameters : tuple of str
        The parameters of `Kernel` that it uses.
    note : str
        One teaching sentence.
    is_definite : callable
        ``is_definite(kernel)`` returns whether every Gram matrix is positive semidefinite at these parameters.
    expansion_on : callable
        As `Kernel.expansion_on`.
    pays_per_point : bool, default=True
        Whether the time for a picture grows with the number of support vectors.
    is_linear : bool, default=False
        Whether it is <x, z>: f is <w, x> + b, and shifting all points changes no classifier.
    has_edges : bool, default=False
        Whether it has no gradient at x = z.

    Examples
    --------
    Ask a kernel which of its parameters count:

    >>> from solver.kernels import Kernel, KernelKind
    >>> kind = Kernel("poly", degree=2).kind
    >>> isinstance(kind, KernelKind), kind.title, kind.parameters
    (True, 'Polynomial', ('gamma', 'degree', 'coef0'))
    """

    code: int
    title: str
    formula: str
    parameters: tuple[str, ...]
    note: str
    is_definite: Callable[[Parameters], bool]
    expansion_on: Callable[[Parameters, Array, Array, Array, Array], GridRows]
    pays_per_point: bool = True
    is_linear: bool = False
    has_edges: bool = False

    def is_definite_on(self, kernel: Parameters, A: Array) -> bool:
        """Return whether the Gram matrix of the points `A` is known to be positive semidefinite."""
        return self.is_definite(kernel)

    @abstractmethod
    def gram(self, kernel: Parameters, A: Array, B: Array) -> Array:
        """Return the kernel values ``k(A[i], B[j])``, shape (len(A), len(B))."""

    def gram_by_row(self, kernel: Parameters, A: Array, B: Array) -> Array:
        """Return `gram`, with each row independent of the other rows of `A` to the last bit."""
        return self.gram(kernel, A, B)

    @abstractmethod
    def diagonal(self, kernel: Parameters, A: Array) -> Array:
        """Return the kernel values ``k(A[i], A[i])``, shape (len(A),)."""

    @abstractmethod
    def largest(self, kernel: Parameters, A: Array) -> float:
        """Return a bound on abs k(x, z) over the points `A`, inf where it overflows."""

    def growth(self, kernel: Parameters, A: Array) -> Array:
        """Return g, shape (len(A),): a relative error r in the terms of the argument changes k(A[i], A[j]) by at most
        ``r sqrt(g_i g_j)``; here ones, for a function of a sum of differences, which are exact to the last digit.
        """
        return np.ones(len(A))

    def errors(self, kernel: Parameters, A: Array, weights: Array, enough: float) -> Array:
        """Return bounds on ``sum_j weights_j e_ij``, e the rounding errors of the Gram matrix of `A`, shape (len(A),).

        The argument of a kernel of d features takes d + 2 roundings, the function of it two more; each changes it by at
        most half an EPS.  If no bound is above `enough`, they need not be sharp.
        """
        roots: Array = np.sqrt((0.5 * A.shape[1] + 2.0) * self.growth(kernel, A))
        return EPS * roots * float(roots @ weights)

    @abstractmethod
    def gradient(self, kernel: Parameters, queries: Array, points: Array, coef: Array) -> tuple[Array, Array]:
        """Return the gradient of f, as `Kernel.gradient`."""

    def rate(self, kernel: Parameters) -> float | None:
        """Return one over the distance at which the kernel falls to about a half; None if there is no such distance."""
        return None


def products_by_row(A: Array, B: Array) -> Array:
    """Return ``<A[i], B[j]>``, shape (len(A), len(B)); no row depends on the others, as with BLAS, which rounds by
    index.
    """
    products: Array = np.einsum("if,jf->ij", A, B)
    return products


def _squares(A: Array) -> Array:
    """Return ``<A[i], A[i]>``, shape (len(A),)."""
    squares: Array = np.einsum("ij,ij->i", A, A)
    return squares


@dataclass(frozen=True, kw_only=True)
class ProductKind(KernelKind):
    """A kernel that is a function of p = <x, z>.

    Attributes
    ----------
    value, slope : callable
        Kernel values from p, and their derivatives by p.
    bound : callable
        A bound of abs k from the largest <x, x>.
    growth_of : callable
        `growth` from <x, x>.  It is a power of ``gamma <x, x> + abs(coef0)``, so that the bound for two points is, by
        the inequality of Cauchy and Schwarz, at most the product of their square roots.
    """

    value: Callable[[Parameters, Array], Array]
    slope: Callable[[Parameters, Array], Array]
    bound: Callable[[Parameters, float], float]
    growth_of: Callable[[Parameters, Array], Array]

    def gram(self, kernel: Parameters, A: Array, B: Array) -> Array:
        """Return the kernel values by one matrix product."""
        return self.value(kernel, A @ B.T)

    def gram_by_row(self, kernel: Parameters, A: Array, B: Array) -> Array:
        """Return the kernel values, with products that do not use BLAS."""
        return self.value(kernel, products_by_row(A, B))

    def diagonal(self, kernel: Parameters, A: Array) -> Array:
        """Return the kernel values from the squares of the points."""
        return self.value(kernel, _squares(A))

    def largest(self, kernel: Parameters, A: Array) -> float:
        """Return the bound at the largest square."""
        with np.errstate(over="ignore"):
            return float(self.bound(kernel, _squares(A).max()))

    def growth(self, kernel: Parameters, A: Array) -> Array:
        """Return `growth_of` the squares."""
        return self.growth_of(kernel, _squares(A))

    def gradient(self, kernel: Parameters, queries: Array, points: Array, coef: Array) -> tuple[Array, Array]:
        """Return the gradient; that of k(z, x) is ``slope(p) z``."""
        weights = self.slope(kernel, queries @ points.T) * coef
        return weights @ points, np.abs(weights) @ np.sqrt(_squares(points))


def decay(argument: Array) -> Array:
    """Return exp(-argument)."""
    return np.exp(-argument)


@dataclass(frozen=True, kw_only=True)
class DifferenceKind(KernelKind):
    """A kernel ``value(gamma sum_f distance(x_f - z_f))``, such as exp(-gamma ||x - z||^2).

    Attributes
    ----------
    distance, slope : callable
        Of the difference in one feature, and its derivative.
    rate_of : callable
        `rate` at this gamma.
    value, fall : callable, default=exp(-t)
        Kernel values from the sum t, 1 at t = 0, and minus their derivatives, of which ``t fall(t)`` is at most 1.
    """

    distance: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    rate_of: Callable[[float], float]
    value: Callable[[Array], Array] = decay
    fall: Callable[[Array], Array] = decay

    def _argument(self, kernel: Parameters, A: Array, B: Array) -> Array:
        """Return the argument of `value`, computed feature by feature."""
        # Differences first: ||x||^2 + ||z||^2 - 2<x, z> loses all digits far from the origin.
        total = np.zeros((len(A), len(B)))
        for feature in range(A.shape[1]):
            total += self.distance(A[:, feature, None] - B[None, :, feature])
        with np.errstate(over="ignore"):
            return kernel.gamma * total

    def gram(self, kernel: Parameters, A: Array, B: Array) -> Array:
        """Return the kernel values."""
        return self.value(self._argument(kernel, A, B))

    def diagonal(self, kernel: Parameters, A: Array) -> Array:
        """Return ones."""
        return np.ones(len(A))

    def largest(self, kernel: Parameters, A: Array) -> float:
        """Return 1."""
        return 1.0

    def gradient(self, kernel: Parameters, queries: Array, points: Array, coef: Array) -> tuple[Array, Array]:
        """Return the gradient, feature by feature; that of k(z, x) is ``-gamma fall slope(x - z)``."""
        weights = self.fall(self._argument(kernel, queries, points)) * coef
        out, squares = np.empty(queries.shape), np.zeros(weights.shape)
        for feature in range(queries.shape[1]):
            slope = -kernel.gamma * self.slope(queries[:, feature, None] - points[None, :, feature])
            out[:, feature] = np.einsum("ij,ij->i", weights, slope)
            squares += slope * slope
        return out, np.einsum("ij,ij->i", np.abs(weights), np.sqrt(squares))

    def rate(self, kernel: Parameters) -> float:
        """Return `rate_of` its gamma."""
        return self.rate_of(kernel.gamma)
