"""File format: what a `*.playground` file of each version holds, and the step from each version to the next.

A file is JSON: format and version, the points as lists (x, y, class 1 to 8), and everything else of the document.  A
new version is one more struct in `VERSIONS` and one more function in `STEPS`; what older programs wrote goes through
the steps one after the other.  `Lane` and the other settings are those of the document: a field added to them with a
default needs no new version to be read, one whose meaning changes needs the old struct kept here.

A document's bytes are taken apart into long lists of numbers and the short rest.  Decoding a list holds the
interpreter until its end, a third of a second for a million points, and the window with it, whichever thread decodes.
Only what this program writes is taken apart; any other file, and any list that does not hold what it should, is decoded
in one go, which also tells what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from app.core.points import LIMIT, MAX_CLASSES, Ids, Points
from app.state.document import (
    MAX_LANES,
    PLAIN_STYLES,
    AxisName,
    ClassStyles,
    Document,
    GeneratorSettings,
    Lane,
    Notes,
    TrainingLimit,
    View,
)
from app.state.scaling import Scaling
from app.state.test_split import LEAST_RATIO, MOST_RATIO, MOST_SEED, IdSet, Split
from solver.core.arrays import Integers

#: Bytes that are decoded at a time: some tenths of a millisecond of work.
PIECE = 32_768
_BEGINNING = re.compile(rb'\{"format":"[a-z-]{1,40}","version":\d{1,3},"points":\{"x":\[')
_BETWEEN = (b',"y":[', b',"class":[')
_KINDS: tuple[Any, ...] = (
    *(list[Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]],) * 2,
    list[Annotated[int, Meta(ge=1, le=MAX_CLASSES)]],
)


class Lists(NamedTuple):
    """The numbers of all points."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    labels: NDArray[np.int64]


def parted(data: bytes, step: Callable[[float], object]) -> tuple[bytes, Lists | None]:
    """`data` with empty lists in place of those of its points, and these; or `data` as it is, and None.

    ``step(share)`` is called after each piece.
    """
    begun = _BEGINNING.match(data, 0, 200)
    if begun is None or len(data) <= PIECE:
        return data, None
    start, rest, arrays = begun.end(), data[: begun.end()], []
    for kind, after in zip(_KINDS, (*_BETWEEN, b""), strict=True):
        end = data.find(b"]", start)
        if end < 0 or not data.startswith(after, end + 1):
            return data, None
        array = _numbers(data, start, end, kind, step)
        if array is None:
            return data, None
        arrays.append(array)
        start = end + 1 + len(after)
        rest += b"]" + after
    return rest + data[start:], Lists(*arrays)


def _numbers(data: bytes, start: int, end: int, kind: Any, step: Callable[[float], object]) -> NDArray[Any] | None:
    """The list between `start` and `end`, exclusive; None when it is not simply one of numbers."""
    decoder, parts = msgspec.json.Decoder(kind), []
    dtype = np.int64 if kind is _KINDS[-1] else np.float64
    while True:
        comma = data.find(b",", min(start + PIECE, end), end)
        stop = end if comma < 0 else comma
        try:
            values = decoder.decode(b"[" + data[start:stop] + b"]")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if not values:
            return None
        parts.append(np.array(values, dtype=dtype))
        step(stop / len(data))
        if stop == end:
            return np.concatenate(parts)
        start = stop + 1


FORMAT = "classifier-playground"
#: Blocks of points that are encoded at a time: some tenths of a millisecond of work.
_TOGETHER = 8
#: Ids a file may name; beyond, other programs that read JSON lose digits.
_LARGEST_ID = 2**53

_Coordinate = Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]
_Class = Annotated[int, Meta(ge=1, le=MAX_CLASSES)]
#: First id of some that follow one another, and how many they are.
_Run = tuple[Annotated[int, Meta(ge=0, le=_LARGEST_ID)], Annotated[int, Meta(ge=1, le=_LARGEST_ID)]]


class PointsV1(msgspec.Struct, forbid_unknown_fields=True, rename={"labels": "class"}):
    """Points up to version 1."""

    x: list[_Coordinate]
    y: list[_Coordinate]
    labels: list[_Class]


class FileV1(msgspec.Struct, forbid_unknown_fields=True):
    """Version 1."""

    format: Literal["classifier-playground"]
    version: Literal[1]
    points: PointsV1
    lanes: tuple[Lane, Lane]
    shown: Annotated[int, Meta(ge=1, le=2)]
    generator: GeneratorSettings
    view: View


