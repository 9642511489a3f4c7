"""Share text: a document as one text, for a mail or a chat.

It contains the points at 12 bits, the generator that made them, classifiers, classes, test points and view.  Points
that are still the generator's, bit for bit, are omitted and generated again from its settings, so they are not rounded.

After `PREFIX` follow these bytes, compressed by zlib, in base64url without padding:

========  ==================================================================================================
1         version
4         CRC-32 of all that follows, little-endian, as are all numbers
24        view: x, y and span as doubles
2         number of points in the text; if it is not 0:
32        lowest and highest x, lowest and highest y as doubles
3 each    every point in its order: x and y at 12 bits, 0 the lowest and 4095 the highest value
1         the classes that occur, class 1 the lowest bit
n bits    class of each point as its index among those, in the fewest bits, the last byte filled with 0
rest      msgpack map of all that differs from a new document, by the names of a `*.playground` file
========  ==================================================================================================

In the map, classifiers and styles have only what differs from the defaults; `painted` of the split is a bit for each
point; `ids` are present if they are not 0, 1, 2, ..., because test points, samples and folds are drawn by them; `ratio`
is that of a view whose axes have their own scales, and `dates` are present if there are any: older programs refuse
both.  Notes, scaling and data of features are never included.

Version 2 is written if the document has generated points, or other settings of the generator than a new one.  Its map
may have `origin`, the settings that made the points, `generator`, the settings for the next points if different, and
`made`, if some points are those of `origin`: the checksum of all generated points, and, as bits, which of them are
`kept` (unless all), and which of the document's points are not among them, `sent` (unless none).

A text is converted to a document file and read by the rules of files; a text that this program would have written
differently is refused.
"""

from __future__ import annotations

import struct
import zlib
from functools import partial
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.number_format import grouped
from app.core.plain_text import plain
from app.core.points import LIMIT, MAX_CLASSES, Points
from app.files import documents, file_format
from app.files.documents import FileError, UnreadError
from app.state.document import NO_UNITS, ClassStyle, Document, GeneratorSettings, Lane
from app.state.split import IdSet
from solver.core.arrays import Array, Integers
from solver.data.datasets import DATASETS

from .packed_text import damaged, joined, packed, unpacked

#: Most points that are generated for a share text, in 0.01 s.
MOST_MADE = 50_000

_Mask = NDArray[np.bool_]


class Made(Struct, frozen=True, eq=False):
    """The generator's points in a document.

    Attributes
    ----------
    points : Points
        All points that the generator makes.
    kept : ndarray of shape (len(points),), bool
        Which of them are still in the document.
    own : ndarray of shape (n,), bool
        Which points of the document are not generated; the others are `points[kept]`, in that order.
    """

    points: Points
    kept: _Mask
    own: _Mask

    @property
    def checksum(self) -> int:
        """Return a checksum of the generator's points; another program, or version of numpy, may make others."""
        return zlib.crc32(np.rint(self.points.xy * 1e6).astype("<i8").tobytes() + self.points.labels.tobytes())

    def with_own(self, points: Points) -> Points:
        """Return the document's points, where `points` are those that are not generated."""
        xy, labels = np.empty((len(self.own), 2)), np.empty(len(self.own), np.uint8)
        xy[self.own], xy[~self.own] = points.xy, self.points.xy[self.kept]
        labels[self.own], labels[~self.own] = points.labels, self.points.labels[self.kept]
        return Points.of(xy, labels)


def made_by(settings: GeneratorSettings) -> Points | None:
    """Return the generator's points; None if there are none, or too many for a share text."""
    if settings.count * settings.n_classes > MOST_MADE:
        return None
    try:
        return settings.points()
    except ValueError:  # a document may have settings that no generator accepts
        return None


def generated_in(points: Points, settings: GeneratorSettings | None) -> Made | None:
    """Return which of `points` are, bit for bit, those of the generator; None if none are.

    A point that has been moved, relabelled or reordered is no longer the generator's.
    """
    made = None if settings is None or len(points) > MOST_MADE else made_by(settings)
    if made is None or not len(points):
        return None
    first, second = _rows(made), _rows(points)
    if np.array_equal(first, second):
        return Made(made, np.ones(len(made), bool), np.zeros(len(points), bool))
    _, codes = np.unique(np.concatenate((first, second)), return_inverse=True)
    theirs, ours = _numbered(codes[: len(first)]), _numbered(codes[len(first) :])
    _, index, partner = np.intersect1d(ours, theirs, return_indices=True)
    order = np.argsort(index)
    index, partner = index[order], partner[order]
    before = np.maximum.accumulate(np.concatenate(([-1], partner[:-1])))
    rising, kept, own = partner > before, np.zeros(len(made), bool), np.ones(len(points), bool)
    kept[partner[rising]], own[index[rising]] = True, False
    return Made(made, kept, own) if kept.any() else None


