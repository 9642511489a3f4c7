"""Results as arrays: means equal to the command line's, kept with a document, extended; damaged ones are refused."""

from __future__ import annotations

import math
import statistics
import warnings
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from app.controllers.controller import Controller
from app.features.study.cells import OLDEST, CellIndex, paths
from app.features.study.controller import EARLIER, StudyController
from app.features.study.map_reading import best_of, blocks, extended, is_log, plane_of, standing
from app.features.study.model import Study, StudyAxis
from app.features.study.results import MOST_RESULTS, NAME, StudyResults
from app.files.documents import FileError
from app.learners.svm import SvmSettings
from app.state.commands import AddPoints, Attach
from app.state.document import GeneratorSettings, Lane
from app.state.session import Session
from app.state.store import Store
from tests import playground_files
from tests.app.features.study.studies import GRID, KNN, computed, document_of, plain, results_of


def kept_of(study: Study) -> StudyResults:
    return results_of(study, computed(study))


def made(study: Study, value: str, numbers: np.ndarray) -> StudyResults:
    """Return results with given values."""
    kept = StudyResults(study)
    kept.values[value][...] = numbers.reshape(*numbers.shape, 1, 1)
    kept.seconds[...] = 0.0
    return kept


@pytest.mark.parametrize("study", [GRID, KNN])
def test_means_are_those_of_a_loop(study: Study) -> None:
    records = computed(study)
    kept = results_of(study, records[::-1])
    for value in study.values:
        means, groups = kept.means(value), dict[CellIndex, list[float]]()
        for record in records:
            groups.setdefault(record.cell, []).append(record.values[value])
        assert int((means.count > 0).sum()) == len(groups)
        for locations, numbers in groups.items():
            assert means.mean[locations] == pytest.approx(statistics.fmean(numbers), rel=1e-12)
            assert means.spread[locations] == pytest.approx(statistics.stdev(numbers), rel=1e-9, abs=1e-12)
            assert means.count[locations] == len(numbers)
    assert not kept.missing() and sorted(map(str, kept.records())) == sorted(map(str, records))


def test_a_document_keeps_results(tmp_path: Path) -> None:
    records = computed(GRID)
    kept = results_of(GRID, records[:-4])
    failed = msgspec.structs.replace(records[-1], values={}, status="", error="It failed.")
    kept.add(failed)
    document = replace(document_of(), attached=((NAME, kept.encode()),))
    path = tmp_path / "a.playground"
    playground_files.write(document, path)
    back = StudyResults.decode(dict(playground_files.read(path).attached)[NAME])
    assert back.study == GRID and back.done == kept.done == len(records) - 3
    assert plain(GRID, list(back.records())) == plain(GRID, list(kept.records()))
    assert back.error(failed.cell) == "It failed." and back.means("accuracy").errors[failed.cell] == 1
    missing = {(cell, path.repetition, path.fold) for path in back.missing() for cell in path.cells}
    assert missing == {(each.cell, each.repetition, each.fold) for each in records[-4:-1]}


def test_results_of_earlier_numerics_are_displayed_as_such() -> None:
    kept = kept_of(GRID)
    for numerics, sentence in ((kept.numerics, ""), (OLDEST, EARLIER)):
        kept.numerics = numerics
        store = Store(replace(document_of(), attached=((NAME, kept.encode()),)))
        studies = Controller(store, Session(), lambda: None, lambda report: None).feature(StudyController)
        assert studies.kept is not None and studies.kept.done == kept.done and studies.why_outdated == sentence
    kept.numerics = OLDEST - 1
    with pytest.raises(FileError, match=f"numerics {OLDEST - 1}"):
        StudyResults.decode(kept.encode())


