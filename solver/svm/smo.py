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

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core import fast_loops
from solver.core.arrays import Array, Integers
from solver.core.certificate import EPS, Certificate, PrimalSearch, Status, best_primal, proved
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
from solver.core.step_log import AT_ONCE, Notes
from solver.core.stepping import Checkpoint, Stop, never
from solver.kernels._kernel_rows import ROW_COST
from solver.kernels.plane_sums import plane_sums
from solver.kernels.table import Kernel

from . import _smo_loops as loops
from .projection import ROUNDING, feasible, settled
from .shrinking import ActiveSet, ActiveState, KernelSum, PlaneSum
from .working_set_rules import RULES

#: A margin below this share of the data's radius in feature space counts as "not separable".
SEPARABLE_SHARE = 1e-6
#: Entries of the kernel matrix from which on a start may be made by an expansion of the kernel: some milliseconds.
MANY_ENTRIES = 4_000_000
#: Entries of the kernel matrix visited between two looks at `stop`: about a millisecond.
PIECE = 1_000_000
#: Up to these bounds nothing overflows: kernel values may reach the square of the first, C^2 K stays finite.
LARGEST_COORDINATE = 1e75
LARGEST_C = 1e50


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


@dataclass(frozen=True)
class _Task:
    """A sum of kernel rows under way, and what to do when it is complete."""

    sums: KernelSum
    then: Callable[[SmoSolver, _Task], None]
    outcome: int  #: of the updates before it
    moved: bool = True  #: whether they changed anything


@dataclass(frozen=True)
class _State:
    """What `SmoSolver.restore` needs; rows of the kernel it computes again."""

    active: ActiveState
    ints: Integers
    rng: NDArray[np.uint64]
    status: Status
    moved_since_refresh: bool
    radius: float | None
    proved_primal: float
    noted: Array
    XT: Array  #: the points that it belongs to


