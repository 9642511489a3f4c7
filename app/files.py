"""Files: `*.playground` documents, read strictly and written atomically.

Version 1 is JSON: format and version, the points as three lists (x, y, class 1 to 8), and the settings.  A file is
read completely and checked before anything of it is used; what is wrong is said in one sentence.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .document import Document, GeneratorSettings, Lane, View
from .points import LIMIT, MAX_CLASSES, Points

SUFFIX = ".playground"
FORMAT = "classifier-playground"
VERSION = 1
#: Larger files are refused unread: a hundred thousand points take about 5 MB.
MAX_BYTES = 100_000_000
#: Characters of the longest sentence; a file name may have 255.
_LONGEST = 360

_Coordinate = Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]


class FileError(Exception):
    """A file cannot be read or written; the text is one sentence for the person at the window."""

    def __init__(self, text: str) -> None:
        # It may quote the file, and that anything of any length.
        text = re.sub(r"[\x00-\x1f\x7f]", "?", text)
        super().__init__(text if len(text) <= _LONGEST else text[: _LONGEST - 2] + "….")


class _Header(msgspec.Struct):
    format: str
    version: int


class _PointsV1(msgspec.Struct, forbid_unknown_fields=True, rename={"labels": "class"}):
    x: list[_Coordinate]
    y: list[_Coordinate]
    labels: list[Annotated[int, Meta(ge=1, le=MAX_CLASSES)]]


class _FileV1(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["classifier-playground"]
    version: Literal[1]
    points: _PointsV1
    lanes: tuple[Lane, Lane]
    shown: Annotated[int, Meta(ge=1, le=2)]
    generator: GeneratorSettings
    view: View


def encode(document: Document) -> bytes:
    """The bytes of a document's file."""
    points = document.points
    data = _FileV1(
        "classifier-playground", 1,
        _PointsV1(points.xy[:, 0].tolist(), points.xy[:, 1].tolist(), [int(c) + 1 for c in points.labels]),
        document.lanes, document.shown, document.generator, document.view,
    )  # fmt: skip
    return msgspec.json.encode(data) + b"\n"


def decode(data: bytes, name: str = "The file") -> Document:
    """The document in `data`; FileError with one sentence, beginning with `name`, when there is none."""
    try:
        header = msgspec.json.decode(data, type=_Header)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{name} is not a {SUFFIX} file ({_reason(error)}).") from None
    if header.format != FORMAT:
        raise FileError(f"{name} is not a {SUFFIX} file (its format is {header.format[:40]!r}).")
    if header.version != VERSION:
        raise FileError(f"{name} is of version {header.version}; this program reads version {VERSION}.")
    try:
        file = msgspec.json.decode(data, type=_FileV1)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{name} cannot be used: {_reason(error)}.") from None
    x, y, labels = file.points.x, file.points.y, file.points.labels
    if not len(x) == len(y) == len(labels):
        raise FileError(f"{name} has {len(x)} x, {len(y)} y and {len(labels)} class values; they must be as many.")
    points = Points.of(list(zip(x, y, strict=True)), [c - 1 for c in labels])
    return Document(points, file.lanes, file.shown, file.generator, file.view)


def read(path: Path) -> Document:
    """The document in the file at `path`; FileError with one sentence when it cannot be read."""
    return decode(read_bytes(path), path.name or str(path))


def read_bytes(path: Path) -> bytes:
    """All of an ordinary file that is not too large; FileError with one sentence when it cannot be read."""
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
        raise FileError(f"{name} cannot be read: {_os_reason(error)}.") from None


def write(document: Document, path: Path) -> None:
    """Save `document` at `path`; FileError when it cannot be written."""
    write_bytes(encode(document), path)


def write_bytes(data: bytes, path: Path) -> None:
    """Write a file whose old content stays whole until the new one is; FileError when it cannot be written."""
    # A temporary file in the same folder, flushed to disk, then renamed over the old one: one step for the file system.
    name = path.name or str(path)
    temporary: str | None = None
    try:
        if path.is_dir():
            raise FileError(f"{name} is a folder; choose a file name.")
        if path.exists() and not path.is_file():
            raise FileError(f"{name} is not an ordinary file; choose another name.")
        target = Path(os.path.realpath(path))  # Path.resolve raises RuntimeError at a link to itself
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise FileError(f"{name} was not saved: {_os_reason(error)}.") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):  # the folder may have become read-only
                os.unlink(temporary)


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
