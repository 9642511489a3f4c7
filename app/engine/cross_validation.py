"""Cross-validation: the one way in which classifiers are tested on points that they have not learnt.

Evaluation reports its result, validation curves draw it for each value of a slider; studies use the same folds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.state.document import Lane
from app.state.test_split import folds_of
from solver.core.arrays import Array, Integers

from .fitting import fitted
from .outcome import outcome, outcome_of_shares
from .pieces import Pace, Step

#: Training points up to which each of them is left out in turn: of kNN, which looks for neighbours anew, and of
#: learners that train anew.
MOST_LEFT_OUT, MOST_REFITS = 20_000, 300
#: Updates after which a fold's training counts as stopped early.
MOST_UPDATES = 3_000_000
#: Seconds between two posts while points are left out one by one.
INTERVAL = 0.2


class Validated(Struct, frozen=True, eq=False):
    """A cross-validation as far as it has come.

    Attributes
    ----------
    right, sizes : ndarray of shape (n_done,)
        Points classified rightly, a tie of m classes counting 1 / m, and points, of each fold that is done; of leaving
        one out all in one.
    folds : int
        How many there will be.
    left_out : int
        How many points have been tested.
    unfinished : int
        Folds in which training was stopped before its end.
    each : bool
        Every point is a fold of its own.
    one_class : int
        Folds without which points of only one class are left: then that class is what is always said.
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
        """Of each fold that is done."""
        return self.right / self.sizes

    @property
    def mean(self) -> float:
        """Mean accuracy of the folds that are done; of points left out one by one, the share classified rightly."""
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
        Number of folds; 0 makes every point a fold of its own.  A learner that `leaves_out` trains only once then.
    seed : int
        How the points are dealt, as in `folds_of`.
    post : callable, optional
        Receives the result so far after each fold, or after some of the points left out one by one.
    most : int
        Updates after which a training stops early.

    Raises
    ------
    ValueError
        Too few points or classes for these folds, or too many points to leave each out; in one sentence.
    """
    n = len(points)
    if k == 0 and lane.family.leaves_out and not lane.standardises:  # without a point, the means are others
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
    """Test each point on all others, without training anew: they vote at the location of each point."""
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
