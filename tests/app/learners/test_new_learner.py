"""A new learner is one class and its row: it works everywhere, or a sentence explains what it lacks.

Form and lane, files and share text, probe, evaluation, curve, study, film, code, and every panel.
"""

from __future__ import annotations

import math
import re
from html import unescape
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import pytest
from msgspec import Meta
from PySide6.QtWidgets import QLabel, QSlider
from pytestqt.qtbot import QtBot

from app.core import log
from app.core.points import Points
from app.engine.cross_validation import Validated
from app.engine.export_surface import enlarge
from app.engine.frames import Frame, LaneRequest, LaneSpec, Picture
from app.engine.lane_job import LaneJob
from app.engine.shading import Shades
from app.exchange import share_text
from app.features.code.program import program
from app.features.evaluation.scene import CrossValidation
from app.features.film.plan import SweepFilm, TrainingFilm, TurnFilm, can_film, check, document_with
from app.features.probe.scene import probe_lane
from app.features.probe.tables import NamedPoints
from app.features.race.controller import lanes_of
from app.features.scores.scene import Scores, Scoring
from app.features.study.model import measures_of
from app.features.study.planning import plan_of, planned
from app.features.validation_curves.scene import Curve, CurveQuery, asked_lane
from app.features.validation_curves.view_curve import sentence
from app.files import documents
from app.learners.base import Learner
from app.learners.fields import Field
from app.learners.model import SharesModel
from app.learners.scales import LinearScale, LogScale
from app.learners.table import LEARNERS
from app.scene import text
from app.scene.status_badge import SIGNS, Mood, badge
from app.state.document import Document, GeneratorSettings, Lane, View
from app.state.edit_struct import changed_struct
from app.state.split import Split
from app.views.widgets.scale_slider import ScaleSlider
from app.window.dock_manager import docks
from solver import Grid
from tests.app.features.study.studies import computed
from tests.app.views.lane.test_forms import choose, find, type_into
from tests.windows import Make, finish_tasks, is_visible, open_settings, save_as, settle

GRID = Grid(-2.0, 2.0, -1.5, 1.5, 40, 30)
SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))
POINTS = GeneratorSettings("blobs", 20, 0.3, n_classes=3).points()
NAMES = tuple(f"class {c + 1}" for c in range(8))


class CentroidSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    shrinkage: Annotated[float, Meta(ge=0, le=1)] = 0.0
    rounded: bool = False
    nearness: Literal["gaussian", "laplacian"] = "gaussian"
    C: Annotated[float, Meta(ge=0.5, le=8, extra={"steps": (0.5, 8, 0.5)})] = 1.0


class CentroidModel(SharesModel):
    def __init__(self, points: Points, settings: CentroidSettings) -> None:
        self.classes_ = np.array(points.classes)
        own = np.array([points.xy[points.labels == c].mean(axis=0) for c in points.classes])
        centres = own + settings.shrinkage * (points.xy.mean(axis=0) - own)
        self.centres = np.round(centres) if settings.rounded else centres
        self.power, self.C = 2 if settings.nearness == "gaussian" else 1, settings.C

    def predict_proba(self, X: Any) -> np.ndarray:
        nearness = np.exp(-self.C * (np.linalg.norm(np.asarray(X)[:, None, :] - self.centres, axis=2) ** self.power))
        return nearness / nearness.sum(axis=1, keepdims=True)


class Centroids(Learner[CentroidSettings]):
    title = "Nearest centroid"
    short = "Centroids"
    note = "The class with the nearest mean."
    settings = CentroidSettings
    fields = (
        Field(
            "shrinkage",
            "number",
            "Shrinkage",
            "How far each mean moves towards the mean of all points.",
            primary=True,
            change="Set the shrinkage to {value}",
        ),
        Field("rounded", "check", "Rounded", "Means in whole numbers."),
        Field(
            "nearness",
            "choice",
            "Nearness",
            "How fast it falls with the distance.",
            choices=(("Gaussian", "gaussian", "exp(−d²)"), ("Laplacian", "laplacian", "exp(−d)")),
            shown=lambda settings, classes: not settings.rounded,
        ),
        Field("C", "slider", "C", "How fast it falls: a C as that of an SVM, but for its limits.", has_curve=True),
    )

    def name(self, settings: CentroidSettings) -> str:
        return f"Nearest centroid, shrinkage {settings.shrinkage:g}"

    def fit(self, settings: CentroidSettings, points: Points, left_out: int = 0) -> CentroidModel:
        if not len(points):
            raise ValueError("A centroid needs at least one point.")
        return CentroidModel(points, settings)


@pytest.fixture
def lane(monkeypatch: pytest.MonkeyPatch) -> Lane:
    monkeypatch.setitem(LEARNERS, "centroid", Centroids())
    return Lane("centroid").with_part("centroid", CentroidSettings(0.25))


def frame_of(lane: Lane) -> Frame:
    frames: list[Frame] = []
    list(
        LaneJob(frames.append)(LaneRequest(1, 0, LaneSpec(POINTS, lane, GRID, SHADES, False, math.inf, 0, True)), bool)
    )
    return frames[-1]


