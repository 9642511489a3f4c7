"""The terms of f: they sum to the model's own f, and equal LIBSVM's and plain numpy's, for every learner and kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import svm

from solver import KERNELS, SVC, DualAscentSVC, OnlineSVC, PegasosClassifier, Perceptron
from solver.core.binary_reduction import PairClassifier
from solver.inspection.decision_terms import MOST, Terms, terms_at
from tests.covering import pairwise_params
from tests.solver.svm_reference import Formula

GAMMA, COEF0, DEGREE = 0.7, 0.5, 3


def points_of(n: int, n_classes: int, seed: int = 0, away: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    turn = 2 * np.pi * labels / n_classes
    return rng.normal(scale=0.6, size=(n, 2)) + np.column_stack((np.cos(turn), np.sin(turn))) + away, labels


def gram(kernel: str, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the kernel matrix by its formula."""
    return Formula(kernel, GAMMA, COEF0, DEGREE)(A, B)


def learner(name: str, kernel: str, multiclass: str) -> PairClassifier:
    more = {"kernel": kernel, "degree": DEGREE, "gamma": GAMMA, "coef0": COEF0, "multiclass": multiclass}
    if name == "lasvm":
        return OnlineSVC(2.0, **more, random_state=0)
    return DualAscentSVC(2.0, **more, max_iter=300) if name == "dual-ascent" else SVC(2.0, **more, max_iter=2000)


def checked(model: PairClassifier, location: np.ndarray, problem: int) -> Terms:
    terms = terms_at(model, location, problem)
    assert terms.f == model.pair_decision_function([location])[0, problem]
    assert terms.agrees and abs(terms.total - terms.f) <= 1e-9 * terms.size
    assert np.array_equal(terms.value, terms.coef * terms.kernel)
    assert (np.diff(np.abs(terms.value)) <= 0).all()
    assert terms.size >= np.abs(terms.value).sum() + abs(terms.rest) + abs(terms.offset) - 1e-12 * terms.size
    return terms


@pytest.mark.parametrize(
    ("name", "kernel", "multiclass"),
    pairwise_params(["smo", "lasvm", "dual-ascent"], KERNELS, ["one-vs-one", "one-vs-rest"]),
)
def test_they_sum_to_f(name: str, kernel: str, multiclass: str) -> None:
    rng = np.random.default_rng(1)
    for n_classes, away in ((2, 0.0), (2, 40.0), (4, 0.0)):
        X, y = points_of(80, n_classes, away=away if kernel in ("linear", "rbf") else 0.0)
        model = learner(name, kernel, multiclass).fit(X, y)
        middle = X.mean(axis=0)
        for location in rng.normal(scale=1.5, size=(20, 2)) + middle:
            for problem in range(len(model.pairs_)):
                terms = checked(model, location, problem)
                assert np.allclose(terms.kernel, gram(kernel, location[None], X[terms.index])[0], rtol=1e-9, atol=1e-12)
                pair = model.pairs_[problem]
                signs = np.where(y[terms.index] == pair.positive, 1, -1)
                assert (np.sign(terms.coef) == signs).all()


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])  # of the sigmoid there can be several solutions
def test_terms_and_f_are_those_of_libsvm(kernel: str) -> None:
    X, y = points_of(60, 2, seed=2)
    theirs = svm.SVC(C=1.5, kernel=kernel, gamma=GAMMA, coef0=COEF0, degree=DEGREE, tol=1e-10).fit(X, y)
    ours = SVC(1.5, kernel, DEGREE, GAMMA, COEF0, tol=1e-10).fit(X, y)
    for location in np.random.default_rng(3).normal(size=(30, 2)):
        terms = terms_at(ours, location, 0)
        f = theirs.decision_function([location])[0]
        assert terms.total == pytest.approx(f, abs=1e-6 * terms.size)
        if kernel == "rbf":  # strictly convex: one set of multipliers
            alpha = dict(zip(theirs.support_.tolist(), theirs.dual_coef_[0].tolist(), strict=True))
            for index, coef in zip(terms.index.tolist(), terms.coef.tolist(), strict=True):
                assert coef == pytest.approx(alpha[index], abs=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_learners(n_classes: int) -> None:
    X, y = points_of(90, n_classes, seed=4)
    for model in (Perceptron(max_iter=20), Perceptron(False, max_iter=20), PegasosClassifier(0.1, 500)):
        model.fit(X, y)
        for location in np.random.default_rng(5).normal(size=(30, 2)):
            for problem in range(len(model.pairs_)):
                terms = checked(model, location, problem)
                assert not terms.of_points and sorted(terms.index) == [0, 1]
                by_hand = math.fsum(model.coef_[problem] * location) + model.intercept_[problem]
                assert terms.total == pytest.approx(by_hand, abs=1e-12 * terms.size)


def test_the_remaining_terms_are_one_number() -> None:
    X, y = points_of(1500, 2, seed=6)
    model = SVC(0.01, "rbf", gamma=3.0).fit(X, y)
    assert len(model.support_) > 2 * MOST
    for location in X[:5]:
        few, more, all_of = (terms_at(model, location, 0, most=most) for most in (10, 600, 10_000))
        assert (len(few.value), len(more.value)) == (10, 600) and all_of.n_rest == 0 and all_of.rest == 0
        assert few.n_rest + 10 == more.n_rest + 600 == len(all_of.value) == len(model.support_)
        assert np.array_equal(np.abs(few.value), np.abs(all_of.value[:10]))
        for terms in (few, more):
            assert terms.agrees and terms.size == pytest.approx(all_of.size)
            assert terms.rest == pytest.approx(math.fsum(all_of.value[len(terms.value) :]), abs=1e-12 * terms.size)


def test_overflow_is_a_sentence() -> None:
    X, y = points_of(20, 2)
    model = SVC(1.0, "poly", 9, 1.0, 1.0).fit(X, y)
    with pytest.raises(ValueError, match="overflows"):
        terms_at(model, np.array([1e40, 1e40]), 0)
