"""Computing: the results of one path, always from its first cell on and in one order.

Inside a path the work of one cell helps with the next: one search serves all k; each C begins with the multipliers and
the kernel rows of the C before, and ends at the same tolerance.  Nothing depends on what else was computed.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from app.core import log
from app.core.points import Points
from app.engine.estimator_worker import made, shares_of
from app.engine.outcome import credit_of
from app.learners.model import SharesModel
from app.state.document import GeneratorSettings, Lane
from app.state.test_split import folds_of
from solver import Status
from solver.core.arrays import Array, Indices, Mask
from solver.core.certificate import EPS
from solver.core.multiclass import PairTrainer, leaders
from solver.data import datasets
from solver.svm.c_path import MOST_POINTS, PathSolver
from solver.svm.expanded import OneThread

from .cells import Path, Places, data_of, seed_of
from .model import MEASURES, Study

#: Distances and counts of neighbours held at once, and places whose shares are.
BLOCK, QUERIES = 100_000, 5000
#: Kernel values between points and test points that are kept along a path of C: 32 MB.
MOST_VALUES = 4_000_000
#: Updates between two looks at the interpreter's signals.
ROUND = 10_000
_ONE_THREAD = OneThread()
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
        How the training ended; the gravest of several.
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


@dataclass(frozen=True, eq=False)
class Given:
    """Points to learn from and to test on: those that no generator makes, and those of one training."""

    xy: Array
    labels: Indices
    test_xy: Array
    test_labels: Indices

    @staticmethod
    def of(points: Points, test: Points) -> Given:
        """From points to learn from and to test on."""
        parts = [(each.xy, each.labels.astype(np.int64)) for each in (points, test)]
        return Given(*parts[0], *parts[1])

    def lists(self) -> PointLists:
        """To be sent."""
        return self.xy.tolist(), self.labels.tolist(), self.test_xy.tolist(), self.test_labels.tolist()

    @staticmethod
    def of_lists(lists: PointLists) -> Given:
        """As they were sent."""
        xy, test_xy = (np.array(each, dtype=np.float64).reshape(-1, 2) for each in lists[::2])
        labels, test_labels = (np.array(each, dtype=np.int64) for each in lists[1::2])
        return Given(xy, labels, test_xy, test_labels)


def compute(study: Study, path: Path, given: Given | None) -> Iterator[Record]:
    """The results of the cells of `path`, each as soon as it is known: the sum of what each draw adds."""
    sums: list[Record] = []
    with _ONE_THREAD:
        for draw in range(study.draws):
            added = _of_draw(study, path, given, draw)
            results = map(_sum, sums, added) if draw else added
            if draw == study.draws - 1:
                yield from results
            else:
                sums = list(results)


def _sum(one: Record, other: Record) -> Record:
    error, seconds = one.error or other.error, one.seconds + other.seconds
    if error:
        return Record(one.places, one.repetition, one.fold, error=error, seconds=seconds)
    values = {name: value + other.values[name] for name, value in one.values.items()}
    status = other.status if other.status == Status.STOPPED_EARLY else one.status
    return msgspec.structs.replace(one, values=values, status=status, seconds=seconds)


def _of_draw(study: Study, path: Path, given: Given | None, draw: int) -> Iterator[Record]:
    """What one draw adds to the result of each cell."""
    cells, begun, share = iter(path.cells), time.perf_counter(), 1.0 / study.draws
    try:
        drawn = _drawn(study, path, given, draw)
        begun += _warm_up(study, path, drawn)
        for found, status, error in _results(study, path, drawn):
            values = {name: value * share for name, value in found.items()}
            seconds = values.get("seconds", time.perf_counter() - begun)
            yield Record(next(cells), path.repetition, path.fold, values, status, error, seconds)
            begun = time.perf_counter()
    except Exception as error:
        sentence = _sentence(error)
        yield from (Record(cell, path.repetition, path.fold, error=sentence) for cell in cells)


def _sentence(error: Exception) -> str:
    """Why a cell has failed; anything but bad settings and too little memory is a fault of the program, and logged."""
    text = " ".join(str(error).split())
    if text and isinstance(error, ValueError | MemoryError):
        return text
    log.caught("A cell of a study has failed.", error)
    return f"A fault of the program, see Help > Show log: {type(error).__name__}: {text}"[:300]


# -- points ------------------------------------------------------------------------------------------------------------


def _drawn(study: Study, path: Path, given: Given | None, draw: int) -> Given:
    cell = path.cells[0]
    choice, generator = study.choice(cell), study.generator_at(study.choice(cell))
    seed = partial(seed_of, data_of(study, cell), path.repetition, draw)
    if generator is None:
        assert given is not None
        drawn = _sampled(given, int(choice.get("n", 0)), seed("points"))
    else:
        xy, labels = _made(generator, generator.count, seed("points"))
        tests = (xy[:0], labels[:0]) if study.folds else _tests(study, generator, seed("tests"))
        drawn = Given(xy, labels, *tests)
    if not study.folds:
        return drawn
    xy, labels = drawn.xy, drawn.labels
    inside = folds_of(Points.of(xy, labels), study.folds, path.repetition * study.draws + draw) != path.fold
    return Given(xy[inside], labels[inside], xy[~inside], labels[~inside])


def _sampled(given: Given, n: int, seed: int) -> Given:
    """`n` points of each class, or all for 0."""
    if not n:
        return given
    random, kept = np.random.Generator(np.random.PCG64(seed)), []
    for label in np.unique(given.labels):
        own = np.flatnonzero(given.labels == label)
        if len(own) < n:
            raise ValueError(f"n is {n}, but class {label + 1} has only {len(own)} points.")
        kept.append(random.permutation(own)[:n])
    rows = np.sort(np.concatenate(kept))
    return replace(given, xy=given.xy[rows], labels=given.labels[rows])


def _tests(study: Study, generator: GeneratorSettings, seed: int) -> tuple[Array, Indices]:
    if study.test_on == "generator":
        return _made(generator, -(-study.test // generator.n_classes), seed)
    truth = datasets.DATASETS[generator.name].truth
    if truth is None:
        raise ValueError(f"{generator.name} has no true classes on the whole square.")
    xy = np.random.Generator(np.random.PCG64(seed)).uniform(-1.0, 1.0, (study.test, 2))
    return xy, truth.classes(xy)


def _made(s: GeneratorSettings, count: int, seed: int) -> tuple[Array, Indices]:
    return datasets.generate(s.name, count, s.noise, seed, s.shift, s.n_classes, s.flipped)


#: What this process has trained, so that its loops are compiled.
_warm: set[tuple[str, str]] = set()


def _warm_up(study: Study, path: Path, drawn: Given) -> float:
    """Let the loops be compiled by a small training; returns the seconds that took, which are of no cell."""
    lane = study.lane_at(study.choice(path.cells[0]))
    if (lane.classifier, lane.learner) in _warm:
        return 0.0
    _warm.add((lane.classifier, lane.learner))
    begun = time.perf_counter()
    rows = np.unique(np.concatenate([np.flatnonzero(drawn.labels == each)[:3] for each in np.unique(drawn.labels)]))
    few = Given(drawn.xy[rows], drawn.labels[rows], drawn.test_xy[:1], drawn.test_labels[:1])
    deque(_results(study, path, few), maxlen=0)
    return time.perf_counter() - begun


# -- models ------------------------------------------------------------------------------------------------------------

#: Values, status and error of a cell.
Result = tuple[dict[str, float], str, str]


def _results(study: Study, path: Path, drawn: Given) -> Iterator[Result]:
    """Of each cell of the path."""
    lanes, other = [study.lane_at(study.choice(places)) for places in path.cells], None
    if "disagreement" in study.values:
        assert study.other is not None
        other = _fitted(study, drawn, None, study.other).predicted()
    if not lanes[0].family.searched:
        return _one_by_one(study, lanes, drawn, other)
    groups = [[lane] for lane in lanes] if "seconds" in study.values else [lanes]
    return (result for group in groups for result in _at_once(study, group, drawn, other))


def _at_once(study: Study, lanes: list[Lane], drawn: Given, other: Indices | None) -> Iterator[Result]:
    """The results of a learner for which one search is enough, such as kNN for all k."""
    family, n, begun = lanes[0].family, len(drawn.xy), time.perf_counter()
    ahead_of = family.ahead_of_all(lanes[0].settings, drawn.xy, drawn.labels)
    searched, classes = family.field(family.searched), np.unique(drawn.labels)
    ks = np.array([searched.value(lane.settings) for lane in lanes], dtype=np.int64)
    sound = ks <= n

    def shares(xy: Array, labels: Indices, ties: bool = True) -> Array:
        same = np.zeros(int(sound.sum()))
        size = max(1, BLOCK // (n * (1 + len(classes))))
        for start in range(0, len(xy), size):
            part = slice(start, start + size)
            ahead = ahead_of(xy[part], ks[sound], None)
            if not ties:  # the lowest class of several
                ahead &= ahead.cumsum(axis=1) == 1
            same += credit_of(ahead, classes, labels[part]).sum(axis=0)
        return same / len(xy)

    values: dict[str, Array] = {}
    if {"accuracy", "seconds"} & set(study.values):
        values["accuracy"] = shares(drawn.test_xy, drawn.test_labels)
        values["seconds"] = np.full(len(ks), time.perf_counter() - begun)
    if "training_accuracy" in study.values:
        values["training_accuracy"] = shares(drawn.xy, drawn.labels)
    if other is not None:
        values["disagreement"] = 1.0 - shares(drawn.test_xy, other, ties=False)
    for k, there, place in zip(ks, sound, sound.cumsum() - 1, strict=True):
        if there:
            yield {name: float(values[name][place]) for name in study.values}, "exact", ""
        else:
            yield {}, "", f"{searched.called} is {k}, but there are only {n} points to learn from."


def _one_by_one(study: Study, lanes: list[Lane], drawn: Given, other: Indices | None) -> Iterator[Result]:
    """One training after the other; those of one path of C go on where the one before has ended."""
    alone = partial(_fitted, study, drawn, other)
    train = _OnPath(study, drawn, other).trained if _goes_on(study, lanes, drawn) else alone
    for lane in lanes:
        try:
            if not len(drawn.test_xy):
                raise ValueError("There are no points to test on.")
            trained = train(lane)
            values = {name: float(MEASURES[name].of(trained)) for name in study.values}
        except Exception as error:
            yield {}, "", _sentence(error)
        else:
            yield values, trained.status, ""


def _fitted(study: Study, drawn: Given, other: Indices | None, lane: Lane) -> Trained:
    """Train `lane` by itself."""
    begun, trainer = time.perf_counter(), None
    if lane.trainer is not None:
        estimator = lane.estimator(at_once=not _from_zero(study))
        trainer = _ended(estimator.prepare(drawn.xy, drawn.labels), study)
        seconds = time.perf_counter() - begun
        model: Any = estimator.adopt(trainer.snapshot(thorough=False))
    else:
        points = Points.of(drawn.xy, drawn.labels)
        model = _Estimator(lane, drawn) if lane.family.own_process else lane.family.fit(lane.settings, points)
        seconds = time.perf_counter() - begun
    n_support = len(getattr(model, "support_", ()))
    return Trained(
        drawn, other, trainer, np.asarray(model.classes_), partial(_leading, model, drawn), n_support, seconds
    )


def _leading(model: Any, points: Given, tests: bool) -> Mask:
    xy = points.test_xy if tests else points.xy
    if model.kind == "f":
        return np.asarray(model.leaders(xy))
    parts = range(0, len(xy), QUERIES)
    shares = np.concatenate([model.predict_proba(xy[start : start + QUERIES]) for start in parts])
    return np.asarray(shares == shares.max(axis=1, keepdims=True))


class _Estimator(SharesModel):
    """A classifier of another library: this process is the study's own, so that it needs no further one."""

    def __init__(self, lane: Lane, points: Given) -> None:
        self.classes_ = np.unique(points.labels)
        try:
            with warnings.catch_warnings(action="ignore"):
                self._estimator = made(lane.family.maker(lane.settings))
                self._estimator.fit(points.xy, points.labels)
        except Exception as error:  # it may raise anything
            raise ValueError(f"{lane.family.title} could not be trained: {error}") from None

    def predict_proba(self, X: ArrayLike) -> Array:
        return np.asarray(shares_of(self._estimator, X, self.classes_))


