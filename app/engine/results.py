"""Results: the newest frame of each lane, and the newest answer to each question; derived, disposable, never older
than what was shown before."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from .cover import Cover
from .query import Answer
from .requests import NO_MARKS, Frame


class Results:
    """One frame per lane, by its slot; one answer per question, by its name.

    Attributes
    ----------
    news : int
        Number of frames and answers that were kept so far.
    """

    def __init__(self) -> None:
        self.news = 0
        self._frames: dict[int, Frame] = {}
        self._answers: dict[str, Answer] = {}

    def accept(self, frame: Frame) -> bool:
        """Keep `frame` unless a newer job's is here; True when it was kept."""
        present = self._frames.get(frame.index)
        if present is not None and frame.job < present.job:
            return False
        self._frames[frame.index] = frame
        self.news += 1
        return True

    def accept_answer(self, answer: Answer) -> bool:
        """Keep `answer` unless a newer one is here; True when it was kept."""
        present = self._answers.get(answer.name)
        if present is not None and answer.number < present.number:
            return False
        self._answers[answer.name] = answer
        self.news += 1
        return True

    def frame(self, slot: int) -> Frame | None:
        """The newest frame of a lane, or None."""
        return self._frames.get(slot)

    def answer(self, name: str) -> Answer | None:
        """The newest answer to what is asked under `name`, or None; it may be to an older question."""
        return self._answers.get(name)

    def without(self, covers: Mapping[int, Cover]) -> Results:
        """Return what may be displayed while the slots of `covers` are covered; the same object where none is."""
        if not covers:
            return self
        others = Results()
        seen = {slot: _withheld(frame, covers.get(slot, Cover.NOTHING)) for slot, frame in self._frames.items()}
        others._frames = {slot: frame for slot, frame in seen.items() if frame is not None}
        others._answers = {name: each for name, each in self._answers.items() if not each.given_away(covers)}
        return others

    def forget(self, slot: int) -> None:
        """The lane is gone: the next one in its place is another."""
        self._frames.pop(slot, None)

    def forget_answer(self, name: str) -> None:
        """Nobody asks any more."""
        self._answers.pop(name, None)


@lru_cache(maxsize=8)
def _withheld(frame: Frame, cover: Cover) -> Frame | None:
    """Return `frame` without what is covered; None without its picture.  The same one again, as views compare it."""
    if not cover:
        return frame
    if Cover.PAINT in cover:
        return None
    changes: dict[str, Any] = {"cover": cover}
    if cover & (Cover.MARKS | Cover.TRAINING):
        changes["run_state"] = None  # it holds both
    if Cover.MARKS in cover:
        changes["marks"] = NO_MARKS
    if Cover.TRAINING in cover:
        changes |= {"certificates": (), "accuracy": float("nan"), "at_once": None}
    return replace(frame, **changes)
