"""Mailbox: results from the compute threads to the window; one slot per lane or query, latest wins, one wake-up."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .frames import Frame
from .query import Answer


class Mailbox:
    """One slot per lane or query.

    Queued signals, one a frame, would pile up faster than a window can draw; here a newer frame replaces an unread one,
    and one wake-up serves all.

    Parameters
    ----------
    wake : callable
        Called from a compute thread when the box turns from empty to not empty; must return at once.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.RLock()
        self._slots: dict[int | str, Frame | Answer] = {}

    def post(self, result: Frame | Answer) -> None:
        """Put `result` into the slot of its lane or query."""
        with self._lock:  # held while waking, so that the window cannot be closed meanwhile
            first = not self._slots
            self._slots[result.index] = result
            if first:
                self._wake()

    def take(self) -> list[Frame | Answer]:
        """Return the results in the box, and empty it."""
        with self._lock:
            results = list(self._slots.values())
            self._slots.clear()
        return results

    @property
    def empty(self) -> bool:
        """Whether every result has been taken."""
        with self._lock:
            return not self._slots
