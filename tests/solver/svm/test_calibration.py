"""CalibratedSVC against a minimiser with many digits, scikit-learn with the same folds, and LIBSVM's own iteration."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from solver import REST, SVC, CalibratedSVC, NotFittedError, Pair
from solver.svm.calibration import class_probabilities, fit_sigmoid, sigmoid


def targets_of(positive: Any, weights: Any) -> Any:
    plus, minus = weights[positive].sum(), weights[~positive].sum()
    return np.where(positive, (plus + 1) / (plus + 2), 1 / (minus + 2))


def loss_of(p: Any, positive: Any, weights: Any) -> float:
    t = targets_of(positive, weights)
    return float(-(weights * (t * np.log(p) + (1 - t) * np.log1p(-p))).sum())


def with_forty_digits(f: Any, positive: Any, weights: Any) -> Any:
    """Return the probabilities at the optimum: damped Newton in decimals of 40 digits, of f in units of its size."""
    with localcontext() as context:
        context.prec = 40
        w = [Decimal(float(x)) for x in weights]
        plus = sum((x for x, sign in zip(w, positive, strict=True) if sign), Decimal(0))
        minus = sum(w, Decimal(0)) - plus
        t = [(plus + 1) / (plus + 2) if sign else 1 / (minus + 2) for sign in positive]
        size = Decimal(float(np.abs(f).max())) or Decimal(1)
        g = [Decimal(float(x)) / size for x in f]
        a, b = Decimal(0), ((minus + 1) / (plus + 1)).ln()

        def probabilities(a: Decimal, b: Decimal) -> list[Decimal]:
            return [1 / (1 + (a * x + b).exp()) for x in g]

        def loss(a: Decimal, b: Decimal) -> Decimal:
            p = probabilities(a, b)
            terms = (wi * (ti * pi.ln() + (1 - ti) * (1 - pi).ln()) for wi, ti, pi in zip(w, t, p, strict=True))
            return -sum(terms, Decimal(0))

        for _ in range(200):
            p = probabilities(a, b)
            d = [wi * (ti - pi) for wi, ti, pi in zip(w, t, p, strict=True)]
            ga, gb = sum((x * y for x, y in zip(d, g, strict=True)), Decimal(0)), sum(d, Decimal(0))
            if max(abs(ga), abs(gb)) < Decimal("1e-25"):
                break
            h = [wi * pi * (1 - pi) for wi, pi in zip(w, p, strict=True)]
            ridge = Decimal("1e-20")
            haa, hbb = sum((x * y * y for x, y in zip(h, g, strict=True)), ridge), sum(h, ridge)
            hab = sum((x * y for x, y in zip(h, g, strict=True)), Decimal(0))
            det = haa * hbb - hab * hab
            da, db = -(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det
            step = Decimal(1)
            while step > Decimal("1e-12") and loss(a + step * da, b + step * db) > loss(a, b):
                step /= 2
            a, b = a + step * da, b + step * db
        return np.array([float(x) for x in probabilities(a, b)])


@st.composite
def values(draw: Any) -> tuple[Any, Any, Any]:
    """Return f, signs and weights, with ties, equal f, separable and reversed data among them."""
    n = draw(st.integers(2, 12))
    size = draw(st.sampled_from([1e-6, 1.0, 1e4]))
    kind = draw(st.sampled_from(["any", "equal", "separable", "reversed", "tied"]))
    positive = np.array([True, False, *draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))])
    f = np.array(draw(st.lists(st.floats(-3, 3).map(lambda x: round(x, 3)), min_size=n, max_size=n)))
    if kind == "equal":
        f[:] = f[0]
    elif kind in ("separable", "reversed"):
        f = (np.abs(f) + 0.1) * np.where(positive == (kind == "separable"), 1, -1)
    elif kind == "tied":
        f = np.round(f)
    weights = np.array(draw(st.lists(st.sampled_from([1.0, 0.0, 0.25, 7.0]), min_size=n, max_size=n)))
    weights[:2] = 1.0
    return f * size, positive, weights


@settings(max_examples=60, deadline=None)
@given(values())
def test_the_sigmoid_is_the_optimum(case: tuple[Any, Any, Any]) -> None:
    f, positive, weights = case
    A, B = fit_sigmoid(f, positive, weights)
    counted = weights > 0
    exact = with_forty_digits(f[counted], positive[counted], weights[counted])
    assert sigmoid(A * f + B)[counted] == pytest.approx(exact, abs=1e-6)


def test_huge_values_overflow_nowhere() -> None:
    f = np.array([1e150, -1e150, 3e149, 1e150])
    A, B = fit_sigmoid(f, np.array([True, False, False, True]), np.ones(4))
    assert np.isfinite([A, B]).all() and np.isfinite(sigmoid(A * f * 1e3 + B)).all()
    assert sigmoid(np.array([-1e4, 0.0, 1e4])).tolist() == [1.0, 0.5, 0.0]


def clouds(n_classes: int, n: int = 80, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    angle = 2 * np.pi * y / n_classes
    return np.column_stack((np.cos(angle), np.sin(angle))) + rng.normal(scale=0.9, size=(n, 2)), y


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_two_classes_are_scikit_learns_with_the_same_folds(kernel: str, weighted: bool, seed: int) -> None:
    X, y = clouds(2, seed=seed)
    weights = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], len(X)) if weighted else np.ones(len(X))
    ours = CalibratedSVC(SVC(kernel=kernel, tol=1e-8), cv=4).fit(X, y, weights)
    machine = svm.SVC(kernel=kernel, tol=1e-8)
    theirs = CalibratedClassifierCV(machine, ensemble=False, method="sigmoid", cv=4).fit(X, y, weights)
    assert repr(ours.to_sklearn().estimator.get_params()) == repr(machine.set_params(cache_size=200).get_params())
    assert not ours.to_sklearn().ensemble and ours.to_sklearn().cv == 4
    queries = np.random.default_rng(9).uniform(-3, 3, (200, 2))
    assert ours.predict_proba(queries) == pytest.approx(theirs.predict_proba(queries), abs=1e-3)

    f = np.empty(len(X))
    for train, test in StratifiedKFold(4).split(X, y):
        f[test] = clone(machine).fit(X[train], y[train], weights[train]).decision_function(X[test])
    fitted = theirs.calibrated_classifiers_[0].calibrators[0]
    loss = [
        loss_of(sigmoid(A * f + B), y == 1, weights)
        for A, B in ((ours.probA_[0], ours.probB_[0]), (fitted.a_, fitted.b_))
    ]
    assert loss[0] <= loss[1] + 1e-6
    assert ours.probA_[0] < 0  # p rises with f


def test_one_against_the_rest_is_scikit_learns_with_the_same_folds() -> None:
    X, y = clouds(4, 120)
    machine = SVC(multiclass="one-vs-rest", tol=1e-8)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=1).split(X, y))
    ours = CalibratedSVC(machine, cv=folds).fit(X, y)
    theirs = CalibratedClassifierCV(machine, ensemble=False, method="sigmoid", cv=folds).fit(X, y)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-3)


def coupled(r: Any, pairs: list[Pair], n_classes: int) -> Any:
    """Couple the probabilities of the pairs' positive classes: with A = -1 and B = 0, f is their logarithm of odds."""
    with np.errstate(divide="ignore"):
        f = np.log(r) - np.log1p(-r)
    return class_probabilities(f, -np.ones(len(pairs)), np.zeros(len(pairs)), pairs, n_classes)


