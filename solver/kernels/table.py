"""KERNELS, the table of all kernels, and Kernel, one of them with its parameters.

    linear      <x, z>
    poly        (gamma <x, z> + coef0)^degree
    rbf         exp(-gamma ||x - z||^2)
    laplacian   exp(-gamma ||x - z||_1)
    sigmoid     tanh(gamma <x, z> + coef0)

A new kernel is one row here, with its code in `_kernel_rows` and the branches of that code in
`_kernel_rows.kernel_values`.  A new parameter is a field of `Kernel`, last in `numbers`, and of `KernelClassifier`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from solver.core import fast_loops
from solver.core.arrays import Array
from solver.core.certificate import EPS
from solver.core.checks import check_choice, check_integer, check_number

from . import _kernel_rows as rows
from .grids import GridRows, Parameters, gaussian_on, laplacian_on, linear_on, polynomial_on, row_by_row_on
from .kinds import DifferenceKind, KernelKind, ProductKind

#: Largest number of points whose Gram matrix is decomposed to test whether it is positive semidefinite (about 2 s).
LARGEST_DECOMPOSED = 6000


@dataclass(frozen=True)
class Kernel:
    """A kernel function with its parameters.

        linear      <x, z>
        poly        (gamma <x, z> + coef0)^degree
        rbf         exp(-gamma ||x - z||^2)
        laplacian   exp(-gamma ||x - z||_1)
        sigmoid     tanh(gamma <x, z> + coef0)

    Parameters
    ----------
    name : {"linear", "poly", "rbf", "laplacian", "sigmoid"}, default="rbf"
        A name of `KERNELS`.
    gamma : float, default=1.0
        At least 0.  This and the following parameters must be in their range even if the kernel does not use them.
    coef0 : float, default=0.0
        Finite.
    degree : int, default=3
        From 0 to 100.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    References
    ----------
    Schölkopf, Smola, "Learning with kernels", MIT Press, 2002, section 2.3.

    Examples
    --------
    Kernel values between two points and the origin:

    >>> import numpy as np
    >>> from solver import Kernel
    >>> points, origin = np.array([[0.0, 1.0], [3.0, 4.0]]), np.zeros((1, 2))
    >>> Kernel("rbf", gamma=0.5).gram(points, origin).round(4).tolist()
    [[0.6065], [0.0]]
    >>> Kernel("poly", gamma=1, coef0=1, degree=2).gram(points, points).tolist()
    [[4.0, 25.0], [25.0, 676.0]]

    A hard margin is refused with a kernel that is not positive semidefinite:

    >>> Kernel("sigmoid").is_positive_semidefinite
    False
    """

    name: str = "rbf"
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3

    def __post_init__(self) -> None:
        check_choice("kernel", self.name, KERNELS)
        check_number("gamma", self.gamma, 0.0, open_high=True)
        check_number("coef0", self.coef0, -np.inf, open_low=True, open_high=True)
        check_integer("degree", self.degree, 0, 100)  # a higher degree gives only overflow or noise

    @property
    def kind(self) -> KernelKind:
        """Row of `KERNELS` with this kernel's name."""
        return KERNELS[self.name]

    @property
    def numbers(self) -> rows.KernelNumbers:
        """Code, gamma, coef0 and degree, as compiled loops take them."""
        return self.kind.code, float(self.gamma), float(self.coef0), int(self.degree)

    @property
    def is_positive_semidefinite(self) -> bool:
        """Whether every Gram matrix is positive semidefinite, so that the dual is concave."""
        return self.kind.is_definite(self)

    def is_positive_semidefinite_on(self, A: Array) -> bool:
        """Return whether the Gram matrix of the points `A` is known to be positive semidefinite."""
        return self.kind.is_definite_on(self, A)

    @property
    def is_translation_invariant(self) -> bool:
        """Whether shifting all points changes no classifier, so that a solver may centre them for accuracy."""
        return self.kind.is_linear

    def largest(self, A: Array) -> float:
        """Return a bound on abs k(x, z) over the points `A`, inf where it overflows."""
        return self.kind.largest(self, A)

    def errors(self, A: Array, weights: Array, enough: float = 0.0) -> Array:
        """Return bounds on ``sum_j weights_j e_ij``, e the rounding errors of the Gram matrix of `A`, shape (len(A),).

        If no bound is above `enough`, they need not be sharp.
        """
        return self.kind.errors(self, A, weights, enough)

    def gram(self, A: Array, B: Array) -> Array:
        """Return the kernel values ``k(A[i], B[j])``.

        Parameters
        ----------
        A, B : ndarray of shape (n_a, d), (n_b, d)
            Points, which are not checked.

        Returns
        -------
        ndarray of shape (n_a, n_b)
            inf where a value overflows.
        """
        return self.kind.gram(self, A, B)

    def gram_by_row(self, A: Array, B: Array) -> Array:
        """Return `gram`, with each row independent of the other rows of `A` to the last bit."""
        if not fast_loops.ready() or self.kind.code == rows.SIGMOID:  # numpy has a faster tanh
            return self.kind.gram_by_row(self, A, B)
        values = np.empty((len(A), len(B)))
        rows.gram_rows(self.numbers, np.ascontiguousarray(B.T), np.ascontiguousarray(A.T), values)
        return values

    def diagonal(self, A: Array) -> Array:
        """Return the kernel values ``k(A[i], A[i])``, shape (len(A),)."""
        return self.kind.diagonal(self, A)

    def gradient(self, queries: Array, points: Array, coef: Array) -> tuple[Array, Array]:
        """Return the gradient of ``f(x) = sum_s coef_s k(points_s, x)`` at the queries.

        The Laplacian kernel has an edge where a feature of x is that of a point; its derivative there counts as 0.

        Parameters
        ----------
        queries : ndarray of shape (m, d)
        points : ndarray of shape (n_support, d)
        coef : ndarray of shape (n_support,)

        Returns
        -------
        gradient : ndarray of shape (m, d)
        size : ndarray of shape (m,)
            Sum of the lengths of the terms: a gradient shorter than about 1e-16 of it is rounding error.

        Raises
        ------
        ValueError
            If the kernel is precomputed.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return self.kind.gradient(self, queries, points, coef)

    def expansion_on(self, points: Array, coefficients: Array, xs: Array, offset: Array | None = None) -> GridRows:
        """Prepare ``f_m(x, y) = sum_s coefficients[s, m] k(points[s], (x, y)) + offset[m]`` on columns `xs` of a grid.

        Parameters
        ----------
        points : ndarray of shape (n_support, 2)
        coefficients : ndarray of shape (n_support, n_outputs)
        xs : ndarray of shape (width,)
        offset : ndarray of shape (n_outputs,), default=None
            None means 0.

        Returns
        -------
        callable
            ``rows(ys)`` returns the values at rows `ys`, shape (len(ys), len(xs), n_outputs).
        """
        constant = np.zeros(coefficients.shape[1]) if offset is None else offset
        return self.kind.expansion_on(self, points, coefficients, xs, constant)


#: The parameters that kernels may have, as `Kernel` names them.
PARAMETERS = tuple(field.name for field in fields(Kernel) if field.name != "name")


def _power(kernel: Parameters, product: Array) -> Array:
    """Return ``(gamma product + coef0)^degree`` by squaring, as compiled rows do; numpy's power is ten times slower."""
    if kernel.degree == 0:
        return np.ones_like(product)
    with np.errstate(over="ignore"):
        square, left = kernel.gamma * product, kernel.degree
        square += kernel.coef0
        power: Array | None = None
        while left:  # in place: new arrays would take five times as long as the products
            if left & 1:
                power = square.copy() if power is None else np.multiply(power, square, out=power)
            left >>= 1
            if left:
                np.multiply(square, square, out=square)
    assert power is not None
    return power


