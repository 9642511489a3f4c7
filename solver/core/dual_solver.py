"""DualSolver: base class of the solvers of the soft-margin dual, with their readable state; notation as in `smo`."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from solver.kernels.table import Kernel

from .arrays import Array
from .certificate import Certificate, Status, gap_of, proved, rounding_of
from .checks import check_integer, check_number
from .step_log import of_multipliers
from .stepping import SteppedSolver


class DualSolver(SteppedSolver):
    """A stepped solver of the soft-margin dual.

    Attributes
    ----------
    kernel : Kernel
    tol : float
        Largest KKT violation called optimal.
    max_iter : int
        Largest number of steps.
    """

    NOTES = ("dual", "violation", "free", "bounded")
    kernel: Kernel

    def _set_limits(self, tol: float, max_iter: int, default: int) -> None:
        """Set `tol` and `max_iter`, checked; -1 means `default`."""
        self.tol = check_number("tol", tol, 0.0, open_low=True, open_high=True)
        self.max_iter = default if check_integer("max_iter", max_iter, -1) == -1 else int(max_iter)

    @abstractmethod
    def _state(self) -> tuple[Array, Array, Array, Array]:
        """Return beta, v, and the bounds lo and hi of beta, for the points that have multipliers."""

    @property
    def alpha(self) -> Array:
        """The multipliers, shape (n,)."""
        return np.abs(self._state()[0])

    @property
    def bounds(self) -> tuple[float, float]:
        """(m, M): largest v where beta can increase, or -inf, and smallest v where it can decrease, or inf."""
        beta, v, lo, hi = self._state()
        return float(v[beta < hi].max(initial=-np.inf)), float(v[beta > lo].min(initial=np.inf))

    @property
    def dual(self) -> float:
        """Dual objective, D(alpha) = 1/2 (sum alpha + beta . v), from K beta = y - v."""
        beta, v, _, _ = self._state()
        return 0.5 * float(np.abs(beta).sum() + beta @ v)

    @property
    def squared_norm(self) -> float:
        """Squared norm of w, ||w||^2 = beta . K beta = sum alpha - beta . v."""
        beta, v, _, _ = self._state()
        return max(0.0, float(np.abs(beta).sum() - beta @ v))

    @property
    def intercept(self) -> float:
        """Constant of f: mean of v over the free support vectors; without any, (m + M) / 2 or the finite one."""
        beta, v, lo, hi = self._state()
        free = (lo < beta) & (beta < hi)
        if free.any():
            return float(v[free].mean())
        known = [bound for bound in self.bounds if np.isfinite(bound)]
        return sum(known) / len(known) if known else 0.0

    @property
    def _present(self) -> Array:
        return of_multipliers(*self._state())

    def _certificate(self, violation: float, primal: float, vectors: Array, C: Array) -> Certificate:
        """Return the certificate of a finite C.

        The status is PRECISION instead of OPTIMAL or STATIONARY if the rounding errors of f are larger than `tol`; dual
        and primal are moved apart by what these errors can change.

        Parameters
        ----------
        violation : float
            KKT violation.
        primal : float
            Upper bound of the objective as computed, inf if none is known.
        vectors : ndarray of shape (n, n_features)
            The points that have multipliers, in the order of these.
        C : ndarray of shape (n_points,)
            Bounds of all points of the objective.
        """
        beta, v, lo, hi = self._state()
        ended = self.status in (Status.OPTIMAL, Status.STATIONARY)
        error = rounding_of(self.kernel, vectors, beta, self.tol if ended else np.inf)
        status = proved(self.status, error, self.tol)
        dual, _, n_free, n_bounded = of_multipliers(beta, v, lo, hi).tolist()
        room = 0.5 * error * float(np.abs(beta).sum())
        dual, primal = dual - room, primal + room + error * float(C.sum())
        gap = gap_of(primal, dual)
        return Certificate(
            status, violation, dual, primal, gap, int(n_free), int(n_bounded), self.n_iter, np.nan, error
        )
