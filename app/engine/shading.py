"""Shading: model values to colours; nothing is smoothed, each pixel is one value of the model.

A surface arrives as three arrays of one shape: the winning class of each pixel, how sure it is (0 to 1), and whether
several classes share the maximum.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from solver.core.arrays import Array, Mask
from solver.kernels.pixels import LEVELS, SHARE, Pixels, Regions, colours_at

RGB = tuple[int, int, int]
#: Colours of the classes on a white ground.
ON_WHITE: tuple[RGB, ...] = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 140, 100),
    (184, 86, 140),
    (176, 116, 0),
    (98, 64, 170),
    (122, 110, 0),
    (96, 60, 20),
)
#: Share of the class colour in the mix with the background, where the model is least and most sure.
LEAST, MOST = 0.16, 0.52
#: |f| at which an SVM's shade is full.
FULL_VALUE = 2.0


class Shades(Struct, frozen=True):
    """The colours a picture is made of: background, one per class, and the grey of a tie."""

    background: RGB
    classes: tuple[RGB, ...]
    tie: RGB


@lru_cache(maxsize=8)
def colours_of(shades: Shades) -> NDArray[np.uint32]:
    """Return the colours 0xffrrggbb of class c at level l in place ``c * LEVELS + l``; the last place is the tie."""
    background = np.array(shades.background, dtype=np.float64)
    mix = np.linspace(LEAST, MOST, LEVELS)[:, None]
    colours = [background * (1 - mix) + np.array(c, dtype=np.float64) * mix for c in shades.classes]
    colours.append(np.array([shades.tie], dtype=np.float64))
    rgb = np.concatenate(colours).round().astype(np.uint8)
    red, green, blue = rgb.astype(np.uint32).T
    packed: NDArray[np.uint32] = (0xFF000000 + red * 0x10000 + green * 0x100 + blue).astype(np.uint32)
    return packed


def colour(shades: Shades, classes: Regions, sureness: Array, tie: Mask) -> NDArray[np.uint32]:
    """Return colours 0xffrrggbb of winning `classes` (0 to 7), `sureness` in [0, 1] and `tie`."""
    return colours_at(Pixels(classes, tie, SHARE.shade(sureness)), colours_of(shades))