def _rows(points: Points) -> NDArray[np.void]:
    """Return each point as one value of its bits, so that only identical points are equal."""
    rows = np.column_stack((points.xy, points.labels.astype(np.float64))) + 0.0
    return np.ascontiguousarray(rows).view(np.dtype((np.void, 24)))[:, 0]


def _numbered(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each value combined with the number of its earlier occurrences, so that all are different."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=-1))
    occurred = np.arange(len(codes)) - np.repeat(begins, np.diff(begins, append=len(codes)))
    numbered = np.empty_like(codes)
    numbered[order] = ordered * (MOST_MADE + 1) + occurred
    return numbered


PREFIX = f"{file_format.FORMAT}:#"
#: Version 2 has the generator; documents without one are written in version 1, which older programs read.
VERSIONS = (1, 2)
#: Most points that are not generated: with more, the text is too long for a mail.
MOST_POINTS = 450
#: Most bytes before packing.
MOST_BYTES = 1_000_000
_TOP = 4095
_NAME = "The share text"
_damaged = partial(damaged, _NAME)
_HEAD, _BOX = struct.Struct("<3dH"), struct.Struct("<4d")
#: Entries of the map, in order.
_PLAIN = ("shown", "compared", "axes", "training_limit", "dates")
_LISTS: dict[str, Any] = {"lanes": Lane(), "styles": ClassStyle()}
_KEYS = (*_LISTS, *_PLAIN, "split", "ids", "ratio")
_GENERATORS = ("generator", "origin")


def encode(document: Document) -> str:
    """Return the text of `document`; raise a FileError with one sentence if it has too many points."""
    # Notes may be long.  Written to a file and read once, because a whole number may become a fraction.
    bare = replace(_without_points(document), notes="", scaling=None, units=NO_UNITS, attached=())
    bare = documents.decode(documents.encode(bare))
    split, made = replace(bare.split, painted=document.split.painted), generated_in(document.points, document.origin)
    _check_size(document, made)
    return PREFIX + packed(_body(replace(bare, points=document.points, split=split), made))


def decode(text: str) -> Document:
    """Return the document in `text`, ignoring spaces and line ends; raise a FileError with a sentence if damaged."""
    body = joined(text, _NAME)
    if not body.startswith(PREFIX):
        raise FileError(f"{_NAME} does not begin with {PREFIX}.")
    data = unpacked(body.removeprefix(PREFIX), _NAME, MOST_BYTES)
    if len(data) < 5 + _HEAD.size:
        raise _damaged("it ends too early or too late")
    if data[0] not in VERSIONS:
        versions = " and ".join(map(str, VERSIONS))
        raise UnreadError(f"{_NAME} is of version {data[0]}; this program reads versions {versions}.")
    if zlib.crc32(data[5:]) != int.from_bytes(data[1:5], "little"):
        raise _damaged("its checksum is wrong")
    document, made = _shared(data[5:], data[0])
    if _body(document, made) != data:
        raise _damaged("no program writes it like this")
    return document


def moves(document: Document) -> tuple[float, float]:
    """Return the largest rounding of a point's x and y by sharing."""
    xy = _sent(document.points, generated_in(document.points, document.origin)).xy
    if not len(xy):
        return 0.0, 0.0
    x, y = (float(np.abs(_values(*_levels(xy[:, axis])) - xy[:, axis]).max()) for axis in (0, 1))
    return x, y


# -- bytes and document --------------------------------------------------------------------------------------------


def _check_size(document: Document, made: Made | None) -> None:
    """Raise a FileError with one sentence if the text would have too many points."""
    if (n := len(_sent(document.points, made))) > MOST_POINTS:
        those, points = ("", "points") if made is None else (" beside those of the generator", "of them")
        raise FileError(
            f"{_NAME} holds at most {MOST_POINTS} points{those}; this document has {grouped(n)} {points}, so save a"
            " file."
        )


def _sent(points: Points, made: Made | None) -> Points:
    return points if made is None else points.chosen(made.own)


def _body(document: Document, made: Made | None) -> bytes:
    points, view = _sent(document.points, made), document.view
    body = _HEAD.pack(view.x, view.y, view.span, len(points))
    if len(points):
        columns = [_levels(points.xy[:, axis]) for axis in (0, 1)]
        body += _BOX.pack(*(end for column in columns for end in column[1:]))
        levels = np.column_stack([column[0] for column in columns]).ravel()
        body += _in_bits(levels, 12) + _class_bits(points.labels)
    scales = {"ratio": view.ratio} if view.owns_scales else {}
    rest = _differing(document) | _generators(document, made) | scales
    body += msgspec.msgpack.encode(rest)
    version = 2 if any(name in rest for name in _GENERATORS) else 1
    return bytes([version]) + zlib.crc32(body).to_bytes(4, "little") + body


def _shared(body: bytes, version: int) -> tuple[Document, Made | None]:
    *view, n_points = _HEAD.unpack_from(body)
    if n_points > MOST_POINTS:
        raise FileError(f"{_NAME} has {grouped(n_points)} points; there may be {MOST_POINTS}.")
    at, points = _HEAD.size, Points()
    if n_points:
        if len(body) < at + _BOX.size + 3 * n_points + 1:
            raise _damaged("points are missing")
        left, right, low, high = _BOX.unpack_from(body, at)
        if not (-LIMIT <= left <= right <= LIMIT and -LIMIT <= low <= high <= LIMIT):
            raise FileError(f"{_NAME} cannot be used: its points are too far out.")
        at += _BOX.size
        x, y = _out_of_bits(body[at : at + 3 * n_points], 2 * n_points, 12).reshape(-1, 2).T
        at += 3 * n_points
        labels, at = _of_class_bits(body, at, n_points)
        points = Points.of(np.column_stack((_values(x, left, right), _values(y, low, high))), labels)
    try:
        rest = msgspec.msgpack.decode(body[at:], type=dict[str, Any])
        allowed = _KEYS if version == 1 else (*_KEYS, *_GENERATORS, "made")
        if unknown := set(rest) - set(allowed):
            raise FileError(f"{_NAME} cannot be used: it has the unknown part {min(unknown)!r}.")
        _complete_generators(rest)
        made = _made(dict(rest.pop("made")), rest.get("origin"), len(points)) if "made" in rest else None
        view += [rest.pop("ratio")] if "ratio" in rest else []
        shown = dict(zip(("x", "y", "span", "ratio"), view, strict=False))
        return _with_rest(shown, points, made, rest), made
    except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError, ValueError, OverflowError):
        raise _damaged("its settings cannot be read") from None


