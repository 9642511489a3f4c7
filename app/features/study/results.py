"""Results: lines of JSON that each worker appends to a file of its own, and what a folder of them comes to.

No file is shared: what is there is the union of all parts, so that results of other machines are merged by copying.
The first line of a part says which study it is of.  A line that was torn when its writer was killed is dropped.
"""

from __future__ import annotations

import math
import os
import secrets
import socket
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

import msgspec

from app.files.documents import FileError, read_bytes, reason

from .cells import Path, Places, key_of, numerics_of
from .computing import Record
from .model import Study, builtins_of

PATTERN = "part-*.jsonl"
#: Seconds between two waits for the disk.
SYNC = 1.0


def manifest(study: Study) -> dict[str, Any]:
    """What the first line of each part says."""
    return {"study": builtins_of(study), "numerics": numerics_of(study)}


class Part:
    """A file that one worker appends to.

    Parameters
    ----------
    folder : pathlib.Path
    study : Study
    """

    def __init__(self, folder: File, study: Study) -> None:
        host = "".join(sign if sign.isalnum() else "-" for sign in socket.gethostname())[:40]
        self.path = folder / f"part-{host}-{os.getpid()}-{secrets.token_hex(6)}.jsonl"
        self._file = self.path.open("xb")
        self._lock, self._ended, self._dirty = threading.Lock(), threading.Event(), False
        self._line({"manifest": manifest(study)})
        threading.Thread(target=self._keep_synced, name="study part", daemon=True).start()

    def add(self, record: Record) -> None:
        """Append a result; it stays when the process is killed."""
        self._line(record)

    def close(self) -> None:
        """Wait until the disk has everything."""
        self._ended.set()
        self._sync()
        with self._lock:
            self._file.close()

    def _line(self, value: Any) -> None:
        with self._lock:
            self._file.write(msgspec.json.encode(value) + b"\n")
            self._file.flush()
            self._dirty = True

    def _keep_synced(self) -> None:
        while not self._ended.wait(SYNC):
            self._sync()

    def _sync(self) -> None:
        with self._lock:
            if self._dirty and not self._file.closed:
                os.fsync(self._file.fileno())
                self._dirty = False


#: The parts of this process, by folder, study and thread.
_parts: dict[tuple[str, int], tuple[Study, Part]] = {}


def part_of(folder: File, study: Study) -> Part:
    """The part that this thread of this process appends to."""
    where = str(folder), threading.get_ident()
    if where not in _parts or _parts[where][0] != study:
        _parts[where] = study, Part(folder, study)
    return _parts[where][1]


def close_parts() -> None:
    """Close the parts of this process."""
    for _, part in _parts.values():
        part.close()
    _parts.clear()


def sync_all(folder: File) -> None:
    """Wait until the disk has all parts, whoever wrote them on this machine."""
    for path in folder.glob(PATTERN):
        try:
            handle = os.open(path, os.O_RDWR)
        except OSError:  # another user's
            continue
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@dataclass(frozen=True)
class Results:
    """What a folder holds.

    Attributes
    ----------
    study : Study or None
        None where there is no part yet.
    records : dict of str to Record
        By key; a result is preferred to an error.
    n_parts : int
    """

    study: Study | None
    records: dict[str, Record]
    n_parts: int

    def missing(self, study: Study, of: Iterable[Path], retry: bool = False) -> list[Path]:
        """The paths of which some cell is not there; with `retry`, or has failed."""
        return [path for path in of if not self._has(study, path, retry)] if self.records else list(of)

    def _has(self, study: Study, path: Path, retry: bool) -> bool:
        for places in path.cells:
            record = self.records.get(key_of(study, places, path.repetition, path.fold))
            if record is None or (retry and record.error):
                return False
        return True


class _First(msgspec.Struct):
    study: dict[str, Any]
    numerics: int