def _slope_of_power(kernel: Parameters, product: Array) -> Array:
    if kernel.degree == 0:
        return np.zeros_like(product)
    return (kernel.gamma * product + kernel.coef0) ** (kernel.degree - 1) * (kernel.degree * kernel.gamma)


def _tanh(kernel: Parameters, product: Array) -> Array:
    return np.tanh(kernel.gamma * product + kernel.coef0)


class _SigmoidKind(ProductKind):
    """The sigmoid kernel, whose value hardly changes where the argument is large."""

    def errors(self, kernel: Parameters, A: Array, weights: Array, enough: float) -> Array:
        """Return the bounds; sharp ones have the largest slope of tanh within the error of each argument."""
        errors = super().errors(kernel, A, weights, enough)
        if not errors.max() <= enough:
            roots = np.sqrt(EPS * (0.5 * A.shape[1] + 2.0) * self.growth(kernel, A))
            for i, x in enumerate(A):
                changes = roots[i] * roots
                least = np.maximum(np.abs(kernel.gamma * (A @ x) + kernel.coef0) - changes, 0.0)
                slope = np.minimum(1.0, 4.0 * np.exp(-2.0 * least))  # of tanh, at most
                errors[i] = (np.minimum(changes * slope, 2.0) + EPS) @ weights
        return errors


def _always(kernel: Parameters) -> bool:
    return True


def _never(kernel: Parameters) -> bool:
    return False