def test_in_a_lane(lane: Lane) -> None:
    frame = frame_of(lane)
    assert frame.full and frame.picture is not None and len(frame.picture.boundary) and not frame.message
    assert frame.model is not None and frame.accuracy == (frame.model.predict(POINTS.xy) == POINTS.labels).mean()
    assert lane.title == "Nearest centroid, shrinkage 0.25"
    assert text.headline(frame, lane) == "The class with the nearest mean"
    assert badge(frame).mood is Mood.UNPROVED and badge(frame).short == "trained"
    assert "training accuracy" in text.details(frame)


class Plain(Learner[CentroidSettings]):
    """A learner that overrides nothing but what is needed."""

    title = "Nearest centroid of a class, without words of its own"
    short = "Plain"
    note = "The class whose mean is nearest to the point of the plane that is coloured."
    settings = CentroidSettings

    def fit(self, settings: CentroidSettings, points: Points, left_out: int = 0) -> CentroidModel:
        return CentroidModel(points, settings)


def test_a_learner_that_overrides_nothing_shows_its_accuracies(
    monkeypatch: pytest.MonkeyPatch, make: Make, qtbot: QtBot
) -> None:
    monkeypatch.setitem(LEARNERS, "plain", Plain())
    half = Split("ratio", 0.5)
    lanes = Lane("plain"), Lane("knn"), Lane("svm")
    window = make(Document(POINTS, lanes, 3, view=View.fitting(POINTS), split=half))
    window.resize(1024, 768)
    settle(qtbot, window)
    strips = [find(window, f"lane{index}.status") for index in range(3)]
    shown = [unescape(re.sub("<[^>]*>", "", strip.text())).replace("\xa0", " ") for strip in strips]
    assert shown[0].startswith(f" {SIGNS[Mood.UNPROVED]} trained "), "two words at most, and no proof"
    assert all("training " in each and "test " in each for each in shown), shown


