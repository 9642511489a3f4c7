"""Badges: what is certified about a lane's picture, in one line that can be read from the last row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from solver import Certificate, KNeighborsClassifier, Status

from .document import Lane
from .jobs.requests import AnyCertificate, Frame, Phase
from .verdicts import SMALL_GAP, brief, so_far
from .words import grouped, headline, percent, short


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
    study = frame.study
    where = "" if study is None else f"step {grouped(study.step)}"
    if frame.phase is Phase.TRAINING:
        return Badge(Mood.MOVING, f"still moving: {where}" if where else "still moving")
    if frame.phase is Phase.PAUSED:
        of = f" of {grouped(study.length)}" if study is not None and study.ended else ""
        what = so_far(frame.certificates)
        return Badge(Mood.RESTING, f"paused at {where}{of}: {what}" if where else f"paused: {what}")
    return _verdict(frame.certificates, frame.lane)


def _verdict(proofs: tuple[AnyCertificate, ...], lane: Lane) -> Badge:
    certificates = [each for each in proofs if isinstance(each, Certificate)]
    if not certificates:
        said = brief(proofs, lane)
        return Badge(Mood.CERTIFIED if said.certified else Mood.DOUBTFUL, said.text)
    by_status = {each.status: each for each in certificates}
    numbers = _numbers(certificates)
    if Status.NOT_SEPARABLE in by_status:
        bound = min(each.margin_bound for each in certificates if each.status is Status.NOT_SEPARABLE)
        return Badge(Mood.DOUBTFUL, f"not separable: the margin is below {short(bound)}")
    if Status.STOPPED_EARLY in by_status:
        if lane.learner == "lasvm" and not lane.svm.finish:
            return Badge(Mood.DOUBTFUL, f"over, without FINISH: {numbers}")
        steps = grouped(by_status[Status.STOPPED_EARLY].n_iter)
        return Badge(Mood.DOUBTFUL, f"stopped early at step {steps}: {numbers}")
    if Status.PRECISION in by_status:
        if all(each.gap <= SMALL_GAP for each in certificates):
            return Badge(Mood.CERTIFIED, f"optimal to double precision: {numbers}")
        return Badge(Mood.DOUBTFUL, f"not shown optimal, double precision ends here: {numbers}")
    if Status.STATIONARY in by_status:
        return Badge(Mood.CERTIFIED, f"stationary: {numbers}")
    return Badge(Mood.CERTIFIED, f"optimal: {numbers}")


def _numbers(certificates: list[Certificate]) -> str:
    """The worst KKT violation and gap."""
    text = f"KKT {short(max(0.0, *(each.kkt_violation for each in certificates)))}"
    gaps = [each.gap for each in certificates]
    return text if any(map(math.isnan, gaps)) else f"{text}, gap {percent(max(gaps))}"
