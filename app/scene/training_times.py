"""Training times: estimates for the classifiers on screen with other numbers of points."""

from __future__ import annotations

import math

from msgspec import Struct

from app.core.number_format import about
from app.engine.frames import Frame, Phase
from app.engine.results import Results
from app.learners.base import Measured
from app.state.document import Document

#: Choices for the largest number of training points.
LIMITS = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)


class TrainingTime(Struct, frozen=True):
    """Estimated time of training on at most `limit` points.

    Attributes
    ----------
    limit : int
    total : str
        "about 2 s"; "at least 2 s" if unknown for some classifiers; "" if for all.
    each : str
        The same for each classifier, one per line.
    """

    limit: int
    total: str
    each: str


def training_times(document: Document, results: Results, limits: tuple[int, ...]) -> tuple[TrainingTime, ...]:
    """Return estimates for each of `limits`, from measured times and a model of the cost."""
    parts, lanes = document.parts, document.lanes[: document.shown]
    frames = [results.frame(slot) for slot in document.slots[: document.shown]]
    known = [
        measured(frame) if frame is not None and frame.lane == lane and frame.points is parts.training else None
        for lane, frame in zip(lanes, frames, strict=True)
    ]
    found = []
    for limit in limits:
        n = min(limit, parts.n_trainable)
        lines, total, missing = [], 0.0, False
        for number, (lane, each) in enumerate(zip(lanes, known, strict=True), 1):
            if lane.is_difference:
                continue
            extent, n_classes = lane.inputs(parts.training).extent, len(parts.training.classes)
            seconds = lane.family.estimate(lane.settings, n, extent, each, n_classes)
            missing |= math.isnan(seconds)
            total += 0.0 if math.isnan(seconds) else seconds
            lines.append(f"{number} {lane.family.short}: {'not known yet' if math.isnan(seconds) else about(seconds)}")
        words = about(total) if total else ""
        found.append(TrainingTime(limit, f"{words} and more" if missing and words else words, "\n".join(lines)))
    return tuple(found)


def measured(frame: Frame) -> Measured | None:
    """Return the measured time of a frame's training, if it has ended."""
    if frame.phase is not Phase.DONE or not len(frame.points):
        return None
    n, model = len(frame.points), frame.model
    share = len(model.expansion.support) / n if model is not None and model.kind == "f" else math.nan
    return Measured(n, frame.seconds, share)
