"""A training that continues in place after points have moved equals a new one, frame by frame, to the bit."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from app.core.points import Points
from app.engine.frames import Frame, LaneSpec, Phase
from app.engine.run_state import RunState
from app.engine.training_run import TrainingRun
from app.state.document import Lane
from app.state.session import Seek
from solver import SVC, Grid, SmoSolver
from tests.app.engine.test_lane_job import OWN, WIDE, Background, four_blobs, replace_pair, spec, svm, two_moons
from tests.copies import replace

TINY = Grid(-2.0, 2.0, -1.5, 1.5, 20, 15)
HANDED_OVER = TrainingRun._handed_over


class Twins:
    """A lane's job, and a second one that begins every training anew."""

    def __init__(self) -> None:
        self.moving, self.anew = Background(), Background()
        self.taken = 0  # number of trainings continued in place

    def _hand_over(self, run: TrainingRun, wanted: LaneSpec) -> Any:
        given = HANDED_OVER(run, wanted)
        self.taken += given is not None
        return given

    def finish(self, wanted: LaneSpec) -> Frame:
        """Return the last frame of `wanted`; all frames that were posted are equal in both jobs."""
        with patch.object(TrainingRun, "_handed_over", lambda run, wanted: self._hand_over(run, wanted)):
            frame = self.moving.finish(wanted)
        with patch.object(TrainingRun, "_handed_over", lambda run, wanted: None):
            other = self.anew.finish(wanted)
        assert_same(frame, other)
        return frame


def run_state_of(frame: Frame) -> RunState:
    assert frame.run_state is not None, frame.message
    return frame.run_state


def numbers_of(frame: Frame) -> dict[str, Any]:
    """Return all that is displayed of a training, except its picture, whose updates depend on the clock."""
    numbers: dict[str, Any] = {"phase": frame.phase, "message": frame.message, "accuracy": frame.accuracy}
    numbers |= {name: getattr(frame.marks, name) for name in ("free", "bounded", "wrong")}
    numbers["certificates"] = repr(frame.certificates)
    if isinstance(frame.model, SVC):
        names = ("support_", "support_vectors_", "dual_coef_", "intercept_", "n_iter_", "class_weight_")
        numbers |= {name: getattr(frame.model, name) for name in names}
        numbers["surface"] = frame.model.surface(TINY.xs, TINY.ys)
    if frame.run_state is not None:
        run = frame.run_state
        names = ("step", "length", "ended", "index", "y", "f", "alpha", "C", "v", "intercept", "pair", "certificate")
        numbers |= {f"run {name}": getattr(run, name) for name in names}
        numbers["run certificate"] = repr(run.certificate)
        steps = sorted({0, run.length // 2, run.length})
        numbers["trace"] = [run.trace.at(name, s) for name in run.trace.names for s in steps]
        if run.explanation is not None:
            why = run.explanation
            numbers["why"] = (why.i, why.j, why.step, why.gain, why.k_ij, why.after, why.sentence, why.newest)
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in numbers.items()}


def picture_of(frame: Frame) -> np.ndarray:
    assert frame.picture is not None
    return frame.picture.argb


def assert_same_numbers(numbers: dict[str, Any], others: dict[str, Any]) -> None:
    assert numbers.keys() == others.keys()
    for name, value in numbers.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, others[name], err_msg=name)
        else:
            assert repr(value) == repr(others[name]), name


def assert_same(frame: Frame, other: Frame) -> None:
    assert_same_numbers(numbers_of(frame), numbers_of(other))


def assert_reproduced(frame: Frame, wanted: LaneSpec) -> None:
    """Check that a new training from the start of the frame's training leads to the same frame."""
    again = Background().finish(replace(wanted, starts=frame.starts, seek=None, paused=False))
    assert_same(frame, again)


def moved(points: Points, rng: np.random.Generator, how_many: int = 1) -> Points:
    """Return `points` with some of them moved; sometimes onto other ones."""
    which = np.sort(rng.choice(len(points), how_many, replace=False))
    xy = points.xy[which] + rng.normal(0.0, 0.2, (how_many, 2))
    if rng.random() < 0.2:
        xy[0] = points.xy[rng.integers(len(points))]
    return points.move(which, xy)


