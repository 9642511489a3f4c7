"""Grid: pixel centres, orientation, and the coarse grid of the first picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from solver.kernels.grids import GridRows
from solver.kernels.surface import Grid, RunningExpansion
from solver.kernels.table import Kernel
from solver.svm.svc import SVC
from tests.examples import examples
from tests.solver.svm_reference import Formula

Array = NDArray[np.float64]


def test_pixels_are_sampled_at_their_centres() -> None:
    grid = Grid(-1.0, 1.0, 0.0, 3.0, 4, 3)
    assert grid.xs.tolist() == [-0.75, -0.25, 0.25, 0.75]
    assert grid.ys.tolist() == [0.5, 1.5, 2.5]


@examples(100)
@given(
    left=st.floats(-1e6, 1e6),
    bottom=st.floats(-1e6, 1e6),
    across=st.floats(1e-3, 1e6),
    up=st.floats(1e-3, 1e6),
    width=st.integers(1, 2000),
    height=st.integers(1, 2000),
)
def test_half_a_pixel_to_every_edge(
    left: float, bottom: float, across: float, up: float, width: int, height: int
) -> None:
    grid = Grid(left, left + across, bottom, bottom + up, width, height)
    for values, low, high, count in ((grid.xs, left, grid.right, width), (grid.ys, bottom, grid.top, height)):
        pixel = (high - low) / count
        near = 1e-9 * (abs(low) + abs(high))
        assert len(values) == count
        assert values[0] - low == pytest.approx(pixel / 2, abs=near)
        assert high - values[-1] == pytest.approx(pixel / 2, abs=near)
        np.testing.assert_allclose(np.diff(values), pixel, atol=2 * near)


@pytest.mark.parametrize(
    ("size", "coarse"),
    [
        ((640, 480), (160, 120)),
        ((1920, 1080), (339, 191)),
        ((400, 400), (139, 139)),
        ((100, 500), (62, 310)),
        ((160, 120), (160, 120)),
        ((1, 1), (1, 1)),
    ],
)
def test_coarse(size: tuple[int, int], coarse: tuple[int, int]) -> None:
    grid = Grid(-2.0, 1.0, 0.5, 4.0, *size)
    small = grid.coarse()
    assert (small.width, small.height) == coarse
    assert (small.left, small.right, small.bottom, small.top) == (-2.0, 1.0, 0.5, 4.0)
    again = grid.coarse(10, 10)
    pixels = size[0] * size[1]
    assert again.width * again.height == pytest.approx(min(pixels, max(100, pixels / 32)), rel=0.05)
    assert again.width / again.height == pytest.approx(size[0] / size[1], rel=0.1), "samples stay square"


def test_rows_go_up_and_columns_to_the_right() -> None:
    model = SVC(kernel="linear").fit([[0.0, 0.0], [1.0, 0.1]], ["left", "right"])
    grid = Grid(-1.0, 2.0, -5.0, 5.0, 7, 4)
    surface = model.surface(grid.xs, grid.ys)
    assert surface.shape == (4, 7)
    assert (np.diff(surface, axis=1) > 0).all()  # f grows with x
    assert (np.diff(surface, axis=0) > 0).all()  # and, a tenth as fast, with y
    assert surface[1, 5] == pytest.approx(model.decision_function([[grid.xs[5], grid.ys[1]]])[0])


@pytest.mark.parametrize(
    "formula",
    [Formula("rbf", 2.0), Formula("laplacian", 1.0), Formula("sigmoid", 1.0, -0.5), Formula("poly", 1.0, 1.0, 3)],
    ids=str,
)
def test_a_running_expansion_pays_for_what_changed_only(formula: Formula, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    grid = Grid(-2.0, 2.0, -2.0, 2.0, 40, 30)
    points, at = rng.normal(size=(60, 2)), np.array([(x, y) for y in grid.ys for x in grid.xs])
    paid: list[int] = []
    plain = Kernel.expansion_on

    def counting(self: Kernel, used: Array, *others: Array) -> GridRows:
        paid.append(len(used))
        return plain(self, used, *others)

    monkeypatch.setattr(Kernel, "expansion_on", counting)
    running = RunningExpansion(Kernel(formula.name, formula.gamma, formula.coef0, formula.degree), points, grid)
    coefficients = rng.normal(size=(60, 2)) * (rng.uniform(size=(60, 1)) < 0.5)
    n_support, offset = int(coefficients.any(axis=1).sum()), np.array([1.0, 2.0])
    for _ in range(120):
        expected = formula(at, points) @ coefficients + offset
        rows = running.rows(coefficients, offset)
        cut = int(rng.integers(1, 30))  # blocks of rows differ from picture to picture
        values = np.concatenate([rows(grid.ys[:cut]), rows(grid.ys[cut:])])
        np.testing.assert_allclose(values.reshape(-1, 2), expected, atol=1e-10)
        pair = rng.choice(np.flatnonzero(coefficients.any(axis=1)), 2, replace=False)
        coefficients[pair] += rng.normal(size=(2, 2))
    assert paid[0] == n_support and paid[1:20] == [2] * 19
    assert 1 < paid.count(n_support) < 10  # sometimes from the start, so that rounding errors do not accumulate


def test_a_running_expansion_survives_discarded_pictures() -> None:
    rng = np.random.default_rng(6)
    grid, kernel = Grid(-2.0, 2.0, -2.0, 2.0, 20, 16), Kernel("rbf", 1.0)
    points, offset = rng.normal(size=(30, 2)), np.zeros(1)
    running, coefficients = RunningExpansion(kernel, points, grid), rng.normal(size=(30, 1))
    for turn in range(30):
        rows = running.rows(coefficients, offset)
        exact = kernel.expansion_on(points, coefficients, grid.xs)(grid.ys)
        np.testing.assert_allclose(rows(grid.ys[:8]), exact[:8], atol=1e-12)
        if turn % 3:
            np.testing.assert_allclose(rows(grid.ys[8:]), exact[8:], atol=1e-12)
        coefficients[rng.integers(30)] += 1.0
