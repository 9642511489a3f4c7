"""Class session: the answers of a class to the open lesson, and what was handed in from this window.  No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.features.lessons.model import Lesson
from app.state.session import FeatureSession

if TYPE_CHECKING:
    from .hand_in import HandIn


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
