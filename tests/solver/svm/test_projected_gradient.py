"""DualAscentSolver against an interior point method, SMO and LIBLINEAR; the projection; cutting; sentences."""

from __future__ import annotations

from itertools import count, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from solver import SVC, ConvergenceWarning, DualAscentSolver, DualAscentSVC, Kernel, SmoSolver, Status, project
from solver.svm.projection import best_scaled_primal
from tests.examples import examples
from tests.solver.svm_reference import Formula, Problem, dual_value, kkt_violation, points, problems, solve_dual

Array = NDArray[np.float64]
TOL = 1e-3
#: Gradient ascent needs at least 10^4 steps if K is badly conditioned and C large; those are SMO's problems.
PROBLEMS = problems(28, (2, 5, 20, 60, 120), (0.01, 0.1, 1.0, 5.0), first_seed=20)


def kernel_of(formula: Formula) -> Kernel:
    return Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)


# -- the projection ----------------------------------------------------------------------------------------------------


@examples(300)
@given(st.integers(1, 30), st.integers(0, 10**6), st.sampled_from([0.0, 1.0, 1e3, 1e9]), st.booleans())
def test_the_projection_is_the_nearest_feasible_point(n: int, seed: int, spread: float, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    sign, C = rng.choice([-1.0, 1.0], n), rng.choice([0.5, 1.0, 10.0], n)
    lo, hi = np.minimum(0.0, sign * C), np.maximum(0.0, sign * C)
    b = rng.normal(0.0, 1.0 + spread, n)
    if ties:
        b = np.round(b)
    beta = project(b, lo, hi)
    assert ((lo <= beta) & (beta <= hi)).all()
    assert abs(beta.sum()) <= 1e-12 * C.sum()
    # Nearest means: no pair (i up, j down) can be moved towards b, <b - beta, e_i - e_j> <= 0.
    pull = b - beta
    up, down = pull[beta < hi], pull[beta > lo]
    if len(up) and len(down):
        assert up.max() - down.min() <= 1e-12 * (1.0 + np.abs(b).max())


def test_the_projection_of_a_feasible_point_is_itself() -> None:
    lo, hi = np.array([0.0, 0.0, -2.0, -2.0]), np.array([1.0, 3.0, 0.0, 0.0])
    for b in ([1.0, 1.0, -2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.5, 0.25, -0.25, -0.5]):
        assert (project(np.array(b), lo, hi) == b).all()
    assert project(np.array([5.0, 5.0, -5.0, -5.0]), lo, hi) == pytest.approx([1.0, 3.0, -2.0, -2.0])


def test_the_best_scale_is_that_of_a_search() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        n = int(rng.integers(1, 12))
        C, margin = rng.uniform(0.1, 3.0, n), rng.normal(0.5, 1.0, n)
        norm = float(rng.choice([0.0, 0.3, 5.0, 1e4]))
        s = np.concatenate([[0.0], np.geomspace(1e-4, 1e5, 100_001), 1 / margin[margin > 0]])
        turning = 0.5 * norm * s * s + sum(c * np.maximum(0.0, 1.0 - s * m) for c, m in zip(C, margin, strict=True))
        assert best_scaled_primal(C, margin, norm) == pytest.approx(turning.min(), rel=1e-5)


# -- with an intercept -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_optimal(problem: Problem) -> None:
    X, y = problem.data
    K = problem.formula(X, X)
    reference = solve_dual(K, y, problem.C)
    solver = DualAscentSolver(X, y, kernel_of(problem.formula), C=problem.C, tol=TOL)
    assert solver.run() is Status.OPTIMAL
    alpha = solver.alpha
    assert ((alpha >= 0) & (alpha <= problem.C)).all()
    assert abs(y @ alpha) <= 1e-13 * max(1.0, alpha.sum())
    assert kkt_violation(K, y, problem.C, alpha) <= TOL * (1 + 1e-6)
    dual = dual_value(K, y, alpha)
    assert dual == pytest.approx(reference.dual, rel=1e-4)
    certificate = solver.certificate()
    assert certificate.dual == pytest.approx(dual, rel=1e-9)
    assert certificate.primal >= reference.dual * (1 - 1e-9)
    assert certificate.kkt_violation == pytest.approx(kkt_violation(K, y, problem.C, alpha), abs=1e-9)
    assert certificate.n_bounded == (alpha == problem.C).sum()
    assert certificate.n_free == ((alpha > 0) & (alpha < problem.C)).sum()
    v = y - problem.formula(X - solver.centre, X - solver.centre) @ (y * alpha)
    free = (alpha > 0) & (alpha < problem.C)
    if free.any():
        assert solver.intercept == pytest.approx(v[free].mean(), abs=1e-9)


@pytest.mark.parametrize("step_size", ["constant", "barzilai-borwein"])
def test_the_dual_never_falls_and_the_gap_is_always_valid(step_size: str) -> None:
    for problem in PROBLEMS[2:12:3]:
        X, y = problem.data
        K = problem.formula(X, X)
        best = solve_dual(K, y, problem.C).dual
        solver = DualAscentSolver(X, y, kernel_of(problem.formula), C=problem.C, step_size=step_size)
        before = 0.0
        for _ in range(100):
            if not solver.step(1):
                break
            certificate = solver.certificate()
            assert certificate.dual >= before - 1e-12 * abs(before)
            assert certificate.dual <= best * (1 + 1e-9) <= certificate.primal * (1 + 2e-9)
            before = certificate.dual


def test_the_constant_step_is_the_textbook_ascent() -> None:
    X, y = points("noisy circle", 25, 3)
    K = Formula("rbf", 2.0)(X, X)
    length = 1.0 / np.abs(K).sum(axis=1).max()
    assert length <= 1.0 / np.linalg.eigvalsh(K).max()
    solver = DualAscentSolver(X, y, Kernel("rbf", 2.0), C=0.8, fit_intercept=False, step_size="constant")
    alpha = np.zeros(25)
    for _ in range(40):
        alpha = np.clip(alpha + length * (1.0 - y * (K @ (y * alpha))), 0.0, 0.8)
        solver.step(1)
        assert solver.alpha == pytest.approx(alpha, abs=1e-13)
    assert solver.n_iter == 40
    solver.run()
    assert solver.status is Status.OPTIMAL


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rbf", "linear", "laplacian", "poly"])
def test_the_same_optimum_as_smo(name: str) -> None:
    X, y = points("noisy line", 150, 6)
    kernel = Kernel(name, 1.0, 1.0, 2)
    ours = DualAscentSolver(X + 5.0 * (name == "linear"), y, kernel, C=2.0, tol=1e-5)
    theirs = SmoSolver(X + 5.0 * (name == "linear"), y, kernel, C=2.0, tol=1e-5)
    assert ours.run() is theirs.run() is Status.OPTIMAL
    assert ours.dual == pytest.approx(theirs.dual, rel=1e-7)
    assert ours.intercept == pytest.approx(theirs.intercept, abs=1e-4)
    assert ours.y - ours.v == pytest.approx(theirs.y - theirs.v, abs=1e-3)


def test_each_point_may_have_its_own_price() -> None:
    X, y = points("noisy line", 15, 8)
    times = np.arange(15) % 3 + 1
    for fit_intercept in (True, False):
        weighted = DualAscentSolver(X, y, Kernel("rbf", 2.0), C=0.5 * times, tol=1e-7, fit_intercept=fit_intercept)
        copied = DualAscentSolver(
            np.repeat(X, times, 0),
            np.repeat(y, times),
            Kernel("rbf", 2.0),
            C=0.5,
            tol=1e-7,
            fit_intercept=fit_intercept,
        )
        assert weighted.run() is copied.run() is Status.OPTIMAL
        assert weighted.dual == pytest.approx(copied.dual, rel=1e-7)


# -- without an intercept ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "C"), list(product(["noisy line", "random", "line"], [0.01, 1.0, 10.0])))
def test_without_intercept_as_liblinear(shape: str, C: float) -> None:
    X, y = points(shape, 80, 2)
    X = X + 0.3
    model = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-10, max_iter=10**7, dual=True, random_state=0).fit(
        X, y
    )
    w = model.coef_[0]
    best = 0.5 * w @ w + C * np.maximum(0.0, 1.0 - y * (X @ w)).sum()
    solver = DualAscentSolver(X, y, Kernel("linear"), C=C, fit_intercept=False, tol=1e-6)
    assert solver.run() is Status.OPTIMAL
    assert (solver.centre == 0).all() and solver.intercept == 0.0
    certificate = solver.certificate()
    assert certificate.dual == pytest.approx(best, rel=1e-5)
    assert certificate.dual <= best * (1 + 1e-9) and certificate.primal >= certificate.dual
    assert certificate.gap < 1e-5
    assert (y * solver.alpha) @ X == pytest.approx(w, abs=1e-3)


