"""OneThread: a limit of one thread for BLAS."""

from __future__ import annotations

from _thread import allocate_lock  # only a lock: no module here starts threads
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


class OneThread:
    """Context manager that limits BLAS to one thread; several threads may enter it, and leave it in any order.

    On small matrices a second thread mostly waits, longer on a busy machine (20 000 points of the plane: 12 times as
    long); and with one thread the sums, and so the answer, do not depend on the number of cores.  The limit is that of
    the whole process, as in `threadpoolctl` and in scikit-learn's KMeans: the first thread that enters sets it, and the
    last one that leaves restores the former limit.  Meanwhile it holds for matrix products of all other threads, too.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._users = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        """Set the limit unless another thread has done so."""
        with self._lock:
            if not self._users:
                _let_any_thread_set_limits()
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._users += 1

    def __exit__(self, *exception: object) -> None:
        """Restore the former limit if no other thread is left."""
        with self._lock:
            self._users -= 1
            if not self._users:
                _let_any_thread_set_limits()
                self._limit.restore_original_limits()
                _let_any_thread_set_limits()


def _let_any_thread_set_limits() -> None:
    """Allow any thread to change limits: threadpoolctl 3.8 and later allows only the thread that set them."""
    for library in _blas().lib_controllers:
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)


#: The context of all sums and searches of this package.
ONE_THREAD = OneThread()
