"""Calling something when the events at hand are done with."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, QTimer
from shiboken6 import isValid


class _Waiting(QTimer):
    """What is to be called, in its order.

    One timer, connected once: of a timer for each call, PySide would keep a part of its connection to a method of
    what is no QObject for as long as that object lives.  Nor is it `QTimer.singleShot`: where its owner goes first, it
    keeps what it should have called, and with it the whole window, for ever.
    """

    def __init__(self) -> None:
        super().__init__(QCoreApplication.instance(), singleShot=True)
        self.calls: list[tuple[QObject, Callable[[], object]]] = []
        self.timeout.connect(self._call)

    def _call(self) -> None:
        for _ in range(len(self.calls)):  # what is added meanwhile comes after the next events
            if not self.calls:
                return
            owner, act = self.calls.pop(0)
            if self.calls:  # before the call: it may fail, or wait in a loop of events of its own
                self.start(0)
            if isValid(owner):
                act()
        if not self.calls:
            self.stop()


_waiting: _Waiting | None = None


def later(owner: QObject, act: Callable[[], object]) -> None:
    """Call `act` when the events at hand are done with, unless `owner` is gone by then."""
    global _waiting
    if _waiting is None or not isValid(_waiting):
        _waiting = _Waiting()
    _waiting.calls.append((owner, act))
    if not _waiting.isActive():
        _waiting.start(0)
