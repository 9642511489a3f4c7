"""Active learning as frozen values: a pool of points, the labels given so far, and the steps trained on them.

The true labels of a pool are hidden.  Some points of each class are labelled at the start; then the label of one more
point is requested at a time, either of the point of which the model is least certain or of a random one.  The document
does not change until `ActiveLearningRun.command` is dispatched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.dates import NO_DATES
from app.core.points import Points
from app.engine.training_run import Multipliers
from app.learners.model import Model
from app.state.commands import ImportPoints
from app.state.document import Document, GeneratorSettings, Lane
from solver.core.arrays import Indices
from solver.data import datasets

Labels = NDArray[np.uint8]
Strategy = Literal["closest", "random"]
Source = Literal["points", "generator"]
STRATEGIES: tuple[Strategy, ...] = ("closest", "random")
#: Largest pool (points); more points are sampled: users do not label more, and each label costs a training.
LARGEST_POOL = 1000
#: Number of new points on which a pool from the generator is tested.
TEST_POINTS = 2000
#: Largest number of labels of each class at the start.
MOST_GIVEN = 5


class LearningPlan(Struct, frozen=True):
    """Settings of a new run.

    Attributes
    ----------
    source : {"points", "generator"}
        Origin of the pool: the document's points, or a new sample of the generator.
    per_class : int
        Number of points of each class that are labelled at the start.
    strategy : {"closest", "random"}
        Choice of the next point: the least certain, or a random one.
    draw : int
        Seed of the random numbers.
    lane : int
        Index of the classifier that learns.
    """

    source: Source = "points"
    per_class: int = 1
    strategy: Strategy = "closest"
    draw: int = 1
    lane: int = 0


class PointPool(Struct, frozen=True, eq=False):
    """The points that can be labelled, with their hidden true labels.

    Attributes
    ----------
    points : Points
        With their true labels.
    tests : Points
        New points of the same generator; empty if the pool comes from the document's points.
    origin : Points or GeneratorSettings
        Points or settings that it was made from.
    of : int
        Number of points that it is a sample of.
    """

    points: Points
    tests: Points
    origin: Points | GeneratorSettings
    of: int

    def __len__(self) -> int:
        return len(self.points)

    @property
    def classes(self) -> list[int]:
        """The true classes that occur, ascending."""
        return self.points.classes

    def labelled(self, labels: Sequence[PointLabel]) -> Points:
        """Return the points with these labels, right or wrong, in this order."""
        return Points.of(self.points.xy[[each.index for each in labels]], [each.label for each in labels])


class PointLabel(Struct, frozen=True):
    """The label that was given to one point.

    Attributes
    ----------
    index : int
        Index in the pool.
    label : int
        0 to 7; it may be wrong.
    own : bool
        The user chose this point instead of the requested one.
    """

    index: int
    label: int
    own: bool = False


class Score(Struct, frozen=True):
    """Shares of points that a model classifies correctly: of the whole pool, and of the new points (NaN: none)."""

    pool: float
    test: float = float("nan")

    @property
    def shown(self) -> float:
        """The displayed share: that of the new points, or of the pool if there are none."""
        return self.pool if np.isnan(self.test) else self.test


class LabelQuestion(Struct, frozen=True):
    """The point whose label is requested next, and the model's certainty of it (see `solver.certainty`)."""

    index: int
    certainty: float


class LearningStep(Struct, frozen=True, eq=False):
    """The model trained on the labels so far, its scores and the next question.

    Attributes
    ----------
    model : SVC or KNeighborsClassifier
    score : Score
    question : LabelQuestion or None
        None if all points are labelled.
    optimal : bool
        False if the training ended without a solution (no hard margin exists, or too many steps).
    multipliers : Multipliers or None
        Start of the next training.
    """

    model: Model
    score: Score
    question: LabelQuestion | None
    optimal: bool = True
    multipliers: Multipliers | None = None


