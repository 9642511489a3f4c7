"""SVC against scikit-learn's, its surface against the formula, and the sentences about bad parameters and data."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import svm
from sklearn.multiclass import OneVsRestClassifier

from solver.core.certificate import EPS, Certificate, NotSeparableError, Status, joined, rounding_of
from solver.core.conventions import ConvergenceWarning
from solver.core.multiclass import REST, one_vs_one, one_vs_rest, one_vs_rest_values, votes
from solver.kernels import table
from solver.kernels.table import Kernel, PrecomputedKernel
from solver.online.online_svc import OnlineSVC
from solver.svm.dual_ascent import DualAscentSVC
from solver.svm.svc import SVC
from solver.svm.working_set_rules import RULES
from tests.examples import examples
from tests.solver.svm_reference import Formula, points

Array = NDArray[np.float64]
KERNELS = (
    Formula("linear"),
    Formula("poly", 1.0, 1.0, 3),
    Formula("poly", 0.5, 0.0, 2),
    Formula("rbf", 2.0),
    Formula("laplacian", 1.0),
    Formula("sigmoid", 0.2, -0.1),
)
#: Kernels with a unique optimum: positive semidefinite, and not even in x like the homogeneous square.
CONVEX = tuple(formula for formula in KERNELS if formula.name != "sigmoid" and formula.degree == 3)
NAMES = np.array(["zebra", "ant", "mole", "cat", "bee"])


def dot(A: Array, B: Array) -> Array:
    return A @ B.T


def classes(n_classes: int, n: int = 90, seed: int = 0) -> tuple[Array, NDArray[Any]]:
    """Return overlapping clouds around a circle, labelled with texts."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    angle = 2 * np.pi * codes / n_classes
    X = 0.6 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0.0, 0.35, (n, 2))
    return X, NAMES[codes]


def fitted(formula: Formula, X: Array, y: NDArray[Any], **parameters: Any) -> tuple[SVC, svm.SVC, Array]:
    """Return our model, scikit-learn's, and the matrix that scikit-learn's takes in place of the training points."""
    shape = {"gamma": formula.gamma, "coef0": formula.coef0, "degree": formula.degree}
    ours = SVC(kernel=formula.name, tol=1e-8, **shape, **parameters).fit(X, y)
    if formula.name == "laplacian":
        return ours, svm.SVC(kernel="precomputed", tol=1e-8, **parameters).fit(formula(X, X), y), formula(X, X)
    return ours, svm.SVC(kernel=formula.name, tol=1e-8, **shape, **parameters).fit(X, y), X


