"""Timeline keys: the keys that move through a run, the same on the timeline and in the curves."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

#: Number of pages of a run: a page key moves by the run's length divided by this.
PAGES = 20

_KEYS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_Comma: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: 1,
    Qt.Key.Key_Period: 1,
}
_PAGES = {Qt.Key.Key_PageDown: -1, Qt.Key.Key_PageUp: 1}


class StepMover(Protocol):
    """Something with steps for each lane."""

    def step(self, lane: int, by: int) -> None: ...
    def to_start(self, lane: int) -> None: ...
    def to_end(self, lane: int) -> None: ...


def page_of(length: int) -> int:
    """Return the number of steps that a page key moves in a run of `length` steps."""
    return max(1, length // PAGES)


def take_key(event: QKeyEvent, timeline: StepMover, lane: int, length: int) -> bool:
    """Move through the steps of `lane` as the key specifies; return False for other keys."""
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
        return False
    key = Qt.Key(event.key())
    if key in _KEYS:
        timeline.step(lane, _KEYS[key])
    elif key in _PAGES:
        timeline.step(lane, _PAGES[key] * page_of(length))
    elif key == Qt.Key.Key_Home:
        timeline.to_start(lane)
    elif key == Qt.Key.Key_End:
        timeline.to_end(lane)
    else:
        return False
    return True
