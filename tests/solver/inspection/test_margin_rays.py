"""Rays to the margin against closed forms, finite differences and a search by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from solver.inspection import margin_rays
from solver.inspection.margin_rays import Decision, margin_reach
from solver.kernels.table import KERNELS, Kernel, PrecomputedKernel
from solver.svm.svc import SVC

Array = NDArray[np.float64]
VIEW = (-2.0, 2.0, -1.5, 1.5)
CHOSEN = (
    Kernel("linear"),
    Kernel("poly", gamma=0.7, coef0=1.0, degree=3),
    Kernel("poly", gamma=1.0, coef0=0.0, degree=2),
    Kernel("poly", degree=1),
    Kernel("poly", degree=0),
    Kernel("rbf", gamma=1.3),
    Kernel("rbf", gamma=15.0),
    Kernel("laplacian", gamma=0.8),
    Kernel("sigmoid", gamma=0.6, coef0=-0.2),
)


def some(seed: int, kernel: Kernel, n: int = 12) -> Decision:
    """Return a decision function of `n` support vectors."""
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=2) if kernel.name == "linear" else np.zeros(2)
    return Decision(kernel, rng.uniform(-2.0, 2.0, (n, 2)), rng.normal(size=n), float(rng.normal()), centre)


def reach(decision: Decision, X: Array, y: Array, limits: Any = VIEW) -> tuple[Array, NDArray[np.bool_]]:
    """Return the result, without the pauses."""
    work = margin_reach(decision, X, y, limits)
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: tuple[Array, NDArray[np.bool_]] = end.value
            return result


@pytest.mark.parametrize("kernel", CHOSEN, ids=str)
def test_gradients_are_those_of_finite_differences(kernel: Kernel) -> None:
    assert {each.name for each in CHOSEN} == set(KERNELS)
    rng = np.random.default_rng(0)
    points, coef = rng.normal(size=(9, 3)), rng.normal(size=9)
    queries, step = rng.normal(size=(20, 3)), 1e-6
    got, size = kernel.gradient(queries, points, coef)
    for feature in range(3):
        shift = np.eye(3)[feature] * step
        rise = (kernel.gram(queries + shift, points) - kernel.gram(queries - shift, points)) @ coef / (2.0 * step)
        np.testing.assert_allclose(got[:, feature], rise, rtol=1e-6, atol=1e-7)
    one_each = np.array([np.linalg.norm(kernel.gradient(queries, points[[s]], coef[[s]])[0], axis=1) for s in range(9)])
    np.testing.assert_allclose(size, one_each.sum(axis=0), rtol=1e-12, atol=1e-300)


def test_a_peak_of_the_laplacian_kernel_has_no_slope_of_its_own() -> None:
    got, _ = Kernel("laplacian").gradient(np.array([[1.0, 2.0]]), np.array([[1.0, 2.0], [1.0, 0.0]]), np.ones(2))
    np.testing.assert_allclose(got, [[0.0, -np.exp(-2.0)]])


def test_a_matrix_has_no_gradient() -> None:
    with pytest.raises(ValueError, match=r"^kernel is 'precomputed', which has no gradient"):
        PrecomputedKernel().gradient(np.eye(2), np.eye(2), np.ones(2))


def test_with_a_linear_kernel_it_is_the_distance_from_the_margin() -> None:
    decision = some(1, CHOSEN[0])
    w = decision.coef @ (decision.points - decision.centre)
    rng = np.random.default_rng(2)
    X, y = rng.uniform(-2.0, 2.0, (300, 2)) * (1.0, 0.75), rng.choice([-1.0, 1.0], 300)
    slack = 1.0 - y * decision.value(X)
    end, capped = reach(decision, X, y)
    foot = X + (y * slack / (w @ w))[:, None] * w
    inside = (np.abs(foot) <= (2.0, 1.5)).all(axis=1)
    open_ones = slack > 0.0
    assert (capped == open_ones & ~inside).all() and capped.any() and inside.any()
    np.testing.assert_allclose(end[open_ones & inside], foot[open_ones & inside], atol=1e-9)
    assert np.array_equal(end[~open_ones], X[~open_ones])
    at_edge = np.isclose(np.abs(end[capped]), (2.0, 1.5), atol=1e-12).any(axis=1)
    assert at_edge.all()


def first_by_force(decision: Decision, x: Array, y: float, fine: int = 8_000) -> tuple[float, Array] | None:
    """Return the first of many samples at which y f is 1 or more, and the direction; None if there is none."""
    slope = y * decision.gradient(x[None])[0][0]
    direction = slope / np.linalg.norm(slope)
    t = np.linspace(0.0, 5.0, fine)
    locations = x + t[:, None] * direction
    inside = (np.abs(locations) <= (2.0, 1.5)).all(axis=1)
    met = np.flatnonzero(inside & (y * decision.value(locations) >= 1.0))
    return (float(t[met[0]]), direction) if len(met) else None


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), kernel=st.sampled_from([k for k in CHOSEN if k.degree > 0]))
def test_it_is_the_first_location(seed: int, kernel: Kernel) -> None:
    decision = some(seed, kernel)
    rng = np.random.default_rng(seed + 1)
    X, y = rng.uniform(-1.0, 1.0, (8, 2)) * (2.0, 1.5), rng.choice([-1.0, 1.0], 8)
    end, capped = reach(decision, X, y)
    assert (np.abs(end) <= (2.0, 1.5)).all()
    values = y * decision.value(X)
    apart = 5.0 / decision.n_samples(5.0) if kernel.name != "linear" else 5.0
    for i in range(8):
        if values[i] >= 1.0:
            assert not capped[i] and np.array_equal(end[i], X[i])
            continue
        forced = first_by_force(decision, X[i], y[i])
        length = float(np.linalg.norm(end[i] - X[i]))
        if not capped[i]:
            steep = np.linalg.norm(decision.gradient(end[i][None])[0])
            assert abs(y[i] * decision.value(end[i][None])[0] - 1.0) <= 1e-8 * (1.0 + steep)
        if forced is None:
            assert capped[i] or abs(length - 0.0) < 1e-3
            continue
        t, direction = forced
        if capped[i] or length > t + 1e-3:  # only where y f was above 1 for less than the distance of two samples
            along = np.linspace(t, t + apart, 500)
            assert (y[i] * decision.value(X[i] + along[:, None] * direction) < 1.0).any()
        else:
            assert length == pytest.approx(t, abs=5.0 / 8_000 + 1e-9)
            np.testing.assert_allclose(end[i], X[i] + length * direction, atol=1e-9)


@pytest.mark.parametrize(("name", "gamma"), [("rbf", 15.0), ("rbf", 100.0), ("laplacian", 2.0)])
def test_no_bump_wider_than_the_sampling_is_missed(name: str, gamma: float) -> None:
    """One bump that is above 1 for hardly longer than the distance of two samples, wherever it lies between them."""
    kernel = Kernel(name, gamma)
    half = 0.55 * 5.0 / Decision(kernel, np.empty((0, 2)), np.empty(0), 0.0, np.zeros(2)).n_samples(5.0)
    top = 1.0 / float(kernel.gram(np.array([[half, 0.0]]), np.zeros((1, 2)))[0, 0])
    bump = Decision(kernel, np.array([[1.0, 0.0]]), np.array([top]), 0.0, np.zeros(2))
    X = np.column_stack((np.linspace(0.3, 0.7, 60), np.zeros(60)))
    end, capped = reach(bump, X, np.ones(60))
    assert not capped.any()
    np.testing.assert_allclose(end, np.tile((1.0 - half, 0.0), (60, 1)), atol=1e-9)


def test_without_a_gradient_the_ray_ends_where_it_begins() -> None:
    one = np.array([[0.5, 0.5]])
    flat = Decision(Kernel("rbf"), one, np.ones(1), -1.5, np.zeros(2))
    end, capped = reach(flat, one, np.ones(1))  # the top of the only bump
    assert capped.all() and np.array_equal(end, one)
    twins = Decision(Kernel("rbf"), np.repeat(one, 3, axis=0), np.array([0.1, 0.2, -0.3]), 0.0, np.zeros(2))
    end, capped = reach(twins, one + 0.3, np.ones(1))  # nothing but rounding
    assert capped.all() and np.array_equal(end, one + 0.3)
    huge = Decision(Kernel("poly", degree=100, gamma=1e6), one, np.ones(1), 0.0, np.zeros(2))
    end, capped = reach(huge, -one, -np.ones(1))
    assert capped.all() and np.array_equal(end, -one)
    nothing = Decision(Kernel("rbf"), np.empty((0, 2)), np.empty(0), 0.5, np.zeros(2))
    end, capped = reach(nothing, one, np.ones(1))
    assert capped.all() and np.array_equal(end, one)


def test_of_a_point_outside_only_the_way_inside_counts() -> None:
    tilted = Decision(CHOSEN[0], np.array([[1.0, 0.0]]), np.ones(1), 0.0, np.zeros(2))  # f = x_1
    X = np.array([[-3.0, 0.0], [-3.0, 7.0], [3.0, 0.0], [0.0, 1.5], [-2.0, -1.5]])
    end, capped = reach(tilted, X, np.ones(5))
    assert capped.tolist() == [False, True, True, False, False]
    np.testing.assert_allclose(end[[0, 3, 4]], [[1.0, 0.0], [1.0, 1.5], [1.0, -1.5]], atol=1e-9)
    assert np.array_equal(end[[1, 2]], X[[1, 2]])
    end, capped = reach(tilted, X[:1], np.ones(1), (-2.0, 0.5, -1.0, 1.0))
    assert capped.all()
    np.testing.assert_allclose(end, [[0.5, 0.0]])


def test_no_points_and_no_rectangle() -> None:
    end, capped = reach(some(0, CHOSEN[5]), np.empty((0, 2)), np.empty(0))
    assert end.shape == (0, 2) and capped.shape == (0,)
    for limits in ((1.0, 1.0, 0.0, 1.0), (0.0, 1.0, 1.0, 0.0), (0.0, np.inf, 0.0, 1.0), (0.0, np.nan, 0.0, 1.0)):
        with pytest.raises(ValueError, match=r"^limits are"):
            reach(some(0, CHOSEN[5]), np.empty((0, 2)), np.empty(0), limits)


def test_it_pauses_after_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    own = Kernel.gram

    def counted(self: Kernel, A: Array, B: Array) -> Array:
        asked[-1] += len(A) * len(B)
        return own(self, A, B)

    monkeypatch.setattr(Kernel, "gram", counted)
    monkeypatch.setattr(margin_rays, "PIECE", 5_000)
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1.0, 1.0, (100, 2)), rng.choice([-1.0, 1.0], 100)
    decision = some(0, CHOSEN[6], 40)
    asked.append(0)
    work = margin_reach(decision, X, y, VIEW)
    while True:
        try:
            next(work)
            asked.append(0)
        except StopIteration as end:
            pieces = end.value
            break
    monkeypatch.setattr(margin_rays, "PIECE", 10**9)
    asked.append(0)
    whole = reach(decision, X, y)
    assert np.array_equal(pieces[1], whole[1])
    np.testing.assert_allclose(pieces[0], whole[0], atol=1e-9)
    # A few samples to begin with, `AT_ONCE` on each ray, and some tens to narrow it down.
    assert len(asked) > 10 and max(asked[:-1]) <= 5 * 5_000


def test_it_takes_the_function_of_a_fitted_model() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) + 30.0
    labels = np.where(X[:, 0] > 30.0, 1, 0)
    labels[::9] = 1 - labels[::9]
    for kernel in ("linear", "rbf"):
        model = SVC(kernel=kernel, gamma=0.5).fit(X, labels)
        decision = Decision.of(model.expansion)
        np.testing.assert_allclose(decision.value(X), model.decision_function(X), rtol=1e-10, atol=1e-12)
        y = np.where(labels == model.classes_[1], 1.0, -1.0)
        slack = np.flatnonzero(y * decision.value(X) < 0.99)
        end, capped = reach(decision, X[slack], y[slack], (20.0, 40.0, 20.0, 40.0))
        assert not capped.all()
        np.testing.assert_allclose((y[slack] * model.decision_function(end))[~capped], 1.0, atol=1e-7)
    callable_one = SVC(kernel=lambda A, B: A @ B.T).fit(X, labels)
    with pytest.raises(ValueError, match=r"^kernel is 'callable'"):
        Decision.of(callable_one.expansion)
