"""The active set method: its factor, its optimum against a dense QP, and certificates recomputed from kernel rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solver.core.certificate import Status
from solver.kernels.table import Kernel
from solver.svm import _pivot_loops as loops
from solver.svm import auto, pivoting, smo
from solver.svm.auto import AutoSolver
from solver.svm.pivoting import Pivoting
from solver.svm.smo import SmoSolver
from tests.solver.inside import active_of
from tests.solver.svm_reference import Formula, dual_value, kkt_violation, points

Array = NDArray[np.float64]
FORMULAS = (Formula("linear"), Formula("poly", 1.0, 1.0, 3), Formula("rbf", 1.0), Formula("laplacian", 0.5))


def kernel_of(formula: Formula) -> Kernel:
    return Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)


def problem(case: str) -> tuple[Array, Array, Array]:
    """Return points, labels and upper bounds."""
    rng = np.random.default_rng(7)
    X, y = points("noisy circle", 120, 3)
    C = np.full(len(y), 10.0)
    if case == "dear":
        C[:] = 1e4
    elif case == "prices":
        C = 10.0 ** rng.uniform(-2.0, 3.0, len(y))
    elif case == "duplicates":
        X = X[rng.integers(0, 25, len(y))]
    elif case == "apart":
        X = 1e4 * rng.normal(size=X.shape)
    elif case == "one against all":
        y = np.where(np.arange(len(y)) == 7, 1.0, -1.0)
    return X, y, C


CASES = ("plain", "dear", "prices", "duplicates", "apart", "one against all")


def primal_value(K: Array, y: Array, C: Any, alpha: Array) -> float:
    """Return 1/2 ||w||^2 + sum of C hinge losses at the best of all intercepts, a breakpoint of the sum."""
    g = K @ (y * alpha)
    losses = np.maximum(0.0, 1.0 - y * (g + (y - g)[:, None]))
    return float(0.5 * (y * alpha) @ g + (C * losses).sum(axis=1).min())


def centred(solver: SmoSolver, formula: Formula, X: Array) -> Array:
    return formula(X - solver.centre, X - solver.centre)


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f.name)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("updates", [0, 40])
def test_pivots_end_at_the_optimum(formula: Formula, case: str, updates: int) -> None:
    X, y, C = problem(case)
    if case == "apart" and formula.name in ("linear", "poly"):
        pytest.skip("no well-scaled problem")
    solver = SmoSolver(X, y, kernel_of(formula), C=C)
    solver.step(updates)
    part, before = active_of(solver).part, solver.dual
    work = Pivoting(part)
    duals = [before]
    outcome = loops.RUNNING
    while outcome == loops.RUNNING:
        outcome = work.work(1e-4, 1)
        beta, K = part.beta, centred(solver, formula, X)
        assert ((part.lo <= beta) & (beta <= part.hi)).all() and abs(beta.sum()) <= 1e-12 * (1.0 + C.sum())
        scale = 1e-9 * (1.0 + float(np.abs(K).max()) * C.max())
        np.testing.assert_allclose(part.v, y - K @ beta, atol=scale)
        assert ((part.up == 0.0) == (beta < part.hi)).all() and ((part.low == 0.0) == (beta > part.lo)).all()
        duals.append(dual_value(K, y, np.abs(beta)))
    assert outcome == loops.CONVERGED and part.violation <= 1e-4
    assert (np.diff(duals) >= -1e-9 * abs(duals[-1])).all(), "each round raises the dual"
    assert primal_value(K, y, C, np.abs(beta)) - duals[-1] <= 2e-4 * C.sum()
    assert kkt_violation(K, y, C, np.abs(beta)) <= 1.1e-4


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("n", [150, 600])
def test_the_certificate_is_true(C: float, n: int) -> None:
    """From kernel rows: primal and dual of the multipliers themselves."""
    X, y = points("noisy circle", n, 5)
    solver = AutoSolver(X, y, Kernel("rbf", 2.0), C=C)
    assert solver.run() is Status.OPTIMAL
    assert solver.n_short_cuts > 0 or C == 1.0
    proof, K = solver.certificate(), Formula("rbf", 2.0)(X, X)
    room = proof.kernel_error * (solver.alpha.sum() + C * n)
    assert dual_value(K, y, solver.alpha) == pytest.approx(proof.dual, rel=1e-9, abs=room)
    assert proof.dual <= proof.primal <= primal_value(K, y, C, solver.alpha) * (1.0 + 1e-9) + room
    assert proof.gap <= 2e-3 and kkt_violation(K, y, C, solver.alpha) <= 1e-3 + 1e-9 * C
    slow = SmoSolver(X, y, Kernel("rbf", 2.0), C=C)
    slow.run()
    assert solver.dual >= slow.dual * (1.0 - 1e-4)


def unsuitable(trial: int) -> tuple[Array, Array, Kernel, Any]:
    """Return unsuitable problems: too many free points, nearly the identity, duplicates, very different C."""
    rng = np.random.default_rng(trial)
    n = int(rng.integers(20, 120))
    X, y = rng.normal(size=(n, int(rng.integers(1, 4)))), np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    C: Any = 10.0 ** rng.uniform(-1.0, 4.0)
    if trial % 4 == 1:
        X = X[rng.integers(0, 10, n)]
    elif trial % 4 == 2:
        C = C * 10.0 ** rng.uniform(-3.0, 0.0, n)
    name = ("rbf", "rbf", "laplacian", "rbf", "poly")[trial % 5]
    return X, y, Kernel(name, 10.0 ** rng.uniform(-1.0, 3.0) if name != "poly" else 1.0, 1.0), C


@pytest.mark.parametrize("room", [24, 400])
def test_where_it_is_unsuitable_smo_goes_on(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pivoting, "MOST", room)
    monkeypatch.setattr(auto, "FIRST_PIVOT", 5)
    full = 0
    for trial in range(50):
        X, y, kernel, C = unsuitable(trial)
        solver = AutoSolver(X, y, kernel, C=C)
        full += solver.run() is Status.OPTIMAL and solver.n_iter > 5
        K, alpha, prices = Formula(kernel.name, kernel.gamma, 1.0, 3)(X, X), solver.alpha, np.broadcast_to(C, len(y))
        noise = 1e-10 * (1.0 + float(np.abs(K).max()) * float(alpha.sum()))
        assert ((alpha >= 0) & (alpha <= prices)).all() and abs(y @ alpha) <= 1e-10 * (1.0 + alpha.sum()), trial
        assert solver.status is Status.OPTIMAL and kkt_violation(K, y, prices, alpha) <= 1e-3 + noise, trial
        proof = solver.certificate()
        assert proof.dual == pytest.approx(dual_value(K, y, alpha), rel=1e-7, abs=noise), trial
        assert proof.dual <= proof.primal + noise, trial
        assert proof.primal <= primal_value(K, y, prices, alpha) * (1.0 + 1e-6) + noise, trial
    assert full > 5 if room == 24 else full < 50


def test_a_limit_in_the_middle_leaves_true_multipliers() -> None:
    """Stopped between two pieces, the multipliers and v belong together, and the dual is not below 0."""
    X, y = points("noisy circle", 3000, 2)
    for pieces in (1, 3, 10, 12, 14, 20, 40):
        solver = AutoSolver(X, y, Kernel("rbf", 1.0), C=1e4)
        for _ in range(pieces):
            solver.step(10**6, stop=lambda: True)
        solver.give_up()
        proof, some = solver.certificate(), slice(0, 3000, 50)
        v = y[some] - Formula("rbf", 1.0)(X[some], X) @ solver.beta
        np.testing.assert_allclose(solver.v[some], v, atol=1e-5 + proof.kernel_error)
        assert -1e-6 <= proof.dual <= proof.primal and (0.0 <= proof.gap <= 1.0 or np.isnan(proof.gap))


def test_pivots_on_some_of_the_points_leave_true_multipliers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "FIRST_PIVOT", 3000)
    monkeypatch.setattr(smo, "PIECE", 5000)
    X, y = points("noisy circle", 600, 2)
    K = Formula("rbf", 1.0)(X, X)
    for looks in (2, 5):
        solver, parts = AutoSolver(X, y, Kernel("rbf", 1.0), C=1e3), 0
        while parts < looks:  # v is read only once, since a read value is kept
            solver.step(10**6, stop=lambda: True)
            parts += solver._trial is not None and not active_of(solver).part.is_whole
        np.testing.assert_allclose(solver.v, y - K @ solver.beta, atol=1e-6)
    assert solver.run() is Status.OPTIMAL and solver.n_short_cuts > 0
    assert kkt_violation(K, y, 1e3, solver.alpha) <= 1e-3 + 1e-6


def test_a_limit_of_few_updates_is_one_of_pivots_too() -> None:
    X, y = points("noisy circle", 100, 2)
    solver = AutoSolver(X, y, Kernel("rbf", 1.0), C=100.0, max_iter=1, alpha=np.full(100, 0.1))
    assert solver.run() is Status.STOPPED_EARLY and solver.n_iter == 1


def test_smo_itself_is_as_ever() -> None:
    """The lanes' solver makes its steps one by one, and no pivots."""
    X, y = points("noisy circle", 200, 2)
    whole, single = (SmoSolver(X, y, Kernel("rbf", 1.0), C=100.0, shrinking=False) for _ in range(2))
    single.start_notes()
    K = Formula("rbf", 1.0)(X, X)
    beta, v, hi, lo = np.zeros(200), y.copy(), np.where(y > 0, 100.0, 0.0), np.where(y > 0, 0.0, -100.0)
    for _ in range(60):  # the second-order rule of Fan, Chen, Lin (2005), from its definition
        i = int(np.where(beta < hi, v, -np.inf).argmax())
        rise = np.maximum(0.0, v[i] - np.where(beta > lo, v, np.inf))
        j = int((rise**2 / np.maximum(2.0 - 2.0 * K[i], 1e-12)).argmax())
        length = min((v[i] - v[j]) / (2.0 - 2.0 * K[i, j]), hi[i] - beta[i], beta[j] - lo[j])
        beta[i] += length
        beta[j] -= length
        v -= length * (K[i] - K[j])
        single.step()
        assert single.working_set == (i, j)
        np.testing.assert_allclose(single.beta, beta, atol=1e-8)
    whole.step(60)
    assert whole.alpha.tobytes() == single.alpha.tobytes()


