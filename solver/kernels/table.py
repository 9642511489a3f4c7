"""Kernel functions: formula, parameters, Gram block, and the table of all kernels.

    linear      <x, z>
    poly        (gamma <x, z> + coef0)^degree
    rbf         exp(-gamma ||x - z||^2)
    laplacian   exp(-gamma ||x - z||_1)
    sigmoid     tanh(gamma <x, z> + coef0)

How sums of them are drawn on a grid stands in `grids`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.core.checks import check_choice, check_integer, check_number

from .grids import GridRows, gaussian_on, laplacian_on, polynomial_on, row_by_row_on

Array = NDArray[np.float64]
#: Points up to which a Gram matrix is decomposed to learn whether it is positive semidefinite (about two seconds).
LARGEST_DECOMPOSED = 6000


@dataclass(frozen=True)
class Kernel:
    """A kernel function with its parameters.

    Parameters
    ----------
    name : {"linear", "poly", "rbf", "laplacian", "sigmoid"}, default="rbf"
    gamma : float, default=1.0
    coef0 : float, default=0.0
    degree : int, default=3
        Parameters the kernel of that name does not use are ignored, but must be in their range all the same:
        gamma at least 0, coef0 finite, degree from 0 to 100.
    """

    name: str = "rbf"
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3

    def __post_init__(self) -> None:
        check_choice("kernel", self.name, KERNELS)
        check_number("gamma", self.gamma, 0.0, open_high=True)
        check_number("coef0", self.coef0, -np.inf, open_low=True, open_high=True)
        check_integer("degree", self.degree, 0, 100)  # beyond, every picture is overflow or noise

    @property
    def kind(self) -> KernelKind:
        """The row of `KERNELS` this kernel belongs to."""
        return KERNELS[self.name]

    @property
    def is_positive_semidefinite(self) -> bool:
        """True when every Gram matrix is positive semidefinite, so that the dual has one optimal value."""
        if self.name == "sigmoid":
            return False
        if self.name == "poly":
            return self.coef0 >= 0
        return True

    def is_positive_semidefinite_on(self, A: Array) -> bool:
        """True when the Gram matrix of the points `A` is known to be positive semidefinite."""
        return self.is_positive_semidefinite

    @property
    def is_translation_invariant(self) -> bool:
        """True when shifting all points changes no classifier: the solver may then centre them for accuracy."""
        return self.name == "linear"

    def largest(self, A: Array) -> float:
        """A bound of abs k(x, z) over the points `A`, inf where it overflows."""
        if self.name not in ("linear", "poly"):
            return 1.0
        with np.errstate(over="ignore"):
            product = np.einsum("ij,ij->i", A, A).max()
            if self.name == "poly":
                product = (self.gamma * product + abs(self.coef0)) ** self.degree
        return float(product)

    def gram(self, A: Array, B: Array) -> Array:
        """Kernel values ``k(A[i], B[j])``, shape (len(A), len(B))."""
        return self.kind.gram(self, A, B)

    def gram_by_row(self, A: Array, B: Array) -> Array:
        """As `gram`, each row in bits that depend on no other row: products not by BLAS, which rounds by position."""
        if self.kind.gram is _gram_of_products:
            return self.of_product(products_by_row(A, B))
        return self.gram(A, B)

    def diagonal(self, A: Array) -> Array:
        """Kernel values ``k(A[i], A[i])``, shape (len(A),)."""
        if self.name in ("rbf", "laplacian"):
            return np.ones(len(A))
        return self.of_product(np.einsum("ij,ij->i", A, A))

    def expansion_on(self, points: Array, coefficients: Array, xs: Array, offset: Array | None = None) -> GridRows:
        """Prepare ``f_m(x, y) = sum_s coefficients[s, m] k(points[s], (x, y)) + offset[m]`` on columns `xs` of a grid.

        Parameters
        ----------
        points : ndarray of shape (n_support, 2)
        coefficients : ndarray of shape (n_support, n_outputs)
        xs : ndarray of shape (width,)
        offset : ndarray of shape (n_outputs,), optional
            None means 0.

        Returns
        -------
        rows : callable, ``rows(ys) -> ndarray of shape (len(ys), len(xs), n_outputs)``
        """
        constant = np.zeros(coefficients.shape[1]) if offset is None else offset
        return self.kind.expansion_on(self, points, coefficients, xs, constant)

    def of_product(self, product: Array) -> Array:
        """Kernel values from inner products, of the kernels that are functions of <x, z>."""
        if self.name == "linear":
            return product
        if self.name == "poly":
            with np.errstate(over="ignore"):
                return _power(self.gamma * product + self.coef0, self.degree)
        return np.tanh(self.gamma * product + self.coef0)


def products_by_row(A: Array, B: Array) -> Array:
    """``<A[i], B[j]>``, shape (len(A), len(B)), each row in bits that depend on no other row."""
    products: Array = np.einsum("if,jf->ij", A, B)
    return products


def _power(base: Array, degree: int) -> Array:
    """``base ** degree`` by squaring, as the compiled rows do it: numpy's own power takes ten times as long."""
    power = np.ones_like(base)
    square, left = base, degree
    while left:
        if left & 1:
            power = power * square
        left >>= 1
        if left:
            square = square * square
    return power


