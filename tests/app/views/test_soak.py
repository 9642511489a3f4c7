"""An hour at full speed with everything open: memory, threads, handles and log stay flat.

``SOAK_MINUTES=10 make soak ARGS="-k hour -s"`` is shorter; each minute is printed as it ends.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core import log
from app.features.table import FEATURES
from app.files import recovery
from app.main import create_window
from app.state.document import default_document
from app.window.dock_manager import docks
from app.window.main_window import MainWindow
from tests.app.views.test_leaks import Visitor, delete_now
from tests.windows import settle

MINUTES = float(os.environ.get("SOAK_MINUTES", "60"))
#: Interval between two measurements (s), and the share of the time in which caches fill.
EVERY, WARMING = 60.0, 0.5
#: Largest growth of the later measurements over the earlier ones (MB): memory that is partly reused varies.
MOST_GROWTH = 25.0


@dataclass(frozen=True)
class Look:
    """Resources in use while nothing is done; memory in megabytes."""

    seconds: float
    acts: int
    memory: float
    threads: int
    handles: int
    log: int
    widgets: int
    timers: int
    objects: int


def look(window: MainWindow, begun: float, acts: int) -> Look:
    delete_now()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # memory that only the allocator keeps
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Look(
        time.monotonic() - begun,
        acts,
        pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        threading.active_count(),
        len(os.listdir("/proc/self/fd")),
        len(log.text(10_000_000)),
        len(QApplication.allWidgets()),
        len(window.findChildren(QTimer)),
        len(gc.get_objects()),
    )


def reset(qtbot: QtBot, window: MainWindow, visitor: Visitor) -> None:
    """Set everything to its beginning, and open; discard the history, which is meant to grow."""
    controller = window.controller
    visitor.answer()
    controller.editing.cancel()
    controller.editing.choose("pointer")
    controller.presenting.end()
    window.refreshing.flush()
    if window.isFullScreen():
        window.showNormal()
    controller.store.reset(default_document(), None)
    controller.set_session(playing=(True,) * 4, features=())
    window.appearance.choose_theme("light")
    for lane in range(window.document.shown):
        controller.playback.to_end(lane)
        controller.playback.set_speed(lane, 99)
    open_everything(window)
    try:
        settle(qtbot, window, 120_000)
    except TimeoutError:
        raise AssertionError(f"never at rest: {what_goes_on(window)}") from None
    controller.store.reset(window.document, None)
    settle(qtbot, window, 120_000)


def what_goes_on(window: MainWindow) -> str:
    """Return the reason why the window is not idle."""
    pool, scheduler = window.scheduler._pool, window.scheduler
    parts = {
        "compiling": window.compile_ahead.running,
        "to be drawn": window.refreshing.pending,
        "tasks": window.tasks.busy,
        "unpainted": [(each.size(), each.unpainted) for each in window.canvases if each.isVisible()],
        "jobs": [str(job) for job in (*pool._running, *(entry[2] for entry in pool._ready))],
        "later": len(pool._later),
        "asked": sorted(scheduler._requested),
        "mail": (scheduler._mailbox.empty,),
    }
    return ", ".join(f"{name}: {value}" for name, value in parts.items())


def open_everything(window: MainWindow) -> None:
    """Open four classifiers and all panels."""
    for _ in range(4 - window.document.shown):
        window.controller.lanes.add(window.document.shown - 1)
    for spec in docks(FEATURES):
        action = window.named_actions[spec.name]
        if not action.isChecked():
            action.trigger()
    QApplication.processEvents()


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_hour_with_everything_open_stays_flat(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "INTERVAL", 0.5)
    errors: list[object] = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    window = create_window(None, tmp_path)
    window.controller.prefer_simple(False)
    window.resize(1100, 760)
    window.show()
    qtbot.waitExposed(window)
    visitor, acts = Visitor(window, tmp_path, 1), 0
    for name in ("film", "picture"):  # dialogs that are kept, once made
        window.named_actions[name].trigger()
        QApplication.processEvents()
        visitor.answer()
    reset(qtbot, window, visitor)
    begun, looks = time.monotonic(), [look(window, time.monotonic(), 0)]
    print(*(field.name for field in fields(Look)), sep="\t", flush=True)
    while time.monotonic() - begun < 60 * MINUTES:
        end = time.monotonic() + min(EVERY, 6 * MINUTES)
        while time.monotonic() < end:
            visitor.act()
            acts += 1
            assert not errors, errors
            if acts % 50 == 0:
                open_everything(window)
        reset(qtbot, window, visitor)
        looks.append(look(window, begun, acts))
        print(*(f"{value:.0f}" for value in astuple(looks[-1])), sep="\t", flush=True)
    assert window.close()
    settled = looks[max(1, int(WARMING * len(looks))) :]
    half = len(settled) // 2
    early, late = settled[: max(half, 1)], settled[half:]

    def grown(name: str) -> float:
        first, last = ([getattr(each, name) for each in part] for part in (early, late))
        return float(np.median(last) - np.median(first))

    assert grown("memory") < MOST_GROWTH * max(1.0, MINUTES / 60), [round(each.memory) for each in looks]
    assert abs(grown("threads")) <= 1 and max(each.threads for each in late) <= max(each.threads for each in early) + 1
    assert grown("handles") <= 2, [each.handles for each in looks]
    assert grown("widgets") <= 60 and grown("timers") <= 5, [(each.widgets, each.timers) for each in looks]
    assert grown("objects") < 5000, [each.objects for each in looks]
    assert looks[-1].log == looks[0].log, log.text()[-4000:]
