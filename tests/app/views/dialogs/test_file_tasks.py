"""Files and the clipboard, while the disk is slow: the window responds, and nothing is lost or out of order."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMessageBox, QProgressBar, QPushButton
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.exchange import exporting, importing
from app.files import documents, locks, recovery
from app.state.commands import AddPoints
from app.state.document import Document, default_document
from app.views import task_runner
from app.window.main_window import MainWindow
from tests import playground_files
from tests.app import file_work
from tests.windows import Make, discard, finish_tasks, save_as

SMALL = replace(default_document(), points=Points.of([(0.25, -1.5), (1.0, 2.0), (0.1, 0.2)], [0, 1, 2]))


class Gate:
    """Stands before a function: tasks that call it wait until it is opened; other threads, as that of the recovery
    copies, pass."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.entered, self.opened = threading.Event(), threading.Event()
        self.threads: list[threading.Thread] = []

    def __call__(self, *args: Any, **named: Any) -> Any:
        thread = threading.current_thread()
        if thread is threading.main_thread():  # nothing could open it there; the test sees that the call came this far
            self.threads.append(thread)
        elif thread.name == "task":
            self.threads.append(thread)
            self.entered.set()
            assert self.opened.wait(300)
        return self._function(*args, **named)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any, str], Gate]]:
    """Return ``gate(module, name)``, which puts a gate before a function; all gates are opened at the end."""
    gates: list[Gate] = []

    def build(module: Any, name: str) -> Gate:
        gates.append(Gate(getattr(module, name)))
        monkeypatch.setattr(module, name, gates[-1])
        return gates[-1]

    yield build
    for each in gates:
        each.opened.set()


Put = Callable[[Any, str], Gate]


def raising(error: Exception) -> Callable[..., Any]:
    def raises(*args: Any) -> Any:
        raise error

    return raises


def goes_on(window: MainWindow, qtbot: QtBot, gate: Gate) -> None:
    """Check that a task waits at the gate while the window's thread runs: its timer ticks."""
    qtbot.waitUntil(gate.entered.is_set)
    ticks: list[int] = []
    timer = QTimer(window)
    timer.timeout.connect(lambda: ticks.append(1))
    timer.start(0)
    qtbot.waitUntil(lambda: len(ticks) > 20)
    timer.stop()
    timer.deleteLater()
    assert threading.main_thread() not in gate.threads and not gate.opened.is_set()
    assert window.tasks.busy and not window.idle()


def edit(window: MainWindow, x: float = 3.0) -> None:
    window.controller.dispatch(AddPoints(xy=(x, 3.0), labels=1))


def same(first: Document, second: Document) -> bool:
    return documents.encode(first) == documents.encode(second)


def boxes(window: MainWindow) -> list[str]:
    return [each.objectName() for each in window.findChildren(QMessageBox) if each.isVisible()]


def cancel_button(window: MainWindow, qtbot: QtBot) -> QPushButton:
    qtbot.waitUntil(lambda: window.findChild(QPushButton, "task.cancel") is not None)
    button = window.findChild(QPushButton, "task.cancel")
    assert button is not None
    qtbot.waitUntil(button.isVisible)
    return button


@pytest.fixture
def saved(make: Make, tmp_path: Path) -> tuple[MainWindow, Path]:
    """Return a window with a document of a file, edited since."""
    window, path = make(SMALL, wait=False), tmp_path / "mine.playground"
    assert file_work.save(window.controller, path)
    edit(window)
    return window, path


# -- saving ---------------------------------------------------------------------------------------------------------


def test_one_works_on_while_the_disk_is_slow(
    saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_runner, "SHOWN_AFTER", 300_000)  # even on a busy machine this takes no time
    window, path = saved
    old, store, wanted = path.read_bytes(), window.controller.store, window.document
    slow = gate(documents.os, "fsync")
    window.named_actions["save"].trigger()
    goes_on(window, qtbot, slow)
    assert path.read_bytes() == old and store.modified
    edit(window, 4.0)
    assert len(window.document.points) == 5
    slow.opened.set()
    finish_tasks(window)
    assert same(playground_files.read(path), wanted) and store.modified, "what was edited meanwhile is not saved"
    assert window.status_line.text() == "Saved mine.playground." and store.saved_position == 1
    window.controller.undo()
    assert not store.modified
    assert window.findChild(QPushButton, "task.cancel") is None, "nothing flashes that takes no time"


