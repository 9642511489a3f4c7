"""Points of a training that move: the same steps as of a new solver, to the bit, and the optimum, independently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import svm

from solver.core.certificate import Status
from solver.kernels.kept_rows import ROWS_PER_POINT
from solver.kernels.table import Kernel, PrecomputedKernel
from solver.svm import smo
from solver.svm.auto import AutoSolver
from solver.svm.c_path import PathSolver
from solver.svm.projection import feasible
from solver.svm.smo import SmoSolver
from solver.svm.svc import SVC
from tests.solver.inside import active_of
from tests.solver.svm_reference import Formula, dual_value, kkt_violation, resolution
from tests.without_compiler import machine_code

Array = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)
FORMULAS = (
    Formula("rbf", 1.5),
    Formula("laplacian", 0.8),
    Formula("poly", 0.5, 1.0, 3),
    Formula("linear"),
    Formula("sigmoid", 0.3, -0.5),
)
SOLVERS = (SmoSolver, AutoSolver)


def kernel_of(formula: Formula) -> Kernel:
    return Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)


def moons(n: int, seed: int = 0) -> tuple[Array, Array]:
    """Return two classes in alternating order, which overlap somewhat."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.normal(0.0, 1.0, (n, 2)) + 0.8 * y[:, None], y


def start_of(solver: SmoSolver, y: Array, C: Array) -> Array:
    """Return the multipliers of `solver` as a start for these labels and bounds."""
    alpha = np.where(solver.alpha == solver.C, C, solver.alpha)
    return np.where(solver.y == y, alpha, 0.0)


def assert_same(solver: SmoSolver, other: SmoSolver) -> None:
    """Check that two trainings are equal to the bit, in everything that can be read."""
    assert solver.status is other.status
    assert solver.n_iter == other.n_iter
    for name in ("alpha", "v", "y", "C", "centre"):
        np.testing.assert_array_equal(getattr(solver, name), getattr(other, name), err_msg=name)
    np.testing.assert_array_equal(active_of(solver).size, active_of(other).size)
    assert repr(solver.certificate()) == repr(other.certificate())
    assert (solver.working_set, solver.intercept) == (other.working_set, other.intercept)


def assert_proved(solver: SmoSolver, K: Array, y: Array, C: Array) -> None:
    """Check that the solver's certificate is true by the kernel matrix `K`."""
    v = y - K @ (y * solver.alpha)
    noise = 50.0 * EPS * (1.0 + resolution(K, solver.alpha)) + 1e-12 * np.abs(v).max()
    np.testing.assert_allclose(solver.v, v, rtol=0.0, atol=noise)
    assert ((solver.alpha >= 0.0) & (solver.alpha <= C)).all()
    assert abs(float(y @ solver.alpha)) <= 1e-10 * (1.0 + float(solver.alpha.sum()))
    certificate = solver.certificate()
    assert certificate.kkt_violation == pytest.approx(kkt_violation(K, y, C, solver.alpha), abs=2.0 * noise)
    assert certificate.dual == pytest.approx(dual_value(K, y, solver.alpha), rel=1e-9, abs=noise)
    if certificate.status in (Status.OPTIMAL, Status.STATIONARY):
        assert certificate.kkt_violation <= solver.tol
    assert certificate.dual <= certificate.primal * (1.0 + 1e-12) + 1e-12


