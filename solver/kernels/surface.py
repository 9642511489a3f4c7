"""Grid, the sample points of a picture of the plane, and RunningExpansion, the successive pictures of one training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from solver.core.arrays import Array

from .grids import GridRows
from .table import Kernel


@dataclass(frozen=True)
class Grid:
    """A grid of `width` x `height` pixels over the rectangle [left, right] x [bottom, top]; row 0 is the lowest.

    Values are sampled at the centres of the pixels, and drawn with the outer edges of the pixels at the rectangle's
    edges.

    Parameters
    ----------
    left, right, bottom, top : float
        Edges of the rectangle, in the units of the data.
    width, height : int
        Numbers of columns and rows of pixels, at least 1.

    Examples
    --------
    >>> from solver import SVC, Grid
    >>> grid = Grid(left=0, right=4, bottom=0, top=2, width=4, height=2)
    >>> grid.xs.tolist(), grid.ys.tolist()
    ([0.5, 1.5, 2.5, 3.5], [0.5, 1.5])

    The predicted classes of a picture, lowest row first:

    >>> model = SVC(kernel="linear").fit([[0, 0], [1, 2], [3, 0], [4, 2]], [0, 0, 1, 1])
    >>> (model.surface(grid.xs, grid.ys) > 0).astype(int).tolist()
    [[0, 0, 1, 1], [0, 0, 1, 1]]
    """

    left: float
    right: float
    bottom: float
    top: float
    width: int
    height: int

    @property
    def pixel(self) -> tuple[float, float]:
        """Width and height of a pixel, in the units of the data."""
        return (self.right - self.left) / self.width, (self.top - self.bottom) / self.height

    @cached_property
    def xs(self) -> Array:
        """Centres of the columns, ascending, shape (width,); not to be changed."""
        return self.left + np.arange(0.5, self.width) * self.pixel[0]

    @cached_property
    def ys(self) -> Array:
        """Centres of the rows, ascending, shape (height,); not to be changed."""
        return self.bottom + np.arange(0.5, self.height) * self.pixel[1]

    def coarse(self, least_width: int = 160, least_height: int = 120, share: float = 1.0 / 32.0) -> Grid:
        """Return a grid of the same rectangle with fewer pixels, for a quick first picture.

        Parameters
        ----------
        least_width, least_height : int, default=160, 120
            A grid of at most `least_width` * `least_height` pixels is not reduced, and none is reduced below that.
        share : float, default=1/32
            Share of the pixels to keep, about.

        Returns
        -------
        Grid
        """
        share = math.sqrt(max(least_width * least_height / (self.width * self.height), share))
        width, height = (max(1, round(min(share, 1.0) * side)) for side in (self.width, self.height))
        return Grid(self.left, self.right, self.bottom, self.top, width, height)


class RunningExpansion:
    """Pictures of a kernel expansion on one grid, while its coefficients change a little from picture to picture.

    During a training only some multipliers change between two pictures: only their terms are added to the last
    picture.  After `FROM_THE_START` pictures, or when most coefficients changed, the sum is made anew, so that rounding
    errors cannot pile up.

    Parameters
    ----------
    kernel : Kernel
    points : ndarray of shape (n, 2)
        All points that may ever have a coefficient.
    grid : Grid

    Attributes
    ----------
    FROM_THE_START : int
        Largest number of successive pictures made from the one before.

    Examples
    --------
    >>> import numpy as np
    >>> from solver import Grid, Kernel, RunningExpansion
    >>> grid = Grid(-1, 1, -1, 1, width=3, height=1)
    >>> running = RunningExpansion(Kernel("rbf"), np.array([[0.0, 0.0], [1.0, 0.0]]), grid)
    >>> for coefficients in ([[1.0], [0.0]], [[1.0], [-1.0]]):
    ...     rows = running.rows(np.array(coefficients), offset=np.zeros(1))
    ...     print(rows(grid.ys)[0, :, 0].round(2).tolist())
    [0.64, 1.0, 0.64]
    [0.58, 0.63, -0.25]
    """

    FROM_THE_START = 40

    def __init__(self, kernel: Kernel, points: Array, grid: Grid) -> None:
        self.kernel, self.points, self.grid = kernel, points, grid
        self._ys = grid.ys
        self._coefficients: Array | None = None
        #: A plane for each output, as the kernels' pictures on a grid have them.
        self._planes = np.empty((0, 0, 0))
        #: Number of the picture that each row was last made for.
        self._made_for = np.full(grid.height, -1)
        self._picture = -1
        self._age = 0

    def rows(self, coefficients: Array, offset: Array) -> GridRows:
        """Begin the next picture.

        Parameters
        ----------
        coefficients : ndarray of shape (n, n_outputs)
        offset : ndarray of shape (n_outputs,)

        Returns
        -------
        callable
            ``rows(ys)`` returns the values at `ys`, consecutive rows of the grid, shape (len(ys), width, n_outputs).
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
            else:  # the previous picture was discarded before these rows
                if whole is None:
                    support = coefficients.any(axis=1)
                    whole = self.kernel.expansion_on(self.points[support], coefficients[support], xs)
                planes[:] = np.moveaxis(whole(ys), 2, 0)
            self._made_for[block] = picture
            return np.moveaxis(planes + offset[:, None, None], 0, 2)

        return rows
