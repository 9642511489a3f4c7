"""Active learning as frozen values: a pool of points, which labels were asked for, and what came of it.

A pool has a hidden truth.  A few points of each class are given; then, one after the other, the label of one more point
is asked for: of the one the model is least sure of, or of one drawn by chance.  Nothing of the document changes before
`ActiveLearningRun.command` is dispatched.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.points import Points
from app.learners.model import Model
from app.state.commands import ImportPoints
from app.state.document import Document, GeneratorSettings, Lane
from solver.core.arrays import Array, Indices
from solver.data import datasets

Labels = NDArray[np.uint8]
#: Of each binary problem: places of its points among the labelled ones, their alpha, and alpha / C.
Multipliers = dict[tuple[int, int], tuple[Indices, Array, Array]]
Strategy = Literal["closest", "random"]
Source = Literal["points", "generator"]
STRATEGIES: tuple[Strategy, ...] = ("closest", "random")
#: A larger pool is a sample of so many points: nobody answers more, and each answer is a training.
LARGEST_POOL = 1000
#: Fresh points that measure how well a pool from the generator was learnt.
TEST_POINTS = 2000
MOST_GIVEN = 5


class Plan(Struct, frozen=True):
    """How a run is to begin.

    Attributes
    ----------
    source : {"points", "generator"}
        Where the pool comes from: the document's points, or a fresh sample of the generator.
    per_class : int
        Points of each class whose labels are given.
    strategy : {"closest", "random"}
        Which point is asked for next.
    draw : int
        Seed of all that is drawn.
    lane : int
        Whose classifier learns.
    """

    source: Source = "points"
    per_class: int = 1
    strategy: Strategy = "closest"
    draw: int = 1
    lane: int = 0


class Pool(Struct, frozen=True, eq=False):
    """The points that can be asked for, with the truth nobody has told yet.

    Attributes
    ----------
    xy : ndarray of shape (n, 2)
    truth : ndarray of shape (n,), uint8
    test_xy, test_truth : ndarray of shape (m, 2) and (m,)
        Fresh points of the same generator; empty when the pool are the document's points.
    origin : Points or GeneratorSettings
        What it was made of.
    of : int
        Of how many points it is a sample.
    """

    xy: Array
    truth: Labels
    test_xy: Array
    test_truth: Labels
    origin: Points | GeneratorSettings
    of: int

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def classes(self) -> list[int]:
        """The true classes that occur, ascending."""
        return [int(label) for label in np.unique(self.truth)]

    @property
    def tested(self) -> bool:
        """Whether there are fresh points to measure on."""
        return len(self.test_truth) > 0


class Answer(Struct, frozen=True):
    """One point's label, as it was told.

    Attributes
    ----------
    index : int
        Place in the pool.
    label : int
        0 to 7; need not be the truth.
    own : bool
        The person chose the point; it was not the one asked for.
    """

    index: int
    label: int
    own: bool = False


class Score(Struct, frozen=True):
    """Shares of points that a model classifies rightly: of the whole pool, and of the fresh points (NaN: none)."""

    pool: float
    test: float = float("nan")

    @property
    def shown(self) -> float:
        """What is said and drawn: of fresh points where there are any, else of the pool."""
        return self.pool if np.isnan(self.test) else self.test


class Question(Struct, frozen=True):
    """Which point is asked for next, and how sure the model is of it (see `solver.certainty`)."""

    index: int
    certainty: float


class LearningStep(Struct, frozen=True, eq=False):
    """What was learnt from the labels so far.

    Attributes
    ----------
    model : SVC or KNeighborsClassifier
    score : Score
    question : Question or None
        None when nothing is left to ask.
    optimal : bool
        False when the training ended without a solution (a hard margin that does not exist, too many steps).
    multipliers : dict
        The next training starts from them.
    """

    model: Model
    score: Score
    question: Question | None
    optimal: bool = True
    multipliers: Multipliers = field(default_factory=dict)


class ActiveLearningRun(Struct, frozen=True, eq=False):
    """A run at one moment.

    Attributes
    ----------
    pool : Pool
    plan : Plan
    lane : Lane
        The classifier's settings at the start.
    order : ndarray of shape (n,)
        The pool, shuffled: random asking goes through it, and of equals the first in it is asked for.
    given : tuple of Answer
        The labels to begin with.
    answers : tuple of Answer
        The history: the labels asked for, in their order.
    looks : tuple of LearningStep
        What was learnt after 0, 1, 2, ... answers; one too few while the newest is being learnt from.
    chosen : int or None
        The point the person wants to tell the label of, in place of the one asked for.
    """

    pool: Pool
    plan: Plan
    lane: Lane
    order: Indices
    given: tuple[Answer, ...]
    answers: tuple[Answer, ...] = ()
    looks: tuple[LearningStep, ...] = ()
    chosen: int | None = None

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def labelled(self) -> tuple[Answer, ...]:
        """All labels told so far, the given ones first."""
        return self.given + self.answers

    @property
    def open(self) -> NDArray[np.bool_]:
        """Which points of the pool have no label yet, shape (n,)."""
        mask = np.ones(len(self.pool), dtype=bool)
        mask[[answer.index for answer in self.labelled]] = False
        return mask

    @property
    def look(self) -> LearningStep | None:
        """What was learnt from all labels; None while that is being learnt."""
        return self.looks[-1] if len(self.looks) > len(self.answers) else None

    @property
    def question(self) -> Question | None:
        """What is asked next; None while learning, and at the end."""
        return self.look.question if self.look is not None else None

    @property
    def target(self) -> int | None:
        """The point that the next answer is about: the person's own choice, or the one asked for."""
        if self.chosen is not None:
            return self.chosen
        return self.question.index if self.question is not None else None

    @property
    def finished(self) -> bool:
        """Every point has its label."""
        return len(self.labelled) == len(self.pool)

    @property
    def wrong(self) -> int:
        """How many answers are not the truth."""
        return sum(answer.label != self.pool.truth[answer.index] for answer in self.answers)

    @property
    def own(self) -> int:
        """How many answers are about points the person chose."""
        return sum(answer.own for answer in self.answers)

    # -- going on --------------------------------------------------------------------------------------------------

    def told_truth(self) -> ActiveLearningRun:
        """With the true label of `target`; the same object when nothing is asked."""
        return self if self.target is None else self.answered(int(self.pool.truth[self.target]))

    def answered(self, label: int) -> ActiveLearningRun:
        """With the label of `target` told by the person; the same object when nothing is asked or there is no such
        class in the pool."""
        index = self.target
        if index is None or label not in self.pool.classes:
            return self
        own = self.question is None or index != self.question.index
        return replace(self, answers=(*self.answers, Answer(index, label, own)), chosen=None)

    def choosing(self, index: int | None) -> ActiveLearningRun:
        """With the person's own choice, or with None back to the one asked for; a labelled point cannot be chosen."""
        if index is not None and (not 0 <= index < len(self.pool) or not self.open[index]):
            return self
        if index is not None and self.question is not None and index == self.question.index:
            index = None
        return self if index == self.chosen else replace(self, chosen=index)

    def back(self) -> ActiveLearningRun:
        """As it was before the newest answer; the same object at the start."""
        if not self.answers:
            return self
        answers = self.answers[:-1]
        return replace(self, answers=answers, looks=self.looks[: len(answers) + 1], chosen=None)

    def learnt(self, answers: tuple[Answer, ...], looks: tuple[LearningStep, ...]) -> ActiveLearningRun:
        """With what came of learning from `answers`, as far as they are the answers of this run and it is new."""
        alike = min(len(answers), len(self.answers))
        usable = looks[: alike + 1]
        if answers[:alike] != self.answers[:alike] or len(usable) <= len(self.looks):
            return self
        grown = replace(self, looks=self.looks + usable[len(self.looks) :])
        return grown.choosing(self.chosen) if self.chosen is not None else grown

    # -- the document ----------------------------------------------------------------------------------------------

    def stale(self, document: Document) -> str:
        """What has changed in `document` since the start, in a sentence; "" when nothing that counts has."""
        if self.plan.source == "points" and self.pool.origin is not document.points:
            return "The points have changed since the start: this run goes on with the old ones."
        if self.plan.source == "generator" and self.pool.origin != document.generator:
            return "The generator's settings have changed since the start: this run goes on with the old ones."
        if self.plan.lane >= len(document.lanes):
            return "The classifier has been removed since the start: this run goes on with its settings."
        now = document.lanes[self.plan.lane]
        if (now.classifier, now.settings) != (self.lane.classifier, self.lane.settings):
            return "The classifier's settings have changed since the start: this run goes on with the old ones."
        return ""

    def command(self, document: Document) -> ImportPoints:
        """Puts the labelled points, with the labels told, in the place of the document's points: one undo step."""
        xy = self.pool.xy[[answer.index for answer in self.labelled]]
        labels = [answer.label for answer in self.labelled]
        names = tuple(style.name for style in document.styles)
        return ImportPoints(
            xy=xy,
            labels=labels,
            class_names=names,
            axes=document.axes,
            fit=self.plan.source == "generator",
            verb="Label",
        )


