"""The test accuracy of each lane: what it is measured on, its text in the status line, and the marks of test points."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import lru_cache
from typing import Any, ClassVar

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.caches import kept
from app.core.number_format import count, grouped
from app.core.points import Points
from app.engine.cover import Cover
from app.engine.frames import NO_MARKS, Frame, Marks, Phase
from app.engine.outcome import Outcome, outcome
from app.engine.pacing import Pace, Step
from app.engine.query import Answer, LaneQuestion, Query
from app.learners.model import Model
from app.scene import text
from app.scene.model import Context, is_present
from app.scene.status_badge import StatusPart
from app.state.document import Document, Lane
from app.state.law import law_of
from app.state.split import SplitPoints
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


#: The panel that displays more of the scores, also while a lane trains.
PANEL = "evaluation"
#: Largest number of test points for which a lane is scored, and their marks follow, while points are dragged.
MOST_MARKED = 5000
#: Status without test points and generator: a reminder that the training accuracy flatters.
NO_TEST = StatusPart(
    "no test points", "The accuracy is that on its own training points: no generator made them, either.", True
)


def measured_on(document: Document) -> Points | Law | None:
    """Return the test points, else the distribution of new points; None without either."""
    return document.test_points if len(document.test_points) else law_of(document.origin)


def measured_words(of: Points | Law | None, number: int = FRESH) -> str:
    """Return what a model is measured on: "60 test points", "1 000 new points of the generator"."""
    if of is None:
        return ""
    return count(len(of), "test point") if isinstance(of, Points) else f"{grouped(number)} new points of the generator"


def is_awaited(document: Document, index: int, frame: Frame | None) -> bool:
    """Whether a model of the present points and settings is still to come."""
    if not len(document.training_points) or document.lanes[index].is_difference or frame is None:
        return False
    present = is_present(document, index, frame)
    return not present or (frame.model is None and frame.phase not in (Phase.EMPTY, Phase.FAILED))


def plain_lane(lane: Lane) -> Lane:
    """Return `lane` without the settings that no training depends on."""
    classifier, settings, _ = lane.training_key
    return msgspec.structs.replace(lane.with_part(classifier, settings), pair=(0, 1), shading=msgspec.UNSET)


def scoring_of(document: Document, index: int, frame: Frame | None) -> Scoring | None:
    """Return the query about a lane's newest model; None if that model is of other points or settings."""
    of = measured_on(document)
    if of is None or frame is None or frame.model is None or not is_present(document, index, frame):
        return None
    return Scoring(of, frame.model, plain_lane(frame.lane))


def queries(context: Context) -> dict[str, Query]:
    """Return the scoring of each displayed model.

    A lane is scored once its training has stopped, because a drag or a training has another model in every frame; while
    the panel is open, always.
    """
    document, session = context.document, context.session
    open_panel, asked = PANEL in session.open_panels, dict[str, Query]()
    for index in range(document.shown):
        slot = document.slots[index]
        name, frame = LaneQuestion("scores", slot), context.results.frame(slot)
        scoring = scoring_of(document, index, frame)
        last = context.results.answer(name)
        if scoring is not None and frame is not None:
            still = not session.drawing or 0 < len(document.test_points) <= MOST_MARKED
            if open_panel or (still and frame.phase in (Phase.DONE, Phase.PAUSED)):
                asked[name] = scoring
        elif open_panel and last is not None and is_awaited(document, index, frame):
            asked[name] = last.query  # displayed, as that of an earlier model, until the new model is ready
    return asked


def scores(context: Context, index: int) -> Answer | None:
    """Return the answer about the present model of lane `index`; None while it is unknown."""
    document, slot = context.document, context.document.slots[index]
    answer = context.results.answer(f"scores{slot}")
    scoring = scoring_of(document, index, context.results.frame(slot))
    known = answer is not None and answer.value is not None and scoring is not None and answer.query == scoring
    return answer if known else None


def score(context: Context, index: int) -> float | None:
    """Return the test accuracy of lane `index`; None while it is unknown."""
    answer = scores(context, index)
    return None if answer is None else answer.value.accuracy


def status(context: Context, index: int) -> tuple[StatusPart, ...]:
    """Return the test accuracy of lane `index` for its status line."""
    document = context.document
    frame, of = context.results.frame(document.slots[index]), measured_on(document)
    if document.lanes[index].is_difference or frame is None or frame.model is None or Cover.TEST in frame.cover:
        return ()
    if of is None:
        return (NO_TEST,)
    answer, number = scores(context, index), "…"
    if answer is not None:
        value: Scores = answer.value
        number = text.accuracy(value.accuracy, len(value.tied), len(value.classes))
    tip, brief = f"Test accuracy: on {measured_words(of)}.", f"test {text.without_rule(number)}"
    return (StatusPart(f"test {number}", tip, measured=answer is not None, brief=brief),)


def marks_of_test_points(context: Context, index: int) -> Marks:
    """Return marks, among all points, of the test points that a lane's present model gets wrong or ties at."""
    document = context.document
    frame = context.results.frame(document.slots[index])
    answer = scores(context, index) if len(document.test_points) else None
    covered = frame is not None and Cover.MARKS in frame.cover
    return NO_MARKS if answer is None or covered else _marks_of(document.parts, answer)


@kept(8)
def _marks_of(parts: SplitPoints, answer: Answer) -> Marks:
    value: Scores = answer.value
    if not len(value.wrong) + len(value.tied):
        return NO_MARKS
    return Marks(wrong=parts.held_out[value.wrong], tied=parts.held_out[value.tied])
