"""Computing: the results of one path, always from its first cell on and in one order.

Inside a path the work of one cell helps with the next: one search serves all k; each C begins with the multipliers and
the kernel rows of the C before, and ends at the same tolerance.  Nothing depends on what else was computed.
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
from app.state.test_split import folds_of
from solver import Status
from solver.core.arrays import Array, Indices, Mask
from solver.core.certificate import EPS
from solver.core.multiclass import PairTrainer, leaders
from solver.data import datasets
from solver.svm.c_path import MOST_POINTS, PathSolver
from solver.svm.expanded import ONE_THREAD

from .cells import Path, Places, data_of, seed_of
from .model import MEASURES, Study

#: Distances and counts of neighbours held at once, and places whose shares are.
BLOCK, QUERIES = 100_000, 5000
#: Kernel values between points and test points that are kept along a path of C: 32 MB.
MOST_VALUES = 4_000_000
#: Updates between two looks at the interpreter's signals.
ROUND = 10_000
#: Statuses of cells without a value: more neighbours than points, and beyond the time limit.
NOT_DEFINED, TOOK_LONGER = "not defined", "took longer"
#: More than any measure comes to: a result beyond it is damage, and no mean could be taken of it.
LARGEST = 1e100
Measured = Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The result of one cell, for one repetition and fold.

    Attributes
    ----------
    places : tuple of int
        Of the cell, on the axes.
    repetition, fold : int
    values : dict of str to float
        By the names of `MEASURES`; empty where there is an error.
    status : str
        How the training ended, the gravest of several; or why there is no value, see `NOT_DEFINED`.
    error : str
        Why there is no result, in a sentence.
    seconds : float
    key : str
        What files of earlier versions have: `cells.key_of`.
    """

    places: Places
    repetition: int
    fold: int
    values: dict[str, Measured] = {}
    status: str = ""
    error: str = ""
    seconds: Measured = 0.0
    key: str = ""


#: Points as lists, which JSON has: places and classes to learn from, and to test on.
PointLists = tuple[list[tuple[float, float]], list[int], list[tuple[float, float]], list[int]]


class Given(Struct, frozen=True, eq=False):
    """Points to learn from and to test on: those that no generator makes, and those of one training."""

    points: Points
    tests: Points

    def lists(self) -> PointLists:
        """To be sent."""
        points, tests = self.points, self.tests
        return points.xy.tolist(), points.labels.tolist(), tests.xy.tolist(), tests.labels.tolist()

    @staticmethod
    def of_lists(lists: PointLists) -> Given:
        """As they were sent."""
        return Given(Points.of(lists[0], lists[1]), Points.of(lists[2], lists[3]))


class Watch:
    """The time limit of each cell, and which cells are being computed.

    Parameters
    ----------
    limit : float, optional
        Seconds of a cell; of several that are computed in one go, for each of them.
    begun : callable, optional
        ``begun(cells)``: these are computed next; none while points are drawn and loops compiled, without a limit.
    """

    def __init__(self, limit: float = math.inf, begun: Callable[[Sequence[Places]], object] | None = None) -> None:
        self.limit, self._begun, self._end = limit, begun, math.inf

    def begin(self, cells: Sequence[Places]) -> None:
        """Start the time of `cells`."""
        self._end = time.perf_counter() + self.limit * len(cells) if cells else math.inf
        if self._begun is not None:
            self._begun(cells)

    def check(self) -> None:
        """ValueError when the time is over; called between the rounds of a training and the blocks of a search."""
        if self._end < math.inf and time.perf_counter() > self._end:
            raise ValueError("The time limit is over.")


def longer(cell: Places, repetition: int, fold: int, limit: float) -> Record:
    """Return the result of a cell that was given up after `limit` seconds."""
    return Record(cell, repetition, fold, {}, TOOK_LONGER, f"It took longer than {limit:g} s.", limit)


def compute(study: Study, path: Path, given: Given | None, watch: Watch | None = None) -> Iterator[Record]:
    """The results of the cells of `path`, each as soon as it is known: the sum of what each draw adds.

    A cell beyond the time limit has no value, also where it could not be given up before it had one.
    """
    watch, sums = watch or Watch(), dict[Places, Record]()
    with ONE_THREAD:
        for draw in range(study.draws):
            for added in _of_draw(study, path, given, draw, watch) if path.cells else ():
                sums[added.places] = whole = _sum(sums[added.places], added) if draw else added
                if whole.seconds > watch.limit:
                    del sums[added.places]
                    yield longer(added.places, path.repetition, path.fold, watch.limit)
                elif draw == study.draws - 1:
                    yield whole
            path = msgspec.structs.replace(path, cells=tuple(sums))


def _sum(one: Record, other: Record) -> Record:
    error, seconds = one.error or other.error, one.seconds + other.seconds
    if error:
        return Record(one.places, one.repetition, one.fold, error=error, seconds=seconds)
    values = {name: value + other.values[name] for name, value in one.values.items()}
    status = other.status if other.status == Status.STOPPED_EARLY else one.status
    return msgspec.structs.replace(one, values=values, status=status, seconds=seconds)


def _of_draw(study: Study, path: Path, given: Given | None, draw: int, watch: Watch) -> Iterator[Record]:
    """What one draw adds to the result of each cell; cells computed in one go have equal shares of its time."""
    cells, begun, share = deque(path.cells), time.perf_counter(), 1.0 / study.draws
    watch.begin(())
    try:
        drawn = _drawn(study, path, given, draw)
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
    """Why a cell has failed; anything but bad settings and too little memory is a fault of the program, and logged."""
    text = " ".join(str(error).split())
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


