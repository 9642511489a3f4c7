"""AutoSolver as ``SVC().fit`` runs it: against LIBSVM, against SMO, and cut into pieces."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import svm
from sklearn.metrics.pairwise import pairwise_kernels
from threadpoolctl import threadpool_info, threadpool_limits

from solver import SVC, Kernel, SmoSolver, Status
from solver.core import certificate, one_thread
from solver.core.certificate import EPS, Certificate
from solver.data.datasets import generate
from solver.svm import auto, shrinking, smo
from solver.svm.auto import AutoSolver, Solved
from tests.solver.inside import active_of, reached
from tests.solver.svm_reference import Formula, points
from tests.without_compiler import machine_code

Array = NDArray[np.float64]
FORMULAS = (
    Formula("linear"),
    Formula("poly", 1.0, 1.0, 3),
    Formula("rbf", 1.0),
    Formula("rbf", 0.1),
    Formula("laplacian", 0.5),
)


def chessboard(n: int, seed: int = 0) -> tuple[Array, Array]:
    X = np.random.default_rng(seed).uniform(0.0, 4.0, (n, 2))
    return X, np.where(np.floor(X).sum(axis=1) % 2 == 0, 1.0, -1.0)


def moons(n: int, noise: float = 0.3) -> tuple[Array, Array]:
    X, labels = generate("moons", n // 2, noise=noise, seed=1)
    return X, np.where(labels > 0, 1.0, -1.0)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the short cuts early, with few points and at any cost, also where points are left out."""
    early = {
        "EXPANDED": 100,
        "LINEAR": 100,
        "FEWEST": 10,
        "FIRST_PIVOT": 50,
        "FREE": 1.0,
        "NEWTON": 100,
        "PER_FEATURE": 10,
    }
    for name, value in early.items():
        monkeypatch.setattr(auto, name, value)
    monkeypatch.setattr(shrinking, "FIRST_REVIEW", 100)
    monkeypatch.setattr(shrinking, "LEAST_SHRUNK", 5)
    monkeypatch.setattr(shrinking, "ROW_COST", 10**6)


def check(proof: Certificate, K: Array, y: Array, C: Array, beta: Array, tol: float = 1e-3) -> None:
    """Check that the multipliers are feasible, and optimal by the matrix `K` of another library."""
    lo, hi = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    assert (lo <= beta).all() and (beta <= hi).all() and abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
    assert proof.status is Status.OPTIMAL
    v = y - K @ beta
    noise = 2.0 * proof.kernel_error + 100.0 * EPS * float((np.abs(K) @ np.abs(beta)).max())
    violation = float(v[beta < hi].max() - v[beta > lo].min())
    assert violation <= tol + noise and abs(violation - proof.kkt_violation) <= noise
    dual = float(np.abs(beta).sum() - 0.5 * beta @ K @ beta)
    assert proof.dual == pytest.approx(dual, rel=1e-6) and proof.dual <= dual * (1.0 + 1e-12) + noise
    assert proof.primal >= dual and proof.gap <= 0.02


SHAPES: tuple[dict[str, Any], ...] = (
    {"kernel": "rbf", "gamma": 1.0},
    {"kernel": "rbf", "gamma": 20.0},
    {"kernel": "linear"},
    {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 3},
)


