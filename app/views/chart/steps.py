"""Steps: map the steps of a run to a row of pixels, and group those that share a pixel."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Integers
from solver.core.trace import FACTOR, LEVELS


class StepScale(Struct, frozen=True):
    """Map steps to a row of pixels: `first` to the middle of the first pixel, `last` to the middle of the last.

    Attributes
    ----------
    first, last : int
        ``0 <= first <= last``.
    columns : int
        Number of pixels, 2 or more.
    log : bool
        Logarithmic: equal ratios have equal lengths; the scale then begins at step 1, since step 0 has no logarithm.
    """

    first: int
    last: int
    columns: int
    log: bool = False

    @property
    def start(self) -> int:
        """The step in the middle of the first pixel."""
        return max(self.first, 1) if self.log else self.first

    def pixels(self, steps: ArrayLike) -> Array:
        """Return the distances of steps from the middle of the first pixel (pixels)."""
        at = np.asarray(steps, dtype=np.float64)
        start, end = self.start, max(self.last, self.start + 1)
        if self.log:
            return np.asarray(np.log(np.maximum(at, 0.5) / start) / math.log(end / start) * (self.columns - 1))
        return np.asarray((at - start) / (end - start) * (self.columns - 1))

    def step_at(self, position: float) -> int:
        """Return the step nearest to `position`, clipped to the scale."""
        start, end = self.start, max(self.last, self.start + 1)
        share = min(max(position / (self.columns - 1), 0.0), 1.0)
        at = start * (end / start) ** share if self.log else start + share * (end - start)
        return min(max(round(at), self.first), self.last)

    def edges(self) -> Integers:
        """Return the edges of cells of one pixel each: pixel p has the steps with ``edges[p] < step <= edges[p + 1]``.

        Each step from `start` to `last` is in exactly one cell.
        """
        twice = 2 * np.arange(self.columns + 1, dtype=np.int64) - 1
        if self.log:
            ratio = max(self.last / self.start, 1.0)
            edges = np.floor(self.start * ratio ** (0.5 * twice / (self.columns - 1))).astype(np.int64)
        else:
            edges = self.first + (twice * (self.last - self.first)) // (2 * (self.columns - 1))
        edges[0], edges[-1] = self.start - 1, self.last
        return np.clip(edges, min(self.start - 1, self.last), self.last)


@lru_cache(maxsize=8)
def cell_edges(scale: StepScale) -> Integers:
    """Return the edges of the scale's cells; those of wide cells are moved by up to a fourteenth of a pixel.

    They then coincide with entries of a coarser level of the trace, so that each cell is read exactly: otherwise
    `extremes` would include a little of the neighbouring cells.
    """
    edges = scale.edges()
    width, bucket = np.diff(edges), np.ones_like(edges)
    for size in (FACTOR**power for power in range(1, LEVELS + 1)):
        wide = 1.15 * width >= 8 * size  # holds for any width that the moving produces
        bucket[:-1][wide] = bucket[1:][wide] = size
    inner = slice(1, -1)
    edges[inner] = (edges[inner] + bucket[inner] // 2) // bucket[inner] * bucket[inner]
    return np.maximum.accumulate(np.minimum(edges, scale.last))
