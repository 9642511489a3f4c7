"""What if: the state before a step is kept, the ghost is the old model's boundary, numbers against references."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from numpy.typing import NDArray
from sklearn import svm as reference

from app.controllers.controller import Controller
from app.core.points import Points
from app.engine.frames import Frame, Marks, Model, Phase
from app.engine.overlays import Lines
from app.engine.pacing import OvertakenError
from app.engine.results import Results
from app.engine.surface_values import MOST_VERTICES, Surface, unless_too_dense
from app.features.scores.scene import fresh_points
from app.features.what_if import text as words
from app.features.what_if.controller import WhatIf
from app.features.what_if.scene import (
    Baseline,
    Change,
    ChangeQuery,
    Facts,
    GhostQuery,
    StateSide,
    WhatIfSession,
    differs,
    queries,
    removable,
    side_of,
)
from app.scene.model import Context
from app.state.commands import MovePoints, RelabelPoints, RemovePoints
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, PegasosSettings, SvmSettings, View
from app.state.session import Session
from app.state.split import Split
from app.state.store import Store
from solver import SVC, Grid, KNeighborsClassifier
from solver.core.binary_reduction import PairClassifier
from solver.data.distribution import Law
from tests.stepped import run

Array = NDArray[np.float64]
GRID = Grid(-2.0, 3.0, -2.0, 2.0, 160, 120)
TWO = GeneratorSettings(count=25, noise=0.3).points()
THREE = GeneratorSettings(name="blobs", count=12, n_classes=3, noise=0.6).points()
LANES = {
    "knn": Lane("knn", knn=KnnSettings(3)),
    "rbf": Lane("svm"),
    "linear": Lane("svm", svm=SvmSettings("linear")),
    "rest": Lane("svm", svm=SvmSettings(multiclass="one-vs-rest")),
    "perceptron": Lane("perceptron"),
    "pegasos": Lane("pegasos", pegasos=PegasosSettings(n_iter=2000)),
}


def fit(lane: Lane, points: Points) -> Model:
    if lane.classifier == "knn":
        return KNeighborsClassifier(lane.knn.n_neighbors).fit(points.xy, points.labels)
    estimator = lane.estimator()
    trainer = estimator.prepare(points.xy, points.labels)
    run(trainer)
    return estimator.snapshot_model(trainer.snapshot())


def frame_of(lane: Lane, points: Points, slot: int = 0, **changes: Any) -> Frame:
    model = fit(lane, points)
    marks, certificates = Marks(), ()
    if isinstance(model, PairClassifier):
        certificates = tuple(model.certificates_)
        if hasattr(model, "support_"):
            marks = Marks(free=np.sort(model.support_).astype(np.intp))
    frame = Frame(1, slot, points, lane, Phase.DONE, model=model, certificates=certificates, marks=marks)
    return replace(frame, **changes)


def note_of(document: Document, frame: Frame) -> str:
    """Return the panel's sentence about the lane's points that are no support vectors."""
    results = Results()
    results.accept(frame)
    report = words.lane(Context(document, replace(Session(), open_panels=frozenset({"whatif"})), results), 0)
    assert report is not None
    return report.note


def asked(query: Any, overtaken: Callable[[], bool] = lambda: False) -> list[Any]:
    got: list[Any] = []
    with suppress(OvertakenError):
        list(query.answer(got.append, overtaken))
    return got


def change_of(lane: Lane, old: Points, new: Points, test: Points | Law | None = None) -> Change:
    change = asked(ChangeQuery(StateSide(old, lane, fit(lane, old)), StateSide(new, lane, fit(lane, new)), GRID, test))
    assert len(change) == 1
    return change[0]


# -- the ghost ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", LANES)
def test_the_ghost_is_the_boundary_of_the_old_model(name: str, points: Points) -> None:
    """On the two sides of each of its vertices the old model predicts different classes, or ties."""
    lane = LANES[name]
    model = fit(lane, points)
    ((ghost,),) = asked(GhostQuery(StateSide(points, lane, model), GRID))
    assert isinstance(ghost, Lines) and ghost.style == "ghost"
    xy = ghost.xy[~np.isnan(ghost.xy[:, 0])]
    assert len(xy) > 10
    step = 1.5 * (GRID.right - GRID.left) / GRID.width
    around = [model.predict(xy + step * np.array([math.cos(a), math.sin(a)])) for a in np.linspace(0, 6.28, 17)]
    changes = np.any([each != around[0] for each in around], axis=0)
    assert changes.mean() > 0.97
    if name == "rbf" and points is TWO:  # the line of an SVM is f = 0, far finer than a pixel
        assert isinstance(model, SVC)
        assert np.abs(model.decision_function(xy)).max() < 0.02
    # And nowhere else: rows of predictions change class only near the line.
    predicted = model.predict(np.column_stack([g.ravel() for g in np.meshgrid(GRID.xs, GRID.ys)])).reshape(120, 160)
    rows, columns = np.nonzero(predicted[:, 1:] != predicted[:, :-1])
    for row, column in list(zip(rows, columns, strict=True))[::7]:
        location = 0.5 * (GRID.xs[column] + GRID.xs[column + 1]), GRID.ys[row]
        assert np.hypot(*(xy - location).T).min() < 2.5 * step


def test_a_ghost_without_a_model_is_that_of_the_refit() -> None:
    lane = LANES["rbf"]
    model = fit(lane, TWO)
    ((refit,),) = asked(GhostQuery(StateSide(TWO, lane, None), GRID))
    xy = refit.xy[~np.isnan(refit.xy[:, 0])]
    assert isinstance(model, SVC)
    assert len(xy) > 10 and np.abs(model.decision_function(xy)).max() < 0.02


def test_on_another_grid_it_is_computed_anew() -> None:
    """Zoomed in, the line has vertices of the new grid; none is farther from f = 0 than the size of its pixels."""
    lane = LANES["rbf"]
    model = fit(lane, TWO)
    near = Grid(0.0, 0.5, -0.1, 0.3, 160, 120)
    ((ghost,),) = asked(GhostQuery(StateSide(TWO, lane, model), near))
    assert isinstance(model, SVC)
    xy = ghost.xy[~np.isnan(ghost.xy[:, 0])]
    assert len(xy) > 10 and np.abs(model.decision_function(xy)).max() < 2e-4


def test_nothing_is_posted_once_overtaken() -> None:
    lane = LANES["rbf"]
    for model in (None, fit(lane, TWO)):
        side = StateSide(TWO, lane, model)
        assert not asked(GhostQuery(side, GRID), lambda: True)
        assert not asked(ChangeQuery(side, side, GRID, None), lambda: True)


def test_lines_too_dense_are_left_out() -> None:
    regions = (np.indices((400, 400)).sum(axis=0) % 2).astype(np.int8)
    found = Surface(Grid(0, 1, 0, 1, 400, 400), regions, np.zeros(regions.shape, dtype=bool))
    assert len(unless_too_dense(found.boundary(2), MOST_VERTICES)) == 0


# -- the numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rbf", "linear"])
def test_numbers_against_scikit_learn(name: str) -> None:
    lane, new = LANES[name], TWO.relabel([3, 30], 1).move([7], [[0.3, -1.0]])
    change = change_of(lane, TWO, new, THREE.sample(10))
    fs = []
    for points, facts in ((TWO, change.old), (new, change.new)):
        y = points.labels.astype(int)
        theirs = reference.SVC(kernel=name, C=1.0, gamma=1.0, tol=1e-8).fit(points.xy, y)
        coef, vectors = theirs.dual_coef_[0], theirs.support_vectors_
        K = np.exp(-((vectors[:, None] - vectors[None]) ** 2).sum(-1)) if name == "rbf" else vectors @ vectors.T
        norm = coef @ K @ coef
        assert facts.width == pytest.approx(2.0 / math.sqrt(norm), rel=2e-3)
        assert facts.dual == pytest.approx(np.abs(coef).sum() - 0.5 * norm, rel=1e-4)
        assert abs(facts.n_bounded - int((np.abs(coef) > 1.0 - 1e-6).sum())) <= 1
        assert facts.accuracy == pytest.approx(theirs.score(points.xy, y), abs=0.021)
        assert facts.n_points == len(points) and facts.finished
        fs.append(theirs.decision_function(np.column_stack([g.ravel() for g in np.meshgrid(GRID.xs, GRID.ys)])))
    assert change.largest == pytest.approx(np.abs(fs[1] - fs[0]).max(), abs=5e-3)
    assert change.moved == pytest.approx(((fs[1] > 0) != (fs[0] > 0)).mean(), abs=2e-3)
    assert not change.nothing and change.tolerance == pytest.approx(0.01)
    assert 0.0 <= change.new.test <= 1.0


def test_without_test_points_new_points_of_the_generator_decide_as_in_the_status_line() -> None:
    law, lane = Law("moons", 0.3), LANES["knn"]
    xy, labels = fresh_points(law)
    old, new = (GeneratorSettings("moons", 40, 0.3, seed).points() for seed in (1, 2))
    change = change_of(lane, old, new, law)
    for facts, points in ((change.old, old), (change.new, new)):
        assert facts.test == pytest.approx((fit(lane, points).predict(xy) == labels).mean(), abs=1e-9)


def test_several_classes_compare_all_problems() -> None:
    for name in ("rbf", "rest"):
        far = THREE.move([0], [[9.0, 9.0]])
        change = change_of(LANES[name], THREE, far)
        old, new = fit(LANES[name], THREE), fit(LANES[name], far)
        assert isinstance(old, SVC) and isinstance(new, SVC)
        queries = np.column_stack([g.ravel() for g in np.meshgrid(GRID.xs, GRID.ys)])
        brute = np.abs(new.pair_decision_function(queries) - old.pair_decision_function(queries)).max()
        assert change.largest == pytest.approx(brute, rel=1e-6)


def test_knn_and_perceptron_are_compared_by_class_alone() -> None:
    for name in ("knn", "perceptron"):
        change = change_of(LANES[name], TWO, TWO.relabel([3], 1))
        assert math.isnan(change.largest) and math.isnan(change.old.width) and change.old.n_free == -1
        same = change_of(LANES[name], TWO, TWO)
        assert same.nothing and same.moved == 0.0
    old, new = KNeighborsClassifier(3).fit(TWO.xy, TWO.labels), TWO.remove([0, 1])
    queries = np.column_stack([g.ravel() for g in np.meshgrid(GRID.xs, GRID.ys)])
    brute = (KNeighborsClassifier(3).fit(new.xy, new.labels).predict(queries) != old.predict(queries)).mean()
    assert change_of(LANES["knn"], TWO, new).moved == pytest.approx(brute, abs=1e-3)


def test_a_removed_class_leaves_f_incomparable() -> None:
    change = change_of(LANES["rbf"], THREE, THREE.remove(np.flatnonzero(THREE.labels == 2)))
    assert math.isnan(change.largest) and change.moved > 0.1 and not change.nothing


def test_no_model_is_a_sentence() -> None:
    one = Points.of([[0.0, 0.0]], [0])
    with pytest.raises(ValueError, match=r"\.$"):
        asked(GhostQuery(StateSide(one, Lane("svm"), None), GRID))


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(6, 40),
    kernel=st.sampled_from(["linear", "rbf", "poly", "laplacian"]),
    C=st.sampled_from([0.1, 1.0, 10.0]),
    n_classes=st.integers(2, 3),
    multiclass=st.sampled_from(["one-vs-one", "one-vs-rest"]),
)
def test_without_all_that_are_no_support_vectors_nothing_moves(
    seed: int, n: int, kernel: str, C: float, n_classes: int, multiclass: str
) -> None:
    """Trained anew, from zero, without them: f is the same on the grid, within the difference of two trainings.

    Without a free support vector only w is the same, and nothing else is promised.
    """
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    points = Points.of(rng.normal(size=(n, 2)) + 1.5 * labels[:, None] * (1.0, 0.3), labels)
    lane = Lane("svm", svm=SvmSettings(kernel, C, tol=1e-6, multiclass=multiclass))  # type: ignore[arg-type]
    document = Document(points, (lane,), 1)
    frame = frame_of(lane, points)
    found = removable(document, frame)
    assert not found.reason and set(found.ids) | set(found.support) == set(range(n))
    left = points.remove(points.indices_of(found.ids))
    grid = Grid(-2.0, 4.0, -2.0, 2.5, 40, 30)
    side = StateSide(points, lane, frame.model)
    (change,) = asked(ChangeQuery(side, StateSide(left, lane, None), grid, None))
    if "may shift" in note_of(document, frame):
        assert any(each.n_free == 0 for each in frame.certificates)
    else:
        assert change.largest < 1e-3, change.largest
    assert change.new.width == pytest.approx(change.old.width, rel=1e-3)


def test_without_one_support_vector_something_moves() -> None:
    lane = LANES["rbf"]
    found = removable(Document(TWO, (lane,), 1), frame_of(lane, TWO))
    change = change_of(lane, TWO, TWO.remove(TWO.indices_of(found.support[:1])))
    assert not change.nothing and change.largest > 0.03


# -- what is kept ------------------------------------------------------------------------------------------------------


class Setup(Controller):
    """A controller whose lanes show a model of the present points at once."""

    def __init__(self, document: Document) -> None:
        self.report: list[str] = []
        shown: Any = SimpleNamespace(frame=self.newest)
        super().__init__(Store(document), Session(), lambda: None, self.report.append, shown)
        self.what_if = self.feature(WhatIf)
        self.late = False

    def newest(self, slot: int) -> Frame | None:
        location = self.document.slots.index(slot)
        if self.late or location >= len(self.document.lanes):
            return None
        return self.frames[slot]

    def learn(self) -> None:
        self.frames = {
            slot: frame_of(lane, self.document.training_points, slot)
            for lane, slot in zip(self.document.lanes, self.document.slots, strict=False)
        }


def setup() -> Setup:
    made = Setup(Document(TWO, (LANES["knn"], LANES["rbf"]), view=View(0.5, 0.2, 4.0)))
    made.learn()
    return made


def test_disarmed_nothing_is_kept() -> None:
    d = setup()
    d.dispatch(RemovePoints(ids=[3]))
    assert d.session.of(WhatIfSession).baseline is None
    d.what_if.toggle()
    assert d.session.of(WhatIfSession).armed and "dashed" in d.report[-1]
    d.what_if.toggle()
    assert not d.session.of(WhatIfSession).armed


def test_a_drag_is_compared_with_what_was_before_it_began() -> None:
    d = setup()
    d.what_if.toggle()
    start = d.document
    d.apply(MovePoints("drag 1", ids=[3], xy=[[1.0, 1.0]]))
    first = d.session.of(WhatIfSession).baseline
    assert first is not None and first.document is start and first.frames[1] is d.frames[1]
    for x in (1.2, 1.4, 1.6):
        d.apply(MovePoints("drag 1", ids=[3], xy=[[x, 1.0]]))
        assert d.session.of(WhatIfSession).baseline is first
    after = d.document
    d.learn()
    d.apply(MovePoints("drag 2", ids=[3], xy=[[0.0, 0.0]]))
    assert d.session.of(WhatIfSession).baseline is not first and d.session.of(WhatIfSession).baseline is not None
    assert (
        d.session.of(WhatIfSession).baseline.document is after
        and d.session.of(WhatIfSession).baseline.frames[1] is d.frames[1]
    )


def test_undo_and_redo_are_edits_too() -> None:
    d = setup()
    d.what_if.toggle()
    start = d.document
    d.dispatch(RelabelPoints(ids=[3, 4], label=1))
    edited = d.document
    d.learn()
    d.undo()
    assert d.session.of(WhatIfSession).baseline is not None and d.session.of(WhatIfSession).baseline.document is edited
    assert d.document.points is start.points
    d.learn()
    d.redo()
    assert d.session.of(WhatIfSession).baseline.document.points is start.points


def test_what_does_not_concern_the_lanes_changes_no_baseline() -> None:
    d = setup()
    d.what_if.toggle()
    d.dispatch(RemovePoints(ids=[3]))
    kept = d.session.of(WhatIfSession).baseline
    d.pan(0.3, 0.1)
    d.set_notes("n")
    d.set_axes(("a", "b"))
    d.lanes.move(0, 1)
    assert d.session.of(WhatIfSession).baseline is kept
    d.set_lane(0, "svm", C=3.0)
    assert d.session.of(WhatIfSession).baseline is not kept, "a slider is an edit of what is learnt"


def test_a_cancelled_gesture_leaves_nothing() -> None:
    d = setup()
    d.what_if.toggle()
    d.dispatch(RemovePoints(ids=[5]))
    left = d.document.points
    d.learn()
    d.apply(MovePoints("drag", ids=[3], xy=[[1.0, 1.0]]))
    assert (
        d.session.of(WhatIfSession).baseline is not None
        and d.session.of(WhatIfSession).baseline.document.points is left
    )
    d.set_session(drawing=True)
    d.store.abandon("drag")
    assert d.session.of(WhatIfSession).baseline is None and d.document.points is left


def test_another_document_forgets() -> None:
    d = setup()
    d.what_if.toggle()
    d.dispatch(RemovePoints(ids=[3]))
    d.put(Document(THREE), None)
    assert d.session.of(WhatIfSession).baseline is None and d.session.of(WhatIfSession).armed


def test_the_lanes_that_learn_something_else_have_a_ghost() -> None:
    d = setup()
    d.what_if.toggle()

    def ghosts() -> set[str]:
        return set(queries(Context(d.document, d.session, Results(), (GRID, GRID))))

    assert not ghosts()
    d.set_lane(0, "knn", n_neighbors=9)
    assert ghosts() == {"ghost0"}, "the same points, but other settings"
    d.dispatch(RemovePoints(ids=[3]))
    assert "ghost1" in ghosts()


def test_a_model_that_was_not_ready_is_trained_for_the_ghost() -> None:
    d = setup()
    d.what_if.toggle()
    d.late = True
    d.dispatch(RemovePoints(ids=[3]))
    assert (
        d.session.of(WhatIfSession).baseline is not None and d.session.of(WhatIfSession).baseline.frames == (None,) * 4
    )
    side = side_of(d.session.of(WhatIfSession).baseline, 1)
    assert side == StateSide(TWO, LANES["rbf"], None)
    other = frame_of(LANES["rbf"], THREE)
    assert Baseline.of(d.document, lambda slot: other).frames == (None,) * 4, "a model of other points is no baseline"
    young = frame_of(LANES["rbf"], d.document.training_points, phase=Phase.TRAINING)
    assert Baseline.of(d.document, lambda slot: young).frames == (None,) * 4


def test_no_model_before_is_no_ghost() -> None:
    empty = Baseline(Document(Points(), (LANES["knn"], LANES["rbf"])), (None,) * 4)
    assert side_of(empty, 0) is None and side_of(empty, 1) is None
    assert side_of(Baseline(Document(TWO, (LANES["rbf"], Lane("difference"))), (None,) * 4), 1) is None
    one = Baseline(Document(Points.of([[0.0, 0.0]], [0]), (LANES["knn"], LANES["rbf"])), (None,) * 4)
    assert side_of(one, 0) is not None and side_of(one, 1) is None and side_of(one, 3) is None


def test_what_differs() -> None:
    document = Document(TWO, (LANES["knn"], LANES["rbf"]))
    assert not differs(document, replace(document, notes="x", view=View(3.0)))
    assert not differs(document, replace(document, lanes=document.lanes[::-1], slots=(1, 0, 2, 3)))
    assert differs(document, replace(document, points=TWO.remove([0])))
    assert differs(document, replace(document, lanes=(LANES["knn"], LANES["linear"])))


# -- what can be removed -----------------------------------------------------------------------------------------------


def test_removing_is_one_step_with_a_name_and_arms() -> None:
    d = setup()
    others = removable(d.document, d.frames[1]).ids
    position = d.store.position
    d.what_if.remove_non_support(1)
    assert (
        d.session.of(WhatIfSession).armed
        and d.session.of(WhatIfSession).baseline is not None
        and d.store.position == position + 1
    )
    assert d.store.undo_name == f"Remove {len(others)} non-support vectors"
    assert len(d.document.points) == len(TWO) - len(others)
    assert np.intersect1d(d.document.points.ids, others).size == 0
    d.learn()
    d.what_if.remove_non_support(1)
    assert d.store.position == position + 1, "there are none left"
    d.what_if.remove_support(1)
    assert d.store.undo_name == "Remove 1 point"
    d.undo()
    d.undo()
    assert d.document.points is TWO
    d.what_if.remove_non_support(0)
    assert d.document.points is TWO, "kNN has none"


def test_why_there_is_nothing_to_remove() -> None:
    document, lane = Document(TWO, (LANES["rbf"],), 1), LANES["rbf"]
    frame = frame_of(lane, TWO)
    assert len(removable(document, frame).ids) and frame.ended
    hard = frame_of(Lane("svm", svm=SvmSettings("linear", hard_margin=True)), TWO)
    assert not hard.ended
    for other, text in (
        (None, "Wait"),
        (replace(frame, phase=Phase.TRAINING), "Wait"),
        (frame_of(lane, THREE), "Wait"),
        (hard, "optimum"),
        (frame_of(Lane("knn", knn=KnnSettings(n_neighbors=len(TWO))), TWO), "no more points than k"),
        (frame_of(LANES["pegasos"], TWO), "every point"),
        (frame_of(Lane("svm", svm=SvmSettings(trainer="lasvm", finish=False)), TWO), "optimum"),
    ):
        found = removable(document, other)
        assert not len(found.ids) and not len(found.support) and text in found.reason, text
        assert not found.idle
    assert removable(document, frame_of(LANES["knn"], TWO)).idle
    share, sample = replace(document, split=Split("ratio")), replace(document, training_limit=20)
    for each in (lane, LANES["knn"]):
        for other, text in ((share, "drawn anew"), (sample, "sample")):
            found = removable(other, frame_of(each, other.training_points))
            assert text in found.reason and not found.idle


# -- words -------------------------------------------------------------------------------------------------------------


def test_numbers_with_their_sign_and_a_true_minus() -> None:
    old, new = Facts(0.8, 9, 5, 12.5, 40, 0.975, math.nan), Facts(0.9, 8, 4, 11.5, 39, 1.0, math.nan)
    found = {name: rest for name, *rest in words.rows(Change(old, new, 0.3, 0.1, 0.01, GRID))}
    assert found["Margin width 2/‖w‖"] == ["0.8", "0.9", "+0.1"]
    assert found["Support vectors (free + bounded)"] == ["14 (9 + 5)", "12 (8 + 4)", "−2"]
    assert found["Dual optimum D(α)"] == ["12.5", "11.5", "−1"]
    assert found["Training accuracy"] == ["97.5 %", "100.0 %", "+2.5 points"]
    assert found["Training points"] == ["40", "39", "−1"] and "Test accuracy" not in found
    same = words.rows(Change(old, old, 0.0, 0.0, 0.01, GRID))
    assert {row[3] for row in same} == {"±0"}
    assert "-" not in "".join("".join(row) for row in words.rows(Change(new, old, 0.3, 0.1, 0.01, GRID)))


def test_the_verdict_states_the_number() -> None:
    facts = Facts()
    nothing = words.verdict(Change(facts, facts, 2.3e-13, 0.0, 0.01, GRID), provisional=False)
    assert nothing.startswith("Nothing moved: largest change of f on a 160 × 120 grid: 2.3e−13 (below 0.01")
    moved = words.verdict(Change(facts, facts, 0.35, 0.021, 0.01, GRID), provisional=True)
    assert (
        moved.startswith("Provisional, the training goes on. Moved: largest change of f on a 160 × 120 grid: 0.35")
        and "2.1 %" in moved
    )
    stopped = words.verdict(Change(facts, facts, 0.35, 0.021, 0.01, GRID), provisional=True, stopped=True)
    assert stopped.startswith("Not certified, the training stopped early. Moved")
    assert "Nothing moved: another class at 0.0 %" in words.verdict(
        Change(facts, facts, math.nan, 0.0, 0.01, GRID), provisional=False
    )


def test_f_may_hardly_move_and_many_locations_change_class() -> None:
    """A wide kernel and a small C: f spans only thousandths, and the limit of |Δf| means nothing."""
    lane = Lane("svm", svm=SvmSettings("rbf", C=1e-4, gamma=0.01))
    change = change_of(lane, TWO, TWO.move(range(8), TWO.xy[:8] + np.array([2.0, 1.0])))
    assert change.within and change.moved > max(change.slack, 0.02) and not change.nothing
    report = words.verdict(change, provisional=False)
    assert report.startswith("f moved within training tolerance (largest change of f on a ")
    assert "change class" in report and "Nothing" not in report
    facts = Facts()
    assert Change(facts, facts, 1e-3, 0.002, 0.01, GRID, 0.003).nothing
    assert not Change(facts, facts, 1e-3, 0.004, 0.01, GRID, 0.003).nothing


def test_a_state_before_that_was_not_certified_is_called_so() -> None:
    """Stopped early or not separable, known from before or trained only now."""
    hard = Lane("svm", svm=SvmSettings("linear", hard_margin=True))
    new = StateSide(TWO, LANES["linear"], fit(LANES["linear"], TWO))
    for old in (StateSide(TWO, hard, fit(hard, TWO), False), StateSide(TWO, hard, None)):
        (change,) = asked(ChangeQuery(old, new, GRID, None))
        assert not change.old.finished and change.new.finished
        assert words.verdict(change, False).startswith("The state before was not certified. ")
        names = [name for name, *_ in words.rows(change)]
        assert "Dual value D(α)" in names and "Dual optimum D(α)" not in names


def test_locations_are_compared_by_the_predicted_class() -> None:
    """Of equals the lowest, as the models predict and the Compare panel counts: a new tie is no other class."""
    lane = Lane("knn", knn=KnnSettings(2))
    old = Points.of([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], [0, 0, 1])
    new = old.relabel([0], 1)
    queries = np.column_stack([g.ravel() for g in np.meshgrid(GRID.xs, GRID.ys)])
    change = change_of(lane, old, new)
    assert change.moved == (fit(lane, old).predict(queries) != fit(lane, new).predict(queries)).mean()


def test_without_a_free_support_vector_nothing_is_promised() -> None:
    lane = Lane("svm", svm=SvmSettings("linear", C=1e-3))
    for points, promised in ((TWO, True), (Points.of([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0]], [0, 1, 1]), False)):
        document = Document(points, (LANES["linear"] if promised else lane,), 1)
        frame = frame_of(document.lanes[0], points)
        assert any(each.n_free == 0 for each in frame.certificates) is not promised
        note = note_of(document, frame)
        assert ("all others can go" in note) is promised and ("the boundary may shift" in note) is not promised


def test_missing_parts_are_reported() -> None:
    one = Points.of([[0.0, 0.0], [1.0, 0.0]], [0, 0])
    session = replace(Session(), open_panels=frozenset({"whatif"}))
    for points, text in ((Points(), "nothing to learn from"), (one, "one class")):
        document = Document(points, (LANES["rbf"],), 1)
        report = words.lane(Context(document, session, Results()), 0)
        assert report is not None and text in report.note and "Wait" not in report.note
