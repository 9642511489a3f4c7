"""SmoSolver against LIBSVM, against a dense interior point method, against its own rules, and at the extremes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize_scalar
from sklearn import svm

from solver.core.certificate import Status, best_primal
from solver.data.datasets import generate
from solver.kernels.table import Kernel
from solver.online.lasvm import LasvmSolver
from solver.svm import shrinking, smo
from solver.svm.projected_gradient import DualAscentSolver
from solver.svm.projection import feasible
from solver.svm.smo import SmoSolver
from solver.svm.working_set_rules import RULES
from tests.covering import pairwise_params
from tests.examples import examples
from tests.solver.inside import active_of, reached
from tests.solver.svm_reference import (
    Formula,
    Problem,
    dual_value,
    hull_distance,
    kkt_violation,
    points,
    problems,
    resolution,
    solve_dual,
)
from tests.without_compiler import machine_code

Array = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)
TOL = 1e-3
SIZES = (2, 3, 5, 10, 20, 40, 80, 150, 300)
PRICES = (1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3, 1e4)
#: A KKT violation of 1e-3 does not guarantee 1e-4 of the optimum.  Of 1500 problems like these with n <= 80 and C <=
#: 10, LIBSVM missed it on 2, second-order on 1, the others on 3 to 7 (by at most 4e-4, each with C = 0.01 and n < 10).
#: None of them is in these lists.
PROBLEMS = [
    # Seed 1044 (linear, n = 300, C = 1e4, far from separable) alone takes 10^7 first-order steps.
    problem
    for problem in problems(67, SIZES, PRICES, first_seed=1000)
    if problem.seed != 1044
]
SMALL_PROBLEMS = problems(24, (3, 10, 30, 60, 100), (1e-2, 1e-1, 1.0, 10.0), first_seed=900)
RULE_NAMES = tuple(RULES)


def kernel_of(formula: Formula) -> Kernel:
    return Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)


def libsvm_dual(K: Array, y: Array, C: float) -> float:
    model = svm.SVC(C=C, kernel="precomputed", tol=TOL, cache_size=100).fit(K, y)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return dual_value(K, y, alpha)


def check_optimal(
    problem: Problem, rules: tuple[str, ...], near: float = 1e-4, may_stop: bool = False, **parameters: Any
) -> None:
    """Check that everything the solver claims of `problem` holds, with numbers computed outside the solver."""
    X, y = problem.data
    C = problem.C
    K = problem.formula(X, X)
    reference = solve_dual(K, y, C)
    assert reference.primal - reference.dual <= 1e-6 * reference.primal, "the reference is not good enough"
    theirs = libsvm_dual(K, y, C)
    for rule in rules:
        solver = SmoSolver(X, y, kernel_of(problem.formula), C=C, tol=TOL, selection=rule, **parameters)
        finished = solver.run() is Status.OPTIMAL
        assert finished or (may_stop and solver.status is Status.STOPPED_EARLY), rule
        alpha = solver.alpha
        dual = dual_value(K, y, alpha)
        assert dual >= theirs - near * abs(theirs), rule
        assert dual == pytest.approx(reference.dual, rel=near), rule
        assert ((alpha >= 0) & (alpha <= C)).all()
        assert abs(y @ alpha) <= 1e-10 * alpha.sum()
        noise = EPS * resolution(K, alpha)
        assert not finished or kkt_violation(K, y, C, alpha) <= max(TOL * (1 + 1e-9), 100 * noise)
        certificate = solver.certificate()
        assert certificate.dual == pytest.approx(dual, rel=1e-8, abs=noise * alpha.sum())
        assert certificate.primal >= reference.dual * (1 - 1e-9)
        assert certificate.gap >= (reference.dual - dual) / reference.dual - 1e-9
        assert certificate.kkt_violation == pytest.approx(kkt_violation(K, y, C, alpha), abs=1000 * noise)
        assert certificate.n_bounded == (alpha == C).sum()
        assert certificate.n_free == ((alpha > 0) & (alpha < C)).sum()
        check_intercept(solver, problem.formula(X - solver.centre, X - solver.centre), y, C)


def check_intercept(solver: SmoSolver, K: Array, y: Array, C: float) -> None:
    """Check the mean of y - K beta over free support vectors; without any, the middle of the interval that KKT allows.

    `K` is the kernel matrix of the points as the solver shifts them.
    """
    alpha = solver.alpha
    v = y - K @ (y * alpha)
    free = (alpha > 0) & (alpha < C)
    if free.any():
        expected = v[free].mean()
    else:
        up = np.where(y > 0, alpha < C, alpha > 0)
        low = np.where(y > 0, alpha > 0, alpha < C)
        expected = (v[up].max() + v[low].min()) / 2
    assert solver.intercept == pytest.approx(expected, abs=1e-9 + 100 * EPS * resolution(K, alpha))


# -- optimality --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_optimal(problem: Problem) -> None:
    check_optimal(problem, ("first-order", "second-order", "maximum-gain"))


@pytest.mark.parametrize("problem", SMALL_PROBLEMS, ids=str)
def test_optimal_with_the_slow_rules(problem: Problem) -> None:
    check_optimal(problem, ("cyclic", "random", "platt"), random_state=problem.seed)


@pytest.mark.parametrize("problem", SMALL_PROBLEMS[:12], ids=str)
def test_optimal_without_the_compiler(problem: Problem) -> None:
    with machine_code(False):
        check_optimal(problem, ("second-order",), max_iter=20_000)


@pytest.mark.soak
@pytest.mark.parametrize("problem", problems(400, SIZES, PRICES, first_seed=5000), ids=str)
def test_optimal_on_many(problem: Problem) -> None:
    # One of the 400 (seed 5159, polynomial, C = 1e4) needs more than its 10^7 steps.
    check_optimal(problem, ("second-order", "maximum-gain"), near=4e-4, may_stop=True)


@pytest.mark.soak
@pytest.mark.parametrize("problem", problems(100, (20, 60, 100), (0.1, 1.0, 10.0), first_seed=7000), ids=str)
def test_optimal_on_many_with_the_slow_rules(problem: Problem) -> None:
    check_optimal(problem, ("cyclic", "random", "platt", "maximum-gain"), near=4e-4, random_state=problem.seed)


def test_intercept_without_free_support_vectors() -> None:
    X, y = points("random", 20, 3)
    solver = SmoSolver(X, y, Kernel("rbf", 1.0), C=1e-3)
    solver.run()
    assert solver.certificate().n_free == 0
    check_intercept(solver, Formula("rbf", 1.0)(X, X), y, 1e-3)


def test_each_point_may_have_its_own_price() -> None:
    # k times the C is the same as k copies of the point.
    X, y = points("noisy line", 15, 8)
    times = np.arange(15) % 3 + 1
    weighted = SmoSolver(X, y, Kernel("rbf", 2.0), C=0.5 * times, tol=1e-8)
    copied = SmoSolver(np.repeat(X, times, 0), np.repeat(y, times), Kernel("rbf", 2.0), C=0.5, tol=1e-8)
    assert weighted.run() is Status.OPTIMAL and copied.run() is Status.OPTIMAL
    assert weighted.dual == pytest.approx(copied.dual, rel=1e-7)
    assert (weighted.alpha <= 0.5 * times).all()


@pytest.mark.parametrize("name", ["sigmoid", "poly"])
def test_an_indefinite_kernel_is_only_stationary(name: str) -> None:
    X, y = points("noisy circle", 60, 4)
    formula = Formula(name, 2.0, -0.5, 2)
    K = formula(X, X)
    assert np.linalg.eigvalsh(K).min() < -1e-3
    solver = SmoSolver(X, y, kernel_of(formula), C=1.0)
    assert solver.run() is Status.STATIONARY
    assert kkt_violation(K, y, 1.0, solver.alpha) <= TOL * (1 + 1e-9)
    certificate = solver.certificate()
    assert np.isinf(certificate.primal) and np.isnan(certificate.gap)


def test_the_certificate_is_honest_long_before_the_end() -> None:
    for problem in PROBLEMS[4:40:5]:
        X, y = problem.data
        K = problem.formula(X, X)
        best = solve_dual(K, y, problem.C)
        solver = SmoSolver(X, y, kernel_of(problem.formula), C=problem.C)
        while solver.status is Status.RUNNING:
            certificate = solver.certificate()
            true_gap = (best.dual - dual_value(K, y, solver.alpha)) / best.dual
            assert certificate.primal >= best.dual * (1 - 1e-9)
            assert np.isnan(certificate.gap) or certificate.gap >= min(true_gap, 1.0) - 1e-9
            quick = solver.certificate(thorough=False)
            assert quick.primal >= certificate.primal * (1 - 1e-12)
            solver.step(max(1, 3 * solver.n_iter))


def test_best_primal_equals_a_search_over_all_breakpoints() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(2, 30))
        y = np.where(rng.uniform(size=n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        C, g = rng.uniform(0.1, 10.0, n), rng.normal(0.0, 2.0, n)
        at_one = min(0.5 * 3.0 + C @ np.maximum(0.0, 1.0 - y * (g + b)) for b in y - g)
        assert best_primal(y, C, g, 3.0, thorough=False) == pytest.approx(at_one, rel=1e-12)
        assert best_primal(y, C, g, 3.0) <= at_one * (1 + 1e-12)
        scales = minimize_scalar(  # convex
            lambda s, y, C, g: best_primal(y, C, s * g, 3.0 * s * s, thorough=False),
            args=(y, C, g),
            method="bounded",
            bounds=(0.0, 20.0),
            options={"xatol": 1e-11},
        )
        assert best_primal(y, C, g, 3.0) == pytest.approx(min(at_one, scales.fun), rel=1e-6)


def test_the_bound_of_a_hard_margin_leaves_room_for_rounding() -> None:
    y, C, g = np.array([1.0, -1.0]), np.full(2, np.inf), np.array([1.0, -1.0])
    assert best_primal(y, C, g, 4.0) == pytest.approx(2.0)
    assert best_primal(y, C, g - 0.5 * y, 4.0) == pytest.approx(8.0), "f may be 1/2 nearer to either side"
    assert best_primal(y, C, g - y, 4.0) == np.inf


# -- cutting
# ------------------------------------------------------------------------------------------------------------


def recomputed(solver: SmoSolver) -> np.ndarray:
    """Return v from its definition."""
    solver._recompute()
    return solver.v


def make(rule: str, *, C: float = 5.0, every: int | None = None, **parameters: Any) -> SmoSolver:
    X, y = points("noisy circle", 60, 11)
    kind = SmoSolver if every is None else type("Refreshed", (SmoSolver,), {"_refresh_every": every})
    solver: SmoSolver = kind(X, y, Kernel("rbf", 2.0), C=C, selection=rule, **{"random_state": 5, **parameters})
    return solver


@pytest.mark.parametrize("rule", RULE_NAMES)
@pytest.mark.parametrize("every", [None, 7])
@settings(max_examples=12, deadline=None)
@given(cuts=st.lists(st.integers(0, 40), min_size=1, max_size=12), cache=st.sampled_from([0.0, 0.002, 200.0]))
def test_cuts_change_nothing(rule: str, every: int | None, cuts: list[int], cache: float) -> None:
    whole, cut = make(rule, every=every), make(rule, every=every, cache_size=cache)
    made = whole.step(sum(cuts))
    assert sum(cut.step(n) for n in cuts) == made
    assert reached(cut) == reached(whole)
    whole.run()
    while cut.status is Status.RUNNING:
        cut.step(13)
    assert reached(cut) == reached(whole)
    assert whole.status is Status.OPTIMAL


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_cuts_change_nothing_at_max_iter(rule: str) -> None:
    whole, cut = make(rule, max_iter=23), make(rule, max_iter=23)
    assert whole.step(100) == 23
    assert [cut.step(5) for _ in range(6)] == [5, 5, 5, 5, 3, 0]
    assert reached(cut) == reached(whole)
    assert whole.status is Status.STOPPED_EARLY
    assert whole.run() is Status.STOPPED_EARLY and whole.n_iter == 23


def test_cuts_change_nothing_across_the_real_refresh() -> None:
    # A hard margin refreshes v every 1000 updates.
    X, y = points("noisy line", 60, 2)
    solvers = [SmoSolver(X, y, Kernel("rbf", 0.3), C=np.inf, cache_size=size) for size in (200.0, 200.0, 0.0)]
    assert solvers[0].step(5000) == 5000
    for n in [999, 1, 1, 998, 1, 1000, 1500, 499, 1]:
        solvers[1].step(n)
    while solvers[2].n_iter < 5000:
        solvers[2].step(700 if solvers[2].n_iter < 4900 else 100)
    assert reached(solvers[0]) == reached(solvers[1]) == reached(solvers[2])
    # The refresh really happens: v then equals its definition, bit for bit.
    fresh = solvers[0].v.copy()
    assert (recomputed(solvers[0]) == fresh).all()
    solvers[0].step(500)
    drifted = solvers[0].v.copy()
    assert (recomputed(solvers[0]) != drifted).any()


def test_the_refresh_keeps_v_exact() -> None:
    X, y = points("random", 40, 0)
    K = Formula("rbf", 1.0)(X, X)
    solver = SmoSolver(X, y, Kernel("rbf", 1.0), C=1e6, tol=1e-9, max_iter=250_000)
    solver.step(200_000)
    assert solver.status is Status.RUNNING
    beta = solver.beta
    noise = EPS * resolution(K, solver.alpha)
    assert np.abs(solver.v - (y - K @ beta)).max() <= 10 * noise


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_snapshots_are_never_written_again(rule: str) -> None:
    solver = make(rule)
    solver.step(10)
    snapshot = solver.snapshot()
    alpha, v = snapshot.alpha.copy(), snapshot.v.copy()
    solver.run()
    assert (snapshot.alpha == alpha).all() and (snapshot.v == v).all()
    with pytest.raises(ValueError, match="read-only"):
        snapshot.alpha[0] = 1.0


def test_the_seed_matters_and_repeats() -> None:
    same = [make("random").snapshot() for _ in range(2)]
    first, second, other = make("random"), make("random"), make("random", random_state=6)
    for solver in (first, second, other):
        solver.step(20)
    assert reached(first) == reached(second) != reached(other)
    assert same[0].working_set == (-1, -1)


# -- hard margin -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_hard_margin_of_a_line(seed: int) -> None:
    X, y = points("line", 40, seed)
    distance = hull_distance(X[y > 0], X[y < 0])
    solver = SmoSolver(X, y, Kernel("linear"), C=np.inf)
    assert solver.run() is Status.OPTIMAL
    certificate = solver.certificate()
    assert 2 / np.sqrt(solver.alpha.sum()) == pytest.approx(distance, rel=2e-3)
    assert certificate.margin_bound >= distance / 2 * (1 - 1e-9)
    assert certificate.margin_bound == pytest.approx(distance / 2, rel=2e-3)
    best = 2 / distance**2  # 1/2 ||w||^2 with the half-width 1/||w||
    assert certificate.dual <= best * (1 + 1e-9) and certificate.primal >= best * (1 - 1e-9)
    assert certificate.gap < 5e-3


@pytest.mark.parametrize("formula", [Formula("rbf", 2.0), Formula("laplacian", 1.0), Formula("poly", 1.0, 1.0, 2)])
def test_hard_margin_with_a_kernel(formula: Formula) -> None:
    X, y = points("circle", 60, 6)
    K = formula(X, X)
    solver = SmoSolver(X, y, kernel_of(formula), C=np.inf, tol=1e-5)
    assert solver.run() is Status.OPTIMAL
    reference = solve_dual(K, y, 10 * solver.alpha.max())
    assert reference.alpha.max() < 9 * solver.alpha.max()  # so that its bound plays no part
    assert solver.dual == pytest.approx(reference.dual, rel=1e-5)
    rho = 1 / np.sqrt(2 * reference.dual)
    assert 1 / np.sqrt(solver.alpha.sum()) == pytest.approx(rho, rel=1e-4)
    solver = SmoSolver(X, y, kernel_of(formula), C=np.inf)
    while solver.status is Status.RUNNING:  # every feasible alpha bounds the margin
        solver.step(20)
        assert solver.certificate().margin_bound >= rho * (1 - 1e-6)


def separable(X: Array, y: Array) -> bool:
    """Return whether a line separates the points, by linear programming."""
    rows = -y[:, None] * np.column_stack([X, np.ones(len(X))])
    answer = linprog(np.zeros(3), A_ub=rows, b_ub=-np.ones(len(X)), bounds=[(None, None)] * 3, method="highs")
    return bool(answer.status == 0)


@pytest.mark.parametrize("seed", range(24))
def test_separable_or_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (int(rng.integers(4, 9)), 2)) * 10.0 ** rng.integers(-6, 7)
    y = np.where(rng.uniform(size=len(X)) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    status = SmoSolver(X, y, Kernel("linear"), C=np.inf, max_iter=3_000_000).run()
    assert status is (Status.OPTIMAL if separable(X / np.abs(X).max(), y) else Status.NOT_SEPARABLE)


@pytest.mark.parametrize("gamma", [1.0, 10.0, 1e4])
def test_points_that_were_separated_are_never_called_not_separable(gamma: float) -> None:
    """At gamma 1e4 the margin is a tiny share of the data's radius (1e27), but it exists."""
    X, labels = generate("moons", 100, noise=0.1, seed=0)
    solver = SmoSolver(X, np.where(labels == 1, 1.0, -1.0), Kernel("poly", gamma, 1.0, 9), C=np.inf)
    assert solver.run() is Status.OPTIMAL
    certificate = solver.certificate()
    assert certificate.gap < 2e-3
    f = solver.y - solver.v + solver.intercept
    assert (np.sign(f) == solver.y).all()


