"""Nothing is lost: crashes, failed saves, other programs and other windows, each through its dialogs."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QListWidget, QMenu, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.files import documents, recovery
from app.main import create_window
from app.state.commands import AddPoints
from app.state.document import ClassStyle, Document, default_document
from app.window.dialogs.recovery import RecoveryDialog
from app.window.main_window import MainWindow
from tests import playground_files
from tests.app import file_work
from tests.covering import first_of
from tests.windows import Make, delete_closed, discard, finish_tasks, save_as

ROOT = Path(__file__).parents[4]
SMALL = replace(
    default_document(),
    points=Points.of([(0.25, -1.5), (1.0, 2.0), (0.1, 0.2)], [0, 1, 2]),
    notes="keep me",
    styles=(ClassStyle("first", "#102030"), *(ClassStyle(),) * 7),
    axes=("x", "y"),
    training_limit=77,
)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "INTERVAL", 0.05)
    monkeypatch.setattr(recovery, "DELAY", 0.02)
    monkeypatch.setattr(recovery, "RETRY", 0.1)


def edit(window: MainWindow, x: float = 3.0) -> None:
    window.controller.dispatch(AddPoints(xy=(x, 3.0), labels=1))


def kept(window: MainWindow, qtbot: QtBot) -> Path:
    """Wait until the window's work has its copy; return the copy's file."""
    recorder = window.safekeeping.recorder
    qtbot.waitUntil(lambda: recorder.settled and recorder.file.exists())
    return recorder.file


def copies(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("recovery/*"))


def act(window: MainWindow, name: str) -> None:
    """Trigger an action, and wait for the files that it reads or writes."""
    window.named_actions[name].trigger()
    finish_tasks(window)


def box(window: QWidget, name: str) -> QMessageBox:
    finish_tasks(window_of(window))
    shown = [each for each in window.findChildren(QMessageBox, name) if each.isVisible()]
    assert len(shown) == 1, f"{len(shown)} boxes {name}"
    return shown[0]


def boxes(window: MainWindow) -> list[str]:
    finish_tasks(window)
    return [each.objectName() for each in window.findChildren(QMessageBox) if each.isVisible()]


def press(message: QMessageBox, text: str) -> None:
    buttons = {button.text().replace("&", ""): button for button in message.buttons()}
    window = message.parent()
    buttons[text].click()
    if isinstance(window, MainWindow):
        finish_tasks(window)


def offered(window: MainWindow, qtbot: QtBot) -> RecoveryDialog:
    qtbot.waitUntil(lambda: window.findChild(RecoveryDialog) is not None)
    dialog = window.findChild(RecoveryDialog)
    assert dialog is not None and not dialog.isModal()
    return dialog


def rows(dialog: RecoveryDialog) -> list[str]:
    entries = dialog.findChild(QListWidget, "recovery.list")
    return [entries.item(row).text() for row in range(entries.count())]


def choose(dialog: RecoveryDialog, button: str) -> None:
    dialog.findChild(QPushButton, f"recovery.{button}").click()
    finish_tasks(window_of(dialog))


def window_of(widget: QWidget) -> MainWindow:
    while not isinstance(widget, MainWindow):
        widget = widget.parentWidget()
    return widget


def same(first: Document, second: Document) -> bool:
    return documents.encode(first) == documents.encode(second)


def left_behind(make: Make, qtbot: QtBot, folder: Path, document: Document, path: Path | None = None) -> bytes:
    """Leave the files of a killed window; return the copy."""
    window = create_window(document, folder)
    window.controller.put(document, path, modified=True)
    copy = kept(window, qtbot)
    data = copy.read_bytes()
    window.controller.store.reset(window.document, None)
    assert window.close()
    window.deleteLater()
    assert not copy.exists()
    copy.write_bytes(data)
    return data


# -- copies ---------------------------------------------------------------------------------------------------------


def test_a_copy_comes_with_the_first_unsaved_change_and_goes_with_the_last(
    make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make(SMALL, wait=False)
    controller = window.controller
    assert copies(tmp_path) == []
    endings: dict[str, Callable[[], object]] = {
        "undo": controller.undo,
        "save": lambda: file_work.save(controller, tmp_path / "mine.playground"),
        "undo again": controller.undo,
        "new": controller.new,
    }
    for name, end in endings.items():
        edit(window)
        assert same(documents.decode(kept(window, qtbot).read_bytes().partition(b"\n")[2]), window.document), name
        end()
        qtbot.waitUntil(lambda: not window.safekeeping.recorder.file.exists())
    edit(window)
    kept(window, qtbot)
    assert not window.close()
    box(window, "unsaved").button(QMessageBox.StandardButton.Discard).click()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert copies(tmp_path) == [] and list(tmp_path.glob("open/*")) == []


@pytest.mark.slow
def test_looking_elsewhere_writes_no_copy(make: Make, qtbot: QtBot) -> None:
    window = make(SMALL, wait=False)
    edit(window)
    before = kept(window, qtbot).stat().st_mtime_ns
    for _ in range(10):
        window.controller.pan(0.1, 0.1)
        qtbot.wait(300)
    assert kept(window, qtbot).stat().st_mtime_ns == before


@pytest.mark.slow
def test_left_work_is_offered_and_recovered_exactly(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    playground_files.write(default_document(), path)
    left_behind(make, qtbot, tmp_path, SMALL, path)
    window = make()
    dialog = offered(window, qtbot)
    (row,) = rows(dialog)
    assert row.startswith("mine.playground, ") and row.endswith(", 3 points")
    before = window.controller.session.restarts
    old = copies(tmp_path)[-1]
    choose(dialog, "recover")
    assert same(window.document, SMALL)
    store = window.controller.store
    assert (store.path, store.modified, store.undo_name) == (path, True, None)
    assert all(new > old for new, old in zip(window.controller.session.restarts, before, strict=True))
    copy = kept(window, qtbot)
    qtbot.waitUntil(lambda: old not in copies(tmp_path) and copy.exists())
    assert same(playground_files.read(path), default_document()), "its file is as it was"
    act(window, "save")
    assert boxes(window) == [] and same(playground_files.read(path), SMALL) and not store.modified
    qtbot.waitUntil(lambda: not copy.exists())
    qtbot.waitUntil(lambda: window.findChild(RecoveryDialog) is None)


@pytest.mark.slow
def test_several_copies_are_a_list(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    for number, document in enumerate((SMALL, default_document(), replace(SMALL, notes="third"))):
        left_behind(make, qtbot, tmp_path, document, tmp_path / f"{number}.playground" if number else None)
        time.sleep(0.01)
    window = make(wait=False)
    dialog = offered(window, qtbot)
    assert [row.split(",")[0] for row in rows(dialog)] == ["2.playground", "1.playground", "Untitled"]
    choose(dialog, "recover")
    assert window.document.notes == "third"
    dialog.findChild(QListWidget).setCurrentRow(1)
    choose(dialog, "recover")
    press(box(window, "unsaved"), "Cancel")
    assert window.document.notes == "third" and len(rows(dialog)) == 2
    dialog.findChild(QListWidget).setCurrentRow(0)
    choose(dialog, "delete")
    message = box(window, "delete_copy")
    assert message.text().startswith("Delete the unsaved work in 1.playground (200 points)?")
    press(message, "Cancel")
    assert len(rows(dialog)) == 2
    QApplication.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
    choose(dialog, "delete")
    press(box(window, "delete_copy"), "Delete")
    assert [row.split(",")[0] for row in rows(dialog)] == ["Untitled"]
    choose(dialog, "later")
    kept(window, qtbot)
    qtbot.waitUntil(lambda: len([name for name in copies(tmp_path) if name.endswith(".recovery")]) == 2)
    discard(window)
    assert len(copies(tmp_path)) == 1
    again = make(wait=False)
    dialog = offered(again, qtbot)
    assert [row.split(",")[0] for row in rows(dialog)] == ["Untitled"]
    choose(dialog, "later")
    again.hide()
    again.show()
    qtbot.wait(50)
    assert not [each for each in again.findChildren(RecoveryDialog) if each.isVisible()], "asked once"


def test_closing_with_the_question_open_keeps_the_copy(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    left_behind(make, qtbot, tmp_path, SMALL)
    window = make(wait=False)
    offered(window, qtbot)
    assert window.close()
    assert [name.rpartition(".")[2] for name in copies(tmp_path)] == ["recovery"]


@pytest.mark.slow
def test_a_living_window_of_the_same_program_is_not_offered(make: Make, qtbot: QtBot) -> None:
    first = make(SMALL, wait=False)
    edit(first)
    copy = kept(first, qtbot)
    second = make(wait=False)
    qtbot.wait(100)
    assert second.findChild(RecoveryDialog) is None and copy.exists()


def test_several_damaged_copies_are_reported_in_one_box(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / "recovery"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.recovery").write_bytes(b"noise")
    (folder / "loop.recovery").symlink_to("loop.recovery")  # cannot be read at present
    window = make(wait=False)
    qtbot.waitUntil(lambda: boxes(window) != [])
    text = box(window, "alert").text()
    assert text.startswith(
        f"3 recovery copies cannot be read; they are kept in {folder}. A recovery copy cannot be read"
    )
    assert sorted(path.name for path in folder.glob("?.*able")) == ["a.unreadable", "b.unreadable", "c.unreadable"]


def test_unreadable_copies_are_reported_and_kept(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    data = left_behind(make, qtbot, tmp_path, SMALL)
    folder = tmp_path / "recovery"
    (folder / "bad.recovery").write_bytes(b"noise")
    (next(path for path in folder.iterdir() if path.stem != "bad")).write_bytes(data[:-20])
    window = make(wait=False)
    dialog = offered(window, qtbot)
    assert box(window, "alert").text() == (
        f"A recovery copy cannot be read; it is kept as {folder / 'bad.unreadable'}."
    )
    box(window, "alert").close()
    before = window.document
    choose(dialog, "recover")
    text = box(window, "alert").text()
    assert text.startswith("The recovery copy of Untitled is damaged") and "; it is kept as " in text
    assert window.document is before and not window.controller.store.modified
    assert {path.read_bytes() for path in folder.glob("*.unreadable")} == {b"noise", data[:-20]}


@pytest.mark.slow
def test_copies_that_cannot_be_written_are_reported_once(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make(SMALL, wait=False)
    report: list[str] = []
    monkeypatch.setattr(window.controller, "say", report.append)

    def full(pieces: object, path: Path, **how: bool) -> None:
        raise documents.FileError("x was not saved: no space left on device.", "no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(documents, "write_pieces", full)
        for x in range(5):
            edit(window, float(x))
            qtbot.wait(300)
        qtbot.waitUntil(lambda: bool(report))
    assert report == ["Recovery copies cannot be written: no space left on device."]


# -- real processes -------------------------------------------------------------------------------------------------


EDITOR = """
import sys
from pathlib import Path
import app.main as m
from PySide6.QtCore import QTimer
from app.state.commands import AddPoints
create = m.create_window
def editing(*a):
    window = create(*a)
    timer = QTimer(window)
    number = [0]
    def edit():
        number[0] += 1
        window.controller.dispatch(AddPoints(xy=(0.0, number[0]), labels=1))
        print(number[0], flush=True)
    timer.timeout.connect(edit)
    timer.start(100)
    return window
