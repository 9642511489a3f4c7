"""Class session: what a class has answered to the lesson that is open, and what was handed in of one's own.  No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.features.lessons.model import Lesson
from app.state.session import FeatureSession

if TYPE_CHECKING:
    from .hand_in import HandIn


class ClassSession(FeatureSession, frozen=True):
    """
    Attributes
    ----------
    digest : str or None
        Of the lesson that the class answers.  Each step of a lesson is a document of its own, so the answers outlive
        documents, and count for that lesson only.
    hand_ins : tuple of HandIn
    left_out : tuple of str
        Why others were left out, in a sentence each.
    hands : tuple of (int, tuple of int)
        By the places of steps, how many hands were raised for each answer.
    own : (Lesson, str) or None
        The lesson that was handed in last from this window, and the random number of that.
    """

    digest: str | None = None
    hand_ins: tuple[HandIn, ...] = ()
    left_out: tuple[str, ...] = ()
    hands: tuple[tuple[int, tuple[int, ...]], ...] = ()
    own: tuple[Lesson, str] | None = None

    def hands_of(self, at: int) -> tuple[int, ...]:
        """Return how many hands were raised for each answer of the step at place `at`."""
        return dict(self.hands).get(at, ())

    def with_hands(self, at: int, answer: int, number: int) -> ClassSession:
        """Return it with so many hands raised for an answer of the step at place `at`."""
        hands = [*self.hands_of(at), *[0] * (answer + 1 - len(self.hands_of(at)))]
        hands[answer] = number
        return replace(self, hands=tuple((dict(self.hands) | {at: tuple(hands)}).items()))
