"""The window in use: from a click to its picture, pictures in a drag, the longest time without a response."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PySide6.QtTest import QTest

from app.main import create_window
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings, View
from app.tools import point_at
from app.views.application import make_application
from app.window.main_window import MainWindow

CLICKS = 15
DRAG_SECONDS = 5.0
KNN, RBF = Lane("knn"), Lane("svm")
LINEAR, POLYNOMIAL = (Lane("svm", svm=SvmSettings(kernel=kernel)) for kernel in ("linear", "poly"))
TWO = (KNN, RBF)
#: Learners, points (above 10 000, a sample is trained on), and pixels of the window: for clicks, and for drags.
CLICKED: tuple[tuple[str, tuple[Lane, ...], int, tuple[int, int]], ...] = (
    *(("kNN and RBF SVM", TWO, n, (1280, 800)) for n in (50, 200, 500, 1000, 9_900)),
    *(("linear SVM and kNN", (LINEAR, KNN), n, (1280, 800)) for n in (50, 200, 1000)),
    ("kNN and RBF SVM", TWO, 500, (1920, 1080)),
    ("four learners", (KNN, RBF, LINEAR, POLYNOMIAL), 500, (1280, 800)),
    ("kNN and RBF SVM", TWO, 500, (3840, 2160)),
)
DRAGGED = tuple(row for row in CLICKED if row[2] >= 500 or row[1] != TWO)


class _Watch:
    """Runs the event loop until a condition holds, which is checked after every painted picture."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        #: Of each lane, the times of painted pictures, and whether they were full.
        self.paints: list[list[tuple[float, bool]]] = [[] for _ in window.canvases]
        self._loop = QEventLoop()
        for lane, canvas in enumerate(window.canvases):
            canvas.on_painted = lambda job, lane=lane: self._painted(lane)

    def _painted(self, lane: int) -> None:
        frame = self.window.result(lane)
        self.paints[lane].append((time.perf_counter(), frame is not None and frame.full))
        self._loop.quit()

    def until(self, condition, seconds: float = 30.0) -> float:
        """Return the seconds until `condition()`; nan if it did not become true."""
        start = time.perf_counter()
        while not condition():
            left = seconds - (time.perf_counter() - start)
            if left <= 0:
                return float("nan")
            QTimer.singleShot(5, self._loop.quit)
            self._loop.exec()
        return time.perf_counter() - start


def _document(n: int, lanes: tuple[Lane, ...] = TWO) -> Document:
    points = GeneratorSettings(count=n // 2).points()
    return Document(points=points, view=View.fitting(points), lanes=lanes, shown=len(lanes))


def background(window: MainWindow, rng: np.random.Generator) -> QPoint:
    """Return a random location in the first picture without a point, where a click adds one."""
    canvas = window.canvases[0]
    while True:
        at = window.to_widget(0, *rng.uniform((-1, -0.8), (2, 1.2)))
        if point_at(window.document, canvas.pointer_at(at.toPointF())) is None:
            return at


def _shown(window: MainWindow, full: bool) -> bool:
    """Return whether all lanes have painted a picture of the newest job, trained on the present points."""
    for lane, canvas in enumerate(window.canvases[: window.document.shown]):
        frame = window.result(lane)
        newest = window.scheduler.newest(lane)
        if frame is None or frame.picture is None or frame.points is not window.document.points:
            return False
        if not (frame.job == newest == canvas.painted_job) or canvas.unpainted or (full and not frame.full):
            return False
        assert frame.picture.grid.width * frame.picture.grid.height >= 0.98 * 160 * 120, "as many samples as ever"
    return True


def click_times(
    n: int,
    switch_on: Callable[[MainWindow], None] | None = None,
    pause: float = 0.0,
    lanes: tuple[Lane, ...] = TWO,
    size: tuple[int, int] = (1280, 800),
) -> tuple[list[float], list[float], list[float], float]:
    """Return the seconds from click to first picture and to full resolution of all lanes, and processor seconds to the
    latter.

    With `switch_on`, which starts background work, the next click comes `pause` seconds later whether that has ended or
    not; the last number is the share of clicks during that work.
    """
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(_document(n, lanes), Path(profile))
        window.resize(*size)
        window.show()
        watch = _Watch(window)
        watch.until(window.idle, 120)
        rng = np.random.default_rng(0)
        first, full, used, busy = [], [], [], 0
        if switch_on is not None:
            switch_on(window)
            watch.until(lambda: False, pause)
        for _ in range(CLICKS):
            busy += not window.idle()
            at = background(window, rng)
            before = window.document.points
            start, processor = time.perf_counter(), time.process_time()
            QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, pos=at)
            assert window.document.points is not before
            watch.until(lambda: not window.refreshing.pending and _shown(window, False))
            first.append(time.perf_counter() - start)
            watch.until(lambda: _shown(window, True))
            full.append(time.perf_counter() - start)
            used.append(time.process_time() - processor)
            watch.until(window.idle if switch_on is None else lambda: False, pause or 30.0)
        window.controller.store.reset(window.document, None)
        window.close()
    return first, full, used, busy / CLICKS


