"""Notes of one long word: typing is quick, and lines still end between words if there are any."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextOption
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.app.views.panels.test_history_notes import opened, plain
from tests.covering import first_of
from tests.windows import Make


@pytest.mark.slow
@pytest.mark.parametrize("word", first_of(["x", "ש", "x\xa0"], 1), ids=["latin", "hebrew", "hard blanks"])
def test_notes_without_a_blank_are_broken_anywhere(make: Make, qtbot: QtBot, word: str) -> None:
    """Else Qt searches the whole word again for each line: 0.5 s at each key."""
    window = make(replace(plain(), notes=(word * 99_900)[:99_900]), wait=False)
    notes = opened(window, qtbot, "notes")
    for _ in range(3):
        QTest.keyClick(notes, Qt.Key.Key_A)
        QApplication.processEvents()
        assert notes.wordWrapMode() == QTextOption.WrapMode.WrapAnywhere
    assert window.document.notes.endswith("aaa")


def test_lines_end_between_words_where_they_can(make: Make, qtbot: QtBot) -> None:
    window = make(plain(), wait=False)
    notes, wrap = opened(window, qtbot, "notes"), QTextOption.WrapMode
    for text, mode in (
        ("word " * 10_000, wrap.WrapAtWordBoundaryOrAnywhere),
        ("x" * 3000, wrap.WrapAnywhere),
        ("word", wrap.WrapAtWordBoundaryOrAnywhere),
    ):
        window.controller.set_notes(text)
        window.refresh()
        assert notes.wordWrapMode() == mode
    data = QMimeData()
    data.setText("y" * 3000)
    notes.insertFromMimeData(data)
    assert notes.wordWrapMode() == wrap.WrapAnywhere and len(window.document.notes) == 3004
    window.named_actions["undo"].trigger()
    window.refresh()
    assert notes.toPlainText() == "word" and notes.wordWrapMode() == wrap.WrapAtWordBoundaryOrAnywhere
