"""Condensing and editing: by brute force, by their certificates, and against imbalanced-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from solver import (
    CondensedNearestNeighbour,
    EditedNearestNeighbours,
    KNeighborsClassifier,
    RepeatedEditedNearestNeighbours,
    Status,
)
from solver.knn import reduction
from solver.knn.neighbors import METRICS
from solver.knn.reduction import CondensingSolver, EditingSolver
from tests.examples import examples

Points = tuple[NDArray[np.float64], NDArray[np.int64]]


def problem(seed: int, lattice: bool = False, n_classes: int = 3) -> Points:
    """Return points of overlapping classes; on a lattice there are ties and equal points."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(n_classes, 60))
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, 2)) + 0.8 * y[:, None]
    return (np.round(1.5 * X) if lattice else X), y


def squared(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distances of all points from all."""
    d: NDArray[np.float64] = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    return d


def votes(d: NDArray[np.float64], y: NDArray[np.int64], k: int, n_classes: int) -> NDArray[np.int64]:
    """Return the votes of each class of points at distances `d`, as whole numbers: times the number of tied points."""
    kth = np.sort(d)[k - 1]
    near, tied = d < kth, d == kth
    inside, level = (np.bincount(y[some], minlength=n_classes) for some in (near, tied))
    found: NDArray[np.int64] = inside * tied.sum() + level * (k - near.sum())
    return found


def hart(X: NDArray[np.float64], y: NDArray[np.int64]) -> list[int]:
    """Return the points, in their order, that Hart's rule keeps."""
    d, kept, added = squared(X), [0], True
    while added:
        added = False
        for i in range(len(y)):
            if i not in kept:
                won = votes(d[i, kept], y[kept], 1, 3)
                if (np.delete(won, y[i]) >= won[y[i]]).any():
                    kept.append(i)
                    added = True
    return sorted(kept)


def wilson(X: NDArray[np.float64], y: NDArray[np.int64], k: int) -> list[int]:
    """Return the points that their k nearest others do not outvote; all if all are outvoted."""
    d, kept = squared(X), []
    for i in range(len(y)):
        others = np.delete(np.arange(len(y)), i)
        won = votes(d[i, others], y[others], min(k, len(others)), 3) if len(others) else np.zeros(3)
        if won[y[i]] == won.max():
            kept.append(i)
    return kept or list(range(len(y)))


@pytest.mark.parametrize("metric", METRICS)
def test_a_condensed_set_is_consistent(metric: str) -> None:
    for seed in range(40):
        X, y = problem(seed)
        p = 3.0 if metric == "minkowski" else 2
        condensing = CondensedNearestNeighbour(metric=metric, p=p, shuffle=seed % 2 == 0, random_state=seed)
        kept_X, kept_y = condensing.fit_resample(X, y)
        assert condensing.certificate_.status is Status.OPTIMAL and condensing.certificate_.n_wrong == 0
        assert np.array_equal(kept_X, X[condensing.sample_indices_])
        model = KNeighborsClassifier(1, metric=metric, p=p).fit(kept_X, kept_y)
        assert np.array_equal(model.predict(X), y)
        assert (model.predict_proba(X).max(axis=1) == 1.0).all()
        if metric in ("euclidean", "manhattan", "chebyshev"):
            order = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}[metric]
            d = np.linalg.norm(X[:, None] - kept_X[None], order, axis=-1)
            assert np.array_equal(kept_y[d.argmin(axis=1)], y)


@pytest.mark.parametrize("lattice", [False, True])
def test_condensing_keeps_what_harts_rule_keeps(lattice: bool) -> None:
    for seed in range(40):
        X, y = problem(seed, lattice)
        condensing = CondensedNearestNeighbour(shuffle=False)
        condensing.fit_resample(X, y)
        assert condensing.sample_indices_.tolist() == hart(X, y)


def test_another_order_keeps_other_points() -> None:
    X, y = problem(3)
    kept = []
    for seed in range(4):
        condensing = CondensedNearestNeighbour(random_state=seed)
        condensing.fit_resample(X, y)
        kept.append(tuple(condensing.sample_indices_.tolist()))
    assert len(set(kept)) > 1
    assert len({*kept, tuple(hart(X, y))}) > len(set(kept))