class PointsV2(msgspec.Struct, forbid_unknown_fields=True, rename={"labels": "class"}):
    """Points since version 2.  Which of very many points the lanes train on depends on the ids, so they are kept."""

    x: list[_Coordinate]
    y: list[_Coordinate]
    labels: list[_Class]
    #: Left out when they are 0, 1, 2, ...
    ids: list[_Run] | None = None


class FileV2(msgspec.Struct, forbid_unknown_fields=True):
    """Version 2: class names and colours, axes, notes and the limit of training."""

    format: Literal["classifier-playground"]
    version: Literal[2]
    points: PointsV2
    styles: ClassStyles
    axes: tuple[AxisName, AxisName]
    lanes: tuple[Lane, Lane]
    shown: Annotated[int, Meta(ge=1, le=2)]
    generator: GeneratorSettings
    view: View
    notes: Notes
    training_limit: TrainingLimit


class SplitV3(msgspec.Struct, forbid_unknown_fields=True):
    """The split of version 3."""

    kind: Literal["none", "ratio", "painted"] = "none"
    ratio: Annotated[float, Meta(ge=LEAST_RATIO, le=MOST_RATIO)] = Split.ratio
    seed: Annotated[int, Meta(ge=0, le=MOST_SEED)] = Split.seed
    #: Ids of the test points painted by hand.
    painted: list[_Run] = []


_Position = Annotated[int, Meta(ge=0, le=MAX_LANES - 1)]


class FileV3(msgspec.Struct, forbid_unknown_fields=True):
    """Version 3: one to four lanes, two of which are compared; points kept back to test on."""

    format: Literal["classifier-playground"]
    version: Literal[3]
    points: PointsV2
    split: SplitV3
    styles: ClassStyles
    axes: tuple[AxisName, AxisName]
    lanes: Annotated[tuple[Lane, ...], Meta(min_length=1, max_length=MAX_LANES)]
    shown: Annotated[int, Meta(ge=1, le=MAX_LANES)]
    compared: tuple[_Position, _Position]
    generator: GeneratorSettings
    view: View
    notes: Notes
    training_limit: TrainingLimit
    #: Left out when no generator made the points.
    origin: GeneratorSettings | None = None
    #: Left out when the points were not standardised on import.
    scaling: Scaling | None = None
    #: What features keep, by name; left out when there is nothing.
    attached: dict[Annotated[str, Meta(pattern="^[a-z-]{1,40}$")], msgspec.Raw] = {}


Newest = FileV3
NEWEST = 3
VERSIONS: dict[int, type[Any]] = {1: FileV1, 2: FileV2, 3: FileV3}


def _second(old: FileV1) -> FileV2:
    points = PointsV2(old.points.x, old.points.y, old.points.labels)
    rest = (old.lanes, old.shown, old.generator, old.view)
    return FileV2("classifier-playground", 2, points, PLAIN_STYLES, ("", ""), *rest, "", Document().training_limit)


def _third(old: FileV2) -> FileV3:
    document = Document()
    return FileV3(
        "classifier-playground",
        3,
        old.points,
        SplitV3(),
        old.styles,
        old.axes,
        old.lanes,
        old.shown,
        document.compared,
        old.generator,
        old.view,
        old.notes,
        old.training_limit,
    )


#: From the version to the one after it.
STEPS: dict[int, Callable[[Any], Any]] = {1: _second, 2: _third}


def readable() -> str:
    """The versions that can be read, in words."""
    first = ", ".join(str(version) for version in range(1, NEWEST))
    return f"versions {first} and {NEWEST}"


def decode(data: bytes, version: int, lists: Lists | None = None) -> Document:
    """The document in `data` of a known version; msgspec's errors, or ValueError with half a sentence.

    `lists` are those of the points where `data` has empty ones.
    """
    file = msgspec.json.decode(data, type=VERSIONS[version])
    repeated = _repeated_key(data)
    if repeated is not None:
        raise ValueError(f"holds the key {repeated!r} twice in one place")
    if lists is not None:
        file.points.x, file.points.y, file.points.labels = lists
    while version < NEWEST:
        file = STEPS[version](file)
        version += 1
    newest: Newest = file
    if newest.shown > len(newest.lanes):
        raise ValueError(f"shows {newest.shown} classifiers, but has {len(newest.lanes)}")
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
    )


_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_COLON = re.compile(rb"\s*:")