@pytest.mark.parametrize("formula", KERNELS, ids=lambda f: f"{f.name}{f.degree}")
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_as_scikit_learn(formula: Formula, n_classes: int, C: float) -> None:
    X, y = classes(n_classes)
    ours, theirs, _ = fitted(formula, X, y, C=C)
    T, _ = classes(n_classes, 200, seed=1)
    probe = formula(T, X) if formula.name == "laplacian" else T
    assert (ours.classes_ == theirs.classes_).all() and ours.classes_.dtype == y.dtype
    assert ours.fit_status_ == 0 and ours.n_features_in_ == 2
    if formula.name == "sigmoid" and C > 1:
        # Not positive semidefinite: different stationary points are allowed; both must classify alike.
        assert (ours.predict(T) == theirs.predict(probe)).mean() > 0.9
        return
    assert (ours.support_ == theirs.support_).all()
    assert (ours.n_support_ == theirs.n_support_).all()
    assert ours.support_.dtype == theirs.support_.dtype and ours.n_support_.dtype == theirs.n_support_.dtype
    assert (ours.support_vectors_ == X[theirs.support_]).all()
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    # Two optima of a low-rank kernel may differ in alpha, not in f; these do not.
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=2e-4 * C)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_allclose(ours.decision_function(T), theirs.decision_function(probe), atol=1e-4)
    assert (ours.predict(T) == theirs.predict(probe)).all()
    labels = classes(n_classes, 200, 1)[1]
    assert ours.score(T, labels) == theirs.score(probe, labels)
    if formula.name == "linear":
        assert ours.coef_.shape == theirs.coef_.shape
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    else:
        assert not hasattr(ours, "coef_")


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_named_gammas_as_scikit_learn(gamma: str) -> None:
    X, y = classes(3)
    X = X * [1.0, 7.0]
    ours, theirs = SVC(gamma=gamma, tol=1e-8).fit(X, y), svm.SVC(gamma=gamma, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


def test_the_pairs_are_oriented_as_documented() -> None:
    X, y = classes(3)
    model = SVC(gamma=2.0, C=10.0).fit(X, y)
    values = model.pair_decision_function(X)
    codes = np.searchsorted(model.classes_, y)
    for p, pair in enumerate(model.pairs_):
        assert pair.positive < pair.negative
        index = pair.among(codes).index
        assert (index == np.flatnonzero((codes == pair.positive) | (codes == pair.negative))).all()
        alone = svm.SVC(gamma=2.0, C=10.0, tol=1e-6).fit(X[index], (codes[index] == pair.positive))
        np.testing.assert_allclose(values[:, p], alone.decision_function(X), atol=5e-3)
    theirs = svm.SVC(gamma=2.0, C=10.0, decision_function_shape="ovo").fit(X, y)
    np.testing.assert_allclose(values, theirs.decision_function(X), atol=5e-3)


@examples(50)
@given(n_classes=st.integers(2, 6), seed=st.integers(0, 10**6))
def test_votes_and_confidence(n_classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = one_vs_one(np.arange(n_classes), n_classes)
    values = rng.normal(0.0, 10.0 ** rng.integers(-3, 4), (20, len(pairs)))
    count, joined = votes(values, pairs, n_classes), one_vs_rest_values(values, pairs, n_classes)
    assert (count.sum(axis=1) == len(pairs)).all()
    assert (np.abs(joined - count) < 1 / 3).all()
    for row in range(20):
        won = [0] * n_classes
        for p, pair in enumerate(pairs):
            won[pair.positive if values[row, p] > 0 else pair.negative] += 1
        assert count[row].tolist() == won


# -- weights -----------------------------------------------------------------------------------------------------------


def uneven(n_classes: int) -> tuple[Array, NDArray[Any]]:
    """Return classes of unequal size, in mixed order."""
    X, y = classes(n_classes, 120)
    kept = np.random.default_rng(3).random(120) < np.where(y == "zebra", 0.4, 0.9)
    return X[kept], y[kept]


def same_model(ours: SVC, theirs: svm.SVC, T: Array, weights: Array | None = None, atol: float = 1e-5) -> None:
    """Check every learned attribute and every result, shapes and types included."""
    for name in ("classes_", "support_", "n_support_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if name == "support_" and weights is not None:  # scikit-learn counts the points of positive weight only
            other = np.flatnonzero(weights > 0).astype(np.int32)[other]
        assert mine.dtype == other.dtype and mine.shape == other.shape and (mine == other).all(), name
    assert ours.shape_fit_ == theirs.shape_fit_ and ours.n_features_in_ == T.shape[1]
    assert ours.n_iter_.shape == theirs.n_iter_.shape and ours.n_iter_.dtype == theirs.n_iter_.dtype
    assert ours.fit_status_ == theirs.fit_status_ == 0
    size = max(1.0, np.abs(theirs.dual_coef_).max())
    for name in ("dual_coef_", "intercept_", "class_weight_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == other.shape, name
        np.testing.assert_allclose(mine, other, atol=atol * size, rtol=0, err_msg=name)
    np.testing.assert_allclose(ours.decision_function(T), theirs.decision_function(T), atol=10 * atol)
    assert (ours.predict(T) == theirs.predict(T)).all()
    assert hasattr(ours, "coef_") == hasattr(theirs, "coef_")
    if hasattr(ours, "coef_"):
        assert ours.coef_.shape == theirs.coef_.shape
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=atol)


@pytest.mark.parametrize("formula", CONVEX, ids=lambda f: f"{f.name}{f.degree}")
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"zebra": 3.0, "ant": 0.25}], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_as_scikit_learn(formula: Formula, n_classes: int, class_weight: Any, weighted: bool) -> None:
    X, y = uneven(n_classes)
    T = classes(n_classes, 100, seed=1)[0]
    special = formula.name == "laplacian"
    # With a kernel given as a function and a weight of 0, scikit-learn's results are those of other points.
    weights = np.random.default_rng(5).integers(int(special), 4, len(X)) / 2.0 if weighted else None
    shape = {"gamma": formula.gamma, "coef0": formula.coef0, "degree": formula.degree}
    ours = SVC(2.0, formula.name, tol=1e-9, class_weight=class_weight, **shape).fit(X, y, weights)
    theirs = svm.SVC(
        C=2.0, kernel=formula if special else formula.name, tol=1e-9, class_weight=class_weight, **shape
    ).fit(X, y, weights)
    same_model(ours, theirs, T, weights)
    if not special:
        assert (ours.support_vectors_ == theirs.support_vectors_).all()
    if weights is not None:
        assert (weights[ours.support_] > 0).all()
    bounded = sum(c.n_bounded for c in ours.certificates_)
    assert bounded > 0, "or the weights would not matter"


def test_a_point_of_weight_0_might_as_well_not_be_there() -> None:
    X, y = uneven(4)
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    kept = weights > 0
    for kernel in ("linear", "rbf"):
        whole = SVC(kernel=kernel, gamma=2.0).fit(X, y, weights)
        part = SVC(kernel=kernel, gamma=2.0).fit(X[kept], y[kept], weights[kept])
        assert (np.flatnonzero(kept)[part.support_] == whole.support_).all()
        assert (whole.dual_coef_ == part.dual_coef_).all() and (whole.intercept_ == part.intercept_).all()
        assert whole.shape_fit_ == X.shape
    gram = Formula("rbf", 2.0)(X, X)
    # Kernel values that differ in the last digit lead along other ways to the same optimum.
    whole, table, own = (
        SVC(kernel=k, gamma=2.0, tol=1e-11).fit(M, y, weights)
        for k, M in (("rbf", X), ("precomputed", gram), (Formula("rbf", 2.0), X))
    )
    assert (table.support_ == whole.support_).all() and (own.support_ == whole.support_).all()
    np.testing.assert_allclose(table.decision_function(gram), whole.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(own.decision_function(X), whole.decision_function(X), atol=1e-9)
    gone = SVC(gamma=2.0).fit(X, y, np.where(y == "mole", 0.0, 1.0))
    assert gone.classes_.tolist() == ["ant", "cat", "zebra"] and gone.n_support_.shape == (3,)
    part = SVC(gamma=2.0).fit(X[y != "mole"], y[y != "mole"])
    assert (gone.decision_function(X) == part.decision_function(X)).all()
    by_class = SVC(gamma=2.0, class_weight={"mole": 0}).fit(X, y)
    assert (by_class.decision_function(X) == part.decision_function(X)).all()
    assert by_class.class_weight_.tolist() == [1, 1, 1]


def test_weights_multiply_and_repetition_is_a_weight() -> None:
    X, y = uneven(3)
    weights = np.random.default_rng(1).integers(1, 4, len(X))
    heavy = {"zebra": 2.0, "ant": 0.5}
    ours = SVC(gamma=2.0, tol=1e-9, class_weight=heavy).fit(X, y, weights)
    by_hand = SVC(gamma=2.0, tol=1e-9).fit(X, y, weights * [heavy.get(label, 1.0) for label in y])
    assert (ours.dual_coef_ == by_hand.dual_coef_).all()
    times = SVC(gamma=2.0, tol=1e-9).fit(X.repeat(weights, 0), y.repeat(weights))
    single = SVC(gamma=2.0, tol=1e-9).fit(X, y, weights)
    np.testing.assert_allclose(times.decision_function(X), single.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0, 1.0], "sample_weight must have one weight for each of the 3 points; its shape is (2,)."),
        (1.0, "sample_weight must have one weight for each of the 3 points; its shape is ()."),
        ([[1.0], [1.0], [1.0]], "sample_weight must have one weight for each of the 3 points; its shape is (3, 1)."),
        ([1.0, -2.0, 1.0], "sample_weight is -2 at point 1; it must be a number in [0, inf)."),
        ([1.0, 1.0, np.nan], "sample_weight is nan at point 2; it must be a number in [0, inf)."),
        ([np.inf, 1.0, 1.0], "sample_weight is inf at point 0; it must be a number in [0, inf)."),
        (["a", "b", "c"], "sample_weight must hold numbers only."),
        (
            [1.0, 0.0, 0.0],
            "Invalid input - all samples with positive weights belong to the same class, 0; an SVM needs points of at"
            " least two classes.",
        ),
    ],
)
def test_bad_sample_weights(weights: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        SVC().fit([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0, 1, 1], weights)
    assert str(caught.value) == sentence


# -- kernels that are not formulas of ours -----------------------------------------------------------------------------


@pytest.mark.parametrize("formula", CONVEX, ids=lambda f: f"{f.name}{f.degree}")
@pytest.mark.parametrize("n_classes", [2, 4])
def test_precomputed_and_callable_as_scikit_learn(formula: Formula, n_classes: int) -> None:
    X, y = uneven(n_classes)
    T = classes(n_classes, 50, seed=1)[0]
    weights = np.random.default_rng(5).integers(1, 4, len(X)) / 2.0
    gram, probe = formula(X, X), formula(T, X)
    ours = SVC(2.0, "precomputed", tol=1e-9).fit(gram, y, weights)
    theirs = svm.SVC(C=2.0, kernel="precomputed", tol=1e-9).fit(gram, y, weights)
    same_model(ours, theirs, probe)
    assert ours.support_vectors_.shape == theirs.support_vectors_.shape == (0, 0)
    assert ours.n_features_in_ == len(X)
    called = SVC(2.0, formula, tol=1e-9).fit(X, y, weights)
    same_model(called, svm.SVC(C=2.0, kernel=formula, tol=1e-9).fit(X, y, weights), T)
    assert (called.support_vectors_ == X[called.support_]).all()
    np.testing.assert_allclose(called.decision_function(T), ours.decision_function(probe), atol=1e-12)
    xs, ys = np.linspace(-2.0, 1.7, 7), np.linspace(-1.1, 1.9, 5)
    at = np.array([(x, y) for y in ys for x in xs])
    surface = called.surface(xs, ys)
    np.testing.assert_allclose(surface, called.decision_function(at).reshape(surface.shape), atol=1e-12)
    with pytest.raises(ValueError, match="A precomputed kernel has no surface"):
        ours.surface(xs, ys)
    with pytest.raises(ValueError, match=f"X has 2 features, but SVC is expecting {len(X)} features as input"):
        ours.predict(T)


def test_a_gram_matrix_is_symmetric_but_for_rounding() -> None:
    X, y = classes(2, 40)
    gram = Formula("rbf", 2.0)(X, X)
    rounded = gram * (1 + 1e-12 * np.random.default_rng(0).normal(size=gram.shape))
    assert (rounded != rounded.T).any()
    np.testing.assert_allclose(
        SVC(kernel="precomputed", tol=1e-8).fit(rounded, y).decision_function(gram),
        SVC(kernel="precomputed", tol=1e-8).fit(gram, y).decision_function(gram),
        atol=1e-7,
    )
    gram[3, 5] += 0.25
    with pytest.raises(ValueError, match=r"X, the Gram matrix, must be symmetric; its entry \(3, 5\) is .*\(5, 3\) is"):
        SVC(kernel="precomputed").fit(gram, y)


def test_a_callable_without_support_vectors() -> None:
    X, y = classes(3)
    model = SVC(kernel=dot, max_iter=0).fit(X, y)
    assert len(model.support_) == 0 and model.surface([0.0], [1.0, 2.0]).shape == (2, 1, 3)
    assert model.surface([], [1.0]).shape == (1, 0, 3)


# -- hard margin -------------------------------------------------------------------------------------------------------


def test_a_hard_margin_that_exists() -> None:
    X, y = classes(3)
    model = SVC(C=np.inf, gamma=50.0, tol=1e-8).fit(X, y)
    theirs = svm.SVC(C=1e10, gamma=50.0, tol=1e-8).fit(X, y)
    same_model(model, theirs, X)
    assert model.certificate_.n_bounded == 0 and model.certificate_.status is Status.OPTIMAL
    weighted = SVC(C=np.inf, gamma=50.0, tol=1e-8, class_weight="balanced").fit(X, y, np.linspace(0.1, 3, len(X)))
    assert (weighted.dual_coef_ == model.dual_coef_).all(), "infinity times any weight is infinity"


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
def test_a_hard_margin_that_does_not(multiclass: str) -> None:
    X, y = classes(2)
    with pytest.raises(NotSeparableError) as caught:
        SVC(C=np.inf, kernel="linear", multiclass=multiclass).fit(X, y)
    text = str(caught.value)
    start = "C is inf, but with the linear kernel the classes are not separable: no margin is wider than "
    assert text.startswith(start)
    solver = SVC(C=np.inf, kernel="linear")
    trainer = solver.prepare(X, y)
    while trainer.status is Status.RUNNING:
        trainer.step(1000)
    bound = solver.adopt(trainer.snapshot()).certificate_.margin_bound
    assert 0 < bound < 1e-5 and f"than {bound:.2g} on each side" in text
    assert solver.fit_status_ == 1 and solver.certificate_.status is Status.NOT_SEPARABLE
    # Of three distant clouds, only two touch.
    X = np.array([[0.0, 0.0], [0.1, 0.0], [9.0, 0.0], [9.1, 0.0], [0.0, 0.0], [0.0, 9.0]])
    with pytest.raises(NotSeparableError) as caught:
        SVC(C=np.inf, multiclass=multiclass).fit(X, ["ant", "ant", "bee", "bee", "cat", "cat"])
    other = "class cat" if multiclass == "one-vs-one" else "the rest"
    assert f"not separable for class ant against {other}: no margin" in str(caught.value)


# -- one-vs-rest -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formula", CONVEX, ids=lambda f: f"{f.name}{f.degree}")
@pytest.mark.parametrize("n_classes", [3, 4])
def test_one_vs_rest_as_scikit_learn(formula: Formula, n_classes: int) -> None:
    X, y = uneven(n_classes)
    T = classes(n_classes, 100, seed=1)[0]
    shape = {"gamma": formula.gamma, "coef0": formula.coef0, "degree": formula.degree}
    ours = SVC(2.0, formula.name, tol=1e-9, multiclass="one-vs-rest", **shape).fit(X, y)
    known = formula if formula.name == "laplacian" else formula.name
    theirs = OneVsRestClassifier(svm.SVC(C=2.0, kernel=known, tol=1e-9, **shape)).fit(X, y)
    assert (ours.classes_ == theirs.classes_).all()
    assert ours.decision_function(T).shape == (100, n_classes) and ours.intercept_.shape == (n_classes,)
    assert ours.dual_coef_.shape == (n_classes, len(ours.support_)) and len(ours.certificates_) == n_classes
    np.testing.assert_allclose(ours.decision_function(T), theirs.decision_function(T), atol=1e-4)
    assert (ours.predict(T) == theirs.predict(T)).all()
    together: set[int] = set()
    for c, one in enumerate(theirs.estimators_):
        row = np.zeros(len(X))
        row[ours.support_] = ours.dual_coef_[c]
        assert (np.flatnonzero(row) == np.sort(one.support_)).all()
        np.testing.assert_allclose(row[one.support_], one.dual_coef_[0], atol=1e-5 * max(1, np.abs(row).max()))
        np.testing.assert_allclose(ours.intercept_[c], one.intercept_[0], atol=1e-5)
        if formula.name == "linear":
            np.testing.assert_allclose(ours.coef_[c], one.coef_[0], atol=1e-5)
        together |= set(one.support_.tolist())
    assert sorted(ours.support_.tolist()) == sorted(together)
    assert ours.n_support_.tolist() == [(y[sorted(together)] == name).sum() for name in ours.classes_]
    raw = formula(T, ours.support_vectors_) @ ours.dual_coef_.T + ours.intercept_
    np.testing.assert_allclose(raw, ours.decision_function(T), atol=1e-8 * max(1.0, np.abs(ours.dual_coef_).sum()))
    xs, ys = np.linspace(-2.0, 1.7, 9), np.linspace(-1.1, 1.9, 7)
    surface = ours.surface(xs, ys)
    at = ours.decision_function([(x, y) for y in ys for x in xs]).reshape(surface.shape)
    np.testing.assert_allclose(surface, at, atol=1e-8 * max(1.0, np.abs(ours.dual_coef_).sum()))
    assert (ours.winner(surface) == surface.argmax(axis=2)).all()


def test_one_vs_rest_weighs_each_class_as_itself() -> None:
    X, y = uneven(4)
    weights = np.random.default_rng(5).integers(0, 4, len(X)) / 2.0
    ours = SVC(2.0, gamma=2.0, tol=1e-9, multiclass="one-vs-rest", class_weight="balanced").fit(X, y, weights)
    of_points = ours.class_weight_[np.searchsorted(ours.classes_, y)] * weights
    for c, name in enumerate(ours.classes_):
        alone = svm.SVC(C=2.0, gamma=2.0, tol=1e-9).fit(X, y == name, of_points)
        np.testing.assert_allclose(ours.decision_function(X)[:, c], alone.decision_function(X), atol=1e-5)


def test_two_classes_are_one_problem_either_way() -> None:
    X, y = classes(2)
    one, rest = SVC(gamma=2.0).fit(X, y), SVC(gamma=2.0, multiclass="one-vs-rest").fit(X, y)
    assert len(rest.pairs_) == 1 and rest.pairs_[0].negative == 0
    assert rest.dual_coef_.shape == one.dual_coef_.shape == (1, len(one.support_))
    assert (rest.dual_coef_ == one.dual_coef_).all() and (rest.intercept_ == one.intercept_).all()
    assert (rest.decision_function(X) == one.decision_function(X)).all()
    assert (rest.predict(X) == one.predict(X)).all()


def test_the_lowest_class_of_equals_wins() -> None:
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    model = SVC(kernel="linear", multiclass="one-vs-rest").fit(X, [0, 1, 2, 2])
    assert model.winner(np.array([[0.5, 0.5, 0.1], [-1.0, 0.2, 0.2], [-3.0, -3.0, -3.0]])).tolist() == [0, 1, 0]
    problems = one_vs_rest(np.array([0, 1, 2, -1, 2]), 3)
    assert [(p.positive, p.negative) for p in problems] == [(0, REST), (1, REST), (2, REST)]
    assert all(p.index.tolist() == [0, 1, 2, 4] for p in problems)
    assert problems[2].y.tolist() == [-1, -1, 1, 1]


def test_the_shape_of_the_decision_function() -> None:
    X, y = classes(4)
    for shape in ("ovr", "ovo"):
        ours = SVC(gamma=2.0, tol=1e-9, decision_function_shape=shape).fit(X, y)
        theirs = svm.SVC(gamma=2.0, tol=1e-9, decision_function_shape=shape).fit(X, y)
        same_model(ours, theirs, X)
        xs, ys = np.linspace(-1, 1, 4), np.linspace(-1, 1, 3)
        surface = ours.surface(xs, ys)
        at = np.array([(x, y) for y in ys for x in xs])
        np.testing.assert_allclose(surface.reshape(12, -1), ours.decision_function(at), atol=1e-9)
    two = SVC(decision_function_shape="ovo").fit(*classes(2))
    assert two.decision_function(X).shape == (90,)


# -- one certificate, one door -----------------------------------------------------------------------------------------


def test_one_certificate_for_all() -> None:
    two = SVC(gamma=2.0).fit(*classes(2))
    assert two.certificate_ is two.certificates_[0]
    many = SVC(gamma=2.0, C=10.0).fit(*classes(4))
    parts, whole = many.certificates_, many.certificate_
    assert len(parts) == 6 and whole.status is Status.OPTIMAL
    assert whole.kkt_violation == max(c.kkt_violation for c in parts) <= 1e-3
    for name in ("dual", "primal", "n_free", "n_bounded", "n_iter"):
        assert getattr(whole, name) == sum(getattr(c, name) for c in parts)
    assert whole.n_iter == many.n_iter_.sum() and np.isnan(whole.margin_bound)
    assert 0 <= whole.gap == (whole.primal - whole.dual) / whole.primal < 0.01


def test_the_gravest_status_and_the_smallest_bound_speak_for_all() -> None:
    def part(status: Status, **numbers: float) -> Certificate:
        sound: dict[str, Any] = {
            "kkt_violation": 1e-4,
            "dual": 1.0,
            "primal": 1.1,
            "gap": 0.1,
            "n_free": 1,
            "n_bounded": 2,
            "n_iter": 3,
            "margin_bound": np.nan,
            **numbers,
        }
        return Certificate(status, **sound)

    good, limit = part(Status.OPTIMAL), part(Status.PRECISION, kkt_violation=0.5)
    whole = joined([good, limit, good])
    assert whole.status is Status.PRECISION and whole.kkt_violation == 0.5 and whole.n_bounded == 6
    assert joined([good, good]).status is Status.OPTIMAL
    assert joined([limit, part(Status.STOPPED_EARLY)]).status is Status.STOPPED_EARLY
    hard = [part(Status.OPTIMAL, margin_bound=0.5), part(Status.NOT_SEPARABLE, margin_bound=1e-8, primal=np.inf)]
    whole = joined([*hard, good])
    assert whole.status is Status.NOT_SEPARABLE and whole.margin_bound == 1e-8
    assert whole.primal == np.inf and np.isnan(whole.gap)


def test_a_fit_at_the_limit_of_double_precision_is_reported() -> None:
    limit = SVC(gamma=2.0, tol=1e-300).fit(*classes(3))
    assert limit.certificate_.status is Status.PRECISION and limit.fit_status_ == 0


@pytest.mark.parametrize(
    "change",
    [
        {"C": -1},
        {"kernel": "gauss"},
        {"C": np.inf, "kernel": "linear"},
        {"class_weight": {"ant": -1}},
        {"kernel": lambda A, B: np.ones((1, 1))},
        {"max_iter": -5},
        {"random_state": -1},
    ],
    ids=lambda bad: ", ".join(bad),
)
def test_a_failing_fit_leaves_the_model_as_it_was(change: dict[str, Any]) -> None:
    X, y = classes(3)
    model = SVC(gamma=2.0).fit(X, y)
    before, values = dict(vars(model)), model.decision_function(X)
    model.set_params(**change)
    other = np.where(y == "zebra", "yak", np.where(y == "ant", "ant", "gnu"))
    with pytest.raises(ValueError):
        model.fit(X[:, ::-1], other)
    model.set_params(**{name: before[name] for name in change})
    assert vars(model).keys() == before.keys() and all(vars(model)[name] is before[name] for name in before)
    assert (model.decision_function(X) == values).all()
    for bad_X, bad_y in ((X[:, :1] * np.nan, y), (X, y[:5]), (X, ["a"] * len(X))):
        with pytest.raises(ValueError):
            model.fit(bad_X, bad_y)
    assert (model.decision_function(X) == values).all()
    fresh = SVC(**{**model.get_params(), **change})
    with pytest.raises(ValueError):
        fresh.fit(X, y)
    with pytest.raises(ValueError, match="not fitted yet"):
        fresh.decision_function(X)


def test_auto_is_the_same_answer() -> None:
    X, y = classes(3)
    smo, auto = (SVC(gamma=2.0, tol=1e-9, solver=solver).fit(X, y) for solver in ("smo", "auto"))
    np.testing.assert_allclose(auto.decision_function(X), smo.decision_function(X), atol=1e-6)
    small = SVC(gamma=2.0, tol=1e-9, cache_size=0, solver="smo").fit(X, y)
    assert (small.dual_coef_ == smo.dual_coef_).all(), "the cache changes the speed only"


def test_a_trainer_sees_the_weights() -> None:
    X, y = uneven(3)
    weights = np.random.default_rng(5).integers(0, 3, len(X)).astype(float)
    source = SVC(C=4.0, class_weight={"ant": 0.5})
    shown: list[Array] = []
    trainer = source.prepare(X, y, start=lambda pair, C: shown.append(C), sample_weight=weights)
    expected = 4.0 * weights * np.where(y == "ant", 0.5, 1.0)
    for pair, solver, C in zip(trainer.pairs, trainer.solvers, shown, strict=True):
        assert (expected[pair.index] == C).all() and (C == solver.C).all() and (C > 0).all()
    assert not isinstance(trainer.solvers[0].kernel, PrecomputedKernel)


# -- the surface -------------------------------------------------------------------------------------------------------


def naive_pairs(model: SVC, formula: Formula, xs: Array, ys: Array) -> Array:
    """sum of coefficient * kernel + intercept per pair, from the public attributes alone; (len(ys), len(xs), pairs)."""
    n_classes = len(model.classes_)
    at = np.array([(x, y) for y in ys for x in xs]).reshape(-1, 2)
    K = formula(at, model.support_vectors_)
    block = np.repeat(np.arange(n_classes), model.n_support_)
    columns = []
    if n_classes == 2:
        columns.append(K @ model.dual_coef_[0] + model.intercept_[0])
    else:
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                coef = np.where(block == i, model.dual_coef_[j - 1], 0.0)
                coef += np.where(block == j, model.dual_coef_[i], 0.0)
                columns.append(K @ coef + model.intercept_[pair])
                pair += 1
    return np.stack(columns, axis=1).reshape(len(ys), len(xs), -1)


def naive_surface(model: SVC, formula: Formula, xs: Array, ys: Array) -> Array:
    values = naive_pairs(model, formula, xs, ys)
    n_classes = len(model.classes_)
    if n_classes == 2:
        return values[..., 0]
    votes_, confidence = np.zeros((*values.shape[:2], n_classes)), np.zeros((*values.shape[:2], n_classes))
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            f = values[..., pair]
            votes_[..., i] += f > 0
            votes_[..., j] += f <= 0
            confidence[..., i] += f
            confidence[..., j] -= f
            pair += 1
    return votes_ + confidence / (3 * (np.abs(confidence) + 1))


@pytest.mark.parametrize("formula", KERNELS, ids=lambda f: f"{f.name}{f.degree}")
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_surface_is_the_formula(formula: Formula, n_classes: int, C: float) -> None:
    X, y = classes(n_classes, 60)
    model = SVC(
        C=C, kernel=formula.name, gamma=formula.gamma, coef0=formula.coef0, degree=formula.degree, max_iter=5000
    ).fit(X, y)
    xs, ys = np.linspace(-2.0, 1.7, 23), np.linspace(-1.1, 1.9, 11)
    surface = model.surface(xs, ys)
    limit = 1e-9 * max(1.0, np.abs(model.dual_coef_).sum())
    # A vote may change where f is 0 to within rounding; there is no such pixel here.
    values = naive_pairs(model, formula, xs, ys)
    assert np.abs(values).min() > limit
    assert surface.shape == ((11, 23) if n_classes == 2 else (11, 23, n_classes))
    assert np.abs(model.pair_surface_on(xs)(ys) - values).max() <= limit
    assert np.abs(surface - naive_surface(model, formula, xs, ys)).max() <= limit
    points_ = np.array([(x, y) for y in ys for x in xs])
    assert np.abs(surface - model.decision_function(points_).reshape(surface.shape)).max() <= limit
    # Any rows, in any order, are the same, up to how a matrix product groups its sums.
    rows = model.pair_surface_on(xs)
    assert np.abs(rows(ys[[7, 2]]) - values[[7, 2]]).max() <= limit
    winners = model.classes_[model.winner(values)].ravel()
    assert (winners == model.predict(points_)).all()


def test_linear_model_far_from_the_origin() -> None:
    X, y = classes(3)
    near, far = SVC(kernel="linear", tol=1e-6).fit(X, y), SVC(kernel="linear", tol=1e-6).fit(X + 1e6, y)
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-5)
    np.testing.assert_allclose(far.decision_function(X + 1e6), near.decision_function(X), atol=1e-4)
    xs, ys = np.linspace(-1.0, 1.0, 5), np.linspace(-1.0, 1.0, 4)
    np.testing.assert_allclose(far.surface(xs + 1e6, ys + 1e6), near.surface(xs, ys), atol=1e-4)
    raw = X @ far.coef_.T + 1e6 * far.coef_.sum(axis=1) + far.intercept_
    np.testing.assert_allclose(raw, near.pair_decision_function(X), atol=1e-4)


