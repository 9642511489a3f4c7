"""Condensed and edited kNN as classifiers of the window: words, files, probe, evaluation, study, film and refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine.cross_validation import Validated
from app.engine.frames import Frame, LaneRequest, LaneSpec, Phase
from app.engine.lane_job import LaneJob
from app.engine.shading import Shades
from app.exchange import share_text
from app.features.evaluation.scene import CrossValidation
from app.features.film.plan import TrainingFilm, TurnFilm, can_film, check
from app.features.probe.scene import probe_lane
from app.features.probe.tables import NamedPoints
from app.features.race.controller import lanes_of
from app.features.step import text as step_text
from app.features.study.model import measures_of
from app.features.study.planning import plan_of, planned
from app.features.what_if.scene import removable
from app.files import documents
from app.learners.knn import CondensedSettings, EditedSettings
from app.learners.table import LEARNERS
from app.scene import text
from app.scene.compose import fields_of
from app.scene.status_badge import Mood, badge
from app.state.document import Document, GeneratorSettings, Lane, View
from app.state.session import Seek
from solver import Grid, KNeighborsClassifier
from solver.core.certificate import Status
from solver.knn.reduction import ReductionCertificate, ReductionSnapshot
from tests.app.features.study.studies import computed
from tests.windows import Make, settle

GRID = Grid(-2.0, 2.0, -1.5, 1.5, 40, 30)
SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))
POINTS = GeneratorSettings("moons", 30, 0.35).points()
THREE = GeneratorSettings("blobs", 20, 0.9, n_classes=3).points()
NAMES = tuple(f"class {c + 1}" for c in range(8))
CONDENSED, EDITED = Lane("condensed_knn"), Lane("edited_knn")
LANES = (
    CONDENSED,
    EDITED,
    CONDENSED.with_part("condensed_knn", CondensedSettings("manhattan", shuffle=False)),
    EDITED.with_part("edited_knn", EditedSettings(5, "minkowski", 2.5, repeated=False)),
)


class Background:
    """A LaneJob driven in the test's own thread."""

    def __init__(self, lane: Lane, points: Points = POINTS) -> None:
        self._frames: list[Frame] = []
        self._job, self._lane, self._points, self._number = LaneJob(self._frames.append), lane, points, 0

    def last(self, seek: Seek | None = None, compiled: bool = True) -> Frame:
        self._number += 1
        spec = LaneSpec(self._points, self._lane, GRID, SHADES, seek is not None, math.inf, 0, compiled, seek)
        list(self._job(LaneRequest(self._number, 0, spec), bool))
        return self._frames[-1]


def words(lane: Lane, **numbers: Any) -> str:
    known = {"status": Status.OPTIMAL, "n_points": 200, "n_kept": 31, "n_wrong": 0, "n_epochs": 3, "n_iter": 500}
    certificate = ReductionCertificate(**known | numbers)
    return LEARNERS[lane.classifier].verdict((certificate,), lane.settings).text


def test_the_certificates_in_words() -> None:
    assert words(CONDENSED) == "Consistent: 1-NN on 31 of 200 points classifies all 200 as they are labelled"
    contradiction = words(CONDENSED, status=Status.STATIONARY, n_wrong=2)
    assert contradiction.endswith("but 2 points lie where points of other classes lie")
    assert words(EDITED) == "No point left that its neighbours outvote: 31 of 200 points kept after 3 passes"
    assert words(LANES[3]).startswith("Edited once: 31 of 200 points kept")
    assert words(LANES[3], n_kept=200).startswith("No point left")
    assert words(EDITED, status=Status.STOPPED_EARLY).startswith(
        "Stopped: the others outvote every point of some class,"
    )


def test_the_decision_in_words() -> None:
    certificate = ReductionCertificate(Status.RUNNING, 9, 4, 2, 1, 5)

    def report(lane: Lane, touched: int, own: float, against: float, changed: bool) -> str:
        nothing = np.empty(0, dtype=np.intp)
        state = ReductionSnapshot(np.ones(9, dtype=bool), touched, nothing, own, against, changed, certificate)
        return lane.family.operation(state)

    assert "first point" in report(CONDENSED, -1, 0, 0, False)
    assert "of another class: this point is kept" in report(CONDENSED, 3, 0, 1, True)
    assert "of several classes: this point is kept" in report(CONDENSED, 3, 0.5, 0.5, True)
    assert "not needed" in report(CONDENSED, 3, 1, 0, False)
    assert report(EDITED, -1, 0, 0, False) == ""
    assert report(EDITED, 3, 1, 2, True).startswith(
        "Its nearest others: 1 vote for its class, 2 for another. This point"
    )
    assert "outvoted and removed" in report(EDITED, 3, 1, 2, True) and "stays" in report(EDITED, 3, 2, 1, False)


