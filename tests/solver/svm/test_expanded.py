"""Sums by expansion, Newton's method, and starts from some of the points: against dense sums and a dense QP."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solver.core.certificate import EPS, Status
from solver.data.datasets import generate
from solver.kernels.plane_sums import plane_sums
from solver.kernels.table import Kernel
from solver.svm import auto, shrinking, smo
from solver.svm.auto import AutoSolver, some_of
from solver.svm.newton import Projection, ramped
from solver.svm.projection import project
from solver.svm.smo import SmoSolver
from solver.svm.svc import SVC
from tests.solver.inside import check_cuts, finish
from tests.solver.svm_reference import Formula, dual_value, kkt_violation, points, primal_value, solve_dual

Array = NDArray[np.float64]
FORMULAS = (Formula("linear"), Formula("poly", 1.0, 1.0, 3), Formula("rbf", 1.0), Formula("rbf", 30.0))


def kernel_of(formula: Formula) -> Kernel:
    return Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)


def moons(n: int, noise: float = 0.3) -> tuple[Array, Array]:
    X, labels = generate("moons", n // 2, noise=noise, seed=1)
    return X, np.where(labels > 0, 1.0, -1.0)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a start from some of the points also for few points, and expansions at any cost."""
    early = {
        "FREE": 1.0,
        "EXPANDED": 20,
        "LINEAR": 20,
        "FEWEST": 5,
        "SHARE_OF_POINTS": 0.25,
        "NEWTON": 20,
        "PER_FEATURE": 4,
    }
    for name, value in early.items():
        monkeypatch.setattr(auto, name, value)
    monkeypatch.setattr(shrinking, "ROW_COST", 10**6)


# -- the expansion -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0.0, 1e-3, 1.0, 30.0])
@pytest.mark.parametrize("accuracy", [1e-3, 1e-6, 1e-14])
def test_the_error_of_the_expansion_is_bounded(gamma: float, accuracy: float) -> None:
    X = np.random.default_rng(0).uniform(-1.0, 2.0, (80, 2)) * [1.0, 0.3] + [3.0, 0.0]
    X[:4] = [[2.0, -0.3], [2.0, 0.6], [5.0, -0.3], [5.0, 0.6]]  # corners: the interval is used to its ends
    plane = plane_sums(Kernel("rbf", gamma), X.T.copy(), accuracy)
    assert plane is not None and plane.error <= accuracy
    rebuilt = np.array([plane.all_at_once(X.T.copy(), e, X.T.copy()) for e in np.eye(len(X))])
    error = np.abs(rebuilt - Formula("rbf", gamma)(X, X)).max()
    assert error <= plane.error + EPS * plane.rounding
    assert gamma == 0.0 or accuracy < 1e-6 or error > 1e-4 * plane.error, "a bound, and no empty one"


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.name}{f.gamma:g}")
def test_sums_and_features_are_those_of_the_kernel(formula: Formula) -> None:
    X, _ = moons(300)
    rng = np.random.default_rng(0)
    weights, queries = rng.normal(size=300) * (rng.random(300) < 0.5), X[::7]
    plane = plane_sums(kernel_of(formula), X.T.copy())
    assert plane is not None
    found = plane.all_at_once(X.T.copy(), weights, queries.T.copy())
    assert np.abs(found - formula(queries, X) @ weights).max() <= plane.uncertainty(weights)
    phi = plane.features(1e-12)
    Z, K = list(phi.pieces(X.T.copy()))[-1], formula(X, X)
    np.testing.assert_allclose(Z @ Z.T, K, atol=1e-8 * np.abs(K).max())
    *_, M = plane.moments(X.T.copy(), weights)
    np.testing.assert_allclose(phi.sum(M), Z.T @ weights, atol=1e-9 * np.abs(K).max())


def test_no_expansion_where_it_would_be_long_or_impossible() -> None:
    X, _ = moons(300)
    for kernel in (Kernel("rbf", 1e4), Kernel("laplacian"), Kernel("sigmoid"), Kernel("poly", 1.0, 1.0, 9)):
        assert plane_sums(kernel, X.T.copy()) is None
    assert plane_sums(Kernel("rbf", 1e300), 1e70 * X.T) is None
    assert plane_sums(Kernel("rbf"), X.T[:1].copy()) is None
    one = plane_sums(Kernel("rbf"), np.full((2, 5), 3.0))
    assert one is not None
    np.testing.assert_allclose(one.all_at_once(np.full((2, 5), 3.0), np.ones(5), np.full((2, 5), 3.0)), 5.0)


