"""DualAscentSolver: projected gradient ascent on the dual of the soft-margin SVM, all multipliers at a time.

The problem, in ``beta_i = y_i alpha_i`` (see `smo`):

    maximise  D(beta) = sum_i y_i beta_i - 1/2 sum_ij beta_i beta_j K_ij
    subject to  lo <= beta <= hi,  and with an intercept  sum_i beta_i = 0

Legend: ``[lo_i, hi_i]`` is ``[0, C_i]`` for y = +1 and ``[-C_i, 0]`` for y = -1; ``v = y - K beta`` the gradient;
``project`` the exact projection on the feasible set: the box without intercept, box and hyperplane with one.

One step (Birgin, Martinez, Raydan 2000), with a length s and an exact line search that never lets D fall:

    d = project(beta + s v) - beta;   t = min(1, <v, d> / <d, K d>);   beta += t d,   v -= t K d

The length is constant, ``1 / max_i sum_j |K_ij|``, at most one over the largest eigenvalue (Gershgorin), for which
t = 1 always: the textbook's ascent.  Or it is that of Barzilai and Borwein (1988), by turns ``<d, d> / <d, K d>`` and
``<d, K d> / <K d, K d>`` of the step before: the same work, far fewer steps; the line search is its safeguard.

Stop.  With an intercept at m - M <= tol, as in SMO.  Without it there is no hyperplane, and the violation of the box's
own conditions is ``max(0, max of y v over alpha < C, max of -y v over alpha > 0)``: the largest amount by which 1 - y f
is above 0 where alpha could grow, or below 0 where it could shrink.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Mask
from solver.core.certificate import Certificate, Status, best_primal
from solver.core.checks import (
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_points,
    check_prices,
    check_signs,
)
from solver.core.dual_solver import DualSolver
from solver.core.stepping import Checkpoint, Stop, never
from solver.kernels.table import Kernel

from .projection import best_scaled_primal, project, settled

LARGEST_COORDINATE = 1e70
LARGEST_C = 1e50
STEP_SIZES = ("barzilai-borwein", "constant")
#: Amount of work in a piece of a step, about in multiplications: at most some 50 ms.
PIECE = 1 << 23
#: Number of gradient steps after which v is computed again.
REFRESH_EVERY = 100


@dataclass(frozen=True)
class DualAscentSnapshot:
    """State of a `DualAscentSolver` at one moment, in arrays that are never written to again.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
        The multipliers.
    v : ndarray of shape (n,)
        y_i - sum_j y_j alpha_j K_ij, so that f(x_i) = y_i - v_i + intercept.
    intercept : float
        0 without `fit_intercept`.
    moved : ndarray of shape (n,), bool
        Which multipliers the newest step changed.
    step_size : float
        Length of the newest step, s times t; 0 before the first.
    certificate : Certificate
        `n_iter` counts gradient steps; without `fit_intercept`, `kkt_violation` is that of the box.
    centre : ndarray of shape (n_features,)
        Shift of the points in the solver: f is a function of ``x - centre``.  Zeros unless the kernel is linear.

    Examples
    --------
    A step moves all multipliers at once:

    >>> from solver import DualAscentSolver, Kernel
    >>> solver = DualAscentSolver([[0], [1], [2], [3]], [-1, -1, 1, 1], Kernel("linear"))
    >>> while solver.n_iter < 1:
    ...     n_pieces = solver.step()
    >>> snapshot = solver.snapshot()
    >>> snapshot.moved.tolist(), snapshot.certificate.n_iter
    ([True, True, True, True], 1)
    """

    alpha: Array
    v: Array
    intercept: float
    moved: Mask
    step_size: float
    certificate: Certificate
    centre: Array


class DualAscentSolver(DualSolver):
    """Projected gradient ascent on the dual of one binary problem, which can be interrupted and continued at any step.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Coordinates of at most 1e70.
    y : array-like of shape (n,)
        -1 and +1, both present.
    kernel : Kernel
    C : float or array-like of shape (n,), default=1.0
        Upper bound of each alpha, above 0 and at most 1e50.  Not inf: without a box the dual may have no maximum.
    fit_intercept : bool, default=True
        Whether f has an intercept, and the dual its equality constraint.
    tol : float, default=1e-3
        Largest KKT violation called optimal.
    max_iter : int, default=-1
        Largest number of gradient steps; -1 means 20 000.
    step_size : {"barzilai-borwein", "constant"}, default="barzilai-borwein"
        Length of a step: from the curvature of the last one, or the same for all steps.
    cache_size : float, default=200
        Largest kernel matrix that is kept (MB); a larger one is computed anew in each step.

    Attributes
    ----------
    beta, v : ndarray of shape (n,)
        y alpha, and the gradient of the dual in beta.
    C, y : ndarray of shape (n,)
    kernel : Kernel
    status : Status
        RUNNING until the KKT violation is at most `tol` or `max_iter` steps are made.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it, its value and what is allowed.
    TypeError
        If `X`, `y` or `C` holds an object that is not a number.

    References
    ----------
    Birgin, Martínez, Raydan, "Nonmonotone spectral projected gradient methods on convex sets", SIAM J. Optim. 10, 2000.
    Barzilai, Borwein, "Two-point step size gradient methods", IMA J. Numer. Anal. 8, 1988.

    Examples
    --------
    Compare the two lengths of a step by the number of steps:

    >>> from solver import DualAscentSolver, Kernel
    >>> X, y = [[0, 0], [1, 1], [2, 0], [3, 3], [4, 2], [5, 3]], [-1, -1, -1, 1, 1, 1]
    >>> n_steps = {}
    >>> for step_size in ("barzilai-borwein", "constant"):
    ...     solver = DualAscentSolver(X, y, Kernel("linear"), step_size=step_size)
    ...     status, n_steps[step_size] = solver.run(), solver.n_iter
    >>> n_steps["barzilai-borwein"] < n_steps["constant"]
    True
    """

    KEPT_EVERY = 4  # a step costs a product with the kernel matrix
    VALUES = (
        "status",
        "n_iter",
        "beta",
        "v",
        "_moved",
        "_newest_size",
        "_length",
        "_safe_length",
        "_fresh",
        "_stalled",
    )
    n_iter: int = 0  #: number of gradient steps so far

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        kernel: Kernel,
        *,
        C: float | ArrayLike = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = -1,
        step_size: str = "barzilai-borwein",
        cache_size: float = 200.0,
    ) -> None:
        points = check_points(X, LARGEST_COORDINATE)
        n, d = points.shape
        self.y = check_signs(y, n)
        self.C = check_prices(C, n, LARGEST_C)
        self.kernel = kernel
        self.fit_intercept = check_flag("fit_intercept", fit_intercept)
        self._set_limits(tol, max_iter, 20_000)
        self.step_size = check_choice("step_size", step_size, STEP_SIZES)
        cache_size = check_number("cache_size", cache_size, 0.0, open_high=True)
        #: Shift of the points that changes no classifier with an intercept but keeps the digits of a linear kernel.
        self.centre: Array = np.zeros(d)
        if kernel.is_translation_invariant and self.fit_intercept:
            self.centre = points.mean(axis=0)
        self._X = points - self.centre
        if not kernel.largest(self._X) <= LARGEST_COORDINATE**2 * d:
            raise ValueError(f"The {kernel.name} kernel overflows at these coordinates; scale the data down.")
        self._lo = np.where(self.y > 0, 0.0, -self.C)
        self._hi = np.where(self.y > 0, self.C, 0.0)
        self.beta: Array = np.zeros(n)
        self.v: Array = self.y.copy()
        self._moved = np.zeros(n, dtype=bool)
        self._newest_size = 0.0
        self._matrix = np.empty((n, n)) if 8 * n * n <= cache_size * 2**20 else None
        self._filled = 0  # number of rows of the matrix computed so far
        self._row_sums = np.zeros(n)
        self._length = self._safe_length = 0.0  # of the next step; 0 before the first
        # The product K @ vector being computed: for a step along the vector, or for v from its definition.
        self._vector: Array | None = None
        self._target = self.beta
        self._product = np.empty(n)
        self._cursor = 0
        self._refreshing = False
        self._fresh = True
        self._stalled = False

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def kkt_violation(self) -> float:
        """m - M with `fit_intercept`; without, the violation of the optimality conditions of the box."""
        m, M = self.bounds
        return m - M if self.fit_intercept else max(0.0, m, -M)

    @property
    def intercept(self) -> float:
        """Constant of f as in `DualSolver`; 0 without `fit_intercept`."""
        return super().intercept if self.fit_intercept else 0.0

    def certificate(self, thorough: bool = True) -> Certificate:
        """Return status, KKT violation, primal and dual bounds of the present multipliers.

        The status is that of the solver, but PRECISION instead of OPTIMAL or STATIONARY where the rounding errors of f
        are larger than `tol`.

        Parameters
        ----------
        thorough : bool, default=True
            Whether to search for a good primal bound; else it is quicker and looser.
        """
        primal = np.inf
        if self.kernel.is_positive_semidefinite:
            f, norm = self.y - self.v, self.squared_norm
            if self.fit_intercept:
                primal = best_primal(self.y, self.C, f, norm, thorough)
            else:
                primal = best_scaled_primal(self.C, self.y * f, norm)
        return self._certificate(self.kkt_violation, primal, self._X, self.C)

    def _state(self) -> tuple[Array, Array, Array, Array]:
        return self.beta, self.v, self._lo, self._hi

    def snapshot(self, thorough: bool = True) -> DualAscentSnapshot:
        """Return the present state, in arrays of its own; `thorough` as in `certificate`."""
        alpha, v, moved = self.alpha, self.v.copy(), self._moved.copy()
        alpha.flags.writeable = v.flags.writeable = moved.flags.writeable = False
        proved = self.certificate(thorough)
        return DualAscentSnapshot(alpha, v, self.intercept, moved, self._newest_size, proved, self.centre)

    # -- working ---------------------------------------------------------------------------------------------------

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """Do at most `n` pieces of work, and return how many: fewer only when finished or interrupted by `stop`.

        A piece is one gradient step, but only part of one where a step would take longer than some 50 ms, so that a
        caller can always interrupt it soon.  ``step(5); step(5)`` equals ``step(10)`` bit for bit.
        """
        check_integer("n", n, 0)
        made = 0
        while self.status is Status.RUNNING and (made < n or (n == 0 and self.pending)):
            made += self._piece(alone=n == 0)
            if stop():
                break
        return made if n else 0

    @property
    def pending(self) -> bool:
        """Whether v must be computed again after the newest gradient step, which ``step(0)`` does."""
        begun = self.status is Status.RUNNING and self.n_iter > 0
        return begun and (self._due if self._vector is None else self._refreshing)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back (or forward) to a state of this solver; of a half-done gradient step, to the state before it."""
        self._vector, self._cursor = None, 0
        super().restore(checkpoint)

    @property
    def _present(self) -> Array:
        present = super()._present
        present[1] = self.kkt_violation
        return present

    def _piece(self, alone: bool = False) -> int:
        """Work up to the end of a gradient step or of the piece, and return 1; return 0 if no work was left.

        With `alone` no gradient step is begun.
        """
        spent, before = 0, self.n_iter
        while self.status is Status.RUNNING and spent < PIECE:
            if self._vector is None:
                if (alone or self.n_iter > before) and not self._due:
                    break
                self._begin()
            else:
                spent += self._continue()
        return int(spent > 0)

    @property
    def _due(self) -> bool:
        """Whether the status must be decided, with v from its definition."""
        regular = not self._fresh and self.n_iter % REFRESH_EVERY == 0
        return regular or self._stalled or self.n_iter >= self.max_iter or self.kkt_violation <= self.tol

    def _begin(self) -> None:
        """Set the product to compute next, or the final status."""
        due = self._due
        if due and not self._fresh:
            self._vector, self._refreshing = self.beta, True
        elif due:
            exact = self.kernel.is_positive_semidefinite
            if self.kkt_violation <= self.tol:
                self.status = Status.OPTIMAL if exact else Status.STATIONARY
            else:
                self.status = Status.PRECISION if self._stalled else Status.STOPPED_EARLY
        elif self._length == 0.0:  # the constant length needs the row sums of the whole matrix: a product with ones
            self._vector, self._refreshing = np.ones(len(self.y)), False
        else:
            goal = self.beta + self._length * self.v
            feasible = project(goal, self._lo, self._hi) if self.fit_intercept else np.clip(goal, self._lo, self._hi)
            direction = feasible - self.beta
            self._stalled = float(self.v @ direction) <= 0.0
            if not self._stalled:
                self._target, self._vector, self._refreshing = feasible, direction, False

    def _continue(self) -> int:
        """Compute the next block of the product, and return the amount of work."""
        assert self._vector is not None
        n, start = len(self.y), self._cursor
        per_value = 4 + self._X.shape[1]
        known = self._matrix is not None and start < self._filled
        rows = max(1, PIECE // (n if known else per_value * n))
        stop = min(n, start + rows, self._filled if known else n)
        if self._matrix is not None:
            if not known:
                self._matrix[start:stop] = self.kernel.gram(self._X[start:stop], self._X)
                self._filled = stop
            block = self._matrix[start:stop]
        else:
            block = self.kernel.gram(self._X[start:stop], self._X)
        if self._length == 0.0:
            self._row_sums[start:stop] = np.abs(block).sum(axis=1)
        self._product[start:stop] = block @ self._vector
        self._cursor = stop
        if stop == n:
            self._complete()
        return (stop - start) * n * (1 if known else per_value)

    def _complete(self) -> None:
        """Use the complete product: for v, for the constant length, or for a gradient step."""
        vector, product = cast(Array, self._vector), self._product
        self._vector, self._cursor = None, 0
        if self._refreshing:
            self.v = self.y - product
            self._fresh, self._stalled = True, False
        elif self._length == 0.0:
            largest = float(self._row_sums.max())
            self._length = self._safe_length = 1.0 / largest if largest > 0.0 else 1.0
        else:
            self._move(vector, product)

    def _move(self, direction: Array, product: Array) -> None:
        rise, curvature = float(self.v @ direction), float(direction @ product)
        if curvature <= rise:  # also where the kernel is not positive semidefinite and D bends upwards
            t, new = 1.0, self._target
        else:
            t = rise / curvature
            new = np.clip(self.beta + t * direction, self._lo, self._hi)
        new = self.y * settled(np.abs(new), self.C)
        moved = new != self.beta
        self._stalled = not moved.any()
        if self._stalled:
            return
        changes = int(((new != 0.0) != (self.beta != 0.0)).sum()) if self._notes else 0
        self._moved = moved
        self._newest_size = t * self._length
        self.beta = new
        self.v = self.v - t * product
        self._fresh = False
        self.n_iter += 1
        if self._notes:
            self._notes.record[1] = *self._present, changes
            self._notes.add(1)
        if self.step_size == "barzilai-borwein" and curvature > 0.0:
            if self.n_iter % 2:
                length = float(direction @ direction) / curvature
            else:
                length = curvature / float(product @ product)
            self._length = min(max(length, self._safe_length), 1e12 * self._safe_length)
