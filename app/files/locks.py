"""Locks: files that show that a process is running, and which document it has open.

A lock is the operating system's own (flock, or LockFile on Windows): it ends with its process however that ends, it
does not depend on process numbers, and two locks in one process exclude each other.
"""

from __future__ import annotations

import contextlib
import errno
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
_PASSING = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, getattr(errno, "ESTALE", errno.EIO))


class Lock:
    """A lock file at `path`, held from `acquire` to `release` or to the end of the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def acquire(self, patience: float = 0.0) -> bool:
        """Take the lock; return False if another process holds it for longer than `patience` seconds.

        Patience is for this program's own locks: another program may hold one for a moment to check it.

        Raises
        ------
        OSError
            If there can be no lock.
        """
        until = time.monotonic() + patience
        while not self._try():
            if time.monotonic() >= until:
                return False
            time.sleep(0.005)
        return True

    def _try(self) -> bool:
        # The path may be a pipe, which is not waited for, or a link, which is not followed; Windows has neither flag.
        careful = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | careful, 0o600)
        try:
            taken = take(handle)
        except OSError:
            _close(handle)
            raise
        if taken and stands_for(handle, self.path):
            if self._handle is not None:  # of a file that the user has deleted
                _close(self._handle)
            self._handle = handle
            return True
        _close(handle)  # held by another process, or just deleted by its holder
        return False

    @property
    def held(self) -> bool:
        """Whether the lock is held here, and the user has not deleted its file."""
        return self._handle is not None and stands_for(self._handle, self.path)

    def release(self) -> None:
        """Delete the file and release the lock, if it is held."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if sys.platform == "win32":  # an open file cannot be deleted there
            _close(handle)
            with contextlib.suppress(OSError):
                self.path.unlink()
            return
        with contextlib.suppress(OSError):
            if stands_for(handle, self.path):
                self.path.unlink()
        _close(handle)


def held(path: Path) -> bool:
    """Return whether a running program holds the lock at `path`; delete a file that is not locked."""
    lock = Lock(path)
    try:
        os.stat(path)
        if not lock.acquire():
            return True
    except OSError:  # the file system has no locks
        return False
    lock.release()
    return False


def passing(error: OSError) -> bool:
    """Whether a lock is held is unknown at present; any other error means that locks are impossible."""
    return error.errno in _PASSING


class Claims:
    """Claims: show other windows of the same user which document this one has open, by files in `folder`.

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
        """Claim the document at `path` in place of the last one; None for a document without a file."""
        key = identity(path) if path is not None else ""
        if key == self._claimed:
            return
        self.release()
        self._claimed = key
        if not key:
            return
        with contextlib.suppress(OSError):  # without a lock, only the warning is missing
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = Lock(self._folder / f"{key}-{self._owner}{SUFFIX}")
            if lock.acquire(0.2):
                self._lock = lock

    def elsewhere(self, path: Path) -> bool:
        """Return whether another window has the file at `path` open."""
        own = f"-{self._owner}{SUFFIX}"
        try:
            others = [lock for lock in self._folder.glob(f"{identity(path)}-*{SUFFIX}") if not lock.name.endswith(own)]
        except OSError:
            return False
        return any([held(lock) for lock in others])

    def sweep(self) -> None:
        """Delete the claims of windows that crashed."""
        with contextlib.suppress(OSError):
            for lock in list(self._folder.glob(f"*{SUFFIX}")):
                held(lock)

    def release(self) -> None:
        """Release the claim."""
        if self._lock is not None:
            self._lock.release()
        self._lock, self._claimed = None, ""


def identity(path: Path) -> str:
    """Return the same path for all names of a file, if links can be resolved."""
    try:
        name = os.path.realpath(path)
    except (OSError, ValueError):  # an unreadable link, a deleted working folder, an impossible name
        name = str(path)
    return hashlib.sha256(os.path.normcase(name).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _close(handle: int) -> None:
    """Close a handle, ignoring errors: nothing was written, and the handle is closed in any case."""
    with contextlib.suppress(OSError):
        os.close(handle)


def stands_for(handle: int, path: Path) -> bool:
    """Return whether the open file `handle` is the file at `path`."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def take(handle: int) -> bool:
    """Lock the open file `handle` until it is closed; return False if another process holds it.

    Raises
    ------
    OSError
        If it cannot be locked.
    """
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
