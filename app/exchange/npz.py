"""NumPy files: arrays X and y in an .npz file, or the array in an .npy file.

Nothing is unpickled, and sizes are checked before unpacking.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from typing import IO, Any

import numpy as np
from msgspec.structs import replace

from app.core import log
from app.core.points import MAX_CLASSES
from app.files import documents
from app.files.documents import FileError

from .table import Column, Table, check_size, column_of, distinct_names, one_line

PAIRS = (("X", "y"), ("xy", "labels"), ("data", "target"))
#: Beginning of an .npy file.
ARRAY = b"\x93NUMPY"
_MOST_MEMBERS = 1000
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class _Archive:
    """The arrays of a zip file, or a single one, cut after `rows`; the size of each is checked before it is loaded."""

    def __init__(self, data: bytes, rows: int) -> None:
        self._rows = rows
        self._open: dict[str, Callable[[], IO[bytes]]] = {}
        #: Shape and type of each array.
        self.shapes: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}
        if data.startswith(ARRAY):
            self._measure("X", len(data), lambda: io.BytesIO(data))
            return
        archive = zipfile.ZipFile(io.BytesIO(data))
        if len(archive.infolist()) > _MOST_MEMBERS:
            raise ValueError(f"it holds more than {_MOST_MEMBERS} arrays")
        for info in archive.infolist():
            if info.filename.endswith(".npy"):
                self._measure(info.filename.removesuffix(".npy"), info.file_size, partial(archive.open, info))

    def _measure(self, name: str, size: int, open_array: Callable[[], IO[bytes]]) -> None:
        if size > documents.MAX_BYTES:
            raise ValueError(f"array {name[:40]!r} unpacks to more than {documents.MAX_BYTES // 10**6} MB")
        with open_array() as member:
            try:
                shape, _, kind = _HEADERS[np.lib.format.read_magic(member)](member)
            except Exception:  # numpy parses the header as Python literals, with a dozen kinds of errors
                raise ValueError(f"array {name[:40]!r} has no sound header") from None
            size -= member.tell()
        # numpy allocates the size in the header before it reads; an array of objects has no such size.
        if not kind.hasobject and (min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize != size):
            raise ValueError(f"array {name[:40]!r} is not as long as it says")
        self.shapes[name], self._open[name] = (shape, kind), open_array

    def load(self, name: str) -> np.ndarray:
        """Return the first rows of an array; raise a ValueError if it contains objects, which would need unpickling."""
        if self.shapes[name][1].hasobject:
            raise ValueError(f"array {name[:40]!r} holds Python objects, which are not loaded")
        with self._open[name]() as member:
            return np.asarray(np.lib.format.read_array(member, allow_pickle=False))[: self._rows or None]

    def words(self, name: str) -> tuple[str, ...]:
        """Return an array of words as a tuple, () if there is none of this name."""
        shape, kind = self.shapes.get(name, ((), np.dtype(float)))
        return tuple(_texts(self.load(name))) if len(shape) == 1 and kind.kind in "US" else ()

    def choose(self) -> tuple[str, str]:
        """Return the names of the arrays of points and of classes, "" for no classes."""
        for points, classes in PAIRS:
            if points in self.shapes:
                return points, classes if classes in self.shapes else ""
        flat = [name for name, (shape, _) in self.shapes.items() if len(shape) == 2]
        if len(flat) != 1:
            known = ", ".join(points for points, _ in PAIRS)
            raise ValueError(f"it has {len(flat) or 'no'} two-dimensional arrays, and none of the names {known}")
        length = self.shapes[flat[0]][0][0]
        lists = [name for name, (shape, _) in self.shapes.items() if shape == (length,)]
        return flat[0], lists[0] if len(lists) == 1 else ""


def read_archive(data: bytes, name: str, rows: int = 0) -> Table:
    """Return the table in an .npz or .npy file, or its first `rows`, if not 0; raise a FileError if there is none."""
    try:
        return _table(_Archive(data, rows), name)
    except FileError:
        raise
    except ValueError as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else "it is damaged"
    except MemoryError:
        reason = "there is not enough memory for it"
    except Exception as error:  # damaged files raise a dozen kinds of errors
        log.caught("A NumPy file cannot be read.", error)
        first_line = str(error).partition("\n")[0].rstrip(".")
        reason = f"it is not a sound .npz or .npy file ({first_line or type(error).__name__})"
    raise FileError(f"{name} cannot be used: {reason}.")


def _table(archive: _Archive, name: str) -> Table:
    points, classes = archive.choose()
    shape, kind = archive.shapes[points]
    if len(shape) != 2 or shape[1] < 2:
        raise ValueError(f"array {points[:40]!r} has the shape {shape}, not (n, 2) or (n, more)")
    if kind.kind not in "biuf" and not kind.hasobject:
        raise ValueError(f"array {points[:40]!r} holds no numbers")
    check_size(name, shape[0], shape[1])
    if shape[0] == 0:
        raise ValueError(f"array {points[:40]!r} holds no rows")
    with np.errstate(over="ignore"):  # a long double may become infinite, which is refused
        values = archive.load(points).astype(np.float64, copy=False)
    features = archive.words("feature_names")
    titles = features if len(features) == shape[1] else tuple(f"x{number}" for number in range(1, shape[1] + 1))
    names = distinct_names([*titles, "class"] if classes else titles)
    columns = [
        replace(column_of(name, values[:, index].copy()), title=one_line(title))
        for index, (name, title) in enumerate(zip(names, titles, strict=False))
    ]
    if classes:
        columns.append(_classes(archive, classes, shape[0], names[-1]))
    return Table(name, tuple(columns), np.arange(1, len(values) + 1), {}, "row")


def _classes(archive: _Archive, name: str, length: int, title: str) -> Column:
    shape, kind = archive.shapes[name]
    if shape not in ((length,), (length, 1)):
        raise ValueError(f"array {name[:40]!r} has the shape {shape}, not ({length},)")
    if kind.kind not in "biufUS" and not kind.hasobject:
        raise ValueError(f"array {name[:40]!r} holds neither numbers nor words")
    array = archive.load(name).ravel()
    if array.dtype.kind in "US":
        words, codes = np.unique(array, return_inverse=True)
        return _column_of_words(title, [text.strip() for text in _texts(words)], codes)
    column = column_of(title, array.astype(np.float64))
    categories = archive.words("class_names") or archive.words("target_names")
    whole = not column.words and (column.values == np.floor(column.values)).all()
    if not whole or not 0 <= column.values.min() <= column.values.max() < len(categories):
        return column
    few = len(categories) <= MAX_CLASSES
    return replace(column, categories=categories) if few else _column_of_words(title, categories, column.values)


def _column_of_words(title: str, words: Sequence[str], codes: np.ndarray) -> Column:
    return Column(title, np.full(len(codes), np.nan), tuple(words), codes.astype(np.int32))


def _texts(array: np.ndarray) -> list[str]:
    return [each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each) for each in array.tolist()]
