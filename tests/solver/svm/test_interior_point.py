"""The interior point method and the short cut of AutoSolver: against a dense QP, against SMO, and cut into pieces."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_info, threadpool_limits

from solver.core.certificate import Status
from solver.kernels.table import Kernel
from solver.svm import auto, expanded, shrinking
from solver.svm.auto import AutoSolver, affordable_rank
from solver.svm.interior_point import maximise, pivoted_cholesky, repaired
from solver.svm.smo import SmoSolver
from solver.svm.svc import SVC
from tests.solver.inside import active_of, check_cuts, finish
from tests.solver.svm_reference import Formula, dual_value, kkt_violation, points, resolution, solve_dual
from tests.without_compiler import machine_code

Array = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)
FORMULAS = (
    Formula("linear"),
    Formula("poly", 1.0, 1.0, 3),
    Formula("rbf", 1.0),
    Formula("rbf", 0.1),
    Formula("laplacian", 0.5),
)


def kernel_of(formula: Formula) -> Kernel:
    return Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)


def data(case: str) -> tuple[Array, Array, Array]:
    """Points, labels and prices."""
    rng = np.random.default_rng(5)
    X, y = points("noisy circle", 80, 3)
    C = np.full(len(y), 10.0)
    if case == "dear":
        C[:] = 1e4
    elif case == "prices":
        C = 10.0 ** rng.uniform(-2.0, 3.0, len(y))
    elif case == "duplicates":
        X = X[rng.integers(0, 25, len(y))]
        y = np.sign(0.5 - (X**2).sum(axis=1))
    elif case == "conflicts":
        X = X[rng.integers(0, 25, len(y))]
    elif case == "one each":
        X, y, C = X[:2], np.array([1.0, -1.0]), C[:2]
    elif case == "one against all":
        y = np.where(np.arange(len(y)) == 7, 1.0, -1.0)
    return X, y, C


CASES = ("plain", "dear", "prices", "duplicates", "conflicts", "one each", "one against all")


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short cut is tried early and whatever it costs, also where points are left out."""
    monkeypatch.setattr(auto, "FIRST_PIVOT", 10**9)
    monkeypatch.setattr(auto, "FIRST_TRY", 20_000)
    monkeypatch.setattr(auto, "SHARE", 1e6)
    monkeypatch.setattr(shrinking, "FIRST_REVIEW", 100)
    monkeypatch.setattr(shrinking, "LEAST_SHRUNK", 5)


# -- the factor --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.name}{f.gamma:g}")
@pytest.mark.parametrize("share", [1e-2, 1e-6, 1e-9])
def test_the_factor_gives_the_kernel_matrix(formula: Formula, share: float) -> None:
    X, _ = points("circle", 150, 1)
    K = formula(X, X)
    G = finish(pivoted_cholesky(kernel_of(formula), X, len(X), share))
    assert G is not None
    E = K - G.T @ G
    bound = share * np.trace(K) + 1e-12 * np.trace(K)
    assert np.trace(E) <= bound and np.abs(E).max() <= bound
    assert np.linalg.eigvalsh(E)[0] >= -1e-12 * np.trace(K)
    # No row too many: with one less the bound did not hold.
    assert np.trace(K - G[:-1].T @ G[:-1]) > share * np.trace(K)


def test_the_factor_of_exact_rank() -> None:
    X, _ = points("circle", 60, 1)
    for kernel, rank in ((Kernel("linear"), 2), (Kernel("poly", 1.0, 1.0, 2), 6), (Kernel("poly", 1.0, 1.0, 3), 10)):
        G = finish(pivoted_cholesky(kernel, X, 60))
        assert G is not None and len(G) == rank
        assert finish(pivoted_cholesky(kernel, X, rank)) is not None
        assert finish(pivoted_cholesky(kernel, X, rank - 1)) is None
    twice = np.repeat(X[:10], 6, axis=0)
    G = finish(pivoted_cholesky(Kernel("laplacian"), twice, 60))
    assert G is not None and len(G) == 10
    nothing = finish(pivoted_cholesky(Kernel("linear"), np.zeros((5, 2)), 5))
    assert nothing is not None and nothing.shape == (0, 5)


