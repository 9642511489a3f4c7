"""How long each command keeps the window's thread: the longest own processor time of one event, and of one turn.

The regular expression in the environment variable STOPS chooses commands by their names in the table.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from PySide6.QtCore import QAbstractEventDispatcher, QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QMenu

from app.features.lessons.feature import STAGE
from app.features.lessons.shipped import NAMES
from app.files.examples import EXAMPLES
from app.main import create_window
from app.views.application import make_application
from app.window.main_window import MainWindow
from solver.warmup import compile_all

#: Panels that are open where panels are to be open.
PANELS = ("evaluation", "curves", "code")
#: Commands that open a dialog of the desktop, or end the program.
LEFT_OUT = {"quit", "open", "import", "export", "save", "save_as", "whats_this", "open_answers", "audience"}
#: Seconds without an event after which a command is finished.
QUIET = 0.1


class _Timed(QApplication):
    """Records the processor time of each event that is not handled within another one."""

    depth = 0
    turn = 0
    spent: list[tuple[float, str, int]] = []  # noqa: RUF012

    def begin_turn(self) -> None:
        """Count a turn of the event loop."""
        self.turn += 1

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        if self.depth:
            return bool(super().notify(receiver, event))
        self.depth, begun, kind = 1, time.thread_time(), event.type()
        name = type(receiver).__name__
        try:
            return bool(super().notify(receiver, event))
        finally:
            self.depth = 0
            self.spent.append((time.thread_time() - begun, f"{kind.name} of {name}", self.turn))


def _settle(window: MainWindow) -> None:
    """Run the event loop until the window is idle and nothing has happened for a while."""
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(loop.quit)
    timer.start(20)
    quiet = time.perf_counter()
    while time.perf_counter() - quiet < QUIET:
        before = len(_Timed.spent)
        loop.exec()
        if not window.idle() or len(_Timed.spent) - before > 6:
            quiet = time.perf_counter()


def measured(window: MainWindow, act: Callable[[], object]) -> tuple[float, str, float, float]:
    """Return the longest processor time of one event of `act` (s), which event that was, of one turn, of all."""
    _settle(window)
    _Timed.spent.clear()
    QTimer.singleShot(0, window, act)
    _settle(window)
    longest, name, _ = max(_Timed.spent)
    turns: dict[int, float] = defaultdict(float)
    for spent, _, turn in _Timed.spent:
        turns[turn] += spent
    return longest, name, max(turns.values()), sum(turns.values())


def commands(window: MainWindow) -> list[tuple[str, Callable[[], object]]]:
    """Return what is measured, by name, in order."""
    run, lanes = {name: action.trigger for name, action in window.named_actions.items()}, window.controller.lanes

    def close() -> None:
        for dialog in window.findChildren(QDialog):
            dialog.close()

    def docks(*names: str) -> Callable[[], object]:
        return lambda: window.dock_manager.show_only(names)

    rows: list[tuple[str, Callable[[], object]]] = []
    for name in window.dock_manager._docks:
        rows += [(f"panel {name}, first time", run[name]), (f"panel {name}, closed", docks())]
        rows += [(f"panel {name}, again", run[name]), ("", docks())]
    for count in (3, 4):
        rows.append((f"lane {count} added", lambda count=count: lanes.add(count - 2)))
    sizes = [(1280, 800), (1100, 760), (1024, 768), (1500, 900), (1280, 800)]
    for what, before, after in (
        ("four lanes", lambda: None, lambda: lanes.remove(3)),
        ("two lanes", lambda: lanes.remove(2), lambda: None),
        ("one lane", run["lanes"], run["lanes"]),
        ("three panels", docks(*PANELS), lambda: None),
    ):
        rows.append((f"{what}: shown", before))
        rows += [(f"{what}: resized to {w}x{h}", lambda w=w, h=h: window.resize(w, h)) for w, h in sizes]
        for each in ("dark", "light"):
            rows.append((f"{what}: theme {each}", lambda each=each: window.appearance.choose_theme(each)))
        for each in ("larger", "larger", "smaller", "smaller", "full_screen", "full_screen", "simple", "simple"):
            rows.append((f"{what}: {each}", run[each]))
        rows.append((f"{what}: presenter on", run["presenter"]))
        rows += [(f"{what}: presenter, resized to {w}x{h}", lambda w=w, h=h: window.resize(w, h)) for w, h in sizes]
        for each in ("dark", "light"):
            rows.append((f"{what}: presenter, theme {each}", lambda each=each: window.appearance.choose_theme(each)))
        rows += [(f"{what}: presenter, panel {on}", run["evaluation"]) for on in ("open", "closed")]
        rows.append((f"{what}: presenter off", run["presenter"]))
        rows.append((f"{what}: gone", after))
    rows.append(("", docks()))
    for menu in window.menuBar().findChildren(QMenu):
        if menu.title():
            at = window.mapToGlobal(window.rect().topLeft())
            rows += [(f"menu {menu.title()}", lambda menu=menu, at=at: menu.popup(at)), ("", menu.close)]
    for name in sorted(run.keys() - LEFT_OUT - set(window.dock_manager._docks) - {"presenter", "full_screen"}):
        rows += [(f"command {name}", run[name]), ("", close)]
        if window.named_actions[name].isCheckable():
            rows.append((f"command {name} once more", run[name]))
    rows += [(f"example {each.name}", lambda each=each: window.examples.open(each)) for each in EXAMPLES]
    rows.append((f"lesson {NAMES[0]}", lambda: window.surroundings.part(STAGE).open_shipped(NAMES[0])))
    rows += [(f"lesson step {step}", run["lesson_next"]) for step in range(2, 5)]
    return rows


def run() -> None:
    if QApplication.instance() is not None:  # the one of another measurement does not record
        print(subprocess.run([sys.executable, "-m", "tests.bench", "stops"], capture_output=True, text=True).stdout)
        return
    with patch("PySide6.QtWidgets.QApplication", _Timed):
        application = make_application()
    assert isinstance(application, _Timed)
    QAbstractEventDispatcher.instance().awake.connect(application.begin_turn)
    compile_all()
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(None, Path(profile))
        window.controller.prefer_simple(False)
        window.resize(1280, 800)
        window.show()
        rows = []
        only = os.environ.get("STOPS", "")
        for name, act in commands(window):
            if only and not re.search(only, name) and name:
                continue
            longest, what, turn, whole = measured(window, act)
            if name:
                rows.append((longest, turn, whole, name, what))
        window.controller.store.reset(window.document, None)
        window.close()
    print("milliseconds of the window's thread: the longest event, turn, all events, the command, that event")
    for longest, turn, whole, name, what in sorted(rows, reverse=True):
        print(f"{1e3 * longest:6.1f} {1e3 * turn:6.1f} {1e3 * whole:7.1f}  {name}: {what}", flush=True)
