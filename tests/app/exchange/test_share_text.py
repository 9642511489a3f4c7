"""Share texts: what they contain, how far points are moved, and what is refused."""

from __future__ import annotations

import base64
import random
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import inspect
from msgspec.structs import replace

from app.core.points import LIMIT, Points
from app.exchange import opening, packed_text
from app.exchange.opening import Kind, is_share_text
from app.exchange.share_text import MOST_POINTS, PREFIX, decode, encode, moves
from app.files import documents, examples
from app.files.documents import FileError, UnreadError
from app.learners.knn import KnnSettings
from app.learners.online import PegasosSettings, PerceptronSettings
from app.learners.svm import SvmSettings
from app.learners.table import LEARNERS, NoSettings
from app.state.document import PLAIN_STYLES, ClassStyle, Document, GeneratorSettings, Lane, View, default_document
from app.state.scaling import Scaling
from app.state.split import KINDS, IdSet, Split
from solver.data.datasets import DATASETS
from tests.app.files.test_files import content

CARRIED = (
    "lanes", "shown", "view", "styles", "axes", "training_limit", "compared", "split", "generator", "origin",
)  # fmt: skip


# -- random documents ----------------------------------------------------------------------------------------------


def any_value(kind: Any, rng: random.Random) -> Any:
    """Return a value that a parameter of this type may have."""
    if isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.LiteralType):
        return rng.choice(kind.values)
    if isinstance(kind, inspect.BoolType):
        return rng.random() < 0.5
    if isinstance(kind, inspect.IntType):
        return rng.choice([kind.ge, kind.le, rng.randint(kind.ge, kind.le)])
    if isinstance(kind, inspect.FloatType):
        return rng.choice([float(kind.ge), float(kind.le), rng.uniform(kind.ge, kind.le)])
    if isinstance(kind, inspect.TupleType):
        return tuple(any_value(each, rng) for each in kind.item_types)
    raise AssertionError(f"a parameter of the new type {kind}")


fields_of = cache(lambda kind: inspect.type_info(kind).fields)


def any_settings(kind: Any, rng: random.Random) -> Any:
    """Return settings with some parameters at other values."""
    return kind(**{field.name: any_value(field.type, rng) for field in fields_of(kind) if rng.random() < 0.3})


def any_lane(rng: random.Random) -> Lane:
    lane = Lane(
        rng.choice(list(LEARNERS)),
        any_settings(KnnSettings, rng),
        any_settings(SvmSettings, rng),
        (rng.randrange(8), rng.randrange(8)),
        any_settings(PerceptronSettings, rng),
        any_settings(PegasosSettings, rng),
    )
    return lane.with_part("difference", NoSettings()) if rng.random() < 0.1 else lane


