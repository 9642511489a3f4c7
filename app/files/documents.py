"""Documents: `*.playground` files, read strictly and written atomically.

A file is read completely and checked before any of it is used; a fault is reported in one sentence.  The content of a
file is described in `file_format`.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import functools
import glob
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from app.core.plain_text import plain
from app.core.validation import place_and_fault, reason_of
from app.state.document import Document

from . import file_format, locks
from .file_format import encode as encode

SUFFIX = ".playground"
#: Suffix of a damaged file of the program that was set aside.
ASIDE = ".unreadable"
#: Largest file that is read (bytes): a hundred thousand points take about 5 MB.
MAX_BYTES = 200_000_000
#: Longest sentence (characters); a file name may have 255.
_LONGEST = 360
#: End of the names of temporary files, as a pattern: the characters are those of `tempfile.mkstemp`.
_RANDOM = f"{'[a-z0-9_]' * 8}.tmp"
_NO_NAME = "no file can have this name"


class FileError(Exception):
    """A file cannot be read or written; the text is one sentence for the user.

    Attributes
    ----------
    reason : str
        The part of the sentence that says why, where it is known.
    """

    def __init__(self, text: str, reason: str = "") -> None:
        # It may quote text of the file, of any length.
        text = plain(text)
        half = _LONGEST // 2 - 1  # the reason is at the end
        super().__init__(text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half:]}")
        self.reason = reason or str(self)


class UnreadError(FileError):
    """The content of a file is unknown: it was not read, or is by a newer program, and may be valid.

    Attributes
    ----------
    missing : bool
        There is no such file.
    """

    missing = False


class Fingerprint(NamedTuple):
    """Size and digest of a file, which identify its content."""

    size: int
    digest: str

    @staticmethod
    def of(data: bytes) -> Fingerprint:
        return Fingerprint(len(data), hashlib.sha256(data).hexdigest())


class _DocumentHeader(msgspec.Struct):
    format: str
    version: int


def decode(data: bytes, name: str = "The file") -> Document:
    """Return the document in `data`; raise a FileError with one sentence, beginning with `name`, if there is none."""
    try:
        header = msgspec.json.decode(data, type=_DocumentHeader)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if not data.strip():
            raise FileError(f"{name} is empty.") from None
        raise FileError(f"{name} is damaged, or not a {SUFFIX} file ({reason_of(error)}).") from None
    if header.format != file_format.FORMAT:
        raise FileError(f"{name} is not a {SUFFIX} file (its format is {header.format[:40]!r}).")
    if header.version not in file_format.VERSIONS:
        whose = "a newer program" if header.version > file_format.NEWEST else "a program before the first release"
        read = " and ".join(map(str, file_format.VERSIONS))
        raise UnreadError(f"{name} is of version {header.version}, of {whose}; this program reads version {read}.")
    try:
        return file_format.decode(data, header.version)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if str(error).startswith("Object contains unknown field"):  # not ignored: saving would lose it
            where, what = place_and_fault(error)
            field, where = what.removesuffix(" is unknown"), f" (in {where})" if where else ""
            raise UnreadError(
                f"{name} has {field}{where}, which this program does not know: a newer one may have written it."
            ) from None
        raise FileError(f"{name} cannot be used: {reason_of(error)}.") from None
    except ValueError as error:
        raise FileError(f"{name} {error}.") from None


def read_bytes(path: Path, most: int = 0, whole: bool = True) -> bytes:
    """Return the content of the ordinary file at `path`, at most `most` bytes, or `MAX_BYTES` for 0.

    A larger file is an error, or its beginning is returned if not `whole`.

    Raises
    ------
    UnreadError
        If the file cannot be read; one sentence.
    """
    name, most = path.name or str(path), most or MAX_BYTES
    if not _possible(path):
        raise UnreadError(f"{name} cannot be read: {_NO_NAME}.", _NO_NAME)
    try:
        with open_ordinary(path) as file:
            large = whole and os.fstat(file.fileno()).st_size > most
            data = b"" if large else read_at_most(file, most + whole)
    except OSError as error:
        failure = UnreadError(f"{name} cannot be read: {reason(error)}.", reason(error))
        failure.missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
        raise failure from None
    if large or len(data) > most:  # the second if the file has grown meanwhile
        raise UnreadError(f"{name} is larger than {most // 10**6} MB, so it was not read.")
    return data


def open_ordinary(path: Path) -> BinaryIO:
    """Open the ordinary file at `path`; raise an UnreadError if it is not ordinary, an OSError if it does not open."""
    _check_ordinary(os.stat(path), path)
    # The path may have become another kind of file since: do not wait for the writer of a pipe.
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))  # noqa: SIM115
    try:
        _check_ordinary(os.fstat(file.fileno()), path)
    except BaseException:
        file.close()
        raise
    return file


def read_at_most(file: BinaryIO, most: int) -> bytes:
    """Read up to `most` bytes of a file by `open_ordinary`; raise an OSError if it has none yet, like /proc/kmsg."""
    data: bytes | None = file.read(most)
    if data is None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return data


def _check_ordinary(status: os.stat_result, path: Path) -> None:
    name = path.name or str(path)
    if stat.S_ISDIR(status.st_mode):
        raise UnreadError(f"{name} is a folder, not a file.")
    if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait, and a device may not end
        raise UnreadError(f"{name} is not an ordinary file.")


def _possible(path: Path) -> bool:
    """Return whether the system allows files of this name."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate
        return False