def libsvm_coupling(r: Any, eps: float) -> Any:
    """Return `multiclass_probability` of svm.cpp, line by line; r[i][j] is the probability of class i against j."""
    k = len(r)
    p, Q, Qp = np.full(k, 1.0 / k), np.zeros((k, k)), np.zeros(k)
    for t in range(k):
        for j in range(k):
            if j != t:
                Q[t, t] += r[j][t] * r[j][t]
                Q[t, j] = -r[j][t] * r[t][j]
    for _ in range(100_000):
        pQp = 0.0
        for t in range(k):
            Qp[t] = sum(Q[t, j] * p[j] for j in range(k))
            pQp += p[t] * Qp[t]
        if max(abs(Qp[t] - pQp) for t in range(k)) < eps:
            break
        for t in range(k):
            diff = (-Qp[t] + pQp) / Q[t, t]
            p[t] += diff
            pQp = (pQp + diff * (diff * Q[t, t] + 2 * Qp[t])) / (1 + diff) / (1 + diff)
            for j in range(k):
                Qp[j] = (Qp[j] + diff * Q[t, j]) / (1 + diff)
                p[j] /= 1 + diff
    return p


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6), st.sampled_from([0.01, 0.3, 1.0]))
def test_coupling_is_the_limit_of_libsvms_iteration(k: int, seed: int, size: float) -> None:
    pairs = [Pair(i, j) for i, j in combinations(range(k), 2)]
    drawn = np.random.default_rng(seed).uniform(0.5 - size * 0.49, 0.5 + size * 0.49, len(pairs))
    r = np.full((k, k), np.nan)
    for pair, share in zip(pairs, drawn, strict=True):
        r[pair.positive, pair.negative], r[pair.negative, pair.positive] = share, 1 - share
    found = coupled(drawn[None], pairs, k)[0]
    assert found == pytest.approx(libsvm_coupling(r, 1e-14), abs=1e-6)
    assert found == pytest.approx(libsvm_coupling(r, 0.005 / k), abs=0.05)  # where LIBSVM stops


