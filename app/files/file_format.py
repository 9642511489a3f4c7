"""File format: the content of `*.playground` files of each version, and the conversion of each version to the next.

A file is JSON: format and version, the points as lists (x, y, class 1 to 8), and everything else of the document.  A
new version is one more struct in `VERSIONS` and one more function in `STEPS`; files of older programs go through the
steps one after the other.  `Lane` and the other settings are those of the document: a new field with a default needs no
new version, a field whose meaning changes needs the old struct kept here.  Versions 1 and 2 were never released and are
not read.

A document is encoded and decoded at once, which holds the interpreter for about 10 ms with a hundred thousand points.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np
from msgspec import Meta

from app.core.dates import NO_DATES
from app.core.points import LIMIT, MAX_CLASSES, Ids, Points
from app.state.document import (
    LEAST_SECOND,
    MAX_LANES,
    NO_UNITS,
    AxisName,
    ClassStyle,
    ClassStyles,
    Dates,
    Document,
    GeneratorSettings,
    Lane,
    Notes,
    TrainingLimit,
    Units,
    View,
)
from app.state.scaling import Scaling
from app.state.split import LEAST_RATIO, MOST_RATIO, MOST_SEED, NO_SPLIT, IdSet, Split
from solver.core.arrays import Integers

FORMAT: Final = "classifier-playground"
#: Largest id in a file: other JSON readers would lose digits of larger ones.
_LARGEST_ID = 2**53

_Coordinate = Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]
_Class = Annotated[int, Meta(ge=1, le=MAX_CLASSES)]
#: First id and length of a run of consecutive ids.
_Run = tuple[Annotated[int, Meta(ge=0, le=_LARGEST_ID)], Annotated[int, Meta(ge=1, le=_LARGEST_ID)]]


class FilePoints(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename={"labels": "class"}):
    """Points, with their ids, which decide the sample of very many points that lanes train on."""

    x: list[_Coordinate]
    y: list[_Coordinate]
    labels: list[_Class]
    #: Absent if they are 0, 1, 2, ...
    ids: list[_Run] | None = None


class FileSplit(msgspec.Struct, forbid_unknown_fields=True):
    """The split into training and test points."""

    kind: Literal["none", "ratio", "painted"] = "none"
    ratio: Annotated[float, Meta(ge=LEAST_RATIO, le=MOST_RATIO)] = NO_SPLIT.ratio
    seed: Annotated[int, Meta(ge=0, le=MOST_SEED)] = NO_SPLIT.seed
    #: Ids of the test points chosen by hand.
    painted: list[_Run] = []


_Position = Annotated[int, Meta(ge=0, le=MAX_LANES - 1)]


class FileV3(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Version 3."""

    format: Literal["classifier-playground"]
    version: Literal[3]
    points: FilePoints
    split: FileSplit
    styles: ClassStyles
    axes: tuple[AxisName, AxisName]
    lanes: Annotated[tuple[Lane, ...], Meta(min_length=1, max_length=MAX_LANES)]
    shown: Annotated[int, Meta(ge=1, le=MAX_LANES)]
    compared: tuple[_Position, _Position]
    generator: GeneratorSettings
    view: View
    notes: Notes
    training_limit: TrainingLimit
    #: Absent if the points were not generated.
    origin: GeneratorSettings | None = None
    #: Absent if the points were not standardised on import.
    scaling: Scaling | None = None
    #: Absent if they are 1 and 1.
    units: Units = NO_UNITS
    #: Data of features, by name; absent if there are none.
    attached: dict[Annotated[str, Meta(pattern="^[a-z-]{1,40}$")], msgspec.Raw] = {}
    #: Lengths of a second along x and y; absent if both are numbers.
    dates: Dates = NO_DATES


Newest = FileV3
NEWEST: Final = 3
VERSIONS: dict[int, type[Any]] = {3: FileV3}
#: Conversions, by the version from which they start.
STEPS: dict[int, Callable[[Any], Any]] = {}


def decode(data: bytes, version: int) -> Document:
    """Return the document in `data` of a known version; raise an error of msgspec, or a ValueError."""
    if (repeated := _repeated_key(data)) is not None:
        raise ValueError(f"holds the key {repeated!r} twice in one place")
    file = msgspec.json.decode(data, type=VERSIONS[version])
    while version < NEWEST:
        file = STEPS[version](file)
        version += 1
    newest: Newest = file
    if newest.shown > len(newest.lanes):
        raise ValueError(f"shows {newest.shown} classifiers, but has {len(newest.lanes)}")
    if any(0.0 < second < LEAST_SECOND for second in newest.dates):
        raise ValueError(f"has seconds shorter than {LEAST_SECOND}")
    points = _points(newest.points)
    return Document(
        points,
        newest.lanes,
        newest.shown,
        newest.generator,
        newest.view,
        newest.styles,
        newest.axes,
        newest.notes,
        newest.training_limit,
        compared=newest.compared,
        split=_split(newest.split, points),
        origin=newest.origin,
        scaling=newest.scaling,
        attached=tuple((name, bytes(raw)) for name, raw in newest.attached.items()),
        units=newest.units,
        dates=newest.dates,
    )


