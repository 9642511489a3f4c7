"""FeatureTable: the contributions of all features to menus, queries, pictures, scene and legend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import Any

from msgspec import Struct

from app.controllers.controller import Controller
from app.engine.cover import Cover
from app.engine.frames import NO_MARKS, Marks
from app.engine.overlays import Lines, Sheet, Specks
from app.engine.query import Query
from app.exchange.opening import Kind
from app.state.document import Document
from app.state.session import Session

from .compared import compared
from .context import Context
from .feature import Action, Aspect, Dock, Feature, LegendEntry, Place, Widget
from .model import LaneScene
from .status_badge import StatusPart


class FeatureTable(Struct, frozen=True, eq=False):
    """The features of the program, in the order of menus and docks.

    Attributes
    ----------
    rows : tuple of Feature
    """

    rows: tuple[Feature, ...] = ()

    def __iter__(self) -> Iterator[Feature]:
        return iter(self.rows)

    def by_pointer(self) -> tuple[FeatureTable, FeatureTable]:
        """Return the features that follow the pointer, and the others."""
        following, others = ([each for each in self.rows if (each.pointed is None) is still] for still in (False, True))
        return FeatureTable(tuple(following)), FeatureTable(tuple(others))

    def actions(self) -> tuple[Action, ...]:
        """Return the actions of all features."""
        return tuple(action for feature in self.rows for action in feature.actions)

    def openers(self, around: object) -> dict[Kind, Callable[[Sequence[Path] | str], object]]:
        """Return the functions that open files and texts of the features' kinds."""
        return {kind: partial(open, around) for feature in self.rows for kind, open in feature.opens.items()}

    def docks(self) -> tuple[Dock, ...]:
        """Return the docks of all features."""
        return tuple(feature.dock for feature in self.rows if feature.dock is not None)

    def watched(self, session: Session) -> frozenset[Aspect]:
        """Return the parts of a run to display."""
        of_docks = [dock.watches for dock in self.docks() if dock.watches and dock.name in session.open_panels]
        others = [feature.watches(session) for feature in self.rows if feature.watches is not None]
        return frozenset(aspect for aspects in (*of_docks, *others) for aspect in aspects)

    def training(self) -> tuple[str, ...]:
        """Return the names of panels and windows that train models of their own, which would reveal what is covered."""
        made = [(each.dock.name, each.dock.make) for each in self.rows if each.dock is not None]
        made += [each.window for each in self.rows if each.window is not None]
        return tuple(name for name, make in made if isinstance(make, Widget) and make.trains)

    def queries(self, context: Context) -> dict[str, Query]:
        """Return the queries of all features, by name."""
        asked = [feature.queries(context) for feature in self.rows if feature.queries is not None]
        return {name: query for queries in asked for name, query in queries.items()}

    def sheets(self, context: Context, index: int) -> tuple[Sheet, ...]:
        """Return the sheets over the picture of the lane at `index`, the lowest first."""
        laid = [feature.sheets(context, index) for feature in self.rows if feature.sheets is not None]
        return tuple(sorted((sheet for sheets in laid for sheet in sheets), key=_height))

    def legend(self) -> tuple[LegendEntry, ...]:
        """Return the legend entries of sheets, in order."""
        return tuple(entry for feature in reversed(self.rows) for entry in feature.legend)

    def other_marks(self, context: Context, index: int) -> tuple[Marks, ...]:
        """Return marks of points in addition to those of the training of the lane at `index`."""
        found = [feature.other_marks(context, index) for feature in self.rows if feature.other_marks is not None]
        return tuple(marks for marks in found if marks is not NO_MARKS)

    def covered(self, document: Document, session: Session) -> dict[int, Cover]:
        """Return what is covered, by the slots of the lanes; a difference has the covers of the two compared lanes."""
        covers: dict[int, Cover] = {}
        for feature in self.rows:
            for slot, cover in feature.covers(document, session).items() if feature.covers is not None else ():
                covers[slot] = covers.get(slot, Cover.NOTHING) | cover
        of_compared = [covers.get(document.slots[index], Cover.NOTHING) for index in compared(document) or ()]
        if any(of_compared):
            for lane, slot in zip(document.lanes, document.slots, strict=False):
                if lane.is_difference:
                    covers[slot] = reduce(or_, of_compared, covers.get(slot, Cover.NOTHING))
        return covers

    def covers_nothing(self, controller: Controller) -> bool:
        """Return whether nothing is covered."""
        return not self.covered(controller.document, controller.session)

    def views(self, place: Place) -> list[Any]:
        """Return the classes of the views at a location."""
        return [feature.views[place].kind for feature in self.rows if place in feature.views]

    def added_to_lane(self, context: Context, index: int) -> tuple[object, ...]:
        """Return the values that features add to the scene of the lane at `index`."""
        found = [feature.lane(context, index) for feature in self.rows if feature.lane is not None]
        return tuple(each for each in found if each is not None)

    def status(self, context: Context, index: int) -> tuple[StatusPart, ...]:
        """Return the parts of the status line of the lane at `index`."""
        found = [feature.status(context, index) for feature in self.rows if feature.status is not None]
        return tuple(each for each in found if each is not None)

    def added_to_scene(self, context: Context, lanes: tuple[LaneScene, ...]) -> tuple[object, ...]:
        """Return the values that features add to the scene of these lanes."""
        return tuple(
            each for feature in self.rows if feature.scene is not None for each in feature.scene(context, lanes)
        )


def _height(sheet: Sheet) -> int:
    """Return the order of painting: symbols, hatching, then lines by their height."""
    if isinstance(sheet, Lines):
        return 2 + sheet.style.height
    return 0 if isinstance(sheet, Specks) else 1