def drag(
    n: int, lanes: tuple[Lane, ...] = TWO, size: tuple[int, int] = (1280, 800)
) -> tuple[list[float], list[float], float, float]:
    """Return pictures per second of each lane in a drag, and the share of full ones; the longest and the 95th
    percentile of the gaps between GUI turns.
    """
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(_document(n, lanes), Path(profile))
        window.resize(*size)
        window.show()
        watch = _Watch(window)
        watch.until(window.idle, 120)
        canvas = window.canvases[0]
        middle = window.document.points.xy[n // 4]
        at = window.to_widget(0, *middle)
        turns: list[float] = []
        ticker = QTimer()
        ticker.setTimerType(Qt.TimerType.PreciseTimer)
        ticker.timeout.connect(lambda: turns.append(time.perf_counter()))
        ticker.start(1)  # one without a pause would take the interpreter from the pictures
        QTest.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
        for paints in watch.paints:
            paints.clear()
        start, due = time.perf_counter(), 0.0
        while (now := time.perf_counter() - start) < DRAG_SECONDS:
            offset = QPoint(round(60 * np.sin(5 * now)), round(60 * np.cos(3 * now)))
            QTest.mouseMove(canvas.viewport(), at + offset)
            while due <= (now := time.perf_counter() - start):  # a mouse of 125 Hz does not wait for the window
                due += 0.008
            _wait(due - now)
        QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at + offset)
        ticker.stop()
        paints = watch.paints[: len(lanes)]
        rates = [len(each) / DRAG_SECONDS for each in paints]
        shares = [sum(full for _, full in each) / max(len(each), 1) for each in paints]
        gaps = np.diff(turns)
        watch.until(window.idle)
        window.controller.store.reset(window.document, None)
        window.close()
    return rates, shares, float(gaps.max()), float(np.quantile(gaps, 0.95))


def _wait(seconds: float) -> None:
    loop = QEventLoop()
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setSingleShot(True)
    timer.timeout.connect(loop.quit)
    timer.start(max(1, round(1000 * seconds)))
    loop.exec()


def run() -> None:
    make_application()
    print("milliseconds, median (worst) of", CLICKS, "clicks, until all lanes have painted")
    for learners, lanes, n, size in CLICKED:
        first, full, used, _ = click_times(n, lanes=lanes, size=size)
        print(
            f"{learners}, {n:5d} points, {size[0]}x{size[1]}:"
            f" first new picture {1e3 * median(first):5.1f} ({1e3 * max(first):5.1f}),"
            f" full resolution {1e3 * median(full):6.1f} ({1e3 * max(full):6.1f}),"
            f" of the processor {1e3 * median(used):6.1f}",
            flush=True,
        )
    print(f"a drag of {DRAG_SECONDS:g} s")
    for learners, lanes, n, size in DRAGGED:
        rates, shares, worst, usual = drag(n, lanes, size)
        each = ", ".join(f"{rate:.1f} ({share:.0%} full)" for rate, share in zip(rates, shares, strict=True))
        print(
            f"{learners}, {n:5d} points, {size[0]}x{size[1]}: pictures a second {each};"
            f" longest GUI gap {1e3 * worst:5.1f} ms, 95 % below {1e3 * usual:4.1f} ms",
            flush=True,
        )