def test_surface_without_columns_or_rows() -> None:
    for formula in KERNELS:
        model = SVC(kernel=formula.name).fit(*points("circle", 20, 0))
        assert model.surface([], [1.0, 2.0]).shape == (2, 0) and model.surface([1.0], []).shape == (0, 1)


# -- training in parts -------------------------------------------------------------------------------------------------


def test_a_model_of_an_unfinished_training() -> None:
    X, y = classes(3)
    source = SVC(gamma=2.0, C=10.0)
    trainer = source.prepare(X, y)
    assert trainer.status is Status.RUNNING and trainer.step(5) == 15 and trainer.n_iter == 15
    early = source.snapshot_model(trainer.snapshot())
    probe = early.decision_function(X)
    assert early.fit_status_ == 1 and early.n_iter_.tolist() == [5, 5, 5]
    while trainer.status is Status.RUNNING:
        trainer.step(7)
    assert (early.decision_function(X) == probe).all(), "a model never changes"
    late, whole = source.adopt(trainer.snapshot()), SVC(gamma=2.0, C=10.0).fit(X, y)
    assert (late.dual_coef_ == whole.dual_coef_).all() and (late.intercept_ == whole.intercept_).all()
    assert late.fit_status_ == 0


def test_a_linear_snapshot_keeps_its_own_centre() -> None:
    X, y = classes(3)
    source = SVC(kernel="linear")
    trainer = source.prepare(X + 50.0, y)
    trainer.step(10)
    model = source.snapshot_model(trainer.snapshot())
    raw = (X + 50.0) @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.pair_decision_function(X + 50.0), raw, atol=1e-9)


