"""A long visit leaves nothing: random actions through the real window, then no thread, timer, window or error."""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app import files, recovery
from app.main import create_window
from app.tools import TOOLS
from app.views.docks import PANELS
from app.views.window import MainWindow

from .conftest import settle

#: Actions that end the visit, or change the size of everything on a screen of 800 pixels.
LEFT_OUT = ("quit", "full_screen", "larger", "smaller")


class Visitor:
    """Does what a hand may do, by chance; the same seed does the same."""

    def __init__(self, window: MainWindow, folder: Path, seed: int) -> None:
        self.window = window
        self.controller = window._controller
        self.rng = random.Random(seed)
        self.paths = [folder / f"{name}.playground" for name in "ab"]
        (folder / "bad.playground").write_bytes(b"{")
        self.bad = folder / "bad.playground"
        for path in self.paths:
            files.write(window.document, path)

    def place(self, canvas: QWidget) -> QPoint:
        area = canvas.plot_area()
        x, y = self.rng.uniform(area.left(), area.right() - 1), self.rng.uniform(area.top(), area.bottom() - 1)
        return QPoint(int(x), int(y))

    def pointer(self) -> None:
        canvas = self.window.canvases[self.rng.randrange(self.window.document.shown)]
        button = self.rng.choice([Qt.MouseButton.LeftButton] * 4 + [Qt.MouseButton.RightButton])
        view, start = canvas.viewport(), self.place(canvas)
        QTest.mousePress(view, button, pos=start)
        for _ in range(self.rng.randrange(4)):
            QTest.mouseMove(view, self.place(canvas))
            QApplication.processEvents()
        if self.rng.random() < 0.1:
            self.controller.editing.escape()
        QTest.mouseRelease(view, button, pos=self.place(canvas))

    def menu(self) -> None:
        names = [name for name, action in self.window._actions.items() if action.isEnabled() and name not in LEFT_OUT]
        self.window._actions[self.rng.choice(names)].trigger()

    def key(self) -> None:
        key = self.rng.choice([Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Delete])
        QTest.keyClick(self.window.canvases[0], key)

    def settings(self) -> None:
        lane = self.rng.randrange(self.window.document.shown)
        self.controller.set_lane(lane, classifier=self.rng.choice(["knn", "svm", "svm", "perceptron", "pegasos"]))
        self.controller.set_lane(lane, "svm", trainer=self.rng.choice(["smo", "smo", "lasvm", "dual-ascent"]))
        kernel = self.rng.choice(["rbf", "linear", "poly", "laplacian"])
        self.controller.set_lane(lane, "svm", C=10 ** self.rng.uniform(-1, 1), kernel=kernel)
        self.controller.set_lane(lane, "knn", n_neighbors=self.rng.randrange(1, 9))

    def run(self) -> None:
        lane, transport = self.rng.randrange(self.window.document.shown), self.controller.transport
        what = self.rng.randrange(6)
        if what == 0:
            transport.toggle(lane)
        elif what == 1:
            transport.seek(lane, self.rng.randrange(200))
        elif what == 2:
            transport.step(lane, self.rng.choice([-1, 1]))
        elif what == 3:
            transport.to_change(lane, self.rng.random() < 0.5)
        elif what == 4:
            transport.set_speed(lane, self.rng.randrange(11))
        else:
            transport.to_end(lane)

    def tool(self) -> None:
        self.controller.editing.choose(self.rng.choice(list(TOOLS)))
        self.controller.set_class(self.rng.randrange(8))

    def theme(self) -> None:
        self.window.choose_theme(self.rng.choice(["light", "dark", "system"]))

    def file(self) -> None:
        what = self.rng.randrange(4)
        if what == 0:
            self.controller.save(self.rng.choice(self.paths))
        elif what == 1:
            self.window.take_file(self.rng.choice([*self.paths, self.bad]))
        elif what == 2:
            self.controller.go_to(self.rng.randrange(20))
        else:
            self.window._safekeeping._offer()

    def answer(self) -> None:
        """Whatever has been asked is answered at once, by any of its buttons."""
        for dialog in self.window.findChildren(QDialog):
            if not dialog.isVisible():
                continue
            if isinstance(dialog, QMessageBox):
                self.rng.choice(dialog.buttons()).click()
            else:
                dialog.reject()

    def act(self) -> None:
        acts = [self.pointer] * 8 + [self.menu] * 4 + [self.key] * 2
        self.rng.choice([*acts, self.settings, self.run, self.run, self.tool, self.theme, self.file, self.file])()
        QApplication.processEvents()
        for _ in range(4):  # an answer may lead to another question
            self.answer()
        QApplication.processEvents()
        if len(self.window.document.points) > 1500:  # what generating and brushing add up to
            self.controller.clear()


def timers() -> int:
    windows = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
    return sum(len(window.findChildren(QTimer)) for window in windows)


def delete_now() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()


def visit(qtbot: QtBot, folder: Path, seed: int, actions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "INTERVAL", 0.05)
    monkeypatch.setattr(recovery, "DELAY", 0.02)
    errors: list[object] = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    delete_now()
    threads_before = set(threading.enumerate())
    windows_before = {id(widget) for widget in QApplication.topLevelWidgets()}
    window = create_window(None, folder)
    window.resize(1100, 760)
    window.show()
    qtbot.waitExposed(window)
    settle(qtbot, window)
    visitor = Visitor(window, folder, seed)
    for spec in PANELS:  # made when they are first opened, and kept
        window._side._panel(spec.name)
    for _ in range(2):  # as the parts of a third and a fourth lane are
        window._controller.lanes.add(1)
    window._refresh()
    for _ in range(2):
        window._controller.undo()
    settle(qtbot, window)
    delete_now()
    timers_before, children_before = timers(), len(window.findChildren(QWidget))
    for number in range(actions):
        visitor.act()
        assert not errors, f"action {number}: {errors}"
        for index in range(len(window._scene.lanes)):
            assert "internal error" not in window._scene.lanes[index].message
    visitor.answer()
    window._controller.editing.cancel()
    window._controller.editing.choose("pointer")
    for lane in range(window.document.shown):
        window._controller.transport.to_end(lane)
        window._controller.transport.set_speed(lane, 99)
    window._controller.set_session(playing=(True,) * 4, strips=False, haze=False, throwing=False)
    if window._race.race is not None:
        window._race.race.close()
    settle(qtbot, window, 60_000)
    delete_now()
    assert timers() == timers_before
    assert len(window.findChildren(QWidget)) < children_before + 30, "dialogs and menus go when they are closed"
    window._controller.store.reset(window.document, None)
    assert window.close()
    window.deleteLater()
    qtbot.wait(50)
    delete_now()
    left = [thread.name for thread in set(threading.enumerate()) - threads_before if thread.name != "compile"]
    assert not left and not errors
    found = [widget for widget in QApplication.topLevelWidgets() if id(widget) not in windows_before]
    assert not [widget for widget in found if widget.isVisible() or isinstance(widget, MainWindow | QDialog)]
    assert list(folder.glob("recovery/*")) == [] and list(folder.glob("open/*")) == []
    names = sorted(path.name for path in folder.glob("*.playground"))
    assert names == ["a.playground", "b.playground", "bad.playground"]
    for path in visitor.paths:
        files.read(path)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_visit_leaves_nothing(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit(qtbot, tmp_path, seed, 90, monkeypatch)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 16))
def test_a_long_visit_leaves_nothing(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit(qtbot, tmp_path, seed, 1500, monkeypatch)
