"""RunningVotes: successive pictures of nearest neighbours while a few points change.

A point that is added, removed, moved or relabelled changes the vote at a pixel only if it is at most as far as the
k-th neighbour there.  Each row of a tile has a bound on the distances of its voters, so tiles out of reach of all
changed points are kept.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solver.core.arrays import Array, Mask
from solver.kernels.surface import Grid

from ._knn_grid import TILE
from ._knn_index import Index, SurfaceClasses
from ._knn_loops import COSINE, EUCLIDEAN, MANHATTAN
from ._knn_records import PixelAxes, VotePicture

#: Largest number of changed locations since a row was computed for which its tiles are checked one by one.
MOST = 32
#: Relative error allowed for distances: far more than their rounding errors.
SLACK = 1e-9


class RunningVotes:
    """Buffers of the last picture on a grid, which the next picture reuses where nothing has changed.

    Parameters
    ----------
    grid : Grid
        The pixels.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._ys = grid.ys
        #: First column of each tile.
        self._columns = np.arange(0, grid.width, TILE)
        #: Made anew whenever all rows are: their type depends on the number of classes.
        self._classes: SurfaceClasses
        #: Bound on the distances of the voters, for each row of each tile.
        self._bound = np.empty((grid.height, len(self._columns)))
        #: Number of the picture that each row was last computed for; -1 for none.
        self._made_for = np.full(grid.height, -1)
        #: Changed locations of each picture since the one before; parameters and points of the last picture.
        self._changed: list[Array] = []
        self._last: tuple[object, Index] | None = None

    def rows(
        self, index: Index, k: int, weights: int, classes: tuple[object, ...]
    ) -> Callable[[Array], SurfaceClasses]:
        """Return the function ``rows(ys)`` of the next picture; `ys` are consecutive rows of the grid.

        What that function returns is overwritten by the next picture.

        Parameters
        ----------
        index : Index
            Points of the plane.
        k, weights : int
            Number of neighbours, and code of the weights.
        classes : tuple
            Label of each class code of the points.
        """
        key = (index.metric, index.p, k, weights, classes)
        changed = None
        if self._last is not None and self._last[0] == key and index.metric != COSINE:
            changed = changed_locations(self._last[1], index)
        if changed is None:
            self._made_for[:] = -1
            self._classes = index.room_for((self.grid.height, self.grid.width))
            changed, self._changed = np.empty((0, 2)), []
        self._changed.append(changed)
        self._last = key, index
        number = len(self._changed) - 1

        def rows(ys: Array) -> SurfaceClasses:
            first = int(np.searchsorted(self._ys, ys[0])) if len(ys) else 0
            block = slice(first, first + len(ys))
            top, share, tie = self._classes
            found = SurfaceClasses(top[block], share[block], tie[block])
            since, wanted = int(self._made_for[block].min(initial=number)), np.empty((0, 0), np.bool_)
            if since >= 0:
                locations = np.concatenate([np.empty((0, 2)), *self._changed[since + 1 : number + 1]])
                if len(locations) <= MOST:
                    wanted = self._reached(index.metric, locations, ys, self._bound[block])
            if not len(wanted) or wanted.any():
                nothing = np.empty((0, 0, index.n_classes))
                picture = VotePicture(True, wanted, self._bound[block], nothing, *found)
                index.vote(PixelAxes(self.grid.xs, np.ascontiguousarray(ys)), k, weights, picture)
            self._made_for[block] = number
            return found

        return rows

    def _reached(self, metric: int, locations: Array, ys: Array, bound: Array) -> Mask:
        """Return which tiles of the rows `ys` have a pixel where a point at one of these locations may vote."""
        xs, columns, lines = self.grid.xs, self._columns, np.arange(0, len(ys), TILE)
        reach = np.maximum.reduceat(bound, lines, axis=0) * (1.0 + SLACK) + 1e-150
        wanted = np.zeros(reach.shape, np.bool_)
        for x, y in locations.tolist():
            dx = np.maximum(xs[columns] - x, x - xs[np.minimum(columns + TILE, len(xs)) - 1]).clip(0.0)
            dy = np.maximum(ys[lines] - y, y - ys[np.minimum(lines + TILE, len(ys)) - 1]).clip(0.0)[:, None]
            if metric == EUCLIDEAN:
                distance = np.hypot(dx, dy)
            else:  # for any p, at least the larger of the two
                distance = dx + dy if metric == MANHATTAN else np.maximum(dx, dy)
            wanted |= distance <= reach
        return wanted


def changed_locations(before: Index, after: Index) -> Array | None:
    """Return the locations of points that were added, removed, moved or relabelled; None if these are many."""
    a, b = before.points, after.points

    def differ(way: int, n: int) -> Mask:
        """Return which of the first `n` rows differ, or of the last, backwards, if `way` is -1."""
        return np.asarray(
            (a[::way][:n] != b[::way][:n]).any(axis=1) | (before.codes[::way][:n] != after.codes[::way][:n])
        )

    changed = differ(1, min(len(a), len(b)))
    if len(a) == len(b):
        locations = [each[changed] for each in (a, b)]
    else:  # rows between the first and the last that differ
        begin = int(np.append(changed, True).argmax())
        end = int(np.append(differ(-1, len(changed) - begin), True).argmax())
        locations = [each[begin : len(each) - end] for each in (a, b)]
    return None if sum(map(len, locations)) > MOST else np.concatenate(locations)