@pytest.mark.parametrize("formula", [Formula("linear"), Formula("poly", 1.0, 1.0, 3), Formula("rbf", 1e-4)])
@pytest.mark.parametrize("compiled", [True, False])
def test_one_point_with_two_labels_is_not_separable(formula: Formula, compiled: bool) -> None:
    X, y = points("line", 20, 0)
    X[3] = X[np.flatnonzero(y != y[3])[0]]
    with machine_code(compiled):
        solver = SmoSolver(X, y, kernel_of(formula), C=np.inf, max_iter=10_000)
    assert solver.run() is Status.NOT_SEPARABLE
    assert solver.certificate().margin_bound < 1e-6


def test_a_hard_margin_needs_a_positive_semidefinite_kernel() -> None:
    X, y = points("line", 10, 0)
    with pytest.raises(ValueError, match="C is inf; with the sigmoid kernel"):
        SmoSolver(X, y, Kernel("sigmoid"), C=np.inf)


# -- extremes ----------------------------------------------------------------------------------------------------------


def extreme_sets() -> Iterator[tuple[str, Array, Array]]:
    X, y = points("noisy line", 30, 1)
    yield "duplicates", np.repeat(X, 3, 0), np.repeat(y, 3)
    yield "conflicting duplicates", np.repeat(X, 2, 0), np.tile([1.0, -1.0], 30)
    yield "all equal", np.full((10, 2), 0.3), np.tile([1.0, -1.0], 5)
    yield "one point", np.zeros((2, 2)), np.array([1.0, -1.0])
    yield "one per class", np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([1.0, -1.0])
    yield "collinear", np.outer(np.arange(30.0), [0.1, 0.2]), np.where(np.arange(30) % 3, 1.0, -1.0)
    yield "far", X + 1e6, y
    yield "large", X * 1e12, y
    yield "large conflicting duplicates", np.repeat(X, 2, 0) * 1e12, np.tile([1.0, -1.0], 30)
    yield "tiny", X * 1e-12, y
    yield "vanishing", X * 1e-160, y
    yield "unbalanced", np.random.default_rng(0).uniform(-1.0, 1.0, (1001, 2)), np.r_[1.0, -np.ones(1000)]
    yield "one feature", X[:, :1], y
    yield "ten features", np.random.default_rng(1).normal(size=(30, 10)), y


