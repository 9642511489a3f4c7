"""Lines of pictures: equal to contourpy's, to the last bit before thinning, compiled or not."""

from __future__ import annotations

import contourpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from solver import Grid
from solver.core.arrays import Array, Integers
from solver.kernels.lines import THIN, cell_boundaries, joined, level_lines, region_lines
from tests.without_compiler import machine_code

GRID = Grid(-2.0, 2.0, -1.5, 1.5, 80, 60)
PIXEL = 4.0 / 80
LEVELS = (-1.0, 0.0, 0.5)
SHAPES = st.tuples(st.integers(2, 9), st.integers(2, 9))
#: Samples on a level, saddles and single pixels are all frequent.
VALUES = arrays.arrays(
    np.float64, SHAPES, elements=st.one_of(st.sampled_from((-1.0, 0.0, 0.5, 1.0)), st.floats(-2.0, 2.0))
)
REGIONS = arrays.arrays(np.int8, SHAPES, elements=st.integers(-1, 7))


def grid_for(values: NDArray[np.generic]) -> Grid:
    height, width = values.shape
    return Grid(-1.3, 2.2, -0.7, 3.1, width, height)


def contours(grid: Grid, values: Array, level: float) -> Array:
    """Return the lines of contourpy."""
    generator = contourpy.contour_generator(grid.xs, grid.ys, values, line_type=contourpy.LineType.ChunkCombinedNan)
    found = generator.lines(level)[0][0]
    return np.empty((0, 2)) if found is None else np.asarray(found)


def distance(locations: Array, line: Array) -> Array:
    """Return the distance from each location to the polyline `line`, which may have gaps."""
    start, end = line[:-1], line[1:]
    whole = ~(np.isnan(start).any(axis=1) | np.isnan(end).any(axis=1))
    start, along = start[whole], (end - start)[whole]
    length = np.maximum((along**2).sum(axis=1), 1e-300)
    share = np.clip(((locations[:, None] - start) * along).sum(axis=2) / length, 0.0, 1.0)
    return np.asarray(np.linalg.norm(start + share[..., None] * along - locations[:, None], axis=2).min(axis=1))


@pytest.mark.parametrize("compiled", [True, False])
@given(values=VALUES)
def test_level_lines_are_those_of_contourpy(compiled: bool, values: Array) -> None:
    grid = grid_for(values)
    expected = joined([contours(grid, values, level) for level in LEVELS])
    with machine_code(compiled):
        found = [level_lines(grid, values, (level,), thin=0.0) for level in LEVELS]
    np.testing.assert_array_equal(joined(found), expected)


@pytest.mark.parametrize("compiled", [True, False])
@given(regions=REGIONS)
def test_region_lines_are_those_of_contourpy_around_regions(compiled: bool, regions: NDArray[np.int8]) -> None:
    grid = grid_for(regions)
    present = np.unique(regions)[1:]
    expected = joined([contours(grid, (regions == region).astype(np.float64), 0.5) for region in present])
    with machine_code(compiled):
        found = region_lines(grid, regions)
    # Thinned: every vertex of one is near the other.
    for one, other in ((found, expected), (expected, found)):
        there = one[~np.isnan(one[:, 0])]
        if len(there):
            assert distance(there, other).max() <= 3 * THIN * (grid.right - grid.left) / grid.width
    assert np.isnan(found).all(axis=1).sum() == np.isnan(expected).all(axis=1).sum(), "as many lines"


@given(arrays.arrays(np.int64, SHAPES, elements=st.sampled_from((0, 1, 2, -(2**63)))))
def test_boundaries_run_between_different_pixels_once(cells: Integers) -> None:
    height, width = cells.shape
    grid = Grid(0.0, float(width), 0.0, float(height), width, height)
    lines, count = cell_boundaries(grid, cells)
    assert count == len(np.unique(cells))
    x, y = np.meshgrid(grid.xs, grid.ys)
    across, along = cells[:, 1:] != cells[:, :-1], cells[1:] != cells[:-1]
    beside = np.column_stack((x[:, 1:].ravel() - 0.5, y[:, 1:].ravel()))
    above = np.column_stack((x[1:].ravel(), y[1:].ravel() - 0.5))
    middles, differ = np.concatenate((beside, above)), np.concatenate((across.ravel(), along.ravel()))
    if not differ.any():
        assert len(lines) == 0
        return
    away = distance(middles, lines)
    assert (away[differ] <= 3 * THIN).all() and (away[~differ] > 0.3).all()
    # Through four pixels straight or round a corner, else from their middle to each side: each piece once.
    sides = np.stack((across[1:], across[:-1], along[:, 1:], along[:, :-1])).astype(int)
    number, straight = sides.sum(axis=0), (sides[0] == sides[1]) & (sides[2] == sides[3])
    expected = np.where(number == 2, np.where(straight, 1.0, np.sqrt(0.5)), 0.5 * number)
    length = np.nansum(np.hypot(*(lines[1:] - lines[:-1]).T))
    assert length == pytest.approx(expected.sum(), abs=0.02 * expected.sum())


@given(st.tuples(st.integers(1, 8), st.integers(1, 8)), st.booleans())
def test_an_island_of_one_pixel_has_its_line(index: tuple[int, int], of_values: bool) -> None:
    grid, inside = Grid(0.0, 10.0, 0.0, 10.0, 10, 10), np.zeros((10, 10), dtype=np.int8)
    inside[index] = 1
    line = level_lines(grid, inside - 0.5, (0.0,)) if of_values else region_lines(grid, inside)
    assert len(line) == 5 and (line[0] == line[-1]).all(), "closed"
    np.testing.assert_allclose(np.abs(line - (grid.xs[index[1]], grid.ys[index[0]])).sum(axis=1), 0.5)