class SmoSolver(DualSolver):
    """Sequential minimal optimisation that can be stopped and continued after any number of steps.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    y : array-like of shape (n,)
        -1 and +1, both present.
    kernel : Kernel
        For a `PrecomputedKernel`, `X` is the symmetric Gram matrix of shape (n, n).
    C : float or array-like of shape (n,), default=1.0
        Upper bound of each alpha, at most 1e50; inf is the hard margin.
    tol : float, default=1e-3
        Largest KKT violation called optimal.
    max_iter : int, default=-1
        Steps after which the solver gives up; -1 means max(10^7, 100 n).
    selection : str, default="second-order"
        A working-set rule of `RULES`.
    random_state : int, default=0
        Seed of the rules that draw.
    alpha : array-like of shape (n,), optional
        Multipliers to start from; brought into the box and onto sum y alpha = 0 if they are not there.
    cache_size : float, default=200
        Bound of the kernel row cache in MB.
    shrinking : bool, default=True
        Leave settled points out for a while (see `shrinking`); only with rules that choose among extremes of v.

    Attributes
    ----------
    y : ndarray of shape (n,)
    C : ndarray of shape (n,)
        Upper bound of each alpha.
    compiled : bool
        False where it began while `fast_loops.ready` was False: it works in plain numpy, by the second-order rule and
        on the whole kernel matrix.

    Raises
    ------
    ValueError
        One sentence naming the parameter, its value and what is allowed.
    """

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
        points = check_points(X, LARGEST_COORDINATE)
        n = len(points)
        self.y: Array = check_signs(y, n)
        self.C: Array = check_prices(C, n, LARGEST_C, or_inf=True)
        self.kernel = kernel
        self.tol = check_number("tol", tol, 0.0, open_low=True, open_high=True)
        check_integer("max_iter", max_iter, -1)
        self.max_iter = max(10_000_000, 100 * n) if max_iter == -1 else int(max_iter)
        self.selection = check_choice("selection", selection, RULES)
        self._seed = check_integer("random_state", random_state, 0)
        self.compiled = fast_loops.ready()
        check_flag("shrinking", shrinking)
        #: `centre`: shift of the points that changes no classifier but keeps the digits of a linear kernel.
        self.centre, XT, self._definite = self._placed(points, self.C)
        self._set_bounds()
        self._active = ActiveSet(
            kernel.numbers,
            XT,
            self.y,
            self._lo,
            self._hi,
            kernel.diagonal(XT.T),
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

    def _placed(self, points: Array, C: Array) -> tuple[Array, Array, bool]:
        """Of these points: their centre, how they are worked on, and whether the kernel is known to be definite there.

        Raises
        ------
        ValueError
            The kernel, or the kernel with these bounds, does not work there.
        """
        kernel, n = self.kernel, len(points)
        centre = np.zeros(points.shape[1])
        if kernel.is_translation_invariant:
            centre = points.mean(axis=0)
            points = points - centre
        XT = np.array(points.T, order="C")
        if kernel.largest(XT.T) > LARGEST_COORDINATE**2:
            raise ValueError(f"The {kernel.name} kernel overflows at these coordinates; scale the data down.")
        if kernel.name == "precomputed" and not (points.shape == (n, n) and np.array_equal(XT, XT.T)):
            raise ValueError(f"X has shape {points.shape}; for a precomputed kernel it must be square and symmetric.")
        definite = kernel.is_positive_semidefinite_on(XT.T)
        if not definite and np.isinf(C).any():
            raise ValueError(
                f"C is inf; with the {kernel.name} kernel at these parameters, not positive semidefinite, "
                "it must be finite."
            )
        return centre, XT, definite

    def _set_bounds(self) -> None:
        """What follows from y and C."""
        self._lo, self._hi = np.where(self.y > 0, 0.0, -self.C), np.where(self.y > 0, self.C, 0.0)
        # No point may be inside the margin; with slack for some points every problem has a solution.
        self._hard = bool(np.isinf(self.C).all())

    def _reset(self) -> None:
        """No update yet, nothing under way, nothing noted."""
        self.status = Status.RUNNING
        self._ints = np.array([0, 0, 0, -1, -1], dtype=np.int64)
        self._rng = np.array([(self._seed + 0x9E3779B97F4A7C15) % 2**64], dtype=np.uint64)
        self._task: _Task | None = None
        self._notes = Notes(len(self.NOTES))
        self._moved_since_refresh = False
        #: max_i ||phi(x_i) - mean phi||, once it is needed.
        self._radius: float | None = None
        self._proved_primal = np.inf  # the best primal bound of former multipliers, of a hard margin

    def move_points(self, X: ArrayLike, y: ArrayLike | None = None, C: float | ArrayLike | None = None) -> None:
        """Begin a training with points elsewhere, from the multipliers that there are now.

        It is the training that a new solver with these multipliers makes, and proves as much; only sooner where few
        points have moved, because the kernel rows of the others are kept.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            As many points as before, in the same order.
        y : array-like of shape (n,), optional
            Their labels; None means as before.  A point whose label is another one begins with a multiplier of 0.
        C : float or array-like of shape (n,), optional
            None means as before.  Multipliers at their bound follow it.

        Raises
        ------
        ValueError
            Bad data, or another number of points or features; then nothing has changed.

        Notes
        -----
        `n_iter` and `n_kernel_evaluations` count from 0, steps are not noted any more, and checkpoints made before are
        of no use.
        """
        points, active = check_points(X, LARGEST_COORDINATE, copy=False), self._active
        shape = active.whole.XT.shape[::-1]
        if points.shape != shape:
            raise ValueError(f"X has shape {points.shape}; points that move must have the shape they had, {shape}.")
        signs = self.y if y is None else check_signs(y, len(points))
        prices = self.C if C is None else check_prices(C, len(points), LARGEST_C, or_inf=True)
        centre, XT, definite = self._placed(points, prices)
        beta = self._carried_over(signs, prices)
        v_is_fresh = beta is self.beta and not self._moved_since_refresh and self._task is None
        v_is_fresh &= active.error == 0.0 and not self._has_many_entries
        self.y, self.C, self.centre, self._definite = signs, prices, centre, definite
        if not y is C is None:
            self._set_bounds()
        matrix = None if self.compiled else self.kernel.gram(XT.T, XT.T)
        moved = active.move_points(XT, signs, self._lo, self._hi, self.kernel.diagonal(XT.T), matrix)
        self._reset()
        if moved is None or not v_is_fresh or not active.follow(moved):
            self._begin_with(beta)

    def _carried_over(self, y: Array, C: Array) -> Array:
        """A start for these labels and bounds from the present multipliers: beta itself where all may stay as it is."""
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
        """Begin with these multipliers, unless nothing is better."""
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
        """v of the start by an expansion of the kernel, where that is quicker than its rows; False where it is not.

        What is concluded in the end rests on v from its definition, as after any update.
        """
        active, n = self._active, int(np.count_nonzero(self.beta))
        if not self._has_many_entries:
            return False
        plane = plane_sums(self.kernel, active.whole.XT)
        if plane is None or 2 * plane.cost > (1 + ROW_COST) * n:
            return False
        if 100.0 * plane.uncertainty(self.beta) > self.tol:
            return False
        values = PlaneSum(plane, active.whole.XT, self.beta)
        values.work()
        active.refresh(values)
        active.error = 0.0
        self._moved_since_refresh = True
        return True

    # -- reading -------------------------------------------------------------------------------------------------------

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
    def is_optimal(self) -> bool:
        """The KKT violation is at most `tol`."""
        return self.kkt_violation <= self.tol

    @property
    def kkt_violation(self) -> float:
        """m - M."""
        m, M = self.bounds
        return m - M

    def _state(self) -> tuple[Array, Array, Array, Array]:
        return self.beta, self.v, self._lo, self._hi

    def certificate(self, thorough: bool = True) -> Certificate:
        """Status, KKT violation, primal and dual bounds of the current multipliers.

        Its status is that of the solver, but PRECISION for OPTIMAL or STATIONARY where f is known no better than tol.
        Without `thorough` the primal bound is the one at scale 1: valid, quicker, and looser when C is large.
        """
        size = np.abs(self.beta)
        primal = min(self._primal(thorough), self._proved_primal) if self._definite else np.inf
        bound = float(self._largest_norm / size.sum()) if self._hard and size.any() else np.nan
        status = proved(self.status, EPS * float(self._active.size.max()), self.tol)
        return self._certificate(status, self.kkt_violation, primal, bound)

    def primal_search(self, quick: Certificate) -> PrimalSearch:
        """Return what makes the thorough certificate of `quick`, that of the present multipliers, at any later time."""
        norm = self.squared_norm + self._hidden_norm
        return PrimalSearch(quick, self.y, self.C, self.y - self.v, norm, self._reachable)

    def snapshot(self, thorough: bool = True) -> SmoSnapshot:
        """The state now, in arrays of its own; `thorough` as in `certificate`."""
        alpha, v = self.alpha, self.v.copy()
        alpha.flags.writeable = v.flags.writeable = False
        return SmoSnapshot(alpha, v, self.intercept, self.working_set, self.certificate(thorough))

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

    # -- working ---------------------------------------------------------------------------------------------------

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """At most `n` pair updates; returns how many were made, fewer only when finished or stopped.

        ``step(5); step(5)`` equals ``step(10)`` bit for bit.  `stop` is asked every few milliseconds.
        """
        start = self.n_iter
        goal = start + check_integer("n", n, 0)
        while self.status is Status.RUNNING:
            if self._task is not None:
                task = self._task
                if task.sums.work(PIECE):
                    self._task = None
                    task.then(self, task)
            elif self.n_iter < goal:
                self._advance(goal)
            else:
                break
            if stop():
                break
        return self.n_iter - start

    def give_up(self) -> None:
        """End here, with the multipliers as they are, unless it has ended already."""
        if self.status is Status.RUNNING:
            self._task, self.status = None, Status.STOPPED_EARLY

    @property
    def pending(self) -> bool:
        """Whether v is being computed anew."""
        return self._task is not None

    def checkpoint(self) -> Checkpoint:
        """The present state.

        Raises
        ------
        RuntimeError
            Something is `pending`.
        """
        if self.pending:
            raise RuntimeError("A checkpoint was asked for while work is pending; call step(0) first.")
        active = self._active.state()
        state = _State(
            active,
            self._ints.copy(),
            self._rng.copy(),
            self.status,
            self._moved_since_refresh,
            self._radius,
            self._proved_primal,
            self._notes.present if self._notes else np.empty(0),
            self._active.whole.XT,
        )
        return Checkpoint(state, active.nbytes + 500)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Back (or forth) to a state of this solver; see `SteppedSolver.restore`.

        Raises
        ------
        RuntimeError
            Points have moved since (`move_points`).
        """
        state: _State = checkpoint.state
        if state.XT is not self._active.whole.XT:
            raise RuntimeError("The checkpoint was made before points moved; it cannot be gone back to.")
        self._active.restore(state.active)
        self._ints[:], self._rng[:], self.status = state.ints, state.rng, state.status
        self._task, self._moved_since_refresh = None, state.moved_since_refresh
        self._radius, self._proved_primal = state.radius, state.proved_primal
        if self._notes:
            self._notes.start(state.noted if len(state.noted) else self._present)

    def start_notes(self) -> Array:
        """Note each update: the dual is the present one plus its gain, and set right whenever v is computed anew.

        Raises
        ------
        ValueError
            The solver leaves points out for a while, and so does not know m - M after each update.
        """
        if self._active.shrinking:
            raise ValueError("shrinking is True; it must be False for steps to be noted.")
        return super().start_notes()

    @property
    def _refresh_every(self) -> int:
        return max(1000, len(self.y)) if self._hard else 100_000

    def _advance(self, goal: int) -> None:
        """Some updates, then whatever is due; what is due depends on the state only, never on how it was cut."""
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
            self._task = _Task(active.changes(), SmoSolver._synchronised, outcome)
        elif self.n_iter >= self.max_iter:
            self.status = Status.STOPPED_EARLY

    def _updates(self, n: int, tol: float) -> int:
        """At most `n` updates of the points under work; how they ended, as `_smo_loops.run` says it."""
        code = RULES[self.selection].code
        return self._active.run(code, self._ints, self._rng, tol, n, PIECE, self._notes.record)

    def _begin_refresh(self, outcome: int) -> None:
        self._task = _Task(self._active.definition(), SmoSolver._refreshed, outcome)

    def _refreshed(self, task: _Task) -> None:
        """v of all points is known from its definition: rounding errors of many updates must not certify anything."""
        moved, self._moved_since_refresh = self._moved_since_refresh, False
        self._active.refresh(task.sums)
        if self._notes:
            self._notes.record[0, loops.DUAL] = self.dual
        self._conclude(task.outcome, moved)

    def _conclude(self, outcome: int, moved: bool) -> None:
        """What can be said of the multipliers, given that v is fresh, and that something `moved` before it was."""
        if self._hard:  # a function that separated the points once stays a proof that they are separable
            self._proved_primal = min(self._proved_primal, self._primal(thorough=False))
        violation = self.kkt_violation
        if violation <= self.tol:
            self.status = Status.OPTIMAL if self._definite else Status.STATIONARY
        elif self._hard and self._radius is None:
            n = len(self.y)
            self._task = _Task(self._active.sum_of_rows(np.full(n, 1.0 / n)), SmoSolver._measured, outcome, moved)
        elif outcome == loops.CONFLICT or (self._hard and self._not_separable()):
            self.status = Status.NOT_SEPARABLE
        elif violation <= self._reachable or (outcome != loops.RUNNING and not moved):
            self.status = Status.PRECISION
        elif self.n_iter >= self.max_iter:
            self.status = Status.STOPPED_EARLY
        else:
            self._active.review(self.n_iter)

    def _measured(self, task: _Task) -> None:
        """The radius of the points in feature space, from the row means of the kernel matrix."""
        means = task.sums.total
        square = float((self._active.whole.diagonal - 2.0 * means + means.mean()).max())
        self._radius = float(np.sqrt(max(0.0, square)))
        self._conclude(task.outcome, task.moved)

    def _synchronised(self, task: _Task) -> None:
        """v of the points left out is up to date: choose anew, or finish when no pair of all points moves any more."""
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
        """v from its definition, at once."""
        definition = self._active.definition()
        definition.work()
        self._active.refresh(definition)

    def _not_separable(self) -> bool:
        total = float(np.abs(self.beta).sum())
        narrow = total > 0 and self._largest_norm <= SEPARABLE_SHARE * (self._radius or 0.0) * total
        return narrow and bool(np.isinf(self._proved_primal))
