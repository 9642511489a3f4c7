"""The test accuracy of each lane: what it is measured on, what its status line says, and the marks of test points."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from app.core.number_format import count, grouped
from app.core.points import Points
from app.engine.cover import Cover
from app.engine.frames import NO_MARKS, Frame, Marks, Phase
from app.engine.query import Answer, LaneQuestion, Query
from app.scene import text
from app.scene.context import Context, is_present
from app.scene.status_badge import StatusPart
from app.state.document import Document, Lane
from app.state.law import law_of
from app.state.split import SplitPoints
from solver.data.distribution import Law

from .query import FRESH, Scores, Scoring

#: The panel that shows more of the scores, also while a lane trains.
PANEL = "evaluation"
#: Test points up to which a lane is scored, and their marks follow, also while points are dragged.
MOST_MARKED = 5000
#: Where there is neither a test point nor a generator: the number beside it flatters.
NO_TEST = StatusPart("on its own training points", "There are no test points, and no generator made the points.", True)


def measured_on(document: Document) -> Points | Law | None:
    """What the accuracy is measured on: the test points, else new points of the generator; None without either."""
    return document.test_points if len(document.test_points) else law_of(document.origin)


def measured_words(of: Points | Law | None) -> str:
    """ "60 test points", "1 000 new points of the generator"."""
    if of is None:
        return ""
    return count(len(of), "test point") if isinstance(of, Points) else f"{grouped(FRESH)} new points of the generator"


def is_awaited(document: Document, index: int, frame: Frame | None) -> bool:
    """A model of the points and the settings of now is still to come."""
    if not len(document.training_points) or document.lanes[index].is_difference or frame is None:
        return False
    present = is_present(document, index, frame)
    return not present or (frame.model is None and frame.phase not in (Phase.EMPTY, Phase.FAILED))


def plain_lane(lane: Lane) -> Lane:
    """`lane` without what no training depends on."""
    classifier, settings, _ = lane.training_key
    return msgspec.structs.replace(lane.with_part(classifier, settings), pair=(0, 1), shading=msgspec.UNSET)


def scoring_of(document: Document, index: int, frame: Frame | None) -> Scoring | None:
    """The query about a lane's newest model; None where that is of other points or settings than now."""
    of = measured_on(document)
    if of is None or frame is None or frame.model is None or not is_present(document, index, frame):
        return None
    return Scoring(of, frame.model, plain_lane(frame.lane))


def queries(context: Context) -> dict[str, Query]:
    """The scoring of each model on screen: once it rests, for a drag or a training has another model every frame; in
    the panel of each."""
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
            asked[name] = last.query  # shown, as an earlier one's, until the new model is here
    return asked


def scores(context: Context, index: int) -> Answer | None:
    """The answer about the present model of the lane at place `index`; None while it is not known."""
    document, slot = context.document, context.document.slots[index]
    answer = context.results.answer(f"scores{slot}")
    scoring = scoring_of(document, index, context.results.frame(slot))
    known = answer is not None and answer.value is not None and scoring is not None and answer.query == scoring
    return answer if known else None


def score(context: Context, index: int) -> float | None:
    """The test accuracy of the lane at place `index`; None while it is not known."""
    answer = scores(context, index)
    return None if answer is None else answer.value.accuracy


def status(context: Context, index: int) -> StatusPart | None:
    """The test accuracy of the lane at place `index`."""
    document = context.document
    frame, of = context.results.frame(document.slots[index]), measured_on(document)
    if document.lanes[index].is_difference or frame is None or frame.model is None or Cover.TEST in frame.cover:
        return None
    if of is None:
        return NO_TEST
    answer, number = scores(context, index), "…"
    if answer is not None:
        value: Scores = answer.value
        number = text.accuracy(value.accuracy, len(value.tied), len(value.classes))
    tip, brief = f"Test accuracy: on {measured_words(of)}.", f"test {text.without_rule(number)}"
    return StatusPart(f"test {number}", tip, measured=answer is not None, brief=brief)


def marks_of_test_points(context: Context, index: int) -> Marks:
    """Marks of the test points, among all points, that a lane's present model gets wrong or ties at."""
    document = context.document
    frame = context.results.frame(document.slots[index])
    answer = scores(context, index) if len(document.test_points) else None
    covered = frame is not None and Cover.MARKS in frame.cover
    return NO_MARKS if answer is None or covered else _marks_of(document.parts, answer)


@lru_cache(maxsize=8)
def _marks_of(parts: SplitPoints, answer: Answer) -> Marks:
    value: Scores = answer.value
    if not len(value.wrong) + len(value.tied):
        return NO_MARKS
    return Marks(wrong=parts.held_out[value.wrong], tied=parts.held_out[value.tied])
