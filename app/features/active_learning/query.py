"""Queries of active learning: train on the labels so far, find the next point, paint; compare strategies.

Each training starts from the multipliers of the one before, with one label fewer: its result is therefore a function of
the answers alone, whenever it is computed.

The comparison is accuracy against the number of labels, for the least certain point and for a random one.  All
repetitions advance by one label together: a part of a curve that has been drawn never changes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.points import Points
from app.engine.export_surface import picture_of
from app.engine.fitting import Fitted, trained
from app.engine.frames import Frame, Phase, Picture
from app.engine.outcome import outcome
from app.engine.pacing import Pace, Step
from app.engine.pool import Priority
from app.engine.shading import Shades
from app.engine.training_run import Multipliers
from app.learners.model import Model
from app.state.document import Lane
from solver import Grid
from solver.core.arrays import Array, Indices
from solver.inspection.active_learning import certainty, most_informative

from .state import (
    STRATEGIES,
    ActiveLearningRun,
    LabelQuestion,
    LearningStep,
    PointLabel,
    PointPool,
    Score,
    Strategy,
    started,
)


class LearningReply(Struct, frozen=True, eq=False):
    """What a `LearningQuery` has computed so far.

    Attributes
    ----------
    steps : tuple of LearningStep
        Including those that were known before.
    picture : Picture or None
        That of the last of `steps`.
    """

    steps: tuple[LearningStep, ...]
    picture: Picture | None = None


@dataclass(frozen=True)
class LearningQuery:
    """Query: train the steps from the `answers` that `asking` lacks, and paint the last one on `grid`."""

    pool: PointPool
    answers: tuple[PointLabel, ...]
    grid: Grid
    shades: Shades
    asking: ActiveLearningRun = field(compare=False)
    priority: ClassVar[Priority] = Priority.TRAINING

    def answer(self, post: Callable[[LearningReply], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the steps, then the steps with the picture."""
        asking, steps = self.asking, list(self.asking.steps)
        labelled, pace = asking.labelled, Pace(overtaken, self.priority)
        for n in range(len(asking.given) + len(steps), len(labelled) + 1):
            steps.append((yield from learning_step(asking, labelled[:n], steps[-1] if steps else None, pace)))
        post(LearningReply(tuple(steps)))
        frame = Frame(
            0, asking.plan.lane, asking.pool.labelled(labelled), asking.lane, Phase.DONE, model=steps[-1].model
        )
        picture = yield from picture_of(frame, self.grid, self.shades, pace)
        post(LearningReply(tuple(steps), picture))


# -- learning ------------------------------------------------------------------------------------------------------


def learning_step(
    asking: ActiveLearningRun, labelled: Sequence[PointLabel], before: LearningStep | None, pace: Pace
) -> Generator[Step, None, LearningStep]:
    """Train on the first labels of a run, and find the next question.

    Parameters
    ----------
    asking : ActiveLearningRun
    labelled : sequence of PointLabel
    before : LearningStep or None
        The step of all but the last of them (or of any number of the first).
    """
    pool, start = asking.pool, before.multipliers if before is not None else None
    learnt, multipliers = yield from training(pool.labelled(labelled), asking.lane, start, pace)
    model, question = learnt.model, None
    score = yield from scoring(model, pool, pace)
    candidates = asking.order[~np.isin(asking.order, [answer.index for answer in labelled])]
    if len(candidates):
        # In random order: of equally certain points (kNN has many) none is preferred for its class.
        at = most_informative(model, pool.points.xy[candidates]) if asking.plan.strategy == "closest" else 0
        asked = int(candidates[at])
        question = LabelQuestion(asked, float(certainty(model, pool.points.xy[[asked]])[0]))
    return LearningStep(model, score, question, learnt.finished, multipliers)


def training(
    points: Points, lane: Lane, before: Multipliers | None, pace: Pace
) -> Generator[Step, None, tuple[Fitted, Multipliers | None]]:
    """Train the classifier of `lane`; the multipliers `before` belong to the first of `points`.

    Returns
    -------
    fitted : Fitted
    multipliers : Multipliers or None
        The start of the next training; None for a classifier that is not trained by steps.
    """
    if lane.trainer is None:
        return Fitted(lane.fit(points), True), None
    estimator, start = lane.label_estimator(), None if before is None else before.start_for(points)
    trainer = estimator.prepare(points.xy, points.labels, start=start)
    fitted = yield from trained(estimator, trainer, pace, most=math.inf)
    return fitted, Multipliers.of(estimator, trainer, points)


def scoring(model: Model, pool: PointPool, pace: Pace) -> Generator[Step, None, Score]:
    """Return the shares of the pool and of its new points that `model` classifies correctly."""
    shares = []
    for points in (pool.points, pool.tests):
        found = yield from outcome(model, points.xy, points.labels, pace)
        shares.append(found.accuracy if len(points) else math.nan)
    return Score(*shares)


