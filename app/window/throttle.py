"""Throttle: call a function once for many requests, at once or after what it is worth waiting for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.views.widgets.deferred import later


class Throttle(QObject):
    """A throttle of `act`.

    Parameters
    ----------
    parent : QObject
    prepare : callable
        Called soon after each request; returns how long (s) after the first request `act` may be called, or None to be
        called again in the next turn.
    act : callable

    Attributes
    ----------
    pending : bool
        Whether `act` is to be called.
    prepared : bool
        Whether `prepare` was called, and returned a time, since the last request.
    """

    _requested = Signal()

    def __init__(self, parent: QObject, prepare: Callable[[], float | None], act: Callable[[], object]) -> None:
        super().__init__(parent)
        self._prepare, self._act = prepare, act
        self.pending = self.prepared = self._queued = self._closed = False
        #: Time of the first request.
        self.since = 0.0
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.flush)
        self._requested.connect(self._soon, Qt.ConnectionType.QueuedConnection)

    def request(self) -> None:
        """Have `act` called; callable from any thread, any number of times."""
        if self._closed:
            return
        self.prepared = False
        if not self.pending:
            self.since = time.perf_counter()
            self.pending = True
        if not self._queued:
            self._queued = True
            self._requested.emit()

    @Slot()
    def flush(self) -> None:
        """Call `act` now if it is pending."""
        if self.pending:
            self._act()

    def end(self) -> None:
        """Stop waiting: the caller does now what `act` does."""
        self.pending = False
        self._timer.stop()

    def close(self) -> None:
        """Ignore all requests from now on."""
        self.end()
        self._closed = True

    @Slot()
    def _soon(self) -> None:
        self._queued = False
        if not self.pending:
            return
        longest = self._prepare()
        self.prepared = longest is not None
        if longest is None:
            later(self, self._soon)
            return
        left = self.since + longest - time.perf_counter()
        if left <= 0:
            later(self, self._next)  # in a turn of its own, so that input is handled before it
        elif not self._timer.isActive():
            self._timer.start(math.ceil(1000 * left))

    def _next(self) -> None:
        """Act in the next turn: in this one, the previous scene may just have been painted."""
        # With no time remaining it is about to act, which further input must not delay.
        if self.pending and self._timer.remainingTime():
            self._timer.start(0)
