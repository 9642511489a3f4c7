"""Share text: a document as one text, for a mail or a chat.

It has the points at 12 bits, the generator that made them, classifiers, classes, test points and view.  Points that are
still the generator's, bit for bit, are not sent but made anew from its settings, so that nothing of them is rounded.

After `PREFIX` stands base64url, without padding, of what zlib makes of these bytes:

========  ==================================================================================================
1         version
4         CRC-32 of all that follows, little-endian, as are all numbers
24        view: x, y and span as doubles
2         number of points that are sent; where it is not 0:
32        lowest and highest x, lowest and highest y as doubles
3 each    every point in its order: x and y at 12 bits, 0 the lowest and 4095 the highest value
1         the classes that occur, class 1 the lowest bit
n bits    class of each point as its place among those, in as few bits as that takes, the last byte filled with 0
rest      msgpack map of what differs from a new document, by the names of a `*.playground` file
========  ==================================================================================================

In the map, classifiers and styles have only what differs from theirs; `painted` of the split is a bit for each point;
`ids` are there where they are not 0, 1, 2, ..., since test points, samples and folds are drawn by them.  Notes,
what the points were standardised by and what features keep are never in it.

Version 2 is written where the document has a generator other than that of a new one, or points of one.  Its map may
have `origin`, the settings that made the points, `generator`, those of the next points where they are others, and
`made`, where some points are those of `origin`: the checksum of all that it makes, and as bits, where it is not all and
none, which of them are `kept`, and which of the document's points are not among them (`sent`).

What is read is written out as the file that it stands for and read by the rules of files; and a text is refused that
this program would have written otherwise.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.number_format import grouped
from app.core.plain_text import plain
from app.core.points import LIMIT, MAX_CLASSES, Points
from app.files import documents, file_format
from app.files.documents import FileError, UnreadError
from app.state.document import NO_UNITS, ClassStyle, Document, GeneratorSettings, Lane
from app.state.test_split import IdSet
from solver.core.arrays import Array, Integers
from solver.data.datasets import DATASETS

from . import generated_points
from .generated_points import Made
from .packed_text import damaged, packed, unpacked

PREFIX = f"{file_format.FORMAT}:#"
#: The second has the generator; a document without one is written as older programs read it.
VERSIONS = (1, 2)
#: Longer texts than those of so many points that no generator made are nothing for a mail.
MOST_POINTS = 450
#: Of what is packed, and characters of a text.
MOST_BYTES = 1_000_000
MOST_CHARACTERS = 2_000_000
_TOP = 4095
_NAME = "The share text"
_HEAD, _BOX = struct.Struct("<3dH"), struct.Struct("<4d")
#: What the map may have, in its order.
_PLAIN = ("shown", "compared", "axes", "training_limit")
_LISTS: dict[str, Any] = {"lanes": Lane(), "styles": ClassStyle()}
_KEYS = (*_LISTS, *_PLAIN, "split", "ids")
_GENERATORS = ("generator", "origin")


def encode(document: Document) -> str:
    """The text of `document`; FileError with one sentence where it has too many points."""
    # Notes may be long.  Through the file once: a parameter may be a whole number here that is a fraction there.
    bare = replace(_without_points(document), notes="", scaling=None, units=NO_UNITS, attached=())
    bare = documents.decode(documents.encode(bare))
    split = replace(bare.split, painted=document.split.painted)
    made = generated_points.find(document.points, document.origin)
    _check_size(document, made)
    return PREFIX + packed(_body(replace(bare, points=document.points, split=split), made))


def decode(text: str) -> Document:
    """The document in `text`, in which spaces and line ends do not count; FileError with one sentence."""
    if len(text) > MOST_CHARACTERS:
        raise FileError(f"{_NAME} is longer than {grouped(MOST_CHARACTERS)} characters, so it was not read.")
    body = "".join(text.removeprefix("\ufeff").split())
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
    """By how much a point is moved at most in x and in y by being shared."""
    xy = _sent(document.points, generated_points.find(document.points, document.origin)).xy
    if not len(xy):
        return 0.0, 0.0
    x, y = (float(np.abs(_places(*_levels(xy[:, axis])) - xy[:, axis]).max()) for axis in (0, 1))
    return x, y


def _damaged(why: str) -> FileError:
    return damaged(_NAME, why)


# -- bytes and document --------------------------------------------------------------------------------------------


def _check_size(document: Document, made: Made | None) -> None:
    """FileError with one sentence where more points would have to be sent than a text holds."""
    n_points, n_sent = len(document.points), len(_sent(document.points, made))
    if n_sent > MOST_POINTS:
        those = "points" if made is None else "points beside those of the generator"
        points = f"{grouped(n_points)} points" if made is None else f"{grouped(n_sent)} of them"
        raise FileError(f"{_NAME} holds at most {MOST_POINTS} {those}; this document has {points}, so save a file.")


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
    rest = _differing(document) | _generators(document, made)
    body += msgspec.msgpack.encode(rest)
    version = 2 if any(name in rest for name in _GENERATORS) else 1
    return bytes([version]) + zlib.crc32(body).to_bytes(4, "little") + body


def _shared(body: bytes, version: int) -> tuple[Document, Made | None]:
    *view, n_points = _HEAD.unpack_from(body)
    if n_points > MOST_POINTS:
        raise FileError(f"{_NAME} has {grouped(n_points)} points; there may be {MOST_POINTS}.")
    at = _HEAD.size
    points = Points()
    if n_points:
        if len(body) < at + _BOX.size + 3 * n_points + 1:
            raise _damaged("points are missing")
        box = _BOX.unpack_from(body, at)
        if not (-LIMIT <= box[0] <= box[1] <= LIMIT and -LIMIT <= box[2] <= box[3] <= LIMIT):
            raise FileError(f"{_NAME} cannot be used: its points are too far out.")
        at += _BOX.size
        x, y = _out_of_bits(body[at : at + 3 * n_points], 2 * n_points, 12).reshape(-1, 2).T
        at += 3 * n_points
        labels, at = _of_class_bits(body, at, n_points)
        points = Points.of(np.column_stack((_places(x, *box[:2]), _places(y, *box[2:]))), labels)
    try:
        rest = msgspec.msgpack.decode(body[at:], type=dict[str, Any])
        allowed = _KEYS if version == 1 else (*_KEYS, *_GENERATORS, "made")
        if unknown := set(rest) - set(allowed):
            raise FileError(f"{_NAME} cannot be used: it has the unknown part {min(unknown)!r}.")
        _complete_generators(rest)
        made = _made(dict(rest.pop("made")), rest.get("origin"), len(points)) if "made" in rest else None
        return _with_rest(dict(zip(("x", "y", "span"), view, strict=True)), points, made, rest), made
    except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError, ValueError, OverflowError):
        raise _damaged("its settings cannot be read") from None


def _with_rest(view: dict[str, float], sent: Points, made: Made | None, rest: dict[str, Any]) -> Document:
    """The document of these points and the map `rest`, by way of its file: what no file may hold is refused."""
    ids, split = rest.pop("ids", None), dict(rest.pop("split", {}))
    painted, all_points = split.pop("painted", b""), sent if made is None else made.with_own(sent)
    x, y = all_points.xy.T.tolist()
    points = {"x": x, "y": y, "class": (all_points.labels + 1).tolist()}
    if ids is not None:
        points["ids"] = ids
    file = _plain() | rest | {"view": view, "points": points, "split": split}
    # As text, which has no word for what is not a number; JSON has no bytes either, nor keys that are no text.
    document = documents.decode(msgspec.json.encode(file), _NAME)
    if painted:
        if not isinstance(painted, bytes) or len(painted) != (len(document.points) + 7) // 8:
            raise FileError(f"{_NAME} names test points that are not among its points.")
        which = document.points.ids[_of_bits(painted, len(document.points))]
        document = replace(document, split=replace(document.split, painted=IdSet(which)))
    return document


# -- points of the generator ---------------------------------------------------------------------------------------


def _generators(document: Document, made: Made | None) -> dict[str, Any]:
    """What the map has of the generator, as differences: the origin from a new one, the generator from the origin."""
    new, origin = GeneratorSettings(), document.origin
    found: dict[str, Any] = {}
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
    """The generator's settings in full, as in a file."""
    before = msgspec.to_builtins(GeneratorSettings())
    for name in ("origin", "generator"):
        if name in rest or (name == "generator" and "origin" in rest):
            changes = dict(rest.get(name, {}))
            unknown, kind = [f"“{plain(key[:40])}”" for key in changes.keys() - before], changes.get("name", "moons")
            if isinstance(kind, str) and kind not in DATASETS:
                unknown.append(f"“{plain(kind[:40])}”")
            if unknown:
                raise UnreadError(f"{_NAME} has a generator with {min(unknown)}, which this program does not know.")
            before = rest[name] = before | changes


