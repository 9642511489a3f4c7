"""Cross-validation: train a classifier without each fold in turn, and test it on that fold.

Evaluation reports the result, validation curves draw it for each value of a slider, and studies use the same folds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.state.document import Lane
from app.state.split import folds_of
from solver.core.arrays import Array, Integers

from .fitting import fitted
from .outcome import outcome, outcome_of_shares
from .pacing import Pace, Step

#: Most training points of which each is left out in turn: for kNN, which repeats a search each time, and for learners
#: that repeat a training.
MOST_LEFT_OUT, MOST_REFITS = 20_000, 300
#: Most updates of a fold's training, which then counts as stopped early.
MOST_UPDATES = 3_000_000
#: Interval between two posts (s) while points are left out one by one.
INTERVAL = 0.2


class Validated(Struct, frozen=True, eq=False):
    """State of a cross-validation, complete or in progress.

    Attributes
    ----------
    right, sizes : ndarray of shape (n_done,)
        Number of points classified correctly, a tie of m classes counting 1 / m, and number of points, of each fold
        that is done; one entry in all for leave-one-out.
    folds : int
        Total number of folds.
    left_out : int
        Number of points tested so far.
    unfinished : int
        Number of folds whose training was stopped early.
    each : bool
        Whether every point is a fold of its own (leave-one-out).
    one_class : int
        Number of folds whose removal leaves points of only one class, which is then the prediction everywhere.
    """

    right: Array
    sizes: Integers
    folds: int
    left_out: int
    unfinished: int
    each: bool
    one_class: int = 0

    @property
    def accuracies(self) -> Array:
        """Accuracy of each fold that is done."""
        return self.right / self.sizes

    @property
    def mean(self) -> float:
        """Mean accuracy of the folds that are done; for leave-one-out, the share of points classified correctly."""
        return float(self.accuracies.mean()) if len(self.sizes) else float("nan")

    @property
    def spread(self) -> float:
        """Standard deviation of the folds' accuracies."""
        return float(self.accuracies.std()) if len(self.sizes) else float("nan")


def cross_validated(
    lane: Lane,
    points: Points,
    k: int,
    seed: int,
    pace: Pace,
    post: Callable[[Validated], None] = lambda validated: None,
    most: int = MOST_UPDATES,
) -> Generator[Step, None, Validated]:
    """Train the classifier of `lane` without each fold in turn, and test it on that fold.

    Parameters
    ----------
    k : int
        Number of folds; 0 makes every point a fold of its own, for which a learner that is `searched` trains only once.
    seed : int
        Seed of the assignment of points to folds, as in `folds_of`.
    post : callable, optional
        Receives the result so far after each fold, or after some of the points left out one by one.
    most : int
        Updates after which a training stops early.

    Raises
    ------
    ValueError
        If there are too few points or classes for these folds, or too many points to leave each out; one sentence.
    """
    n = len(points)
    if k == 0 and lane.family.searched and not lane.standardises:  # each point left out changes the means
        return (yield from _without_each(lane, points, pace, post))
    if k == 0 and n > MOST_REFITS:
        raise ValueError(
            f"Leaving out each of {n} points means {n} trainings: choose 10 folds, or at most {MOST_REFITS} points."
        )
    folds = k or n
    if not 2 <= folds <= n:
        raise ValueError(f"{max(folds, 2)} folds need as many training points; there are {n}.")
    if len(points.classes) < lane.family.n_classes_needed:
        raise ValueError("This classifier needs training points of two classes.")
    fold = folds_of(points, folds, seed)
    xy, labels = points.xy, points.labels
    right: list[float] = []
    sizes: list[int] = []
    unfinished = one_class = 0
    for number in range(folds):
        out = fold == number
        rest = Points.of(xy[~out], labels[~out])
        if len(rest.classes) < lane.family.n_classes_needed:
            one_class += 1
            right.append(float((labels[out] == rest.classes[0]).sum()))
            yield from pace.pause()
        else:
            done = yield from fitted(lane, rest, pace, most=most)
            found = yield from outcome(done.model, xy[out], labels[out], pace)
            right.append(float(found.credit.sum()))
            unfinished += not done.finished
        sizes.append(int(out.sum()))
        if k == 0:
            right, sizes = [sum(right)], [sum(sizes)]
        validated = Validated(np.array(right), np.array(sizes), folds, sum(sizes), unfinished, k == 0, one_class)
        post(validated)
    return validated


def _without_each(
    lane: Lane, points: Points, pace: Pace, post: Callable[[Validated], None]
) -> Generator[Step, None, Validated]:
    """Predict each point by the votes of all others, with one training."""
    n = len(points)
    if n < 2:
        raise ValueError("Leaving one out needs at least two training points.")
    if n > MOST_LEFT_OUT:
        raise ValueError(f"Leaving out each of {n} points takes too long: choose folds, or at most {MOST_LEFT_OUT}.")
    model: Any = lane.family.fit(lane.settings, points, left_out=1)
    right, posted = 0.0, time.perf_counter()
    validated = Validated(np.empty(0), np.empty(0, dtype=np.int64), n, 0, 0, True)

    def count(block: slice) -> None:
        nonlocal right, posted, validated
        rows = np.arange(block.start, block.stop)
        shares = model.shares_without_self(rows)
        right += float(outcome_of_shares(shares, model.classes_, points.labels[rows]).credit.sum())
        validated = Validated(np.array([right]), np.array([block.stop]), n, block.stop, 0, True)
        if time.perf_counter() - posted > INTERVAL or block.stop == n:
            posted = time.perf_counter()
            post(validated)

    yield from pace.pause()
    yield from pace.in_blocks(n, count, size=8)
    return validated
