"""Commands: each edit of the document as a value, ``apply(document) -> document``.

A command that changes nothing returns the same document, and no listener is called.  `name(before, after)` returns the
text for the undo menu; points are identified by their lifelong ids.  Consecutive commands with the same `merge_key` are
one undo step.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from app.core.dates import NO_DATES
from app.core.number_format import count, short
from app.core.points import LIMIT, MAX_CLASSES, Ids, Points

from .document import MAX_LANES, NO_UNITS, Document, GeneratorSettings, Lane, View, are_unlike
from .scaling import Scaling, measured
from .split import IdSet


class Command(Struct, frozen=True):
    """An edit of the document.

    Attributes
    ----------
    merge_key : hashable
        Consecutive commands with the same key, unless None, are one undo step.
    undoable : bool
        False for changes that undo skips (of the view).
    text : str
        Name of the command, if it does not depend on the document.
    """

    merge_key: Hashable = None
    undoable: bool = True
    text: str = ""

    def name(self, before: Document, after: Document) -> str:
        """Return the text in the undo menu for the step from `before` to `after`, all merged commands included."""
        return self.text

    def apply(self, document: Document) -> Document:
        """Return the document after the edit; the same object if nothing changes."""
        raise NotImplementedError


def _drawable(xy: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which locations the plots can show; NaN is not one of them."""
    # `all` along an axis of length 2 takes ten times as long.
    return np.asarray((np.abs(xy[:, 0]) <= LIMIT) & (np.abs(xy[:, 1]) <= LIMIT))


class AddPoints(Command, frozen=True, eq=False):
    """Append points; leave out locations that cannot be drawn.

    Attributes
    ----------
    xy : array-like of shape (n, 2)
    labels : array-like of shape (n,), or int
        Classes, 0 to 7.
    verb : str
        Word in the undo menu: "Add", "Brush", "Paste".
    """

    xy: ArrayLike = ()
    labels: ArrayLike = 0
    verb: str = "Add"

    def name(self, before: Document, after: Document) -> str:
        return f"{self.verb} {count(len(after.points) - len(before.points), 'point')}"

    def apply(self, document: Document) -> Document:
        xy = np.asarray(self.xy, dtype=np.float64).reshape(-1, 2)
        labels = np.broadcast_to(np.asarray(self.labels, dtype=np.int64), (len(xy),))
        keep = _drawable(xy) & (labels >= 0) & (labels < MAX_CLASSES)
        if not keep.all():
            xy, labels = xy[keep], labels[keep]
        return replace(document, points=document.points.append(xy, labels)) if len(xy) else document


class MovePoints(Command, frozen=True, eq=False):
    """Move the points with these `ids`, each once, to the locations `xy`; ignore locations that cannot be drawn."""

    ids: Sequence[int] | Ids = ()
    xy: ArrayLike = ()
    verb: str = "Move"

    def name(self, before: Document, after: Document) -> str:
        return f"{self.verb} {count(after.points.changed_since(before.points), 'point')}"

    def apply(self, document: Document) -> Document:
        points = document.points
        ids, xy = np.asarray(self.ids, dtype=np.int64), np.asarray(self.xy, dtype=np.float64).reshape(-1, 2)
        if not (ids[1:] > ids[:-1]).all():
            order = np.argsort(ids)
            ids, xy = ids[order], xy[order]
        index = points.indices_of(ids)
        there = _drawable(xy)
        if len(index) < len(ids):
            there &= np.isin(ids, points.ids[index])
            index = points.indices_of(ids[there])
        else:
            index = index[there]
        if not there.all():
            xy = xy[there]
        moves = (points.xy[index, 0] != xy[:, 0]) | (points.xy[index, 1] != xy[:, 1])
        if not moves.all():
            index, xy = index[moves], xy[moves]
        return replace(document, points=points.move(index, xy)) if len(index) else document


class RelabelPoints(Command, frozen=True, eq=False):
    """Change the class of the points with these `ids` to `label` (0 to 7)."""

    ids: Sequence[int] | Ids = ()
    label: int = 0

    def name(self, before: Document, after: Document) -> str:
        return f"Relabel {count(after.points.changed_since(before.points), 'point')}"

    def apply(self, document: Document) -> Document:
        index = document.points.indices_of(self.ids)
        index = index[document.points.labels[index] != self.label]
        if not len(index) or not 0 <= self.label < MAX_CLASSES:
            return document
        return replace(document, points=document.points.relabel(index, self.label))


