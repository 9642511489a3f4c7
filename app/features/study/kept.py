"""Kept: the results of a study as arrays, one place for each cell, repetition and fold; and how a document keeps them.

The window shows and saves them so; on the command line they stand in a folder, see `results`.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.core.number_format import grouped
from app.files.documents import FileError
from app.state.document import GeneratorSettings
from app.state.edit_struct import changed_struct
from solver.core.arrays import Array, Integers

from .cells import OTHERS, Path, Places, key_of, numerics_of, paths
from .computing import LARGEST, Record
from .model import DATA_AXES, MEASURES, Study

#: What it is called among what a document keeps.
NAME = "study"
#: Results of a study in the window, at most: its document then grows by some MB for each value.  More are for the
#: command line.
MOST_RESULTS = 200_000
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


class Kept:
    """The results of `study` that are there.

    Attributes
    ----------
    study : Study
    values : dict of str to ndarray
        Of each measure, by axes, repetition and fold; NaN where there is none.
    seconds : ndarray
        NaN where nothing was computed.
    numerics : int
        The version that computed them.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.numerics = numerics_of(study)
        shape = shape_of(study)
        self.values: dict[str, Array] = {name: np.full(shape, np.nan) for name in study.values}
        self.seconds: NDArray[np.float32] = np.full(shape, np.nan, dtype=np.float32)
        self._status: NDArray[np.uint8] = np.zeros(shape, dtype=np.uint8)
        self._statuses: list[str] = [""]
        self._errors: dict[tuple[int, ...], str] = {}

    def add(self, record: Record) -> None:
        """Take a result, in place of one that was there."""
        place = (*record.places, record.repetition, record.fold)
        for name, array in self.values.items():
            array[place] = record.values.get(name, np.nan)
        self.seconds[place] = record.seconds
        if record.status not in self._statuses:
            self._statuses.append(record.status)
        self._status[place] = self._statuses.index(record.status)
        self._errors.pop(place, None)
        if record.error:
            self._errors[place] = record.error

    @property
    def done(self) -> int:
        """How many results there are, errors included."""
        return int(np.count_nonzero(~np.isnan(self.seconds)))

    def error(self, places: Places) -> str:
        """Why the first result of a cell failed, or ""."""
        return next((text for place, text in sorted(self._errors.items()) if place[:-2] == places), "")

    def means(self, value: str) -> Means:
        """What repetitions and folds come to."""
        array = self.values[value].reshape(*self._sides, -1)
        there = ~np.isnan(array)
        count = there.sum(axis=-1)
        some = np.maximum(count, 1)
        mean = np.where(there, array, 0.0).sum(axis=-1) / some
        off = np.where(there, array - mean[..., None], 0.0)
        spread = np.sqrt((off**2).sum(axis=-1) / np.maximum(count - 1, 1))
        errors = np.zeros(self._sides, dtype=np.int64)
        for place in self._errors:
            errors[place[:-2]] += 1
        return Means(np.where(count > 0, mean, np.nan), np.where(count > 1, spread, np.nan), count, errors)

    @property
    def _sides(self) -> tuple[int, ...]:
        return tuple(len(axis.values) for axis in self.study.axes)

    def missing(self) -> list[Path]:
        """What is to be computed, coarse cells first: of each path the cells that are not there."""
        found = []
        for path in paths(self.study):
            cells = tuple(each for each in path.cells if math.isnan(self.seconds[(*each, path.repetition, path.fold)]))
            if cells:
                found.append(Path(path.number, cells, path.repetition, path.fold))
        return found

    def lacks(self, axis: str) -> NDArray[np.int64]:
        """How many results are missing for each value of an axis; of one that is none, in all."""
        lacking = np.isnan(self.seconds)
        if self.study.k_up_to_n:
            sides = [range(side) for side in self._sides]
            there = np.array([self.study.exists(places) for places in product(*sides)]).reshape(self._sides)
            lacking &= there[..., None, None]
        names = [each.name for each in self.study.axes]
        if axis not in names:
            return np.array([lacking.sum()])
        others = tuple(place for place in range(lacking.ndim) if place != names.index(axis))
        return np.asarray(lacking.sum(axis=others))

    def grown(self, study: Study) -> Kept:
        """These results as those of `study`, which has further values on its axes and is the same else."""
        new = Kept(study)
        new.numerics = self.numerics
        places = []
        for own, other in zip(self.study.axes, study.axes, strict=True):
            places.append([other.values.index(value) for value in own.values])
        shape = new.seconds.shape
        there = np.ix_(*places, range(shape[-2]), range(shape[-1]))
        for name, array in new.values.items():
            array[there] = self.values[name]
        new.seconds[there], new._status[there] = self.seconds, self._status
        new._statuses = list(self._statuses)
        for place, text in self._errors.items():
            moved = tuple(along[at] for along, at in zip(places, place[:-2], strict=True))
            new._errors[(*moved, *place[-2:])] = text
        return new

    def copy(self) -> Kept:
        """As they are now."""
        return self.grown(self.study)

    def records(self) -> Iterator[Record]:
        """All of them, as the command line has them."""
        for place in product(*map(range, self.seconds.shape)):
            if math.isnan(self.seconds[place]):
                continue
            cell, repetition, fold = place[:-2], place[-2], place[-1]
            found = {name: float(array[place]) for name, array in self.values.items()}
            values = {name: value for name, value in found.items() if not math.isnan(value)}
            key = key_of(self.study, cell, repetition, fold)
            status, error = self._statuses[self._status[place]], self._errors.get(place, "")
            yield Record(key, cell, repetition, fold, values, status, error, float(self.seconds[place]))

    # -- in a document ---------------------------------------------------------------------------------------------

    def encode(self) -> bytes:
        """What a document keeps."""
        values = {name: _packed(array, "<f8") for name, array in self.values.items()}
        errors = {" ".join(map(str, place)): text for place, text in self._errors.items()}
        seconds, status = _packed(self.seconds, "<f4"), _packed(self._status, "u1")
        file = _File(self.study, self.numerics, values, seconds, tuple(self._statuses), status, errors)
        return msgspec.json.encode(file)

    @staticmethod
    def decode(data: bytes) -> Kept:
        """What a document has kept; FileError with a sentence where it cannot be used."""
        try:
            file = msgspec.json.decode(data, type=_File)
            check(file.study)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError, KeyError) as error:
            raise FileError(f"{_BAD}: {' '.join(str(error).replace('`', '').split())}.") from None
        kept, known = Kept(file.study), numerics_of(file.study)
        if not OTHERS <= file.numerics <= known:
            raise FileError(f"{_BAD}: it was computed by numerics {file.numerics}; this program has {known}.")
        kept.numerics = file.numerics
        shape = kept.seconds.shape
        try:
            if set(file.values) != set(kept.values):
                raise ValueError("its values are others than it says")
            kept.values = {name: _unpacked(file.values[name], "<f8", shape).astype(np.float64) for name in kept.values}
            kept.seconds = _unpacked(file.seconds, "<f4", shape).astype(np.float32)
            if any((abs(each) > LARGEST).any() for each in (*kept.values.values(), kept.seconds.astype(np.float64))):
                raise ValueError("some of its values are larger than any measure")
            kept._status = _unpacked(file.status, "u1", shape).astype(np.uint8)
            kept._statuses = list(file.statuses)
            if int(kept._status.max()) >= len(file.statuses) or len(file.statuses) > 256:
                raise ValueError("its statuses are not those it has")
            for name, text in file.errors.items():
                place = tuple(map(int, name.split()))
                if len(place) != len(shape) or not all(0 <= at < side for at, side in zip(place, shape, strict=True)):
                    raise ValueError("an error is of no cell")
                kept._errors[place] = text[:500]
        except (ValueError, zlib.error) as error:
            raise FileError(f"{_BAD}: {error}.") from None
        return kept