@pytest.mark.parametrize("formula", [Formula("rbf", 3.0), Formula("poly", 1.0, 1.0, 2), Formula("laplacian", 1.0)])
def test_without_intercept_as_a_general_solver(formula: Formula) -> None:
    X, y = points("noisy circle", 30, 5)
    K = formula(X, X)
    Q = np.outer(y, y) * K
    best = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(30),
        jac=lambda a: Q @ a - 1.0,
        bounds=[(0.0, 1.5)] * 30,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )
    solver = DualAscentSolver(X, y, kernel_of(formula), C=1.5, fit_intercept=False, tol=1e-5)
    assert solver.run() is Status.OPTIMAL
    assert solver.dual == pytest.approx(-best.fun, rel=1e-8)
    # The conditions of the box, from their definition.
    gradient = 1.0 - Q @ solver.alpha
    worst = max(gradient[solver.alpha < 1.5].max(), -gradient[solver.alpha > 0].min(), 0.0)
    assert solver.kkt_violation == pytest.approx(worst, abs=1e-12) and worst <= 1e-5
    assert abs(y @ solver.alpha) > 1e-3  # no equality constraint


# -- ends, and cutting
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache_size", [0.0, 200.0])
def test_the_same_however_it_is_cut(cache_size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.svm.projected_gradient.PIECE", 2000)  # a step of 90 points then takes many
    X, y = points("noisy circle", 90, 9)
    whole, halves, ones = (DualAscentSolver(X, y, Kernel("rbf", 5.0), C=1.0, cache_size=cache_size) for _ in range(3))
    while whole.status is Status.RUNNING:
        made = whole.step(10)
        assert made == halves.step(5) + halves.step(5) == sum(ones.step(1) for _ in range(10))
        for other in (halves, ones):
            assert (whole.alpha == other.alpha).all() and (whole.v == other.v).all()
            assert whole.n_iter == other.n_iter and whole.status is other.status
    assert whole.status is Status.OPTIMAL and made < 10 and whole.step(3) == 0
    monkeypatch.undo()
    at_once = DualAscentSolver(X, y, Kernel("rbf", 5.0), C=1.0)
    steps = 0
    while at_once.step(1):
        steps += 1
        assert at_once.n_iter == steps  # a piece is a gradient step
    assert at_once.dual == pytest.approx(whole.dual, rel=1e-6)


def test_a_snapshot_has_the_moved_points() -> None:
    X, y = points("noisy circle", 40, 1)
    solver = DualAscentSolver(X, y, Kernel("rbf", 5.0))
    assert not solver.snapshot().moved.any()
    for _ in range(5):
        before = solver.snapshot()
        solver.step()
        after = solver.snapshot()
        assert (after.moved == (before.alpha != after.alpha)).all() and after.moved.any()
        assert after.step_size > 0
    with pytest.raises(ValueError, match="read-only"):
        after.alpha[0] = 1.0


def test_honest_endings() -> None:
    X, y = points("random", 40, 4)
    solver = DualAscentSolver(X, y, Kernel("rbf", 1.0), C=100.0, max_iter=3)
    assert solver.run() is Status.STOPPED_EARLY and solver.n_iter == 3
    indefinite = DualAscentSolver(X, y, Kernel("sigmoid", 2.0, -0.5), C=1.0)
    assert indefinite.run() is Status.STATIONARY
    assert np.isinf(indefinite.certificate().primal)
    fine = DualAscentSolver(X, y, Kernel("rbf", 1.0), C=1.0, tol=1e-300)
    assert fine.run() in (Status.PRECISION, Status.STOPPED_EARLY)
    assert fine.kkt_violation < 1e-6
    for scale in (1e-60, 1e60):
        X, y = points("noisy line", 30, 1)
        assert DualAscentSolver(scale * X, y, Kernel("linear"), C=scale**-2 if scale > 1 else 1.0).run() in (
            Status.OPTIMAL,
            Status.STOPPED_EARLY,
            Status.PRECISION,
        )
    same = DualAscentSolver(np.zeros((4, 2)), [1.0, -1.0, 1.0, -1.0], Kernel("linear"))
    assert same.run() is Status.OPTIMAL and same.dual == 4.0


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_estimator_as_svc(kernel: str, n_classes: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2)) + 3.0
    y = np.array(list("dbca"))[np.digitize(X[:, 0] + 0.2 * rng.normal(size=80), [3.0, 3.7, 4.5][: n_classes - 1])]
    ours = DualAscentSVC(kernel=kernel, gamma=1.0, tol=1e-5).fit(X, y)
    theirs = SVC(kernel=kernel, gamma=1.0, tol=1e-6).fit(X, y)
    Q = rng.normal(size=(40, 2)) + 3.0
    assert ours.fit_status_ == 0
    assert ours.pair_decision_function(Q) == pytest.approx(theirs.pair_decision_function(Q), abs=2e-3)
    assert ours.decision_function(Q) == pytest.approx(theirs.decision_function(Q), abs=2e-3)
    assert (ours.classes_ == theirs.classes_).all() and ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.03)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=5e-3)
    assert (np.sort(y[ours.support_]) == np.repeat(ours.classes_, ours.n_support_)).all()
    assert (X[ours.support_] == ours.support_vectors_).all()
    assert ours.dual_coef_.sum(axis=1) == pytest.approx(0.0, abs=1e-9)
    xs, ys = np.linspace(2, 4, 5), np.linspace(2, 4, 3)
    grid = np.array([[[x, y] for x in xs] for y in ys]).reshape(-1, 2)
    assert ours.surface(xs, ys).reshape(15, -1) == pytest.approx(ours.decision_function(grid).reshape(15, -1), abs=1e-9)
    if kernel == "linear":
        assert ours.coef_ == pytest.approx(theirs.coef_, abs=5e-3)
        assert (Q @ ours.coef_.T + ours.intercept_) == pytest.approx(ours.pair_decision_function(Q))
    else:
        with pytest.raises(AttributeError, match="linear kernel"):
            _ = ours.coef_


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": np.inf}, "C is inf; it must be above 0 and at most 1e\\+50"),
        ({"C": 0.0}, "C is 0; it must be above 0"),
        ({"C": np.nan}, "C is nan; it must be above 0"),
        ({"C": [1.0, 2.0]}, "C has shape \\(2,\\); it must be one number, or one for each of 20 points"),
        ({"tol": 0.0}, "tol is 0.0; it must be a number in \\(0, inf\\)"),
        ({"max_iter": -2}, "max_iter is -2; it must be a whole number of at least -1"),
        ({"step_size": "long"}, "step_size is 'long'; it must be one of 'barzilai-borwein', 'constant'"),
        ({"cache_size": -1}, "cache_size is -1; it must be a number in \\[0, inf\\)"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    X, y = points("line", 20, 0)
    with pytest.raises(ValueError, match=sentence):
        DualAscentSolver(X, y, Kernel("rbf"), **parameters)
    if "cache_size" not in parameters and parameters.get("C") != [1.0, 2.0]:
        with pytest.raises(ValueError, match=sentence.split(";")[0]):
            DualAscentSVC(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda X, y: (X * np.nan, y), "not finite"),
        (lambda X, y: (X[:0], y), "X has 0 "),
        (lambda X, y: (X[0], y), "X: Expected 2D array, got 1D array instead"),
        (lambda X, y: (X * 1e80, y), "coordinates must lie in"),
        (lambda X, y: (X, y[:3]), "y must h"),
        (lambda X, y: (X, np.ones(20)), "y must hold -1 and|y holds one class only"),
        (lambda X, y: (X, y * np.nan), "y "),
    ],
)
def test_bad_data(change: Any, sentence: str) -> None:
    X, y = change(*points("line", 20, 0))
    with pytest.raises(ValueError, match=sentence):
        DualAscentSolver(X, y, Kernel("rbf"))
    with pytest.raises(ValueError, match=sentence):
        DualAscentSVC().fit(X, y)


def test_the_limit_of_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that advances by one second whenever it is read, as a solver does after each step."""
    seconds = count()
    monkeypatch.setattr("solver.core.binary_reduction.time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    whole = DualAscentSVC(gamma=1.0).fit(X, y)
    assert whole.fit_status_ == 0 and whole.n_iter_.min() > 20
    with pytest.warns(ConvergenceWarning, match="max_time=10 s"):
        late = DualAscentSVC(gamma=1.0, max_time=10.0).fit(X, y)
    assert late.fit_status_ == 1 and 1 < late.n_iter_.sum() < 20
    for ended, best in zip(late.certificates_, whole.certificates_, strict=True):
        assert ended.status is Status.STOPPED_EARLY and ended.dual < best.primal and best.dual < ended.primal
    same = DualAscentSVC(gamma=1.0, max_time=1e9).fit(X, y)
    assert (same.dual_coef_ == whole.dual_coef_).all()
