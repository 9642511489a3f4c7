"""AutoSolver: SMO that takes a short cut through the interior where the kernel matrix is of low rank.

It runs SMO.  From time to time, when the updates so far have cost much more than an interior point method would
(`interior_point`), it tries one on the points under work, and takes the multipliers found if their dual, with the exact
kernel, is larger.  Then SMO goes on from there; it alone decides when the multipliers are optimal, and certifies them.
If they are not taken, it goes on as if nothing had happened.

Costs are counted in entries of arrays visited, about a nanosecond each, and never measured: the same call gives the
same answer on every machine.
"""

from __future__ import annotations

import math
from _thread import allocate_lock  # a lock is all it takes: no module here starts threads
from functools import cache
from typing import Any

from numpy.typing import ArrayLike
from threadpoolctl import ThreadpoolController

from solver.core.arrays import Array
from solver.core.stepping import Checkpoint
from solver.kernels.table import KERNELS, Kernel

from . import smo
from .interior_point import Work, maximise, pivoted_cholesky
from .smo import SmoSolver

#: Cost of the updates before the interior point method is thought of first.
FIRST_TRY = 1_000_000
#: Share of the cost of the updates so far that it may cost: the most that is lost when it is of no use.
SHARE = 0.5
#: Largest rank: a bound of the memory, 8 bytes each for rank times points, twice.
LARGEST_RANK = 600
#: Cost of an update besides its passes over the points, and of an iteration besides its passes.
UPDATE, ITERATION = 200, 100_000
#: Iterations expected, and multiplications of a matrix product that cost as much as one entry.
ITERATIONS, PER_ENTRY = 25, 8


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


class OneThread:
    """A context with no more than one thread of BLAS, for any number of users at once in any order of leaving.

    On small matrices a second thread mostly waits, all the longer on a busy machine; and with one, the sums, and so
    the answer, are independent of the number of cores.  The number belongs to the whole process: the first user
    lowers it and the last one sets it back.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._users = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        """One more user."""
        with self._lock:
            if not self._users:
                _let_any_thread_set_limits()
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._users += 1

    def __exit__(self, *exception: object) -> None:
        """One user less."""
        with self._lock:
            self._users -= 1
            if not self._users:
                _let_any_thread_set_limits()
                self._limit.restore_original_limits()
                _let_any_thread_set_limits()


def _let_any_thread_set_limits() -> None:
    """From 3.8 on threadpoolctl obeys one thread only; but the last user need not be in the thread of the first."""
    for library in _blas().lib_controllers:
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)


_ONE_THREAD = OneThread()


def cost(n: int, rank: int) -> int:
    """What the interior point method for `n` points and a kernel matrix of this rank is expected to cost."""
    return ITERATIONS * (n * rank * rank // PER_ENTRY + 8 * n * rank + 50 * n + ITERATION)


def affordable_rank(n: int, budget: float) -> int:
    """The largest rank up to `n` and the limit at which `cost` is at most `budget`; 0 when there is none."""
    a, b, c = n / PER_ENTRY, 8.0 * n, 50.0 * n + ITERATION - budget / ITERATIONS
    if c >= 0:
        return 0
    root = (-b + math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    return min(int(root), n, LARGEST_RANK)


class AutoSolver(SmoSolver):
    """`SmoSolver` with a short cut, for kernels that are positive semidefinite formulas and finite C.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    y : array-like of shape (n,)
    kernel : Kernel
    **parameters
        As in `SmoSolver`.  With another kernel, an infinite C or ``compiled=False`` the short cut is never tried.

    Raises
    ------
    ValueError
        As in `SmoSolver`.

    Attributes
    ----------
    n_short_cuts : int
        How often the multipliers of the interior point method were taken.

    Notes
    -----
    `n_iter` counts pair updates only, and the pair of `working_set` stays that of the newest of them.
    """

    def __init__(self, X: ArrayLike, y: ArrayLike, kernel: Kernel, **parameters: Any) -> None:
        super().__init__(X, y, kernel, **parameters)
        self._may_try = self._definite and not self._hard and self.compiled and kernel.name in KERNELS
        #: Cost of the updates so far, and the cost at which the interior point method is tried next.
        self._cost, self._try_at = 0, FIRST_TRY
        self._trial: Work[None] | None = None
        self.n_short_cuts = 0

    def checkpoint(self) -> Checkpoint:
        """Not possible: a short cut under way cannot be copied.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("solver is 'auto', whose runs cannot be gone back; it must be 'smo'.")

    def start_notes(self) -> Array:
        """Not possible: a short cut changes the multipliers between two updates.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("solver is 'auto', whose short cuts are no steps; it must be 'smo' for steps to be noted.")

    def _advance(self, goal: int) -> None:
        if self._trial is not None:
            with _ONE_THREAD:
                if next(self._trial, self) is self:
                    self._trial = None
        elif not self._may_try:
            super()._advance(goal)
        elif self._cost >= self._try_at:
            self._try_at = 2 * self._cost
            self._trial = self._short_cut()
        else:
            each = len(self._active.part.index) + UPDATE
            before = self.n_iter
            super()._advance(min(goal, before - (self._cost - self._try_at) // each))
            self._cost += each * (self.n_iter - before)

    def _short_cut(self) -> Work[None]:
        """Try the interior point method on the points under work, in pieces."""
        active, part = self._active, self._active.part
        rank = affordable_rank(len(part.index), SHARE * self._cost)
        if rank == 0:
            return
        factor = yield from pivoted_cholesky(self.kernel, part.XT.T, rank)
        if factor is None or len(factor) == 0:
            return
        y, C = self.y[part.index], self.C[part.index]
        beta = yield from maximise(factor, y, C, part.v, part.beta)
        if beta is None:
            return
        change = beta - part.beta
        rows = active.effect(change)
        while not rows.work(smo.PIECE):
            yield
        # D(beta) - D(part.beta), with the exact kernel.
        if float(change @ part.v) - 0.5 * float(change @ rows.total) > 0.0:
            active.replace(beta, part.v - rows.total)
            self._moved_since_refresh = True
            self.n_short_cuts += 1
