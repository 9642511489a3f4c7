"""Badges: what is certified about a lane's picture, in one line that can be read from the last row."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.engine.requests import Frame, Phase
from app.state.number_format import grouped

from .text import headline


class Mood(StrEnum):
    """How a badge looks: each has a colour and a sign of its own."""

    CERTIFIED = "certified"
    MOVING = "moving"
    RESTING = "resting"  #: paused on the way
    DOUBTFUL = "doubtful"  #: over, and nothing good is proved
    NONE = "none"


SIGNS = {Mood.CERTIFIED: "✓", Mood.MOVING: "…", Mood.RESTING: "‖", Mood.DOUBTFUL: "!", Mood.NONE: ""}


@dataclass(frozen=True)
class Badge:
    """A mood and what to say."""

    mood: Mood
    text: str


NO_BADGE = Badge(Mood.NONE, "")


def badge(frame: Frame | None) -> Badge:
    """The badge of a lane's newest frame."""
    if frame is None or frame.model is None:
        return NO_BADGE
    family = frame.lane.family
    if frame.lane.trainer is None:
        said = headline(frame, frame.lane, compiled=True)
        return Badge(Mood.CERTIFIED, said[0].lower() + said[1:])
    if not frame.certificates:  # nothing is proved of it
        return NO_BADGE
    run_state = frame.run_state
    where = "" if run_state is None else f"step {grouped(run_state.step)}"
    if frame.phase is Phase.TRAINING:
        return Badge(Mood.MOVING, f"still moving: {where}" if where else "still moving")
    if frame.phase is Phase.PAUSED:
        of = f" of {grouped(run_state.length)}" if run_state is not None and run_state.ended else ""
        what = family.so_far(frame.certificates, frame.lane)
        return Badge(Mood.RESTING, f"paused at {where}{of}: {what}" if where else f"paused: {what}")
    verdict = family.brief(frame.certificates, frame.lane)
    return Badge(Mood.CERTIFIED if verdict.certified else Mood.DOUBTFUL, verdict.text)