@given(st.integers(3, 8), st.lists(st.sampled_from([0.0, 0.5, 1.0, 1e-12]), min_size=28, max_size=28))
def test_certain_and_contradictory_pairs_have_probabilities(k: int, shares: list[float]) -> None:
    pairs = [Pair(i, j) for i, j in combinations(range(k), 2)]
    found = coupled(np.array([shares[: len(pairs)]]), pairs, k)[0]
    assert (found >= 0).all() and found.sum() == pytest.approx(1, abs=1e-12)
    ahead = np.array([sum(s for s, p in zip(shares, pairs, strict=False) if p.positive == 0)])
    if ahead == k - 1:  # class 0 beats each other for certain
        assert found[0] > 1 - 1e-5


def in_plain_numpy(f: Any, A: Any, B: Any, pairs: list[Pair], k: int) -> Any:
    """Solve equation (21) of Wu, Lin and Weng, Q p + b e = 0 and e' p = 1, with LAPACK for one location at a time."""
    r = np.clip(1 / (1 + np.exp(A * f + B)), 1e-7, 1 - 1e-7)
    if pairs[0].negative == REST:
        return r / r.sum(axis=1, keepdims=True)
    found = []
    for each in r:
        Q = np.zeros((k, k))
        for pair, share in zip(pairs, each, strict=True):
            i, j = pair.positive, pair.negative
            Q[j, j], Q[i, i] = Q[j, j] + share**2, Q[i, i] + (1 - share) ** 2
            Q[i, j] = Q[j, i] = -share * (1 - share)
        bordered = np.block([[Q, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        found.append(np.linalg.solve(bordered, np.r_[np.zeros(k), 1.0])[:k])
    return np.array(found)


@pytest.mark.parametrize("k", [3, 4, 8])
@pytest.mark.parametrize("rest", [False, True])
@pytest.mark.parametrize("n", [1, 64, 200])
def test_probabilities_of_many_locations_are_those_of_each(k: int, rest: bool, n: int) -> None:
    """In strips of 64 and a remainder; in any order of the pairs and of their sides, and of memory."""
    rng = np.random.default_rng(10 * k + n)
    pairs = (
        [Pair(i, REST) for i in range(k)] if rest else [Pair(*rng.permutation(p)) for p in combinations(range(k), 2)]
    )
    f, A, B = rng.normal(0, 3, (n, len(pairs))), rng.uniform(-2, 0.5, len(pairs)), rng.normal(0, 1, len(pairs))
    expected = in_plain_numpy(f, A, B, pairs, k)
    assert class_probabilities(f, A, B, pairs, k) == pytest.approx(expected, abs=1e-9)
    planes = np.ascontiguousarray(f.T).T.reshape(1, n, len(pairs))
    assert (class_probabilities(planes, A, B, pairs, k)[0] == class_probabilities(f, A, B, pairs, k)).all()
    assert np.ptp(expected, axis=1).max() > 0.05


def test_several_classes_are_calibrated_pair_by_pair() -> None:
    """Each pair by its own formulae: the folds' f of its points, its sigmoid, and LIBSVM's coupling of the three."""
    X, y = clouds(3, 90)
    model = CalibratedSVC(SVC(tol=1e-6), cv=3).fit(X, y)
    folds = list(StratifiedKFold(3).split(X, y))
    r = np.zeros((len(X), 3, 3))
    for column, (i, j) in enumerate(combinations(range(3), 2)):
        f = np.zeros(len(X))
        for train, test in folds:
            f[test] = SVC(tol=1e-6).fit(X[train], y[train]).pair_decision_function(X[test])[:, column]
        two = (y == i) | (y == j)
        A, B = fit_sigmoid(f[two], y[two] == i, np.ones(two.sum()))
        p = 1 / (1 + np.exp(A * model.estimator_.pair_decision_function(X)[:, column] + B))
        r[:, i, j], r[:, j, i] = p, 1 - p
    expected = [libsvm_coupling(each, 1e-14) for each in r]
    assert model.predict_proba(X) == pytest.approx(np.array(expected), abs=1e-6)
    assert (model.predict(X) == model.predict_proba(X).argmax(axis=1)).all()


@pytest.mark.parametrize("n_folds", [2, 5])
def test_the_folds_are_those_of_scikit_learn(n_folds: int) -> None:
    X, y = clouds(3, 70)
    y = np.array(["b", "c", "a"])[y]
    by_number = CalibratedSVC(cv=n_folds).fit(X, y)
    by_list = CalibratedSVC(cv=StratifiedKFold(n_folds).split(X, y)).fit(X, y)
    assert (by_number.probA_ == by_list.probA_).all() and (by_number.probB_ == by_list.probB_).all()
    assert by_number.classes_.tolist() == ["a", "b", "c"]


def test_a_point_of_weight_0_and_its_class_are_left_out() -> None:
    X, y = clouds(3, 90)
    weights = np.where(y == 2, 0.0, 1.0)
    weights[:10] = 0.0
    kept = weights > 0
    # gamma="scale" would count the points of weight 0.
    part = CalibratedSVC(SVC(gamma=0.5)).fit(X[kept], y[kept])
    whole = CalibratedSVC(SVC(gamma=0.5)).fit(X, y, weights)
    assert whole.classes_.tolist() == [0, 1]
    assert whole.predict_proba(X) == pytest.approx(part.predict_proba(X), abs=1e-12)


def test_a_gram_matrix_has_the_same_probabilities() -> None:
    X, y = clouds(2)
    plain = CalibratedSVC(SVC(kernel="linear", tol=1e-8)).fit(X, y)
    gram = CalibratedSVC(SVC(kernel="precomputed", tol=1e-8)).fit(X @ X.T, y)
    assert gram.predict_proba(X @ X.T) == pytest.approx(plain.predict_proba(X), abs=1e-6)


def test_one_class_may_be_missing_where_a_fold_is_tested() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), [0, 0, 0, 0, 1, 1]
    folds = folds_of([0, 4], [1, 5], [2], [3])  # class 1 is in two of the four
    model = CalibratedSVC(SVC(kernel="linear"), cv=folds).fit(X, y)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(6))


def test_sigmoid_and_boundary_can_contradict_each_other() -> None:
    """Nine points against one: p is 1/2 far from f = 0, and `predict` follows p."""
    rng = np.random.default_rng(2)
    X = np.r_[rng.normal(0, 1, (90, 2)), rng.normal(1, 1, (12, 2))]
    y = np.r_[np.zeros(90), np.ones(12)]
    model = CalibratedSVC(SVC(class_weight="balanced")).fit(X, y)
    assert (model.predict(X) != model.estimator_.predict(X)).sum() > 5
    half = -model.probB_[0] / model.probA_[0]
    f = model.estimator_.decision_function(X)
    assert ((f > half) == (model.predict_proba(X)[:, 1] > 0.5)).all()


def folds_of(*parts: list[int]) -> Iterator[tuple[list[int], list[int]]]:
    everything = {i for part in parts for i in part}
    return ((sorted(everything - set(part)), part) for part in parts)


X6, Y6 = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("cv", "shown"),
    [
        (1, "cv is 1; it must be a whole number of at least 2."),
        (True, "cv is True; it must be a whole number of at least 2."),
        (folds_of([0, 1, 2], [3, 4, 5]), "All points of class 0 are in one fold; each class needs points in two."),
        (folds_of([0, 3], [1, 4]), "cv must be a whole number .* test each point once"),
        ([([0, 1, 2, 3], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])], "cv must be a whole number"),
        ([([0, 1, 2, 3, 4], [5])], "cv must be a whole number"),
        ([([0], [99])], "cv must be a whole number"),
        (2.5, "cv must be a whole number"),
        ("two", "cv must be a whole number"),
        (None, "cv must be a whole number"),
    ],
)
def test_folds_that_do_not_fit_are_refused_in_a_sentence(cv: Any, shown: str) -> None:
    with pytest.raises(ValueError, match=shown) as caught:
        CalibratedSVC(cv=cv).fit(X6, Y6)
    assert str(caught.value).count(". ") == 0


