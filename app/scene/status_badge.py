"""Badges: what is certified about a lane's picture, in a few words legible from the last row of a lecture room."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from app.core.number_format import about, count, grouped, short
from app.engine.cover import Cover
from app.engine.frames import Frame, Phase
from app.learners.base import Verdict
from app.state.document import Lane

from . import text
from .text import headline


class Mood(StrEnum):
    """Appearance of a badge: each mood has a colour and an icon."""

    CERTIFIED = "certified"
    MOVING = "moving"
    RESTING = "resting"  #: paused before the end
    DOUBTFUL = "doubtful"  #: ended, without a proof of optimality
    UNPROVED = "unproved"  #: ended, with a classifier about which nothing can be proved
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
    """A mood and a text: at most two words, a colon, and the rest, which only the tool tip shows."""

    mood: Mood
    text: str

    @property
    def short(self) -> str:
        """Return the visible words: "optimal", "stopped early", "step 5"."""
        return self.text.partition(": ")[0]


NO_BADGE = Badge(Mood.NONE, "")


def badge(frame: Frame | None) -> Badge:
    """Return the badge of a lane's newest frame."""
    if frame is None or frame.model is None:
        return NO_BADGE
    if text.is_all_tied(frame):
        return Badge(Mood.DOUBTFUL, "all tied: no class is ahead")
    family = frame.lane.family
    if frame.lane.trainer is None:
        if frame.phase is Phase.TRAINING:
            return Badge(Mood.MOVING, "still training: the last picture stays until it is done")
        return of_verdict(family.fit_verdict(frame.lane.settings, len(frame.points)))
    if not frame.certificates:  # nothing is proved
        if frame.fast_run is None:
            return NO_BADGE
        sentence = headline(frame, frame.lane).rstrip("…")
        moving = frame.phase is Phase.TRAINING
        if moving:
            return Badge(Mood.MOVING, f"training: {sentence}")
        return Badge(Mood.RESTING, sentence.replace("P", "p", 1))
    run_state = frame.run_state
    where = "" if run_state is None else f"step {grouped(run_state.step)}"
    if frame.phase is Phase.TRAINING:
        return Badge(Mood.MOVING, f"{where}: still moving" if where else "still moving")
    if frame.phase is Phase.PAUSED:
        of = f" of {grouped(run_state.length)}" if run_state is not None and run_state.ended else ""
        what = family.so_far(frame.certificates, frame.lane.settings)
        return Badge(Mood.RESTING, f"paused: at {where}{of}, {what}" if where else f"paused: {what}")
    return of_verdict(family.verdict(frame.certificates, frame.lane.settings))


def of_verdict(verdict: Verdict) -> Badge:
    """Return the badge of a finished training."""
    moods = {True: Mood.CERTIFIED, False: Mood.DOUBTFUL, None: Mood.UNPROVED}
    return Badge(moods[verdict.certified], verdict.badge)


#: A change to try: its undo text, such as "Set γ to 0.64", and the lane with it.
Try: TypeAlias = tuple[str, Lane]


class StatusPart(NamedTuple):
    """A few words in a lane's status line, and a sentence about them.

    If space is short, `brief` replaces the words, and those `aside` are hidden first.

    An available accuracy is `measured`.  A remark has changes to try, or none: `tries` is None for all other parts.
    """

    text: str
    tip: str
    aside: bool = False
    measured: bool = False
    brief: str = ""
    tries: tuple[Try, ...] | None = None


#: Of a run whose step 0 has the multipliers of an earlier training.
CONTINUED = StatusPart(
    "continues the last training",
    "Step 0 is the solution before the last change of points or settings, so that few steps are left.  Play at the end"
    " trains from zero.",
    aside=True,
)


def paused(frame: Frame | None, followed: bool) -> tuple[StatusPart, ...]:
    """Return how to continue a run that is paused; it stays paused for new points and settings, too.

    For a run that is `followed` on its timeline, return also that it has ended, and that it did not begin at zero.
    """
    if frame is None:
        return ()
    continued: tuple[StatusPart, ...] = ()
    if followed and frame.continues:
        continued = (CONTINUED,)
    if followed and frame.run_state is not None and frame.run_state.at_end:
        end = StatusPart("no step left", "The run has ended here: Space plays it again from the start.", aside=True)
        return (end, *continued)
    if frame.phase is not Phase.PAUSED:
        return continued
    tip = "Paused: for new points and settings, too, until Space or Play continues."
    return (StatusPart("Space: continue", tip), *continued)


def fast_training(frame: Frame | None, n_trainable: int) -> tuple[StatusPart, ...]:
    """Return that there are no steps to follow, if so."""
    sentence = text.fast_training(frame, n_trainable)
    if not sentence or frame is None:
        return ()
    moving = frame.phase is Phase.TRAINING
    whole = StatusPart(sentence, f"{text.NO_STEPS}{'  Space stops it.' if moving else ''}", aside=True)
    expected = frame.fast_run.expected if moving and frame.fast_run is not None else 0.0
    return (StatusPart(about(expected), "Expected time of the training."), whole) if expected > 0 else (whole,)


def probability(frame: Frame | None) -> tuple[StatusPart, ...]:
    """Return how the probability fitted to f contradicts f, or what its picture waits for."""
    if frame is None or frame.picture is None or Cover.TRAINING in frame.cover:
        return ()
    if not frame.lane.shows_probability or frame.model is None or frame.model.kind != "f":
        return ()
    found = frame.probability
    if found is None:
        if frame.phase is Phase.DONE:
            return (
                StatusPart("probability follows", "The colours show f until five more trainings give a probability."),
            )
        return (StatusPart("colours show f", "The probability follows when the training has ended."),)
    if found.refused:
        return (StatusPart("no probability", found.refused),)
    if found.falls:
        tip = "On points left out of the training, f was wrong more often than right: the sigmoid falls where f rises."
        return (StatusPart("probability contradicts f", tip),)
    points = count(found.contradicted, "training point")
    if found.n_classes > 2:
        tip = (
            f"The most probable class is not the one that is predicted at {points}: colours and boundary differ there."
        )
        return (StatusPart(f"other class at {points}", tip),) if found.contradicted else ()
    half = short(found.levels[1])
    tip = (
        f"The probability is 50 % at f = {half}, on the dashed line in the middle; the boundary, solid, is at f = 0."
        f"  Between the two they contradict each other, at {points}."
    )
    return (StatusPart(f"50 % at f = {half}", tip),)


def scores(frame: Frame | None) -> tuple[StatusPart, ...]:
    """Return the accuracy on the training points, if available."""
    if frame is None or frame.model is None or (frame.fast_run is not None and frame.phase is not Phase.DONE):
        return ()
    if Cover.TRAINING in frame.cover:
        return ()
    tip = f"Training accuracy: on the points that it was trained on.  {text.TIE_RULE}"
    number = text.training_accuracy(frame)
    brief = f"train {text.without_rule(number)}"
    return (StatusPart(f"training {number}", tip, measured=frame.accuracy >= 0, brief=brief),)
