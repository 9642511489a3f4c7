"""`to_sklearn`: the same predictions as the original estimator, or a sentence."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier as Theirs
from sklearn.svm import SVC as LIBSVM

from solver import SVC, KNeighborsClassifier
from solver.data import datasets

X, Y = datasets.generate("blobs", 40, noise=0.9, seed=2, n_classes=3)
LABELS = np.array(["a", "b", "c"])[Y]
LOCATIONS = np.random.default_rng(1).uniform(-3, 3, (4000, 2))


def kernel(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return (1.0 + A @ B.T) ** 2


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"kernel": "linear", "C": 3.0},
        {"kernel": "poly", "degree": 2, "gamma": 0.4, "coef0": 1.5},
        {"kernel": "rbf", "gamma": "auto", "class_weight": {"a": 4.0}},
        {"kernel": "laplacian", "gamma": 0.7, "class_weight": "balanced"},
        {"kernel": kernel, "C": 0.2},
        {"multiclass": "one-vs-rest", "gamma": 2.0},
        {"multiclass": "one-vs-rest", "kernel": "laplacian", "gamma": 2.0, "C": 5.0},
        {"cache_size": 0, "decision_function_shape": "ovo", "selection": "random"},
    ],
    ids=lambda parameters: str(parameters).split(" at 0x")[0],
)
def test_svc(parameters: dict[str, Any]) -> None:
    ours = SVC(tol=1e-7, **parameters)
    theirs = clone(ours.to_sklearn())
    assert isinstance(theirs, OneVsRestClassifier if "multiclass" in parameters else LIBSVM)
    assert not hasattr(theirs, "classes_"), "fitted"
    assert (theirs.fit(X, LABELS).predict(LOCATIONS) == ours.fit(X, LABELS).predict(LOCATIONS)).all()
    np.testing.assert_allclose(theirs.decision_function(LOCATIONS), ours.decision_function(LOCATIONS), atol=1e-4)


def test_a_gram_matrix_and_limits() -> None:
    ours = SVC(kernel="precomputed", max_iter=7, tol=0.5)
    theirs = ours.to_sklearn()
    assert (theirs.kernel, theirs.max_iter, theirs.tol) == ("precomputed", 7, 0.5)


@pytest.mark.parametrize(
    ("parameters", "shown"),
    [
        ({"C": np.inf}, "C is inf"),
        ({"C": 0.0}, "C is 0"),
        ({"multiclass": "one-vs-rest", "class_weight": "balanced"}, "class_weight"),
        ({"multiclass": "none"}, "multiclass is 'none'"),
        ({"kernel": "laplacian"}, "gamma is 'scale'"),
    ],
)
def test_what_corresponds_to_nothing_is_a_sentence(parameters: dict[str, Any], shown: str) -> None:
    with pytest.raises(ValueError, match=shown):
        SVC(**parameters).to_sklearn()


@pytest.mark.parametrize("weights", ["uniform", "distance", "distance-squared"])
@pytest.mark.parametrize(
    ("metric", "p"),
    [("euclidean", 2), ("manhattan", 2), ("chebyshev", 2), ("minkowski", 1.5), ("minkowski", np.inf), ("cosine", 2)],
)
def test_neighbors(weights: str, metric: str, p: float) -> None:
    ours = KNeighborsClassifier(7, weights, metric, p)
    theirs = clone(ours.to_sklearn())
    assert isinstance(theirs, Theirs) and not hasattr(theirs, "classes_")
    theirs.fit(X, LABELS)
    ours.fit(X, LABELS)
    assert (theirs.predict(LOCATIONS) == ours.predict(LOCATIONS)).all()
    if metric != "cosine":  # for which rounding decides what is at distance 0
        assert (theirs.predict(X) == ours.predict(X)).all(), "points at distance 0 decide alone"


def test_bad_neighbors() -> None:
    with pytest.raises(ValueError, match="n_neighbors is 0"):
        KNeighborsClassifier(0).to_sklearn()


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Missing(), *sys.meta_path])
    for estimator in (SVC(), KNeighborsClassifier()):
        with pytest.raises(ImportError, match="scikit-learn, which is not installed"):
            estimator.to_sklearn()


class _Missing:
    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == "sklearn":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
