"""Later: call functions after the present events have been handled, one or several in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from shiboken6 import isValid


class _Waiting(QTimer):
    """The pending calls, in order.

    It is one timer, connected once: for a timer per call, PySide would keep part of its connection to a method of a
    non-QObject for as long as that object lives.  Nor is it `QTimer.singleShot`: if its owner is destroyed first, it
    keeps the function, and with it the whole window, for ever.
    """

    def __init__(self) -> None:
        super().__init__(QCoreApplication.instance(), singleShot=True)
        self.calls: list[tuple[QObject, Callable[[], object]]] = []
        self.timeout.connect(self._call)

    def _call(self) -> None:
        # Another timer of this turn may have changed what is laid out.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        for _ in range(len(self.calls)):  # calls added meanwhile wait for the next events
            if not self.calls:
                return
            owner, act = self.calls.pop(0)
            if self.calls:  # before the call: it may fail, or run an event loop of its own
                self.start(0)
            if isValid(owner):
                act()
        if not self.calls:
            self.stop()


_waiting: _Waiting | None = None


def is_waiting() -> bool:
    """Return whether calls are pending."""
    return _waiting is not None and isValid(_waiting) and _waiting.isActive()


def later(owner: QObject, act: Callable[[], object]) -> None:
    """Call `act` after the present events have been handled, unless `owner` has been destroyed by then."""
    global _waiting
    if _waiting is None or not isValid(_waiting):
        _waiting = _Waiting()
    _waiting.calls.append((owner, act))
    if not _waiting.isActive():
        _waiting.start(0)


def in_turns(owner: QObject, *acts: Callable[[], object]) -> None:
    """Call `acts` in order, the first at once, each of the others as `later`: input is handled in between."""
    acts[0]()
    if acts[1:]:
        later(owner, partial(in_turns, owner, *acts[1:]))