class RemovePoints(Command, frozen=True, eq=False):
    """Remove the points with these `ids`; `noun` is their name in the history."""

    ids: Sequence[int] | Ids = ()
    verb: str = "Remove"
    noun: str = "point"

    def name(self, before: Document, after: Document) -> str:
        return f"{self.verb} {count(len(before.points) - len(after.points), self.noun)}"

    def apply(self, document: Document) -> Document:
        index = document.points.indices_of(self.ids)
        return replace(document, points=document.points.remove(index)) if len(index) else document


class ImportPoints(Command, frozen=True, eq=False):
    """Replace the points by imported ones, or append these.

    Attributes
    ----------
    xy, labels : array-like of shape (n, 2) and (n,)
    class_names : tuple of str
        Names of class 1, 2, …; "" or missing for a class that has only its number.
    axes : tuple of (str, str)
    standardise : bool or None
        Whether all lanes are to standardise x and y; None to leave them as they are, as points that are added do.
    add : bool
        Append the points: a class of the same name is the same class, a new name gets a free number, and the axes keep
        their names.
    fit : bool
        Fit the view to all points, with own scales of the axes if the first points are unlike along them; else extend
        it to the new ones if necessary.
    verb : str
    dates : tuple of (float, float)
        As in `Document`.

    Raises
    ------
    ValueError
        If points with other dates are to be added; one sentence.
    """

    xy: ArrayLike = ()
    labels: ArrayLike = 0
    class_names: tuple[str, ...] = ()
    axes: tuple[str, str] = ("", "")
    standardise: bool | None = None
    add: bool = False
    fit: bool = True
    verb: str = "Import"
    dates: tuple[float, float] = NO_DATES

    def name(self, before: Document, after: Document) -> str:
        return f"{self.verb} {count(len(np.asarray(self.xy)), 'point')}"

    def apply(self, document: Document) -> Document:
        if self.add and len(document.points) and self.dates != document.dates:
            raise ValueError("No points were added: dates and numbers do not share an axis.")
        names = [name[:40] for name in self.class_names]
        names += [""] * (MAX_CLASSES - len(names))
        if self.add:
            points, styles = document.points, list(document.styles)
        else:  # ids continue, so that no learner takes a new point for an old one
            points = Points((), document.points.next_id)
            styles = [msgspec.structs.replace(style, name="") for style in document.styles]
        kept = {label for label in np.unique(self.labels).tolist() if not names[label]}
        number = _numbers(names, [style.name for style in styles], points.counts, kept)
        for label, name in enumerate(names):
            if name:
                styles[number[label]] = msgspec.structs.replace(styles[number[label]], name=name)
        xy, lanes = np.asarray(self.xy, dtype=np.float64), document.lanes
        if self.standardise is not None and not (self.add and len(points)):
            lanes = tuple(msgspec.structs.replace(lane, standardise=self.standardise) for lane in lanes)
        points = points.append(xy, np.array(number)[np.asarray(self.labels, dtype=np.intp)])
        x, y = document.axes if self.add else self.axes
        own_scales = document.view.owns_scales if self.add and len(document.points) else are_unlike(points)
        view = View.fitting(points, own_scales) if self.fit or not len(xy) else document.view.showing(xy)
        origin = document.origin if self.add else None
        return replace(
            document,
            points=points,
            view=view,
            styles=tuple(styles),
            axes=(x[:60], y[:60]),
            lanes=lanes,
            origin=origin,
            scaling=document.scaling if self.add else None,
            units=document.units if self.add else NO_UNITS,
            dates=self.dates,
        )


def _numbers(names: Sequence[str], present: Sequence[str], counts: Sequence[int], kept: set[int]) -> list[int]:
    """Return the classes, in a document with `present` names, for classes named `names`.

    A class without a name keeps its number (`kept`), a known name has its class, and a new name gets a free number, its
    own if possible.

    Raises
    ------
    ValueError
        If no number is free.
    """
    number = [present.index(name) if name and name in present else label for label, name in enumerate(names)]
    new = [label for label, name in enumerate(names) if name and name not in present]
    taken = set(kept)
    for label in new:
        free = [c for c in (label, *range(MAX_CLASSES)) if not (present[c] or counts[c] or c in taken)]
        if not free:
            raise ValueError(f"There is no class left for “{names[label]}”: a document has at most {MAX_CLASSES}.")
        number[label] = free[0]
        taken.add(free[0])
    return number


