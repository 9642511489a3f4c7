"""Active learning: the point asked about, what is learnt, the comparison with random order, steps back, the
document.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import svm as libsvm
from sklearn.neighbors import KNeighborsClassifier as ReferenceKnn

from app.controllers.controller import Controller
from app.core.points import Points
from app.engine import pacing
from app.engine.pacing import OvertakenError
from app.engine.pool import Priority
from app.engine.query import Answer as Learnt
from app.engine.query import work_out
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from app.features.active_learning import query as asking_module
from app.features.active_learning import text as words
from app.features.active_learning.controller import STEP, ActiveLearningController
from app.features.active_learning.query import Comparison, Curves, LearningQuery, LearningReply
from app.features.active_learning.state import (
    LARGEST_POOL,
    MOST_GIVEN,
    ActiveLearningRun,
    LabelQuestion,
    LearningPlan,
    LearningStep,
    PointLabel,
    Score,
    begin,
    drawn,
)
from app.learners.base import Asking
from app.learners.svm import Machine
from app.state.commands import MovePoints, SetLane
from app.state.document import ClassStyle, Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, View
from app.state.session import Session
from app.state.store import Store
from solver import Grid
from tests.copies import replace
from tests.examples import examples

GRID = Grid(-2.0, 2.0, -1.5, 1.5, 24, 18)
SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))
TIGHT = 1e-8


def svm(**values: Any) -> Lane:
    return Lane("svm", svm=SvmSettings(**{"tol": TIGHT, "gamma": 2.0, "C": 5.0, **values}))


def knn(**values: Any) -> Lane:
    return Lane("knn", knn=KnnSettings(**values))


def document(lane: Lane, points: Points | None = None, **changes: Any) -> Document:
    """Return a document with moons of 60 points for `lane`."""
    points = GeneratorSettings(count=30, noise=0.25).points() if points is None else points
    return replace(Document(points=points, view=View.fitting(points), lanes=(lane, lane)), **changes)


def blobs(n_classes: int = 4, count: int = 15) -> Points:
    return GeneratorSettings(name="blobs", count=count, noise=0.5, n_classes=n_classes).points()


def question(asking: ActiveLearningRun) -> LearningQuery:
    return LearningQuery(asking.pool, asking.answers, GRID, SHADES, asking)


def replies(asking: ActiveLearningRun, overtaken: Callable[[], bool] = lambda: False) -> list[Learnt]:
    """Return the answers posted to the query of `asking`."""
    posted: list[Learnt] = []
    for step in work_out(Learnt("asking", 1, question(asking)), posted.append, overtaken):
        assert step is Priority.TRAINING
    return posted


def learnt(asking: ActiveLearningRun) -> ActiveLearningRun:
    """Return `asking` with what its labels teach."""
    last = replies(asking)[-1]
    reply = last.value
    assert isinstance(reply, LearningReply) and last.done and not last.message
    assert reply.picture is not None and reply.picture.grid == GRID
    after = asking.learnt(asking.answers, reply.steps)
    assert after.last_step is not None
    return after


def run(asking: ActiveLearningRun, answers: int) -> ActiveLearningRun:
    """Let the truth answer `n` times."""
    asking = learnt(asking)
    for _ in range(answers):
        asking = learnt(asking.shown_truth())
    return asking


def reports(asking: ActiveLearningRun) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return indices and labels of labelled points, and the indices of all others."""
    index = np.array([answer.index for answer in asking.labelled])
    labels = np.array([answer.label for answer in asking.labelled])
    return index, labels, np.setdiff1d(np.arange(len(asking.pool)), index)


def finished(comparison: Comparison) -> Curves:
    posted: list[Curves] = []
    for _ in comparison.answer(posted.append, lambda: False):
        pass
    assert comparison.curves.finished
    return posted[-1]


# -- which point is asked for --------------------------------------------------------------------------------------


def lead(values: np.ndarray) -> np.ndarray:
    ordered = np.sort(values, axis=1)
    return ordered[:, -1] - ordered[:, -2]


