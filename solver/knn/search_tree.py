"""SearchTree: the k-d tree in which nearest neighbours are searched, and the search for one query, step by step.

The tree is that of `KNeighborsClassifier.predict` and `kneighbors`, built by the same compiled loop, with leaves of any
size.  The walk visits nodes in the order of the compiled `search`: first the half on the query's side of the cut, then
the other half, unless it is pruned.

Notation: m distinct training points are *locations*, and q = min(k, m).  A box is pruned if it is farther from the
query than the q-th nearest location measured so far: no location in it is among the q nearest or tied with the last.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Integers

from . import _knn_loops as loops
from . import _knn_plain as plain
from ._knn_index import Index
from ._knn_tree import LEAF, grow

#: Smallest and largest leaf size: leaves of 1 could be empty; LEAF is the size that the program itself uses.
LEAST_LEAF, LARGEST_LEAF = 2, LEAF
#: Number of steps of a walk between two pauses: about a millisecond.
PIECE = 64
Outcome = Literal["descend", "measure", "prune"]


class SearchStep(NamedTuple):
    """One step of a search: what it does with one node."""

    node: int
    outcome: Outcome
    """Continue with the two halves, measure the distances to all locations of the leaf, or skip the whole box."""
    box_distance: float
    """Distance of the query from the box of the node; 0 inside."""
    bound: float
    """Distance of the q-th nearest location measured before this step; inf while fewer than q are measured."""
    next_bound: float
    """The bound after this step."""
    measured: int
    """Number of locations measured so far, including those of this step."""


@dataclass(frozen=True, eq=False)
class SearchTree:
    """k-d tree in which every node is halved across the widest side of its box, down to `leaf_size` locations.

    Node 1 is the root, nodes 2 i and 2 i + 1 are the halves of node i.

    Attributes
    ----------
    leaf_size : int
        Largest number of locations of a leaf.
    points : ndarray of shape (m, n_features)
        The locations, in the order of the tree: each node is a range of them.
    location : ndarray of shape (n,)
        Index into `points` of each training point.
    low, high : ndarray of shape (nodes + 1, n_features)
        Smallest and largest coordinates of the locations of each node; row 0 has no meaning.
    sides, cuts : ndarray of shape (n_leaves,)
        Feature across which each inner node is halved, and its smallest value in the second half; entry 0 is unused.
    """

    index: Index
    leaf_size: int
    points: Array
    location: Integers
    low: Array
    high: Array
    sides: Integers
    cuts: Array

    @classmethod
    def of(cls, index: Index, leaf_size: int = LEAF) -> SearchTree:
        """Return the tree of `index`; ValueError for the cosine, and for leaves of fewer than two locations."""
        if index.metric == loops.COSINE:
            raise ValueError("A k-d tree cannot search by cosine distance: its boxes do not bound directions.")
        if leaf_size < LEAST_LEAF:
            raise ValueError(f"leaf_size is {leaf_size}; it must be at least {LEAST_LEAF}.")
        tree, position = index.tree
        if leaf_size != LEAF:
            tree, position = grow(index.columns, index.norms, index.entries, False, leaf_size)
        points = np.ascontiguousarray(tree.points[:, : len(position)].T)
        low, high = tree.boxes[:, 0], tree.boxes[:, 1]
        return cls(index, leaf_size, points, position[index.location], low, high, tree.sides, tree.cuts)

    @property
    def n_leaves(self) -> int:
        """Number of leaves, a power of two; node i is a leaf if i >= n_leaves."""
        return len(self.cuts)

    def range_of(self, node: int) -> tuple[int, int]:
        """Return the first location of a node and the one after its last, as indices into `points`."""
        level = node.bit_length() - 1
        m, position = len(self.points), node - (1 << level)
        return m * position >> level, m * (position + 1) >> level

    def is_traced(self, n_neighbors: int) -> bool:
        """Return whether the compiled search opens exactly the same boxes.

        With more than `SMALL` neighbours, it lowers its bound less often; Minkowski distances it approximates at first.
        """
        return min(n_neighbors, len(self.points)) <= loops.SMALL and self.index.metric != loops.MINKOWSKI

    def halves(self, node: int, query: Array) -> tuple[int, int]:
        """Return the halves of an inner node: the one on the side of `query`, and the other."""
        right = int(query[self.sides[node]] >= self.cuts[node])
        return 2 * node + right, 2 * node + 1 - right

    def search(self, query: ArrayLike, n_neighbors: int) -> SearchWalk:
        """Return the search for the nearest neighbours of `query` (n_features,), step by step.

        Raises
        ------
        ValueError
            If `n_neighbors` is not between 1 and the number of training points.

        Examples
        --------
        >>> import numpy as np
        >>> from solver import KNeighborsClassifier
        >>> X = np.array([[0, 0], [1, 0], [0, 1], [5, 5], [6, 5], [5, 6]])
        >>> tree = KNeighborsClassifier(1).fit(X, [0, 0, 0, 1, 1, 1]).search_tree(leaf_size=3)
        >>> walk = tree.search([0.2, 0.1], n_neighbors=1)
        >>> [(step.node, step.outcome, step.measured) for step in walk.steps]
        [(1, 'descend', 0), (2, 'measure', 3), (3, 'prune', 3)]
        >>> walk.neighbors.tolist()
        [0]
        """
        walking = self.searching(query, n_neighbors)
        while True:
            try:
                next(walking)
            except StopIteration as end:
                walk: SearchWalk = end.value
                return walk

    def searching(self, query: ArrayLike, n_neighbors: int) -> Generator[None, None, SearchWalk]:
        """Return what `search` returns; the generator yields about every millisecond."""
        if not 1 <= n_neighbors <= len(self.location):
            raise ValueError(f"n_neighbors is {n_neighbors}; it must be from 1 to {len(self.location)}.")
        q, at = min(n_neighbors, len(self.points)), np.asarray(query, dtype=np.float64)
        distances = self._compared(at, self.points)
        boxes = np.zeros(len(self.low))
        boxes[1:] = self._compared(at, np.clip(at, self.low[1:], self.high[1:]))
        if self.index.metric == loops.MINKOWSKI:
            boxes *= loops.SHORT  # powers may be rounded the wrong way
        nearest, bound, measured, open_nodes, steps = np.empty(0), np.inf, 0, [1], list[SearchStep]()
        while open_nodes:
            node = open_nodes.pop()
            before = bound
            outcome: Outcome = "descend"
            if boxes[node] > bound:
                outcome = "prune"
            elif node < self.n_leaves:
                open_nodes += reversed(self.halves(node, at))
            else:
                outcome = "measure"
                begin, end = self.range_of(node)
                measured += end - begin
                nearest = np.concatenate((nearest, distances[begin:end]))
                if len(nearest) >= q:
                    nearest = np.partition(nearest, q - 1)[:q]
                    bound = float(nearest[-1])
            away, before, after = (self._shown(each) for each in (float(boxes[node]), before, bound))
            steps.append(SearchStep(node, outcome, away, before, after, measured))
            if len(steps) % PIECE == 0:
                yield
        return SearchWalk(self, at, n_neighbors, distances, tuple(steps))

    def _compared(self, query: Array, points: Array) -> Array:
        """Return the distances of `query` from `points`, as compared."""
        found: Array = plain.distances(self.index.metric, self.index.p, query[None], points)[0]
        return found

    def _shown(self, compared: float) -> float:
        """Return the distance in the units of the metric."""
        return compared**0.5 if self.index.metric == loops.EUCLIDEAN else compared


@dataclass(frozen=True, eq=False)
class SearchWalk:
    """The search for the nearest neighbours of one query.

    Attributes
    ----------
    tree : SearchTree
    query : ndarray of shape (n_features,)
    n_neighbors : int
    distances : ndarray of shape (m,)
        Distances of all locations from the query, as compared: squared for the Euclidean metric.
    steps : tuple of SearchStep
        Steps in order.
    """

    tree: SearchTree
    query: Array
    n_neighbors: int
    distances: Array
    steps: tuple[SearchStep, ...]

    def nearest(self, number: int | None = None) -> Integers:
        """Return the locations that are nearest after the first `number` steps (default: all), nearest first.

        Their number is q, or more if several lie at the q-th distance, or fewer while fewer are measured.
        """
        leaves = [self.tree.range_of(step.node) for step in self.steps[:number] if step.outcome == "measure"]
        found = np.concatenate([np.empty(0, np.int64), *(np.arange(*leaf) for leaf in leaves)])
        found = found[np.argsort(self.distances[found], kind="stable")]
        q = min(self.n_neighbors, len(self.tree.points))
        if len(found) > q:
            found = found[self.distances[found] <= self.distances[found[q - 1]]]
        return found

    @cached_property
    def neighbors(self) -> Integers:
        """Rows of the training points up to the k-th distance, nearest first, equal distances by row."""
        found = self.nearest()
        rows = np.flatnonzero(np.isin(self.tree.location, found))
        of_rows = self.distances[self.tree.location[rows]]
        rows = rows[np.argsort(of_rows, kind="stable")]
        of_rows = np.sort(of_rows)
        kept: Integers = rows[of_rows <= of_rows[self.n_neighbors - 1]]
        return kept
