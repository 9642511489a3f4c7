"""Fitting: training any lane's classifier on any points, and predicting, in short pieces, to compare models."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.learners.model import Model, Pending, Stepwise, remote
from app.state.document import Lane
from solver import PairTrainer, Status
from solver.core.arrays import Array, Integers
from solver.kernels.kernel_classifier import UNFINISHED

from .estimator_process import EstimatorProcess
from .pieces import Pace, Step

#: Updates of one binary problem before it is the turn of the next.
ROUND = 500
#: Where classifiers of other libraries are trained for questions; each lane has a process of its own.
BACKGROUND = EstimatorProcess()
#: Updates after which a training that has not come to its end is left as it is.
MOST_UPDATES = 300_000
#: Kernel values, and locations, of a first block: a fraction of a millisecond.
KERNEL_VALUES, MOST_AT_FIRST = 100_000, 1000


class Fitted(Struct, frozen=True, eq=False):
    """A model, and whether its training came to its end."""

    model: Model
    finished: bool


def fitted(lane: Lane, points: Points, pace: Pace, *, most: int = MOST_UPDATES) -> Generator[Step, None, Fitted]:
    """Train the classifier of `lane` on `points`.

    Nobody follows its steps: where the learner knows a shorter way to the same optimum, it takes that.

    Parameters
    ----------
    most : int
        Updates after which it stops early.

    Raises
    ------
    ValueError
        Too few points or classes, or what the lane asks for does not exist; in one sentence.
    """
    if len(points.classes) < 2 <= lane.family.n_classes_needed:
        raise ValueError("This classifier needs points of two classes.")
    if lane.family.own_process:
        model, pending = BACKGROUND.fit(lane, points)
        yield from pace.wait(pending)
        return Fitted(model, True)
    if lane.trainer is None:
        return Fitted(lane.fit(points), True)
    estimator = lane.estimator(at_once=True)
    trainer = estimator.prepare(points.xy, points.labels)
    return (yield from trained(estimator, trainer, pace, most=most))


def trained(
    estimator: Stepwise, trainer: PairTrainer[Any], pace: Pace, *, most: float
) -> Generator[Step, None, Fitted]:
    """Run the `trainer` that `estimator` has prepared, to its end or for `most` updates."""
    while trainer.status is Status.RUNNING and trainer.n_iter < most:
        trainer.step(int(min(ROUND, most - trainer.n_iter)), pace.late)
        if pace.late():
            yield from pace.pause()
    trainer.step(0)
    return Fitted(estimator.snapshot_model(trainer.snapshot(thorough=False)), trainer.status not in UNFINISHED)


def predictions(model: Model, xy: Array, pace: Pace) -> Generator[Step, None, Integers]:
    """The classes of all `xy`, shape (n, 2), in blocks."""
    if (pending := begun_shares(model, xy)) is not None:
        shares: Array = yield from pace.wait(pending)
        classes: Integers = model.classes_[shares.argmax(axis=1)]
        return classes
    found = np.empty(len(xy), dtype=np.int64)

    def predict(block: slice) -> None:
        found[block] = model.predict(xy[block])

    size, least = block_sizes(model)
    yield from pace.in_blocks(len(xy), predict, size=size, least=least)
    return found


def begun_shares(model: Model, xy: Array) -> Pending | None:
    """Begin to work out the shares of a model in another process; None for any other model."""
    there = remote(model)
    return None if there is None else there.begin_shares(xy)


def block_sizes(model: Model) -> tuple[int, int]:
    """Return how many locations a model predicts first in one go, and at least: as fast as one."""
    if model.kind != "f":
        return 16, 2
    expansion = model.expansion
    quick = min(KERNEL_VALUES // max(len(expansion.points), 1), MOST_AT_FIRST)
    return max(quick, expansion.together, 16), expansion.together