def test_equal_points_of_two_classes_stay_wrong() -> None:
    X, y = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [3.0, 0.0]], [0, 0, 1, 1]
    condensing = CondensedNearestNeighbour(shuffle=False)
    condensing.fit_resample(X, y)
    assert condensing.sample_indices_.tolist() == [0, 1, 2, 3]
    assert condensing.certificate_.status is Status.STATIONARY
    assert condensing.certificate_.n_wrong == 1  # two against one


@pytest.mark.parametrize("lattice", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 100])
def test_editing_removes_what_the_others_outvote(k: int, lattice: bool) -> None:
    for seed in range(25):
        X, y = problem(seed, lattice)
        editing = EditedNearestNeighbours(n_neighbors=k)
        editing.fit_resample(X, y)
        assert editing.sample_indices_.tolist() == wilson(X, y, k)
        left, now = np.arange(len(y)), np.array(wilson(X, y, k))
        while len(now) < len(left) and set(y[now]) == set(y):
            left, now = now, now[wilson(X[now], y[now], k)]
        repeated = RepeatedEditedNearestNeighbours(n_neighbors=k)
        repeated.fit_resample(X, y)
        assert repeated.sample_indices_.tolist() == left.tolist(), "it ends before a class disappears"
        if set(y[now]) != set(y):
            assert repeated.certificate_.status is Status.STOPPED_EARLY
        elif repeated.certificate_.status is Status.OPTIMAL:
            assert repeated.certificate_.n_wrong == 0


def theirs(X: NDArray[np.float64], y: NDArray[np.int64], k: int) -> list[int]:
    """Return the vote of imbalanced-learn 0.14: the most frequent label of the k nearest others, the lowest
    of equals.
    """
    d = squared(X)
    np.fill_diagonal(d, np.inf)
    labels = y[np.argsort(d, axis=1, kind="stable")[:, :k]]
    return [i for i in range(len(y)) if np.bincount(labels[i]).argmax() == y[i]]


#: What `EditedNearestNeighbours(sampling_strategy="all", n_neighbors=k, kind_sel="mode")` of imbalanced-learn 0.14.2
#: removes, by seed and k, of `problem(seed, n_classes=2)`.
REMOVED: dict[tuple[int, int], list[int]] = {
    (0, 1): [0, 1, 6, 12, 13, 16, 19, 21, 23, 25, 26, 30, 31, 32, 35, 37, 39, 42, 43, 48],
    (1, 3): [1, 3, 4, 5, 7, 10, 17, 19, 20, 27],
    (2, 5): [0, 3, 5, 7, 8, 14, 20, 22, 23, 27, 30, 33, 34, 38, 39, 43, 47],
    (3, 2): [3, 4, 5, 10, 11, 16, 25, 26, 30, 31, 34, 35, 37, 46, 48],
    (4, 4): [4, 5, 9, 16, 18, 19, 20, 22, 25, 26, 27, 28, 30, 31, 32, 36, 38, 39, 41, 42],
    (6, 3): [2, 9, 12, 14, 17, 21],
    (7, 6): [0, 1, 7, 18, 22, 35, 37, 38, 40, 43, 52],
}


@pytest.mark.parametrize(("seed", "k"), REMOVED)
def test_the_reference_of_imbalanced_learn_is_right(seed: int, k: int) -> None:
    X, y = problem(seed, n_classes=2)
    assert np.setdiff1d(np.arange(len(y)), theirs(X, y, k)).tolist() == REMOVED[seed, k]


def test_two_classes_without_ties_are_edited_as_imbalanced_learn_does() -> None:
    compared = 0
    for seed in range(240):
        X, y = problem(seed, n_classes=2)
        k = (1, 3, 5)[seed % 3]
        if k < len(y) and (expected := theirs(X, y, k)):
            editing = EditedNearestNeighbours(n_neighbors=k)
            editing.fit_resample(X, y)
            assert editing.sample_indices_.tolist() == expected
            compared += 1
    assert compared >= 200


