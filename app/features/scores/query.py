"""Scoring: the results of a model on points that it was not trained on."""

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
from app.engine.pacing import Pace, Step
from app.learners.model import Model
from app.state.document import Lane
from solver import RocCurve, roc_curve
from solver.core.arrays import Array, Indices, Integers
from solver.data.distribution import Law

#: Number of new points from a generator: the standard error of the accuracy is at most 1.6 points.
FRESH = 1000
#: Seed of the new points.
SEED = (1000, 1)


@lru_cache(maxsize=8)
def fresh_points(
    law: Law, number: int = FRESH, seed: tuple[int, int] = SEED
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return new points and their classes: the same for every model, so that models can be compared."""
    return law.draw(number, seed)


def labelled(of: Points | Law, number: int = FRESH, seed: tuple[int, int] = SEED) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return locations and classes of test points, or of a `number` of new points of a distribution."""
    return (of.xy, of.labels) if isinstance(of, Points) else fresh_points(of, number, seed)


class Scores(Struct, frozen=True, eq=False):
    """The results of a model on points that it was not trained on.

    Attributes
    ----------
    classes : tuple of int
        Classes of the model and of the points, ascending: rows and columns of the matrix.
    confusion : ndarray of shape (n_classes, n_classes)
        Rows true and columns predicted; a point at which m classes tie counts 1 / m in each of their columns.
    wrong, tied : ndarray of intp
        Indices of points classified wrongly, and of points at which their own class ties with others.
    roc : RocCurve or None
        The ROC curve if the model separates two classes and the points are of both.
    """

    classes: tuple[int, ...]
    confusion: Array
    wrong: Indices
    tied: Indices
    roc: RocCurve | None

    @property
    def accuracy(self) -> float:
        """Share of the points classified correctly; a tie of m classes counts 1 / m."""
        return float(self.confusion.trace() / self.confusion.sum())


class Scoring(Struct, frozen=True):
    """Query: score a model on test points.

    Parameters
    ----------
    of : Points or Law
        The test points, or the distribution of new points.
    model : Model
    lane : Lane or None
        The settings of the training, if they matter.
    """

    of: Points | Law
    model: Model
    lane: Lane | None = None
    reveals: ClassVar[Cover] = Cover.TEST

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post `Scores` once."""
        model, (xy, labels) = self.model, labelled(self.of)
        found = yield from outcome(model, xy, labels, Pace(overtaken))
        own, present = model.classes_.tolist(), np.unique(labels).tolist()
        roc = roc_curve(labels == own[1], found.scores) if len(own) == 2 and present == own else None
        classes = tuple(sorted({*own, *present}))
        matrix = _confusion(found, model, labels, classes)
        post(Scores(classes, matrix, found.wrong, found.tied, roc))


def threshold_of(model: Model) -> float:
    """Return the score above which a model of two classes predicts the second."""
    return 0.0 if model.kind == "f" else 0.5


def _confusion(found: Outcome, model: Model, labels: NDArray[Any], classes: tuple[int, ...]) -> Array:
    """Return the matrix of `classes`, rows true and columns predicted."""
    matrix = np.zeros((len(classes), len(classes)))
    rows, columns = (np.searchsorted(classes, each) for each in (labels, found.predicted))
    alone = np.ones(len(labels), dtype=bool)
    alone[found.at] = False
    np.add.at(matrix, (rows[alone], columns[alone]), 1.0)
    own: Integers = np.searchsorted(classes, model.classes_)
    np.add.at(matrix, (rows[found.at][:, None], own[None, :]), found.shares)
    return matrix
