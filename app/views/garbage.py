"""Garbage: while a window is open, collect garbage between two events of its thread, and nowhere else."""

from __future__ import annotations

import ctypes
import gc
import sys

from PySide6.QtCore import QObject, QTimerEvent

from app.core import caches
from app.engine.compile_ahead import CompileAhead

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
#: Return freed memory to the system: the C library of Linux keeps 50 MB of a closed document with 100 000 points.
malloc_trim = getattr(_libc, "malloc_trim", None)
#: Set an option of the allocator: by default it returns the arrays of each picture to the system, which fills every
#: page with zeros again for the next one; that took 2 of 17 ms from a click to its pictures.
mallopt = getattr(_libc, "mallopt", lambda option, value: None)

#: Time between two checks for due collections (ms).
INTERVAL = 1000


def collect_due() -> None:
    """Collect the oldest generation that Python itself would collect by now."""
    for generation in (2, 1, 0):
        if gc.get_count()[generation] > gc.get_threshold()[generation] > 0:
            gc.collect(generation)
            return


class Garbage(QObject):
    """Run Python's garbage collector from the event loop of a window, from creation until `stop`.

    Python collects wherever an object is allocated, in any thread, and destroys a dead widget there and then: in the
    middle of a paint, in a computing thread, or while Qt calls ``disconnectNotify`` and holds the lock that the
    destructor waits for, so that the window hangs for good.
    """

    _open = 0
    _disabled_here = False
    _frozen = False

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        if gc.isenabled():
            gc.disable()
            Garbage._disabled_here = True
        mallopt(-1, 128 << 20)  # M_TRIM_THRESHOLD: free memory at the end of the heap from which it is returned
        mallopt(-3, 32 << 20)  # M_MMAP_THRESHOLD: size from which an array is a mapping of its own; the largest allowed
        # The modules imported by now stay for good: searching them for garbage would delay the first pictures by 30 ms.
        # Only before the first window: one that was closed since is garbage.
        if not Garbage._frozen:
            Garbage._frozen = True
            gc.freeze()
        Garbage._open += 1
        self._timer = self.startTimer(INTERVAL)

    def timerEvent(self, event: QTimerEvent) -> None:
        """Collect garbage that is due, and return the memory of a document that was replaced."""
        # What appears while the fast loops load is nearly all of them, 100 000 objects, and is frozen afterwards:
        # searching it would stop the window for 30 ms again and again.
        if not CompileAhead.loading:
            collect_due()
        if caches.forgotten and malloc_trim is not None:
            caches.forgotten = False
            malloc_trim(0)

    def stop(self) -> None:
        """Let Python collect by itself again, unless another window is open."""
        self.killTimer(self._timer)
        Garbage._open -= 1
        if not Garbage._open and Garbage._disabled_here:
            Garbage._disabled_here = False
            gc.enable()
