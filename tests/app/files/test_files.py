"""Files: a written document can be read again, other content is one sentence, and a save never harms the old file."""

from __future__ import annotations

import errno
import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from app.controllers.controller import Controller
from app.core.points import LIMIT, Points
from app.files import documents, file_format, locks
from app.files.documents import FileError
from app.learners.svm import TRAINERS as SVM_TRAINERS
from app.state.document import (
    ClassStyle,
    Document,
    GeneratorSettings,
    KnnSettings,
    Lane,
    PegasosSettings,
    PerceptronSettings,
    SvmSettings,
    View,
    default_document,
)
from app.state.session import Session
from app.state.split import KINDS, IdSet, Split
from app.state.store import Store
from solver import RULES, SCHEMES
from tests import playground_files
from tests.app import file_work
from tests.examples import examples

ROOT = Path(__file__).parents[3]
FIXTURES = Path(__file__).parent / "fixtures"
COORDINATE = st.floats(-LIMIT, LIMIT)
SEED = st.integers(0, 2**31 - 1)
LANE = st.builds(
    Lane,
    st.sampled_from(["knn", "svm", "perceptron", "pegasos"]),
    st.builds(
        KnnSettings,
        st.integers(1, 9999),
        st.sampled_from(["uniform", "distance", "distance-squared"]),
        st.sampled_from(["euclidean", "manhattan", "chebyshev", "minkowski", "cosine"]),
        st.floats(1, 100),
    ),
    st.builds(
        SvmSettings,
        st.sampled_from(["linear", "poly", "rbf", "laplacian", "sigmoid"]),
        st.floats(1e-8, 1e8),
        st.booleans(),
        st.floats(1e-8, 1e8),
        st.integers(1, 9),
        st.floats(-1e6, 1e6),
        st.floats(1e-9, 1.0),
        st.sampled_from(list(RULES)),
        st.sampled_from(list(SCHEMES)),
        st.sampled_from(["equal", "balanced", "own"]),
        st.tuples(*[st.floats(0.01, 100.0)] * 8),
        st.sampled_from(list(SVM_TRAINERS)),
        st.sampled_from(["first-order", "second-order"]),
        st.integers(1, 100),
        st.booleans(),
        st.sampled_from(["barzilai-borwein", "constant"]),
        st.booleans(),
    ),
    st.tuples(st.integers(0, 7), st.integers(0, 7)),
    st.builds(PerceptronSettings, st.booleans(), st.booleans(), SEED, st.integers(1, 1_000_000), st.integers(0, 100)),
    st.builds(PegasosSettings, st.floats(1e-8, 1e4), st.integers(1, 10_000_000), SEED),
)


def points_of(rows: list[tuple[float, float, int]], removed: set[int]) -> Points:
    points = Points.of([row[:2] for row in rows], [row[2] for row in rows])
    return points.remove([index for index in sorted(removed) if index < len(points)])


def document_of(rows: list[Any], removed: set[int], split: Split, painted: set[int], **rest: Any) -> Document:
    points = points_of(rows, removed)
    there = IdSet([point for point in painted if point in points.ids])
    lanes, shown = rest["lanes"]
    rest = rest | {"lanes": lanes, "shown": min(shown, len(lanes)), "split": replace(split, painted=there)}
    return Document(points, **rest)


DOCUMENT = st.builds(
    document_of,
    st.lists(st.tuples(COORDINATE, COORDINATE, st.integers(0, 7)), max_size=20),
    st.sets(st.integers(0, 19), max_size=5),
    st.builds(Split, st.sampled_from(KINDS), st.floats(0.05, 0.95), SEED),
    st.sets(st.integers(0, 19)),
    lanes=st.tuples(st.lists(LANE, min_size=1, max_size=4).map(tuple), st.integers(1, 4)),
    generator=st.builds(
        GeneratorSettings,
        st.sampled_from(["line", "circle", "moons", "blobs", "chessboard"]),
        st.integers(1, 50_000),
        st.floats(0, 10),
        SEED,
        st.floats(-1, 1),
        st.integers(2, 8),
    ),
    view=st.builds(View, COORDINATE, COORDINATE, st.floats(1e-9, 4 * LIMIT)),
    styles=st.tuples(*[st.builds(ClassStyle, st.text(max_size=40), st.sampled_from(["", "#12ab90"]))] * 8),
    axes=st.tuples(st.text(max_size=60), st.text(max_size=60)),
    notes=st.text(max_size=200),
    training_limit=st.integers(10, 10_000_000),
    compared=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)


