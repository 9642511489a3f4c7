"""Mailbox: results from the compute threads to the window; one slot per lane or query, latest wins, one wake-up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Posted(Protocol):
    """A result that can be posted; its `index` is its slot."""

    @property
    def index(self) -> Hashable: ...


Item = TypeVar("Item", bound=Posted)


class Mailbox(Generic[Item]):
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
        self._slots: dict[Hashable, Item] = {}

    def post(self, frame: Item) -> None:
        """Put `frame` into its lane's slot."""
        with self._lock:  # held while waking, so that the window cannot be closed meanwhile
            first = not self._slots
            self._slots[frame.index] = frame
            if first:
                self._wake()

    def take(self) -> list[Item]:
        """Return the results in the box, and empty it."""
        with self._lock:
            frames = list(self._slots.values())
            self._slots.clear()
        return frames

    @property
    def empty(self) -> bool:
        """Whether every result has been taken."""
        with self._lock:
            return not self._slots