def read(folder: File, expected: Study | None = None) -> Results:
    """The union of all parts in `folder`; FileError where one is of another study, or cannot be read."""
    try:
        found = sorted(folder.glob(PATTERN)) if folder.is_dir() else []
    except OSError as error:
        raise FileError(f"{folder.name} cannot be read: {reason(error)}.") from None
    first: dict[str, Any] | None = None if expected is None else manifest(expected)
    records: dict[str, Record] = {}
    parts = 0
    for path in found:
        lines = _lines(path)
        if not lines:
            continue
        head = lines[0].get("manifest")
        if not isinstance(head, dict):
            raise FileError(f"{path.name} does not begin with the study that it is of.")
        if first is None:
            first = head
        elif (differs := difference(first, head)) is not None:
            raise FileError(f"{path.name} is of another study: {differs}.")
        parts += 1
        for number, line in enumerate(lines[1:], 2):
            try:
                record = msgspec.convert(line, Record)
            except msgspec.ValidationError:
                raise FileError(f"{path.name}, line {number}, is not a result.") from None
            known = records.get(record.key)
            if known is None or (known.error and not record.error):
                records[record.key] = record
    return Results(_study_of(first, folder), records, parts)


def _study_of(first: dict[str, Any] | None, folder: File) -> Study | None:
    if first is None:
        return None
    try:
        made = msgspec.convert(first, _First)
        study = msgspec.convert(made.study, Study)
        for places in ((0,) * len(study.axes), tuple(len(axis.values) - 1 for axis in study.axes)):
            study.lane_at(study.choice(places))
    except (msgspec.ValidationError, ValueError, KeyError):
        raise FileError(f"{folder.name} holds results of a study that this program does not know.") from None
    numerics = numerics_of(study)
    if made.numerics != numerics:
        raise FileError(f"{folder.name} was computed by numerics {made.numerics}; this program has {numerics}.")
    return study


def _lines(path: File) -> list[dict[str, Any]]:
    """The whole lines of a part; a torn last one is dropped."""
    data = read_bytes(path, 4_000_000_000)
    pieces = data.split(b"\n")
    if pieces[-1] == b"":
        pieces.pop()
        whole = len(pieces)
    else:
        whole = len(pieces) - 1
    lines = []
    for number, piece in enumerate(pieces[:whole], 1):
        try:
            line = msgspec.json.decode(piece)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if number == len(pieces):  # the machine lost its power
                break
            raise FileError(f"{path.name}, line {number}, is not JSON.") from None
        if not isinstance(line, dict):
            raise FileError(f"{path.name}, line {number}, is not a result.")
        lines.append(line)
    return lines


def difference(one: Any, other: Any, where: str = "") -> str | None:
    """What differs first, in words: "study.folds is 5 here and 10 there"."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            inside = f"{where}.{name}".removeprefix(".").removeprefix("study.")
            if name not in one or name not in other:
                return f"{inside} is set in one only"
            if (found := difference(one[name], other[name], inside)) is not None:
                return found
        return None
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True), 1)
        return next((found for i, (a, b) in pairs if (found := difference(a, b, f"{where}[{i}]")) is not None), None)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return f"{where} has {len(one)} entries here and {len(other)} there"
    return None if one == other else f"{where} is {_quoted(one)} here and {_quoted(other)} there"


def _quoted(value: Any) -> str:
    text = "unset" if value is None or value == "" else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


@dataclass(frozen=True)
class Summary:
    """What the repetitions and folds of a cell come to.

    Attributes
    ----------
    mean, spread : float
        Spread: the standard deviation over repetitions and folds; NaN of one only.
    count, errors : int
        Results, and failures.
    error : str
        The first of them.
    """

    mean: float
    spread: float
    count: int
    errors: int = 0
    error: str = ""


def summaries(records: Iterable[Record], value: str) -> dict[Places, Summary]:
    """For each cell what its results come to, whatever the order they were computed in."""
    groups: dict[Places, list[Record]] = {}
    for record in records:
        groups.setdefault(record.places, []).append(record)
    return {places: _summary(groups[places], value) for places in sorted(groups)}


def _summary(group: Sequence[Record], value: str) -> Summary:
    ordered = sorted(group, key=lambda each: (each.repetition, each.fold))
    numbers = [record.values[value] for record in ordered if value in record.values]
    errors = [record.error for record in ordered if record.error]
    mean = math.fsum(numbers) / len(numbers) if numbers else math.nan
    spread = math.nan
    if len(numbers) > 1:
        spread = math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1))
    return Summary(mean, spread, len(numbers), len(errors), errors[0] if errors else "")