def any_document(seed: int) -> Document:
    rng, draw = random.Random(seed), np.random.default_rng(seed)
    n = rng.choice([0, 1, 2, 3, rng.randint(4, MOST_POINTS), MOST_POINTS])
    size, away = 10.0 ** rng.choice([-300, -9, -1, 0, 0, 1, 6, 14]), rng.choice([0.0, 0.0, 1.0, -1e9, 9e14])
    xy = np.clip(draw.normal(size=(n, 2)) * [size, size * rng.choice([0, 1e-3, 1])] + away, -LIMIT, LIMIT)
    classes = draw.permutation(8)[: rng.randint(1, 8)]
    points = Points.of(xy, classes[draw.integers(0, len(classes), n)])
    origin = rng.choice([None, None, GeneratorSettings(count=rng.randint(1, 300), seed=rng.randrange(99))])
    if origin is not None:
        made = origin.points()
        points = made.append(points.xy[:150], points.labels[:150]) if rng.random() < 0.5 else made
        points = points.chosen(draw.random(len(points)) < rng.choice([0.9, 2]))
        n = len(points)
    if rng.random() < 0.3 and n:
        points = Points.of(points.xy, points.labels, np.cumsum(draw.integers(1, rng.choice([2, 3, 2**43]), n)) - 1)
    lanes = tuple(any_lane(rng) for _ in range(rng.randint(1, 4)))
    lanes = rng.choice([Document().lanes, lanes])
    styles = [ClassStyle(rng.choice(["", "setosa", "ü" * 40]), rng.choice(["", "#12abef"])) for _ in range(8)]
    return Document(
        points=points,
        lanes=lanes,
        shown=rng.randint(1, len(lanes)),
        view=View(rng.uniform(-1e6, 1e6), -0.0, 10.0 ** rng.randint(-9, 15)) if seed % 2 else View.fitting(points),
        styles=rng.choice([PLAIN_STYLES, tuple(styles)]),
        axes=rng.choice([("", ""), ("petal width, cm", "長")]),
        training_limit=rng.choice([10_000, 10, 10_000_000]),
        compared=(rng.randrange(4), rng.randrange(4)),
        split=Split(
            rng.choice(KINDS),
            rng.choice([0.3, rng.uniform(0.05, 0.95)]),
            rng.choice([0, rng.randrange(2**31)]),
            IdSet(points.ids[draw.random(n) < rng.choice([0, 0.4])]),
        ),
        origin=origin,
        generator=rng.choice([GeneratorSettings(), GeneratorSettings("xor", noise=0.5, seed=rng.randrange(9))]),
    )


@pytest.mark.slow
def test_500_random_documents_come_back() -> None:
    for seed in range(500):
        document = any_document(seed)
        text = encode(document)
        assert is_share_text(text) and set(text.removeprefix(PREFIX)) <= set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        )
        again = decode(text)
        points, kept = document.points, again.points
        assert kept.labels.tolist() == points.labels.tolist() and kept.ids.tolist() == points.ids.tolist()
        for name in CARRIED:
            assert getattr(again, name) == getattr(document, name), (seed, name)
        assert again.test_points.ids.tolist() == document.test_points.ids.tolist()
        assert encode(again) == text, seed
        for axis in (0, 1) if len(points) else ():
            old, new = points.xy[:, axis], kept.xy[:, axis]
            assert (new.min(), new.max()) == (old.min(), old.max())
            # Half of a 4095th of the range, and the rounding error of adding to the lowest value.
            most = (old.max() - old.min()) / 4095 / 2 + 2 * np.spacing(np.abs(old).max())
            assert np.abs(new - old).max() <= most * (1 + 1e-9)
            assert moves(document)[axis] == np.abs(new - old).max()
        assert moves(again) == (0.0, 0.0)


# -- contents -------------------------------------------------------------------------------------------------------


def test_200_points_take_less_than_1100_characters() -> None:
    document = default_document()
    assert len(document.points) == 200 and len(encode(document)) < 1100


@pytest.mark.parametrize("example", examples.EXAMPLES, ids=lambda example: example.name)
def test_examples_come_back(example: examples.Example) -> None:
    document = examples.read(example)
    if len(document.points) > MOST_POINTS:
        pytest.skip("too many points")
    again = decode(encode(document))
    assert all(getattr(again, name) == getattr(document, name) for name in CARRIED)


def test_what_is_left_out() -> None:
    points = Points.of([(0.0, 0.0), (1.0, 1.0)], [0, 1])
    document = Document(points, notes="secret " * 1000, scaling=Scaling((0.0, 1.0), (2.0, 3.0)))
    again = decode(encode(document))
    assert encode(document) == encode(Document(points))
    assert (again.notes, again.scaling) == ("", None)


# -- the generator -------------------------------------------------------------------------------------------------

RINGS = GeneratorSettings("circle", 150, 0.05, seed=77, shift=0.02, flipped=0.1)
EVERY = [
    GeneratorSettings(name, 40, 0.1, 3, 0.1 * kind.has_shift, kind.n_classes[1], 0.05)
    for name, kind in DATASETS.items()
]


def generated(settings: GeneratorSettings) -> Document:
    points = settings.points()
    return Document(points, view=View.fitting(points), generator=settings, origin=settings)


