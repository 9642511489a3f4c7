"""The form of a new lesson step: written by keys, tried as a student uses it, and added to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.cover import Cover
from app.features.lessons.check import check
from app.features.lessons.feature import STAGE
from app.features.lessons.model import Prediction
from app.features.lessons.reading import parse, read
from app.features.lessons.state import LessonSession
from app.features.table import FEATURES
from app.state.commands import AddPoints
from app.state.document import Document, Lane, default_document
from app.window.main_window import MainWindow
from tests.windows import Make, finish_tasks, settle

Part = TypeVar("Part", bound=QWidget)


@pytest.mark.slow
def test_the_present_state_becomes_a_step(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """By the form, with a question; the form reports faults of the file, and no text is lost."""
    window = make()
    path, first = tmp_path / "mine", ""
    for number, title in enumerate(("First", "Second"), 1):
        dialog = new_step(window, qtbot)
        add = part(dialog, "add", QPushButton)
        assert not add.isEnabled() and part(dialog, "fault", QLabel).text() == "Write the title of the step."
        QTest.keyClicks(part(dialog, "title"), title)
        assert part(dialog, "fault", QLabel).text() == "Write the text of the step." and not add.isEnabled()
        QTest.keyClicks(part(dialog, "text"), "Look.")
        assert add.isEnabled() == (number == 2) and part(dialog, "lesson").isVisible() == (number == 1)
        if number == 1:
            QTest.mouseClick(part(dialog, "choose"), Qt.MouseButton.LeftButton)
            files = dialog.findChild(QFileDialog, "lesson_file")
            assert files is not None
            files.fileSelected.emit(str(path))
            files.reject()
            assert part(dialog, "fault", QLabel).text() == "Write the title of the lesson." and not add.isEnabled()
            QTest.keyClicks(part(dialog, "lesson"), "My lesson")
            assert add.isEnabled()
        press(part(dialog, "all"))
        for control in ("k", "weights"):
            press(part(dialog, f"show.{control}"))
        ask(dialog, "Smooth?", ("Yes", "No"), right=1)
        path.with_suffix(".lesson.md").write_text("no lesson") if number == 2 else None
        QTest.mouseClick(add, Qt.MouseButton.LeftButton)
        finish_tasks(window)
        if number == 2:
            assert dialog.isVisible() and part(dialog, "fault", QLabel).text().startswith("mine.lesson.md:1: a lesson")
            path.with_suffix(".lesson.md").write_text(first)
            QTest.mouseClick(add, Qt.MouseButton.LeftButton)
            finish_tasks(window)
        QApplication.processEvents()
        first = path.with_suffix(".lesson.md").read_text()
        lesson = read(FEATURES, tmp_path / "mine.lesson.md")
        assert check(FEATURES, [tmp_path / "mine.lesson.md"])[1], "lesson check accepts it"
        assert [step.title for step in lesson.steps] == ["First", "Second"][:number] and lesson.title == "My lesson"
        assert {step.text for step in lesson.steps} == {"Look."}
        step = lesson.steps[-1]
        assert step.show == ("k", "weights") and step.cover == Cover.NUMBERS
        assert step.prediction == Prediction("choice", "Smooth?", ("Yes", "No"), 1, reasons=("Look again.", ""))
        assert window.status_line.text() == f"Added as step {number} of mine.lesson.md."
    window.surroundings.part(STAGE).begin(lesson)
    settle(qtbot, window)
    assert window.document.is_generated and len(window.document.points) == len(default_document().points)


def test_a_new_step_is_tried_and_comes_back(make: Make, qtbot: QtBot) -> None:
    """As a student uses it; the document and the texts are restored afterwards."""
    window = make()
    window.controller.dispatch(AddPoints(xy=((0.0, 3.0),), labels=(0,)))
    before = window.document
    dialog = new_step(window, qtbot)
    assert not part(dialog, "try").isEnabled()
    QTest.keyClicks(part(dialog, "title"), "Guess")
    ask(dialog, "Smooth?", ("Yes", "No"), right=0)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    dialog = new_step(window, qtbot)
    assert part(dialog, "answer2").text() == "No", "what was written is there again"
    press(part(dialog, "try"))
    finish_tasks(window)
    settle(qtbot, window)
    now = window.controller.session.of(LessonSession)
    assert now.lesson is not None and [step.title for step in now.lesson.steps] == ["Guess"]
    assert now.prediction is not None and now.prediction.question == "Smooth?"
    assert window.findChild(QWidget, "lesson_add") is None
    window.named_actions["lesson_add"].trigger()  # leaves the trial
    qtbot.waitUntil(lambda: window.findChild(QWidget, "lesson_add") is not None)
    assert window.document is before and window.controller.session.of(LessonSession).lesson is None
    dialog = window.findChild(QWidget, "lesson_add")
    assert part(dialog, "question").text() == "Smooth?" and part(dialog, "answer1.right", QRadioButton).isChecked()
    dialog.close()


def ask_for_the_test_accuracy(dialog: QWidget) -> None:
    part(dialog, "asks").setFocus()
    QTest.keyClick(part(dialog, "asks"), Qt.Key.Key_End)


def test_a_visible_answer_is_reported(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """The faults that `lesson check` would find are reported before the step is written; the user may still
    write it.
    """
    window, path = make(), tmp_path / "mine.lesson.md"
    window.controller.change(LessonSession, making=path)
    for cover, shown in (("none", True), ("picture", False)):
        dialog = new_step(window, qtbot)
        part(dialog, "title", QLineEdit).clear()
        QTest.keyClicks(part(dialog, "title"), "Guess")
        if cover == "none":
            ask(dialog, "Which has the better test accuracy?", ("Classifier 1", "Classifier 2"), right=0)
            ask_for_the_test_accuracy(dialog)
        part(dialog, "cover").setFocus()
        QTest.keyClick(part(dialog, "cover"), Qt.Key.Key_End if cover == "none" else Qt.Key.Key_Home)
        press(part(dialog, "add"))
        finish_tasks(window)
        assert path.exists() != shown and dialog.isVisible() == shown
        if shown:
            fault = part(dialog, "fault", QLabel).text()
            assert fault.startswith("The answer is visible before: its own step shows the test accuracy; write “cover:")
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert check(FEATURES, [path])[1]
    dialog = new_step(window, qtbot)
    QTest.keyClicks(part(dialog, "title"), "Guess again")
    ask(dialog, "Which has the better test accuracy?", ("Classifier 1", "Classifier 2"), right=0)
    ask_for_the_test_accuracy(dialog)
    for _ in range(2):  # step 1 shows it after the answer
        press(part(dialog, "add"))
        finish_tasks(window)
    assert len(read(FEATURES, path).steps) == 2 and not check(FEATURES, [path])[1]


def test_the_form_offers_the_questions_about_the_classifiers(make: Make, qtbot: QtBot) -> None:
    window = make(Document(default_document().points, (Lane("knn"), Lane("svm"), Lane("difference")), 3))
    dialog = new_step(window, qtbot)
    kind = part(dialog, "kind", QComboBox)
    offered = [kind.itemData(index) for index in range(kind.count())]
    assert offered == [(None, 0), ("choice", 0), ("boundary", 0), ("boundary", 1), ("pair", 1)]
    there = {name: part(dialog, name).isVisible() for name in ("question", "answer1", "because", "cover", "show.k")}
    assert not any(there.values())
    kind.setFocus()
    QTest.keyClick(kind, Qt.Key.Key_End)  # a pair
    assert [part(dialog, name).isVisible() for name in there] == [True, False, True, True, False]
    QTest.keyClick(kind, Qt.Key.Key_Up)  # a boundary is drawn on a covered picture
    assert not part(dialog, "cover").isVisible()
    for each in dialog.findChildren(QWidget):
        if each.objectName().startswith("lesson_add.") and each.isVisible() and not isinstance(each, QLabel):
            assert each.accessibleName() and each.height() >= 24, each.objectName()
    dialog.close()
    window.surroundings.part(STAGE).begin(parse(FEATURES, TWO_STEPS, "a.lesson.md", None))
    settle(qtbot, window)
    dialog = new_step(window, qtbot)
    QTest.keyClicks(part(dialog, "title"), "T")
    assert not part(dialog, "try").isEnabled() and "Leave the lesson" in part(dialog, "try").toolTip()
    dialog.close()


TWO_STEPS = "---\ntitle: T\nminutes: 5\n---\n# One\n\nA.\n\n# Two\n\nB.\n"


def new_step(window: MainWindow, qtbot: QtBot) -> QWidget:
    """Return the form of a new step."""
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.named_actions["lesson_add"].trigger()
    dialog = window.findChild(QWidget, "lesson_add")
    assert dialog is not None and dialog.isVisible()
    return dialog


def part(dialog: QWidget, name: str, kind: type[Part] = QWidget) -> Part:
    found = dialog.findChild(kind, f"lesson_add.{name}")
    assert found is not None, name
    return found


def press(button: QWidget) -> None:
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)


def ask(dialog: QWidget, question: str, answers: tuple[str, ...], right: int) -> None:
    """Write a question with answers, of which the wrong ones have a reason; numbers are covered."""
    kind, cover = part(dialog, "kind", QComboBox), part(dialog, "cover", QComboBox)
    kind.setFocus()
    QTest.keyClick(kind, Qt.Key.Key_Down)
    QTest.keyClicks(part(dialog, "question"), question)
    if not part(dialog, "text", QPlainTextEdit).toPlainText():
        QTest.keyClicks(part(dialog, "text"), "Look.")
    for number, answer in enumerate(answers, 1):
        QTest.keyClicks(part(dialog, f"answer{number}"), answer)
        QTest.keyClicks(part(dialog, f"answer{number}.reason"), "Look again.")
    press(part(dialog, f"answer{right + 1}.right"))
    cover.setFocus()
    QTest.keyClick(cover, Qt.Key.Key_Down)
