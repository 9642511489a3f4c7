"""Driven runs: the frame at step s equals a run to step s, whatever the order of the requests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.core.points import Points
from app.engine import lane_job, pacing
from app.engine.frames import Frame, Phase
from app.engine.run_state import RunState
from app.state.document import Lane
from app.state.session import Seek
from solver import SmoSolver
from tests.app.engine.test_lane_job import Background, four_blobs, spec, svm, two_moons

POINTS = two_moons()
RULES = ("cyclic", "random", "platt", "first-order", "second-order", "maximum-gain")


def solver_of(points: Points, lane: Lane, steps: int) -> SmoSolver:
    """Return a run of the only problem of two classes, advanced by exactly `steps` steps."""
    s = lane.svm
    y = np.where(points.labels == points.labels.max(), 1.0, -1.0)
    solver = SmoSolver(
        points.xy,
        y,
        s.as_kernel(),
        C=math.inf if s.hard_margin else s.C,
        tol=s.tol,
        selection=s.selection,
        shrinking=False,
    )
    solver.step(steps)
    return solver


def run_state_of(frame: Frame) -> RunState:
    assert frame.run_state is not None, frame.message
    return frame.run_state


class Run:
    """A lane whose run the test moves."""

    def __init__(self, lane: Lane, points: Points = POINTS, **changes: Any) -> None:
        self.background = Background()
        self.spec = spec(points, lane, **changes)
        self.frame = self.background.finish(self.spec)
        self.serial = 0

    def go(self, step: int, until: Any = "step", **changes: Any) -> RunState:
        self.serial += 1
        seek = Seek(run_state_of(self.frame).recording, step, until, self.serial)
        self.frame = self.background.finish(replace(self.spec, paused=True, seek=seek, **changes))
        return run_state_of(self.frame)


@pytest.mark.parametrize("rule", RULES)
def test_a_jump_shows_the_state_of_a_run_to_that_step(rule: str) -> None:
    lane = svm(selection=rule, C=50.0, tol=1e-4)
    run = Run(lane)
    end = run_state_of(run.frame)
    assert end.at_end and run.frame.phase is Phase.DONE and end.length > 20
    for step in (end.length // 2, 0, 1, end.length - 1, 7, end.length):
        shown = run.go(step)
        reference = solver_of(POINTS, lane, step)
        assert shown.step == step == reference.n_iter and shown.length == end.length and shown.ended
        assert np.array_equal(shown.alpha, reference.alpha) and np.array_equal(shown.v, reference.v)
        assert shown.intercept == reference.intercept
        assert run.frame.phase is (Phase.DONE if step == end.length else Phase.PAUSED)
        # The displayed coming step is the one that the solver makes.
        if step < end.length:
            reference.step(1)
            assert shown.pair == tuple(int(end.index[k]) for k in reference.working_set)
            assert shown.explanation is not None and not shown.explanation.newest
            i, j = reference.working_set
            assert shown.explanation.after == pytest.approx((reference.alpha[i], reference.alpha[j]), rel=1e-12)
    last = solver_of(POINTS, lane, end.length)
    assert shown.explanation is not None and shown.explanation.newest
    assert (shown.explanation.i, shown.explanation.j) == last.working_set


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["to", "next", "previous", "end", "play"]), st.integers(0, 300)), max_size=8))
def test_any_way_through_a_run_ends_in_the_same_states(ways: list[tuple[str, int]]) -> None:
    lane = svm(selection="random", C=20.0, tol=1e-3)
    run = Run(lane)
    length = run_state_of(run.frame).length
    counts = [int((solver_of(POINTS, lane, s).alpha > 0).sum()) for s in (0, length)]
    assert counts[0] == 0 < counts[1]
    for way, step in ways:
        if way == "play":
            run.frame = run.background.finish(run.spec)
            assert run_state_of(run.frame).at_end
            continue
        names = {"to": "step", "next": "next change", "previous": "previous change", "end": "end"}
        shown = run.go(min(step, length), names[way])
        assert np.array_equal(shown.alpha, solver_of(POINTS, lane, shown.step).alpha)
        if way == "to":
            assert shown.step == min(step, length)
        elif way == "end":
            assert shown.at_end
        elif way == "next" and not shown.at_end:
            assert shown.step > min(step, length) and changed(lane, shown.step)
            assert not any(changed(lane, s) for s in range(min(step, length) + 1, shown.step))
        elif way == "previous" and shown.step > 0:
            assert shown.step < min(step, length) and changed(lane, shown.step)


def changed(lane: Lane, step: int) -> bool:
    """Return whether a point entered or left the support vectors in this step."""
    before, after = solver_of(POINTS, lane, step - 1).alpha > 0, solver_of(POINTS, lane, step).alpha > 0
    return bool((before != after).any())


def test_a_seek_is_followed_once_and_only_by_its_own_run() -> None:
    run = Run(svm(C=20.0))
    first = run_state_of(run.frame)
    assert run.go(5).step == 5
    seek = Seek(first.recording, 5, "step", run.serial)
    played = run.background.finish(replace(run.spec, seek=seek))
    assert run_state_of(played).at_end, "it was followed before: playing goes on from there"
    again = run.background.finish(replace(run.spec, lane=svm(C=21.0), paused=True, seek=replace(seek, serial=99)))
    assert run_state_of(again).recording != first.recording and run_state_of(again).step == 0, (
        "another run does not listen"
    )


def test_a_seek_with_play_begins_there_and_goes_on() -> None:
    run = Run(svm(C=20.0))
    seek = Seek(run_state_of(run.frame).recording, 0, "step", 1)
    frame = run.background.finish(replace(run.spec, seek=seek))
    assert run_state_of(frame).at_end
    job = run.background.start(replace(run.spec, seek=replace(seek, serial=2), steps_per_second=2.0))
    for _ in job:
        if run.background.frames:
            break
    assert run_state_of(run.background.frames[0]).step == 0


def test_a_seek_beyond_what_was_made_runs_on() -> None:
    lane = svm(C=20.0, selection="random")
    run = Run(lane, paused=True)
    assert run_state_of(run.frame).step == 0 and run_state_of(run.frame).length == 0
    shown = run.go(33)
    assert (shown.step, shown.length, shown.ended) == (33, 33, False)
    assert np.array_equal(shown.alpha, solver_of(POINTS, lane, 33).alpha)
    shown = run.go(12)
    assert (shown.step, shown.length) == (12, 33)


def test_the_chosen_problem_is_driven_and_the_others_run_to_their_end() -> None:
    points = four_blobs()
    lane = svm(C=5.0, selection="random")
    run = Run(Lane("svm", svm=lane.svm, pair=(1, 3)), points, paused=True)
    run_state = run_state_of(run.frame)
    assert run_state.step == 0
    ended = [certificate.kkt_violation <= lane.svm.tol for certificate in run.frame.certificates]
    assert sorted(ended) == [False] + [True] * 5
    assert set(points.labels[run_state.index].tolist()) == {1, 3}
    shown = run.go(4)
    assert shown.step == 4 and shown.explanation is not None
    pair = [int(shown.index[k]) for k in (shown.explanation.i, shown.explanation.j)]
    assert list(shown.pair) == pair and set(points.labels[pair].tolist()) <= {1, 3}
    other = run.background.finish(replace(run.spec, paused=True, lane=Lane("svm", svm=lane.svm, pair=(0, 2))))
    assert run_state_of(other).at_end, "the newly chosen one stands where it was"
    assert set(points.labels[run_state_of(other).index].tolist()) == {0, 2}
    assert other.phase is Phase.DONE, "the one that was driven before has run to its end"


def test_the_trace_holds_each_step() -> None:
    lane = svm(C=20.0, selection="second-order")
    end = run_state_of(Run(lane).frame)
    y = np.where(POINTS.labels == 1, 1.0, -1.0)
    K = lane.svm.as_kernel().gram(POINTS.xy, POINTS.xy)
    for step in (0, 1, 2, end.length // 2, end.length):
        alpha = solver_of(POINTS, lane, step).alpha
        dual = alpha.sum() - 0.5 * (alpha * y) @ K @ (alpha * y)
        assert end.trace.at("dual", step) == pytest.approx((dual, dual), rel=1e-9, abs=1e-12)
        v = y - K @ (alpha * y)
        up = v[((y > 0) & (alpha < 20)) | ((y < 0) & (alpha > 0))].max()
        low = v[((y < 0) & (alpha < 20)) | ((y > 0) & (alpha > 0))].min()
        assert end.trace.at("violation", step) == pytest.approx((up - low,) * 2, rel=1e-7, abs=1e-9)
        assert end.trace.at("bounded", step)[0] == (alpha == 20).sum()
        assert end.trace.at("free", step)[0] == ((alpha > 0) & (alpha < 20)).sum()


@pytest.mark.parametrize("interval", [1e-9, math.inf], ids=["a frame at each piece", "one frame"])
def test_primal_and_gap_are_worked_out_along_the_run_where_they_are_looked_at(
    interval: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bounds are the best ones, also where a frame during the training had a quick one."""
    monkeypatch.setattr(lane_job, "FRAME_INTERVAL", interval)
    monkeypatch.setattr(pacing, "PIECE", 1e-9 if interval == 1e-9 else pacing.PIECE)
    lane = svm(C=20.0, selection="random")
    run = Run(lane)
    few = len(run_state_of(run.frame).trace.landmarks)
    looked = run.background.finish(replace(run.spec, surveyed=True))
    run_state = run_state_of(looked)
    marks = run_state.trace.landmarks
    assert len(marks) > max(20, few) and run_state.at_end and looked.phase is Phase.DONE
    assert (np.diff(marks[:, 0]) > 0).all() and marks[0, 0] == 0 and marks[-1, 0] == run_state.length
    y = np.where(POINTS.labels == 1, 1.0, -1.0)
    K = lane.svm.as_kernel().gram(POINTS.xy, POINTS.xy)
    for step, dual, primal, gap in marks[:: len(marks) // 5]:
        solver = solver_of(POINTS, lane, int(step))
        alpha = solver.alpha
        assert dual == pytest.approx(alpha.sum() - 0.5 * (alpha * y) @ K @ (alpha * y), abs=1e-9)
        # Any primal value is above the optimum; this one is not above that of f as it is.
        f = K @ (alpha * y)
        own = min(0.5 * (alpha * y) @ K @ (alpha * y) + 20.0 * np.maximum(0, 1 - y * (f + b)).sum() for b in y - f)
        assert run_state.certificate.dual - 1e-9 <= primal <= own + 1e-9
        assert primal == pytest.approx(solver.certificate().primal, rel=1e-12), "the best bound, not a quick one"
        assert gap == pytest.approx((primal - dual) / primal, abs=1e-12)


def test_a_survey_that_is_broken_off_leaves_the_run_where_it_was() -> None:
    lane = svm(C=50.0, selection="random")
    run = Run(lane)
    shown = run.go(17)
    job = run.background.start(replace(run.spec, paused=True, surveyed=True, seek=None), lambda: asked.pop() > 0)
    asked = [1] * 5 + [0] * 9
    for _ in job:
        if not asked:
            break
    frame = run.background.finish(replace(run.spec, paused=True))
    assert run_state_of(frame).step == 17 and np.array_equal(run_state_of(frame).alpha, shown.alpha)


def test_a_paused_run_that_begins_at_its_end_reports_it() -> None:
    run = Run(svm(C=5.0, selection="first-order"))
    assert run_state_of(run.frame).at_end
    other = run.background.finish(replace(run.spec, paused=True, lane=svm(C=5.0, selection="second-order")))
    run_state = run_state_of(other)
    assert (run_state.step, run_state.length) == (0, 0) and run_state.at_end and other.phase is Phase.DONE