@pytest.mark.parametrize("fewest", [2, 3, 4])
def test_fewer_points_of_a_class_than_folds_are_refused_as_by_scikit_learn(fewest: int) -> None:
    """On noise the sigmoid of three points falls where f rises; the number of folds that would do is in the message."""
    rng = np.random.default_rng(fewest)
    X, y = rng.normal(size=(40, 2)), np.arange(40) < fewest
    theirs = CalibratedClassifierCV(svm.SVC(), ensemble=False, cv=5)
    with pytest.raises(ValueError, match="Requesting 5-fold cross-validation") as expected:
        theirs.fit(X, y)
    with pytest.raises(ValueError, match=f"the smallest has {fewest}, for which cv={fewest} would do") as refused:
        CalibratedSVC().fit(X, y)
    assert str(refused.value).startswith(str(expected.value).rstrip("."))
    assert CalibratedSVC(cv=fewest).fit(X, y).classes_.tolist() == [False, True]
    weights = np.where(np.arange(40) < fewest - 1, 0.0, 1.0)
    with pytest.raises(ValueError, match="the smallest has 1"):
        CalibratedSVC(cv=2).fit(X, y, weights)


def test_what_makes_no_sense_is_refused_and_changes_nothing() -> None:
    with pytest.raises(NotFittedError):
        CalibratedSVC().predict_proba(X6)
    model = CalibratedSVC(SVC(), cv=2).fit(X6, Y6)
    before = model.predict_proba(X6)
    for bad in ({"cv": 0}, {"estimator": svm.SVC()}, {"estimator": SVC(C=-1)}):
        with pytest.raises(ValueError, match=r"cv is 0|estimator is|C is -1"):
            model.set_params(**bad).fit(X6, [5, 5, 5, 6, 6, 6])
        assert (model.predict_proba(X6) == before).all() and model.classes_.tolist() == [0, 1]
        model.set_params(cv=2, estimator=SVC())
    with pytest.raises(ValueError, match="one class only"):
        CalibratedSVC(cv=2).fit(X6, [1] * 6)
    with pytest.raises(ValueError, match="the smallest has 1, which is too few"):
        CalibratedSVC(cv=2).fit(X6, [0, 0, 0, 0, 0, 1])
    with pytest.raises(ValueError, match="estimator is None"):
        CalibratedSVC().set_params(estimator__C=3.0)


def test_a_search_sets_the_parameters_of_the_estimator() -> None:
    X, y = clouds(2)
    search = GridSearchCV(CalibratedSVC(SVC(), cv=2), {"estimator__C": [0.1, 10.0]}, cv=2, scoring="neg_log_loss")
    best = search.fit(X, y).best_estimator_
    assert best.estimator.C == best.estimator_.C == search.best_params_["estimator__C"]
    assert repr(CalibratedSVC(SVC(C=2.0), cv=3)) == "CalibratedSVC(estimator=SVC(C=2.0), cv=3)"
