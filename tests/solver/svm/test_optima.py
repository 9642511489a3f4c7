"""Whether alpha is unique, and the ranges of all alpha, against linear programmes on the whole kernel matrix."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from solver import SVC, Kernel, SmoSolver, Status
from solver.core.certificate import Certificate

Array = NDArray[np.float64]
#: Introduction to Statistical Learning, exercise 3 of section 9.7: four red points, then three blue ones.
ISLR = np.array([(3, 4), (2, 2), (4, 4), (1, 4), (2, 1), (4, 3), (4, 1)], dtype=float)
COLOURS = np.array([1, 1, 1, 1, -1, -1, -1])
KERNELS = (
    Kernel("linear"),
    Kernel("poly", gamma=1.0, coef0=1.0, degree=2),
    Kernel("poly", gamma=0.5, coef0=0.0, degree=2),
    Kernel("poly", gamma=0.5, coef0=1.0, degree=3),
    Kernel("rbf", gamma=0.5),
    Kernel("laplacian", gamma=0.7),
)
#: The largest difference of multipliers, as a share of the largest, that counts as rounding of the linear programmes.
ROUNDING = 1e-5


def certified(X: Array, y: Array, kernel: Kernel, C: Array | float, tol: float = 1e-3) -> Certificate:
    solver = SmoSolver(X, y, kernel, C=C, tol=tol)
    solver.run()
    return solver.certificate()


def ranges_by_programmes(X: Array, y: Array, kernel: Kernel, C: Array) -> tuple[Array, Array]:
    """Return least and largest alpha over all that have the same w and the same dual as nearly exact ones."""
    solver = SmoSolver(X, y, kernel, C=C, tol=1e-12)
    solver.run()
    assert solver.kkt_violation <= 1e-11
    equal = np.vstack((kernel.gram(X, X) * y, y, np.ones(len(y))))
    right = equal @ solver.alpha
    bounds = [(0.0, None if np.isinf(c) else c) for c in C]
    ends = []
    for sign in (1.0, -1.0):
        found = []
        for i in range(len(y)):
            cost = np.zeros(len(y))
            cost[i] = sign
            options = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}
            answer = linprog(cost, A_eq=equal, b_eq=right, bounds=bounds, method="highs", options=options)
            assert answer.status == 0, answer.message
            found.append(sign * answer.fun)
        ends.append(np.array(found))
    return ends[0], ends[1]


def random_problems(n_problems: int) -> Iterator[tuple[Array, Array, Kernel, Array]]:
    """Yield problems on few integer coordinates, so that many points are on a margin, on a line, or equal."""
    random = np.random.default_rng(52)
    made = 0
    while made < n_problems:
        n = int(random.integers(3, 11))
        X = random.integers(-2, 3, (n, 2)).astype(float)
        y = np.where(X @ random.normal(size=2) + random.integers(0, 3) * random.normal(size=n) > 0.3, 1.0, -1.0)
        kernel = KERNELS[made % len(KERNELS)]
        price = float(random.choice([0.125, 0.5, 1.0, 10.0, np.inf]))
        C = price * random.choice([1.0, 1.0, 1.0, 2.0, 0.5], n)
        if abs(y.sum()) == n:
            continue
        if np.isinf(price) and SmoSolver(X, y, kernel, C=C).run() is not Status.OPTIMAL:
            continue
        made += 1
        yield X, y, kernel, C


@pytest.mark.parametrize("n_problems", [4, pytest.param(500, marks=pytest.mark.slow)])
def test_unique_and_the_ranges_are_those_of_linear_programmes_on_the_whole_matrix(n_problems: int) -> None:
    answers = []
    for number, (X, y, kernel, C) in enumerate(random_problems(n_problems)):
        certificate = certified(X, y, kernel, C)
        low, high = ranges_by_programmes(X, y, kernel, C)
        rounding = ROUNDING * max(1.0, high.max())
        answers.append(certificate.unique)
        assert certificate.unique is bool((high - low).max() <= rounding), (number, kernel, low, high)
        least, largest = certificate.multiplier_ranges()
        if not certificate.unique:
            differs = high - low > rounding
            np.testing.assert_allclose(least[differs], low[differs], atol=rounding)
            np.testing.assert_allclose(largest[differs], high[differs], atol=rounding)
            assert (largest[~differs] == least[~differs]).all()
    if n_problems >= 100:
        assert 0.1 < answers.count(False) / n_problems < 0.9


@pytest.mark.parametrize("order", [np.arange(7), np.arange(7)[::-1], np.array([4, 2, 6, 0, 5, 1, 3])])
@pytest.mark.parametrize("selection", ["second-order", "cyclic", "random"])
def test_the_exercise_of_islr_has_the_same_ranges_in_every_order_and_by_every_rule(
    order: NDArray[np.intp], selection: str
) -> None:
    model = SVC(np.inf, kernel="linear", selection=selection).fit(ISLR[order], COLOURS[order])
    certificate = model.certificate_
    least, largest = certificate.multiplier_ranges()
    assert certificate.unique is False
    np.testing.assert_allclose(least[np.argsort(order)], [0, 1, 0, 0, 0, 1, 0], atol=1e-9)
    np.testing.assert_allclose(largest[np.argsort(order)], [0, 4, 3, 0, 3, 4, 0], atol=1e-9)


def test_four_points_on_the_margin_of_rank_three_can_have_unique_multipliers() -> None:
    X, y = np.array([(-1.0, 1.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)]), np.array([1, 1, 1, -1])
    certificate = certified(X, y, Kernel("linear"), np.inf)
    assert certificate.unique is True
    np.testing.assert_allclose(certificate.multiplier_ranges()[0], [0, 0, 0.5, 0.5], atol=1e-3)
    turned = certified(
        X - [[0, 0], [0, 0], [0, 0], [1, 0]], y, Kernel("linear"), np.inf
    )  # the last is below the second
    assert turned.unique is False


def test_rbf_is_unique_unless_equal_points_share_a_multiplier() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 2))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=60) > 0.0, 1, -1)
    kernel = Kernel("rbf", gamma=0.01)
    assert np.linalg.matrix_rank(kernel.gram(X, X)) < 40  # singular values mislead
    assert certified(X, y, kernel, 10.0).unique is True
    twice = np.vstack((X, X[2], X[2]))
    own = np.append(y, [y[2], y[2]])
    model = SVC(10, gamma=0.01).fit(X, y)
    assert 2 not in model.support_ and certified(twice, own, kernel, 10.0).unique is True  # all three are 0
    free = int(model.support_[(np.abs(model.dual_coef_[0]) < 10.0).argmax()])
    shared = certified(np.vstack((X, X[free])), np.append(y, y[free]), kernel, 10.0)
    least, largest = shared.multiplier_ranges()
    assert shared.unique is False and np.flatnonzero(largest - least).tolist() == [free, 60]
    assert least[free] == least[60] == 0.0 and largest[free] == pytest.approx(largest[60])


def test_without_a_free_multiplier_alpha_is_unique_although_b_is_not() -> None:
    certificate = certified(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([-1, -1, 1, 1]), Kernel("linear"), 0.25)
    assert certificate.n_free == 0 and certificate.unique is True
    at_end = certified(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([-1, -1, 1, 1]), Kernel("linear"), 1.0)
    assert at_end.unique is True  # all four are on the margin, at their bound
    beyond = certified(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([-1, -1, 1, 1]), Kernel("linear"), 1.5)
    assert beyond.unique is False


def test_what_is_not_decided_is_none() -> None:
    X, y = ISLR, COLOURS
    assert certified(X, y, Kernel("sigmoid", gamma=0.1), 1.0).unique is None
    assert SVC(10, kernel="precomputed").fit(X @ X.T, y).certificate_.unique is None
    many = np.repeat([[0.0, 0.0], [1.0, 1.0]], 150, axis=0)
    assert certified(many, np.repeat([-1, 1], 150), Kernel("linear"), 10.0).unique is None  # 300 on the margin
    nearly = X.copy()
    nearly[2, 1] += 1e-7
    assert certified(nearly, y, Kernel("linear"), np.inf).unique is None
    nearly[2, 1] += 1e-3
    assert certified(nearly, y, Kernel("linear"), np.inf).unique is True


def test_several_problems_are_unique_if_each_is() -> None:
    X, y = np.vstack((ISLR, [[9.0, 9.0], [9.0, 8.0]])), np.append(COLOURS, [2, 2])
    model = SVC(10, kernel="linear").fit(X, y)
    assert [each.unique for each in model.certificates_].count(False) == 1 and model.certificate_.unique is False
    assert model.certificate_.multiplier_ranges() is None
    assert all(each.multiplier_ranges() is not None for each in model.certificates_)
    assert SVC(10, gamma=1.0).fit(X, y).certificate_.unique is True


def test_a_pickle_knows_what_was_read() -> None:
    model = SVC(np.inf, kernel="linear").fit(ISLR, COLOURS)
    unread, read = pickle.loads(pickle.dumps(model)), model.certificates_[0].unique
    assert read is False and unread.certificates_[0].unique is None
    assert pickle.loads(pickle.dumps(model)).certificates_[0].unique is False
    assert unread.certificates_ == model.certificates_


def test_nothing_is_computed_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr("solver.svm.optima.Optima._solved", refuse)
    certificate = SVC(np.inf, kernel="linear").fit(ISLR, COLOURS).certificate_
    with pytest.raises(AssertionError, match="computed"):
        assert certificate.unique
