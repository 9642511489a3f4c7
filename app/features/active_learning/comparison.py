"""Comparison: accuracy against the number of labels, for asking the closest point and for asking by chance.

All repetitions go one label further together: what has been drawn of a curve never changes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from app.engine.pieces import OvertakenError, Pace, Step
from app.files import log
from solver.core.arrays import Array, Indices

from .query import learning_step, scoring, training
from .state import STRATEGIES, ActiveLearningRun, LearningStep, Pool, Strategy, drawn

REPETITIONS = 20
#: Labels up to which is compared.
MOST_LABELS = 200
#: Seconds between two posts of curves that grow.
INTERVAL = 0.15


@dataclass(frozen=True, eq=False)
class Band:
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


@dataclass(frozen=True, eq=False)
class Curves:
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
    index : str
        The mailbox's slot.
    """

    index = "curves"

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


@dataclass
class _Run:
    """One repetition of one strategy."""

    strategy: Strategy
    order: Indices
    index: list[int]
    look: LearningStep | None = None


class Comparison:
    """The repetitions of both strategies on the pool of a run, and how far they have come.

    Repetition 0 is the run itself, when the truth answers all that is asked.

    Parameters
    ----------
    asking : ActiveLearningRun
    repetitions : int
    """

    def __init__(self, asking: ActiveLearningRun, repetitions: int = REPETITIONS) -> None:
        self._asking, self._repetitions = asking, repetitions
        self._runs = []
        for repetition in range(repetitions):
            given, order = drawn(asking.pool.truth, asking.plan.per_class, asking.plan.draw, repetition)
            self._runs += [_Run(strategy, order, [int(i) for i in given]) for strategy in STRATEGIES]
        self._first = len(self._runs[0].index)
        self._last = max(min(len(asking.pool), MOST_LABELS), self._first)
        #: For each strategy and number of labels the accuracies of all repetitions.
        self._accuracies: dict[Strategy, list[list[float]]] = {strategy: [] for strategy in STRATEGIES}
        self._full = math.nan
        self._failure = ""

    @property
    def curves(self) -> Curves:
        """As far as all repetitions have come."""
        bands = {strategy: Band.of(np.array(rows).T) for strategy, rows in self._accuracies.items() if rows}
        return Curves(
            self._asking.pool,
            self._first,
            self._last,
            bands or dict.fromkeys(STRATEGIES, NOTHING),
            self._full,
            self._repetitions,
            self._failure,
        )

    @property
    def finished(self) -> bool:
        """Nothing is left to compute."""
        return bool(self._failure) or self._reached == self._last

    @property
    def _reached(self) -> int:
        """The number of labels up to which the curves go."""
        return self._first + len(self._accuracies["closest"]) - 1

    def job(self, post: Callable[[Curves], None], given_up: Callable[[], bool]) -> Generator[Step]:
        """Go on from where the last job was given up; `post` gets the curves as they grow."""
        try:
            yield from self._work(post, given_up)
        except OvertakenError:
            return
        except ValueError as error:  # the solver's sentences
            self._failure = str(error)
            post(self.curves)
        except Exception as error:
            log.caught("The comparison of active learning failed.")
            self._failure = f"Stopped by an internal error ({type(error).__name__}: {error})."
            post(self.curves)

    def _work(self, post: Callable[[Curves], None], given_up: Callable[[], bool]) -> Generator[Step]:
        pace = Pace(given_up)
        if math.isnan(self._full):
            self._full = yield from self._learn_all(pace)
            post(self.curves)
        posted = time.perf_counter()
        while not self.finished:
            row: dict[Strategy, list[float]] = {strategy: [] for strategy in STRATEGIES}
            for run in self._runs:
                if run.look is None or len(run.index) <= self._reached:  # else it was done before the job was given up
                    yield from self._step(run, pace)
                assert run.look is not None
                row[run.strategy].append(run.look.score.shown)
            for strategy, accuracies in row.items():
                self._accuracies[strategy].append(accuracies)
            if self.finished or time.perf_counter() - posted >= INTERVAL:
                post(self.curves)
                posted = time.perf_counter()

    def _step(self, run: _Run, pace: Pace) -> Generator[Step]:
        """Let `run` learn from the labels it begins with, or ask for one more and learn from that."""
        asking, index = self._asking, run.index
        if run.look is not None and run.look.question is not None:
            index = [*index, run.look.question.index]
        place = np.array(index, dtype=np.intp)
        labels = asking.pool.truth[place].astype(np.int64)
        look = yield from learning_step(
            asking.pool, asking.lane, run.order, run.strategy, place, labels, run.look, pace
        )
        run.index, run.look = index, look

    def _learn_all(self, pace: Pace) -> Generator[Step, None, float]:
        pool = self._asking.pool
        learnt = yield from training(pool.xy, pool.truth.astype(np.int64), self._asking.lane, {}, pace)
        score = yield from scoring(learnt.model, pool, pace)
        return score.shown
