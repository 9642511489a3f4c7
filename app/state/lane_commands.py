"""Lane commands: edits of the lanes: their settings, which there are, in which order, how many are on screen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .commands import Edit
from .document import MAX_LANES, Document, Lane

COUNTS = ("one classifier", "two classifiers", "three classifiers", "four classifiers")


@dataclass(frozen=True)
class SetLane(Edit):
    """Other settings of a lane; `text` says which, for the undo menu."""

    index: int = 0
    lane: Lane = Lane()
    text: str = "Change the classifier"

    def name(self, before: Document, after: Document) -> str:
        return self.text

    def apply(self, document: Document) -> Document:
        if self.lane == document.lanes[self.index]:
            return document
        lanes = document.lanes
        return replace(document, lanes=(*lanes[: self.index], self.lane, *lanes[self.index + 1 :]))


@dataclass(frozen=True)
class ShowLanes(Edit):
    """So many of the lanes on screen."""

    count: int = 2

    def name(self, before: Document, after: Document) -> str:
        return f"Show {COUNTS[after.shown - 1]}"

    def apply(self, document: Document) -> Document:
        count = min(max(self.count, 1), len(document.lanes))
        return document if count == document.shown else replace(document, shown=count)


@dataclass(frozen=True)
class AddLane(Edit):
    """One lane more on screen, at place `index`; of four lanes the last one that is hidden makes room.

    ValueError, with a sentence, when four are on screen.
    """

    index: int = 0
    lane: Lane = Lane()
    verb: str = "Add"

    def name(self, before: Document, after: Document) -> str:
        return f"{self.verb} a classifier"

    def apply(self, document: Document) -> Document:
        if document.shown == MAX_LANES:
            raise ValueError(f"There is room for {MAX_LANES} classifiers; remove one first.")
        kept = len(document.lanes) - (len(document.lanes) == MAX_LANES)
        lanes, slots = list(document.lanes[:kept]), list(document.slots)
        lanes.insert(self.index, self.lane)
        slots.insert(self.index, slots.pop(kept))
        return _arranged(document, lanes, slots, document.shown + 1)


@dataclass(frozen=True)
class RemoveLane(Edit):
    """The lane at place `index` away; ValueError, with a sentence, when it is the only one."""

    index: int = 0

    def name(self, before: Document, after: Document) -> str:
        return "Remove a classifier"

    def apply(self, document: Document) -> Document:
        if len(document.lanes) == 1:
            raise ValueError("One classifier must stay.")
        lanes, slots = list(document.lanes), list(document.slots)
        del lanes[self.index]
        slots.append(slots.pop(self.index))
        return _arranged(document, lanes, slots, max(1, document.shown - 1))


@dataclass(frozen=True)
class MoveLane(Edit):
    """The lane at place `index` to place `to`, the others closing up."""

    index: int = 0
    to: int = 1

    def name(self, before: Document, after: Document) -> str:
        return f"Move a classifier to the {'left' if self.to < self.index else 'right'}"

    def apply(self, document: Document) -> Document:
        if self.to == self.index or not 0 <= self.to < document.shown:
            return document
        lanes, slots = list(document.lanes), list(document.slots)
        lanes.insert(self.to, lanes.pop(self.index))
        slots.insert(self.to, slots.pop(self.index))
        return _arranged(document, lanes, slots, document.shown)


def _arranged(document: Document, lanes: list[Lane], slots: list[int], shown: int) -> Document:
    """Other lanes, with the two that are compared still the same where both are there, else the first two."""
    chosen = [document.slots[place] for place in document.compared if place < len(document.lanes)]
    places = [slots.index(slot) for slot in chosen if slots.index(slot) < len(lanes)]
    places += [place for place in range(len(lanes)) if place not in places]
    first, second = (*places, 1)[:2]
    return replace(document, lanes=tuple(lanes), slots=tuple(slots), shown=shown, compared=(first, second))
