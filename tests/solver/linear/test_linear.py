"""Perceptron and Pegasos: Novikoff's bound on many problems, a literal Pegasos, scikit-learn's optimum, sentences."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn import linear_model
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from solver import PegasosClassifier, PegasosSolver, Perceptron, PerceptronSolver, Status, largest_margin
from tests.examples import examples
from tests.solver.svm_reference import points

Array = NDArray[np.float64]


def separable(seed: int, n: int, d: int, gap: float, offset: float) -> tuple[Array, Array]:
    """Return `n` points of [-1, 1]^d at a distance of at least `gap` from a random plane; both labels occur."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    X = rng.uniform(-1.0, 1.0, (n, d))
    f = X @ u - offset
    y = np.where(f > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    # Points that are too near, or on the wrong side, move out to the distance gap.
    X += np.maximum(0.0, gap - y * f)[:, None] * y[:, None] * u
    return X, y


def margin_by_qp(Z: Array, y: Array) -> float:
    """Return the largest margin of a unit vector, as 1 / ||w|| of the least w with y <w, z> >= 1, by a
    general solver.
    """
    constraint = {"type": "ineq", "fun": lambda w: y * (Z @ w) - 1.0, "jac": lambda w: y[:, None] * Z}
    start = np.linalg.lstsq(Z, y, rcond=None)[0]
    best = minimize(
        lambda w: 0.5 * w @ w,
        start,
        jac=lambda w: w,
        constraints=[constraint],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return float(1.0 / np.linalg.norm(best.x))


# -- the perceptron ----------------------------------------------------------------------------------------------------


@examples(300)
@given(st.integers(0, 10**6), st.integers(3, 40), st.integers(1, 4), st.floats(0.02, 0.5), st.booleans(), st.booleans())
def test_no_order_makes_more_mistakes_than_the_bound(
    seed: int, n: int, d: int, gap: float, fit_intercept: bool, shuffle: bool
) -> None:
    X, y = separable(seed, n, d, gap, offset=0.3 if fit_intercept else 0.0)
    order = np.random.default_rng(seed + 1).permutation(n)
    X, y = X[order], y[order]
    Z = np.hstack([X, np.ones((n, 1))]) if fit_intercept else X
    solver = PerceptronSolver(X, y, fit_intercept=fit_intercept, shuffle=shuffle, random_state=seed, max_iter=10**7)
    assert solver.run() is Status.OPTIMAL
    w = np.append(solver.coef, solver.intercept) if fit_intercept else solver.coef
    assert (y * (Z @ w) > 0).all()
    bound = solver.certificate().mistake_bound
    assert solver.n_iter <= bound
    # The bound is the theorem's: R and gamma computed in any other way give it, too.
    radius = np.linalg.norm(Z, axis=1).max()
    margin = solver.largest_margin
    assert margin.low <= margin.high
    assert margin.high == pytest.approx(margin.low, rel=1e-6)
    assert bound == pytest.approx((radius / margin.low) ** 2, rel=1e-9)
    assert (y * (Z @ margin.direction)).min() >= margin.low
    assert np.linalg.norm(margin.direction) == pytest.approx(1.0)
    # The weights reached prove a (looser) bound of their own.
    quick = solver.certificate(thorough=False)
    assert quick.mistake_bound >= bound * (1 - 1e-6)
    assert quick.mistake_bound == pytest.approx((radius / ((y * (Z @ w)).min() / np.linalg.norm(w))) ** 2, rel=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_largest_margin_is_that_of_a_general_solver(fit_intercept: bool) -> None:
    for seed in range(25):
        X, y = separable(seed, 12, 1 + seed % 4, 0.1, offset=0.2 if fit_intercept else 0.0)
        Z = np.hstack([X, np.ones((12, 1))]) if fit_intercept else X
        found = largest_margin(X, y, fit_intercept=fit_intercept)
        assert found.low == pytest.approx(margin_by_qp(Z, y), rel=1e-5)
        assert found.radius == pytest.approx(np.linalg.norm(Z, axis=1).max())


@pytest.mark.parametrize("scale", [1e-130, 1e-6, 1.0, 1e6, 1e130])
def test_the_bound_does_not_depend_on_units(scale: float) -> None:
    X, y = separable(3, 20, 2, 0.1, 0.0)
    expected = largest_margin(X, y, fit_intercept=False)
    found = largest_margin(scale * X, y, fit_intercept=False)
    assert found.mistakes == pytest.approx(expected.mistakes, rel=1e-9)
    assert found.low == pytest.approx(scale * expected.low, rel=1e-9)
    solver = PerceptronSolver(scale * X, y, fit_intercept=False)
    solver.run()
    assert solver.n_iter == PerceptronSolver(X, y, fit_intercept=False, max_iter=1000).step(10**6)


def test_the_bound_is_attained() -> None:
    # Mistakes that are all orthogonal: R = 1, gamma = 1 / sqrt(k), so (R / gamma)^2 = k, and each point errs once.
    for k in (2, 5, 30):
        X, y = np.eye(k), np.where(np.arange(k) % 2, 1.0, -1.0)
        solver = PerceptronSolver(X, y, fit_intercept=False)
        assert solver.run() is Status.OPTIMAL
        assert solver.n_iter == k
        assert solver.certificate().mistake_bound == pytest.approx(k, rel=1e-9)
    # With an intercept R^2 + 1 counts: R = gamma = 1, and there are two mistakes, not one.
    solver = PerceptronSolver([[-1.0], [1.0]], [-1.0, 1.0])
    assert solver.run() is Status.OPTIMAL
    assert solver.n_iter == 2
    assert solver.certificate().mistake_bound == pytest.approx(2.0, rel=1e-9)


def test_the_bound_holds_for_every_order_of_a_small_problem() -> None:
    X, y = np.array([[0.1], [0.3], [0.2], [0.45]]), np.array([-1.0, 1.0, -1.0, 1.0])
    bound = largest_margin(X, y)
    for order in permutations(range(4)):
        solver = PerceptronSolver(X[list(order)], y[list(order)], max_iter=10**6)
        assert solver.run() is Status.OPTIMAL
        assert solver.n_iter <= bound.mistakes
    assert bound.mistakes == pytest.approx((0.45**2 + 1.0) / bound.low**2)


def test_without_separability_there_is_no_bound_and_no_end() -> None:
    for X, y in (points("random", 40, 1), points("circle", 50, 2), points("noisy line", 200, 3)):
        margin = largest_margin(X, y)
        assert margin.low == 0.0 and np.isinf(margin.mistakes) and margin.high < 1e-3
        solver = PerceptronSolver(X, y, max_iter=7)
        assert solver.run() is Status.STOPPED_EARLY
        certificate = solver.certificate()
        assert certificate.n_epochs == 7 and np.isinf(certificate.mistake_bound)
        assert certificate.n_wrong == (y * (X @ solver.coef + solver.intercept) <= 0).sum()
    model = Perceptron(max_iter=7).fit(*points("random", 40, 1))
    assert not model.converged_ and model.n_iter_ == 7


def test_the_perceptron_as_in_the_books() -> None:
    X, y = points("noisy line", 30, 5)
    for fit_intercept in (True, False):
        w, b, mistakes = np.zeros(2), 0.0, []
        for _ in range(4):
            for i in range(30):
                if y[i] * (w @ X[i] + b) <= 0:
                    w, b = w + y[i] * X[i], b + y[i] * fit_intercept
                    mistakes.append(i)
        solver = PerceptronSolver(X, y, fit_intercept=fit_intercept, max_iter=4)
        touched = []
        while solver.step():
            touched.append(solver.snapshot(thorough=False).touched)
        assert touched == mistakes
        snapshot = solver.snapshot(thorough=False)
        assert snapshot.coef == pytest.approx(w) and snapshot.intercept == pytest.approx(b)
        assert (snapshot.count == np.bincount(mistakes, minlength=30)).all()
        assert (snapshot.count * y) @ X == pytest.approx(w)


def test_shuffled_passes_visit_each_point_once() -> None:
    # With weights that never separate, a pass over n copies of two contradicting points makes the same mistakes in any
    # order; so check the order itself.
    X, y = points("random", 50, 2)
    solver = PerceptronSolver(X, y, shuffle=True, max_iter=3)
    orders: list[np.ndarray] = []
    while True:
        if not orders or solver.n_epochs > len(orders):
            orders.append(solver._order.copy())
        if not solver.step():
            break
    assert [sorted(order) for order in orders] == [list(range(50))] * 3
    assert len({tuple(order) for order in orders}) == 3


def test_the_estimator_is_its_solvers() -> None:
    X, y = separable(4, 60, 2, 0.05, 0.1)
    labels = np.where(y > 0, "b", "a")
    model = Perceptron(shuffle=False).fit(X, labels)
    solver = PerceptronSolver(X, y)
    solver.run()
    assert (model.coef_ == solver.coef).all() and model.intercept_[0] == solver.intercept
    assert model.mistakes_ == solver.n_iter and model.n_iter_ == solver.n_epochs and model.converged_
    assert model.certificates_[0].mistake_bound == solver.certificate().mistake_bound
    assert (model.predict(X) == labels).all() and model.score(X, labels) == 1.0


@pytest.mark.parametrize("learner", [Perceptron(max_iter=20), PegasosClassifier(n_iter=20_000)])
def test_three_classes_one_against_the_rest(learner: Any) -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 3.0], [3.0, -2.0], [-3.0, -2.0]])
    codes = rng.integers(3, size=150)
    X = centres[codes] + rng.normal(0.0, 0.4, (150, 2))
    labels = np.array([7, 3, 5])[codes]
    model = learner.fit(X, labels)
    assert model.coef_.shape == (3, 2) and list(model.classes_) == [3, 5, 7]
    values = model.decision_function(X)
    assert values == pytest.approx(X @ model.coef_.T + model.intercept_)
    assert (model.predict(X) == model.classes_[values.argmax(axis=1)]).all()
    assert model.score(X, labels) > 0.97
    binary = type(model)(**model.get_params()).fit(X, labels == 3)
    assert binary.coef_[0] == pytest.approx(model.coef_[0])
    xs, ys = np.linspace(-1, 1, 4), np.linspace(-2, 2, 3)
    grid = np.array([[[x, y] for x in xs] for y in ys])
    assert model.surface(xs, ys) == pytest.approx(model.decision_function(grid.reshape(-1, 2)).reshape(3, 4, 3))
    assert binary.surface(xs, ys) == pytest.approx(binary.decision_function(grid.reshape(-1, 2)).reshape(3, 4))


