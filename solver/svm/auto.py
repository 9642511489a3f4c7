"""AutoSolver: SMO with three short cuts, for kernels that are positive semidefinite.

SMO alone decides when the multipliers are optimal, and certifies them.  The short cuts are:

* Sums of kernel rows are computed by an expansion (see `plane_sums`), in time linear in the points: in the
  plane, and with a proved error far below tol.  `Certificate.kernel_error` is its bound; primal and dual allow for it.
* The training of many points does not start from 0.  A tenth of the points, each with the total C of the points that it
  represents, is trained first, in the same way.  From its f, a few steps of Newton's method (`newton`) on the points
  near the margin, for a ramp of multipliers that becomes steeper in each round, bring all multipliers close to the
  optimum.
  If that would take long (few points, a large C, many features), the start is a steep ramp of this f without Newton's
  method.
  If the multipliers of this tenth are mostly free, SMO needs few updates, and there is no such start.
* Such a start, or some updates, are followed by the pivots of `pivoting`, which bring the points under work to their
  optimum.  After updates they begin when they are expected to take no more work than these did.

Costs are counted in array entries visited, about a nanosecond each, and never measured, so that the same call gives the
same answer on every machine.

Each constant below is worth at least a tenth of the time of a problem of `make bench ARGS="svc million"`, and costs no
other as much, or is a limit.  Times without it, as multiples, of processor time in one process:

=========================  ===========================================================================================
EXPANDED                   nowhere: 38 (10^5 points, RBF), 415 (linear); from 1500 on: 2.1 (chessboard 2000, RBF)
LINEAR                     2500: 2.5 (blobs 2000, linear, C = 10^4), 1.4 (C = 1)
SHARE_OF_POINTS            0.2: 2.3 (moons 10 000, RBF, C = 100), at best 0.8
FEWEST                     a limit for a rare class; 1 where both classes are large
ROUGH                      a limit for a small tol; 1 at the default tol
WIDTHS                     0.02 and 0.0008 alone: 2.2 (blobs 5000, poly), 1.7 (chessboard 20 000, RBF)
AWAY                       all points in each round: 2.3 (banana 20 000, RBF)
NEWTON, PER_FEATURE        never: 7 (10^5 points, linear), 3.1 (moons 20 000, poly); always: 4.6 (blobs 2600, RBF)
DEAR                       inf: 48 (blobs 2000, linear, C = 10^4), 4.2 (moons 20 000, RBF, C = 10^4)
SHARE_OF_KERNEL            10^-6: 1.25 (banana 20 000, RBF), 1.2 (10^5 points)
SHARE_TIMES_C              inf: 2.2 (banana 30 000, RBF, C = 100), at best 0.85
ALL_POINTS                 0: 31 (moons 10 000, poly, C = 100); inf: 1.0, but a gigabyte for 10^6 points
FREE                       1: 5.6 (blobs 6000, RBF, gamma = 10), 2.7 (spirals 6000, gamma = 100); 0: 7 (chessboard 6000)
FREE_IF_SLOW, SLOW         0.56: 1.8 (moons 6000, gamma = 10, C = 100); 1: 1.6 (spirals 6000, gamma = 100, C = 100)
WILD                       inf: 13 (blobs 2000, poly, C = 100), 3.2 (moons 2000, C = 10^4); 0: 4 (moons, gamma = 100)
FIRST_PIVOT                1: 1.9 (blobs 2000, poly), 1.4 (chessboard 2000, RBF); no pivots: 51 (moons 3000, C = 10^4)
=========================  ===========================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Indices
from solver.core.certificate import EPS, Evidence, Status, best_primal, proved, rounding_errors
from solver.core.one_thread import ONE_THREAD
from solver.core.stepping import Checkpoint, Stop, never
from solver.kernels._kernel_rows import ROW_COST
from solver.kernels.plane_sums import Features, plane_sums
from solver.kernels.table import KERNELS, Kernel

from . import _pivot_loops, _smo_loops, smo
from .newton import Work, ramped
from .pivoting import Pivoting
from .projection import feasible, project
from .shrinking import PlaneSum
from .smo import SmoSnapshot, SmoSolver
from .working_set_rules import RULES

#: Points from which on there are sums by expansion and a start from some of the points: with most kernels, and with
#: the linear one.
EXPANDED, LINEAR = 2500, 1000
#: Share of the points to start from, and the fewest of each class.
SHARE_OF_POINTS, FEWEST = 0.1, 50
#: KKT violation up to which these are trained.
ROUGH = 1e-2
#: Widths of the ramp, in units of f, from 0 to C; points that far outside it, in widths, are left as they are.
WIDTHS, AWAY = (0.1, 0.02, 0.004, 0.0008), 4.0
#: Points from which on Newton's method pays, and how many more for each feature; C from which on it never does.
NEWTON, PER_FEATURE, DEAR = 4000, 75, 1000.0
#: Features of less than this share of the kernel are left out of Newton's method; the next round sets that right.  The
#: error of f grows with C: the largest share times C.
SHARE_OF_KERNEL, SHARE_TIMES_C = 1e-5, 1e-4
#: Features times points up to which the first round looks at all points, however far from the margin: 160 MB.
ALL_POINTS = 20_000_000
#: Updates before the first pivots.
FIRST_PIVOT = 400
#: Largest error of v by the expansion, as a share of tol.
ERROR_SHARE = 1e-2
#: KKT violation, 2 at zeros, from which on updates alone would take very long, and pivots are worth any work.
WILD = 20.0
#: Share of free support vectors among those of some of the points, up to which their answer is a start; the same if
#: they took at least this number of updates per point, a sign that SMO would need many.
FREE, FREE_IF_SLOW, SLOW = 0.56, 0.9, 4
NEVER = 2**62
GOLDEN = 0.6180339887498949


def some_of(y: Array, share: float) -> tuple[Indices, Array]:
    """Return about this share of the points of each class, evenly spaced, and the number of points each represents."""
    factors = np.zeros(len(y))
    for sign in (-1.0, 1.0):
        of_class = np.flatnonzero(y == sign)
        # Multiples of the golden section fill [0, 1) evenly, and do not follow any pattern in the order of the points.
        some = of_class[(np.arange(len(of_class)) * GOLDEN) % 1.0 < max(share, FEWEST / len(of_class))]
        factors[some] = len(of_class) / len(some)
    index = np.flatnonzero(factors)
    return index, factors[index]


@dataclass(frozen=True)
class Solved:
    """The solver of a problem that is solved: it only has an answer."""

    answer: SmoSnapshot
    status = Status.OPTIMAL

    def snapshot(self, thorough: bool = True) -> SmoSnapshot:
        """Return the answer."""
        return self.answer


class AutoSolver(SmoSolver):
    """`SmoSolver` with short cuts, for kernels that are positive semidefinite formulas and finite C.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    y : array-like of shape (n,)
    kernel : Kernel
    **parameters
        As in `SmoSolver`.  With another kernel, an infinite C or in plain numpy it is SMO.

    Raises
    ------
    ValueError
        As in `SmoSolver`.

    Attributes
    ----------
    n_short_cuts : int
        Number of times that multipliers from a short cut were used.

    Notes
    -----
    `n_iter` counts pair updates only, and the pair of `working_set` stays that of the newest of them.
    """

    def __init__(self, X: ArrayLike, y: ArrayLike, kernel: Kernel, **parameters: Any) -> None:
        super().__init__(X, y, kernel, **parameters)
        self._begin()

    def move_points(self, X: ArrayLike, y: ArrayLike | None = None, C: float | ArrayLike | None = None) -> None:
        """As `SmoSolver.move_points`."""
        super().move_points(X, y, C)
        self._begin()

    def _begin(self) -> None:
        """Set the state before the first short cut."""
        kernel = self.kernel
        enough = self.max_iter >= FIRST_PIVOT  # else a start may end before it is any better than 0
        self._may_try = enough and self._definite and not self._hard and self.compiled and kernel.name in KERNELS
        self._trial: Work[None] | None = None
        #: While a start is computed: the solver of some of the points, and their indices.
        self._few: tuple[AutoSolver, Indices] | None = None
        self.n_short_cuts = 0
        self._least_violation = np.inf  # of those when v was computed from its definition
        #: Number of updates after which pivots are considered next.
        self._pivot_at = (0 if self.beta.any() else FIRST_PIVOT) if self._may_try else NEVER
        if self._may_try and len(self.y) >= (LINEAR if kernel.is_translation_invariant else EXPANDED):
            if self._active.shrinking and len(self.points) == 2 and not self.beta.any():
                self._trial = self._from_some()
            else:
                self._use_expansion()

    def _use_expansion(self) -> None:
        """Use the expansion from now on, if the kernel has one."""
        with ONE_THREAD:
            self._active.plane = plane_sums(self.kernel, self.points)
        self._active.largest_error = ERROR_SHARE * self.tol

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """As `SmoSolver.step`."""
        if self._active.plane is None and self._trial is None:
            return super().step(n, stop)
        with ONE_THREAD:
            return super().step(n, stop)

    @property
    def error(self) -> float:
        """Bound on the error of v by expansions."""
        return self._active.error

    def another(self, X: Array, y: Array, C: Array) -> AutoSolver | Solved:
        """Return the solver of another problem with these parameters; the data is not checked.

        If the problem is small, its first updates are made in a single call of compiled code, which mostly solves it.
        """
        n, n_iter, alpha = len(y), 0, None
        if self._may_try and n < LINEAR and n * n <= self._active.megabytes * 2**17:
            centre, XT, diagonal, _ = self._placed(X, C)
            outcome, beta, v, ints, m, M, size = _smo_loops.solved(
                RULES[self.selection].code,
                self.kernel.numbers,
                XT,
                y,
                C,
                diagonal,
                self._first_random,
                self.tol,
                self.max_iter,
                smo.PIECE,
                self._notes.record,
            )
            alpha, n_iter = np.abs(beta), int(ints[_smo_loops.ITERATION])
            if outcome == _smo_loops.CONVERGED and np.isfinite(m - M) and m - M <= self.tol:
                alpha.flags.writeable = v.flags.writeable = False
                errors = rounding_errors(self.kernel, XT.T, beta, size, self.tol)
                status = proved(Status.OPTIMAL, float(errors.max()), self.tol)
                evidence = Evidence(status, n_iter, y, C, beta, v, errors, True, np.inf, self._optima(XT.T, y, C))
                pair = int(ints[_smo_loops.LAST_I]), int(ints[_smo_loops.LAST_J])
                free = (alpha > 0.0) & (alpha < C)
                intercept = float(v[free].mean()) if free.any() else 0.5 * (m + M)
                return Solved(SmoSnapshot(alpha, v, intercept, pair, evidence, True, centre))
        solver = AutoSolver(
            X,
            y,
            self.kernel,
            C=C,
            tol=self.tol,
            max_iter=self.max_iter,
            selection=self.selection,
            random_state=self._seed,
            alpha=alpha,
            cache_size=self._active.megabytes,
        )
        solver._ints[_smo_loops.ITERATION] = n_iter
        return solver

    def checkpoint(self) -> Checkpoint:
        """Raise ValueError: a short cut in progress cannot be copied.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("solver is 'auto', whose runs cannot be gone back; it must be 'smo'.")

    def start_notes(self) -> Array:
        """Raise ValueError: a short cut changes the multipliers between two updates.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("solver is 'auto', whose short cuts are no steps; it must be 'smo' for steps to be noted.")

    def _advance(self, goal: int) -> None:
        if self._trial is not None:
            if next(self._trial, self) is self:
                self._trial = self._few = None
        elif self.n_iter >= self._pivot_at and self._active.part.violation > max(self.tol, self._reachable):
            self._trial = self._pivots()
        else:
            super()._advance(min(goal, max(self.n_iter, self._pivot_at)))

    def _conclude(self, outcome: int, moved: bool) -> None:
        """As `SmoSolver._conclude`; also end if rounding hides `tol` and the violation has hardly fallen."""
        super()._conclude(outcome, moved)
        before, self._least_violation = self._least_violation, min(self._least_violation, self.kkt_violation)
        hidden = self._reachable > self.tol and not self._hard
        if self.status is Status.RUNNING and hidden and self.kkt_violation > 0.5 * before:
            self.status = Status.PRECISION
        if self.status is Status.PRECISION and self.dual < 0.0:
            self._scale_down(self.beta, self.y - self.v)

    def _from_some(self) -> Work[None]:
        """Compute a start close to the optimum from the answer for some of the points; in pieces."""
        y, C, XT = self.y, self.C, self.points
        index, factor = some_of(y, SHARE_OF_POINTS)
        few = AutoSolver(
            XT[:, index].T,
            y[index],
            self.kernel,
            C=np.minimum(C[index] * factor, smo.LARGEST_C),
            tol=max(self.tol, ROUGH),
            max_iter=self.max_iter,
            cache_size=self._active.megabytes,
        )
        self._few = few, index
        while few.status is Status.RUNNING:
            few.step(smo.PIECE, stop=lambda: True)
            yield
        most = FREE_IF_SLOW if few.n_iter >= SLOW * len(index) else FREE
        if np.count_nonzero(few.alpha % few.C) <= most * np.count_nonzero(few.alpha):
            self._use_expansion()
        plane = self._active.plane
        if plane is None:
            return
        found = yield from _done(PlaneSum(plane, few.points, few.beta, XT))
        # Hardly a ramp: the multipliers that this f asks for.
        top = float(C.max())
        beta = project(top / WIDTHS[-1] * (y - found.total) + 0.5 * y * C, self._lo, self._hi)
        rows = yield from _done(PlaneSum(plane, XT, beta))
        phi = plane.features(min(SHARE_OF_KERNEL, SHARE_TIMES_C / min(top, DEAR)))
        if top < DEAR and len(y) >= NEWTON + PER_FEATURE * phi.rank:
            yield from self._along_ramps(phi, y - found.total, few.intercept, found.moments, beta, rows)
        elif self._use(beta, rows):
            self._pivot_at = 0

    def _along_ramps(
        self, phi: Features, aim: Array, middle: float, moments: Array, beta: Array, rows: PlaneSum
    ) -> Work[None]:
        """Improve a start by Newton's method for one ramp after the other, in pieces.

        Parameters
        ----------
        phi : Features
        aim : ndarray of shape (n,)
            v of all points at the f of some of them, `middle` the intercept and `moments` the moments of that f.
        beta : ndarray of shape (n,)
            The start; `rows` are its kernel sums.
        """
        y, lo, hi, XT, top = self.y, self._lo, self._hi, self.points, float(self.C.max())
        centre, near = 0.5 * (lo + hi), len(y) * phi.rank > ALL_POINTS
        w = phi.sum(moments) - phi.sum(rows.moments)
        for width in WIDTHS:
            left = np.arange(len(y))
            if near:
                free = (lo < beta) & (beta < hi)
                away = aim - (float(np.median(aim[free])) if free.any() else middle)
                edge = AWAY * width
                left = np.flatnonzero(~(((beta == hi) & (away > edge)) | ((beta == lo) & (away < -edge))))
            for Z in phi.pieces(XT[:, left]):  # noqa: B007
                yield
            beta = beta.copy()
            beta[left] = yield from ramped(
                Z, (y - rows.total)[left], lo[left], hi[left], beta[left], centre[left], w, top / width, 0.03 * width
            )
            rows = yield from _done(PlaneSum(phi.plane, XT, beta))
            aim, centre, near, w = y - rows.total, beta, True, np.zeros(phi.rank)
            violation = float(aim[beta < hi].max()) - float(aim[beta > lo].min())
            if np.abs(beta).sum() + beta @ aim > 2.0 * self.dual and self._use(beta, rows):
                # With this v, of rounding errors alone, a training that has converged may end.
                self._moved_since_refresh = violation > self.tol
            if violation <= self.tol:
                break
        if self._moved_since_refresh:
            self._active.review(self.n_iter, early=True)

    def _use(self, beta: Array, rows: PlaneSum) -> bool:
        """Continue with these multipliers unless the error of their kernel sums is too large; return whether."""
        active = self._active
        if rows.error > active.largest_error:
            return False
        active.replace(beta, self.y - rows.total)
        active.size, active.error = rows.size, rows.error
        self._moved_since_refresh = True
        self.n_short_cuts += 1
        return True

    def give_up(self) -> None:
        """Stop early; while a start is being computed, with the answer for some of the points as that for all."""
        few, self._trial, self._few = self._few, None, None
        if few is not None:
            self._use_expansion()
        plane = self._active.plane
        if few is not None and plane is not None and not self.beta.any():
            solver, index = few
            solver.give_up()
            with ONE_THREAD:
                g = plane.all_at_once(solver.points, solver.beta, self.points)
                norm = solver.squared_norm + solver.error * float(np.abs(solver.beta).sum())
                error = plane.uncertainty(solver.beta)
                self._proved_primal = best_primal(self.y, self.C, g - self.y * error, norm)
                alpha = np.zeros(len(self.y))
                alpha[index] = solver.alpha
                beta = feasible(self.y, self.C, alpha)
                self._active.error = plane.uncertainty(beta)
                self._active.size = np.full(len(beta), self._active.error / EPS)
                self._scale_down(beta, plane.all_at_once(self.points, beta, self.points))
        elif self.dual < 0.0 and self._active.part.is_whole:
            self._scale_down(self.beta, self.y - self.v)
        super().give_up()

    def _scale_down(self, beta: Array, Kb: Array) -> None:
        """Use the best multiple, at most 1, of these multipliers with kernel sums `Kb`; its dual is at least 0."""
        scale = min(1.0, float(np.abs(beta).sum()) / max(float(beta @ Kb), 1e-300))
        self._active.replace(scale * beta, self.y - scale * Kb)

    def expected(self, spent: float) -> float:
        """Return the estimated time of SMO in all (s) from the time `spent`; 0 if the short cuts work."""
        n, plane = len(self.y), self._active.plane
        if self._trial is not None or (plane is not None and plane.features(SHARE_OF_KERNEL).rank < n):
            return 0.0
        return spent * max(2.0, 1.5 * n / max(1, self.n_iter))  # nearly every multiplier moves, some more than once

    def outlook(self, spent: float) -> str:
        """Return a sentence with the time that SMO needs, estimated from `spent` (s); "" if the short cuts work."""
        seconds = self.expected(spent)
        reason = f"There is no short cut for the {self.kernel.name} kernel with these points and parameters"
        return f"{reason}; SMO needs some {seconds:.2g} s." if seconds else ""

    def _pivots(self) -> Work[None]:
        """Make pivots on the points under work, in pieces, as long as they are expected to be worth their work."""
        active, part, n_iter = self._active, self._active.part, self.n_iter
        work = Pivoting(part)
        outcome = _pivot_loops.RUNNING
        # As much work as that of the updates so far, so that they waste little where the updates would soon end.
        spent = 2 * n_iter * len(part.index) + ROW_COST * self.n_kernel_evaluations
        left = spent if n_iter > 0 and part.violation < WILD else np.inf
        while outcome == _pivot_loops.RUNNING and work.expected < left:
            left -= smo.PIECE
            outcome = work.work(max(self.tol, self._reachable), smo.PIECE)
            active.replace(part.beta, part.v)
            self._moved_since_refresh = True
            self.n_short_cuts += 1
            yield
        # If there are too many free points, there will be; else there may be fewer later, and rounding hinders less.
        again = {_pivot_loops.CONVERGED: n_iter, _pivot_loops.FULL: NEVER}
        self._pivot_at = again.get(outcome, 2 * n_iter + FIRST_PIVOT)


def _done(rows: PlaneSum) -> Work[PlaneSum]:
    """Complete the sum, in pieces, and return it."""
    while not rows.work(smo.PIECE):
        yield
    return rows
