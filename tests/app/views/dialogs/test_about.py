"""Help > About: its versions are right, its folders open, and the copied text has nothing of the user's but folders."""

from __future__ import annotations

import getpass
import platform
import socket
from importlib.metadata import version
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl, qVersion
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from app import __version__
from app.core import log
from app.files import licences
from tests.windows import Make


def test_about_lists_versions_and_opens_folders(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[QUrl] = []
    works = [True]
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url) or works[0])
    window = make()
    window.controller.set_notes("my secret notes")
    window.named_actions["about"].trigger()
    window.named_actions["about"].trigger()
    (dialog,) = (each for each in window.findChildren(QDialog, "about") if each.isVisible())
    buttons = {button.objectName(): button for button in dialog.findChildren(QPushButton) if button.objectName()}
    expected = {"settings": tmp_path, "unsaved_work": window.safekeeping.folder, "log": tmp_path, "machine_code": None}
    for name, folder in expected.items():
        button = buttons[f"about.open_{name}"]
        if folder is not None and not folder.is_dir():
            assert not button.isEnabled()
            continue
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert opened and Path(opened[-1].toLocalFile()).is_dir()
        if folder is not None:
            assert Path(opened[-1].toLocalFile()) == folder
    assert "compiled-" in opened[-1].toLocalFile()
    works[0] = False  # no program here opens folders
    qtbot.mouseClick(buttons["about.open_log"], Qt.MouseButton.LeftButton)
    purpose = dialog.findChild(QLabel, "about.purpose")
    assert purpose.isVisible() and "watch" in purpose.text() and purpose.text().count(".") == 1
    private = dialog.findChild(QLabel, "about.private")
    assert "No program here opens folders" in private.text() and str(tmp_path) in private.text()

    qtbot.mouseClick(buttons["about.copy"], Qt.MouseButton.LeftButton)
    assert private.text().startswith("Copied.") and "folders" in private.text()
    report = dict(line.split(": ", 1) for line in QApplication.clipboard().text().splitlines())
    assert report["Classifier Playground"] == __version__
    assert report["Python"] == platform.python_version() and report["Qt"] == qVersion()
    for package in ("numpy", "numba"):
        assert report[package] == version(package)
    assert report["PySide6"] == version("PySide6_Essentials")
    assert platform.machine() in report["Platform"] and "offscreen" in report["Platform"]
    assert report["Settings in"] == str(tmp_path) and report["Log in"] == str(log.path().parent)
    assert report["Unsaved work in"] == str(window.safekeeping.folder)
    shown = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert all(value in shown for value in report.values())
    bare = "\n".join(value for name, value in report.items() if not name.endswith(" in"))
    for private_word in (getpass.getuser(), socket.gethostname(), str(Path.home()), "secret"):
        assert len(private_word) < 4 or private_word not in bare
    qtbot.mouseClick(buttons["about.licences"], Qt.MouseButton.LeftButton)
    terms = dialog.findChild(QPlainTextEdit, "licences.text").toPlainText()
    assert terms == licences.notice() and "LGPL" in terms and f"numpy {version('numpy')}" in terms
    dialog.close()


def test_about_is_read_and_left_by_keys(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.named_actions["about"].trigger()
    dialog = window.findChild(QDialog, "about")
    qtbot.waitUntil(dialog.isActiveWindow)
    found = set()
    for _ in range(40):
        focused = QApplication.focusWidget()
        if focused is not None:
            found.add(focused.accessibleName() or focused.objectName())
        qtbot.keyClick(focused or dialog, Qt.Key.Key_Tab)
    assert {"Versions and folders", "Open the folder: Settings", "Copy details for a report"} <= found
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not window.findChildren(QDialog, "about") or not dialog.isVisible()