# -- Pegasos -----------------------------------------------------------------------------------------------------------


def primal(w: Array, X: Array, y: Array, lam: float) -> float:
    return float(0.5 * lam * w @ w + np.maximum(0.0, 1.0 - y * (X @ w)).mean())


def optimum(X: Array, y: Array, lam: float) -> float:
    """Return the least primal value of the hinge problem without intercept, by scikit-learn's LIBLINEAR."""
    n = len(y)
    model = LinearSVC(loss="hinge", C=1.0 / (n * lam), fit_intercept=False, tol=1e-10, max_iter=10**6, dual=True)
    return primal(model.fit(X, y).coef_[0], X, y, lam)


@pytest.mark.parametrize("seed", range(5))
def test_pegasos_word_for_word(seed: int) -> None:
    X, y = points("noisy line", 40, seed)
    lam, steps = 0.05, 3000
    draw = np.random.default_rng(seed)
    theta, answer = np.zeros(2), np.zeros(2)
    for t in range(1, steps + 1):
        w = theta / (lam * t)
        i = draw.integers(40)
        if y[i] * (w @ X[i]) < 1:
            theta = theta + y[i] * X[i]
        answer += w / steps
    solver = PegasosSolver(X, y, lam=lam, max_iter=steps, random_state=seed)
    solver.run()
    snapshot = solver.snapshot()
    assert snapshot.coef == pytest.approx(answer, rel=1e-10)
    assert snapshot.newest == pytest.approx(theta / (lam * (steps + 1)), rel=1e-10)
    assert snapshot.touched == i
    assert (snapshot.count * y) @ X == pytest.approx(theta, rel=1e-10)
    # The multipliers of the average, from which the dual bound is made, give the average.
    assert (solver.multipliers * y) @ X / lam == pytest.approx(answer, rel=1e-9)


