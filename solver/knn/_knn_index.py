"""Index: training points in the layout of the nearest-neighbour loops, and the votes and pictures computed from it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.core import fast_loops
from solver.core.arrays import Array, Indices, Integers, Mask
from solver.core.one_thread import ONE_THREAD

from . import _knn_bounds as bounds
from . import _knn_grid as grid
from . import _knn_loops as loops
from . import _knn_plain as plain
from ._knn_cells import LISTS, cells_on_grid
from ._knn_products import search_products
from ._knn_records import (
    AbsentVoter,
    Entries,
    Found,
    Members,
    Metric,
    PixelAxes,
    Plane,
    Queries,
    Rough,
    Slack,
    VotePicture,
    Voting,
    new_candidates,
)
from ._knn_select import LANES
from ._knn_tree import Tree, grow

#: From MANY_FEATURES on, a query that would measure more leaves of the tree than a SHARE of all, or of FEW_LEAVES if
#: there are fewer, divided by the number of features, is searched for by a product of matrices, alone, then with the
#: next seven, 63 ...; if that is no leaf, with all others.
MANY_FEATURES, FEW_LEAVES, SHARE = 5, 30, 0.5
#: Number of queries that take as long by products as building the tree, with more features than EARLY.
UNSORTED, EARLY = 1000, 15
NEVER = 1e300  # more queries than anybody has
#: Largest number of entries of such a product, 64 MB, beside those of one query; and of its queries.
ENTRIES, TOGETHER = 8_000_000, 256
AT_ONCE = 1 << 16  # largest number of queries searched for at once, and of neighbours found for them
POWERS = 1024  # intervals of a table of powers
PIECE = 1 << 19  # distances computed at once by the plain version: 4 MB


class SurfaceClasses(NamedTuple):
    """The winning class of each pixel without the shares of the others: three arrays (rows, columns)."""

    top: NDArray[Any]
    """Index into `classes_` of the winning class, the lowest of a tie; uint8 up to 256 classes."""
    share: Array
    """Its share of the votes, float64."""
    tie: Mask
    """Whether two or more classes share the maximum."""


@dataclass(frozen=True)
class Index:
    """Training points in the layout of the compiled loops; never changed after it is built.

    Equal points are one *location* with a count per class: a thousand equal points cost no more than one, and the
    result does not depend on the order of the points.
    """

    metric: int
    p: float
    n_classes: int
    points: Array
    """(n, features), in the order given; for the cosine, one vector for each direction."""
    own: Array
    """(n, features), the points as `scaled` returns them when they are queries."""
    codes: Integers
    location: Integers
    """(n,), the location of each point."""
    columns: Array
    """(features, locations)."""
    norms: Array
    """|location|^2."""
    entries: Entries
    plane: Plane
    """The locations, for pictures; of two features only."""

    @classmethod
    def build(cls, points: Array, codes: Integers, n_classes: int, metric: int, p: float) -> Index:
        """Index `points` (n, features) of classes `codes` (n,)."""
        own = points = points + 0.0  # a copy, in which -0.0 and 0.0 are one coordinate
        if metric == loops.COSINE:
            own, points = _unit_exponent(points), directions(points) + 0.0
        order = _order(points, codes)
        ordered = points[order]
        is_new = _is_new(ordered)
        n = np.count_nonzero(is_new)
        strips = np.array([0, n], dtype=np.int64)
        if points.shape[1] == 2:  # points are in order of x: sort them by y inside each strip
            strips = np.linspace(0, n, max(1, int(math.sqrt(n) / 3)) + 1).astype(np.int64)
            y, bounds = ordered[:, 1], strips
            if n < len(points):
                bounds = np.append(np.flatnonzero(is_new), len(points))[strips]
            for begin, end in itertools.pairwise(bounds.tolist()):
                order[begin:end] = order[begin:end][np.argsort(y[begin:end], kind="stable")]
            ordered = points[order]
        label, location = codes[order], np.empty(len(points), np.int64)
        if n == len(points):  # the usual case, and several times as quick
            location[order] = np.arange(n)
            start, count, sole = np.arange(n + 1), np.ones(n, np.int64), label
        else:
            is_new = _is_new(ordered)
            location[order] = np.cumsum(is_new) - 1
            first = np.flatnonzero(is_new | np.append(True, label[1:] != label[:-1]))
            start = np.append(np.flatnonzero(is_new[first]), len(first))
            label, count = label[first], np.diff(first, append=len(points))
            sole = np.where(np.diff(start) == 1, label[start[:-1]], -1)
            ordered = ordered[is_new]
        columns = np.ascontiguousarray(ordered.T)
        norms: Array = sum(feature * feature for feature in columns)
        edges = np.array([reduce.reduceat(columns[0], strips[:-1]) for reduce in (np.minimum, np.maximum)])
        entries, single, zeros = Entries(start, label, count), n == len(points), bool((norms == 0.0).any())
        plane = Plane(columns, entries, sole, strips, edges, single, zeros)
        return cls(metric, p, n_classes, points, own, codes, location, columns, norms, entries, plane)

    @cached_property
    def entry(self) -> Integers:
        """For each point, the index of its location and class in `label` and `count`."""
        of_entries = np.repeat(np.arange(len(self.norms)), np.diff(self.entries.start)) * self.n_classes
        of_entries += self.entries.label
        return np.searchsorted(of_entries, self.location * self.n_classes + self.codes).astype(np.int64)

    @cached_property
    def tree(self) -> tuple[Tree, Integers]:
        """The tree of the locations, built for the first scattered query, and the position of each location in it."""
        unit = self.metric == loops.COSINE
        return grow(self.columns, self.norms, self.entries, unit)

    @cached_property
    def members(self) -> Members:
        """Rows of the training points by location, in the order of the tree."""
        at = self.tree[1][self.location]
        first = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=len(self.norms)))))
        return Members(np.argsort(at, kind="stable"), first)

    def scaled(self, queries: Array) -> Array:
        """Return the queries in the scale of `points`."""
        return _unit_exponent(queries) if self.metric == loops.COSINE else queries

    def shares(self, queries: Array, k: int, weights: int, rows: Integers | None = None) -> Array:
        """Return the vote shares (n_queries, n_classes); the training point rows[i] has no vote at query i."""
        queries = self.scaled(queries)
        if rows is None and not fast_loops.ready():
            return self._plain_shares(queries, k, weights)
        out = np.empty((len(queries), self.n_classes))
        tree, own = self._tree_at(rows)
        # New arrays: read-only arrays are another type for numba, which would compile the loop again.
        absent = AbsentVoter(own, self.codes[np.empty(0, np.int64) if rows is None else rows])
        for order, found in self._searched(queries, k, own):
            loops.vote_at(self.voting(weights, k), tree.entries, found, order, absent, out)
        return out

    def voting(self, weights: int, k: int) -> Voting:
        """Return the record of these parameters of a vote."""
        return Voting(Metric(self.metric, self.p), weights, k)

    def neighbors(self, queries: Array, k: int, without_self: bool) -> tuple[Array, Integers]:
        """Return the distances, as compared, and the rows of the k nearest points, (n_queries, k).

        `without_self`: the queries are the training points, none of which is its own neighbor.
        """
        rows = np.arange(len(queries)) if without_self else None
        distances, indices = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
        own_row = self.codes[:0] if rows is None else rows
        for order, found in self._searched(queries, k, self._tree_at(rows)[1]):
            loops.neighbors_at(self.members, found, order, own_row, distances, indices)
        return distances, indices

    def _searched(self, queries: Array, k: int, own: Integers) -> Iterator[tuple[Integers, Found]]:
        """Yield some queries at a time, with what `search` finds for them.

        `own`: locations of the queries if one point there does not vote, else empty.  The arrays are reused.
        """
        queries = np.require(queries, requirements="W")  # the loops are compiled for writable arrays
        tree = self.tree[0]
        m = len(self.norms)
        q = min(k + (len(own) > 0), m)
        leaf, order = loops.by_leaf(self.metric, queries, own, m, tree.cuts, tree.sides)
        room = m + LANES + min(len(queries) * q, AT_ONCE)
        found = Found(np.empty(room), np.empty(room, np.int64), np.empty(AT_ONCE, np.int64))
        metric = Metric(self.metric, self.p)
        fast = self.metric == loops.EUCLIDEAN and queries.shape[1] >= MANY_FEATURES
        limit = int(SHARE * max(FEW_LEAVES, len(tree.cuts)) / queries.shape[1]) if fast else m
        # One array for all products: the system takes longer to fill new pages with zeros than to read what is in them.
        products = np.empty((min(1 + ENTRIES // m, TOGETHER, len(order)) if fast else 0, m))
        begin, together = 0, 1 if limit else len(order)
        while begin < len(order):
            rest = order[begin:]
            done = limit and loops.search(metric, q, Queries(queries, rest, leaf), tree, self.rough, limit, found)
            if done:
                together = max(1, together // 8)
            else:
                done = self._search_products(q, queries, rest[:together], products, found)
                together *= 8
            yield rest[:done], found
            begin += done

    def _search_products(self, q: int, queries: Array, order: Integers, products: Array, found: Found) -> int:
        """Search as `search` does, for as many of the first queries as `products` has rows; return their number."""
        points, centre, centred, norms = self._factors
        order = order[: len(products)]
        asked = queries[order] - centre
        with ONE_THREAD:  # others would mostly wait
            np.matmul(-2.0 * asked, centred.T, out=products[: len(order)])
        squares = np.einsum("ij,ij->i", asked, asked)
        return int(search_products(q, queries, order, points, norms, products, squares, found))

    @cached_property
    def _factors(self) -> tuple[Array, ...]:
        """Locations of the tree as rows, their mean, the same without the mean, and the squares of these."""
        points = self.tree[0].points[:, : len(self.norms)].T.copy()
        centre = points.mean(axis=0)
        centred = points - centre
        return points, centre, centred, np.einsum("ij,ij->i", centred, centred)

    @cached_property
    def rough(self) -> Rough:
        """The approximation of Minkowski distances in `search`."""
        if self.metric != loops.MINKOWSKI:
            return Rough(np.ones(1), 1.0, Slack(1.0, 0.0))
        features, ratios = len(self.columns), np.arange(POWERS + 1) / POWERS
        powers = (1.0 + ratios**self.p) ** (1.0 / self.p)
        wide = float((powers[1:] / powers[:-1]).max()) if features == 2 else features ** (1.0 / self.p)
        # The last number is for distances so small that they lose digits.
        return Rough(powers, features ** (1.0 / self.p - 1.0), Slack(wide / (loops.SHORT * loops.SHORT), 1e-300))

    def _tree_at(self, rows: Integers | None) -> tuple[Tree, Integers]:
        """Return the tree, and the positions of the training points `rows` in it."""
        tree, position = self.tree
        return tree, position[:0] if rows is None else position[self.location[rows]]

    def picture(self, xs: Array, ys: Array, k: int, weights: int, compact: bool) -> tuple[Array, SurfaceClasses]:
        """Return shares and classes at (xs[i], ys[j]); only the one of the two that `compact` selects is filled."""
        if not fast_loops.ready():
            out = np.empty((len(ys), len(xs), self.n_classes))
            for j, i in product(range(0, len(ys), grid.TILE), range(0, len(xs), grid.TILE)):
                tile = slice(j, j + grid.TILE), slice(i, i + grid.TILE)
                out[tile] = self._plain_tile(xs[tile[1]], ys[tile[0]], k, weights)
            classes = self.room_for(out.shape[:2])
            classes.top[:], classes.share[:] = out.argmax(axis=2), out.max(axis=2)
            classes.tie[:] = (out == classes.share[..., None]).sum(axis=2) > 1
        else:
            nothing, shape = (0, 0), (len(ys), len(xs))
            out = np.empty((*(nothing if compact else shape), self.n_classes))
            classes = self.room_for(shape if compact else nothing)
            picture = VotePicture(compact, np.empty(nothing, np.bool_), np.empty(nothing), out, *classes)
            self.vote(PixelAxes(xs, ys), k, weights, picture)
        return out, classes

    def room_for(self, shape: tuple[int, ...]) -> SurfaceClasses:
        """Return room for the classes of a picture of this shape (rows, columns)."""
        kind = np.uint8 if self.n_classes <= 256 else np.int64
        return SurfaceClasses(np.empty(shape, kind), np.empty(shape), np.empty(shape, np.bool_))

    def vote(self, pixels: PixelAxes, k: int, weights: int, picture: VotePicture) -> None:
        """Draw the votes of these points into `picture`."""
        room = new_candidates(len(self.norms), grid.LEVELS)
        grid.vote_on_grid(self.voting(weights, k), self.plane, pixels, room, picture)

    def cells(self, pixels: PixelAxes, k: int, weights: int, keys: Integers, cells: Integers, kept: Mask) -> None:
        """Find the cells of pixels, or the entries they need, as `cells_on_grid` describes."""
        room = new_candidates(len(self.norms), LISTS)
        cells_on_grid(self.voting(weights, k), self.plane, pixels, room, keys, cells, kept)

    def _plain_tile(self, xs: Array, ys: Array, k: int, weights: int) -> Array:
        """Return the shares of a few pixels in plain numpy, with the first of the two tests of `_knn_grid`."""
        queries = np.column_stack([np.tile(xs, len(ys)), np.repeat(ys, len(xs))])
        index = self
        if self.metric != loops.COSINE:
            corners = np.array([[xs[0], ys[0]], [xs[-1], ys[-1]]])
            centre = corners.mean(axis=0, keepdims=True)
            d = plain.distances(self.metric, self.p, centre, np.concatenate([self.points, corners]))[0]
            if self.metric == loops.EUCLIDEAN:
                d = np.sqrt(d)
            d, radius = d[:-2], d[-2:].max()
            near = d <= (np.partition(d, k - 1)[k - 1] + 2.0 * radius) * (1.0 + bounds.SLACK) + 1e-150
            index = replace(self, points=self.points[near], codes=self.codes[near])
        return index._plain_shares(self.scaled(queries), k, weights).reshape(len(ys), len(xs), self.n_classes)

    def _plain_shares(self, queries: Array, k: int, weights: int) -> Array:
        """Return the `shares` of scaled queries in plain numpy, which computes the distances to all points."""
        out = np.empty((len(queries), self.n_classes))
        votes_of = np.equal.outer(self.codes, np.arange(self.n_classes)).astype(np.float64)
        step = max(1, PIECE // len(self.points))
        for begin in range(0, len(queries), step):
            piece = slice(begin, begin + step)
            d = plain.distances(self.metric, self.p, queries[piece], self.points)
            out[piece] = plain.shares(d, k, weights, self.metric == loops.EUCLIDEAN, votes_of)
        return out


def unsorted(points: Array, codes: Integers, n_classes: int, metric: int, p: float) -> Index:
    """Return an index in about the time in which the points are read, for scattered queries by products only.

    Each point, in the order given, is a location of its own, in a tree of one leaf, which is not searched.
    """
    points = np.require(points, requirements=["C", "W"])  # the loops are compiled for such arrays
    rows, norms, cuts = np.arange(len(points) + 1), np.einsum("ij,ij->i", points, points), np.zeros(1)
    entries, each = Entries(rows, codes, np.ones_like(codes)), rows[:-1]
    index = Index(metric, p, n_classes, points, points, codes, each, points.T, norms, entries, None)  # type: ignore[arg-type]
    vars(index).update(
        tree=(Tree(points.T, norms, cuts, cuts, codes, entries), each), _factors=(points, 0.0, points, norms)
    )
    return index


def _has_near(points: Array) -> bool:
    """Return whether the nearest points are nearer than two points usually are along one feature, as in clusters and in
    few dimensions: only there does a tree leave many out.

    It looks at eight of the points; measured on points of 2 to 50 dimensions that are embedded in 20 and 50.
    """
    some = points[:: max(1, len(points) // 8)][:8]
    norms = np.einsum("ij,ij->i", points, points)
    with ONE_THREAD:
        squares = norms - 2.0 * some @ points.T
    squares += np.einsum("ij,ij->i", some, some)[:, None]
    sixteenth = min(16, len(points) - 1)
    near = np.partition(squares, sixteenth, axis=1)[:, sixteenth]
    return bool(np.median(near) * points.shape[1] <= squares.mean())


class LateIndex:
    """The index of these arguments of `Index.build`, built when it is first needed."""

    def __init__(self, *given: Any) -> None:
        self._given, many = given, given[0].shape[1] > EARLY
        self._made: dict[Any, Index] = {}
        #: Number of queries until the tree may be worth its time; negative if it is.
        self._left = UNSORTED if many and given[3] == loops.EUCLIDEAN else -np.inf
        if not many:
            self.get()

    def get(self, n_queries: float = np.inf) -> Index:
        """Return an index for this number of queries; by default one for all purposes."""
        self._left -= n_queries
        if -np.inf < self._left < 0.0:
            self._left = -np.inf if _has_near(self._given[0]) else NEVER
        make = Index.build if self._left < 0.0 else unsorted
        if make not in self._made:
            self._made[make] = make(*self._given)
        return self._made[make]


def _order(points: Array, codes: Integers) -> Indices:
    """Return the order of the points by their coordinates, the first one first, then by their codes."""
    first = points[:, 0]
    order = np.argsort(first)
    same = first[order[1:]] == first[order[:-1]]
    # Usually few points share the first coordinate: to sort only these by the others is several times faster.
    among = np.append(False, same) | np.append(same, False)
    equal = np.sort(order[among])
    order[among] = equal[np.lexsort((codes[equal], *points[equal].T[::-1]))]
    return order


def _is_new(points: Array) -> Mask:
    """Return whether each row differs from the one before."""
    return np.append(True, (points[1:] != points[:-1]).any(axis=1))


def directions(vectors: Array) -> Array:
    """Return one vector for each direction: parallel rows become equal, bit for bit.

    Each row is divided by the odd part of the greatest common divisor of its coordinates, which is exact, and scaled by
    a power of two to a largest coordinate in [1/2, 1).  So parallel rows differ neither by an odd factor nor by a power
    of two.
    """
    shift = 1000 - np.frexp(abs(vectors).max(axis=1, keepdims=True))[1]
    high = np.ldexp(vectors, shift)  # exact, and so far up that no quotient is too small to be exact
    odd = np.ldexp(np.abs(np.frexp(high)[0]), 53).astype(np.int64)
    odd //= np.maximum(odd & -odd, 1)
    divisor = np.maximum(np.gcd.reduce(odd, axis=1, keepdims=True), 1)
    return _unit_exponent(high / divisor)


def _unit_exponent(vectors: Array) -> Array:
    """Return the rows scaled by powers of two to a largest coordinate in [1/2, 1), so that no square overflows."""
    return np.asarray(np.ldexp(vectors, -np.frexp(abs(vectors).max(axis=1, keepdims=True))[1]))
