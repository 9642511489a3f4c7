"""Training times: about how long the classifiers on screen take for other numbers of points, where that is known."""

from __future__ import annotations

import math

from msgspec import Struct

from app.core.number_format import about
from app.engine.requests import Frame, Phase
from app.engine.results import Results
from app.learners.base import Measured
from app.state.document import Document

#: Numbers of points that can be chosen as the most to learn from.
LIMITS = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)


class TrainingTime(Struct, frozen=True):
    """What learning from at most `limit` points will take.

    Attributes
    ----------
    limit : int
    total : str
        "about 2 s", "at least 2 s" where it is not known of every classifier; "" where of none.
    each : str
        The same of each classifier, in a line each.
    """

    limit: int
    total: str
    each: str


def training_times(document: Document, results: Results, limits: tuple[int, ...]) -> tuple[TrainingTime, ...]:
    """Of the classifiers on screen, for each of `limits`: from what they took, and from a model of the cost."""
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
        for place, (lane, each) in enumerate(zip(lanes, known, strict=True), 1):
            if lane.is_difference:
                continue
            extent, n_classes = lane.inputs(parts.training).extent, len(parts.training.classes)
            seconds = lane.family.estimate(lane.settings, n, extent, each, n_classes)
            missing |= math.isnan(seconds)
            total += 0.0 if math.isnan(seconds) else seconds
            lines.append(f"{place} {lane.family.short}: {'not known yet' if math.isnan(seconds) else about(seconds)}")
        said = about(total) if total else ""
        found.append(TrainingTime(limit, f"{said} and more" if missing and said else said, "\n".join(lines)))
    return tuple(found)


def measured(frame: Frame) -> Measured | None:
    """What the training of a frame took, if it has ended."""
    if frame.phase is not Phase.DONE or not len(frame.points):
        return None
    n, model = len(frame.points), frame.model
    share = len(model.expansion.support) / n if model is not None and model.kind == "f" else math.nan
    return Measured(n, frame.seconds, share)
