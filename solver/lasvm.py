"""LasvmSolver: an online SVM that sees one point after the other and keeps only those it may need (LASVM).

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
                until none does.

The partner is the most violating one ("first-order", the rule of 2005) or the one of the largest gain
``(g_i - g_j)^2 / (2 (K_ii + K_jj - 2 K_ij))`` ("second-order").  The SWEEP is not in the paper, whose FINISH is
optimal on S only; with it "optimal" means the same here as in `smo`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _online_loops as loops
from ._online_points import KeptPoints
from .certificate import Certificate, Status, best_primal
from .kernels import Kernel
from .problem import (
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_points,
    check_prices,
    check_signs,
    check_size,
)  # fmt: skip
from .stepping import SteppedSolver, Stop, never

Array = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)
LARGEST_COORDINATE = 1e75
LARGEST_C = 1e50
SELECTIONS = ("first-order", "second-order")
#: Passes at most: their orders are drawn beforehand.
LARGEST_N_EPOCHS = 1000
#: Operations between two looks at `stop`.
AT_ONCE = 100
#: Points of each class that S starts with; of a small batch half its points, so that there is something to PROCESS.
SEEDS = 5


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
        `n_iter` counts operations; `kkt_violation` is that of S.
    """

    expansion: NDArray[np.int64]
    alpha: Array
    v: Array
    intercept: float
    working_set: tuple[int, int]
    operation: str
    certificate: Certificate


