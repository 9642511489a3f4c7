"""Cells and kept points of nearest neighbours, against brute force: all distances, and every point left out."""

from __future__ import annotations

import numpy as np
import pytest

from solver.core.arrays import Array, Integers
from solver.knn import _knn_plain as plain
from solver.knn.neighbors import METRICS, WEIGHTS, KNeighborsClassifier
from tests.solver.inside import index_of

XS, YS = np.linspace(-3.0, 3.0, 125), np.linspace(-2.5, 3.1, 80)


def data(seed: int, n: int, lattice: bool) -> tuple[Array, Integers]:
    """Return points in three classes; on a lattice many are equal, and many distances tie."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, 2)).astype(float) if lattice else rng.normal(size=(n, 2))
    return X, rng.integers(0, 3, n)


def model(k: int, metric: str, weights: str = "uniform") -> KNeighborsClassifier:
    return KNeighborsClassifier(k, weights, metric, 3.0 if metric == "minkowski" else 2.0)


@pytest.mark.parametrize("lattice", [False, True])
@pytest.mark.parametrize("k", [1, 5, 20])
@pytest.mark.parametrize("metric", METRICS)
def test_cells_are_the_locations_where_the_same_points_vote(metric: str, k: int, lattice: bool) -> None:
    X, y = data(k, 45, lattice)
    fitted = model(k, metric).fit(X, y)
    index = index_of(fitted)
    rows = fitted.cells_on(XS)
    cells = np.concatenate([rows(YS[block : block + 16]) for block in range(0, len(YS), 16)])
    locations = np.column_stack((np.tile(XS, len(YS)), np.repeat(YS, len(XS))))
    assert len(locations) == 10_000
    d = plain.distances(index.metric, index.p, index.scaled(locations), index.points)
    voting = d <= np.sort(d, axis=1)[:, k - 1, None]
    _, expected = np.unique(voting, axis=0, return_inverse=True)
    pairs = np.unique(np.column_stack((expected.ravel(), cells.ravel())), axis=0)
    assert len(pairs) == len(np.unique(expected)) == len(np.unique(cells)) > 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("metric", METRICS)
def test_idle_points_are_those_without_which_no_pixel_changes(metric: str, weights: str, seed: int) -> None:
    xs, ys = XS[::3], YS[::3]
    k = (1, 2, 3, 7)[seed]
    X, y = data(100 + seed, 18, lattice=seed % 2 == 1)
    fitted = model(k, metric, weights).fit(X, y)
    needed = fitted.kept_on(xs)
    kept = [needed(ys[block : block + 4]) for block in range(0, len(ys), 4)][-1]
    before = fitted.surface_classes_on(xs)(ys)
    labels = fitted.classes_[before.top]
    for row in range(len(X)):
        rest = np.arange(len(X)) != row
        without = model(k, metric, weights).fit(X[rest], y[rest])
        after = without.surface_classes_on(xs)(ys)
        same = np.array_equal(without.classes_[after.top], labels) and np.array_equal(after.tie, before.tie)
        assert kept[row] != same, row
    assert fitted.kept_on(xs, rows=[4, 2])(ys).tolist() == kept[[4, 2]].tolist()


def test_equal_points_are_idle_each() -> None:
    X = [[-1.1, 0.0], [-1.1, 0.0], [1.0, 0.0]]  # no pixel is equally far from both locations
    fitted = model(1, "euclidean").fit(X, [0, 0, 1])
    assert fitted.kept_on(XS)(YS).tolist() == [False, False, True]
    assert model(1, "euclidean").fit(X[1:], [0, 1]).kept_on(XS)(YS).all()


def test_one_class_needs_no_point_and_k_points_are_all_needed() -> None:
    X, _ = data(1, 6, lattice=False)
    assert not model(5, "euclidean").fit(X, [3] * 6).kept_on(XS)(YS).any()
    assert model(6, "euclidean").fit(X, [3] * 6).kept_on(XS)(YS).all()
    assert len(np.unique(model(6, "euclidean").fit(X, [3] * 6).cells_on(XS)(YS))) == 1


def test_a_vote_at_distance_0_does_not_overflow() -> None:
    X = [[0.0, 0.0], [1e-160, 0.0], [1.0, 1.0], [1.0, 2.0]]
    fitted = model(2, "euclidean", "distance-squared").fit(X, [0, 1, 0, 1])
    axis = np.array([0.0, 1e-170, 0.5, 1.0])
    before = fitted.surface_classes_on(axis)(axis)
    kept = fitted.kept_on(axis)(axis)
    for row in range(4):
        rest = [other for other in range(4) if other != row]
        after = model(2, "euclidean", "distance-squared").fit(np.array(X)[rest], np.array([0, 1, 0, 1])[rest])
        found = after.surface_classes_on(axis)(axis)
        assert kept[row] != (np.array_equal(found.top, before.top) and np.array_equal(found.tie, before.tie))


def test_bad_input_is_refused_in_a_sentence() -> None:
    X, y = data(1, 4, lattice=False)
    too_many = model(5, "euclidean").fit(X, y)
    for ask in (too_many.cells_on, too_many.kept_on):
        with pytest.raises(ValueError, match="n_neighbors is 5; it must be at most"):
            ask(XS)
    with pytest.raises(ValueError, match="2 features"):
        model(1, "euclidean").fit([[0.0, 0.0, 0.0]], [0]).cells_on(XS)
    assert model(1, "euclidean").fit(X, y).cells_on(XS[:0])(YS).shape == (len(YS), 0)