def test_a_start_leads_to_the_same_optimum() -> None:
    X, y = classes(3)
    cold = SVC(gamma=2.0, C=10.0, tol=1e-6, solver="smo")
    cold_trainer = cold.prepare(X, y)
    while cold_trainer.status is Status.RUNNING:
        cold_trainer.step(1000)
    cold.adopt(cold_trainer.snapshot())
    known = {(s.positive, s.negative): snap.alpha for s, snap in zip(cold.pairs_, cold_trainer.snapshot(), strict=True)}
    warm = SVC(gamma=2.0, C=10.0, tol=1e-6, solver="smo")
    trainer = warm.prepare(X, y, start=lambda pair, C: known.get((pair.positive, pair.negative)))
    while trainer.status is Status.RUNNING:
        trainer.step(1000)
    warm.adopt(trainer.snapshot())
    assert trainer.n_iter < cold_trainer.n_iter / 10
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-4)


def test_max_iter_shows_in_fit_status() -> None:
    X, y = classes(3)
    assert SVC(gamma=2.0, C=10.0).fit(X, y).fit_status_ == 0
    for limit in (0, 1, 5):
        model = SVC(gamma=2.0, C=10.0, max_iter=limit).fit(X, y)
        assert model.fit_status_ == 1 and model.n_iter_.tolist() == [limit] * 3
        assert {c.status for c in model.certificates_} == {Status.STOPPED_EARLY}
        assert np.isfinite(model.decision_function(X)).all() and np.isfinite(model.surface([0.0], [1.0])).all()
    assert SVC(C=np.inf, kernel="rbf", gamma=50.0).fit(X, y).fit_status_ == 0