class LasvmSolver(SteppedSolver):
    """LASVM, stopped and continued after any number of operations, and fed with further points by `extend`.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        The first batch; coordinates of at most 1e75.
    y : array-like of shape (n,)
        -1 and +1; one of them may come in a later batch only.
    kernel : Kernel
        With numeric gamma.
    C : float or array-like of shape (n,), default=1.0
        Upper bound of each alpha, at most 1e50.  Not inf: online there is no end at which one could say that the
        classes are not separable.
    tol : float, default=1e-3
        KKT violation above which a pair moves, and largest one called optimal.
    max_iter : int, default=-1
        Operations after which the solver gives up; -1 means max(10^7, 100 n).
    selection : {"first-order", "second-order"}, default="second-order"
        How PROCESS and REPROCESS choose the partner.
    n_epochs : int, default=1
        Passes over the first batch.
    finish : bool, default=True
        Whether FINISH follows.
    shuffle : bool, default=False
        A random order for each pass over the first batch; else its own order.
    random_state : int, default=0
        Seed of the orders.
    cache_size : float, default=200
        Bound of the kept kernel rows in MB.
    numbers : array-like of shape (n,), optional
        Names of the points in `expansion`, rising whole numbers; default 0, 1, ..

    Raises
    ------
    ValueError
        One sentence naming the parameter, its value and what is allowed.
    """

    n_iter: int = 0  #: operations so far

    def __init__(
        self, X: ArrayLike, y: ArrayLike, kernel: Kernel, *, C: float | ArrayLike = 1.0, tol: float = 1e-3,
        max_iter: int = -1, selection: str = "second-order", n_epochs: int = 1, finish: bool = True,
        shuffle: bool = False, random_state: int = 0, cache_size: float = 200.0, numbers: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        points = check_points(X)
        #: Shift of the points that changes no classifier but keeps the digits of a linear kernel.
        self.centre: Array = (
            points.mean(axis=0) if kernel.is_translation_invariant else np.zeros(points.shape[1])
        )
        n = len(points)
        cache_size = check_number("cache_size", cache_size, 0.0, open_high=True)
        self._kept = KeptPoints(kernel, points.shape[1], cache_size * 2**20 / 8)
        self.n_seen = 0
        self._hold(points, y, C, numbers)
        self.tol = check_number("tol", tol, 0.0, open_low=True, open_high=True)
        check_integer("max_iter", max_iter, -1)
        self.max_iter = max(10_000_000, 100 * n) if max_iter == -1 else int(max_iter)
        self.selection = check_choice("selection", selection, SELECTIONS)
        check_flag("finish", finish)
        check_flag("shuffle", shuffle)
        n_epochs = check_integer("n_epochs", n_epochs, 1, LARGEST_N_EPOCHS)
        random = np.random.default_rng(check_integer("random_state", random_state, 0))
        self._order = np.concatenate([random.permutation(n) if shuffle else np.arange(n) for _ in range(n_epochs)])
        first = self._kept.y[self._order[:n]]
        places = [np.flatnonzero(first == sign) for sign in (-1.0, 1.0)]
        seeds = np.sort(np.concatenate([place[: min(SEEDS, len(place) // 2)] for place in places]))
        self._order = np.concatenate([self._order[seeds], np.delete(self._order, seeds)])
        self._n_seeds = len(seeds)
        self.status = Status.RUNNING
        self._finish = bool(finish)
        self._forgotten = False
        self._sweeping = self._finishing = self._stalled = False
        self._cursor, self._half = 0, False  # place in the order or the sweep; whether REPROCESS is next
        self._sweep_size = self._added = 0  # points of S when the sweep began, and those it brought back
        self._middle = 0.0
        self._operation = "none"

    def extend(
        self, X: ArrayLike, y: ArrayLike, C: float | ArrayLike = 1.0, numbers: ArrayLike | None = None
    ) -> None:
        """Queue a further batch: one pass in its order, without FINISH.  Of former batches S alone is remembered.

        Parameters
        ----------
        X, y, C, numbers
            As in the constructor; the numbers above all former ones, by default going on from `n_seen`.

        Raises
        ------
        ValueError
            As the constructor, or when the solver still has work to do.
        """
        if self.status is Status.RUNNING:
            raise ValueError("extend was called before the former points were used up; run the solver first.")
        points = check_points(X, n_features=len(self.centre))
        self._hold(points, y, C, numbers)
        self._order, self._n_seeds = np.arange(len(points)), 0
        self._cursor, self._half = 0, False
        self._forgotten, self._finish, self._finishing, self._sweeping = True, False, False, False
        self.status = Status.RUNNING

    def _hold(self, points: Array, y: ArrayLike, C: float | ArrayLike, numbers: ArrayLike | None) -> None:
        """Check a batch and make it the one at hand."""
        check_size("X", points, LARGEST_COORDINATE)
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

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Points in the expansion S."""
        return self._kept.size

    @property
    def expansion(self) -> NDArray[np.int64]:
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
        """Status, KKT violation of S, dual; with `thorough` also a primal bound, in O(n size).

        The primal bound needs all points: it is inf, and the gap nan, once a batch has been forgotten.
        """
        beta, g, lo, hi = self._of_expansion()
        m, M = self.bounds
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
        return Certificate(
            self.status, m - M, dual, primal, gap, int((size > 0).sum()) - bounded, bounded, self.n_iter, np.nan
        )  # fmt: skip

    def snapshot(self, thorough: bool = True) -> LasvmSnapshot:
        """The state now, in arrays of its own; `thorough` as in `certificate`."""
        beta, g, _, _ = self._of_expansion()
        arrays = self.expansion, np.abs(beta), g.copy()
        for array in arrays:
            array.flags.writeable = False
        ints = self._kept.S.ints
        pair = int(ints[loops.LAST_I]), int(ints[loops.LAST_J])
        return LasvmSnapshot(*arrays, self.intercept, pair, self._operation, self.certificate(thorough))

    # -- working ---------------------------------------------------------------------------------------------------

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """At most `n` operations; returns how many were made, fewer only when finished or stopped.

        An operation is a PROCESS, a REPROCESS, the joining of one of the first points, or one look of a SWEEP; each
        costs a few kernel rows.  ``step(5); step(5)`` equals ``step(10)`` bit for bit.
        """
        start = self.n_iter
        goal = start + check_integer("n", n, 0)
        while self.status is Status.RUNNING:
            todo = min(goal, self.max_iter) - self.n_iter
            if todo > 0:
                self.n_iter += self._work(min(todo, AT_ONCE))
            elif self.n_iter >= self.max_iter:
                self.status = Status.STOPPED_EARLY
            else:
                break
            if stop():
                break
        return self.n_iter - start

    def _work(self, n: int) -> int:
        """At most `n` operations of the present phase, at least one unless it is over; returns how many."""
        if self._sweeping:
            return self._sweep()
        return self._reprocess(n) if self._finishing else self._online()

    def _online(self) -> int:
        """One operation of the stream; 0 at its end."""
        if self._cursor == len(self._order):
            self._finishing = self._finish
            if not self._finish:
                self.status = Status.STOPPED_EARLY
            return 0
        if self._half:
            self._reprocess(1)
            self._operation, self._half = "reprocess", False
            self._cursor += 1
            return 1
        k, seed = int(self._order[self._cursor]), self._cursor < self._n_seeds
        self._operation, self._half = ("insert", False) if seed else ("process", True)
        self._cursor += seed
        kept = self._kept
        if kept.place[k] < 0:
            place = kept.join(k)
            if not seed:
                loops.move_with_partner(kept.S, place, kept.y[k], self.selection == "second-order", self.tol)
        return 1

    def _reprocess(self, n: int) -> int:
        """At most `n` REPROCESS; in FINISH the SWEEP is next where no pair moves any more."""
        S = self._kept.S
        made = int(loops.reprocess(S, self.selection == "second-order", self.tol, n))
        outcome = S.ints[loops.OUTCOME]
        if made:
            self._operation = "reprocess"
        if outcome == loops.DROP:
            self._kept.drop_doomed()
        elif outcome != loops.DONE and self._finishing:
            self._stalled = bool(outcome == loops.STALLED)
            self._sweeping, self._sweep_size, self._cursor, self._added = True, self.size, 0, 0
        return made

    def _sweep(self) -> int:
        """One look of the sweep, at a point of S or then of the batch; 0 at its end, with what it has shown."""
        c, start, kept = self._cursor, self._sweep_size, self._kept
        if c == start:  # m - M <= tol but for rounding, and then within tol / 2 of the middle no two differ by more
            m, M = self.bounds
            self._middle = 0.5 * (m + M)
        if c < start:
            kept.refresh(c)
        elif c < start + len(kept.X):
            k = c - start
            if kept.place[k] < 0:
                place = kept.join(k)
                if kept.y[k] * (kept.S.reals[loops.G, place] - self._middle) > 0.5 * self.tol:
                    self._added += 1
                else:
                    kept.drop(place)
        else:
            m, M = self.bounds
            if m - M <= self.tol:
                exact = self.kernel.is_positive_semidefinite
                self.status = Status.OPTIMAL if exact else Status.STATIONARY
            elif self._stalled and not self._added:
                self.status = Status.PRECISION
            self._sweeping = False
            return 0
        self._operation = "sweep"
        self._cursor += 1
        return 1

    def _of_expansion(self) -> tuple[Array, Array, Array, Array]:
        beta, g, lo, hi = self._kept.S.reals[: loops.DIAGONAL, : self.size]
        return beta, g, lo, hi