def _ended(trainer: PairTrainer[Any], study: Study) -> PairTrainer[Any]:
    """`trainer` at its end, or after as many steps as are allowed."""
    while trainer.status is Status.RUNNING and trainer.n_iter < study.most_steps:
        trainer.step(min(ROUND, study.most_steps - trainer.n_iter))
    trainer.step(0)
    return trainer


def _from_zero(study: Study) -> bool:
    """Whether each training is measured itself, and so begins at zero and goes the way that its settings say."""
    return study.kind == "rules" or bool({"steps", "seconds"} & set(study.values))


def _goes_on(study: Study, lanes: list[Lane], drawn: Given) -> bool:
    """Whether a `PathSolver` can go through these trainings: nothing but C is another."""
    first, n = lanes[0], len(drawn.xy)
    if first.trainer is None or not first.trainer.has_rules or _from_zero(study):
        return False
    s = first.settings
    alike = all(msgspec.structs.replace(lane.settings, C=s.C) == s for lane in lanes)
    definite = s.as_kernel().is_positive_semidefinite and not s.hard_margin
    return alike and definite and n <= MOST_POINTS and n * len(drawn.test_xy) <= MOST_VALUES


@dataclass(frozen=True, eq=False)
class Trained:
    """A training that has ended, with its points.

    Attributes
    ----------
    points : Given
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

    points: Given
    other: Indices | None
    trainer: PairTrainer[Any] | None
    classes: Indices
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
        labels = self.points.test_labels if tests else self.points.labels
        return float(credit_of(self.leaders(tests), self.classes, labels).mean())

    def predicted(self) -> Indices:
        """The classes of the test points."""
        return np.asarray(self.classes[self.leaders(True).argmax(axis=1)])


class _OnPath:
    """Trainings for one C after the other, from kernel values that are computed once."""

    def __init__(self, study: Study, points: Given, other: Indices | None) -> None:
        self._study, self._points, self._other = study, points, other
        self._trainer: PairTrainer[PathSolver] | None = None
        self._C = 1.0
        self._rows: dict[bool, list[Array]] = {}

    def trained(self, lane: Lane) -> Trained:
        """The training for the C of `lane`: it goes on where the one before has ended, unless that has failed."""
        trainer, self._trainer = self._trainer, None
        if trainer is None:
            estimator = lane.estimator(at_once=True)
            estimator.set_params(solver="path", selection="second-order")
            trainer = estimator.prepare(self._points.xy, self._points.labels)
        else:
            for solver in trainer.solvers:
                solver.restart(solver.C / self._C * lane.settings.C)
        self._trainer, self._C = _ended(trainer, self._study), lane.settings.C
        support = np.zeros(len(self._points.xy), dtype=bool)
        for pair, solver in zip(trainer.pairs, trainer.solvers, strict=True):
            support[pair.index] |= solver.beta != 0.0
        classes = np.unique(self._points.labels)
        leading = partial(self._leading, trainer, len(classes))
        return Trained(self._points, self._other, trainer, classes, leading, int(support.sum()))

    def _leading(self, trainer: PairTrainer[PathSolver], n_classes: int, tests: bool) -> Mask:
        solvers = trainer.solvers
        if tests not in self._rows:
            xy = self._points.test_xy if tests else self._points.xy
            self._rows[tests] = [each.kernel.gram(xy - each.centre, each.points.T) for each in solvers]
        values = [solver.values_at(rows) for solver, rows in zip(solvers, self._rows[tests], strict=True)]
        # As `KernelClassifier.rounding`.
        size = sum(np.abs(each.beta).sum() for each in solvers) + max(abs(each.intercept) for each in solvers)
        return leaders(np.column_stack(values), trainer.pairs, n_classes, 8 * EPS * size)