def test_the_recovery_copy_names_the_file_that_was_saved_meanwhile(
    saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "INTERVAL", 0.05)
    monkeypatch.setattr(recovery, "DELAY", 0.02)
    window, _ = saved
    other, recorder = tmp_path / "other.playground", window.safekeeping.recorder
    slow = gate(documents.os, "fsync")
    save_as(window, other)
    goes_on(window, qtbot, slow)
    edit(window, 4.0)
    slow.opened.set()
    finish_tasks(window)
    qtbot.waitUntil(lambda: recorder.settled and recorder.file.exists())
    header = json.loads(recorder.file.read_bytes().partition(b"\n")[0])
    assert header["path"] == str(other)
    assert header["on_disk"] == list(documents.Fingerprint.of(other.read_bytes()))


def test_a_cancelled_save_leaves_the_old_file(
    saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, path = saved
    old = path.read_bytes()
    monkeypatch.setattr(task_runner, "SHOWN_AFTER", 0)
    sizes = [canvas.size() for canvas in window.canvases]
    slow = gate(documents.os, "fsync")
    window.named_actions["save"].trigger()
    goes_on(window, qtbot, slow)
    button = cancel_button(window, qtbot)
    assert window.findChild(QLabel, "task.title").text() == "Saving mine.playground…"
    assert window.findChild(QProgressBar, "task.progress").accessibleName() == "Saving mine.playground"
    assert sizes == [canvas.size() for canvas in window.canvases], "it moves nothing"
    assert window.rect().contains(button.mapTo(window, button.rect().bottomRight()))
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus and button.accessibleName() == "Cancel"
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert not window.tasks.busy and not button.isVisible() and window.controller.store.modified
    assert window.status_line.text() == "Saving mine.playground was cancelled."
    slow.opened.set()
    qtbot.waitUntil(lambda: not any(thread.is_alive() for thread in slow.threads))
    QApplication.processEvents()
    assert path.read_bytes() == old and [each.name for each in path.parent.glob("*.playground")] == [path.name]
    assert not list(path.parent.glob(".*.tmp")) and window.controller.store.modified
    window.named_actions["save"].trigger()
    finish_tasks(window)
    assert same(playground_files.read(path), window.document) and boxes(window) == []


def test_a_save_cannot_be_cancelled_once_the_new_file_replaces_the_old(
    saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put
) -> None:
    window, path = saved
    slow = gate(documents.os, "replace")
    window.named_actions["save"].trigger()
    goes_on(window, qtbot, slow)
    window.tasks.cancel()
    assert window.tasks.busy
    slow.opened.set()
    finish_tasks(window)
    assert same(playground_files.read(path), window.document) and not window.controller.store.modified


def test_saves_are_done_one_after_the_other(saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put) -> None:
    window, path = saved
    slow = gate(documents.os, "fsync")
    for x in (5.0, 6.0, 7.0):
        window.named_actions["save"].trigger()
        edit(window, x)
    goes_on(window, qtbot, slow)
    window.named_actions["save"].trigger()
    assert len(slow.threads) == 1, "the others have not begun"
    slow.opened.set()
    finish_tasks(window)
    assert same(playground_files.read(path), window.document) and not window.controller.store.modified
    assert boxes(window) == [], "one's own save is no change of another program's"


def test_closing_waits_for_the_file(saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put) -> None:
    window, path = saved
    wanted = window.document
    slow = gate(documents.os, "fsync")
    window.named_actions["save"].trigger()
    goes_on(window, qtbot, slow)
    for _ in range(2):
        assert not window.close()
    assert window.isVisible() and cancel_button(window, qtbot).isVisible() and boxes(window) == []
    slow.opened.set()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert same(playground_files.read(path), wanted)


def test_save_before_closing_closes_when_it_is_saved(saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put) -> None:
    window, path = saved
    wanted = window.document
    slow = gate(documents.os, "fsync")
    assert not window.close()
    (box,) = [each for each in window.findChildren(QMessageBox, "unsaved") if each.isVisible()]
    box.button(QMessageBox.StandardButton.Save).click()
    goes_on(window, qtbot, slow)
    assert window.isVisible()
    slow.opened.set()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert same(playground_files.read(path), wanted)


def test_a_window_stays_when_its_file_cannot_be_written(
    saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, path = saved
    old = path.read_bytes()
    slow = gate(documents.os, "fsync")
    monkeypatch.setattr(documents.os, "replace", raising(OSError(28, "No space left on device")))
    window.named_actions["save"].trigger()
    goes_on(window, qtbot, slow)
    assert not window.close()
    slow.opened.set()
    finish_tasks(window)
    assert boxes(window) == ["alert"] and window.isVisible() and path.read_bytes() == old
    assert window.controller.store.modified


def test_another_document_does_not_take_over_the_file(saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put) -> None:
    window, path = saved
    wanted = window.document
    slow = gate(documents.os, "fsync")
    window.named_actions["save"].trigger()
    goes_on(window, qtbot, slow)
    window.controller.new()
    slow.opened.set()
    finish_tasks(window)
    assert same(playground_files.read(path), wanted)
    assert window.controller.store.path is None and len(window.document.points) == 0


def test_what_replaces_the_document_waits_until_it_is_saved(
    saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put, tmp_path: Path
) -> None:
    window, path = saved
    other = tmp_path / "other.playground"
    playground_files.write(default_document(), other)
    wanted = window.document
    slow = gate(documents.os, "fsync")
    window.named_actions["save"].trigger()
    for _ in range(3):
        window.named_actions["open"].trigger()
    window.take_files([other])
    goes_on(window, qtbot, slow)
    assert boxes(window) == [] and window.document is wanted
    slow.opened.set()
    qtbot.waitUntil(lambda: window.controller.store.path == other)
    assert boxes(window) == [] and same(playground_files.read(path), wanted) and len(window.document.points) == 200
    assert not window.findChildren(QFileDialog), "the last wish counts"


def test_whatever_goes_wrong_is_a_sentence(saved: tuple[MainWindow, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    window, path = saved
    old = path.read_bytes()

    for error, text in (
        (RuntimeError("oh"), "mine.playground was not saved (RuntimeError: oh)."),
        (MemoryError(), "mine.playground was not saved: there is not enough memory."),
    ):
        monkeypatch.setattr(documents, "encode", raising(error))
        window.named_actions["save"].trigger()
        finish_tasks(window)
        (alert,) = [each for each in window.findChildren(QMessageBox, "alert") if each.isVisible()]
        assert alert.text() == text and path.read_bytes() == old and window.controller.store.modified
        alert.close()


def test_no_thread_is_a_sentence(saved: tuple[MainWindow, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    window, path = saved
    old = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", raising(RuntimeError("can't start new thread")))
        window.named_actions["save"].trigger()
        finish_tasks(window)
    (alert,) = [each for each in window.findChildren(QMessageBox, "alert") if each.isVisible()]
    assert alert.text() == "mine.playground was not saved: the system starts no more threads."
    assert path.read_bytes() == old and window.controller.store.modified
    alert.close()


# -- opening and exporting ------------------------------------------------------------------------------------------


def test_the_present_document_stays_until_the_new_one_is_read(
    make: Make, qtbot: QtBot, gate: Put, tmp_path: Path
) -> None:
    window, path = make(SMALL, wait=False), tmp_path / "other.playground"
    playground_files.write(default_document(), path)
    slow = gate(documents, "read_bytes")
    window.take_files([path])
    goes_on(window, qtbot, slow)
    assert len(window.document.points) == 3
    slow.opened.set()
    finish_tasks(window)
    assert len(window.document.points) == 200 and window.controller.store.path == path


def test_edits_while_a_file_is_read_lead_to_a_question(make: Make, qtbot: QtBot, gate: Put, tmp_path: Path) -> None:
    window, path = make(SMALL, wait=False), tmp_path / "other.playground"
    playground_files.write(default_document(), path)
    slow = gate(documents, "read_bytes")
    window.take_files([path])
    goes_on(window, qtbot, slow)
    edit(window)
    slow.opened.set()
    finish_tasks(window)
    assert boxes(window) == ["unsaved"] and len(window.document.points) == 4
    (box,) = [each for each in window.findChildren(QMessageBox, "unsaved") if each.isVisible()]
    box.button(QMessageBox.StandardButton.Discard).click()
    assert len(window.document.points) == 200 and window.controller.store.path == path


def test_the_last_request_counts(make: Make, qtbot: QtBot, gate: Put, tmp_path: Path) -> None:
    window, path = make(SMALL, wait=False), tmp_path / "other.playground"
    playground_files.write(default_document(), path)
    slow = gate(documents, "read_bytes")
    window.take_files([path])
    goes_on(window, qtbot, slow)
    window.named_actions["new"].trigger()
    slow.opened.set()
    finish_tasks(window)
    assert len(window.document.points) == 0 and window.controller.store.path is None


def test_a_file_that_is_read_takes_no_gesture_away(make: Make, qtbot: QtBot, gate: Put, tmp_path: Path) -> None:
    window, path = make(SMALL, wait=False), tmp_path / "other.playground"
    playground_files.write(default_document(), path)
    slow = gate(documents, "read_bytes")
    window.take_files([path])
    goes_on(window, qtbot, slow)
    window.controller.editing.choose("rectangle")
    view = window.canvases[0].viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=window.to_widget(0, 0.0, 0.0))
    QTest.mouseMove(view, window.to_widget(0, 0.3, 0.4))
    assert window.controller.editing.busy
    slow.opened.set()
    qtbot.waitUntil(lambda: not any(thread.is_alive() for thread in slow.threads))
    for _ in range(3):
        QApplication.processEvents()
    assert len(window.document.points) == 3 and window.controller.editing.busy
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=window.to_widget(0, 0.3, 0.4))
    finish_tasks(window)
    assert len(window.document.points) == 200


def test_reverting_and_exporting_do_not_block(
    saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put, tmp_path: Path
) -> None:
    window, _ = saved
    slow = gate(documents, "read_bytes")
    window.named_actions["revert"].trigger()
    (box,) = [each for each in window.findChildren(QMessageBox, "revert") if each.isVisible()]
    box.buttons()[0].click()
    goes_on(window, qtbot, slow)
    assert len(window.document.points) == 4
    slow.opened.set()
    finish_tasks(window)
    assert len(window.document.points) == 3 and window.controller.store.undo_name == "Revert to the file"
    slow = gate(documents.os, "fsync")
    window.import_export.export(tmp_path / "out.csv")
    goes_on(window, qtbot, slow)
    edit(window)
    slow.opened.set()
    finish_tasks(window)
    assert len(importing.read(tmp_path / "out.csv")) == 3, "the points of the moment one exported them"
    assert window.status_line.text() == "Exported 3 points to out.csv."


# -- the clipboard --------------------------------------------------------------------------------------------------


def test_what_is_cut_can_be_pasted_at_once(make: Make, qtbot: QtBot, gate: Put) -> None:
    window = make(SMALL, wait=False)
    QApplication.clipboard().setText("7 7 1\n8 8 1")
    slow = gate(exporting, "text_pieces")
    for name in ("select_all", "cut", "paste"):
        window.named_actions[name].trigger()
    goes_on(window, qtbot, slow)
    assert len(window.document.points) == 3, "gone once they are in the clipboard"
    slow.opened.set()
    finish_tasks(window)
    assert window.document.points.xy.tolist() == SMALL.points.xy.tolist()
    assert window.document.points.labels.tolist() == SMALL.points.labels.tolist()
    assert window.controller.store.history == ("Cut 3 points", "Paste 3 points")
    assert QApplication.clipboard().text() == exporting.as_text(SMALL.points.xy, SMALL.points.labels, ())


def test_a_slow_disk_does_not_hold_the_clipboard_up(saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put) -> None:
    window, _ = saved
    slow = gate(documents.os, "fsync")
    window.named_actions["save"].trigger()
    goes_on(window, qtbot, slow)
    window.named_actions["select_all"].trigger()
    window.named_actions["copy"].trigger()
    window.named_actions["paste"].trigger()
    qtbot.waitUntil(lambda: len(window.document.points) == 8)
    assert not slow.opened.is_set()


def test_what_is_pasted_comes_into_its_own_document_only(make: Make, qtbot: QtBot, gate: Put) -> None:
    window = make(SMALL, wait=False)
    QApplication.clipboard().setText("7 7 1\n8 8 1")
    slow = gate(exporting, "from_text")
    window.named_actions["paste"].trigger()
    goes_on(window, qtbot, slow)
    window.named_actions["new"].trigger()
    slow.opened.set()
    finish_tasks(window)
    assert len(window.document.points) == 0 and window.controller.store.history == ()


@pytest.mark.slow
def test_a_window_that_goes_waits_for_what_is_copied_but_for_no_paste(make: Make, qtbot: QtBot, gate: Put) -> None:
    window = make(SMALL, wait=False)
    QApplication.clipboard().setText("7 7 1\n8 8 1")
    slow = gate(exporting, "from_text")
    window.named_actions["paste"].trigger()
    goes_on(window, qtbot, slow)
    assert window.close()
    slow.opened.set()
    again = make(SMALL, wait=False)
    slow = gate(exporting, "text_pieces")
    again.named_actions["select_all"].trigger()
    again.named_actions["copy"].trigger()
    goes_on(again, qtbot, slow)
    assert not again.close()
    slow.opened.set()
    qtbot.waitUntil(lambda: not again.isVisible())
    assert QApplication.clipboard().text().startswith("0.25\t-1.5\t1\n")


def test_bad_text_is_a_sentence(make: Make) -> None:
    window = make(SMALL, wait=False)
    QApplication.clipboard().setText("one two three four")
    window.named_actions["paste"].trigger()
    finish_tasks(window)
    assert window.status_line.text().startswith("The clipboard ") and len(window.document.points) == 3
    discard(window)


def test_many_points_are_copied_in_pieces(make: Make) -> None:
    rng = np.random.default_rng(0)
    points = Points.of(rng.normal(size=(3000, 2)), rng.integers(0, 8, 3000))
    window = make(replace(SMALL, points=points), wait=False)
    for name in ("select_all", "copy"):
        window.named_actions[name].trigger()
    finish_tasks(window)
    assert QApplication.clipboard().text() == exporting.as_text(points.xy, points.labels, ())


# -- edits meanwhile ---------------------------------------------------------------------------------------------------


def answer(window: MainWindow, name: str, button: QMessageBox.StandardButton) -> None:
    (box,) = [each for each in window.findChildren(QMessageBox, name) if each.isVisible()]
    box.button(button).click()


@pytest.mark.parametrize("what", ["close", "new", "open"])
def test_edits_while_save_first_saves_lead_to_another_question(
    saved: tuple[MainWindow, Path], qtbot: QtBot, gate: Put, what: str
) -> None:
    window, path = saved
    other = path.with_name("other.playground")
    playground_files.write(default_document(), other)
    first, slow = window.document, gate(documents.os, "fsync")
    new = window.named_actions["new"].trigger
    {"close": window.close, "new": new, "open": lambda: window.take_files([other])}[what]()
    answer(window, "unsaved", QMessageBox.StandardButton.Save)
    goes_on(window, qtbot, slow)
    edit(window, 7.0)
    edited = window.document
    slow.opened.set()
    finish_tasks(window)
    assert same(playground_files.read(path), first) and boxes(window) == ["unsaved"]
    assert window.document is edited and window.isVisible() and window.controller.store.modified
    answer(window, "unsaved", QMessageBox.StandardButton.Cancel)
    assert window.document is edited and window.controller.store.path == path


def test_of_two_requested_documents_the_last_is_opened_after_a_question_about_edits(
    make: Make, qtbot: QtBot, tmp_path: Path, gate: Put
) -> None:
    window = make(SMALL, wait=False)
    one, two = tmp_path / "one.playground", tmp_path / "two.playground"
    for path in (one, two):
        playground_files.write(default_document(), path)
    slow = gate(documents, "read_bytes")
    window.take_files([one])
    window.take_files([two])
    goes_on(window, qtbot, slow)
    edit(window)
    edited = window.document
    slow.opened.set()
    finish_tasks(window)
    assert boxes(window) == ["unsaved"] and window.document is edited
    answer(window, "unsaved", QMessageBox.StandardButton.Discard)
    finish_tasks(window)
    assert window.controller.store.path == two and boxes(window) == []


def test_edits_before_reading_begins_lead_to_a_question(make: Make, qtbot: QtBot, tmp_path: Path, gate: Put) -> None:
    """The document is read after an export, as both are tasks on files."""
    window, other = make(SMALL, wait=False), tmp_path / "other.playground"
    playground_files.write(default_document(), other)
    slow = gate(documents.os, "fsync")
    window.import_export.export(tmp_path / "points.csv")
    goes_on(window, qtbot, slow)
    window.take_files([other])
    edit(window)
    edited = window.document
    slow.opened.set()
    finish_tasks(window)
    assert boxes(window) == ["unsaved"] and window.document is edited
    answer(window, "unsaved", QMessageBox.StandardButton.Cancel)


def test_a_cut_that_is_cancelled_removes_nothing(
    make: Make, qtbot: QtBot, gate: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make(SMALL, wait=False)
    monkeypatch.setattr(task_runner, "SHOWN_AFTER", 0)
    QApplication.clipboard().setText("before")
    slow = gate(exporting, "text_pieces")
    window.named_actions["select_all"].trigger()
    window.named_actions["cut"].trigger()
    goes_on(window, qtbot, slow)
    assert len(window.document.points) == 3
    cancel_button(window, qtbot).click()
    slow.opened.set()
    qtbot.waitUntil(lambda: not any(thread.is_alive() for thread in slow.threads))
    QApplication.processEvents()
    assert len(window.document.points) == 3 and QApplication.clipboard().text() == "before"
    window.named_actions["cut"].trigger()
    finish_tasks(window)
    assert len(window.document.points) == 0 and QApplication.clipboard().text().count("\n") == 3
    assert window.controller.store.undo_name == "Cut 3 points"


def test_a_file_changed_by_another_program_is_asked_about_before_the_window_closes(
    saved: tuple[MainWindow, Path], qtbot: QtBot
) -> None:
    window, path = saved
    path.write_bytes(documents.encode(default_document()))
    window.named_actions["save"].trigger()
    window.close()
    finish_tasks(window)
    assert boxes(window) == ["changed_on_disk"] and window.isVisible()
    answer(window, "changed_on_disk", QMessageBox.StandardButton.Cancel)
    assert boxes(window) == [] and window.isVisible() and window.controller.store.modified


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_opening_a_document_sweeps_its_folder(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Temporary files of killed saves go, of every document; the document does not wait for a slow folder."""
    folder = tmp_path / "documents"
    folder.mkdir()
    path, long = folder / "mine.playground", folder / f"{'long' * 20}.playground"
    for each in (path, long):
        playground_files.write(SMALL, each)
    endings = "abcdefgh", "_1234567"
    left = [
        folder / f".{name[:40]}.{end}.tmp" for name in (path.name, "yours.playground", long.name) for end in endings
    ]
    foreign = (
        ".yours.playground.ABCDEFGH.tmp",
        ".yours.playground.tmp",
        ".yours.abcdefgh.tmp",
        "x.playground.abcdefgh.tmp",
    )
    for name in foreign:
        (folder / name).touch()
    for each in left:
        each.touch()
    written = left.pop(2)  # by another window at present
    handle = os.open(written, os.O_RDWR)
    assert locks.take(handle)
    slow, sweep = threading.Event(), documents.sweep_beside

    def slowly(path: Path) -> None:
        assert threading.current_thread() is not threading.main_thread() and slow.wait(300)
        sweep(path)

    window = make(default_document())
    with monkeypatch.context() as patched:
        patched.setattr(documents, "sweep_beside", slowly)
        for each in (path, long):
            window.file_dialogs.open_path(each)
            finish_tasks(window)
            assert window.controller.store.path == each and same(window.document, SMALL), "the folder is still listed"
        assert all(each.exists() for each in left)
        slow.set()
        qtbot.waitUntil(lambda: not any(each.exists() for each in left))
        qtbot.waitUntil(lambda: not any(each.name == "sweep" for each in threading.enumerate()))
    assert {each.name for each in folder.iterdir()} == {path.name, long.name, written.name, *foreign}
    os.close(handle)