# -- the optimum -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.name}{f.gamma:g}")
@pytest.mark.parametrize("case", CASES)
def test_the_optimum(case: str, formula: Formula) -> None:
    X, y, C = data(case)
    K = formula(X, X)
    smo = SmoSolver(X, y, kernel_of(formula), C=C, tol=1e-6, max_iter=200_000)
    smo.run()
    G = finish(pivoted_cholesky(kernel_of(formula), X, len(X), 1e-13))
    assert G is not None
    beta = finish(maximise(G, y, C, y.copy(), np.zeros(len(y))))
    assert beta is not None
    alpha = y * beta
    assert ((alpha >= 0) & (alpha <= C)).all()
    assert abs(beta.sum()) <= 1e-12 * C.sum()
    found = dual_value(K, y, alpha)
    assert found >= smo.dual * (1 - 1e-5)
    if len(set(C)) == 1:
        exact = solve_dual(K, y, C[0])
        assert found == pytest.approx(0.5 * (exact.dual + exact.primal), rel=1e-5)
    else:
        assert smo.status is Status.OPTIMAL and found == pytest.approx(smo.dual, rel=1e-5)


@pytest.mark.parametrize("formula", FORMULAS[:4], ids=lambda f: f"{f.name}{f.gamma:g}")
def test_the_optimum_of_some_points_while_the_others_stay(formula: Formula) -> None:
    """Started from multipliers that are not 0, on a part whose labels do not balance."""
    X, y, C = data("prices")
    kernel, K = kernel_of(formula), formula(X, X)
    start = SmoSolver(X, y, kernel, C=C)
    start.step(40)
    part = np.flatnonzero(np.arange(len(y)) % 3 > 0)
    beta = start.beta.copy()
    G = finish(pivoted_cholesky(kernel, X[part], len(part), 1e-13))
    assert G is not None
    better = finish(maximise(G, y[part], C[part], start.v[part], beta[part]))
    assert better is not None
    assert better.sum() == pytest.approx(beta[part].sum(), abs=1e-12 * C.sum())
    beta[part] = better
    # Among the points of the part no pair moves any more.
    v, alpha = y - K @ beta, y * beta
    up, low = np.where(y > 0, alpha < C, alpha > 0)[part], np.where(y > 0, alpha > 0, alpha < C)[part]
    assert v[part][up].max() - v[part][low].min() <= 1e-4 * (1 + np.abs(v).max())
    assert dual_value(K, y, alpha) > start.dual


def test_multipliers_end_at_their_bounds() -> None:
    X, y, C = data("prices")
    smo = SmoSolver(X, y, Kernel("rbf", 1.0), C=C, tol=1e-8)
    smo.run()
    G = finish(pivoted_cholesky(Kernel("rbf", 1.0), X, len(X), 1e-13))
    assert G is not None
    beta = finish(maximise(G, y, C, y.copy(), np.zeros(len(y))))
    assert beta is not None
    np.testing.assert_array_equal(np.abs(beta) == 0, smo.alpha == 0)
    np.testing.assert_array_equal(np.abs(beta) == C, smo.alpha == C)


def test_repair_keeps_the_box_and_free_points_free() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        y = rng.choice([-1.0, 1.0], 12)
        C = 10.0 ** rng.uniform(-2.0, 2.0, 12)
        lo, hi = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
        beta = np.clip(y * C * rng.uniform(-0.5, 1.5, 12), lo, hi)
        total = rng.uniform(lo.sum(), hi.sum()) if rng.random() < 0.5 else beta.sum() + 1e-3 * C.min()
        total = min(total, hi.sum())
        new = repaired(y, C, beta, total)
        assert ((lo <= new) & (new <= hi)).all()
        assert new.sum() == pytest.approx(total, abs=1e-12 * C.sum())
        free = (lo < beta) & (beta < hi)
        if abs(total - beta.sum()) < 1e-2 * C.min() and free.any() and min((hi - beta)[free]) > 1e-2 * C.min():
            assert ((lo < new) & (new < hi))[free].all() and (new == beta)[~free].all()


# -- the short cut -----------------------------------------------------------------------------------------------------


