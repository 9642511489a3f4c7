"""SmoState: what can be read off a solver of the soft-margin dual at one moment; notation as in `smo`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array, Integers
from solver.core.certificate import Certificate, best_primal, proved
from solver.core.step_log import of_multipliers
from solver.core.stepping import SteppedSolver

from . import _smo_loops as loops
from .shrinking import ActiveSet

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class SmoSnapshot:
    """The solver's state at one moment, in arrays that are never written again.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
    v : ndarray of shape (n,)
        y_i - sum_j y_j alpha_j K_ij, so that f(x_i) = y_i - v_i + intercept.
    intercept : float
    working_set : tuple of int
        The pair (i, j) of the newest step; (-1, -1) before the first.
    certificate : Certificate
    """

    alpha: Array
    v: Array
    intercept: float
    working_set: tuple[int, int]
    certificate: Certificate


class SmoState(SteppedSolver):
    """The reading half of `SmoSolver`.

    Attributes
    ----------
    y : ndarray of shape (n,)
    C : ndarray of shape (n,)
        Upper bound of each alpha.
    tol : float
        Largest KKT violation called optimal.
    """

    y: Array
    C: Array
    tol: float
    _lo: Array
    _hi: Array
    _ints: Integers
    _active: ActiveSet
    _definite: bool  #: whether the kernel matrix is positive semidefinite
    _hard: bool  #: whether no point may be inside the margin; with slack for some points every problem has a solution
    _moved_since_refresh: bool
    _proved_primal: float  #: the best primal bound of former multipliers, of a hard margin

    @property
    def n_iter(self) -> int:
        """Pair updates so far."""
        return int(self._ints[loops.ITERATION])

    @property
    def n_kernel_evaluations(self) -> int:
        """Kernel values computed for its rows so far; one that the row cache still holds is not computed again."""
        return self._active.n_evaluations

    @property
    def beta(self) -> Array:
        """y alpha, shape (n,)."""
        return self._active.beta

    @property
    def alpha(self) -> Array:
        """The multipliers, shape (n,)."""
        return np.abs(self.beta)

    @property
    def v(self) -> Array:
        """y_i - sum_j y_j alpha_j K_ij of all points, shape (n,)."""
        return self._active.v(self.n_iter)

    @property
    def working_set(self) -> tuple[int, int]:
        """The pair (i, j) of the newest step; (-1, -1) before the first."""
        return int(self._ints[loops.LAST_I]), int(self._ints[loops.LAST_J])

    @property
    def bounds(self) -> tuple[float, float]:
        """(m, M): the largest v over I_up and the smallest v over I_low."""
        above, below = self.v[self.beta < self._hi], self.v[self.beta > self._lo]
        return float(above.max(initial=-np.inf)), float(below.min(initial=np.inf))

    @property
    def kkt_violation(self) -> float:
        """m - M."""
        m, M = self.bounds
        return m - M

    @property
    def dual(self) -> float:
        """D(alpha) = 1/2 (sum alpha + beta . v), from K beta = y - v."""
        return 0.5 * float(np.abs(self.beta).sum() + self.beta @ self.v)

    @property
    def squared_norm(self) -> float:
        """||w||^2 = beta . K beta = sum alpha - beta . v."""
        return max(0.0, float(np.abs(self.beta).sum() - self.beta @ self.v))

    @property
    def intercept(self) -> float:
        """Mean of v over the free support vectors; with none, the middle of the interval KKT leaves, (m + M) / 2."""
        free = (self._lo < self.beta) & (self.beta < self._hi)
        if free.any():
            return float(self.v[free].mean())
        m, M = self.bounds
        return 0.5 * (m + M)

    def certificate(self, thorough: bool = True) -> Certificate:
        """Status, KKT violation, primal and dual bounds of the current multipliers.

        Its status is that of the solver, but PRECISION for OPTIMAL or STATIONARY where f is known no better than tol.
        Without `thorough` the primal bound is the one at scale 1: valid, quicker, and looser when C is large.
        """
        size = np.abs(self.beta)
        bounded = int(((size == self.C) & (size > 0)).sum())
        dual = self.dual
        primal = float(np.inf)
        if self._definite:
            primal = min(self._primal(thorough), self._proved_primal)
        gap = max(0.0, (primal - dual) / primal) if 0 < primal < np.inf else np.nan
        bound = self._largest_norm / size.sum() if self._hard and size.any() else np.nan
        status = proved(self.status, EPS * float(self._active.size.max()), self.tol)
        return Certificate(
            status,
            self.kkt_violation,
            dual,
            primal,
            gap,
            int((size > 0).sum()) - bounded,
            bounded,
            self.n_iter,
            float(bound),
        )

    def snapshot(self, thorough: bool = True) -> SmoSnapshot:
        """The state now, in arrays of its own; `thorough` as in `certificate`."""
        alpha, v = self.alpha, self.v.copy()
        alpha.flags.writeable = v.flags.writeable = False
        return SmoSnapshot(alpha, v, self.intercept, self.working_set, self.certificate(thorough))

    @property
    def _present(self) -> Array:
        return of_multipliers(self.beta, self.v, self._lo, self._hi)

    @property
    def _reachable(self) -> float:
        """KKT violation that double precision can tell from zero for these multipliers, at best."""
        return 50.0 * EPS * float(self._active.size.max())

    @property
    def _hidden_norm(self) -> float:
        """What rounding may hide of ||w||^2, a difference of large numbers when the multipliers are large."""
        size = np.abs(self.beta)
        if not self._moved_since_refresh:
            return 10.0 * EPS * float(size @ self._active.size)
        # Of multipliers that moved since, only the bound abs(K_ij) <= max K_ii of such matrices is known.
        return 10.0 * EPS * float(size.sum()) ** 2 * float(self._active.whole.diagonal.max(initial=0.0))

    @property
    def _largest_norm(self) -> float:
        """||w||, rounded up."""
        return float(np.sqrt(self.squared_norm + self._hidden_norm))

    def _primal(self, thorough: bool) -> float:
        norm = self.squared_norm + self._hidden_norm
        return best_primal(self.y, self.C, self.y - self.v, norm, thorough, self._reachable)
