"""Gestures with 100 000 points: the longest own processor time of the window's thread between two inputs, and
memory while the document is open and after it has been closed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.main import create_window
from app.state.document import Document, Lane, View
from app.views.application import make_application
from app.window.main_window import MainWindow
from tests.app.views.wheel import turn

from .bench_large import N, points

#: Seconds without work after which a gesture is finished.
QUIET = 0.1


def _megabytes(field: str) -> int:
    """Return a field of this process's memory, such as VmHWM for the peak; 0 where the system does not report it."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith(field)), 0)


def _longest(window: MainWindow, acts: list[Callable[[], object]]) -> float:
    """Do one act after the other, with a turn after each, then wait; return the longest turn (processor seconds)."""
    longest, quiet = 0.0, time.perf_counter()
    while acts or not window.idle() or time.perf_counter() - quiet < QUIET:
        start = time.thread_time()
        if acts:
            acts.pop(0)()
        QApplication.processEvents()
        spent = time.thread_time() - start
        longest = max(longest, spent)
        if acts or spent > 1e-3:
            quiet = time.perf_counter()
        time.sleep(0.002)
    return longest


def _gestures(window: MainWindow) -> dict[str, list[Callable[[], object]]]:
    """Return the events of each gesture, by its name, in order."""
    port, run = window.canvases[0].viewport(), {name: each.trigger for name, each in window.named_actions.items()}
    middle, button = port.rect().center(), Qt.MouseButton.MiddleButton

    def move(by: int) -> None:
        QTest.mouseMove(port, middle + QPoint(by, by // 2))

    rows: dict[str, list[Callable[[], object]]] = {
        "wheel": [lambda angle=angle: turn(port, angle) for angle in (120, 120, 120, -120, -120, -120)],
        "pan": [
            lambda: QTest.mousePress(port, button, pos=middle),
            *(lambda by=by: move(by) for by in range(8, 96, 8)),
            lambda: QTest.mouseRelease(port, button, pos=middle),
        ],
        "click": [lambda: QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=middle)],
        "select all": [run["select_all"]],
        "selection moved": [lambda: QTest.keyClick(port, Qt.Key.Key_Right)],
        "duplicate": [run["duplicate"]],
        "undo": [run["undo"]],
    }
    for name in ("probe", "study", "evaluation", "curves"):
        rows |= {f"{name}, first time": [run[name]], f"{name}, closed": [run[name]], f"{name}, again": [run[name]]}
        rows[f"{name}, closed again"] = [run[name]]
    return rows


def run() -> None:
    make_application()
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(profile_dir=Path(profile))
        window.resize(1280, 800)
        window.show()
        _longest(window, [])
        print(f"without points: {_megabytes('VmRSS')} MB")
        given = points(N)

        def opened() -> None:
            lanes = (Lane("knn"), Lane("svm"))
            window.controller.store.reset(Document(given, view=View.fitting(given), lanes=lanes), None)

        print(f"{N} points, kNN and RBF SVM, 1280x800: longest turn in ms of the window's thread")
        for name, acts in {"opened": [opened], **_gestures(window)}.items():
            print(f"{name:24s}{1e3 * _longest(window, acts):6.0f}", flush=True)
        print(f"memory {_megabytes('VmRSS')} MB, peak {_megabytes('VmHWM')} MB", flush=True)
        _longest(window, [lambda: window.controller.store.reset(Document(), None)])
        print(f"after the document was closed: {_megabytes('VmRSS')} MB")
        window.controller.store.reset(window.document, None)
        window.close()
