"""Shading: the colour of each pixel shows its class and how sure the model is."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.shading import FULL_VALUE, LEAST, MOST, Shades, colour
from solver.kernels.pixels import LEVELS

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


def rgb(argb: NDArray[np.uint32]) -> NDArray[np.float64]:
    assert (argb >> 24 == 0xFF).all()
    return np.stack([argb >> 16 & 0xFF, argb >> 8 & 0xFF, argb & 0xFF], axis=-1).astype(float)


@pytest.mark.parametrize("dark", [False, True])
def test_a_colour_is_the_mix_of_class_and_sureness(dark: bool) -> None:
    shades = Shades((20, 22, 25), SHADES.classes, SHADES.tie) if dark else SHADES
    classes, sureness = np.meshgrid(np.arange(8, dtype=np.int8), np.linspace(0, 1, 200), indexing="ij")
    shown = rgb(colour(shades, classes, sureness, np.zeros(classes.shape, dtype=bool)))
    share = (LEAST + (MOST - LEAST) * sureness)[..., None]
    expected = np.array(shades.background) * (1 - share) + np.array(shades.classes)[classes] * share
    step = 255 * (MOST - LEAST) / (LEVELS - 1) / 2 + 0.5
    assert np.abs(shown - expected).max() <= step


@pytest.mark.slow
def test_a_colour_decodes_to_its_class() -> None:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 8, (60, 80)).astype(np.int8)
    tie = rng.random(classes.shape) < 0.1
    sureness = rng.uniform(0, 3, classes.shape)  # beyond 1 is fully sure
    shown = rgb(colour(SHADES, classes, sureness, tie))
    shares = np.linspace(LEAST, MOST, LEVELS)[:, None, None]
    known = np.array(SHADES.background) * (1 - shares) + np.array(SHADES.classes) * shares
    away = np.abs(known.reshape(-1, 3) - shown[~tie][:, None, :]).max(axis=-1)
    level, decoded = np.divmod(away.argmin(axis=1), 8)
    assert (decoded == classes[~tie]).all() and (away.min(axis=1) <= 0.5).all()
    expected = np.minimum(sureness[~tie], 1.0) * (LEVELS - 1)
    assert np.abs(level - expected).max() <= 1.5, "a neighbouring level may round to the same colour"
    assert (shown[tie] == SHADES.tie).all()


def test_full_shade_stands_for_a_value_of_two() -> None:
    assert FULL_VALUE == 2.0
