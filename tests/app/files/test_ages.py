"""Files of every version, each written by a program of its time with everything in it: they open without any loss.

`ages/README.md` lists the programs and their files.  The expected values are here, or in the file itself as plain JSON:
the program's own reader is not used.
"""

from __future__ import annotations

import base64
import json
import struct
import tomllib
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.exchange import share_text
from app.features.lessons import reading as lessons
from app.features.study import reading as study_files
from app.features.study import results
from app.features.study.results import StudyResults
from app.features.table import FEATURES
from app.files import documents
from app.files.documents import FileError, UnreadError
from app.learners.base import Learner
from app.state.document import Document, GeneratorSettings
from tests import playground_files

AGES = Path(__file__).parent / "ages"
#: Version of the studies' numerics, for learners without their own.
NUMERICS = Learner.numerics
DOCUMENTS = sorted(path.stem for path in AGES.glob("*.playground"))
#: Settings given to the program that wrote the files.
FIRST_KNN = {"n_neighbors": 7, "weights": "distance-squared", "metric": "minkowski", "p": 2.5}
SECOND_KNN = {"n_neighbors": 3, "weights": "distance", "metric": "cosine", "p": 4.25}
FIRST_SVM = {
    "kernel": "poly",
    "C": 12.5,
    "hard_margin": True,
    "gamma": 0.25,
    "degree": 5,
    "coef0": -1.5,
    "tol": 1e-4,
    "selection": "first-order",
}
FIRST_SCHEME = {
    "multiclass": "one-vs-rest",
    "class_weight": "own",
    "own_weights": (0.5, 2.0, 4.0, 0.25, 8.0, 1.5, 3.0, 0.75),
}
FIRST_TRAINER = {
    "trainer": "lasvm",
    "partner": "first-order",
    "n_epochs": 3,
    "finish": False,
    "step_size": "constant",
    "fit_intercept": False,
}
SECOND_SVM = {
    "kernel": "sigmoid",
    "C": 0.125,
    "gamma": 2.5,
    "degree": 2,
    "coef0": 0.5,
    "tol": 0.01,
    "selection": "platt",
}
PERCEPTRON = {"fit_intercept": False, "shuffle": False, "random_state": 7, "max_iter": 50, "orders": 20}
PEGASOS = {"lam": 0.125, "n_iter": 5000, "random_state": 3}
PAIRS = ((1, 2), (3, 3), (7, 4), (5, 0))
CLASSIFIERS = {
    "3a": ("svm", "knn", "perceptron", "pegasos"),
    "3b": ("difference", "pegasos", "svm", "knn"),
    "3c": ("knn", "svm", "difference", "perceptron"),
    "3d": ("knn", "svm", "difference", "perceptron"),
    "3e": ("knn", "svm", "difference", "perceptron"),
    "3f": ("knn", "svm", "difference", "perceptron"),
}
GENERATOR = {"name": "blobs", "count": 40, "noise": 0.5, "seed": 11, "shift": -0.25, "n_classes": 5}
ORIGIN = {"name": "xor", "count": 12, "noise": 0.75, "seed": 4, "shift": 0.5, "n_classes": 3, "flipped": 0.25}
NOTES = "Two lines,\nof which the second has “quotes”, a \\ and 🌱."


def raw(age: str) -> dict[str, Any]:
    file: dict[str, Any] = json.loads((AGES / f"{age}.playground").read_bytes())
    return file


def opened(age: str) -> Document:
    return playground_files.read(AGES / f"{age}.playground")


def has(settings: Any, expected: dict[str, Any]) -> None:
    assert {name: getattr(settings, name) for name in expected} == expected


