"""Lesson session: the open lesson, the current step, and what the student did in each step.  No Qt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from app.core.points import Points
from app.learners.model import Model
from app.state.document import Document
from app.state.session import FeatureSession

from .model import ENGLISH, Lesson, Prediction, Step

if TYPE_CHECKING:
    from .writing import NewStep

#: Corners of a line drawn by hand, in the plane.
Line = tuple[tuple[float, float], ...]
#: A part of the plane: left, right, bottom, top.
Box = tuple[float, float, float, float]
#: Least agreement of a right boundary with the model, and least gain of a right pair as a share of the rule's.
GOOD = 0.9


class ModelBoundary(Struct, frozen=True, eq=False):
    """What a drawn boundary is compared with: the model at the reveal.

    Attributes
    ----------
    model : Model
    points : Points
        The displayed points.
    box : Box
    ratio : float
        That of the view.
    """

    model: Model
    points: Points
    box: Box
    ratio: float = 1.0


class Gains(Struct, frozen=True):
    """The gain of the picked pair, and that of the rule's pair.

    Attributes
    ----------
    taken : tuple of int
        Permanent ids of the rule's two points.
    gain, best : float
        Increase of the dual objective by a step of either pair.
    rule : str
        Name of the working-set rule.
    """

    taken: tuple[int, int]
    gain: float
    best: float
    rule: str


class Guess(Struct, frozen=True):
    """The prediction made by the student.

    Attributes
    ----------
    answer : int
        Index of the chosen answer; -1 for none.
    lines : tuple of Line
        The drawn boundary.
    pair : tuple of int
        Permanent ids of the picked points, at most two.
    tried : tuple of int
        Indices of wrong answers, in the order given.
    passed : bool
        The student was warned once about continuing without an answer.
    revealed : bool
        The picture is displayed, and the guess is final.
    boundary : ModelBoundary or None
    gains : Gains or None
    agreement : float or None
        Share of the view where a drawn boundary and the model agree; None while it is unknown.
    """

    answer: int = -1
    lines: tuple[Line, ...] = ()
    pair: tuple[int, ...] = ()
    tried: tuple[int, ...] = ()
    passed: bool = False
    revealed: bool = False
    boundary: ModelBoundary | None = None
    gains: Gains | None = None
    agreement: float | None = None

    @property
    def is_right(self) -> bool | None:
        """Whether the first guess was right; None while there is none, or nothing to compare it with."""
        if self.answer >= 0 and (self.tried or self.revealed):
            return not self.tried
        if self.gains is not None:
            return self.gains.gain >= GOOD * self.gains.best
        return None if self.agreement is None else self.agreement >= GOOD

    @property
    def is_made(self) -> bool:
        """Whether there is something to compare."""
        return self.answer >= 0 or any(len(line) > 1 for line in self.lines) or len(self.pair) == 2


NO_GUESS = Guess()


class StepState(Struct, frozen=True, eq=False):
    """What the student did in a step.

    Attributes
    ----------
    document : Document or None
        The document when the step was left; None before.
    guess : Guess
    hint : bool
        Whether the hint is unfolded.
    reached : bool
        Whether the goal was reached when the step was left.
    """

    document: Document | None = None
    guess: Guess = NO_GUESS
    hint: bool = False
    reached: bool = False

    def has_solved(self, step: Step) -> bool:
        """Whether the goal of `step` was reached or, if it has none, its question answered rightly at once."""
        return self.reached if step.goal else bool(self.guess.is_right)


class LessonSession(FeatureSession, frozen=True):
    """The open lesson, and what the student did in it.

    Attributes
    ----------
    lesson : Lesson or None
        None if no lesson is open.
    at : int
        Index of the current step.
    states : tuple of StepState
        One for each step.
    ended : bool
        Whether the end of the lesson is displayed, after the last step.
    making : Path or None
        The lesson file to which steps were last added.
    draft : NewStep or None
        The last version of a new step that has not been added.
    for_class : bool
        Whether a class answers instead of the user: a picture is then revealed without a guess.
    """

    lesson: Lesson | None = None
    at: int = 0
    states: tuple[StepState, ...] = ()
    ended: bool = False
    making: Path | None = None
    draft: NewStep | None = None
    for_class: bool = False

    def of_new_document(self) -> LessonSession:
        """Return the session without a lesson: another document ends it."""
        return LessonSession(making=self.making, draft=self.draft)

    @property
    def language(self) -> str:
        """Language of the open lesson."""
        return ENGLISH if self.lesson is None else self.lesson.language

    @property
    def step(self) -> Step | None:
        """The current step."""
        return None if self.lesson is None else self.lesson.steps[self.at]

    @property
    def state(self) -> StepState:
        """What the student did in the current step."""
        return self.states[self.at] if self.lesson is not None else StepState()

    @property
    def prediction(self) -> Prediction | None:
        """The question of the current step while it is open."""
        step = self.step
        return None if step is None or self.state.guess.revealed else step.prediction

    @property
    def stays_open(self) -> bool:
        """Whether the current question is asked before what it is about, and so is not revealed."""
        return self.step is not None and self.step.measure == "before"

    @property
    def is_late(self) -> bool:
        """Whether such a question can no longer be answered: a step was visited that teaches something."""
        steps = () if self.lesson is None else self.lesson.steps
        pairs = zip(steps[self.at + 1 :], self.states[self.at + 1 :], strict=False)
        taught = (state.document is not None and step.measure != "before" for step, state in pairs)
        return self.stays_open and any(taught)

    @property
    def can_take_back(self) -> bool:
        """Whether an open guess has a line or a picked point."""
        return self.prediction is not None and bool(self.state.guess.lines or self.state.guess.pair)

    @property
    def score(self) -> tuple[int, int]:
        """Numbers of predictions that were right at once, and that have been made."""
        known = [state.guess.is_right for state in self.states if state.guess.is_right is not None]
        return sum(known), len(known)

    def with_state(self, **changes: object) -> LessonSession:
        """Return the session with changes of the current step's state."""
        state = replace(self.state, **changes)
        return replace(self, states=(*self.states[: self.at], state, *self.states[self.at + 1 :]))