EXTREME_KERNELS = (
    Kernel("linear"),
    Kernel("poly", 1.0, 1.0, 3),
    Kernel("poly", 1.0, -1.0, 3),
    Kernel("poly", 1.0, 1.0, 0),
    Kernel("rbf", 1e-4),
    Kernel("rbf", 1.0),
    Kernel("rbf", 1e4),
    Kernel("rbf", 0.0),
    Kernel("laplacian", 1e-4),
    Kernel("laplacian", 1e4),
    Kernel("sigmoid", 1.0, -1.0),
)


EXTREME_SETS = {name: (X, y) for name, X, y in extreme_sets()}


@pytest.mark.parametrize(("name", "C", "rule"), pairwise_params(EXTREME_SETS, [1e-6, 1.0, 1e8, np.inf], RULE_NAMES))
def test_extremes_end_with_a_true_status(name: str, C: float, rule: str) -> None:
    X, y = EXTREME_SETS[name]
    kernels = EXTREME_KERNELS if rule == "second-order" else EXTREME_KERNELS[RULE_NAMES.index(rule) % 3 :: 3]
    for kernel in kernels if len(X) < 500 else kernels[::3]:
        if np.isinf(C) and not kernel.is_positive_semidefinite:
            continue
        solver = SmoSolver(X, y, kernel, C=C, max_iter=20_000, selection=rule)
        status = solver.run()
        snapshot = solver.snapshot()
        alpha, certificate = snapshot.alpha, snapshot.certificate
        assert status is not Status.RUNNING
        assert np.isfinite(alpha).all() and np.isfinite(snapshot.v).all() and np.isfinite(snapshot.intercept)
        assert ((alpha >= 0) & (alpha <= C)).all()
        assert abs(y @ alpha) <= 1e-10 * alpha.sum()
        assert np.isfinite(certificate.dual) and not np.isnan(certificate.primal)
        # The status, from a kernel matrix computed here (of points shifted likewise, where that changes nothing).
        Z = X - X.mean(axis=0) if kernel.name == "linear" else X
        K = Formula(kernel.name, kernel.gamma, kernel.coef0, kernel.degree)(Z, Z)
        noise = 100 * EPS * resolution(K, alpha)
        violation = kkt_violation(K, y, C, alpha)
        if np.isfinite(certificate.gap):  # the gap is certified: no dual value lies above the primal bound
            best = max(dual_value(K, y, alpha), 0.0)
            assert certificate.primal >= best * (1 - 1e-9) - noise * alpha.sum(), (kernel, rule)
        exact = kernel.is_positive_semidefinite
        if status is Status.OPTIMAL or status is Status.STATIONARY:
            assert violation <= max(TOL * (1 + 1e-9), noise), kernel
            assert exact == (status is Status.OPTIMAL)
        elif status is Status.PRECISION:
            assert violation <= noise, kernel
        elif status is Status.STOPPED_EARLY:
            assert solver.n_iter == 20_000 and violation > TOL * (1 - 1e-9) - noise
        else:
            assert status is Status.NOT_SEPARABLE and np.isinf(C)
            assert certificate.margin_bound <= 1e-5 * max(1.0, np.sqrt(np.abs(K).max()))


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e12])
@pytest.mark.parametrize("compiled", [True, False])
def test_conflicting_duplicates_reach_the_bound_at_any_scale(scale: float, compiled: bool) -> None:
    # The violation of one point with two labels never changes, so both multipliers end at C, in one step a pair.
    X, _ = points("random", 20, 0)
    X, y = np.repeat(X, 2, 0) * scale, np.tile([1.0, -1.0], 20)
    with machine_code(compiled):
        solver = SmoSolver(X, y, Kernel("linear"), C=100.0, max_iter=1000)
    assert solver.run() is Status.OPTIMAL
    assert (solver.alpha == 100.0).all() and solver.n_iter == 20


