"""Ordering: asks the conductor for everything that the window should show at a moment: pictures, and answers."""

from __future__ import annotations

from app.engine.requests import Wish
from app.engine.scheduler import Conductor
from app.features.difference.scene import sides_of
from app.scene.context import Moment
from app.state.session import SPEEDS

from .queries import questions


def order(conductor: Conductor, moment: Moment) -> None:
    """Ask for each lane's picture and for what the features want to know; nothing is asked twice."""
    document, session = moment.document, moment.session
    sides = sides_of(document, moment.results)
    for lane, slot, grid in zip(document.lanes, document.slots, moment.grids, strict=False):
        if lane.is_difference and sides is None:
            conductor.forget(slot)
            continue
        wish = Wish(
            document.training_points,
            lane,
            grid,
            moment.shades,
            not session.playing[slot],
            SPEEDS[session.speeds[slot]],
            session.restarts[slot],
            moment.compiled,
            session.seeks[slot],
            sides if lane.is_difference else None,
            "curves" in session.looking,
            session.kkt,
        )
        conductor.want(slot, wish)
    for place, slot in enumerate(document.slots[document.shown :], document.shown):
        (conductor.stop if place < len(document.lanes) else conductor.forget)(slot)
    conductor.ask(questions(moment))