# -- Newton's method ---------------------------------------------------------------------------------------------------


def test_the_projection_is_the_exact_one() -> None:
    rng = np.random.default_rng(0)
    for trial in range(200):
        n = int(rng.integers(2, 30))
        lo, hi = -rng.uniform(0.0, 1.0, n), rng.uniform(0.0, 1.0, n)
        p = rng.normal(size=n) * 10.0 ** rng.uniform(-2.0, 4.0)
        found = Projection(lo, hi, 0.0, float(rng.normal()) * 10.0**trial if trial % 20 == 0 else 0.0)(p)
        np.testing.assert_allclose(found, project(p, lo, hi), atol=1e-9)


@pytest.mark.parametrize("case", ["all", "bounded"])
def test_a_narrow_ramp_is_the_optimum(case: str) -> None:
    """Also if no multiplier is free at the start, so that only the exact intercept keeps it going."""
    X, y = points("noisy circle", 80, 3)
    K = Formula("rbf", 1.0)(X, X)
    plane = plane_sums(Kernel("rbf", 1.0), X.T.copy())
    assert plane is not None
    Z = list(plane.features(1e-10).pieces(X.T.copy()))[-1]
    lo, hi = np.where(y > 0, 0.0, -10.0), np.where(y > 0, 10.0, 0.0)
    beta = np.zeros(80)
    centre = 0.5 * (lo + hi) if case == "all" else beta
    for width in (1.0, 0.1, 0.01, 0.001, 1e-4):
        beta = finish(ramped(Z, y - K @ beta, lo, hi, beta, centre, np.zeros(Z.shape[1]), 10.0 / width, 1e-7))
        assert ((lo <= beta) & (beta <= hi)).all() and abs(beta.sum()) < 1e-9
        centre = beta
    exact = solve_dual(K, y, 10.0)
    assert dual_value(K, y, y * beta) == pytest.approx(0.5 * (exact.dual + exact.primal), rel=1e-6)
    assert kkt_violation(K, y, 10.0, np.where(np.abs(y * beta - 10.0) < 1e-12, 10.0, y * beta)) < 1e-3


# -- the start ---------------------------------------------------------------------------------------------------------


def test_some_of_the_points_stand_for_all() -> None:
    y = np.where(np.arange(5000) < 4600, 1.0, -1.0)
    index, factor = some_of(y, 0.1)
    assert (np.diff(index) > 0).all()
    for sign in (1.0, -1.0):
        chosen = y[index] == sign
        assert factor[chosen].sum() == pytest.approx((y == sign).sum())
        assert max(np.diff(index[chosen])) <= 20, "evenly in their order"


def check(solver: AutoSolver, formula: Formula, X: Array, y: Array) -> None:
    """Check the certificate from its definition, by dense sums."""
    K, alpha, C = formula(X, X), solver.alpha, float(solver.C[0])
    if formula.name == "linear":
        K = formula(X - solver.centre, X - solver.centre)
    assert ((alpha >= 0) & (alpha <= solver.C)).all() and abs(y @ alpha) <= 1e-9 * alpha.sum()
    proof = solver.certificate()
    exact = dual_value(K, y, alpha)
    noise = 100 * EPS * float((np.abs(K) @ alpha).max()) * float(alpha.sum())
    assert exact >= proof.dual - noise and abs(exact - proof.dual) <= noise + 1e-7 * exact + proof.kernel_error * float(
        alpha.sum()
    )
    assert proof.primal >= exact - noise
    violation = kkt_violation(K, y, C, alpha) if (solver.C == C).all() else proof.kkt_violation
    assert abs(violation - proof.kkt_violation) <= 2 * proof.kernel_error + 1e-7 * (1 + C)
    if proof.status is Status.OPTIMAL:
        assert violation <= 1e-3 + 2 * proof.kernel_error + 1e-9 * (1 + C)
    if (solver.C == C).all():
        assert primal_value(K, y, C, alpha) >= proof.dual - noise


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.name}{f.gamma:g}")
@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_the_same_certified_optimum(formula: Formula, C: float, eager: None) -> None:
    X, y = moons(600)
    quick, slow = (kind(X, y, kernel_of(formula), C=C) for kind in (AutoSolver, SmoSolver))
    assert quick.run() is Status.OPTIMAL
    slow.max_iter = 400_000
    slow.run()
    assert formula.gamma > 1.0 or (quick.n_short_cuts > 0 and quick.n_iter < slow.n_iter)
    assert quick.dual >= slow.dual * (1 - 1e-4)
    check(quick, formula, X, y)