def content(document: Document) -> tuple[Any, ...]:
    """Return everything of a document, to be compared; zeros with their signs."""
    p = document.points
    rest = tuple(getattr(document, field.name) for field in fields(document) if field.name != "points")
    return p.xy.tobytes(), p.labels.tolist(), p.ids.tolist(), *rest


def refusal(data: bytes) -> str:
    """Return the sentence about `data`."""
    with pytest.raises(FileError) as caught:
        documents.decode(data, "drawing.playground")
    return check(caught.value, "drawing.playground")


def check(error: FileError, name: str) -> str:
    text = str(error)
    assert text.startswith(name) and text.endswith(".") and "\n" not in text and len(text) < 400
    return text


def round_trip(document: Document) -> None:
    data = documents.encode(document)
    again = documents.decode(data)
    assert content(again) == content(document)
    assert documents.encode(again) == data


@given(DOCUMENT)
@examples(100)
@example(Document())
@example(default_document())
def test_what_is_written_comes_back(document: Document) -> None:
    round_trip(document)


@pytest.mark.soak
@given(DOCUMENT)
@examples(5000)
def test_what_is_written_comes_back_many_times(document: Document) -> None:
    round_trip(document)


def test_a_file_is_readable_json(tmp_path: Path) -> None:
    path = tmp_path / "a b ü.playground"
    playground_files.write(default_document(), path)
    plain = json.loads(path.read_text(encoding="utf-8"))
    assert (plain["format"], plain["version"]) == ("classifier-playground", 3)
    assert set(plain["points"]) == {"x", "y", "class"} and set(plain["points"]["class"]) == {1, 2}
    assert content(playground_files.read(path)) == content(default_document())
    (tmp_path / "plain").touch()
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode, "as any other program's file"


SOUND = documents.encode(Document(Points.of([(0.5, -1.25), (3.0, 4.0), (0.0, 0.0)], [0, 1, 7])))


def changed(**parts: Any) -> bytes:
    """Return the valid file with other values at paths such as ``points__x``."""
    data = json.loads(SOUND)
    for path, value in parts.items():
        at = data
        *way, last = path.split("__")
        for key in way:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[last] = value
    return json.dumps(data).encode()


@pytest.mark.parametrize("data", [SOUND, documents.encode(default_document())], ids=["three points", "moons"])
def test_truncated_files(data: bytes) -> None:
    for end in range(0, len(data) - 2, 64):
        refusal(data[:end])


def flip_bits(times: int) -> None:
    rng = random.Random(times)
    survived = 0
    for _ in range(times):
        damaged = bytearray(SOUND)
        for _ in range(rng.choice([1, 1, 4])):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        try:
            document = documents.decode(bytes(damaged), "drawing.playground")
        except FileError as error:
            check(error, "drawing.playground")
        else:  # another digit is another document, and a valid one
            survived += 1
            assert content(documents.decode(documents.encode(document))) == content(document)
            assert np.isfinite(document.points.xy).all() and document.points.labels.max() < 8
    assert survived < times / 2


def test_flipped_bits() -> None:
    flip_bits(2000)


@pytest.mark.soak
def test_flipped_bits_many_times() -> None:
    flip_bits(200_000)


@given(st.binary(max_size=300))
@examples(200)
def test_noise(data: bytes) -> None:
    refusal(data)