def _repeated_key(data: bytes) -> str | None:
    """A key that stands twice in one object of sound JSON, where the decoder takes the last without a word.

    Only strings and what stands before them are looked at: numbers, which are nearly all of a file, are skipped at the
    speed of a search for one character.
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


def _split(file: SplitV3, points: Points) -> Split:
    if not file.painted:
        return Split(file.kind, file.ratio, file.seed)
    first, counts = np.array(file.painted, dtype=np.int64).T
    # As many as there are points, so that no sum and no array can be too large.
    sound = counts.max() <= len(points) and counts.sum() <= len(points)
    painted = IdSet(_of_runs(first, counts)) if sound else IdSet()
    if not sound or len(painted) < counts.sum() or len(points.indices_of(painted.ids)) < len(painted):
        raise ValueError("names test points that are not among its points, or names some twice")
    return Split(file.kind, file.ratio, file.seed, painted)


def _points(file: PointsV2) -> Points:
    x, y, labels = file.x, file.y, file.labels
    if not len(x) == len(y) == len(labels):
        raise ValueError(f"has {len(x)} x, {len(y)} y and {len(labels)} class values; they must be as many")
    xy = np.column_stack((np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)))
    return Points.of(xy, np.array(labels, dtype=np.int64) - 1, _ids(file.ids, len(x)) if file.ids else None)


def _ids(runs: list[tuple[int, int]], number: int) -> Ids:
    first, counts = np.array(runs, dtype=np.int64).T
    # Each count is looked at alone before they are added up: a sum may be too large for a machine's integer.
    if counts.max() > number or counts.sum() != number or (first[1:] < (first + counts)[:-1]).any():
        raise ValueError("has ids that do not ascend, or are not as many as the points")
    return _of_runs(first, counts)


def _of_runs(first: Ids, counts: Ids) -> Ids:
    before = np.cumsum(counts) - counts
    ids: Ids = np.repeat(first - before, counts) + np.arange(counts.sum())
    return ids


def runs_of(ids: Ids) -> Integers:
    """First id and length of each run of ascending `ids`, shape (m, 2)."""
    first = np.flatnonzero(np.diff(ids, prepend=-2) != 1)
    return np.column_stack((ids[first], np.diff(first, append=len(ids))))


def encode_pieces(document: Document) -> Iterator[bytes]:
    """The bytes of a document's file in pieces of less than a millisecond's work each."""
    blocks = document.points.blocks
    groups = [blocks[start : start + _TOGETHER] for start in range(0, len(blocks), _TOGETHER)]
    yield f'{{"format":"{FORMAT}","version":{NEWEST},"points":{{"x":'.encode()
    yield from _list(np.concatenate([block.xy[:, 0] for block in group]) for group in groups)
    yield b',"y":'
    yield from _list(np.concatenate([block.xy[:, 1] for block in group]) for group in groups)
    yield b',"class":'
    yield from _list(np.concatenate([block.labels for block in group]).astype(np.int64) + 1 for group in groups)
    ids = document.points.ids
    runs = runs_of(ids)
    if len(runs) > 1 or (len(ids) and ids[0] != 0):
        yield b',"ids":'
        yield from _list(_cut(runs))
    split = document.split
    drawn = {"kind": split.kind, "ratio": split.ratio, "seed": split.seed}
    yield b'},"split":' + msgspec.json.encode(drawn)[:-1] + b',"painted":'
    # Of points that are gone nothing is kept: a new point may get their ids after opening.
    yield from _list(_cut(runs_of(ids[document.points.indices_of(split.painted.ids)])))
    yield b"},"
    rest = {
        "styles": [{"name": _sound(style.name), "colour": style.colour} for style in document.styles],
        "axes": [_sound(name) for name in document.axes],
        "lanes": document.lanes,
        "shown": document.shown,
        "compared": document.compared,
        "generator": _written(document.generator),
        "view": document.view,
        "notes": _sound(document.notes),
        "training_limit": document.training_limit,
    }
    if document.origin is not None:
        rest["origin"] = _written(document.origin)
    if document.scaling is not None:
        rest["scaling"] = document.scaling
    if document.attached:
        rest["attached"] = {name: msgspec.Raw(data) for name, data in document.attached}
    yield msgspec.json.encode(rest)[1:] + b"\n"


def _written(generator: GeneratorSettings) -> dict[str, Any]:
    """What a file holds of a generator: nothing of flipped labels where there are none, as before there were any."""
    values: dict[str, Any] = msgspec.to_builtins(generator)
    if not generator.flipped:
        del values["flipped"]
    return values


def _cut(runs: Integers) -> Iterator[Integers]:
    return (runs[start : start + 1000] for start in range(0, len(runs), 1000))


def _list(arrays: Iterable[np.ndarray]) -> Iterator[bytes]:
    start = b"["
    for array in arrays:
        yield start + msgspec.json.encode(array.tolist())[1:-1]
        start = b","
    yield b"]" if start == b"," else b"[]"


def _sound(text: str) -> str:
    # Half a character, which a clipboard may hold, is nothing that a file can.
    return text.encode("utf-8", "replace").decode()
