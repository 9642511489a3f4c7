"""Turning the relief: the cost of a picture in the rasteriser, and the window's pictures per second."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget

from app.features.relief.geometry import Camera, Solid, kernel_map, over_plane
from app.features.relief.panel import ReliefPanel
from app.features.relief.query import relief_of
from app.features.relief.view_image import draw
from app.main import create_window
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings, View
from app.views.application import make_application
from app.views.theme import LIGHT

SIZE = (640, 480)
PICTURES, SECONDS = 72, 4.0


def rasteriser(solid: Solid, samples: int) -> tuple[float, float]:
    """Return milliseconds per picture, turning all the way round: wall and processor time, medians."""
    draw(solid, Camera(), *SIZE, LIGHT, 1.0, samples)
    walls, costs = [], []
    for turn in range(PICTURES):
        begun, used = time.perf_counter(), time.thread_time()
        draw(solid, Camera(360.0 * turn / PICTURES, 15.0 + turn % 60), *SIZE, LIGHT, 1.0, samples)
        walls.append(time.perf_counter() - begun)
        costs.append(time.thread_time() - used)
    return 1e3 * float(np.median(walls)), 1e3 * float(np.median(costs))


def turning(document: Document) -> tuple[float, float, float, tuple[int, int]]:
    """Return pictures per second in a drag of 125 moves per second; longest and 99 % gap between the window's turns
    (ms).
    """
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(document, Path(profile))
        window.resize(1280, 800)
        window.show()
        loop, turns, shown = QEventLoop(), list[float](), [0]
        window.named_actions["relief"].trigger()
        dock, panel = window.findChild(QDockWidget, "dock.relief"), window.findChild(ReliefPanel)
        assert dock is not None and panel is not None
        dock.setFloating(True)
        dock.resize(660, 640)
        while not (window.idle() and panel.picture.ready):
            QTimer.singleShot(20, loop.quit)
            loop.exec()
        picture, show = panel.picture, panel.picture._show
        picture.setFixedSize(*SIZE)
        QTimer.singleShot(500, loop.quit)
        loop.exec()

        def counted(request: tuple[object, ...], failure: str = "") -> None:
            shown[0] += 1
            show(request, failure)

        picture._show = counted
        ticker = QTimer(timerType=Qt.TimerType.PreciseTimer)
        ticker.timeout.connect(lambda: turns.append(time.perf_counter()))
        ticker.start(0)
        begun, step, middle = time.perf_counter(), 0, picture.rect().center()
        QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=middle)
        while time.perf_counter() - begun < SECONDS:
            step += 1
            QTest.mouseMove(picture, middle + QPoint(round(200 * np.sin(step / 40)), round(60 * np.sin(step / 25))))
            QTimer.singleShot(8, loop.quit)
            loop.exec()
        rate = shown[0] / (time.perf_counter() - begun)
        ticker.stop()
        gaps = 1e3 * np.sort(np.diff(turns))
        # Of the time, not of the turns: most turns are short.
        usual = float(gaps[np.searchsorted(np.cumsum(gaps), 0.99 * gaps.sum())])
        size = picture.width(), picture.height()
        window.controller.store.reset(window.document, None)
        window.close()
    return rate, float(gaps.max()), usual, size


def run() -> None:
    make_application()
    print(f"a picture of {SIZE[0]}x{SIZE[1]}; milliseconds by the clock, and of the processor")
    for n in (100, 5000):
        points = GeneratorSettings("circle", n // 2, 0.1).points()
        for kernel in ("rbf", "poly"):
            lane = Lane("svm", svm=SvmSettings(kernel=kernel, degree=2, gamma=2.0))
            model = lane.family.estimator(lane.settings).fit(points.xy, points.labels)
            relief = relief_of(model, lane, points, (-1.3, 1.3, -1.0, 1.0))
            solid = over_plane(relief) if kernel == "rbf" else kernel_map(relief, 1.0)
            (quick, cost), (fine, more) = (rasteriser(solid, samples) for samples in (1, 2))
            what = "f over the plane" if kernel == "rbf" else "kernel trick"
            print(
                f"{n:5d} points, {what:16s}: turning {quick:5.1f} ({cost:4.1f}), {1e3 / quick:5.0f} pictures a second;"
                f" at rest {fine:5.1f} ({more:4.1f})",
                flush=True,
            )
    print("dragging in the window, 125 moves a second")
    for n in (100, 5000):
        points = GeneratorSettings("circle", n // 2, 0.1).points()
        lane = Lane("svm", svm=SvmSettings(gamma=2.0))
        document = Document(points=points, view=View.fitting(points), lanes=(lane,), shown=1)
        rate, longest, usual, size = turning(document)
        print(
            f"{n:5d} points, {size[0]}x{size[1]}: {rate:5.1f} pictures a second; longest gap of the window"
            f" {longest:5.1f}, 99 % of the time below {usual:4.1f}",
            flush=True,
        )
