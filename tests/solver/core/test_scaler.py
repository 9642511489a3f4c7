"""Standardising estimators: against scikit-learn's pipelines, and against themselves on standardised points."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest
import sklearn.neighbors
import sklearn.svm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import solver
from solver import SVC, DualAscentSVC, KNeighborsClassifier, OnlineSVC, PegasosClassifier, Perceptron
from solver.core.scaler import Scaler
from solver.inspection.boundary_distance import crossings, nearest_zero, squared_norm
from solver.inspection.decision_terms import terms_at
from solver.inspection.explicit_map import explicit_map
from solver.inspection.margin_rays import Decision
from solver.knn.running_votes import RunningVotes
from tests.stepped import stepped

RNG = np.random.default_rng(5)
SCALE, SHIFT = (40.0, 0.02), (7000.0, -3.0)
Y = RNG.integers(0, 3, 150)
X = (RNG.normal(size=(150, 2)) + 1.2 * np.column_stack((Y, Y % 2))) * SCALE + SHIFT
LOCATIONS = (X.min(axis=0) + RNG.uniform(-0.2, 1.2, (10_000, 2)) * np.ptp(X, axis=0)).astype(float)


def axes_of(n: int) -> tuple[np.ndarray, np.ndarray]:
    low, high = X.min(axis=0), X.max(axis=0)
    return np.linspace(low[0], high[0], n), np.linspace(low[1], high[1], n)


def locations_on(xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    x, y = np.meshgrid(xs, ys)
    return np.column_stack((x.ravel(), y.ravel()))


def ended(work: Generator[Any, Any, Any]) -> Any:
    """Return the result of the generator `work`."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize("column", [np.full(9, 0.1), np.full(9, 1e9), 1e9 + np.arange(9) * 1e-9, np.arange(9) * 1e-30])
def test_scales_are_those_of_scikit_learn(column: np.ndarray) -> None:
    points = np.column_stack((column, np.arange(9.0) ** 2))
    mine, theirs = Scaler.of(points), StandardScaler().fit(points)
    np.testing.assert_allclose(mine.mean, theirs.mean_, rtol=1e-15)
    np.testing.assert_allclose(mine.scale, theirs.scale_, rtol=1e-12)
    np.testing.assert_allclose(mine.inverse_transform(mine.transform(points)), points, rtol=1e-14)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
def test_neighbours_are_those_of_the_pipeline(metric: str) -> None:
    mine = KNeighborsClassifier(7, metric=metric).standardised().fit(X, Y)
    theirs = make_pipeline(
        StandardScaler(), sklearn.neighbors.KNeighborsClassifier(7, metric=metric, algorithm="brute")
    ).fit(X, Y)
    np.testing.assert_array_equal(mine.predict(LOCATIONS), theirs.predict(LOCATIONS))
    xs, ys = axes_of(40)
    locations = locations_on(xs, ys)
    np.testing.assert_array_equal(mine.surface(xs, ys).reshape(-1, 3), mine.predict_proba(locations))
    grid = solver.Grid(xs[0], xs[-1], ys[0], ys[-1], 40, 40)
    top = mine.next_surface_classes(RunningVotes(grid))(grid.ys)[0]
    np.testing.assert_array_equal(top.ravel(), mine.predict(locations_on(grid.xs, grid.ys)))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("classes", [2, 3])