def test_the_error_of_the_expansion_is_in_the_certificate(eager: None) -> None:
    X, y = moons(600)
    solver = AutoSolver(X, y, Kernel("rbf", 1.0))
    solver.run()
    with_room, without = solver.certificate(), replace(solver._evidence(), errors=np.zeros(600)).certificate()
    assert with_room.kernel_error > 0.0
    assert with_room.dual < without.dual and with_room.primal > without.primal and with_room.gap > without.gap
    size = float(solver.alpha.sum())
    assert without.dual - with_room.dual == pytest.approx(0.5 * with_room.kernel_error * size, rel=0.1)
    fine = AutoSolver(X, y, Kernel("rbf", 1.0), tol=1e-10)  # tol is near the error, so kernel values are used
    fine.run()
    assert fine.error == 0.0 and fine.kkt_violation <= 1e-10


def unsuitable(trial: int) -> tuple[Array, Array, Kernel, Any]:
    """Return unsuitable problems: rank too high, duplicates, one point of a class, distant points, very different C, or
    plainly separable.
    """
    rng = np.random.default_rng(trial)
    n, kind = int(rng.integers(70, 160)), trial % 6
    X, C, gamma = rng.normal(size=(n, 2)), 10.0 ** rng.uniform(-1.0, 2.0), 10.0 ** rng.uniform(-2.0, 2.0)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    if kind == 0:
        gamma = 1e4
    elif kind == 1:
        X = X[rng.integers(0, 15, n)]
    elif kind == 2:
        y = np.where(np.arange(n) == 3, 1.0, -1.0)
    elif kind == 3:
        X = 1e3 * X + 1e6
    elif kind == 4:
        C = C * 10.0 ** rng.uniform(-2.0, 2.0, n)
    else:
        y = np.where(X[:, 0] > 0, 1.0, -1.0)
    y[0], y[1] = 1.0, -1.0
    return X, y, Kernel("rbf", gamma), C


@pytest.mark.parametrize("trials", [range(30), pytest.param(range(30, 200), marks=pytest.mark.soak)])
def test_where_it_is_unsuitable_the_answer_is_certified_all_the_same(trials: range, eager: None) -> None:
    for trial in trials:
        X, y, kernel, C = unsuitable(trial)
        solver = AutoSolver(X, y, kernel, C=C)
        assert solver.run() is Status.OPTIMAL, trial
        check(solver, Formula("rbf", kernel.gamma), X, y)


def test_cuts_change_nothing(eager: None) -> None:
    X, y = moons(500)
    whole, *_ = check_cuts(lambda: AutoSolver(X, y, Kernel("rbf", 0.5), C=30.0), lambda: 7)
    assert whole.n_short_cuts > 0


def test_classes_and_weights(eager: None) -> None:
    X, labels = generate("blobs", 150, noise=0.6, seed=2)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    parameters: dict[str, Any] = {"C": 10.0, "gamma": 1.0, "class_weight": {0: 3.0, 1: 1.0, 2: 0.5}}
    quick, slow = (SVC(solver=s, **parameters).fit(X, labels, weights) for s in ("auto", "smo"))
    assert quick.fit_status_ == 0 and quick.certificate_.kernel_error > 0
    for mine, other in zip(quick.certificates_, slow.certificates_, strict=True):
        assert mine.dual == pytest.approx(other.dual, rel=1e-4)
    grid = np.random.default_rng(1).uniform(-2.0, 2.0, (300, 2))
    np.testing.assert_allclose(quick.pair_decision_function(grid), slow.pair_decision_function(grid), atol=2e-2)


