"""Whether machine code is used, decided in one place for the whole process.

numba needs a second to load machine code, and most of a minute to compile it first.  A program that shows something
before then sets `everywhere` to False, and has one thread load it (`solver.warmup`).  Meanwhile nearest neighbours vote
in plain numpy on all other threads, and so does a new `SmoSolver` train: slowly, with the same result.  Everything else
waits for the compiler.
"""

from __future__ import annotations

from _thread import _local

#: Whether all threads use machine code.
everywhere = True


class _ThisThread(_local):
    loads = False


_this_thread = _ThisThread()


def ready() -> bool:
    """Whether this thread uses machine code."""
    return everywhere or _this_thread.loads


def load_on_this_thread() -> None:
    """Let this thread use machine code whatever the others do."""
    _this_thread.loads = True
