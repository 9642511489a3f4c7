"""Outcome: a model's predictions at labelled points, and how many of them are correct, with ties.

The rule of every accuracy on screen: a point whose class ties with m - 1 others counts 1 / m.  That is the average
credit of a random choice among the tied classes, and does not depend on the order of the classes.  `predict` and
`score` of the library choose the lowest class, like scikit-learn.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.points import Points
from app.learners.base import Ahead
from app.learners.model import Model
from solver.core.arrays import Array, Indices, Integers, Mask
from solver.core.binary_reduction import PairClassifier

from .fitting import begun_shares, block_sizes
from .pacing import Pace, Step

Labels = NDArray[Any]
_NONE = np.empty(0)
#: Number of distances and neighbour counts held at once.
BLOCK = 40_000


class Outcome(Struct, frozen=True, eq=False):
    """Predictions at some labelled points, and their credit.

    Attributes
    ----------
    predicted : ndarray of shape (n,)
        Predicted classes; the lowest of several that tie.
    credit : ndarray of shape (n,)
        1 where the point's class is predicted alone, 1 / m where it ties with m - 1 others, else 0.
    shares : ndarray of shape (n_tied, n_classes)
        For each point with a tie, 1 / m for each of the m tied classes; columns in the order of the model's `classes_`.
    at : ndarray of shape (n_tied,)
        Indices of the points with a tie.
    scores : ndarray of shape (n,)
        For a model of two classes, the score of the second: f, or its share of the votes; else empty.
    """

    predicted: Integers
    credit: Array
    shares: Array
    at: Indices
    scores: Array

    @property
    def accuracy(self) -> float:
        """Mean credit."""
        return float(self.credit.mean())

    @property
    def wrong(self) -> Indices:
        """Indices of points classified wrongly, however ties are broken."""
        return np.flatnonzero(self.credit == 0.0)

    @property
    def tied(self) -> Indices:
        """Indices of points that are neither right nor wrong: their class is one of several that tie."""
        return np.flatnonzero((self.credit > 0.0) & (self.credit < 1.0))


def outcome_of_shares(shares: Array, classes: Labels, labels: Labels) -> Outcome:
    """Return the outcome at points of class `labels`, given the shares of the `classes`, shape (n, n_classes)."""
    scores = shares[:, 1] if len(classes) == 2 else _NONE
    return outcome_of_leaders(shares == shares.max(axis=1, keepdims=True), classes, labels, scores)


def outcome_of_leaders(leaders: Mask, classes: Labels, labels: Labels, scores: Array = _NONE) -> Outcome:
    """Return the outcome at points of class `labels`, given which `classes` lead at each, shape (n, n_classes)."""
    return _outcome_of(leaders, classes, classes[leaders.argmax(axis=1)], labels, scores)


def outcome_of_values(model: PairClassifier, pair_values: Array, xy: Array, labels: Labels) -> Outcome:
    """Return the outcome at `xy`, shape (n, 2), given f of the binary problems, shape (n, n_problems)."""
    rounding = model.rounding_at(xy)
    leaders, predicted = model.leaders_of(pair_values, rounding), model.classes_[model.winner(pair_values)]
    two = len(model.classes_) == 2  # rounding errors would rank points that score alike
    scores = np.where(np.abs(pair_values[:, 0]) <= rounding, 0.0, pair_values[:, 0]) if two else _NONE
    return _outcome_of(leaders, model.classes_, predicted, labels, scores)


def _outcome_of(leaders: Mask, classes: Labels, predicted: Labels, labels: Labels, scores: Array) -> Outcome:
    credit = credit_of(leaders, classes, labels)
    at = np.flatnonzero(leaders.sum(axis=1) > 1)
    ahead = leaders[at].astype(np.float64)
    return Outcome(predicted, credit, ahead / ahead.sum(axis=1, keepdims=True), at, scores)


def credit_of(leaders: Mask, classes: Labels, labels: Labels) -> Array:
    """Return the credit of each point; `leaders` has shape (n, n_classes), or (n, n_classes, m) for m models."""
    own = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    ahead = leaders[np.arange(len(labels)), own]
    known = (classes[own] == labels).reshape(-1, *[1] * (ahead.ndim - 1))
    credit: Array = np.where(ahead & known, 1.0, 0.0) / leaders.sum(axis=1)
    return credit


def credit_of_all(
    ahead: Ahead, values: Integers, points: Points, xy: Array, labels: Labels, pace: Pace
) -> Generator[Step, None, Array]:
    """Return the sum of the credit at `xy` for each of the `values`, given which classes of `points` are ahead."""
    classes, sums = np.unique(points.labels), np.zeros(len(values))
    size = max(1, BLOCK // (len(points) * (1 + len(classes))))
    for start in range(0, len(xy), size):
        block = slice(start, start + size)
        sums += credit_of(ahead(xy[block], values, None), classes, labels[block]).sum(axis=0)
        yield from pace.pause()
    return sums


def judged(model: Model, xy: Array, labels: Labels) -> Outcome:
    """Return the outcome of `model` at `xy`, shape (n, 2), of class `labels`, in one block."""
    if model.kind == "f":
        return outcome_of_values(model, model.pair_decision_function(xy), xy, labels)
    return outcome_of_shares(model.predict_proba(xy), model.classes_, labels)


def outcome(model: Model, xy: Array, labels: Labels, pace: Pace) -> Generator[Step, None, Outcome]:
    """Return the outcome of `model` at `xy`, shape (n, 2), of class `labels`, in blocks."""
    if (pending := begun_shares(model, xy)) is not None:
        shares: Array = yield from pace.wait(pending)
        return outcome_of_shares(shares, model.classes_, labels)
    parts: list[Outcome] = []

    def judge(block: slice) -> None:
        parts.append(judged(model, xy[block], labels[block]))

    size, least = block_sizes(model)
    yield from pace.in_blocks(len(xy), judge, size=size, least=least)
    return _joined(parts, len(model.classes_))


def _joined(parts: list[Outcome], n_classes: int) -> Outcome:
    if not parts:
        return Outcome(np.empty(0, dtype=np.int64), _NONE, np.empty((0, n_classes)), np.empty(0, dtype=np.intp), _NONE)
    starts = np.cumsum([0, *(len(part.predicted) for part in parts[:-1])])
    return Outcome(
        np.concatenate([part.predicted for part in parts]).astype(np.int64),
        np.concatenate([part.credit for part in parts]),
        np.concatenate([part.shares for part in parts]),
        np.concatenate([part.at + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.scores for part in parts]),
    )