#: Number of repetitions of each strategy.
REPETITIONS = 20
#: Largest number of labels in the comparison.
MOST_LABELS = 200
#: Least time between two posts of the growing curves (s).
INTERVAL = 0.15


class AccuracyBand(Struct, frozen=True, eq=False):
    """Mean and quartiles of the repetitions' accuracies, each of shape (m,), at `Curves.labels`."""

    mean: Array
    low: Array
    high: Array

    @staticmethod
    def of(accuracies: Array) -> AccuracyBand:
        """Return the band of accuracies of shape (n_repetitions, m)."""
        low, high = np.quantile(accuracies, (0.25, 0.75), axis=0)
        return AccuracyBand(accuracies.mean(axis=0), low, high)


NOTHING = AccuracyBand(*(np.empty(0) for _ in range(3)))


class Curves(Struct, frozen=True, eq=False):
    """The comparison as far as it is computed.

    Attributes
    ----------
    pool : PointPool
        The pool of the run.
    first, last : int
        Numbers of labels at which the curves begin and will end.
    bands : mapping of str to AccuracyBand
        One for each strategy, equally long.
    full : float
        Accuracy of a model trained on the true labels of the whole pool; NaN until it is known.
    repetitions : int
    failure : str
        Sentence why the comparison has stopped; empty if it has not.
    """

    pool: PointPool
    first: int
    last: int
    bands: dict[Strategy, AccuracyBand]
    full: float = math.nan
    repetitions: int = REPETITIONS
    failure: str = ""

    @property
    def labels(self) -> Indices:
        """Numbers of labels that the bands belong to, shape (m,)."""
        return np.arange(self.first, self.first + len(self.bands["closest"].mean))

    @property
    def finished(self) -> bool:
        """True once the curves are complete."""
        return len(self.labels) == self.last - self.first + 1

    def needed(self, strategy: Strategy, accuracy: float) -> int | None:
        """Return the least number of labels at which the mean reaches `accuracy`; None if it has not, so far."""
        reached = np.flatnonzero(self.bands[strategy].mean >= accuracy - 1e-12)
        return int(self.labels[reached[0]]) if len(reached) else None


class Comparison:
    """Query: the repetitions of both strategies on the pool of a run, and their progress.

    Only the job of this query writes to it, and there is one at a time.  Repetition 0 is the run itself with true
    answers.

    Parameters
    ----------
    asking : ActiveLearningRun
    repetitions : int

    Attributes
    ----------
    curves : Curves
        The part that all repetitions have reached.
    """

    def __init__(self, asking: ActiveLearningRun, repetitions: int = REPETITIONS) -> None:
        pool, plans = asking.pool, [replace(asking.plan, strategy=strategy) for strategy in STRATEGIES]
        #: Runs whose given labels are all labels so far, with the step trained on these.
        self._runs = [started(pool, plan, asking.lane, each) for each in range(repetitions) for plan in plans]
        first = len(self._runs[0].given)
        last = max(min(len(pool), MOST_LABELS), first)
        self.curves = Curves(pool, first, last, dict.fromkeys(STRATEGIES, NOTHING), repetitions=repetitions)
        #: For each strategy and number of labels, the accuracies of all repetitions.
        self._accuracies: dict[Strategy, list[list[float]]] = {strategy: [] for strategy in STRATEGIES}

    def answer(self, post: Callable[[Curves], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Continue from where the last job was interrupted, and post the curves as they grow."""
        pace = Pace(overtaken)
        if math.isnan(self.curves.full):
            pool, lane = self.curves.pool, self._runs[0].lane
            learnt, _ = yield from training(pool.points, lane, None, pace)
            score = yield from scoring(learnt.model, pool, pace)
            self.curves = replace(self.curves, full=score.shown)
            post(self.curves)
        posted = time.perf_counter()
        while not self.curves.finished:
            reached = self.curves.first + len(self.curves.labels) - 1
            row: dict[Strategy, list[float]] = {strategy: [] for strategy in STRATEGIES}
            for index, run in enumerate(self._runs):
                if run.last_step is None or len(run.given) <= reached:  # else it was done before the job was discarded
                    run = self._runs[index] = yield from _further(run, pace)
                row[run.plan.strategy].append(run.steps[0].score.shown)
            for strategy, accuracies in row.items():
                self._accuracies[strategy].append(accuracies)
            bands = {strategy: AccuracyBand.of(np.array(rows).T) for strategy, rows in self._accuracies.items()}
            self.curves = replace(self.curves, bands=bands)
            if self.curves.finished or time.perf_counter() - posted >= INTERVAL:
                post(self.curves)
                posted = time.perf_counter()


def _further(run: ActiveLearningRun, pace: Pace) -> Generator[Step, None, ActiveLearningRun]:
    """Return `run` with one more true label and its step, or with the step of its given labels if that is missing."""
    labelled = run.shown_truth().labelled
    last_step = yield from learning_step(run, labelled, run.last_step, pace)
    if pace.late():  # a step of kNN is shorter than a piece
        yield from pace.pause()
    return replace(run, given=labelled, steps=(last_step,))
