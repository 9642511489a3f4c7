"""Computing: the results of one path, always from its first cell on and in the same order.

Within a path the work for one cell speeds up the next: one search serves all k; each C starts with the multipliers and
kernel rows of the C before, and ends at the same tolerance.  Nothing depends on what else was computed.
"""

from __future__ import annotations

import math
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike

from app.core import log
from app.core.points import Points
from app.engine.estimator_worker import made, shares_of
from app.engine.outcome import Labels, credit_of
from app.learners.model import SharesModel
from app.state.document import GeneratorSettings, Lane
from app.state.split import folds_of
from solver import Status
from solver.core.arrays import Array, Indices, Mask
from solver.core.certificate import EPS
from solver.core.multiclass import PairTrainer, leaders
from solver.data import datasets
from solver.svm.c_path import MOST_POINTS, PathSolver
from solver.svm.expanded import ONE_THREAD

from .cells import CellIndex, Path, data_of, seed_of
from .model import MEASURES, Study

#: Number of distances and neighbour counts held at once, and of points whose shares are.
BLOCK, QUERIES = 100_000, 5000
#: Largest number of kernel values between points and test points that are kept along a path of C: 32 MB.
MOST_VALUES = 4_000_000
#: Steps between two checks of the time limit.
ROUND = 10_000
#: Statuses of cells without a value: k exceeds the number of points, or the time limit was reached.
NOT_DEFINED, TOOK_LONGER = "not defined", "took longer"
#: Bound above every measure: a larger result is damage, and would spoil a mean.
LARGEST = 1e100
Measured = Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"cell": "places"}):
    """The result of one cell, for one repetition and fold.

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
    key : str
        `cells.key_of` in files of earlier versions.
    """

    cell: CellIndex
    repetition: int
    fold: int
    values: dict[str, Measured] = {}
    status: str = ""
    error: str = ""
    seconds: Measured = 0.0
    key: str = ""


#: Points as lists, for JSON: locations and classes to learn from, and to test on.
PointLists = tuple[list[tuple[float, float]], list[int], list[tuple[float, float]], list[int]]


class Given(Struct, frozen=True, eq=False):
    """Points to learn from and to test on: those of a document, or those of one training."""

    points: Points
    tests: Points

    def lists(self) -> PointLists:
        """Return the points as lists, to be sent to a process."""
        points, tests = self.points, self.tests
        return points.xy.tolist(), points.labels.tolist(), tests.xy.tolist(), tests.labels.tolist()

    @staticmethod
    def of_lists(lists: PointLists) -> Given:
        """Return the points of lists that were sent."""
        return Given(Points.of(lists[0], lists[1]), Points.of(lists[2], lists[3]))


class Watch:
    """Watch the time limit of each cell, and report which cells are being computed.

    Parameters
    ----------
    limit : float, optional
        Seconds for one cell; cells computed together share the sum.
    begun : callable, optional
        ``begun(cells)``: these cells are computed next.  Empty while points are drawn and loops compiled, which has no
        limit.
    """

    def __init__(self, limit: float = math.inf, begun: Callable[[Sequence[CellIndex]], object] | None = None) -> None:
        self.limit, self._begun, self._end = limit, begun, math.inf

    def begin(self, cells: Sequence[CellIndex]) -> None:
        """Start the time of `cells`."""
        self._end = time.perf_counter() + self.limit * len(cells) if cells else math.inf
        if self._begun is not None:
            self._begun(cells)

    def check(self) -> None:
        """Raise ValueError if the time is over; called between rounds of a training and blocks of a search."""
        if self._end < math.inf and time.perf_counter() > self._end:
            raise ValueError("The time limit is over.")


def longer(cell: CellIndex, repetition: int, fold: int, limit: float) -> Record:
    """Return the result of a cell that was stopped after `limit` seconds."""
    return Record(cell, repetition, fold, {}, TOOK_LONGER, f"It took longer than {limit:g} s.", limit)


