"""Asking in the background: learn from the labels told so far, find the next point to ask for, paint what was learnt.

Each training starts from the multipliers of the one before, with one label less: so what is learnt is a function of the
answers alone, whenever it was asked for.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from app.engine.export_surface import enlarge
from app.engine.pool import Priority
from app.engine.requests import Frame, Phase, Picture
from app.engine.shading import Shades
from app.engine.surface_values import problem_of
from app.learners.estimators import class_weight
from app.state.document import Lane, SvmSettings
from app.state.points import Points
from solver import SVC, Grid, KNeighborsClassifier, Pair, Status
from solver.inspection.active_learning import certainty, most_informative

from .state import ActiveLearningRun, Answer, LearningStep, Multipliers, Pool, Question, Score, Strategy

Array = NDArray[np.float64]
Integers = NDArray[np.intp]
#: Seconds a piece of work aims at; the pool looks around between pieces.
PIECE = 0.006
#: Updates of one binary problem before it is the turn of the next.
ROUND = 500
#: Queries that are answered in one go.
BLOCK = 500


class Pace:
    """Says when a piece of work has lasted long enough."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()

    def late(self) -> bool:
        """True after `PIECE` seconds."""
        return time.perf_counter() - self._begun >= PIECE

    def pauses(self) -> Iterator[None]:
        """Yields once when it is late, and not at all before."""
        if self.late():
            yield
            self._begun = time.perf_counter()


@dataclass(frozen=True, eq=False)
class LearningRequest:
    """What is to be learnt and painted: what `asking` does not know yet, and a picture on `grid`."""

    number: int
    asking: ActiveLearningRun
    grid: Grid
    shades: Shades


@dataclass(frozen=True, eq=False)
class LearningReply:
    """What has come of a request so far.

    Attributes
    ----------
    number : int
    pool : Pool
        Of the run this belongs to.
    answers : tuple of Answer
        Of the run when it was asked.
    looks : tuple of LearningStep
        Also those that were known before.
    picture : Picture or None
        Of the last of `looks`.
    failure : str
        Why there is no more, in a sentence.
    """

    number: int
    pool: Pool
    answers: tuple[Answer, ...]
    looks: tuple[LearningStep, ...]
    picture: Picture | None = None
    failure: str = ""


class LatestReplies:
    """From the compute threads to the window: of each kind of letter the newest, and one wake-up for all.

    Parameters
    ----------
    wake : callable
        Called from a compute thread when a letter comes into the empty box; must return at once.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.RLock()
        self._slots: dict[type, object] = {}
        self.closed = False

    def post(self, letter: object) -> None:
        """Put `letter` in the place of any of its kind that has not been read."""
        with self._lock:  # held while waking: whoever is woken cannot be taken down meanwhile
            first = not self._slots
            self._slots[type(letter)] = letter
            if first and not self.closed:
                self._wake()

    def take(self) -> list[object]:
        """Empty the box."""
        with self._lock:
            letters = list(self._slots.values())
            self._slots.clear()
        return letters

    def close(self) -> None:
        """Nobody reads any more."""
        with self._lock:
            self.closed = True


def look_for(
    request: LearningRequest, post: Callable[[LearningReply], None], given_up: Callable[[], bool]
) -> Generator[Priority]:
    """The job of a request; whatever goes wrong becomes a reply with a sentence."""
    asking = request.asking
    looks = list(asking.looks)

    def reply(picture: Picture | None = None, failure: str = "") -> None:
        post(LearningReply(request.number, asking.pool, asking.answers, tuple(looks), picture, failure))

    try:
        pace = Pace()
        for count in range(len(looks), len(asking.answers) + 1):
            told = asking.labelled[: len(asking.given) + count]
            index = np.array([answer.index for answer in told], dtype=np.intp)
            labels = np.array([answer.label for answer in told], dtype=np.int64)
            before = looks[-1] if looks else None
            work = open_panels(
                asking.pool, asking.lane, asking.order, asking.plan.strategy, index, labels, before, pace
            )
            looks.append((yield from paused(work, Priority.TRAINING, given_up)))
        reply()
        pictures: list[Picture | str] = []
        frame = _frame(request, looks[-1])
        for _ in enlarge(frame, request.grid, request.shades, pictures.append, given_up):
            yield Priority.TRAINING
        for picture in pictures:
            reply(failure=picture) if isinstance(picture, str) else reply(picture)
    except GivenUpError:
        return
    except ValueError as error:  # the solver's sentences
        reply(failure=str(error))
    except Exception as error:
        reply(failure=f"Stopped by an internal error ({type(error).__name__}: {error}).")


class GivenUpError(Exception):
    """Nobody waits for the answer any more."""


T = TypeVar("T")


def paused(
    work: Generator[None, None, T], priority: Priority, given_up: Callable[[], bool]
) -> Generator[Priority, None, T]:
    """`work` as part of a job: `priority` at each of its pauses, after which GivenUpError may end it."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: T = stop.value
            return result
        yield priority
        if given_up():
            raise GivenUpError


