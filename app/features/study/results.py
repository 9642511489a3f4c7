"""Results: the results of a study as arrays, one element for each cell, repetition and fold; and their two files.

A document keeps them as one part, packed.  The command line keeps them in a folder, as lines of JSON that each run
appends to a file of its own: the results are the union of all files, so that those of other machines are merged by
copying.  The first line of a file is the study, and each line has a checksum of itself and of that.  A line that was
torn when its writer was killed is dropped.  Any other damaged line is set aside and named, and its cell counts as
missing, until a run has computed all that is missing: it appends to its own file which lines are settled, since another
run may be appending to the file that has them.
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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path as File
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.number_format import count, grouped
from app.core.plain_text import plain
from app.files.documents import FileError, read_bytes, reason
from solver.core.arrays import Array, Integers

from .cells import OLDEST, Path, Places, key_of, numerics_of, paths
from .computing import LARGEST, NOT_DEFINED, TOOK_LONGER, Record
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
#: Status of a result with an error.
FAILED = "failed"
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


class Means(Struct, frozen=True, eq=False):
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
        self._status[place] = self._statuses.setdefault(status_of(record), len(self._statuses))
        for name, array in self.values.items():
            array[place] = record.values.get(name, np.nan)
        self.seconds[place] = record.seconds
        self.errors.pop(place, None)
        if record.error:
            self.errors[place] = record.error

    def merge(self, record: Record) -> None:
        """Take a result of a file: of several the first value, else what took longest, else the first failure.

        ValueError where the study has no such cell, or a measure no such value.
        """
        index = (*record.places, record.repetition, record.fold)
        if not self.has(index) or not self._exists[record.places]:
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
        """Why a cell has no value, or one of fewer results, over all axes; "" where it is only not computed yet."""
        why = {name: self.ended(name).any(axis=(-2, -1)) for name in (FAILED, TOOK_LONGER)}
        return np.select([~self.defined, *why.values()], [NOT_DEFINED, *why], "")

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

    def missing(self, of: Sequence[Path] | None = None, retry: bool = False, limit: float = 0.0) -> list[Path]:
        """Of each path, by default of all in order, the cells that are not there; with `retry`, or have failed; or took
        longer than a time limit below `limit`."""
        lacks = np.isnan(self.seconds) | (self.ended(TOOK_LONGER) & (self.seconds < limit))
        if retry:
            lacks |= self.ended(FAILED)
        found = (path.only(lacks.__getitem__) for path in (paths(self.study) if of is None else of))
        return [path for path in found if path.cells]

    def todo(self, of: Sequence[Path], retry: bool, limit: float) -> list[Path]:
        """Return the paths with cells that are `missing`: whole, for its cells begin where the ones before have ended,
        but without those that took longer than this limit before."""
        given_up = self.ended(TOOK_LONGER) & (self.seconds >= limit)
        missing = {path.number for path in self.missing(of, retry, limit)}
        return [path.only(lambda index: not given_up[index]) for path in of if path.number in missing]

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

    def rows(self) -> Iterator[list[Any]]:
        """The results for a table, after its heads: configuration, repetition and fold, values, status, error, seconds.

        Nothing but the last column depends on where, when or in which process a cell was computed.
        """
        heads = [self.study.head(axis) for axis in self.study.axes]
        measured = [name for name in self.study.values if name != "seconds"]
        yield ["cell", *heads, "repetition", "fold", *measured, "status", "error", "seconds"]
        for each in self.records():
            key = key_of(self.study, each.places, each.repetition, each.fold)
            row = [key, *self.study.choice(each.places).values(), each.repetition + 1, each.fold + 1]
            yield [*row, *map(each.values.get, measured), each.status, each.error, round(each.seconds, 6)]

    def table(self) -> bytes:
        """The `rows` as a CSV file."""
        return csv_of(self.rows())

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


def csv_of(rows: Iterable[Iterable[Any]]) -> bytes:
    """Return a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def status_of(record: Record) -> str:
    """Return how a result ended; files of earlier versions have no status of failures."""
    return record.status or (FAILED if record.error else "")