def begin(document: Document, plan: Plan) -> ActiveLearningRun:
    """The start of a run; ValueError with a sentence when there is nothing to ask.

    Raises
    ------
    ValueError
        A classifier that cannot ask, no points, one point, one class only, no point left to ask for, or generator
        settings that cannot be.
    """
    if plan.lane >= len(document.lanes) or not document.lanes[plan.lane].family.asks:
        raise ValueError("Only kNN or an SVM can ask here: choose such a classifier.")
    pool = _pool(document, plan)
    what = "the points" if plan.source == "points" else "the sample"
    if len(pool) == 0:
        raise ValueError("There are no points to ask about: add some, or choose a new sample in the settings.")
    if len(pool) == 1:
        raise ValueError("There is only one point, so nothing to ask: add more, of two classes.")
    if len(pool.classes) < 2:
        name = document.class_name(pool.classes[0])
        raise ValueError(f"All {what.removeprefix('the ')} are of {name}, so nothing to ask: add a second class.")
    run = started(pool, plan, document.lanes[plan.lane])
    if run.finished:
        raise ValueError(f"Nothing is left to ask: all {len(pool)} labels are given. Add points, or give fewer.")
    return run


def started(pool: Pool, plan: Plan, lane: Lane, repetition: int = 0) -> ActiveLearningRun:
    """The start of a run as chance decides in one repetition; the shown one is repetition 0."""
    given, order = drawn(pool.truth, plan.per_class, plan.draw, repetition)
    return ActiveLearningRun(pool, plan, lane, order, tuple(Answer(int(at), int(pool.truth[at])) for at in given))


