"""The test accuracy of each lane: what is asked, and what its status line says.  No Qt."""

from __future__ import annotations

from app.engine.cover import Cover
from app.engine.query import Query
from app.engine.requests import Phase
from app.features.evaluation.scene import is_present
from app.features.ground_truth.scene import law_of
from app.scene.context import Context
from app.scene.status_badge import Status
from app.state.document import Document
from app.state.number_format import count, grouped, percent
from app.state.points import Points
from solver.data.distribution import Law

from .query import FRESH, Score

#: Where there is neither a test point nor a generator: the number beside it flatters.
NO_TEST = Status("on its own training points", "There are no test points, and no generator made these points.")


def measured_on(document: Document) -> Points | Law | None:
    """What the accuracy is measured on: the test points, else new points of the generator; None without either."""
    return document.test_points if len(document.test_points) else law_of(document.origin)


def _asked(context: Context, index: int) -> Score | None:
    document, slot = context.document, context.document.slots[index]
    of, frame = measured_on(document), context.results.frame(slot)
    if of is None or frame is None or frame.model is None or not is_present(document, index, frame):
        return None
    known = frame.phase in (Phase.DONE, Phase.PAUSED) and not context.session.drawing
    return Score(of, frame.model, context.compiled) if known else None


def queries(context: Context) -> dict[str, Query]:
    """The score of each model on screen, once it rests: a drag or a training has another model every frame."""
    asked = ((context.document.slots[index], _asked(context, index)) for index in range(context.document.shown))
    return {f"score{slot}": query for slot, query in asked if query is not None}


def score(context: Context, index: int) -> float | None:
    """The test accuracy of the lane at place `index`; None while it is not known."""
    answer, asked = context.results.answer(f"score{context.document.slots[index]}"), _asked(context, index)
    known = answer is not None and asked is not None and answer.query == asked
    return float(answer.value) if answer is not None and known and answer.value is not None else None


def status(context: Context, index: int) -> Status | None:
    """The test accuracy of the lane at place `index`."""
    document, slot = context.document, context.document.slots[index]
    frame = context.results.frame(slot)
    if document.lanes[index].is_difference or frame is None or frame.model is None or Cover.TEST in frame.cover:
        return None
    of = measured_on(document)
    if of is None:
        return NO_TEST
    share = score(context, index)
    number = "…" if share is None else percent(share)
    if isinstance(of, Points):
        on = count(len(of), "test point")
    else:
        on = f"{grouped(FRESH)} new points of the same generator"
    return Status(f"test {number}", f"Test accuracy: on {on}.", measured=share is not None)