def lost(before: Any, after: Any, where: str = "$") -> list[str]:
    """Return the paths in `before` that `after` lacks, or has otherwise."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            text
            for name, value in before.items()
            for text in (lost(value, after[name], f"{where}.{name}") if name in after else [f"{where}.{name}"])
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [text for location, pair in pairs for text in lost(*pair, f"{where}[{location}]")]
    same = type(before) is type(after) and before == after and str(before) == str(after)  # -0.0 is not 0.0
    return [] if same else [where]


def leaves(value: Any, where: str = "$") -> dict[str, Any]:
    if isinstance(value, dict):
        return {key: leaf for name, each in value.items() for key, leaf in leaves(each, f"{where}.{name}").items()}
    return {where: value}


def test_every_version_is_there() -> None:
    assert [raw(age)["version"] for age in DOCUMENTS] == [3, 3, 3, 3, 3, 3]
    assert {int(age[0]) for age in DOCUMENTS} == set(documents.file_format.VERSIONS)


@pytest.mark.parametrize("age", DOCUMENTS)
def test_a_document_of_each_age_opens_with_everything(age: str) -> None:
    document = opened(age)
    points = [i for i in range(24) if i not in (3, 11, 12)]
    x = [round(0.37 * i - 4.1, 6) if i % 3 else -0.1 * i for i in points]
    y = [round(((i * i * 7) % 23) / 7 - 1.5, 6) for i in points]
    assert document.points.xy.tolist() == [list(index) for index in zip(x, y, strict=True)]
    assert document.points.labels.tolist() == [i % 8 for i in points]
    assert document.points.ids.tolist() == points
    assert [lane.classifier for lane in document.lanes] == list(CLASSIFIERS[age])
    assert [lane.pair for lane in document.lanes] == list(PAIRS[: len(document.lanes)])
    for index, lane in enumerate(document.lanes):
        first = index % 2 == 0
        has(lane.knn, FIRST_KNN if first else SECOND_KNN)
        has(lane.svm, FIRST_SVM if first else SECOND_SVM)
        has(lane.svm, FIRST_SCHEME if first else {"multiclass": "one-vs-rest", "class_weight": "balanced"})
        has(lane.svm, FIRST_TRAINER if first else {"trainer": "dual-ascent"})
        has(lane.perceptron, PERCEPTRON)
        has(lane.pegasos, PEGASOS)
        assert lane.shading == ("probability" if age >= "3d" and index < 2 else msgspec.UNSET)
    assert document.shown == 3
    has(document.generator, GENERATOR | {"flipped": 0.125 if age > "3a" else 0.0})
    has(document.view, {"x": 0.25, "y": -0.5, "span": 3.75})
    for index, style in enumerate(document.styles):
        assert style.name == (f"kind {index} é" if index % 2 == 0 else "")
        assert style.colour == (f"#12ab9{index}" if index % 3 != 1 else "")
    assert document.axes == ("length / cm", "β → 0")
    assert document.notes == NOTES and document.training_limit == 5000
    assert document.compared == (2, 0)
    has(document.split, {"kind": "painted", "ratio": 0.4, "seed": 5})
    assert document.split.painted.ids.tolist() == [0, 1, 5, 10, 22]
    assert document.test_points.ids.tolist() == [0, 1, 5, 10, 22]
    if age > "3a":
        has(document.origin, ORIGIN)
        has(document.scaling, {"mean": (170.2, -3.5), "deviation": (8.25, 0.125)})
    assert [name for name, _ in document.attached] == (["study"] if age > "3b" else [])
    assert [lane.standardises for lane in document.lanes] == [age >= "3e", age >= "3e", False, False]
    assert document.units == ((10.0, 0.25) if age >= "3e" else (1.0, 1.0))
    assert document.dates == ((10.0, 0.0) if age >= "3f" else (0.0, 0.0))
    assert document.view.own_ratio == (0.5 if age >= "3f" else msgspec.UNSET)


@pytest.mark.parametrize("age", DOCUMENTS)
def test_saving_it_again_loses_nothing(age: str, tmp_path: Path) -> None:
    path = tmp_path / "again.playground"
    playground_files.write(opened(age), path)
    before, after = raw(age), json.loads(path.read_bytes())
    del before["version"]
    assert after["version"] == documents.file_format.NEWEST
    assert lost(before, after) == []


def test_nothing_stands_there_as_it_would_without_being_set() -> None:
    """The newest file has each field of the program, and none of them only by default."""
    plain: dict[str, Any] = json.loads(documents.encode(Document(scaling=None)))
    set_in: set[str] = set()
    lanes: set[str] = set()
    for age in ("3b", "3c", "3d", "3e", "3f"):
        file = raw(age)
        for name, value in leaves(
            {key: value for key, value in file.items() if key not in ("lanes", "attached")}
        ).items():
            if leaves(plain).get(name) != value:
                set_in.add(name)
        for lane in file["lanes"]:
            lanes |= {name for name, value in leaves(lane).items() if leaves(plain["lanes"][1]).get(name) != value}
    assert lanes >= {*leaves(plain["lanes"][1]), "$.shading", "$.standardise"}
    assert set(leaves(plain)) - set_in <= {"$.lanes", "$.format", "$.version"}
    names = {field.name for field in msgspec.structs.fields(documents.file_format.Newest)}
    assert names == set(raw("3f")), "a new field of the file needs a new file here"


def test_a_study_is_kept_with_its_numbers() -> None:
    """Its arrays unpacked here, against the panel, and the results that its workers had written."""
    data = dict(opened("3c").attached)["study"]
    assert json.loads(data) == raw("3c")["attached"]["study"]
    kept, plain = StudyResults.decode(data), json.loads(data)
    shape = (2, 3, 2, 2, 2)  # C, gamma, noise, repetitions, folds
    for name, text in plain["values"].items():
        packed = zlib.decompress(base64.b64decode(text))
        numbers = np.array(struct.unpack(f"<{len(packed) // 8}d", packed)).reshape(shape)
        np.testing.assert_array_equal(kept.values[name], numbers)
    assert kept.done == 47 and len(list(kept.records())) == 47
    by_index = {(*each.cell, each.repetition, each.fold): each for each in kept.records()}
    failed = {index for index, each in by_index.items() if each.error}
    assert len(failed) == 1 and by_index[next(iter(failed))].error == "MemoryError: no room"
    written = folder_lines("study")
    for line in written:
        index = (*line["places"], line["repetition"], line["fold"])
        if index in by_index and index not in failed:
            assert by_index[index].values == line["values"] and by_index[index].status == line["status"]
    assert StudyResults.decode(kept.encode()).encode() == kept.encode()
    assert lost(plain["study"], json.loads(kept.encode())["study"]) == []


def folder_lines(name: str) -> list[dict[str, Any]]:
    texts = [path.read_text() for path in sorted((AGES / name).glob("*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.splitlines()[1:]]


def test_a_folder_of_results_opens_with_every_number(tmp_path: Path) -> None:
    for path in (AGES / "study").glob("*.jsonl"):  # as if this program had computed it
        text = path.read_text(encoding="utf-8")
        assert text.count('"numerics":2') == 1
        (tmp_path / path.name).write_text(text.replace('"numerics":2', f'"numerics":{NUMERICS}'), encoding="utf-8")
    found = results.read(tmp_path)
    lines = folder_lines("study")
    records = {(*each.cell, each.repetition, each.fold): each for each in found.records()}
    assert found.n_files == 2 and len(records) == len(lines) == 48
    for line in lines:
        record = json.loads(msgspec.json.encode(records[*line["places"], line["repetition"], line["fold"]]))
        assert line.pop("key") and lost(line, record) == []
    assert {axis.name: list(axis.values) for axis in found.study.axes} == {
        "C": [0.1, 10.0],
        "gamma": [0.5, 2.0, 8.0],
        "noise": [0.1, 0.4],
    }
    assert (found.study.folds, found.study.repetitions) == (2, 2)
    has(found.study.generator, {"name": "moons", "count": 12, "seed": 3})


def test_results_of_other_numerics_are_refused_in_a_sentence() -> None:
    with pytest.raises(FileError) as caught:
        results.read(AGES / "study-numerics1")
    assert str(caught.value) == f"study-numerics1 was computed by numerics 1; this program has {NUMERICS}."


def test_the_first_study_file_is_read() -> None:
    text = (AGES / "first-study.toml").read_text()
    study, _, faults = study_files.examined(text, AGES, playground_files.read)
    assert not faults and study is not None
    plain = tomllib.loads(text)
    assert {axis.name: list(axis.values) for axis in study.axes} == plain["axes"]
    has(study.generator, plain["data"])
    settings = dict(plain["classifier"])
    assert study.lane.classifier == settings.pop("name")
    settings["own_weights"] = tuple(settings["own_weights"])
    has(study.lane.svm, settings)
    assert (study.kind, list(study.values), study.folds) == (plain["kind"], plain["values"], 5)


def test_the_first_share_text_opens() -> None:
    document, whole = share_text.decode((AGES / "first-share.txt").read_text()), raw("3b")
    after = json.loads(documents.encode(document))
    for name in ("lanes", "styles", "axes", "shown", "compared", "view", "split", "training_limit"):
        assert lost(whole[name], after[name]) == [], name
    assert after["points"]["class"] == whole["points"]["class"] and after["points"]["ids"] == whole["points"]["ids"]
    for axis in ("x", "y"):
        old, new = np.array(whole["points"][axis]), np.array(after["points"][axis])
        assert np.abs(old - new).max() <= np.ptp(old) / 4095 / 2 * (1 + 1e-9)
    assert "".join(share_text.encode(document).split()) == "".join((AGES / "first-share.txt").read_text().split())


def test_a_share_text_with_a_generator_opens() -> None:
    document = share_text.decode((AGES / "second-share.txt").read_text())
    assert (document.shown, len(document.points)) == (3, 161)
    assert document.origin == GeneratorSettings("blobs", 40, 0.3, seed=5, n_classes=4, flipped=0.05)
    assert document.generator == GeneratorSettings("circle", 70, 0.125, seed=9, shift=0.0625)
    made, points = document.origin.points(), document.points
    left = np.delete(np.arange(160), 77)  # one was removed, one moved, and two were added
    assert np.flatnonzero((points.xy[:159] != made.xy[left]).any(axis=1)).tolist() == [3]
    assert points.labels.tolist() == [*made.labels[left], 4, 0] and 77 not in points.ids
    assert np.abs(points.xy[[3, 159, 160]] - [made.xy[3] + 0.5, (0, 0), (0.5, 0.25)]).max() < 1e-3


def test_the_first_lesson_is_read_as_before() -> None:
    lesson = lessons.read(FEATURES, AGES / "first.lesson.md")
    report = json.loads((AGES / "first.lesson.json").read_text())
    for step in report["steps"]:  # from before a goal was more than its text
        step["goal"] = (step["goal"] or {"text": ""})["text"]
    now = json.loads(json.dumps(msgspec.to_builtins(msgspec.structs.replace(lesson, folder=None))))
    assert lost(report, now) == []
    steps = lesson.steps
    assert [step.start.kind for step in steps] == ["example", "before", "document", "share", "example"]
    assert {step.prediction.kind for step in steps if step.prediction} == {"choice", "boundary", "pair"}
    fields = {field.name for field in msgspec.structs.fields(steps[0])}
    # Each part of a step occurs in some step; the last four were added later.
    for name in fields - {"line", "hide", "match", "asks", "measure"}:
        assert any(getattr(step, name) for step in steps), name


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 4}, "new.playground is of version 4, of a newer program; this program reads version 3."),
        (
            {"probe": [1]},
            "new.playground has “probe”, which this program does not know: a newer one may have written it.",
        ),
    ],
)
def test_files_of_newer_programs_are_reported_as_such(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FileError) as caught:
        documents.decode(json.dumps(raw("3b") | change).encode(), "new.playground")
    assert str(caught.value) == sentence
    assert isinstance(caught.value, UnreadError), "it may well be sound"


def test_an_unknown_field_inside_is_reported_with_its_path() -> None:
    file = raw("3b")
    file["lanes"][1]["svm"]["nu"] = 0.5
    with pytest.raises(UnreadError) as caught:
        documents.decode(json.dumps(file).encode(), "new.playground")
    where = "“nu” (in lanes, entry 2, svm)"
    report = f"new.playground has {where}, which this program does not know: a newer one may have written it."
    assert str(caught.value) == report