@pytest.mark.parametrize("lane", LANES)
def test_in_a_lane(lane: Lane) -> None:
    frame = Background(lane).last()
    assert frame.phase is Phase.DONE and frame.full and frame.picture is not None and len(frame.picture.boundary)
    model: Any = frame.model
    assert np.array_equal(frame.marks.chosen, model.sample_indices_) and 0 < len(frame.marks.chosen) < len(POINTS)
    assert badge(frame).mood is Mood.CERTIFIED
    assert text.headline(frame, lane) == lane.family.verdict(frame.certificates, lane.settings).text
    assert f"{len(frame.marks.chosen)} of 60 points kept" in text.details(frame)
    assert (frame.accuracy == 1.0) == (lane.classifier == "condensed_knn")
    assert frame.run_state is not None and frame.run_state.trace.names == ("kept", "wrong")
    assert step_text.closing(frame.run_state) == f"{text.headline(frame, lane)}."
    assert step_text.sentence(frame.run_state) == frame.run_state.operation
    assert fields_of(lane, [0, 1, 2]) >= {"speed", "metric"} and "pair" not in fields_of(lane, [0, 1, 2])


def test_the_picture_is_that_of_the_points_kept_so_far() -> None:
    for lane in LANES:
        background = Background(lane, THREE)
        end = background.last()
        assert end.run_state is not None
        for serial, step in enumerate((0, 1, end.run_state.length // 3, end.run_state.length), 1):
            frame = background.last(Seek(end.run_state.recording, step, "step", serial))
            model: Any = frame.model
            assert frame.run_state is not None and frame.run_state.step == step
            kept, metric = frame.marks.chosen, {"metric": model.metric, "p": model.p}
            alone = KNeighborsClassifier(model.n_neighbors, **metric).fit(THREE.xy[kept], THREE.labels[kept])
            locations = np.random.default_rng(0).uniform(-3, 3, (200, 2))
            assert np.array_equal(model.predict_proba(locations), alone.predict_proba(locations))


def test_condensing_does_not_wait_for_the_compiled_loops() -> None:
    assert Background(CONDENSED).last(compiled=False).phase is Phase.DONE
    assert Background(EDITED).last(compiled=False).phase is Phase.EMPTY


@pytest.mark.parametrize("lane", LANES)
def test_in_files_probe_and_evaluation(lane: Lane) -> None:
    document = Document(POINTS, (lane, Lane("knn")))
    assert documents.decode(documents.encode(document)).lanes == document.lanes
    assert share_text.decode(share_text.encode(document)).lanes[0] == lane
    frame = Background(lane).last()
    assert frame.model is not None
    probe = probe_lane(frame.model, lane, NamedPoints(POINTS, POINTS, NAMES), (0.3, 0.2))
    assert probe.sketch is not None
    assert {tuple(each) for each in probe.sketch.ends} <= {tuple(each) for each in POINTS.xy[frame.marks.chosen]}
    validated: list[Validated] = []
    list(CrossValidation(lane, POINTS, 5, 0).answer(validated.append, bool))
    assert len(validated[-1].sizes) == 5 and validated[-1].mean > 0.7 and not validated[-1].unfinished


def test_in_a_study() -> None:
    document = Document(POINTS, (EDITED,), 1)
    found = planned(plan_of("grid", EDITED, document), EDITED, document)
    assert found.study is not None and not found.faults
    assert "steps" in measures_of(EDITED) and "dual" not in measures_of(EDITED)
    records = computed(found.study, found.given)
    assert {record.status for record in records} <= {"optimal", "stopped early"}
    assert not any(record.error for record in records)


def test_its_points_are_chosen_already_no_idle_one_is_removed() -> None:
    frame = Background(CONDENSED).last()
    assert frame.neighbours is not None and frame.points is POINTS
    document = Document(POINTS, (CONDENSED,), 1)
    assert not removable(document, frame).idle
    of_knn = Background(Lane("knn")).last()
    assert removable(replace(document, lanes=(Lane("knn"),)), of_knn).idle


def test_a_film_of_the_training_and_no_relief_and_no_race() -> None:
    document = Document(POINTS, (CONDENSED, EDITED))
    assert can_film(document, 0) == ("training",) and can_film(document, 1) == ("training", "k")
    check(document, TrainingFilm(0))
    with pytest.raises(ValueError, match="Condensed kNN has no f: it counts votes"):
        check(document, TurnFilm(0))
    assert lanes_of(document) == ()


@pytest.mark.slow
def test_in_the_window(make: Make, qtbot: QtBot) -> None:
    window = make(Document(POINTS, (CONDENSED, EDITED), view=View.fitting(POINTS)))
    for name in ("step", "curves", "loss", "alphas", "relief", "kkt"):
        window.named_actions[name].trigger()
    settle(qtbot, window)
    playback = window.controller.playback
    ends = [window.result(lane).run_state.length for lane in range(2)]
    for lane, end in enumerate(ends):
        playback.step(lane, -1)
        settle(qtbot, window)
        assert window.result(lane).run_state.step == end - 1
        playback.to_change(lane, forward=False)
        settle(qtbot, window)
        now = window.result(lane)
        assert now.run_state.step < end - 1 and len(now.run_state.pair) > 1
        shown = window.scene.lanes[lane]
        assert (
            shown.shows_pair
            and "chosen" in window.scene.legend_kinds
            and shown.marks.chosen.tolist() == now.marks.chosen.tolist()
        )
        playback.to_end(lane)
        settle(qtbot, window)
        assert window.result(lane).run_state.at_end
    window.appearance.choose_theme("dark")
    settle(qtbot, window)
    assert not window.grab().isNull()
