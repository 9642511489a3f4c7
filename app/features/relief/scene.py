"""Scene of the relief: what is asked of the background while its panel is open, and what that shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.query import Query
from app.engine.requests import Frame
from app.scene.context import Context
from app.scene.model import LaneScene
from solver.core.binary_reduction import PairClassifier

from . import text
from .query import Relief, ReliefQuery

#: The name of the question, and of the panel.
NAME = "relief"


@dataclass(frozen=True)
class ReliefScene:
    """What the panel shows.

    Attributes
    ----------
    place : int
        Of the lane.
    relief : Relief or None
        What is known.
    message : str
        Why there is none, in a sentence; or "".
    can_map : bool
        The lane could be given a kernel whose map can be drawn.
    """

    place: int
    relief: Relief | None
    message: str
    can_map: bool


def _studied(context: Context) -> int:
    """The lane whose run is looked at, as `Scene.studied` has it."""
    document = context.document
    ways = sorted(range(document.shown), key=lambda index: document.slots[index] != context.session.studied)
    return next((index for index in ways if _run(context, index) is not None), 0)


def _run(context: Context, index: int) -> Frame | None:
    """The frame of a lane that has a run on the present points, with an f."""
    frame = context.results.frame(context.document.slots[index])
    if frame is None or frame.run_state is None or not isinstance(frame.model, PairClassifier):
        return None
    return frame if frame.points is context.document.training_points else None


def queries(context: Context) -> dict[str, Query]:
    """The relief of the studied lane over what its picture shows, while the panel is open."""
    if NAME not in context.session.open_panels or not context.compiled or not context.grids:
        return {}
    place = _studied(context)
    frame = _run(context, place)
    if frame is None:
        return {}
    assert isinstance(frame.model, PairClassifier)
    grid = context.grids[min(place, len(context.grids) - 1)]
    area = grid.left, grid.right, grid.bottom, grid.top
    return {NAME: ReliefQuery(frame.model, frame.lane, area, context.document.class_names, frame.run_state)}


def scene(context: Context, lanes: Sequence[LaneScene]) -> tuple[object, ...]:
    """What the panel shows, while it is open."""
    if NAME not in context.session.open_panels:
        return ()
    place, answer = _studied(context), context.results.answer(NAME)
    lane = context.document.lanes[place]
    relief = None if answer is None else answer.value
    message = "" if answer is None else answer.message
    if _run(context, place) is None:
        relief, message = None, lanes[place].message or text.without(lane)
    elif relief is None:
        message = message or text.WAITING
    return (ReliefScene(place, relief, message, lane.classifier == "svm"),)
