"""Recovery: copies of unsaved work, written in the background, and found again after a crash.

Each window has one name; its copy is `<name>.recovery` in the recovery folder, and `<name>.lock` is locked as long as
the window is open.  A copy without a lock is the work of a window that crashed.  A copy is one line of JSON (which
document, when, how many points), followed by the bytes of a `*.playground` file.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from app.core import log
from app.core.number_format import count
from app.core.plain_text import plain
from app.state.document import Document

from . import documents, locks
from .background_task import Progress, Task, start

SUFFIX = ".recovery"
#: Interval between two copies, delay after the first unsaved change, and delay after a failure (s).
INTERVAL, DELAY, RETRY = 2.0, 0.5, 10.0
#: Longest wait (s) for the lock of the window's own copy: another program may hold it for a moment to check it.
PATIENCE = 1.0
_HEADER_BYTES = 100_000
#: Errors that mean that a file is not a copy.
_WRONG = (ValueError, OverflowError, RecursionError, msgspec.MsgspecError, documents.FileError)


class UnsavedWork(Struct, frozen=True, eq=False):
    """Unsaved work: a document, its path, and the fingerprint of its file when it was last read or written."""

    document: Document
    path: Path | None
    on_disk: documents.Fingerprint | None = None


class _CopyHeader(msgspec.Struct):
    time: float
    points: int
    path: str | None = None
    on_disk: tuple[int, str] | None = None


class Copy(Struct, frozen=True, eq=False):
    """A copy left behind; `lock` is held here, so no other window offers or removes it."""

    file: Path
    lock: locks.Lock
    path: Path | None
    time: float
    points: int
    on_disk: documents.Fingerprint | None

    @property
    def title(self) -> str:
        """Title of the document."""
        return plain(self.path.name) if self.path else "Untitled"

    @property
    def words(self) -> str:
        """Description of the work and its time, in words."""
        return f"{self.title}, {when(self.time, time.time())}, {count(self.points, 'point')}"

    def read(self) -> UnsavedWork:
        """Return the work; raise a FileError if it is unusable, an UnreadError if perhaps only at present."""
        return UnsavedWork(_document(self.file, f"The recovery copy of {self.title}"), self.path, self.on_disk)

    def remove(self) -> None:
        """Delete the copy, which is no longer needed."""
        with contextlib.suppress(OSError):
            self.file.unlink(missing_ok=True)
        self.lock.release()

    def set_aside(self) -> Path:
        """Rename a damaged copy, so that it is not offered again, and return its name."""
        aside = documents.set_aside(self.file)
        self.lock.release()
        return aside


def read(path: Path) -> Document:
    """Return the document in the copy at `path`; raise a FileError if it is unusable."""
    return _document(path, path.name)


def _document(file: Path, name: str) -> Document:
    try:
        _, _, body = documents.read_bytes(file).partition(b"\n")
    except documents.UnreadError as error:
        why = documents.reason(error)
        raise documents.UnreadError(f"{name} cannot be read: {why}.", why) from None
    return documents.decode(body, name)


def orphans(folder: Path) -> tuple[list[Copy], list[str]]:
    """Return the copies that no open window has locked, newest first, and sentences about damaged or unreadable ones.

    A damaged copy is set aside.  A copy that cannot be read at present stays, to be offered another time.
    """
    copies: list[Copy] = []
    sentences: list[str] = []
    damaged: list[Path] = []
    refusals: list[OSError] = []
    try:
        found = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except OSError as error:
        return [], [f"Unsaved work cannot be looked for in {folder}: {documents.reason(error)}."]
    documents.sweep(folder, ".*.tmp")  # left by interrupted writing
    names = {file.name for file in found}
    for file in found:
        if file.suffix == locks.SUFFIX and file.with_suffix(SUFFIX).name not in names:
            locks.held(file)
        if file.suffix != SUFFIX:
            continue
        lock = locks.Lock(file.with_suffix(locks.SUFFIX))
        try:
            if not _mine(lock):
                continue
            copies.append(_copy(file, lock))
            continue
        except FileNotFoundError:  # its owner has just closed
            pass
        except OSError as error:
            refusals.append(error)
        except _WRONG:
            damaged.append(documents.set_aside(file))
        lock.release()
    if damaged:
        one = f"A recovery copy cannot be read; it is kept as {damaged[0]}."
        several = f"{len(damaged)} recovery copies cannot be read; they are kept in {folder}."
        sentences.append(one if len(damaged) == 1 else several)
    if refusals:
        why = documents.reason(refusals[0])
        which = "A recovery copy" if len(refusals) == 1 else f"{len(refusals)} recovery copies"
        stays = "it stays in" if len(refusals) == 1 else "they stay in"
        sentences.append(f"{which} cannot be read for now ({why}); {stays} {folder} for the next start.")
    return sorted(copies, key=_age), sentences


def _mine(lock: locks.Lock) -> bool:
    """Return whether no other program has `lock`, and take it if possible; raise an OSError if that is unknown."""
    try:
        return lock.acquire()
    except OSError as error:
        if locks.passing(error):
            raise
        return True  # without locks, rather offer a copy too many


def _age(copy: Copy) -> float:
    return -copy.time if math.isfinite(copy.time) else math.inf


def _copy(file: Path, lock: locks.Lock) -> Copy:
    with documents.open_ordinary(file) as stream:
        line = stream.readline(_HEADER_BYTES)
    header = msgspec.convert(json.loads(line), _CopyHeader)
    path = Path(header.path) if header.path is not None else None
    on_disk = documents.Fingerprint(*header.on_disk) if header.on_disk is not None else None
    return Copy(file, lock, path, header.time, header.points, on_disk)


def when(context: float, now: float) -> str:
    """Format a time stamp for display: "today 14:32", "yesterday 9:05", "3 March 2026 14:32"; any value is valid."""
    try:
        then, today = datetime.datetime.fromtimestamp(context), datetime.datetime.fromtimestamp(now)
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"
    days = (today.date() - then.date()).days
    clock = f"{then.hour}:{then.minute:02}"
    if days in (0, 1):
        return f"{('today', 'yesterday')[days]} {clock}"
    return f"{then.day} {_MONTHS[then.month - 1]} {then.year} {clock}"


_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


class Recorder:
    """Keep a copy of unsaved work on disk, by a thread that starts with the first copy.

    Parameters
    ----------
    folder : Path
    name : str
        A name that no other window has.
    failed : callable
        ``failed(sentence)`` is called from the thread when copies cannot be written, once until they can again.
    """

    def __init__(self, folder: Path, name: str, failed: Callable[[str], None]) -> None:
        self._folder = folder
        self.file = folder / f"{name}{SUFFIX}"
        self._lock = locks.Lock(folder / f"{name}{locks.SUFFIX}")
        self._failed = failed
        self._failing = False
        self._news = threading.Condition()
        self._wanted: UnsavedWork | None = None  # the latest work
        self._behind = False  # the copy on disk is not that of `_wanted`
        self._busy = False  # the thread is writing or deleting the copy
        self._due = 0.0
        self._started = -INTERVAL  # start time of the last copy
        self._predecessors: list[Copy] = []
        self._closing = False
        self._thread: threading.Thread | None = None

    def keep(self, work: UnsavedWork | None) -> None:
        """Request a copy of `work`; None if nothing is unsaved."""
        with self._news:
            if self._closing or (work is None and self._thread is None):
                return
            now = time.monotonic()
            if not self._behind and work is not None:
                self._due = max(now + DELAY, self._started + INTERVAL)
            self._wanted, self._behind = work, True
            if self._thread is None:
                task = Task("Keeping a copy", self._run, "Recovery copies cannot be written", kept=False)
                self._thread = start(task, Progress(), self._ended, "recovery")
            self._news.notify()

    def _ended(self, outcome: object) -> None:
        """Report why the thread did not start, or failed; the next change starts another."""
        if isinstance(outcome, Exception):
            with self._news:
                self._thread = None
            self._report(outcome)

    def replaces(self, copy: Copy) -> None:
        """Keep the file of `copy`, whose work is now in this window, until the window's own copy has replaced it."""
        with self._news:
            self._predecessors.append(copy)
            self._behind = True  # a copy that is being written may be older
            self._news.notify()

    @property
    def settled(self) -> bool:
        """Whether the copy on disk is up to date."""
        with self._news:
            return not self._behind and not self._busy

    def close(self) -> bool:
        """Delete the copy after the window has closed; return whether the thread ended in time."""
        with self._news:
            self._closing = True
            self._wanted = None
            thread = self._thread
            self._news.notify()
        if thread is None:
            return True
        thread.join(2)
        return not thread.is_alive()

    # -- on the thread ---------------------------------------------------------------------------------------------

    def _run(self, progress: Progress) -> None:
        while True:
            with self._news:
                self._busy = False
                while not self._closing:
                    wait = self._due - time.monotonic() if self._behind else None
                    if wait is not None and (wait <= 0 or self._wanted is None):
                        break
                    self._news.wait(wait)
                work, self._behind, self._busy = self._wanted, False, True
                predecessors, closing = list(self._predecessors), self._closing
            if work is None:
                with contextlib.suppress(OSError):
                    self.file.unlink(missing_ok=True)
            elif not self._write(work):
                continue
            for copy in predecessors:
                copy.remove()
            with self._news:
                self._predecessors = [copy for copy in self._predecessors if copy not in predecessors]
            if closing:
                self._lock.release()
                return

    def _write(self, work: UnsavedWork) -> bool:
        self._started = time.monotonic()
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not self._lock.held:
                with contextlib.suppress(OSError):  # a copy without a lock is still better than none
                    self._lock.acquire(PATIENCE)
            documents.write_pieces(self._pieces(work), self.file, private=True)
        except Exception as error:  # the thread continues after every error, to try again
            if self._closing:
                return False
            with self._news:
                self._behind, self._due = True, time.monotonic() + RETRY
            self._report(error)
            return False
        self._failing = False
        return True

    def _report(self, error: Exception) -> None:
        if not self._failing:
            self._failing = True
            self._failed(f"Recovery copies cannot be written: {_reason(error)}.")

    def _pieces(self, work: UnsavedWork) -> Iterator[bytes]:
        header: dict[str, Any] = {
            "time": time.time(),
            "points": len(work.document.points),
            "path": str(documents.absolute(work.path)) if work.path is not None else None,
            "on_disk": work.on_disk,
        }
        yield json.dumps(header).encode() + b"\n"  # json, because a file name may not be valid text
        yield documents.encode(work.document)
        if self._closing:
            raise InterruptedError


def _reason(error: Exception) -> str:
    if isinstance(error, documents.FileError) or (isinstance(error, OSError) and error.strerror):
        return documents.reason(error)
    log.caught("A recovery copy was not written.", error)
    return type(error).__name__