@pytest.mark.parametrize("trials", [range(24), pytest.param(range(24, 240), marks=pytest.mark.soak)])
def test_random_problems_against_libsvm(trials: range, eager: None) -> None:
    for trial in trials:
        rng = np.random.default_rng(trial)
        n, shape = int(rng.integers(20, 500)), SHAPES[trial % 4]
        X, y = (chessboard if trial % 8 < 4 and shape["kernel"] == "rbf" else moons)(2 * (n // 2))
        X, C = X + rng.normal(size=2), 10.0 ** rng.integers(-1, 3)
        weights = rng.uniform(0.2, 3.0, len(X)) if trial % 3 == 0 else np.ones(len(X))
        mine = SVC(C, **shape).fit(X, y, weights)
        theirs = svm.SVC(C=C, cache_size=100, **shape).fit(X, y, weights)
        beta, other = np.zeros(len(X)), np.zeros(len(X))
        beta[mine.support_], other[theirs.support_] = mine.dual_coef_[0], theirs.dual_coef_[0]
        parameters = {name: value for name, value in shape.items() if name != "kernel"}
        K = pairwise_kernels(X, metric=shape["kernel"], **parameters)
        if shape["kernel"] == "linear":  # shifted, so that v keeps its digits; beta sums to 0
            K = pairwise_kernels(X - X.mean(axis=0), metric="linear")
        check(mine.certificate_, K, y, C * weights, beta)
        dual = float(np.abs(other).sum() - 0.5 * other @ K @ other)
        assert mine.certificate_.dual >= dual - 1e-3 * abs(dual), trial


def test_replaced_multipliers_are_classified_anew() -> None:
    X, y = points("circle", 30, 2)
    active = active_of(SmoSolver(X, y, Kernel("rbf", 1.0), C=2.0))
    beta = y * np.tile([0.0, 1.0, 2.0], 10)
    active.replace(beta, y.copy())
    part = active.part
    np.testing.assert_array_equal(part.up == 0.0, beta < part.hi)
    np.testing.assert_array_equal(part.low == 0.0, beta > part.lo)


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
        quick = AutoSolver(X, y, kernel, **parameters)
        slow = SmoSolver(X, y, kernel, **parameters)
    assert quick.run() is slow.run()
    assert quick.n_short_cuts == 0 and reached(quick) == reached(slow)


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.name}{f.gamma:g}")
def test_svc_has_the_same_result(formula: Formula, eager: None) -> None:
    X, y = points("noisy circle", 150, 4)
    labels = np.where(y > 0, "in", "out")
    labels[X[:, 0] > 0.6] = "edge"
    shape = {"kernel": formula.name, "gamma": formula.gamma, "coef0": formula.coef0, "degree": formula.degree}
    parameters: dict[str, Any] = {"C": 100.0, "class_weight": {"in": 2.0}, "tol": 1e-4, **shape}
    quick, slow = (SVC(solver=s, **parameters).fit(X, labels) for s in ("auto", "smo"))
    grid = np.random.default_rng(0).uniform(-1.0, 1.0, (500, 2))
    assert quick.fit_status_ == 0 and quick.certificate_.status is Status.OPTIMAL
    for mine, other in zip(quick.certificates_, slow.certificates_, strict=True):
        assert mine.dual == pytest.approx(other.dual, rel=1e-4) and mine.kkt_violation <= 1e-4
    assert quick.n_iter_.sum() < slow.n_iter_.sum()
    np.testing.assert_allclose(quick.pair_decision_function(grid), slow.pair_decision_function(grid), atol=2e-2)
    clear = np.abs(slow.pair_decision_function(grid)).min(axis=1) > 2e-2
    np.testing.assert_array_equal(quick.predict(grid)[clear], slow.predict(grid)[clear])


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.name}{f.gamma:g}")
def test_another_small_problem_is_solved_in_one_call(formula: Formula) -> None:
    kernel = Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)
    first = AutoSolver(*moons(20), kernel, tol=1e-4)
    for n in (30, 200):
        X, y = moons(n)
        C = np.random.default_rng(0).uniform(0.1, 2.0, n)
        solved, reference = first.another(X, y, C), SmoSolver(X, y, kernel, C=C, tol=1e-4)
        reference.run()
        assert isinstance(solved, Solved)
        answer, expected = solved.snapshot(), reference.snapshot()
        for name in ("alpha", "v", "intercept", "working_set", "centre"):
            np.testing.assert_array_equal(getattr(answer, name), getattr(expected, name), err_msg=name)
        assert answer.certificate == expected.certificate
        check(answer.certificate, formula(X, X), y, C, y * answer.alpha, tol=1e-4)