@pytest.mark.slow
def test_in_the_form(lane: Lane, make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(Document(POINTS, (lane, Lane("svm")), view=View.fitting(POINTS)), size=(1280, 800))
    field = find(window, "lane0.shrinkage")
    assert find(window, "lane0.classifier").shown_text() == "1  Centroids"
    before = [each.text() for each in field.parentWidget().findChildren(QLabel) if each.isVisible()]
    assert before == ["Shrinkage"], "a number in the row does not say itself what it is about"
    assert not is_visible(window, "lane0.nearness")
    open_settings(window, 0)
    assert find(window, "lane0.nearness").isVisible()
    assert field.isVisible() and field.text() == "0.25" and field.accessibleName() == "Shrinkage, classifier 1"
    assert not any(is_visible(window, f"lane0.{name}") for name in ("k", "kernel", "tol", "speed"))
    type_into(window, "lane0.shrinkage", "1")
    settle(qtbot, window)
    assert window.document.lanes[0].settings.shrinkage == 1
    assert np.ptp(window.result(0).model.centres, axis=0).max() < 1e-12
    assert window.controller.store.undo_name == "Set the shrinkage to 1"
    type_into(window, "lane0.shrinkage", "2")
    assert window.document.lanes[0].settings.shrinkage == 1, "out of its range"
    window.controller.undo()
    settle(qtbot, window)
    assert window.document.lanes[0] == lane and field.text() == "0.25"
    choose(window, "lane0.nearness", "laplacian")
    find(window, "lane0.rounded").click()
    settle(qtbot, window)
    assert not is_visible(window, "lane0.nearness") and window.result(0).model.power == 1
    save_as(window, tmp_path / "centroid.playground")
    finish_tasks(window)
    loaded = documents.decode((tmp_path / "centroid.playground").read_bytes())
    assert loaded.lanes[0].settings == CentroidSettings(0.25, True, "laplacian")
    choose(window, "lane0.classifier", "svm")
    settle(qtbot, window)
    assert [each.isVisible() for each in window.findChildren(ScaleSlider, "lane0.C.slider")].count(True) == 1
    assert not field.isVisible()


def test_in_files(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    data = documents.encode(Document(POINTS, (Lane("knn"), lane)))
    assert documents.decode(data).lanes == (Lane("knn"), lane)
    kept = changed_struct(lane, {"classifier": "svm"})
    assert documents.decode(documents.encode(Document(POINTS, (kept,), 1))).lanes[0].part("centroid").shrinkage == 0.25
    assert b"others" not in documents.encode(Document(POINTS))
    monkeypatch.delitem(LEARNERS, "centroid")
    with pytest.raises(documents.FileError, match="no classifier 'centroid'"):
        documents.decode(data)


def test_in_probe_evaluation_and_picture(lane: Lane) -> None:
    frame = frame_of(lane)
    model = frame.model
    assert model is not None
    probe = probe_lane(model, lane, NamedPoints(POINTS, POINTS, NAMES), (0.3, 0.2))
    assert probe.tables[0].title == "Probabilities" and probe.tables[0].header == ("class", "probability")
    assert probe.label == model.predict(np.array([[0.3, 0.2]]))[0] and NAMES[probe.label] in probe.headline
    scores: list[Scores] = []
    list(Scoring(POINTS, model).answer(scores.append, bool))
    assert scores[0].accuracy == pytest.approx(frame.accuracy)
    validated: list[Validated] = []
    list(CrossValidation(lane, POINTS, 5, 0).answer(validated.append, bool))
    assert len(validated[-1].sizes) == 5 and validated[-1].mean > 0.5
    pictures: list[Picture | str] = []
    list(enlarge(frame, Grid(-2.0, 2.0, -1.5, 1.5, 200, 150), SHADES, pictures.append, bool))
    assert isinstance(pictures[0], Picture) and len(pictures[0].boundary)


def test_its_slider_has_its_own_scale(lane: Lane, make: Make, qtbot: QtBot) -> None:
    window = make(Document(POINTS, (lane, Lane("svm")), view=View.fitting(POINTS)))
    open_settings(window, 0)
    own = [each for each in window.findChildren(ScaleSlider, "lane0.C.slider") if each.isVisible()]
    assert [each.scale for each in own] == [LinearScale(0.5, 8, 0.5)]
    assert find(window, "lane1.C.slider").scale == LogScale(-4, 6)
    own[0].setSliderPosition(own[0].position_of(3.0))
    own[0].triggerAction(QSlider.SliderAction.SliderMove)
    settle(qtbot, window)
    assert window.document.lanes[0].settings.C == 3.0 and window.document.lanes[1].svm.C == 1.0
    assert window.result(0).model.C == 3.0


def test_in_a_share_text(lane: Lane) -> None:
    shared = share_text.decode(share_text.encode(Document(POINTS, (lane, Lane("knn")))))
    assert shared.lanes[0] == lane


def test_in_a_curve(lane: Lane) -> None:
    curves: list[Curve] = []
    query = CurveQuery(POINTS, asked_lane(lane, "C"), "C", POINTS)
    list(query.answer(curves.append, bool))
    values = [query.field.scale(len(POINTS)).value_at(index) for index in range(16)]
    wanted = [
        (CentroidModel(POINTS, CentroidSettings(0.25, C=C)).predict(POINTS.xy) == POINTS.labels).mean() for C in values
    ]
    assert curves[-1].complete and curves[-1].train.tolist() == wanted == curves[-1].test.tolist()
    assert not np.isnan(curves[-1].validated).any() and curves[-1].finished.all()
    assert sentence(curves[-1], 15, False).startswith("C = 8: training ")


def test_in_a_study(lane: Lane) -> None:
    document = Document(POINTS, (lane,), 1)
    plan = plan_of("grid", lane, document)
    assert [axis.name for axis in plan.axes] == ["C", "n"] and plan.axes[0].stop == "8"
    found = planned(plan, lane, document)
    assert found.study is not None and not found.faults and "steps" not in measures_of(lane)
    records = computed(found.study, found.given)
    assert {record.status for record in records} == {"exact"} and not any(record.error for record in records)
    mean = CrossValidation(lane.with_value(lane.family.field("C"), 0.5), POINTS, 5, 0)
    validated: list[Validated] = []
    list(mean.answer(validated.append, bool))
    whole = [record for record in records if found.study.choice(record.cell) == {"C": 0.5, "n": 20}]
    assert np.mean([record.values["accuracy"] for record in whole]) == pytest.approx(validated[-1].mean)


def test_in_a_film_and_a_program(lane: Lane) -> None:
    document = Document(POINTS, (lane, Lane("svm")))
    assert can_film(document, 0) == ("C",)
    sweep = SweepFilm(0, "C", 1, 8, 8)
    check(document, sweep)
    assert sweep.values(document) == tuple(range(1, 9))
    assert document_with(document, 0, "C", 4.0).lanes[0].settings == CentroidSettings(0.25, C=4.0)
    for content, refusal in (
        (TrainingFilm(0), "does not train; its C can be swept"),
        (TurnFilm(0), "it gives each class a"),
    ):
        with pytest.raises(ValueError, match=refusal):
            check(document, content)
    text = program(document).text
    assert "Nearest centroid, shrinkage 0.25" in text and "scikit-learn has nothing like it." in text


def test_a_race_and_a_training_are_refused(lane: Lane) -> None:
    assert lanes_of(Document(POINTS, (lane, Lane("knn")))) == ()
    with pytest.raises(ValueError, match=r"^Nearest centroid does not train by steps\.$"):
        lane.estimator()


@pytest.mark.slow
def test_with_every_panel_open(
    lane: Lane, make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caught: list[str] = []
    monkeypatch.setattr(log, "caught", lambda what, error=None: caught.append(what))
    window = make(Document(POINTS, (lane, Lane("svm")), view=View.fitting(POINTS)))
    for name in [each.name for each in docks(window.features)]:
        if name != "lesson":
            window.named_actions[name].trigger()
    settle(qtbot, window)
    window.grab()
    assert not caught
    texts = [each.text() for each in window.findChildren(QLabel) if each.isVisible()]
    assert not [each for each in texts if "rror" in each and "training" not in each]
