"""Cross-validation: evaluation, validation curves and studies report one accuracy of one classifier."""

from __future__ import annotations

import pytest

from app.core.points import Points
from app.engine.cross_validation import PathOfC, Validated, cross_validated
from app.engine.pacing import Pace
from app.features.evaluation.scene import CrossValidation
from app.features.study.cells import digest_of
from app.features.study.model import Study, StudyAxis
from app.features.validation_curves import scene as curves
from app.learners.svm import SvmSettings
from app.state.document import GeneratorSettings, Lane
from tests.app.features.study.studies import computed, given_of

TWO = GeneratorSettings(count=30, noise=0.4).points()
THREE = GeneratorSettings("blobs", count=15, n_classes=3, noise=0.9).points()


def evaluated(lane: Lane, points: Points) -> Validated:
    posted: list[Validated] = []
    list(CrossValidation(lane, points, curves.FOLDS, curves.SEED).answer(posted.append, lambda: False))
    return posted[-1]


@pytest.mark.parametrize("points", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("trainer", ["smo", "lasvm", "dual-ascent"])
def test_one_classifier_has_one_accuracy(points: Points, trainer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scale = Lane("svm").family.field("C").scale(len(points))
    C = scale.value_at(scale.position_of(3.0))
    lane = Lane("svm", svm=SvmSettings(C=C, gamma=2.0, tol=1e-6, trainer=trainer))
    reported = evaluated(lane, points)
    assert 0.5 < reported.mean < 1.0 and not reported.unfinished

    monkeypatch.setattr(curves, "order_of", lambda count: [scale.position_of(C) - scale.low])
    drawn: list[curves.Curve] = []
    query = curves.CurveQuery(points, curves.asked_lane(lane, "C"), "C")
    list(query.answer(drawn.append, lambda: False))
    assert drawn[-1].validated[scale.position_of(C) - scale.low] == pytest.approx(reported.mean, abs=1e-12)

    study = Study("grid", (StudyAxis("C", (C,)),), lane=lane, digest=digest_of(points, Points()), folds=curves.FOLDS)
    cells = computed(study, given_of(points))
    assert not any(record.error for record in cells), cells
    accuracies = [record.values["accuracy"] for record in cells]
    assert accuracies == pytest.approx(reported.accuracies.tolist(), abs=1e-12)


def test_the_result_is_what_was_posted_last() -> None:
    for lane, k in ((Lane("knn"), 0), (Lane("knn"), 4), (Lane("svm"), 4)):
        posted: list[Validated] = []
        work = cross_validated(lane, TWO, k, 1, Pace(), posted.append)
        while True:
            try:
                next(work)
            except StopIteration as end:
                assert end.value is posted[-1]
                break


def test_which_lanes_go_on_from_one_C_to_the_next() -> None:
    lane = Lane("svm")
    assert PathOfC.suits(lane, 5000, 800) and not PathOfC.suits(lane, 5001)
    assert not PathOfC.suits(lane, 5000, 801), "the kernel values that are kept have a limit"
    for other in (SvmSettings("sigmoid"), SvmSettings(hard_margin=True), SvmSettings(trainer="dual-ascent")):
        assert not PathOfC.suits(Lane("svm", svm=other), 10)
    assert not PathOfC.suits(Lane("svm", standardise=True), 10) and not PathOfC.suits(Lane("knn"), 10)
