"""Predictions of k nearest neighbours for many k from one search: the points in order of distance, counted once.

The tie rule is that of `neighbors`, class for class.  With the points of a query in order of distance, the rule needs
to know of each k only where the group of equal distances around position k begins and ends:

    nearer = counts of the classes before the group,  tied = counts in it,  size = its points,  room = k - before
    uniform    nearer * size + tied * room                whole numbers: equal votes are equal
    1/d, 1/d^2 sum of counts * weight over the groups before, + (tied * room / size) * weight;
               points at distance 0 alone decide, by count

So one sort serves all k.  Votes are added in the order in which the compiled loops add them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Integers, Mask
from solver.core.checks import check_points

from . import _knn_loops as loops
from ._knn_index import Index
from ._knn_plain import distances, weights_of
from .neighbors import WEIGHTS, KNeighborsClassifier


def leaders(model: KNeighborsClassifier, X: ArrayLike, ks: ArrayLike, left_out: ArrayLike | None = None) -> Mask:
    """Return which classes have the largest share of votes at `X` for each k of `ks`: several if they tie.

    Parameters
    ----------
    model : KNeighborsClassifier
        Fitted classifier; its own `n_neighbors` is not used.
    X : array-like of shape (n_queries, n_features)
        Queries, computed all at once with memory for about 10 n_queries n_samples (1 + n_classes / 2) numbers.
    ks : array-like of shape (m,), int
        Numbers of neighbours, from 1 to the number of training points, or one less with `left_out`.
    left_out : array-like of shape (n_queries,), int, optional
        For each query, the row of a training point that does not vote; for leave-one-out, the query's own row.

    Returns
    -------
    ndarray of shape (n_queries, n_classes, m), bool

    Raises
    ------
    ValueError
        If a k is too small or too large.

    Examples
    --------
    >>> from solver import KNeighborsClassifier
    >>> from solver.knn.k_path import leaders
    >>> model = KNeighborsClassifier().fit([[0], [1], [3]], [0, 1, 1])
    >>> leaders(model, [[0]], [1, 2, 3])[0].tolist()
    [[True, True, False], [False, True, True]]
    """
    index = model._fitted()._index
    queries, wanted = index.scaled(check_points(X)), np.asarray(ks, dtype=np.int64)
    most = len(index.points) - (left_out is not None)
    if len(wanted) and not 1 <= wanted.min() <= wanted.max() <= most:
        raise ValueError(f"ks reach from {wanted.min()} to {wanted.max()}; they must be from 1 to {most}.")
    d = distances(index.metric, index.p, queries, index.points)
    if left_out is not None:  # farther than all others: no k reaches it
        d[np.arange(len(d)), np.asarray(left_out, dtype=np.intp)] = np.inf
    votes = _votes(d, index, wanted, WEIGHTS[model.weights])
    return np.asarray(votes == votes.max(axis=1, keepdims=True))


def _votes(d: Array, index: Index, ks: Integers, weights: int) -> NDArray[Any]:
    """Return the votes (n_queries, n_classes, len(ks)) of all points at distances `d`."""
    order = np.argsort(d, axis=1)
    d, codes, n = np.take_along_axis(d, order, axis=1), index.codes[order], d.shape[1]
    is_first = np.ones(d.shape, dtype=bool)  # of its group of equal distances
    is_first[:, 1:] = d[:, 1:] != d[:, :-1]
    begin = np.maximum.accumulate(np.where(is_first, np.arange(n), 0), axis=1)
    is_last = np.roll(is_first, -1, axis=1)
    end = np.minimum.accumulate(np.where(is_last, np.arange(1, n + 1), n)[:, ::-1], axis=1)[:, ::-1]
    # Counts of each class among the first 0, 1, ..., n points.
    counts = np.zeros((len(d), index.n_classes, n + 1), dtype=np.int64)
    for c in range(index.n_classes):
        np.cumsum(codes == c, axis=1, out=counts[:, c, 1:])
    at = np.broadcast_to(ks - 1, (len(d), len(ks)))
    first, last = (np.take_along_axis(each, at, axis=1)[:, None, :] for each in (begin, end))
    nearer, upto = (np.take_along_axis(counts, each, axis=2) for each in (first, last))
    tied, size, room = upto - nearer, last - first, ks - first
    if weights == loops.UNIFORM:
        return np.asarray(nearer * size + tied * room)
    weight = weights_of(d, weights, index.metric == loops.EUCLIDEAN)
    # The votes of each group are added at its first position; the zeros between them change no sum.
    in_group = np.take_along_axis(counts, end[:, None, :], axis=2) - counts[:, :, :-1]
    sums = np.zeros(counts.shape)
    np.cumsum(np.where(is_first[:, None, :], in_group * weight[:, None, :], 0.0), axis=2, out=sums[:, :, 1:])
    votes = np.take_along_axis(sums, first, axis=2)
    votes += (tied * room / size) * np.take_along_axis(weight, at, axis=1)[:, None, :]
    votes /= votes.sum(axis=1, keepdims=True)
    at_zero = d[:, 0] == 0.0  # these points alone decide
    votes[at_zero] = np.take_along_axis(counts[at_zero], end[at_zero, :1, None], axis=2)
    return np.asarray(votes)