def _frame(request: LearningRequest, look: LearningStep) -> Frame:
    asking = request.asking
    told = asking.labelled
    points = Points.of(asking.pool.xy[[answer.index for answer in told]], [answer.label for answer in told])
    return Frame(request.number, asking.plan.lane, points, asking.lane, Phase.DONE, model=look.model)


# -- learning ------------------------------------------------------------------------------------------------------


def open_panels(
    pool: Pool,
    lane: Lane,
    order: Integers,
    strategy: Strategy,
    index: Integers,
    labels: NDArray[np.int64],
    before: LearningStep | None,
    pace: Pace,
) -> Generator[None, None, LearningStep]:
    """Learn from the points `index` of `pool` with these `labels`; yields when a piece of work has lasted long enough.

    Parameters
    ----------
    order : ndarray of shape (n,)
        As in `ActiveLearningRun`.
    before : LearningStep or None
        What was learnt from all but the last of them (or from any number of the first).
    """
    learnt = yield from training(pool.xy[index], labels, lane, before.multipliers if before is not None else {}, pace)
    model = learnt.model
    score = yield from scoring(model, pool, pace)
    unknown = np.ones(len(pool), dtype=bool)
    unknown[index] = False
    candidates = order[unknown[order]]
    question = None
    if len(candidates):
        # In the order of chance, so that of equals (kNN has many) no class comes first.
        at = most_informative(model, pool.xy[candidates]) if strategy == "closest" else 0
        asked = int(candidates[at])
        question = Question(asked, float(certainty(model, pool.xy[[asked]])[0]))
    return LearningStep(model, score, question, learnt.optimal, learnt.multipliers)


@dataclass(frozen=True, eq=False)
class Learnt:
    """A model and what its successor starts from."""

    model: SVC | KNeighborsClassifier
    optimal: bool
    multipliers: Multipliers


def training(
    xy: Array, labels: NDArray[np.int64], lane: Lane, before: Multipliers, pace: Pace
) -> Generator[None, None, Learnt]:
    """Train the classifier of `lane` on `xy` (n, 2), the first of which the multipliers `before` belong to."""
    if lane.classifier == "knn":
        settings = lane.knn
        k = min(settings.n_neighbors, len(xy))  # as in a lane: of fewer points all vote
        yield from pace.pauses()
        return Learnt(KNeighborsClassifier(k, settings.weights, settings.metric, settings.p).fit(xy, labels), True, {})
    if lane.svm.hard_margin and not lane.svm.as_kernel().is_positive_semidefinite:
        raise ValueError("This kernel is not positive semidefinite, so it has no hard margin: choose a finite C.")
    svc = machine(lane.svm)
    classes = [int(label) for label in np.unique(labels)]

    def start(pair: Pair, C: Array) -> Array | None:
        old = before.get(problem_of(pair, classes))
        if old is None:
            return None
        index, alpha, share = old
        first = np.zeros(len(pair.index))
        bounded = np.isfinite(C).all()  # then a class weight that has changed takes the bounded ones along
        first[np.searchsorted(pair.index, index)] = share if bounded else alpha
        return first * C if bounded else first

    trainer = svc.prepare(xy, labels, start=start)
    yield from pace.pauses()
    while trainer.status is Status.RUNNING:
        trainer.step(ROUND, pace.late)
        yield from pace.pauses()
    snapshots = trainer.snapshot(thorough=False)
    model = svc.snapshot_model(snapshots)
    kept: Multipliers = {}
    for pair, solver in zip(trainer.pairs, trainer.solvers, strict=True):
        alpha = solver.alpha
        share = alpha / np.where(np.isfinite(solver.C), solver.C, 1.0)
        kept[problem_of(pair, classes)] = pair.index, alpha, share
    optimal = trainer.status not in (Status.NOT_SEPARABLE, Status.STOPPED_EARLY)
    return Learnt(model, optimal, kept)


def machine(settings: SvmSettings) -> SVC:
    """The estimator of a lane's settings."""
    return SVC(
        math.inf if settings.hard_margin else settings.C,
        settings.kernel,
        settings.degree,
        settings.gamma,
        settings.coef0,
        settings.tol,
        -1,
        settings.selection,
        0,
        class_weight=class_weight(settings),
        multiclass=settings.multiclass,
    )


def scoring(model: SVC | KNeighborsClassifier, pool: Pool, pace: Pace) -> Generator[None, None, Score]:
    """Shares of the pool and of its fresh points that `model` classifies rightly."""
    shares = []
    for xy, truth in ((pool.xy, pool.truth), (pool.test_xy, pool.test_truth)):
        right = 0
        for first in range(0, len(xy), BLOCK):
            block = slice(first, first + BLOCK)
            right += int((model.predict(xy[block]) == truth[block]).sum())
            yield from pace.pauses()
        shares.append(right / len(xy) if len(xy) else math.nan)
    return Score(*shares)
