"""Class scene: the displayed answers of a class to the current step of the open lesson; no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from app.features.lessons.model import Step
from app.features.lessons.state import LessonSession, Line
from app.scene.context import Context
from app.scene.model import LaneScene

from .state import ClassSession
from .tally import StepTally, tally_of


@dataclass(frozen=True)
class ClassScene:
    """The answers of a class to one step.

    Attributes
    ----------
    step : Step
    tally : StepTally
    hands : tuple of int
        Numbers of hands raised for the answers, as far as they were counted.
    boundaries : tuple of tuple of Line
        The lines that each learner drew.
    drawn_on : int or None
        Slot of the lane that they are drawn over, if it is displayed.
    is_open : bool
        The question is still open: right answers and numbers of solutions stay hidden.
    left_out : tuple of str
    """

    step: Step
    tally: StepTally
    hands: tuple[int, ...]
    boundaries: tuple[tuple[Line, ...], ...]
    drawn_on: int | None
    is_open: bool
    left_out: tuple[str, ...]


def scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[ClassScene, ...]:
    """Return the answers of the class while their lesson is open."""
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
            step,
            tally_of(step, given, hands),
            hands,
            tuple(each.lines for each in given if each.lines),
            context.document.slots[place] if place < context.document.shown else None,
            now.prediction is not None,
            answers.left_out,
        ),
    )