def shape_of(study: Study) -> tuple[int, ...]:
    """Of the arrays: all axes, repetitions and folds."""
    return (*(len(axis.values) for axis in study.axes), study.repetitions, max(1, study.folds))


def check(study: Study) -> None:
    """ValueError with what is wrong with a study that was read and not planned."""
    if math.prod(shape_of(study)) > MOST_RESULTS:
        raise ValueError(f"it has more than {grouped(MOST_RESULTS)} results")
    if any(value not in MEASURES for value in study.values):
        raise ValueError("it has values that this program does not know")
    if study.lane.is_difference or (study.generator is None) != bool(study.digest):
        raise ValueError("it has no classifier or no points")
    if len({axis.name for axis in study.axes}) < len(study.axes):
        raise ValueError("it has the same axis twice")
    for axis in study.axes:
        if len(set(axis.values)) < len(axis.values):
            raise ValueError(f"it has the same value of {axis.name} twice")
        for value in axis.values:
            try:
                if axis.name in DATA_AXES:
                    changed_struct(GeneratorSettings(), {DATA_AXES[axis.name]: value})
                else:
                    study.lane_at({axis.name: value})
            except (ValueError, KeyError):
                raise ValueError(f"{axis.name} = {value!r} is nothing that its classifier or its points have") from None


def _packed(array: NDArray[Any], kind: str) -> bytes:
    return zlib.compress(np.ascontiguousarray(array, dtype=kind).tobytes(), 1)


def _unpacked(data: bytes, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    size = math.prod(shape) * np.dtype(kind).itemsize
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(data, size + 1)
    if len(raw) != size:
        raise ValueError("its arrays are of another size than the study")
    return np.frombuffer(raw, dtype=kind).reshape(shape)
