"""LasvmSolver: an online SVM that takes one point after the other and keeps only those that it may need (LASVM).

Source: Bordes, Ertekin, Weston, Bottou, "Fast kernel classifiers with online and active learning", JMLR 6, 2005,
section 3; the second-order choice of the partner: Glasmachers, Igel, Neural Computation 20(2), 2008.

Legend: the *expansion* S is the set of points kept; ``beta_s = y_s alpha_s`` in ``[lo_s, hi_s]``; ``g_s =
y_s - sum_r beta_r K_rs``; ``m = max g over {beta < hi}``, ``M = min g over {beta > lo}``, both over S.  D is the dual
of `smo`; points outside S have alpha = 0, so the multipliers are feasible, and D a lower bound, at every moment.

    start       a few points of each class join S with alpha = 0
    PROCESS     the next point of the stream joins S; if it violates the conditions with a partner of S by more than
                tol, the pair moves as in SMO
    REPROCESS   the best pair of S moves; then the blatant non-support vectors leave: alpha = 0 and g beyond m or M, so
                that no pair of S with them could move
    online      for each point of the stream one PROCESS and one REPROCESS
    FINISH      REPROCESS until m - M <= tol.  Then a SWEEP: g of S is computed anew, and points of the newest batch
                that were dropped but violate the conditions now (by y (g - (m + M) / 2) > tol / 2) come back; again,
                until m - M <= tol over all points, those left out included.

The partner is the most violating one ("first-order", the rule of 2005) or the one of the largest gain
``(g_i - g_j)^2 / (2 (K_ii + K_jj - 2 K_ij))`` ("second-order").  The SWEEP is not in the paper, whose FINISH is
optimal on S only; with it "optimal" means the same here as in `smo`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Integers
from solver.core.certificate import Certificate, Status, best_primal
from solver.core.checks import (
    check_choice,
    check_flag,
    check_integer,
    check_n_features,
    check_number,
    check_points,
    check_prices,
    check_signs,
)
from solver.core.dual_solver import DualSolver
from solver.kernels.table import Kernel

from . import _online_loops as loops
from ._online_points import KeptPoints, KeptState

LARGEST_COORDINATE = 1e75
LARGEST_C = 1e50
SELECTIONS = ("first-order", "second-order")
#: Largest number of passes, whose orders are drawn at the beginning.
LARGEST_N_EPOCHS = 1000
#: Number of operations between two calls of `stop`.
AT_ONCE = 100
#: Number of points of each class with which S starts, but at most half of them, so that PROCESS gets some.
SEEDS = 5
#: (m, M) over no points.
NOBODY = (-np.inf, np.inf)


@dataclass(frozen=True)
class LasvmSnapshot:
    """State of a `LasvmSolver` at one moment, in arrays that are never written to again.

    Attributes
    ----------
    expansion : ndarray of shape (size,), int
        Numbers of the points of the expansion S, by default counted along the stream from 0.
    alpha, v : ndarray of shape (size,)
        Multipliers and g of the points of S: f = y - v + intercept.
    intercept : float
    working_set : tuple of int
        Numbers (i, j) of the newest pair that moved; (-1, -1) before the first.
    operation : {"none", "insert", "process", "reprocess", "sweep"}
        The newest operation.
    certificate : Certificate
        `n_iter` counts operations; `kkt_violation` is that of S, and of all points once the answer is optimal.
    centre : ndarray of shape (n_features,)
        Shift of the points in the solver: f is a function of ``x - centre``.  Zeros unless the kernel is linear.

    Examples
    --------
    The first operations of a stream of four points:

    >>> from solver import Kernel, LasvmSolver
    >>> solver = LasvmSolver([[0], [1], [2], [3]], [-1, -1, 1, 1], Kernel("linear"))
    >>> snapshots = [solver.snapshot() for _ in range(4) if solver.step()]
    >>> [snapshot.operation for snapshot in snapshots]
    ['insert', 'insert', 'process', 'reprocess']
    >>> snapshots[-1].expansion.tolist()
    [0, 2, 1]
    """

    expansion: Integers
    alpha: Array
    v: Array
    intercept: float
    working_set: tuple[int, int]
    operation: str
    certificate: Certificate
    centre: Array


class LasvmSolver(DualSolver):
    """LASVM for one binary problem, which can be interrupted after any number of operations, and fed by `extend`.

    It takes the points one by one, keeps those that may still become support vectors (the expansion S), and moves pairs
    of their multipliers as SMO does.  An operation, one step, is a PROCESS, a REPROCESS, the joining of one of the
    first points, or one point of a SWEEP; each costs a few kernel rows.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        The first batch; coordinates of at most 1e75.
    y : array-like of shape (n,)
        -1 and +1; one of them may come in a later batch only.
    kernel : Kernel
    C : float or array-like of shape (n,), default=1.0
        Upper bound of each alpha, above 0 and at most 1e50.  Not inf: with online data it is never known whether the
        classes are separable.
    tol : float, default=1e-3
        KKT violation above which a pair moves, and largest one called optimal.
    max_iter : int, default=-1
        Largest number of operations, in all batches together; -1 means max(10^7, 100 n).
    selection : {"first-order", "second-order"}, default="second-order"
        How the partner of a point is chosen: the most violating one, or the one with the largest gain.
    n_epochs : int, default=1
        Number of passes over the first batch, from 1 to 1000.
    finish : bool, default=True
        Whether the first batch is trained to the optimum after its passes.
    shuffle : bool, default=False
        Whether each pass over the first batch has a random order, instead of the order of the data.
    random_state : int, default=0
        Seed of the orders.
    cache_size : float, default=200
        Bound on the memory of kernel rows (MB).
    numbers : array-like of shape (n,), int, optional
        Numbers of the points in `expansion`, ascending; default 0, 1, ..

    Attributes
    ----------
    kernel : Kernel
    centre : ndarray of shape (n_features,)
        Shift of the points that changes no classifier but keeps the digits of a linear kernel.
    n_seen : int
        Number of points of all batches.
    status : Status
        RUNNING until the batch is used up; then STOPPED_EARLY unless `finish` has reached the optimum.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it, its value and what is allowed.
    TypeError
        If `X`, `y` or `C` holds an object that is not a number.

    References
    ----------
    Bordes, Ertekin, Weston, Bottou, "Fast kernel classifiers with online and active learning", JMLR 6, 2005, section 3.
    Glasmachers, Igel, "Second-order SMO improves SVM online and active learning", Neural Computation 20(2), 2008.

    Examples
    --------
    A second batch updates what the first one has taught:

    >>> from solver import Kernel, LasvmSolver
    >>> solver = LasvmSolver([[0], [1], [6], [9]], [-1, -1, 1, 1], Kernel("linear"), C=10)
    >>> print(solver.run(), sorted(solver.expansion[solver.beta != 0].tolist()))
    optimal [1, 2]
    >>> solver.extend([[3], [8]], [-1, 1], C=10)
    >>> print(solver.run(), sorted(solver.expansion[solver.beta != 0].tolist()))
    stopped early [2, 4]
    """

    n_iter: int = 0  #: number of operations so far
    VALUES = (
        "_kept_state",
        "status",
        "n_iter",
        "n_seen",
        "_stream",
        "_cursor",
        "_half",
        "_finish",
        "_finishing",
        "_forgotten",
        "_sweeping",
        "_stalled",
        "_sweep_size",
        "_added",
        "_left_out",
        "_middle",
        "_operation",
    )

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
        n_epochs: int = 1,
        finish: bool = True,
        shuffle: bool = False,
        random_state: int = 0,
        cache_size: float = 200.0,
        numbers: ArrayLike | None = None,
    ) -> None:
        self.kernel = kernel
        points = check_points(X, LARGEST_COORDINATE)
        self.centre: Array = points.mean(axis=0) if kernel.is_translation_invariant else np.zeros(points.shape[1])
        n = len(points)
        cache_size = check_number("cache_size", cache_size, 0.0, open_high=True)
        self._kept = KeptPoints(kernel, points.shape[1], cache_size * 2**20 / 8)
        self.n_seen = 0
        self._hold(points, y, C, numbers)
        self._set_limits(tol, max_iter, max(10_000_000, 100 * n))
        self.selection = check_choice("selection", selection, SELECTIONS)
        check_flag("finish", finish)
        check_flag("shuffle", shuffle)
        n_epochs = check_integer("n_epochs", n_epochs, 1, LARGEST_N_EPOCHS)
        random = np.random.default_rng(check_integer("random_state", random_state, 0))
        order = np.concatenate([random.permutation(n) if shuffle else np.arange(n) for _ in range(n_epochs)])
        first = self._kept.y[order[:n]]
        of_class = [np.flatnonzero(first == sign) for sign in (-1.0, 1.0)]
        seeds = np.sort(np.concatenate([index[: min(SEEDS, len(index) // 2)] for index in of_class]))
        #: Points of the batch in the order of their turns, and the number of seeds at its beginning.
        self._stream = np.concatenate([order[seeds], np.delete(order, seeds)]), len(seeds)
        self._finish = bool(finish)
        self._forgotten = False  # whether there was a former batch
        self._sweeping = self._finishing = self._stalled = False
        self._cursor, self._half = 0, False  # index in the order or the sweep; whether REPROCESS is next
        self._sweep_size = self._added = 0  # points of S when the sweep began, and those it brought back
        self._left_out = NOBODY  # (m, M) over the points that the newest sweep left out of S
        self._middle = 0.0
        self._operation = "none"

    # -- reading -------------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number of points in the expansion S."""
        return self._kept.size

    @property
    def expansion(self) -> Integers:
        """Numbers of the points of S, shape (size,)."""
        return self._kept.S.number[: self.size].copy()

    @property
    def points(self) -> Array:
        """The points of S, shape (size, n_features)."""
        return self._kept.S.XT[:, : self.size].T + self.centre

    @property
    def beta(self) -> Array:
        """y alpha of the points of S, in the order of `expansion`, shape (size,)."""
        return self._state()[0].copy()

    @property
    def alpha(self) -> Array:
        """Multipliers of the points of the newest batch, shape (n,)."""
        index = self._kept.index_of
        return np.where(index >= 0, np.abs(self._kept.S.reals[loops.BETA, np.maximum(index, 0)]), 0.0)

    @property
    def _bounds_of_all(self) -> tuple[float, float]:
        """(m, M) over S and the points that the newest sweep left out: over all points at its end."""
        m, M = self.bounds
        return max(m, self._left_out[0]), min(M, self._left_out[1])

    def certificate(self, thorough: bool = True) -> Certificate:
        """Return status, KKT violation, dual and primal bound of the present multipliers.

        The status is that of the solver, but PRECISION instead of OPTIMAL or STATIONARY where the rounding errors of f
        are larger than `tol`.  The violation is that of S, and of all points once they are known to be optimal.

        Parameters
        ----------
        thorough : bool, default=True
            Whether to compute a primal bound, in O(n size).  It needs all points: it is inf, and the gap nan, after
            `extend`.
        """
        beta = self._state()[0]
        m, M = self._bounds_of_all if self.status in (Status.OPTIMAL, Status.STATIONARY) else self.bounds
        primal, vectors = np.inf, self._kept.S.XT[:, : self.size].T
        if thorough and not self._forgotten and self.kernel.is_positive_semidefinite:
            kept = self._kept
            blocks = range(0, len(kept.X), 512)
            f = np.concatenate([self.kernel.gram(kept.X[b : b + 512], vectors) @ beta for b in blocks])
            primal = best_primal(kept.y, kept.C, f, self.squared_norm)
        return self._certificate(m - M, primal, vectors, self._kept.C)

    def snapshot(self, thorough: bool = True) -> LasvmSnapshot:
        """Return the present state, in arrays of its own; `thorough` as in `certificate`."""
        beta, g, _, _ = self._state()
        arrays = self.expansion, np.abs(beta), g.copy()
        for array in arrays:
            array.flags.writeable = False
        ints = self._kept.S.ints
        pair = int(ints[loops.LAST_I]), int(ints[loops.LAST_J])
        return LasvmSnapshot(*arrays, self.intercept, pair, self._operation, self.certificate(thorough), self.centre)

    def _state(self) -> tuple[Array, Array, Array, Array]:
        beta, g, lo, hi = self._kept.S.reals[: loops.DIAGONAL, : self.size]
        return beta, g, lo, hi

    def extend(self, X: ArrayLike, y: ArrayLike, C: float | ArrayLike = 1.0, numbers: ArrayLike | None = None) -> None:
        """Queue a further batch for one pass in its order, without training to the optimum.

        Of former batches only the points of the expansion S are remembered.

        Parameters
        ----------
        X, y, C, numbers
            As in the constructor; `numbers` must be above all former ones, and by default continue from `n_seen`.

        Raises
        ------
        ValueError
            As the constructor, or if the former batch is not used up.
        TypeError
            As the constructor.
        """
        if self.status is Status.RUNNING:
            raise ValueError("extend was called before the former points were used up; run the solver first.")
        points = check_n_features(self, check_points(X, LARGEST_COORDINATE), len(self.centre))
        self._hold(points, y, C, numbers)
        self._stream = np.arange(len(points)), 0
        self._cursor, self._half = 0, False
        self._forgotten, self._finish, self._finishing, self._sweeping = True, False, False, False
        self.status = Status.RUNNING

    def forget_batch(self) -> None:
        """Keep S alone, after a run: the points of the newest batch that are not in S are of no more use."""
        kept = self._kept
        kept.hold(kept.X[:0].copy(), kept.y[:0].copy(), kept.C[:0].copy(), np.zeros(0, dtype=np.int64))
        self._stream, self._cursor, self._forgotten = (np.arange(0), 0), 0, True

    def _hold(self, points: Array, y: ArrayLike, C: float | ArrayLike, numbers: ArrayLike | None) -> None:
        """Check a batch and make it the present one."""
        shifted = points - self.centre
        if self.kernel.largest(shifted) > LARGEST_COORDINATE**2:
            raise ValueError(f"The {self.kernel.name} kernel overflows at these coordinates; scale the data down.")
        signs = check_signs(y, len(points), both=False)
        prices = check_prices(C, len(points), LARGEST_C)
        names = np.arange(self.n_seen, self.n_seen + len(points)) if numbers is None else np.array(numbers)
        former = int(self.expansion.max(initial=-1))
        if names.shape != signs.shape or names.dtype.kind != "i" or names[0] <= former or (np.diff(names) <= 0).any():
            raise ValueError(f"numbers must be {len(points)} rising whole numbers above {former}.")
        self._kept.hold(shifted, signs, prices, names.astype(np.int64))
        self.n_seen += len(points)

    # -- working ---------------------------------------------------------------------------------------------------

    def _work(self, goal: int) -> bool:
        todo = min(goal, self.max_iter) - self.n_iter
        if todo <= 0 and self.n_iter < self.max_iter:
            return False
        if todo > 0:
            self.n_iter += self._operate(min(todo, AT_ONCE))
        else:
            self.status = Status.STOPPED_EARLY
        return True

    @property
    def _kept_state(self) -> KeptState:
        return self._kept.state()

    @_kept_state.setter
    def _kept_state(self, state: KeptState) -> None:
        self._kept.restore(state)

    @property
    def _present(self) -> Array:
        present = np.zeros(len(self.NOTES))
        loops.write(self._kept.S, present)
        return present

    def _begin_notes(self, present: Array | None = None) -> None:
        super()._begin_notes(present)
        self._kept.S.ints[loops.CHANGES] = 0

    def _operate(self, n: int) -> int:
        """Make at most `n` operations of the present phase, at least one unless it is over, and return how many."""
        record = self._notes.record
        if self._finishing and not self._sweeping:
            made = self._reprocess(n, record)
        else:
            made = self._sweep() if self._sweeping else self._online()
            if made and self._notes:
                ints = self._kept.S.ints
                record[1, -1], ints[loops.CHANGES] = ints[loops.CHANGES], 0
        if made and self._notes:
            loops.write(self._kept.S, record[made])  # as things are once the doomed points have gone
            self._notes.add(made)
        return made

    def _online(self) -> int:
        """Make one operation of the stream, and return 1; 0 at its end."""
        order, n_seeds = self._stream
        if self._cursor == len(order):
            self._finishing = self._finish
            if not self._finish:
                self.status = Status.STOPPED_EARLY
            return 0
        if self._half:
            self._reprocess(1, self._notes.record[:0])
            self._operation, self._half = "reprocess", False
            self._cursor += 1
            return 1
        k, seed = int(order[self._cursor]), self._cursor < n_seeds
        self._operation, self._half = ("insert", False) if seed else ("process", True)
        self._cursor += seed
        kept = self._kept
        if kept.index_of[k] < 0:
            index = kept.join(k)
            if not seed:
                loops.move_with_partner(kept.S, index, kept.y[k], self.selection == "second-order", self.tol)
        return 1

    def _reprocess(self, n: int, record: Array) -> int:
        """Make at most `n` REPROCESS, and return how many; in FINISH the SWEEP follows when no pair moves any more."""
        S = self._kept.S
        made = int(loops.reprocess(S, self.selection == "second-order", self.tol, n, record))
        outcome = S.ints[loops.OUTCOME]
        if made:
            self._operation, self._left_out = "reprocess", NOBODY
        if outcome == loops.DROP:
            self._kept.drop_doomed()
        elif outcome != loops.DONE and self._finishing:
            self._stalled = bool(outcome == loops.STALLED)
            self._sweeping, self._sweep_size, self._cursor, self._added = True, self.size, 0, 0
        return made

    def _sweep(self) -> int:
        """Sweep one point, first of S, then of the batch, and return 1; 0 at the end, where the status is decided."""
        c, start, kept = self._cursor, self._sweep_size, self._kept
        if c == start:  # m - M <= tol but for rounding, and then within tol / 2 of the middle no two differ by more
            m, M = self._bounds_of_all
            self._middle, self._left_out = 0.5 * (m + M), NOBODY
        if c < start:
            kept.refresh(c)
        elif c < start + len(kept.X):
            k = c - start
            if kept.index_of[k] < 0:
                index = kept.join(k)
                g, (m, M) = float(kept.S.reals[loops.G, index]), self._left_out
                if kept.y[k] * (g - self._middle) > 0.5 * self.tol:
                    self._added += 1
                else:
                    kept.drop(index)
                    self._left_out = (max(m, g), M) if kept.y[k] > 0 else (m, min(M, g))
        else:
            # With those that came back, one left out may be too far from one of them though none was from the middle:
            # then the next sweep has its middle between these two, and both come back.
            (m, M), (most, least) = self.bounds, self._bounds_of_all
            if m - M <= self.tol and (most - least <= self.tol or not self._added):
                exact = self.kernel.is_positive_semidefinite
                self.status = Status.OPTIMAL if exact else Status.STATIONARY
            elif self._stalled and not self._added:
                self.status = Status.PRECISION
            self._sweeping = False
            return 0
        self._operation = "sweep"
        self._cursor += 1
        return 1
