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
        self._newest: dict[int | str, Frame | Answer] = {}

    def accept(self, result: Frame | Answer) -> bool:
        """Store `result` unless that of a newer job is here; return whether it was stored."""
        present = self._newest.get(result.index)
        if present is not None and result.job < present.job:
            return False
        self._newest[result.index] = result
        self.news += 1
        return True

    def frame(self, slot: int) -> Frame | None:
        """Return the newest frame of a lane, or None."""
        found = self._newest.get(slot)
        return found if isinstance(found, Frame) else None

    def answer(self, name: str) -> Answer | None:
        """Return the newest answer to the query `name`, or None; it may be to an older query of that name."""
        found = self._newest.get(name)
        return found if isinstance(found, Answer) else None

    def without(self, covers: Mapping[int, Cover]) -> Results:
        """Return the results that may be displayed while `covers` withholds some; the same object if it is empty."""
        if not covers:
            return self
        others = Results()
        for index, each in self._newest.items():
            if isinstance(each, Frame):
                shown = _withheld(each, covers.get(each.index, Cover.NOTHING))
                others._newest |= {} if shown is None else {index: shown}
            elif not each.given_away(covers):
                others._newest[index] = each
        return others

    def forget(self, index: int | str) -> None:
        """Remove the results of a lane that has been deleted, or the answer to a query that is no longer made."""
        self._newest.pop(index, None)


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