def _made(values: dict[str, Any], origin: Any, n_sent: int) -> Made:
    """The points of the generator that the map tells of."""
    try:
        points = generated_points.made_by(msgspec.convert(origin, GeneratorSettings))
    except msgspec.ValidationError:
        points = None
    if points is None:
        raise FileError(f"{_NAME} cannot be used: there are no points of such a generator.")
    kept = _of_bits(values["kept"], len(points)) if "kept" in values else np.ones(len(points), dtype=bool)
    number = int(np.count_nonzero(kept)) + n_sent
    own = _of_bits(values["sent"], number) if "sent" in values else np.zeros(number, dtype=bool)
    if np.count_nonzero(own) != n_sent:
        raise _damaged("points are missing")
    made = Made(points, kept, own)
    if values.get("checksum") != made.checksum:
        raise FileError(f"{_NAME} cannot be used: the generator here makes other points; ask for a file instead.")
    return made


def _of_bits(bits: Any, number: int) -> NDArray[np.bool_]:
    """So many bits; ValueError where `bits` are not as many bytes as these take."""
    if not isinstance(bits, bytes) or len(bits) != (number + 7) // 8:
        raise ValueError
    return np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=number).astype(bool)


# -- the map -------------------------------------------------------------------------------------------------------


def _plain() -> dict[str, Any]:
    """The file of a new document, as plain values."""
    return msgspec.json.decode(documents.encode(Document()), type=dict[str, Any])


