"""Results: the results of a study as arrays, one element per cell, repetition and fold; and their two file formats.

A document keeps them packed, as one part.  The command line keeps them in a folder, as lines of JSON that each run
appends to a file of its own: the results are the union of all files, so those of several machines are merged by
copying.  The first line of a file is the study, and each line has a checksum of itself and of the study.  A last line
that was torn when its writer was killed is dropped.  Any other damaged line is set aside, and named while results of
the study are missing: its own may be one of them.
"""

from __future__ import annotations

import math
import os
import secrets
import socket
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path as File
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.csv_text import csv_text
from app.core.number_format import count, grouped
from app.core.plain_text import plain
from app.core.validation import reason_of
from app.files.documents import FileError, read_bytes, reason
from solver.core.arrays import Array, Integers

from .cells import OLDEST, CellIndex, Path, key_of, numerics_of, paths
from .computing import LARGEST, NOT_DEFINED, TOOK_LONGER, Record
from .model import MEASURES, Study, existing_cells
from .reading import faults_of

#: Name of the part in a document.
NAME = "study"
#: Largest number of results of a study in the window: a document grows by some MB per measure.  The command line
#: takes more.
MOST_RESULTS = 200_000
#: Files of a folder, largest size of one (bytes), and interval (s) between two waits for the disk.
PATTERN = "part-*.jsonl"
LARGEST_FILE, SYNC = 4_000_000_000, 1.0
#: Status of a result with an error.
FAILED = "failed"
#: Number of damaged lines named in one sentence, which stays readable.
NAMED = 5
_BAD = "The study that is kept with this document cannot be used"


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study, and the version of the numerics that computed it: the first line of each file of a folder."""

    study: Study
    numerics: int


class _DocumentPart(_Manifest, frozen=True, forbid_unknown_fields=True):
    """The part of a document: arrays are zlib of little-endian bytes."""

    values: dict[str, bytes]
    seconds: bytes
    statuses: tuple[str, ...]
    status: bytes
    errors: dict[str, str]


class Means(Struct, frozen=True, eq=False):
    """Mean and spread over repetitions and folds for each cell; arrays over all axes.

    Attributes
    ----------
    mean, spread : ndarray
        The spread is the standard deviation; NaN for a single result.
    count, errors : ndarray
        Numbers of results, and of failures.
    """

    mean: Array
    spread: Array
    count: Integers
    errors: Integers


class StudyResults:
    """The available results of `study`.

    Attributes
    ----------
    study : Study
    n_files : int
        Number of files of a folder that were read, without those whose first line is damaged.
    damaged : list of str
        Lines of the files that were set aside, by file and number; none if no result is missing.
    values : dict of str to ndarray
        Of each measure, by axes, repetition and fold; NaN without a result.
    seconds : ndarray
        NaN without a result.
    numerics : int
        Version of the numerics that computed them.
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
        """Take a result, in place of an earlier one."""
        index = (*record.cell, record.repetition, record.fold)
        self._status[index] = self._statuses.setdefault(status_of(record), len(self._statuses))
        for name, array in self.values.items():
            array[index] = record.values.get(name, np.nan)
        self.seconds[index] = record.seconds
        self.errors.pop(index, None)
        if record.error:
            self.errors[index] = record.error

    def merge(self, record: Record) -> None:
        """Take a result of a file: of several the first value, else the one that took longest, else the first failure.

        Raise ValueError if the study has no such cell, or the measure no such value.
        """
        index = (*record.cell, record.repetition, record.fold)
        if not self.has(index) or not self._exists[record.cell]:
            raise ValueError("a result of no cell")
        if record.seconds < 0.0 or not all(MEASURES[name].holds(value) for name, value in record.values.items()):
            raise ValueError("a value outside its range")
        seconds, statuses = float(self.seconds[index]), list(self._statuses)
        if math.isnan(seconds) or _rank(status_of(record), record.seconds) > _rank(
            statuses[self._status[index]], seconds
        ):
            self.add(record)

    def ended(self, status: str) -> NDArray[np.bool_]:
        """Return which results have this status."""
        return np.asarray(self._status == self._statuses.get(status, -1))

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Which cells can have a value, over all axes."""
        return self._exists & ~self.ended(NOT_DEFINED).any(axis=(-2, -1))

    @property
    def states(self) -> NDArray[np.str_]:
        """Why a cell has no value, or only some of its results, over all axes; "" if they are only not computed yet."""
        why = {name: self.ended(name).any(axis=(-2, -1)) for name in (FAILED, TOOK_LONGER)}
        return np.select([~self.defined, *why.values()], [NOT_DEFINED, *why], "")

    @property
    def damage(self) -> str:
        """A sentence that names the damaged lines, the first of many; "" without any."""
        if not self.damaged:
            return ""
        named, more = "; ".join(self.damaged[:NAMED]), len(self.damaged) - NAMED
        after = f"; and {grouped(more)} more" if more > 0 else ""
        return f"{count(len(self.damaged), 'damaged line')} set aside, to be computed again: {named}{after}."

    @property
    def done(self) -> int:
        """Number of results, errors included."""
        return int(np.count_nonzero(~np.isnan(self.seconds)))

    def error(self, cell: CellIndex) -> str:
        """Return why the first result of a cell failed, or ""."""
        return next((text for index, text in sorted(self.errors.items()) if index[:-2] == cell), "")

    def means(self, value: str) -> Means:
        """Return mean and spread over repetitions and folds."""
        array = self.values[value].reshape(*self.study.shape, -1)
        there = ~np.isnan(array)
        count = there.sum(axis=-1)
        mean = np.where(there, array, 0.0).sum(axis=-1) / np.maximum(count, 1)
        spread = np.sqrt((np.where(there, array - mean[..., None], 0.0) ** 2).sum(axis=-1) / np.maximum(count - 1, 1))
        errors = (self.ended(FAILED) | self.ended(TOOK_LONGER)).sum(axis=(-2, -1))
        return Means(np.where(count > 0, mean, np.nan), np.where(count > 1, spread, np.nan), count, errors)

    def missing(self, of: Sequence[Path] | None = None, retry: bool = False, limit: float = 0.0) -> list[Path]:
        """Return the missing cells of each path, by default of all paths in order.

        With `retry`, failed cells are missing as well; so are those that reached a time limit below `limit`.
        """
        lacks = np.isnan(self.seconds) | (self.ended(TOOK_LONGER) & (self.seconds < limit))
        if retry:
            lacks |= self.ended(FAILED)
        found = (path.only(lacks.__getitem__) for path in (paths(self.study) if of is None else of))
        return [path for path in found if path.cells]

    def todo(self, of: Sequence[Path], retry: bool, limit: float) -> list[Path]:
        """Return the paths with `missing` cells: whole, since each cell starts where the one before ended, but without
        cells that reached a time limit of `limit` or more before.
        """
        given_up = self.ended(TOOK_LONGER) & (self.seconds >= limit)
        missing = {path.number for path in self.missing(of, retry, limit)}
        return [path.only(lambda index: not given_up[index]) for path in of if path.number in missing]

    @property
    def lacking(self) -> NDArray[np.bool_]:
        """Which results of the study are missing."""
        return np.isnan(self.seconds) & self._exists[..., None, None]

    def grown(self, study: Study) -> StudyResults:
        """Return these results as those of `study`, which has further values on its axes."""
        new = StudyResults(study)
        new.numerics, new._statuses = self.numerics, dict(self._statuses)
        pairs = zip(self.study.axes, study.axes, strict=True)
        moved = ([there.values.index(value) for value in here.values] for here, there in pairs)
        along = (*moved, *map(range, new.seconds.shape[-2:]))
        indices = np.ix_(*along)
        for name, array in new.values.items():
            array[indices] = self.values[name]
        new.seconds[indices], new._status[indices] = self.seconds, self._status
        for index, text in self.errors.items():
            new.errors[tuple(side[at] for side, at in zip(along, index, strict=True))] = text
        return new

    def copy(self) -> StudyResults:
        """Return a copy."""
        return self.grown(self.study)

    def records(self) -> Iterator[Record]:
        """Yield all results, by cell, repetition and fold."""
        statuses = list(self._statuses)
        for index in map(tuple, np.argwhere(~np.isnan(self.seconds)).tolist()):
            found = {name: float(array[index]) for name, array in self.values.items()}
            values = {name: value for name, value in found.items() if not math.isnan(value)}
            status, error = statuses[self._status[index]], self.errors.get(index, "")
            yield Record(index[:-2], index[-2], index[-1], values, status, error, float(self.seconds[index]))

    def rows(self) -> Iterator[list[Any]]:
        """Yield the rows of a table with its heads: settings, repetition and fold, values, status, error, seconds.

        Only the last column depends on where, when and in which process a cell was computed.
        """
        heads = [self.study.head(axis) for axis in self.study.axes]
        measured = [name for name in self.study.values if name != "seconds"]
        yield ["cell", *heads, "repetition", "fold", *measured, "status", "error", "seconds"]
        for each in self.records():
            key = key_of(self.study, each.cell, each.repetition, each.fold)
            row = [key, *self.study.choice(each.cell).values(), each.repetition + 1, each.fold + 1]
            yield [*row, *map(each.values.get, measured), each.status, each.error, round(each.seconds, 6)]

    def table(self) -> bytes:
        """Return the `rows` as a CSV file."""
        return csv_text(self.rows()).encode()

    # -- in a document ---------------------------------------------------------------------------------------------

    def encode(self) -> bytes:
        """Return the bytes that a document keeps."""
        values = {name: _packed(array, "<f8") for name, array in self.values.items()}
        errors = {" ".join(map(str, index)): text for index, text in self.errors.items()}
        seconds, status = _packed(self.seconds, "<f4"), _packed(self._status, "u1")
        file = _DocumentPart(self.study, self.numerics, values, seconds, tuple(self._statuses), status, errors)
        return msgspec.json.encode(file)

    @staticmethod
    def decode(data: bytes) -> StudyResults:
        """Return the results that a document kept; raise FileError with a sentence if they cannot be used."""
        try:
            return _kept(msgspec.json.decode(data, type=_DocumentPart))
        except (KeyError, zlib.error):
            raise FileError(f"{_BAD}: its results are damaged.") from None
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            raise FileError(f"{_BAD}: {reason_of(error)}.") from None

    def has(self, index: tuple[int, ...]) -> bool:
        """Return True if the study has a result with this index."""
        shape = self.seconds.shape
        return len(index) == len(shape) and all(0 <= at < side for at, side in zip(index, shape, strict=True))


def status_of(record: Record) -> str:
    """Return how a result ended; files of earlier versions have no status for failures."""
    return record.status or (FAILED if record.error else "")


def _rank(status: str, seconds: float) -> float:
    """Return the rank of a result: of two for the same cell, the higher one counts."""
    return {FAILED: -1.0, TOOK_LONGER: seconds}.get(status, math.inf)


def shape_of(study: Study) -> tuple[int, ...]:
    """Return the shape of the arrays: all axes, repetitions and folds."""
    return (*study.shape, study.repetitions, max(1, study.folds))


def check(study: Study) -> None:
    """Raise ValueError if a study that was read has a fault, or more results than the window takes."""
    if math.prod(shape_of(study)) > MOST_RESULTS:
        raise ValueError(f"it has more than {grouped(MOST_RESULTS)} results")
    for fault in faults_of(study, None):
        raise ValueError(fault.rstrip("."))


def _kept(file: _DocumentPart) -> StudyResults:
    """Return the results in a document; raise ValueError or KeyError if they are not valid."""
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
    kept.errors = {tuple(map(int, index.split())): text[:500] for index, text in file.errors.items()}
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
    """Return the content of the first line of each file of a folder."""
    content: dict[str, Any] = msgspec.to_builtins(_Manifest(study, numerics_of(study)))
    return content


class ResultsFile:
    """A new file of a folder, to which one run appends, from any of its threads.

    Parameters
    ----------
    folder : pathlib.Path
    study : Study
    """

    def __init__(self, folder: File, study: Study) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{folder} cannot be made: {reason(error)}.") from None
        host = "".join(sign if sign.isalnum() else "-" for sign in socket.gethostname())[:40]
        self._file = (folder / f"part-{host}-{os.getpid()}-{secrets.token_hex(6)}.jsonl").open("xb")
        self._lock, self._synced, self._seed = threading.Lock(), time.monotonic(), 0
        self.add({"manifest": manifest(study)})
        self._seed = _seed(manifest(study))

    def add(self, *lines: Any) -> None:
        """Append results; they survive a killed process, and after `SYNC` a power failure."""
        with self._lock:
            self._file.write(b"".join(_line(line, self._seed) for line in lines))
            self._file.flush()
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()

    def close(self) -> None:
        """Wait until all is on the disk."""
        with self._lock, self._file:
            os.fsync(self._file.fileno())


def _seed(study: dict[str, Any]) -> int:
    """Return the start value of checksums after the first line: each of them proves to which study its line belongs."""
    return zlib.crc32(msgspec.json.encode(study, order="sorted"))


def _line(content: Any, seed: int) -> bytes:
    """Return a line of a file, with a checksum as its last key."""
    whole = msgspec.to_builtins(content)
    return msgspec.json.encode(whole | {"crc": zlib.crc32(msgspec.json.encode(whole), seed)}) + b"\n"


def _checked(line: Any, *seeds: int | None) -> Any:
    """Return the content of a line; None if its checksum fits none of `seeds`.

    A seed of None stands for a line without a checksum.
    """
    crc = line.pop("crc", None) if isinstance(line, dict) else None
    sums = (seed if seed is None else zlib.crc32(msgspec.json.encode(line), seed) for seed in seeds)
    return line if crc in sums else None


def read(folder: File, expected: Study | None = None) -> StudyResults:
    """Return the union of all files in `folder`.

    Of a file with a damaged first line, those lines count whose checksums prove that they belong to the study. Raise
    FileError if a file belongs to another study or cannot be read, or if there is none and no study was `expected`.
    """
    try:
        files = sorted(folder.glob(PATTERN)) if folder.is_dir() else []
    except OSError as error:
        raise FileError(f"{folder.name} cannot be read: {reason(error)}.") from None
    heads = {path: head for path in files if (head := _head_of(path)) is not None}
    first = next(filter(None, heads.values()), None) if expected is None else manifest(expected)
    if first is None and heads:
        raise FileError(
            f"{next(iter(heads)).name} is damaged in its first line, which names its study: run the study again with "
            f"its STUDY.toml and --out {folder}, then what is whole counts."
        )
    if first is None:
        raise FileError(f"{folder.name} holds no results of a study.")
    found, seed = StudyResults(expected or _study_of(first, folder)), _seed(first)
    for path, own in heads.items():
        if own and (differs := difference(first, own)) is not None:
            raise FileError(f"{path.name} is of another study: {differs}.")
        found.n_files += bool(own)
        # Lines of earlier versions have no checksum, or one of themselves alone.
        damaged, n_lines = _merge(found, path, (seed, None, 0) if own else (seed,))
        if not own and len(damaged) == n_lines:
            raise FileError(
                f"{path.name} is damaged in its first line, which names its study, and no other line proves it: move "
                "the file out of the folder, then its results are computed again."
            )
        found.damaged += damaged
    if not found.lacking.any():
        found.damaged = []
    return found


def _head_of(path: File) -> dict[str, Any] | None:
    """Return the manifest in the first line of a file: empty if it is damaged, None if there is no line."""
    for line in _lines(path):
        head = _checked(line, 0, None)
        own = head.get("manifest") if isinstance(head, dict) else None
        return own if isinstance(own, dict) else {}
    return None


def _merge(found: StudyResults, path: File, seeds: Sequence[int | None]) -> tuple[list[str], int]:
    """Merge the lines of a file whose checksums fit one of `seeds`; return the damaged lines, and the number of all."""
    damaged, number = list[str](), 0
    for number, line in enumerate(_lines(path), 1):
        content = _checked(line, *seeds)
        # Earlier versions noted the damaged lines that had been computed again.
        if isinstance(content, dict) and content.keys() & {"manifest", "settled"}:
            continue
        try:
            found.merge(msgspec.convert(content, Record))
        except (ValueError, KeyError, OverflowError):  # an unknown measure, or too many statuses
            damaged.append(f"{plain(path.name)}, line {number}")
    return damaged, number


def _study_of(own: dict[str, Any], folder: File) -> Study:
    """Return the study of a manifest; raise FileError if this program cannot go on with it."""
    try:
        made = msgspec.convert(own, _Manifest)
        faults = faults_of(made.study, None)
    except ValueError:
        faults = [""]
    if faults:
        raise FileError(f"{folder.name} holds results of a study that this program does not know.")
    if made.numerics != numerics_of(made.study):
        known = numerics_of(made.study)
        raise FileError(f"{folder.name} was computed by numerics {made.numerics}; this program has {known}.")
    return made.study


def _lines(path: File) -> Iterator[Any]:
    """Yield the lines of a file, None for a damaged one; drop a last line that is incomplete."""
    *lines, _ = read_bytes(path, LARGEST_FILE).split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            yield msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if number < len(lines):
                yield None


def difference(one: Any, other: Any, where: str = "") -> str | None:
    """Return the first difference in words: "study.folds is 5 here and 10 there"."""
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