def test_a_tie_of_classes_outvotes_no_point_here_and_the_higher_class_there() -> None:
    X, y = np.array([[0.0], [1.0], [-1.5], [8.0], [9.0], [10.0]]), np.array([1, 1, 0, 0, 0, 0])
    editing = EditedNearestNeighbours(n_neighbors=2)
    editing.fit_resample(X, y)
    assert 0 in editing.sample_indices_ and 0 not in theirs(X, y, 2)


@pytest.mark.parametrize("kind", [CondensedNearestNeighbour, EditedNearestNeighbours, RepeatedEditedNearestNeighbours])
def test_what_is_hardly_a_problem(kind: type[reduction.Reduction]) -> None:
    one = kind()
    assert one.fit_resample([[1.0, 2.0]], ["a"])[1].tolist() == ["a"]
    assert one.certificate_.status is Status.OPTIMAL
    same = kind()
    same.fit_resample(np.zeros((5, 2)), [1] * 5)
    assert len(same.sample_indices_) == (1 if kind is CondensedNearestNeighbour else 5)
    assert same.certificate_.status is Status.OPTIMAL
    with pytest.raises(ValueError, match="0 sample"):
        kind().fit_resample(np.empty((0, 2)), [])
    with pytest.raises(ValueError, match="metric"):
        kind(metric="taxi").fit_resample([[1.0]], [1])
    assert repr(kind(metric="cosine")) == f"{kind.__name__}(metric='cosine')"


def test_where_all_are_outvoted_none_is_removed() -> None:
    editing = EditedNearestNeighbours(n_neighbors=5)
    editing.fit_resample([[0.0], [1.0]], [0, 1])
    assert editing.sample_indices_.tolist() == [0, 1]
    assert editing.certificate_.status is Status.STOPPED_EARLY


@examples(60)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 6),
    repeated=st.booleans(),
    lattice=st.booleans(),
    metric=st.sampled_from(sorted(METRICS)),
)
def test_each_step_has_the_voters(seed: int, k: int, repeated: bool, lattice: bool, metric: str) -> None:
    X, y = problem(seed, lattice)
    X = X + 9.0 * (metric == "cosine")  # no zero vector: its distances are all equal
    model = KNeighborsClassifier(k, metric=metric).fit(X, y)
    editing = EditingSolver(model, max_iter=100 if repeated else 1)
    alone = KNeighborsClassifier(1, metric=metric).fit(X, y)
    for solver in (editing, CondensingSolver(alone, shuffle=True, random_state=seed)):
        before = solver.snapshot()
        assert before.touched == -1 and not len(before.neighbors)
        while solver.step(1):
            now = solver.snapshot()
            i = now.touched
            assert i not in now.neighbors and now.changed == (now.kept[i] != before.kept[i])
            assert (now.kept != before.kept).sum() == now.changed
            if len(now.neighbors):
                is_outvoted = now.against > now.own + 1e-9 if solver is editing else now.against >= now.own
                assert now.changed == is_outvoted
                assert now.own + now.against <= min(solver._k, len(y) - 1) + 1e-9
            if solver is not editing:
                assert before.kept[now.neighbors].all()
            before = now


def test_a_run_in_one_go_is_that_of_single_steps() -> None:
    X, y = problem(11)
    solvers = [CondensingSolver(KNeighborsClassifier(1).fit(X, y), shuffle=True, random_state=2) for _ in range(2)]
    solvers[0].run()
    while solvers[1].step(1):
        pass
    one, other = (solver.snapshot() for solver in solvers)
    assert np.array_equal(one.kept, other.kept) and one.certificate == other.certificate


def test_the_model_names_rows_of_all_points() -> None:
    X, y = problem(5)
    editing = RepeatedEditedNearestNeighbours(n_neighbors=3)
    trainer = editing.prepare(X, y)
    while trainer.status is Status.RUNNING:
        model: Any = editing.snapshot_model(trainer.snapshot())
        vote = model.vote_at(X[0])
        assert np.array_equal(vote.distance, np.linalg.norm(X[vote.index] - X[0], axis=1))
        trainer.step(10)