m.create_window = editing
sys.exit(m.main(["--profile-dir", sys.argv[1], *sys.argv[2:]]))
"""


def start(code: str, *words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def read_until(process: subprocess.Popen[str], wanted: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == wanted:
            return
    raise AssertionError(f"ended before {wanted}: {process.stderr.read() if process.stderr else ''}")


def ended_well(process: subprocess.Popen[str]) -> bool:
    _, errors = process.communicate("\n", timeout=300)
    reports = [line for line in errors.splitlines() if "propagateSizeHints" not in line]
    return process.returncode == 0 and not reports


def kill_and_recover(make: Make, qtbot: QtBot, tmp_path: Path, edits: int) -> float:
    """Kill a real window during its work; return the number of seconds that are missing, by its own timer."""
    path = tmp_path / "mine.playground"
    playground_files.write(SMALL, path)
    with start(EDITOR, str(tmp_path), str(path)) as other:
        assert other.stdout is not None
        done = edits
        read_until(other, str(edits))
        while not list(tmp_path.glob("recovery/*.recovery")):  # on a busy disk
            done = int(other.stdout.readline())
        other.send_signal(signal.SIGKILL)
        done = max([done, *map(int, other.stdout.read().split())])
        other.wait(300)
    window = make(wait=False)
    dialog = offered(window, qtbot)
    assert rows(dialog)[0].startswith("mine.playground, today ")
    choose(dialog, "recover")
    xy = window.document.points.xy
    assert window.controller.store.path == path and window.controller.store.modified
    assert xy[:3].tolist() == SMALL.points.xy.tolist() and window.document.notes == "keep me"
    assert xy[3:, 1].tolist() == list(range(1, len(xy) - 2)), "every edit up to the last one is there"
    assert same(playground_files.read(path), SMALL)
    discard(window)
    assert copies(tmp_path) == [] and list(tmp_path.glob("open/*")) == []
    return 0.1 * (done - float(xy[-1, 1]))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_killed_window_loses_at_most_5_seconds(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    assert kill_and_recover(make, qtbot, tmp_path, 37) < 5.0


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_windows_lose_at_most_5_seconds(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    missing = [kill_and_recover(make, qtbot, tmp_path, int(rng.integers(25, 90))) for _ in range(20)]
    assert max(missing) < 5.0, missing


OPENED = """
import sys
import app.main as m
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox
create = m.create_window
def telling(*a):
    window = create(*a)
    def tell():
        for each in window.findChildren(QMessageBox):
            print(each.objectName() + ": " + each.text(), flush=True)
        print("ready", flush=True)
        sys.stdin.readline()
        window.close()
    QTimer.singleShot(500, window, tell)
    return window