def sureness(asking: ActiveLearningRun, index: np.ndarray, labels: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return how sure LIBSVM or brute force is of the pool's points `queries`."""
    lane, xy = asking.lane, asking.pool.points.xy
    classes = np.unique(labels)
    if lane.classifier == "knn":
        shares = np.zeros((len(queries), len(classes)))
        for row, query in enumerate(queries):
            distance = np.abs(xy[index] - xy[query]).sum(axis=1)
            near = np.argsort(distance)[: lane.knn.n_neighbors]
            shares[row] = [(labels[near] == label).mean() for label in classes]
        return lead(shares)
    s = lane.svm
    options = {"C": s.C, "kernel": s.kernel, "gamma": s.gamma, "degree": s.degree, "coef0": s.coef0, "tol": 1e-10}
    if s.multiclass == "one-vs-rest" and len(classes) > 2:
        columns = [
            libsvm.SVC(**options).fit(xy[index], labels == label).decision_function(xy[queries]) for label in classes
        ]
        return lead(np.column_stack(columns))
    weight = "balanced" if s.class_weight == "balanced" else None
    values = libsvm.SVC(**options, class_weight=weight).fit(xy[index], labels).decision_function(xy[queries])
    return np.abs(values) if values.ndim == 1 else lead(values)


@pytest.mark.parametrize(
    "lane, points",
    [
        (svm(), None),
        (svm(kernel="linear"), None),
        (svm(kernel="poly", coef0=1.0, gamma=1.0), None),
        (svm(C=1000.0), None),
        (svm(class_weight="balanced"), None),
        (svm(), blobs()),
        (svm(multiclass="one-vs-rest"), blobs(3)),
        (knn(n_neighbors=3, metric="manhattan"), None),
        (knn(n_neighbors=30, metric="manhattan"), blobs(3)),
    ],
)
def test_the_least_sure_point_of_all_is_queried(lane: Lane, points: Points | None) -> None:
    asking = learnt(begin(document(lane, points), LearningPlan(per_class=2)))
    for _ in range(12):
        index, labels, others = reports(asking)
        reference = sureness(asking, index, labels, others)
        question = asking.question
        assert question is not None and question.index in others
        of_asked = reference[np.flatnonzero(others == question.index)[0]]
        assert of_asked <= reference.min() + 1e-5  # apart from ties
        assert question.certainty == pytest.approx(of_asked, abs=1e-5)
        asking = learnt(asking.shown_truth())


def test_of_equally_sure_points_the_first_in_random_order_is_queried() -> None:
    asking = learnt(begin(document(knn(n_neighbors=1)), LearningPlan()))  # a single vote is always sure
    index, _, _ = reports(asking)
    assert asking.question is not None and asking.question.certainty == 1.0
    assert asking.question.index == next(i for i in asking.order if i not in index)


def test_random_queries_have_a_seeded_order_whatever_is_learnt() -> None:
    plan = LearningPlan(strategy="random", draw=7, per_class=2)
    asking = begin(document(svm()), plan)
    truth = asking.pool.points.labels
    order = np.random.default_rng([7, 0]).permutation(len(truth))
    start = [i for label in (0, 1) for i in [i for i in order if truth[i] == label][:2]]
    assert [answer.index for answer in asking.given] == start
    asking = run(asking, 6)
    assert [answer.index for answer in asking.answers] == [i for i in order if i not in start][:6]
    assert asking.question is not None and asking.question.certainty > 0


# -- what is learnt ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["points", "generator"])
@pytest.mark.parametrize("lane", [svm(), knn(n_neighbors=3)])
def test_accuracies_are_those_of_an_independent_model(source: Any, lane: Lane) -> None:
    made = document(lane, generator=GeneratorSettings(count=25, noise=0.3))
    asking = learnt(begin(made, LearningPlan(source=source, per_class=2)))
    pool = asking.pool
    assert (len(pool.tests) > 0) is (source == "generator")
    for _ in range(8):
        index, labels, _ = reports(asking)
        svc = lane.classifier == "svm"
        model = libsvm.SVC(C=5.0, gamma=2.0, tol=1e-10) if svc else ReferenceKnn(min(3, len(index)))
        model.fit(pool.points.xy[index], labels)
        assert asking.last_step is not None
        score = asking.last_step.score
        # A point on the boundary, within double precision, may fall on either side.
        assert score.pool == pytest.approx(
            (model.predict(pool.points.xy) == pool.points.labels).mean(), abs=1.01 / len(pool)
        )
        if len(pool.tests):
            right = (model.predict(pool.tests.xy) == pool.tests.labels).mean()
            assert score.test == pytest.approx(right, abs=1.01 / len(pool.tests)) and score.shown == score.test
        else:
            assert math.isnan(score.test) and score.shown == score.pool
        asking = learnt(asking.shown_truth())


def test_a_fresh_sample_is_neither_the_documents_points_nor_the_test() -> None:
    settings_ = GeneratorSettings(name="blobs", count=40, noise=0.4, n_classes=4)
    made = document(svm(), settings_.points(), generator=settings_)
    pool = begin(made, LearningPlan(source="generator")).pool
    assert len(pool) == 160 and len(pool.tests) == 2000 and pool.classes == [0, 1, 2, 3]
    for first, second in ((pool.points.xy, made.points.xy), (pool.points.xy, pool.tests.xy)):
        assert not {tuple(p) for p in first.tolist()} & {tuple(p) for p in second.tolist()}
    again = begin(made, LearningPlan(source="generator")).pool
    other = begin(made, LearningPlan(source="generator", draw=2)).pool
    assert np.array_equal(pool.points.xy, again.points.xy) and not np.array_equal(pool.points.xy, other.points.xy)


def test_a_large_document_is_sampled() -> None:
    made = document(svm(), GeneratorSettings(count=3000).points(), generator=GeneratorSettings(count=3000))
    asking = begin(made, LearningPlan())
    assert len(asking.pool) == LARGEST_POOL and asking.pool.of == 6000
    assert words.measured(asking) == "of the pool (1\u202f000 points, a sample of 6\u202f000)."
    assert len(begin(made, LearningPlan(source="generator")).pool) == LARGEST_POOL
    assert not asking.stale(made)


def test_what_is_learnt_depends_on_the_answers_alone() -> None:
    lane = svm(tol=1e-3)  # at which different starts end at different multipliers
    start = begin(document(lane), LearningPlan())
    slow = run(start, 10)
    again = run(start, 10)
    at_once = learnt(replace(slow, steps=()))
    for other in (again, at_once):
        assert other.answers == slow.answers and len(other.steps) == 11
        for mine, its in zip(slow.steps, other.steps, strict=True):
            assert mine.score == its.score and mine.question == its.question
            assert np.array_equal(mine.model.dual_coef_, its.model.dual_coef_)  # type: ignore[union-attr]


def test_trainings_start_where_the_last_one_ended() -> None:
    asking = run(begin(document(svm(C=100.0)), LearningPlan()), 25)
    cold = learnt(ActiveLearningRun(asking.pool, asking.plan, asking.lane, asking.order, asking.labelled))
    assert asking.last_step is not None and cold.last_step is not None
    assert asking.last_step.model.n_iter_[0] < 0.6 * cold.last_step.model.n_iter_[0]  # type: ignore[union-attr]
    assert np.allclose(
        asking.last_step.model.decision_function(asking.pool.points.xy),
        cold.last_step.model.decision_function(asking.pool.points.xy),  # type: ignore[union-attr]
        atol=1e-5,
    )


def test_a_wrong_answer_is_learnt_from_and_counted() -> None:
    asking = run(begin(document(svm()), LearningPlan()), 3)
    target = asking.target
    assert target is not None
    truth = int(asking.pool.points.labels[target])
    after = learnt(asking.answered(1 - truth))
    assert after.answers[-1] == PointLabel(target, 1 - truth) and after.wrong == 1
    assert "1 answer is not the truth" in words.remarks(after)
    assert after.last_step is not None
    index, labels, _ = reports(after)
    model = libsvm.SVC(C=5.0, gamma=2.0, tol=1e-10).fit(asking.pool.points.xy[index], labels)
    assert labels[-1] != truth
    assert after.last_step.score.pool == pytest.approx(
        model.score(asking.pool.points.xy, asking.pool.points.labels), abs=0.02
    )
    assert asking.answered(5) is asking, "no class of this pool"


def test_an_own_choice_replaces_the_question() -> None:
    asking = run(begin(document(svm()), LearningPlan()), 2)
    assert asking.question is not None
    _, _, others = reports(asking)
    own = int(next(i for i in others if i != asking.question.index))
    chosen = asking.choosing(own)
    assert chosen.target == own and chosen.choosing(None).target == asking.question.index
    assert asking.choosing(asking.question.index) is asking, "that is no other choice"
    assert asking.choosing(asking.given[0].index) is asking and asking.choosing(-3) is asking
    after = chosen.shown_truth()
    assert after.answers[-1] == PointLabel(own, int(asking.pool.points.labels[own]), own=True)
    assert after.chosen is None and after.own == 1 and "1 point of your own choice" in words.remarks(after)
    assert not asking.shown_truth().answers[-1].own


def test_no_query_while_learning_and_at_the_end() -> None:
    start = begin(document(svm(), Points.of([[0, 0], [1, 0], [0, 1], [1, 1]], [0, 1, 0, 1])), LearningPlan())
    assert start.target is None and start.shown_truth() is start and start.answered(0) is start
    assert words.question(start) == "Learning…" and "learning" in words.progress(start)
    end = run(start, 2)
    assert end.finished and end.question is None and end.shown_truth() is end
    assert words.question(end) == "All points have their labels."
    assert end.last_step is not None and words.progress(end) == "Asked 2 of 2: accuracy 100.0 %"


def test_a_step_back_restores_what_was_there() -> None:
    states = [learnt(begin(document(svm(tol=1e-3)), LearningPlan(per_class=2)))]
    for _ in range(5):
        states.append(learnt(states[-1].shown_truth()))
    asking = states[-1]
    assert asking.question is not None
    asking = asking.choosing(next(int(i) for i in reports(asking)[2] if i != asking.question.index))
    for before in states[-2::-1]:
        asking = asking.back()
        assert asking.answers == before.answers and asking.chosen is None
        assert asking.steps == before.steps and asking.question is before.question
    assert asking.back() is asking, "the labels given stay"


def test_a_reply_that_comes_late_counts_as_far_as_its_answers_do() -> None:
    first = learnt(begin(document(svm()), LearningPlan()))
    longer = learnt(learnt(first.shown_truth()).shown_truth())
    gone_back = longer.back()
    assert gone_back.learnt(longer.answers, longer.steps) is gone_back
    fresh = replace(gone_back, steps=())
    assert fresh.learnt(longer.answers, longer.steps).steps == longer.steps[:2]
    assert first.question is not None
    otherwise = first.answered(1 - int(first.pool.points.labels[first.question.index]))
    assert otherwise.learnt(longer.answers, longer.steps) is otherwise, "other answers"


random_actions = st.lists(
    st.tuples(st.sampled_from(["truth", "answer", "choose", "back", "learn"]), st.integers(0, 70)), max_size=25
)


@examples(60)
@given(random_actions)
def test_any_actions_leave_the_run_consistent(acts: list[tuple[str, int]]) -> None:
    asking = begin(document(svm()), LearningPlan())
    for act, number in acts:
        if act == "truth":
            asking = asking.shown_truth()
        elif act == "answer":
            asking = asking.answered(number % 3)
        elif act == "choose":
            asking = asking.choosing(number if number < 60 else None)
        elif act == "back":
            asking = asking.back()
        else:
            left = np.flatnonzero(asking.open)
            question = LabelQuestion(int(left[number % len(left)]), 0.0)
            last_step = LearningStep(None, Score(0.5), question)  # type: ignore[arg-type]
            missing = len(asking.answers) + 1 - len(asking.steps)
            asking = asking.learnt(asking.answers, asking.steps + (last_step,) * missing)
        indices = [answer.index for answer in asking.labelled]
        assert len(indices) == len(set(indices)), "no point is labelled twice"
        assert len(asking.steps) <= len(asking.answers) + 1
        assert asking.target is None or asking.open[asking.target]
        assert asking.back().given == asking.given


# -- beginning -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "xy, labels, per_class, sentence",
    [
        ([], [], 1, "There are no points to ask about"),
        ([[0, 0]], [3], 1, "There is only one point"),
        ([[0, 0], [1, 1], [2, 0]], [2, 2, 2], 1, "All points are of class 3, so nothing to ask: add a second class."),
        ([[0, 0], [1, 1]], [0, 1], 1, "Nothing is left to ask: all 2 labels are given"),
        ([[0, 0], [1, 1], [2, 2]], [0, 1, 1], MOST_GIVEN, "Nothing is left to ask: all 3 labels are given"),
    ],
)
@pytest.mark.parametrize("lane", [svm(), knn()])
def test_without_a_possible_query_there_is_a_sentence(
    lane: Lane, xy: list[list[float]], labels: list[int], per_class: int, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        begin(document(lane, Points.of(np.reshape(xy, (-1, 2)), labels)), LearningPlan(per_class=per_class))


def test_settings_the_generator_refuses_are_a_sentence() -> None:
    made = document(svm(), generator=GeneratorSettings(name="moons", shift=0.5))
    with pytest.raises(ValueError, match=r"shift is 0\.5"):
        begin(made, LearningPlan(source="generator"))


def test_a_small_class_contributes_all_its_points() -> None:
    truth = np.array([0] * 10 + [1] * 2 + [5] * 8, dtype=np.uint8)
    start, order = drawn(truth, 3, 1, 4)
    assert np.bincount(truth[start]).tolist() == [3, 2, 0, 0, 0, 3]
    assert sorted(order) == list(range(20)) and len(set(start)) == 8


def test_changes_of_the_document_are_reported() -> None:
    made = document(svm(), generator=GeneratorSettings(count=30))
    mine = begin(made, LearningPlan())
    assert mine.stale(made) == "" and mine.stale(replace(made, notes="x", view=View())) == ""
    moved = MovePoints(ids=[0], xy=[[0.0, 0.0]]).apply(made)
    assert "points have changed" in mine.stale(moved)
    fresh = begin(made, LearningPlan(source="generator"))
    assert fresh.stale(moved) == ""
    assert "generator's settings" in fresh.stale(replace(made, generator=GeneratorSettings(count=31)))
    assert mine.stale(replace(made, generator=GeneratorSettings(count=31))) == ""
    other = SetLane(index=0, lane=svm(C=6.0)).apply(made)
    assert "classifier's settings" in mine.stale(other)
    assert mine.stale(SetLane(index=1, lane=svm(C=6.0)).apply(made)) == "", "the other lane"
    looked = Lane("svm", knn=KnnSettings(9), svm=made.lanes[0].svm)
    assert mine.stale(SetLane(index=0, lane=looked).apply(made)) == "", "kNN's settings are not used"
    pair = Lane("svm", svm=made.lanes[0].svm, pair=(1, 2))
    assert mine.stale(SetLane(index=0, lane=pair).apply(made)) == "", "only drawn otherwise"


# -- the document --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["points", "generator"])
def test_the_labelled_points_go_into_the_document_in_one_step(source: Any) -> None:
    styles = (ClassStyle("north"), ClassStyle("south", "#123456"), *(ClassStyle(),) * 6)
    made = document(svm(), generator=GeneratorSettings(count=20), styles=styles, axes=("width", "height"))
    store = Store(made)
    controller = Controller(store, Session(), lambda: None, lambda s: None)
    asking = run(begin(made, LearningPlan(source=source)), 4)
    assert asking.target is not None
    asking = asking.answered(1 - int(asking.pool.points.labels[asking.target]))
    assert store.document is made, "asking changes nothing"
    controller.dispatch(asking.command(store.document))
    index, labels, _ = reports(asking)
    after = store.document
    assert np.array_equal(after.points.xy, asking.pool.points.xy[index]) and np.array_equal(after.points.labels, labels)
    assert after.styles == styles and after.axes == ("width", "height") and after.lanes == made.lanes
    assert after.points.ids[0] >= made.points.next_id, "no learner takes a new point for an old one"
    assert (after.view == made.view) is (source == "points")
    assert store.history == ("Label 7 points",)
    controller.undo()
    assert store.document.points is made.points and store.undo_name is None


# -- what can go wrong ---------------------------------------------------------------------------------------------


def test_fewer_labels_than_k_all_vote() -> None:
    asking = learnt(begin(document(knn(n_neighbors=9)), LearningPlan()))
    assert asking.last_step is not None and asking.last_step.model.n_neighbors == 2  # type: ignore[union-attr]
    assert words.remarks(asking) == "k = 9, but only 2 labels so far: all of them vote."
    more = run(asking, 7)
    assert more.last_step is not None and more.last_step.model.n_neighbors == 9  # type: ignore[union-attr]
    assert words.remarks(more) == ""


def test_a_hard_margin_that_does_not_exist_is_reported() -> None:
    xy = [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0]]
    lane = svm(kernel="linear", hard_margin=True)
    start = begin(document(lane, Points.of(xy, [0, 1, 0, 1, 0, 1])), LearningPlan(strategy="random"))
    end = run(start, 4)
    assert end.last_step is not None and not end.last_step.optimal and end.steps[0].optimal
    assert "no solution" in words.remarks(end)


