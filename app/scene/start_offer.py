"""StartOffer: a sentence and commands, offered in an empty picture or panel."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from app.state.document import Document, Lane
from app.state.session import Session

#: Requirements of panels.
POINTS, TRAINING = "points", "training"
TRAINED = (POINTS, TRAINING)


class StartOffer(Struct, frozen=True):
    """An offer: a sentence and commands.

    Attributes
    ----------
    sentence : str
        "" if the picture has it already.
    actions : tuple of str
        Names of the commands, the likeliest first.
    large : bool
        Shown in large text, at the lower edge of the picture.
    """

    sentence: str
    actions: tuple[str, ...]
    large: bool = False


BEGIN = ("examples", "paste", "open")
FIRST = StartOffer("New here? Begin with one of these.", ("examples", "real_data"), large=True)
EMPTY_PICTURE = StartOffer("", BEGIN)
EMPTY_PANEL = StartOffer("No points yet: click in a picture, or begin with", BEGIN)
COVERED = StartOffer("Covered until the reveal.", ())
UNTRAINED = StartOffer("No classifier shown here is trained step by step, as an SVM is.", ("add_lane",))


def in_picture(document: Document, session: Session) -> StartOffer | None:
    """Return the offer in the first picture: the gallery at the first start, ways to begin without points, or None."""
    if session.presents_here or session.drawing:
        return None
    if session.first_start:
        return None if session.legend else FIRST  # the legend has the same corner
    return None if len(document.points) else EMPTY_PICTURE


def in_panel(needs: Collection[str], n_points: int, lanes: Sequence[Lane]) -> StartOffer | None:
    """Return the offer in a panel that lacks what it `needs`, or None."""
    if POINTS in needs and not n_points:
        return EMPTY_PANEL
    return UNTRAINED if TRAINING in needs and all(lane.trainer is None for lane in lanes) else None