def compute(study: Study, path: Path, given: Given | None, watch: Watch | None = None) -> Iterator[Record]:
    """Yield the results of the cells of `path`, each as soon as it is known: the sum over the draws.

    A cell beyond the time limit has no value, even if its value was computed before it could be stopped.
    """
    watch, sums = watch or Watch(), dict[CellIndex, Record]()
    with ONE_THREAD:
        for draw in range(study.draws):
            for added in _of_draw(study, path, given, draw, watch) if path.cells else ():
                sums[added.cell] = whole = _sum(sums[added.cell], added) if draw else added
                if whole.seconds > watch.limit:
                    del sums[added.cell]
                    yield longer(added.cell, path.repetition, path.fold, watch.limit)
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


def _of_draw(study: Study, path: Path, given: Given | None, draw: int, watch: Watch) -> Iterator[Record]:
    """Yield the share of one draw in the result of each cell; cells computed together share its time equally."""
    cells, begun, share = deque(path.cells), time.perf_counter(), 1.0 / study.draws
    watch.begin(())
    try:
        drawn = _drawn(study, path, given, draw)
        if not len(drawn.tests):
            raise ValueError("There are no points to test on.")
        begun += _warm_up(study, path, drawn)
        for results in _results(study, path, drawn, watch):
            took = (time.perf_counter() - begun) / len(results)
            for found, status, error in results:
                values = {name: value * share for name, value in found.items()}
                seconds = values.get("seconds", took)
                yield Record(cells.popleft(), path.repetition, path.fold, values, status, error, seconds)
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
    truth = datasets.DATASETS[generator.name].truth
    if truth is None:
        raise ValueError(f"{generator.name} has no true classes on the whole square.")
    xy = np.random.Generator(np.random.PCG64(seed)).uniform(-1.0, 1.0, (study.test, 2))
    return Points.of(xy, truth.classes(xy))


def _made(generator: GeneratorSettings, count: int, seed: int) -> Points:
    return msgspec.structs.replace(generator, count=count, seed=seed).points()


#: Classifiers that this process has trained, so that their loops are compiled.
_warm: set[tuple[str, str]] = set()


def _warm_up(study: Study, path: Path, drawn: Given) -> float:
    """Compile the loops by a small training; return its seconds, which count for no cell."""
    lane = study.lane_at(study.choice(path.cells[0]))
    if (lane.classifier, lane.learner) in _warm:
        return 0.0
    _warm.add((lane.classifier, lane.learner))
    begun = time.perf_counter()
    labels = drawn.points.labels
    rows = np.concatenate([np.flatnonzero(labels == label)[:3] for label in drawn.points.classes])
    few = Given(_chosen(drawn.points, np.sort(rows)), _chosen(drawn.tests, slice(1)))
    deque(_results(study, path, few, Watch()), maxlen=0)
    return time.perf_counter() - begun


# -- models ------------------------------------------------------------------------------------------------------------

#: Values, status and error of a cell.
Result = tuple[dict[str, float], str, str]


def _results(study: Study, path: Path, drawn: Given, watch: Watch) -> Iterator[list[Result]]:
    """Yield the results of cells that are computed together, until all cells of the path have one."""
    lanes, other = [study.lane_at(study.choice(cell)) for cell in path.cells], None
    watch.begin(path.cells)
    if "disagreement" in study.values:
        assert study.other is not None
        other = _fitted(study, drawn, None, watch, study.other).predicted()
    searched = bool(lanes[0].family.searched)
    size = len(lanes) if searched and "seconds" not in study.values else 1
    goes_on = not searched and _goes_on(study, lanes, drawn)
    train = _OnPath(study, drawn, other, watch).trained if goes_on else partial(_fitted, study, drawn, other, watch)
    for start in range(0, len(lanes), size):
        watch.begin(path.cells[start : start + size])
        group = lanes[start : start + size]
        yield list(_at_once(study, group, drawn, other, watch)) if searched else [_alone(study, group[0], drawn, train)]