@pytest.mark.parametrize("selection", RULES)
def test_same_call_same_answer(selection: str) -> None:
    X, y = classes(3)
    first, second = (SVC(gamma=2.0, C=5.0, selection=selection).fit(X, y) for _ in range(2))
    assert (first.dual_coef_ == second.dual_coef_).all() and (first.intercept_ == second.intercept_).all()
    assert (first.surface(X[:5, 0], X[:5, 1]) == second.surface(X[:5, 0], X[:5, 1])).all()


def test_the_model_does_not_hang_on_the_callers_arrays() -> None:
    X, y = classes(2)
    model = SVC()
    trainer = model.prepare(X, y)
    expected = SVC().fit(X, y)
    X[:] = 0.0
    y[:] = "ant"
    while trainer.status is Status.RUNNING:
        trainer.step(1000)
    model.adopt(trainer.snapshot())
    assert (model.support_vectors_ == expected.support_vectors_).all() and (model.classes_ == expected.classes_).all()


def test_a_fitted_model_is_small_and_travels() -> None:
    X, y = classes(2, 400)
    model = SVC(gamma=2.0).fit(X, y)
    data = pickle.dumps(model)
    assert len(data) < 100_000  # the kernel rows would be a megabyte
    T = classes(2, 50, 3)[0]
    assert (pickle.loads(data).decision_function(T) == model.decision_function(T)).all()