def drawn(truth: Labels, per_class: int, draw: int, repetition: int) -> tuple[Indices, Indices]:
    """What chance decides in one repetition of a run; the shown one is repetition 0.

    Returns
    -------
    given : ndarray of shape (m,)
        `per_class` points of each class, or all it has.
    order : ndarray of shape (n,)
        The whole pool, shuffled; random asking takes the points that are not given in this order.
    """
    order = np.random.default_rng([draw, repetition]).permutation(len(truth)).astype(np.intp)
    given = [order[truth[order] == label][:per_class] for label in np.unique(truth)]
    return np.concatenate(given), order


def _pool(document: Document, plan: Plan) -> Pool:
    if plan.source == "points":
        points, nothing = document.points.sample(LARGEST_POOL), Points()
        return Pool(points.xy, points.labels, nothing.xy, nothing.labels, document.points, len(document.points))
    settings = document.generator
    many = settings.n_classes if datasets.DATASETS[settings.name].n_classes[1] > 2 else 2
    seeds = np.random.SeedSequence([settings.seed, plan.draw]).generate_state(2) >> 1  # other than the document's own

    def sample(count: int, seed: np.uint32) -> Points:
        return msgspec.structs.replace(settings, count=count, seed=int(seed)).points()

    pool = sample(min(settings.count, LARGEST_POOL // many), seeds[0])
    test = sample(TEST_POINTS // many, seeds[1])
    return Pool(pool.xy, pool.labels, test.xy, test.labels, settings, len(pool))