def pair_of(X: Array, y: Array, formula: Formula, **parameters: Any) -> tuple[AutoSolver, SmoSolver]:
    kernel = kernel_of(formula)
    return AutoSolver(X, y, kernel, **parameters), SmoSolver(X, y, kernel, **parameters)


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.name}{f.gamma:g}")
@pytest.mark.parametrize("case", ["plain", "dear", "prices", "duplicates", "conflicts"])
def test_short_cut_to_the_same_certified_optimum(case: str, formula: Formula, eager: None) -> None:
    X, y, C = data(case)
    K = formula(X, X)
    quick, slow = pair_of(X, y, formula, C=C, max_iter=2_000_000)
    assert quick.run() is Status.OPTIMAL
    slow.run()
    assert quick.n_short_cuts > 0 or quick.n_iter < 200
    assert quick.dual >= slow.dual * (1 - 1e-4)
    if slow.status is Status.OPTIMAL:
        assert quick.dual == pytest.approx(slow.dual, rel=1e-4)
        assert quick.n_iter <= slow.n_iter + 100
    alpha = quick.alpha
    assert ((alpha >= 0) & (alpha <= C)).all() and abs(y @ alpha) <= 1e-10 * alpha.sum()
    noise = EPS * resolution(K, alpha)
    certificate = quick.certificate()
    assert certificate.dual == pytest.approx(dual_value(K, y, alpha), rel=1e-8)
    assert certificate.n_bounded == (alpha == C).sum()
    v = y - formula(X - quick.centre, X - quick.centre) @ (y * alpha)
    np.testing.assert_allclose(quick.v, v, atol=100 * noise)
    if case != "prices":
        assert kkt_violation(K, y, C[0], alpha) <= max(1e-3 * (1 + 1e-9), 100 * noise)