def _differing(document: Document) -> dict[str, Any]:
    """What a file of `document` has beside its points that one of a new document has not."""
    file, plain = msgspec.json.decode(documents.encode(_without_points(document))), _plain()
    rest: dict[str, Any] = {}
    for name, default in _LISTS.items():
        if file[name] != plain[name]:
            values = msgspec.to_builtins(default)
            rest[name] = [_difference(each, values) for each in file[name]]
    rest |= {name: file[name] for name in _PLAIN if file[name] != plain[name]}
    split = _difference(file["split"], plain["split"])
    ids = document.points.ids
    chosen = np.isin(ids, document.split.painted.ids)
    if chosen.any():
        split["painted"] = np.packbits(chosen).tobytes()
    if split:
        rest["split"] = split
    if len(ids) and (ids[0], ids[-1]) != (0, len(ids) - 1):
        rest["ids"] = file_format.runs_of(ids).tolist()
    return rest


def _without_points(document: Document) -> Document:
    """The rest of the document: points take by far most of the time that a file takes."""
    return replace(document, points=Points(), split=replace(document.split, painted=IdSet()))


def _difference(values: dict[str, Any], plain: dict[str, Any]) -> dict[str, Any]:
    """Those of `values` that `plain` does not have, maps inside by the same rule."""
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
    """The level of each value, 0 to 4095, and the lowest and the highest of them."""
    low, high = float(values.min()) + 0.0, float(values.max()) + 0.0  # a zero without its sign
    return np.rint((values - low) / (high - low or 1.0) * _TOP).astype(np.int64), low, high


def _places(levels: Integers, low: float, high: float) -> Array:
    """What the levels stand for; the ends exactly, so that those places have the same levels again."""
    places = np.clip(low + (high - low) * (levels / _TOP), low, high)
    places[levels == _TOP] = high
    return places


def _in_bits(numbers: Integers, bits: int) -> bytes:
    """Whole numbers in so many bits each, the highest bit first; the last byte is filled with 0."""
    return np.packbits((numbers[:, None] >> np.arange(bits)[::-1] & 1).astype(np.uint8)).tobytes()


def _out_of_bits(data: bytes, number: int, bits: int) -> Integers:
    spread = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=bits * number).reshape(number, bits)
    return spread.astype(np.int64) @ (1 << np.arange(bits)[::-1])


def _class_bits(labels: np.ndarray) -> bytes:
    classes, places = np.unique(labels, return_inverse=True)
    occurring = int((1 << classes.astype(np.int64)).sum())
    return bytes([occurring]) + _in_bits(places, (len(classes) - 1).bit_length())


def _of_class_bits(body: bytes, at: int, n_points: int) -> tuple[Integers, int]:
    """The classes that begin `at` there, 0 to 7, and where they end."""
    classes = np.flatnonzero(body[at] >> np.arange(MAX_CLASSES) & 1)
    bits = (max(len(classes), 1) - 1).bit_length()
    end = at + 1 + (bits * n_points + 7) // 8
    if not len(classes) or len(body) < end:
        raise _damaged("classes are missing")
    places = _out_of_bits(body[at + 1 : end], n_points, bits)
    if places.max() >= len(classes):
        raise _damaged("a point has no class")
    return classes[places], end