def test_another_problem_that_is_not_solved_at_once_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = moons(150)
    kernel, C = Kernel("rbf", 2.0), np.full(150, 1000.0)
    first = AutoSolver(*moons(20), kernel)
    monkeypatch.setattr(smo, "PIECE", 20_000)
    solver = first.another(X, y, C)
    assert isinstance(solver, AutoSolver) and solver.status is Status.RUNNING and 0 < solver.n_iter < 100
    n_iter, dual = solver.n_iter, solver.dual
    assert solver.run() is Status.OPTIMAL and solver.n_iter >= n_iter and solver.dual > dual > 0.0
    check(solver.certificate(), Formula("rbf", 2.0)(X, X), y, C, solver.beta)
    labels = np.where(X[:, 0] > 0.0, y, 2.0)  # and as `fit` uses it
    model, slow = SVC(1000.0, gamma=2.0).fit(X, labels), SVC(1000.0, gamma=2.0, solver="smo").fit(X, labels)
    for mine, other in zip(model.certificates_, slow.certificates_, strict=True):
        assert mine.status is Status.OPTIMAL and mine.dual == pytest.approx(other.dual, rel=1e-4)


def test_far_fewer_updates_without_any_help() -> None:
    """The rule as it is, on a problem for which SMO needs millions of updates."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(1000) % 2 == 0, 1.0, -1.0)
    X = rng.normal(0.0, 1.0, (1000, 2)) + 0.75 * y[:, None]
    solver = AutoSolver(X, y, Kernel("linear"), C=1e4)
    assert solver.run() is Status.OPTIMAL
    assert solver.n_short_cuts > 0 and solver.n_iter < 50_000
    again = SmoSolver(X, y, Kernel("linear"), C=1e4, max_iter=200_000)
    assert again.run() is Status.STOPPED_EARLY and again.dual < solver.dual


# -- certificates on request
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [80, 600])
def test_the_certificate_is_made_on_request(n: int, eager: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No search for a primal bound in `fit`; then the bound of the solver, also from a copy, or after another fit."""
    X, y = moons(n)
    solver = AutoSolver(X, y, Kernel("rbf", 1.0), C=30.0, tol=0.3)
    solver.run()
    quick, searches, search = solver.certificate(thorough=False), [], certificate.best_primal
    errors = solver._evidence().errors
    norm, g = solver.squared_norm + float(solver.alpha @ errors), solver.y - solver.v - solver.y * errors
    best = search(solver.y, solver.C, g, norm)

    def counted(y: Array, C: Array, g: Array, norm: float, thorough: bool = True) -> float:
        searches.append(thorough)
        return search(y, C, g, norm, thorough)

    monkeypatch.setattr(certificate, "best_primal", counted)
    model = SVC(30.0, gamma=1.0, tol=0.3).fit(X, y)
    assert not searches and "certificates_" not in vars(model)
    assert (solver.error > 0.0) == (n == 600) and model.certificate_.kernel_error == errors.max()
    assert model.certificate_.primal == min(best, quick.primal) and model.certificate_.dual == quick.dual
    assert model.certificate_.gap < quick.gap and searches == [False, True]
    assert model.certificate_ is model.certificates_[0] and len(searches) == 2
    fresh = SVC(30.0, gamma=1.0, tol=0.3).fit(X, y)
    data = pickle.dumps(fresh)
    assert len(searches) == 4 and len(data) < len(pickle.dumps(X)) + 20_000
    assert repr(pickle.loads(data).certificate_) == repr(model.certificate_) and len(searches) == 4
    close = SVC(30.0, gamma=1.0, tol=1e-6).fit(X, y)
    assert close.certificate_.gap <= certificate.SMALL_GAP and searches[4:] == [False], "nothing worth a search"
    before = model.certificate_.dual
    assert model.set_params(C=1.0).fit(X, y).certificate_.dual < 0.5 * before


# -- little to gain, and special cases
# ----------------------------------------------------------------------------------


def test_two_points() -> None:
    model = SVC(1.0, gamma=1.0).fit([[0.0], [2.0]], [0, 1])
    alpha = min(1.0, 1.0 / (1.0 - np.exp(-4.0)))
    np.testing.assert_allclose(model.dual_coef_, [[-alpha, alpha]], rtol=1e-9)
    assert model.certificate_.status is Status.OPTIMAL and model.n_iter_.tolist() == [1]


