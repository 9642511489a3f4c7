"""StudyProcesses: compute a study in worker processes; start, pause, resume and stop them.  No Qt.

The window and the command line share it; that of the command line computes in its own process, too.
"""

from __future__ import annotations

import math
import os
import subprocess
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Literal

from app.core import log
from app.engine.worker_process import WorkerProcess

from .cells import Path
from .computing import Given, Record
from .model import Study
from .worker import Answer, StudyWorker, Work

#: Work (s) that a worker gets at a time, and largest number of paths.
AT_A_TIME, MOST = 0.2, 256
#: Number of attempts at a path whose worker has ended.
TRIES = 2
#: Number of workers in a row that may fail to start.
BARREN = 3
#: Time (s) before other processes help that of the command line, and remaining work (s), at its pace so far, that makes
#: starting them worthwhile.
DELAY, WORTHWHILE = 0.3, 1.0
#: Niceness of the window's workers.
NICENESS = 19
ENDED = "The process that computed this has ended."
State = Literal["running", "paused", "ended"]


def jobs() -> int:
    """Return a number of processes that leaves one processor to the window."""
    return max(1, min((os.cpu_count() or 1) - 1, 16))


class StudyProcesses:
    """Compute a study in worker processes, which start at once.

    Parameters
    ----------
    study : Study
    given : Given or None
        Its points, if no generator draws them.
    todo : callable
        Returns the paths; called on a thread.
    n_jobs : int, optional
        Number of processes.
    limit : float, optional
        Largest time (s) for a cell.
    niceness : int, optional
        Of the processes.
    here : bool, optional
        This process is one of them; the others start after `DELAY`, if there is work left that makes it worthwhile.

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
        n_jobs: int = 0,
        limit: float = math.inf,
        niceness: int = NICENESS,
        here: bool = False,
    ) -> None:
        self._work, self._niceness, self._here = (study, given, limit), niceness, here
        self._give = todo
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
        self._alive = n_jobs or jobs()
        serve = [self._serve_here if here and not number else self._serve for number in range(self._alive)]
        self.threads = [threading.Thread(target=self._run, args=(each,), name="study", daemon=True) for each in serve]
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

    def wait(self) -> None:
        """Wait until there are results, or the run has ended."""
        with self._condition:
            self._condition.wait_for(lambda: self._found or self.state == "ended")

    def pause(self, paused: bool) -> None:
        """Pause after the present cell, or resume."""
        with self._condition:
            self._paused = paused
            self._condition.notify_all()

    def cancel(self) -> None:
        """Kill the processes; the results so far can still be taken."""
        with self._condition:
            self._cancelled = True
            self._condition.notify_all()

    # -- a thread for each worker ----------------------------------------------------------------------------------

    def _run(self, serve: Callable[[], None]) -> None:
        try:
            with self._beginning:
                if self._todo is None:
                    self._todo = self._give()
            serve()
        except Exception as error:
            self.failure = log.stopped("A study has ended early.", error)
            self.cancel()
        finally:
            with self._condition:
                self._alive -= 1
                self._condition.notify_all()

    def _serve_here(self) -> None:
        """Compute paths in this process."""
        worker = StudyWorker()
        worker.answer((self._work, ()))
        while paths := self._next(1):
            self._compute(lambda paths: worker.answer((None, paths)), paths)

    def _serve(self) -> None:
        """Have paths computed by a process."""
        if self._here:
            with self._condition:
                self._condition.wait_for(lambda: self._cancelled or not self._todo, DELAY)
                if self.n_done * WORTHWHILE > len(self._todo or ()) * DELAY:
                    return
        flags = getattr(subprocess, "IDLE_PRIORITY_CLASS", 0) if self._niceness else 0  # on Windows
        worker, started, share = WorkerProcess(f"{__package__}.worker", str(self._niceness), flags=flags), False, 1

        def ask(paths: Sequence[Path], work: Work | None = None) -> Answer:
            """Return the answer of the process; raise ValueError if it, or the run, ends before."""
            answer: Answer = worker.send("A process of a study has ended", work, paths).result(lambda: self._cancelled)
            return answer

        try:
            while paths := self._next(share):
                begun = time.monotonic()
                try:
                    if not started:
                        ask((), self._work)
                        self._barren, self.start = 0, time.monotonic() - begun
                    started, begun = True, time.monotonic()
                    self._compute(ask, paths)
                    share = min(2 * share, MOST) if time.monotonic() - begun < AT_A_TIME else max(share // 2, 1)
                except ValueError as error:
                    worker.end()
                    self._barren += not started
                    self._fail(paths, error)
                    started, share = False, 1
        finally:
            worker.end()

    def _next(self, share: int) -> list[Path]:
        with self._condition:
            self._wait_while_paused()
            if self._cancelled:
                return []
            if self._again:  # each alone, so that no other ends with it
                return [self._again.popleft()]
            assert self._todo is not None
            n_paths = min(max(1, min(share, len(self._todo) // len(self.threads))), len(self._todo))
            return [self._todo.popleft() for _ in range(n_paths)]

    def _wait_while_paused(self) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._cancelled or not self._paused)

    def _compute(self, ask: Callable[[Sequence[Path]], Answer], paths: list[Path]) -> None:
        """Take the results of `paths`; raise ValueError if the process ends."""
        asked: Sequence[Path] = paths
        over = False
        while not over and not self._cancelled:
            self._wait_while_paused()
            found, over = ask(asked)
            self._post(found, len(paths) if over else 0)
            asked = ()

    def _post(self, records: Sequence[Record], done: int) -> None:
        with self._condition:
            self._found += records
            self.n_done += done
            self._condition.notify_all()

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