class SetUnits(Command, frozen=True):
    """Multiply x and y of all points by `units` instead of the present factors, and fit the view.

    The generator's densities are unknown in other units, so the points no longer count as generated.

    Raises
    ------
    ValueError
        If points would be too far out; one sentence.
    """

    units: tuple[float, float] = NO_UNITS

    def name(self, before: Document, after: Document) -> str:
        axis = int(before.units[0] == after.units[0])
        return f"Multiply {'xy'[axis]} by {short(after.units[axis] / before.units[axis])}"

    def apply(self, document: Document) -> Document:
        if self.units == document.units or not len(document.points):
            return document
        factors = np.divide(self.units, document.units)
        xy = document.points.xy * factors
        if not _drawable(xy).all():
            raise ValueError("The points would be too far out in this unit.")
        points, scaling = document.points.move(np.arange(len(xy)), xy), document.scaling
        if scaling is not None:
            deviation_x, deviation_y = np.divide(scaling.deviation, factors).tolist()
            scaling = Scaling(scaling.mean, (deviation_x, deviation_y))
        view = View.fitting(points, document.view.owns_scales)
        x, y = np.multiply(document.dates, factors).tolist()
        changed = replace(document, points=points, units=self.units, view=view, origin=None, scaling=scaling)
        return replace(changed, dates=(x, y))


class Clear(Command, frozen=True):
    """Remove all points; the axes share one scale again."""

    def name(self, before: Document, after: Document) -> str:
        return f"Clear {count(len(before.points), 'point')}"

    def apply(self, document: Document) -> Document:
        if not len(document.points):
            return document
        view = View() if document.view.owns_scales else document.view
        points = Points((), document.points.next_id)
        return replace(document, points=points, origin=None, units=NO_UNITS, view=view, dates=NO_DATES)


class Generate(Command, frozen=True):
    """Replace the points by generated ones, or append these; fit the view.

    Points appended to others do not count as generated.
    """

    settings: GeneratorSettings = GeneratorSettings()
    add: bool = False

    def name(self, before: Document, after: Document) -> str:
        return self.text or f"{'Add' if self.add else 'Generate'} {self.settings.name}"

    def apply(self, document: Document) -> Document:
        made = self.settings.points()
        # Ids continue, so that no learner takes a new point for an old one.
        start = document.points if self.add else Points((), document.points.next_id)
        points = start.append(made.xy, made.labels)
        if points.looks_like(document.points):
            points = document.points
        origin = self.settings if not len(start) else document.origin
        # The scales of a table are none for points of a generator in its place.
        own_scales = document.view.owns_scales and (len(start) > 0 or document.origin is not None)
        view = View.fitting(points, own_scales)
        changed = replace(document, points=points, generator=self.settings, view=view, origin=origin)
        if not len(start):  # generated points have no scaling and no units
            axes = document.axes if document.scaling is None else measured(document.axes)
            changed = replace(changed, scaling=None, units=NO_UNITS, axes=axes, dates=NO_DATES)
        rest = ("generator", "view", "origin", "scaling", "units", "dates")
        same_rest = all(getattr(changed, name) == getattr(document, name) for name in rest)
        return document if points is document.points and same_rest else changed


class Regenerate(Generate, frozen=True):
    """Replace generated points by those of other settings; keep the view if it shows all of them."""

    text: str = "Change the generator"

    def apply(self, document: Document) -> Document:
        made = super().apply(document)
        return replace(made, view=document.view) if document.view.holds(made.points) else made


class SetFields(Command, frozen=True):
    """Change fields of the document: generator, class names and colours, axes, notes, split."""

    changes: tuple[tuple[str, object], ...] = ()
    text: str = "Change the document"

    def apply(self, document: Document) -> Document:
        changed = {name: value for name, value in self.changes if getattr(document, name) != value}
        return replace(document, **changed) if changed else document


