"""A closed window is deleted, with everything that was open in it; many of them leave no memory behind."""

from __future__ import annotations

import gc
import os
import weakref
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDockWidget, QMenu
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.features.ground_truth.controller import GroundTruthController
from app.features.ground_truth.model import GroundTruthSession
from app.features.table import FEATURES
from app.main import create_window
from app.state.commands import AddPoints
from app.window.dock_manager import docks
from app.window.main_window import MainWindow
from tests.app.views.test_leaks import delete_now
from tests.windows import settle

LINUX = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory as Linux tells it")


def full_life(qtbot: QtBot, folder: Path) -> weakref.ref[MainWindow]:
    """Open a window with everything that can be open, then close and release it."""
    window = create_window(None, folder)
    window.resize(1100, 760)
    window.show()
    controller = window.controller
    for spec in docks(FEATURES):
        window.dock_manager.panel(spec.name)
        window.findChild(QDockWidget, f"dock.{spec.name}").show()
    for _ in range(2):
        controller.lanes.add(1)
    window.named_actions["classes"].trigger()
    window.ask_picture()
    window.named_actions["help"].trigger()
    window.findChild(QMenu, "recent").aboutToShow.emit()
    window.import_export.ask_import()
    QApplication.clipboard().setText("1,2\n3,4\n")
    window.import_export.import_clipboard()
    controller.dispatch(AddPoints(xy=(0.1, 0.2), labels=0))
    window.file_dialogs.unless_unsaved(lambda: None)
    window.file_dialogs.ask_save()
    window.alert("Something.")
    settle(qtbot, window, 60_000)
    window.findChild(QDockWidget, "dock.notes").raise_()  # its pending work finds the window deleted
    controller.store.reset(window.document, None)
    assert window.close()
    window.deleteLater()
    return weakref.ref(window)


def closed_windows(qtbot: QtBot, folder: Path, number: int) -> list[float]:
    """Return the memory (MB) after each of `count` windows; all parts of a window must be deleted with it."""
    sizes, counts = [], set()
    for turn in range(number):
        gone = full_life(qtbot, folder)

        def collected(gone: weakref.ref[MainWindow] = gone) -> bool:
            delete_now()
            gc.collect()
            return gone() is None

        collected()
        if turn:  # objects of the first window may be frozen for the collector
            qtbot.waitUntil(collected)  # a reading thread may still be ending
            counts.add(len(QApplication.allWidgets()))
            assert len(counts) == 1, "as many widgets as before"
        sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6)
    return sizes


@pytest.mark.slow
@LINUX
def test_a_closed_window_is_deleted(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    closed_windows(qtbot, tmp_path, 3)


def test_a_panel_beside_a_closed_window_goes_without_an_error(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    """It still is on screen when the window is deleted, commands first; hiding then ends what it was doing."""
    window = create_window(None, tmp_path)
    window.show()
    controller, dock = window.controller, window.findChild(QDockWidget, "dock.truth")
    window.dock_manager.panel("truth")
    dock.show()
    dock.setFloating(True)
    settle(qtbot, window, 60_000)
    controller.feature(GroundTruthController).keep_drawing_fresh(True)
    assert window.close()
    window.deleteLater()
    with qtbot.captureExceptions() as errors:
        delete_now()
    assert not errors and not isValid(dock)
    assert not controller.session.of(GroundTruthSession).fresh_going, "it was hidden last"


@pytest.mark.soak
@LINUX
def test_a_hundred_closed_windows_leave_no_memory(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    sizes = closed_windows(qtbot, tmp_path, 100)
    assert min(sizes[-10:]) < min(sizes[10:20]) + 30, f"it was 20 MB for each: {[round(size) for size in sizes]}"
