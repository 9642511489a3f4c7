"""A path of C: the optimum of each C, as from zero and as scikit-learn's, whatever was trained before."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import svm

from solver import SVC, SmoSolver, Status
from solver.data import datasets
from solver.kernels.table import Kernel
from solver.svm import c_path
from solver.svm.c_path import MOST_POINTS, PathSolver
from tests.solver.svm_reference import solve_dual

KERNELS = (Kernel("rbf", 0.01), Kernel("rbf", 3.0), Kernel("rbf", 100.0), Kernel("linear"), Kernel("laplacian", 1.0))
KERNELS += (Kernel("poly", 1.0, 1.0, 3),)


def points(n: int = 60, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    X, y = datasets.generate("moons", n, 0.3, seed)
    return X, np.where(y == 0, -1.0, 1.0)


def ended(solver: SmoSolver) -> SmoSolver:
    while solver.status is Status.RUNNING:
        solver.step(10_000)
    return solver


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.name}-{kernel.gamma:g}")
@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_each_C_ends_at_its_optimum(kernel: Kernel, tol: float) -> None:
    X, y = points()
    solver = PathSolver(X, y, kernel, C=0.01, tol=tol)
    for index, C in enumerate((0.01, 0.1, 3.0, 50.0, 1e3, 7.0)):  # back again, too
        if index:
            solver.restart(C)
            assert solver.status is Status.RUNNING and solver.n_iter == 0
        assert ended(solver).status is Status.OPTIMAL
        K, alpha = kernel.gram(X, X), solver.alpha
        v = y - K @ (y * alpha)  # from its definition, not the solver's
        above, below = v[y * alpha < np.where(y > 0, C, 0.0)], v[y * alpha > np.where(y > 0, 0.0, -C)]
        assert above.max() - below.min() <= tol + 1e-9 * C
        assert alpha.min() >= 0.0 and alpha.max() <= C and abs(solver.beta.sum()) < 1e-12 * C * len(y)
        cold = ended(SmoSolver(X, y, kernel, C=C, tol=tol))
        assert solver.dual == pytest.approx(cold.dual, rel=0.1 * tol, abs=tol)
        rows = kernel.gram(X - solver.centre, solver.points.T)
        f = rows @ solver.beta + solver.intercept
        assert np.allclose(f, y - solver.v + solver.intercept, atol=1e-9 * max(C, 1.0))


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.booleans()), min_size=2, max_size=25),
    st.lists(st.floats(-2.0, 3.0).map(lambda power: 10.0**power), min_size=1, max_size=5),
    st.sampled_from(KERNELS),
    st.sampled_from([1, c_path.PIECE]),
)
def test_any_path_is_optimal(rows: list[tuple[int, int, bool]], Cs: list[float], kernel: Kernel, piece: int) -> None:
    """Against a dense QP and scikit-learn; many of these points are equal, also with different labels."""
    X, y = np.array([row[:2] for row in rows]) / 2.0, np.where([*(row[2] for row in rows[:-2]), True, False], 1.0, -1.0)
    K, tol = kernel.gram(X, X), 1e-6
    with patch.object(c_path, "PIECE", piece):  # the pivots may be interrupted
        solver = PathSolver(X, y, kernel, C=Cs[0], tol=tol)
        for index, C in enumerate(Cs):
            if index:
                solver.restart(C)
            solver.run()
            certificate = solver.certificate()
            assert certificate.status in (Status.OPTIMAL, Status.PRECISION)
            scale = C * len(y)
            best = solve_dual(K, y, C)
            low, high = best.dual, best.primal
            assert low - 1e-5 * scale <= solver.dual <= high + 1e-5 * scale
            assert certificate.dual <= high + 1e-9 * scale and certificate.primal >= low - 1e-9 * scale
            if certificate.status is Status.OPTIMAL:
                assert certificate.kkt_violation <= tol
            f = y - solver.v + solver.intercept
            free = (solver.alpha > 0.0) & (solver.alpha < C)
            if free.any():  # else the intercept is any of an interval
                peer = svm.SVC(C=C, kernel="precomputed", tol=1e-8).fit(K, y)
                assert np.allclose(f, peer.decision_function(K), atol=1e-4 * max(1.0, np.abs(f).max()) + 1e-5 * C)


def test_classes_of_different_weights_are_those_of_scikit_learn() -> None:
    X, labels = datasets.generate("blobs", 40, 1.0, 2, n_classes=3)
    weights, queries = {0: 1.0, 1: 5.0, 2: 0.3}, np.random.default_rng(1).normal(size=(300, 2)) * 2.0
    machine = SVC(C=0.1, gamma=1.0, tol=1e-6, class_weight=weights, solver="path")
    trainer = machine.prepare(X, labels)
    for ratio, C in ((1.0, 0.1), (40.0, 4.0), (50.0, 200.0)):
        for solver in trainer.solvers:
            if ratio > 1.0:
                solver.restart(solver.C * ratio)
            ended(solver)
        peer = svm.SVC(C=C, gamma=1.0, tol=1e-6, class_weight=weights, decision_function_shape="ovo").fit(X, labels)
        model = machine.adopt(trainer.snapshot())
        assert np.allclose(model.pair_decision_function(queries), peer.decision_function(queries), atol=1e-4 * C)


def test_twins_and_conflicts_end() -> None:
    X, y = points(20)
    X, y = np.concatenate([X, X, X[:7]]), np.concatenate([y, y, -y[:7]])
    for kernel in KERNELS:
        solver = PathSolver(X, y, kernel, C=1.0)
        for C in (30.0, 3e3):
            ended(solver)
            solver.restart(C)
        assert ended(solver).status is Status.OPTIMAL
        assert solver.dual == pytest.approx(ended(SmoSolver(X, y, kernel, C=3e3)).dual, rel=1e-3)


def test_large_C_takes_a_small_share_of_the_updates() -> None:
    X, y = points(200)
    kernel, cold = Kernel("rbf", 1.0), 0
    solver, warm = PathSolver(X, y, kernel, C=100.0), 0
    for C in (100.0, 300.0, 1000.0, 3000.0, 10_000.0):
        if C > 100.0:
            solver.restart(C)
        warm += ended(solver).n_iter
        cold += ended(SmoSolver(X, y, kernel, C=C)).n_iter
    assert warm < 0.1 * cold, (warm, cold)


def test_what_is_no_path_is_refused() -> None:
    X, y = points(20)
    with pytest.raises(ValueError, match="up to 5000 points, not 5002"):
        PathSolver(*points(MOST_POINTS // 2 + 1), Kernel())
    with pytest.raises(ValueError, match="positive semidefinite kernel and a finite C"):
        PathSolver(X, y, Kernel("sigmoid"))
    with pytest.raises(ValueError, match="positive semidefinite kernel and a finite C"):
        PathSolver(X, y, Kernel(), C=np.inf)
    solver = PathSolver(X, y, Kernel())
    with pytest.raises(ValueError, match="scales them all alike"):
        solver.restart(np.arange(1.0, 41.0))
    with pytest.raises(ValueError, match="C is inf"):
        solver.restart(np.inf)


def test_an_early_end_keeps_within_the_updates_allowed() -> None:
    solver = PathSolver(*points(), Kernel("rbf", 3.0), C=1e4, max_iter=30)
    solver.step(10_000)
    assert solver.status is Status.STOPPED_EARLY and solver.n_iter <= 60
    assert abs(solver.beta.sum()) < 1e-6
