"""Files: `*.playground` documents, read strictly and written atomically.

A file is read completely and checked before anything of it is used; what is wrong is said in one sentence.  What a
file holds is told in `versions`.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from . import piecewise, versions
from .document import Document

SUFFIX = ".playground"
#: Larger files are refused unread: a hundred thousand points take about 5 MB.
MAX_BYTES = 100_000_000
#: Characters of the longest sentence; a file name may have 255.
_LONGEST = 360


def _nothing(share: float = 0.0) -> None:
    """What follows when nothing is to follow."""


class FileError(Exception):
    """A file cannot be read or written; the text is one sentence for the person at the window.

    Attributes
    ----------
    reason : str
        The part of the sentence that says why, where it is known.
    """

    def __init__(self, text: str, reason: str = "") -> None:
        # It may quote the file, and that anything of any length.
        text = re.sub(r"[\x00-\x1f\x7f]", "?", text)
        super().__init__(text if len(text) <= _LONGEST else text[: _LONGEST - 2] + "….")
        self.reason = reason or str(self)


class Fingerprint(NamedTuple):
    """What tells the content of a file from any other."""

    size: int
    digest: str

    @staticmethod
    def of(data: bytes) -> Fingerprint:
        return Fingerprint(len(data), hashlib.sha256(data).hexdigest())


class _Header(msgspec.Struct):
    format: str
    version: int


def encode(document: Document) -> bytes:
    """The bytes of a document's file."""
    return b"".join(encode_pieces(document))


def encode_pieces(document: Document) -> Iterator[bytes]:
    """The same in pieces, each of less than a millisecond's work, so that a background thread can let others in."""
    return versions.encode_pieces(document)


def decode(data: bytes, name: str = "The file", step: Callable[[float], object] = _nothing) -> Document:
    """The document in `data`; FileError with one sentence, beginning with `name`, when there is none.

    ``step(share)`` is called between pieces of less than a millisecond's work, so that a background thread can let
    others in.
    """
    rest, lists = piecewise.parted(data, step)
    if lists is not None:
        with contextlib.suppress(FileError):  # the sentence is about the places of the whole
            return _decoded(rest, name, lists)
    return _decoded(data, name)


def _decoded(data: bytes, name: str, lists: piecewise.Lists | None = None) -> Document:
    try:
        header = msgspec.json.decode(data, type=_Header)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if not data.strip():
            raise FileError(f"{name} is empty.") from None
        raise FileError(f"{name} is damaged, or not a {SUFFIX} file ({_reason(error)}).") from None
    if header.format != versions.FORMAT:
        raise FileError(f"{name} is not a {SUFFIX} file (its format is {header.format[:40]!r}).")
    if header.version not in versions.VERSIONS:
        raise FileError(f"{name} is of version {header.version}; this program reads {versions.readable()}.")
    try:
        return versions.decode(data, header.version, lists)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{name} cannot be used: {_reason(error)}.") from None
    except ValueError as error:
        raise FileError(f"{name} {error}.") from None


def read(path: Path) -> Document:
    """The document in the file at `path`; FileError with one sentence when it cannot be read."""
    return decode(read_bytes(path), path.name or str(path))


def read_bytes(path: Path) -> bytes:
    """What stands in the ordinary file at `path`; FileError with one sentence when it cannot be read."""
    name = path.name or str(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise FileError(f"{name} is a folder, not a file.")
        if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for, a device read for ever
            raise FileError(f"{name} is not an ordinary file.")
        if status.st_size > MAX_BYTES:
            raise FileError(f"{name} is larger than {MAX_BYTES // 10**6} MB, so it was not read.")
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{name} cannot be read: {_os_reason(error)}.", _os_reason(error)) from None


def fingerprint(path: Path) -> Fingerprint | None:
    """What stands in the file at `path`, for comparing; None when there is none that can be read."""
    try:
        return Fingerprint.of(read_bytes(path))
    except FileError:
        return None


def differs(path: Path, known: Fingerprint) -> bool:
    """The file at `path` holds something else than `known`; one that is gone or cannot be read does not."""
    try:
        status = path.stat()
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode):
        return False
    now = fingerprint(path) if status.st_size == known.size else None
    return status.st_size != known.size or (now is not None and now != known)


def write(document: Document, path: Path) -> None:
    """Save `document` at `path`; FileError when it cannot be written."""
    write_bytes(encode(document), path)


def write_bytes(data: bytes, path: Path) -> None:
    """Write a file whose old content stays whole until the new one is; FileError when it cannot be written."""
    write_pieces((data,), path)


def write_pieces(pieces: Iterable[bytes], path: Path, written: Callable[[], object] = _nothing) -> None:
    """The same of bytes that come in pieces.

    ``written()`` is called when all are on disk and the old content still stands; it stays when that raises.
    """
    # A temporary file in the same folder, flushed to disk, then renamed over the old one: one step for the file system.
    name = path.name or str(path)
    temporary: str | None = None
    try:
        if path.is_dir():
            raise FileError(f"{name} is a folder; choose a file name.")
        if path.exists() and not path.is_file():
            raise FileError(f"{name} is not an ordinary file; choose another name.")
        target = Path(os.path.realpath(path))  # Path.resolve raises RuntimeError at a link to itself
        if target.exists() and not os.access(target, os.W_OK):  # renaming over it would not ask
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        written()
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
        temporary = None
        _flush_folder(target.parent)
    except OSError as error:
        raise FileError(f"{name} was not saved: {_os_reason(error)}.", _os_reason(error)) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):  # the folder may have become read-only
                os.unlink(temporary)


def _flush_folder(folder: Path) -> None:
    """Have the new name on disk too, where the system can; the file itself is whole with either name."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _os_reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error).rstrip(".").replace("`", "") or type(error).__name__