def absolute(path: Path) -> Path:
    """Return `path` as an absolute path, or unchanged if the working folder has been deleted."""
    try:
        return Path(os.path.abspath(path))
    except OSError:
        return path


def fingerprint(path: Path) -> Fingerprint | None:
    """Return the fingerprint of the file at `path`; None if it cannot be read."""
    try:
        return Fingerprint.of(read_bytes(path))
    except FileError:
        return None


def differs(path: Path, known: Fingerprint) -> bool:
    """Return whether the file at `path` differs from `known`; False for one that cannot be read."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: an impossible name
        return False
    if not stat.S_ISREG(status.st_mode):
        return False
    now = fingerprint(path) if status.st_size == known.size else None
    return status.st_size != known.size or (now is not None and now != known)


def write_bytes(data: bytes, path: Path) -> None:
    """Write a file atomically: its old content remains until the new one is complete; raise a FileError on failure."""
    write_pieces((data,), path)


def write_pieces(
    pieces: Iterable[bytes],
    path: Path,
    written: Callable[[], object] = lambda: None,
    *,
    private: bool = False,
    lasting: bool = True,
) -> None:
    """Write a file atomically, like `write_bytes`, from pieces.

    Parameters
    ----------
    pieces : iterable of bytes
    path : Path
    written : callable
        Called when all are on disk and the old content still stands; it stays when that raises.
    private : bool
        Readable for its owner alone.
    lasting : bool
        Wait until the disk has it.
    """
    # A temporary file in the same folder is flushed to disk and renamed over the old one, which is one atomic step.
    name = path.name or str(path)
    if not _possible(path):
        raise FileError(f"{name} was not saved: {_NO_NAME}.", _NO_NAME)
    temporary: _Temporary | None = None
    try:
        if path.is_dir():
            raise FileError(f"{name} is a folder; choose a file name.")
        if path.exists() and not path.is_file():
            raise FileError(f"{name} is not an ordinary file; choose another name.")
        target = Path(os.path.realpath(path))  # Path.resolve raises RuntimeError for a link to itself
        if not target.parent.is_dir():
            raise FileError(f"{name} was not saved: there is no folder {target.parent}.", "there is no such folder")
        if target.is_symlink():  # realpath has followed all that lead somewhere
            raise FileError(f"{name} is a link that leads back to itself; choose another name.")
        if target.exists() and not os.access(target, os.W_OK):  # renaming would replace a write-protected file
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        sweep(target.parent, glob.escape(_stem(target)) + _RANDOM)
        temporary = _Temporary(target.parent, _stem(target))
        with temporary.open() as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        written()
        if not private:
            mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
            os.chmod(temporary.name, mode)
        temporary.replace(target)
        if lasting:
            _flush_folder(target.parent)
    except OSError as error:
        raise FileError(f"{name} was not saved: {reason(error)}.", reason(error)) from None
    finally:
        if temporary is not None:
            temporary.end()


class _Temporary:
    """A temporary file in progress, readable only for its owner, and locked while this process writes it."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._handle: int | None
        self._lock: int | None = None
        for _ in range(100):
            self._handle, self.name = tempfile.mkstemp(prefix=stem, suffix=".tmp", dir=folder)
            self._there = True
            if self._locked(self._handle):
                return
            self.end()  # another process has deleted it before it was locked
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))

    def _locked(self, handle: int) -> bool:
        if os.name == "nt":  # an open file cannot be deleted there
            return True
        try:
            self._lock = os.dup(handle)  # held after writing, until the file is renamed
            return locks.take(self._lock) and locks.stands_for(self._lock, Path(self.name))
        except OSError:  # without locks, `sweep` deletes nothing
            return True

    def open(self) -> BinaryIO:
        """Return the file, to be written once and closed."""
        assert self._handle is not None
        file = os.fdopen(self._handle, "wb")
        self._handle = None
        return file

    def replace(self, target: Path) -> None:
        """Rename the file to `target`."""
        os.replace(self.name, target)
        self._there = False

    def end(self) -> None:
        """Release the lock, and delete a file that has not replaced its target."""
        if self._there:
            self._there = False
            with contextlib.suppress(OSError):  # the folder may have become read-only
                os.unlink(self.name)
        for handle in (self._handle, self._lock):
            if handle is not None:
                with contextlib.suppress(OSError):
                    os.close(handle)
        self._handle = self._lock = None


