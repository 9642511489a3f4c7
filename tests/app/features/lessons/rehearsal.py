"""Rehearsal: a document trained and scored as a step displays it, without a window and threads."""

from __future__ import annotations

import math
import time

from app.engine.frames import Frame, LaneRequest, LaneSpec
from app.engine.lane_job import LaneJob
from app.engine.query import Answer
from app.engine.results import Results
from app.engine.shading import Shades
from app.features.scores.scene import queries
from app.scene.model import Context
from app.state.document import Document
from app.state.session import Session
from solver import Grid

SMALL = Grid(-3.0, 3.0, -3.0, 3.0, 24, 24)
SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))
#: Processor time after which a training is interrupted (s).
LONGEST = 10.0


def frame_of(document: Document, index: int, paused: bool = False) -> Frame:
    """Return the last frame of a lane; if it is paused, the frame before its first step."""
    frames: list[Frame] = []
    lane, slot = document.lanes[index], document.slots[index]
    spec = LaneSpec(document.training_points, lane, SMALL, SHADES, paused, math.inf, 0, True)
    end = time.thread_time() + LONGEST
    for _ in LaneJob(frames.append)(LaneRequest(1, slot, spec), lambda: time.thread_time() > end):
        pass
    return frames[-1]


def context_of(document: Document, paused: bool = False, scored: bool = True) -> Context:
    """Return the context of the trained and scored document."""
    context = Context(document, Session(), Results())
    for index in range(document.shown):
        context.results.accept(frame_of(document, index, paused))
    for name, query in queries(context).items() if scored else ():
        posted: list[float] = []
        for _ in query.answer(posted.append, lambda: False):
            pass
        context.results.accept(Answer(name, 1, query, posted[-1], True))
    return context