def dealt(study: Study, places: Places, given: Given | None, repetition: int, draw: int) -> tuple[Points, Indices]:
    """Return the points of a cell in one draw, and the fold of each, from 0."""
    points = _chosen(_undivided(study, places, given, repetition, draw).points, slice(None))
    return points, folds_of(points, study.folds, repetition * study.draws + draw)


def _undivided(study: Study, places: Places, given: Given | None, repetition: int, draw: int) -> Given:
    """The points of a cell in one draw, before they are dealt into folds."""
    data = data_of(study, places)
    generator, seed = data.get("generator"), partial(seed_of, data, repetition, draw)
    if generator is None:
        assert given is not None
        return _sampled(given, data["n"], seed("points"))
    tests = Points() if study.folds else _tests(study, generator, seed("tests"))
    return Given(_made(generator, generator.count, seed("points")), tests)


def _chosen(points: Points, rows: Any) -> Points:
    """These points, numbered from 0: which fold they are in depends on that."""
    return Points.of(points.xy[rows], points.labels[rows])


def _sampled(given: Given, n: int, seed: int) -> Given:
    """`n` points of each class, or all for 0."""
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


#: What this process has trained, so that its loops are compiled.
_warm: set[tuple[str, str]] = set()


def _warm_up(study: Study, path: Path, drawn: Given) -> float:
    """Let the loops be compiled by a small training; returns the seconds that took, which are of no cell."""
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
    """Yield the results of those cells of the path that are computed in one go, until there are those of all."""
    lanes, other = [study.lane_at(study.choice(places)) for places in path.cells], None
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
    """The results of a learner for which one search is enough, such as kNN for all k."""
    family, points, n, begun = lanes[0].family, drawn.points, len(drawn.points), time.perf_counter()
    ahead_of = family.ahead_of_all(lanes[0].settings, points.xy, points.labels)
    searched, classes = family.field(family.searched), np.array(points.classes)
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
    for there, place in zip(sound, sound.cumsum() - 1, strict=True):
        found = {name: float(values[name][place]) for name in study.values if there}
        yield found, "exact" if there else NOT_DEFINED, ""


def _alone(study: Study, lane: Lane, drawn: Given, train: Callable[[Lane], Trained]) -> Result:
    """The result of one training."""
    try:
        if not len(drawn.tests):
            raise ValueError("There are no points to test on.")
        trained = train(lane)
        return {name: float(MEASURES[name].of(trained)) for name in study.values}, trained.status, ""
    except Exception as error:
        return {}, "", _sentence(error)


def _fitted(study: Study, drawn: Given, other: Labels | None, watch: Watch, lane: Lane) -> Trained:
    """Train `lane` by itself."""
    begun, trainer = time.perf_counter(), None
    if lane.trainer is not None:
        estimator = lane.estimator(at_once=not _from_zero(study))
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
    """A classifier of another library: this process is the study's own, so that it needs no further one."""

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
    """`trainer` at its end, or after as many steps as are allowed; ValueError when its time is over."""
    while trainer.status is Status.RUNNING and trainer.n_iter < study.most_steps:
        watch.check()
        trainer.step(min(ROUND, study.most_steps - trainer.n_iter))
    trainer.step(0)
    return trainer


def _from_zero(study: Study) -> bool:
    """Whether each training is measured itself, and so begins at zero and goes the way that its settings say."""
    return study.kind == "rules" or bool({"steps", "seconds"} & set(study.values))


def _goes_on(study: Study, lanes: list[Lane], drawn: Given) -> bool:
    """Whether a `PathSolver` can go through these trainings: nothing but C is another."""
    first, n = lanes[0], len(drawn.points)
    if first.trainer is None or not first.trainer.has_rules or _from_zero(study):
        return False
    s = first.settings
    alike = all(msgspec.structs.replace(lane.settings, C=s.C) == s for lane in lanes)
    definite = s.as_kernel().is_positive_semidefinite and not s.hard_margin
    return alike and definite and n <= MOST_POINTS and n * len(drawn.tests) <= MOST_VALUES


class Trained(Struct, frozen=True, eq=False):
    """A training that has ended.

    Attributes
    ----------
    drawn : Given
        Its points.
    other : ndarray or None
        The classes of the test points by the other classifier.
    trainer : PairTrainer or None
        None of what does not train by steps.
    classes : ndarray
        The labels, sorted.
    leaders : callable
        ``leaders(tests)``: which classes are ahead at the test points, or at those that were trained on.
    support_vectors : int
        How many there are.
    seconds : float
        Of the training.
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
        """How it has ended."""
        if self.trainer is None:
            return "exact"
        return str(self.trainer.status if self.trainer.status is not Status.RUNNING else Status.STOPPED_EARLY)

    def right(self, tests: bool) -> float:
        """The share of the test points, or of those that were trained on, that is classified rightly."""
        points = self.drawn.tests if tests else self.drawn.points
        return float(credit_of(self.leaders(tests), self.classes, points.labels).mean())

    def predicted(self) -> Labels:
        """The classes of the test points."""
        return np.asarray(self.classes[self.leaders(True).argmax(axis=1)])


class _OnPath:
    """Trainings for one C after the other, from kernel values that are computed once."""

    def __init__(self, study: Study, drawn: Given, other: Labels | None, watch: Watch) -> None:
        self._study, self._drawn, self._other, self._watch = study, drawn, other, watch
        self._trainer: PairTrainer[PathSolver] | None = None
        self._C = 1.0
        self._rows: dict[bool, list[Array]] = {}

    def trained(self, lane: Lane) -> Trained:
        """The training for the C of `lane`: it goes on where the one before has ended, unless that has failed."""
        trainer, self._trainer = self._trainer, None
        if trainer is None:
            estimator = lane.estimator(at_once=True)
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