def _with_rest(view: dict[str, float], sent: Points, made: Made | None, rest: dict[str, Any]) -> Document:
    """Return the document of these points and the map `rest`, by way of its file, whose rules apply."""
    ids, split = rest.pop("ids", None), dict(rest.pop("split", {}))
    painted, all_points = split.pop("painted", b""), sent if made is None else made.with_own(sent)
    x, y = all_points.xy.T.tolist()
    points = {"x": x, "y": y, "class": (all_points.labels + 1).tolist()}
    if ids is not None:
        points["ids"] = ids
    file = _plain() | rest | {"view": view, "points": points, "split": split}
    # By JSON, which excludes NaN, bytes, and keys that are not strings.
    document = documents.decode(msgspec.json.encode(file), _NAME)
    if painted:
        if not isinstance(painted, bytes) or len(painted) != (len(document.points) + 7) // 8:
            raise FileError(f"{_NAME} names test points that are not among its points.")
        tested = IdSet(document.points.ids[_of_bits(painted, len(document.points))])
        document = replace(document, split=replace(document.split, painted=tested))
    return document


# -- points of the generator ---------------------------------------------------------------------------------------


def _generators(document: Document, made: Made | None) -> dict[str, Any]:
    """Return the map's entries on the generator: the origin as differences from a new one, the generator from that."""
    new, origin = GeneratorSettings(), document.origin
    found = dict[str, Any]()
    if document.generator != (origin or new):
        found["generator"] = _difference(msgspec.to_builtins(document.generator), msgspec.to_builtins(origin or new))
    if origin is not None:
        found["origin"] = _difference(msgspec.to_builtins(origin), msgspec.to_builtins(new))
    if made is not None:
        found["made"] = {"checksum": made.checksum}
        if not made.kept.all():
            found["made"]["kept"] = np.packbits(made.kept).tobytes()
        if made.own.any():
            found["made"]["sent"] = np.packbits(made.own).tobytes()
    return found


def _complete_generators(rest: dict[str, Any]) -> None:
    """Complete the generator's settings, as in a file."""
    before = msgspec.to_builtins(GeneratorSettings())
    for name in ("origin", "generator"):
        if name in rest or (name == "generator" and "origin" in rest):
            changes = dict(rest.get(name, {}))
            unknown = [f"“{plain(key[:40])}”" for key in changes.keys() - set(GeneratorSettings.__struct_fields__)]
            kind = changes.get("name", "moons")
            if isinstance(kind, str) and kind not in DATASETS:
                unknown.append(f"“{plain(kind[:40])}”")
            if unknown:
                raise UnreadError(f"{_NAME} has a generator with {min(unknown)}, which this program does not know.")
            before = rest[name] = before | changes


