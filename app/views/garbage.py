"""Garbage: while a window is open, garbage is collected between two events of its thread, and nowhere else."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimerEvent

#: Milliseconds from one look at what has come together to the next.
INTERVAL = 1000


def collect_due() -> None:
    """Collect the oldest generation that Python itself would collect by now."""
    for generation in (2, 1, 0):
        if gc.get_count()[generation] > gc.get_threshold()[generation] > 0:
            gc.collect(generation)
            return


class Garbage(QObject):
    """Python's garbage collector in the hands of a window, from its beginning to `stop`.

    Python collects wherever something is made, in any thread.  A dead widget in the garbage is destroyed there and
    then: in the midst of a paint, in a thread that computes, or while Qt calls ``disconnectNotify`` and holds the lock
    that the destructor waits for, so that the window hangs for good.
    """

    _open = 0
    _disabled_here = False

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        if gc.isenabled():
            gc.disable()
            Garbage._disabled_here = True
        Garbage._open += 1
        self._timer = self.startTimer(INTERVAL)

    def timerEvent(self, event: QTimerEvent) -> None:
        """Collect what is due."""
        collect_due()

    def stop(self) -> None:
        """Python collects by itself again, unless another window is open."""
        self.killTimer(self._timer)
        Garbage._open -= 1
        if not Garbage._open and Garbage._disabled_here:
            Garbage._disabled_here = False
            gc.enable()
