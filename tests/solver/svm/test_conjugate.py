"""SMO with conjugate directions, as ``SVC(solver="smo").fit`` runs it: against LIBSVM, plain numpy and `SmoSolver`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import svm
from sklearn.metrics.pairwise import pairwise_kernels

from solver import SVC, Kernel, Status
from solver.core.certificate import EPS, Certificate
from solver.data.datasets import generate
from solver.svm import _conjugate_loops as loops
from solver.svm import auto, conjugate, shrinking
from solver.svm.conjugate import ConjugateSolver
from solver.svm.smo import SmoSolver
from tests.solver.inside import check_cuts, reached
from tests.without_compiler import machine_code

Array = NDArray[np.float64]


def chessboard(n: int, seed: int = 0) -> tuple[Array, Array]:
    X = np.random.default_rng(seed).uniform(0.0, 4.0, (n, 2))
    return X, np.where(np.floor(X).sum(axis=1) % 2 == 0, 1.0, -1.0)


def moons(n: int, noise: float = 0.3) -> tuple[Array, Array]:
    X, labels = generate("moons", n // 2, noise=noise, seed=1)
    return X, np.where(labels > 0, 1.0, -1.0)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few points are trained by a part of them first, and left out boldly; expansions are used whatever they cost."""
    monkeypatch.setattr(conjugate, "LEAST", 100)
    monkeypatch.setattr(conjugate, "PER_COST", 0)
    monkeypatch.setattr(auto, "FEWEST", 10)
    monkeypatch.setattr(shrinking, "ROW_COST", 10**6)


def check(certificate: Certificate, K: Array, y: Array, C: Array, beta: Array, tol: float = 1e-3) -> None:
    """The multipliers are feasible, and optimal by the matrix `K` of another library."""
    lo, hi = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    assert (lo <= beta).all() and (beta <= hi).all() and abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
    assert certificate.status is Status.OPTIMAL
    v = y - K @ beta
    noise = 2.0 * certificate.kernel_error + 100.0 * EPS * float((np.abs(K) @ np.abs(beta)).max())
    violation = float(v[beta < hi].max() - v[beta > lo].min())
    assert violation <= tol + noise and abs(violation - certificate.kkt_violation) <= noise
    dual = float(np.abs(beta).sum() - 0.5 * beta @ K @ beta)
    assert certificate.dual == pytest.approx(dual, rel=1e-6) and certificate.dual <= dual * (1.0 + 1e-12) + noise
    assert certificate.primal >= dual and certificate.gap <= 0.02


SHAPES: tuple[dict[str, Any], ...] = (
    {"kernel": "rbf", "gamma": 1.0},
    {"kernel": "rbf", "gamma": 20.0},
    {"kernel": "linear"},
    {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 3},
)


@pytest.mark.parametrize("trials", [range(24), pytest.param(range(24, 240), marks=pytest.mark.soak)])
def test_random_problems_against_libsvm(trials: range, small: None) -> None:
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
        if shape["kernel"] == "linear":  # shifted, so that v has its digits; beta sums to 0
            K = pairwise_kernels(X - X.mean(axis=0), metric="linear")
        check(mine.certificate_, K, y, C * weights, beta)
        dual = float(np.abs(other).sum() - 0.5 * other @ K @ other)
        assert mine.certificate_.dual >= dual - 1e-3 * abs(dual), trial


