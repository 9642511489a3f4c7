"""Active learning in the background: learn from the labels so far, find the next point to ask for, paint.

Each training starts from the multipliers of the one before, with one label less: so what is learnt is a function of the
answers alone, whenever it was asked for.

Comparison: accuracy against the number of labels, for asking the closest point and for asking by chance.  All
repetitions go one label further together: what has been drawn of a curve never changes.
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
from app.engine.outcome import outcome
from app.engine.pieces import Pace, Step
from app.engine.pool import Priority
from app.engine.requests import Frame, Phase, Picture
from app.engine.shading import Shades
from app.engine.surface_values import problem_of
from app.learners.model import Model
from app.state.document import Lane
from solver import BinaryProblem, Grid
from solver.core.arrays import Array, Indices, Integers
from solver.inspection.active_learning import certainty, most_informative

from .state import (
    STRATEGIES,
    ActiveLearningRun,
    Answer,
    LearningStep,
    Multipliers,
    Pool,
    Question,
    Score,
    Strategy,
    started,
)


class LearningReply(Struct, frozen=True, eq=False):
    """What has come of a `LearningQuery` so far.

    Attributes
    ----------
    looks : tuple of LearningStep
        Also those that were known before.
    picture : Picture or None
        Of the last of `looks`.
    """

    looks: tuple[LearningStep, ...]
    picture: Picture | None = None


@dataclass(frozen=True)
class LearningQuery:
    """Query: learn from the `answers` what `asking` does not know yet, and paint the last step on `grid`."""

    pool: Pool
    answers: tuple[Answer, ...]
    grid: Grid
    shades: Shades
    asking: ActiveLearningRun = field(compare=False)
    priority: ClassVar[Priority] = Priority.TRAINING

    def answer(self, post: Callable[[LearningReply], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post what was learnt, then the same with its picture."""
        asking, looks = self.asking, list(self.asking.looks)
        told, pace = asking.labelled, Pace(overtaken, self.priority)
        for n in range(len(asking.given) + len(looks), len(told) + 1):
            looks.append((yield from learning_step(asking, told[:n], looks[-1] if looks else None, pace)))
        post(LearningReply(tuple(looks)))
        points = Points.of(asking.pool.xy[[each.index for each in told]], [each.label for each in told])
        frame = Frame(0, asking.plan.lane, points, asking.lane, Phase.DONE, model=looks[-1].model)
        picture = yield from picture_of(frame, self.grid, self.shades, pace)
        post(LearningReply(tuple(looks), picture))


# -- learning ------------------------------------------------------------------------------------------------------


def learning_step(
    asking: ActiveLearningRun, told: Sequence[Answer], before: LearningStep | None, pace: Pace
) -> Generator[Step, None, LearningStep]:
    """Learn from the first labels of a run.

    Parameters
    ----------
    asking : ActiveLearningRun
    told : sequence of Answer
    before : LearningStep or None
        What was learnt from all but the last of them (or from any number of the first).
    """
    pool, order, index = asking.pool, asking.order, np.array([answer.index for answer in told], dtype=np.intp)
    labels = np.array([answer.label for answer in told], dtype=np.int64)
    start = before.multipliers if before is not None else {}
    learnt, multipliers = yield from training(pool.xy[index], labels, asking.lane, start, pace)
    model, question = learnt.model, None
    score = yield from scoring(model, pool, pace)
    candidates = order[~np.isin(order, index)]
    if len(candidates):
        # In the order of chance, so that of equals (kNN has many) no class comes first.
        at = most_informative(model, pool.xy[candidates]) if asking.plan.strategy == "closest" else 0
        asked = int(candidates[at])
        question = Question(asked, float(certainty(model, pool.xy[[asked]])[0]))
    return LearningStep(model, score, question, learnt.finished, multipliers)


def training(
    xy: Array, labels: Integers, lane: Lane, before: Multipliers, pace: Pace
) -> Generator[Step, None, tuple[Fitted, Multipliers]]:
    """Train the classifier of `lane` on `xy` (n, 2), the first of which the multipliers `before` belong to.

    Returns
    -------
    fitted : Fitted
    multipliers : dict
        What its successor starts from.
    """
    if lane.trainer is None:
        return Fitted(lane.fit(Points.of(xy, labels)), True), {}
    estimator = lane.label_estimator()
    classes = [int(label) for label in np.unique(labels)]

    def start(pair: BinaryProblem, C: Array) -> Array | None:
        old = before.get(problem_of(pair, classes))
        if old is None:
            return None
        index, alpha, share = old
        first = np.zeros(len(pair.index))
        bounded = np.isfinite(C).all()  # then a class weight that has changed takes the bounded ones along
        first[np.searchsorted(pair.index, index)] = share if bounded else alpha
        return first * C if bounded else first

    trainer = estimator.prepare(xy, labels, start=start)
    fitted = yield from trained(estimator, trainer, pace, most=math.inf)
    kept: Multipliers = {}
    for pair, solver in zip(trainer.pairs, trainer.solvers, strict=True):
        share = solver.alpha / np.where(np.isfinite(solver.C), solver.C, 1.0)
        kept[problem_of(pair, classes)] = pair.index, solver.alpha, share
    return fitted, kept


