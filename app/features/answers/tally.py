"""Tally: how many of a class chose which answer of a step, drew a boundary, or solved it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from app.features.lessons.model import Step

if TYPE_CHECKING:
    from .hand_in import StepAnswers

#: What answers are called when a class raises its hands.
LETTERS = "ABCD"


class Tally(Struct, frozen=True):
    """Numbers of one step.

    Attributes
    ----------
    choices : tuple of int
        How many gave each answer first, raised hands included.
    n_drawn, n_solved : int
        How many drew a boundary, and how many solved the step.
    n_hand_ins : int
    """

    choices: tuple[int, ...]
    n_drawn: int
    n_solved: int
    n_hand_ins: int


def tally_of(step: Step, answers: Sequence[StepAnswers], hands: Sequence[int] = ()) -> Tally:
    """Return the numbers of `step`, to whose `answers` raised `hands` for each answer are added."""
    firsts = [each.choices[0] for each in answers if each.choices]
    n_answers = 0 if step.prediction is None else len(step.prediction.answers)
    raised = [*hands, *[0] * (n_answers - len(hands))]
    return Tally(
        tuple(firsts.count(place) + raised[place] for place in range(n_answers)),
        sum(bool(each.lines) for each in answers),
        sum(each.solved for each in answers),
        len(answers),
    )
