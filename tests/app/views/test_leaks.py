"""A long visit leaves no leaks and no freezes: random actions in the real window, under a watchdog."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QGridLayout, QMessageBox, QWidget, QWidgetItem
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from app.features.table import FEATURES
from app.files import recovery
from app.main import create_window
from app.tools import TOOLS
from app.window.dock_manager import docks
from app.window.lane.lane_form import LaneForm
from app.window.main_window import MainWindow
from app.window.picture_menu import PictureMenu
from tests import playground_files
from tests.app import file_work
from tests.app.views.watchdog import Watchdog
from tests.windows import Make, settle

#: Actions that end the visit, or change the size of everything on a screen of 800 pixels.
LEFT_OUT = ("quit", "full_screen", "larger", "smaller")
#: Durations (s) from which a pause of the window is noted, and counts as a freeze; memory (bytes) that a visit may add.
#: Presenter mode of a window with every panel open and four lanes takes 0.14 to 0.17 s of a processor.
NOTED, FREEZE, MOST_GROWTH = 0.15, 1.0, 400_000_000


class Visitor:
    """Does random actions of a user; the same seed does the same."""

    def __init__(self, window: MainWindow, folder: Path, seed: int) -> None:
        self.window = window
        self.controller = window.controller
        self.rng = random.Random(seed)
        self.paths = [folder / f"{name}.playground" for name in "ab"]
        (folder / "bad.playground").write_bytes(b"{")
        self.bad = folder / "bad.playground"
        self.events = 0
        for path in self.paths:
            playground_files.write(window.document, path)

    def location(self, canvas: QWidget) -> QPoint:
        area = canvas.plot_area()
        x, y = self.rng.uniform(area.left(), area.right() - 1), self.rng.uniform(area.top(), area.bottom() - 1)
        return QPoint(int(x), int(y))

    def pointer(self) -> None:
        canvas = self.window.canvases[self.rng.randrange(self.window.document.shown)]
        button = self.rng.choice([Qt.MouseButton.LeftButton] * 4 + [Qt.MouseButton.RightButton])
        view, start = canvas.viewport(), self.location(canvas)
        QTest.mousePress(view, button, pos=start)
        moves = self.rng.randrange(4)
        self.events += moves + 2
        for _ in range(moves):
            QTest.mouseMove(view, self.location(canvas))
            QApplication.processEvents()
        if self.rng.random() < 0.1:
            self.controller.editing.escape()
        QTest.mouseRelease(view, button, pos=self.location(canvas))
        menu = QApplication.activePopupWidget()
        if isinstance(menu, PictureMenu):
            self.rng.choice([each for each in menu.actions() if each.menu() is None]).trigger()
            menu.close()

    def wheel(self) -> None:
        """Turn the wheel, now and then by very many notches: the drawing is then stretched beyond measure."""
        canvas = self.window.canvases[self.rng.randrange(self.window.document.shown)]
        at = QPointF(self.location(canvas))
        notches = self.rng.choice([1, 1, 2, 3, 24, 60])
        self.events += notches
        turn = QPoint(0, self.rng.choice([-120, 120]))
        for _ in range(notches):
            QApplication.sendEvent(
                canvas.viewport(),
                QWheelEvent(
                    at,
                    canvas.mapToGlobal(at),
                    QPoint(),
                    turn,
                    Qt.MouseButton.NoButton,
                    Qt.KeyboardModifier.NoModifier,
                    Qt.ScrollPhase.NoScrollPhase,
                    False,
                ),
            )
            if self.rng.random() < 0.3:
                QApplication.processEvents()
        if self.rng.random() < 0.5:
            self.controller.fit()

    def menu(self) -> None:
        names = [
            name for name, action in self.window.named_actions.items() if action.isEnabled() and name not in LEFT_OUT
        ]
        self.window.named_actions[self.rng.choice(names)].trigger()

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
        lane, playback = self.rng.randrange(self.window.document.shown), self.controller.playback
        what = self.rng.randrange(6)
        if what == 0:
            playback.toggle(lane)
        elif what == 1:
            playback.seek(lane, self.rng.randrange(200))
        elif what == 2:
            playback.step(lane, self.rng.choice([-1, 1]))
        elif what == 3:
            playback.to_change(lane, self.rng.random() < 0.5)
        elif what == 4:
            playback.set_speed(lane, self.rng.randrange(11))
        else:
            playback.to_end(lane)

    def tool(self) -> None:
        self.controller.editing.choose(self.rng.choice(list(TOOLS)))
        self.controller.set_class(self.rng.randrange(8))

    def theme(self) -> None:
        self.window.appearance.choose_theme(self.rng.choice(["light", "dark", "system"]))

    def file(self) -> None:
        what = self.rng.randrange(4)
        if what == 0:
            file_work.save(self.controller, self.rng.choice(self.paths))
        elif what == 1:
            self.window.take_files([self.rng.choice([*self.paths, self.bad])])
        elif what == 2:
            self.controller.go_to(self.rng.randrange(20))
        else:
            self.window.safekeeping._offer()

    def answer(self) -> None:
        """Answer every open question at once, by any of its buttons."""
        for dialog in self.window.findChildren(QDialog):
            if not dialog.isVisible():
                continue
            if isinstance(dialog, QMessageBox):
                self.rng.choice(dialog.buttons()).click()
            else:
                dialog.reject()

    def act(self) -> None:
        self.events += 1
        acts = [self.pointer] * 8 + [self.menu] * 4 + [self.key] * 2 + [self.wheel] * 2
        self.rng.choice([*acts, self.settings, self.run, self.run, self.tool, self.theme, self.file, self.file])()
        QApplication.processEvents()
        for _ in range(4):  # an answer may lead to another question
            self.answer()
        QApplication.processEvents()
        if len(self.window.document.points) > 1500:  # the sum of generating and brushing
            self.controller.clear()


def timers() -> int:
    windows = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
    return sum(len(window.findChildren(QTimer)) for window in windows)


def delete_now() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()


def resident() -> int:
    """Return the memory of this process at present (bytes)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def visit(
    qtbot: QtBot, folder: Path, seed: int, actions: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[Watchdog, int, int]:
    """Do so many `actions`; returns what the watchdog saw, how many events that were, and how many bytes it added.

    Much is made when it is first needed, and kept (a race's pictures, the menu of a picture), so widgets are counted in
    the middle and at the end.
    """
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
    for spec in docks(FEATURES):  # made when they are first opened, and kept
        window.dock_manager.panel(spec.name)
    for _ in range(2):  # also those of a third and a fourth lane
        window.controller.lanes.add(1)
    window.refresh()
    for _ in range(2):
        window.controller.undo()

    def parts() -> tuple[int, int]:
        """Return the numbers of timers and widgets while nothing is done."""
        visitor.answer()
        window.controller.editing.cancel()
        window.controller.editing.choose("pointer")
        for lane in range(window.document.shown):
            window.controller.playback.to_end(lane)
            window.controller.playback.set_speed(lane, 99)
        window.controller.set_session(playing=(True,) * 4, features=())
        settle(qtbot, window, 60_000)
        delete_now()
        return timers(), len(window.findChildren(QWidget))

    dog, memory_before = Watchdog(NOTED), resident()
    dog.start()
    for number in range(actions):
        if number == actions // 2:
            timers_half, widgets_half = parts()
        visitor.act()
        assert not errors, f"action {number}: {errors}"
        for index in range(len(window.scene.lanes)):
            assert "internal error" not in window.scene.lanes[index].message
    dog.stop()
    timers_end, widgets_end = parts()
    assert timers_end == timers_half
    assert widgets_end < widgets_half + 30, "dialogs and menus go when they are closed"
    window.controller.store.reset(window.document, None)
    assert window.close()
    window.deleteLater()
    qtbot.waitUntil(lambda: all(thread.name == "compile" for thread in set(threading.enumerate()) - threads_before))
    delete_now()
    assert not errors
    found = [widget for widget in QApplication.topLevelWidgets() if id(widget) not in windows_before]
    assert not [widget for widget in found if widget.isVisible() or isinstance(widget, MainWindow | QDialog)]
    assert list(folder.glob("recovery/*")) == [] and list(folder.glob("open/*")) == []
    names = sorted(path.name for path in folder.glob("*.playground"))
    assert names == ["a.playground", "b.playground", "bad.playground"]
    for path in visitor.paths:
        playground_files.read(path)
    return dog, visitor.events, resident() - memory_before


def test_forms_laid_out_anew_leave_no_references_to_deleted_items(make: Make) -> None:
    """When their memory was reused, points were no longer drawn, or the process ended."""
    window = make()
    forms = window.findChildren(LaneForm)
    grids = [grid for form in forms for grid in form.findChildren(QGridLayout)]
    assert grids
    for classifier in ("svm", "knn", "perceptron", "pegasos", "knn"):
        window.controller.set_lane(0, classifier=classifier)
        window.refresh()
        delete_now()
        items = [Shiboken.dump(each) for each in Shiboken.getAllValidWrappers() if type(each) is QWidgetItem]
        assert not [item for item in items for grid in grids if f"QGridLayout at {id(grid):#x}>" in item]


@pytest.mark.slow
def test_a_visit_leaves_nothing(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit(qtbot, tmp_path, 1, 25, monkeypatch)


def test_the_watchdog_barks(qapp: QApplication, qtbot: QtBot) -> None:
    """It reports a deliberate stop, waiting or busy, and where; it ignores an idle window."""

    def wait_on_purpose() -> None:
        threading.Event().wait(0.17)
        while not dog.watches:  # its thread has to get a processor first
            threading.Event().wait(0.01)

    def work_on_purpose() -> None:
        end = time.thread_time() + 0.17
        while time.thread_time() < end or not dog.watches:
            pass

    dog = Watchdog(NOTED)
    dog.start()
    for stop, name in ((wait_on_purpose, "wait_on_purpose"), (work_on_purpose, "work_on_purpose")):
        QTimer.singleShot(0, stop)
        qtbot.waitUntil(lambda name=name: any(name in found.where for found in dog.stops))
    dog.stop()
    waited, worked = (next(s for s in dog.stops if n in s.where) for n in ("wait_on_purpose", "work_on_purpose"))
    assert waited.seconds >= 0.17 > waited.busy and worked.busy >= 0.15
    assert dog.longest == max(stop.seconds for stop in dog.stops)
    quiet = Watchdog(60.0)
    quiet.start()
    qtbot.wait(300)
    quiet.stop()
    assert quiet.stops == [] and 0.0 < quiet.longest < 60.0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [1, 2])
def test_a_long_visit_leaves_nothing_and_never_freezes_the_window(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, scale: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if qapp.devicePixelRatio() != scale:  # it cannot change within a process
        this = f"{__file__}::{test_a_long_visit_leaves_nothing_and_never_freezes_the_window.__name__}[{scale}-{seed}]"
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-m", "soak", "-p", "no:randomly", this]
        done = subprocess.run(
            command, env={**os.environ, "QT_SCALE_FACTOR": str(scale)}, capture_output=True, text=True, check=False
        )
        print(*(line for line in done.stdout.splitlines() if line.startswith("visit ")), sep="\n")
        assert done.returncode == 0, done.stdout[-4000:]
        return
    dog, events, growth = visit(qtbot, tmp_path, seed + 100, 2000, monkeypatch)
    worst = max(dog.stops, key=lambda stop: stop.seconds, default=None)
    dressing = sum("dress" in stop.where for stop in dog.stops)
    print(
        f"visit {seed} at scale {scale}: {events} events, longest stop {dog.longest:.3f} s, {len(dog.stops)} above"
        f" {NOTED} s ({dressing} of them another theme), {growth / 1e6:.0f} MB more; worst: {worst}"
    )
    assert dog.longest < FREEZE and growth < MOST_GROWTH
