"""Mailbox: frames from the compute threads to the window, one slot per lane, the newest wins, one wake-up at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .requests import Frame


class Mailbox:
    """One slot per lane.

    A queued signal per frame would pile up faster than a window can draw; here an unread frame is replaced, and the
    window is woken once for whatever has come.

    Parameters
    ----------
    wake : callable
        Called from a compute thread when the box turns from empty to not empty; must return at once.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._slots: dict[int, Frame] = {}

    def post(self, frame: Frame) -> None:
        """Put `frame` into its lane's slot."""
        with self._lock:
            first = not self._slots
            self._slots[frame.index] = frame
        if first:
            self._wake()

    def take(self) -> list[Frame]:
        """Empty the box."""
        with self._lock:
            frames = list(self._slots.values())
            self._slots.clear()
        return frames

    @property
    def empty(self) -> bool:
        """True when nothing waits to be read."""
        with self._lock:
            return not self._slots
