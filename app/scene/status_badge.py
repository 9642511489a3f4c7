"""Badges: what is certified about a lane's picture, in one line that can be read from the last row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.engine.requests import AnyCertificate, Frame, Phase
from app.state.document import Lane
from app.state.number_format import grouped, percent, short
from solver import Certificate, KNeighborsClassifier, Status

from . import certificate_text
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
    if isinstance(frame.model, KNeighborsClassifier):
        said = headline(frame, frame.lane, compiled=True)
        return Badge(Mood.CERTIFIED, said[0].lower() + said[1:])
    run_state = frame.run_state
    where = "" if run_state is None else f"step {grouped(run_state.step)}"
    if frame.phase is Phase.TRAINING:
        return Badge(Mood.MOVING, f"still moving: {where}" if where else "still moving")
    if frame.phase is Phase.PAUSED:
        of = f" of {grouped(run_state.length)}" if run_state is not None and run_state.ended else ""
        what = certificate_text.so_far(frame.certificates, frame.lane)
        return Badge(Mood.RESTING, f"paused at {where}{of}: {what}" if where else f"paused: {what}")
    return _verdict(frame.certificates, frame.lane)


def _verdict(certificates: tuple[AnyCertificate, ...], lane: Lane) -> Badge:
    machines = [each for each in certificates if isinstance(each, Certificate)]
    if not machines:
        said = certificate_text.brief(certificates, lane)
        return Badge(Mood.CERTIFIED if said.certified else Mood.DOUBTFUL, said.text)
    whole = certificate_text.verdict(certificates, lane)
    by_status = {each.status: each for each in machines}
    numbers = _numbers(machines)
    mood = Mood.CERTIFIED if whole.certified else Mood.DOUBTFUL
    if Status.NOT_SEPARABLE in by_status:
        bound = min(each.margin_bound for each in machines if each.status is Status.NOT_SEPARABLE)
        return Badge(mood, f"not separable: the margin is below {short(bound)}")
    if Status.STOPPED_EARLY in by_status:
        if lane.learner == "lasvm" and not lane.svm.finish:
            return Badge(mood, f"over, without FINISH: {numbers}")
        return Badge(mood, f"stopped early at step {grouped(by_status[Status.STOPPED_EARLY].n_iter)}: {numbers}")
    if Status.PRECISION in by_status:
        words = "optimal to double precision" if whole.certified else "not shown optimal, double precision ends here"
        return Badge(mood, f"{words}: {numbers}")
    return Badge(mood, f"{'stationary' if Status.STATIONARY in by_status else 'optimal'}: {numbers}")


def _numbers(certificates: Sequence[Certificate]) -> str:
    """The worst KKT violation and gap."""
    text = f"KKT {short(max(0.0, *(each.kkt_violation for each in certificates)))}"
    gaps = [each.gap for each in certificates]
    return text if any(map(math.isnan, gaps)) else f"{text}, gap {percent(max(gaps))}"
