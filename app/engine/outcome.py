"""Outcome: what a model's predictions come to at points of known classes, where several classes may tie.

The rule of every accuracy on screen: a point whose class ties with m - 1 others counts 1 / m.  That is what a fair draw
comes to on average, and does not depend on how the classes are numbered.  `predict` and `score` of the library name
the lowest class, as scikit-learn does.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.learners.model import Model
from solver.core.arrays import Array, Indices, Integers, Mask
from solver.core.binary_reduction import PairClassifier

from .fitting import begun_shares, block_sizes
from .pieces import Pace, Step

Labels = NDArray[Any]


class Outcome(Struct, frozen=True, eq=False):
    """What is predicted at some points, and how much of it is right.

    Attributes
    ----------
    predicted : ndarray of shape (n,)
        Classes; of several that tie the lowest.
    credit : ndarray of shape (n,)
        1 where the point's class is predicted alone, 1 / m where it ties with m - 1 others, else 0.
    shares : ndarray of shape (n_tied, n_classes)
        For each point at which classes tie, 1 / m for each of the m classes ahead; columns as `classes_` of the model.
    at : ndarray of shape (n_tied,)
        Indices of these points.
    scores : ndarray of shape (n,)
        Of a model of two classes, how much it is for the second: f, or the share of the votes; else empty.
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
        """Points that are classified wrongly, whatever a tie is decided for."""
        return np.flatnonzero(self.credit == 0.0)

    @property
    def tied(self) -> Indices:
        """Points that are neither right nor wrong: their class is one of several that tie."""
        return np.flatnonzero((self.credit > 0.0) & (self.credit < 1.0))


def outcome_of_shares(shares: Array, classes: Labels, labels: Labels) -> Outcome:
    """The outcome at points of class `labels`, where each of `classes` has a share, shape (n, n_classes)."""
    leaders = shares == shares.max(axis=1, keepdims=True)
    scores = shares[:, 1] if len(classes) == 2 else np.empty(0)
    return _outcome_of(leaders, classes, classes[leaders.argmax(axis=1)], labels, scores)


def outcome_of_values(model: PairClassifier, pair_values: Array, xy: Array, labels: Labels) -> Outcome:
    """The outcome at `xy`, shape (n, 2), where f of the binary problems is `pair_values`, shape (n, n_problems)."""
    rounding = model.rounding_at(xy)
    leaders, predicted = model.leaders_of(pair_values, rounding), model.classes_[model.winner(pair_values)]
    two = len(model.classes_) == 2  # rounding errors would rank points that score alike
    scores = np.where(np.abs(pair_values[:, 0]) <= rounding, 0.0, pair_values[:, 0]) if two else np.empty(0)
    return _outcome_of(leaders, model.classes_, predicted, labels, scores)


def _outcome_of(leaders: Mask, classes: Labels, predicted: Labels, labels: Labels, scores: Array) -> Outcome:
    credit = credit_of(leaders, classes, labels)
    at = np.flatnonzero(leaders.sum(axis=1) > 1)
    ahead = leaders[at].astype(np.float64)
    return Outcome(predicted, credit, ahead / ahead.sum(axis=1, keepdims=True), at, scores)


def credit_of(leaders: Mask, classes: Labels, labels: Labels) -> Array:
    """Share of each point that is right: `leaders` is of shape (n, n_classes), or (n, n_classes, m) for m models."""
    own = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    ahead = leaders[np.arange(len(labels)), own]
    known = (classes[own] == labels).reshape(-1, *[1] * (ahead.ndim - 1))
    credit: Array = np.where(ahead & known, 1.0, 0.0) / leaders.sum(axis=1)
    return credit


def judged(model: Model, xy: Array, labels: Labels) -> Outcome:
    """What `model` comes to at `xy`, shape (n, 2), of class `labels`, in one go."""
    if model.kind == "f":
        return outcome_of_values(model, model.pair_decision_function(xy), xy, labels)
    return outcome_of_shares(model.predict_proba(xy), model.classes_, labels)


def outcome(model: Model, xy: Array, labels: Labels, pace: Pace) -> Generator[Step, None, Outcome]:
    """What `model` comes to at `xy`, shape (n, 2), of class `labels`; in blocks."""
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
        none = np.empty(0)
        return Outcome(np.empty(0, dtype=np.int64), none, np.empty((0, n_classes)), np.empty(0, dtype=np.intp), none)
    starts = np.cumsum([0, *(len(part.predicted) for part in parts[:-1])])
    return Outcome(
        np.concatenate([part.predicted for part in parts]).astype(np.int64),
        np.concatenate([part.credit for part in parts]),
        np.concatenate([part.shares for part in parts]),
        np.concatenate([part.at + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.scores for part in parts]),
    )
