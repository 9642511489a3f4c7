"""LasvmState: what can be read off the online SVM at one moment; notation as in `lasvm`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array, Integers
from solver.core.certificate import Certificate, Status, best_primal, proved, rounding_of
from solver.core.stepping import SteppedSolver
from solver.kernels.table import Kernel

from . import _online_loops as loops
from ._online_points import KeptPoints

EPS = float(np.finfo(np.float64).eps)
#: (m, M) over no points.
NOBODY = (-np.inf, np.inf)


@dataclass(frozen=True)
class LasvmSnapshot:
    """The solver's state at one moment, in arrays that are never written again.

    Attributes
    ----------
    expansion : ndarray of shape (size,)
        Numbers of the points of S, by default counted along the stream from 0.
    alpha, v : ndarray of shape (size,)
        Multipliers and g of the points of S: f = y - v + intercept.
    intercept : float
    working_set : tuple of int
        The numbers (i, j) of the newest pair that moved; (-1, -1) before the first.
    operation : {"none", "insert", "process", "reprocess", "sweep"}
        The newest operation.
    certificate : Certificate
        `n_iter` counts operations; `kkt_violation` is that of S, and of all points once the answer is optimal.
    """

    expansion: Integers
    alpha: Array
    v: Array
    intercept: float
    working_set: tuple[int, int]
    operation: str
    certificate: Certificate


class LasvmState(SteppedSolver):
    """The reading half of `LasvmSolver`.

    Attributes
    ----------
    kernel : Kernel
    centre : ndarray of shape (n_features,)
        Shift of the points that changes no classifier but keeps the digits of a linear kernel.
    """

    kernel: Kernel
    centre: Array
    tol: float
    _kept: KeptPoints
    _forgotten: bool  #: whether there was a former batch
    _operation: str
    _left_out: tuple[float, float]  #: (m, M) over the points that the newest sweep left out of S

    @property
    def size(self) -> int:
        """Points in the expansion S."""
        return self._kept.size

    @property
    def expansion(self) -> Integers:
        """Numbers of the points of S, shape (size,)."""
        return self._kept.S.number[: self.size].copy()

    @property
    def points(self) -> Array:
        """The points of S, shape (size, n_features)."""
        points: Array = self._kept.S.XT[:, : self.size].T + self.centre
        return points

    @property
    def beta(self) -> Array:
        """y alpha of the points of S, shape (size,)."""
        return self._of_expansion()[0].copy()

    @property
    def alpha(self) -> Array:
        """Multipliers of the points of the newest batch, shape (n,)."""
        place = self._kept.place
        alpha: Array = np.where(place >= 0, np.abs(self._kept.S.reals[loops.BETA, np.maximum(place, 0)]), 0.0)
        return alpha

    @property
    def bounds(self) -> tuple[float, float]:
        """(m, M) over S; -inf and inf where there is nothing that may grow or fall."""
        beta, g, lo, hi = self._of_expansion()
        return float(g[beta < hi].max(initial=-np.inf)), float(g[beta > lo].min(initial=np.inf))

    @property
    def _bounds_of_all(self) -> tuple[float, float]:
        """(m, M) over S and the points that the newest sweep left out: over all points at its end."""
        m, M = self.bounds
        return max(m, self._left_out[0]), min(M, self._left_out[1])

    @property
    def dual(self) -> float:
        """D(alpha) = 1/2 (sum alpha + beta . g)."""
        beta, g, _, _ = self._of_expansion()
        return 0.5 * float(np.abs(beta).sum() + beta @ g)

    @property
    def intercept(self) -> float:
        """Mean of g over the free support vectors; with none, (m + M) / 2; with one class only, its label."""
        beta, g, lo, hi = self._of_expansion()
        free = (lo < beta) & (beta < hi)
        if free.any():
            return float(g[free].mean())
        known = [bound for bound in self.bounds if np.isfinite(bound)]
        return sum(known) / len(known) if known else 0.0

    def certificate(self, thorough: bool = True) -> Certificate:
        """Status, KKT violation, dual; with `thorough` also a primal bound, in O(n size).

        Its status is that of the solver, but PRECISION for OPTIMAL or STATIONARY where f is known no better than tol.
        The violation is that of S, and of all points once they are known to be optimal.

        The primal bound needs all points: it is inf, and the gap nan, once a batch has been forgotten.
        """
        beta, g, lo, hi = self._of_expansion()
        m, M = self._bounds_of_all if self.status in (Status.OPTIMAL, Status.STATIONARY) else self.bounds
        size, dual, primal = np.abs(beta), self.dual, np.inf
        if thorough and not self._forgotten and self.kernel.is_positive_semidefinite:
            kept, vectors = self._kept, self._kept.S.XT[:, : self.size].T
            blocks = range(0, len(kept.X), 512)
            f = np.concatenate([self.kernel.gram(kept.X[b : b + 512], vectors) @ beta for b in blocks])
            root = float(size @ np.sqrt(np.maximum(0.0, kept.S.reals[loops.DIAGONAL, : self.size])))
            norm = max(0.0, float(size.sum() - beta @ g)) + 10.0 * EPS * root**2  # what rounding may hide
            primal = best_primal(kept.y, kept.C, f, norm)
        gap = max(0.0, (primal - dual) / primal) if 0 < primal < np.inf else np.nan
        bounded = int(((size > 0) & ((beta == lo) | (beta == hi))).sum())
        status = self.status
        if status in (Status.OPTIMAL, Status.STATIONARY):
            vectors = self._kept.S.XT[:, : self.size].T
            status = proved(status, rounding_of(self.kernel, vectors, beta, self.tol), self.tol)
        return Certificate(
            status, m - M, dual, primal, gap, int((size > 0).sum()) - bounded, bounded, self.n_iter, np.nan
        )

    def snapshot(self, thorough: bool = True) -> LasvmSnapshot:
        """The state now, in arrays of its own; `thorough` as in `certificate`."""
        beta, g, _, _ = self._of_expansion()
        arrays = self.expansion, np.abs(beta), g.copy()
        for array in arrays:
            array.flags.writeable = False
        ints = self._kept.S.ints
        pair = int(ints[loops.LAST_I]), int(ints[loops.LAST_J])
        return LasvmSnapshot(*arrays, self.intercept, pair, self._operation, self.certificate(thorough))

    def _of_expansion(self) -> tuple[Array, Array, Array, Array]:
        beta, g, lo, hi = self._kept.S.reals[: loops.DIAGONAL, : self.size]
        return beta, g, lo, hi