def test_f_is_that_of_the_pipeline(kernel: str, classes: int) -> None:
    chosen = classes > Y
    points, labels = X[chosen], Y[chosen]
    parameters = {"C": 2.0, "kernel": kernel, "gamma": 0.7, "tol": 1e-8}
    mine = SVC(**parameters).standardised()
    theirs = make_pipeline(StandardScaler(), sklearn.svm.SVC(**parameters, decision_function_shape="ovo")).fit(
        points, labels
    )
    model = stepped(mine, points, labels)
    signs = -1.0 if classes > 2 else 1.0  # of a pair, the first class is positive there
    expected = theirs.decision_function(LOCATIONS).reshape(len(LOCATIONS), -1)
    found = model.pair_decision_function(LOCATIONS)
    agreeing = min(np.abs(found - expected).max(), np.abs(found + signs * expected).max())
    assert agreeing <= 1e-3 * np.abs(expected).max()
    assert (model.predict(LOCATIONS) == theirs.predict(LOCATIONS)).mean() == 1.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: SVC(gamma="scale"),
        lambda: OnlineSVC(gamma=0.5, random_state=0),
        lambda: DualAscentSVC(gamma=0.5),
        lambda: Perceptron(max_iter=20),
        lambda: PegasosClassifier(0.01, n_iter=2000, random_state=1),
        lambda: solver.EditedNearestNeighbours(n_neighbors=3),
        lambda: solver.CondensedNearestNeighbour(),
    ],
)
def test_it_is_the_same_as_on_standardised_points(make: Callable[[], Any]) -> None:
    scaler = StandardScaler().fit(X)
    mine, plain = make().standardised(), make()
    models = [stepped(mine, X, Y), stepped(plain, scaler.transform(X), Y)]
    queries = [LOCATIONS, scaler.transform(LOCATIONS)]
    answers = [model.predict(locations) for model, locations in zip(models, queries, strict=True)]
    assert (answers[0] == answers[1]).mean() > 0.9995  # the last bit of a coordinate may differ
    xs, ys = axes_of(30)
    if models[0].kind == "f":
        on_grid = models[0].pair_surface_on(xs)(ys)
        at_locations = models[0].pair_decision_function(locations_on(xs, ys)).reshape(on_grid.shape)
        np.testing.assert_allclose(on_grid, at_locations, atol=1e-9 * np.abs(at_locations).max())
        leading = models[0].leaders(LOCATIONS)
        values = models[0].pair_decision_function(LOCATIONS)
        np.testing.assert_array_equal(leading, models[0].leaders_of(values, models[0].rounding_at(LOCATIONS)))


def test_trained_again_it_forgets_the_old_scaler() -> None:
    model = KNeighborsClassifier(3).standardised()
    model.fit(X, Y)
    again = model.fit(1e3 * X + 5.0, Y)
    np.testing.assert_array_equal(
        again.predict(1e3 * LOCATIONS + 5.0), KNeighborsClassifier(3).standardised().fit(X, Y).predict(LOCATIONS)
    )


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_gradients_boundaries_terms_and_maps_are_in_the_units_of_the_data(kernel: str) -> None:
    chosen = Y < 2
    machine = SVC(2.0, kernel, degree=2, gamma=0.5, coef0=1.0).standardised()
    model = stepped(machine, X[chosen], Y[chosen])
    decision = Decision.of(model.expansion, 0, model.scaler)
    at = LOCATIONS[:50]
    f = model.pair_decision_function(at)[:, 0]
    np.testing.assert_allclose(decision.value(at), f, atol=1e-9)
    slope = decision.gradient(at)[0]
    for axis, length in enumerate(SCALE):
        step = np.zeros(2)
        step[axis] = 1e-5 * length
        difference = (decision.value(at + step) - decision.value(at - step)) / (2 * step[axis])
        np.testing.assert_allclose(slope[:, axis], difference, atol=1e-4 * np.abs(difference).max())
    terms = terms_at(model, at[0], 0)
    assert terms.agrees and terms.f == f[0]
    xs, ys = axes_of(120)
    found = nearest_zero(decision, at[0], ended(crossings(model.pair_surface_on(xs), 0, xs, ys)))
    assert found is not None
    assert abs(model.pair_decision_function(np.array([found.point]))[0, 0]) < 1e-2
    wide = locations_on(*axes_of(600))
    values = model.pair_decision_function(wide)[:, 0].reshape(600, 600)
    change = np.argwhere(values[:, 1:] * values[:, :-1] <= 0)
    nearest = np.hypot(*(wide.reshape(600, 600, 2)[change[:, 0], change[:, 1]] - at[0]).T).min()
    assert found.distance <= nearest + np.ptp(X[:, 0]) / 100
    if kernel == "linear":
        w = model.plane_weights[0]
        np.testing.assert_allclose(slope[0], w, rtol=1e-9)
        assert ended(squared_norm(model, 0)) == pytest.approx(float(w @ w))
    elif kernel == "poly":
        drawn = explicit_map(model.expansion, 0, model.scaler)
        assert drawn is not None
        np.testing.assert_allclose(drawn(at) @ drawn.normal + drawn.offset, f, atol=1e-9 * np.abs(f).max())
    else:
        inner = model.scaler.transform(X[chosen])[model.support_]
        gram = np.exp(-0.5 * ((inner[:, None] - inner) ** 2).sum(axis=2))
        assert ended(squared_norm(model, 0)) == pytest.approx(float(model.dual_coef_[0] @ gram @ model.dual_coef_[0]))


def test_moved_points_are_prepared_anew() -> None:
    machine = SVC(gamma=0.5).standardised()
    machine.prepare(X, Y)
    assert machine.move_points(X + 1.0) is None
