"""Computing: the results of one path, always from its first cell on and in the same order.

Within a path the work for one cell speeds up the next: one search serves all k; each C starts with the multipliers and
kernel rows of the C before, and ends at the same tolerance.  Nothing depends on what else was computed.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core import log
from app.core.points import Points
from app.engine.cross_validation import PathOfC
from app.engine.estimator_process import EstimatorProcess
from app.engine.fitting import fitted, trained
from app.engine.outcome import Labels, Outcome, credit_of_all, outcome
from app.engine.pacing import Pace, Step, result_of
from app.learners.base import Ahead
from app.learners.model import Model, Pending
from app.state.document import GeneratorSettings, Lane
from app.state.split import folds_of
from solver import Status
from solver.core.arrays import Array, Indices, Integers, Mask
from solver.core.multiclass import PairTrainer
from solver.core.one_thread import ONE_THREAD
from solver.core.scaler import Scaler
from solver.data import datasets

from .cells import CellIndex, Path, data_of, seed_of
from .model import MEASURES, Study

#: Number of points that are predicted at once.
QUERIES = 5000
#: Process for the classifiers of other libraries.  A cell may take any time.
ESTIMATORS = EstimatorProcess()
ESTIMATORS.longest = math.inf
#: Statuses of cells without a value: k exceeds the number of points, or the time limit was reached.
NOT_DEFINED, TOOK_LONGER = "not defined", "took longer"
#: Bound above every measure: a larger result is damage, and would spoil a mean.
LARGEST = 1e100
Measured = Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]


class Record(msgspec.Struct, frozen=True, omit_defaults=True, rename={"cell": "places"}):
    """The result of one cell, for one repetition and fold.

    In files of earlier versions it has a key, too.

    Attributes
    ----------
    cell : tuple of int
        Index of the cell on each axis.
    repetition, fold : int
    values : dict of str to float
        By the names of `MEASURES`; empty after an error.
    status : str
        How the training ended, the gravest of several; or why there is no value, see `NOT_DEFINED`.
    error : str
        Why there is no result, in a sentence; "" if there is one.
    seconds : float
    """

    cell: CellIndex
    repetition: int
    fold: int
    values: dict[str, Measured] = {}
    status: str = ""
    error: str = ""
    seconds: Measured = 0.0


class Given(Struct, frozen=True, eq=False):
    """Points to learn from and to test on: those of a document, or those of one training."""

    points: Points
    tests: Points


class CellPace(Pace):
    """The pace of a process that does nothing else: without pauses, but with an end when the time of a cell is over.

    Parameters
    ----------
    limit : float, optional
        Seconds for one cell; cells computed together share the sum.
    """

    def __init__(self, limit: float = math.inf) -> None:
        super().__init__()
        self.limit, self._end = limit, math.inf

    def begin(self, cells: int) -> None:
        """Start the time of this number of cells."""
        self._end = time.perf_counter() + self.limit * cells

    def late(self) -> bool:
        return self._end < math.inf and time.perf_counter() > self._end

    def pause(self) -> Generator[Step]:
        if self.late():
            raise ValueError("The time limit is over.")
        yield from ()

    def wait(self, pending: Pending) -> Generator[Step, None, Any]:
        yield from ()
        return pending.result(self.late)

    def in_blocks(
        self, count: int, work: Callable[[slice], None], *, size: int = 16, least: int = 2, begin: int = 0
    ) -> Generator[Step]:
        """Call `work(block)` for blocks whose size does not depend on the time, so that no result does."""
        for start in range(begin, count, QUERIES):
            work(slice(start, min(start + QUERIES, count)))
            yield from self.pause()


def longer(cell: CellIndex, repetition: int, fold: int, limit: float) -> Record:
    """Return the result of a cell that was stopped after `limit` seconds."""
    return Record(cell, repetition, fold, {}, TOOK_LONGER, f"It took longer than {limit:g} s.", limit)


def compute(study: Study, path: Path, given: Given | None, limit: float = math.inf) -> Iterator[Record]:
    """Yield the results of the cells of `path`, each as soon as it is known: the sum over the draws.

    A cell that takes longer than `limit` seconds has no value, even if that was computed before it could be stopped.
    """
    pace, sums = CellPace(limit), dict[CellIndex, Record]()
    with ONE_THREAD:
        for draw in range(study.draws):
            for added in _of_draw(study, path, given, draw, pace) if path.cells else ():
                sums[added.cell] = whole = _sum(sums[added.cell], added) if draw else added
                if whole.seconds > limit:
                    del sums[added.cell]
                    yield longer(added.cell, path.repetition, path.fold, limit)
                elif draw == study.draws - 1:
                    yield whole
            path = msgspec.structs.replace(path, cells=tuple(sums))


def _sum(one: Record, other: Record) -> Record:
    error, seconds = one.error or other.error, one.seconds + other.seconds
    if error:
        return Record(one.cell, one.repetition, one.fold, error=error, seconds=seconds)
    values = {name: value + other.values[name] for name, value in one.values.items()}
    status = other.status if other.status == Status.STOPPED_EARLY else one.status
    return msgspec.structs.replace(one, values=values, status=status, seconds=seconds)


def _of_draw(study: Study, path: Path, given: Given | None, draw: int, pace: CellPace) -> Iterator[Record]:
    """Yield the share of one draw in the result of each cell; cells computed together share its time equally."""
    cells, begun, share = deque(path.cells), time.perf_counter(), 1.0 / study.draws
    try:
        drawn = _drawn(study, path, given, draw)
        if not len(drawn.tests):
            raise ValueError("There are no points to test on.")
        drawn = _standardised(drawn) if study.lane.standardises else drawn
        begun += _warm_up(study, path, drawn)
        for results in _results(study, path, drawn, pace):
            took = (time.perf_counter() - begun) / len(results)
            for found, status, error in results:
                values = {name: value * share for name, value in found.items()}
                seconds = values.get("seconds", took)
                yield Record(cells.popleft(), path.repetition, path.fold, values, status, error, seconds)
            _warm_up(study, path, drawn)
            begun = time.perf_counter()
    except Exception as error:
        sentence, took = _sentence(error), (time.perf_counter() - begun) / max(len(cells), 1)
        yield from (Record(cell, path.repetition, path.fold, error=sentence, seconds=took) for cell in cells)


def _sentence(error: Exception) -> str:
    """Return why a cell failed; log faults of the program: all but wrong settings and lack of memory."""
    no_memory = isinstance(error, MemoryError)  # numpy's text is about arrays
    text = "There is not enough memory." if no_memory else " ".join(str(error).split())
    if text and isinstance(error, ValueError | MemoryError):
        return text
    log.caught("A cell of a study has failed.", error)
    return f"A fault of the program, see Help > Show log: {type(error).__name__}: {text}"[:300]


# -- points ------------------------------------------------------------------------------------------------------------


def _drawn(study: Study, path: Path, given: Given | None, draw: int) -> Given:
    if not study.folds:
        return _undivided(study, path.cells[0], given, path.repetition, draw)
    points, folds = dealt(study, path.cells[0], given, path.repetition, draw)
    inside = folds != path.fold
    return Given(_chosen(points, inside), _chosen(points, ~inside))


def dealt(study: Study, cell: CellIndex, given: Given | None, repetition: int, draw: int) -> tuple[Points, Indices]:
    """Return the points of a cell in one draw, and the fold of each, from 0."""
    points = _chosen(_undivided(study, cell, given, repetition, draw).points, slice(None))
    return points, folds_of(points, study.folds, repetition * study.draws + draw)


def _undivided(study: Study, cell: CellIndex, given: Given | None, repetition: int, draw: int) -> Given:
    """Return the points of a cell in one draw, before they are assigned to folds."""
    data = data_of(study, cell)
    generator, seed = data.get("generator"), partial(seed_of, data, repetition, draw)
    if generator is None:
        assert given is not None
        return _sampled(given, data["n"], seed("points"))
    tests = Points() if study.folds else _tests(study, generator, seed("tests"))
    return Given(_made(generator, generator.count, seed("points")), tests)


def _standardised(drawn: Given) -> Given:
    """Return the points as a classifier gets them that standardises by those to learn from."""
    scaler = Scaler.of(drawn.points.xy)
    points, tests = (Points.of(scaler.transform(each.xy), each.labels) for each in (drawn.points, drawn.tests))
    return Given(points, tests)


def _chosen(points: Points, rows: Any) -> Points:
    """Return these points, numbered from 0: their folds depend on the numbers."""
    return Points.of(points.xy[rows], points.labels[rows])


def _sampled(given: Given, n: int, seed: int) -> Given:
    """Return `n` points of each class; all points for 0."""
    if not n:
        return given
    random, kept = np.random.Generator(np.random.PCG64(seed)), []
    for label in given.points.classes:
        own = np.flatnonzero(given.points.labels == label)
        if len(own) < n:
            raise ValueError(f"n is {n}, but class {label + 1} has only {len(own)} points.")
        kept.append(random.permutation(own)[:n])
    return replace(given, points=_chosen(given.points, np.sort(np.concatenate(kept))))


def _tests(study: Study, generator: GeneratorSettings, seed: int) -> Points:
    if study.test_on == "generator":
        return _made(generator, -(-study.test // generator.n_classes), seed)
    truth = datasets.dataset_of(generator.name, **generator.own).truth
    if truth is None:
        raise ValueError(f"{generator.name} has no true classes on the whole square.")
    square = generator.square or datasets.SQUARE
    xy = np.random.Generator(np.random.PCG64(seed)).uniform(*square, (study.test, 2))
    return Points.of(xy, truth.classes(xy))


def _made(generator: GeneratorSettings, count: int, seed: int) -> Points:
    return msgspec.structs.replace(generator, count=count, seed=seed).points()


#: Classifiers that this process has trained, so that their loops are compiled, with or without `ESTIMATORS` running.
_warm: set[tuple[str, str, bool]] = set()


def _warm_up(study: Study, path: Path, drawn: Given) -> float:
    """Compile the loops and start `ESTIMATORS` by a small training; return its seconds, which count for no cell."""
    lane = study.lane_at(study.choice(path.cells[0]))
    if (lane.classifier, lane.learner, ESTIMATORS.running) in _warm:
        return 0.0
    begun = time.perf_counter()
    labels = drawn.points.labels
    rows = np.concatenate([np.flatnonzero(labels == label)[:3] for label in drawn.points.classes])
    few = Given(_chosen(drawn.points, np.sort(rows)), _chosen(drawn.tests, slice(1)))
    deque(_results(study, path, few, CellPace()), maxlen=0)
    _warm.add((lane.classifier, lane.learner, ESTIMATORS.running))
    return time.perf_counter() - begun


# -- models ------------------------------------------------------------------------------------------------------------

#: Values, status and error of a cell.
Result = tuple[dict[str, float], str, str]


def _results(study: Study, path: Path, drawn: Given, pace: CellPace) -> Iterator[list[Result]]:
    """Yield the results of cells that are computed together, until all cells of the path have one."""
    # The points are standardised already.
    lanes = [msgspec.structs.replace(study.lane_at(study.choice(cell)), standardise=False) for cell in path.cells]
    other: Labels | None = None
    pace.begin(len(lanes))
    if "disagreement" in study.values:
        assert study.other is not None
        compared = msgspec.structs.replace(study.other, standardise=False)
        other = result_of(_Trainings(study, [compared], drawn, None, pace).trained(compared)).outcome(True).predicted
    searched, trainings = bool(lanes[0].family.searched), _Trainings(study, lanes, drawn, other, pace)
    size = len(lanes) if searched and "seconds" not in study.values else 1
    for start in range(0, len(lanes), size):
        group = lanes[start : start + size]
        pace.begin(len(group))
        yield list(_at_once(study, group, drawn, other, pace)) if searched else [_alone(study, group[0], trainings)]


def _at_once(study: Study, lanes: list[Lane], drawn: Given, other: Labels | None, pace: CellPace) -> Iterator[Result]:
    """Yield the results of a learner for which one search is enough, such as kNN for all k."""
    family, points, n, begun = lanes[0].family, drawn.points, len(drawn.points), time.perf_counter()
    assert family.searched is not None
    ahead_of = family.searched.ahead(lanes[0].settings, points.xy, points.labels)
    searched = family.field(family.searched.field)
    ks = np.array([searched.value(lane.settings) for lane in lanes], dtype=np.int64)
    sound = ks <= n

    def first_of(xy: Array, values: Integers, left_out: Indices | None) -> Mask:  # the lowest class of several
        ahead = ahead_of(xy, values, left_out)
        return np.asarray(ahead & (ahead.cumsum(axis=1) == 1))

    def shares(xy: Array, labels: Labels, ahead: Ahead = ahead_of) -> Array:
        return result_of(credit_of_all(ahead, ks[sound], points, xy, labels, pace)) / len(xy)

    values: dict[str, Array] = {}
    if {"accuracy", "seconds"} & set(study.values):
        values["accuracy"] = shares(drawn.tests.xy, drawn.tests.labels)
        values["seconds"] = np.full(len(ks), time.perf_counter() - begun)
    if "training_accuracy" in study.values:
        values["training_accuracy"] = shares(points.xy, points.labels)
    if other is not None:
        values["disagreement"] = 1.0 - shares(drawn.tests.xy, other, first_of)
    for there, index in zip(sound, sound.cumsum() - 1, strict=True):
        found = {name: float(values[name][index]) for name in study.values if there}
        yield found, "exact" if there else NOT_DEFINED, ""


def _alone(study: Study, lane: Lane, trainings: _Trainings) -> Result:
    """Return the result of one training."""
    try:
        trained = result_of(trainings.trained(lane))
        return {name: float(MEASURES[name].of(trained)) for name in study.values}, trained.status, ""
    except Exception as error:
        return {}, "", _sentence(error)


def _from_zero(study: Study) -> bool:
    """Return True if each training is measured itself, and so starts from zero with its own settings."""
    return study.kind == "rules" or bool({"steps", "seconds"} & set(study.values))


def _goes_on(study: Study, lanes: list[Lane], drawn: Given) -> bool:
    """Return True if a `PathOfC` can do these trainings: they differ in C only."""
    n, s = len(drawn.points), lanes[0].settings
    asked = max(len(drawn.tests), n if "training_accuracy" in study.values else 0)
    if _from_zero(study) or not PathOfC.suits(lanes[0], n, asked):
        return False
    return all(msgspec.structs.replace(lane.settings, C=s.C) == s for lane in lanes)


class Trained(Struct, frozen=True, eq=False):
    """A finished training.

    Attributes
    ----------
    trainer : PairTrainer or None
        None for a learner that does not train by steps.
    outcome : callable
        ``outcome(tests)``: the outcome at the test points, or at the training points.
    other : ndarray or None
        The classes of the test points by the other classifier.
    seconds : float
        Duration of the training.
    """

    trainer: PairTrainer[Any] | None
    outcome: Callable[[bool], Outcome]
    other: Labels | None
    seconds: float

    @property
    def status(self) -> str:
        """How the training ended."""
        if self.trainer is None:
            return "exact"
        return str(self.trainer.status if self.trainer.status is not Status.RUNNING else Status.STOPPED_EARLY)


class _Trainings:
    """Trainings on the same points, one after the other.

    Those that differ in C only each begin where the one before ended, and their kernel values are computed once.
    """

    def __init__(self, study: Study, lanes: list[Lane], drawn: Given, other: Labels | None, pace: CellPace) -> None:
        self._study, self._drawn, self._other, self._pace = study, drawn, other, pace
        self._path = PathOfC(drawn.points) if _goes_on(study, lanes, drawn) else None

    def trained(self, lane: Lane) -> Generator[Step, None, Trained]:
        """Train the classifier of `lane`."""
        points, most, begun = self._drawn.points, self._study.most_steps, time.perf_counter()
        trainer: PairTrainer[Any] | None = None
        if self._path is not None:
            trainer = yield from self._path.trained(lane, self._pace, most)
            outcome_at = partial(self._outcome_on, self._path)
        else:
            if lane.trainer is None:
                found = yield from fitted(lane, points, self._pace, process=ESTIMATORS)
            else:
                estimator = lane.estimator(fast=not _from_zero(self._study))
                trainer = estimator.prepare(points.xy, points.labels)
                found = yield from trained(estimator, trainer, self._pace, most=most)
            outcome_at = partial(self._outcome, found.model)
        return Trained(trainer, outcome_at, self._other, time.perf_counter() - begun)

    def _outcome(self, model: Model, tests: bool) -> Outcome:
        points = self._drawn.tests if tests else self._drawn.points
        return result_of(outcome(model, points.xy, points.labels, self._pace))

    def _outcome_on(self, path: PathOfC, tests: bool) -> Outcome:
        return result_of(path.outcome(tests, self._drawn.tests if tests else self._drawn.points, self._pace))
