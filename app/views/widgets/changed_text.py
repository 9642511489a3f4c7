"""Changed text: replace the text of a text field where it differs, and leave the rest untouched."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextDocument


def replace_changed(document: QTextDocument, old: str, new: str) -> QTextCursor:
    """Change the text of `document` from `old` to `new`; return a cursor behind the inserted text."""
    return _replace(QTextCursor(document), 0, old, new)


def replace_lines(document: QTextDocument, old: str, new: str) -> list[int]:
    """Change the text of `document` from `old` to `new`, which has as many lines; return the changed lines."""
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
    """Return the length of the common prefix of two texts."""
    shorter = min(len(first), len(second))
    return next((index for index in range(shorter) if first[index] != second[index]), shorter)


def _units(text: str) -> int:
    """Return the length as Qt counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
