"""Switch between machine code and plain numpy, for the whole process.

numba needs a second to load machine code, and most of a minute to compile it at the first start.  A program that shows
results before that sets `everywhere` to False, and loads the code on one thread (`solver.warmup`).  Meanwhile, on all
other threads, nearest neighbours and new `SmoSolver` use plain numpy, which is slower and gives the same results.  All
other learners wait for the compiler.
"""

from __future__ import annotations

from _thread import _local

#: Whether all threads use machine code.
everywhere = True


class _ThisThread(_local):
    loads = False


_this_thread = _ThisThread()


def ready() -> bool:
    """Return whether this thread uses machine code."""
    return everywhere or _this_thread.loads


def load_on_this_thread() -> None:
    """Use machine code on this thread, whatever `everywhere` is."""
    _this_thread.loads = True
