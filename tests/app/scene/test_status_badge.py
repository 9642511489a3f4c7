"""Badges: they report what the certificates of a lane prove, and no more."""

from __future__ import annotations

import math
from typing import Any

import pytest

from app.core.number_format import short
from app.engine.frames import Frame, Phase
from app.scene.status_badge import NO_BADGE, Mood, badge
from app.state.document import Lane, PegasosSettings, PerceptronSettings
from solver import Certificate, Status
from tests.app.engine.test_lane_job import Background, four_blobs, knn, spec, svm, two_moons
from tests.copies import replace


def finished(lane: Lane, **changes: Any) -> Frame:
    return Background().finish(spec(changes.pop("points", two_moons()), lane, **changes))


def with_status(frame: Frame, status: Status, **values: Any) -> Frame:
    machine = frame.certificates[0]
    assert isinstance(machine, Certificate)
    return replace(frame, certificates=(replace(machine, status=status, **values),))


def test_an_optimal_training_is_reported_with_its_numbers() -> None:
    frame = finished(svm(tol=1e-3))
    report = badge(frame)
    machine = frame.certificates[0]
    assert isinstance(machine, Certificate) and machine.kkt_violation <= 1e-3
    assert report.mood is Mood.CERTIFIED and report.text.startswith("optimal: KKT ") and "gap" in report.text


def test_of_several_problems_the_worst_counts() -> None:
    frame = finished(svm(tol=1e-2), points=four_blobs())
    worst = max(c.kkt_violation for c in frame.certificates if isinstance(c, Certificate))
    assert badge(frame).text.startswith(f"optimal: KKT {short(worst)}, gap")
    one, *others = frame.certificates
    assert isinstance(one, Certificate)
    bad = replace(frame, certificates=(replace(one, status=Status.STOPPED_EARLY, n_iter=1234), *others))
    assert badge(bad).mood is Mood.DOUBTFUL and badge(bad).text.startswith("stopped early: at step 1\u202f234, ")


@pytest.mark.parametrize(
    ("status", "values", "mood", "words"),
    [
        (Status.NOT_SEPARABLE, {"margin_bound": 2.5e-7}, Mood.DOUBTFUL, "not separable: the margin is below 2.5e-7"),
        (Status.STOPPED_EARLY, {"n_iter": 7}, Mood.DOUBTFUL, "stopped early: at step 7, KKT"),
        (Status.PRECISION, {"gap": 1e-4}, Mood.CERTIFIED, "optimal: to double precision, KKT"),
        (Status.PRECISION, {"gap": 0.5}, Mood.DOUBTFUL, "not certified: double precision ends here"),
        (Status.STATIONARY, {"gap": math.nan}, Mood.CERTIFIED, "stationary: KKT"),
    ],
)
def test_each_end_has_its_words(status: Status, values: dict[str, Any], mood: Mood, words: str) -> None:
    report = badge(with_status(finished(svm()), status, **values))
    assert report.mood is mood and report.text.startswith(words)
    if math.isnan(values.get("gap", 0.0)):
        assert "gap" not in report.text, "without a primal bound there is no gap"


def test_on_its_way_a_training_is_not_certified() -> None:
    frame = finished(svm(), paused=True)
    assert frame.phase is Phase.PAUSED
    assert badge(frame).mood is Mood.RESTING and "step 0" in badge(frame).text
    moving = replace(frame, phase=Phase.TRAINING)
    assert badge(moving).mood is Mood.MOVING and badge(moving).short == "step 0"
    assert badge(frame).short == "paused" and badge(replace(moving, run_state=None)).short == "still moving"
    assert frame.provisional and not finished(svm()).provisional


def test_lanes_without_multipliers_have_words_of_their_own() -> None:
    assert badge(None) is NO_BADGE
    assert badge(finished(knn(n_neighbors=3))).text == "exact: the 3 nearest of 80 vote"
    assert badge(finished(knn(n_neighbors=99))).text == "all tied: no class is ahead"
    perceptron = badge(finished(Lane("perceptron", perceptron=PerceptronSettings(max_iter=5))))
    assert perceptron.mood is Mood.DOUBTFUL and "mistakes" in perceptron.text
    pegasos = badge(finished(Lane("pegasos", pegasos=PegasosSettings(n_iter=2000))))
    assert "from optimal" in pegasos.text


LANES = (
    knn(n_neighbors=3),
    knn(n_neighbors=99),
    svm(),
    svm(trainer="lasvm", finish=False, n_epochs=1),
    svm(trainer="dual-ascent"),
    Lane("perceptron", perceptron=PerceptronSettings(max_iter=5)),
    Lane("pegasos", pegasos=PegasosSettings(n_iter=20)),
)


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.title)
def test_a_badge_has_two_words_at_most_and_the_rest_is_in_its_tip(lane: Lane) -> None:
    frames = [finished(lane), finished(lane, paused=True)]
    frames += [replace(frame, phase=Phase.TRAINING) for frame in frames]
    if frames[0].certificates and isinstance(frames[0].certificates[0], Certificate):
        frames += [with_status(frames[0], status, margin_bound=1e-7) for status in Status]
    for frame in frames:
        shown = badge(frame)
        assert 1 <= len(shown.short.split(" ")) <= 2 and "," not in shown.short, shown.text
        assert shown.text.startswith(shown.short)
