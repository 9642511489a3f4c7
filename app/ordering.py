"""Ordering: asks the conductor for everything that the window should show at a moment: pictures, and answers."""

from __future__ import annotations

from .conductor import Conductor
from .inquiries import Moment, questions
from .jobs.requests import Wish
from .session import SPEEDS


def order(conductor: Conductor, moment: Moment) -> None:
    """Ask for each lane's picture and for what the features want to know; nothing is asked twice."""
    document, session = moment.document, moment.session
    for lane, slot, grid in zip(document.lanes, document.slots, moment.grids, strict=False):
        wish = Wish(
            document.training_points, lane, grid, moment.shades, not session.playing[slot],
            SPEEDS[session.speeds[slot]], session.restarts[slot], moment.compiled, session.seeks[slot],
            "curves" in session.looking, session.kkt,
        )  # fmt: skip
        conductor.want(slot, wish)
    for place, slot in enumerate(document.slots[document.shown :], document.shown):
        (conductor.stop if place < len(document.lanes) else conductor.forget)(slot)
    conductor.ask(questions(moment))
