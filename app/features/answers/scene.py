"""Class scene: what is shown of a class's answers to the step of the lesson that is open; no Qt."""

from __future__ import annotations

from msgspec import Struct

from app.features.lessons.model import Step
from app.features.lessons.state import LessonSession, Line
from app.scene.context import Context
from app.scene.model import LaneScene

from .state import ClassSession
from .tally import Tally, tally_of


class ClassScene(Struct, frozen=True):
    """The answers of a class to one step.

    Attributes
    ----------
    at : int
        Place of the step.
    step : Step
    tally : Tally
    hands : tuple of int
        How many hands were raised for each answer, as far as they were counted.
    boundaries : tuple of tuple of Line
        What each one drew.
    drawn_on : int or None
        Slot of the lane that they are drawn over.
    is_open : bool
        The question of the step still waits: nothing says which answer is right, nor who solved it.
    left_out : tuple of str
    """

    at: int
    step: Step
    tally: Tally
    hands: tuple[int, ...]
    boundaries: tuple[tuple[Line, ...], ...]
    drawn_on: int | None
    is_open: bool
    left_out: tuple[str, ...]


def scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[ClassScene, ...]:
    """Return what the class answered, while its lesson is open."""
    now, answers = context.session.of(LessonSession), context.session.of(ClassSession)
    if now.lesson is None or now.step is None or not now.for_class or now.ended:
        return ()
    if answers.digest != now.lesson.digest:
        return ()
    step, hands = now.step, answers.hands_of(now.at)
    given = [hand_in.steps[now.at] for hand_in in answers.hand_ins]
    place = 0 if step.prediction is None else step.prediction.lane
    return (
        ClassScene(
            now.at,
            step,
            tally_of(step, given, hands),
            hands,
            tuple(each.lines for each in given if each.lines),
            context.document.slots[place] if place < context.document.shown else None,
            now.prediction is not None,
            answers.left_out,
        ),
    )