def _rank(status: str, seconds: float) -> float:
    """Return which of two results of a cell counts: that with the greater number."""
    return {FAILED: -1.0, TOOK_LONGER: seconds}.get(status, math.inf)


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
        """Append results; they stay when the process is killed, and after `SYNC` when the machine loses its power."""
        with self._lock:
            self._file.write(b"".join(_line(line, self._seed) for line in lines))
            self._file.flush()
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()

    def close(self) -> None:
        """Wait until the disk has everything."""
        with self._lock, self._file:
            os.fsync(self._file.fileno())


def settle(folder: File, study: Study, damaged: Sequence[str]) -> None:
    """Note in a new file of `folder` that there are results in place of damaged lines, which `read` then skips."""
    with closing(ResultsFile(folder, study)) as file:
        file.add({"settled": damaged})


def _seed(study: dict[str, Any]) -> int:
    """Return where the checksums of lines after the first begin: so each of them proves which study it is of."""
    return zlib.crc32(msgspec.json.encode(study, order="sorted"))


def _line(content: Any, seed: int) -> bytes:
    """Return a line of a file, with a checksum as its last key."""
    whole = msgspec.to_builtins(content)
    return msgspec.json.encode(whole | {"crc": zlib.crc32(msgspec.json.encode(whole), seed)}) + b"\n"


def _checked(line: Any, *seeds: int | None) -> Any:
    """Return the content of a line, None where its checksum begins at none of `seeds`; None among these: it may have
    none."""
    crc = line.pop("crc", None) if isinstance(line, dict) else None
    sums = (seed if seed is None else zlib.crc32(msgspec.json.encode(line), seed) for seed in seeds)
    return line if crc in sums else None


class _Settled(msgspec.Struct):
    settled: tuple[str, ...]


class _Manifest(msgspec.Struct):
    study: Study
    numerics: int


def read(folder: File, expected: Study | None = None) -> StudyResults:
    """The union of all files in `folder`; FileError where one is of another study or cannot be read, and where there is
    none but no study was `expected`.

    Of a file whose first line is damaged those lines count whose checksums prove that they are of the study.
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
    found, settled = StudyResults(expected or _study_of(first, folder)), set[str]()
    for path, own in heads.items():
        if own and (differs := difference(first, own)) is not None:
            raise FileError(f"{path.name} is of another study: {differs}.")
        found.n_files += 1
        settled.update(_take(found, path, (None, _seed(first), 0) if own else (_seed(first),)))
    found.damaged = [line for line in found.damaged if line not in settled]
    return found


def _head_of(path: File) -> dict[str, Any] | None:
    """Return the manifest in the first line of a file, empty where that is damaged; None where there is no line."""
    for line in _lines(path):
        head = _checked(line, 0, None)
        own = head.get("manifest") if isinstance(head, dict) else None
        return own if isinstance(own, dict) else {}
    return None


def _take(found: StudyResults, path: File, seeds: Sequence[int | None]) -> list[str]:
    """Merge the lines of a file whose checksums begin at one of `seeds`; returns which damaged lines they settle.

    FileError where the first line is damaged, so that checksums have one seed, and no other has such a one.
    """
    whole = len(seeds) > 1
    settled, damaged, number = list[str](), list[str](), 0
    for number, line in enumerate(_lines(path), 1):
        content = _checked(line, *seeds)
        try:
            if isinstance(content, dict) and "settled" in content:
                settled += msgspec.convert(content, _Settled).settled
            elif number > 1 or not whole:
                found.merge(msgspec.convert(content, Record))
        except (ValueError, KeyError, OverflowError):  # an unknown measure, or more statuses than there are
            damaged.append(f"{plain(path.name)}, line {number}")
    if not whole and len(damaged) == number:
        raise FileError(
            f"{path.name} is damaged in its first line, which names its study, and no other line proves it: move the "
            "file out of the folder, then its results are computed again."
        )
    found.damaged += damaged
    return settled


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
            yield msgspec.json.decode(line)
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