def test_the_first_step_of_pegasos() -> None:
    # w_1 = 0: a hit for any point, and an average of 0; then w_2 = y x / (2 lam).
    X, y = points("line", 10, 0)
    solver = PegasosSolver(X, y, lam=0.5)
    assert solver.snapshot().touched == -1 and np.isinf(solver.certificate().primal)
    solver.step(1)
    first = solver.snapshot()
    assert first.hit and (first.coef == 0).all() and first.certificate.primal == 1.0
    assert first.newest == pytest.approx(y[first.touched] * X[first.touched] / (0.5 * 2))
    solver.step(1)
    assert solver.coef == pytest.approx(first.newest / 2)


@pytest.mark.parametrize(("shape", "lam"), [("noisy line", 0.01), ("line", 0.1), ("random", 0.05), ("circle", 1.0)])
def test_pegasos_comes_near_the_optimum_and_proves_how_near(shape: str, lam: float) -> None:
    X, y = points(shape, 120, 7)
    best = optimum(X, y, lam)
    solver = PegasosSolver(X, y, lam=lam, max_iter=400_000, tol=0.05)
    for steps in (10, 100, 1000, 10_000, 100_000, 10**6):
        solver.step(steps)
        certificate = solver.certificate()
        assert certificate.dual <= best * (1 + 1e-9) and certificate.primal >= best * (1 - 1e-9)
        assert certificate.primal == pytest.approx(primal(solver.coef, X, y, lam))
        assert certificate.gap == pytest.approx(1 - certificate.dual / certificate.primal)
        assert certificate.n_violating == (y * (X @ solver.coef) < 1).sum()
    assert solver.status is Status.OPTIMAL
    assert certificate.primal <= best * 1.002
    assert certificate.dual >= best * 0.96


