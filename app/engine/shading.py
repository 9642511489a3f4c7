"""Shading: model values to colours and lines; nothing is smoothed, each pixel is one value of the model.

A surface arrives as three arrays of one shape: the winning class of each pixel, how sure it is (0 to 1), and whether
several classes share the maximum.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import contourpy
import numpy as np
from numpy.typing import NDArray

from solver import Grid
from solver.core.arrays import Array

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
#: Class of each pixel, 0 to 7; -1 for a tie.
Regions = NDArray[np.int8]
LEVELS = 64
#: Share of the class colour in the mix with the background, where the model is least and most sure.
LEAST, MOST = 0.16, 0.52
#: Share of a pixel by which a drawn line may leave out a vertex.
THIN = 0.05
#: |f| at which an SVM's shade is full.
FULL_VALUE = 2.0


@dataclass(frozen=True)
class Shades:
    """The colours a picture is made of: background, one per class, and the grey of a tie."""

    background: RGB
    classes: tuple[RGB, ...]
    tie: RGB


@lru_cache(maxsize=8)
def _table(shades: Shades) -> NDArray[np.uint32]:
    """Colours 0xffrrggbb of class c at level l in place ``c * LEVELS + l``; the last place is the tie."""
    background = np.array(shades.background, dtype=np.float64)
    mix = np.linspace(LEAST, MOST, LEVELS)[:, None]
    colours = [background * (1 - mix) + np.array(c, dtype=np.float64) * mix for c in shades.classes]
    colours.append(np.array([shades.tie], dtype=np.float64))
    rgb = np.concatenate(colours).round().astype(np.uint8)
    red, green, blue = rgb.astype(np.uint32).T
    packed: NDArray[np.uint32] = (0xFF000000 + red * 0x10000 + green * 0x100 + blue).astype(np.uint32)
    return packed


def colour(shades: Shades, classes: Regions, sureness: Array, tie: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Colours 0xffrrggbb, shape (h, w), of winning `classes` (0 to 7), `sureness` in [0, 1] and `tie`."""
    table = _table(shades)
    levels = np.minimum(sureness * (LEVELS - 1) + 0.5, LEVELS - 1).astype(np.int16)
    levels += classes.astype(np.int16) * LEVELS
    levels[tie] = len(table) - 1
    return table.take(levels)


def level_lines(grid: Grid, values: Array, levels: tuple[float, ...]) -> Array:
    """The curves ``values == level`` on the grid's pixel centres, joined with NaN rows, shape (m, 2)."""
    if min(values.shape) < 2:
        return np.empty((0, 2))
    generator = contourpy.contour_generator(grid.xs, grid.ys, values, line_type=contourpy.LineType.ChunkCombinedNan)
    pixel = (grid.right - grid.left) / grid.width
    lines = [generator.lines(level)[0][0] for level in levels]
    return joined(_thinned(line, THIN * pixel) for line in lines if line is not None)


def region_lines(grid: Grid, regions: Regions) -> Array:
    """The borders between pixels of different `regions`, joined with NaN rows, shape (m, 2)."""
    inside = [regions == region for region in range(-1, 8)]
    present = [mask for mask in inside if mask.any()]
    parts = [level_lines(grid, mask.astype(np.float64), (0.5,)) for mask in present[1:]]
    return joined(parts)


def _thinned(line: Array, tolerance: float) -> Array:
    """`line` without vertices that lie within `tolerance` of the straight line between their neighbours.

    Drawing is several times faster, and nobody can see it: three rounds, each of which may drop every second vertex.
    """
    for _ in range(3):
        before, at, after = line[:-2], line[1:-1], line[2:]
        along, across = after - before, at - before
        area = np.abs(along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0])
        # Comparisons with NaN are false: ends of pieces stay.
        idle = area <= tolerance * np.hypot(along[:, 0], along[:, 1])
        idle[1::2] = False
        line = line[np.concatenate(([True], ~idle, [True]))] if len(line) > 2 else line
    return line


def joined(parts: Iterable[Array]) -> Array:
    """Polylines, joined with NaN rows; without the empty ones."""
    gap = np.full((1, 2), np.nan)
    pieces = [piece for part in parts if len(part) for piece in (part, gap)]
    return np.concatenate(pieces[:-1]) if pieces else np.empty((0, 2))
