"""Vote: the vote of the k nearest points at one location, listed neighbour by neighbour.

`KNeighborsClassifier.vote_at` returns it; the tie rule is defined at the top of `neighbors`.  The shares are the same
numbers as those of `predict_proba`, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array, Indices, Integers

from . import _knn_loops as loops
from . import _knn_plain as plain
from ._knn_index import Index

#: Relative error allowed between two ways to compute a Minkowski distance.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Vote:
    """The points that vote at a location, and the weight of each vote.

    Attributes
    ----------
    k : int
        Number of votes.
    index : ndarray of shape (m,)
        Rows of the training points at a distance up to the k-th, nearest first, equal ones by index; m is above k
        when several lie at the k-th distance.
    distance : ndarray of shape (m,)
    code : ndarray of shape (m,)
        Their classes, as indices into `classes_`.
    share : ndarray of shape (m,)
        Share of a vote that each point has: 1, or less if the points at the k-th distance share the remaining votes; 0
        if points at distance 0 alone decide and this is not one of them.
    weight : ndarray of shape (m,)
        Weight of a whole vote: 1, 1/d or 1/d^2; 1 if points at distance 0 alone decide.
    votes : ndarray of shape (n_classes,)
        Sum of ``share * weight`` of each class.
    shares : ndarray of shape (n_classes,)
        The same as shares of all votes, equal to `predict_proba`.
    n_tied, room : int
        Number of points at exactly the k-th distance, and number of votes that they share.
    at_zero : int
        Number of points at distance 0 that alone decide, with the weights 1/d and 1/d^2; else 0.
    """

    k: int
    index: Integers
    distance: Array
    code: Integers
    share: Array
    weight: Array
    votes: Array
    shares: Array
    n_tied: int
    room: int
    at_zero: int

    @property
    def radius(self) -> float:
        """The k-th distance."""
        return float(self.distance[-1])

    @property
    def leaders(self) -> Indices:
        """The classes with the most votes, as indices into `classes_`; the first of them wins."""
        return np.flatnonzero(self.shares == self.shares.max())

    @property
    def winner(self) -> int:
        """Index into `classes_` of what `predict` returns: the lowest class with most votes."""
        return int(self.shares.argmax())

    @property
    def is_shared(self) -> bool:
        """Whether more points lie at the k-th distance than votes remain, so that they share these votes."""
        return self.n_tied > self.room


def vote(index: Index, query: Array, k: int, weights: int) -> Vote:
    """Return the vote of the points of `index` at `query`, shape (n_features,); `weights` is a code of `_knn_loops`."""
    d, who = _distances(index, index.scaled(query[None, :]), k)
    kth = np.partition(d, k - 1)[k - 1]
    near = np.flatnonzero(d <= kth)
    near = near[np.argsort(d[near], kind="stable")]
    d, who = d[near], who[near]
    strict, at_zero = int((d < kth).sum()), int((d == 0.0).sum()) if weights != loops.UNIFORM else 0
    code, n_classes, squared = index.codes[who], index.n_classes, index.metric == loops.EUCLIDEAN
    n_tied, room = len(d) - strict, k - strict
    share, weight = np.ones(len(d)), np.ones(len(d))
    if at_zero:
        share[at_zero:] = 0.0
        votes = np.bincount(code[:at_zero], minlength=n_classes).astype(np.float64)
        shares = votes / at_zero
    else:
        share[strict:] = room / n_tied
        if weights == loops.UNIFORM:
            inside = np.bincount(code[:strict], minlength=n_classes)
            tied = np.bincount(code[strict:], minlength=n_classes)
            votes = inside + tied * room / n_tied
            shares = (inside * float(n_tied) + tied * float(room)) / (float(k) * n_tied)
        else:
            weight = plain.weights_of(d, weights, squared)
            votes = _added(d, code, weight, k, n_classes)
            shares = votes / np.cumsum(votes)[-1]
    distance = np.sqrt(d) if squared else d
    return Vote(k, who, distance, code, share, weight, votes, shares, n_tied, room, at_zero)


def _distances(index: Index, query: Array, k: int) -> tuple[Array, Integers]:
    """Return the distances, as compared, of all points that can be among the k nearest, and their rows.

    Powers are slow.  So a Minkowski distance, which is at most n^(1/p) times the Chebyshev distance for n features, is
    computed only where the Chebyshev distance is small enough.
    """
    points = index.points
    rows = np.arange(len(points))
    if index.metric == loops.MINKOWSKI and len(points) > k:
        least = plain.distances(loops.CHEBYSHEV, 1.0, query, points)[0]
        farthest = np.partition(least, k - 1)[k - 1] * points.shape[1] ** (1.0 / index.p)
        rows = np.flatnonzero(least <= farthest * (1.0 + SLACK))
        points = points[rows]
    return plain.distances(index.metric, index.p, query, points)[0], rows


def _added(d: Array, code: Integers, weight: Array, k: int, n_classes: int) -> Array:
    """Return the weighted votes, added one distance after another, all points at one distance at once."""
    first = np.flatnonzero(np.concatenate(([True], d[1:] != d[:-1])))
    size = np.diff(np.append(first, len(d)))
    level = np.repeat(np.arange(len(first)), size)
    cells, count = np.unique(level * n_classes + code, return_counts=True)
    of, who = cells // n_classes, cells % n_classes
    room = np.minimum(size, k - first)
    terms = (count * room[of].astype(np.float64) / size[of]) * weight[first][of]
    return np.bincount(who, weights=terms, minlength=n_classes).astype(np.float64)
