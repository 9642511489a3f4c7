"""The gallery in the window: opening an example in one action, the panels that it opens, and starting it over."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from app.features.difference.scene import DifferenceSession
from app.features.lessons.view_gallery import Card, GalleryDialog
from app.features.what_if.scene import WhatIfSession
from app.files import assets, examples
from app.files.examples import EXAMPLES
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, finish_tasks, save_as, settle

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


def gallery(window: MainWindow) -> GalleryDialog:
    window.activateWindow()  # a desktop does so when a dialog closes
    assert QTest.qWaitForWindowActive(window)
    QTest.keyClick(window, Qt.Key.Key_O, CTRL | SHIFT)
    found = window.findChild(GalleryDialog)
    assert found is not None and found.isVisible()
    return found


def card(window: MainWindow, name: str) -> Card:
    found = gallery(window).findChild(Card, f"example.{name}")
    assert found is not None
    return found


@pytest.mark.slow
def test_it_is_not_made_at_the_start(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from app.main import create_window\n"
        f"window = create_window(None, Path({str(tmp_path)!r})); window.show()\n"
        "print('app.features.lessons.view_gallery' in sys.modules); window.close()"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, timeout=600, text=True)
    assert done.stdout.strip() == "False", done.stderr


@pytest.mark.parametrize("example", first_of(EXAMPLES, 3), ids=lambda each: each.name)
def test_one_click_opens_one(make: Make, qtbot: QtBot, example: examples.Example) -> None:
    window = make(simple=True, size=(1024, 768))
    QTest.mouseClick(card(window, example.name), Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert window.findChild(QMessageBox, "unsaved") is None
    assert window.controller.examples.present is example
    assert window.document.points.xy.tolist() == examples.read(example).points.xy.tolist()
    assert window.controller.session.simple
    assert window.status_line.text().split() == example.sentence.split()
    assert ("step" in window.controller.session.open_panels) == (example.name == "step")
    assert window.controller.session.of(DifferenceSession).differing == (example.name == "differ")
    assert window.controller.session.of(WhatIfSession).armed == (example.name == "support-vectors")
    assert ("race" in window.controller.session.open_panels) == (example.name == "race")
    assert not window.controller.store.modified and window.size().toTuple() == (1024, 768)
    run = window.scene.lanes[0].run_state
    assert (run is not None and run.step == 0) == (example.name == "step")


@pytest.mark.slow
def test_what_one_needs_goes_when_another_is_opened(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    for name in ("step", "differ", "race", "support-vectors", "margin"):
        window.examples.open(examples.BY_NAME[name])
        settle(qtbot, window)
    assert window.controller.session.open_panels == frozenset()
    assert not window.named_actions["differing"].isChecked() and not window.named_actions["arm_whatif"].isChecked()
    assert window.scene.lanes[0].playing is False and window.scene.lanes[0].run_state.at_end


@pytest.mark.smoke
def test_keys_choose_too(make: Make, qtbot: QtBot) -> None:
    window = make()
    dialog = gallery(window)
    columns = dialog._columns
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Down)
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Right)
    assert dialog.focusWidget().objectName() == f"example.{EXAMPLES[columns + 1].name}"
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    settle(qtbot, window)
    assert window.controller.examples.present is EXAMPLES[columns + 1]
    dialog = gallery(window)
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Up)
    assert dialog.focusWidget().objectName() == f"example.{EXAMPLES[0].name}"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_undo_brings_back_what_was_never_saved(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.controller.set_lane(0, "knn", n_neighbors=9)
    before = window.document
    QTest.mouseClick(card(window, "circle"), Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert window.findChild(QMessageBox, "unsaved") is None and window.controller.store.modified
    assert window.controller.examples.present is examples.BY_NAME["circle"]
    window.controller.undo()
    assert window.document.lanes == before.lanes and window.document.points is before.points


def test_unsaved_changes_of_a_file_are_asked_about(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make()
    save_as(window, tmp_path / "mine.playground")
    finish_tasks(window)
    window.controller.set_lane(0, "knn", n_neighbors=9)
    QTest.mouseClick(card(window, "circle"), Qt.MouseButton.LeftButton)
    box = window.findChild(QMessageBox, "unsaved")
    assert box is not None and window.document.lanes[0].knn.n_neighbors == 9
    box.button(QMessageBox.StandardButton.Discard).click()
    settle(qtbot, window)
    assert window.controller.examples.present is examples.BY_NAME["circle"] and window.controller.store.path is None


def test_starting_over_is_one_key(make: Make, qtbot: QtBot) -> None:
    window = make()
    assert not window.named_actions["start_over"].isEnabled()
    window.examples.open(examples.BY_NAME["differ"])
    settle(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_X)
    window.controller.clear()
    settle(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_R, CTRL | ALT)
    settle(qtbot, window)
    assert len(window.document.points) == 120 and window.named_actions["differing"].isChecked()
    assert window.findChild(QMessageBox) is None and window.result(0).accuracy > 0.8
    window.controller.undo()
    assert len(window.document.points) == 0


@pytest.mark.parametrize("larger", first_of([8, 4, 0], 1))
def test_no_text_is_cut_off(make: Make, qtbot: QtBot, larger: int) -> None:
    window = make()
    window.appearance.set_text_size(QApplication.font().pointSize() + larger)
    settle(qtbot, window)
    dialog = gallery(window)
    QApplication.processEvents()
    for each in dialog.findChildren(Card):
        text = each.findChildren(QLabel)[1]
        assert text.height() >= text.heightForWidth(text.width()), each.objectName()
        assert text.width() >= text.minimumSizeHint().width(), each.objectName()
    close = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Close)
    assert close.isVisible() and dialog.rect().contains(close.mapTo(dialog, close.rect().center()))
    dialog.close()


def test_lessons_are_made_when_they_are_shown(make: Make) -> None:
    window = make()
    dialog = gallery(window)
    assert dialog.findChild(Card, "example.circle") and not dialog.findChild(Card, "lesson.circle")
    dialog.show_tab("lessons")
    first = dialog.findChild(Card, "lesson.neighbours")
    assert first is not None and first.isVisible() and dialog.focusWidget() is first
    lessons = len(dialog.findChildren(Card)) - len(EXAMPLES)
    dialog.show_tab("examples")
    dialog.show_tab("lessons")
    assert len(dialog.findChildren(Card)) == len(EXAMPLES) + lessons
    dialog.close()


def test_a_missing_example_is_a_sentence(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = make()
    before = window.document
    monkeypatch.setattr(assets, "assets", lambda name: tmp_path / name)
    window.examples.open(examples.BY_NAME["circle"])
    box = window.findChild(QMessageBox, "alert")
    assert "circle.playground cannot be read" in box.text() and window.document is before
    box.close()
