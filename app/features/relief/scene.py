"""Scene of the relief: its query while the panel is open, and the answer."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from app.engine.frames import Frame
from app.engine.query import LaneQuestion, Query
from app.scene.model import Context, LaneScene
from app.scene.text import COVERED, NUMBERS_COVERED
from app.state.document import Document
from app.state.session import Session
from solver.core import fast_loops

from . import text
from .query import Relief, ReliefQuery, map_change

#: Name of the panel, and first part of the name of its question.
NAME = "relief"


class ReliefScene(Struct, frozen=True):
    """The relief for the panel.

    Attributes
    ----------
    lane : int
        Index of the lane.
    relief : Relief or None
        None while there is none.
    message : str
        Why there is none, in a sentence; or "".
    can_map : bool
        True if the lane could be given a kernel whose map can be drawn.
    """

    lane: int
    relief: Relief | None
    message: str
    can_map: bool


def _run_lane(document: Document, session: Session) -> int:
    """Return the index of the displayed lane: the chosen one, else the first that has an f."""
    ways = sorted(range(document.shown), key=lambda index: index != session.selected_lane(document, NAME))
    return next((index for index in ways if document.lanes[index].has_f), 0)


def _run(context: Context, index: int) -> Frame | None:
    """Return the frame of a lane that has a run on the present points, and an f."""
    frame = context.results.frame(context.document.slots[index])
    if frame is None or frame.run_state is None or not frame.lane.has_f:
        return None
    return frame if frame.points is context.document.training_points else None


def queries(context: Context) -> dict[str, Query]:
    """Return the query for the relief of the chosen lane over its view, while the panel is open."""
    if NAME not in context.session.open_panels or not fast_loops.ready() or not context.grids:
        return {}
    index = _run_lane(context.document, context.session)
    frame = _run(context, index)
    if frame is None or frame.model is None or frame.model.kind != "f":
        return {}
    grid = context.grids[min(index, len(context.grids) - 1)]
    area = grid.left, grid.right, grid.bottom, grid.top
    document = context.document
    query = ReliefQuery(
        frame.model, frame.lane, area, document.class_names, document.view.ratio, run_state=frame.run_state
    )
    return {LaneQuestion(NAME, context.document.slots[index]): query}


def scene(context: Context, lanes: Sequence[LaneScene]) -> tuple[object, ...]:
    """Return the scene of the panel while it is open."""
    if NAME not in context.session.open_panels:
        return ()
    index = _run_lane(context.document, context.session)
    answer = context.results.answer(LaneQuestion(NAME, context.document.slots[index]))
    lane, lane_scene = context.document.lanes[index], lanes[index]
    relief = None if answer is None else answer.value
    message = "" if answer is None else answer.message
    if _run(context, index) is None:
        covered = f"{lane_scene.headline}." if lane_scene.headline in (COVERED, NUMBERS_COVERED) else ""
        relief, message = None, lane_scene.message or covered or lane_scene.no_steps or text.without(lane)
    elif relief is None:
        message = message or text.WAITING
    return (ReliefScene(index, relief, message, map_change(lane) is not None),)
