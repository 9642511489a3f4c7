"""Lesson scene: what panel and pictures display of a lesson; no Qt."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.engine.cover import Cover
from app.engine.overlays import Sheet
from app.engine.query import Query
from app.scene.model import Context, LaneScene
from app.state.document import Document
from app.state.session import Session

from . import matching, text
from .model import Lesson, Prediction, Step
from .predicting import AGREEMENT, Agreement, graded
from .state import Guess, LessonSession


class LessonScene(Struct, frozen=True):
    """The displayed state of a lesson.

    Attributes
    ----------
    now : LessonSession
        Current step and what was done in all steps, graded.
    lesson : Lesson
    step : Step
    score : str
        Result of a guess that was drawn or picked.
    reached : bool or None
        Whether the goal is reached; None while that is unknown.
    goal : str
        The goal with the present values.
    covers : dict of int to Cover
        What is covered, by the slots of lanes.
    drawn_on : frozenset of int
        Slots of the lanes over which the guess is drawn.
    pair, taken : tuple of (float, float)
        Locations of the picked points, and of the rule's.
    """

    now: LessonSession
    lesson: Lesson
    step: Step
    score: str
    reached: bool | None
    goal: str
    covers: Mapping[int, Cover]
    drawn_on: frozenset[int]
    pair: tuple[tuple[float, float], ...]
    taken: tuple[tuple[float, float], ...]

    @property
    def covered(self) -> frozenset[int]:
        """Slots of the lanes whose pictures are covered."""
        return frozenset(slot for slot, cover in self.covers.items() if Cover.PAINT in cover)


def covers(document: Document, session: Session) -> dict[int, Cover]:
    """Return what the step hides of every lane, and what its prediction covers of the lanes it is about."""
    now = session.of(LessonSession)
    step, about = now.step, _about(now.prediction, document)
    if step is None:
        return {}
    found = {slot: step.hide | (step.cover if slot in about else 0) for slot in document.slots[: document.shown]}
    return {slot: Cover(cover) for slot, cover in found.items() if cover}


def _about(prediction: Prediction | None, document: Document) -> frozenset[int]:
    """Return the slots of the lanes that a prediction is about."""
    on_screen = document.slots[: document.shown]
    if prediction is None:
        return frozenset()
    if prediction.kind == "choice" or prediction.lane >= len(on_screen):
        return frozenset(on_screen)
    return frozenset({on_screen[prediction.lane]})


def queries(context: Context) -> dict[str, Query]:
    """Return the queries for the agreement of a drawn boundary, and of the first picture with a hidden classifier."""
    now = context.session.of(LessonSession)
    guess, asked = now.state.guess, matching.queries(context, "" if now.step is None else now.step.match)
    return asked if guess.boundary is None else asked | {AGREEMENT: Agreement(guess.lines, guess.boundary)}


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """Return the boundary to be found, over the first picture."""
    step = context.session.of(LessonSession).step
    return () if index or step is None else matching.lines(context, step.match)


def scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[LessonScene, ...]:
    """Return the open lesson, if there is one."""
    document, now = context.document, graded(context.session.of(LessonSession), context.results)
    lesson, step, guess = now.lesson, now.step, now.state.guess
    if lesson is None or step is None:
        return ()
    return (
        LessonScene(
            now,
            lesson,
            step,
            _score(document.points, guess),
            *_goal(context, step),
            covers(document, context.session),
            _about(step.prediction, document),
            _locations(document.points, guess.pair),
            _locations(document.points, () if guess.gains is None else guess.gains.taken),
        ),
    )


def _goal(context: Context, step: Step) -> tuple[bool | None, str]:
    if not step.goal or context.session.of(LessonSession).prediction is not None:
        return None, step.goal
    from .goals import check

    return check(step.goal, context)


def _score(points: Points, guess: Guess) -> str:
    if guess.gains is not None:
        gains = guess.gains
        return text.gains(_rows(points, guess.pair), _rows(points, gains.taken), gains.gain, gains.best, gains.rule)
    return "" if guess.boundary is None else text.agreement(guess.agreement)


def _rows(points: Points, ids: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(np.searchsorted(points.ids, each)) + 1 for each in ids)


def _locations(points: Points, ids: tuple[int, ...]) -> tuple[tuple[float, float], ...]:
    """Return the locations of these points, if they still exist."""
    found = [points.xy[points.indices_of(np.array([each]))] for each in ids]
    return tuple((float(xy[0, 0]), float(xy[0, 1])) for xy in found if len(xy))