@given(values=VALUES, data=st.data())
def test_lines_keep_away_from_samples_that_are_no_finite_number(values: Array, data: st.DataObject) -> None:
    holes = data.draw(arrays.arrays(np.bool_, values.shape))
    grid, bad = grid_for(values), data.draw(st.sampled_from((np.nan, np.inf, -np.inf)))
    found = level_lines(grid, np.where(holes, bad, values), LEVELS, thin=0.0)
    assert np.isnan(found[:, 0]).sum() == np.isnan(found).all(axis=1).sum() and not np.isinf(found).any()
    # Each piece lies in one cell, all of whose corners are finite, and is a piece of the line of all samples.
    pieces = np.stack((found[:-1], found[1:]), axis=1)
    pieces = pieces[~np.isnan(pieces).any(axis=(1, 2))]
    middle = pieces.mean(axis=1)
    column = np.clip(np.searchsorted(grid.xs, middle[:, 0]) - 1, 0, grid.width - 2)
    row = np.clip(np.searchsorted(grid.ys, middle[:, 1]) - 1, 0, grid.height - 2)
    inner = (pieces[:, 0] != pieces[:, 1]).all(axis=1)  # not along a side, which belongs to two cells
    for up in (0, 1):
        for across in (0, 1):
            assert not holes[row + up, column + across][inner].any()
    if len(pieces):
        whole = level_lines(grid, values, LEVELS, thin=0.0)
        assert distance(middle, whole).max() < 1e-9


def circle(radius: float = 1.0) -> NDArray[np.float64]:
    return np.hypot(*np.meshgrid(GRID.xs, GRID.ys)) - radius


def test_level_lines_lie_on_the_circle() -> None:
    line = level_lines(GRID, circle(), (0.0,))
    assert not np.isnan(line).any()
    assert np.abs(np.hypot(*line.T) - 1.0).max() < 0.6 * PIXEL
    angles = np.sort(np.arctan2(line[:, 1], line[:, 0]))
    assert np.diff(angles).max() < 0.5, "all the way round"
    two = level_lines(GRID, circle(), (-0.3, 0.3))
    gap = np.isnan(two).all(axis=1)
    assert gap.sum() == np.isnan(two).any(axis=1).sum() == 1
    radii = np.hypot(*two[~gap].T)
    assert np.minimum(np.abs(radii - 0.7), np.abs(radii - 1.3)).max() < 0.6 * PIXEL


def test_level_lines_of_a_slope_are_straight_and_short() -> None:
    x, y = np.meshgrid(GRID.xs, GRID.ys)
    line = level_lines(GRID, x + 0.5 * y - 0.2, (0.0,))
    assert np.abs(line[:, 0] + 0.5 * line[:, 1] - 0.2).max() < 1e-9
    assert abs(np.abs(line[0] - line[-1])[1] - 3.0) <= 2 * PIXEL, "from edge to edge"
    assert len(line) < 40


def test_region_lines_lie_on_the_step() -> None:
    x, y = np.meshgrid(GRID.xs, GRID.ys)
    at = 0.337
    line = region_lines(GRID, (x > at).astype(np.int8))
    assert not np.isnan(line).any() and np.abs(line[:, 0] - at).max() < 0.6 * PIXEL
    assert line[:, 1].max() - line[:, 1].min() > 3.0 - 2 * PIXEL
    regions = np.select([x > 1.0, np.abs(y) < 0.25], [3, -1], 0).astype(np.int8)
    line = region_lines(GRID, regions)
    line = line[~np.isnan(line[:, 0])]
    on_column = np.abs(line[:, 0] - 1.0)
    on_band = np.where(line[:, 0] <= 1.0 + PIXEL, np.abs(np.abs(line[:, 1]) - 0.25), np.inf)
    assert np.minimum(on_column, on_band).max() < 0.6 * PIXEL
    assert (on_column < 0.6 * PIXEL).any() and (on_band < 0.6 * PIXEL).any()


def test_nothing_to_draw() -> None:
    assert level_lines(GRID, np.ones((60, 80)), (0.0,)).shape == (0, 2)
    assert region_lines(GRID, np.ones((60, 80), dtype=np.int8)).shape == (0, 2)
    for width, height in ((1, 60), (80, 1), (1, 1)):
        small = Grid(0, 1, 0, 1, width, height)
        assert level_lines(small, np.zeros((height, width)), (0.0,)).shape == (0, 2)
        assert region_lines(small, np.arange(width * height, dtype=np.int8).reshape(height, width) % 2).shape == (0, 2)


def test_thinned_lines_stay_within_a_fifth_of_a_pixel() -> None:
    x, y = np.meshgrid(GRID.xs, GRID.ys)
    spiral = np.sin(6.0 * np.hypot(x, y) - np.arctan2(y, x))
    noisy = spiral + np.random.default_rng(0).normal(0.0, 0.01, spiral.shape)
    for values in (spiral, noisy):
        line, thin = (level_lines(GRID, values, (0.3,), share) for share in (0.0, THIN))
        assert len(thin) < 0.5 * len(line)
        assert np.isnan(thin).all(axis=1).sum() == np.isnan(line).all(axis=1).sum()
        assert set(map(tuple, thin[~np.isnan(thin[:, 0])])) <= set(map(tuple, line)), "no vertex is new"
        assert distance(line[~np.isnan(line[:, 0])], thin).max() < 0.2 * PIXEL


def test_read_only_and_other_arrays_are_taken() -> None:
    values = circle()
    expected = level_lines(GRID, values, (0.0,))
    values.setflags(write=False)
    for same in (values, np.asfortranarray(values), np.repeat(values, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(level_lines(GRID, same, (0.0,)), expected)