def test_pegasos_has_no_intercept_on_purpose() -> None:
    # Both classes on one side of the origin: only an intercept could separate them.
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    model = PegasosClassifier(alpha=0.01).fit(X, y)
    assert model.intercept_ == 0.0
    assert len(set(model.predict(X))) == 1


def test_alpha_is_that_of_scikit_learn() -> None:
    X, y = points("noisy line", 200, 4)
    ours = PegasosClassifier(alpha=0.02, n_iter=300_000).fit(X, y).coef_[0]
    theirs = (
        SGDClassifier(alpha=0.02, fit_intercept=False, average=True, max_iter=3000, tol=None, random_state=0)
        .fit(X, y)
        .coef_[0]
    )
    assert primal(ours, X, y, 0.02) == pytest.approx(primal(theirs, X, y, 0.02), rel=5e-3)
    assert ours == pytest.approx(theirs, rel=0.05)


# -- sample weights ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weights_of_the_perceptron_are_those_of_scikit_learn(n_classes: int, fit_intercept: bool) -> None:
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(60, 2)), np.arange(60) % n_classes, rng.choice([0.0, 0.5, 1.0, 3.0], 60)
    common: dict[str, Any] = {"max_iter": 7, "shuffle": False, "fit_intercept": fit_intercept}
    ours = Perceptron(**common).fit(X, y, sample_weight=weights)
    theirs = linear_model.Perceptron(tol=None, **common).fit(X, y, sample_weight=weights)
    assert ours.coef_ == pytest.approx(theirs.coef_) and ours.intercept_ == pytest.approx(theirs.intercept_)
    assert ours.coef_ != pytest.approx(Perceptron(**common).fit(X, y).coef_)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_no_order_of_weighted_points_makes_more_mistakes_than_the_bound(seed: int, fit_intercept: bool) -> None:
    X, y = separable(seed, 60, 2, 0.05, 0.1 if fit_intercept else 0.0)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 3.0, 60)
    solver = PerceptronSolver(X, y, fit_intercept=fit_intercept, max_iter=10**4, sample_weight=weights)
    solver.run()
    bound = solver.certificate().mistake_bound
    z = (np.hstack([X, np.ones((60, 1))]) if fit_intercept else X) * weights[:, None]
    count = solver.snapshot().count
    assert (weights * count * y) @ X == pytest.approx(solver.coef)
    # Any separating direction bounds the mistakes by (R / its margin)^2; the largest margin gives the best bound.
    w = np.append(solver.coef, solver.intercept)[: z.shape[1]]
    margin = float((y * (z @ w)).min()) / np.linalg.norm(w)
    assert solver.status is Status.OPTIMAL and 0 < solver.n_iter <= bound
    assert bound <= solver.certificate(thorough=False).mistake_bound * (1 + 1e-9)
    assert solver.certificate(thorough=False).mistake_bound == pytest.approx(
        (np.linalg.norm(z, axis=1).max() / margin) ** 2
    )


