"""Colour map: colours for the values of a map, from least to greatest or about a midpoint."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from app.engine.shading import RGB
from solver.core.arrays import Array

#: Colours of a map: cividis, dark blue to yellow, distinguishable with every colour vision and in grey print.
COLOURS = ("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838")
#: Colours of a map about a midpoint: blue, white, orange, distinguishable with every colour vision.
ABOUT = ("#08306b", "#2b6cb0", "#8fbbdc", "#f4f4f4", "#f2b27a", "#d06a1a", "#7f3b08")
BLACK, WHITE = (0, 0, 0), (255, 255, 255)


@lru_cache(maxsize=2)
def shades(midpoint: bool) -> NDArray[np.uint32]:
    """Return the 256 colours from least to greatest, 0xffrrggbb."""
    table = pg.ColorMap(None, ABOUT if midpoint else COLOURS).getLookupTable(nPts=256)
    return np.asarray(table.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32) | np.uint32(0xFF000000))


def rgb_of(pixel: int) -> RGB:
    """Return red, green and blue of 0xffrrggbb."""
    return pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255


def levels_of(values: Array, span: tuple[float, float]) -> NDArray[np.intp]:
    """Return the indices of values in the table of colours."""
    shares = np.nan_to_num((values - span[0]) / (span[1] - span[0]))
    return np.clip(np.round(255 * shares), 0, 255).astype(np.intp)
