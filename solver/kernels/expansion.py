"""Expansion: f(x) = sum of coefficients times kernel values + offset, anywhere and on a grid; `kernel_of`: its kernel.

Besides the kernels of `kernels.KERNELS` there are two without a formula here: a function ``kernel(A, B)`` of the
caller, and "precomputed", where the rows of X are themselves kernel values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Indices
from solver.core.checks import check_number, check_numbers

from .grids import GridRows, row_by_row_on
from .kinds import products_by_row
from .plane_values import BLOCK, PlaneValues
from .surface import Grid, RunningExpansion
from .table import KERNELS, Kernel, PrecomputedKernel

KernelFunction = Callable[[Array, Array], ArrayLike]
#: Share of the largest entry by which two halves of a Gram matrix may differ: its rounding error.
SYMMETRY = 1e-8
#: Number of kernel values computed at once: 1 MB, which fits the processor's cache.
PIECE = 1 << 17


@dataclass(frozen=True)
class CallableKernel:
    """A kernel that is the caller's own function, ``function(A, B) -> (len(A), len(B))``; every result is checked."""

    function: KernelFunction
    name: str = "callable"
    is_translation_invariant: bool = False

    def gram(self, A: Array, B: Array) -> Array:
        """Return the kernel values ``k(A[i], B[j])``, shape (len(A), len(B)); ValueError for other results."""
        shape = (len(A), len(B))
        if 0 in shape:  # no call, as many functions would not accept empty arrays
            return np.empty(shape)
        values = check_numbers("The answer of kernel(A, B)", self.function(A, B))
        if values.shape != shape:
            raise ValueError(f"kernel(A, B) must have shape {shape}, (len(A), len(B)); it has {values.shape}.")
        if not np.isfinite(values).all():
            raise ValueError("kernel(A, B) holds a value that is not finite (NaN or infinity).")
        return values

    def expansion_on(self, points: Array, coefficients: Array, xs: Array, offset: Any = 0.0) -> GridRows:
        """Prepare the expansion as `Kernel.expansion_on` does; call the function once for each row of the grid."""
        return row_by_row_on(self, points, coefficients, xs, offset)  # type: ignore[arg-type]  # it has no parameters


AnyKernel = Kernel | CallableKernel


def kernel_of(kernel: Any, X: Array, **parameters: Any) -> AnyKernel:
    """Return the kernel of SVC's parameters for training points `X`; raise ValueError with a sentence for invalid ones.

    `parameters` are those of `Kernel`; gamma may be a word, see `gamma_of`.
    """
    named = isinstance(kernel, str) and kernel in KERNELS
    if not named and not callable(kernel) and str(kernel) != "precomputed":
        names = ", ".join(map(repr, KERNELS))
        raise ValueError(f"kernel is {kernel!r}; it must be one of {names}, 'precomputed', or a function kernel(A, B).")
    # Parameters that a kernel does not use must also be in their range.
    uses = named and "gamma" in KERNELS[kernel].parameters
    parameters["gamma"] = gamma_of(parameters["gamma"], X, measured=uses)
    formula = Kernel(kernel if named else "rbf", **parameters)
    if named:
        return formula
    return CallableKernel(kernel) if callable(kernel) else PrecomputedKernel()


def gamma_of(gamma: Any, X: Array, measured: bool = True) -> float:
    """Return the number for `gamma`; "scale" depends on the points, and is 1 if no kernel `measured` uses it."""
    if not isinstance(gamma, str):
        return check_number("gamma", gamma, 0.0, open_high=True)
    if gamma not in ("scale", "auto"):
        raise ValueError(f"gamma is {gamma!r}; it must be 'scale', 'auto' or a number in [0, inf).")
    if gamma == "auto":
        return 1.0 / int(X.shape[1])
    variance = float(X.var()) if measured else 0.0
    # Points so close together that the formula overflows are one point to every kernel.
    return 1.0 if variance <= 1e-300 else 1.0 / (int(X.shape[1]) * variance)


def gram_for_training(kernel: AnyKernel, X: Array) -> Array | None:
    """Return the Gram matrix of a kernel without a formula, exactly symmetric; None for a kernel with one.

    Raises
    ------
    ValueError
        If it is not square, or not symmetric beyond rounding.
    """
    if isinstance(kernel, PrecomputedKernel):
        gram = X
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"X has shape {X.shape}; for kernel='precomputed' it must be a square Gram matrix.")
        name = "X, the Gram matrix,"
    elif isinstance(kernel, CallableKernel):
        gram, name = kernel.gram(X, X), "kernel(X, X)"
    else:
        return None
    difference = np.abs(gram - gram.T)
    if difference.max() > SYMMETRY * np.abs(gram).max():
        i, j = np.unravel_index(int(difference.argmax()), gram.shape)
        raise ValueError(
            f"{name} must be symmetric; its entry ({i}, {j}) is {gram[i, j]:g}, but ({j}, {i}) is {gram[j, i]:g}."
        )
    return 0.5 * (gram + gram.T)