@pytest.mark.parametrize("exponent", [-300, -160, -80, 0, 70, 76, 150, 300])
def test_any_coordinates_end_or_are_refused_in_one_sentence(exponent: int) -> None:
    X, y = points("noisy line", 20, 1)
    for kernel in EXTREME_KERNELS:
        try:
            solver = SmoSolver(X * 10.0**exponent, y, kernel, C=1.0, max_iter=1000)
        except ValueError as error:
            assert exponent > 20 and ("overflows" in str(error) or "coordinates must lie" in str(error))
        else:
            solver.run()
            assert np.isfinite(solver.v).all() and np.isfinite(solver.certificate().dual)


@pytest.mark.parametrize("C", [5e-324, 1e-300, 1e20, 1e50])
def test_any_price_ends(C: float) -> None:
    X, y = points("noisy line", 20, 1)
    for kernel in EXTREME_KERNELS:
        solver = SmoSolver(X, y, kernel, C=C, max_iter=1000)
        solver.run()
        certificate = solver.certificate()
        assert np.isfinite(solver.v).all() and np.isfinite(certificate.dual) and not np.isnan(certificate.primal)


def test_a_tolerance_beyond_double_precision_ends() -> None:
    for problem in PROBLEMS[:30]:
        X, y = problem.data
        solver = SmoSolver(X, y, kernel_of(problem.formula), C=min(problem.C, 10.0), tol=1e-300, max_iter=200_000)
        if solver.run() is Status.PRECISION:
            K = problem.formula(X, X)
            assert kkt_violation(K, y, min(problem.C, 10.0), solver.alpha) <= 100 * EPS * resolution(K, solver.alpha)
        else:
            assert solver.status in (Status.OPTIMAL, Status.STOPPED_EARLY)


