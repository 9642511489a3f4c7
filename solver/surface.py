"""Grid: where a picture of a rectangle of the plane is sampled, at the centre of each of its pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Grid:
    """`width` x `height` pixels over [left, right] x [bottom, top]; row 0 is the lowest.

    Sampling at pixel centres and drawing with the outer pixel edges keeps the picture where it belongs; sampling at
    the corners would shift it by half a pixel.
    """

    left: float
    right: float
    bottom: float
    top: float
    width: int
    height: int

    @property
    def xs(self) -> Array:
        """Centres of the columns, shape (width,)."""
        return self.left + (np.arange(self.width, dtype=np.float64) + 0.5) * ((self.right - self.left) / self.width)

    @property
    def ys(self) -> Array:
        """Centres of the rows, shape (height,), upwards."""
        return self.bottom + (np.arange(self.height, dtype=np.float64) + 0.5) * ((self.top - self.bottom) / self.height)

    def coarse(self, least_width: int = 160, least_height: int = 120) -> Grid:
        """The same rectangle in fewer pixels: about a quarter each way, but not below the given size."""
        width = min(self.width, max(least_width, self.width // 4))
        height = min(self.height, max(least_height, self.height // 4))
        return Grid(self.left, self.right, self.bottom, self.top, width, height)
