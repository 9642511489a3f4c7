"""Many points in use: painting a canvas anew and again, panning, and long strokes of the brush."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from pathlib import Path
from statistics import median

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PySide6.QtTest import QTest

from app.core.points import Points
from app.main import create_window
from app.state.commands import MovePoints
from app.state.document import Document, Lane, View
from app.state.store import Store
from app.views.application import make_application
from app.window.main_window import MainWindow
from solver.core import fast_loops

SIZES = (1000, 10_000, 100_000, 400_000)
PANS = 150
STROKE = 10_000


def _document(n: int) -> Document:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, np.pi, n)
    label = np.arange(n) % 2
    sign = np.where(label == 0, 1.0, -1.0)
    xy = np.column_stack([label + sign * np.cos(angle), 0.5 * label + sign * np.sin(angle)])
    points = Points.of(xy + rng.normal(scale=0.2, size=(n, 2)), label)
    return Document(points=points, view=View.fitting(points), shown=1, lanes=(Lane("knn"), Lane("knn")))


def _milliseconds(work) -> float:
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


def _wait(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


def _settle(window: MainWindow) -> None:
    """Wait for the full picture; counting wrong points may continue, for a minute with 400 000 points."""
    deadline = time.perf_counter() + 120
    while time.perf_counter() < deadline:
        _wait(0.02)
        frame = window.result(0)
        newest = frame is not None and frame.job == window.scheduler.newest(0)
        if newest and frame.full and not window.canvases[0].unpainted and fast_loops.ready():
            return


def measure(n: int) -> tuple[float, float, float, float]:
    """Return milliseconds: painting again, painting at a new scale, longest and 95 % gap between GUI turns in a pan."""
    document = _document(n)
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(document, Path(profile))
        window.resize(1280, 800)
        window.show()
        _settle(window)
        canvas = window.canvases[0]
        again = [_milliseconds(canvas.viewport().repaint) for _ in range(9)]
        anew = []
        for turn in range(9):
            pointer = canvas.pointer_at(canvas.plot_area().center())
            window.controller.zoom(1.02 if turn % 2 else 1 / 1.02, pointer)
            window.refreshing.flush()
            anew.append(_milliseconds(canvas.viewport().repaint))
        _settle(window)
        turns: list[float] = []
        ticker = QTimer()
        ticker.timeout.connect(lambda: turns.append(time.perf_counter()))
        ticker.start(0)
        unit = canvas.pointer_at(canvas.plot_area().center()).unit
        for step in range(PANS):
            window.controller.pan((3 if step % 60 < 30 else -3) * unit, unit)
            _wait(0.008)  # a mouse of 125 Hz
        ticker.stop()
        gaps = 1e3 * np.diff(turns)
        _settle(window)
        window.controller.store.reset(window.document, None)
        window.close()
    return median(again), median(anew), float(gaps.max()), float(np.quantile(gaps, 0.95))


def stroke(n: int) -> tuple[int, float, float, float]:
    """Return points, seconds, longest and 99 % GUI gap (ms) of one stroke of the brush that adds `STROKE` points to
    `n`.
    """
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(replace(_document(n), shown=2), Path(profile))
        window.resize(1280, 800)
        window.show()
        _settle(window)
        editing, canvas = window.controller.editing, window.canvases[0]
        editing.choose("brush")
        editing.set_option("density", 40)
        editing.set_option("radius", 60)
        turns: list[float] = []
        ticker = QTimer()
        ticker.timeout.connect(lambda: turns.append(time.perf_counter()))
        ticker.start(0)
        view, at = canvas.viewport(), QPoint(canvas.width() // 2, canvas.height() // 2)
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=at)
        start, step = time.perf_counter(), 0
        while len(window.document.points) < n + STROKE:
            step += 1
            QTest.mouseMove(view, at + QPoint(round(120 * np.sin(step / 15)), round(100 * np.cos(step / 40))))
            _wait(0.008)
        seconds = time.perf_counter() - start
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at)
        ticker.stop()
        gaps = 1e3 * np.diff(turns)
        added = len(window.document.points) - n
        assert len(window.controller.store.history) == 1
        window.controller.store.reset(window.document, None)
        window.close()
    # Of the time, not of the turns: most turns are short.
    order = np.sort(gaps)
    usual = float(order[np.searchsorted(np.cumsum(order), 0.99 * order.sum())])
    return added, seconds, float(gaps.max()), usual


def undo_megabytes(steps: int = 1000, n: int = 10_000) -> float:
    """Return the memory (MB) of undo steps that each move one of `n` points."""
    rng = np.random.default_rng(0)
    store = Store(Document(Points.of(rng.normal(size=(n, 2)), rng.integers(0, 8, n))))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for step in range(steps):
        store.dispatch(MovePoints(ids=[int(rng.integers(n))], xy=(float(step), 0.0)))
        assert len(store.document.points.xy) == n  # as every view requests it
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return used / 1e6


def run() -> None:
    make_application()
    print(f"1000 undo steps that each move one of 10 000 points: {undo_megabytes():.1f} MB")
    print("milliseconds; one kNN lane in a window of 1280x800")
    for n in SIZES:
        again, anew, longest, usual = measure(n)
        print(
            f"{n:6d} points: canvas painted again {again:5.1f}, at a new scale {anew:5.1f};"
            f" panning: longest GUI gap {longest:5.1f}, 95 % below {usual:4.1f}",
            flush=True,
        )
    print(f"one stroke of the brush over two lanes, kNN, at 125 moves a second, until {STROKE} points are added")
    for n in (100, 10_000, 90_000):
        added, seconds, longest, usual = stroke(n)
        print(
            f"from {n:6d}: {added} points in {seconds:4.1f} s; longest GUI gap {longest:5.1f} ms,"
            f" 99 % of the time in gaps below {usual:5.1f}",
            flush=True,
        )