@pytest.mark.parametrize("settings", [*EVERY, RINGS, GeneratorSettings(count=25_000)], ids=lambda each: each.name)
def test_points_of_the_generator_are_not_sent(settings: GeneratorSettings) -> None:
    document = generated(settings)
    text = encode(document)
    again = decode(text)
    assert len(text) < 260 and moves(document) == (0.0, 0.0) and encode(again) == text
    assert again.is_generated and again.points.same_as(document.points)
    assert (again.origin, again.generator) == (settings, settings)


def test_of_edited_points_only_those_are_sent() -> None:
    """One moved, one of another class, one removed, three added, two of them on top of others."""
    points = generated(RINGS).points
    xy, labels = points.xy.copy(), points.labels.copy()
    xy[7] += 0.25
    labels[9] = 5
    points = Points.of(xy, labels).append(np.vstack((xy[20:22], [(0.1, 0.2)])), [labels[20], labels[21], 2])
    points = points.chosen(points.ids != 30)
    document = replace(generated(RINGS), points=points, generator=GeneratorSettings("spirals"))
    text = encode(document)
    again = decode(text)
    assert len(text) < 600 and encode(again) == text and not again.is_generated
    assert (again.origin, again.generator) == (RINGS, GeneratorSettings("spirals"))
    assert again.points.ids.tolist() == points.ids.tolist() and again.points.labels.tolist() == points.labels.tolist()
    moved = (again.points.xy != points.xy).any(axis=1)
    assert set(points.ids[moved]) <= {7, 9, 300, 301, 302}
    assert np.abs(again.points.xy - points.xy).max(axis=0).tolist() == list(moves(document)) and moved.sum() > 0


def test_points_that_stand_on_top_of_others_in_another_order() -> None:
    """Without noise all points of a class are one; in whatever order they are, the text can be read."""
    settings = GeneratorSettings("blobs", 30, 0.0, n_classes=2)
    made = generated(settings)
    for seed in range(20):
        order = np.random.default_rng(seed).integers(0, 60, 50)
        document = replace(made, points=Points.of(made.points.xy[order], made.points.labels[order]))
        again = decode(encode(document))
        assert again.points.same_as(document.points) and again.origin == settings


def test_a_generator_whose_points_were_removed_is_kept() -> None:
    mine = Points.of([(0.0, 0.0), (1.0, 1.0)], [0, 1])
    for document in (replace(generated(RINGS), points=mine), replace(generated(RINGS), points=Points())):
        again = decode(encode(document))
        assert again.origin == RINGS and again.points.same_as(document.points)
    assert decode(encode(Document(mine, generator=RINGS))).generator == RINGS


def test_more_edited_points_are_one_sentence() -> None:
    document = generated(GeneratorSettings(count=1000))
    document = replace(document, points=document.points.append(np.random.default_rng(0).normal(size=(451, 2)), 0))
    with pytest.raises(FileError, match="450 points beside those of the generator; this document has 451 of them, so"):
        encode(document)


def test_whole_numbers_where_fractions_are_meant() -> None:
    lane = msgspec.structs.replace(Lane(), svm=msgspec.structs.replace(SvmSettings(), C=3))
    assert decode(encode(Document(lanes=(lane, Lane())))).lanes[0].svm.C == 3.0


def test_hidden_classifiers_are_carried() -> None:
    lanes = (Lane("knn"), Lane("perceptron"), Lane("pegasos"), Lane("difference"))
    again = decode(encode(Document(lanes=lanes, shown=1, compared=(2, 1))))
    assert (again.lanes, again.shown, again.compared) == (lanes, 1, (2, 1))


def test_more_points_are_one_sentence() -> None:
    xy = np.random.default_rng(0).normal(size=(MOST_POINTS + 1, 2))
    assert len(decode(encode(Document(Points.of(xy[1:], 0)))).points) == MOST_POINTS
    with pytest.raises(
        FileError, match=r"^The share text holds at most 450 points; this document has 451 points, .*\.$"
    ):
        encode(Document(Points.of(xy, 0)))


