"""Scoring: what a model comes to at points that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.points import Points
from app.engine.cover import Cover
from app.engine.outcome import Outcome, outcome
from app.engine.pieces import Pace, Step
from app.learners.model import Model
from app.state.document import Lane
from solver import RocCurve, roc_curve
from solver.core.arrays import Array, Indices, Integers
from solver.data.distribution import Law

#: How many new points of a generator; the share of right answers has a standard error of at most 1.6 points.
FRESH = 1000
#: Seed of the new points.
SEED = (1000, 1)


@lru_cache(maxsize=4)
def fresh_points(law: Law) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """New points and their classes: the same for every model, so that two can be compared."""
    return law.draw(FRESH, SEED)


class Scores(Struct, frozen=True, eq=False):
    """What a model comes to at points that it was not trained on.

    Attributes
    ----------
    classes : tuple of int
        Those of the model and of the points, ascending: rows and columns of the matrix.
    confusion : ndarray of shape (n_classes, n_classes)
        Rows true and columns predicted; a point at which m classes tie counts 1 / m in each of their columns.
    wrong, tied : ndarray of intp
        Which of the points are classified wrongly, and which lie under a tie of their own class with others.
    roc : RocCurve or None
        When the model separates two classes and both are among the points.
    """

    classes: tuple[int, ...]
    confusion: Array
    wrong: Indices
    tied: Indices
    roc: RocCurve | None

    @property
    def accuracy(self) -> float:
        """Share of the points that is classified rightly, where a tie of m classes counts 1 / m."""
        return float(self.confusion.trace() / self.confusion.sum())


class Scoring(Struct, frozen=True):
    """Query: how well a model does.

    Parameters
    ----------
    of : Points or Law
        The test points, or what new points are drawn from.
    model : Model
    lane : Lane or None
        The settings it was trained with, where they matter.
    """

    of: Points | Law
    model: Model
    lane: Lane | None = None
    tells: ClassVar[Cover] = Cover.TEST

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post `Scores` once."""
        model = self.model
        xy, labels = (self.of.xy, self.of.labels) if isinstance(self.of, Points) else fresh_points(self.of)
        found = yield from outcome(model, xy, labels, Pace(overtaken))
        own, there = model.classes_.tolist(), np.unique(labels).tolist()
        roc = None
        if len(own) == 2 and there == own:
            roc = roc_curve(labels == own[1], found.scores)
        classes = tuple(sorted({*own, *there}))
        matrix = _confusion(found, model, labels, classes)
        post(Scores(classes, matrix, found.wrong, found.tied, roc))


def threshold_of(model: Model) -> float:
    """The score above which a model of two classes predicts the second."""
    return 0.0 if model.kind == "f" else 0.5


def _confusion(found: Outcome, model: Model, labels: NDArray[Any], classes: tuple[int, ...]) -> Array:
    """The matrix of `classes`, rows true and columns predicted."""
    matrix = np.zeros((len(classes), len(classes)))
    rows, columns = (np.searchsorted(classes, each) for each in (labels, found.predicted))
    alone = np.ones(len(labels), dtype=bool)
    alone[found.at] = False
    np.add.at(matrix, (rows[alone], columns[alone]), 1.0)
    own: Integers = np.searchsorted(classes, model.classes_)
    np.add.at(matrix, (rows[found.at][:, None], own[None, :]), found.shares)
    return matrix
