"""Class scene: the displayed answers of a class to the current step of the open lesson; no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from app.features.lessons.model import Lesson, Step
from app.features.lessons.state import LessonSession, Line
from app.scene.model import Context, LaneScene
from app.state.session import FeatureSession

from .learning import Learning, learning_of

if TYPE_CHECKING:
    from .hand_in import HandIn, StepAnswers


class ClassSession(FeatureSession, frozen=True):
    """Answers of a class to one lesson.

    Attributes
    ----------
    digest : str or None
        Digest of the lesson that the class answers.  Each step of a lesson is a document of its own, so the answers
        outlive documents, and count for this lesson only.
    hand_ins : tuple of HandIn
    left_out : tuple of str
        A sentence about each text that was left out.
    hands : tuple of (int, tuple of int)
        By the index of the step, the numbers of hands raised for its answers.
    own : (Lesson, str) or None
        The lesson last handed in from this window, and the random number of that hand-in.
    """

    digest: str | None = None
    hand_ins: tuple[HandIn, ...] = ()
    left_out: tuple[str, ...] = ()
    hands: tuple[tuple[int, tuple[int, ...]], ...] = ()
    own: tuple[Lesson, str] | None = None

    def hands_of(self, at: int) -> tuple[int, ...]:
        """Return the numbers of hands raised for the answers of step `at`."""
        return dict(self.hands).get(at, ())

    def with_hands(self, at: int, answer: int, number: int) -> ClassSession:
        """Return the session with `number` hands raised for an answer of step `at`."""
        hands = [*self.hands_of(at), *[0] * (answer + 1 - len(self.hands_of(at)))]
        hands[answer] = number
        return replace(self, hands=tuple((dict(self.hands) | {at: tuple(hands)}).items()))


#: Letters of the answers when a class raises its hands.
LETTERS = "ABCD"


class StepTally(Struct, frozen=True):
    """Numbers of one step.

    Attributes
    ----------
    choices : tuple of int
        Numbers of learners whose first answer was this one, raised hands included.
    n_drawn, n_solved : int
        Numbers of learners who drew a boundary, and who solved the step.
    n_hand_ins : int
    """

    choices: tuple[int, ...]
    n_drawn: int
    n_solved: int
    n_hand_ins: int


def tally_of(step: Step, answers: Sequence[StepAnswers], hands: Sequence[int] = ()) -> StepTally:
    """Return the numbers of `step` from its `answers` and the `hands` raised for each answer."""
    firsts = [each.choices[0] for each in answers if each.choices]
    n_answers = 0 if step.prediction is None else len(step.prediction.answers)
    raised = [*hands, *[0] * (n_answers - len(hands))]
    return StepTally(
        tuple(firsts.count(index) + raised[index] for index in range(n_answers)),
        sum(bool(each.lines) for each in answers),
        sum(each.solved for each in answers),
        len(answers),
    )


class ClassScene(Struct, frozen=True):
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
    ended : tuple of (int, int, bool)
        At the end of the lesson: number of each step with a goal or a question, how many solved it, whether by a goal.
    learned : tuple of Learning
        What the class learned by a question asked before and after, once it is revealed; of all at the end.
    """

    step: Step
    tally: StepTally
    hands: tuple[int, ...]
    boundaries: tuple[tuple[Line, ...], ...]
    drawn_on: int | None
    is_open: bool
    left_out: tuple[str, ...]
    ended: tuple[tuple[int, int, bool], ...] = ()
    learned: tuple[Learning, ...] = ()


def scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[ClassScene, ...]:
    """Return the answers of the class while their lesson is open."""
    now, answers = context.session.of(LessonSession), context.session.of(ClassSession)
    if now.lesson is None or now.step is None or not now.for_class:
        return ()
    if answers.digest != now.lesson.digest:
        return ()
    revealed = range(len(now.lesson.steps)) if now.ended else (now.at,) if now.prediction is None else ()
    learned = tuple(found for at in revealed if (found := learning_of(now.lesson, at, answers.hand_ins)) is not None)
    if now.ended:
        ended = tuple(
            (at + 1, sum(each.steps[at].solved for each in answers.hand_ins), bool(step.goal))
            for at, step in enumerate(now.lesson.steps)
            if step.goal or (step.prediction is not None and step.measure != "before")
        )
        whole = tally_of(Step("", ""), [each.steps[0] for each in answers.hand_ins])
        return (ClassScene(Step("", ""), whole, (), (), None, False, answers.left_out, ended, learned),)
    step, hands = now.step, answers.hands_of(now.at)
    given = [hand_in.steps[now.at] for hand_in in answers.hand_ins]
    lane = 0 if step.prediction is None else step.prediction.lane
    return (
        ClassScene(
            step,
            tally_of(step, given, hands),
            hands,
            tuple(each.lines for each in given if each.lines),
            context.document.slots[lane] if lane < context.document.shown else None,
            now.prediction is not None,
            answers.left_out,
            learned=learned,
        ),
    )