def _at_once(study: Study, lanes: list[Lane], drawn: Given, other: Labels | None, watch: Watch) -> Iterator[Result]:
    """Yield the results of a learner for which one search is enough, such as kNN for all k."""
    family, points, n, begun = lanes[0].family, drawn.points, len(drawn.points), time.perf_counter()
    assert family.searched is not None
    ahead_of = family.searched.ahead(lanes[0].settings, points.xy, points.labels)
    searched, classes = family.field(family.searched.field), np.array(points.classes)
    ks = np.array([searched.value(lane.settings) for lane in lanes], dtype=np.int64)
    sound = ks <= n

    def shares(xy: Array, labels: Labels, ties: bool = True) -> Array:
        same = np.zeros(int(sound.sum()))
        size = max(1, BLOCK // (n * (1 + len(classes))))
        for start in range(0, len(xy), size):
            watch.check()
            part = slice(start, start + size)
            ahead = ahead_of(xy[part], ks[sound], None)
            if not ties:  # the lowest class of several
                ahead &= ahead.cumsum(axis=1) == 1
            same += credit_of(ahead, classes, labels[part]).sum(axis=0)
        return same / len(xy)

    values: dict[str, Array] = {}
    if {"accuracy", "seconds"} & set(study.values):
        values["accuracy"] = shares(drawn.tests.xy, drawn.tests.labels)
        values["seconds"] = np.full(len(ks), time.perf_counter() - begun)
    if "training_accuracy" in study.values:
        values["training_accuracy"] = shares(points.xy, points.labels)
    if other is not None:
        values["disagreement"] = 1.0 - shares(drawn.tests.xy, other, ties=False)
    for there, index in zip(sound, sound.cumsum() - 1, strict=True):
        found = {name: float(values[name][index]) for name in study.values if there}
        yield found, "exact" if there else NOT_DEFINED, ""


def _alone(study: Study, lane: Lane, drawn: Given, train: Callable[[Lane], Trained]) -> Result:
    """Return the result of one training."""
    try:
        trained = train(lane)
        return {name: float(MEASURES[name].of(trained)) for name in study.values}, trained.status, ""
    except Exception as error:
        return {}, "", _sentence(error)


def _fitted(study: Study, drawn: Given, other: Labels | None, watch: Watch, lane: Lane) -> Trained:
    """Train `lane` from zero."""
    begun, trainer = time.perf_counter(), None
    if lane.trainer is not None:
        estimator = lane.estimator(fast=not _from_zero(study))
        trainer = _ended(estimator.prepare(drawn.points.xy, drawn.points.labels), study, watch)
        seconds = time.perf_counter() - begun
        model: Any = estimator.adopt(trainer.snapshot(thorough=False))
    else:
        own, points = lane.family.own_process, drawn.points
        model = _Estimator(lane, points) if own else lane.family.fit(lane.settings, points)
        seconds = time.perf_counter() - begun
    leading, n_support = partial(_leading, model, drawn), len(getattr(model, "support_", ()))
    return Trained(drawn, other, trainer, np.asarray(model.classes_), leading, n_support, seconds)


def _leading(model: Any, drawn: Given, tests: bool) -> Mask:
    xy = (drawn.tests if tests else drawn.points).xy
    if model.kind == "f":
        return np.asarray(model.leaders(xy))
    parts = range(0, len(xy), QUERIES)
    shares = np.concatenate([model.predict_proba(xy[start : start + QUERIES]) for start in parts])
    return np.asarray(shares == shares.max(axis=1, keepdims=True))


class _Estimator(SharesModel):
    """A classifier of another library, trained in this process: it is the study's own, so no further one is needed."""

    def __init__(self, lane: Lane, points: Points) -> None:
        self.classes_ = np.unique(points.labels)
        try:
            with warnings.catch_warnings(action="ignore"):
                self._estimator = made(lane.family.maker(lane.settings))
                self._estimator.fit(points.xy, points.labels)
        except Exception as error:  # it may raise anything, and a fault of the program would look alike
            log.caught("A classifier of another library could not be trained.", error)
            raise ValueError(f"{lane.family.title} could not be trained: {error}") from None

    def predict_proba(self, X: ArrayLike) -> Array:
        return np.asarray(shares_of(self._estimator, X, self.classes_))


def _ended(trainer: PairTrainer[Any], study: Study, watch: Watch) -> PairTrainer[Any]:
    """Train to the end, or for as many steps as are allowed; raise ValueError when the time is over."""
    while trainer.status is Status.RUNNING and trainer.n_iter < study.most_steps:
        watch.check()
        trainer.step(min(ROUND, study.most_steps - trainer.n_iter))
    trainer.step(0)
    return trainer


def _from_zero(study: Study) -> bool:
    """Return True if each training is measured itself, and so starts from zero with its own settings."""
    return study.kind == "rules" or bool({"steps", "seconds"} & set(study.values))


def _goes_on(study: Study, lanes: list[Lane], drawn: Given) -> bool:
    """Return True if a `PathSolver` can do these trainings: they differ in C only."""
    first, n = lanes[0], len(drawn.points)
    if first.trainer is None or not first.trainer.has_rules or _from_zero(study):
        return False
    s = first.settings
    alike = all(msgspec.structs.replace(lane.settings, C=s.C) == s for lane in lanes)
    definite = s.as_kernel().is_positive_semidefinite and not s.hard_margin
    return alike and definite and n <= MOST_POINTS and n * len(drawn.tests) <= MOST_VALUES


class Trained(Struct, frozen=True, eq=False):
    """A finished training.

    Attributes
    ----------
    drawn : Given
        Its points.
    other : ndarray or None
        The classes of the test points by the other classifier.
    trainer : PairTrainer or None
        None for a learner that does not train by steps.
    classes : ndarray
        The labels, sorted.
    leaders : callable
        ``leaders(tests)``: which classes lead at the test points, or at the training points.
    support_vectors : int
        Their number.
    seconds : float
        Duration of the training.
    """

    drawn: Given
    other: Labels | None
    trainer: PairTrainer[Any] | None
    classes: Labels
    leaders: Callable[[bool], Mask]
    support_vectors: int
    seconds: float = 0.0

    @property
    def status(self) -> str:
        """How the training ended."""
        if self.trainer is None:
            return "exact"
        return str(self.trainer.status if self.trainer.status is not Status.RUNNING else Status.STOPPED_EARLY)

    def right(self, tests: bool) -> float:
        """Return the share of the test points, or of the training points, that is classified correctly."""
        points = self.drawn.tests if tests else self.drawn.points
        return float(credit_of(self.leaders(tests), self.classes, points.labels).mean())

    def predicted(self) -> Labels:
        """Return the predicted classes of the test points."""
        return np.asarray(self.classes[self.leaders(True).argmax(axis=1)])


class _OnPath:
    """Trainings for one C after the other, with kernel values that are computed once."""

    def __init__(self, study: Study, drawn: Given, other: Labels | None, watch: Watch) -> None:
        self._study, self._drawn, self._other, self._watch = study, drawn, other, watch
        self._trainer: PairTrainer[PathSolver] | None = None
        self._C = 1.0
        self._rows: dict[bool, list[Array]] = {}

    def trained(self, lane: Lane) -> Trained:
        """Train for the C of `lane`, from where the training before ended, unless that failed."""
        trainer, self._trainer = self._trainer, None
        if trainer is None:
            estimator = lane.estimator(fast=True)
            estimator.set_params(solver="path", selection="second-order")
            trainer = estimator.prepare(self._drawn.points.xy, self._drawn.points.labels)
        else:
            for solver in trainer.solvers:
                solver.restart(solver.C / self._C * lane.settings.C)
        self._trainer, self._C = _ended(trainer, self._study, self._watch), lane.settings.C
        support = np.zeros(len(self._drawn.points), dtype=bool)
        for pair, solver in zip(trainer.pairs, trainer.solvers, strict=True):
            support[pair.index] |= solver.beta != 0.0
        classes = np.unique(self._drawn.points.labels)
        leading = partial(self._leading, trainer, len(classes))
        return Trained(self._drawn, self._other, trainer, classes, leading, int(support.sum()))

    def _leading(self, trainer: PairTrainer[PathSolver], n_classes: int, tests: bool) -> Mask:
        solvers = trainer.solvers
        if tests not in self._rows:
            xy = (self._drawn.tests if tests else self._drawn.points).xy
            self._rows[tests] = [each.kernel.gram(xy - each.centre, each.points.T) for each in solvers]
        values = [solver.values_at(rows) for solver, rows in zip(solvers, self._rows[tests], strict=True)]
        # As `KernelClassifier.rounding`.
        size = sum(np.abs(each.beta).sum() for each in solvers) + max(abs(each.intercept) for each in solvers)
        return leaders(np.column_stack(values), trainer.pairs, n_classes, 8 * EPS * size)
