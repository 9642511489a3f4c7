"""ExpandedSolver: SMO whose sums of kernel rows may be made by an expansion; OneThread: no second thread of BLAS.

In the plane the expansion of `plane_sums` takes time linear in the points, and its error is proved.  It is used where
it is cheaper and its error is far below tol; `Certificate.kernel_error` names the error, and primal and dual of the
certificate leave room for it.
"""

from __future__ import annotations

from _thread import allocate_lock  # a lock is all it takes: no module here starts threads
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

from solver.core.stepping import Stop, never
from solver.kernels.plane_sums import plane_sums

from .smo import SmoSolver

#: Error of v by expansion, as a share of tol, up to which it is used.
ERROR_SHARE = 1e-2


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


class OneThread:
    """A context with no more than one thread of BLAS, for any number of users at once in any order of leaving.

    On small matrices a second thread mostly waits, all the longer on a busy machine (20 000 points of the plane: 12
    times as long); and with one, the sums, and so the answer, are independent of the number of cores.  The number
    belongs to the whole process, as in `threadpoolctl` and so in scikit-learn's KMeans: the first user lowers it and
    the last one sets it back.  In between another thread's matrix products have one thread, too.
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


#: For all sums and searches of this package.
ONE_THREAD = OneThread()


class ExpandedSolver(SmoSolver):
    """`SmoSolver` with sums of kernel rows by an expansion, once `_use_expansion` has been called."""

    def _use_expansion(self) -> None:
        """From now on, where there is one."""
        self._active.plane = plane_sums(self.kernel, self.points)
        self._active.largest_error = ERROR_SHARE * self.tol

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """As `SmoSolver.step`."""
        if self._active.plane is None:
            return super().step(n, stop)
        with ONE_THREAD:
            return super().step(n, stop)

    @property
    def error(self) -> float:
        """A bound of the error of v that sums by expansion have left."""
        return self._active.error
