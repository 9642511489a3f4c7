"""WorkerProcess: a second process of this program that answers requests, one after the other.

One thread for each process reads its answers.  A job of the pool polls for its answer (`Pace.wait`), and blocks no
thread.  A process that does not answer in time is killed, and the next request starts another.
"""

from __future__ import annotations

import math
import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from app.core import log
from solver.core.own_process import command

from . import worker_pipe
from .pacing import never

#: End of a sentence: why there is no answer.
ENDED = "its process has ended.  The next change tries again."
#: One thread for the linear algebra of a process: the other cores are for the other processes.
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")}


class PendingAnswer:
    """An answer that the process has yet to send.

    Parameters
    ----------
    process : WorkerProcess
    failure : str
        Beginning of the sentence if there is no answer.
    request : tuple

    Attributes
    ----------
    sent : float
        Time (s) at which the request was sent; nan before.
    """

    def __init__(self, process: WorkerProcess, failure: str, request: tuple[Any, ...]) -> None:
        self.request = request
        self._process, self._failure = process, failure
        self._came = threading.Event()
        self._value: Any = None
        self._fault = ""
        self.sent = math.nan

    @property
    def done(self) -> bool:
        """Whether the answer has arrived, or never will."""
        if not self._came.is_set() and self.seconds > self._process.longest:
            self._process.end(f"it took longer than {self._process.longest:g} s.  The next change tries again.")
        return self._came.is_set()

    @property
    def seconds(self) -> float:
        """Time that the process has spent on the request (s)."""
        return 0.0 if math.isnan(self.sent) else time.monotonic() - self.sent

    def discard(self) -> None:
        """Kill the process if it has not answered: the answer is no longer needed."""
        if not self._came.is_set():
            self._process.end("it was stopped.")

    def result(self, late: Callable[[], bool] = never) -> Any:
        """Wait for the answer and return it; raise a ValueError with a sentence if there is none.

        The process is killed once ``late()`` is true.
        """
        while not self.done:
            self._came.wait(0.05)
            if late():
                self.discard()
        if self._fault:
            raise ValueError(f"{self._failure}: {self._fault}")
        return self._value

    def come(self, value: Any, fault: str) -> None:
        """Set the answer, or the end of the sentence that says why there is none."""
        self._value, self._fault = value, fault
        self._came.set()


class WorkerProcess:
    """One process, and the thread that reads from it; safe to use from several threads.

    The process gets one request at a time, so that no caller blocks on a full pipe.

    Parameters
    ----------
    module : str
        Its program, which calls `worker_pipe.serve`.
    *arguments : str
        Of the program.
    flags : int, optional
        Of the process, on Windows.

    Attributes
    ----------
    longest : float
        Longest time for an answer (s), after which the process is killed.
    """

    longest = math.inf

    def __init__(self, module: str, *arguments: str, flags: int = 0) -> None:
        self._words, self._flags = (module, *arguments), flags
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        #: The process works on the first of these.
        self._waiting: deque[PendingAnswer] = deque()
        self._why = ENDED

    def send(self, failure: str, *request: Any) -> PendingAnswer:
        """Queue a request; `failure` begins the sentence if there is no answer."""
        pending = PendingAnswer(self, failure, request)
        with self._lock:
            self._waiting.append(pending)
            if len(self._waiting) == 1:
                self._send()
        return pending

    def end(self, why: str = ENDED) -> None:
        """Kill the process; pending answers report `why` there is none."""
        if (process := self._process) is not None:
            self._why = why
            process.kill()  # before the lock, which a thread may have that writes into a full pipe
            with self._lock:
                self._lose(process)

    @property
    def running(self) -> bool:
        """Whether the process has been started, and not ended."""
        return self._process is not None

    def message(self, request: tuple[Any, ...]) -> Any:
        """Return what is sent for a request."""
        return request

    def _send(self) -> None:
        """Send the first request."""
        pending = self._waiting[0]
        try:
            if self._process is None or self._process.poll() is not None:
                self._process = self._started()
            assert self._process.stdin is not None
            worker_pipe.write(self._process.stdin, self.message(pending.request))
        except OSError:  # the process has ended, or none could be started
            self._lose(self._process)
        else:
            pending.sent = time.monotonic()

    def _started(self) -> subprocess.Popen[bytes]:
        self._why = ENDED
        process = subprocess.Popen(
            command(*self._words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=self._flags | getattr(subprocess, "CREATE_NO_WINDOW", 0),  # of Windows
            env=os.environ | _ONE_THREAD,
        )
        threading.Thread(target=self._read, args=(process,), name="worker", daemon=True).start()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        """Deliver the answers of `process` until it ends."""
        assert process.stdout is not None
        while True:
            try:
                fine, value, notes = worker_pipe.read(process.stdout)
            except (EOFError, OSError, ValueError):
                break
            with self._lock:
                if self._process is not process:
                    break
                pending = self._waiting.popleft()
                if self._waiting:
                    self._send()
            for note in notes:
                log.LOGGER.error(note)
            pending.come(*((value, "") if fine else (None, value)))
        with self._lock:
            self._lose(process)
        process.kill()
        process.communicate()  # closes the pipes, and waits for the process

    def _lose(self, process: subprocess.Popen[bytes] | None) -> None:
        """Abandon a process that has ended or been killed, and fail the pending requests."""
        if self._process is process:
            self._process = None
            while self._waiting:
                self._waiting.popleft().come(None, self._why)
