"""Results: the newest frame of each lane, and the newest answer to each question; derived, disposable, never older
than what was shown before."""

from __future__ import annotations

from collections.abc import Set

from .query import Answer
from .requests import Frame


class Results:
    """One frame per lane, by its slot; one answer per question, by its name."""

    def __init__(self) -> None:
        self._frames: dict[int, Frame] = {}
        self._answers: dict[str, Answer] = {}

    def accept(self, frame: Frame) -> bool:
        """Keep `frame` unless a newer job's is here; True when it was kept."""
        present = self._frames.get(frame.index)
        if present is not None and frame.job < present.job:
            return False
        self._frames[frame.index] = frame
        return True

    def accept_answer(self, answer: Answer) -> bool:
        """Keep `answer` unless a newer one is here; True when it was kept."""
        present = self._answers.get(answer.name)
        if present is not None and answer.number < present.number:
            return False
        self._answers[answer.name] = answer
        return True

    def frame(self, slot: int) -> Frame | None:
        """The newest frame of a lane, or None."""
        return self._frames.get(slot)

    def answer(self, name: str) -> Answer | None:
        """The newest answer to what is asked under `name`, or None; it may be to an older question."""
        return self._answers.get(name)

    def without(self, slots: Set[int]) -> Results:
        """What is known of the lanes that have none of these `slots`; the same where there are none.

        Answers that are about one lane end their name with its slot; those about several are left out.
        """
        if not slots:
            return self
        others = Results()
        others._frames = {slot: frame for slot, frame in self._frames.items() if slot not in slots}
        others._answers = {
            name: answer for name, answer in self._answers.items() if name[-1:].isdigit() and int(name[-1]) not in slots
        }
        return others

    def forget(self, slot: int) -> None:
        """The lane is gone: the next one in its place is another."""
        self._frames.pop(slot, None)

    def forget_answer(self, name: str) -> None:
        """Nobody asks any more."""
        self._answers.pop(name, None)