@examples(60)
@given(
    data=st.lists(
        st.tuples(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), st.sampled_from([-1.0, 0.0, 2.0]), st.booleans()),
        min_size=2,
        max_size=12,
    ),
    kernel=st.sampled_from(EXTREME_KERNELS),
    rule=st.sampled_from(RULE_NAMES),
    C=st.sampled_from([1e-3, 1.0, 1e3, 1e8]),
)
def test_points_on_a_lattice(data: list[tuple[float, float, bool]], kernel: Kernel, rule: str, C: float) -> None:
    """Coincident points, ties and degenerate positions."""
    X = np.array([(x, y) for x, y, _ in data])
    y = np.where([label for _, _, label in data], 1.0, -1.0)
    y[0], y[1] = 1.0, -1.0
    solver = SmoSolver(X, y, kernel, C=C, selection=rule, max_iter=2000)
    status = solver.run()
    alpha = solver.alpha
    K = Formula(kernel.name, kernel.gamma, kernel.coef0, kernel.degree)(X, X)
    noise = 100 * EPS * resolution(K, alpha)
    assert np.isfinite(alpha).all() and ((alpha >= 0) & (alpha <= C)).all()
    assert abs(y @ alpha) <= 1e-10 * alpha.sum()
    assert (kkt_violation(K, y, C, alpha) <= max(TOL * (1 + 1e-9), noise)) or status is Status.STOPPED_EARLY


# -- starting from given multipliers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.n >= 10][:12], ids=str)
def test_warm_start(problem: Problem) -> None:
    X, y = problem.data
    K = problem.formula(X, X)
    cold = SmoSolver(X, y, kernel_of(problem.formula), C=problem.C)
    cold.run()
    rng = np.random.default_rng(0)
    starts = (
        cold.alpha,
        rng.uniform(0.0, problem.C, problem.n),
        rng.normal(0.0, 2 * problem.C, problem.n),
        np.full(problem.n, np.nan),
        np.full(problem.n, np.inf),
        np.full(problem.n, 1e308),
    )
    for start in starts:
        warm = SmoSolver(X, y, kernel_of(problem.formula), C=problem.C, alpha=start)
        assert ((warm.alpha >= 0) & (warm.alpha <= problem.C)).all()
        assert abs(y @ warm.alpha) <= 1e-10 * warm.alpha.sum()
        assert warm.dual >= 0 and warm.n_iter == 0
        assert warm.run() is Status.OPTIMAL
        assert dual_value(K, y, warm.alpha) == pytest.approx(cold.dual, rel=1e-4)
    again = SmoSolver(X, y, kernel_of(problem.formula), C=problem.C, alpha=cold.alpha)
    again.run()
    assert again.n_iter <= cold.n_iter // 10


@pytest.mark.parametrize("start", [1e200, 1e308, np.inf])
def test_warm_start_of_a_hard_margin(start: float) -> None:
    X, y = points("line", 20, 4)
    cold, warm = (SmoSolver(X, y, Kernel("linear"), C=np.inf, alpha=a) for a in (None, np.full(20, start)))
    assert cold.run() is Status.OPTIMAL and warm.run() is Status.OPTIMAL
    assert warm.dual == pytest.approx(cold.dual, rel=1e-3)