def by_hand(K: Array, y: Array, C: float, steps: int) -> Array:
    """The steps from their definition, with whole vectors: the direction d and K d, computed anew each time."""
    beta, d = np.zeros(len(y)), np.zeros(len(y))
    lo, hi = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    eye = np.eye(len(y))
    for _ in range(steps):
        v, q = y - K @ beta, K @ d
        i = int(np.where(beta < hi, v, -np.inf).argmax())
        ways = []
        for j in np.flatnonzero((beta > lo) & (v < v[i])):
            s = eye[i] - eye[j]
            turned = s - (s @ q) / (d @ q) * d if d.any() else s
            eta, left = float(s @ K @ s), float(turned @ K @ turned)
            use = turned if left >= loops.LEAST * eta else s
            ways.append(((v[i] - v[j]) ** 2 / max(left, loops.LEAST * eta), v[i] - v[j], use, s))
        _, rise, turned, s = max(ways, key=lambda way: way[0])
        for direction in (turned, s):
            full = rise / float(direction @ K @ direction)
            moving = direction != 0.0
            bound = np.where(direction > 0.0, hi, lo)
            step = min(full, float(((bound - beta)[moving] / direction[moving]).min()))
            if step >= loops.SHORT * full:
                break
        beta = np.clip(beta + step * direction, lo, hi)
        at = np.abs(beta - bound) < 1e-13
        beta[at & moving] = bound[at & moving]
        d = np.zeros(len(y)) if (at & moving).any() else direction
    return beta


@pytest.mark.parametrize("C", [1.0, 30.0])
def test_its_steps_are_those_of_the_definition(C: float) -> None:
    X, y = chessboard(60, 3)
    K = pairwise_kernels(X, metric="rbf", gamma=2.0)
    for steps in (1, 2, 3, 10, 25, 60):
        solver = ConjugateSolver(X, y, Kernel("rbf", 2.0), C=C)
        assert solver.step(steps) == steps
        np.testing.assert_allclose(solver.beta, by_hand(K, y, C, steps), atol=1e-8 * C)


def test_multipliers_from_elsewhere_end_the_direction() -> None:
    X, y = chessboard(60, 3)
    solver = ConjugateSolver(X, y, Kernel("rbf", 2.0), C=30.0)
    solver.step(25)
    solver._active.replace(solver.beta.copy(), solver.v.copy())
    pair = SmoSolver(X, y, Kernel("rbf", 2.0), C=30.0, alpha=solver.alpha)
    solver.step(1)
    pair.step(1)
    np.testing.assert_allclose(solver.beta, pair.beta, atol=1e-9)
    assert solver.working_set == pair.working_set


def test_each_step_raises_the_dual_and_large_c_takes_a_fraction_of_the_steps() -> None:
    X, y = chessboard(300)
    pairs, quick = (kind(X, y, Kernel("rbf", 1.0), C=1000.0) for kind in (SmoSolver, ConjugateSolver))
    pairs.run()
    duals = [0.0]
    while quick.status is Status.RUNNING:
        quick.step(1)
        duals.append(quick.dual)
    assert np.diff(duals).min() >= -1e-9 * duals[-1]
    assert quick.n_iter < 0.5 * pairs.n_iter
    assert quick.dual >= pairs.dual * (1.0 - 1e-6)


@pytest.mark.parametrize("n", [80, 600])
def test_cuts_change_nothing(n: int, small: None) -> None:
    X, y = moons(n)
    check_cuts(lambda: ConjugateSolver(X, y, Kernel("rbf", 2.0), C=30.0), lambda: 7)


