"""The background trains every learner: each displayed step is the state after that number of steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.points import Points
from app.engine.frames import Frame, LaneRequest, LaneSpec, Phase
from app.engine.lane_job import LaneJob
from app.engine.shading import Shades
from app.learners.svm import TRAINERS as SVM_TRAINERS
from app.learners.table import TRAINERS
from app.state.document import GeneratorSettings, Lane, PegasosSettings, PerceptronSettings, SvmSettings
from app.state.session import Seek
from solver import SVC, Grid, Status

Array = NDArray[np.float64]
GRID = Grid(-2.0, 2.0, -1.5, 1.5, 40, 30)
SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))
TWO = GeneratorSettings(name="line", count=25, shift=0.05).points()
THREE = GeneratorSettings(name="blobs", count=12, n_classes=3, noise=0.3).points()


def lane_of(learner: str) -> Lane:
    if learner in SVM_TRAINERS:
        return Lane("svm", svm=SvmSettings(trainer=learner))
    return Lane(learner, perceptron=PerceptronSettings(max_iter=30), pegasos=PegasosSettings(n_iter=3000))  # type: ignore[arg-type]


class Background:
    """A LaneJob driven in the test's own thread."""

    def __init__(self, points: Points, lane: Lane) -> None:
        self.frames: list[Frame] = []
        self._work = LaneJob(self.frames.append)
        self._spec = LaneSpec(points, lane, GRID, SHADES, False, math.inf, 0, True)
        self._number = 0

    def last(self, **changes: Any) -> Frame:
        self._number += 1
        self._spec = replace(self._spec, **changes)
        for _ in self._work(LaneRequest(self._number, 0, self._spec), lambda: False):
            pass
        return self.frames[-1]


def by_steps(lane: Lane, points: Points, steps: int | None) -> tuple[Any, Any]:
    """Return model and trainer after `steps` steps of each problem, or at the end."""
    source = lane.estimator()
    trainer = source.prepare(points.xy, points.labels)
    trainer.step(10**6 if steps is None else steps)
    return source.snapshot_model(trainer.snapshot()), trainer


def values_of(model: Any, xy: Array) -> Array:
    """Return f of each problem, or the share of each class."""
    values: Array = model.pair_decision_function(xy) if model.kind == "f" else model.predict_proba(xy)
    return values


CASES = [pytest.param(name, points, id=f"{name} {len(points.classes)}") for name in TRAINERS for points in (TWO, THREE)]


@pytest.mark.parametrize(("learner", "points"), CASES)
def test_a_lane_ends_where_its_estimator_does(learner: str, points: Points) -> None:
    lane = lane_of(learner)
    frame = Background(points, lane).last()
    expected, trainer = by_steps(lane, points, None)
    assert frame.phase is Phase.DONE and frame.message == ""
    assert frame.model is not None and type(frame.model) is type(expected)
    assert (values_of(frame.model, points.xy) == values_of(expected, points.xy)).all()
    assert not len(frame.marks.tied)
    wrong = np.flatnonzero(expected.predict(points.xy) != points.labels)
    assert frame.marks.wrong.tolist() == wrong.tolist()
    assert frame.accuracy == pytest.approx(1 - len(wrong) / len(points))
    assert [each.status for each in frame.certificates] == [solver.status for solver in trainer.solvers]
    if not TRAINERS[learner].has_multipliers:
        assert not len(frame.marks.free) and not len(frame.marks.bounded)
    else:
        pairs = trainer.pairs
        alphas = [np.zeros(len(points)) for _ in pairs]
        for alpha, pair, solver in zip(alphas, pairs, trainer.solvers, strict=True):
            alpha[pair.index] = solver.alpha
        at_bound = np.any([alpha == lane.svm.C for alpha in alphas], axis=0)
        some = np.any([alpha > 0 for alpha in alphas], axis=0)
        assert frame.marks.bounded.tolist() == np.flatnonzero(at_bound).tolist()
        assert frame.marks.free.tolist() == np.flatnonzero(some & ~at_bound).tolist()


@pytest.mark.parametrize("learner", TRAINERS)
def test_any_step_can_be_reached(learner: str) -> None:
    lane = lane_of(learner)
    background = Background(TWO, lane)
    end = background.last()
    assert end.run_state is not None and end.run_state.trainer is TRAINERS[learner] and end.run_state.at_end
    length = end.run_state.length
    for serial, step in enumerate((3, 0, length // 2, 1, length), 1):
        seek = Seek(end.run_state.recording, step, "step", serial)
        frame = background.last(paused=True, seek=seek)
        expected, trainer = by_steps(lane, TWO, step)
        assert frame.run_state is not None and frame.run_state.step == step == trainer.n_iter
        assert frame.phase is (Phase.DONE if step == length else Phase.PAUSED)
        values = values_of(expected, TWO.xy)
        assert frame.model is not None and (values_of(frame.model, TWO.xy) == values).all()
        if TRAINERS[learner].has_f:
            assert frame.run_state.f == pytest.approx(values[:, 0], abs=1e-9)
        else:
            assert not len(frame.run_state.f)
            assert frame.marks.chosen.tolist() == expected.sample_indices_.tolist()
            assert frame.run_state.pair[0] == trainer.solvers[0].touched
            assert bool(frame.run_state.verdict) == (step == length)


def test_other_settings_train_anew_and_more_orders_do_not() -> None:
    background = Background(TWO, lane_of("perceptron"))
    first = background.last()
    more = background.last(lane=Lane("perceptron", perceptron=PerceptronSettings(max_iter=30, orders=5)))
    assert (
        first.run_state is not None
        and more.run_state is not None
        and more.run_state.recording == first.run_state.recording
    )
    other = background.last(lane=Lane("perceptron", perceptron=PerceptronSettings(max_iter=30, random_state=1)))
    assert other.run_state is not None and other.run_state.recording != first.run_state.recording
    for learner in ("pegasos", "lasvm", "smo", "perceptron"):
        frame = background.last(lane=lane_of(learner))
        assert (
            frame.run_state is not None and frame.run_state.trainer is TRAINERS[learner] and frame.phase is Phase.DONE
        )


@pytest.mark.parametrize("learner", ["lasvm", "dual-ascent"])
def test_a_hard_margin_that_does_not_exist_is_a_sentence(learner: str) -> None:
    background = Background(TWO, Lane("svm", svm=SvmSettings(trainer=learner, hard_margin=True)))
    frame = background.last()
    assert frame.phase is Phase.FAILED and "no hard margin" in frame.message
    assert background.last(lane=lane_of(learner)).phase is Phase.DONE


def test_a_learner_of_one_class_waits_unless_it_counts_votes() -> None:
    for learner, trainer in TRAINERS.items():
        frame = Background(Points.of([(0.0, 0.0), (1.0, 1.0)], [3, 3]), lane_of(learner)).last()
        assert frame.phase is (Phase.EMPTY if trainer.has_f else Phase.DONE)
        assert Background(Points.of([], []), lane_of(learner)).last().phase is Phase.EMPTY


def test_an_online_run_may_end_without_finish() -> None:
    lane = Lane("svm", svm=SvmSettings(trainer="lasvm", finish=False))
    frame = Background(TWO, lane).last()
    assert frame.phase is Phase.DONE and frame.certificates[0].status is Status.STOPPED_EARLY


def test_the_kernel_rows_of_three_trainings_fit_into_200_megabytes() -> None:
    """While points are edited, that many exist: the one that is shown, the one that is running, the one before."""
    estimator = Lane("svm").estimator()
    assert isinstance(estimator, SVC) and 3 * estimator.cache_size <= 200
