"""Cross-validation: train a classifier without each fold in turn, and test it on that fold.

Evaluation reports the result, validation curves draw it for each value of a slider, and studies use the same folds.
Where trainings on the same points differ in C only, a `PathOfC` does one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.state.document import Lane
from app.state.split import folds_of
from solver import PairTrainer
from solver.core.arrays import Array, Integers
from solver.core.certificate import EPS
from solver.core.multiclass import leaders
from solver.kernels.kernel_classifier import UNFINISHED
from solver.svm.c_path import MOST_POINTS, PathSolver

from .fitting import ended, fitted
from .outcome import Outcome, outcome, outcome_of_leaders, outcome_of_shares
from .pacing import Pace, Step

#: Most training points of which each is left out in turn: for kNN, which repeats a search each time, and for learners
#: that repeat a training.
MOST_LEFT_OUT, MOST_REFITS = 20_000, 300
#: Most updates of a fold's training, which then counts as stopped early.
MOST_UPDATES = 3_000_000
#: Largest number of kernel values between training points and the points of an outcome that are kept: 32 MB.
MOST_VALUES = 4_000_000
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


#: Outcomes of a training at several sets of points, and whether it finished.
Tested = tuple[list[Outcome], bool]


def tested(
    number: int, lane: Lane, points: Points, tests: Sequence[Points], pace: Pace, most: int
) -> Generator[Step, None, Tested]:
    """Train the classifier of `lane` on `points`, and return its outcome at each of `tests`; `number` has no effect."""
    done, found = (yield from fitted(lane, points, pace, most=most)), []
    for each in tests:
        found.append((yield from outcome(done.model, each.xy, each.labels, pace)))
    return found, done.finished


def cross_validated(
    lane: Lane,
    points: Points,
    k: int,
    seed: int,
    pace: Pace,
    post: Callable[[Validated], None] = lambda validated: None,
    most: int = MOST_UPDATES,
    test: Callable[..., Generator[Step, None, Tested]] = tested,
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
    test : callable, optional
        Trains and tests, as `tested`; the number that it receives is that of the fold.

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
            (found,), finished = yield from test(number, lane, rest, [Points.of(xy[out], labels[out])], pace, most)
            right.append(float(found.credit.sum()))
            unfinished += not finished
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


# -- for one C after the other -----------------------------------------------------------------------------------------


class PathOfC:
    """Trainings on the same points that differ in C only: each begins where the one before ended.

    Kernel values are computed once.

    Parameters
    ----------
    points : Points
        The training points, standardised if they should be.
    """

    def __init__(self, points: Points) -> None:
        self._points, self._classes = points, np.unique(points.labels)
        self._trainer: PairTrainer[PathSolver] | None = None
        self._rows: dict[object, list[Array]] = {}
        self._C = 0.0

    @staticmethod
    def suits(lane: Lane, n: int, n_tests: int = 0) -> bool:
        """Return whether it can train the classifier of `lane` on `n` points, and predict `n_tests` points."""
        s, trainer = lane.settings, lane.trainer
        if trainer is None or not trainer.has_rules or s.hard_margin or lane.standardises:
            return False
        return s.as_kernel().is_positive_semidefinite and n <= MOST_POINTS and n * n_tests <= MOST_VALUES

    def trained(self, lane: Lane, pace: Pace, most: float) -> Generator[Step, None, PairTrainer[PathSolver]]:
        """Train with the C of `lane`, for at most `most` updates."""
        trainer, self._trainer = self._trainer, None  # None after an error
        if trainer is None:
            estimator = lane.estimator(fast=True)
            estimator.set_params(solver="path", selection="second-order")
            trainer = estimator.prepare(self._points.xy, self._points.labels)
        else:
            for solver in trainer.solvers:
                solver.restart(solver.C / self._C * lane.settings.C)
        yield from ended(trainer, pace, most)
        self._trainer, self._C = trainer, lane.settings.C
        return trainer

    def outcome(self, key: object, points: Points, pace: Pace) -> Generator[Step, None, Outcome]:
        """Return the outcome of the newest training at `points`, which are the same for the same `key`."""
        assert self._trainer is not None
        solvers = self._trainer.solvers
        if key not in self._rows:
            rows = [np.empty((len(points), len(each.y))) for each in solvers]

            def fill(block: slice) -> None:
                for solver, own in zip(solvers, rows, strict=True):
                    own[block] = solver.kernel.gram(points.xy[block] - solver.centre, solver.points.T)

            yield from pace.in_blocks(len(points), fill)
            self._rows[key] = rows
        intercepts = [each.intercept for each in solvers]
        values = [rows @ each.beta + b for rows, each, b in zip(self._rows[key], solvers, intercepts, strict=True)]
        # As `KernelClassifier.rounding`.
        size = sum(np.abs(each.beta).sum() for each in solvers) + max(map(abs, intercepts))
        ahead = leaders(np.column_stack(values), self._trainer.pairs, len(self._classes), 8 * EPS * size)
        return outcome_of_leaders(ahead, self._classes, points.labels)


class PathsOfC:
    """A `PathOfC` for each of several sets of points, such as all points without one fold."""

    def __init__(self) -> None:
        self._paths: dict[int, PathOfC] = {}

    def tested(
        self, number: int, lane: Lane, points: Points, tests: Sequence[Points], pace: Pace, most: int
    ) -> Generator[Step, None, Tested]:
        """As `tested`; the same `number` has the same points each time, and lanes that differ in C."""
        if lane.settings.hard_margin:
            return (yield from tested(number, lane, points, tests, pace, most))
        path, found = self._paths.setdefault(number, PathOfC(points)), []
        trainer = yield from path.trained(lane, pace, most)
        for index, each in enumerate(tests):
            found.append((yield from path.outcome(index, each, pace)))
        return found, trainer.status not in UNFINISHED