def test_weights_of_pegasos_are_shares_of_the_mean_loss() -> None:
    X, y = points("noisy line", 60, 3)
    weights = np.random.default_rng(0).choice([1.0, 2.0, 5.0], 60)
    lam, repeated = 0.05, np.repeat(np.arange(60), weights.astype(int))
    best = optimum(X[repeated], y[repeated], lam)
    solver = PegasosSolver(X, y, lam=lam, max_iter=400_000, sample_weight=weights)
    for steps in (100, 10_000, 10**6):
        solver.step(steps)
        certificate = solver.certificate()
        assert certificate.primal == pytest.approx(primal(solver.coef, X[repeated], y[repeated], lam))
        assert certificate.dual <= best * (1 + 1e-9) and certificate.primal >= best * (1 - 1e-9)
    assert certificate.primal <= best * 1.002 and certificate.dual >= best * 0.96
    assert (solver.multipliers * y) @ X / lam == pytest.approx(solver.coef, rel=1e-9)


def test_a_weight_of_2_is_the_point_twice_for_pegasos() -> None:
    X, y = points("noisy line", 60, 3)
    weights, twice = np.where(np.arange(60) % 3, 1.0, 2.0), np.repeat(np.arange(60), np.where(np.arange(60) % 3, 1, 2))
    learner = PegasosClassifier(n_iter=5000)
    one = learner.fit(X, y, sample_weight=weights)
    two = PegasosClassifier(n_iter=5000).fit(X[twice], y[twice], sample_weight=np.ones(len(twice)))
    assert one.coef_ == pytest.approx(two.coef_, rel=1e-12)
    assert one.certificates_[0].primal == pytest.approx(two.certificates_[0].primal)


@pytest.mark.parametrize("learner", [Perceptron(max_iter=20), PegasosClassifier(n_iter=3000)])
def test_a_point_of_weight_0_is_left_out(learner: Any) -> None:
    X, y = separable(4, 90, 2, 0.05, 0.1)
    labels, kept = np.where(y > 0, "b", "a"), np.arange(90) % 4 != 0
    labels[~kept & (np.arange(90) % 8 == 0)] = "c"
    weights = np.where(kept, np.random.default_rng(1).uniform(0.5, 2.0, 90), 0.0)
    make = partial(type(learner), **learner.get_params())
    all_points, without = make().fit(X, labels, weights), make().fit(X[kept], labels[kept], weights[kept])
    assert all_points.classes_.tolist() == ["a", "b"]
    assert (all_points.coef_ == without.coef_).all() and (all_points.intercept_ == without.intercept_).all()
    with pytest.raises(ValueError, match="positive weights belong to the same class, a; a linear classifier needs"):
        make().fit(X, labels, labels == "a")
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        make().fit(X, labels, np.zeros(90))
    with pytest.raises(ValueError, match="sample_weight is -1 at point 3"):
        make().fit(X, labels, np.where(np.arange(90) == 3, -1.0, 1.0))
    with pytest.raises(ValueError, match="takes points of weights above 0 only"):
        type(make().prepare(X, labels).solvers[0])(X, y, sample_weight=weights)


# -- both --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [PerceptronSolver, PegasosSolver])
def test_the_same_however_it_is_cut(kind: Any) -> None:
    X, y = points("noisy circle", 60, 9)
    parameters = {"max_iter": 300, "random_state": 5}
    if kind is PerceptronSolver:
        parameters |= {"shuffle": True, "max_iter": 20}
    whole, halves, ones = (kind(X, y, **parameters) for _ in range(3))
    for _ in range(80):
        made = whole.step(10)
        assert made == halves.step(5) + halves.step(5) == sum(ones.step(1) for _ in range(10))
        one, two, three = (solver.snapshot() for solver in (whole, halves, ones))
        assert (one.coef == two.coef).all() and (one.coef == three.coef).all()
        assert (one.count == two.count).all() and one.touched == two.touched == three.touched
        assert whole.status is halves.status is ones.status
        if made == 10:
            assert whole.certificate() == halves.certificate() or np.isnan(whole.certificate().gap)
        else:
            assert whole.status is not Status.RUNNING
    assert whole.status is Status.STOPPED_EARLY and whole.step(5) == 0