# -- a limit of time ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gamma", "C", "words"),
    [(1.0, 1.0, "s; the gap is"), (1.0, 1000.0, "s; the gap is"), (1e4, 1.0, "There is no short cut")],
)
def test_at_the_limit_of_time_the_best_answer_is_certified(gamma: float, C: float, words: str) -> None:
    X, y = moons(5000)
    with pytest.warns(UserWarning, match=words):
        model = SVC(C, gamma=gamma, solver="auto", max_time=1e-9).fit(X, y)
    assert model.fit_status_ == 1 and model.certificate_.status is Status.STOPPED_EARLY
    K, alpha = Formula("rbf", gamma)(X[model.support_], X[model.support_]), model.dual_coef_[0]
    exact = float(np.abs(alpha).sum() - 0.5 * alpha @ K @ alpha)
    assert exact == pytest.approx(model.certificate_.dual, rel=1e-6, abs=1e-9)
    best = SVC(C, gamma=gamma, solver="auto").fit(X, y).certificate_ if gamma == 1.0 else None
    assert best is None or model.certificate_.dual <= best.dual <= best.primal <= model.certificate_.primal
    with pytest.raises(ValueError, match="max_time is 0"):
        SVC(max_time=0).fit(X, y)


# -- many points -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [5000, pytest.param(20_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("formula", [Formula("rbf", 1.0), Formula("linear")], ids=lambda f: f.name)
def test_the_certificate_of_many_points(n: int, formula: Formula) -> None:
    """v of all points (of 5000) or of a thousand, from kernel values."""
    X, y = moons(n)
    solver = AutoSolver(X, y, kernel_of(formula))
    assert solver.run() is Status.OPTIMAL
    some = np.random.default_rng(0).choice(n, 1000, replace=False)
    shifted = X - solver.centre
    v = y[some] - np.concatenate([formula(part, shifted) @ solver.beta for part in np.split(shifted[some], 100)])
    error = solver.certificate().kernel_error
    np.testing.assert_allclose(solver.v[some], v, atol=error + 1e-9)
    m, M = solver.bounds
    assert m - M <= 1e-3 and (n > 5000 or formula.name == "rbf" or solver.n_short_cuts > 0)


# -- starts of SMO -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formula", FORMULAS[:3], ids=str)
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
def test_smo_starts_from_v_by_expansion_and_proves_its_end_by_rows(
    formula: Formula, tol: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The start equals that of the kernel's rows up to rounding, and so do the steps; the end is the same,
    bit by bit.
    """
    X, y = moons(600)
    kernel, centre = kernel_of(formula), X.mean(axis=0) if formula.name == "linear" else np.zeros(2)
    K = formula(X - centre, X - centre)
    before = SmoSolver(X[:-1], y[:-1], kernel, C=3.0, tol=tol)
    before.run()
    alpha = np.append(before.alpha, 0.0)
    rows = SmoSolver(X, y, kernel, C=3.0, tol=tol, alpha=alpha, shrinking=False)
    monkeypatch.setattr(smo, "MANY_ENTRIES", 1)
    monkeypatch.setattr(smo, "ROW_COST", 10**6)
    expanded = SmoSolver(X, y, kernel, C=3.0, tol=tol, alpha=alpha, shrinking=False)
    used = not np.array_equal(expanded.v, rows.v)
    assert used or tol < 1e-6, "the tolerance leaves room for the error of the expansion, or it is not used"
    assert np.abs(expanded.v - (y - K @ expanded.beta)).max() <= 1e-12 * (1.0 + np.abs(K) @ expanded.alpha).max()
    for _ in range(5):
        for each in (rows, expanded):
            each.step(1)
        assert rows.working_set == expanded.working_set
    for each in (rows, expanded):
        assert each.run() is Status.OPTIMAL
    assert np.abs(rows.alpha - expanded.alpha).max() <= 1e-8 * 3.0 or tol > 1e-6
    monkeypatch.setattr(smo, "MANY_ENTRIES", 1 << 60)
    exact = SmoSolver(X, y, kernel, C=3.0, tol=tol, alpha=expanded.alpha, shrinking=False)
    assert np.array_equal(exact.v, expanded.v), "v in the end is that of its definition, row by row"
    assert expanded._active.error == 0.0


def test_what_is_optimal_from_the_start_is_proved_by_rows_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = moons(600)
    alpha = SmoSolver(X, y, Kernel("rbf"), tol=1e-5)
    alpha.run()
    monkeypatch.setattr(smo, "MANY_ENTRIES", 1)
    monkeypatch.setattr(smo, "ROW_COST", 10**6)
    again = SmoSolver(X, y, Kernel("rbf"), tol=1e-3, alpha=alpha.alpha, shrinking=False)
    by_expansion = again.v.copy()
    again.step(1, lambda: True)
    assert again.status is Status.RUNNING and again.pending
    assert again.run() is Status.OPTIMAL and again.n_iter == 0
    assert not np.array_equal(again.v, by_expansion)
