"""Ranges of the multipliers after a training: computed in the background, at the end of a run, and never elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.core.points import Points
from app.engine import training_run
from app.engine.cover import Cover
from app.engine.frames import Frame, Phase
from app.engine.results import Results
from app.scene.text import alpha_remark
from tests.app.engine.test_lane_job import four_blobs, svm, two_moons
from tests.app.engine.test_training_run import Run, run_state_of

#: Introduction to Statistical Learning, section 9.7, exercise 3.
ISLR = Points.of([(3, 4), (2, 2), (4, 4), (1, 4), (2, 1), (4, 3), (4, 1)], [0, 0, 0, 0, 1, 1, 1])
HARD = svm(kernel="linear", hard_margin=True)


def rounded(frame: Frame) -> dict[int, tuple[float, float]]:
    ranges = run_state_of(frame).ranges
    assert ranges is not None
    return {point: (round(low, 9), round(high, 9)) for point, (low, high) in ranges.items()}


@pytest.mark.parametrize("rule", ["second-order", "first-order", "cyclic"])
def test_the_points_that_may_be_support_vectors_do_not_depend_on_the_rule(rule: str) -> None:
    frame = Run(svm(kernel="linear", hard_margin=True, selection=rule), ISLR).frame
    assert rounded(frame) == {1: (1, 4), 2: (0, 3), 4: (0, 3), 5: (1, 4)}
    assert frame.marks.free.tolist() == [1, 5] and frame.marks.maybe.tolist() == [2, 4]
    assert not len(frame.marks.bounded)
    assert alpha_remark(frame) == (
        "f and the margin are unique, α is not: (2, 2) and (4, 3) are support vectors in every optimum, (4, 4) and"
        " (2, 1) may be."
    )


def test_unique_multipliers_leave_the_picture_as_it_is() -> None:
    for lane in (svm(kernel="linear", C=1.0), svm(kernel="rbf"), svm(kernel="sigmoid")):
        frame = Run(lane, ISLR).frame
        assert not len(frame.marks.maybe) and rounded(frame) == {} and alpha_remark(frame) == ""


def test_a_point_is_named_once_for_all_problems_and_ranges_are_those_of_the_shown_one() -> None:
    points = Points.of([*ISLR.xy.tolist(), (2, 2.5), (-1, 9)], [*ISLR.labels.tolist(), 2, 2])
    frame = Run(svm(kernel="linear", C=100.0), points).frame
    support = set(frame.marks.free.tolist()) | set(frame.marks.bounded.tolist())
    assert not support & set(frame.marks.maybe.tolist())
    assert rounded(frame) == {1: (1, 4), 2: (0, 3), 4: (0, 3), 5: (1, 4)}
    assert frame.marks.maybe.tolist() == [2] and {1, 4, 5} <= support  # 4 is one of another problem in every optimum
    assert rounded(Run(svm(kernel="rbf"), four_blobs(5)).frame) == {}


def test_ranges_are_those_of_the_end_only() -> None:
    run = Run(HARD, ISLR)
    whole = run.frame
    early = run.go(1)
    assert early.ranges is None and not len(run.frame.marks.maybe) and alpha_remark(run.frame) == ""
    late = run.go(0, "end")
    assert late.ranges is run_state_of(whole).ranges  # not computed again


def test_pictures_come_first_and_are_the_last_to_change() -> None:
    run = Run(HARD, ISLR)
    frames = [frame for frame in run.background.frames if frame.phase is Phase.DONE]
    assert run_state_of(frames[0]).ranges is None and frames[0].full
    last = run_state_of(frames[-1]).ranges
    assert last and run_state_of(run.background.finish(run.spec)).ranges is last
    assert run_state_of(run.background.frames[0]).ranges is last  # another view of the same training


def test_of_too_many_points_they_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_run, "MOST_RANGED", 6)
    frame = Run(HARD, ISLR).frame
    assert run_state_of(frame).ranges is None and not len(frame.marks.maybe)
    assert alpha_remark(frame) == ""


def test_copies_of_a_support_vector_share_its_multiplier() -> None:
    points = two_moons(20)
    first = Run(svm(kernel="rbf", C=100.0), points).frame
    free = int(first.marks.free[0])
    twice = Points.of(np.vstack((points.xy, points.xy[free])), np.append(points.labels, points.labels[free]))
    frame = Run(svm(kernel="rbf", C=100.0), twice).frame
    assert frame.marks.maybe.tolist() == [free, len(points)]
    alpha = run_state_of(first).alpha
    assert alpha is not None and math.isclose(rounded(frame)[free][1], alpha[free], rel_tol=1e-2)


def test_other_learners_have_none() -> None:
    for settings in ({"trainer": "lasvm"}, {"trainer": "dual-ascent"}):
        frame = Run(svm(kernel="linear", C=10.0, **settings), ISLR).frame
        assert not len(frame.marks.maybe) and alpha_remark(frame) == ""


def test_a_lesson_that_covers_the_marks_covers_the_ranges() -> None:
    results = Results()
    results.accept(Run(HARD, ISLR).frame)
    covered = results.without({0: Cover.MARKS}).frame(0)
    assert covered is not None and covered.run_state is None and not len(covered.marks.maybe)