def test_a_refusal_of_the_solver_is_a_sentence() -> None:
    start = begin(document(svm(kernel="sigmoid", hard_margin=True, coef0=-1.0)), LearningPlan())
    (reply,) = replies(start)
    assert "not positive semidefinite" in reply.message and reply.value is None
    with pytest.raises(ValueError, match="not positive semidefinite"):
        finished(Comparison(start, 2))
    curves = replace(Comparison(start, 2).curves, failure=reply.message)
    assert words.against_random(start, curves) == f"No comparison: {reply.message}"


def test_an_internal_error_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("oops")

    monkeypatch.setattr(Machine, "asking", Asking(broken))
    start = begin(document(svm()), LearningPlan())
    assert "internal error (RuntimeError: oops)" in replies(start)[-1].message


def test_an_obsolete_job_ends_between_two_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "PIECE", 0.0)
    start = begin(document(svm()), LearningPlan())
    assert replies(start, lambda: True) == []
    steps = list(question(start).answer(lambda reply: None, lambda: False))
    assert len(steps) > 6, "training, scoring and painting are cut into pieces"


def test_a_comparison_of_knn_lets_others_in_after_each_label(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its trainings never pause by themselves: together they would be one piece of work, of seconds."""
    monkeypatch.setattr(pacing.Pace, "late", lambda pace: True)
    comparison = Comparison(begin(document(knn()), LearningPlan()), 2)
    steps = list(comparison.answer(lambda curves: None, lambda: False))
    assert len(steps) >= 2 * 2 * len(comparison.curves.labels)


def test_a_query_is_identified_by_pool_answers_grid_and_colours() -> None:
    start = begin(document(svm()), LearningPlan())
    after = learnt(start)
    assert question(start) == question(after) == question(after.choosing(others_of(after)[0]))
    assert question(after) != question(after.shown_truth())
    assert question(start) != replace(question(start), grid=Grid(-2.0, 2.0, -1.5, 1.5, 25, 18))
    assert question(start) != question(begin(document(svm()), LearningPlan())), "another pool"


def others_of(asking: ActiveLearningRun) -> list[int]:
    """Return the points without a label that are not asked about."""
    return [int(index) for index in np.flatnonzero(asking.open) if index != asking.target]


def test_a_panel_asks_the_scheduler_beside_the_window() -> None:
    scheduler = Scheduler(1, lambda: None)
    runner = ActiveLearningController(scheduler)
    try:
        runner.start(begin(document(svm()), LearningPlan()))
        runner.request_picture(GRID, SHADES)
        deadline = time.monotonic() + 300
        while runner.learning and time.monotonic() < deadline:
            scheduler.request_answers({})  # the window's queries have another owner
            scheduler.collect()
            runner.collect()
        assert runner.asking is not None and runner.asking.question is not None and runner.picture is not None
        runner.start(None)
        assert runner.picture is None and scheduler.results.answer(STEP) is None
    finally:
        assert scheduler.close()


# -- the comparison ------------------------------------------------------------------------------------------------


def reference_curve(asking: ActiveLearningRun, strategy: str, repetitions: int) -> np.ndarray:
    """Return accuracies (repetitions, m) by LIBSVM and numpy alone."""
    xy, truth = asking.pool.points.xy, asking.pool.points.labels.astype(int)
    rows = []
    for repetition in range(repetitions):
        order = np.random.default_rng([asking.plan.draw, repetition]).permutation(len(truth))
        index = [i for label in np.unique(truth) for i in [i for i in order if truth[i] == label][:1]]
        row = []
        while True:
            model = libsvm.SVC(C=5.0, gamma=2.0, tol=1e-10).fit(xy[index], truth[index])
            row.append((model.predict(xy) == truth).mean())
            left = [i for i in order if i not in index]
            if not left:
                break
            closest = left[int(np.abs(model.decision_function(xy[left])).argmin())]
            index.append(closest if strategy == "closest" else left[0])
        rows.append(row)
    return np.array(rows)


def test_the_curves_are_means_and_quartiles_of_independent_runs() -> None:
    asking = begin(document(svm(), GeneratorSettings(count=14, noise=0.3).points()), LearningPlan(draw=3))
    curves = finished(Comparison(asking, 4))
    assert curves.labels.tolist() == list(range(2, 29)) and curves.finished
    for strategy in ("closest", "random"):
        accuracies = reference_curve(asking, strategy, 4)
        band = curves.bands[strategy]  # type: ignore[index]
        assert np.allclose(band.mean, accuracies.mean(axis=0), atol=1e-9)
        assert np.allclose(band.low, np.percentile(accuracies, 25, axis=0), atol=1e-9)
        assert np.allclose(band.high, np.percentile(accuracies, 75, axis=0), atol=1e-9)
        for wanted in (0.7, 0.9, accuracies.mean(axis=0)[5], 1.5):
            reached = np.flatnonzero(accuracies.mean(axis=0) >= wanted - 1e-9)
            assert curves.needed(strategy, wanted) == (reached[0] + 2 if len(reached) else None)  # type: ignore[arg-type]
    everything = libsvm.SVC(C=5.0, gamma=2.0, tol=1e-10).fit(asking.pool.points.xy, asking.pool.points.labels)
    assert curves.full == everything.score(asking.pool.points.xy, asking.pool.points.labels)
    assert curves.bands["closest"].mean[-1] == curves.full == curves.bands["random"].mean[-1]


@pytest.mark.parametrize("strategy", ["closest", "random"])
def test_the_first_repetition_is_the_run_itself(strategy: Any) -> None:
    made = document(svm(tol=1e-3), GeneratorSettings(count=10, noise=0.3).points())
    asking = run(begin(made, LearningPlan(strategy=strategy)), 18)
    curves = finished(Comparison(asking, 1))
    assert asking.finished
    assert [last_step.score.shown for last_step in asking.steps] == curves.bands[strategy].mean.tolist()  # type: ignore[index]


def test_a_cancelled_comparison_continues_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "PIECE", 0.0)
    monkeypatch.setattr(asking_module, "INTERVAL", 0.0)
    asking = begin(document(svm(), GeneratorSettings(count=6, noise=0.3).points()), LearningPlan())
    whole = finished(Comparison(asking, 2))
    comparison, jobs = Comparison(asking, 2), 0
    posted: list[Curves] = []
    while not comparison.curves.finished:
        jobs += 1
        asked = itertools.count()
        with suppress(OvertakenError):
            overtaken = partial(lambda asked, most: next(asked) > most, asked, 5 + jobs)
            for _ in comparison.answer(posted.append, overtaken):
                pass
        assert jobs < 500
    assert jobs > 5
    for strategy in ("closest", "random"):
        assert np.array_equal(comparison.curves.bands[strategy].mean, whole.bands[strategy].mean)  # type: ignore[index]
    lengths = [len(curves.labels) for curves in posted]
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1] == 11, "they grow"
    for curves in posted:  # curves that have been drawn stay
        assert np.array_equal(curves.bands["random"].mean, whole.bands["random"].mean[: len(curves.labels)])


def test_a_large_pool_is_compared_up_to_a_number_of_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_module, "MOST_LABELS", 8)
    asking = run(begin(document(svm()), LearningPlan()), 12)
    curves = finished(Comparison(asking, 2))
    assert curves.last == 8 and len(curves.labels) == 7 and curves.needed("random", 1.1) is None
    assert "more than 8 labels" in words.against_random(asking, curves)


# -- words ---------------------------------------------------------------------------------------------------------


def curves_of(closest: list[float], random: list[float], last: int, full: float = 0.9) -> Curves:
    bands = {
        strategy: asking_module.AccuracyBand(*(np.array(values),) * 3)
        for strategy, values in (("closest", closest), ("random", random))
    }
    pool = begin(document(svm()), LearningPlan()).pool
    return Curves(pool, 2, last, bands, full, 20)  # type: ignore[arg-type]


def test_the_sentences_have_the_numbers() -> None:
    asking = run(begin(document(svm()), LearningPlan()), 3)
    assert asking.last_step is not None
    accuracy = asking.last_step.score.shown
    curves = curves_of([0.5, 0.86, 0.9], [0.5, 0.6, accuracy], 4)
    here = "; this run has 5 (2 given)."
    assert words.against_random(asking, curves) == f"Random needs about 4 labels for that{here}"
    growing = curves_of([0.5, 0.6], [0.1, 0.2], 60)
    assert words.against_random(asking, growing) == (f"Random needs more than 3 labels for that, still counting{here}")
    never = curves_of([0.5] * 59, [0.1] * 59, 60)
    assert words.against_random(asking, never) == (f"Random does not come to that, even with all 60 labels{here}")
    assert words.against_random(asking, None) == ""
    assert words.verdict(curves)[1:] == (
        "for 95 % of that: least sure 3 labels, random > 4"
        if accuracy < 0.855
        else "for 95 % of that: least sure 3 labels, random 4",
        "for 99 % of that: least sure 4 labels, random > 4"
        if accuracy < 0.891
        else "for 99 % of that: least sure 4 labels, random 4",
    )
    assert words.verdict(growing)[0] == "All 60 labels give 90.0 %. Needed (mean of 20 runs, still counting):"
    assert words.verdict(Comparison(asking, 1).curves) == ("Comparing…",) and words.verdict(None) == ()


@pytest.mark.parametrize(
    "lane, n_classes, formula, value",
    [
        (svm(), 2, "|f(x)|", "|f| = 0.25"),
        (svm(), 3, "duels won", "lead = 0.25"),
        (svm(multiclass="one-vs-rest"), 3, "the two largest f", "f₁ − f₂ = 0.25"),
        (knn(), 2, "shares of the vote", "p₁ − p₂ = 0.25"),
    ],
)
def test_the_formula_and_the_value_are_those_of_the_learner(
    lane: Lane, n_classes: int, formula: str, value: str
) -> None:
    assert formula in words.formula(lane, "closest", n_classes)
    assert "equally likely" in words.formula(lane, "random", n_classes)
    assert words.measure(lane, 0.25, n_classes) == value


def test_a_classifier_that_cannot_query_or_was_removed() -> None:
    start = Document(GeneratorSettings().points())
    for kind in ("perceptron", "pegasos", "difference"):
        with pytest.raises(ValueError, match="Only kNN or an SVM"):
            begin(replace(start, lanes=(Lane("knn"), Lane(kind))), LearningPlan(lane=1))
    with pytest.raises(ValueError, match="Only kNN or an SVM"):
        begin(start, LearningPlan(lane=2))
    run = begin(start, LearningPlan(lane=1))
    assert run.stale(start) == ""
    assert "has been removed" in run.stale(replace(start, lanes=(Lane("knn"),), shown=1))
    assert "settings have changed" in run.stale(replace(start, lanes=(Lane("knn"), Lane("difference"))))
