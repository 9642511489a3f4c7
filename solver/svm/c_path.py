"""PathSolver: the optima of a binary SVM for many values of C, one after the other, with the whole kernel matrix.

A `restart` begins with the optimum for the former C, times the ratio of the two.  Then multipliers at their bound stay
at it, and one step on all free multipliers (see `pivoting`) leads to the optimum, if no point changes between zero,
free and bounded (Hastie, Rosset, Tibshirani, Zhu, JMLR 5, 2004).  If C is large, few points change from one C to the
next, and few multipliers are free: a restart takes a small share of the time of a start from 0.  As in `AutoSolver`,
SMO finishes the training and certifies it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solver.core.certificate import Status
from solver.core.checks import check_prices
from solver.kernels._kernel_rows import add_rows
from solver.kernels.table import Kernel

from . import _smo_loops as loops
from ._pivot_loops import CONVERGED
from .auto import AutoSolver
from .pivoting import Pivoting
from .shrinking import EVERYTHING
from .smo import LARGEST_C, PIECE

#: Largest number of points, for which the matrix takes 200 MB.
MOST_POINTS = 5000
#: Largest relative difference of ratios of bounds that counts as rounding.
ALIKE = 1e-12


class PathSolver(AutoSolver):
    """`AutoSolver` for one C after the other.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    y : array-like of shape (n,)
    kernel : Kernel
    **parameters
        As in `AutoSolver`; the cache holds all rows, and no point is left out.

    Raises
    ------
    ValueError
        As in `SmoSolver`; also for more than 5000 points, a kernel that is not positive semidefinite, or an infinite C.
    """

    _restarted = False

    def __init__(self, X: ArrayLike, y: ArrayLike, kernel: Kernel, **parameters: Any) -> None:
        n = len(np.asarray(y))
        if n > MOST_POINTS:
            raise ValueError(f"solver is 'path', which keeps the kernel matrix of up to {MOST_POINTS} points, not {n}.")
        super().__init__(X, y, kernel, **parameters | {"shrinking": False, "cache_size": 16e-6 * n**2})
        if not self._definite or np.isinf(self.C).any():
            raise ValueError("solver is 'path', which needs a positive semidefinite kernel and a finite C.")
        whole = self._active.whole
        add_rows(whole.cache, np.ones(n), np.empty(n), np.empty(n), 0, EVERYTHING)

    def _use_expansion(self) -> None:
        """Do nothing: all rows are known, and their sum is quicker than to prepare an expansion at each restart."""

    def restart(self, C: float | ArrayLike) -> None:
        """Begin a training with other bounds, all in the same ratio to the present ones; updates count from 0.

        Raises
        ------
        ValueError
            If C is invalid, or the ratios differ.
        """
        new = check_prices(C, len(self.y), LARGEST_C)
        ratio = float(new[0] / self.C[0])
        if np.abs(new - ratio * self.C).max() > ALIKE * new.max():
            raise ValueError("C has bounds in different ratios to those before; a path scales them all alike.")
        whole, bounded = self._active.whole, self.alpha == self.C
        self.C[:] = new
        # In place: the compiled loop works on these arrays.
        whole.lo[:], whole.hi[:] = np.minimum(self.y * new, 0.0), np.maximum(self.y * new, 0.0)
        whole.beta[:] = np.where(bounded, self.y * new, ratio * whole.beta)
        whole.v[:] = self.y - ratio * (self.y - whole.v)
        whole.mark_bounds()
        self._ints[:] = 0
        self._ints[[loops.LAST_I, loops.LAST_J]] = -1
        self._task, self._moved_since_refresh, self.status = None, True, Status.RUNNING
        self._begin()
        self._restarted = True

    def _advance(self, goal: int) -> None:
        """As `AutoSolver._advance`; first make pivots after a restart, which mostly end at the optimum."""
        if not self._restarted:
            super()._advance(goal)
            return
        self._restarted = False
        if Pivoting(self._active.whole).work(max(self.tol, self._reachable), PIECE) == CONVERGED:
            self._recompute()
            self._moved_since_refresh = False
            self._conclude(loops.CONVERGED, moved=True)

    def move_points(self, X: ArrayLike, y: ArrayLike | None = None, C: float | ArrayLike | None = None) -> None:
        """Raise ValueError: the matrix is computed once, so points cannot move.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("solver is 'path', whose points stay where they are; it must be 'smo' or 'auto'.")
