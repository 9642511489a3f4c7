"""Predictions of k nearest neighbours for many k from one search: the points in order of distance, counted once.

The tie rule is that of `neighbors`, class for class: points strictly nearer than the k-th distance vote fully, those at
exactly the k-th distance share the votes that remain.  With the points of a query in order of distance, everything the
rule asks of a k stands where the group of equal distances around place k begins and ends:

    near = counts of the classes before the group,  level = counts in it,  size = how many they are,  room = k - before
    uniform    near * size + level * room                 whole numbers: equal votes are equal
    1/d, 1/d^2 sum of level * weight over the groups before, + (level * room / size) * weight;
               points at distance 0 alone decide, by count

so one sort serves all k, where a search for each would sort as often.  The sums are made in the order of `_knn_loops`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Integers, Mask
from solver.core.checks import check_points

from . import _knn_loops as loops
from ._knn_plain import distances
from .neighbors import WEIGHTS, KNeighborsClassifier


def leaders(model: KNeighborsClassifier, X: ArrayLike, ks: ArrayLike, left_out: ArrayLike | None = None) -> Mask:
    """Which classes have the largest share at `X` with each number of neighbours of `ks`: several where they tie.

    Parameters
    ----------
    model : KNeighborsClassifier
        Fitted; its own `n_neighbors` plays no part.
    X : array-like of shape (n_queries, n_features)
        All of them are looked at in one go: memory for about 10 n_queries n_samples (1 + n_classes / 2) numbers.
    ks : array-like of shape (m,), int
        From 1 to the number of training points, one less where a point is left out.
    left_out : array-like of shape (n_queries,), int, optional
        For each query the training point that does not vote: a point's own number, for leave-one-out.

    Returns
    -------
    ndarray of shape (n_queries, n_classes, m), bool

    Raises
    ------
    ValueError
        A k that is too small or too large.
    """
    votes = _votes(model, X, ks, left_out)
    return np.asarray(votes == votes.max(axis=1, keepdims=True))


def _votes(model: KNeighborsClassifier, X: ArrayLike, ks: ArrayLike, left_out: ArrayLike | None) -> NDArray[Any]:
    index = model._fitted()._index
    queries, wanted = index.scaled(check_points(X)), np.asarray(ks, dtype=np.int64)
    most = len(index.points) - (left_out is not None)
    if len(wanted) and not 1 <= wanted.min() <= wanted.max() <= most:
        raise ValueError(f"ks reach from {wanted.min()} to {wanted.max()}; they must be from 1 to {most}.")
    d = distances(index.metric, index.p, queries, index.points)
    if left_out is not None:  # farther than all, and of no class that is asked about: no k reaches it
        d[np.arange(len(d)), np.asarray(left_out, dtype=np.intp)] = np.inf
    order = np.argsort(d, axis=1)
    d = np.take_along_axis(d, order, axis=1)
    codes = index.codes[order]
    begin, end = _groups(d)
    level = _counts(codes, index.n_classes)
    at = np.broadcast_to(wanted - 1, (len(d), len(wanted)))
    first, last = (np.take_along_axis(each, at, axis=1) for each in (begin, end))
    before, upto = (np.take_along_axis(level, each[:, None, :], axis=2) for each in (first, last))
    tied, size, room = upto - before, (last - first)[:, None, :], (wanted - first)[:, None, :]
    weights = WEIGHTS[model.weights]
    if weights == loops.UNIFORM:
        return np.asarray(before * size + tied * room)
    weight = _weights(d, weights, index.metric == loops.EUCLIDEAN)
    # What each group adds stands at its first place; zeros between change no sum.
    heads = np.arange(d.shape[1]) == begin
    of_group = np.take_along_axis(level, end[:, None, :], axis=2) - level[:, :, :-1]
    adds = np.where(heads[:, None, :], of_group * weight[:, None, :], 0.0)
    sums = np.concatenate((np.zeros((*adds.shape[:2], 1)), adds.cumsum(axis=2)), axis=2)
    votes = np.take_along_axis(sums, first[:, None, :], axis=2)
    votes += (tied * room / size) * np.take_along_axis(weight, at, axis=1)[:, None, :]
    votes /= votes.sum(axis=1, keepdims=True)
    # Points at distance 0 alone decide.
    zero = d[:, 0] == 0.0
    if zero.any():
        there = np.take_along_axis(level[zero], end[zero, :1, None], axis=2)
        votes[zero] = there
    return np.asarray(votes)


def _groups(d: Array) -> tuple[Integers, Integers]:
    """For each place of the ascending rows `d`, where its group of equal distances begins and ends."""
    n = d.shape[1]
    places = np.arange(n)
    new = np.ones(d.shape, dtype=bool)
    new[:, 1:] = d[:, 1:] != d[:, :-1]
    begin = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    last = np.ones(d.shape, dtype=bool)
    last[:, :-1] = new[:, 1:]
    end = np.minimum.accumulate(np.where(last, places + 1, n)[:, ::-1], axis=1)[:, ::-1]
    return begin, end


def _counts(codes: Integers, n_classes: int) -> Integers:
    """How many of the first 0, 1, ..., n points are of each class, shape (n_queries, n_classes, n + 1)."""
    level = np.zeros((len(codes), n_classes, codes.shape[1] + 1), dtype=np.int64)
    for c in range(n_classes):
        np.cumsum(codes == c, axis=1, out=level[:, c, 1:])
    return level


def _weights(d: Array, weights: int, squared: bool) -> Array:
    """What a vote counts at these distances."""
    root, square = (np.sqrt(d), d) if squared else (d, d * d)
    divisor = root if weights == loops.INVERSE else square
    with np.errstate(divide="ignore", over="ignore"):
        return np.minimum(1.0 / divisor, loops.LARGEST_WEIGHT)