@examples(60)
@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.floats(-1e9, 1e9), st.sampled_from([1e-6, 1.0, 3.0, 1e8, np.inf])),
        min_size=2,
        max_size=30,
    )
)
def test_feasible(rows: list[tuple[bool, float, float]]) -> None:
    y = np.where([label for label, _, _ in rows], 1.0, -1.0)
    alpha, C = np.array([a for _, a, _ in rows]), np.array([c for _, _, c in rows])
    beta = feasible(y, C, alpha)
    size = y * beta
    assert (size >= 0).all() and (size <= C).all() and (size <= np.maximum(alpha, 0)).all()
    assert abs(beta.sum()) <= 1e-10 * size.sum()


def test_feasible_leaves_what_is_feasible() -> None:
    y = np.array([1.0, 1.0, -1.0, -1.0])
    alpha = np.array([1.0, 0.5, 1.0, 0.5])
    assert (feasible(y, np.ones(4), alpha) == y * alpha).all()
    # The class with the larger sum loses its smallest multipliers first.
    assert feasible(y, np.ones(4), np.array([1.0, 0.25, 0.5, 0.5])).tolist() == [1.0, 0.0, -0.5, -0.5]


# -- the rules, recomputed from their definitions
# -----------------------------------------------------------------------


class Plain:
    """theory, section 3, in plain Python: the choices that are allowed in the solver's present state."""

    def __init__(self, solver: SmoSolver, K: Array) -> None:
        self.v, self.K, self.tol = solver.v.tolist(), K, solver.tol
        y, alpha, C = solver.y, solver.alpha, solver.C
        self.lo, self.hi, self.beta = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0), solver.beta.copy()
        everyone = range(len(y))
        self.up = [k for k in everyone if (alpha[k] < C[k] if y[k] > 0 else alpha[k] > 0)]
        self.low = [k for k in everyone if (alpha[k] > 0 if y[k] > 0 else alpha[k] < C[k])]
        self.free = [k for k in everyone if 0 < alpha[k] < C[k]]
        self.m = max(self.v[k] for k in self.up)
        self.M = min(self.v[k] for k in self.low)
        self.violators = [
            k
            for k in everyone
            if (k in self.up and self.v[k] > self.M + self.tol) or (k in self.low and self.v[k] < self.m - self.tol)
        ]

    def pair(self, i: int, j: int) -> tuple[int, int] | None:
        """Return (up, low) if the two may move, else None."""
        for a, b in ((i, j), (j, i)):
            if a in self.up and b in self.low and self.v[a] - self.v[b] > self.tol:
                return a, b
        return None

    def partners(self, i: int) -> list[int]:
        return [j for j in range(len(self.v)) if self.pair(i, j)]

    def first_order(self) -> tuple[int, int]:
        return max(self.up, key=lambda k: self.v[k]), min(self.low, key=lambda k: self.v[k])

    def gain(self, i: int, j: int) -> float:
        rise = self.v[i] - self.v[j]
        return rise * rise / max(self.K[i, i] + self.K[j, j] - 2 * self.K[i, j], 1e-12)

    def second_order(self) -> tuple[int, int]:
        i = max(self.up, key=lambda k: self.v[k])
        return i, max((j for j in self.low if self.v[j] < self.v[i]), key=lambda j: self.gain(i, j))

    def clipped_gain(self, i: int, j: int) -> float:
        """Return the gain of the dual by the best step of the pair within the box."""
        rise = self.v[i] - self.v[j]
        eta = max(self.K[i, i] + self.K[j, j] - 2 * self.K[i, j], 1e-12)
        step = min(rise / eta, self.hi[i] - self.beta[i], self.beta[j] - self.lo[j])
        return step * (rise - 0.5 * eta * step)

    def maximum_gain(self, last: tuple[int, int]) -> tuple[int, int]:
        """Return the pairs of maximum gain (Glasmachers, Igel 2006)."""
        width = self.hi - self.lo
        inside = np.minimum(self.beta - self.lo, self.hi - self.beta) > 1e-8 * width
        if last == (-1, -1) or not inside[list(last)].any():
            return self.second_order()
        pairs = [
            pair for k in last for other in range(len(self.v)) if other not in last and (pair := self.pair(k, other))
        ]
        return max(pairs, key=lambda pair: self.clipped_gain(*pair)) if pairs else self.second_order()

    def cyclic(self, cursor: int) -> tuple[tuple[int, int] | None, int]:
        n = len(self.v)
        i = next(k % n for k in range(cursor, cursor + n) if k % n in self.violators)
        return self.pair(i, self.partners(i)[0]), (i + 1) % n

    def platt(self, chosen: tuple[int, int], free_turn: bool) -> bool:
        """Return whether some first point explains the pair, under the rule for its partner."""
        free = [k for k in self.violators if k in self.free]
        firsts = free if free_turn and free else self.violators
        for i in set(firsts) & set(chosen):
            far = max(range(len(self.v)), key=lambda k: abs(self.v[i] - self.v[k]))
            partners = self.partners(i)
            free_first = [j for j in partners if j in self.free] or partners
            allowed = [far] if self.pair(i, far) else free_first
            if any(self.pair(i, j) == chosen for j in allowed):
                return True
        return False


RULE_PROBLEMS = (
    Problem("noisy line", 12, Formula("linear"), 1.0, 1),
    Problem("noisy circle", 25, Formula("rbf", 2.0), 10.0, 2),
    Problem("random", 15, Formula("poly", 1.0, 1.0, 2), 0.5, 3),
    Problem("chessboard", 30, Formula("laplacian", 1.0), 5.0, 4),
)