KERNELS: dict[str, KernelKind] = {
    "linear": ProductKind(
        code=rows.LINEAR,
        title="Linear",
        formula="K(x, z) = ⟨x, z⟩",
        parameters=(),
        note="The boundary is a straight line.",
        is_definite=_always,
        expansion_on=linear_on,
        pays_per_point=False,
        is_linear=True,
        value=lambda kernel, product: product,
        slope=lambda kernel, product: np.ones_like(product),
        bound=lambda kernel, square: square,
        growth_of=lambda kernel, square: square,
    ),
    "poly": ProductKind(
        code=rows.POLY,
        title="Polynomial",
        formula="K(x, z) = (γ⟨x, z⟩ + c₀)ᵈ",
        parameters=("gamma", "degree", "coef0"),
        note="The boundary is an algebraic curve of degree d.",
        is_definite=lambda kernel: kernel.coef0 >= 0,
        expansion_on=polynomial_on,
        pays_per_point=False,
        value=_power,
        slope=_slope_of_power,
        bound=lambda kernel, square: (kernel.gamma * square + abs(kernel.coef0)) ** kernel.degree,
        growth_of=lambda kernel, square: kernel.degree * (kernel.gamma * square + abs(kernel.coef0)) ** kernel.degree,
    ),
    "rbf": DifferenceKind(
        code=rows.RBF,
        title="RBF",
        formula="K(x, z) = exp(−γ‖x − z‖²)",
        parameters=("gamma",),
        note="Each support vector is a Gaussian bump; a larger γ makes it narrower.",
        is_definite=_always,
        expansion_on=gaussian_on,
        distance=np.square,
        slope=lambda difference: 2.0 * difference,
        rate_of=lambda gamma: float(np.sqrt(2.0 * gamma)),
    ),
    "laplacian": DifferenceKind(
        code=rows.LAPLACIAN,
        title="Laplacian",
        formula="K(x, z) = exp(−γ‖x − z‖₁)",
        parameters=("gamma",),
        note="Like RBF, but each bump has a sharp peak and edges.",
        is_definite=_always,
        expansion_on=laplacian_on,
        has_edges=True,
        distance=np.abs,
        slope=np.sign,
        rate_of=lambda gamma: gamma,
    ),
    "sigmoid": _SigmoidKind(
        code=rows.SIGMOID,
        title="Sigmoid",
        formula="K(x, z) = tanh(γ⟨x, z⟩ + c₀)",
        parameters=("gamma", "coef0"),
        note="Not positive semidefinite in general.",
        is_definite=_never,
        expansion_on=row_by_row_on,
        value=_tanh,
        slope=lambda kernel, product: kernel.gamma * (1.0 - _tanh(kernel, product) ** 2),
        bound=lambda kernel, square: 1.0,
        growth_of=lambda kernel, square: 1.0 + kernel.gamma * square + abs(kernel.coef0),
    ),
}
"""All kernels by their names, the values of the parameter `kernel`; each is a `KernelKind`.

Examples
--------
Which kernels use the parameter gamma, and the formula of one of them:

>>> from solver import KERNELS
>>> [name for name, kind in KERNELS.items() if "gamma" in kind.parameters]
['poly', 'rbf', 'laplacian', 'sigmoid']
>>> KERNELS["linear"].formula
'K(x, z) = ⟨x, z⟩'
"""


@dataclass(frozen=True)
class PrecomputedKernel(Kernel):
    """Kernel values computed by the caller: the "points" of a solver are then rows of the Gram matrix."""

    name: str = "precomputed"

    def __post_init__(self) -> None:
        """Do nothing: there are no parameters."""

    @property
    def kind(self) -> KernelKind:
        """Kind of this kernel, which is no row of `KERNELS`: those are functions of two points."""
        return _PRECOMPUTED


class _MatrixKind(KernelKind):
    """Kernel values of "points" that are rows of the Gram matrix."""

    def is_definite_on(self, kernel: Parameters, A: Array) -> bool:
        """Return whether no eigenvalue of the Gram matrix `A` is negative beyond rounding.

        That is so if the matrix, shifted by the rounding error of an eigenvalue, has a Cholesky factor.  Above
        `LARGEST_DECOMPOSED` points this is not tried, and the answer is False.
        """
        if len(A) > LARGEST_DECOMPOSED:
            return False
        # Above 0, also for a matrix of zeros.
        shift = len(A) * np.finfo(np.float64).eps * float(np.abs(A).sum(axis=1).max()) + 1e-300
        shifted = A.copy()
        shifted.flat[:: len(A) + 1] += shift
        try:
            np.linalg.cholesky(shifted)
        except np.linalg.LinAlgError:
            return False
        return True

    def gram(self, kernel: Parameters, A: Array, B: Array) -> Array:
        """Return the rows themselves."""
        return A

    def largest(self, kernel: Parameters, A: Array) -> float:
        """Return the largest absolute value in the Gram matrix."""
        return float(np.abs(A).max())

    def growth(self, kernel: Parameters, A: Array) -> Array:
        """Return zeros: the values given are exact."""
        return np.zeros(len(A))

    def diagonal(self, kernel: Parameters, A: Array) -> Array:
        """Return the diagonal of the Gram matrix."""
        return np.array(A.diagonal())

    def gradient(self, kernel: Parameters, queries: Array, points: Array, coef: Array) -> tuple[Array, Array]:
        """Raise ValueError: there is no gradient."""
        raise ValueError(f"kernel is 'precomputed', which has no gradient; it must be one of {', '.join(KERNELS)}.")


def _not_in_the_plane(kernel: Parameters, points: Array, coefficients: Array, xs: Array, offset: Array) -> GridRows:
    raise ValueError("A precomputed kernel has no picture: its points are rows of a matrix, not of the plane.")


_PRECOMPUTED = _MatrixKind(
    code=rows.PRECOMPUTED,
    title="Precomputed",
    formula="K given as a matrix",
    parameters=(),
    note="The rows of X are rows of the Gram matrix.",
    is_definite=_never,  # depends on the matrix
    expansion_on=_not_in_the_plane,
)