LANES = {
    "rbf": svm(C=50.0),
    "C = 0.3": svm(C=0.3),
    "random": svm(selection="random"),
    "polynomial": svm(kernel="poly", gamma=0.7, tol=1e-4),
    "laplacian": svm(kernel="laplacian", C=7.0),
    "linear": svm(kernel="linear", C=3.0),
    "sigmoid": svm(kernel="sigmoid", gamma=0.3, coef0=-0.5),
    "hard": svm(hard_margin=True, gamma=8.0, tol=1e-3),
    "not separable": svm(hard_margin=True, kernel="linear", tol=1e-3),
    "balanced": svm(class_weight="balanced", C=0.7),
    "own": svm(class_weight="own", own_weights=OWN, C=0.7),
    "rest": svm(multiclass="one-vs-rest"),
    "lasvm": svm(trainer="lasvm", tol=1e-3),
    "ascent": svm(trainer="dual-ascent", tol=1e-3),
}


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", LANES)
def test_a_drag_shows_what_new_trainings_show(name: str, classes: int) -> None:
    rng = np.random.default_rng(sum(map(ord, name)) + classes)
    points, lane = two_moons(30) if classes == 2 else four_blobs(8), LANES[name]
    twins, wanted = Twins(), spec(points, lane, grid=TINY)
    serial = 0
    frame = twins.finish(wanted)
    for turn in range(8):
        points = moved(points, rng, 1 if turn != 6 else len(points) // 2)
        wanted = replace(wanted, points=points, paused=turn % 4 == 3, seek=None)
        frame = twins.finish(wanted)
        if turn % 4 != 3:
            assert run_state_of(frame).at_end
            assert_reproduced(frame, wanted)
            continue
        for step in (7, 3, 5):  # the next one begins from the middle of its run, where it was sent back to
            serial += 1
            wanted = replace(wanted, seek=Seek(run_state_of(frame).recording, step, "step", serial))
            frame = twins.finish(wanted)
    assert twins.taken == (0 if lane.svm.trainer != "smo" else 8)


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_among_moves_anything_else_may_change(compiled: bool) -> None:
    rng = np.random.default_rng(11)
    points, lane = four_blobs(10), svm(C=4.0)
    twins, wanted = Twins(), spec(points, lane, grid=TINY, compiled=compiled)
    twins.finish(wanted)
    changes = (
        "relabel",
        "remove",
        "append",
        "replace",
        "C",
        "weights",
        "rest",
        "restart",
        "view",
        "pair",
        "class goes",
        "limit",
    )
    for turn, change in enumerate(changes):
        if change == "relabel":
            points = points.relabel([3], 2)
        elif change == "remove":
            points = points.remove([5])
        elif change == "append":
            points = points.append([(0.3, 0.2)], [1])
        elif change == "replace":  # equally many points, with the same labels in their order
            points = points.remove([len(points) - 1]).append([(0.3, -0.2)], points.labels[-1:])
        elif change == "C":
            lane = svm(C=9.0)
        elif change == "weights":
            lane = svm(C=9.0, class_weight="balanced")
        elif change == "rest":
            lane = svm(C=9.0, class_weight="balanced", multiclass="one-vs-rest")
        elif change == "restart":
            wanted = replace(wanted, restart=1)
        elif change == "view":
            wanted = replace(wanted, grid=replace(TINY, width=24))
        elif change == "pair":
            lane = replace_pair(lane, (2, 2))
        elif change == "class goes":
            points = points.remove(np.flatnonzero(points.labels == 0))
        elif change == "limit":
            points = points.sample(20)
        wanted = replace(wanted, points=moved(points, rng), lane=lane)
        before = twins.taken
        twins.finish(wanted)
        assert (twins.taken > before) == (change in ("view", "pair")), change
        points = moved(wanted.points, rng)
        wanted = replace(wanted, points=points)
        frame = twins.finish(wanted)
        assert_reproduced(frame, wanted)
        assert twins.taken == before + 1 + (change in ("view", "pair")), turn


def test_equally_many_points_keep_their_multipliers_by_index() -> None:
    points = two_moons(20)
    twins = Points.of(points.xy, points.labels, np.arange(len(points)) // 2)
    background, wanted = Background(), spec(twins, svm(), grid=TINY)
    background.finish(wanted)
    wanted = replace(wanted, points=twins.move([0, 5], points.xy[[0, 5]] + 0.1))
    assert_reproduced(background.finish(wanted), wanted)


def test_overtaken_trainings_are_continued() -> None:
    rng = np.random.default_rng(2)
    points, lane = two_moons(100), svm(C=1e4, gamma=8.0)
    background, taken = Background(), []
    wanted = spec(points, lane, grid=TINY)
    background.finish(wanted)
    with patch.object(TrainingRun, "_handed_over", lambda run, wanted: taken.append(run) or HANDED_OVER(run, wanted)):
        for _ in range(8):
            points = moved(points, rng)
            wanted = replace(wanted, points=points)
            for _ in background.start(wanted, lambda: True):
                pass
            assert background.frames
        background.finish(replace(wanted, points=moved(points, rng)))
    assert any(not run.finished for run in taken), "else this shows nothing"
    frame = background.finish(replace(wanted, points=moved(points, rng)))
    assert_reproduced(frame, replace(wanted, points=frame.points))


@pytest.mark.parametrize("looked", [3, 20, 60])
def test_a_run_that_is_looked_at_elsewhere_may_be_taken_from_there(looked: int) -> None:
    points, lane = two_moons(), svm(C=50.0, selection="random")
    background, wanted = Background(), spec(points, lane, grid=TINY)
    background.finish(wanted)
    left = iter(range(looked))
    for _ in background.start(replace(wanted, surveyed=True), lambda: next(left, None) is None):
        pass
    assert background.training._away is not None or looked > 50
    wanted = replace(wanted, points=moved(points, np.random.default_rng(1)))
    frame = background.finish(wanted)
    assert run_state_of(frame).at_end
    assert_reproduced(frame, wanted)


def test_what_was_shown_before_stays_as_it_was() -> None:
    rng = np.random.default_rng(4)
    points, lane = four_blobs(10), svm(C=20.0)
    background, wanted = Background(), spec(points, lane, grid=WIDE)
    kept = []
    for turn in range(4):
        frame = background.finish(replace(wanted, points=points, paused=turn == 2))
        kept += [(each, numbers_of(each), picture_of(each).copy()) for each in background.frames]
        points = moved(points, rng)
    assert len(kept) > 4
    for frame, numbers, picture in kept:
        assert_same_numbers(numbers_of(frame), numbers)
        np.testing.assert_array_equal(picture_of(frame), picture)


def test_a_seek_in_the_run_before_is_not_followed_and_one_in_this_goes_anywhere() -> None:
    points, lane = two_moons(), svm(C=50.0)
    background, wanted = Background(), spec(points, lane, grid=TINY)
    first = background.finish(wanted)
    old = Seek(run_state_of(first).recording, 4, "step", 1)
    background.finish(replace(wanted, paused=True, seek=old))
    wanted = replace(wanted, points=moved(points, np.random.default_rng(3), 3))
    frame = background.finish(replace(wanted, seek=replace(old, serial=2)))
    run = run_state_of(frame)
    assert run.at_end and run.length > 10 and run.recording != old.recording
    y = np.where(wanted.points.labels == 1, 1.0, -1.0)
    assert frame.starts is not None and frame.starts.multipliers[0] is not None
    s, began = lane.svm, frame.starts.multipliers[0]
    for serial, step in enumerate((run.length // 2, 0, 6, run.length - 1, run.length), 3):
        seek = Seek(run.recording, step, "step", serial)
        shown = run_state_of(background.finish(replace(wanted, paused=True, seek=seek)))
        new = SmoSolver(wanted.points.xy, y, s.as_kernel(), C=s.C, tol=s.tol, alpha=began, shrinking=False)
        new.step(step)
        assert shown.step == step and shown.length == run.length
        np.testing.assert_array_equal(shown.alpha, new.alpha)
        np.testing.assert_array_equal(shown.v, new.v)


def test_a_point_out_of_range_has_the_sentence_of_a_new_training_and_the_next_begins_anew() -> None:
    points, lane = four_blobs(8), svm(kernel="poly", degree=9, gamma=1.0, tol=1e-3)
    twins, wanted = Twins(), spec(points, lane, grid=TINY)
    twins.finish(wanted)
    last = int(np.flatnonzero(points.labels == 3)[0])  # so that other problems have moved before
    frame = twins.finish(replace(wanted, points=points.move([last], [(1e15, 0.0)])))
    assert frame.phase is Phase.FAILED and "overflows" in frame.message
    assert twins.taken == 0 and twins.moving.training is None
    points = moved(points, np.random.default_rng(0))
    wanted = replace(wanted, points=points)
    assert twins.finish(wanted).phase is Phase.DONE
    assert twins.taken == 0
    twins.finish(replace(wanted, points=moved(points, np.random.default_rng(1))))
    assert twins.taken == 1


@pytest.mark.parametrize("error", [ValueError, MemoryError, KeyboardInterrupt])
def test_a_failed_training_is_never_continued(error: type[BaseException]) -> None:
    rng = np.random.default_rng(5)
    points, lane = four_blobs(8), svm()
    background, wanted = Background(), spec(points, lane, grid=TINY)
    background.finish(wanted)
    right, calls = SmoSolver.move_points, []

    def breaks(solver: SmoSolver, X: Any) -> None:
        calls.append(X)
        right(solver, X)
        if len(calls) == 3:
            raise error("broken")

    points = moved(points, rng)
    with patch.object(SmoSolver, "move_points", breaks):
        try:
            assert background.finish(replace(wanted, points=points)).phase is Phase.FAILED
        except KeyboardInterrupt:
            assert error is KeyboardInterrupt
    assert len(calls) == 3 and background.training is None
    wanted = replace(wanted, points=moved(points, rng))
    frame = background.finish(wanted)
    assert frame.phase is Phase.DONE and frame.starts is not None
    assert frame.starts.multipliers == (None,) * 6
    assert_same(frame, Background().finish(wanted))


def test_only_rows_of_moved_points_are_computed() -> None:
    points = two_moons(150)
    background, wanted = Background(), spec(points, svm(), grid=TINY)
    background.finish(wanted)
    computed = sum(each.n_kernel_evaluations for each in background.training.trainer.solvers)
    background.finish(replace(wanted, points=points.move([7], points.xy[[7]] + 0.01)))
    again = sum(each.n_kernel_evaluations for each in background.training.trainer.solvers)
    assert 0 < again < computed / 4


def test_another_lane_in_its_slot_begins_anew() -> None:
    points, rng = two_moons(), np.random.default_rng(9)
    twins = Twins()
    lanes = (svm(), Lane("perceptron"), svm(), svm(trainer="lasvm"), svm(tol=1e-3))
    for lane in lanes:
        points = moved(points, rng)
        twins.finish(spec(points, lane, grid=TINY))
    assert twins.taken == 0
