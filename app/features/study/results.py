"""Results: the results of a study as arrays, one element for each cell, repetition and fold; and their two files.

A document keeps them as one part, packed.  The command line keeps them in a folder, as lines of JSON that each run
appends to a file of its own: the results are the union of all files, so that those of other machines are merged by
copying.  The first line of a file is the study.  A line that was torn when its writer was killed is dropped.  Any other
damaged line is set aside and named, and its cell counts as missing.
"""

from __future__ import annotations

import csv
import io
import math
import os
import secrets
import socket
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.core.number_format import count, grouped
from app.core.plain_text import plain
from app.files.documents import FileError, read_bytes, reason
from solver.core.arrays import Array, Integers

from .cells import OLDEST, Path, Places, key_of, numerics_of, paths
from .computing import LARGEST, Record
from .model import MEASURES, Study, existing_cells
from .reading import faults_of

#: What it is called among what a document keeps.
NAME = "study"
#: Results of a study in the window, at most: its document then grows by some MB for each value.  More are for the
#: command line.
MOST_RESULTS = 200_000
#: Files of a folder, bytes of one at most, and seconds between two waits for the disk.
PATTERN = "part-*.jsonl"
LARGEST_FILE, SYNC = 4_000_000_000, 1.0
#: Number of damaged lines that are named in one sentence, which stays legible.
NAMED = 5
_BAD = "The study that is kept with this document cannot be used"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in a document: arrays are zlib of little-endian bytes."""

    study: Study
    numerics: int
    values: dict[str, bytes]
    seconds: bytes
    statuses: tuple[str, ...]
    status: bytes
    errors: dict[str, str]


@dataclass(frozen=True, eq=False)
class Means:
    """What repetitions and folds come to, for each cell; arrays over all axes.

    Attributes
    ----------
    mean, spread : ndarray
        Spread: the standard deviation; NaN of one only.
    count, errors : ndarray
        Results, and failures.
    """

    mean: Array
    spread: Array
    count: Integers
    errors: Integers


class StudyResults:
    """The results of `study` that are there.

    Attributes
    ----------
    study : Study
    n_files : int
        Files of a folder that they were read from.
    damaged : list of str
        The lines of these files that are not counted, by file and number.
    values : dict of str to ndarray
        Of each measure, by axes, repetition and fold; NaN where there is none.
    seconds : ndarray
        NaN where nothing was computed.
    numerics : int
        The version that computed them.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.n_files = 0
        self.damaged: list[str] = []
        self.numerics = numerics_of(study)
        shape = shape_of(study)
        self.values: dict[str, Array] = {name: np.full(shape, np.nan) for name in study.values}
        self.seconds: Array = np.full(shape, np.nan)
        self._exists = existing_cells(study)
        self._status: NDArray[np.uint8] = np.zeros(shape, dtype=np.uint8)
        #: Numbers of the statuses.
        self._statuses = {"": 0}
        #: Why a result failed, by its index in the arrays.
        self.errors: dict[tuple[int, ...], str] = {}

    def add(self, record: Record) -> None:
        """Take a result, in place of one that was there."""
        place = (*record.places, record.repetition, record.fold)
        for name, array in self.values.items():
            array[place] = record.values.get(name, np.nan)
        self.seconds[place] = record.seconds
        self._status[place] = self._statuses.setdefault(record.status, len(self._statuses))
        self.errors.pop(place, None)
        if record.error:
            self.errors[place] = record.error

    def merge(self, record: Record) -> None:
        """Take a result of a file; of several the first, but any in place of a failure.  ValueError where the study has
        no such cell, or a measure no such value."""
        index = (*record.places, record.repetition, record.fold)
        if not self.has(index) or not self._exists[record.places]:
            raise ValueError("a result of no cell")
        if record.seconds < 0.0 or not all(MEASURES[name].holds(value) for name, value in record.values.items()):
            raise ValueError("a value outside its range")
        if math.isnan(self.seconds[index]) or (index in self.errors and not record.error):
            self.add(record)

    @property
    def damage(self) -> str:
        """A sentence that names the damaged lines, the first of many; empty where there are none."""
        if not self.damaged:
            return ""
        named, more = "; ".join(self.damaged[:NAMED]), len(self.damaged) - NAMED
        after = f"; and {grouped(more)} more" if more > 0 else ""
        return f"{count(len(self.damaged), 'damaged line')} set aside, to be computed again: {named}{after}."

    @property
    def done(self) -> int:
        """How many results there are, errors included."""
        return int(np.count_nonzero(~np.isnan(self.seconds)))

    def error(self, places: Places) -> str:
        """Why the first result of a cell failed, or ""."""
        return next((text for place, text in sorted(self.errors.items()) if place[:-2] == places), "")

    def means(self, value: str) -> Means:
        """What repetitions and folds come to."""
        array = self.values[value].reshape(*self.study.shape, -1)
        there = ~np.isnan(array)
        count = there.sum(axis=-1)
        mean = np.where(there, array, 0.0).sum(axis=-1) / np.maximum(count, 1)
        off = np.where(there, array - mean[..., None], 0.0)
        spread = np.sqrt((off**2).sum(axis=-1) / np.maximum(count - 1, 1))
        errors = np.zeros(self.study.shape, dtype=np.int64)
        for place in self.errors:
            errors[place[:-2]] += 1
        return Means(np.where(count > 0, mean, np.nan), np.where(count > 1, spread, np.nan), count, errors)

    def missing(self, of: Sequence[Path] | None = None, retry: bool = False) -> list[Path]:
        """Of each path, by default of all in order, the cells that are not there; with `retry`, or have failed."""
        lacks = np.isnan(self.seconds)
        for index in self.errors if retry else ():
            lacks[index] = True
        each = paths(self.study) if of is None else of
        found = (tuple(cell for cell in path.cells if lacks[(*cell, path.repetition, path.fold)]) for path in each)
        return [msgspec.structs.replace(path, cells=cells) for path, cells in zip(each, found, strict=True) if cells]

    @property
    def lacking(self) -> NDArray[np.bool_]:
        """Where a result of the study is not there."""
        return np.isnan(self.seconds) & self._exists[..., None, None]

    def grown(self, study: Study) -> StudyResults:
        """These results as those of `study`, which has further values on its axes and is the same else."""
        new = StudyResults(study)
        new.numerics, new._statuses = self.numerics, dict(self._statuses)
        pairs = zip(self.study.axes, study.axes, strict=True)
        moved = ([there.values.index(value) for value in here.values] for here, there in pairs)
        along = (*moved, *map(range, new.seconds.shape[-2:]))
        place = np.ix_(*along)
        for name, array in new.values.items():
            array[place] = self.values[name]
        new.seconds[place], new._status[place] = self.seconds, self._status
        for index, text in self.errors.items():
            new.errors[tuple(side[at] for side, at in zip(along, index, strict=True))] = text
        return new

    def copy(self) -> StudyResults:
        """As they are now."""
        return self.grown(self.study)

    def records(self) -> Iterator[Record]:
        """All of them, by cell, repetition and fold."""
        statuses = list(self._statuses)
        for place in map(tuple, np.argwhere(~np.isnan(self.seconds)).tolist()):
            found = {name: float(array[place]) for name, array in self.values.items()}
            values = {name: value for name, value in found.items() if not math.isnan(value)}
            status, error = statuses[self._status[place]], self.errors.get(place, "")
            yield Record(place[:-2], place[-2], place[-1], values, status, error, float(self.seconds[place]))

    def table(self) -> bytes:
        """A CSV file: configuration, repetition and fold, values, how it ended, error, and seconds.

        Nothing but the last column depends on where, when or in which process a cell was computed.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads = [self.study.head(axis) for axis in self.study.axes]
        measured = [name for name in self.study.values if name != "seconds"]
        writer.writerow(["cell", *heads, "repetition", "fold", *measured, "status", "error", "seconds"])
        for each in self.records():
            values = [repr(each.values[name]) if name in each.values else "" for name in measured]
            key = key_of(self.study, each.places, each.repetition, each.fold)
            row = [key, *self.study.choice(each.places).values(), each.repetition + 1, each.fold + 1, *values]
            writer.writerow([*row, each.status, each.error, f"{each.seconds:.6f}"])
        return text.getvalue().encode()

    # -- in a document ---------------------------------------------------------------------------------------------

    def encode(self) -> bytes:
        """What a document keeps."""
        values = {name: _packed(array, "<f8") for name, array in self.values.items()}
        errors = {" ".join(map(str, place)): text for place, text in self.errors.items()}
        seconds, status = _packed(self.seconds, "<f4"), _packed(self._status, "u1")
        file = _File(self.study, self.numerics, values, seconds, tuple(self._statuses), status, errors)
        return msgspec.json.encode(file)

    @staticmethod
    def decode(data: bytes) -> StudyResults:
        """What a document has kept; FileError with a sentence where it cannot be used."""
        try:
            return _kept(msgspec.json.decode(data, type=_File))
        except (msgspec.MsgspecError, RecursionError, ValueError, KeyError, zlib.error) as error:
            raise FileError(f"{_BAD}: {' '.join(str(error).replace('`', '').split())}.") from None

    def has(self, index: tuple[int, ...]) -> bool:
        """Whether the study has a result with this index."""
        shape = self.seconds.shape
        return len(index) == len(shape) and all(0 <= at < side for at, side in zip(index, shape, strict=True))


def shape_of(study: Study) -> tuple[int, ...]:
    """Of the arrays: all axes, repetitions and folds."""
    return (*study.shape, study.repetitions, max(1, study.folds))


def check(study: Study) -> None:
    """ValueError where a study that was read has a fault, or more results than the window takes."""
    if math.prod(shape_of(study)) > MOST_RESULTS:
        raise ValueError(f"it has more than {grouped(MOST_RESULTS)} results")
    for fault in faults_of(study, None):
        raise ValueError(fault.rstrip("."))


def _kept(file: _File) -> StudyResults:
    """The results that stand in a document; ValueError or KeyError where they cannot be."""
    check(file.study)
    kept, known = StudyResults(file.study), numerics_of(file.study)
    if not OLDEST <= file.numerics <= known:
        raise ValueError(f"it was computed by numerics {file.numerics}; this program has {known}")
    if set(file.values) != set(kept.values):
        raise ValueError("its values are others than it says")
    shape, kept.numerics = kept.seconds.shape, file.numerics
    kept.values = {name: _unpacked(file.values[name], "<f8", shape).astype(np.float64) for name in kept.values}
    kept.seconds = _unpacked(file.seconds, "<f4", shape).astype(np.float64)
    if any((abs(each) > LARGEST).any() for each in (*kept.values.values(), kept.seconds)):
        raise ValueError("some of its values are larger than any measure")
    kept._status = _unpacked(file.status, "u1", shape).astype(np.uint8)
    kept._statuses = {status: number for number, status in enumerate(file.statuses)}
    if not int(kept._status.max()) < len(kept._statuses) == len(file.statuses) <= 256:
        raise ValueError("its statuses are not those it has")
    kept.errors = {tuple(map(int, place.split())): text[:500] for place, text in file.errors.items()}
    if not all(map(kept.has, kept.errors)):
        raise ValueError("an error is of no cell")
    return kept


def _packed(array: NDArray[Any], kind: str) -> bytes:
    return zlib.compress(np.ascontiguousarray(array, dtype=kind).tobytes(), 1)


def _unpacked(data: bytes, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    size = math.prod(shape) * np.dtype(kind).itemsize
    raw = zlib.decompressobj().decompress(data, size + 1)
    if len(raw) != size:
        raise ValueError("its arrays are of another size than the study")
    return np.frombuffer(raw, dtype=kind).reshape(shape)


# -- in a folder -------------------------------------------------------------------------------------------------------


def manifest(study: Study) -> dict[str, Any]:
    """The first line of each file of a folder."""
    return {"study": msgspec.to_builtins(study), "numerics": numerics_of(study)}


class ResultsFile:
    """A new file of a folder, that one run appends to; any of its threads may.

    Parameters
    ----------
    folder : pathlib.Path
    study : Study
    """

    def __init__(self, folder: File, study: Study) -> None:
        host = "".join(sign if sign.isalnum() else "-" for sign in socket.gethostname())[:40]
        self._file = (folder / f"part-{host}-{os.getpid()}-{secrets.token_hex(6)}.jsonl").open("xb")
        self._lock, self._synced = threading.Lock(), time.monotonic()
        self.add({"manifest": manifest(study)})

    def add(self, *lines: Any) -> None:
        """Append results; they stay when the process is killed, and after `SYNC` when the machine loses its power."""
        with self._lock:
            self._file.write(b"".join(map(_line, lines)))
            self._file.flush()
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()

    def close(self) -> None:
        """Wait until the disk has everything."""
        with self._lock, self._file:
            os.fsync(self._file.fileno())


def _line(content: Any) -> bytes:
    """Return a line of a file, with a checksum as its last key."""
    whole = msgspec.to_builtins(content)
    return msgspec.json.encode(whole | {"crc": zlib.crc32(msgspec.json.encode(whole))}) + b"\n"


def _without_checksum(line: Any) -> Any:
    """Return the content of a line, None where its checksum is another; lines of earlier versions have none."""
    crc = line.pop("crc", None) if isinstance(line, dict) else None
    return line if crc is None or crc == zlib.crc32(msgspec.json.encode(line)) else None


class _Manifest(msgspec.Struct):
    study: Study
    numerics: int


def read(folder: File, expected: Study | None = None) -> StudyResults:
    """The union of all files in `folder`; FileError where one is of another study or cannot be read, and where there is
    none but no study was `expected`."""
    try:
        files = sorted(folder.glob(PATTERN)) if folder.is_dir() else []
    except OSError as error:
        raise FileError(f"{folder.name} cannot be read: {reason(error)}.") from None
    first = None if expected is None else manifest(expected)
    found = None if expected is None else StudyResults(expected)
    for path in files:
        lines = _lines(path)
        head = next(lines, ...)
        if head is ...:
            continue
        own = head.get("manifest") if isinstance(head, dict) else None
        if not isinstance(own, dict):
            raise FileError(f"{path.name} does not begin with the study that it is of.")
        if first is None or found is None:
            first, found = own, StudyResults(_study_of(own, folder))
        elif (differs := difference(first, own)) is not None:
            raise FileError(f"{path.name} is of another study: {differs}.")
        found.n_files += 1
        for number, line in enumerate(lines, 2):
            try:
                found.merge(msgspec.convert(line, Record))
            except (ValueError, KeyError):  # KeyError: an unknown measure
                found.damaged.append(f"{plain(path.name)}, line {number}")
    if found is None:
        raise FileError(f"{folder.name} holds no results of a study.")
    return found


def _study_of(own: dict[str, Any], folder: File) -> Study:
    try:
        made = msgspec.convert(own, _Manifest)
        sound = not faults_of(made.study, None)
    except (msgspec.ValidationError, ValueError, KeyError):
        sound = False
    if not sound:
        raise FileError(f"{folder.name} holds results of a study that this program does not know.") from None
    numerics = numerics_of(made.study)
    if made.numerics != numerics:
        raise FileError(f"{folder.name} was computed by numerics {made.numerics}; this program has {numerics}.")
    return made.study


def _lines(path: File) -> Iterator[Any]:
    """The lines of a file, None for a damaged one; a last one that is torn, or that the disk lost with the power, is
    dropped."""
    *lines, _ = read_bytes(path, LARGEST_FILE).split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            yield _without_checksum(msgspec.json.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if number < len(lines):
                yield None


def difference(one: Any, other: Any, where: str = "") -> str | None:
    """What differs first, in words: "study.folds is 5 here and 10 there"."""
    if isinstance(one, dict) and isinstance(other, dict):
        inside = {
            name: f"{where}.{name}".removeprefix(".").removeprefix("study.") for name in one.keys() | other.keys()
        }
        pairs = ((one.get(name, ...), other.get(name, ...), inside[name]) for name in sorted(inside))
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            return f"{where} has {len(one)} entries here and {len(other)} there"
        pairs = ((a, b, f"{where}[{i}]") for i, (a, b) in enumerate(zip(one, other, strict=True), 1))
    elif ... in (one, other):
        return f"{where} is set in one only"
    else:
        return None if one == other else f"{where} is {_quoted(one)} here and {_quoted(other)} there"
    return next((found for pair in pairs if (found := difference(*pair)) is not None), None)


def _quoted(value: Any) -> str:
    text = "unset" if value is None or value == "" else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