def test_what_a_mail_does_to_it_does_not_matter() -> None:
    text = encode(default_document())
    wrapped = "\ufeff  " + "\r\n".join(text[at : at + 15] for at in range(0, len(text), 15)) + " \n\n"
    assert is_share_text(wrapped) and content(decode(wrapped)) == content(decode(text))


def test_a_file_may_hold_one(tmp_path: Path) -> None:
    path, text = tmp_path / "x.playground", encode(default_document())
    path.write_text(text + "\n", encoding="utf-8")
    contents = opening.read(path)
    assert content(contents.document) == content(decode(text)) and contents.kind is Kind.SHARE_TEXT
    assert contents.path is None and contents.on_disk is None, "saving there would put something else in its place"
    path.write_text(text[:-7], encoding="utf-8")
    with pytest.raises(FileError, match=r"^The share text is damaged"):
        opening.read(path)
    assert not is_share_text("1,2\n3,4") and not is_share_text("")
    assert is_share_text("classifier-playground:") and is_share_text(" classifier-playground: abc")


# -- refused texts --------------------------------------------------------------------------------------------------


def unpacked(text: str) -> bytes:
    """Return the bytes of a valid text after version and checksum."""
    body = text.removeprefix(PREFIX)
    return zlib.decompress(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))[5:]


def in_text(data: bytes) -> str:
    return PREFIX + base64.urlsafe_b64encode(data).decode().rstrip("=")


def packed(body: bytes, version: int = 1) -> str:
    """Return the text of these bytes, with the right checksum."""
    return in_text(zlib.compress(bytes([version]) + struct.pack("<I", zlib.crc32(body)) + body, 9))


def refusal(text: str) -> str:
    with pytest.raises(FileError) as caught:
        decode(text)
    report = str(caught.value)
    assert report.startswith("The share text ") and report.endswith(".") and "\n" not in report and len(report) < 400
    return report


SMALL = Document(
    Points.of([(0.0, 0.0), (1.0, 2.0), (3.0, 1.0)], [0, 1, 4], np.array([2, 3, 9])),
    lanes=(Lane("knn", KnnSettings(n_neighbors=3)), Lane("svm", svm=SvmSettings(C=2.5))),
    split=Split("painted", painted=IdSet([3])),
    styles=(ClassStyle("setosa", "#aabbcc"), *PLAIN_STYLES[1:]),
)
BODY = unpacked(encode(SMALL))
#: Offsets of the numbers of the view, that of the points, their box and the map.
VIEW, NUMBER, BOX, MAP = 0, 24, 26, 26 + 32 + 9 + 1 + 1
REST = msgspec.msgpack.decode(BODY[MAP:])


def with_rest(**changes: Any) -> str:
    return packed(BODY[:MAP] + msgspec.msgpack.encode(REST | changes))


def put(at: int, kind: str, *values: float) -> str:
    return packed(BODY[:at] + struct.pack(kind, *values) + BODY[at + struct.calcsize(kind) :])


MADE_BODY = unpacked(encode(generated(RINGS)))
MADE = msgspec.msgpack.decode(MADE_BODY[26:])["made"]


def of_generator(**changes: Any) -> str:
    """Return a text of generated points with other entries in its map."""
    rest = msgspec.msgpack.decode(MADE_BODY[26:])
    return packed(MADE_BODY[:26] + msgspec.msgpack.encode(rest | changes), 2)


