"""One click, stage by stage: how often each stage runs until both lanes show a new picture, and its duration, in wall
time and processor time.
"""

from __future__ import annotations

import functools
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import app.engine.surface_values as surface_values
import app.window.main_window as window_module
from app.engine.lane_job import LaneJob
from app.engine.mailbox import Mailbox
from app.engine.pool import LatestQueue
from app.engine.scheduler import Scheduler
from app.engine.surface_values import Surface
from app.engine.training_run import TrainingRun
from app.main import create_window
from app.state.store import Store
from app.views.application import make_application
from app.views.plot.canvas import Canvas
from app.views.plot.layers import Layers
from app.window.bars.top_bar import TopBar
from app.window.dock_manager import DockManager
from app.window.lane.lane_form import LaneForm
from app.window.lane.lanes import Lanes
from app.window.lane.status_strip import StatusStrip
from app.window.main_window import MainWindow

from .bench_window import _document, _shown, _Watch, background

SIZES = (50, 500, 9_900)  # with more than 10 000, lanes are trained on a sample
CLICKS = 30

#: Stages: name here, location, and name there.  Indented ones are parts of others.
STAGES: tuple[tuple[str, Any, str], ...] = (
    ("command", Store, "dispatch"),
    ("refresh", MainWindow, "refresh"),
    ("  collect (mailbox)", Scheduler, "collect"),
    ("  compose", window_module, "compose"),
    ("  draw", MainWindow, "_draw"),
    ("    lanes", Lanes, "render_scene"),
    ("      form", LaneForm, "render_scene"),
    ("      strip", StatusStrip, "render_scene"),
    ("      canvas", Canvas, "render_scene"),
    ("    top bar", TopBar, "render_scene"),
    ("    docks", DockManager, "render_scene"),
    ("  hint", MainWindow, "_show_hint"),
    ("  request (queue)", MainWindow, "_request"),
    ("    submit", LatestQueue, "submit"),
    ("paint", Canvas, "paintEvent"),
    ("  inside the axes", Layers, "paint"),
    ("    surface", Layers, "_paint_surface"),
    ("    lines", Layers, "_paint_lines"),
    ("    symbols", Layers, "_paint_symbols"),
    ("lane job", LaneJob, "__call__"),
    ("  fit: prepare", TrainingRun, "continuing"),
    ("  fit: steps", TrainingRun, "advance"),
    ("  fit: numbers", TrainingRun, "frame"),
    ("  surface", surface_values, "surface"),
    ("    colour", surface_values, "colour"),
    ("  contour: boundary", Surface, "boundary"),
    ("  contour: margins", Surface, "margins"),
    ("  mailbox", Mailbox, "post"),
)


class Trace:
    """Records wall and processor seconds of each stage, while it is on."""

    def __init__(self) -> None:
        self.on = False
        self.spans: list[tuple[str, str, float, float, float]] = []  # stage, thread, begin, end, processor

    def _add(self, stage: str, begun: float, cpu: float) -> None:
        if self.on:
            name = threading.current_thread().name
            self.spans.append((stage, name, begun, time.perf_counter(), time.thread_time() - cpu))

    def around(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return `work`, timed; if it yields, piece by piece."""

        @functools.wraps(work)
        def timed(*args: Any, **options: Any) -> Any:
            begun, cpu = time.perf_counter(), time.thread_time()
            try:
                result = work(*args, **options)
            finally:
                self._add(stage, begun, cpu)
            return self._pieces(stage, result) if hasattr(result, "send") else result

        return timed

    def _pieces(self, stage: str, work: Iterator[Any]) -> Iterator[Any]:
        while True:
            begun, cpu = time.perf_counter(), time.thread_time()
            try:
                step = next(work)
            except StopIteration as end:
                return end.value
            finally:
                self._add(stage, begun, cpu)
            yield step

    @contextmanager
    def watching(self) -> Iterator[None]:
        with ExitStack() as stack:
            for stage, where, name in STAGES:
                timed = self.around(stage, getattr(where, name))
                static = isinstance(where, type) and isinstance(vars(where).get(name), staticmethod)
                stack.enter_context(patch.object(where, name, staticmethod(timed) if static else timed))
            yield


def clicks(n: int) -> tuple[list[float], list[list[tuple[str, str, float, float, float]]]]:
    """Return the seconds from click to the first new picture of both lanes, and the spans of each click."""
    trace, taken, spans = Trace(), [], []
    with trace.watching(), tempfile.TemporaryDirectory() as profile:
        window = create_window(_document(n), Path(profile))
        window.resize(1280, 800)
        window.show()
        watch = _Watch(window)
        watch.until(window.idle, 120)
        rng = np.random.default_rng(0)
        for _ in range(CLICKS):
            at = background(window, rng)
            trace.spans, trace.on = [], True
            start = time.perf_counter()
            QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, pos=at)
            watch.until(lambda: not window.refreshing.pending and _shown(window, False))
            taken.append(time.perf_counter() - start)
            trace.on = False
            spans.append([(stage, thread, a - start, b - start, cpu) for stage, thread, a, b, cpu in trace.spans])
            watch.until(window.idle)
        window.controller.store.reset(window.document, None)
        window.close()
    return taken, spans


def run() -> None:
    make_application()
    for n in SIZES:
        taken, spans = clicks(n)
        low, high = np.quantile(taken, (0.05, 0.95))
        print(
            f"{n} points, two lanes, {CLICKS} clicks: first new picture of both {1e3 * median(taken):.1f} ms"
            f" (5 % {1e3 * low:.1f}, 95 % {1e3 * high:.1f})"
        )
        print(f"{'stage':24} {'times':>6} {'ms':>7} {'cpu ms':>7} {'begins':>7} {'ends':>7}   medians of a click")
        for stage, _, _ in STAGES:
            rows = []
            for click in spans:
                own = [span for span in click if span[0] == stage]
                if own:
                    wall = sum(b - a for _, _, a, b, _ in own)
                    rows.append((len(own), wall, sum(s[4] for s in own), own[0][2], own[-1][3]))
            if rows:
                times, *seconds = np.median(np.array(rows), axis=0)
                print(f"{stage:24} {times:6.0f} " + " ".join(f"{1e3 * each:7.2f}" for each in seconds))
        by_thread: dict[str, list[float]] = defaultdict(list)
        for click in spans:
            whole = [span for span in click if not span[0].startswith(" ")]
            for thread in {span[1] for span in click}:
                by_thread[thread].append(sum(span[4] for span in whole if span[1] == thread))
        print("; ".join(f"{name}: {1e3 * median(cpu):.1f} ms of the processor" for name, cpu in by_thread.items()))
        print(flush=True)