@pytest.mark.parametrize("first", [20_000, 150_000])
def test_what_is_read_right_after_the_short_cut_is_true(
    first: int, eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While points are left out, too, and whatever was read before."""
    monkeypatch.setattr(auto, "FIRST_TRY", first)
    X, y = points("noisy circle", 200, 5)
    K = Formula("rbf", 2.0)(X, X)
    jumped, in_part = 0, False
    solver = AutoSolver(X, y, Kernel("rbf", 2.0), C=100.0)
    while solver.status is Status.RUNNING:
        part, cuts, before = active_of(solver).part, solver.n_short_cuts, solver.dual
        solver.step(50, stop=lambda: True)
        np.testing.assert_allclose(solver.v, y - K @ (y * solver.alpha), atol=1e-9)
        assert solver.dual >= before * (1 - 1e-12)
        if solver.n_short_cuts > cuts:
            jumped, in_part = jumped + 1, not part.is_whole
    assert jumped > 0 and in_part is (first > 20_000)


def test_replaced_multipliers_are_classified_anew() -> None:
    X, y = points("circle", 30, 2)
    active = active_of(SmoSolver(X, y, Kernel("rbf", 1.0), C=2.0))
    beta = y * np.tile([0.0, 1.0, 2.0], 10)
    active.replace(beta, y.copy())
    part = active.part
    np.testing.assert_array_equal(part.up == 0.0, beta < part.hi)
    np.testing.assert_array_equal(part.low == 0.0, beta > part.lo)


@pytest.mark.parametrize("formula", [Formula("linear"), Formula("rbf", 2.0)], ids=lambda f: f.name)
def test_cuts_change_nothing(formula: Formula, eager: None) -> None:
    X, y = points("noisy circle", 150, 11)
    rng = np.random.default_rng(0)
    make = partial(AutoSolver, X, y, kernel_of(formula), C=1000.0)
    whole, cut, asked = check_cuts(make, lambda: int(rng.integers(1, 60)))
    assert whole.n_short_cuts == cut.n_short_cuts == asked.n_short_cuts > 0
    half = AutoSolver(X, y, kernel_of(formula), C=1000.0)
    assert half.step(5) + half.step(5) == 10


class Spoilt(AutoSolver):
    """The interior point method ends in failure, of one kind or another."""

    def __init__(self, *arguments: Any, **parameters: Any) -> None:
        super().__init__(*arguments, **parameters)
        self.trials = 0

    def _short_cut(self) -> Any:
        self.trials += 1
        return super()._short_cut()


@pytest.mark.parametrize("failure", ["rank", "nothing", "worse", "too far", "same", "no budget"])
def test_without_a_better_answer_it_goes_on_as_smo(failure: str, eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = points("noisy circle", 150, 11)

    def spoilt(G: Array, y: Array, C: Array, v: Array, beta: Array) -> Any:
        yield
        if failure == "too far":  # uphill at first, and much too far down the other side
            far = beta.copy()
            up = np.where(y > 0, C - beta, -beta) > 50.0
            low = np.where(y > 0, beta, C + beta) > 50.0
            far[np.where(up, v, -np.inf).argmax()] += 50.0
            far[np.where(low, v, np.inf).argmin()] -= 50.0
            assert (far - beta) @ v > 0
            return far
        return {"nothing": None, "worse": np.zeros(len(y)), "same": beta.copy()}[failure]

    if failure == "rank":
        monkeypatch.setattr(auto, "LARGEST_RANK", 3)
    elif failure == "no budget":
        monkeypatch.setattr(auto, "SHARE", 0.0)
    else:
        monkeypatch.setattr(auto, "maximise", spoilt)
    quick = Spoilt(X, y, Kernel("rbf", 2.0), C=1000.0)
    slow = SmoSolver(X, y, Kernel("rbf", 2.0), C=1000.0)
    while slow.status is Status.RUNNING:
        slow.step(97)
        quick.step(97)
        np.testing.assert_array_equal(quick.alpha, slow.alpha)
    while quick.status is Status.RUNNING:
        quick.step(97)
    assert quick.trials > 2 and quick.n_short_cuts == 0
    assert quick.snapshot().certificate == slow.snapshot().certificate
    np.testing.assert_array_equal(quick.v, slow.v)


@pytest.mark.parametrize(
    ("kernel", "parameters"),
    [
        (Kernel("sigmoid", 0.2, -0.1), {"C": 10.0}),
        (Kernel("poly", 1.0, -1.0, 3), {"C": 10.0, "max_iter": 3000}),
        (Kernel("rbf", 2.0), {"C": np.inf}),
        (Kernel("rbf", 2.0), {"C": 100.0}),
    ],
)
def test_never_tried_where_it_does_not_apply(kernel: Kernel, parameters: dict[str, Any], eager: None) -> None:
    X, y = points("circle", 80, 2)
    applies = parameters == {"C": 100.0}
    with machine_code(not applies):
        quick = Spoilt(X, y, kernel, **parameters)
        slow = SmoSolver(X, y, kernel, **parameters)
    assert quick.run() is slow.run()
    assert quick.trials == 0
    np.testing.assert_array_equal(quick.alpha, slow.alpha)


def cost(n: int, rank: int) -> int:
    """What the method for `n` points and a kernel matrix of this rank is expected to cost."""
    return auto.ITERATIONS * (n * rank * rank // auto.PER_ENTRY + 8 * n * rank + 50 * n + auto.ITERATION)


def test_the_rank_is_what_the_budget_allows() -> None:
    for n in (50, 500, 5000, 20_000):
        for budget in (1e3, 1e6, 1e7, 1e8, 1e9, 1e10):
            rank = affordable_rank(n, budget)
            assert 0 <= rank <= min(n, auto.LARGEST_RANK)
            assert rank == 0 or cost(n, rank) <= budget
            assert rank == min(n, auto.LARGEST_RANK) or cost(n, rank + 1) > 0.99 * budget


def test_a_stop_is_heard_within_a_bounded_piece_of_work(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces are counted, not timed: with pieces of a tenth there are far more of them."""
    X, y = points("noisy circle", 250, 1)
    looks = []
    for piece in (10**12, 100_000):
        monkeypatch.setattr("solver.svm.interior_point.PIECE", piece)
        G = pivoted_cholesky(Kernel("rbf", 2.0), X, 250)
        made = sum(1 for _ in G)
        factor = finish(pivoted_cholesky(Kernel("rbf", 2.0), X, 250))
        assert factor is not None
        pieces = sum(1 for _ in maximise(factor, y, np.full(250, 10.0), y.copy(), np.zeros(250)))
        looks.append((made, pieces))
    (few, iterations), (many, more) = looks
    assert few == 0 and many >= len(factor) ** 2 * 250 / 2 / 200_000
    assert more > 2 * iterations > 30


# -- the estimator -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.name}{f.gamma:g}")
def test_svc_gives_the_same(formula: Formula, eager: None) -> None:
    X, y = points("noisy circle", 150, 4)
    labels = np.where(y > 0, "in", "out")
    labels[X[:, 0] > 0.6] = "edge"
    shape = {"kernel": formula.name, "gamma": formula.gamma, "coef0": formula.coef0, "degree": formula.degree}
    parameters: dict[str, Any] = {"C": 100.0, "class_weight": {"in": 2.0}, "tol": 1e-4, **shape}
    quick, slow = SVC(solver="auto", **parameters).fit(X, labels), SVC(**parameters).fit(X, labels)
    grid = np.random.default_rng(0).uniform(-1.0, 1.0, (500, 2))
    assert quick.fit_status_ == 0 and quick.certificate_.status is Status.OPTIMAL
    for mine, other in zip(quick.certificates_, slow.certificates_, strict=True):
        assert mine.dual == pytest.approx(other.dual, rel=1e-4) and mine.kkt_violation <= 1e-4
    assert quick.n_iter_.sum() < slow.n_iter_.sum()
    np.testing.assert_allclose(quick.pair_decision_function(grid), slow.pair_decision_function(grid), atol=2e-2)
    clear = np.abs(slow.pair_decision_function(grid)).min(axis=1) > 2e-2
    np.testing.assert_array_equal(quick.predict(grid)[clear], slow.predict(grid)[clear])


def test_far_fewer_updates_without_any_help() -> None:
    """The rule as it is, on a problem on which SMO needs millions of updates."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(1000) % 2 == 0, 1.0, -1.0)
    X = rng.normal(0.0, 1.0, (1000, 2)) + 0.75 * y[:, None]
    solver = AutoSolver(X, y, Kernel("linear"), C=1e4)
    assert solver.run() is Status.OPTIMAL
    assert solver.n_short_cuts > 0 and solver.n_iter < 50_000
    again = SmoSolver(X, y, Kernel("linear"), C=1e4, max_iter=200_000)
    assert again.run() is Status.STOPPED_EARLY and again.dual < solver.dual


def test_its_pieces_may_run_in_several_threads() -> None:
    """The pool goes on with a job in whichever thread is free: nothing of a thread's state may be held over a yield."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(3000) < 0.5, 1.0, -1.0)
    work = maximise(rng.normal(size=(60, 3000)), y, np.full(3000, 10.0), y.copy(), np.zeros(3000))
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        pools, turn = (first, second), 0
        while pools[turn % 2].submit(next, work, "end").result() != "end":
            turn += 1
    assert turn > 3


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.mark.parametrize("first_out", [0, 1])
def test_overlapping_fits_give_the_threads_of_blas_back(first_out: int) -> None:
    """Both are inside a short cut at once; whichever leaves first, the other still has one thread; then all return."""
    expanded._blas.cache_clear()  # another BLAS may have been loaded since by somebody else: `blas_threads` counts it
    go, inside = [Event(), Event()], [Event(), Event()]

    def trial(who: int) -> Iterator[None]:
        inside[who].set()
        assert go[who].wait(300)
        yield

    solvers = [AutoSolver([[0.0], [1.0]], [-1, 1], Kernel("linear")) for _ in go]
    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(2) as pool:
        before = blas_threads()
        if before != {2}:
            pytest.skip("this BLAS has one thread only")
        for who, solver in enumerate(solvers):
            solver._trial = trial(who)  # type: ignore[assignment]
        futures = []
        for who, solver in enumerate(solvers):
            futures.append(pool.submit(solver._advance, 1))
            assert inside[who].wait(300) and blas_threads() == {1}
        for who, threads in ((first_out, {1}), (1 - first_out, {2})):
            go[who].set()
            futures[who].result(20)
            assert blas_threads() == threads