DEEP = 100_000
BAD: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n",
    "deep list": b"[" * DEEP,
    "deep closed list": b"[" * DEEP + b"]" * DEEP,
    "deep object": b'{"a":' * DEEP,
    "deep unknown field": SOUND.rstrip()[:-1] + b',"more":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "a list": b"[]",
    "a number": b"3",
    "null": b"null",
    "nul bytes": bytes(1000),
    "latin 1": SOUND.replace(b"rbf", b"rb\xe9"),
    "two documents": SOUND + SOUND,
    "a pickle": pickle.dumps({"format": "classifier-playground", "version": 1}),
    "NaN": SOUND.replace(b"-1.25", b"NaN"),
    "1e999": SOUND.replace(b"-1.25", b"1e999"),
    "Infinity": SOUND.replace(b"-1.25", b"-Infinity"),
    "too far": changed(points__x=[1e16, 0, 0]),
    "text for a number": changed(points__x=["1", 0, 0]),
    "null for a number": changed(points__x=[None, 0, 0]),
    "true for a number": changed(points__x=[True, 0, 0]),
    "number for a list": changed(points__x=3),
    "class 0": changed(points__class=[0, 1, 2]),
    "class 9": changed(points__class=[1, 9, 2]),
    "class 1.5": changed(points__class=[1, 1.5, 2]),
    "unequal lists": changed(points__x=[1.0, 2.0]),
    "unknown field": changed(surprise=1),
    "unknown field of great length": changed(**{"x" * 10_000: 1}),
    "unknown field of two lines": changed(**{"x\ny": 1}),
    "unknown field of points": changed(points__z=[1]),
    "unknown field of a lane": changed(lanes__0__svm__nu=0.5),
    "unknown kernel": changed(lanes__1__svm__kernel="wavelet"),
    "unknown kernel of great length": changed(lanes__1__svm__kernel="w" * 10_000),
    "C of 0": changed(lanes__1__svm__C=0.0),
    "unknown scheme": changed(lanes__1__svm__multiclass="all-pairs"),
    "unknown rule": changed(lanes__1__svm__selection="wss2"),
    "unknown class weights": changed(lanes__0__svm__class_weight="heavy"),
    "weight of 0": changed(lanes__0__svm__own_weights=[0.0] + [1.0] * 7),
    "weight of 1000": changed(lanes__0__svm__own_weights=[1.0] * 7 + [1000.0]),
    "seven weights": changed(lanes__0__svm__own_weights=[1.0] * 7),
    "weights by name": changed(lanes__0__svm__own_weights={"1": 1.0}),
    "unknown classifier": changed(lanes__0__classifier="shrub"),
    "unknown trainer": changed(lanes__0__svm__trainer="perceptron"),
    "unknown partner": changed(lanes__0__svm__partner="platt"),
    "no epochs": changed(lanes__0__svm__n_epochs=0),
    "perhaps finish": changed(lanes__0__svm__finish="perhaps"),
    "steps of no length": changed(lanes__0__svm__step_size=0.0),
    "too many passes": changed(lanes__0__perceptron__max_iter=1_000_001),
    "orders below zero": changed(lanes__0__perceptron__orders=-1),
    "a seed below zero": changed(lanes__0__perceptron__random_state=-1),
    "lambda of 0": changed(lanes__1__pegasos__lam=0.0),
    "no steps": changed(lanes__1__pegasos__n_iter=0),
    "a kernel of Pegasos": changed(lanes__1__pegasos__kernel="rbf"),
    "no neighbours": changed(lanes__0__knn__n_neighbors=0),
    "no lane": changed(lanes=[]),
    "five lanes": changed(lanes=[{}] * 5),
    "three of two shown": changed(shown=3),
    "five shown": changed(shown=5),
    "none shown": changed(shown=0),
    "a fifth lane compared": changed(compared=[0, 4]),
    "one lane compared": changed(compared=[0]),
    "no split": changed(split=None),
    "unknown split": changed(split__kind="bootstrap"),
    "no share": changed(split__ratio=0.0),
    "everything for testing": changed(split__ratio=1.0),
    "a split's seed below zero": changed(split__seed=-1),
    "an unknown field of the split": changed(split__k=5),
    "test points that are not there": changed(split__painted=[[1, 3]]),
    "test points twice": changed(split__painted=[[0, 1], [0, 1]]),
    "test points without end": changed(split__painted=[[0, 2**53]]),
    "test points beyond integers": changed(split__painted=[[2**53, 2**53], [1, 2**53]]),
    "test points without a number": changed(split__painted=[[1, 0]]),
    "test points by name": changed(split__painted=["1"]),
    "view without extent": changed(view__span=0.0),
    "huge whole number": changed(generator__seed=10**400),
    "no points": changed(points=None),
    "text version": changed(version="1"),
    "other format": changed(format="x" * 10_000),
    "no ids of points": changed(points__ids=[[0, 2]]),
    "ids of too many points": changed(points__ids=[[0, 4]]),
    "ids twice": changed(points__ids=[[0, 2], [1, 1]]),
    "ids that descend": changed(points__ids=[[5, 2], [1, 1]]),
    "ids below zero": changed(points__ids=[[-1, 3]]),
    "ids of no run": changed(points__ids=[[0, 0], [0, 3]]),
    "ids without end": changed(points__ids=[[2**60, 3]]),
    "seven styles": changed(styles=[{}] * 7),
    "a long class name": changed(styles__0__name="n" * 41),
    "no colour": changed(styles__0__colour="red"),
    "one axis": changed(axes=["x"]),
    "notes of numbers": changed(notes=3),
    "notes without end": changed(notes="n" * 100_001),
    "training on nothing": changed(training_limit=0),
    "fields of version 3 in version 1": changed(version=1),
    "fields of version 3 in version 2": changed(version=2),
    "newer version": changed(version=7),
    "much newer version": SOUND.replace(b'"version":3', b'"version":1' + b"0" * 4000),
    "newest version": SOUND.replace(b'"version":3', b'"version":1' + b"0" * 5000),
    "older version": changed(version=0),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_one_sentence(name: str) -> None:
    text = refusal(BAD[name])
    if name == "newer version":
        assert text == "drawing.playground is of version 7, of a newer program; this program reads version 3."
    if name in ("empty", "blank"):
        assert text == "drawing.playground is empty."
    if name == "unequal lists":
        assert "2 x, 3 y and 3 class" in text


