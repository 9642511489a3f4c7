"""Mailbox: what the compute threads send the window: one slot per lane or question, the newest wins, one wake-up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Posted(Protocol):
    """What can be posted: it says which slot it belongs into."""

    @property
    def index(self) -> Hashable: ...


Item = TypeVar("Item", bound=Posted)


class Mailbox(Generic[Item]):
    """One slot per lane, or per question.

    A queued signal per frame would pile up faster than a window can draw; here an unread frame is replaced, and the
    window is woken once for whatever has come.

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
        with self._lock:  # held while waking: whoever is woken cannot be taken down meanwhile
            first = not self._slots
            self._slots[frame.index] = frame
            if first:
                self._wake()

    def take(self) -> list[Item]:
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
