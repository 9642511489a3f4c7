"""Changed text: another text in a text field, of which all that stays the same is left alone."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextDocument


def replace_changed(document: QTextDocument, old: str, new: str) -> QTextCursor:
    """Make `new` of the `old` text of `document`; a cursor behind what was put in."""
    return _replace(QTextCursor(document), 0, old, new)


def replace_lines(document: QTextDocument, old: str, new: str) -> list[int]:
    """Make `new` of the `old` text of `document`, where they are as many line by line; numbers of changed lines."""
    pairs = list(zip(old.split("\n"), new.split("\n"), strict=False))
    changed = [number for number, (before, after) in enumerate(pairs) if before != after]
    if old.count("\n") != new.count("\n"):
        replace_changed(document, old, new)
        return changed
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for number in changed:
        _replace(cursor, document.findBlockByNumber(number).position(), *pairs[number])
    cursor.endEditBlock()
    return changed


def _replace(cursor: QTextCursor, at: int, old: str, new: str) -> QTextCursor:
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    cursor.setPosition(at + _units(old[:start]))
    cursor.setPosition(at + _units(old[: len(old) - end]), QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(new[start : len(new) - end])
    return cursor


def _alike(first: str, second: str) -> int:
    """How many characters two texts begin with in common."""
    shorter = min(len(first), len(second))
    return next((place for place in range(shorter) if first[place] != second[place]), shorter)


def _units(text: str) -> int:
    """Length as Qt counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
