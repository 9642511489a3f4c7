"""Training at once: results for many points, the order of the pieces, and what stops them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn import svm as theirs

from app.core.number_format import about
from app.core.points import Points
from app.engine import fast_run, pacing
from app.engine.fast_run import FastRun
from app.engine.fitting import fitted
from app.engine.frames import FastProgress, Frame, LaneRequest, LaneSpec, Phase
from app.engine.lane_job import LaneJob
from app.engine.pacing import Pace
from app.learners import svm
from app.learners.base import Measured
from app.scene import text
from app.scene.compose import training_times
from app.state.document import Document, Lane, SvmSettings
from solver import Grid, Status
from solver.data.datasets import generate
from solver.svm.auto import AutoSolver
from tests.covering import first_of

from .test_lane_job import LIGHT

GRID = Grid(-2.0, 3.0, -2.0, 2.5, 60, 50)
FEW = 400


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svm, "STEPPED", FEW)


def moons(n: int, noise: float = 0.3, n_classes: int = 2) -> Points:
    name = "moons" if n_classes == 2 else "blobs"
    return Points.of(*generate(name, n // n_classes, noise=noise, seed=0, n_classes=n_classes))


MANY = moons(2 * FEW)


def lane(**settings: Any) -> Lane:
    return Lane("svm", svm=SvmSettings(**settings))


class Background:
    """A lane's job, driven in the test's own thread."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.job = LaneJob(self.frames.append)
        self._numbers = count(1)

    def spec(self, points: Points, of: Lane, **changes: Any) -> LaneSpec:
        return replace(LaneSpec(points, of, GRID, LIGHT, False, math.inf, 0, True), **changes)

    def start(self, points: Points, of: Lane, overtaken: Callable[[], bool] = lambda: False, **changes: Any) -> Any:
        self.frames.clear()
        return self.job(LaneRequest(next(self._numbers), 0, self.spec(points, of, **changes)), overtaken)

    def finish(self, points: Points, of: Lane, **changes: Any) -> Frame:
        for _ in self.start(points, of, **changes):
            pass
        return self.frames[-1]


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Return the number of points of each training that was begun."""
    begun: list[int] = []
    made = AutoSolver.__init__

    def begin(self: AutoSolver, X: Any, y: Any, kernel: Any, **parameters: Any) -> None:
        begun.append(len(y))
        made(self, X, y, kernel, **parameters)

    monkeypatch.setattr(AutoSolver, "__init__", begin)
    return begun


def test_up_to_the_limit_smo_is_shown_step_by_step() -> None:
    few = moons(FEW)
    frame = Background().finish(few, lane())
    assert len(few) == FEW and frame.run_state is not None and frame.fast_run is None
    assert frame.run_state.length > 0 and frame.run_state.at_end


@pytest.mark.parametrize(
    "settings", first_of([{"gamma": 5.0, "class_weight": "balanced"}, {}, {"C": 30.0, "kernel": "linear"}], 1)
)
def test_the_answer_is_that_of_libsvm(settings: dict[str, Any]) -> None:
    background = Background()
    frame = background.finish(MANY, lane(tol=1e-5, **settings))
    s = lane(**settings).svm
    weight = None if s.class_weight == "equal" else s.class_weight
    peer = theirs.SVC(C=s.C, kernel=s.kernel, gamma=s.gamma, tol=1e-6, class_weight=weight).fit(MANY.xy, MANY.labels)
    assert frame.phase is Phase.DONE and frame.full and not frame.provisional and frame.run_state is None
    assert np.abs(frame.model.decision_function(MANY.xy) - peer.decision_function(MANY.xy)).max() < 2e-3
    assert frame.accuracy == pytest.approx((frame.model.predict(MANY.xy) == MANY.labels).mean())
    wrong = np.flatnonzero(frame.model.predict(MANY.xy) != MANY.labels)
    assert np.array_equal(frame.marks.wrong, wrong)
    assert set(frame.marks.free) | set(frame.marks.bounded) == set(frame.model.support_)
    assert not set(frame.marks.free) & set(frame.marks.bounded) and len(frame.marks.free)
    if s.class_weight == "equal":
        at_bound = np.abs(frame.model.dual_coef_[0]) == s.C
        assert set(frame.marks.bounded) == set(frame.model.support_[at_bound])


@pytest.mark.slow
def test_the_certificate_holds_when_it_is_worked_out_anew() -> None:
    points = moons(2600)
    frame = Background().finish(points, lane(C=3.0))
    proof, model = frame.certificate, frame.model
    assert proof.status is Status.OPTIMAL and proof.kernel_error > 0, "sums by expansion"
    beta = np.zeros(len(points))
    beta[model.support_] = model.dual_coef_[0]
    X, y = points.xy, np.where(points.labels == 1, 1.0, -1.0)
    K = np.exp(-((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))
    dual = np.abs(beta).sum() - 0.5 * beta @ K @ beta
    f = K @ beta + model.intercept_[0]
    primal = 0.5 * beta @ K @ beta + 3.0 * np.maximum(0, 1 - y * f).sum()
    assert proof.dual <= dual * (1 + 1e-12) and dual <= primal
    assert (primal - dual) / primal < 1e-3 and 0 <= proof.gap < 1e-3
    v = y - K @ beta
    violation = v[beta < np.where(y > 0, 3.0, 0)].max() - v[beta > np.where(y > 0, 0, -3.0)].min()
    assert violation <= proof.kkt_violation + 2 * proof.kernel_error + 1e-9
    assert "an error of f of" in " ".join(frame.lane.family.numbers(frame.certificates, frame.lane.settings))


def test_first_a_rough_picture_then_the_answer(prepared: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_run, "ROUGH", 100)
    background = Background()
    job = background.start(MANY, lane())
    while not background.frames:
        next(job)
    rough = background.frames[0]
    assert prepared == [100], "nothing else is begun before the first picture"
    assert rough.phase is Phase.TRAINING and rough.provisional and rough.points is MANY and not len(rough.marks.bounded)
    assert rough.certificates == () and math.isnan(rough.accuracy) and rough.fast_run is not None
    assert (rough.model.predict(MANY.xy) == MANY.labels).mean() > 0.7
    for _ in job:
        pass
    assert prepared == [100, len(MANY)] and background.frames[-1].phase is Phase.DONE


def test_a_paused_lane_trains_when_it_continues_and_not_before(prepared: list[int]) -> None:
    background = Background()
    frame = background.finish(MANY, lane(), paused=True)
    assert frame.phase is Phase.PAUSED and frame.full and frame.provisional and len(MANY) not in prepared[1:]
    assert text.headline(frame, frame.lane).startswith("Paused: not trained on all points yet")
    rough = len(prepared)
    assert background.finish(MANY, lane()).phase is Phase.DONE
    assert len(prepared) == rough + 1, "the rough answer was known"


def test_another_view_goes_on_with_the_training_and_another_c_begins_one(
    prepared: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    points, background = moons(3000), Background()
    stopped = False
    job = background.start(points, lane(), lambda: stopped)
    with monkeypatch.context() as patch:
        patch.setattr(pacing, "PIECE", 0.0)  # however fast the machine is, no piece trains all points
        while len(points) not in prepared:
            next(job)
        next(job)
    stopped = True
    assert list(job) == [] or background.frames[-1].phase is Phase.TRAINING
    wide = Grid(-4.0, 5.0, -4.0, 4.5, 60, 50)
    frame = background.finish(points, lane(), grid=wide)
    assert frame.phase is Phase.DONE and frame.picture.grid == wide and prepared.count(len(points)) == 1
    frame = background.finish(points, lane(selection="first-order"))
    assert frame.phase is Phase.DONE and prepared.count(len(points)) == 1, "no rule counts where there are no steps"
    before = frame.certificate.dual
    frame = background.finish(points, lane(C=2.0))
    assert prepared.count(len(points)) == 2 and frame.certificate.dual > 1.5 * before
    background.finish(points, lane(C=2.0), restart=1)
    assert prepared.count(len(points)) == 3, "Restart trains again"


def test_a_failure_is_reported_and_the_next_change_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    background = Background()
    with monkeypatch.context() as patch:
        patch.setattr(AutoSolver, "step", lambda self, n, stop: 1 / 0)
        frame = background.finish(MANY, lane())
    assert frame.phase is Phase.FAILED and "internal error (ZeroDivisionError" in frame.message
    assert background.finish(MANY, lane()).phase is Phase.DONE
    frame = background.finish(MANY, lane(kernel="sigmoid", hard_margin=True))
    assert frame.phase is Phase.FAILED and frame.message == svm.INDEFINITE


def test_three_classes_one_against_one_and_against_the_rest() -> None:
    points = moons(900, 0.6, 3)
    for multiclass in ("one-vs-one", "one-vs-rest"):
        frame = Background().finish(points, lane(multiclass=multiclass, tol=1e-5))
        assert len(frame.certificates) == 3 and all(proof.status is Status.OPTIMAL for proof in frame.certificates)
        assert np.array_equal(frame.marks.wrong, np.flatnonzero(frame.model.predict(points.xy) != points.labels))


def test_others_that_train_step_by_step_go_on_doing_so() -> None:
    frame = Background().finish(MANY, lane(trainer="lasvm", kernel="linear", finish=False))
    assert frame.fast_run is None and frame.run_state is not None and frame.run_state.length > FEW
    assert not lane(trainer="dual-ascent").trains_fast(10**6)


@pytest.mark.parametrize("trainer", ["smo", "lasvm", "dual-ascent"])
def test_folds_and_other_trainings_without_display_use_the_fast_fit(prepared: list[int], trainer: str) -> None:
    for n in (FEW, 2 * FEW):
        work = fitted(lane(trainer=trainer), moons(n), Pace())
        while True:
            try:
                next(work)
            except StopIteration as end:
                assert end.value.finished
                break
    assert prepared == [FEW, 2 * FEW]


def test_what_ends_elsewhere_goes_its_own_way(prepared: list[int]) -> None:
    for _ in fitted(lane(trainer="lasvm", finish=False), moons(FEW), Pace()):
        pass
    assert not prepared


# -- duration -------------------------------------------------------------------------------------------------------


def test_a_large_gamma_is_reported_to_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_run, "LONG", 0.0)
    background = Background()
    background.finish(moons(2600), lane(gamma=5000.0, C=10.0))
    slow = [frame for frame in background.frames if frame.fast_run is not None and frame.fast_run.slow]
    assert slow and slow[0].phase is Phase.TRAINING and slow[0].fast_run.expected > 0
    assert text.fast_training(slow[0], 2600) == "No fast algorithm with γ = 5000"
    background.finish(moons(2600), lane())
    assert not any(frame.fast_run.slow for frame in background.frames), "there is one"


def test_a_wrong_estimate_is_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_run, "LONG", 0.0)
    monkeypatch.setattr(svm.Machine, "estimate", lambda *what: 1e-6)
    background = Background()
    background.finish(moons(2600), lane())
    reports = [frame.fast_run.expected for frame in background.frames[:-1]]
    assert reports[0] == 1e-6 and math.isnan(reports[-1])
    assert text.headline(background.frames[-2], lane()) == "Training on 2\u202f600 points at once…"


def test_times_are_modelled_until_they_are_measured() -> None:
    family, plain, extent = lane().family, lane().settings, (5.0, 4.0)
    few = family.estimate(plain, 20_000, extent, Measured(0, math.nan, 0.2))
    many = family.estimate(plain, 100_000, extent, Measured(0, math.nan, 0.2))
    assert 0.1 < few < many < 10 and many < 8 * few, "nearly linear"
    twice = family.estimate(plain, 100_000, extent, Measured(50_000, 2 * family.estimate(plain, 50_000, extent), 0.2))
    assert twice == pytest.approx(2 * many), "what was measured corrects the model"
    assert family.estimate(plain, 50_000, extent, Measured(50_000, 7.0, 0.2)) == pytest.approx(7.0)
    assert math.isnan(family.estimate(lane(kernel="laplacian").settings, 100_000, extent)), "nothing is known"
    assert family.estimate(lane(kernel="laplacian").settings, 100_000, extent, Measured(0, math.nan, 0.2)) > 10 * many
    assert math.isnan(family.estimate(lane(trainer="lasvm").settings, 1000, extent))
    eight = family.estimate(plain, 100_000, extent, Measured(0, math.nan, 0.2), 8)
    assert 5 * many < eight < 8 * many, "each point is in seven problems"
    lasvm = family.estimate(lane(trainer="lasvm").settings, 2000, extent, Measured(1000, 3.0))
    assert lasvm == pytest.approx(12.0), "it takes the square of the points"
    assert family.estimate(plain, 300, extent, Measured(300, 0.4, 0.3)) == pytest.approx(0.4)


def test_times_of_all_classifiers_on_screen() -> None:
    background = Background()
    frame = replace(background.finish(MANY, lane()), seconds=3.0, index=1)
    document = Document(MANY, (Lane("knn"), lane()), 2)
    results = background_results(frame)
    times = {each.limit: each for each in training_times(document, results, (100, 800, 5000))}
    assert times[800].total == "about 3 s" and times[800].each == "1 kNN: about 0.1 s\n2 SVM: about 3 s"
    assert times[5000].total == "about 3 s", "there are no more points"
    document = replace(document, lanes=(Lane("pegasos"), lane()))
    assert training_times(document, results, (800,))[0].total == "about 3 s and more"
    document = replace(document, lanes=(Lane("pegasos"), lane(C=2.0)))  # not the one that was measured
    assert "about 3 s" not in training_times(document, results, (800,))[0].total


def background_results(frame: Frame) -> Any:
    from app.engine.results import Results

    results = Results()
    results.accept(frame)
    return results


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.03, "below 0.1 s"), (0.14, "about 0.1 s"), (2.3, "about 2 s"), (9.7, "about 10 s"), (44.0, "about 40 s"),
     (100.0, "about 2 min"), (4000.0, "about 67 min"), (9000.0, "about 2 h")],
)  # fmt: skip
def test_estimates_have_one_digit(seconds: float, shown: str) -> None:
    assert about(seconds) == shown


def test_words_of_a_training_at_once() -> None:
    frame = Background().finish(MANY, lane())
    assert text.fast_training(frame, len(MANY)) == "Trained on all points; not step by step"
    assert text.fast_training(frame, len(MANY) + 1) == "Not trained step by step"
    assert "step" not in text.details(frame), "it has made none"
    training = replace(frame, phase=Phase.TRAINING, fast_run=FastProgress(2.2))
    assert text.headline(training, frame.lane) == "Training on 800 points at once, about 2 s…"
    assert FastRun.continuing(None, Background().spec(MANY, lane())).state.expected > 0