def test_parameters() -> None:
    model = SVC(C=3.0)
    assert model.set_params(gamma=0.5, kernel="poly") is model
    assert SVC(**model.get_params()).get_params() == model.get_params()
    with pytest.raises(ValueError, match="parameter name is 'price'; it must be one of 'C'"):
        model.set_params(price=1)


# -- sentences ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": 0}, "C is 0; it must be a number in (0, inf]."),
        ({"C": -1.5}, "C is -1.5; it must be a number in (0, inf]."),
        ({"C": np.nan}, "C is nan; it must be a number in (0, inf]."),
        ({"C": "1"}, "C is '1'; it must be a number in (0, inf]."),
        ({"C": True}, "C is True; it must be a number in (0, inf]."),
        ({"C": None}, "C is None; it must be a number in (0, inf]."),
        ({"C": 10**400}, f"C is {10**400}; it must be a number in (0, inf]."),
        ({"C": 1e60}, "C is 1e+60; it must be at most 1e+50, or inf."),
        ({"gamma": -1.0}, "gamma is -1.0; it must be a number in [0, inf)."),
        ({"gamma": np.inf}, "gamma is inf; it must be a number in [0, inf)."),
        ({"gamma": "big"}, "gamma is 'big'; it must be 'scale', 'auto' or a number in [0, inf)."),
        ({"gamma": None}, "gamma is None; it must be a number in [0, inf)."),
        ({"degree": -1}, "degree is -1; it must be a whole number from 0 to 100."),
        ({"degree": 2.5}, "degree is 2.5; it must be a whole number from 0 to 100."),
        ({"degree": 101}, "degree is 101; it must be a whole number from 0 to 100."),
        ({"coef0": np.nan}, "coef0 is nan; it must be a number in (-inf, inf)."),
        ({"coef0": "0"}, "coef0 is '0'; it must be a number in (-inf, inf)."),
        ({"tol": 0.0}, "tol is 0.0; it must be a number in (0, inf)."),
        ({"tol": np.inf}, "tol is inf; it must be a number in (0, inf)."),
        ({"max_iter": -2}, "max_iter is -2; it must be a whole number of at least -1."),
        ({"max_iter": 1.5}, "max_iter is 1.5; it must be a whole number of at least -1."),
        ({"random_state": -1}, "random_state is -1; it must be a whole number of at least 0."),
        ({"random_state": "x"}, "random_state is 'x'; it must be a whole number of at least 0."),
        (
            {"kernel": "gauss"},
            f"kernel is 'gauss'; it must be one of {', '.join(map(repr, table.KERNELS))}, 'precomputed', or a function"
            " kernel(A, B).",
        ),
        ({"selection": "wss2"}, f"selection is 'wss2'; it must be one of {', '.join(map(repr, RULES))}."),
        (
            {"kernel": None},
            f"kernel is None; it must be one of {', '.join(map(repr, table.KERNELS))}, 'precomputed', or a function"
            " kernel(A, B).",
        ),
        ({"kernel": dot, "gamma": -1}, "gamma is -1; it must be a number in [0, inf)."),
        ({"kernel": "precomputed"}, "X has shape (90, 2); for kernel='precomputed' it must be a square Gram matrix."),
        (
            {"kernel": lambda A, B: np.ones((len(A), 1))},
            "kernel(A, B) must have shape (90, 90), (len(A), len(B)); it has (90, 1).",
        ),
        (
            {"kernel": lambda A, B: dot(A, B) * np.nan},
            "kernel(A, B) holds a value that is not finite (NaN or infinity).",
        ),
        ({"kernel": lambda A, B: "k"}, "The answer of kernel(A, B) must hold numbers only."),
        (
            {"kernel": lambda A, B: np.arange(len(A))[:, None] + 0.0 * dot(A, B)},
            "kernel(X, X) must be symmetric; its entry (0, 89) is 0, but (89, 0) is 89.",
        ),
        ({"cache_size": -1}, "cache_size is -1; it must be a number in [0, inf)."),
        ({"cache_size": "200"}, "cache_size is '200'; it must be a number in [0, inf)."),
        ({"solver": "fast"}, "solver is 'fast'; it must be one of 'auto', 'smo', 'path'."),
        ({"multiclass": "ovr"}, "multiclass is 'ovr'; it must be one of 'one-vs-one', 'one-vs-rest'."),
        ({"decision_function_shape": None}, "decision_function_shape is None; it must be one of 'ovr', 'ovo'."),
        (
            {"decision_function_shape": "ovo", "multiclass": "one-vs-rest"},
            "decision_function_shape is 'ovo'; with multiclass='one-vs-rest' it must be 'ovr'.",
        ),
        ({"class_weight": "heavy"}, "class_weight is 'heavy'; it must be None, 'balanced' or a dict of label: weight."),
        ({"class_weight": [1, 2]}, "class_weight is [1, 2]; it must be None, 'balanced' or a dict of label: weight."),
        ({"class_weight": {"ant": -1}}, "class_weight of 'ant' is -1; it must be a number in [0, inf)."),
        ({"class_weight": {"ant": np.inf}}, "class_weight of 'ant' is inf; it must be a number in [0, inf)."),
        ({"class_weight": {"ant": "1"}}, "class_weight of 'ant' is '1'; it must be a number in [0, inf)."),
        (
            {"class_weight": {"Ant": 2, "zebra": 1}},
            "class_weight has a weight for 'Ant', a label of no point, but none for 'ant'.",
        ),
        (
            {"class_weight": {"ant": 0}},
            "Invalid input - all samples with positive weights belong to the same class, zebra; an SVM needs points of"
            " at least two classes.",
        ),
        ({"class_weight": {"ant": 0, "zebra": 0}}, "Invalid input - all samples have zero or negative weights."),
        ({"C": 1e30, "class_weight": {"ant": 1e30}}, "C times the largest weight is 1e+60; it must be at most 1e+50."),
        (
            {"C": 1e-300, "class_weight": {"ant": 1e-300}},
            "C is 1e-300; times the smallest weight, 1e-300, it vanishes.",
        ),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        SVC(**parameters).fit(*classes(2))
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        ([[1.0, 2.0], [3.0]], [0, 1], "X must hold numbers only."),
        ([["a", "b"], ["c", "d"]], [0, 1], "X must hold numbers only."),
        ([[1j, 0.0], [1.0, 2.0]], [0, 1], "Complex data not supported: X must hold real numbers only."),
        ([[10**400, 0], [1, 2]], [0, 1], "X must hold numbers only."),
        ([1.0, 2.0], [0, 1], "X: Expected 2D array, got 1D array instead. Reshape your data, as by X.reshape(1, -1)."),
        (3.0, [0, 1], "X: Expected 2D array, got 0D array instead. Reshape your data, as by X.reshape(1, -1)."),
        (np.empty((0, 2)), [], "X has 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required."),
        ([[1.0, 2.0], [3.0, np.nan]], [0, 1], "X holds a value that is not finite (NaN or infinity), first in row 1."),
        ([[1.0, 2.0], [3.0, 1e80]], [0, 1], "X holds the value 1e+80; coordinates must lie in [-1e+75, 1e+75]."),
        ([[1.0, 2.0], [3.0, 4.0]], [0], "y must have one label for each of the 2 points; its shape is (1,)."),
        ([[1.0, 2.0], [3.0, 4.0]], [[0, 1]], "y must have one label for each of the 2 points; its shape is (1, 2)."),
        ([[1.0, 2.0], [3.0, 4.0]], [[0], [1, 2]], "y must be a list of labels; it is a ragged table."),
        ([[1.0, 2.0], [3.0, 4.0]], [0, 0], "y holds one class only; an SVM needs points of at least two classes."),
        ([[1.0, 2.0], [3.0, 4.0]], [0, np.nan], "y holds a label that is not finite (NaN or infinity)."),
        (
            [[1.0, 2.0], [3.0, 4.0]],
            np.array([0, np.nan], object),
            "y holds a label that is not finite (NaN or infinity).",
        ),
        (
            [[1.0, 2.0], [3.0, 4.0]],
            np.array([0, None], object),
            "y mixes labels that cannot be put in order; use numbers only or texts only.",
        ),
    ],
)
def test_bad_data(X: Any, y: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        SVC().fit(X, y)
    assert str(caught.value) == sentence


def test_bad_use() -> None:
    model = SVC(kernel="poly", degree=9, coef0=1.0, gamma=1.0).fit(*classes(2))
    uses: list[tuple[Any, str]] = [
        (lambda: SVC().predict([[0.0, 0.0]]), "This SVC is not fitted yet; call fit first."),
        (lambda: SVC().surface([0.0], [0.0]), "This SVC is not fitted yet; call fit first."),
        (lambda: model.predict([[0.0]]), "X has 1 features, but SVC is expecting 2 features as input."),
        (lambda: model.surface([np.inf], [0.0]), "xs must be a one-dimensional array of finite numbers."),
        (lambda: model.surface([0.0], [[0.0]]), "ys must be a one-dimensional array of finite numbers."),
        (lambda: model.surface(["left"], [0.0]), "xs must hold numbers only."),
        (lambda: model.surface([1e80], [0.0]), "xs holds the value 1e+80; coordinates must lie in [-1e+75, 1e+75]."),
        (lambda: model.surface([1e40], [1e40]), "The poly kernel overflows at these coordinates; go nearer to 0."),
        (lambda: model.predict([[1e40, 1e40]]), "The poly kernel overflows at these coordinates; go nearer to 0."),
        (
            lambda: SVC().fit([[0.0], [1.0]], [0, 1]).surface([0.0], [0.0]),
            "A surface needs a model of 2 features; this one was fitted with 1.",
        ),
    ]
    for use, sentence in uses:
        with pytest.raises(ValueError) as caught:
            use()
        assert str(caught.value) == sentence


@pytest.mark.parametrize("exponent", [-300, -160, -20, 20, 70])
def test_scaled_data_has_finite_pictures(exponent: int) -> None:
    X, y = classes(3, 30)
    X = X * 10.0**exponent
    for formula in KERNELS:
        for gamma in ("scale", "auto", 1.0):
            try:
                model = SVC(kernel=formula.name, gamma=gamma, degree=2, coef0=1.0, max_iter=2000).fit(X, y)
            except ValueError as error:
                assert "overflows at these coordinates" in str(error)
            else:
                assert np.isfinite(model.decision_function(X)).all()
                assert np.isfinite(model.surface(X[:3, 0], X[:4, 1])).all()


@pytest.mark.parametrize("learner", [SVC, DualAscentSVC])
@pytest.mark.parametrize("class_weight", [None, {0: 0.3, 1: 0.17}])
def test_an_f_that_is_rounding_error_is_not_called_optimal(learner: Any, class_weight: Any) -> None:
    """Conflicting duplicates whose kernel values are 1e24: f is a difference of sums that are all rounding."""
    model = learner(kernel="poly", degree=4, gamma=1.0, class_weight=class_weight)
    X, y = [[1000.0]] * 10, [0, 1] * 5
    with pytest.warns(ConvergenceWarning, match="double precision"):
        model.fit(X, y)
    assert [certificate.status for certificate in model.certificates_] == [Status.PRECISION]
    scaled = learner(kernel="poly", degree=4, gamma=1.0, class_weight=class_weight).fit([[1.0]] * 10, y)
    assert [certificate.status for certificate in scaled.certificates_] == [Status.OPTIMAL]


def test_a_tol_below_the_rounding_error_is_not_called_reached_online() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    for tol, status in ((1e-3, Status.OPTIMAL), (1e-13, Status.PRECISION)):
        model = OnlineSVC(kernel="poly", degree=4, gamma=1.0, tol=tol, max_iter=100_000).fit(X, y)
        rounding = rounding_of(Kernel("poly", 1.0, 0.0, 4), model.support_vectors_, model.dual_coef_[0], 0.0)
        assert 1e-13 < rounding < 1e-3
        assert model.certificates_[0].status is status and model.certificates_[0].gap < 1e-3


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "sigmoid"])
def test_the_rounding_error_of_f_is_bounded_or_exact(kernel: str) -> None:
    rng = np.random.default_rng(0)
    X, beta = rng.normal(size=(700, 3)), rng.normal(size=700)
    formula = Kernel(kernel, 0.7, 0.3, 3)
    size = (np.abs(formula.gram(X, X)) @ np.abs(beta)).max()
    bound = rounding_of(formula, X, beta, 0.0)
    assert 350 * EPS * size <= bound <= 450 * EPS * size, (
        "each of 700 sums rounds by half an EPS, and each kernel value"
    )
    assert bound * 0.999 <= rounding_of(formula, X, beta, 1.0) <= 1.0
    assert rounding_of(formula, X[:0], beta[:0], 0.0) == 0.0