def test_duplicates_and_points_with_two_labels(eager: None) -> None:
    X, y = moons(80)
    X, y = np.vstack([X, X, X[:30]]), np.concatenate([y, y, -y[:30]])
    for C in (1.0, 100.0):
        model = SVC(C, gamma=2.0).fit(X, y)
        beta = np.zeros(len(X))
        beta[model.support_] = model.dual_coef_[0]
        check(model.certificate_, pairwise_kernels(X, metric="rbf", gamma=2.0), y, np.full(len(X), C), beta)


def test_class_weights_and_several_classes(eager: None) -> None:
    X, labels = generate("blobs", 120, noise=0.6, seed=2)
    weights = {0: 3.0, 1: 1.0, 2: 0.5}
    model = SVC(10.0, gamma=1.0, class_weight=weights).fit(X, labels)
    theirs = svm.SVC(C=10.0, gamma=1.0, class_weight=weights, tol=1e-6).fit(X, labels)
    assert model.fit_status_ == 0 and (model.n_support_ > 0).all()
    np.testing.assert_allclose(model.decision_function(X), theirs.decision_function(X), atol=5e-3)


@pytest.mark.parametrize("kernel", ["precomputed", "callable"])
def test_a_kernel_that_is_no_formula(kernel: str, eager: None) -> None:
    X, y = chessboard(200)
    K = pairwise_kernels(X, metric="rbf", gamma=2.0)
    model = (
        SVC(50.0, kernel="precomputed").fit(K, y)
        if kernel == "precomputed"
        else SVC(50.0, kernel=lambda A, B: pairwise_kernels(A, B, metric="rbf", gamma=2.0)).fit(X, y)
    )
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    check(model.certificate_, K, y, np.full(len(X), 50.0), beta)
    assert model.certificate_.kernel_error < 1e-9, "that of the sums alone"


def test_limits_of_time_and_steps_are_kept(eager: None) -> None:
    X, y = moons(1500)
    with pytest.warns(match="max_time"):
        late = SVC(1000.0, gamma=2.0, max_time=1e-9).fit(X, y)
    with pytest.warns(match="max_iter=40"):
        short = SVC(1000.0, gamma=2.0, max_iter=40).fit(X, y)
    for model in (late, short):
        assert model.fit_status_ == 1 and model.certificate_.status is Status.STOPPED_EARLY
        assert 0.0 <= model.certificate_.dual <= model.certificate_.primal
    assert short.n_iter_.tolist() == [40] and short.certificate_.dual > 0.0


# -- threads ----------------------------------------------------------------------------------------------------------


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.mark.parametrize("first_out", [0, 1])
def test_overlapping_fits_restore_the_threads_of_blas(first_out: int) -> None:
    """Both use a short cut at once; whichever ends first, the other still has one thread; then all are restored."""
    one_thread._blas.cache_clear()  # another BLAS may have been loaded since: `blas_threads` counts it
    go, inside = [Event(), Event()], [Event(), Event()]

    def trial(who: int) -> Iterator[None]:
        inside[who].set()
        assert go[who].wait(300)
        yield

    solvers = [AutoSolver([[0.0, 0.0], [1.0, 0.0]], [-1, 1], Kernel("linear")) for _ in go]
    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(2) as pool:
        before = blas_threads()
        if before != {2}:
            pytest.skip("this BLAS has one thread only")
        for who, solver in enumerate(solvers):
            solver._use_expansion()
            solver._trial = trial(who)  # type: ignore[assignment]
        futures = []
        for who, solver in enumerate(solvers):
            futures.append(pool.submit(solver.step, 1, lambda: True))
            assert inside[who].wait(300) and blas_threads() == {1}
        for who, threads in ((first_out, {1}), (1 - first_out, {2})):
            go[who].set()
            futures[who].result(20)
            assert blas_threads() == threads
