"""Shading: each pixel's colour says class and sureness, and the drawn lines lie where the values change."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.shading import FULL_VALUE, LEAST, LEVELS, MOST, Shades, _thinned, colour, level_lines, region_lines
from solver import Grid

SHADES = Shades(
    (250, 251, 252),
    (
        (31, 119, 180),
        (255, 127, 14),
        (44, 160, 44),
        (214, 39, 40),
        (148, 103, 189),
        (140, 86, 75),
        (227, 119, 194),
        (188, 189, 34),
    ),
    (128, 128, 128),
)
GRID = Grid(-2.0, 2.0, -1.5, 1.5, 80, 60)
PIXEL = 4.0 / 80


def rgb(argb: NDArray[np.uint32]) -> NDArray[np.float64]:
    assert (argb >> 24 == 0xFF).all()
    return np.stack([argb >> 16 & 0xFF, argb >> 8 & 0xFF, argb & 0xFF], axis=-1).astype(float)


@pytest.mark.parametrize("dark", [False, True])
def test_a_colour_is_the_mix_of_class_and_sureness(dark: bool) -> None:
    shades = Shades((20, 22, 25), SHADES.classes, SHADES.tie) if dark else SHADES
    classes, sureness = np.meshgrid(np.arange(8, dtype=np.int8), np.linspace(0, 1, 200), indexing="ij")
    seen = rgb(colour(shades, classes, sureness, np.zeros(classes.shape, dtype=bool)))
    share = (LEAST + (MOST - LEAST) * sureness)[..., None]
    expected = np.array(shades.background) * (1 - share) + np.array(shades.classes)[classes] * share
    step = 255 * (MOST - LEAST) / (LEVELS - 1) / 2 + 0.5
    assert np.abs(seen - expected).max() <= step


def test_a_colour_decodes_to_its_class() -> None:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 8, (60, 80)).astype(np.int8)
    tie = rng.random(classes.shape) < 0.1
    sureness = rng.uniform(0, 3, classes.shape)  # beyond 1 is fully sure
    seen = rgb(colour(SHADES, classes, sureness, tie))
    shares = np.linspace(LEAST, MOST, LEVELS)[:, None, None]
    known = np.array(SHADES.background) * (1 - shares) + np.array(SHADES.classes) * shares
    away = np.abs(known.reshape(-1, 3) - seen[~tie][:, None, :]).max(axis=-1)
    level, decoded = np.divmod(away.argmin(axis=1), 8)
    assert (decoded == classes[~tie]).all() and (away.min(axis=1) <= 0.5).all()
    expected = np.minimum(sureness[~tie], 1.0) * (LEVELS - 1)
    assert np.abs(level - expected).max() <= 1.5, "a neighbouring level may round to the same colour"
    assert (seen[tie] == SHADES.tie).all()


def test_full_shade_stands_for_a_value_of_two() -> None:
    assert FULL_VALUE == 2.0


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


def distance(places: NDArray[np.float64], line: NDArray[np.float64]) -> NDArray[np.float64]:
    """From each place to the polyline `line`, which may have gaps."""
    start, end = line[:-1], line[1:]
    whole = ~(np.isnan(start).any(axis=1) | np.isnan(end).any(axis=1))
    start, along = start[whole], (end - start)[whole]
    length = np.maximum((along**2).sum(axis=1), 1e-300)
    share = np.clip(((places[:, None] - start) * along).sum(axis=2) / length, 0.0, 1.0)
    return np.linalg.norm(start + share[..., None] * along - places[:, None], axis=2).min(axis=1)


def test_thinned_lines_stay_within_a_fifth_of_a_pixel() -> None:
    turn = np.linspace(0, 6 * np.pi, 1500)
    spiral = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)]) * 0.08
    noisy = spiral + np.random.default_rng(0).normal(0, 0.02 * PIXEL, spiral.shape)
    broken = np.concatenate((noisy[:700], np.full((1, 2), np.nan), noisy[700:]))
    for line in (spiral, noisy, broken):
        thin = _thinned(line, 0.05 * PIXEL)
        assert len(thin) < 0.5 * len(line) and (thin[[0, -1]] == line[[0, -1]]).all()
        kept = line[~np.isnan(line[:, 0])]
        assert distance(kept, thin).max() < 0.2 * PIXEL
        assert np.isnan(thin).all(axis=1).sum() == np.isnan(line).all(axis=1).sum()
    for length in range(3):
        assert (_thinned(spiral[:length], PIXEL) == spiral[:length]).all()
