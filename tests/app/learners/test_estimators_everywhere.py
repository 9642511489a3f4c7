"""Each classifier of scikit-learn in every part of the program: it works there, or a sentence explains why not."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core import log
from app.engine.cross_validation import Validated
from app.engine.fitting import BACKGROUND, fitted
from app.engine.pacing import Pace
from app.exchange import share_text
from app.features.evaluation.scene import CrossValidation
from app.features.film.plan import SweepFilm, TrainingFilm, TurnFilm, can_film, check, content_of, document_with
from app.features.lessons import names
from app.features.probe.scene import probe_lane
from app.features.probe.tables import NamedPoints
from app.features.race.controller import lanes_of
from app.features.scores.scene import Scores, Scoring
from app.features.study.planning import AxisPlan, plan_of, planned
from app.features.validation_curves.scene import Curve, CurveQuery, asked_lane
from app.files import documents
from app.learners.estimators import ESTIMATORS, ROWS, EstimatorLearner, parameters_of
from app.state.document import Document, GeneratorSettings, Lane, View
from app.window.dock_manager import docks
from tests.app.engine.test_estimator_process import run
from tests.app.features.code import programs
from tests.app.features.study.studies import computed
from tests.windows import Make, settle

POINTS = GeneratorSettings("blobs", 15, 0.5, n_classes=3).points()
NAMES = tuple(f"class {c + 1}" for c in range(8))


@pytest.fixture(autouse=True, scope="module")
def _process() -> Iterator[None]:
    yield
    BACKGROUND.end()


def lane_of(name: str) -> Lane:
    """Return a lane with another value of each number, to check that the value arrives."""
    lane = Lane(name)
    for field in lane.family.fields:
        if field.limits is not None:
            value = field.value(lane.settings)
            lane = lane.with_value(field, value + 1 if isinstance(value, int) else value / 2)
    return lane


def reference(lane: Lane) -> Any:
    row = ROWS[lane.classifier]
    made = getattr(import_module(row.module), row.kind)(**parameters_of(row, lane.settings))
    return made.fit(POINTS.xy, POINTS.labels)


@pytest.mark.parametrize("name", ROWS)
def test_files_and_texts_have_its_parameters(name: str) -> None:
    lane = lane_of(name)
    document = Document(POINTS, (lane, Lane("knn")))
    assert documents.decode(documents.encode(document)).lanes == document.lanes
    assert share_text.decode(share_text.encode(document)).lanes == document.lanes
    called = [field.name for field in lane.family.fields]
    assert [names.controls()[names.folded(name)] for name in called] == called


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"max_depth":5', b'"max_depht":5', "max_depht.*does not know"),
        (b'"max_depth":5', b'"max_depth":5000', "at most 50"),
        (b'"classifier":"tree"', b'"classifier":"sklearn.tree.DecisionTreeClassifier"', "no classifier"),
        (b'"classifier":"tree"', b'"classifier":"tree","module":"os"', "module.*does not know"),
        (b'["tree",', b'["os.system",', "no classifier"),
    ],
)
def test_a_file_names_rows_and_their_parameters_and_nothing_else(old: bytes, new: bytes, sentence: str) -> None:
    lane = Lane("tree").with_part("tree", ESTIMATORS["tree"].settings())
    data = documents.encode(Document(POINTS, (lane,), 1))
    assert old in data
    with pytest.raises(documents.FileError, match=sentence):
        documents.decode(data.replace(old, new))


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_questions_are_answered(name: str) -> None:
    lane, own = lane_of(name), reference(lane_of(name))
    model = run(fitted(lane, POINTS, Pace())).model  # type: ignore[attr-defined]
    probe = probe_lane(model, lane, NamedPoints(POINTS, POINTS, NAMES), (0.3, 0.2))
    assert probe.label == own.predict([[0.3, 0.2]])[0] and NAMES[probe.label] in probe.headline
    scores: list[Scores] = []
    run(Scoring(POINTS, model).answer(scores.append, bool))
    assert scores[-1].accuracy == pytest.approx(own.score(POINTS.xy, POINTS.labels), abs=0.02), "but for ties"
    validated: list[Validated] = []
    run(CrossValidation(lane, POINTS, 3, 0).answer(validated.append, bool))
    assert len(validated[-1].sizes) == 3 and validated[-1].mean > 0.5


@pytest.mark.parametrize("name", [name for name in ROWS if any(each.has_curve for each in ESTIMATORS[name].fields)])
def test_sliders_have_curves_and_films(name: str) -> None:
    lane = lane_of(name)
    field = lane.family.curves(lane.settings)[0]
    query = CurveQuery(POINTS, asked_lane(lane, field.name), field.name, POINTS)
    assert query.field is field
    document = Document(POINTS, (lane, Lane("svm")))
    assert field.name in can_film(document, 0)
    scale = field.scale(len(POINTS))
    sweep = SweepFilm(0, field.name, scale.value_at(scale.low), scale.value_at(scale.low + 3), 3)
    check(document, sweep)
    assert content_of(document, 1, None, (field.parameter, sweep.start, sweep.stop), 3) == sweep
    assert document_with(document, 0, field.name, scale.value_at(scale.low + 3)).lanes[0] != lane


@pytest.mark.slow
def test_a_curve_has_what_the_library_computes() -> None:
    lane = Lane("logistic")
    curves: list[Curve] = []
    run(CurveQuery(POINTS, asked_lane(lane, "logistic_C"), "logistic_C", POINTS).answer(curves.append, bool))
    field = lane.family.field("logistic_C")
    scale = field.scale(len(POINTS))
    assert curves[-1].complete and len(curves[-1].train) == scale.high - scale.low + 1
    for index in (scale.low, *range(scale.low + 5, scale.high, 12), scale.high):  # each takes a training of its own
        wanted = reference(lane.with_value(field, scale.value_at(index))).score(POINTS.xy, POINTS.labels)
        assert curves[-1].train[index - scale.low] == pytest.approx(wanted)


@pytest.mark.parametrize("name", ROWS)
def test_a_study_trains_it(name: str) -> None:
    lane = lane_of(name)
    document = Document(POINTS, (lane,), 1)
    plan = replace(plan_of("learning-curve", lane, document), axes=(AxisPlan("n", "20", "40", "2"),), repetitions="1")
    made = planned(plan, lane, document)
    assert made.study is not None, made.faults
    records = computed(made.study, made.given)
    assert len(records) >= 2 and not any(record.error for record in records)
    assert all(record.values["accuracy"] > 0.5 for record in records)


@pytest.mark.parametrize("name", ROWS)
def test_what_it_cannot_do_is_refused_in_a_sentence(name: str) -> None:
    lane = lane_of(name)
    document = Document(POINTS, (lane, Lane("knn")))
    assert lanes_of(document) == () and lane.family.asking is None
    for content, refusal in ((TrainingFilm(0), "does not train"), (TurnFilm(0), "it gives each class a")):
        with pytest.raises(ValueError, match=refusal):
            check(document, content)
    with pytest.raises(
        ValueError, match=f"^{lane.family.title} is trained by scikit-learn, in one go: it has no steps"
    ):
        lane.estimator()


@pytest.mark.slow
def test_programs_predict_the_same(tmp_path: Path) -> None:
    lanes = [lane_of(name) for name in ROWS]
    cases = {
        f"part{start}": programs.Case.of(
            Document(POINTS, tuple(lanes[start : start + 4]), len(lanes[start : start + 4]), view=View.fitting(POINTS))
        )
        for start in range(0, len(lanes), 4)
    }
    for name, reports in programs.run(cases, tmp_path).items():
        case = cases[name]
        for index in case.lanes:
            expected = reference(case.document.lanes[index]).predict(case.locations)
            assert np.array_equal(reports["predicted"][f"model_{index + 1}"], expected), case.document.lanes[
                index
            ].title


def test_without_the_library_a_file_opens_and_its_lane_names_what_to_install(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EstimatorLearner, "is_available", False)
    data = documents.encode(Document(POINTS, (Lane("forest"), Lane("svm")), view=View.fitting(POINTS)))
    window = make(documents.decode(data))
    settle(qtbot, window)
    assert window.result(0).message.startswith("Random forest needs scikit-learn, which is not installed: pip install")
    assert window.result(1).model is not None


@pytest.mark.slow
def test_with_every_panel_open(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    caught: list[str] = []
    monkeypatch.setattr(log, "caught", lambda what, error=None: caught.append(what))
    window = make(Document(POINTS, (Lane("forest"), Lane("mlp")), view=View.fitting(POINTS)))
    for name in [each.name for each in docks(window.features)]:
        if name != "lesson":
            window.named_actions[name].trigger()
    settle(qtbot, window)
    window.grab()
    assert not caught
    texts = [each.text() for each in window.findChildren(QLabel) if each.isVisible()]
    assert not [each for each in texts if "rror" in each and "training" not in each]