def libsvm_dual(K: Array, y: Array, C: Array) -> float:
    theirs = svm.SVC(C=1.0, kernel="precomputed", tol=1e-6).fit(K, y, sample_weight=C)
    alpha = np.zeros(len(y))
    alpha[theirs.support_] = np.abs(theirs.dual_coef_[0])
    return dual_value(K, y, alpha)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_moving_points_is_a_new_solver_from_the_same_multipliers(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000), label="seed"))
    formula = data.draw(st.sampled_from(FORMULAS), label="kernel")
    n = data.draw(st.integers(6, 40), label="n")
    X, y = moons(n, int(rng.integers(1000)))
    C = rng.choice([0.3, 1.0, 20.0]) * rng.choice([1.0, 1.0, 3.0], n)
    options: dict[str, Any] = {
        "selection": data.draw(st.sampled_from(["second-order", "first-order", "maximum-gain", "random"])),
        "random_state": 3,
        "cache_size": data.draw(st.sampled_from([200.0, 0.0]), label="MB"),
        "tol": 1e-4,
    }
    compiled = data.draw(st.sampled_from([True, True, True, False]))
    if not compiled:
        options["selection"] = "second-order"
    with machine_code(compiled):
        solver = SmoSolver(X, y, kernel_of(formula), C=C, **options)
    solver.step(data.draw(st.sampled_from([10**6, 10**6, 0, 7]), label="steps before"))
    for _ in range(3):
        X = X.copy()
        for point in rng.choice(n, data.draw(st.sampled_from([1, 1, 2, n // 2]), label="moved"), replace=False):
            twin = data.draw(st.booleans(), label="onto another") and rng.integers(n)
            X[point] = X[twin] if twin else X[point] + rng.normal(0.0, 0.5, 2)
        labels, prices = {}, {}
        change = data.draw(st.sampled_from(["", "", "labels", "prices", "both"]), label="change")
        if change in ("labels", "both"):
            y = y.copy()
            y[rng.integers(n)] *= -1.0
            y[:2] = 1.0, -1.0
            labels = {"y": y}
        if change in ("prices", "both"):
            C = C * rng.choice([1.0, 0.5, 4.0], n)
            prices = {"C": C}
        start = start_of(solver, y, C)
        assert not (feasible(y, C, start) != y * start).any() or labels or prices, "as it was, it is a start"
        with machine_code(compiled):
            new = SmoSolver(X, y, kernel_of(formula), C=C, alpha=start, **options)
        solver.move_points(X, **labels, **prices)
        assert_same(solver, new)
        solver.step(5)
        new.step(5)
        assert_same(solver, new)
        solver.run()
        new.run()
        assert_same(solver, new)
        K = formula(X, X)
        if formula.name != "linear":  # that is centred: other numbers, and the same classifier
            assert_proved(solver, K, y, C)
        if formula.name != "sigmoid":
            best = libsvm_dual(K, y, C)
            assert solver.dual == pytest.approx(best, rel=1e-4, abs=1e-3 * solver.tol)


@pytest.mark.parametrize("make", SOLVERS)
@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_a_thousand_moves_do_not_drift(make: type[SmoSolver], C: float) -> None:
    X, y = moons(60, 5)
    rng = np.random.default_rng(1)
    kernel = Kernel("rbf", 1.0)
    solver = make(X, y, kernel, C=C)
    solver.run()
    computed = 0
    for turn in range(1000):
        X = X.copy()
        X[rng.integers(60)] += rng.normal(0.0, 0.1, 2)
        solver.move_points(X)
        assert solver.run() is Status.OPTIMAL
        computed += solver.n_kernel_evaluations
        if turn % 100 == 99:
            assert_proved(solver, Formula("rbf", 1.0)(X, X), y, np.full(60, C))
            again = SmoSolver(X, y, kernel, C=C, alpha=solver.alpha)
            np.testing.assert_array_equal(solver.v, again.v)
    assert computed <= 1000 * 10 * 60, "a few rows each time, not all"


def test_what_rounding_has_left_of_the_sum_of_multipliers_is_taken_away() -> None:
    X, y = moons(60, 5)
    solver = SmoSolver(X, y, Kernel("rbf", 1.0))
    solver.run()
    free = np.flatnonzero((solver.alpha > 0.1) & (solver.alpha < 0.9))[0]
    active_of(solver).beta[free] += 1e-9
    X[np.flatnonzero(solver.alpha == 0.0)[0]] += 0.1
    solver.move_points(X)
    assert abs(float(solver.beta.sum())) < 1e-14


@pytest.mark.slow
@pytest.mark.parametrize("make", SOLVERS)
@pytest.mark.parametrize(("n", "moved"), [(300, 1), (300, 12), (1300, 3)])
def test_points_of_a_larger_training_with_points_left_out(make: type[SmoSolver], n: int, moved: int) -> None:
    X, y = moons(n, 7)
    C = np.where(y > 0, 300.0, 100.0)
    formula = Formula("rbf", 0.8)
    kernel = kernel_of(formula)
    solver = make(X, y, kernel, C=C)
    solver.run()
    rng = np.random.default_rng(2)
    for _ in range(3):
        X = X.copy()
        X[rng.choice(n, moved, replace=False)] += rng.normal(0.0, 0.3, (moved, 2))
        new = make(X, y, kernel, C=C, alpha=solver.alpha)
        solver.move_points(X)
        assert solver.step(1) == new.step(1)
        solver.step(1500, stop=iter([False] * 3 + [True] * 10**6).__next__)  # perhaps while points are left out
        solver.move_points(X)
        solver.run()
        new.run()
        assert solver.status is new.status is Status.OPTIMAL
        assert_proved(solver, formula(X, X), y, C)
        assert solver.dual == pytest.approx(new.dual, rel=1e-5)
    if make is SmoSolver:
        again = SmoSolver(X, y, kernel, C=C, alpha=solver.alpha)
        solver.move_points(X)
        solver.run()
        again.run()
        assert_same(solver, again)
        assert solver.n_kernel_evaluations == 0


def test_steps_are_those_of_a_new_solver_while_points_are_left_out() -> None:
    X, y = moons(300, 7)
    kernel = Kernel("rbf", 0.8)
    solver = SmoSolver(X, y, kernel, C=1e4)
    solver.run()
    assert solver.n_iter > 2000
    moved = X.copy()
    moved[np.argmax(solver.alpha)] *= 0.5
    new = SmoSolver(moved, y, kernel, C=1e4, alpha=solver.alpha)
    solver.move_points(moved)
    solver.run()
    new.run()
    assert new.n_iter > 1500, "else nothing was left out"
    assert_same(solver, new)


def test_a_point_of_no_weight_costs_its_row_and_no_step() -> None:
    X, y = moons(200, 3)
    solver = SmoSolver(X, y, Kernel("rbf", 1.0))
    solver.run()
    point = int(np.flatnonzero(solver.alpha == 0.0)[0])
    X[point] += 1e-3
    solver.move_points(X)
    assert solver.run() is Status.OPTIMAL
    assert (solver.n_iter, solver.n_kernel_evaluations) == (0, 200)
    X += 1e-3
    solver.move_points(X)
    assert solver.n_kernel_evaluations == 200 * np.count_nonzero(solver.alpha), "all have moved"


def test_as_many_points_as_rows_allow_and_one_more() -> None:
    X, y = moons(100, 3)
    kernel = Kernel("rbf", 1.0)
    for more in (0, 1):
        solver = SmoSolver(X, y, kernel)
        solver.run()
        rows = solver.n_kernel_evaluations // 100
        moved = X.copy()
        moved[: rows // ROWS_PER_POINT + more] += 0.01
        new = SmoSolver(moved, y, kernel, alpha=solver.alpha)
        solver.move_points(moved)
        assert (solver.n_kernel_evaluations < new.n_kernel_evaluations) == (more == 0)
        assert_same(solver, new)


def test_where_a_start_is_made_by_an_expansion_it_is_here_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smo, "MANY_ENTRIES", 1000)
    X, y = moons(4000, 3)
    kernel = Kernel("rbf", 0.05)
    solver = SmoSolver(X, y, kernel, C=1.0)
    solver.run()
    moved = X.copy()
    moved[np.flatnonzero(solver.alpha == 0.0)[:2]] += 0.1
    new = SmoSolver(moved, y, kernel, C=1.0, alpha=solver.alpha)
    solver.move_points(moved)
    assert new.n_kernel_evaluations == 0, "an expansion, else this shows nothing"
    assert_same(solver, new)


@pytest.mark.parametrize("unmoved", [False, True])
def test_another_label_of_a_point_of_no_weight_is_noticed(unmoved: bool) -> None:
    X, y = moons(80, 3)
    solver = SmoSolver(X, y, Kernel("rbf", 1.0))
    solver.run()
    point = int(np.flatnonzero(solver.alpha == 0.0)[0])
    y = y.copy()
    y[point] *= -1.0
    if not unmoved:
        X[point] += 0.1
    solver.move_points(X, y)
    solver.run()
    assert solver.alpha[point] > 0.0
    assert_proved(solver, Formula("rbf", 1.0)(X, X), y, np.ones(80))


def test_bounds_that_come_down_onto_multipliers() -> None:
    X, y = moons(80, 3)
    kernel = Kernel("rbf", 1.0)
    solver = SmoSolver(X, y, kernel, C=2.0)
    solver.run()
    C = np.where(solver.alpha > 0.0, solver.alpha, 2.0)  # no multiplier is free any more
    X[np.flatnonzero((solver.alpha == 0.0) & (y < 0))[0]] = X[y > 0].mean(axis=0)  # and this one needs a partner
    new = SmoSolver(X, y, kernel, C=C, alpha=solver.alpha)
    solver.move_points(X, C=C)
    assert_same(solver, new)
    assert solver.run() is Status.OPTIMAL
    new.run()
    assert_same(solver, new)


@pytest.mark.parametrize("make", SOLVERS)
def test_a_hard_margin_that_goes_and_comes_back(make: type[SmoSolver]) -> None:
    y = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)
    X = np.random.default_rng(0).uniform(0.2, 1.0, (40, 2)) * [1.0, 2.0]
    X[:, 0] *= y
    solver = make(X, y, Kernel("linear"), C=np.inf)
    assert solver.run() is Status.OPTIMAL
    margin = 1.0 / np.sqrt(solver.squared_norm)
    assert margin == pytest.approx((X[y > 0, 0].min() - X[y < 0, 0].max()) / 2.0, rel=0.3)
    astray = X.copy()
    astray[0] = X[y < 0].mean(axis=0)
    solver.move_points(astray)
    assert solver.certificate().primal == np.inf, "that it once was separable proves nothing now"
    assert solver.run() is Status.NOT_SEPARABLE
    solver.move_points(X)
    assert solver.run() is Status.OPTIMAL
    assert 1.0 / np.sqrt(solver.squared_norm) == pytest.approx(margin, rel=1e-3)
    solver.move_points(X, C=1.0)
    assert solver.run() is Status.OPTIMAL
    assert solver.alpha.max() <= 1.0


def test_a_gram_matrix() -> None:
    X, y = moons(50, 2)
    formula = Formula("rbf", 1.0)
    solver = SmoSolver(formula(X, X), y, PrecomputedKernel())
    solver.run()
    X[3] += 0.3
    K = formula(X, X)
    new = SmoSolver(K, y, PrecomputedKernel(), alpha=solver.alpha)
    solver.move_points(K)
    solver.run()
    new.run()
    assert_same(solver, new)


def test_what_is_refused_changes_nothing() -> None:
    X, y = moons(30, 4)
    solver = SmoSolver(X, y, Kernel("poly", 1.0, 1.0, 3), C=2.0)
    solver.run()
    before = solver.snapshot()
    far, bad = X.copy(), X.copy()
    far[4], bad[5, 1] = 1e60, np.nan
    for arguments, sentence in (
        ((X[:-1],), r"X has shape \(29, 2\); points that move must have the shape they had, \(30, 2\)"),
        ((bad,), "not finite .* first in row 5"),
        ((far,), "overflows"),
        ((X, np.ones(30)), "both present"),
        ((X, y[:-1]), "one for each point"),
        ((X, y, 0.0), "C is 0; it must be above 0"),
        ((X + 1.0, -y, np.full(29, 2.0)), r"C has shape \(29,\)"),
    ):
        with pytest.raises(ValueError, match=sentence):
            solver.move_points(*arguments)
    after = solver.snapshot()
    assert after.certificate == before.certificate
    np.testing.assert_array_equal(after.alpha, before.alpha)
    np.testing.assert_array_equal(solver.y, y)
    again = SmoSolver(X, y, Kernel("poly", 1.0, 1.0, 3), C=2.0, alpha=before.alpha)
    solver.move_points(X)
    assert_same(solver, again)
    with pytest.raises(ValueError, match="'path', whose points stay"):
        PathSolver(X, y, Kernel("rbf"), C=1.0).move_points(X)
    indefinite = SmoSolver(X, y, Kernel("sigmoid"))
    with pytest.raises(ValueError, match="C is inf"):
        indefinite.move_points(X, C=np.inf)


def test_an_earlier_checkpoint_is_not_restored() -> None:
    X, y = moons(30, 4)
    solver = SmoSolver(X, y, Kernel("rbf"), shrinking=False)
    solver.start_notes()
    solver.step(5)
    checkpoint = solver.checkpoint()
    solver.step(5)
    solver.restore(checkpoint)
    assert solver.n_iter == 5
    solver.move_points(X + 1.0)
    assert solver.n_iter == 0
    assert len(solver.take_notes()[0]) == 0
    solver.step(3)
    assert len(solver.take_notes()[0]) == 0, "nobody has asked for notes of this training"
    with pytest.raises(RuntimeError, match="before points moved"):
        solver.restore(checkpoint)
    solver.start_notes()
    later = solver.checkpoint()
    solver.step(2)
    solver.restore(later)
    assert solver.n_iter == 3


def test_multipliers_that_rounding_has_left_are_taken_away_as_at_any_start() -> None:
    X, y = moons(30, 4)
    solver = SmoSolver(X, y, Kernel("rbf"), C=1e8)
    solver.run()
    beta = active_of(solver).beta
    beta[:] = np.where(np.arange(30) < 2, 1e8 * y, np.where(np.arange(30) < 4, 1e-7 * y, 0.0))
    new = SmoSolver(X, y, Kernel("rbf"), C=1e8, alpha=solver.alpha)
    solver.move_points(X)
    assert not solver.alpha[2:4].any()
    assert_same(solver, new)


# -- the classifier ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_all_problems_of_a_classifier_move(kernel: str, multiclass: str) -> None:
    rng = np.random.default_rng(6)
    X, y = rng.normal(0.0, 1.0, (60, 2)), np.arange(60) % 3
    weights = {0: 1.0, 1: 0.0, 2: 3.0} if multiclass == "one-vs-one" else None  # one problem, or three
    svc = SVC(2.0, kernel, gamma=0.7, multiclass=multiclass, class_weight=weights)
    trainer = svc.prepare(X, y, shrinking=False)
    trainer.step(7)
    first, earlier = X, svc.snapshot_model(trainer.snapshot())
    shown = earlier.decision_function(first)
    for point in (4, 5, 6):
        X = X.copy()
        X[point] += 3.0
        began = iter([solver.alpha for solver in trainer.solvers])
        moved = svc.move_points(X)
        assert moved is not None
        other = SVC(**svc.get_params())
        new = other.prepare(X, y, start=lambda pair, C, began=began: next(began), shrinking=False)
        for each, reference in zip(moved.solvers, new.solvers, strict=True):
            assert_same(each, reference)
        moved.step(12)
        new.step(12)
        model, reference_model = svc.snapshot_model(moved.snapshot()), other.snapshot_model(new.snapshot())
        np.testing.assert_array_equal(model.support_vectors_, reference_model.support_vectors_)
        np.testing.assert_array_equal(model.decision_function(X), reference_model.decision_function(X))
        trainer = moved
    np.testing.assert_array_equal(earlier.decision_function(first), shown)


def test_where_the_kernel_or_the_number_of_points_is_another_one_a_new_training_is_needed() -> None:
    X, y = moons(40, 3)
    other = X.copy()
    other[0] += 1.0
    gram = X @ X.T
    for parameters, data, elsewhere, works in (
        ({"gamma": 1.0}, X, other, True),
        ({"gamma": "auto"}, X, other, True),
        ({"gamma": "scale"}, X, other, False),
        ({"gamma": "scale"}, X, X.copy(), True),
        ({"gamma": "scale", "kernel": "linear"}, X, other, True),  # it has no gamma
        ({"solver": "auto", "gamma": 1.0}, X, other, True),
        ({"solver": "path", "gamma": 1.0}, X, other, False),
        ({"kernel": "precomputed"}, gram, gram + 1.0, False),
        ({"kernel": lambda A, B: A @ B.T}, X, other, False),
        ({"gamma": 1.0}, X, other[:-1], False),
    ):
        svc = SVC(**parameters)
        trainer = svc.prepare(data, y)
        trainer.step(10)
        before = trainer.snapshot()
        moved = svc.move_points(elsewhere)
        assert (moved is not None) == works, parameters
        if not works:
            after = trainer.snapshot()
            assert repr(after[0].certificate) == repr(before[0].certificate)
            np.testing.assert_array_equal(after[0].v, before[0].v)
            svc.adopt(after)


def test_a_classifier_refuses_points_in_the_words_of_a_new_training() -> None:
    X, y = moons(40, 3)
    far, bad, huge = X.copy(), X.copy(), X.copy()
    far[4], bad[5, 1], huge[6] = 1e60, np.nan, 1e90
    for elsewhere in (far, bad, huge):
        svc = SVC(kernel="poly", gamma=1.0)
        svc.prepare(X, y)
        sentences = []
        for attempt in (svc.move_points, lambda points: SVC(kernel="poly", gamma=1.0).prepare(points, y)):
            with pytest.raises(ValueError) as caught:
                attempt(elsewhere)
            sentences.append(str(caught.value))
        assert sentences[0] == sentences[1]