@pytest.mark.parametrize("solver", [PerceptronSolver(*points("line", 9, 0)), PegasosSolver(*points("line", 9, 0))])
def test_snapshots_stay_as_they_are(solver: Any) -> None:
    solver.step(2)
    snapshot = solver.snapshot()
    before = snapshot.coef.copy(), snapshot.count.copy()
    solver.step(5)
    assert (snapshot.coef == before[0]).all() and (snapshot.count == before[1]).all()
    for array in (snapshot.coef, snapshot.count):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda X, y: PerceptronSolver(X, y, max_iter=0), "max_iter is 0; it must be a whole number of at least 1"),
        (lambda X, y: PerceptronSolver(X, y, random_state=-1), "random_state is -1; it must be a whole number"),
        (lambda X, y: PerceptronSolver(X, y[:5]), "y must hold -1 and \\+1, both present, one for each point"),
        (lambda X, y: PerceptronSolver(X, np.abs(y)), "y must hold -1 and \\+1, both present"),
        (lambda X, y: PerceptronSolver(X, 2 * y), "y must hold -1 and \\+1, both present"),
        (lambda X, y: PerceptronSolver(X * 1e145, y), "coordinates must lie in \\[-1e\\+140, 1e\\+140\\]"),
        (lambda X, y: PerceptronSolver(X * np.nan, y), "X holds a value that is not finite"),
        (lambda X, y: PegasosSolver(X[0], y), "X: Expected 2D array, got 1D array instead"),
        (lambda X, y: PegasosSolver(X[:0], y), "X has 0 "),
        (lambda X, y: PegasosSolver(X, y, lam=0.0), "lam is 0.0; it must be a number in \\[1e-50, 1e\\+50\\]"),
        (lambda X, y: PegasosSolver(X, y, max_iter=1.5), "max_iter is 1.5; it must be a whole number of at least 1"),
        (lambda X, y: PegasosSolver(X, y, tol=np.nan), "tol is nan; it must be a number in \\[0, inf\\)"),
        (lambda X, y: largest_margin(X, y, max_iter=0), "max_iter is 0"),
        (lambda X, y: largest_margin(X, y * 0), "y must hold -1 and \\+1"),
        (lambda X, y: Perceptron(max_iter="many").fit(X, y), "max_iter is 'many'; it must be a whole number"),
        (lambda X, y: Perceptron(random_state="x").fit(X, y), "random_state is 'x'; it must be a whole number"),
        (lambda X, y: Perceptron().fit(X, y * 0), "y holds one class only"),
        (lambda X, y: Perceptron().fit(X, y[:-1]), "y must have one label for each of the 20 points"),
        (lambda X, y: PegasosClassifier(alpha=-1).fit(X, y), "alpha is -1; it must be a number in \\[1e-50"),
        (lambda X, y: PegasosClassifier(n_iter=0).fit(X, y), "n_iter is 0; it must be a whole number of at least 1"),
        (lambda X, y: PegasosClassifier(tol=-1).fit(X, y), "tol is -1"),
        (lambda X, y: PegasosClassifier().fit(X * np.inf, y), "X holds a value that is not finite"),
        (lambda X, y: PegasosClassifier().fit(X, y).predict(X[:, :1]), "X has 1 features, but "),
        (lambda X, y: PegasosClassifier().fit(X, y).predict(X * np.nan), "X holds a value that is not finite"),
        (lambda X, y: Perceptron().predict(X), "This Perceptron is not fitted yet"),
        (lambda X, y: Perceptron().fit(X[:, :1], y).surface([0], [0]), "A surface needs a model of 2 features"),
    ],
)
def test_bad_input(make: Any, sentence: str) -> None:
    X, y = points("line", 20, 0)
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=sentence):
        make(X, y)
