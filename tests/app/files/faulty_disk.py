"""A disk whose n-th operation under one folder fails: to open, stat, read, write, rename, lock or close a file."""

from __future__ import annotations

import builtins
import errno
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

CODES = (errno.EIO, errno.ENOSPC, errno.EMFILE, errno.ESTALE)
#: Functions of `os` with a path, or with a handle by `os.open`.
BY_PATH = (
    "open",
    "stat",
    "lstat",
    "readlink",
    "replace",
    "rename",
    "unlink",
    "remove",
    "rmdir",
    "mkdir",
    "chmod",
    "listdir",
    "scandir",
)
BY_HANDLE = ("fstat", "fsync", "close", "dup")
OF_FILES = ("read", "readline", "write", "flush", "close")


class FaultyDisk:
    """Within `with`, operation number `nth` on files under `folder` raises OSError.

    Parameters
    ----------
    folder : Path
    nth : int
        Counted from 1.
    code : int
        Number of the error.
    for_good : bool
        All later operations fail, too.

    Attributes
    ----------
    reached : str
        Name of the operation that failed first, or "".
    """

    def __init__(self, folder: Path, nth: int, code: int, for_good: bool = False) -> None:
        self._folder = os.path.abspath(folder)
        self._nth, self._code, self._for_good = nth, code, for_good
        self._count = 0
        self._handles: set[int] = set()
        self._undo: list[tuple[Any, str, Any]] = []
        self.reached = ""

    def strike(self, operation: str) -> None:
        """Count an operation, and raise the error if it is the chosen one."""
        self._count += 1
        if self._count == self._nth or (self._for_good and self._count > self._nth):
            self.reached = self.reached or operation
            raise OSError(self._code, os.strerror(self._code))

    def __enter__(self) -> FaultyDisk:
        for name in BY_PATH:
            self._patch(os, name, self._by_path)
        for name in BY_HANDLE:
            self._patch(os, name, self._by_handle)
        self._patch(io, "open", self._opening)
        self._patch(builtins, "open", self._opening)
        if sys.platform != "win32":
            import fcntl

            self._patch(fcntl, "flock", self._by_handle)
        return self

    def __exit__(self, *error: object) -> None:
        for location, name, real in reversed(self._undo):
            setattr(location, name, real)
        self._undo.clear()

    def _patch(self, location: Any, name: str, wrap: Callable[[str, Any], Any]) -> None:
        real = getattr(location, name)
        self._undo.append((location, name, real))
        setattr(location, name, wrap(name, real))

    def _ours(self, path: Any) -> bool:
        if isinstance(path, int):
            return path in self._handles
        try:
            return os.fsdecode(path).startswith(self._folder)
        except TypeError:
            return False

    def _by_path(self, name: str, real: Any) -> Any:
        def operation(path: Any = ".", *rest: Any, **named: Any) -> Any:
            if not self._ours(path):
                return real(path, *rest, **named)
            self.strike(name)
            result = real(path, *rest, **named)
            if name == "open":
                self._handles.add(result)
            return result

        return operation

    def _by_handle(self, name: str, real: Any) -> Any:
        def operation(handle: Any, *rest: Any) -> Any:
            number = handle if isinstance(handle, int) else handle.fileno()
            if number not in self._handles:
                return real(handle, *rest)
            if name == "close":
                self._handles.discard(number)
                real(handle)  # the file is closed in spite of the error
                return self.strike(name)
            self.strike(name)
            result = real(handle, *rest)
            if name == "dup":
                self._handles.add(result)
            return result

        return operation

    def _opening(self, name: str, real: Any) -> Any:
        def operation(file: Any, *rest: Any, **named: Any) -> Any:
            if not self._ours(file):
                return real(file, *rest, **named)
            if not isinstance(file, int) and named.get("opener") is None:  # else it is counted by `os.open`
                self.strike("open")
            opened = real(file, *rest, **named)
            self._handles.add(opened.fileno())
            return _File(opened, self)

        return operation

    def forget(self, handle: int) -> None:
        """Forget a handle that was closed."""
        self._handles.discard(handle)


class _File:
    """An open file of a faulty disk."""

    def __init__(self, file: Any, disk: FaultyDisk) -> None:
        self._file, self._disk = file, disk

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._file, name)
        if name not in OF_FILES:
            return found

        def operation(*args: Any) -> Any:
            if name == "close" and not self._file.closed:
                self._disk.forget(self._file.fileno())
                found()  # the file is closed in spite of the error
            self._disk.strike(name)
            return found(*args)

        return operation

    def __enter__(self) -> _File:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)


class Tally:
    """Numbers of errors by action, for the table at the end of a campaign."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()

    def every_fault(
        self,
        action: str,
        folder: Path,
        prepare: Callable[[], None],
        act: Callable[[FaultyDisk], None],
        codes: tuple[int, ...] = CODES,
        step: int = 1,
    ) -> None:
        """Let each operation of `act` fail in turn, once and permanently, after a call of `prepare` each time."""
        for code in codes:
            for for_good in (False, True):
                nth = 1
                while True:
                    prepare()
                    disk = FaultyDisk(folder, nth, code, for_good)
                    act(disk)
                    if not disk.reached:
                        break
                    self.counts[action, errno.errorcode[code]] += 1
                    nth += step

    def table(self) -> str:
        """Return the table, with a line for each action."""
        names = [errno.errorcode[code] for code in CODES]
        actions = dict.fromkeys(action for action, _ in self.counts)
        lines = [f"{'failing operations':<28}" + "".join(f"{name:>8}" for name in names)]
        for action in actions:
            lines.append(f"{action:<28}" + "".join(f"{self.counts[action, name]:>8}" for name in names))
        return "\n".join((*lines, f"{'in all':<28}{self.counts.total():>8}"))
