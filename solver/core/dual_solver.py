"""DualSolver: what can be read from any solver of the soft-margin dual between two steps; notation as in `smo`."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from .arrays import Array
from .certificate import Certificate, Status, gap_of
from .step_log import of_multipliers
from .stepping import SteppedSolver


class DualSolver(SteppedSolver):
    """A stepped solver of the soft-margin dual.

    Attributes
    ----------
    tol : float
        Largest KKT violation called optimal.
    """

    NOTES = ("dual", "violation", "free", "bounded")
    tol: float

    @abstractmethod
    def _state(self) -> tuple[Array, Array, Array, Array]:
        """Return beta, v, and the bounds lo and hi of beta, for the points that have multipliers."""

    @property
    def alpha(self) -> Array:
        """The multipliers, shape (n,)."""
        return np.abs(self._state()[0])

    @property
    def bounds(self) -> tuple[float, float]:
        """(m, M): the largest v where beta can grow, -inf if nowhere, and the smallest v where it can fall, or inf."""
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
        """Constant of f: mean of v over the free support vectors; without any, (m + M) / 2; of one class, its label."""
        beta, v, lo, hi = self._state()
        free = (lo < beta) & (beta < hi)
        if free.any():
            return float(v[free].mean())
        known = [bound for bound in self.bounds if np.isfinite(bound)]
        return sum(known) / len(known) if known else 0.0

    @property
    def _present(self) -> Array:
        return of_multipliers(*self._state())

    def _certificate(
        self, status: Status, violation: float, primal: float, margin_bound: float = np.nan
    ) -> Certificate:
        """Return the certificate with this primal bound, inf for none."""
        beta, v, lo, hi = self._state()
        dual, _, n_free, n_bounded = of_multipliers(beta, v, lo, hi).tolist()
        gap = gap_of(primal, dual)
        return Certificate(status, violation, dual, primal, gap, int(n_free), int(n_bounded), self.n_iter, margin_bound)
