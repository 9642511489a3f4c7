"""Predictions for many k from one search: the same as those of models fitted for each k, and of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier as Reference

from solver import KNeighborsClassifier
from solver.knn.k_path import leaders
from solver.knn.neighbors import METRICS, WEIGHTS

Array = NDArray[np.float64]


def data(seed: int, n: int, n_classes: int, lattice: bool) -> tuple[Array, NDArray[np.int64]]:
    """Return points with all classes; on a lattice nearly every distance is a tie, and locations occur twice."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, 2)).astype(float) if lattice else rng.normal(size=(n, 2))
    y = rng.integers(0, n_classes, n)
    y[: min(n, n_classes)] = np.arange(min(n, n_classes))
    return X, y


def predictions(model: KNeighborsClassifier, X: Any, ks: Any, left_out: Any = None) -> NDArray[np.int64]:
    """Return the lowest leading class of each query for each k."""
    return leaders(model, X, ks, left_out).argmax(axis=1)


@pytest.mark.parametrize("weights", WEIGHTS)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 999),
    n=st.integers(2, 25),
    n_classes=st.integers(1, 4),
    lattice=st.booleans(),
    metric=st.sampled_from(sorted(METRICS)),
)
def test_all_k_at_once_are_refits(weights: str, seed: int, n: int, n_classes: int, lattice: bool, metric: str) -> None:
    X, y = data(seed, n, n_classes, lattice)
    queries = np.concatenate((X, X + 0.5, np.zeros((1, 2))))
    p = 3.0 if metric == "minkowski" else 2.0
    model = KNeighborsClassifier(weights=weights, metric=metric, p=p).fit(X, y)
    found = predictions(model, queries, range(1, n + 1))
    for k in range(1, n + 1):
        refit = KNeighborsClassifier(k, weights, metric, p).fit(X, y)
        assert np.array_equal(model.classes_[found[:, k - 1]], refit.predict(queries)), k


@pytest.mark.parametrize("weights", WEIGHTS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999), n=st.integers(3, 18), lattice=st.booleans(), metric=st.sampled_from(sorted(METRICS)))
def test_leaving_one_out_is_refitting_without_it(weights: str, seed: int, n: int, lattice: bool, metric: str) -> None:
    X, y = data(seed, n, 3, lattice)
    p = 3.0 if metric == "minkowski" else 2.0
    model = KNeighborsClassifier(weights=weights, metric=metric, p=p).fit(X, y)
    found = model.classes_[predictions(model, X, range(1, n), left_out=np.arange(n))]
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        for k in range(1, n):
            refit = KNeighborsClassifier(k, weights, metric, p).fit(X[rest], y[rest])
            assert found[i, k - 1] == refit.predict(X[i : i + 1])[0], (i, k)


@pytest.mark.slow
def test_against_scikit_learn_where_nothing_ties() -> None:
    X, y = data(3, 24, 2, lattice=False)
    model = KNeighborsClassifier().fit(X, y)
    ks = [1, 3, 7, 15, 23]
    found = predictions(model, X, ks, left_out=np.arange(24))
    for column, k in enumerate(ks):
        theirs = cross_val_predict(Reference(k), X, y, cv=LeaveOneOut())
        assert np.array_equal(found[:, column], theirs)


def test_a_tie_at_the_kth_distance_is_shared() -> None:
    """Two of class 0 and one of class 1 at the same distance: each k gives class 0 the larger share."""
    model = KNeighborsClassifier().fit([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [3.0, 0.0]], [0, 0, 1, 1])
    assert predictions(model, [[0.0, 0.0]], [1, 2, 3, 4]).tolist() == [[0, 0, 0, 0]]
    with pytest.raises(ValueError, match="from 1 to 4"):
        predictions(model, [[0.0, 0.0]], [5])
    with pytest.raises(ValueError, match="from 1 to 3"):
        predictions(model, [[0.0, 0.0]], [4], left_out=[0])