class ActiveLearningRun(Struct, frozen=True, eq=False):
    """The state of a run.

    Attributes
    ----------
    pool : PointPool
    plan : LearningPlan
    lane : Lane
        The classifier with its settings at the start.
    order : ndarray of shape (n,)
        The pool, shuffled: the order of random questions, and of equally certain points.
    given : tuple of PointLabel
        The labels at the start.
    answers : tuple of PointLabel
        The labels given since, in their order.
    steps : tuple of LearningStep
        The steps after 0, 1, 2, ... answers; the last is missing while it is being trained.
    chosen : int or None
        The point that the user chose to label instead of the requested one.
    """

    pool: PointPool
    plan: LearningPlan
    lane: Lane
    order: Indices
    given: tuple[PointLabel, ...]
    answers: tuple[PointLabel, ...] = ()
    steps: tuple[LearningStep, ...] = ()
    chosen: int | None = None

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def labelled(self) -> tuple[PointLabel, ...]:
        """All labels so far, those of the start first."""
        return self.given + self.answers

    @property
    def open(self) -> NDArray[np.bool_]:
        """Mask of the points without a label, shape (n,)."""
        mask = np.ones(len(self.pool), dtype=bool)
        mask[[answer.index for answer in self.labelled]] = False
        return mask

    @property
    def last_step(self) -> LearningStep | None:
        """The step of all labels; None while it is being trained."""
        return self.steps[-1] if len(self.steps) > len(self.answers) else None

    @property
    def question(self) -> LabelQuestion | None:
        """The next question; None while training, and at the end."""
        return self.last_step.question if self.last_step is not None else None

    @property
    def target(self) -> int | None:
        """The point that the next answer is about: the user's choice, or the requested one."""
        if self.chosen is not None:
            return self.chosen
        return self.question.index if self.question is not None else None

    @property
    def finished(self) -> bool:
        """True once every point has a label."""
        return len(self.labelled) == len(self.pool)

    @property
    def wrong(self) -> int:
        """Number of answers that differ from the true label."""
        return sum(answer.label != self.pool.points.labels[answer.index] for answer in self.answers)

    @property
    def own(self) -> int:
        """Number of answers about points that the user chose."""
        return sum(answer.own for answer in self.answers)

    # -- going on --------------------------------------------------------------------------------------------------

    def shown_truth(self) -> ActiveLearningRun:
        """Return the run with the true label of `target`; the same run if there is no question."""
        return self if self.target is None else self.answered(int(self.pool.points.labels[self.target]))

    def answered(self, label: int) -> ActiveLearningRun:
        """Return the run with this label of `target`; the same run without a question, or without such a class."""
        index = self.target
        if index is None or label not in self.pool.classes:
            return self
        own = self.question is None or index != self.question.index
        return replace(self, answers=(*self.answers, PointLabel(index, label, own)), chosen=None)

    def choosing(self, index: int | None) -> ActiveLearningRun:
        """Return the run with another target, or with None back at the requested point; labelled points are ignored."""
        if index is not None and (not 0 <= index < len(self.pool) or not self.open[index]):
            return self
        if index is not None and self.question is not None and index == self.question.index:
            index = None
        return self if index == self.chosen else replace(self, chosen=index)

    def back(self) -> ActiveLearningRun:
        """Return the run before its last answer; the same run at the start."""
        if not self.answers:
            return self
        answers = self.answers[:-1]
        return replace(self, answers=answers, steps=self.steps[: len(answers) + 1], chosen=None)

    def learnt(self, answers: tuple[PointLabel, ...], steps: tuple[LearningStep, ...]) -> ActiveLearningRun:
        """Return the run with those `steps`, trained on `answers`, that belong to its own answers and are new."""
        alike = min(len(answers), len(self.answers))
        usable = steps[: alike + 1]
        if answers[:alike] != self.answers[:alike] or len(usable) <= len(self.steps):
            return self
        grown = replace(self, steps=self.steps + usable[len(self.steps) :])
        return grown.choosing(self.chosen) if self.chosen is not None else grown

    # -- the document ----------------------------------------------------------------------------------------------

    def stale(self, document: Document) -> str:
        """Return a sentence about what has changed in `document` since the start; "" if nothing relevant has."""
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
        """Return the command that replaces the document's points by the labelled ones, as one undo step."""
        points = self.pool.labelled(self.labelled)
        names = tuple(style.name for style in document.styles)
        return ImportPoints(
            xy=points.xy,
            labels=points.labels,
            class_names=names,
            axes=document.axes,
            dates=document.dates if self.plan.source == "points" else NO_DATES,
            fit=self.plan.source == "generator",
            verb="Label",
        )


def begin(document: Document, plan: LearningPlan) -> ActiveLearningRun:
    """Return the start of a run.

    Raises
    ------
    ValueError
        The classifier cannot choose points; there are no points, one point, or one class; no label is left to request;
        or the settings of the generator are invalid.
    """
    if plan.lane >= len(document.lanes) or document.lanes[plan.lane].family.asking is None:
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


def started(pool: PointPool, plan: LearningPlan, lane: Lane, repetition: int = 0) -> ActiveLearningRun:
    """Return the start of a run with the random choices of one repetition; the displayed run is repetition 0."""
    given, order = drawn(pool.points.labels, plan.per_class, plan.draw, repetition)
    return ActiveLearningRun(
        pool, plan, lane, order, tuple(PointLabel(int(at), int(pool.points.labels[at])) for at in given)
    )


def drawn(truth: Labels, per_class: int, draw: int, repetition: int) -> tuple[Indices, Indices]:
    """Draw the random choices of one repetition of a run; the displayed run is repetition 0.

    Returns
    -------
    given : ndarray of shape (m,)
        `per_class` points of each class, or all of a smaller class.
    order : ndarray of shape (n,)
        The whole pool, shuffled; random questions follow this order.
    """
    order = np.random.default_rng([draw, repetition]).permutation(len(truth)).astype(np.intp)
    given = [order[truth[order] == label][:per_class] for label in np.unique(truth)]
    return np.concatenate(given), order


def _pool(document: Document, plan: LearningPlan) -> PointPool:
    if plan.source == "points":
        return PointPool(document.points.sample(LARGEST_POOL), Points(), document.points, len(document.points))
    settings = document.generator
    many = settings.n_classes if datasets.DATASETS[settings.name].n_classes[1] > 2 else 2
    seeds = np.random.SeedSequence([settings.seed, plan.draw]).generate_state(2) >> 1  # other than the document's own

    def sample(count: int, seed: np.uint32) -> Points:
        return msgspec.structs.replace(settings, count=count, seed=int(seed)).points()

    pool = sample(min(settings.count, LARGEST_POOL // many), seeds[0])
    test = sample(TEST_POINTS // many, seeds[1])
    return PointPool(pool, test, settings, len(pool))
