"""EstimatorProcess: a process that trains classifiers of other libraries, so that none of them can block the window.

One thread for each process reads its answers.  A job that waits for an answer polls for it (`Pace.wait`), and blocks
no thread of the pool.  A process that does not answer in time is killed, and the next request starts another.
"""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from app.core import log
from app.core.points import Points
from app.learners.model import RemoteModel
from app.state.document import Lane
from solver.core.arrays import Array, Indices, Mask
from solver.core.own_process import command

from . import estimator_worker

#: Longest time for an answer (s), after which the process is killed.
LONGEST = 30.0
#: Number of surface parts that a model caches until they are painted.
KEPT = 4
#: End of a sentence: why there is no answer.
ENDED = "its process has ended.  The next change tries again."
_numbers = itertools.count(1)


class PendingAnswer:
    """An answer that the process has yet to send.

    Parameters
    ----------
    process : EstimatorProcess
    title : str
        Name of the classifier in sentences.
    request : tuple
    """

    def __init__(self, process: EstimatorProcess, title: str, request: tuple[Any, ...]) -> None:
        self.request = request
        self._process, self._title = process, title
        self._came = threading.Event()
        self._value: Any = None
        self._fault = ""
        self._sent = math.nan

    @property
    def done(self) -> bool:
        """Whether the answer has arrived, or never will."""
        if not self._came.is_set() and self.seconds > LONGEST:
            self._process.end(f"it took longer than {LONGEST:g} s.  The next change tries again.")
        return self._came.is_set()

    @property
    def seconds(self) -> float:
        """Time that the process has spent on the request (s)."""
        return 0.0 if math.isnan(self._sent) else time.monotonic() - self._sent

    def sent(self) -> None:
        """Note the time at which the request was sent."""
        self._sent = time.monotonic()

    def discard(self) -> None:
        """Kill the process if it has not answered: the answer is no longer needed."""
        if not self._came.is_set():
            self._process.end("it was stopped.")

    def result(self) -> Any:
        """Wait for the answer and return it; raise a ValueError with a sentence if there is none."""
        while not self.done:
            self._came.wait(0.05)
        if self._fault:
            raise ValueError(f"{self._title} could not be trained: {self._fault}")
        return self._value

    def come(self, value: Any, fault: str) -> None:
        """Set the answer, or the end of the sentence that says why there is none."""
        self._value, self._fault = value, fault
        self._came.set()


class EstimatorProcess:
    """One process, and the thread that reads from it; safe to use from several threads.

    The process gets one request at a time, so that no caller blocks on a full pipe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        #: The process works on the first of these.
        self._waiting: deque[PendingAnswer] = deque()
        self._dropped: deque[int] = deque()

    def fit(self, lane: Lane, points: Points) -> tuple[EstimatorModel, PendingAnswer]:
        """Start training the classifier of `lane`; the model can predict once the answer is `done`."""
        model = EstimatorModel(self, lane.family.title, np.unique(points.labels))
        maker = lane.family.maker(lane.settings)
        return model, self.send(model.title, "fit", model.number, maker, lane.standardises, points.xy, points.labels)

    def send(self, title: str, *request: Any) -> PendingAnswer:
        """Queue a request for the classifier named `title`."""
        pending = PendingAnswer(self, title, request)
        with self._lock:
            self._waiting.append(pending)
            if len(self._waiting) == 1:
                self._send()
        return pending

    def end(self, why: str) -> None:
        """Kill the process; pending answers report `why` there is none."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._lose(self._process, why)

    def drop(self, number: int) -> None:
        """Forget a model with the next request; safe to call from the garbage collector."""
        self._dropped.append(number)

    def _send(self) -> None:
        """Send the first request."""
        pending, dropped = self._waiting[0], [self._dropped.popleft() for _ in range(len(self._dropped))]
        try:
            if self._process is None or self._process.poll() is not None:
                self._process = self._started()
            assert self._process.stdin is not None
            estimator_worker.write(self._process.stdin, (dropped, pending.request))
        except OSError:  # the process has ended, or none could be started
            self._lose(self._process, ENDED)
        else:
            pending.sent()

    def _started(self) -> subprocess.Popen[bytes]:
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of Windows
        # One thread for its linear algebra: the other cores are for the pictures of the other lanes.
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        process = subprocess.Popen(
            command(estimator_worker.__name__),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=flags,
            env=environment,
        )
        threading.Thread(target=self._read, args=(process,), name="estimator", daemon=True).start()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        """Deliver the answers of `process` until it ends."""
        assert process.stdout is not None
        while True:
            try:
                fine, value = estimator_worker.read(process.stdout)
            except (EOFError, OSError, ValueError):
                break
            with self._lock:
                if self._process is not process:
                    break
                pending = self._waiting.popleft()
                if self._waiting:
                    self._send()
            fault, trace = ("", "") if fine else value
            if trace:
                log.LOGGER.error("A classifier failed in its process.\n%s", trace)
            pending.come(value if fine else None, fault)
        with self._lock:
            self._lose(process, ENDED)
        process.kill()
        process.communicate()  # closes the pipes, and waits for the process

    def _lose(self, process: subprocess.Popen[bytes] | None, why: str) -> None:
        """Abandon a process that has ended or been killed, and fail the pending requests."""
        if self._process is process:
            self._process = None
            self._dropped.clear()
            while self._waiting:
                self._waiting.popleft().come(None, why)


class EstimatorModel(RemoteModel):
    """A model in another process.

    Parameters
    ----------
    process : EstimatorProcess
    title : str
        Name of the classifier in sentences.
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, process: EstimatorProcess, title: str, classes: Any) -> None:
        self._process, self.title, self.classes_ = process, title, classes
        self.number = next(_numbers)
        #: The surfaces requested last, with their columns and rows.
        self._surfaces: deque[tuple[Array, Array, PendingAnswer]] = deque(maxlen=KEPT)
        weakref.finalize(self, _drop, weakref.ref(process), self.number).atexit = False

    def begin_surface(self, xs: ArrayLike, ys: ArrayLike) -> PendingAnswer:
        columns, rows = np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
        pending = self._process.send(self.title, "surface", self.number, columns, rows)
        self._surfaces.append((columns, rows, pending))
        return pending

    def begin_shares(self, X: ArrayLike) -> PendingAnswer:
        return self._process.send(self.title, "shares", self.number, np.asarray(X, dtype=np.float64))

    def predict_proba(self, X: ArrayLike) -> Array:
        shares: Array = self.begin_shares(X).result()
        return shares

    def surface_classes_on(self, xs: ArrayLike) -> Callable[[ArrayLike], tuple[Indices, Array, Mask]]:
        def winners(ys: ArrayLike) -> tuple[Indices, Array, Mask]:
            known = (
                each
                for columns, rows, each in self._surfaces
                if np.array_equal(rows, ys) and np.array_equal(columns, xs)
            )
            winner, share, tie = (next(known, None) or self.begin_surface(xs, ys)).result()
            return winner.astype(np.intp), share.astype(np.float64), tie

        return winners


def _drop(process: weakref.ref[EstimatorProcess], number: int) -> None:
    if (there := process()) is not None:
        there.drop(number)
