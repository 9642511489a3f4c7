"""Grid: where a picture of the plane is sampled; RunningExpansion: pictures of a training, one after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array

from .grids import GridRows
from .table import Kernel


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

    def coarse(self, least_width: int = 160, least_height: int = 120, share: float = 1.0 / 32.0) -> Grid:
        """The same rectangle in fewer samples: about a `share` of them, but not fewer than in a picture of that size.

        So the first picture of a large window takes little longer than that of a small one.
        """
        share = math.sqrt(max(least_width * least_height / (self.width * self.height), share))
        width, height = (max(1, round(min(share, 1.0) * side)) for side in (self.width, self.height))
        return Grid(self.left, self.right, self.bottom, self.top, width, height)


class RunningExpansion:
    """A kernel expansion on the same grid again and again, while its coefficients change a little each time.

    Between two pictures of a training only some multipliers moved: only their terms are added.  Every
    `FROM_THE_START` pictures, and when most coefficients changed, the sum is made anew, so that rounding errors
    cannot pile up.

    Parameters
    ----------
    kernel : Kernel
    points : ndarray of shape (n, 2)
        All points that may ever have a coefficient.
    grid : Grid
    """

    FROM_THE_START = 40

    def __init__(self, kernel: Kernel, points: Array, grid: Grid) -> None:
        self.kernel, self.points, self.grid = kernel, points, grid
        self._ys = grid.ys
        self._coefficients: Array | None = None
        #: A plane for each output, as kernels on a grid give them.
        self._planes = np.empty((0, 0, 0))
        #: The picture each row was last made for.
        self._made_for = np.full(grid.height, -1)
        self._picture = -1
        self._age = 0

    def rows(self, coefficients: Array, offset: Array) -> GridRows:
        """``rows(ys)`` of the next picture; `ys` are consecutive rows of the grid.

        Parameters
        ----------
        coefficients : ndarray of shape (n, n_outputs)
        offset : ndarray of shape (n_outputs,)
        """
        used = coefficients.any(axis=1)
        part, anew = coefficients, True
        before = self._coefficients
        if before is not None and before.shape == coefficients.shape and self._age < self.FROM_THE_START:
            difference = coefficients - before
            moved = difference.any(axis=1)
            if moved.sum() < used.sum():
                part, used, anew = difference, moved, False
        self._age = 0 if anew else self._age + 1
        self._picture += 1
        picture = self._picture
        self._coefficients = coefficients.copy()
        if len(self._planes) != coefficients.shape[1]:
            self._planes = np.empty((coefficients.shape[1], self.grid.height, self.grid.width))
        xs = self.grid.xs
        added = self.kernel.expansion_on(self.points[used], part[used], xs)
        whole: GridRows | None = added if anew else None

        def rows(ys: Array) -> Array:
            nonlocal whole
            first = int(np.searchsorted(self._ys, ys[0])) if len(ys) else 0
            block = slice(first, first + len(ys))
            planes = self._planes[:, block]
            if not anew and (self._made_for[block] == picture - 1).all():
                planes += np.moveaxis(added(ys), 2, 0)
            else:  # the last picture was given up before these rows
                if whole is None:
                    support = coefficients.any(axis=1)
                    whole = self.kernel.expansion_on(self.points[support], coefficients[support], xs)
                planes[:] = np.moveaxis(whole(ys), 2, 0)
            self._made_for[block] = picture
            return np.moveaxis(planes + offset[:, None, None], 0, 2)

        return rows