NAN, INF = float("nan"), float("inf")
RAW = zlib.compressobj(zdict=b"classifier")
DICTIONARY = RAW.compress(b"\1" + struct.pack("<I", zlib.crc32(BODY)) + BODY) + RAW.flush()
SOUND = base64.urlsafe_b64decode(encode(SMALL).removeprefix(PREFIX) + "==")
BAD: dict[str, tuple[Callable[[], str], str]] = {
    "nothing behind the prefix": (lambda: PREFIX, "damaged"),
    "no prefix": (lambda: "moons", "does not begin"),
    "not base64url": (lambda: encode(SMALL) + "+", "characters"),
    "padded": (lambda: encode(SMALL) + "=", "characters"),
    "not ASCII": (lambda: encode(SMALL) + "ü", "characters"),
    "half a character": (lambda: encode(SMALL) + "\ud800", "characters"),
    "bits that are not used": (lambda: PREFIX + "AB", "characters"),
    "behind the end": (lambda: in_text(SOUND + b"x"), "too late"),
    "two of them": (lambda: in_text(SOUND * 2), "too late"),
    "cut": (lambda: in_text(SOUND[:-1]), "too early"),
    "an agreed dictionary": (lambda: in_text(DICTIONARY), "unpack"),
    "too long": (lambda: PREFIX + "A" * 2_000_000, "longer than"),
    "wrong checksum": (lambda: in_text(zlib.compress(b"\1abcd" + BODY)), "checksum"),
    "a newer version": (lambda: packed(b"anything at all" * 9, 3), "version 3; this program reads versions 1 and 2"),
    "version 0": (lambda: packed(BODY, 0), "version 0"),
    "empty": (lambda: packed(b""), "too early"),
    "view of nothing": (lambda: put(VIEW, "<d", NAN), "view, x: "),
    "view of infinity": (lambda: put(VIEW + 16, "<d", INF), "view, span: "),
    "view too far out": (lambda: put(VIEW, "<d", 1e16), "view, x: "),
    "too many points": (lambda: put(NUMBER, "<H", 451), "has 451 points"),
    "more points than there are": (lambda: put(NUMBER, "<H", 400), "points are missing"),
    "points of no number": (lambda: put(BOX, "<d", NAN), "too far out"),
    "points too far out": (lambda: put(BOX + 8, "<d", 1e16), "too far out"),
    "upside down": (lambda: put(BOX, "<2d", 3.0, 0.0), "too far out"),
    "nothing at the edge of the box": (lambda: put(BOX + 32 + 6, "<B", 0xFE), "no program"),
    "a zero with a sign": (lambda: put(BOX, "<d", -0.0), "no program"),
    "a class of no point": (lambda: put(MAP - 2, "<B", 0b11011), "no program"),
    "no class": (lambda: put(MAP - 2, "<B", 0), "classes are missing"),
    "one class, and points of others": (lambda: put(MAP - 2, "<B", 0b00011), "damaged"),
    "behind the map": (lambda: packed(BODY + b"\0"), "settings"),
    "no map": (lambda: packed(BODY[:MAP]), "settings"),
    "a list for a map": (lambda: packed(BODY[:MAP] + b"\x90"), "settings"),
    "the map written otherwise": (
        lambda: packed(BODY[:MAP] + b"\xdf\0\0\0" + bytes([BODY[MAP] & 15]) + BODY[MAP + 1 :]),
        "no p",
    ),
    "nested deeply": (lambda: packed(BODY[:MAP] + b"\x81\xa5lanes" + b"\x91" * 9000), "settings"),
    "notes": (lambda: with_rest(notes="secret"), "'notes'"),
    "a generator": (lambda: with_rest(generator={}), "'generator'"),
    "an origin": (lambda: with_rest(origin={}), "'origin'"),
    "no generator in a text of version 2": (lambda: packed(BODY, 2), "no program"),
    "an unknown data set": (lambda: of_generator(origin={"name": "swiss roll"}), "with “swiss roll”, which"),
    "the next of an unknown one": (lambda: of_generator(generator={"name": "dunes"}), "with “dunes”, which"),
    "a data set that is no word": (lambda: of_generator(origin={"name": 7}), "no points of such"),
    "an impossible generator": (lambda: of_generator(origin={"count": 0}), "no points of such"),
    "a generator with more": (lambda: of_generator(origin={"power": 2}), "with “power”, which"),
    "a generator of noise": (lambda: of_generator(origin={"noise": NAN}), "no points of such"),
    "a generator that is none": (lambda: of_generator(origin=7), "settings"),
    "default of a generator": (lambda: of_generator(generator={}), "no program"),
    "a million points": (lambda: of_generator(origin={"name": "blobs", "count": 50_000, "n_classes": 8}), "no points"),
    "classes that there are not": (lambda: of_generator(origin={"n_classes": 3}), "no points"),
    "the next generator is impossible": (lambda: of_generator(generator={"count": 0}), "generator, count: "),
    "made by nothing": (
        lambda: packed(BODY[:MAP] + msgspec.msgpack.encode(REST | {"made": {}}), 2),
        "no points of such",
    ),
    "other points": (lambda: of_generator(origin={"name": "moons"}), "makes other points"),
    "no checksum": (lambda: of_generator(made={}), "makes other points"),
    "made is no map": (lambda: of_generator(made=7), "settings"),
    "too few bits": (lambda: of_generator(made=MADE | {"kept": b"x"}), "settings"),
    "bits that are a number": (lambda: of_generator(made=MADE | {"sent": 7}), "settings"),
    "fewer are sent": (lambda: of_generator(made=MADE | {"sent": bytes([255]) * 38}), "points are missing"),
    "points in the map": (lambda: with_rest(points={}), "'points'"),
    "a default": (lambda: with_rest(training_limit=10_000), "no program"),
    "default of a parameter": (lambda: with_rest(lanes=[{"classifier": "knn"}, {"classifier": "svm"}]), "no program"),
    "more shown than there are": (lambda: with_rest(shown=3), "shows 3 classifiers"),
    "none shown": (lambda: with_rest(shown=0), "shown"),
    "no classifiers": (lambda: with_rest(lanes=[]), "lanes"),
    "five classifiers": (lambda: with_rest(lanes=[{}] * 5), "lanes"),
    "no such classifier": (lambda: with_rest(lanes=[{"classifier": "jungle"}]), "no classifier"),
    "no such parameter": (lambda: with_rest(lanes=[{"knn": {"q": 1}}]), "which this program does not know"),
    "a parameter out of range": (lambda: with_rest(lanes=[{"svm": {"C": -1.0}}]), "svm, C: a number"),
    "a parameter of no number": (lambda: with_rest(lanes=[{"svm": {"C": NAN}}]), "svm, C: a number"),
    "an infinite parameter": (lambda: with_rest(lanes=[{"svm": {"coef0": INF}}]), "svm, coef0: a number"),
    "seven styles": (lambda: with_rest(styles=[{}] * 7), "styles"),
    "a colour that is none": (lambda: with_rest(styles=[{"colour": "red"}] * 8), "colour"),
    "a name that is too long": (lambda: with_rest(styles=[{"name": "x" * 41}] * 8), "name"),
    "three axes": (lambda: with_rest(axes=["", "", "z"]), "axes"),
    "bytes for a text": (lambda: with_rest(axes=[b"x", "y"]), "no program"),
    "a date": (lambda: packed(BODY[:MAP] + b"\x81\xa4axes\xd6\xff\0\0\0\0"), "axes"),
    "something unheard of": (lambda: packed(BODY[:MAP] + b"\x81\xa4axes\xd4\1\0"), "settings"),
    "no such split": (lambda: with_rest(split={"kind": "folds"}), "split, kind: “folds” is not"),
    "a share of nothing": (lambda: with_rest(split={"ratio": 0.0}), "split, ratio: a number"),
    "a split that is none": (lambda: with_rest(split=7), "settings"),
    "test points that are not there": (
        lambda: with_rest(split={"kind": "painted", "painted": b"\xff\xff"}),
        "test points",
    ),
    "test points behind the last": (lambda: with_rest(split={"kind": "painted", "painted": b"\x41"}), "no program"),
    "test points by number": (lambda: with_rest(split={"kind": "painted", "painted": [[3, 1]]}), "test points"),
    "ids that descend": (lambda: with_rest(ids=[[9, 1], [2, 2]]), "ids"),
    "too few ids": (lambda: with_rest(ids=[[2, 2]]), "ids"),
    "ids below zero": (lambda: with_rest(ids=[[-1, 3]]), "ids"),
    "huge ids": (lambda: with_rest(ids=[[2**64 - 1, 3]]), "ids"),
    "runs in pieces": (lambda: with_rest(ids=[[2, 1], [3, 1], [9, 1]]), "no program"),
    "no ids": (lambda: with_rest(ids=None), "no program"),
    "a step of a lesson": (lambda: with_rest(step=1), "it has the unknown part 'step'"),
}