def set_aside(path: Path) -> Path:
    """Rename a damaged file, if possible, and return its present name."""
    aside, number = path.with_suffix(ASIDE), 1
    with contextlib.suppress(OSError):
        while os.path.lexists(aside):  # rename would replace it
            number += 1
            aside = path.with_name(f"{path.stem}-{number}{ASIDE}")
        os.replace(path, aside)
        return aside
    return path


def _stem(target: Path) -> str:
    """Return the beginning of the names of temporary files for `target`."""
    return f".{target.name[:40]}."


def sweep_beside(path: Path) -> None:
    """Delete temporary files of documents, left by killed writers, in the folder of the document at `path`."""
    with contextlib.suppress(OSError, ValueError):  # ValueError: an impossible name
        target = Path(os.path.realpath(path))
        for stem in (f".*{SUFFIX}.", glob.escape(_stem(target))):  # the second for a long or unusual name
            sweep(target.parent, stem + _RANDOM)


def sweep(folder: Path, pattern: str) -> None:
    """Delete temporary files, with names by `pattern`, whose writers were killed."""
    try:
        found = [name for name in os.listdir(folder) if name.endswith(".tmp") and fnmatch.fnmatchcase(name, pattern)]
    except OSError:
        return
    for path in (folder / name for name in found):
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                locks.held(path)  # deletes it if no process has locked it; on Windows no file that is open is deleted


def _flush_folder(folder: Path) -> None:
    """Flush the new name to disk, if the system can; the file is complete under either name."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@functools.cache
def _umask() -> int:
    """Return the process's umask: read where the system shows it, because setting it changes it for all threads."""
    with contextlib.suppress(OSError, StopIteration), open("/proc/self/status", encoding="utf-8") as status:
        return int(next(line for line in status if line.startswith("Umask:")).split()[1], 8)
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_umask()  # before there are threads


def reason(error: OSError | FileError) -> str:
    """Return the reason of an error: that part of its sentence, or the text of the system."""
    if isinstance(error, FileError):
        return error.reason.rstrip(".")
    return (error.strerror or type(error).__name__).lower()