def test_points_with_equal_v_on_one_side_do_not_join_for_ever() -> None:
    """Far apart, the points of the larger class have v = 1 exactly: three of them alone cannot move."""
    X = 1e3 * np.arange(300.0)[:, None]
    y = np.where(np.arange(300) % 3 == 0, -1.0, 1.0)
    part = active_of(SmoSolver(X, y, Kernel("rbf", 100.0))).part
    work = Pivoting(part)
    outcome = loops.RUNNING
    for _ in range(2000):
        outcome = work.work(1e-3, 1)
        if outcome != loops.RUNNING:
            break
    assert outcome == loops.CONVERGED and part.violation <= 1e-3


def test_pivots_wait_until_they_are_worth_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a narrow kernel nearly all points are free, and SMO ends before any pivot; with a wide one it does not."""
    n_pivots = []

    def counted(self: Pivoting, tol: float, budget: int) -> int:
        n_pivots.append(budget)
        return work(self, tol, budget)

    work = Pivoting.work
    monkeypatch.setattr(Pivoting, "work", counted)
    X, y = points("noisy circle", 1000, 3)
    for gamma, some in ((300.0, False), (1.0, True)):
        n_pivots.clear()
        solver = AutoSolver(X, y, Kernel("rbf", gamma), C=100.0)
        assert solver.run() is Status.OPTIMAL and bool(n_pivots) == some
