"""SmoSolver: the soft-margin dual of a binary SVM, two multipliers at a time, with a certificate.

The problem (Cortes, Vapnik 1995), over ``alpha in R^n``:

    maximise  D(alpha) = sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j K_ij
    subject to  0 <= alpha_i <= C_i,  sum_i y_i alpha_i = 0

Legend: ``beta_i = y_i alpha_i`` in ``[lo_i, hi_i]`` = ``[0, C_i]`` for y = +1, ``[-C_i, 0]`` for y = -1;
``v_i = y_i - sum_j beta_j K_ij`` (y times the gradient of D); ``I_up = {beta_i < hi_i}``, ``I_low = {beta_i > lo_i}``;
``m = max v over I_up``, ``M = min v over I_low``.  alpha is optimal exactly when ``m <= M``; the solver stops at
``m - M <= tol`` (Keerthi et al. 2001).  One step moves ``beta_i += step, beta_j -= step`` with
``step = (v_i - v_j) / (K_ii + K_jj - 2 K_ij)``, cut where a bound is reached (Platt 1998; Fan, Chen, Lin 2005).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core import fast_loops
from solver.core.arrays import Array
from solver.core.certificate import EPS, Certificate, Evidence, Status, proved, rounding_errors
from solver.core.checks import (
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_numbers,
    check_points,
    check_prices,
    check_signs,
)
from solver.core.dual_solver import DualSolver
from solver.core.one_thread import ONE_THREAD
from solver.core.step_log import AT_ONCE, Notes
from solver.kernels._kernel_rows import ROW_COST
from solver.kernels.plane_sums import plane_sums
from solver.kernels.table import Kernel

from . import _smo_loops as loops
from .optima import Optima
from .projection import ROUNDING, feasible, settled
from .shrinking import ActiveSet, ActiveState, KernelSum, PlaneSum
from .working_set_rules import RULES

#: Largest margin, as a share of the data's radius in feature space, that counts as "not separable".
SEPARABLE_SHARE = 1e-6
#: Smallest number of kernel values for which v of a start may be computed by an expansion: some milliseconds.
MANY_ENTRIES = 4_000_000
#: Number of kernel values visited between two calls of `stop`: about a millisecond.
PIECE = 1_000_000
#: Bounds that exclude overflows: kernel values may reach the square of the first, and C^2 K stays finite.
LARGEST_COORDINATE = 1e75
LARGEST_C = 1e50


@dataclass(frozen=True)
class SmoSnapshot:
    """State of a `SmoSolver` at one moment, in arrays that are never written to again.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
        The multipliers.
    v : ndarray of shape (n,)
        y_i - sum_j y_j alpha_j K_ij, so that f(x_i) = y_i - v_i + intercept.
    intercept : float
    working_set : tuple of int
        The pair (i, j) of the newest step; (-1, -1) before the first.
    evidence : Evidence
        Values from which the certificate is computed.
    thorough : bool
        As in `SmoSolver.certificate`.
    centre : ndarray of shape (n_features,)
        Shift of the points in the solver: f is a function of ``x - centre``.  Zeros unless the kernel is linear.

    Examples
    --------
    The first step moves two multipliers by the same amount:

    >>> from solver import Kernel, SmoSolver
    >>> smo = SmoSolver([[0], [1], [3], [4]], [-1, -1, 1, 1], Kernel("linear"))
    >>> smo.step()
    1
    >>> snapshot = smo.snapshot()
    >>> i, j = snapshot.working_set
    >>> snapshot.alpha.nonzero()[0].tolist() == sorted([i, j]), bool(snapshot.alpha[i] == snapshot.alpha[j])
    (True, True)
    """

    alpha: Array
    v: Array
    intercept: float
    working_set: tuple[int, int]
    evidence: Evidence
    thorough: bool
    centre: Array

    @cached_property
    def certificate(self) -> Certificate:
        """What is proved about these multipliers; computed when it is first read."""
        return self.evidence.certificate(self.thorough)


@dataclass(frozen=True)
class _SumTask:
    """A sum of kernel rows being computed, and the method to call when it is complete."""

    sums: KernelSum
    then: Callable[[SmoSolver, _SumTask], None]
    outcome: int  #: result of the updates before it, as `_smo_loops.run` returns it
    moved: bool = True  #: whether these updates changed a multiplier


class SmoSolver(DualSolver):
    """Sequential minimal optimisation for one binary problem, which can be interrupted and continued after any step.

    It maximises ``sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j k(x_i, x_j)`` over ``0 <= alpha_i <= C_i`` and
    ``sum_i y_i alpha_i = 0``, two multipliers at a time.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Coordinates of at most 1e75.
    y : array-like of shape (n,)
        -1 and +1, both present.
    kernel : Kernel
        For a `PrecomputedKernel` (in `solver.kernels.table`), `X` is the symmetric Gram matrix of shape (n, n).
    C : float or array-like of shape (n,), default=1.0
        Upper bound of each alpha, above 0 and at most 1e50; inf is the hard margin.
    tol : float, default=1e-3
        Largest KKT violation called optimal.
    max_iter : int, default=-1
        Largest number of steps; -1 means max(10^7, 100 n).
    selection : str, default="second-order"
        Working-set rule, a name of `RULES`.
    random_state : int, default=0
        Seed of the rules that draw.
    alpha : array-like of shape (n,), optional
        Multipliers to start from; moved into the box and onto sum y alpha = 0 if they are not there.  Default: zeros.
    cache_size : float, default=200
        Bound on the memory of the kernel row cache (MB).
    shrinking : bool, default=True
        Whether settled points are left out for a while (see `solver.svm.shrinking`); only with rules that choose among
        extremes of v.

    Attributes
    ----------
    y : ndarray of shape (n,)
    C : ndarray of shape (n,)
        Upper bound of each alpha.
    kernel : Kernel
    status : Status
        RUNNING until the KKT violation is at most `tol`, or another reason ends the training.
    compiled : bool
        False if the solver was made while `fast_loops.ready` was False: then it works in plain numpy, by the
        second-order rule and on the whole kernel matrix.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it, its value and what is allowed.
    TypeError
        If an array holds an object that is not a number.

    References
    ----------
    Platt, "Fast training of support vector machines using sequential minimal optimization", 1998.  Keerthi, Shevade,
    Bhattacharyya, Murthy, Neural Computation 13, 2001 (stopping).  Fan, Chen, Lin, "Working set selection using second
    order information for training support vector machines", JMLR 6, 2005.

    Examples
    --------
    Step to the optimum; no step lets the dual fall:

    >>> from solver import Kernel, SmoSolver
    >>> smo = SmoSolver([[0, 0], [1, 2], [2, 1], [3, 3]], [-1, 1, -1, 1], Kernel("rbf", gamma=0.5), C=10)
    >>> duals = []
    >>> while smo.step():
    ...     duals.append(round(smo.dual, 9))
    >>> print(smo.status, duals == sorted(duals), smo.certificate().gap < 1e-3)
    optimal True True

    f at the training points has the right signs:

    >>> (smo.y - smo.v + smo.intercept > 0).tolist()
    [False, True, False, True]
    """

    VALUES = ("_active_state", "status", "_moved_since_refresh", "_radius", "_proved_primal")
    ARRAYS = ("_ints", "_rng")

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        kernel: Kernel,
        *,
        C: float | ArrayLike = 1.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        selection: str = "second-order",
        random_state: int = 0,
        alpha: ArrayLike | None = None,
        cache_size: float = 200.0,
        shrinking: bool = True,
    ) -> None:
        points = check_points(X, LARGEST_COORDINATE, copy=False)
        n = len(points)
        self.y: Array = check_signs(y, n)
        self.C: Array = check_prices(C, n, LARGEST_C, or_inf=True)
        self.kernel = kernel
        self._set_limits(tol, max_iter, max(10_000_000, 100 * n))
        self.selection = check_choice("selection", selection, RULES)
        self._seed = check_integer("random_state", random_state, 0)
        self.compiled = fast_loops.ready()
        check_flag("shrinking", shrinking)
        #: `centre`: shift of the points that changes no classifier but keeps the digits of a linear kernel.
        self.centre, XT, diagonal, self._definite = self._placed(points, self.C)
        self._set_bounds()
        self._active = ActiveSet(
            kernel.numbers,
            XT,
            self.y,
            self._lo,
            self._hi,
            diagonal,
            check_number("cache_size", cache_size, 0.0, open_high=True),
            shrinking and RULES[selection].looks_at_v,
            None if self.compiled else kernel.gram(XT.T, XT.T),
        )
        self._reset()
        if alpha is not None:
            start = check_numbers("alpha", alpha)
            if start.shape != (n,):
                raise ValueError(f"alpha has shape {start.shape}; it must hold one number for each of {n} points.")
            with np.errstate(over="ignore", invalid="ignore"):
                self._begin_with(feasible(self.y, self.C, start))

    def _placed(self, points: Array, C: Array) -> tuple[Array, Array, Array, bool]:
        """Return the points' centre, their coordinates in the solver, K_ii, and whether the kernel is known definite.

        Raises
        ------
        ValueError
            If the kernel, or the kernel with these bounds, cannot be used there.
        """
        kernel, n = self.kernel, len(points)
        XT = np.ascontiguousarray(points.T)
        centre = np.zeros(len(XT))
        if kernel.is_translation_invariant:
            centre = XT.sum(axis=1) / n
            XT = XT - centre[:, None]
        diagonal = kernel.diagonal(XT.T)
        # abs(K_ij) is at most the larger of K_ii and K_jj where the kernel is positive semidefinite.
        largest = diagonal.max() if kernel.is_positive_semidefinite else kernel.largest(XT.T)
        if largest > LARGEST_COORDINATE**2:
            raise ValueError(f"The {kernel.name} kernel overflows at these coordinates; scale the data down.")
        if kernel.name == "precomputed" and not (points.shape == (n, n) and np.array_equal(XT, XT.T)):
            raise ValueError(f"X has shape {points.shape}; for a precomputed kernel it must be square and symmetric.")
        definite = kernel.is_positive_semidefinite_on(XT.T)
        if not definite and np.isinf(C).any():
            raise ValueError(
                f"C is inf; with the {kernel.name} kernel at these parameters, not positive semidefinite, "
                "it must be finite."
            )
        return centre, XT, diagonal, definite

    def _set_bounds(self) -> None:
        """Set the bounds of beta from y and C."""
        self._lo, self._hi = np.minimum(self.y * self.C, 0.0), np.maximum(self.y * self.C, 0.0)
        # If no point has slack, the problem may have no solution.
        self._hard = bool(np.isinf(self.C).all())

    @property
    def _first_random(self) -> NDArray[np.uint64]:
        """State of the random numbers before the first update."""
        return np.array([(self._seed + 0x9E3779B97F4A7C15) % 2**64], dtype=np.uint64)

    def _reset(self) -> None:
        """Set the state before the first update, without notes."""
        self.status = Status.RUNNING
        self._ints = np.array([0, 0, 0, -1, -1], dtype=np.int64)
        self._rng = self._first_random
        self._task: _SumTask | None = None
        self._notes = Notes(len(self.NOTES))
        self._moved_since_refresh = False
        #: max_i ||phi(x_i) - mean phi||, computed when it is first needed.
        self._radius: float | None = None
        self._proved_primal = np.inf  # best primal bound of earlier multipliers, for a hard margin

    def move_points(self, X: ArrayLike, y: ArrayLike | None = None, C: float | ArrayLike | None = None) -> None:
        """Restart the training with moved points, from the present multipliers.

        The training is that of a new solver that starts from these multipliers, and proves as much; but it comes sooner
        where few points have moved, because the kernel rows of the others are kept.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            As many points as before, in the same order.
        y : array-like of shape (n,), optional
            Their labels; None means as before.  A point with a changed label starts with a multiplier of 0.
        C : float or array-like of shape (n,), optional
            None means as before.  Multipliers at their bound follow it.

        Raises
        ------
        ValueError
            If the data is invalid, or of another number of points or features; then nothing has changed.
        TypeError
            If an array holds an object that is not a number; then nothing has changed.

        Notes
        -----
        `n_iter` and `n_kernel_evaluations` count from 0, steps are no longer noted, and checkpoints made before cannot
        be restored.
        """
        points, active = check_points(X, LARGEST_COORDINATE, copy=False), self._active
        shape = active.whole.cache.XT.shape[::-1]
        if points.shape != shape:
            raise ValueError(f"X has shape {points.shape}; points that move must have the shape they had, {shape}.")
        signs = self.y if y is None else check_signs(y, len(points))
        prices = self.C if C is None else check_prices(C, len(points), LARGEST_C, or_inf=True)
        centre, XT, diagonal, definite = self._placed(points, prices)
        beta = self._carried_over(signs, prices)
        v_is_fresh = beta is self.beta and not self._moved_since_refresh and self._task is None
        v_is_fresh &= active.error == 0.0 and not self._has_many_entries
        self.y, self.C, self.centre, self._definite = signs, prices, centre, definite
        if y is not None or C is not None:
            self._set_bounds()
        matrix = None if self.compiled else self.kernel.gram(XT.T, XT.T)
        moved = active.move_points(XT, signs, self._lo, self._hi, diagonal, matrix)
        self._reset()
        if moved is None or not v_is_fresh or not active.follow(moved):
            self._begin_with(beta)

    def _carried_over(self, y: Array, C: Array) -> Array:
        """Return a start for these labels and bounds from the present multipliers: beta itself where it is feasible."""
        beta = self.beta
        if y is self.y and C is self.C:
            size = self.alpha
            if abs(float(beta.sum())) <= ROUNDING * float(size.sum()) and np.array_equal(settled(size, C), size):
                return beta
            return feasible(y, C, size)
        start = feasible(y, C, np.where(y == self.y, np.where(self.alpha == self.C, C, self.alpha), 0.0))
        unchanged = np.array_equal(start, beta) and np.array_equal(y, self.y) and np.array_equal(C, self.C)
        return beta if unchanged else start

    def _begin_with(self, beta: Array) -> None:
        """Begin with these multipliers, or with zeros where these are better."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.beta[:] = beta
            if not self._expand():
                self._recompute()
            useful = self.dual >= 0
        if not useful:  # worse than nothing, or an overflow
            self.beta[:] = 0.0
            self._recompute()

    @property
    def _has_many_entries(self) -> bool:
        """Whether v may be computed by an expansion of the kernel."""
        return self.compiled and int(np.count_nonzero(self.beta)) * len(self.y) >= MANY_ENTRIES

    def _expand(self) -> bool:
        """Compute v of the start by an expansion of the kernel where that is quicker; return whether it is.

        The status at the end is based on v from its definition, as after any update.
        """
        if not self._has_many_entries:
            return False
        active, n = self._active, int(np.count_nonzero(self.beta))
        with ONE_THREAD:
            plane = plane_sums(self.kernel, self.points)
            if plane is None or 2 * plane.cost > (1 + ROW_COST) * n or 100.0 * plane.uncertainty(self.beta) > self.tol:
                return False
            values = PlaneSum(plane, self.points, self.beta)
            values.work()
        active.refresh(values)
        active.error = 0.0
        self._moved_since_refresh = True
        return True

    # -- reading -------------------------------------------------------------------------------------------------------

    @property
    def n_iter(self) -> int:
        """Number of steps so far; each updates a pair of multipliers."""
        return int(self._ints[loops.ITERATION])

    @property
    def n_kernel_evaluations(self) -> int:
        """Number of kernel values computed for kernel rows so far; those in the row cache are not computed again."""
        return self._active.n_evaluations

    @property
    def beta(self) -> Array:
        """y alpha, shape (n,)."""
        return self._active.beta

    @property
    def points(self) -> Array:
        """The points without their centre, shape (n_features, n)."""
        return self._active.whole.cache.XT

    @property
    def v(self) -> Array:
        """y_i - sum_j y_j alpha_j K_ij of all points, shape (n,)."""
        return self._active.v(self.n_iter)

    @property
    def working_set(self) -> tuple[int, int]:
        """The pair (i, j) of the newest step; (-1, -1) before the first."""
        return int(self._ints[loops.LAST_I]), int(self._ints[loops.LAST_J])

    @property
    def is_optimal(self) -> bool:
        """Whether the KKT violation is at most `tol`."""
        return self.kkt_violation <= self.tol

    @property
    def kkt_violation(self) -> float:
        """KKT violation, m - M."""
        m, M = self.bounds
        return m - M

    def _state(self) -> tuple[Array, Array, Array, Array]:
        return self.beta, self.v, self._lo, self._hi

    def certificate(self, thorough: bool = True) -> Certificate:
        """Return status, KKT violation, primal and dual bounds of the present multipliers.

        The status is that of the solver, but PRECISION instead of OPTIMAL or STATIONARY where the rounding errors of f
        are larger than `tol`.

        Parameters
        ----------
        thorough : bool, default=True
            Whether to search for the best scale of f in the primal bound; else it is that at scale 1, which is valid,
            quicker, and looser when C is large.
        """
        return self._evidence().certificate(thorough)

    def snapshot(self, thorough: bool = True) -> SmoSnapshot:
        """Return the present state, in arrays of its own; `thorough` as in `certificate`."""
        evidence = self._evidence()
        alpha = np.abs(evidence.beta)
        alpha.flags.writeable = evidence.v.flags.writeable = False
        return SmoSnapshot(alpha, evidence.v, self.intercept, self.working_set, evidence, thorough, self.centre)

    def _evidence(self) -> Evidence:
        """Return the values from which the certificate is computed, in arrays of their own."""
        errors, C = self._errors, self.C.copy()
        return Evidence(
            proved(self.status, float(errors.max()), self.tol),
            self.n_iter,
            self.y,
            C,
            self.beta.copy(),
            self.v.copy(),
            errors,
            self._definite,
            self._proved_primal,
            self._optima(self.points.T, self.y, C),
        )

    def _optima(self, X: Array, y: Array, C: Array) -> Callable[[Array], Optima] | None:
        """Return a function of nearly optimal alpha that returns a problem's `Optima`; None if K may be indefinite."""
        return None if not self.kernel.is_positive_semidefinite else partial(Optima, X, y, C, self.kernel, type(self))

    @property
    def _reachable(self) -> float:
        """Smallest KKT violation that double precision can distinguish from zero for these multipliers."""
        return 50.0 * EPS * float(self._active.size.max())

    @property
    def _errors(self) -> Array:
        """Bounds on the errors of v, shape (n,)."""
        active = self._active
        if self._moved_since_refresh:
            # For multipliers that have moved since, use abs(K_ij) <= max K_ii, which holds for definite matrices.
            size = float(np.abs(self.beta).sum() * active.whole.diagonal.max(initial=0.0))
            return np.full(len(self.y), active.error + 10.0 * EPS * size)
        if active.error > 0.0:
            return np.full(len(self.y), active.error)
        return rounding_errors(self.kernel, self.points.T, self.beta, active.size, self.tol)

    @property
    def _largest_norm(self) -> float:
        """||w||, rounded up."""
        return float(np.sqrt(self.squared_norm + np.abs(self.beta) @ self._errors))

    # -- working ---------------------------------------------------------------------------------------------------

    def _work(self, goal: int) -> bool:
        task = self._task
        if task is None:
            if self.n_iter >= goal:
                return False
            self._advance(goal)
        elif task.sums.work(PIECE):
            self._task = None
            task.then(self, task)
        return True

    @property
    def pending(self) -> bool:
        """Whether v is being computed anew."""
        return self._task is not None and self.status is Status.RUNNING

    @property
    def _active_state(self) -> ActiveState:
        return self._active.state()

    @_active_state.setter
    def _active_state(self, state: ActiveState) -> None:
        self._active.restore(state)
        self._task = None

    def start_notes(self) -> Array:
        """Note each update from now on, and return the present values; the dual adds up gains until v is computed anew.

        Raises
        ------
        ValueError
            If the solver was made with `shrinking`: it does not know m - M after each update then.
        """
        if self._active.shrinking:
            raise ValueError("shrinking is True; it must be False for steps to be noted.")
        return super().start_notes()

    @property
    def _refresh_every(self) -> int:
        return max(1000, len(self.y)) if self._hard else 100_000

    def _advance(self, goal: int) -> None:
        """Make some updates, then the work that is due, which depends on the state only, not on the calls of `step`."""
        active, every = self._active, self._refresh_every
        due = min(goal, self.max_iter, (self.n_iter // every + 1) * every)
        if active.shrinking:
            due = min(due, active.review_at)
        if self._notes:
            due = min(due, self.n_iter + AT_ONCE)
        before = self.n_iter
        outcome = self._updates(due - before, max(self.tol, self._reachable))
        self._notes.add(self.n_iter - before)
        self._moved_since_refresh |= self.n_iter > before
        ended = outcome != loops.RUNNING
        if ended and not self._moved_since_refresh and active.part.is_whole:
            self._conclude(outcome, moved=False)
        elif (ended and active.part.is_whole) or (self.n_iter % every == 0 and self._moved_since_refresh):
            self._begin_refresh(outcome)
        elif active.part.is_whole and active.is_due(self.n_iter):
            active.review(self.n_iter)
        elif ended or active.is_due(self.n_iter):
            self._task = _SumTask(active.changes(), SmoSolver._synchronised, outcome)
        elif self.n_iter >= self.max_iter:
            self.status = Status.STOPPED_EARLY

    def _updates(self, n: int, tol: float) -> int:
        """Make at most `n` updates of the points under work, and return how they ended, as `_smo_loops.run` does."""
        code = RULES[self.selection].code
        return self._active.run(code, self._ints, self._rng, tol, n, PIECE, self._notes.record)

    def _begin_refresh(self, outcome: int) -> None:
        self._task = _SumTask(self._active.definition(), SmoSolver._refreshed, outcome)

    def _refreshed(self, task: _SumTask) -> None:
        """Set v of all points from its definition, so that no certificate relies on sums of many rounding errors."""
        moved, self._moved_since_refresh = self._moved_since_refresh, False
        self._active.refresh(task.sums)
        if self._notes:
            self._notes.record[0, loops.DUAL] = self.dual
        self._conclude(task.outcome, moved)

    def _conclude(self, outcome: int, moved: bool) -> None:
        """Set the status that follows from a fresh v; `moved` is whether updates were made since v was last fresh."""
        if self._hard:  # a function that has separated the points proves that they are separable
            self._proved_primal = self.certificate(thorough=False).primal
        violation = self.kkt_violation
        if violation <= self.tol:
            self.status = Status.OPTIMAL if self._definite else Status.STATIONARY
        elif self._hard and self._radius is None:
            n = len(self.y)
            self._task = _SumTask(self._active.sum_of_rows(np.full(n, 1.0 / n)), SmoSolver._measured, outcome, moved)
        elif outcome == loops.CONFLICT or (self._hard and self._not_separable()):
            self.status = Status.NOT_SEPARABLE
        elif violation <= self._reachable or (outcome != loops.RUNNING and not moved):
            self.status = Status.PRECISION
        elif self.n_iter >= self.max_iter:
            self.status = Status.STOPPED_EARLY
        else:
            self._active.review(self.n_iter)

    def _measured(self, task: _SumTask) -> None:
        """Set the radius of the points in feature space from the row means of the kernel matrix, and set the status."""
        means = task.sums.total
        square = float((self._active.whole.diagonal - 2.0 * means + means.mean()).max())
        self._radius = float(np.sqrt(max(0.0, square)))
        self._conclude(task.outcome, task.moved)

    def _synchronised(self, task: _SumTask) -> None:
        """Set v of the points left out; then choose points again, or finish if no pair of all points moves."""
        part, outcome = self._active.part, task.outcome
        self._active.synchronise(task.sums)
        settled = outcome == loops.CONVERGED and self.kkt_violation <= max(self.tol, self._reachable)
        if settled or outcome in (loops.STALLED, loops.CONFLICT):
            self._begin_refresh(outcome)
        elif self.n_iter >= self.max_iter:
            self.status = Status.STOPPED_EARLY
        else:
            self._active.review(self.n_iter, part, longer=outcome == loops.RUNNING)

    def _recompute(self) -> None:
        """Compute v from its definition, at once."""
        definition = self._active.definition()
        definition.work()
        self._active.refresh(definition)

    def _not_separable(self) -> bool:
        total = float(np.abs(self.beta).sum())
        narrow = total > 0 and self._largest_norm <= SEPARABLE_SHARE * (self._radius or 0.0) * total
        return narrow and bool(np.isinf(self._proved_primal))
