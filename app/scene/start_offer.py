"""StartOffer: a sentence and the commands that go on, where a picture or a panel has nothing to show."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from app.state.document import Document, Lane
from app.state.session import Session

#: What a panel may need to have something to show.
POINTS, TRAINING = "points", "training"
TRAINED = (POINTS, TRAINING)


class StartOffer(Struct, frozen=True):
    """What is offered.

    Attributes
    ----------
    sentence : str
        "" where the picture has it already.
    actions : tuple of str
        Names of the commands, the likeliest first.
    large : bool
        In large text, at the lower edge of the picture.
    """

    sentence: str
    actions: tuple[str, ...]
    large: bool = False


BEGIN = ("examples", "paste", "open")
FIRST = StartOffer("New here? Begin with an example, a lesson or real data.", ("examples", "real_data"), large=True)
EMPTY_PICTURE = StartOffer("", BEGIN)
EMPTY_PANEL = StartOffer("No points yet: click in a picture, or begin with", BEGIN)
UNTRAINED = StartOffer("No classifier in sight is trained step by step, as an SVM is.", ("add_lane",))


def in_picture(document: Document, session: Session) -> StartOffer | None:
    """Return what is offered in the first picture: the gallery at the first start, and how to begin without points."""
    if session.presents_here or session.drawing:
        return None
    if session.first_start:
        return FIRST
    return None if len(document.points) else EMPTY_PICTURE


def in_panel(needs: Collection[str], n_points: int, lanes: Sequence[Lane]) -> StartOffer | None:
    """Return what is offered in a panel that lacks what it `needs`."""
    if POINTS in needs and not n_points:
        return EMPTY_PANEL
    return UNTRAINED if TRAINING in needs and all(lane.trainer is None for lane in lanes) else None
