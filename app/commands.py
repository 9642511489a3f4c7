"""Commands: each edit of the document as a value, ``apply(document) -> document``.

A command that changes nothing returns the very same document, and nobody is told.  `name(document)` says in the
words of the undo menu what it does; commands with the same `merge_key` in a row are one undo step.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from .document import Document, GeneratorSettings, Lane, View
from .points import LIMIT, MAX_CLASSES, Points


class Command(Protocol):
    """An edit of the document."""

    @property
    def merge_key(self) -> Hashable:
        """None, or what makes this the same undo step as the one before."""
        ...

    @property
    def undoable(self) -> bool:
        """False for changes that undo passes over (looking elsewhere)."""
        ...

    def name(self, document: Document) -> str:
        """What the undo menu calls it."""
        ...

    def apply(self, document: Document) -> Document:
        """The document after the edit; the same object when nothing changes."""
        ...


@dataclass(frozen=True)
class _Edit:
    merge_key: Hashable = None
    undoable: bool = True


def _count(number: int) -> str:
    return "1 point" if number == 1 else f"{number} points"


@dataclass(frozen=True)
class AddPoints(_Edit):
    """Points of one class behind the present ones; places that cannot be drawn are left out."""

    xy: tuple[tuple[float, float], ...] = ()
    label: int = 0

    def name(self, document: Document) -> str:
        return f"Add {_count(len(self.xy))}"

    def apply(self, document: Document) -> Document:
        places = [(x, y) for x, y in self.xy if abs(x) <= LIMIT and abs(y) <= LIMIT]
        if not places or not 0 <= self.label < MAX_CLASSES:
            return document
        return replace(document, points=document.points.append(places, self.label))


@dataclass(frozen=True)
class MovePoint(_Edit):
    """The point at `index` to (x, y)."""

    index: int = 0
    x: float = 0.0
    y: float = 0.0

    def name(self, document: Document) -> str:
        return "Move 1 point"

    def apply(self, document: Document) -> Document:
        if not 0 <= self.index < len(document.points) or not (abs(self.x) <= LIMIT and abs(self.y) <= LIMIT):
            return document
        if tuple(document.points.xy[self.index]) == (self.x, self.y):
            return document
        return replace(document, points=document.points.move([self.index], (self.x, self.y)))


@dataclass(frozen=True)
class RemovePoints(_Edit):
    """The points at `indices` away."""

    indices: tuple[int, ...] = ()

    def name(self, document: Document) -> str:
        return f"Remove {_count(len(self.indices))}"

    def apply(self, document: Document) -> Document:
        chosen = [i for i in self.indices if 0 <= i < len(document.points)]
        return replace(document, points=document.points.remove(chosen)) if chosen else document


@dataclass(frozen=True)
class Clear(_Edit):
    """All points away."""

    def name(self, document: Document) -> str:
        return f"Clear {_count(len(document.points))}"

    def apply(self, document: Document) -> Document:
        return replace(document, points=Points((), document.points.next_id)) if len(document.points) else document


@dataclass(frozen=True)
class Generate(_Edit):
    """Points of the generator instead of the present ones, or behind them; the view then fits."""

    settings: GeneratorSettings = GeneratorSettings()
    add: bool = False

    def name(self, document: Document) -> str:
        return f"{'Add' if self.add else 'Generate'} {self.settings.name}"

    def apply(self, document: Document) -> Document:
        made = self.settings.points()
        # Numbers of points go on, so that no learner takes a new point for an old one.
        start = document.points if self.add else Points((), document.points.next_id)
        points = start.append(made.xy, made.labels)
        same = len(points) == len(document.points) and np.array_equal(points.xy, document.points.xy)
        if same and np.array_equal(points.labels, document.points.labels):
            points = document.points
        changed = replace(document, points=points, generator=self.settings, view=View.fitting(points))
        same_rest = changed.generator == document.generator and changed.view == document.view
        return document if points is document.points and same_rest else changed


@dataclass(frozen=True)
class SetGenerator(_Edit):
    """Other settings of the generator; nothing is generated yet."""

    settings: GeneratorSettings = GeneratorSettings()
    text: str = "Change the generator"

    def name(self, document: Document) -> str:
        return self.text

    def apply(self, document: Document) -> Document:
        return document if self.settings == document.generator else replace(document, generator=self.settings)


@dataclass(frozen=True)
class SetLane(_Edit):
    """Other settings of a lane; `text` says which, for the undo menu."""

    index: int = 0
    lane: Lane = Lane()
    text: str = "Change the classifier"

    def name(self, document: Document) -> str:
        return self.text

    def apply(self, document: Document) -> Document:
        if self.lane == document.lanes[self.index]:
            return document
        first, second = document.lanes
        return replace(document, lanes=(self.lane, second) if self.index == 0 else (first, self.lane))


@dataclass(frozen=True)
class ShowLanes(_Edit):
    """One lane on screen, or two."""

    count: int = 2

    def name(self, document: Document) -> str:
        return "Show one classifier" if self.count == 1 else "Show two classifiers"

    def apply(self, document: Document) -> Document:
        return document if self.count == document.shown else replace(document, shown=self.count)


@dataclass(frozen=True)
class SetView(_Edit):
    """Another part of the plane; looking elsewhere is no edit, so undo passes over it."""

    view: View = View()
    undoable: bool = False

    def name(self, document: Document) -> str:
        return "Look elsewhere"

    def apply(self, document: Document) -> Document:
        return document if self.view == document.view else replace(document, view=self.view)
