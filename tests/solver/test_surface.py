"""Grid: pixel centres, orientation, and the coarse grid of the first picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.surface import Grid
from solver.svc import SVC


def test_pixels_are_sampled_at_their_centres() -> None:
    grid = Grid(-1.0, 1.0, 0.0, 3.0, 4, 3)
    assert grid.xs.tolist() == [-0.75, -0.25, 0.25, 0.75]
    assert grid.ys.tolist() == [0.5, 1.5, 2.5]


@settings(max_examples=100, deadline=None)
@given(
    left=st.floats(-1e6, 1e6), bottom=st.floats(-1e6, 1e6), across=st.floats(1e-3, 1e6), up=st.floats(1e-3, 1e6),
    width=st.integers(1, 2000), height=st.integers(1, 2000),
)  # fmt: skip
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
        ((640, 480), (160, 120)), ((1920, 1080), (480, 270)), ((400, 400), (160, 120)), ((100, 500), (100, 125)),
        ((160, 120), (160, 120)), ((1, 1), (1, 1)),
    ],
)  # fmt: skip
def test_coarse(size: tuple[int, int], coarse: tuple[int, int]) -> None:
    grid = Grid(-2.0, 1.0, 0.5, 4.0, *size)
    small = grid.coarse()
    assert (small.width, small.height) == coarse
    assert (small.left, small.right, small.bottom, small.top) == (-2.0, 1.0, 0.5, 4.0)
    again = grid.coarse(10, 10)
    assert (again.width, again.height) == tuple(min(s, max(10, s // 4)) for s in size)


def test_rows_go_up_and_columns_to_the_right() -> None:
    model = SVC(kernel="linear").fit([[0.0, 0.0], [1.0, 0.1]], ["left", "right"])
    grid = Grid(-1.0, 2.0, -5.0, 5.0, 7, 4)
    surface = model.surface(grid.xs, grid.ys)
    assert surface.shape == (4, 7)
    assert (np.diff(surface, axis=1) > 0).all()  # f grows with x
    assert (np.diff(surface, axis=0) > 0).all()  # and, a tenth as fast, with y
    assert surface[1, 5] == pytest.approx(model.decision_function([[grid.xs[5], grid.ys[1]]])[0])
