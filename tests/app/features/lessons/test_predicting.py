"""Scores of guesses against brute force: regions by flooding, areas of simple shapes, gains by the dual itself."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.points import Points
from app.features.lessons.scene import Agreement, classes_of, gain_of, read, regions, samples
from app.features.lessons.state import ModelBoundary
from solver import Kernel, SmoSolver
from solver.data import datasets
from solver.recording import Recording
from tests.app.features.runs import run_state_of
from tests.covering import first_rows

Array = NDArray[np.float64]
BOX = (-2.0, 2.0, -1.0, 1.0)


def crosses(a: Array, b: Array, c: Array, d: Array) -> bool:
    """Return whether the segments ab and cd cross."""

    def side(p: Array, q: Array, r: Array) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def flooded(lines: list[Array], xs: Array, ys: Array) -> NDArray[np.int64]:
    """Return the regions, one sample after the other."""
    segments = [pair for line in lines for pair in pairwise(line)]
    region = np.full((len(ys), len(xs)), -1)
    for number, seed in enumerate(np.ndindex(region.shape)):
        if region[seed] >= 0:
            continue
        todo = [seed]
        region[seed] = number
        while todo:
            row, column = todo.pop()
            here = np.array([xs[column], ys[row]])
            for r, c in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
                if 0 <= r < len(ys) and 0 <= c < len(xs) and region[r, c] < 0:
                    there = np.array([xs[c], ys[r]])
                    if not any(crosses(here, there, *segment) for segment in segments):
                        region[r, c] = number
                        todo.append((r, c))
    return region


@pytest.mark.parametrize("seed", range(12))
def test_regions_are_those_of_flooding(seed: int) -> None:
    rng = np.random.default_rng(seed)
    xs, ys = np.linspace(-1.9, 1.9, 21), np.linspace(-0.9, 0.9, 11)
    walks = [np.cumsum(rng.normal(0, 0.35, (rng.integers(2, 12), 2)), axis=0) for _ in range(rng.integers(1, 4))]
    lines = [read(tuple(map(tuple, walk.tolist())), BOX) for walk in walks]
    found, wanted = regions(lines, xs, ys), flooded(lines, xs, ys)
    pairs = set(zip(found.ravel().tolist(), wanted.ravel().tolist(), strict=True))
    assert len(pairs) == len(np.unique(found)) == len(np.unique(wanted)) > 1


def test_a_line_through_samples_leaks_nowhere() -> None:
    xs, ys = np.linspace(-1.0, 1.0, 11), np.linspace(-1.0, 1.0, 11)
    for line in ([(-1.0, -1.0), (1.0, 1.0)], [(0.0, -1.0), (0.0, 1.0)], [(-1.0, 0.2), (0.2, 0.2), (0.2, -1.0)]):
        part = regions([read(tuple(line), (-1.1, 1.1, -1.1, 1.1))], xs, ys)
        assert part.max() == 1, line


class Halves:
    """A model with class 1 to the right of `at`."""

    classes_, kind = np.array([0, 1]), "probabilities"

    def __init__(self, at: float) -> None:
        self._at = at

    def predict(self, xy: Array) -> NDArray[np.int64]:
        return (xy[:, 0] > self._at).astype(np.int64)


def score(lines: tuple[tuple[tuple[float, float], ...], ...], model: object, points: Points) -> float:
    found: list[float] = []
    for _ in Agreement(lines, ModelBoundary(model, points, BOX)).answer(found.append, lambda: False):  # type: ignore[arg-type]
        pass
    return found[-1]


TWO = Points.of([[-1.5, 0.0], [-1.0, 0.3], [1.5, 0.0], [1.0, -0.3]], [0, 0, 1, 1])


@pytest.mark.parametrize(("drawn", "model"), [(0.0, 0.0), (0.5, 0.0), (-0.7, 0.4)])
def test_a_short_stroke_goes_on_to_the_edges(drawn: float, model: float) -> None:
    """The share is one less the strip between the two lines, however short the stroke is."""
    line = ((drawn, -0.2), (drawn, 0.0), (drawn, 0.2))
    assert score((line,), Halves(model), TWO) == pytest.approx(1 - abs(drawn - model) / 4, abs=0.01)


def test_regions_take_the_class_of_most_points_in_them() -> None:
    swapped = Points.of(TWO.xy, 1 - TWO.labels)
    line = ((0.0, -0.5), (0.0, 0.5))
    assert score((line,), Halves(0.0), swapped) == pytest.approx(0.0, abs=0.01)
    mixed = Points.of(np.tile(TWO.xy, (2, 1)), [0, 0, 1, 1, 0, 1, 1, 1])
    assert score((line,), Halves(0.0), mixed) == pytest.approx(1.0, abs=0.01)


def test_an_empty_region_is_of_the_predicted_class() -> None:
    circle = tuple((0.5 * np.cos(t), 0.5 * np.sin(t)) for t in np.linspace(0, 6.2, 60))
    one_side = Points.of([[1.5, 0.0], [1.2, 0.2]], [1, 1])
    # Inside: no point, and the model's class 1 nearly everywhere; outside: class 1.
    assert score((circle,), Halves(-0.4), one_side) == pytest.approx(1 - 1.6 / 4, abs=0.02)


def test_a_nearly_closed_line_is_closed() -> None:
    inside = Points.of([[0.0, 0.0], [1.5, 0.5], [-1.5, 0.5]], [1, 0, 0])
    circle = tuple((0.5 * np.cos(t), 0.5 * np.sin(t)) for t in np.linspace(0, 5.9, 60))

    class Disc(Halves):
        def predict(self, xy: Array) -> NDArray[np.int64]:
            return (np.hypot(*xy.T) < 0.5).astype(np.int64)

    assert score((circle,), Disc(0), inside) == pytest.approx(1.0, abs=0.01)
    small = score((tuple((0.6 * x, 0.6 * y) for x, y in circle),), Disc(0), inside)
    assert small == pytest.approx(1 - np.pi * 0.25 * (1 - 0.36) / 8, abs=0.01)


def test_samples_tile_the_view_with_squares() -> None:
    xs, ys = samples(BOX)
    assert (len(xs), len(ys)) == (160, 80)
    assert xs[0] - BOX[0] == pytest.approx(BOX[1] - xs[-1]) == pytest.approx(0.0125)
    assert np.diff(xs) == pytest.approx(np.full(159, 0.025))


def test_points_out_of_view_have_no_voice() -> None:
    xs, ys = samples(BOX)
    region = np.zeros((len(ys), len(xs)), dtype=np.intp)
    far = Points.of([[0.0, 0.0], [9.0, 9.0], [-9.0, 0.0]], [0, 1, 1])
    assert (classes_of(region, xs, ys, far, np.ones_like(region)) == 0).all()


@pytest.mark.parametrize(("steps", "C"), first_rows([(0, 1.0), (9, 0.3), (3, 1.0), (25, 5.0)], 2))
def test_the_gain_is_that_of_the_dual(steps: int, C: float) -> None:
    """Against the dual objective along the segment, sampled densely; for the solver's own pair against its step."""
    X, labels = datasets.generate("moons", 12, noise=0.3, seed=3)
    y = np.where(labels == 0, -1.0, 1.0)
    kernel = Kernel("rbf", 1.5)
    K = kernel.gram(X, X)
    run = Recording(SmoSolver(X, y, kernel, C=C))
    run.advance(steps)
    solver = run.solver
    alpha = np.array(solver.alpha)
    v = y - K @ (y * alpha)
    state = run_state_of(
        run.trace, points=Points.of(X, labels), index=np.arange(len(y)), y=y, alpha=alpha, C=np.full(len(y), C), v=v
    )

    def dual(a: Array) -> float:
        return float(a.sum() - 0.5 * (y * a) @ K @ (y * a))

    rng = np.random.default_rng(0)
    for first, second in rng.integers(0, len(y), (40, 2)).tolist():
        if first == second:
            continue
        moved = np.tile(alpha, (4001, 1))
        moved[:, first] += y[first] * np.linspace(-2 * C, 2 * C, 4001)
        moved[:, second] -= y[second] * np.linspace(-2 * C, 2 * C, 4001)
        feasible = moved[(moved.min(axis=1) >= -1e-12) & (moved.max(axis=1) <= C + 1e-12)]
        duals = feasible.sum(axis=1) - 0.5 * (((y * feasible) @ K) * (y * feasible)).sum(axis=1)
        best = (duals - dual(alpha)).max(initial=0.0)
        assert gain_of(state, kernel, first, second) == pytest.approx(best, abs=2e-5)
    before = dual(alpha)
    solver.step(1)
    i, j = solver.working_set
    if solver.n_iter > steps:
        assert gain_of(state, kernel, i, j) == pytest.approx(dual(np.array(solver.alpha)) - before, rel=1e-9)
