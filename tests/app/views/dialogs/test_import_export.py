"""Exchange with other programs through the window: the questions, and what follows from the answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QMessageBox, QRadioButton
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.state.document import PLAIN_STYLES, ClassStyle, Document
from app.window.dialogs.import_table import ImportDialog
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, delete_closed, finish_layout, finish_tasks

SMALL = Document(Points.of([(0.0, 0.0), (1.0, 1.0)], [0, 1]))
RISKY = replace(SMALL, styles=(ClassStyle("=cmd()"), *PLAIN_STYLES[1:]))


def paste(window: MainWindow, text: str) -> None:
    QApplication.clipboard().setText(text)
    window.named_actions["paste"].trigger()
    finish_tasks(window)


def test_a_paste_in_doubt_is_shown_first(make: Make, qtbot: QtBot) -> None:
    window = make(SMALL, wait=False)
    paste(window, "1,000\t2,500\t1\n")
    qtbot.waitUntil(lambda: window.findChild(ImportDialog) is not None)
    dialog = window.findChild(ImportDialog)
    assert len(window.document.points) == 2
    doubt = dialog.findChild(QLabel, "import.doubt")
    qtbot.waitUntil(doubt.isVisible)
    assert doubt.text() == "1,000 is read as 1, with a decimal comma. If it separates thousands, remove it first."
    assert dialog.findChild(QRadioButton, "import.add").isChecked(), "as a paste does"
    dialog.reject()
    assert len(window.document.points) == 2


@pytest.mark.parametrize("text", first_of(["1,5\t2,500\t1\n", "1.000\t2.500\t1\n", "1000\t2500\n"], 1))
def test_a_paste_without_doubt_is_pasted_at_once(make: Make, text: str) -> None:
    window = make(SMALL, wait=False)
    paste(window, text)
    finish_layout()
    assert window.findChild(ImportDialog) is None and len(window.document.points) == 3


def test_nothing_is_in_doubt_once_the_user_has_chosen(make: Make, qtbot: QtBot) -> None:
    window = make(SMALL, wait=False)
    QApplication.clipboard().setText("1,000\t2,500\t1\n")
    window.named_actions["import_clipboard"].trigger()
    qtbot.waitUntil(lambda: window.findChild(ImportDialog) is not None)
    dialog = window.findChild(ImportDialog)
    doubt = dialog.findChild(QLabel, "import.doubt")
    qtbot.waitUntil(doubt.isVisible)
    assert not dialog.findChild(QRadioButton, "import.add").isChecked()
    decimal = dialog.findChild(QComboBox, "import.decimal")
    decimal.setCurrentIndex(decimal.findData(","))
    decimal.activated.emit(decimal.currentIndex())
    qtbot.waitUntil(lambda: not doubt.isVisible())
    dialog.reject()


def test_names_that_may_run_as_formulas_lead_to_a_question(make: Make, tmp_path: Path) -> None:
    window = make(RISKY, wait=False)
    names = {"Cancel": "", "&Put apostrophes": "'=cmd()", "&Leave names as they are": "=cmd()"}
    for number, (answer, name) in enumerate(names.items()):
        path = tmp_path / f"{number}.csv"
        window.import_export.export(path)
        box = window.findChild(QMessageBox, "formulas")
        assert "=cmd()" in box.text() and box.defaultButton().text() == "&Put apostrophes" and not path.exists()
        next(button for button in box.buttons() if button.text() == answer).click()
        finish_tasks(window)
        assert path.exists() == bool(name), answer
        if name:
            assert path.read_text() == f"x,y,class\n0.0,0.0,{name}\n1.0,1.0,2\n"
        delete_closed()


@pytest.mark.slow
def test_no_question_where_no_name_can_run(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    for document, suffix in ((SMALL, ".csv"), (RISKY, ".npz"), (RISKY, ".svmlight")):
        window, path = make(document, wait=False), tmp_path / f"out{suffix}"
        window.import_export.export(path)
        qtbot.waitUntil(path.exists)
        assert window.findChild(QMessageBox, "formulas") is None