@dataclass(frozen=True)
class Expansion:
    """The functions f_p(x) = sum_s coef[s, p] k(points[s], x) + offset[p] of a fitted model.

    Attributes
    ----------
    kernel : Kernel, CallableKernel or PrecomputedKernel
    points : ndarray of shape (n_support, n_features)
        Support vectors; not used with a precomputed kernel.
    support : ndarray of shape (n_support,)
        Their rows in the training set: the columns of the queries of a precomputed kernel.
    coef : ndarray of shape (n_support, n_problems)
    offset : ndarray of shape (n_problems,)
        For points from which `centre` was subtracted.
    centre : ndarray of shape (n_features,)
        With a linear kernel the mean of the points, so that products keep their digits far from the origin; else zeros.
    """

    kernel: AnyKernel
    points: Array
    support: NDArray[np.int32]
    coef: Array
    offset: Array
    centre: Array

    @property
    def is_linear(self) -> bool:
        """Whether f is <w, x> + b."""
        return self.kernel.is_translation_invariant

    @cached_property
    def _used(self) -> list[Indices]:
        """Indices of the support vectors of each problem: with many classes, most belong to others."""
        return [np.flatnonzero(coef) for coef in self.coef.T]

    @cached_property
    def _terms(self) -> tuple[Indices, Array, Indices, Indices]:
        """Support vectors and coefficients of all terms, problem by problem; problems with terms, and their first."""
        sizes = np.array([len(index) for index in self._used])
        some, index = np.flatnonzero(sizes), np.concatenate(self._used)
        coef = self.coef[index, np.repeat(np.arange(len(sizes)), sizes)]
        return index, coef, some, (np.cumsum(sizes) - sizes)[some]

    @cached_property
    def _columns(self) -> Array:
        """The points, with each feature together: a copy of them would take longer than the answer to one query."""
        return np.asfortranarray(self.points)

    @cached_property
    def linear_weights(self) -> Array:
        """w of a linear kernel, shape (n_problems, n_features), read-only."""
        # Small products one after the other: a large one would start the threads of BLAS, for mostly zeros.
        points, rows = self.points - self.centre, np.ascontiguousarray(self.coef.T)
        weights = np.array([row[index] @ points[index] for row, index in zip(rows, self._used, strict=True)])
        weights.flags.writeable = False  # predictions would not follow
        return weights

    def __call__(self, queries: Array) -> Array:
        """Return f at checked `queries` (n, n_features), shape (n, n_problems).

        Queries are evaluated in pieces, so that only some megabytes are needed, and the values of a query are the same
        bits whichever other queries there are (if a `CallableKernel` ensures that).  With a linear kernel f is <w, x>:
        its rounding error has the same bound as the sum over support vectors, that of sum_s |coef_s <x_s, x>|.  With
        many support vectors in the plane f is a sum of products (`plane_values`), with an error of some 1e-14 of sum_s
        |coef_s|.
        """
        values = np.zeros((len(queries), len(self.offset)))
        kernel, (index, coef, some, starts) = self.kernel, self._terms
        step = max(1, PIECE // max(1, len(index), queries.shape[1]))
        # Indices of the queries to sum: all, except those with a shorter way.
        plane = self._plane
        with np.errstate(over="ignore", invalid="ignore"):
            rows = slice(None) if plane is None else np.flatnonzero(plane.fill(values, queries))
            asked, found = queries[rows], values[rows]
            for first in range(0, len(asked), step):
                piece = slice(first, first + step)
                if self.is_linear:
                    found[piece] = products_by_row(asked[piece] - self.centre, self.linear_weights)
                    continue
                if isinstance(kernel, PrecomputedKernel):
                    gram = asked[piece, self.support]
                elif isinstance(kernel, CallableKernel):
                    gram = kernel.gram(asked[piece], self.points)
                else:
                    gram = kernel.gram_by_row(asked[piece], self._columns)
                terms = gram if len(some) == 1 and len(index) == gram.shape[1] else gram.take(index, axis=1)
                found[piece, some] = np.add.reduceat(np.multiply(terms, coef, out=terms), starts, axis=1)
            values[rows] = found
            values += self.offset
        return self.finite(values)

    @property
    def together(self) -> int:
        """Number of queries that are evaluated together: fewer take as long."""
        return BLOCK if self._plane is not None else 1

    @cached_property
    def _plane(self) -> PlaneValues | None:
        return PlaneValues.of(self.kernel, self.points, self.coef) if isinstance(self.kernel, Kernel) else None

    def rows_on(self, xs: Array) -> GridRows:
        """Prepare f on columns `xs` of a grid: ``rows(ys) -> (len(ys), len(xs), n_problems)``."""
        middle = self.centre[1]
        rows = self.kernel.expansion_on(
            self.points - self.centre, self.coef, np.asarray(xs) - self.centre[0], self.offset
        )
        return lambda ys: rows(np.asarray(ys) - middle)

    def running(self, points: Array, grid: Grid) -> RunningExpansion | None:
        """Return the object that makes each picture of a training from the previous one; None if not faster."""
        if not isinstance(self.kernel, Kernel) or not self.kernel.kind.pays_per_point:
            return None
        return RunningExpansion(self.kernel, points, grid)

    def next_rows(self, running: RunningExpansion) -> GridRows:
        """Prepare f as `rows_on` does, on the grid of `running`, which must be of this kernel and all
        training points.
        """
        if self.is_linear:  # `offset` is for points without `centre`; starting anew takes no longer
            return self.rows_on(running.grid.xs)
        coefficients = np.zeros((len(running.points), self.coef.shape[1]))
        coefficients[self.support] = self.coef
        return running.rows(coefficients, self.offset)

    def finite(self, values: Array) -> Array:
        """Return `values`; raise a ValueError if one has overflowed."""
        if not np.isfinite(values).all():
            raise ValueError(f"The {self.kernel.name} kernel overflows at these coordinates; go nearer to 0.")
        return values
