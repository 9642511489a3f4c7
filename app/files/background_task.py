"""Background tasks: values for work that reads, writes or takes a while; `start` runs one on a thread of its own.

No Qt: the tasks of a window are run by `views/task_runner`, which passes their results to the window's thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from app.core import log

from . import documents
from .documents import FileError

#: Time of work before each pause, and length of the pause (s): without pauses, the thread would delay the window's,
#: which waits for the interpreter at every call of Qt.
HURRY, PAUSE = 0.01, 0.0005

Result = TypeVar("Result")


class CancelledError(Exception):
    """The task was cancelled: its result is no longer needed."""


class Progress:
    """Progress of a task: the work calls it between its pieces; the window reads it, and may cancel the task.

    Attributes
    ----------
    share : float
        Share of the work that is done, 0 to 1; 0 if unknown.
    """

    def __init__(self) -> None:
        self.share = 0.0
        self._begun = time.monotonic()
        self._lock = threading.Lock()
        self._cancelled = self._committed = False

    def __call__(self, share: float = 0.0) -> None:
        """Record that this `share` of the whole is done; raise CancelledError if the task has been cancelled."""
        if self._cancelled:
            raise CancelledError
        self.share = share
        if time.monotonic() - self._begun > HURRY:
            time.sleep(PAUSE)

    def commit(self) -> None:
        """Begin the part that cannot be cancelled; raise CancelledError if the task has been cancelled."""
        with self._lock:
            if self._cancelled:
                raise CancelledError
            self._committed = True

    def cancel(self) -> bool:
        """Cancel the work, which then has no effect; return False if it is too late."""
        with self._lock:
            self._cancelled = not self._committed
            return self._cancelled


class Task(Struct, Generic[Result], frozen=True, eq=False):
    """Work for a thread.

    Attributes
    ----------
    title : str
        Title on screen: "Saving moons.playground".
    work : callable
        ``work(progress)`` returns the result; it raises a FileError with a sentence if it fails.
    failure : str
        Beginning of the sentence about any other failure: "moons.playground was not saved".
    kept : bool
        Closing the window waits for the task.
    """

    title: str
    work: Callable[[Progress], Result]
    failure: str
    kept: bool = True

    def outcome(self, progress: Progress) -> Result | FileError | CancelledError:
        """Do the work and return its result, or the error, which is never raised."""
        try:
            return self.work(progress)
        except (FileError, CancelledError) as error:
            return error
        except MemoryError:
            log.caught(f"{self.failure}.")
            return FileError(f"{self.failure}: there is not enough memory.")
        except Exception as error:  # an error of the program, which is reported as well
            log.caught(f"{self.failure}.")
            return FileError(f"{self.failure} ({type(error).__name__}: {error}).")


def saving(path: Path, encode: Callable[[Progress], bytes], failure: str = "", kept: bool = True) -> Task[str]:
    """Return the task that writes the result of `encode`; its result is a sentence.  Parameters as in `Task`."""

    def work(progress: Progress) -> str:
        data = encode(progress)
        progress.commit()
        documents.write_bytes(data, path)
        return f"Saved {path.name}."

    return Task(f"Saving {path.name}", work, failure or f"{path.name} was not saved", kept)


def start(
    task: Task[Result],
    progress: Progress,
    finished: Callable[[Result | FileError | CancelledError], object],
    name: str = "task",
) -> threading.Thread | None:
    """Run `task` on a thread, and call ``finished(outcome)`` there; return None if no thread can be started.

    Then `finished` has been called with that sentence, in the caller's thread.
    """
    thread = threading.Thread(target=lambda: finished(task.outcome(progress)), name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        finished(FileError(f"{task.failure}: the system starts no more threads.", "the system starts no more threads"))
        return None
    return thread