class Open:
    """A controller with an open, edited document, and its alerts."""

    def __init__(self) -> None:
        self.alerts: list[str] = []
        self.store = Store(default_document())
        self.user = Controller(self.store, Session(), lambda: None, lambda report: None)
        self.user.set_notes("not saved yet")
        self.before = (self.store.document, self.store.history, self.store.path, self.user.session, self.user.on_disk)

    def unharmed(self) -> bool:
        now = (self.store.document, self.store.history, self.store.path, self.user.session, self.user.on_disk)
        return self.store.modified and all(a is b or a == b for a, b in zip(self.before, now, strict=True))


def test_whatever_is_opened_leaves_the_document_alone(tmp_path: Path) -> None:
    path = tmp_path / "drawing.playground"
    moons = documents.encode(default_document())
    contents = [*BAD.values(), *(moons[:end] for end in range(0, len(moons) - 2, 64))]
    table = Open()
    for number, data in enumerate(contents, 1):
        path.write_bytes(data)
        assert not file_work.open_file(table.user, path, table.alerts.append)
        assert len(table.alerts) == number and table.unharmed()
        check(FileError(table.alerts[-1]), "drawing.playground")
        assert path.read_bytes() == data
    assert (
        not file_work.open_file(table.user, tmp_path)
        and not file_work.open_file(table.user, tmp_path / "missing")
        and table.unharmed()
    )


def test_more_than_200_megabytes_of_noise_are_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "noise.playground"
    with path.open("wb") as file:  # a hole, which takes no space
        file.truncate(200_000_001)
    table = Open()
    tracemalloc.start()
    assert not file_work.open_file(table.user, path, table.alerts.append) and table.unharmed()
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert table.alerts == ["noise.playground is larger than 200 MB, so it was not read."]


def test_files_from_before_there_were_other_trainers_still_open() -> None:
    data = json.loads(documents.encode(default_document()))
    for lane in data["lanes"]:
        del lane["perceptron"], lane["pegasos"]
        for name in ("trainer", "partner", "n_epochs", "finish", "step_size", "fit_intercept"):
            del lane["svm"][name]
    assert content(documents.decode(json.dumps(data).encode())) == content(default_document())
    assert default_document().lanes[1].learner == "smo"


