"""SVC against scikit-learn's, its surface against the formula, and the sentences about bad parameters and data."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import svm
from svm_reference import Formula, points

from solver.certificate import Status
from solver.multiclass import one_vs_one, one_vs_rest_values, votes
from solver.svc import SVC

Array = NDArray[np.float64]
KERNELS = (
    Formula("linear"), Formula("poly", 1.0, 1.0, 3), Formula("poly", 0.5, 0.0, 2), Formula("rbf", 2.0),
    Formula("laplacian", 1.0), Formula("sigmoid", 0.2, -0.1),
)  # fmt: skip
NAMES = np.array(["zebra", "ant", "mole", "cat", "bee"])


def classes(n_classes: int, n: int = 90, seed: int = 0) -> tuple[Array, NDArray[Any]]:
    """Overlapping clouds around a circle, labelled with texts."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    angle = 2 * np.pi * codes / n_classes
    X = 0.6 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0.0, 0.35, (n, 2))
    return X, NAMES[codes]


def fitted(formula: Formula, X: Array, y: NDArray[Any], **parameters: Any) -> tuple[SVC, svm.SVC, Array]:
    """Our model, scikit-learn's, and the matrix scikit-learn's takes in place of the training points."""
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
        alone = svm.SVC(gamma=2.0, C=10.0, tol=1e-6).fit(X[pair.index], (codes[pair.index] == pair.positive))
        np.testing.assert_allclose(values[:, p], alone.decision_function(X), atol=5e-3)
    theirs = svm.SVC(gamma=2.0, C=10.0, decision_function_shape="ovo").fit(X, y)
    np.testing.assert_allclose(values, theirs.decision_function(X), atol=5e-3)


@settings(max_examples=50, deadline=None)
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
    # A vote may turn where f is 0 to within rounding; there is no such pixel here.
    values = naive_pairs(model, formula, xs, ys)
    assert np.abs(values).min() > limit
    assert surface.shape == ((11, 23) if n_classes == 2 else (11, 23, n_classes))
    assert np.abs(model.pair_surface_on(xs)(ys) - values).max() <= limit
    assert np.abs(surface - naive_surface(model, formula, xs, ys)).max() <= limit
    points_ = np.array([(x, y) for y in ys for x in xs])
    assert np.abs(surface - model.decision_function(points_).reshape(surface.shape)).max() <= limit
    # Any rows, in any order, come out the same, up to how a matrix product groups its sums.
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


def test_a_start_gives_the_same_optimum() -> None:
    X, y = classes(3)
    cold = SVC(gamma=2.0, C=10.0, tol=1e-6)
    cold_trainer = cold.prepare(X, y)
    while cold_trainer.status is Status.RUNNING:
        cold_trainer.step(1000)
    cold.adopt(cold_trainer.snapshot())
    known = {(s.positive, s.negative): snap.alpha for s, snap in zip(cold.pairs_, cold_trainer.snapshot(), strict=True)}
    warm = SVC(gamma=2.0, C=10.0, tol=1e-6)
    trainer = warm.prepare(X, y, start=lambda pair: known.get((pair.positive, pair.negative)))
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
    assert SVC(C=np.inf, kernel="linear").fit(X, y).fit_status_ == 1  # not separable
    assert SVC(C=np.inf, kernel="rbf", gamma=50.0).fit(X, y).fit_status_ == 0


@pytest.mark.parametrize("selection", ["cyclic", "random", "platt", "first-order", "second-order"])
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
        ({"gamma": "big"}, "gamma is 'big'; it must be one of 'scale', 'auto'."),
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
            "kernel is 'gauss'; it must be one of 'linear', 'poly', 'rbf', 'laplacian', 'sigmoid'.",
        ),
        (
            {"selection": "wss2"},
            "selection is 'wss2'; it must be one of 'cyclic', 'random', 'platt', 'first-order', 'second-order', "
            "'maximum-gain'.",
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
        ([[1j, 0.0], [1.0, 2.0]], [0, 1], "X must hold numbers only."),
        ([[10**400, 0], [1, 2]], [0, 1], "X must hold numbers only."),
        ([1.0, 2.0], [0, 1], "X must have two dimensions (points, features); it has 1."),
        (3.0, [0, 1], "X must have two dimensions (points, features); it has 0."),
        (np.empty((0, 2)), [], "X is empty: shape (0, 2); at least one point and one feature are needed."),
        ([[1.0, 2.0], [3.0, np.nan]], [0, 1], "X holds a value that is not finite (NaN or infinity), first in row 1."),
        ([[1.0, 2.0], [3.0, 1e80]], [0, 1], "X holds the value 1e+80; coordinates must lie in [-1e+75, 1e+75]."),
        ([[1.0, 2.0], [3.0, 4.0]], [0], "y must have one label for each of the 2 points; its shape is (1,)."),
        ([[1.0, 2.0], [3.0, 4.0]], [[0], [1]], "y must have one label for each of the 2 points; its shape is (2, 1)."),
        ([[1.0, 2.0], [3.0, 4.0]], [[0], [1, 2]], "y must be a list of labels; it is a ragged table."),
        ([[1.0, 2.0], [3.0, 4.0]], [0, 0], "y holds one class only; an SVM needs points of at least two classes."),
        ([[1.0, 2.0], [3.0, 4.0]], [0, np.nan], "y holds a label that is not finite (NaN or infinity)."),
        (
            [[1.0, 2.0], [3.0, 4.0]], np.array([0, np.nan], object),
            "y holds a label that is not finite (NaN or infinity).",
        ),
        (
            [[1.0, 2.0], [3.0, 4.0]], np.array([0, None], object),
            "y mixes labels that cannot be put in order; use numbers only or texts only.",
        ),
    ],
)  # fmt: skip
def test_bad_data(X: Any, y: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        SVC().fit(X, y)
    assert str(caught.value) == sentence


def test_bad_use() -> None:
    model = SVC(kernel="poly", degree=9, coef0=1.0, gamma=1.0).fit(*classes(2))
    uses: list[tuple[Any, str]] = [
        (lambda: SVC().predict([[0.0, 0.0]]), "This SVC is not fitted yet; call fit first."),
        (lambda: SVC().surface([0.0], [0.0]), "This SVC is not fitted yet; call fit first."),
        (lambda: model.predict([[0.0]]), "X has 1 features, but the model was fitted with 2."),
        (lambda: model.surface([np.inf], [0.0]), "xs must be a one-dimensional array of finite numbers."),
        (lambda: model.surface([0.0], [[0.0]]), "ys must be a one-dimensional array of finite numbers."),
        (lambda: model.surface(["left"], [0.0]), "xs must hold numbers only."),
        (lambda: model.surface([1e80], [0.0]), "xs holds the value 1e+80; coordinates must lie in [-1e+75, 1e+75]."),
        (lambda: model.surface([1e40], [1e40]), "The poly kernel overflows at these coordinates; go nearer to 0."),
        (
            lambda: model.predict([[1e40, 1e40]]),
            "The poly kernel overflows at these coordinates; go nearer to 0.",
        ),
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
def test_scaled_data_gives_finite_pictures(exponent: int) -> None:
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
