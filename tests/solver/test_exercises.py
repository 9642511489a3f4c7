"""Exercises of textbooks and courses: the published answers, proved by the optimality conditions, are those of solver.

The proof is independent of any solver: multipliers with sum alpha y = 0 that meet the conditions of Karush, Kuhn and
Tucker with w = sum alpha y phi(x) are optimal.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from solver import SVC, KNeighborsClassifier, Perceptron

Array = NDArray[np.float64]
#: Coordinates of the four points of XOR, and their classes.
SQUARE = np.array([(0, 0), (1, 1), (1, 0), (0, 1)], dtype=float)
XOR = (-1, -1, 1, 1)


def proved(features: ArrayLike, y: ArrayLike, alpha: ArrayLike, b: float, C: float = np.inf) -> Array:
    """Return w of these multipliers, which are proved to be optimal."""
    Z, signs, multipliers = (np.array(each, dtype=float) for each in (features, y, alpha))
    w: Array = (multipliers * signs) @ Z
    margins = signs * (Z @ w + b)
    assert (multipliers >= 0).all() and (multipliers <= C).all() and abs(signs @ multipliers) < 1e-9
    assert (margins[multipliers < C] >= 1 - 1e-9).all() and (margins[multipliers > 0] <= 1 + 1e-9).all()
    return w


class Exercise(NamedTuple):
    """A linear SVM with a hard margin: points, classes, published w and b, and multipliers that prove them."""

    points: list[tuple[float, float]]
    y: list[int]
    w: tuple[float, float]
    b: float
    alpha: list[float]
    unique: bool = True


HARD_MARGINS = {
    # James, Witten, Hastie, Tibshirani, "Introduction to Statistical Learning", 9.7, 3: boundary x2 = x1 - 1/2.
    "ISLR 9.7": Exercise(
        [(3, 4), (2, 2), (4, 4), (1, 4), (2, 1), (4, 3), (4, 1)],
        [-1, -1, -1, -1, 1, 1, 1],
        (2, -2),
        -1,
        [0, 2.5, 1.5, 0, 1.5, 2.5, 0],
        False,
    ),
    # (3, 4) is on the margin with alpha = 0.
    "quarters": Exercise(
        [(3, 4), (1, 4), (2, 3), (6, -1), (7, -1), (5, -3)],
        [-1, -1, -1, 1, 1, 1],
        (1 / 4, -1 / 4),
        -3 / 4,
        [0, 0, 1 / 16, 1 / 16, 0, 0],
    ),
    # Manning, Raghavan, Schütze, "Introduction to Information Retrieval", example 15.1: the margin is sqrt(5).
    "IR 15.1": Exercise([(1, 1), (2, 0), (2, 3)], [-1, -1, 1], (2 / 5, 4 / 5), -11 / 5, [2 / 5, 0, 2 / 5]),
    # Ventura, "An SVM example", 2009, the linear one.
    "Ventura 1": Exercise(
        [(3, 1), (3, -1), (6, 1), (6, -1), (1, 0), (0, 1), (0, -1), (-1, 0)],
        [1, 1, 1, 1, -1, -1, -1, -1],
        (1, 0),
        -2,
        [1 / 4, 1 / 4, 0, 0, 1 / 2, 0, 0, 0],
    ),
    # Ventura's other one, after its map of points farther than 2 from the origin: (4 - x2 + |x1 - x2|, ...).
    "Ventura 2": Exercise(
        [(2, 2), (10, 6), (6, 6), (6, 10), (1, 1), (1, -1), (-1, -1), (-1, 1)],
        [1, 1, 1, 1, -1, -1, -1, -1],
        (1, 1),
        -3,
        [1, 0, 0, 0, 1, 0, 0, 0],
    ),
    # Li, "Machine learning methods", Springer 2024, example 7.1 and exercise 7.2.
    "Li 7.1": Exercise([(3, 3), (4, 3), (1, 1)], [1, 1, -1], (1 / 2, 1 / 2), -2, [1 / 4, 0, 1 / 4]),
    "Li 7.2": Exercise(
        [(1, 2), (2, 3), (3, 3), (2, 1), (3, 2)], [1, 1, 1, -1, -1], (-1, 2), -2, [1 / 2, 0, 2, 0, 5 / 2]
    ),
}


@pytest.mark.parametrize("name", HARD_MARGINS)
def test_a_hard_margin(name: str) -> None:
    points, y, w, b, alpha, unique = HARD_MARGINS[name]
    np.testing.assert_allclose(proved(points, y, alpha, b), w, atol=1e-12)
    model = SVC(np.inf, kernel="linear", tol=1e-9).fit(points, y)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-6)
    assert model.intercept_[0] == pytest.approx(b, abs=1e-6)
    ranges = model.certificate_.multiplier_ranges()
    assert model.certificate_.unique is unique and ranges is not None
    assert (ranges[0] <= np.array(alpha) + 1e-6).all() and (ranges[1] >= np.array(alpha) - 1e-6).all()


def test_what_the_books_say_about_their_margins() -> None:
    islr, quarters, ir = (HARD_MARGINS[name] for name in ("ISLR 9.7", "quarters", "IR 15.1"))
    assert 2 / np.hypot(*ir.w) == pytest.approx(np.sqrt(5))
    assert -np.array([islr.w[0], islr.b]) / islr.w[1] == pytest.approx([1, -1 / 2])  # x2 = x1 - 1/2
    for drop in (6, 0, 3):  # (d): a slight movement of the seventh observation would not affect the hyperplane
        moved = np.array(islr.points, dtype=float)
        moved[drop] += (0.1, -0.1) if drop == 6 else (-0.1, 0.1)
        model = SVC(np.inf, kernel="linear", tol=1e-9).fit(moved, islr.y)
        np.testing.assert_allclose(model.coef_[0], islr.w, atol=1e-6)
    assert np.array(quarters.points[0]) @ quarters.w + quarters.b == -1.0 and quarters.alpha[0] == 0
    gone = SVC(np.inf, kernel="linear", tol=1e-9).fit(quarters.points[1:], quarters.y[1:])
    np.testing.assert_allclose(gone.coef_[0], quarters.w, atol=1e-6)


@pytest.mark.parametrize(
    ("points", "alpha", "b", "f"),
    [
        # On 0/1 coordinates.
        (SQUARE, (10 / 3, 2, 8 / 3, 8 / 3), -1, lambda x, z: None),
        # Haykin, "Neural networks", section 6.6; Duda, Hart, Stork, "Pattern classification", chapter 5: f = -x z.
        (2 * SQUARE - 1, (1 / 8, 1 / 8, 1 / 8, 1 / 8), 0, lambda x, z: -x * z),
    ],
    ids=["0/1", "-1/1"],
)
def test_xor_by_a_polynomial_of_degree_2(
    points: Array, alpha: tuple[float, ...], b: float, f: Callable[[float, float], float | None]
) -> None:
    x, z = points.T
    features = np.column_stack((np.ones(4), 2**0.5 * x, 2**0.5 * z, x * x, z * z, 2**0.5 * x * z))  # (1 + <x, z>)^2
    w = proved(features, XOR, alpha, b)
    model = SVC(np.inf, kernel="poly", degree=2, gamma=1.0, coef0=1.0, tol=1e-9).fit(points, XOR)
    found = np.zeros(4)
    found[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(found, alpha, atol=1e-6)
    assert model.intercept_[0] == pytest.approx(b, abs=1e-6) and model.certificate_.unique is True
    for at in ((0.3, -0.7), (1.0, 0.25)):
        if (value := f(*at)) is not None:
            assert model.decision_function([at])[0] == pytest.approx(value, abs=1e-6)
    if b == 0:
        assert 1 / np.linalg.norm(w) == pytest.approx(np.sqrt(2))  # the distance from the boundary in feature space


def test_the_two_support_vectors_of_tan_steinbach_and_kumar() -> None:
    """Introduction to Data Mining, example 5.5: alpha = 65.5261, w = (-6.64, -9.32), b = 7.93."""
    points = [(0.3858, 0.4687), (0.4871, 0.611), (0.9218, 0.4103), (0.7382, 0.8936)]
    points += [(0.1763, 0.0579), (0.4057, 0.3529), (0.9355, 0.8132), (0.2146, 0.0099)]
    model = SVC(np.inf, kernel="linear", tol=1e-9).fit(points, [1, -1, -1, -1, 1, 1, -1, 1])
    assert model.support_.tolist() in ([0, 1], [1, 0])
    np.testing.assert_allclose(np.abs(model.dual_coef_[0]), 65.5261, rtol=2e-3)  # the book rounds the points
    np.testing.assert_allclose(model.coef_[0], (-6.64, -9.32), atol=0.02)
    assert model.intercept_[0] == pytest.approx(7.93, abs=0.02)
    between = np.subtract(*np.array(points)[:2])  # two support vectors: w is along their difference
    alpha = 2 / (between @ between)
    np.testing.assert_allclose(model.coef_[0], alpha * between, rtol=1e-6)


def test_the_perceptron_of_li() -> None:
    """Li, example 2.1: seven mistakes, w = (1, 1), b = -3."""
    points, y = np.array([(3, 3), (4, 3), (1, 1)]), np.array([1, 1, -1])
    w, b, mistakes = np.zeros(2), 0, 0
    while (wrong := np.flatnonzero(y * (points @ w + b) <= 0)).size:
        w, b, mistakes = w + y[wrong[0]] * points[wrong[0]], b + int(y[wrong[0]]), mistakes + 1
    assert (w.tolist(), b, mistakes) == ([1, 1], -3, 7)
    model = Perceptron(shuffle=False).fit(points, y)
    assert (model.coef_[0].tolist(), model.intercept_[0], model.certificates_[0].mistakes) == ([1, 1], -3, 7)


def leave_one_out(points: Array, labels: NDArray[np.int64], k: int) -> int:
    """Return how many of the points the k nearest others outvote."""
    errors = 0
    for i in range(len(points)):
        rest = np.arange(len(points)) != i
        found = KNeighborsClassifier(n_neighbors=k).fit(points[rest], labels[rest]).predict(points[i : i + 1])
        by_hand = np.argsort(np.linalg.norm(points[rest] - points[i], axis=1), kind="stable")[:k]
        assert found[0] == round(labels[rest][by_hand].mean())
        errors += int(found[0] != labels[i])
    return errors


def test_leave_one_out_of_two_squares() -> None:
    """Ten points in two squares with a middle each, one of them wrong: 5, 1 and 1 errors for k = 1, 3 and 5."""
    square = np.vstack((SQUARE, [(0.5, 0.5)]))
    points, labels = np.vstack((square, square + np.array((5.0, 0.0)))), np.array([0] * 5 + [1] * 4 + [0])
    assert [leave_one_out(points, labels, k) for k in (1, 3, 5)] == [5, 1, 1]


def test_leave_one_out_on_a_line() -> None:
    """An exam of Carnegie Mellon University: 4 errors for k = 1, 8 for k = 3."""
    points = np.array([-0.1, 0.7, 1.0, 1.6, 2.0, 2.5, 3.2, 3.5, 4.1, 4.9])[:, None]
    labels = np.array([0, 1, 1, 0, 1, 1, 0, 0, 1, 1])
    assert [leave_one_out(points, labels, k) for k in (1, 3)] == [4, 8]


def test_the_nearest_neighbour_depends_on_the_metric() -> None:
    """Li, example 3.1: of (5, 1) and (4, 4), the first is nearest to (1, 1) for p = 1 and 2, the other from p = 3."""
    points = np.array([(5.0, 1.0), (4.0, 4.0)])
    for p, distances in ((1, (4, 6)), (2, (4, 4.24)), (3, (4, 3.78)), (4, (4, 3.57))):
        model = KNeighborsClassifier(1, metric="minkowski", p=p).fit(points, [0, 1])
        away = (np.abs(points - 1.0) ** p).sum(axis=1) ** (1 / p)
        np.testing.assert_allclose(away, distances, atol=5e-3)
        assert model.predict([(1.0, 1.0)])[0] == int(p >= 3) == away.argmin()
        assert model.kneighbors([(1.0, 1.0)])[0][0, 0] == pytest.approx(away.min())


def test_the_widest_street_is_the_distance_of_the_hulls() -> None:
    """An exercise on duality: for the seven points of ISLR, by all pairs of a point and a side of the other hull."""
    points, y, w = (np.array(each, dtype=float) for each in HARD_MARGINS["ISLR 9.7"][:3])
    nearest = np.inf
    for sign in (-1, 1):
        for (p, q), x in ((pair, x) for pair in combinations(points[y == sign], 2) for x in points[y == -sign]):
            t = np.clip((x - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
            nearest = min(nearest, float(np.linalg.norm(p + t * (q - p) - x)))
    assert nearest == pytest.approx(2 / np.hypot(*w))
