"""Badges: what is certified about a lane's picture, in one line that can be read from the last row."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from app.core.number_format import about, count, grouped, short
from app.engine.cover import Cover
from app.engine.requests import Frame, Phase

from . import text
from .text import headline


class Mood(StrEnum):
    """How a badge looks: each has a colour and a sign of its own."""

    CERTIFIED = "certified"
    MOVING = "moving"
    RESTING = "resting"  #: paused on the way
    DOUBTFUL = "doubtful"  #: over, and nothing good is proved
    UNPROVED = "unproved"  #: over, by a classifier of which nothing can be proved
    NONE = "none"


SIGNS = {
    Mood.CERTIFIED: "✓",
    Mood.MOVING: "…",
    Mood.RESTING: "‖",
    Mood.DOUBTFUL: "!",
    Mood.UNPROVED: "○",
    Mood.NONE: "",
}


class Badge(Struct, frozen=True):
    """A mood, and its text: two words at most, a colon, and what stands in the tip alone."""

    mood: Mood
    text: str

    @property
    def short(self) -> str:
        """Return the words that are in sight: "optimal", "stopped early", "step 5"."""
        return self.text.partition(": ")[0]


NO_BADGE = Badge(Mood.NONE, "")


def badge(frame: Frame | None) -> Badge:
    """The badge of a lane's newest frame."""
    if frame is None or frame.model is None:
        return NO_BADGE
    if text.is_all_tied(frame):
        return Badge(Mood.DOUBTFUL, "all tied: no class is ahead")
    family = frame.lane.family
    if family.own_process:
        if frame.phase is Phase.TRAINING:
            return Badge(Mood.MOVING, "still training: the last picture stays until it is done")
        return Badge(Mood.UNPROVED, "not certified: its training has ended, which proves nothing about its result")
    if frame.lane.trainer is None:
        said = family.headline(frame.lane.settings, len(frame.points))
        return Badge(Mood.CERTIFIED, said[0].lower() + said[1:])
    if not frame.certificates:  # nothing is proved of it
        if frame.at_once is None:
            return NO_BADGE
        said = headline(frame, frame.lane).rstrip("…")
        moving = frame.phase is Phase.TRAINING
        return Badge(Mood.MOVING, f"training: {said}") if moving else Badge(Mood.RESTING, said.replace("P", "p", 1))
    run_state = frame.run_state
    where = "" if run_state is None else f"step {grouped(run_state.step)}"
    if frame.phase is Phase.TRAINING:
        return Badge(Mood.MOVING, f"{where}: still moving" if where else "still moving")
    if frame.phase is Phase.PAUSED:
        of = f" of {grouped(run_state.length)}" if run_state is not None and run_state.ended else ""
        what = family.so_far(frame.certificates, frame.lane.settings)
        return Badge(Mood.RESTING, f"paused: at {where}{of}, {what}" if where else f"paused: {what}")
    verdict = family.verdict(frame.certificates, frame.lane.settings)
    return Badge(Mood.CERTIFIED if verdict.certified else Mood.DOUBTFUL, verdict.badge)


class Status(NamedTuple):
    """A few words in a lane's status line, and a sentence about them; where there is no room, `brief` stands for the
    words, and those `aside` go first.

    An accuracy that is known is `measured`.
    """

    text: str
    tip: str
    aside: bool = False
    measured: bool = False
    brief: str = ""


def rests(frame: Frame | None, followed: bool) -> tuple[Status, ...]:
    """Of a run that rests on its way: how it goes on, for it rests for new points and settings, too.

    Of one that is `followed` on its timeline, also that it has ended.
    """
    if frame is None:
        return ()
    if followed and frame.run_state is not None and frame.run_state.at_end:
        return (Status("no step left", "The run has ended here: Space plays it again from the start.", aside=True),)
    if frame.phase is not Phase.PAUSED:
        return ()
    return (Status("Space goes on", "Paused: for new points and settings, too, until Space or Pause lets it go on."),)


def at_once(frame: Frame | None, n_trainable: int) -> tuple[Status, ...]:
    """That there are no steps to follow, where that is so."""
    said = text.at_once(frame, n_trainable)
    if not said or frame is None:
        return ()
    moving = frame.phase is Phase.TRAINING
    whole = Status(said, f"{text.NO_STEPS}{'  Space stops it.' if moving else ''}", aside=True)
    expected = frame.at_once.expected if moving and frame.at_once is not None else 0.0
    return (Status(about(expected), "Expected time of the training."), whole) if expected > 0 else (whole,)


def probability(frame: Frame | None) -> tuple[Status, ...]:
    """Return how the probability that is fitted to f contradicts f, or what its picture waits for."""
    if frame is None or frame.picture is None or Cover.TRAINING in frame.cover:
        return ()
    if not frame.lane.shows_probability or frame.model is None or frame.model.kind != "f":
        return ()
    found = frame.probability
    if found is None:
        if frame.phase is Phase.DONE:
            return (Status("probability follows", "The colours show f until five more trainings give a probability."),)
        return (Status("colours show f", "The probability follows when the training has ended."),)
    if found.refused:
        return (Status("no probability", found.refused),)
    if found.falls:
        tip = "On points left out of the training, f was wrong more often than right: the sigmoid falls where f rises."
        return (Status("probability contradicts f", tip),)
    points = count(found.contradicted, "training point")
    if found.n_classes > 2:
        tip = (
            f"The most probable class is not the one that is predicted at {points}: colours and boundary differ there."
        )
        return (Status(f"other class at {points}", tip),) if found.contradicted else ()
    half = short(found.levels[1])
    tip = (
        f"The probability is 50 % at f = {half}, on the dashed line in the middle; the boundary, solid, is at f = 0."
        f"  Between the two they contradict each other, at {points}."
    )
    return (Status(f"50 % at f = {half}", tip),)


def scores(frame: Frame | None) -> tuple[Status, ...]:
    """The accuracy on the training points, where it is known."""
    if frame is None or frame.model is None or (frame.at_once is not None and frame.phase is not Phase.DONE):
        return ()
    if Cover.TRAINING in frame.cover:
        return ()
    tip = f"Training accuracy: on the points that it was trained on.  {text.TIE_RULE}"
    number = text.training_accuracy(frame)
    brief = f"train {text.without_rule(number)}"
    return (Status(f"training {number}", tip, measured=frame.accuracy >= 0, brief=brief),)
