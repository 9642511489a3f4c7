"""Diagnoses of trainings without a window."""

from __future__ import annotations

import math
from typing import Any

from app.core.points import Points
from app.engine.frames import Frame, LaneRequest, LaneSpec
from app.engine.lane_job import LaneJob
from app.engine.shading import Shades
from app.features.remarks.diagnosis import Diagnosis
from app.state.document import Lane
from solver import Grid

GRID = Grid(-2, 2, -2, 2, 20, 20)
SHADES = Shades((255, 255, 255), ((0, 0, 0),) * 8, (9, 9, 9))


def trained(lane: Lane, points: Points) -> Frame:
    """Return the last frame of a lane's training."""
    frames: list[Frame] = []
    spec = LaneSpec(points, lane, GRID, SHADES, False, math.inf, 0, True)
    list(LaneJob(frames.append)(LaneRequest(1, 0, spec), lambda: False))
    return frames[-1]


def diagnosed(lane: Lane, points: Points, test: Points = Points()) -> tuple[Frame, dict[str, Any]]:  # noqa: B008
    """Return the last frame of a lane's training, and the facts about it."""
    frame, found = trained(lane, points), list[dict[str, Any]]()
    list(Diagnosis(lane, points, test).answer(found.append, lambda: False))
    return frame, found[-1]
