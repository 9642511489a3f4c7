"""A hundred thousand points in the window: until both lanes are trained, how responsive the window is, and 10^5 test
points.

Wall time, and in brackets processor time, which other processes disturb less.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from PySide6.QtCore import QEventLoop, Qt, QTimer

from app.core.points import Points
from app.engine.fitting import fitted
from app.engine.frames import Frame, Phase
from app.engine.outcome import outcome
from app.engine.pacing import Pace, never
from app.features.scores.scene import Scoring
from app.learners.svm import SvmSettings
from app.main import create_window
from app.state.document import Document, Lane, View
from app.views.application import make_application
from app.window.main_window import MainWindow
from solver.data.datasets import generate
from tests.app.views.watchdog import Watchdog

N = 100_000
TURNS = 5
#: Lanes of SVMs: each with a kNN beside it.
KINDS = {
    "linear": SvmSettings(kernel="linear"),
    "poly, d = 3": SvmSettings(kernel="poly"),
    "RBF, gamma 1": SvmSettings(),
    "RBF, gamma 1, C 100": SvmSettings(C=100.0),
}


def points(n: int, seed: int = 0, noise: float = 0.3) -> Points:
    """Return the points of two noisy moons."""
    return Points.of(*generate("moons", n // 2, noise=noise, seed=seed))


def _through(work: Iterator[Any]) -> Any:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def _seconds(work: Callable[[], Any]) -> float:
    """Return processor seconds, the median of `TURNS`."""
    taken = []
    for _ in range(TURNS):
        start = time.thread_time()
        work()
        taken.append(time.thread_time() - start)
    return median(taken)


def evaluation() -> None:
    """Evaluate test points for both learners, as the panel does, piece by piece."""
    training, test = points(N), points(N, seed=7)
    for title, lane in (("kNN, k = 5", Lane("knn")), ("SVM, RBF", Lane("svm"))):
        model = _through(fitted(lane, training, Pace())).model
        alone = _seconds(lambda model=model: _through(outcome(model, test.xy, test.labels, Pace())))
        whole = _seconds(lambda model=model: _through(Scoring(test, model).answer(_taken, never)))
        right = _through(outcome(model, test.xy, test.labels, Pace())).accuracy
        print(
            f"{title:12s}: {N} test points predicted in {alone:.3f} s; with the confusion table"
            f" and the ROC curve {whole:.3f} s; accuracy {right:.4f}",
            flush=True,
        )


def _taken(value: Any) -> None:
    """Take an answer."""


class _Watch:
    """Waits for a condition in the event loop, and checks it every few milliseconds."""

    def __init__(self, window: MainWindow) -> None:
        self._loop = QEventLoop()
        self._ticker = QTimer(window, timerType=Qt.TimerType.PreciseTimer)
        self._ticker.timeout.connect(self._tick)
        self._ticker.start(5)
        self._until: Callable[[], bool] = lambda: True

    def _tick(self) -> None:
        if self._until():
            self._loop.quit()

    def wait(self, until: Callable[[], bool]) -> float:
        """Return the longest time without a turn of the event loop until then, while a processor was available."""
        dog = Watchdog(1.0)
        dog.start()
        self._until = until
        self._loop.exec()
        dog.stop()
        return dog.longest


@contextmanager
def _window() -> Iterator[tuple[MainWindow, _Watch]]:
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(profile_dir=Path(profile))
        window.resize(1280, 800)
        window.show()
        watch = _Watch(window)
        watch.wait(window.idle)
        yield window, watch
        window.controller.store.reset(window.document, None)
        window.close()


def _done(frame: Frame) -> bool:
    return frame.phase is Phase.DONE and frame.picture is not None


def in_window() -> None:
    """Train both lanes from the opening of the document; then change C."""
    given = points(N)
    for title, settings in KINDS.items():
        lanes = (Lane("knn"), Lane("svm", svm=settings))
        document = Document(given, view=View.fitting(given), training_limit=N, lanes=lanes)
        with _window() as (window, watch):
            window.controller.store.reset(document, None)
            window.refreshing.request()
            _report(title, window, watch, (0, 1))
            proof: Any = window.result(1).certificate  # type: ignore[union-attr]
            print(f"{'':22s}{proof.status}, gap {proof.gap:.1e}, f within {proof.kernel_error:.1e}", flush=True)
            watch.wait(window.idle)
            window.controller.set_lane(1, "svm", C=2.0 * settings.C)
            _report("  C doubled", window, watch, (1,))


def _report(title: str, window: MainWindow, watch: _Watch, lanes: tuple[int, ...]) -> None:
    """Wait for new pictures of these lanes, and print their times."""
    frames = [window.result(lane) for lane in lanes]
    before = {lane: 0 if frame is None else frame.job for lane, frame in zip(lanes, frames, strict=True)}
    start, busy, found = time.perf_counter(), time.process_time(), dict[str, str]()
    stages: tuple[tuple[str, Callable[[Frame], bool]], ...] = (
        ("first picture", lambda frame: frame.picture is not None),
        ("trained", _done),
        ("full", lambda frame: _done(frame) and frame.full),
    )

    def look() -> bool:
        now = f"{time.perf_counter() - start:.2f} ({time.process_time() - busy:.2f})"
        for lane in lanes:
            frame = window.result(lane)
            if frame is None or frame.job <= before[lane] or frame.points is not window.document.training_points:
                continue
            for stage, reached in stages:
                name = f"{frame.lane.family.short} {stage}"
                if name not in found and reached(frame):
                    found[name] = now
        return len(found) == len(stages) * len(lanes)

    gap = 1e3 * watch.wait(look)
    shown = "; ".join(f"{name} {at}" for name, at in found.items() if name != "kNN trained")
    print(f"{title:20s}: {shown}; longest GUI gap {gap:.0f} ms", flush=True)


def run() -> None:
    make_application()
    print("seconds, in brackets those of the processor, all threads; moons with noise 0.3, C = 1")
    evaluation()
    in_window()