def test_what_is_damaged_is_refused_with_a_sentence() -> None:
    whole = msgspec.json.decode(kept_of(GRID).encode())

    def changed(**parts: object) -> bytes:
        return msgspec.json.encode({**whole, **parts})

    study = whole["study"]
    kept = kept_of(GRID)
    kept.values["accuracy"][0] = 1e308
    huge = msgspec.json.decode(kept.encode())["values"]["accuracy"]
    bad = {
        b"{}": "study",
        b"[": "",
        changed(numerics=99): "numerics 99",
        changed(study={**study, "repetitions": MOST_RESULTS // 2}): "more than",
        changed(study={**study, "repetitions": 3}): "another size",
        changed(study={**study, "values": ["beauty"]}): "“beauty” is unknown",
        changed(study={**study, "axes": [{"name": "C", "values": [-1.0]}]}): "C",
        changed(study={**study, "axes": [{"name": "C = 'a' is nothing", "values": [1.0, "a", 10.0]}]}): "C",
        changed(study={**study, "axes": [{"name": "n", "values": [1, "a", 10]}]}): "axes.n[2] count: is “a”",
        changed(study={**study, "generator": None}): "no points",
        changed(
            study={**study, "generator": None, "digest": "a", "axes": [{"name": "n", "values": ["a"]}]}
        ): "axes.n[1]",
        changed(study={**study, "lane": {**study["lane"], "classifier": "difference"}}): "no classifier",
        changed(study={**study, "axes": [{"name": "C", "values": [1.0, 2.0, 1.0]}]}): "same value",
        changed(study={**study, "axes": 2 * [{"name": "C", "values": [1.0, 2.0]}]}): "same axis",
        changed(study={**study, "axes": [{"name": "wit", "values": [1.0]}]}): "axes.wit: is unknown",
        changed(values={"accuracy": whole["values"]["accuracy"]}): "others",
        changed(seconds="AAAA"): "",
        changed(values={**whole["values"], "accuracy": huge}): "larger than any measure",
        changed(statuses=[]): "statuses",
        changed(errors={"0 0 0 9": "no"}): "no cell",
    }
    for data, part in bad.items():
        with pytest.raises(FileError) as report:
            StudyResults.decode(data)
        assert part in str(report.value) and str(report.value).endswith("."), report.value


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ((0.1, 1.0, 10.0), True),
        ((1, 2, 3, 4), False),
        ((0.2, 0.1, 0.0), False),
        ((1e308, 1.0, 1e-308), True),
        ((5,), False),
    ],
)
def test_whether_values_stand_in_equal_ratios(values: tuple[float, ...], log: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_log(StudyAxis("C", values)) is log


def test_a_document_keeps_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.playground"
    playground_files.write(replace(document_of(), attached=((NAME, b'{"a":[1,{"b":"]"}]}'),)), path)
    assert dict(playground_files.read(path).attached) == {NAME: b'{"a":[1,{"b":"]"}]}'}
    data = path.read_bytes()
    for old, new in ((b'"study":', b'"St udy":'), (b'"a":[1,', b'"a":[1,,'), (b'{"b":', b'{"b":1,"b":')):
        path.write_bytes(data.replace(old, new))
        with pytest.raises(FileError):
            playground_files.read(path)


def test_undo_passes_over_what_is_kept_and_saving_does_not() -> None:
    store = Store(document_of())
    user = Controller(store, Session(), lambda: None, lambda report: None)
    user.dispatch(AddPoints(xy=[[0.0, 0.0]]))
    store.saved(store.document, Path("a"))
    user.apply(Attach(part=NAME, data=b"[1]"))
    assert store.modified and store.history == ("Add 1 point",)
    user.undo()
    assert dict(store.document.attached) == {NAME: b"[1]"} and store.saved_position == 1
    user.redo()
    store.saved(store.document, Path("a"))
    assert not store.modified and len(store.document.points) == 41
    user.apply(Attach(part=NAME))
    assert not store.document.attached
    user.apply(Attach(part=NAME, data=b"[1]"))
    user.new()
    assert not store.document.attached


def test_an_axis_goes_on_where_the_best_is_at_its_edge() -> None:
    study = Study("grid", (StudyAxis("C", (0.1, 1.0, 10.0)), StudyAxis("degree", (2, 3, 4))), lane=Lane("svm"), folds=0)
    study = msgspec.structs.replace(study, generator=GeneratorSettings())
    at = np.zeros((3, 3))
    at[2, 1] = 1.0
    kept = made(study, "accuracy", at)
    best = best_of(kept, "accuracy", ())
    assert best is not None and (best.cell, best.axis, best.low) == ((2, 1), 0, False)
    wider = extended(study, best)
    assert wider.axes[0].values == (0.1, 1.0, 10.0, 100.0, 1000.0) and wider.axes[1] == study.axes[1]
    grown = kept.grown(wider)
    assert grown.done == 9 and plane_of(grown.means("accuracy").mean, wider, ())[2, 1] == 1.0
    cells = {cell for path in grown.missing() for cell in path.cells}
    assert cells == {(3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2)}
    low = np.zeros((3, 3))
    low[1, 0] = 1.0
    best = best_of(made(study, "accuracy", low), "accuracy", ())
    assert best is not None and (best.axis, best.low) == (1, True)
    assert extended(study, best).axes[1].values == (1, 2, 3, 4)  # 0 is no degree
    low[1, 1] = 1.0  # equally good, and inside
    best = best_of(made(study, "accuracy", low), "accuracy", ())
    assert best is not None and (best.cell, best.axis) == ((1, 1), -1)
    noise = msgspec.structs.replace(study, axes=(StudyAxis("noise", (0.1, 0.2)), StudyAxis("data", ("moons", "xor"))))
    best = best_of(made(noise, "accuracy", np.array([[1.0, 0.0], [0.0, 0.0]])), "accuracy", ())
    assert best is not None and best.axis == -1


def test_coarse_cells_stand_for_those_that_are_missing() -> None:
    study = Study("grid", (StudyAxis("tol", tuple(range(1, 8))), StudyAxis("degree", tuple(range(1, 8)))))
    there = np.zeros((7, 7), dtype=bool)
    there[0, 0] = there[4, 0] = True
    shown = blocks(there, study)
    assert shown[3, 3].tolist() == [0, 0] and shown[6, 2].tolist() == [4, 0] and shown[5, 5].tolist() == [-1, -1]
    there[2, 2] = there[3, 3] = True
    shown = blocks(there, study)
    assert shown[3, 2].tolist() == [2, 2] and shown[3, 3].tolist() == [3, 3] and shown[1, 1].tolist() == [0, 0]
    first = paths(study)[0].cells[0]
    assert first == (0, 0)


def test_the_lane_stands_where_its_settings_are() -> None:
    study = msgspec.structs.replace(GRID, axes=(StudyAxis("C", (0.1, 1.0, 10.0)), StudyAxis("gamma", (1.0, 2.0, 3.0))))
    generator = GeneratorSettings()
    stands = standing(study, Lane("svm", svm=SvmSettings(C=math.sqrt(10.0), gamma=2.5)), generator)
    assert stands is not None and stands[0] == pytest.approx((1.5, 1.5)) and stands[1]
    stands = standing(study, Lane("svm", svm=SvmSettings(C=1e-3, gamma=100.0, tol=0.1)), generator)
    assert stands is not None and stands == ((-0.5, 2.5), False)
    assert standing(study, Lane("knn"), generator) is None