def _made(values: dict[str, Any], origin: Any, n_sent: int) -> Made:
    """Return the generated points described by the map."""
    try:
        points = made_by(msgspec.convert(origin, GeneratorSettings))
    except msgspec.ValidationError:
        points = None
    if points is None:
        raise FileError(f"{_NAME} cannot be used: there are no points of such a generator.")
    kept = _of_bits(values["kept"], len(points)) if "kept" in values else np.ones(len(points), bool)
    number = int(np.count_nonzero(kept)) + n_sent
    own = _of_bits(values["sent"], number) if "sent" in values else np.zeros(number, bool)
    if np.count_nonzero(own) != n_sent:
        raise _damaged("points are missing")
    made = Made(points, kept, own)
    if values.get("checksum") != made.checksum:
        raise FileError(f"{_NAME} cannot be used: the generator here makes other points; ask for a file instead.")
    return made


def _of_bits(bits: Any, number: int) -> NDArray[np.bool_]:
    """Return `number` bits; raise a ValueError if `bits` has another length."""
    if not isinstance(bits, bytes) or len(bits) != (number + 7) // 8:
        raise ValueError
    return np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=number).astype(bool)


# -- the map -------------------------------------------------------------------------------------------------------


def _plain() -> dict[str, Any]:
    """Return the file of a new document, as plain values."""
    return msgspec.json.decode(documents.encode(Document()), type=dict[str, Any])


def _differing(document: Document) -> dict[str, Any]:
    """Return the differences between the files of `document`, without its points, and of a new document."""
    file, plain = msgspec.json.decode(documents.encode(_without_points(document))), _plain()
    rest: dict[str, Any] = {}
    for name, default in _LISTS.items():
        if file[name] != plain[name]:
            values = msgspec.to_builtins(default)
            rest[name] = [_difference(each, values) for each in file[name]]
    rest |= {name: file[name] for name in _PLAIN if file.get(name) != plain.get(name)}
    split, ids = _difference(file["split"], plain["split"]), document.points.ids
    chosen = np.isin(ids, document.split.painted.ids)
    if chosen.any():
        split["painted"] = np.packbits(chosen).tobytes()
    if split:
        rest["split"] = split
    if len(ids) and (ids[0], ids[-1]) != (0, len(ids) - 1):
        rest["ids"] = file_format.runs_of(ids).tolist()
    return rest


def _without_points(document: Document) -> Document:
    """Return the document without points, which take most of the time for writing a file."""
    return replace(document, points=Points(), split=replace(document.split, painted=IdSet()))


def _difference(values: dict[str, Any], plain: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of `values` that differ from `plain`; nested maps by the same rule."""
    found = {}
    for name, value in values.items():
        before = plain.get(name)
        if isinstance(value, dict) and isinstance(before, dict):
            value, before = _difference(value, before), {}
        if name not in plain or value != before:
            found[name] = value
    return found


# -- numbers in few bits -------------------------------------------------------------------------------------------


def _levels(values: Array) -> tuple[Integers, float, float]:
    """Return the level of each value, 0 to 4095, and the lowest and the highest value."""
    low, high = float(values.min()) + 0.0, float(values.max()) + 0.0  # without the sign of a zero
    return np.rint((values - low) / (high - low or 1.0) * _TOP).astype(np.int64), low, high


def _values(levels: Integers, low: float, high: float) -> Array:
    """Return the values of levels; exact at both ends, so that the same levels result again."""
    values = np.clip(low + (high - low) * (levels / _TOP), low, high)
    values[levels == _TOP] = high
    return values


def _in_bits(numbers: Integers, bits: int) -> bytes:
    """Return whole numbers in `bits` bits each, the highest bit first; the last byte is filled with 0."""
    return np.packbits((numbers[:, None] >> np.arange(bits)[::-1] & 1).astype(np.uint8)).tobytes()


def _out_of_bits(data: bytes, number: int, bits: int) -> Integers:
    spread = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=bits * number).reshape(number, bits)
    return spread.astype(np.int64) @ (1 << np.arange(bits)[::-1])


def _class_bits(labels: np.ndarray) -> bytes:
    classes, indices = np.unique(labels, return_inverse=True)
    occurring = int((1 << classes.astype(np.int64)).sum())
    return bytes([occurring]) + _in_bits(indices, (len(classes) - 1).bit_length())


def _of_class_bits(body: bytes, at: int, n_points: int) -> tuple[Integers, int]:
    """Return the classes, 0 to 7, from byte `at` on, and the byte after them."""
    classes = np.flatnonzero(body[at] >> np.arange(MAX_CLASSES) & 1)
    bits = (max(len(classes), 1) - 1).bit_length()
    end = at + 1 + (bits * n_points + 7) // 8
    if not len(classes) or len(body) < end:
        raise _damaged("classes are missing")
    indices = _out_of_bits(body[at + 1 : end], n_points, bits)
    if indices.max() >= len(classes):
        raise _damaged("a point has no class")
    return classes[indices], end
