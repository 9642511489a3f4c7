"""PlaneValues: f of many support vectors at locations of the plane, by sums of products in place of kernel values.

`plane_sums` holds in a rectangle.  Here the rectangles are that of the support vectors, enlarged by the factors of
`SCALES`: each location uses the smallest one that contains it, and those outside all are left to the sum of kernel
values.  So the value at a location depends on the model and on the location alone.  All blocks have one size, and the
last one is padded, so that the bits of a value do not depend on the other locations, either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array, Mask

from .plane_sums import PlaneSums, plane_sums
from .table import Kernel

#: Least number of support vectors for this method; time of a kernel value, which has an exponential, in entries.
LEAST, PER_VALUE = 1000, 4
#: Half sides of the rectangles, as multiples of those of the support vectors.
SCALES = (1.25, 4.0)
#: Number of locations of a block.
BLOCK = 512


@dataclass(frozen=True)
class PlaneValues:
    """The rectangles, the smallest first, each with V of every problem.

    Attributes
    ----------
    planes : tuple of PlaneSums
    maps : tuple of list of ndarray
    """

    planes: tuple[PlaneSums, ...]
    maps: tuple[list[Array], ...]

    @staticmethod
    def of(kernel: Kernel, points: Array, coef: Array) -> PlaneValues | None:
        """Return the values of an expansion, `points` (n, 2) and `coef` (n, n_problems); None if not faster."""
        if len(points) < LEAST or points.shape[1] != 2 or kernel.is_translation_invariant:
            return None
        low, high = points.min(axis=0), points.max(axis=0)
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        planes: list[PlaneSums] = []
        for scale in SCALES:
            x, y = np.stack([middle - scale * half, middle + scale * half]).T
            plane = plane_sums(kernel, np.array([[*x, *x], [*y, *y[::-1]]]))
            if plane is None or plane.cost > PER_VALUE * len(points):
                break
            planes.append(plane)
        if not planes:
            return None
        XT = np.ascontiguousarray(points.T)
        maps = tuple([plane.mapped(list(plane.moments(XT, weights))[-1]) for weights in coef.T] for plane in planes)
        return PlaneValues(tuple(planes), maps)

    def fill(self, values: Array, queries: Array) -> Mask:
        """Write f, without offset, into the rows of `values` (n, n_problems) of all queries inside a rectangle.

        Parameters
        ----------
        values : ndarray of shape (n, n_problems)
        queries : ndarray of shape (n, 2)

        Returns
        -------
        ndarray of shape (n,)
            True for the rows that remain to be summed.
        """
        left = np.ones(len(queries), dtype=bool)
        for plane, maps in zip(self.planes, self.maps, strict=True):
            inside = np.flatnonzero(left & (np.abs(queries - plane.middle) <= plane.half).all(axis=1))
            left[inside] = False
            for start in range(0, len(inside), BLOCK):
                rows = inside[start : start + BLOCK]
                XT = np.repeat(plane.middle[:, None], BLOCK, axis=1)
                XT[:, : len(rows)] = queries[rows].T
                for p, f in enumerate(plane.values_of(maps, XT)):
                    values[rows, p] = f[: len(rows)]
        return left
