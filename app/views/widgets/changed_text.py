"""Changed text: another text in a text field, of which all that stays the same is left alone."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextDocument


def replace_changed(document: QTextDocument, old: str, new: str) -> QTextCursor:
    """Make `new` of the `old` text of `document`; a cursor behind what was put in."""
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    cursor = QTextCursor(document)
    cursor.setPosition(_units(old[:start]))
    cursor.setPosition(_units(old[: len(old) - end]), QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(new[start : len(new) - end])
    return cursor


def _alike(first: str, second: str) -> int:
    """How many characters two texts begin with in common."""
    shorter = min(len(first), len(second))
    return next((place for place in range(shorter) if first[place] != second[place]), shorter)


def _units(text: str) -> int:
    """Length as Qt counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