@pytest.mark.parametrize("margin", [0.1, -50.0])
def test_points_left_out_wrongly_come_back(margin: float, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a margin of -50 all points but those trained first are left out."""
    monkeypatch.setattr(conjugate, "MARGIN", margin)
    X, y = chessboard(600)
    solver = ConjugateSolver(X, y, Kernel("rbf", 1.0), C=100.0)
    while solver._active.part.is_whole:
        solver.step(1)
    assert len(solver._active.part.index) <= (100 if margin < 0.0 else 400)
    assert solver.run() is Status.OPTIMAL
    check(solver.certificate(), pairwise_kernels(X, metric="rbf", gamma=1.0), y, solver.C, solver.beta)


# -- where there is little to win, and special cases -------------------------------------------------------------------


def test_two_points() -> None:
    model = SVC(1.0, gamma=1.0).fit([[0.0], [2.0]], [0, 1])
    alpha = min(1.0, 1.0 / (1.0 - np.exp(-4.0)))
    np.testing.assert_allclose(model.dual_coef_, [[-alpha, alpha]], rtol=1e-9)
    assert model.certificate_.status is Status.OPTIMAL and model.n_iter_.tolist() == [1]


def test_duplicates_and_points_with_two_labels(small: None) -> None:
    X, y = moons(80)
    X, y = np.vstack([X, X, X[:30]]), np.concatenate([y, y, -y[:30]])
    for C in (1.0, 100.0):
        model = SVC(C, gamma=2.0).fit(X, y)
        beta = np.zeros(len(X))
        beta[model.support_] = model.dual_coef_[0]
        check(model.certificate_, pairwise_kernels(X, metric="rbf", gamma=2.0), y, np.full(len(X), C), beta)


def test_class_weights_and_several_classes(small: None) -> None:
    X, labels = generate("blobs", 120, noise=0.6, seed=2)
    weights = {0: 3.0, 1: 1.0, 2: 0.5}
    model = SVC(10.0, gamma=1.0, class_weight=weights).fit(X, labels)
    theirs = svm.SVC(C=10.0, gamma=1.0, class_weight=weights, tol=1e-6).fit(X, labels)
    assert model.fit_status_ == 0 and (model.n_support_ > 0).all()
    np.testing.assert_allclose(model.decision_function(X), theirs.decision_function(X), atol=5e-3)


@pytest.mark.parametrize("kernel", ["precomputed", "callable"])
def test_a_kernel_that_is_no_formula(kernel: str, small: None) -> None:
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
    assert model.certificate_.kernel_error == 0.0


def test_without_an_upper_bound_or_with_another_rule_it_is_smo_to_the_last_bit(small: None) -> None:
    X, y = moons(200, noise=0.02)
    for parameters in (
        {"C": np.inf},
        {"C": 10.0, "selection": "maximum-gain"},
        {"C": 10.0, "selection": "random"},
        {"C": 10.0, "plain": True},
    ):
        with machine_code(not parameters.pop("plain", False)):
            plain, other = (kind(X, y, Kernel("rbf", 2.0), **parameters) for kind in (SmoSolver, ConjugateSolver))
        assert plain.run() is Status.OPTIMAL and other.run() is Status.OPTIMAL
        assert reached(plain) == reached(other)
    indefinite = [kind(X, y, Kernel("sigmoid", 1.0), C=1.0) for kind in (SmoSolver, ConjugateSolver)]
    assert [solver.run() for solver in indefinite] == [Status.STATIONARY] * 2
    assert reached(indefinite[0]) == reached(indefinite[1])


def test_stepped_it_is_what_the_lanes_show() -> None:
    X, y = chessboard(150)
    lane = SVC(100.0, gamma=2.0)
    trainer = lane.prepare(X, y)
    assert [type(solver) for solver in trainer.solvers] == [SmoSolver]
    bare = SmoSolver(X, y, Kernel("rbf", 2.0), C=100.0)
    trainer.step(500)
    bare.step(500)
    assert reached(trainer.solvers[0]) == reached(bare)


def test_limits_of_time_and_steps_are_kept(small: None) -> None:
    X, y = moons(1500)
    with pytest.warns(match="max_time"):
        late = SVC(1000.0, gamma=2.0, max_time=1e-9).fit(X, y)
    with pytest.warns(match="max_iter=50"):
        short = SVC(1000.0, gamma=2.0, max_iter=50).fit(X, y)
    for model in (late, short):
        assert model.fit_status_ == 1 and model.certificate_.status is Status.STOPPED_EARLY
        assert 0.0 <= model.certificate_.dual <= model.certificate_.primal
    assert short.n_iter_.tolist() == [50] and short.certificate_.dual > 0.0


def test_it_cannot_be_gone_back_nor_noted_nor_moved() -> None:
    solver = ConjugateSolver(*chessboard(20), Kernel("rbf"))
    with pytest.raises(ValueError, match="cannot be gone back"):
        solver.checkpoint()
    with pytest.raises(ValueError, match="notes no steps"):
        solver.start_notes()
    with pytest.raises(ValueError, match="cannot be moved"):
        solver.move_points(np.zeros((20, 2)))