def old_document() -> Document:
    """Return the content of a file of version 1."""
    xy = [
        (-0.801931, -1.324359),
        (-0.248362, 0.420445),
        (1.136047, 0.109706),
        (-0.552647, -0.78478),
        (0.748746, 1.634783),
        (0.272769, -1.233329),
        (-0.958265, 1.600019),
        (0.202882, -1.732135),
        (-0.083696, -1.163226),
        (-0.629288, -0.488006),
        (-0.713313, 0.553378),
        (-0.063086, -0.589431),
    ]
    weights = (0.5, 2.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    svm = SvmSettings("poly", 12.5, False, 0.25, 2, -1.0, 1e-4, "first-order", "one-vs-rest", "own", weights)
    lanes = (
        Lane("svm", KnnSettings(7, "distance", "minkowski", 2.5), svm, (1, 2)),
        Lane("knn", KnnSettings(3, "uniform", "cosine"), SvmSettings(hard_margin=True), (2, 2)),
    )
    generator = GeneratorSettings("blobs", 40, 0.5, 11, 0.0, 3)
    return Document(Points.of(xy, [0, 1, 2] * 4), lanes, 1, generator, View(0.25, -0.5, 3.75))


def new_document() -> Document:
    """Return the content of a file of version 2."""
    old = old_document()
    named = (ClassStyle("setosa", "#12ab90"), ClassStyle("virginica"), ClassStyle("", "#ff0000"))
    return replace(
        old,
        points=old.points.remove([3, 11]),
        styles=(*named, *(ClassStyle(),) * 5),
        axes=("length / cm", "β → 0"),
        notes="Two lines,\nof which the second has “quotes”, a \\ and 🌱.",
        training_limit=5000,
    )


def third_document() -> Document:
    """Return the document of version3.playground: more lanes, and points painted for testing."""
    new = new_document()
    return replace(
        new,
        lanes=(*new.lanes, Lane("knn", KnnSettings(1))),
        shown=3,
        compared=(2, 0),
        split=Split("painted", 0.25, 5, IdSet([0, 1, 5, 10])),
    )


def newest_document() -> Document:
    """Return the document of newest.playground."""
    new = new_document()
    svm = SvmSettings(
        trainer="lasvm", partner="first-order", n_epochs=3, finish=False, step_size="constant", fit_intercept=False
    )
    lanes = (
        Lane("perceptron", svm=svm, perceptron=PerceptronSettings(False, False, 7, 50, 20)),
        Lane("pegasos", pegasos=PegasosSettings(0.125, 5000, 3)),
    )
    return replace(new, lanes=lanes, split=Split("ratio", 0.4, 7))


def test_a_file_of_version_3_opens_as_what_it_was() -> None:
    assert content(playground_files.read(FIXTURES / "version3.playground")) == content(third_document())


def test_each_version_has_its_file_and_its_step() -> None:
    assert [*file_format.VERSIONS] == [3] and file_format.STEPS == {} and file_format.NEWEST == 3, (
        "a new version needs a file of the one before in ages, and a step from it"
    )


@pytest.mark.parametrize("version", [1, 2])
def test_a_version_before_the_first_release_is_refused_and_left_alone(version: int) -> None:
    path = FIXTURES / f"version{version}.playground"
    before = path.read_bytes()
    with pytest.raises(documents.UnreadError) as caught:
        playground_files.read(path)
    assert str(caught.value) == (
        f"{path.name} is of version {version}, of a program before the first release; this program reads version 3."
    )
    assert path.read_bytes() == before


def test_the_newest_version_is_written_as_it_was() -> None:
    """A change of what is written needs a new version, or a new file here."""
    written = (FIXTURES / "newest.playground").read_bytes()
    assert documents.encode(newest_document()) == written
    assert content(documents.decode(written)) == content(newest_document())


def test_what_trains_of_many_points_is_the_same_after_opening() -> None:
    points = GeneratorSettings("moons", 100).points().remove(range(0, 120, 7))
    document = replace(default_document(), points=points, training_limit=50)
    again = documents.decode(documents.encode(document))
    assert again.training_points.xy.tolist() == document.training_points.xy.tolist()


def test_many_points_come_back() -> None:
    rng = np.random.default_rng(0)
    document = Document(Points.of(rng.normal(size=(20_000, 2)), rng.integers(0, 8, 20_000)))
    round_trip(document)
    round_trip(replace(document, points=document.points.remove(np.arange(0, 20_000, 3))))


def test_half_a_character_is_no_obstacle() -> None:
    half = "\ud83c"
    styles = (ClassStyle(half), *(ClassStyle(),) * 7)
    again = documents.decode(
        documents.encode(replace(default_document(), notes=f"a{half}b", axes=(half, ""), styles=styles))
    )
    assert (again.notes, again.axes, again.styles[0].name) == ("a?b", ("?", ""), "?")


def test_the_longest_texts_come_back() -> None:
    """A limit counts characters, not bytes."""
    styles = (ClassStyle("🌱" * 40), *(ClassStyle(),) * 7)
    round_trip(replace(default_document(), notes="🌱" * 100_000, axes=("ü" * 60, "🌱" * 60), styles=styles))


def test_fingerprints_distinguish_contents(tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    assert documents.fingerprint(path) is None and documents.fingerprint(tmp_path) is None
    path.write_bytes(SOUND)
    known = documents.fingerprint(path)
    assert known is not None and known == documents.Fingerprint.of(SOUND) and not documents.differs(path, known)
    for other, different in ((SOUND[:-1] + b" ", True), (SOUND + b"\n", True), (SOUND, False)):
        path.write_bytes(other)
        assert documents.differs(path, known) is different
    path.unlink()
    assert not documents.differs(path, known)
    path.mkdir()
    assert not documents.differs(path, known)


def test_newer_versions_may_have_any_other_fields() -> None:
    assert "version 7" in refusal(b'{"format": "classifier-playground", "version": 7, "layers": {}}')


def test_a_missing_field_is_named() -> None:
    data = json.loads(SOUND)
    for field in data:
        rest = {key: value for key, value in data.items() if key != field}
        assert field in refusal(msgspec.json.encode(rest))


def test_what_is_no_readable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = tmp_path / "large.playground"
    large.write_bytes(SOUND)
    monkeypatch.setattr(documents, "MAX_BYTES", 100)
    for path in (tmp_path, tmp_path / "missing.playground", large, large / "below", tmp_path / ("x" * 300)):
        with pytest.raises(FileError) as caught:
            playground_files.read(path)
        check(caught.value, path.name)


def test_a_folder_without_a_name_is_called_by_its_path() -> None:
    for path in (Path("."), Path("/")):
        for act in (playground_files.read, lambda path: documents.write_bytes(b"", path)):
            with pytest.raises(FileError) as caught:
                act(path)
            assert check(caught.value, str(path)).startswith(f"{path} is a folder")


@pytest.mark.parametrize("operation", ["stat", "open", "fstat"])
def test_an_unreadable_file(operation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.playground"
    path.write_bytes(SOUND)
    with monkeypatch.context() as patched:
        patched.setattr(documents.os, operation, failing(errno.EACCES))
        with pytest.raises(FileError) as caught:
            playground_files.read(path)
    assert check(caught.value, "mine.playground") == "mine.playground cannot be read: permission denied."


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
def test_a_pipe_is_not_waited_for_and_a_device_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.playground"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        for act in (playground_files.read, lambda path: documents.write_bytes(b"", path)):
            with pytest.raises(FileError) as caught:
                act(path)
            assert "not an ordinary file" in check(caught.value, path.name)
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    for path in (tmp_path / "zero \0.playground", tmp_path / "half \ud800.playground"):
        for act in (playground_files.read, lambda path: documents.write_bytes(b"", path)):
            with pytest.raises(FileError, match="no file can have this name"):
                act(path)
        assert not documents.differs(path, documents.Fingerprint(1, "")) and documents.fingerprint(path) is None


# -- writing -------------------------------------------------------------------------------------------------------


def test_what_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "a.playground"):
        with pytest.raises(FileError) as caught:
            playground_files.write(Document(), path)
        check(caught.value, path.name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_mode_and_link_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "target.playground", tmp_path / "link.playground"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    documents.write_bytes(b"new", link)
    assert link.is_symlink() and target.read_bytes() == b"new" and target.stat().st_mode & 0o777 == 0o640


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renaming over it would succeed; root may write anything, so access is denied here."""
    path = tmp_path / "mine.playground"
    path.write_bytes(SOUND)
    monkeypatch.setattr(documents.os, "access", lambda path, mode: False)
    with pytest.raises(FileError) as caught:
        playground_files.write(default_document(), path)
    assert check(caught.value, "mine.playground") == "mine.playground was not saved: permission denied."
    assert path.read_bytes() == SOUND and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    link, there, back = (tmp_path / f"{name}.playground" for name in ("loop", "there", "back"))
    link.symlink_to(link)
    there.symlink_to(back)
    back.symlink_to(there)
    for path in (link, there):
        with pytest.raises(FileError) as caught:
            playground_files.read(path)
        check(caught.value, path.name)
        with pytest.raises(FileError) as caught:
            documents.write_bytes(b"new", path)
        assert (
            check(caught.value, path.name) == f"{path.name} is a link that leads back to itself; choose another name."
        )
    assert sorted(tmp_path.iterdir()) == sorted((link, there, back)) and os.readlink(link) == str(link)


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_link_to_a_missing_file_is_kept(tmp_path: Path) -> None:
    link, target = tmp_path / "link.playground", tmp_path / "target.playground"
    link.symlink_to(target)
    documents.write_bytes(b"new", link)
    assert link.is_symlink() and target.read_bytes() == b"new"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="elsewhere it is set, but once")
def test_the_umask_is_never_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread's files would get its modes."""
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("set"))
    documents._umask.cache_clear()
    documents.write_bytes(b"new", tmp_path / "a.playground")


class Full:
    """A file on a full disk: `method` fails."""

    def __init__(self, file: Any, method: str, fail: Callable[..., Any]) -> None:
        self._file, self._method, self._fail = file, method, fail

    def __getattr__(self, name: str) -> Any:
        return self._fail if name == self._method else getattr(self._file, name)

    def __enter__(self) -> Full:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        if self._method == "close":
            self._fail()


def failing(code: int) -> Callable[..., Any]:
    def fail(*args: Any, **named: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES], ids=["full", "denied"])
@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("operation", ["mkstemp", "fdopen", "write", "flush", "fsync", "close", "chmod", "replace"])
def test_a_failing_disk_harms_nothing(
    operation: str, existing: bool, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail = failing(code)
    path = tmp_path / "mine.playground"
    if existing:
        path.write_bytes(SOUND)
    if operation == "mkstemp":
        monkeypatch.setattr(tempfile, "mkstemp", fail)
    elif operation in ("write", "flush", "close"):
        fdopen = os.fdopen
        monkeypatch.setattr(documents.os, "fdopen", lambda *args: Full(fdopen(*args), operation, fail))
    else:
        monkeypatch.setattr(documents.os, operation, fail)
    table = Open()
    failure = file_work.try_save(table.user, path)
    assert table.unharmed()
    with pytest.raises(FileError) as caught:
        playground_files.write(default_document(), path)
    assert failure == str(caught.value)
    monkeypatch.undo()
    report = "no space left on device" if code == errno.ENOSPC else "permission denied"
    assert check(caught.value, "mine.playground") == f"mine.playground was not saved: {report}."
    assert [p.name for p in tmp_path.iterdir()] == (["mine.playground"] if existing else [])
    assert not existing or path.read_bytes() == SOUND


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_temporary_files_of_killed_saves_go_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    left = [tmp_path / f".mine.playground.{word}.tmp" for word in ("abcdefgh", "01234567")]
    names = (".yours.playground.abcdefgh.tmp", ".mine.playground.tmp", "mine.playground.abcdefgh.tmp", ".mine.tmp")
    others = [tmp_path / name for name in names]
    for each in (*left, *others):
        each.touch()
    os.mkfifo(tmp_path / ".mine.playground.someones.tmp")

    def meanwhile() -> Iterator[bytes]:
        """Save to the same path from another window, while this one is saving."""
        yield b"first "
        (mine,) = {each for each in tmp_path.glob(".mine.playground.????????.tmp") if each.is_file()}
        documents.write_bytes(b"second", path)
        assert mine.exists() and path.read_bytes() == b"second"
        yield b"window"

    documents.write_pieces(meanwhile(), path)
    assert path.read_bytes() == b"first window"
    assert {each.name for each in tmp_path.iterdir()} == {path.name, ".mine.playground.someones.tmp", *names}


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_a_temporary_file_that_is_swept_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.playground"
    real, turns = locks.take, []

    def late(handle: int) -> bool:
        if not turns:
            turns.append(1)
            (left,) = tmp_path.iterdir()
            left.unlink()
        return real(handle)

    monkeypatch.setattr(locks, "take", late)
    documents.write_bytes(b"whole", path)
    assert path.read_bytes() == b"whole" and list(tmp_path.iterdir()) == [path]


def test_where_nothing_can_be_locked_nothing_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, left = tmp_path / "mine.playground", tmp_path / ".mine.playground.abcdefgh.tmp"
    left.touch()
    monkeypatch.setattr(locks, "take", failing(errno.ENOLCK))
    documents.write_bytes(b"whole", path)
    assert path.read_bytes() == b"whole" and left.exists()


def test_a_folder_that_becomes_read_only_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then even the temporary file cannot be removed."""
    path = tmp_path / "mine.playground"
    path.write_bytes(SOUND)
    with monkeypatch.context() as patched:
        patched.setattr(documents.os, "replace", failing(errno.EROFS))
        patched.setattr(documents.os, "unlink", failing(errno.EROFS))
        with pytest.raises(FileError) as caught:
            playground_files.write(default_document(), path)
    check(caught.value, "mine.playground")
    assert path.read_bytes() == SOUND


def test_the_longest_name_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 244 + documents.SUFFIX)
    for _ in range(2):
        playground_files.write(default_document(), path)
    assert content(playground_files.read(path)) == content(default_document())
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a real disk of 64 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if mount is None or subprocess.run([mount, *options], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    path = small_disk / "mine.playground"
    table = Open()
    assert file_work.save(table.user, path)
    old = path.read_bytes()
    table.user.generate()
    table.user.set_notes("n" * 90_000)
    failure = file_work.try_save(table.user, path)
    assert failure == "mine.playground was not saved: no space left on device."
    assert table.store.modified and path.read_bytes() == old and list(small_disk.iterdir()) == [path]
    table.user.set_notes("")
    assert file_work.save(table.user, path) and not table.store.modified


SAVER = """
import sys
from pathlib import Path
from app.files import documents
path, contents = Path(sys.argv[1]), [b"a" * 300_000, b"b" * 300_000]
for turn in range(10**9):
    documents.write_bytes(contents[turn % 2], path)
    if turn == 0:
        print("saving", flush=True)
"""


def kill_while_saving(times: int, folder: Path) -> int:
    """Kill savers; return the number of temporary files they left."""
    left = 0
    path = folder / "mine.playground"
    rng = random.Random(times)
    for _ in range(times):
        path.write_bytes(b"a" * 300_000)
        with subprocess.Popen([sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE, cwd=ROOT) as saver:
            assert saver.stdout is not None and saver.stdout.readline() == b"saving\n"
            with pytest.raises(subprocess.TimeoutExpired):
                saver.wait(rng.uniform(0.0, 0.05))
            saver.send_signal(signal.SIGKILL)
        data = path.read_bytes()
        assert len(data) == 300_000 and data in (b"a" * 300_000, b"b" * 300_000)
        left += len(list(folder.iterdir())) - 1
        documents.write_bytes(data, path)
        assert list(folder.iterdir()) == [path], "the next save sweeps"
    return left


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_while_saving(tmp_path: Path) -> None:
    kill_while_saving(3, tmp_path)


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_while_saving_many_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = kill_while_saving(50, tmp_path)
    with capsys.disabled():
        print(f"\n50 kills while a document was saved: {left} temporary files left and swept, 50 files whole")
    assert left > 10, "the kills must have met the saving"
