"""The panel Code: live, one lane or all, copied and saved by real clicks."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.code.panel import CodePanel
from app.features.code.program import MANY, program
from app.state.document import Document, GeneratorSettings, Lane, View
from app.window.main_window import MainWindow
from tests.app.views.lane.test_forms import type_into
from tests.windows import Make, finish_tasks, settle


def a_document(count: int = 25) -> Document:
    points = GeneratorSettings("moons", count).points()
    return Document(points, (Lane("knn"), Lane("svm")), view=View.fitting(points))


def open_panel(window: MainWindow, qtbot: QtBot) -> CodePanel:
    QTest.keyClick(window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    panel = window.findChild(CodePanel)
    assert panel is not None and panel.isVisible()
    return panel


def shown(panel: CodePanel, qtbot: QtBot, window: MainWindow) -> str:
    """Return the text, after it has been updated."""
    name = f"{Path(window.controller.store.title).stem}-points.csv"
    qtbot.waitUntil(
        lambda: panel.text.toPlainText() == program(window.document, panel.lanes, name).text, timeout=60_000
    )
    return panel.text.toPlainText()


def click(panel: CodePanel, name: str) -> None:
    button = panel.findChild(QPushButton, f"code.{name}")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def save(window: MainWindow, panel: CodePanel, suffix: str, path: Path) -> None:
    click(panel, f"save{suffix}")
    dialog = window.findChild(QFileDialog, "save_code")
    assert dialog is not None and dialog.defaultSuffix() == suffix[1:]
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
    finish_tasks(window)


def test_it_follows_settings_points_and_undo(make: Make, qtbot: QtBot) -> None:
    window = make(a_document())
    panel = open_panel(window, qtbot)
    before = shown(panel, qtbot, window)
    assert "KNeighborsClassifier(n_neighbors=5" in before and 'SVC(kernel="rbf", gamma=1.0, C=1.0)' in before
    bar = panel.text.verticalScrollBar()
    assert bar.value() == 0
    type_into(window, "lane1.C", "37")
    assert "C=37.0" in shown(panel, qtbot, window)
    line = shown(panel, qtbot, window).split("\n").index('model_2 = SVC(kernel="rbf", gamma=1.0, C=37.0)')
    assert bar.value() <= line < bar.value() + bar.pageStep(), "what changed is in sight"
    window.controller.undo()
    assert shown(panel, qtbot, window) == before
    type_into(window, "lane0.k", "7")
    window.controller.undo()
    assert shown(panel, qtbot, window) == before
    window.controller.clear()
    assert "points = np.empty((0, 3))" in shown(panel, qtbot, window)
    window.controller.undo()
    assert shown(panel, qtbot, window) == before


def test_a_drag_does_not_write_each_program(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.features.code import panel as module

    window = make(a_document())
    panel = open_panel(window, qtbot)
    shown(panel, qtbot, window)
    made: list[Document] = []
    monkeypatch.setattr(module, "program", lambda document, *given: made.append(document) or program(document, *given))
    first = window.document
    for k in range(1, 9):
        type_into(window, "lane0.k", str(k))
        window.refresh()
    assert len(made) <= 2
    shown(panel, qtbot, window)
    assert made[-1] is window.document and window.document is not first
    number = len(made)
    for _ in range(3):
        window.refresh()
    panel._soon.stop()
    assert len(made) == number, "nothing has changed"


def test_one_of_the_lanes(make: Make, qtbot: QtBot) -> None:
    window = make(a_document())
    panel = open_panel(window, qtbot)
    box = panel.findChild(QCheckBox, "code.lanes")
    assert box is not None
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)
    text = shown(panel, qtbot, window)
    assert panel.lanes == (1,) and "model = SVC(" in text and "KNeighbors" not in text
    type_into(window, "lane1.C", "5")
    assert "C=5.0" in shown(panel, qtbot, window) and panel.lanes == (1,), "the choice stays"
    window.controller.lanes.select(0)
    assert "KNeighbors" in shown(panel, qtbot, window) and panel.lanes == (0,), "that of the selected classifier"
    window.controller.lanes.remove(0)
    settle(qtbot, window)
    text = shown(panel, qtbot, window)
    assert not box.isVisible() and panel.lanes is None and "model = SVC(" in text


def test_copy_selected_or_all(make: Make, qtbot: QtBot) -> None:
    window = make(a_document())
    panel = open_panel(window, qtbot)
    text = shown(panel, qtbot, window)
    click(panel, "copy")
    assert QApplication.clipboard().text() == text
    ast.parse(text)
    panel.text.setFocus()
    panel.text.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClick(panel.text, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert panel.text.textCursor().selectedText().replace("\u2029", "\n") == text
    panel.text.moveCursor(QTextCursor.MoveOperation.Start)
    for _ in range(3):
        QTest.keyClick(panel.text, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(panel.text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == '"""'
    QTest.keyClick(panel.text, Qt.Key.Key_X)
    assert panel.text.toPlainText() == text, "it is not to be edited"
    QTest.keyClick(panel.text, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    assert not panel.isVisible(), "its key closes it, too"


def test_saved(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(a_document())
    panel = open_panel(window, qtbot)
    text = shown(panel, qtbot, window)
    save(window, panel, ".py", tmp_path / "moons.py")
    assert (tmp_path / "moons.py").read_text(encoding="utf-8") == text
    save(window, panel, ".ipynb", tmp_path / "moons.ipynb")
    nbformat.validate(nbformat.read(tmp_path / "moons.ipynb", as_version=4))
    assert sorted(path.name for path in tmp_path.glob("moons*")) == ["moons.ipynb", "moons.py"]
    assert not window.controller.store.modified, "a program is no document"
    folder = tmp_path / "no such folder"
    save(window, panel, ".py", folder / "moons.py")
    box = window.findChild(QLabel, "qt_msgbox_label")
    assert box is not None and "moons.py was not saved" in box.text()
    box.window().close()


def test_many_points_are_saved_beside_it(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(a_document(MANY // 2 + 1))
    panel = open_panel(window, qtbot)
    name = f"{Path(window.controller.store.title).stem}-points.csv"
    assert name in shown(panel, qtbot, window)
    note = panel.findChild(QLabel, "code.note")
    assert note is not None and note.isVisible() and "52 points" in note.text()
    report: list[str] = []
    window.controller.say = report.append  # type: ignore[method-assign]
    click(panel, "copy")
    assert f"It reads {name}, which comes with Save as .py." in report[-1]
    save(window, panel, ".py", tmp_path / "many.py")
    assert report[-1] == "Saved many.py and many-points.csv."
    rows = np.loadtxt(tmp_path / "many-points.csv", delimiter=",")
    assert np.array_equal(rows, np.column_stack((window.document.points.xy, window.document.points.labels)))
    window.controller.clear()
    shown(panel, qtbot, window)
    assert not note.isVisible()


def test_a_text_changes_line_by_line_and_otherwise(make: Make, qtbot: QtBot) -> None:
    """After any change, the field shows the text of the program."""
    window = make(a_document())
    panel = open_panel(window, qtbot)
    random = np.random.default_rng(0)
    for _ in range(60):
        number = int(random.integers(1, 6))
        xy = random.choice([-0.25, 1.0, 1.0e-7, 12345.678], (number, 2))
        names = ["a", "a𝛾b", "γ", "𝛾𝛾"]
        styles = [type(window.document.styles[0])(str(random.choice(names)))] * 8
        made = Document(Points.of(xy, random.integers(0, 3, number)), styles=tuple(styles))
        panel.text.show_program(program(made).text, 3)
        assert panel.text.toPlainText() == program(made).text