_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_COLON = re.compile(rb"\s*:")


def _repeated_key(data: bytes) -> str | None:
    """Return a key that occurs twice in one object of valid JSON, of which the decoder would silently take the last.

    Only strings and the characters before them are read: numbers, nearly all of a file, are skipped at the speed of a
    search for one character.
    """
    objects: list[set[str]] = []
    end = 0
    for string in _STRING.finditer(data):
        start, before = string.start(), end
        end = string.end()
        if data.find(b"{", before, start) >= 0 or data.find(b"}", before, start) >= 0:
            for brace in re.findall(rb"[{}]", data[before:start]):
                if brace == b"{":
                    objects.append(set())
                else:
                    objects.pop()
        if _COLON.match(data, end):
            key: str = msgspec.json.decode(string[0])
            if key in objects[-1]:
                return key
            objects[-1].add(key)
    return None


def _split(file: FileSplit, points: Points) -> Split:
    if not file.painted:
        return Split(file.kind, file.ratio, file.seed)
    first, counts = np.array(file.painted, dtype=np.int64).T
    # Exactly as many ids as points, so that no sum and no array can be too large.
    sound = counts.max() <= len(points) and counts.sum() <= len(points)
    painted = IdSet(_of_runs(first, counts)) if sound else IdSet()
    if not sound or len(painted) < counts.sum() or len(points.indices_of(painted.ids)) < len(painted):
        raise ValueError("names test points that are not among its points, or names some twice")
    return Split(file.kind, file.ratio, file.seed, painted)


def _points(file: FilePoints) -> Points:
    x, y, labels = file.x, file.y, file.labels
    if not len(x) == len(y) == len(labels):
        raise ValueError(f"has {len(x)} x, {len(y)} y and {len(labels)} class values; they must be as many")
    xy = np.column_stack((np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)))
    return Points.of(xy, np.array(labels, dtype=np.int64) - 1, _ids(file.ids, len(x)) if file.ids else None)


def _ids(runs: list[tuple[int, int]], number: int) -> Ids:
    first, counts = np.array(runs, dtype=np.int64).T
    # Each count is checked before they are added, because the sum may exceed the machine's integers.
    if counts.max() > number or counts.sum() != number or (first[1:] < (first + counts)[:-1]).any():
        raise ValueError("has ids that do not ascend, or are not as many as the points")
    return _of_runs(first, counts)


def _of_runs(first: Ids, counts: Ids) -> Ids:
    before = np.cumsum(counts) - counts
    ids: Ids = np.repeat(first - before, counts) + np.arange(counts.sum())
    return ids


def runs_of(ids: Ids) -> Integers:
    """Return first id and length of each run of consecutive `ids`, ascending, shape (m, 2)."""
    first = np.flatnonzero(np.diff(ids, prepend=-2) != 1)
    return np.column_stack((ids[first], np.diff(first, append=len(ids))))


def encode(document: Document) -> bytes:
    """Return the bytes of a document's file."""
    points, split, ids = document.points, document.split, document.points.ids
    runs = runs_of(ids)
    # Ids of deleted points are removed, because after opening new points may get them.
    painted = runs_of(ids[points.indices_of(split.painted.ids)])
    file = FileV3(
        FORMAT,
        NEWEST,
        FilePoints(
            points.xy[:, 0].tolist(),
            points.xy[:, 1].tolist(),
            (points.labels.astype(np.int64) + 1).tolist(),
            runs.tolist() if len(runs) > 1 or (len(ids) and ids[0] != 0) else None,
        ),
        FileSplit(split.kind, split.ratio, split.seed, painted.tolist()),
        tuple(ClassStyle(_sound(style.name), style.colour) for style in document.styles),
        (_sound(document.axes[0]), _sound(document.axes[1])),
        tuple(lane.filed for lane in document.lanes),
        document.shown,
        document.compared,
        document.generator,
        document.view,
        _sound(document.notes),
        document.training_limit,
        document.origin,
        document.scaling,
        document.units,
        {name: msgspec.Raw(data) for name, data in document.attached},
        document.dates if any(document.dates) else NO_DATES,  # only that very object is omitted
    )
    return msgspec.json.encode(file) + b"\n"


def _sound(text: str) -> str:
    # A lone surrogate, which a clipboard may contain, cannot be written to a file.
    return text.encode("utf-8", "replace").decode()