def scoring(model: Model, pool: Pool, pace: Pace) -> Generator[Step, None, Score]:
    """Shares of the pool and of its fresh points that `model` classifies rightly."""
    shares = []
    for xy, truth in ((pool.xy, pool.truth), (pool.test_xy, pool.test_truth)):
        found = yield from outcome(model, xy, truth, pace)
        shares.append(found.accuracy if len(xy) else math.nan)
    return Score(*shares)


REPETITIONS = 20
#: Labels up to which is compared.
MOST_LABELS = 200
#: Seconds between two posts of curves that grow.
INTERVAL = 0.15


class Band(Struct, frozen=True, eq=False):
    """Mean and quartiles of the repetitions' accuracies, each of shape (m,), at `Curves.labels`."""

    mean: Array
    low: Array
    high: Array

    @staticmethod
    def of(accuracies: Array) -> Band:
        """Of accuracies (n_repetitions, m)."""
        low, high = np.quantile(accuracies, (0.25, 0.75), axis=0)
        return Band(accuracies.mean(axis=0), low, high)


NOTHING = Band(*(np.empty(0) for _ in range(3)))


class Curves(Struct, frozen=True, eq=False):
    """The comparison as far as it has come.

    Attributes
    ----------
    pool : Pool
        Of the run this belongs to.
    first, last : int
        Numbers of labels at which the curves begin, and will end.
    bands : mapping of str to Band
        For each strategy; equally long.
    full : float
        Accuracy of the model that learnt the true labels of the whole pool; NaN before it has.
    repetitions : int
    failure : str
        Why there is no more, in a sentence.
    """

    pool: Pool
    first: int
    last: int
    bands: dict[Strategy, Band]
    full: float = math.nan
    repetitions: int = REPETITIONS
    failure: str = ""

    @property
    def labels(self) -> Indices:
        """Numbers of labels that the bands belong to, shape (m,)."""
        return np.arange(self.first, self.first + len(self.bands["closest"].mean))

    @property
    def finished(self) -> bool:
        """The curves have come to their end."""
        return len(self.labels) == self.last - self.first + 1

    def needed(self, strategy: Strategy, accuracy: float) -> int | None:
        """The least number of labels at which the mean reaches `accuracy`; None when it has not, so far."""
        reached = np.flatnonzero(self.bands[strategy].mean >= accuracy - 1e-12)
        return int(self.labels[reached[0]]) if len(reached) else None


class Comparison:
    """Query: the repetitions of both strategies on the pool of a run, and how far they have come.

    Only the job of this query writes to it, and there is one at a time.  Repetition 0 is the run itself, when the truth
    answers all that is asked.

    Parameters
    ----------
    asking : ActiveLearningRun
    repetitions : int

    Attributes
    ----------
    curves : Curves
        As far as all repetitions have come.
    """

    def __init__(self, asking: ActiveLearningRun, repetitions: int = REPETITIONS) -> None:
        pool, plans = asking.pool, [replace(asking.plan, strategy=strategy) for strategy in STRATEGIES]
        #: Each with the labels told so far as the given ones, and what was learnt from them.
        self._runs = [started(pool, plan, asking.lane, each) for each in range(repetitions) for plan in plans]
        first = len(self._runs[0].given)
        last = max(min(len(pool), MOST_LABELS), first)
        self.curves = Curves(pool, first, last, dict.fromkeys(STRATEGIES, NOTHING), repetitions=repetitions)
        #: For each strategy and number of labels the accuracies of all repetitions.
        self._accuracies: dict[Strategy, list[list[float]]] = {strategy: [] for strategy in STRATEGIES}

    def answer(self, post: Callable[[Curves], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Go on from where this was overtaken the last time; post the curves as they grow."""
        pace = Pace(overtaken)
        if math.isnan(self.curves.full):
            pool, lane = self.curves.pool, self._runs[0].lane
            learnt, _ = yield from training(pool.xy, pool.truth.astype(np.int64), lane, {}, pace)
            score = yield from scoring(learnt.model, pool, pace)
            self.curves = replace(self.curves, full=score.shown)
            post(self.curves)
        posted = time.perf_counter()
        while not self.curves.finished:
            reached = self.curves.first + len(self.curves.labels) - 1
            row: dict[Strategy, list[float]] = {strategy: [] for strategy in STRATEGIES}
            for place, run in enumerate(self._runs):
                if run.look is None or len(run.given) <= reached:  # else it was done before the job was given up
                    run = self._runs[place] = yield from _further(run, pace)
                row[run.plan.strategy].append(run.looks[0].score.shown)
            for strategy, accuracies in row.items():
                self._accuracies[strategy].append(accuracies)
            bands = {strategy: Band.of(np.array(rows).T) for strategy, rows in self._accuracies.items()}
            self.curves = replace(self.curves, bands=bands)
            if self.curves.finished or time.perf_counter() - posted >= INTERVAL:
                post(self.curves)
                posted = time.perf_counter()


def _further(run: ActiveLearningRun, pace: Pace) -> Generator[Step, None, ActiveLearningRun]:
    """`run` with what is learnt from the labels that it begins with, or from the next one too, told by the truth."""
    told = run.told_truth().labelled
    look = yield from learning_step(run, told, run.look, pace)
    if pace.late():  # kNN learns and is judged in less than a piece: many repetitions make one
        yield from pace.pause()
    return replace(run, given=told, looks=(look,))
