"""Tally: how many of a class chose each answer of a step, drew a boundary, or solved it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.features.lessons.model import Step

if TYPE_CHECKING:
    from .hand_in import StepAnswers

#: Letters of the answers when a class raises its hands.
LETTERS = "ABCD"


@dataclass(frozen=True)
class StepTally:
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
        tuple(firsts.count(place) + raised[place] for place in range(n_answers)),
        sum(bool(each.lines) for each in answers),
        sum(each.solved for each in answers),
        len(answers),
    )