m.create_window = telling
sys.exit(m.main(["--profile-dir", *sys.argv[1:]]))
"""


@pytest.mark.slow
def test_two_real_processes_on_one_file_are_warned(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    playground_files.write(SMALL, path)
    warning = "mine.playground is open in another window. Saving here will overwrite what is saved there."
    with start(OPENED, str(tmp_path), str(path)) as first:
        read_until(first, "ready")
        with start(OPENED, str(tmp_path), str(path)) as second:
            read_until(second, "open_elsewhere: " + warning)
            assert ended_well(second)
        window = make(wait=False)
        window.take_files([path])
        assert box(window, "open_elsewhere").text() == warning
        press(box(window, "open_elsewhere"), "Cancel")
        assert window.controller.store.path is None and len(window.document.points) == 200
        QApplication.sendPostedEvents(None, 52)
        window.take_files([path])
        press(box(window, "open_elsewhere"), "Open anyway")
        assert window.controller.store.path == path
        assert same(window.document, replace(SMALL, view=window.document.view))
        assert ended_well(first)
    discard(window)
    again = make(wait=False)
    again.take_files([path])
    assert boxes(again) == [] and again.controller.store.path == path


@pytest.mark.slow
def test_a_window_that_starts_with_anothers_file_asks(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    playground_files.write(SMALL, path)
    first = make(wait=False)
    qtbot.wait(50)
    first.take_files([path])
    for answer, left in (("Open anyway", path), ("Cancel", None)):
        second = create_window(SMALL, tmp_path, path)
        second.show()
        qtbot.waitUntil(lambda window=second: boxes(window) == ["open_elsewhere"])
        press(box(second, "open_elsewhere"), answer)
        assert second.controller.store.path == left
        discard(second)
        second.deleteLater()
    assert boxes(first) == []


# -- saving ---------------------------------------------------------------------------------------------------------


def failing(*args: Any, **named: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def dialogs(window: MainWindow) -> list[QFileDialog]:
    return [each for each in window.findChildren(QFileDialog) if each.isVisible()]


def test_a_failed_save_offers_another_file(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "mine.playground", tmp_path / "other.playground"
    window = make(SMALL, wait=False)
    assert file_work.save(window.controller, path)
    old = path.read_bytes()
    edit(window)
    for trigger in (window.named_actions["save"].trigger, window.close):  # `box` waits for the save
        with monkeypatch.context() as patched:
            patched.setattr(documents.os, "replace", failing)
            trigger()
            if trigger == window.close:
                press(box(window, "unsaved"), "Save")
            alert = box(window, "alert")
            assert alert.text() == "mine.playground was not saved: no space left on device."
            assert [each.text().replace("&", "") for each in alert.buttons()] == ["Save as…", "Close"]
            assert path.read_bytes() == old and window.controller.store.modified and window.isVisible()
            press(alert, "Close")
        QApplication.sendPostedEvents(None, 52)
        assert window.isVisible() and window.controller.store.modified
        assert window.controller.store.path == path
    # Save as solves it, and the action that waited follows.
    with monkeypatch.context() as patched:
        patched.setattr(documents.os, "replace", failing)
        window.close()
        press(box(window, "unsaved"), "Save")
        press(box(window, "alert"), "Save as…")
    (dialog,) = dialogs(window)
    dialog.fileSelected.emit(str(other))
    qtbot.waitUntil(lambda: not window.isVisible())
    assert len(playground_files.read(other).points) == 4 and path.read_bytes() == old
    assert list(tmp_path.glob("open/*")) == [] and copies(tmp_path) == []


@pytest.mark.slow
def test_paths_that_cannot_be_saved_to(make: Make, tmp_path: Path) -> None:
    window = make(SMALL, wait=False)
    (tmp_path / "folder").mkdir()
    assert file_work.save(window.controller, tmp_path / "mine.playground")
    old = (tmp_path / "mine.playground").read_bytes()
    edit(window)
    for location in ("folder", "missing/mine.playground", "mine.playground/below"):
        save_as(window, tmp_path / location)
        alert = box(window, "alert")
        assert alert.text().startswith(Path(location).name) and "." in alert.text() and "\n" not in alert.text()
        press(alert, "Save as…")
        assert len(dialogs(window)) == 1 and window.controller.store.modified, location
        assert window.controller.store.path == tmp_path / "mine.playground"
        assert (tmp_path / "mine.playground").read_bytes() == old, location
        dialogs(window)[0].reject()
        delete_closed()


def test_a_folder_that_vanished(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "lesson"
    folder.mkdir()
    window = make(SMALL, wait=False)
    assert file_work.save(window.controller, folder / "mine.playground")
    edit(window)
    (folder / "mine.playground").unlink()
    folder.rmdir()
    act(window, "save")
    assert box(window, "alert").text().startswith("mine.playground was not saved: there is no folder ")
    assert window.controller.store.modified


@pytest.mark.slow
def test_what_another_program_wrote_is_not_overwritten_unasked(make: Make, tmp_path: Path) -> None:
    path, other = tmp_path / "mine.playground", tmp_path / "other.playground"
    window = make(SMALL, wait=False)
    assert file_work.save(window.controller, path)
    edit(window)
    act(window, "save")
    assert boxes(window) == [], "one's own save is no change of another's"
    theirs = documents.encode(default_document())
    for answer in ("Cancel", "Save as…", "Overwrite"):
        edit(window)
        path.write_bytes(theirs)
        act(window, "save")
        message = box(window, "changed_on_disk")
        assert message.text() == "mine.playground was changed by another program since it was read or saved here."
        press(message, answer)
        if answer == "Overwrite":
            assert same(playground_files.read(path), window.document) and not window.controller.store.modified
            continue
        assert path.read_bytes() == theirs and window.controller.store.modified
        if answer == "Save as…":
            dialogs(window)[0].fileSelected.emit(str(other))
            finish_tasks(window)
            assert same(playground_files.read(other), window.document)
            dialogs(window)[0].reject()
            assert file_work.save(window.controller, path)
        QApplication.sendPostedEvents(None, 52)
    assert boxes(window) == []


@pytest.mark.slow
def test_what_changed_while_the_program_was_dead_is_not_overwritten_unasked(
    make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "mine.playground"
    first = create_window(SMALL, tmp_path)
    assert file_work.save(first.controller, path)
    edit(first)
    copy = kept(first, qtbot)
    data = copy.read_bytes()
    discard(first)
    first.deleteLater()
    copy.write_bytes(data)
    path.write_bytes(documents.encode(default_document()))
    window = make(wait=False)
    choose(offered(window, qtbot), "recover")
    act(window, "save")
    press(box(window, "changed_on_disk"), "Cancel")
    assert path.read_bytes() == documents.encode(default_document())


@pytest.mark.slow
def test_saving_over_what_another_window_has_open_asks(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    first, second = make(SMALL, wait=False), make(wait=False)
    assert file_work.save(first.controller, path)
    old = path.read_bytes()
    act(second, "save")
    (dialog,) = dialogs(second)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    assert box(second, "open_elsewhere").text().startswith("mine.playground is open in another window.")
    press(box(second, "open_elsewhere"), "Cancel")
    assert path.read_bytes() == old
    QApplication.sendPostedEvents(None, 52)
    save_as(second, path)
    press(box(second, "open_elsewhere"), "Overwrite")
    assert same(playground_files.read(path), second.document)
    edit(first)
    act(first, "save")
    press(box(first, "changed_on_disk"), "Cancel")
    assert same(playground_files.read(path), second.document)


# -- opening --------------------------------------------------------------------------------------------------------


def recent_menu(window: MainWindow) -> QMenu:
    menu = window.findChild(QMenu, "recent")
    menu.aboutToShow.emit()
    return menu


@pytest.mark.slow
def test_recent_documents(make: Make, tmp_path: Path) -> None:
    window = make(SMALL, wait=False)
    assert [a.text() for a in recent_menu(window).actions()] == ["No recent documents", "", "&Clear this list"]
    paths = [tmp_path / f"R&D {number}.playground" for number in range(12)]
    for path in (*paths, paths[5]):
        assert file_work.save(window.controller, path)
    paths[7].unlink()
    expected = [5, 11, 10, 9, 8, 6, 4, 3, 2]
    shown = [action.text().split("  –  ")[0] for action in recent_menu(window).actions()[:-2]]
    assert shown == [f"R&&D {number}.playground" for number in expected]
    discard(window)
    again = make(wait=False)
    recent_menu(again).actions()[1].trigger()
    finish_tasks(again)
    assert again.controller.store.path == paths[11] and len(again.document.points) == 3
    edit(again)
    recent_menu(again).actions()[1].trigger()
    press(box(again, "unsaved"), "Cancel")
    assert again.controller.store.path == paths[11]
    recent_menu(again).actions()[-1].trigger()
    assert [a.text() for a in recent_menu(again).actions()] == ["No recent documents", "", "&Clear this list"]


def unreachable(monkeypatch: pytest.MonkeyPatch, folder: Path, code: int) -> None:
    """Let nothing in `folder` be listed or opened."""
    for name in ("stat", "lstat", "open", "readlink"):
        real = getattr(os, name)

        def refuse(path: Any, *rest: Any, real: Any = real, **named: Any) -> Any:
            if not isinstance(path, int) and os.fsdecode(path).startswith(f"{folder}{os.sep}"):
                raise OSError(code, os.strerror(code))
            return real(path, *rest, **named)

        monkeypatch.setattr(os, name, refuse)


@pytest.mark.slow
@pytest.mark.parametrize("code", first_of([errno.ESTALE, errno.EACCES, errno.EIO], 1), ids=errno.errorcode.get)
def test_a_recent_document_that_cannot_be_looked_at(
    code: int, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, other, third = (tmp_path / name for name in ("closed/a.playground", "b.playground", "c.playground"))
    closed.parent.mkdir()
    first = make(SMALL, wait=False)
    for path in (closed, other):
        assert file_work.save(first.controller, path)
    discard(first)
    unreachable(monkeypatch, closed.parent, code)
    window = create_window(SMALL, tmp_path, other)
    window.show()
    assert window.controller.store.path == other
    window.take_files([other])
    assert boxes(window) == [] and not window.controller.store.modified
    edit(window)
    save_as(window, third)
    assert (
        boxes(window) == [] and len(playground_files.read(third).points) == 4 and window.controller.store.path == third
    )
    shown = [action.text().split("  –  ")[0] for action in recent_menu(window).actions()[:-2]]
    assert shown == ["c.playground", "b.playground", "a.playground"]
    before = window.document
    recent_menu(window).actions()[2].trigger()
    assert box(window, "alert").text() == f"a.playground cannot be read: {os.strerror(code).lower()}."
    assert window.document is before and window.controller.store.path == third
    box(window, "alert").close()
    discard(window)
    window.deleteLater()


@pytest.mark.slow
def test_a_recent_document_on_a_disk_that_was_away(make: Make, tmp_path: Path) -> None:
    path, away = tmp_path / "share" / "a.playground", tmp_path / "away"
    path.parent.mkdir()
    window = make(SMALL, wait=False)
    assert file_work.save(window.controller, path)
    path.parent.rename(away)
    assert file_work.save(window.controller, tmp_path / "b.playground")
    discard(window)
    window = make(wait=False)
    assert [action.text()[:1] for action in recent_menu(window).actions()[:-2]] == ["b"]
    away.rename(path.parent)
    assert [action.text()[:1] for action in recent_menu(window).actions()[:-2]] == ["b", "a"]


@pytest.mark.slow
def test_a_copy_that_cannot_be_read_for_now_stays_in_the_list(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind(make, qtbot, tmp_path, SMALL)
    window = make(wait=False)
    dialog = offered(window, qtbot)
    before = window.document
    with monkeypatch.context() as patched:
        unreachable(patched, tmp_path / "recovery", errno.EMFILE)
        choose(dialog, "recover")
    text = box(window, "alert").text()
    assert text.startswith("The recovery copy of Untitled cannot be read: too many open files; it stays in ")
    box(window, "alert").close()
    assert window.document is before and len(rows(dialog)) == 1
    choose(dialog, "recover")
    assert same(window.document, SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".unreadable", ".recovery"])
def test_a_copy_is_opened_like_a_document(suffix: str, make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    copy = tmp_path / f"x{suffix}"
    copy.write_bytes(b'{"time": NaN}\n' + documents.encode(SMALL))
    window = make(wait=False)
    window.named_actions["open"].trigger()
    (dialog,) = dialogs(window)
    assert any(f"*{suffix}" in each for each in dialog.nameFilters())
    dialog.fileSelected.emit(str(copy))
    dialog.close()
    finish_tasks(window)
    store = window.controller.store
    assert same(window.document, SMALL) and store.modified and store.path is None and copy.exists()
    copy.write_bytes(copy.read_bytes()[:-30])
    before = window.document
    window.take_files([copy])
    press(box(window, "unsaved"), "Discard")
    assert box(window, "alert").text().startswith(f"x{suffix} is damaged")
    box(window, "alert").close()
    assert window.document is before
    started = create_window(SMALL, tmp_path, modified=True)
    assert started.controller.store.modified and started.controller.store.path is None
    discard(started)
    started.deleteLater()


@pytest.mark.slow
def test_revert_is_one_step_and_asks_first(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    window = make(SMALL, wait=False)
    assert not window.named_actions["revert"].isEnabled()
    controller, store = window.controller, window.controller.store
    assert file_work.save(controller, path)
    saved = window.document
    controller.set_notes("other")
    edit(window)
    edited = window.document
    window.refresh()
    assert window.named_actions["revert"].isEnabled()
    act(window, "revert")
    press(box(window, "revert"), "Cancel")
    assert window.document is edited
    QApplication.sendPostedEvents(None, 52)
    act(window, "revert")
    press(box(window, "revert"), "Revert")
    assert same(window.document, replace(saved, view=window.document.view)) and not store.modified
    assert store.undo_name == "Revert to the file"
    controller.undo()
    assert same(window.document, replace(edited, view=window.document.view)) and store.modified
    controller.redo()
    assert not store.modified
    steps = len(store.history)
    act(window, "revert")
    assert len(store.history) == steps and boxes(window) == []
    path.write_bytes(documents.encode(default_document()))
    act(window, "revert")
    assert len(window.document.points) == 200 and not store.modified
    edit(window)
    act(window, "save")
    assert boxes(window) == [], "what was read by reverting is known"
    path.write_bytes(b"{")
    before = window.document
    assert not file_work.revert(controller, window.alert) and window.document is before
    box(window, "alert").close()


def drop(window: QWidget, *paths: Path) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, left, none)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        event = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, left, none)
        QApplication.sendEvent(window, event)
    return enter.isAccepted()


def test_dropped_files(make: Make, tmp_path: Path) -> None:
    path, table = tmp_path / "mine.PLAYGROUND", tmp_path / "iris.txt"
    path.write_bytes(documents.encode(SMALL))
    table.write_text("1 2 3")
    window = make(wait=False)
    assert not drop(window)
    edit(window)
    assert drop(window, path)
    press(box(window, "unsaved"), "Discard")
    assert window.controller.store.path == path and len(window.document.points) == 3
    imported: list[Path] = []
    window.import_export.import_file = imported.append
    viewport = window.canvases[0].viewport()
    assert drop(viewport, table) and imported == [table] and window.controller.store.path == path
    assert "taken" not in window.status_line.text()
    assert drop(viewport, table, path) and imported == [table, table]
    assert window.status_line.text().startswith("Only iris.txt is taken, not 1 other file: drop them one by one.")


@pytest.mark.parametrize(
    "content", first_of([json.dumps({"format": "classifier-playground", "version": 7}).encode(), b"{", b""], 1)
)
def test_a_bad_file_dropped_changes_nothing(make: Make, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.playground"
    path.write_bytes(content)
    window = make(SMALL, wait=False)
    edit(window)
    before = window.document
    drop(window, path)
    press(box(window, "unsaved"), "Discard")
    assert box(window, "alert").text().startswith("bad.playground is ")
    assert window.document is before and window.controller.store.modified and path.read_bytes() == content
    box(window, "alert").close()


def test_texts_of_dialogs_are_plain(make: Make, tmp_path: Path) -> None:
    """A file may be called <b>."""
    path = tmp_path / "<b>x<b>.playground"
    playground_files.write(SMALL, path)
    window = make(wait=False)
    window.take_files([path])
    finish_tasks(window)
    edit(window)
    window.close()
    labels = [label.text() for label in box(window, "unsaved").findChildren(QLabel)]
    assert "Save the changes to <b>x<b>.playground first?" in labels
    assert box(window, "unsaved").textFormat() == Qt.TextFormat.PlainText
    press(box(window, "unsaved"), "Cancel")
