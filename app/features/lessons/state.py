"""Lesson session: the lesson that is open, where one stands in it, and what one has made of each step.  No Qt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from app.core.points import Points
from app.learners.model import Model
from app.state.document import Document
from app.state.session import FeatureSession

from .model import Lesson, Prediction, Step

if TYPE_CHECKING:
    from .writing import NewStep

#: Corners of a line drawn by hand, in the plane.
Line = tuple[tuple[float, float], ...]
#: The part of the plane that was on screen: left, right, bottom, top.
Box = tuple[float, float, float, float]
#: Share of the view on which a drawn boundary that counts as right agrees with the model, and of the rule's gain that
#: a pair reaches.
GOOD = 0.9


class Boundary(Struct, frozen=True, eq=False):
    """What a drawn boundary is compared with: the model as it was at the reveal.

    Attributes
    ----------
    model : Model
    points : Points
        Those that were drawn.
    box : Box
    """

    model: Model
    points: Points
    box: Box


class Gains(Struct, frozen=True):
    """What the pair that was picked would gain, and what the rule takes.

    Attributes
    ----------
    taken : tuple of int
        Lifelong ids of the rule's two points.
    gain, best : float
        By how much the dual objective rises with a step of either pair.
    rule : str
        Name of the working-set rule.
    """

    taken: tuple[int, int]
    gain: float
    best: float
    rule: str


class Guess(Struct, frozen=True):
    """What is predicted.

    Attributes
    ----------
    answer : int
        Place among the answers; -1 for none.
    lines : tuple of Line
        The boundary as it is drawn.
    pair : tuple of int
        Lifelong ids of the points picked, at most two.
    tried : tuple of int
        Places of wrong answers that were given, in their order.
    passed : bool
        Going on without an answer has been refused once.
    revealed : bool
        The picture is shown, and the guess is final.
    boundary : Boundary or None
    gains : Gains or None
    agreement : float or None
        Share of the view where a drawn boundary and the model agree, once that is known.
    """

    answer: int = -1
    lines: tuple[Line, ...] = ()
    pair: tuple[int, ...] = ()
    tried: tuple[int, ...] = ()
    passed: bool = False
    revealed: bool = False
    boundary: Boundary | None = None
    gains: Gains | None = None
    agreement: float | None = None

    @property
    def is_right(self) -> bool | None:
        """Whether the first guess was right; None where there is none yet, or nothing to compare it with."""
        if self.answer >= 0 and (self.tried or self.revealed):
            return not self.tried
        if self.gains is not None:
            return self.gains.gain >= GOOD * self.gains.best
        return None if self.agreement is None else self.agreement >= GOOD

    @property
    def is_made(self) -> bool:
        """There is something to compare with."""
        return self.answer >= 0 or any(len(line) > 1 for line in self.lines) or len(self.pair) == 2


NO_GUESS = Guess()


class StepState(Struct, frozen=True, eq=False):
    """What one has made of a step.

    Attributes
    ----------
    document : Document or None
        As it was when the step was left; None before that.
    guess : Guess
    hint : bool
        The hint is unfolded.
    reached : bool
        The goal was reached once when the step was left.
    """

    document: Document | None = None
    guess: Guess = NO_GUESS
    hint: bool = False
    reached: bool = False

    def has_solved(self, step: Step) -> bool:
        """Whether the goal of `step` was reached or, where it has none, its question answered rightly at once."""
        return self.reached if step.goal else bool(self.guess.is_right)


class LessonSession(FeatureSession, frozen=True):
    """
    Attributes
    ----------
    lesson : Lesson or None
        None: no lesson is open.
    at : int
        Place of the step.
    states : tuple of StepState
        Of each step.
    ended : bool
        The last step is done: the end of the lesson is shown.
    making : Path or None
        The lesson that steps were last added to.
    draft : NewStep or None
        What was written last of a new step, and not added.
    for_class : bool
        A class answers, not the user: a picture is shown without a guess.
    """

    lesson: Lesson | None = None
    at: int = 0
    states: tuple[StepState, ...] = ()
    ended: bool = False
    making: Path | None = None
    draft: NewStep | None = None
    for_class: bool = False

    def of_new_document(self) -> LessonSession:
        """Another document ends the lesson."""
        return LessonSession(making=self.making, draft=self.draft)

    @property
    def step(self) -> Step | None:
        """The step one is at."""
        return None if self.lesson is None else self.lesson.steps[self.at]

    @property
    def state(self) -> StepState:
        """What has been made of it."""
        return self.states[self.at] if self.lesson is not None else StepState()

    @property
    def prediction(self) -> Prediction | None:
        """The prediction that is to be made before anything is shown."""
        step = self.step
        return None if step is None or self.state.guess.revealed else step.prediction

    @property
    def can_take_back(self) -> bool:
        """A line was drawn, or a point picked, of a guess that is still open."""
        return self.prediction is not None and bool(self.state.guess.lines or self.state.guess.pair)

    @property
    def score(self) -> tuple[int, int]:
        """How many predictions were right at once, and how many have been made."""
        known = [state.guess.is_right for state in self.states if state.guess.is_right is not None]
        return sum(known), len(known)

    def with_state(self, **changes: object) -> LessonSession:
        """Something else made of the step one is at."""
        state = replace(self.state, **changes)
        return replace(self, states=(*self.states[: self.at], state, *self.states[self.at + 1 :]))
