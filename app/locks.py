"""Locks: files that say that a process is alive, and which document it has open.

A lock is the operating system's own (flock, or LockFile on Windows): it ends with its process however that ends, a
process number used again means nothing to it, and two of the same process exclude one another like any others.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

SUFFIX = ".lock"


class Lock:
    """A lock file at `path`, held from `acquire` to `release` or to the end of the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def acquire(self, patience: float = 0.0) -> bool:
        """Hold the lock; False when another holds it for longer than `patience` seconds.  OSError: there can be none.

        Patience is for locks of one's own: somebody may be asking just now whether they are held.
        """
        until = time.monotonic() + patience
        while not self._try():
            if time.monotonic() >= until:
                return False
            time.sleep(0.005)
        return True

    def _try(self) -> bool:
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            taken = _take(handle)
        except OSError:
            os.close(handle)
            raise
        if taken and _stands_for(handle, self.path):
            self._handle = handle
            return True
        os.close(handle)  # another's, or one that its holder has just taken away
        return False

    @property
    def held(self) -> bool:
        """True while it is held here and its file has not been taken away by hand."""
        return self._handle is not None and _stands_for(self._handle, self.path)

    def release(self) -> None:
        """Take the file away and give the lock back; nothing happens when it is not held."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if sys.platform == "win32":  # an open file cannot be taken away there
            os.close(handle)
            with contextlib.suppress(OSError):
                self.path.unlink()
            return
        with contextlib.suppress(OSError):
            if _stands_for(handle, self.path):
                self.path.unlink()
        os.close(handle)


def held(path: Path) -> bool:
    """Somebody alive holds the lock at `path`; a file that nobody holds any more is taken away."""
    if not path.exists():
        return False
    lock = Lock(path)
    try:
        if not lock.acquire():
            return True
    except OSError:  # where nothing can be locked, nobody holds anything
        return False
    lock.release()
    return False


class Claims:
    """Which document this window has open, told to the others of the same user; kept in `folder`, not beside the file.

    Parameters
    ----------
    folder : Path
    owner : str
        A name that no other window has.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        self._folder = folder
        self._owner = owner
        self._lock: Lock | None = None
        self._claimed = ""

    def follow(self, path: Path | None) -> None:
        """The document at `path` is open here now, and no other; None: it has no file."""
        key = _key(path) if path is not None else ""
        if key == self._claimed:
            return
        self.release()
        self._claimed = key
        if not key:
            return
        with contextlib.suppress(OSError):  # without it the program works on, only nobody is warned
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = Lock(self._folder / f"{key}-{self._owner}{SUFFIX}")
            if lock.acquire(0.2):
                self._lock = lock

    def elsewhere(self, path: Path) -> bool:
        """Another window has the file at `path` open."""
        own = f"-{self._owner}{SUFFIX}"
        try:
            others = [lock for lock in self._folder.glob(f"{_key(path)}-*{SUFFIX}") if not lock.name.endswith(own)]
        except OSError:
            return False
        return any([held(lock) for lock in others])

    def sweep(self) -> None:
        """Take away what windows that did not end well have left."""
        with contextlib.suppress(OSError):
            for lock in list(self._folder.glob(f"*{SUFFIX}")):
                held(lock)

    def release(self) -> None:
        """Nothing is open here any more."""
        if self._lock is not None:
            self._lock.release()
        self._lock, self._claimed = None, ""


def _key(path: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.normcase(os.path.realpath(path)))).hexdigest()[:32]


def _stands_for(handle: int, path: Path) -> bool:
    """The open file `handle` is the one at `path`."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def _take(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
