"""Study files: a written file can be read again, and every kind of fault is reported with its key."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.core.points import Points
from app.features.study.cells import digest_of
from app.features.study.command import study_of
from app.features.study.model import MEASURES, PRESETS, Study
from app.features.study.reading import _WHOLE, examined, written
from app.files.documents import FileError
from app.learners.online import PerceptronSettings
from app.scene.help import written_page
from app.state.document import Document, Lane

from .studies import GRID, KNN, document_of, no_document


def read(text: str) -> tuple[Study | None, list[str]]:
    study, _, faults = examined(text, Path("."), no_document)
    return study, faults


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_read_as_they_were_written(name: str) -> None:
    study, sentence = PRESETS[name]
    assert read(written(study, sentence)) == (study, [])


COMPARED = msgspec.structs.replace(GRID, values=("disagreement", "seconds"), other=Lane("knn"))


STANDARDISING = msgspec.structs.replace(GRID, lane=Lane("svm", standardise=True))


@pytest.mark.parametrize("study", [GRID, KNN, COMPARED, STANDARDISING, msgspec.structs.replace(KNN, k_up_to_n=False)])
def test_studies_are_read_as_they_were_written(study: Study) -> None:
    assert read(written(study, "A study.")) == (study, [])


def test_standardise_is_true_or_false() -> None:
    text = written(STANDARDISING, "A study.").replace("standardise = true", 'standardise = "yes"')
    assert read(text)[1] == ["classifier.standardise: is “yes”; it must be true or false."]


def test_k_goes_up_to_n_in_efficiency_maps_by_default() -> None:
    axes = '[classifier]\nname = "knn"\n[axes]\nn = [5, 10]\nk = [5, 10]\n'
    for text, expected in (
        ('kind = "efficiency"\n', True),
        ('kind = "efficiency"\nk_up_to_n = false\n', False),
        ("", False),
        ("k_up_to_n = true\n", True),
    ):
        study, faults = read(text + axes)
        assert study is not None and not faults and study.k_up_to_n == expected
    _, faults = read('kind = "efficiency"\n[axes]\nC = [1]\n')
    assert [fault.partition(":")[0] for fault in faults] == ["axes", "axes"]  # no further one of k_up_to_n


def test_a_short_file_is_enough() -> None:
    study, faults = read("[axes]\nC = [1, 10]\ngamma = { from = 0.1, to = 10, points = 3 }\n")
    assert not faults and study is not None
    assert [axis.values for axis in study.axes] == [(1.0, 10.0), (0.1, 1.0, 10.0)]
    assert type(study.axes[0].values[0]) is float
    study, faults = read('[classifier]\nname = "knn"\n[axes]\nk = {from=1, to=9, points=5, scale="linear"}\nn=[9]')
    assert not faults and study is not None and study.axes[0].values == (1, 3, 5, 7, 9)


#: Options that the help explains.
OPTIONS = "--shard", "--dry-run", "--json", "--cell-limit"


def test_the_help_names_every_key_and_value() -> None:
    page = written_page("studies")
    for word in (
        *_WHOLE[:2],
        *MEASURES,
        *PRESETS,
        "folds",
        "repetitions",
        "draws",
        "test_on",
        "k_up_to_n",
        "--dask",
        *OPTIONS,
    ):
        assert word in page, word
    assert "dask_jobqueue" in page and "SBATCH" in page


AXES = "[axes]\nC = [1, 10]\ngamma = [1, 2]\n"
FAULTS = {
    "no TOML": ("a = [", "This is not TOML"),
    "no axes": ("", "axes: is missing"),
    "one axis": ("[axes]\nC = [1]", "axes: has one axis only"),
    "unknown key": ("fold = 5\n" + AXES, "fold: is unknown; here may stand kind"),
    "unknown kind": ('kind = "map"\n' + AXES, "kind: is “map”"),
    "folds of a word": ('folds = "5"\n' + AXES, "folds: is “5”; a whole number is expected, not text"),
    "one fold": ("folds = 1\n" + AXES, "folds: is 1"),
    "too many folds": ("folds = 5000\n" + AXES, "folds: is 5000"),
    "unknown value": ('values = ["f1"]\n' + AXES, "values: “f1” is unknown"),
    "value of others": (
        'values = ["dual"]\n[classifier]\nname = "knn"\n[axes]\nk = [1]\nn = [5]',
        "values: “dual” is not of kNN",
    ),
    "value twice": ('values = ["dual", "dual"]\n' + AXES, "values: has something twice"),
    "no value": ("values = []\n" + AXES, "values: is []"),
    "table expected": ('data = "moons"\n' + AXES, "data: must be a table"),
    "unknown generator": ('[data]\nname = "cube"\n' + AXES, "data.name: is “cube”"),
    "noise too large": (
        "[data]\nnoise = 1e9\n" + AXES,
        "data.noise: is 1000000000.0; a number, at most 10, is expected",
    ),
    "noise is no number": ("[data]\nnoise = nan\n" + AXES, "data.noise: is nan"),
    "shift too large": ('[data]\nname = "circle"\nshift = 0.7\n' + AXES, "data.shift: is 0.7, too much for circle"),
    "shift of moons": ("[data]\nshift = 0.1\n" + AXES, "data.shift: is 0.1, too much for moons"),
    "classes of moons": ("[data]\nn_classes = 3\n" + AXES, "data.n_classes: is 3"),
    "unknown classifier": ('[classifier]\nname = "ghost"\n' + AXES, "classifier.name: is “ghost”"),
    "unknown setting": ("[classifier]\nk = 3\n" + AXES, "classifier.k: is unknown"),
    "setting out of range": (
        "[classifier]\nC = -1\n" + AXES,
        "classifier.C: is -1; a number, at least 1e-8, is expected",
    ),
    "setting twice": ('[classifier]\nrule = "platt"\nselection = "platt"\n' + AXES, "classifier.selection: is"),
    "unknown axis": (AXES + "k = [1]", "axes.k: is unknown; here may stand"),
    "axis of a number": ("[axes]\nC = 3\ngamma = [1]", "axes.C: is 3; write a list"),
    "empty axis": ("[axes]\nC = []\ngamma = [1]", "axes.C: has 0 values"),
    "descending axis": ("[axes]\nC = [2, 1]\ngamma = [1]", "axes.C: must ascend"),
    "axis out of range": ("[axes]\nC = [1, 1e12]\ngamma = [1]", "axes.C[2] C: is 1000000000000.0; a number, at most "),
    "axis of words": ('[axes]\nC = ["a"]\ngamma = [1]', "axes.C[1] C: is “a”"),
    "mixed axis": ('[axes]\nkernel = ["rbf", 1]\ngamma = [1]', "axes.kernel[2] kernel: is 1"),
    "range without end": ("[axes]\nC = {from = 1, points = 2}\ngamma = [1]", "axes.C.to: is missing"),
    "range through zero": ("[axes]\nC = {from = 0, to = 1, points = 2}\ngamma = [1]", "axes.C: goes in equal ratios"),
    "range of nothing": ("[axes]\nC = {from = 1, to = 2, points = 0}\ngamma = [1]", "axes.C.points: is 0"),
    "range without limits": ("[axes]\nC = {from = 1, to = inf, points = 2}\ngamma = [1]", "axes.C.to: is inf"),
    "range of an unknown scale": (
        '[axes]\nC = {from = 1, to = 2, points = 2, scale = "cube"}\ngamma = [1]',
        "axes.C.scale: is “cube”",
    ),
    "range with more": ("[axes]\nC = {from = 1, to = 2, points = 2, step = 1}\ngamma = [1]", "axes.C.step: is unknown"),
    "square without truth": ('test_on = "square"\n' + AXES, "test_on: is “square”, where moons"),
    "curve without n": ('kind = "learning-curve"\n' + AXES, "axes: has no n"),
    "rules without rule": ('kind = "rules"\n[axes]\nn = [5]', "axes: has no rule"),
    "k up to no n": ("k_up_to_n = true\n" + AXES, "k_up_to_n: needs the axes n and k"),
    "no cell left": (
        'k_up_to_n = true\n[classifier]\nname = "knn"\n[axes]\nk = [9]\nn = [5]',
        "k_up_to_n: is true and leaves no cell",
    ),
    "endless": ("repetitions = 100000\nfolds = 1000\n" + AXES, "axes: make 400000000 results"),
    "missing document": ('[data]\ndocument = "x"\n' + AXES, "data.document: gone"),
    "document and more": ('[data]\ndocument = "x"\nnoise = 1\n' + AXES, "data.noise: cannot stand beside document"),
    "disagreement with nobody": ('values = ["disagreement"]\n' + AXES, "values: has disagreement, but no table"),
    "an idle other": ('[other]\nname = "knn"\n' + AXES, "other: is there, but values has no disagreement"),
    "an unknown other": ('values = ["disagreement"]\n[other]\nname = "ghost"\n' + AXES, "other.name: is “ghost”"),
    "a setting of another": ('values = ["disagreement"]\n[other]\nname = "knn"\nC = 1\n' + AXES, "other.C: is unknown"),
    "document of a number": ("[data]\ndocument = 3\n" + AXES, "data.document: is 3"),
}


def gone(path: Path | None) -> Document:
    raise FileError("gone.")


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_reported_with_their_key(name: str) -> None:
    text, report = FAULTS[name]
    study, _, faults = examined(text, Path("."), gone)
    assert study is None and any(report in fault for fault in faults), faults
    assert all("\n" not in fault and fault.endswith(".") for fault in faults), faults


GIVEN = {
    "no test points": ("", "folds: is 0, but the document keeps no test points"),
    "more folds than points": ("folds = 50\n", "folds: is 50, but there are only 40 points"),
    "draws": ("folds = 5\ndraws = 2\n", "draws: is for a generator"),
    "square": ('folds = 5\ntest_on = "square"\n', "test_on: is for a generator"),
}


def from_document(text: str, document: Document) -> tuple[Study | None, list[str]]:
    study, _, faults = examined(text, Path("."), lambda path: document)
    return study, faults


@pytest.mark.parametrize("name", GIVEN)
def test_faults_of_given_points(name: str) -> None:
    head, report = GIVEN[name]
    study, faults = from_document(f'{head}[data]\ndocument = "x"\n{AXES}', document_of())
    assert study is None and any(report in fault for fault in faults), faults


def test_given_points_are_enough_for_n_and_have_no_noise() -> None:
    text = 'folds = 2\n[data]\ndocument = "x"\n[axes]\nC = [1]\n'
    assert "a class has only 20 points" in from_document(text + "n = [5, 21]", document_of())[1][0]
    assert "axes.noise: is unknown" in from_document(text + "noise = [0.1]", document_of())[1][0]
    study, faults = from_document(text + "n = [5, 20]", document_of())
    assert not faults and study is not None
    assert study.digest == digest_of(document_of().training_points, Points())
    assert "fewer than two points" in from_document(text, Document())[1][0]


@pytest.mark.parametrize(
    "lane",
    [Lane("svm"), Lane("knn"), Lane("perceptron", perceptron=PerceptronSettings()), Lane("pegasos"), Lane("lda")],
)
def test_a_document_makes_a_study_that_is_read(lane: Lane) -> None:
    document = Document(points=document_of().points, lanes=(Lane("difference"), lane), shown=2)
    made = study_of(document)
    study, faults = from_document(written(made, "Of a document.", "x"), document)
    assert not faults and study is not None
    assert study == msgspec.structs.replace(made, digest=study.digest) and len(study.axes) in (1, 2)


@pytest.mark.parametrize("number", ["9" * 5000, f"0x{'f' * 5000}", f"1{'_000' * 100}"])
def test_numbers_of_very_many_digits_are_refused_in_a_sentence(number: str) -> None:
    text = f"folds = {number}\n"
    assert examined(text, Path("."), no_document)[2] == ["This is not TOML: A number has more than 99 digits."]
    assert examined(text.replace(number, "9" * 99), Path("."), no_document)[2]
