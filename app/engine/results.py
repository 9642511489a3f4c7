"""Results: the newest frame of each lane, and the newest answer to each query.

They are derived and disposable, and an older result never replaces a newer one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from app.core.caches import kept

from .cover import Cover
from .frames import NO_MARKS, Frame
from .query import Answer


class Results:
    """One frame per lane, by its slot; one answer per query, by its name.

    Attributes
    ----------
    news : int
        Number of frames and answers accepted so far.
    """

    def __init__(self) -> None:
        self.news = 0
        self._frames: dict[int, Frame] = {}
        self._answers: dict[str, Answer] = {}

    def accept(self, frame: Frame) -> bool:
        """Store `frame` unless that of a newer job is here; return whether it was stored."""
        present = self._frames.get(frame.index)
        if present is not None and frame.job < present.job:
            return False
        self._frames[frame.index] = frame
        self.news += 1
        return True

    def accept_answer(self, answer: Answer) -> bool:
        """Store `answer` unless a newer one is here; return whether it was stored."""
        present = self._answers.get(answer.name)
        if present is not None and answer.number < present.number:
            return False
        self._answers[answer.name] = answer
        self.news += 1
        return True

    def frame(self, slot: int) -> Frame | None:
        """Return the newest frame of a lane, or None."""
        return self._frames.get(slot)

    def answer(self, name: str) -> Answer | None:
        """Return the newest answer to the query `name`, or None; it may be to an older query of that name."""
        return self._answers.get(name)

    def without(self, covers: Mapping[int, Cover]) -> Results:
        """Return the results that may be displayed while `covers` withholds some; the same object if it is empty."""
        if not covers:
            return self
        others = Results()
        frames = {slot: _withheld(frame, covers.get(slot, Cover.NOTHING)) for slot, frame in self._frames.items()}
        others._frames = {slot: frame for slot, frame in frames.items() if frame is not None}
        others._answers = {name: each for name, each in self._answers.items() if not each.given_away(covers)}
        return others

    def forget(self, slot: int) -> None:
        """Remove the results of a lane that has been deleted; the next one with its index is another."""
        self._frames.pop(slot, None)

    def forget_answer(self, name: str) -> None:
        """Remove the answer to a query that is no longer made."""
        self._answers.pop(name, None)


@kept(8)
def _withheld(frame: Frame, cover: Cover) -> Frame | None:
    """Return `frame` without its covered parts, or None without its picture; cached, as views compare by identity."""
    if not cover:
        return frame
    if Cover.PAINT in cover:
        return None
    changes: dict[str, Any] = {"cover": cover}
    if cover & (Cover.MARKS | Cover.TRAINING):
        changes["run_state"] = None  # it contains marks and numbers
    if Cover.MARKS in cover:
        changes["marks"] = NO_MARKS
    if Cover.TRAINING in cover:
        changes |= {"certificates": (), "accuracy": float("nan"), "fast_run": None}
    return replace(frame, **changes)
