"""The nearest boundary point: against circles and lines with known distances, and a fine polar search."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import numpy as np
import pytest

from solver import KERNELS, SVC, Kernel, PegasosClassifier
from solver.data import datasets
from solver.inspection.boundary_distance import Crossings, crossings, nearest_zero, squared_norm
from solver.inspection.margin_rays import Decision

Result = TypeVar("Result")


def result(work: Generator[None, None, Result]) -> Result:
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: Result = end.value
            return found


def model_of(kernel: str, seed: int = 0, n: int = 60) -> SVC:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (np.hypot(*X.T) + 0.3 * rng.normal(size=n) > 1).astype(int)
    return SVC(5.0, kernel, 2, 1.0, 0.5, max_iter=5000).fit(X, y)


def found_by(model: SVC, n: int = 129, reach: float = 3.0) -> Crossings:
    axis = np.linspace(-reach, reach, n)
    return result(crossings(model.pair_surface_on(axis), 0, axis, axis))


def polar(decision: Decision, location: np.ndarray, reach: float) -> float:
    """Return the nearest change of sign on 400 rays, sampled at 250 locations each."""
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    radius = np.linspace(0, reach, 250)
    least = np.inf
    for part in np.split(angle, 8):
        locations = location + radius[None, :, None] * np.stack((np.cos(part), np.sin(part)), axis=1)[:, None, :]
        f = decision.value(locations.reshape(-1, 2)).reshape(len(part), -1) > 0
        hit = f[:, 1:] != f[:, :1]
        least = min(least, *(radius[1:][row.argmax()] for row in hit if row.any()), np.inf)
    return least


@pytest.mark.parametrize("kernel", ["poly", "rbf", "laplacian", "sigmoid"])
def test_no_boundary_point_is_nearer(kernel: str) -> None:
    model = model_of(kernel)
    decision, found = Decision.of(model.expansion), found_by(model)
    assert len(found.at) and found.cell == pytest.approx(6 / 128)
    refined = 0
    for location in np.random.default_rng(1).uniform(-1.5, 1.5, (12, 2)):
        near = nearest_zero(decision, location, found)
        assert near is not None
        refined += near.refined
        assert np.hypot(*(np.array(near.point) - location)) == pytest.approx(near.distance)
        size = np.abs(decision.coef).sum() + abs(decision.offset)
        assert abs(decision.value(np.array([near.point]))[0]) < 1e-6 * size
        least = polar(decision, location, 1.5 * near.distance + 0.05)
        resolution = (1.5 * near.distance + 0.05) / 249
        assert near.distance <= least + resolution + (0 if near.refined else found.cell)
    assert refined == 0 if kernel == "laplacian" else refined >= 10


def test_a_circle() -> None:
    """f = |x|^2 - 4 as the sum of a polynomial kernel: distances are known."""
    points = np.array([[1.0, 0.0], [0.0, 1.0]])
    decision = Decision(Kernel("poly", 1.0, 0.0, 2), points, np.ones(2), -4.0, np.zeros(2))
    axis = np.linspace(-3, 3, 121)

    def rows(ys: np.ndarray) -> np.ndarray:
        return (axis[None, :] ** 2 + ys[:, None] ** 2 - 4)[..., None]

    found = result(crossings(rows, 0, axis, axis))
    assert np.hypot(*found.at.T) == pytest.approx(2.0, abs=1e-3)
    for location in ((0.5, 0.3), (2.5, 1.0), (0.0, -1.9)):
        near = nearest_zero(decision, np.array(location), found)
        assert near is not None and near.refined
        assert near.distance == pytest.approx(abs(2.0 - np.hypot(*location)), abs=1e-6)


def test_without_a_boundary() -> None:
    axis = np.linspace(-1, 1, 20)
    found = result(crossings(lambda ys: np.ones((len(ys), 20, 1)), 0, axis, axis))
    decision = Decision(Kernel("rbf"), np.zeros((1, 2)), np.ones(1), 1.0, np.zeros(2))
    assert len(found.at) == 0 and nearest_zero(decision, np.zeros(2), found) is None


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_norm(kernel: str) -> None:
    model = model_of(kernel, n=400)
    decision = Decision.of(model.expansion)
    K = decision.kernel.gram(decision.points - decision.centre, decision.points - decision.centre)
    expected = decision.coef @ K @ decision.coef
    rounding = 1e-13 * (np.abs(decision.coef) @ np.abs(K) @ np.abs(decision.coef))
    assert result(squared_norm(model, 0)) == pytest.approx(expected, rel=1e-9, abs=rounding)
    if kernel == "linear":
        assert expected == pytest.approx((model.coef_**2).sum(), rel=1e-9, abs=rounding)


def test_the_norm_of_a_line_is_its_slope_also_far_away() -> None:
    X, y = datasets.generate("blobs", 40, 0.3, 0, n_classes=2)
    for model, away in ((PegasosClassifier(0.01), 0.0), (SVC(kernel="linear"), 1e6)):
        model.fit(X + away, y)
        f = model.pair_decision_function(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]) + away)[:, 0]
        assert result(squared_norm(model, 0)) == pytest.approx((f[1] - f[0]) ** 2 + (f[2] - f[0]) ** 2, rel=1e-5)
        assert model.expansion(X + away) == pytest.approx(model.pair_decision_function(X + away), rel=1e-12, abs=1e-12)
