"""Fixtures of the window tests: one application, windows with a profile of their own, and waiting until idle."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QCursor, QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.controllers.controller import Controller
from app.engine import scheduler
from app.engine.frames import Frame
from app.features.lessons import view_stage
from app.features.lessons.model import ENGLISH
from app.main import create_window
from app.state.document import Document
from app.views.application import make_application
from app.window.main_window import MainWindow
from solver.warmup import compile_all

Make = Callable[..., MainWindow]


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    scheduler.PAUSE = 0.01  # the pause after each edit is for drags, and would only slow the tests
    view_stage.system_language = lambda: ENGLISH  # on every machine
    compile_all()
    return make_application()


class QuickBot(QtBot):
    """A `QtBot` that checks conditions every 2 ms instead of every 10 ms."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = 300_000) -> None:
        """Wait until `callback` returns True or None; the default timeout allows for a busy machine."""
        deadline = time.monotonic() + timeout / 1000
        loop, again = QEventLoop(), QTimer(interval=2)
        again.timeout.connect(loop.quit)
        again.start()
        try:
            while True:
                late, reason = time.monotonic() > deadline, None
                try:
                    if callback() in (None, True):
                        return
                except AssertionError as error:
                    reason = error
                if late:
                    raise TimeoutError(f"waitUntil timed out in {timeout} milliseconds") from reason
                loop.exec()
        finally:
            again.stop()  # here, because another reference to this frame could end the timer in another thread


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[QuickBot]:
    before = QFont(qapp.font())
    yield QuickBot(request)
    qapp.setFont(before)  # windows set the size of their text for the whole application


def settle(qtbot: QtBot, window: MainWindow, timeout: int = 300_000) -> None:
    """Wait until nothing is running and the last frame is painted."""
    qtbot.waitUntil(window.idle, timeout=timeout)


def finish_layout() -> None:
    """Wait until the layout is done."""
    for _ in range(4):
        QApplication.processEvents()


def finish_tasks(window: MainWindow, timeout: float = 300.0) -> None:
    """Wait until all tasks on files and the clipboard are done."""
    deadline = time.monotonic() + timeout
    while window.tasks.busy:
        assert time.monotonic() < deadline, "a task does not end"
        QApplication.processEvents()
        time.sleep(0.0005)  # for its thread


def control(window: MainWindow, name: str) -> QWidget:
    """Return a control by its name; that of a form which was never open is made."""
    found: QWidget | None = window.findChild(QWidget, name)
    lane = name.partition(".")[0].removeprefix("lane")
    if found is None and lane.isdigit():
        window.refreshing.flush()
        assert window.scene is not None
        opened = replace(window.scene.lanes[int(lane)], settings_open=True)
        window.lanes_view.settings.forms[int(lane)].render_scene(opened, window.scene.shown)
        found = window.findChild(QWidget, name)
    assert found is not None, name
    return found


def choose_entry(window: MainWindow, button: str, name: str) -> None:
    """Open the menu of a button, and click its entry `name`."""
    opener, entry = window.findChild(QWidget, button), window.findChild(QAction, name)
    assert opener is not None and opener.isVisible() and entry is not None and entry.isEnabled(), name
    QTest.mouseClick(opener, Qt.MouseButton.LeftButton)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and entry in menu.actions(), name
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
    assert not menu.isVisible(), "the menu has gone away"


def open_settings(window: MainWindow, *lanes: int) -> None:
    """Open the panel with the settings of these classifiers, one after the other."""
    for lane in lanes:
        window.controller.lanes.select(lane)
        if "settings" not in window.controller.session.open_panels:
            window.dock_manager.toggle("settings")
        window.refresh()
        QApplication.sendPostedEvents()


def is_visible(window: MainWindow, name: str) -> bool:
    """Return whether a control is visible; one that was never in sight is not even made."""
    found = window.findChild(QWidget, name)
    return found is not None and found.isVisible()


def save_as(window: MainWindow, path: Path) -> None:
    """Choose `path` in the dialog that asks where to save."""
    window.file_dialogs.ask_save()
    dialog = window.findChild(QFileDialog, "save_as")
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)


def post_late(window: MainWindow, frame: Frame) -> None:
    """Deliver a frame that was overtaken while it was computed."""
    window.scheduler._mailbox.post(frame)


@pytest.fixture
def make(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Make]:
    """Return ``make(document)``, which shows a window and waits for its training; afterwards no thread may be left."""
    windows: list[MainWindow] = []
    prefer_simple = Controller.prefer_simple

    def build(
        document: Document | None = None, wait: bool = True, size: tuple[int, int] = (1100, 760), simple: bool = False
    ) -> MainWindow:
        QCursor.setPos(QPoint(5000, 5000))  # away from the window, where it would draw its brush
        with pytest.MonkeyPatch.context() as patched:  # most tests need what Simple hides, from the first drawing on
            patched.setattr(Controller, "prefer_simple", lambda each, _: prefer_simple(each, simple))
            window = create_window(document, tmp_path)
        windows.append(window)
        window.resize(*size)
        window.show()
        qtbot.waitExposed(window)
        if wait:
            settle(qtbot, window)
        return window

    yield build
    for window in windows:
        discard(window)
        window.deleteLater()
    windows.clear()
    qapp.processEvents()
    delete_closed()
    for stray in QApplication.topLevelWidgets():  # of a test that failed
        if isinstance(stray, MainWindow):
            discard(stray)
            stray.deleteLater()
    delete_closed()
    assert not [each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)]
    ours = ("compute", "recovery", "task")
    threads = [thread for thread in threading.enumerate() if thread.name.startswith(ours)]
    for thread in threads:
        if thread.name == "task":  # it was cancelled, and ends after its present piece
            thread.join(300)
    left = [thread.name for thread in threads if thread.is_alive()]
    assert not left, f"threads left behind: {left}"
    assert not [path for folder in ("open", "recovery") for path in tmp_path.glob(f"{folder}/*.lock")]


def delete_closed() -> None:
    """Delete what `deleteLater` was called for: with no event loop around the tests, Qt leaves it there for good."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def discard(window: MainWindow) -> None:
    """Close the window without the question about unsaved changes."""
    finish_tasks(window)
    window.controller.put_back()
    window.controller.store.reset(window.document, None)
    assert window.close()
