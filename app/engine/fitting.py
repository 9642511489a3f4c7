"""Fitting: train any lane's classifier on any points, and predict, in short pieces; for queries."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.points import Points
from app.learners.model import Model, Pending, Stepwise, remote
from app.state.document import Lane
from solver import PairTrainer, Status
from solver.core.arrays import Array, Integers
from solver.core.binary_reduction import PairClassifier
from solver.kernels.kernel_classifier import UNFINISHED

from .estimator_process import EstimatorProcess
from .pacing import Pace, Step

#: Updates of one binary problem before the next has its turn.
ROUND = 500
#: Process that trains classifiers of other libraries for queries; each lane has another of its own.
BACKGROUND = EstimatorProcess()
#: Most updates of a training, which then stops early.
MOST_UPDATES = 300_000
#: Most kernel values, and locations, of a first block: a fraction of a millisecond.
KERNEL_VALUES, MOST_AT_FIRST = 100_000, 1000


class Fitted(Struct, frozen=True, eq=False):
    """A model, and whether its training finished."""

    model: Model
    finished: bool


def fitted(
    lane: Lane, points: Points, pace: Pace, *, most: int = MOST_UPDATES, process: EstimatorProcess = BACKGROUND
) -> Generator[Step, None, Fitted]:
    """Train the classifier of `lane` on `points`.

    Its steps are not recorded: a learner with a faster algorithm for the same optimum uses that.

    Parameters
    ----------
    most : int
        Updates after which the training stops early.
    process : EstimatorProcess, optional
        Trains a classifier of another library.

    Raises
    ------
    ValueError
        If there are too few points or classes, or no solution exists for the lane's settings; one sentence.
    """
    if len(points.classes) < 2 <= lane.family.n_classes_needed:
        raise ValueError("This classifier needs points of two classes.")
    if lane.family.own_process:
        model, pending = process.fit(lane, points)
        yield from pace.wait(pending)
        return Fitted(model, True)
    if lane.trainer is None:
        return Fitted(lane.fit(points), True)
    estimator = lane.estimator(fast=True)
    trainer = estimator.prepare(points.xy, points.labels)
    return (yield from trained(estimator, trainer, pace, most=most))


def trained(
    estimator: Stepwise, trainer: PairTrainer[Any], pace: Pace, *, most: float
) -> Generator[Step, None, Fitted]:
    """Run the `trainer` that `estimator` has prepared until it finishes, or for `most` updates."""
    yield from ended(trainer, pace, most)
    return Fitted(estimator.snapshot_model(trainer.snapshot(thorough=False)), trainer.status not in UNFINISHED)


def ended(trainer: PairTrainer[Any], pace: Pace, most: float) -> Generator[Step]:
    """Run `trainer` until it finishes, or for `most` updates."""
    while trainer.status is Status.RUNNING and trainer.n_iter < most:
        trainer.step(int(min(ROUND, most - trainer.n_iter)), pace.late)
        if pace.late():
            yield from pace.pause()
    trainer.step(0)


def predictions(model: Model, xy: Array, pace: Pace) -> Generator[Step, None, Integers]:
    """Return the predicted classes at `xy`, shape (n, 2), in blocks."""
    if remote(model) is None:
        return (yield from filled(np.empty(len(xy), dtype=np.int64), model, model.predict, xy, pace))
    classes: Integers = model.classes_[(yield from shares_at(model, xy, pace)).argmax(axis=1)]
    return classes


def shares_at(model: Model, xy: Array, pace: Pace) -> Generator[Step, None, Array]:
    """Return the share of each class at `xy`, shape (n, n_classes), in blocks; of a model without an f."""
    assert model.kind != "f"
    if (pending := begun_shares(model, xy)) is not None:
        found: Array = yield from pace.wait(pending)
        return found
    return (yield from filled(np.empty((len(xy), len(model.classes_))), model, model.predict_proba, xy, pace))


def f_at(model: PairClassifier, xy: Array, pace: Pace) -> Generator[Step, None, Array]:
    """Return f of the binary problems at `xy`, shape (n, n_pairs), in blocks."""
    return (yield from filled(np.empty((len(xy), len(model.pairs_))), model, model.pair_decision_function, xy, pace))


def filled(
    found: NDArray[Any], model: Model, function: Callable[[Array], NDArray[Any]], xy: Array, pace: Pace
) -> Generator[Step, None, NDArray[Any]]:
    """Fill `found` with a `function` of the model at `xy`, shape (n, 2), in blocks, and return it."""

    def fill(block: slice) -> None:
        found[block] = function(xy[block])

    size, least = block_sizes(model)
    yield from pace.in_blocks(len(xy), fill, size=size, least=least)
    return found


def begun_shares(model: Model, xy: Array) -> Pending | None:
    """Start computing the shares of a model in another process; return None for any other model."""
    there = remote(model)
    return None if there is None else there.begin_shares(xy)


def block_sizes(model: Model) -> tuple[int, int]:
    """Return the sizes of the first and the smallest block of predictions; the smallest is as fast as one location."""
    if model.kind != "f":
        return 16, 2
    expansion = model.expansion
    quick = min(KERNEL_VALUES // max(len(expansion.points), 1), MOST_AT_FIRST)
    return max(quick, expansion.together, 16), expansion.together
