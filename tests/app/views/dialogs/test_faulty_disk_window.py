"""A window whose disk fails at any moment: documents stay complete, failures are reported, and work continues."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from app.files import documents, recovery
from app.main import create_window
from app.state.commands import AddPoints
from app.state.document import default_document
from app.views.widgets import icons
from app.window.dialogs.recovery import RecoveryDialog
from app.window.main_window import MainWindow
from tests import playground_files
from tests.app import file_work
from tests.app.files.faulty_disk import CODES, FaultyDisk, Tally
from tests.app.views.dialogs.test_recovery import SMALL, choose, same
from tests.windows import Make, discard, save_as, settle

OTHER = documents.encode(replace(default_document(), notes="other"))
COPY = b'{"time": 1, "points": 3, "version": 2}\n' + documents.encode(SMALL)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names and locks of POSIX")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INTERVAL", "DELAY", "RETRY", "PATIENCE"):
        monkeypatch.setattr(recovery, name, 0.0 if name != "RETRY" else 0.05)


def alerts(window: MainWindow) -> list[str]:
    """Read and close the message boxes in front of `window`; return their sentences."""
    boxes = standing(window)
    texts = [each.text() for each in boxes]
    for each in boxes:
        each.button(QMessageBox.StandardButton.Close).click()
    QApplication.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
    for text in texts:
        assert text.endswith(".") and "\n" not in text and "Error" not in text
    return texts


def an_hour(window: MainWindow, qtbot: QtBot, folder: Path) -> tuple[bool, bool]:
    """Do all actions on files, once; return whether the copy was recovered, and whether the document was saved."""
    mine, other = folder / "mine.playground", folder / "other.playground"
    store = window.controller.store
    window.show()
    QApplication.processEvents()
    alerts(window)
    recovered = False
    dialog = window.findChild(RecoveryDialog)
    if dialog is not None and dialog.isVisible():
        choose(dialog, "recover")
        recovered = not alerts(window)
        assert recovered == same(window.document, SMALL)
        store.reset(window.document, store.path)
    before = window.document
    window.take_files([other])
    qtbot.waitUntil(lambda: store.path == other or bool(standing(window)))
    opened = not alerts(window)
    assert opened == (store.path == other) == (window.document.notes == "other") == (window.document is not before)
    window.controller.dispatch(AddPoints(xy=(3.0, 3.0), labels=1))
    save_as(window, mine)
    qtbot.waitUntil(lambda: not store.modified or bool(standing(window)))
    saved = not alerts(window)
    assert saved != store.modified
    window.findChild(QMenu, "recent").aboutToShow.emit()
    window.appearance.choose_theme("dark")
    file_work.export(window.controller, folder / "points.csv", window.alert)
    alerts(window)
    return recovered, saved


def standing(window: MainWindow) -> list[QMessageBox]:
    """Return the message boxes in front of `window`."""
    return [each for each in window.findChildren(QMessageBox) if each.isVisible()]


def campaign(qtbot: QtBot, folder: Path, tally: Tally, codes: tuple[int, ...], step: int) -> None:
    mine, other, profile = folder / "mine.playground", folder / "other.playground", folder / "profile"

    def prepare() -> None:
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (profile / "recovery").mkdir(parents=True)
        (profile / "recovery" / "left.recovery").write_bytes(COPY)
        (profile / "settings.json").write_text(json.dumps({"theme": "light", "recent": [str(other)]}))
        mine.write_bytes(OTHER)
        other.write_bytes(OTHER)

    def act(disk: FaultyDisk) -> None:
        with qtbot.captureExceptions() as exceptions:
            with disk:
                window = create_window(None, profile, None)
                recovered, saved = an_hour(window, qtbot, folder)
            now = mine.read_bytes()
            assert other.read_bytes() == OTHER and now in (OTHER, documents.encode(window.document))
            assert not saved or now != OTHER
            if not recovered:
                assert (profile / "recovery" / "left.recovery").read_bytes() == COPY
            window.controller.dispatch(AddPoints(xy=(4.0, 4.0), labels=2))
            assert file_work.save(window.controller, mine) and same(playground_files.read(mine), window.document)
            assert file_work.export(window.controller, folder / "points.csv")
            for dialog in window.findChildren(QDialog):
                dialog.close()
            discard(window)
            window.deleteLater()
            QApplication.processEvents()
        assert not exceptions, exceptions
        assert [path.name for path in folder.glob(".*")] == [], "the next save sweeps"

    tally.every_fault("a window's hour", folder, prepare, act, codes, step)


@pytest.mark.slow
def test_a_window_whose_disk_fails(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    tally = Tally()
    campaign(qtbot, tmp_path / "disk", tally, CODES[:1], 180)
    assert tally.counts.total() >= 3


def too_many(*args: object, **named: object) -> None:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def test_icons_that_cannot_be_read_cost_no_picture(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    forget = icons._source.cache_clear
    forget()
    with monkeypatch.context() as patched:
        patched.setattr(icons, "ICONS", Path("/nowhere"))
        window = make(SMALL)
        assert window.named_actions["new"].icon().isNull() and window.result(0) is not None
    window.appearance.choose_theme("dark")
    settle(qtbot, window)
    assert not window.named_actions["new"].icon().isNull()
    forget()
    monkeypatch.setattr(Path, "read_text", too_many)
    window.appearance.choose_theme("light")
    settle(qtbot, window)
    assert not window.named_actions["new"].icon().isNull(), "the one of before"


@pytest.mark.soak
def test_a_window_whose_disk_fails_in_every_operation(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = Tally()
    campaign(qtbot, tmp_path / "disk", tally, CODES, 3)
    with capsys.disabled():
        print(f"\n{tally.table()}")
