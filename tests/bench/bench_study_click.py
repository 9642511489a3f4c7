"""Click to new picture while a study runs, and without one; and the duration of a picture of the study."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.features.study.panel import StudyPanel
from app.features.study.planning import AxisPlan
from app.main import create_window
from app.views.application import make_application

from .bench_window import _document, _shown, _Watch, background

POINTS, CLICKS = 500, 40


def clicks(running: bool) -> list[float]:
    """Return the seconds from click to the first new picture of both lanes, with the panel open."""
    taken = []
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(_document(POINTS), Path(profile))
        window.resize(1280, 800)
        window.show()
        watch = _Watch(window)
        watch.until(window.idle, 120)
        window.named_actions["study"].trigger()
        watch.until(window.idle)
        panel = window.findChild(StudyPanel)
        assert panel is not None
        if running:  # more than it will finish
            axes = (AxisPlan("C", "0.01", "1e4", "40", True), AxisPlan("gamma", "0.01", "100", "40", True))
            panel.studies.choose(axes=axes, repetitions="20")
            panel.studies.start()
            watch.until(lambda: panel.studies.kept is not None and panel.studies.kept.done > 0, 120)
        rng = np.random.default_rng(0)
        for _ in range(CLICKS):
            at = background(window, rng)
            start = time.perf_counter()
            QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, pos=at)
            watch.until(lambda: not window.refreshing.pending and _shown(window, False))
            taken.append(time.perf_counter() - start)
            watch.until(window.idle)
        if running:
            assert panel.studies.state == "running" and panel.studies.kept is not None
            print(f"{panel.studies.kept.done} results meanwhile")
            spent = []
            for _ in range(20):
                panel.studies.changes += 1
                begun = time.perf_counter()
                panel._again()
                panel.picture.repaint()
                spent.append(time.perf_counter() - begun)
            print(f"a picture of 40 x 40 cells: {1e3 * median(spent):.1f} ms of the window's thread")
        window.controller.store.reset(window.document, None)
        window.close()
    return taken


def run() -> None:
    make_application()
    for running in (False, True, False, True):
        low, high = np.quantile(taken := clicks(running), (0.05, 0.95))
        print(
            f"{'study running' if running else 'no study     '}: {POINTS} points, two lanes, {CLICKS} clicks:"
            f" {1e3 * median(taken):.1f} ms (5 % {1e3 * low:.1f}, 95 % {1e3 * high:.1f})",
            flush=True,
        )