@pytest.mark.parametrize("rule", RULE_NAMES)
@pytest.mark.parametrize("problem", RULE_PROBLEMS, ids=str)
def test_the_rules_choose_as_defined(problem: Problem, rule: str) -> None:
    X, y = problem.data
    K = problem.formula(X, X)
    solver = SmoSolver(X, y, kernel_of(problem.formula), C=problem.C, selection=rule, random_state=9)
    cursor, free_turn, shown = 0, False, set()
    for _ in range(400):
        plain = Plain(solver, K)
        last = solver.working_set
        assert solver.bounds == (plain.m, plain.M)
        if solver.step(1) == 0:
            break
        chosen = solver.working_set
        shown.add(chosen)
        if rule == "first-order":
            assert chosen == plain.first_order()
        elif rule == "second-order":
            expected = plain.second_order()
            # Only gains that differ by rounding may be exchanged.
            assert chosen == expected or plain.gain(*chosen) >= plain.gain(*expected) * (1 - 1e-12)
            assert chosen[0] == expected[0]
        elif rule == "cyclic":
            expected_pair, cursor = plain.cyclic(cursor)
            assert chosen == expected_pair
        elif rule == "random":
            assert plain.pair(*chosen) == chosen and set(chosen) & set(plain.violators)
        elif rule == "maximum-gain":
            best = plain.maximum_gain(last)
            assert chosen == best or plain.clipped_gain(*chosen) >= plain.clipped_gain(*best) * (1 - 1e-12)
        else:
            assert plain.platt(chosen, free_turn)
            free_turn = not free_turn
    assert len(shown) > 3
    assert solver.status in (Status.OPTIMAL, Status.RUNNING)


# -- leaving settled points out ----------------------------------------------------------------------------------------