def test_no_false_alarm_about_rounding() -> None:
    """Large C, distant points and a small tol, all within double precision."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=120) > 0).astype(int)
    for model, at in (
        (SVC(C=1e5, gamma=1.0), X),
        (SVC(kernel="linear", C=10.0), X * 100 + 1e4),
        (SVC(tol=1e-10), X),
        (SVC(kernel="poly", degree=3, coef0=1.0, C=10.0), X),
        (OnlineSVC(C=1e3, gamma=1.0), X),
        (DualAscentSVC(C=10.0), X),
    ):
        assert model.fit(at, y).certificates_[0].status is Status.OPTIMAL, model


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_ties_of_votes_are_broken_as_in_scikit_learn(kernel: str) -> None:
    rng = np.random.default_rng(0)
    X, y, queries = rng.normal(size=(60, 2)), np.array(list("abcdef"))[np.arange(60) % 6], rng.normal(size=(2000, 2))
    settings = {"kernel": kernel, "gamma": 1.0, "tol": 1e-9}
    lowest = SVC(**settings).fit(X, y)
    ours, theirs = SVC(break_ties=True, **settings).fit(X, y), svm.SVC(break_ties=True, **settings).fit(X, y)
    values = np.sort(theirs.decision_function(queries), axis=1)
    pairs = theirs.set_params(decision_function_shape="ovo").decision_function(queries)
    theirs.set_params(decision_function_shape="ovr")
    sure = (values[:, -1] - values[:, -2] > 1e-5) & (np.abs(pairs).min(axis=1) > 1e-5)  # the optima are equal to 1e-8
    assert sure.mean() > 0.9
    assert (ours.predict(queries) == theirs.predict(queries))[sure].all()
    broken = ours.predict(queries) != lowest.predict(queries)
    assert broken.sum() > 20 and (ours.decision_function(queries) == lowest.decision_function(queries)).all()
    largest = ours.classes_[ours.decision_function(queries).argmax(axis=1)]
    assert (ours.predict(queries) == largest).all()
    assert ours.to_sklearn().break_ties is True
    with pytest.raises(ValueError, match="break_ties must be False when decision_function_shape is 'ovo'"):
        ours.set_params(decision_function_shape="ovo").predict(queries)
    with pytest.raises(ValueError, match="break_ties is 'yes'; it must be True or False"):
        SVC(break_ties="yes").fit(X, y)
