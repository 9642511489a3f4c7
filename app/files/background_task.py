"""Background tasks: what reads, writes or takes a while, each a value; `start` does one on a thread of its own.

No Qt: a window has its tasks done by `views/task_runner`, which hands their results to its thread.
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

#: Seconds of work before the first rest, and of each rest: a thread that never rests would hold up the window's, which
#: waits for the interpreter at every call of Qt.
HURRY, REST = 0.01, 0.0005

Result = TypeVar("Result")


class CancelledError(Exception):
    """Nobody waits for this task any more."""


class Progress:
    """Goes with a task: the work calls it between its pieces, the window asks how far it is and may cancel it.

    Attributes
    ----------
    share : float
        How much is done, 0 to 1; 0 where that is not known.
    """

    def __init__(self) -> None:
        self.share = 0.0
        self._begun = time.monotonic()
        self._lock = threading.Lock()
        self._cancelled = self._committed = False

    def __call__(self, share: float = 0.0) -> None:
        """A piece is done, and with it this `share` of all; CancelledError when there is to be no other."""
        if self._cancelled:
            raise CancelledError
        self.share = share
        if time.monotonic() - self._begun > HURRY:
            time.sleep(REST)

    def commit(self) -> None:
        """What follows cannot be cancelled any more; CancelledError when it has been."""
        with self._lock:
            if self._cancelled:
                raise CancelledError
            self._committed = True

    def cancel(self) -> bool:
        """End the work soon, without effect; False when it is too late for that."""
        with self._lock:
            self._cancelled = not self._committed
            return self._cancelled


class Task(Struct, Generic[Result], frozen=True, eq=False):
    """Something to be done on a thread.

    Attributes
    ----------
    title : str
        What is going on: "Saving moons.playground".
    work : callable
        ``work(progress)`` does it and returns what came of it; FileError with a sentence when it cannot be done.
    failure : str
        Begins the sentence about what else goes wrong: "moons.playground was not saved".
    kept : bool
        Closing the window waits for it.
    """

    title: str
    work: Callable[[Progress], Result]
    failure: str
    kept: bool = True

    def outcome(self, progress: Progress) -> Result | FileError | CancelledError:
        """What comes of doing it; never an exception."""
        try:
            return self.work(progress)
        except (FileError, CancelledError) as error:
            return error
        except MemoryError:
            log.caught(f"{self.failure}.")
            return FileError(f"{self.failure}: there is not enough memory.")
        except Exception as error:  # a fault of the program, of which one is to hear all the same
            log.caught(f"{self.failure}.")
            return FileError(f"{self.failure} ({type(error).__name__}: {error}).")


def saving(path: Path, encode: Callable[[Progress], bytes], failure: str = "", kept: bool = True) -> Task[str]:
    """Return the task that writes what `encode` returns; its result is a sentence.  Parameters as of `Task`."""

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
    """Do `task` on a thread, and call ``finished(outcome)`` there; None where the system starts no more threads.

    Then `finished` has been called with that sentence, in the caller's thread.
    """
    thread = threading.Thread(target=lambda: finished(task.outcome(progress)), name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        finished(FileError(f"{task.failure}: the system starts no more threads.", "the system starts no more threads"))
        return None
    return thread
