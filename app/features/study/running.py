"""StudyProcesses: compute a study in worker processes; start, pause, resume and stop them.  No Qt.

The window and the command line share it: the window takes the results, the command line gets them in a file.
"""

from __future__ import annotations

import math
import os
import subprocess
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal

import msgspec

from app.core import log
from solver.core.own_process import command

from .cells import Path
from .computing import Given, Record, longer
from .model import Study
from .results import ResultsFile
from .worker import WorkerAnswer, WorkerOrder

#: Work (s) that a worker gets at a time, and largest number of paths.
AT_A_TIME, MOST = 0.2, 256
#: Number of attempts at a path whose worker has ended.
TRIES = 2
#: Number of workers in a row that may fail to start.
BARREN = 3
#: Time (s) beyond the limit of a cell after which its worker is killed; before that, the worker stops the cell itself.
GRACE = 1.0
#: Niceness of the window's workers.
NICENESS = 19
ENDED = "The process that computed this has ended."
State = Literal["running", "paused", "ended"]


def jobs() -> int:
    """Return a number of processes that leaves one processor to the window."""
    return max(1, min((os.cpu_count() or 1) - 1, 16))


class _Worker:
    """A process, and the orders sent to it."""

    def __init__(self, niceness: int) -> None:
        environment = os.environ | {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")}
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # on Windows
        if niceness:
            flags |= getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)
        self.process = subprocess.Popen(
            command(f"{__package__}.worker", str(niceness)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            creationflags=flags,
        )
        self._lock = threading.Lock()
        #: True once it reads orders at once.
        self.begun = False
        #: The part of a path that it computes under a time limit, and the time (s) when that is over.
        self.part: Path | None = None
        self.end_of_part = math.inf
        #: Results of the present order.
        self.done: list[Record] = []

    def say(self, order: WorkerOrder) -> None:
        """Send an order; raise OSError if the process has ended."""
        assert self.process.stdin is not None
        with self._lock:
            self.process.stdin.write(msgspec.json.encode(order) + b"\n")
            self.process.stdin.flush()

    def end(self) -> None:
        """Kill the process, and wait for it."""
        self.process.kill()
        with suppress(OSError, ValueError):
            self.process.communicate()


class StudyProcesses:
    """Compute a study in worker processes, which start at once.

    Parameters
    ----------
    study : Study
    given : Given or None
        Its points, if no generator draws them.
    todo : callable
        Returns the paths, which others may take as well; called on a thread.
    wake : callable
        Called on a thread when there is something to `take`; must return at once.
    n_jobs : int, optional
        Number of processes.
    file : ResultsFile, optional
        Receives each result as well, on the command line.
    limit : float, optional
        Largest time (s) for a cell; the caller must call `end_late` regularly.
    niceness : int, optional
        Of the processes.

    Attributes
    ----------
    n_done : int
        Number of paths that are done.
    failure : str
        Why the run ended early, or "".
    start : float
        Seconds that the last process took to start.
    """

    def __init__(
        self,
        study: Study,
        given: Given | None,
        todo: Callable[[], deque[Path]],
        wake: Callable[[], None],
        n_jobs: int = 0,
        file: ResultsFile | None = None,
        limit: float = math.inf,
        niceness: int = NICENESS,
    ) -> None:
        self.study, self._limit, self._niceness = study, limit, niceness
        self._points = None if given is None else given.lists()
        self._give, self._wake, self._file = todo, wake, file
        self._todo: deque[Path] | None = None
        self._beginning = threading.Lock()
        self.n_done, self.start = 0, 0.0
        self._found: list[Record] = []
        #: Paths whose worker has ended, and how often that happened for each.
        self._again: deque[Path] = deque()
        self._tries: Counter[int] = Counter()
        self._condition = threading.Condition()
        self._paused = self._cancelled = False
        self._barren = 0
        self.failure = ""
        self._workers: list[_Worker] = []
        count = n_jobs or jobs()
        self.threads = [threading.Thread(target=self._serve, name="study", daemon=True) for _ in range(count)]
        self._alive = count
        for thread in self.threads:
            thread.start()

    @property
    def state(self) -> State:
        """Whether results are still to come."""
        if self._alive == 0 or self._cancelled:
            return "ended"
        return "paused" if self._paused else "running"

    def take(self) -> list[Record]:
        """Return the results since the last call."""
        with self._condition:
            found, self._found = self._found, []
        return found

    def pause(self, paused: bool) -> None:
        """Pause after the present cell, or resume."""
        with self._condition:
            self._paused = paused
            self._condition.notify_all()
            # A starting worker reads nothing until it has all points: a message would block the window.
            workers = [each for each in self._workers if each.begun]
        for worker in workers:
            with suppress(OSError):
                worker.say(WorkerOrder(go=not paused))

    def cancel(self) -> None:
        """Kill the processes; the results so far can still be taken, but `wake` is not called any more."""
        with self._condition:
            self._cancelled = True
            self._condition.notify_all()
            for worker in self._workers:
                worker.process.kill()

    def end_late(self) -> None:
        """Kill the workers whose cell has passed the time limit: nothing else interrupts compiled code."""
        with self._condition:
            for worker in self._workers:
                if time.monotonic() > worker.end_of_part:
                    worker.process.kill()

    # -- a thread for each worker ----------------------------------------------------------------------------------

    def _serve(self) -> None:
        worker: _Worker | None = None
        share = 1
        try:
            with self._beginning:
                if self._todo is None:
                    self._todo = self._give()
            while paths := self._next(share):
                try:
                    worker = worker or self._started()
                    begun = time.monotonic()
                    self._order(worker, WorkerOrder(paths=tuple(paths)))
                    share = min(2 * share, MOST) if time.monotonic() - begun < AT_A_TIME else max(share // 2, 1)
                except (OSError, msgspec.MsgspecError) as error:
                    self._end(worker)
                    if worker is None or not self._late(worker, paths):
                        self._fail(paths, error)
                    worker, share = None, 1
        finally:
            self._end(worker)
            with self._condition:
                self._alive -= 1
            self._ring()

    def _next(self, share: int) -> list[Path]:
        with self._condition:
            while self._paused and not self._cancelled:
                self._condition.wait()
            if self._cancelled:
                return []
            if self._again:  # each alone, so that no other ends with it
                return [self._again.popleft()]
            assert self._todo is not None
            taken = (next_of(self._todo) for _ in range(max(1, min(share, len(self._todo) // len(self.threads)))))
            return [path for path in taken if path is not None]

    def _started(self) -> _Worker:
        """Return a process that has started; raise OSError if it does not start."""
        worker, begun = None, time.monotonic()
        try:
            worker = _Worker(self._niceness)
            with self._condition:
                self._workers.append(worker)
                if self._cancelled:
                    worker.process.kill()
            limit = None if self._limit == math.inf else self._limit
            self._order(worker, WorkerOrder(self.study, self._points, limit=limit))
            with self._condition:  # `pause` sends it, or finds it not started
                if self._paused:
                    worker.say(WorkerOrder(go=False))
                worker.begun = True
        except (OSError, msgspec.MsgspecError) as error:
            self._end(worker)
            self._barren += 1
            raise OSError("A process of a study does not begin.") from error
        self._barren, self.start = 0, time.monotonic() - begun
        return worker

    def _end(self, worker: _Worker | None) -> None:
        if worker is not None:
            with self._condition:
                self._workers.remove(worker)
            worker.end()

    def _order(self, worker: _Worker, order: WorkerOrder) -> None:
        """Send an order, and take its results until it is done."""
        worker.done = []
        worker.say(order)
        assert worker.process.stdout is not None
        for line in worker.process.stdout:
            answer = msgspec.json.decode(line, type=WorkerAnswer)
            if answer.note:
                log.LOGGER.error(answer.note)
            self._post(answer.records, len(order.paths) if answer.done else 0)
            worker.done += answer.records
            worker.part, cells = answer.begun, 0 if answer.begun is None else len(answer.begun.cells)
            worker.end_of_part = time.monotonic() + GRACE + self._limit * cells if cells else math.inf
            if answer.done:
                return
        if not self._cancelled:
            raise OSError(ENDED)

    def _post(self, records: Sequence[Record], done: int) -> None:
        if self._file is not None and records:
            self._file.add(*records)
        with self._condition:
            self._found += records
            self.n_done += done
        self._ring()

    def _ring(self) -> None:
        with self._condition:  # held while waking: the receiver cannot be closed meanwhile
            if not self._cancelled or self.failure:
                self._wake()

    def _late(self, worker: _Worker, paths: list[Path]) -> bool:
        """Return True if a worker was killed for the time limit: its cells get no value, others compute the rest."""
        part = worker.part
        if part is None or self._cancelled or time.monotonic() < worker.end_of_part:
            return False
        over = [longer(cell, part.repetition, part.fold, self._limit) for cell in part.cells]
        done = {(*each.cell, each.repetition, each.fold) for each in (*worker.done, *over)}
        left = [path.only(lambda index: index not in done) for path in paths]
        self._again += [path for path in left if path.cells]
        self._post(over, sum(not path.cells for path in left))
        return True

    def _fail(self, paths: list[Path], error: Exception) -> None:
        """Try each path of an ended worker once more, alone; then record it as failed."""
        if self._cancelled:
            return
        log.caught("A process of a study has ended.", error)
        if self._barren >= BARREN:  # no process can work here
            self.failure = "No process could be started for this study; Help > Show log has more."
            self.cancel()
            return
        for path in paths:
            self._tries[path.number] += self._barren == 0
            if self._tries[path.number] < TRIES or len(paths) > 1:
                self._again.append(path)
            else:
                self._post([Record(cell, path.repetition, path.fold, error=ENDED) for cell in path.cells], 1)


def next_of(todo: deque[Path]) -> Path | None:
    """Return the next path, which no other thread gets; None if there is none."""
    try:
        return todo.popleft()
    except IndexError:
        return None