@pytest.fixture
def early_shrinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave settled points out after 20 updates, in small problems too."""
    monkeypatch.setattr(shrinking, "FIRST_REVIEW", 20)
    monkeypatch.setattr(shrinking, "LEAST_SHRUNK", 5)


SHRUNK = problems(40, (40, 80, 150, 300), (0.1, 1.0, 10.0, 100.0), first_seed=300)


@pytest.mark.parametrize("problem", SHRUNK, ids=str)
def test_optimal_with_early_shrinking(problem: Problem, early_shrinking: None) -> None:
    check_optimal(problem, ("first-order", "second-order", "maximum-gain"))


@pytest.mark.parametrize("rule", ["first-order", "second-order", "maximum-gain"])
@pytest.mark.parametrize("C", [100.0, 10_000.0, np.inf])
def test_cuts_change_nothing_while_shrinking(rule: str, C: float, early_shrinking: None) -> None:
    X, y = points("circle", 90, 11)

    def make() -> SmoSolver:
        return SmoSolver(X, y, Kernel("rbf", 2.0), C=C, selection=rule)

    whole, rng = make(), np.random.default_rng(0)
    parts: set[int] = set()
    cut, asked = make(), make()
    while whole.status is Status.RUNNING:
        n = int(rng.integers(1, 60))
        made = whole.step(n)
        cut.step(made // 2)
        cut.step(made - made // 2)
        before = asked.n_iter  # `stop` returns True at every piece; reading in between must not matter either
        while asked.n_iter < before + made or (whole.status is not Status.RUNNING and asked.status is Status.RUNNING):
            asked.step(before + made - asked.n_iter, stop=lambda: True)
            assert asked.certificate().n_iter == asked.n_iter
        while cut.status is Status.RUNNING and whole.status is not Status.RUNNING:
            cut.step(0)
        assert reached(whole) == reached(cut)
        np.testing.assert_array_equal(whole.alpha, asked.alpha)
        parts.add(len(active_of(whole).part.index))
    assert reached(whole) == reached(cut) == reached(asked)
    assert min(parts) < 60, "nothing was left out"


def test_what_is_read_while_points_are_left_out_is_true(early_shrinking: None) -> None:
    X, y = points("noisy circle", 120, 5)
    K = Formula("rbf", 2.0)(X, X)
    solver = SmoSolver(X, y, Kernel("rbf", 2.0), C=100.0)
    partly = 0
    while solver.step(7):
        alpha = solver.alpha
        partly += not active_of(solver).part.is_whole
        np.testing.assert_allclose(solver.v, y - K @ (y * alpha), atol=1e-11 * (1 + alpha.sum()))
        assert solver.kkt_violation == pytest.approx(kkt_violation(K, y, 100.0, alpha), abs=1e-9)
        assert solver.certificate().dual == pytest.approx(dual_value(K, y, alpha), rel=1e-10)
    assert partly > 10 and solver.status is Status.OPTIMAL


def test_shrinking_can_be_turned_off(early_shrinking: None) -> None:
    X, y = points("noisy circle", 120, 5)
    solver = SmoSolver(X, y, Kernel("rbf", 2.0), C=100.0, shrinking=False)
    while solver.step(50):
        assert active_of(solver).part.is_whole
    shrunk = SmoSolver(X, y, Kernel("rbf", 2.0), C=100.0)
    assert shrunk.run() is solver.status is Status.OPTIMAL
    assert shrunk.dual == pytest.approx(solver.dual, rel=1e-5)


def test_a_stop_takes_effect_after_a_bounded_piece_of_work() -> None:
    # 20 000 points: one row is 20 000 kernel values.  Work is counted, so that no clock decides.
    X, y = generate("moons", 10_000, noise=0.2, seed=1)
    solver = SmoSolver(X, np.where(y > 0, 1.0, -1.0), Kernel("rbf", 1.0), C=1.0)
    rows = active_of(solver).whole.cache.head
    for _ in range(30):
        before, updates = int(rows[1]), solver.n_iter
        solver.step(1_000_000, stop=lambda: True)
        assert len(X) * (4 * (rows[1] - before) + 2 * (solver.n_iter - updates)) <= 1.2 * smo.PIECE
    assert solver.n_iter > 100
    # A recomputation of v from its definition comes in pieces as well.
    solver._begin_refresh(0)
    pieces = 0
    while solver.pending:
        solver.step(0, stop=lambda: True)
        pieces += 1
    n_support = int((solver.alpha > 0).sum())
    assert pieces >= n_support * len(X) // smo.PIECE


def test_a_step_is_the_best_on_its_segment() -> None:
    """After a step the pair is at a bound or level: v_i = v_j."""
    X, y = points("noisy circle", 40, 3)
    K = Formula("rbf", 2.0)(X, X)
    solver = SmoSolver(X, y, Kernel("rbf", 2.0), C=2.0)
    while True:
        before = solver.beta.copy()
        dual = dual_value(K, y, solver.alpha)
        if solver.step(1) == 0:
            break
        i, j = solver.working_set
        changed = np.flatnonzero(solver.beta != before)
        assert set(changed) == {i, j} and solver.beta[i] > before[i] and solver.beta[j] < before[j]
        assert dual_value(K, y, solver.alpha) > dual
        at_bound = solver.alpha[i] in (0.0, 2.0) or solver.alpha[j] in (0.0, 2.0)
        assert at_bound or abs(solver.v[i] - solver.v[j]) < 1e-12


def test_random_rules_draw_evenly() -> None:
    # Four points at the corners of a square: at the start all are violators, and each opposite label is a partner.
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    y = np.array([1.0, 1.0, -1.0, -1.0])
    count = dict.fromkeys([(0, 2), (0, 3), (1, 2), (1, 3)], 0)
    for seed in range(2000):
        solver = SmoSolver(X, y, Kernel("rbf"), selection="random", random_state=seed)
        solver.step(1)
        count[solver.working_set] += 1
    assert min(count.values()) > 420 and max(count.values()) < 580


# -- sentences ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": 0.0}, "C is 0; it must be above 0"),
        ({"C": 1e60}, r"C is 1e\+60; it must be above 0 and at most 1e\+50, or inf"),
        ({"C": np.nan}, "C is nan; it must be above 0"),
        ({"C": [1.0, 2.0]}, r"C has shape \(2,\); it must be one number, or one for each of 20 points"),
        ({"C": "dear"}, "C must hold numbers only"),
        ({"tol": 0.0}, r"tol is 0.0; it must be a number in \(0, inf\)"),
        ({"max_iter": -2}, "max_iter is -2; it must be a whole number of at least -1"),
        ({"selection": "best"}, "selection is 'best'; it must be one of 'cyclic'"),
        ({"random_state": -1}, "random_state is -1; it must be a whole number of at least 0"),
        ({"alpha": [1.0]}, r"alpha has shape \(1,\); it must hold one number for each of 20 points"),
        ({"alpha": np.ones((20, 1))}, r"alpha has shape \(20, 1\)"),
        ({"alpha": "some"}, "alpha must hold numbers only"),
        ({"cache_size": -1}, r"cache_size is -1; it must be a number in \[0, inf\)"),
        ({"cache_size": np.inf}, "cache_size is inf"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    X, y = points("line", 20, 0)
    with pytest.raises(ValueError, match=sentence):
        SmoSolver(X, y, Kernel("rbf"), **parameters)


@pytest.mark.parametrize("y", [[1.0] * 20, [0.0, 1.0] * 10, [1.0, -1.0], [[1.0, -1.0]] * 20, [1.0, -1.0, np.nan] * 7])
def test_bad_labels(y: list[Any]) -> None:
    X, _ = points("line", 20, 0)
    with pytest.raises(ValueError, match="y must hold -1 and \\+1, both present, one for each point"):
        SmoSolver(X, y, Kernel("rbf"))


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["smo", "smo, from old multipliers", "lasvm", "dual ascent"])
def test_no_multiplier_is_free_by_rounding(learner: str) -> None:
    # With a small C all are at their bounds; one an ulp away from it would be called free, and decide the intercept.
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(20, 2)), np.where(np.arange(20) % 2, 1.0, -1.0)
        C = np.full(20, 10.0 ** rng.uniform(-2, 0))
        C[y > 0] *= rng.choice([1.0, 0.3])
        kernel = Kernel("rbf", 1.0)
        solver: Any
        if learner == "lasvm":
            solver = LasvmSolver(X, y, kernel, C=C)
        elif learner == "dual ascent":
            solver = DualAscentSolver(X, y, kernel, C=C)
        else:
            solver = SmoSolver(X, y, kernel, C=C, selection="cyclic")
        solver.run()
        if learner == "smo, from old multipliers":
            kept = np.where(np.arange(20) == 7, 0.0, solver.alpha)
            X[7] += 0.3
            solver = SmoSolver(X, y, kernel, C=C, alpha=kept)
            solver.run()
        alpha = solver.alpha
        free = (alpha > 0) & (alpha < C)
        assert (np.minimum(alpha, C - alpha)[free] > 1e-12 * C[free]).all(), seed
        assert abs(y @ alpha) <= 1e-12 * alpha.sum()


def test_cyclic_lets_partners_late_in_the_order_wait() -> None:
    """As its note on screen says: three points with both labels twice, of which the late ones are rarely chosen."""
    rng = np.random.default_rng(28)
    order = (np.repeat(rng.normal(size=(3, 2)), 4, axis=0), np.where(np.arange(12) % 2 == 0, 1.0, -1.0))
    shuffled = rng.permutation(12)
    X, y = (each[shuffled] for each in order)
    updates = {}
    for rule in ("cyclic", "random", "second-order"):
        solver = SmoSolver(X, y, Kernel("rbf", 1.0), C=100.0, selection=rule, max_iter=300_000)
        assert solver.run() is Status.OPTIMAL
        updates[rule] = solver.n_iter
    assert updates["cyclic"] > 30 * updates["random"] and updates["second-order"] < 20
    assert "may wait very long" in RULES["cyclic"].note