class Revert(Command, frozen=True, eq=False):
    """Replace the document by the content of its file; with `own_view`, also the view."""

    document: Document = field(default_factory=Document)
    text: str = "Revert to the file"
    own_view: bool = False

    def apply(self, document: Document) -> Document:
        points, old = self.document.points, document.points
        # Ids continue, so that no learner takes a new point for an old one.
        points = old if points.same_as(old) else Points(points.blocks, max(points.next_id, old.next_id))
        # The lanes are new ones, with new slots.
        view = document.view if points is old else View.fitting(points, self.document.view.owns_scales)
        if self.own_view:
            view = self.document.view
        new = replace(self.document, slots=document.slots, points=points, view=view)
        same = all(getattr(new, name) == getattr(document, name) for name in Document.__struct_fields__)
        return document if same else new


class SetView(Command, frozen=True):
    """Change the view, which is no edit: undo skips it, unless it is `undoable`."""

    view: View = View()
    undoable: bool = False
    text: str = "Look elsewhere"

    def apply(self, document: Document) -> Document:
        return document if self.view == document.view else replace(document, view=self.view)


class Attach(Command, frozen=True):
    """Set the data that a feature stores in the document, b"" for none; undo skips it."""

    part: str = ""
    data: bytes = b""
    undoable: bool = False
    text: str = "Keep with the document"

    def apply(self, document: Document) -> Document:
        kept = {**dict(document.attached), self.part: self.data}
        attached = tuple((name, data) for name, data in kept.items() if data)
        return document if attached == document.attached else replace(document, attached=attached)


class PaintTestPoints(Command, frozen=True, eq=False):
    """Make the points with these `ids` test points, or training points again; the split is then by hand.

    After a split by ratio, it starts from the same test points.
    """

    ids: Sequence[int] | Ids = ()
    test: bool = True

    def name(self, before: Document, after: Document) -> str:
        changed = np.setxor1d(before.test_points.ids, after.test_points.ids, assume_unique=True)
        return (
            f"Keep {count(len(changed), 'point')} for testing"
            if self.test
            else f"Train on {count(len(changed), 'point')} again"
        )

    def apply(self, document: Document) -> Document:
        present = document.test_points.ids
        chosen = document.points.ids[document.points.indices_of(self.ids)]
        change = np.union1d if self.test else np.setdiff1d
        painted = change(present, chosen)
        if len(painted) == len(present):
            return document
        return replace(document, split=replace(document.split, kind="painted", painted=IdSet(painted)))


COUNTS = ("one classifier", "two classifiers", "three classifiers", "four classifiers")


class SetLane(Command, frozen=True):
    """Replace the settings of a lane; `text` describes the change in the undo menu."""

    index: int = 0
    lane: Lane = Lane()
    text: str = "Change the classifier"

    def apply(self, document: Document) -> Document:
        if self.lane == document.lanes[self.index]:
            return document
        lanes = document.lanes
        return replace(document, lanes=(*lanes[: self.index], self.lane, *lanes[self.index + 1 :]))


class ShowLanes(Command, frozen=True):
    """Set the number of lanes on screen."""

    count: int = 2

    def name(self, before: Document, after: Document) -> str:
        return f"Show {COUNTS[after.shown - 1]}"

    def apply(self, document: Document) -> Document:
        count = min(max(self.count, 1), len(document.lanes))
        return document if count == document.shown else replace(document, shown=count)


class AddLane(Command, frozen=True):
    """Add a lane on screen at `index`; with four lanes, it replaces the last hidden one.

    Raises
    ------
    ValueError
        If four are on screen; one sentence.
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


class RemoveLane(Command, frozen=True):
    """Remove the lane at `index`; raise a ValueError with a sentence if it is the only one."""

    index: int = 0
    text: str = "Remove a classifier"

    def apply(self, document: Document) -> Document:
        if len(document.lanes) == 1:
            raise ValueError("The only classifier cannot be removed.")
        lanes, slots = list(document.lanes), list(document.slots)
        del lanes[self.index]
        slots.append(slots.pop(self.index))
        return _arranged(document, lanes, slots, max(1, document.shown - 1))


class MoveLane(Command, frozen=True):
    """Move the lane at `index` to index `to`."""

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
    """Return `document` with other lanes; the same two are compared if both remain, else the first two."""
    chosen = [document.slots[index] for index in document.compared if index < len(document.lanes)]
    indices = [slots.index(slot) for slot in chosen if slots.index(slot) < len(lanes)]
    indices += [index for index in range(len(lanes)) if index not in indices]
    first, second = (*indices, 1)[:2]
    return replace(document, lanes=tuple(lanes), slots=tuple(slots), shown=shown, compared=(first, second))