def _gram_of_products(kernel: Kernel, A: Array, B: Array) -> Array:
    return kernel.of_product(A @ B.T)


def _gram_of_distances(kernel: Kernel, A: Array, B: Array) -> Array:
    # Differences first: ||x||^2 + ||z||^2 - 2<x, z> loses every digit far from the origin.
    total = np.zeros((len(A), len(B)))
    for feature in range(A.shape[1]):
        difference = A[:, feature, None] - B[None, :, feature]
        total += np.abs(difference) if kernel.name == "laplacian" else difference * difference
    with np.errstate(over="ignore"):
        return np.exp(-kernel.gamma * total)


@dataclass(frozen=True)
class KernelKind:
    """One row of the kernel table: everything a form, a formula line, a file or the compiled loop needs to know."""

    code: int  #: number of the kernel in the compiled row function
    title: str
    formula: str
    parameters: tuple[str, ...]
    note: str  #: one teaching sentence
    gram: Callable[[Kernel, Array, Array], Array]
    expansion_on: Callable[[Kernel, Array, Array, Array, Array], GridRows]
    #: Whether a picture takes the longer, the more support vectors there are.
    pays_per_point: bool = True


KERNELS: dict[str, KernelKind] = {
    "linear": KernelKind(
        0, "Linear", "K(x, z) = ⟨x, z⟩", (), "The boundary is a straight line.", _gram_of_products, polynomial_on, False
    ),
    "poly": KernelKind(
        1,
        "Polynomial",
        "K(x, z) = (γ⟨x, z⟩ + c₀)ᵈ",
        ("gamma", "degree", "coef0"),
        "The boundary is an algebraic curve of degree d.",
        _gram_of_products,
        polynomial_on,
        False,
    ),
    "rbf": KernelKind(
        2,
        "RBF",
        "K(x, z) = exp(−γ‖x − z‖²)",
        ("gamma",),
        "Each support vector is a Gaussian bump; a larger γ makes it narrower.",
        _gram_of_distances,
        gaussian_on,
    ),
    "laplacian": KernelKind(
        3,
        "Laplacian",
        "K(x, z) = exp(−γ‖x − z‖₁)",
        ("gamma",),
        "Like RBF, but each bump has a sharp peak and edges.",
        _gram_of_distances,
        laplacian_on,
    ),
    "sigmoid": KernelKind(
        4,
        "Sigmoid",
        "K(x, z) = tanh(γ⟨x, z⟩ + c₀)",
        ("gamma", "coef0"),
        "Not positive semidefinite in general.",
        _gram_of_products,
        row_by_row_on,
    ),
}


@dataclass(frozen=True)
class PrecomputedKernel(Kernel):
    """Kernel values that somebody else computed: the "points" of a solver are then rows of its Gram matrix."""

    name: str = "precomputed"

    def __post_init__(self) -> None:
        """Nothing to check: there are no parameters."""

    @property
    def kind(self) -> KernelKind:
        """Not a row of `KERNELS`, which lists the kernels that are functions of two points."""
        return _PRECOMPUTED

    @property
    def is_positive_semidefinite(self) -> bool:
        """False: only the matrix can tell."""
        return False

    def is_positive_semidefinite_on(self, A: Array) -> bool:
        """True when no eigenvalue of the Gram matrix `A` is negative beyond rounding.

        Shifted by the rounding error of an eigenvalue it then has a Cholesky factor.  Above `LARGEST_DECOMPOSED`
        points that is not tried, and False.
        """
        if len(A) > LARGEST_DECOMPOSED:
            return False
        shift = len(A) * np.finfo(np.float64).eps * float(np.abs(A).sum(axis=1).max()) + 1e-300  # of zeros, too
        shifted = A.copy()
        shifted.flat[:: len(A) + 1] += shift
        try:
            np.linalg.cholesky(shifted)
        except np.linalg.LinAlgError:
            return False
        return True

    def largest(self, A: Array) -> float:
        """The largest abs entry of the Gram matrix."""
        return float(np.abs(A).max())

    def diagonal(self, A: Array) -> Array:
        """The diagonal of the Gram matrix."""
        return np.array(A.diagonal())


def _rows_as_given(kernel: Kernel, A: Array, B: Array) -> Array:
    return A


def _not_in_the_plane(kernel: Kernel, points: Array, coefficients: Array, xs: Array, offset: Array) -> GridRows:
    raise ValueError("A precomputed kernel has no picture: its points are rows of a matrix, not of the plane.")


_PRECOMPUTED = KernelKind(
    5,
    "Precomputed",
    "K given as a matrix",
    (),
    "The rows of X are rows of the Gram matrix.",
    _rows_as_given,
    _not_in_the_plane,
)
