"""Training at full speed with every panel visible: the cost of an update for the window's thread, and its
longest gap.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QDockWidget

from app.features.kkt.scene import KktSession
from app.main import create_window
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings, View
from app.views.application import make_application
from app.window.main_window import MainWindow

SIZES = (500, 1000)
SECONDS = 6.0
#: Panels, in the order in which they are opened; at the end each has its own dock.
PANELS = ("step", "curves", "alphas", "loss", "table", "history", "notes")


def _window(n: int, profile: Path, panels: bool) -> MainWindow:
    """Return a window with a problem that trains for minutes, paused at its start."""
    points = GeneratorSettings("chessboard", n // 2, 0.3).points()
    hard = SvmSettings(C=1e4, gamma=20.0, selection="random")
    document = Document(points=points, view=View.fitting(points), lanes=(Lane("knn"), Lane("svm", svm=hard)))
    window = create_window(document, profile)
    window.resize(1920, 1080)
    window.controller.playback.toggle(1)
    window.show()
    if panels:
        window.controller.toggle("kkt", KktSession)
        for name in PANELS:
            dock = window.findChild(QDockWidget, f"dock.{name}")
            assert dock is not None
            window.named_actions[name].trigger()
            if name in ("alphas", "loss"):
                window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
            elif name in ("table", "history", "notes"):
                window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    return window


def play(n: int, panels: bool) -> tuple[float, list[float], list[float], int, int]:
    """Return pictures per second, CPU seconds of the window's thread per update, gaps between its turns, steps, open
    panels.
    """
    with tempfile.TemporaryDirectory() as profile:
        window = _window(n, Path(profile), panels)
        loop = QEventLoop()
        turns: list[float] = []
        QTimer.singleShot(2500, loop.quit)
        loop.exec()
        ticker = QTimer()
        ticker.setTimerType(Qt.TimerType.PreciseTimer)
        ticker.timeout.connect(lambda: turns.append(time.perf_counter()))
        window.controller.playback.leave(1)
        QTimer.singleShot(500, loop.quit)
        loop.exec()
        account = _Account(window)
        ticker.start(2)
        QTimer.singleShot(round(1000 * SECONDS), loop.quit)
        loop.exec()
        ticker.stop()
        run_state = window.scene.run_state  # type: ignore[union-attr]
        in_sight = len(window.dock_manager._in_sight)
        window.controller.store.reset(replace(window.document), None)
        window.close()
        costs = account.costs[1:]
        return account.pictures / SECONDS, costs, list(np.diff(turns)), run_state.length, in_sight


class _Account(QObject):
    """Records the time of the window's thread from one update of the window to the next, and the number of pictures."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.costs: list[float] = []
        self.pictures = 0
        self._mark = time.thread_time()
        self._window, self._viewport = window, window.canvases[1].viewport()
        for watched in (window, self._viewport):
            watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.UpdateRequest:
            now = time.thread_time()
            self.costs.append(now - self._mark)
            self._mark = now
        elif watched is self._viewport and isinstance(event, QPaintEvent):
            self.pictures += event.rect().width() > 0.9 * self._viewport.width()
        return False


def run() -> None:
    make_application()
    print("SVM with the random rule at full speed beside kNN, window 1920x1080; milliseconds")
    for panels in (False, True):
        for n in SIZES:
            rate, costs, gaps, steps, in_sight = play(n, panels)
            print(
                f"{n:5d} points, {in_sight} panels in sight: {rate:5.1f} pictures a second; the window's own time for"
                f" each update {1e3 * float(np.median(costs)):5.1f},"
                f" 95 % below {1e3 * float(np.quantile(costs, 0.95)):5.1f};"
                f" longest gap {1e3 * max(gaps):5.1f}, 95 % below {1e3 * float(np.quantile(gaps, 0.95)):5.1f};"
                f" {steps} steps",
                flush=True,
            )
