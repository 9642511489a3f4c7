"""BackgroundRequests: request the pictures and answers that the window displays from the scheduler."""

from __future__ import annotations

from app.engine.frames import LaneSpec, Sides
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from app.scene.compared import sides_of
from app.scene.feature import FeatureTable
from app.scene.model import Context
from app.state.session import SPEEDS
from solver.core import fast_loops

#: Owner of the queries of features that follow the pointer.
POINTER = "pointer"


class BackgroundRequests:
    """Request pictures and answers, again only if their inputs have changed.

    Parameters
    ----------
    scheduler : Scheduler
    features : FeatureTable
    """

    def __init__(self, scheduler: Scheduler, features: FeatureTable) -> None:
        self._scheduler, self._features = scheduler, features
        self._following, self._others = features.by_pointer()
        self._last: dict[str, tuple[object, ...]] = {}

    def update(self, context: Context, shades: Shades) -> None:
        """Request the pictures and answers for `context` that have not been requested yet."""
        document, news = context.document, self._scheduler.results.news
        inputs = (document, context.session, context.grids, fast_loops.ready())
        sides = sides_of(document, context.results) if any(lane.is_difference for lane in document.lanes) else None
        if self._is_new("pictures", *inputs, shades, sides):
            self._order(context, shades, sides)
        if self._is_new("questions", *inputs, news):
            self._scheduler.request_answers(self._others.queries(context))
        if self._is_new(POINTER, *inputs, news, context.pointer):
            self._scheduler.request_answers(self._following.queries(context), POINTER)

    def _is_new(self, what: str, *inputs: object) -> bool:
        """Return whether the `inputs` of `what` differ from the last ones."""
        before, self._last[what] = self._last.get(what), inputs
        return before != inputs

    def _order(self, context: Context, shades: Shades, sides: Sides | None) -> None:
        """Request each lane's picture; `sides` are the models that a difference compares."""
        document, session, scheduler = context.document, context.session, self._scheduler
        watched = self._features.watched(session)
        for lane, slot, grid in zip(document.lanes, document.slots, context.grids, strict=False):
            if lane.is_difference and sides is None:
                scheduler.forget(slot)
                continue
            spec = LaneSpec(
                document.training_points,
                lane,
                grid,
                shades,
                not session.playing[slot],
                SPEEDS[session.speeds[slot]],
                session.restarts[slot],
                fast_loops.ready(),
                session.seeks[slot],
                sides if lane.is_difference else None,
                "curves" in watched,
                "cases" in watched,
                session.replay_factor,
            )
            scheduler.request_picture(slot, spec)
        for index, slot in enumerate(document.slots[document.shown :], document.shown):
            (scheduler.stop if index < len(document.lanes) else scheduler.forget)(slot)