def test_the_offsets_in_the_small_text() -> None:
    assert set(REST) == {"lanes", "styles", "split", "ids"} and content(decode(packed(BODY))) == content(
        decode(encode(SMALL))
    )


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name: str) -> None:
    make, report = BAD[name]
    assert report in refusal(make())


def test_a_key_twice_is_refused() -> None:
    twice = (
        bytes([BODY[MAP] + 1]) + BODY[MAP + 1 :] + msgspec.msgpack.encode("ids") + msgspec.msgpack.encode(REST["ids"])
    )
    assert "no program" in refusal(packed(BODY[:MAP] + twice))


def test_what_a_newer_program_wrote_may_be_sound() -> None:
    with pytest.raises(UnreadError):
        decode(packed(BODY, 3))


def mutated(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Return `data` after one to three accidents: a bit flipped, a part removed, doubled, or spliced in from
    `other`.
    """
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        start = rng.randrange(len(out) + 1)
        end = min(len(out), start + rng.choice([1, 2, 8, 50, len(out)]))
        what = rng.randrange(5)
        if what == 0 and start < len(out):
            out[start] ^= 1 << rng.randrange(8)
        elif what == 1:
            del out[start:end]
        elif what == 2:
            out[start:start] = out[start:end]
        elif what == 3:
            begin = rng.randrange(len(other))
            out[start:end] = other[begin : begin + rng.choice([1, 4, 30, len(other)])]
        else:
            out[start:end] = rng.randbytes(min(end - start, 40))
    return bytes(out)


def test_2000_damaged_texts_are_a_sentence_each(seed: int) -> None:
    rng = random.Random(seed)
    texts = [encode(any_document(each)) for each in range(40)]
    for _ in range(1000):
        text, other = rng.choice(texts), rng.choice(texts)
        damaged = mutated(text.encode(), rng, other.encode()).decode("latin-1")
        try:
            document = decode(damaged)
        except FileError:
            refusal(damaged)
        else:  # only white space, or bits after the last byte, differ
            assert encode(document) in texts
    refused = 0
    while refused < 1000:
        text = packed(mutated(unpacked(rng.choice(texts)), rng, unpacked(rng.choice(texts))))
        try:
            document = decode(text)
        except FileError:
            refusal(text)
            refused += 1
        else:  # a consistent text is another document, as valid as any
            assert encode(document) == text
            assert content(documents.decode(documents.encode(document))) == content(document)


def bomb(n: int) -> bytes:
    """Return a text that inflates to `n` million zeros: the first million and its repetitions."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    million = deflate.compress(bytes(10**6)) + deflate.flush(zlib.Z_FULL_FLUSH)
    last = deflate.flush()
    return b"\x78\xda" + million * n + last + struct.pack(">I", (n * 10**6 % 65521) << 16 | 1)


def test_what_inflates_to_1_gb_is_not_inflated() -> None:
    assert zlib.decompress(bomb(3)) == bytes(3 * 10**6)
    text = in_text(bomb(1000))
    assert len(text) < packed_text.MOST_CHARACTERS
    tracemalloc.start()
    assert "more than 1 MB" in refusal(text)
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()
    assert "more than 1 MB" in refusal(in_text(zlib.compress(bytes(10**6 + 1))))
    assert "version 0" in refusal(in_text(zlib.compress(bytes(10**6))))
