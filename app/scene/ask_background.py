"""Ask the background: requests from the scheduler the pictures and answers that the window should show."""

from __future__ import annotations

from app.engine.requests import LaneSpec
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from app.scene.compared import sides_of
from app.scene.context import Context
from app.scene.feature_table import FeatureTable
from app.state.session import SPEEDS
from solver.core import fast_loops


def order(scheduler: Scheduler, context: Context, features: FeatureTable, shades: Shades) -> None:
    """Ask for each lane's picture; nothing is asked twice."""
    document, session = context.document, context.session
    watched = features.watched(session)
    sides = sides_of(document, context.results)
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
        scheduler.want(slot, spec)
    for place, slot in enumerate(document.slots[document.shown :], document.shown):
        (scheduler.stop if place < len(document.lanes) else scheduler.forget)(slot)


def ask(scheduler: Scheduler, context: Context, features: FeatureTable) -> None:
    """Ask what the features want to know."""
    scheduler.ask(features.queries(context))
