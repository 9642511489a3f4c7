"""Feature: the description of one feature to the rest of the program: its menus, queries, scene, views.  No Qt.

FeatureTable: the contributions of all features to menus, queries, pictures, scene and legend.  Widgets are given by
name, and imported when first needed, so that none of them slows the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from importlib import import_module
from operator import or_
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from app.controllers.controller import Controller
from app.engine.cover import Cover
from app.engine.frames import NO_MARKS, Marks
from app.engine.overlays import Lines, Sheet, Specks
from app.engine.query import Query
from app.exchange.opening import Kind
from app.scene.model import POINTS, Context, LaneScene, Scene
from app.scene.status_badge import StatusPart
from app.state.document import Document
from app.state.session import FeatureSession, Session
from app.tools import PointerPosition

from .compared import compared

#: Menus in their order; those that several features share have a name.
MENUS = ("&File", "&Edit", "&Tools", "&View", "T&raining", "&Compare", "&Lessons", "&Help")
TRAINING, COMPARE, LESSONS = MENUS[4:7]
#: Sections of the help page that several features share.
WATCHING, BESIDE = "Watching a run", "Side by side"
#: Parts of a run to be displayed: the run at all, the working pair, the last pair at its end, the data of curves, and
#: the KKT case of each point.
Aspect = Literal["run", "pair", "last pair", "curves", "cases"]
#: Locations of a feature's views other than docks and windows.
Place = Literal["overlay", "cover", "below slider", "lesson"]


class Action(Struct, frozen=True):
    """One of the window's commands.

    Attributes
    ----------
    name : str
        Object name after "action.".
    menu, text : str
    keys : tuple of str
    tip : str
        Sentence of the tool tip.
    short : str
        Text in the toolbar; "" if it is not there.
    checkable : bool
    simple : bool
        Simple shows it; else it is in the menu More there.
    gap : bool
        A separator precedes it.
    switch : str
        Field of the session that it turns on and off, or "".
    of : type or None
        Type of the feature's part of the session with this field.
    run : callable or None
        ``run(around)``, with the `Surroundings`; None for a switch, for opening the dock or window of its name, and for
        the window's own commands.
    on : callable or None
        ``on(scene)``: whether it is checked, if it is not a switch and depends on the scene.
    able : callable or None
        ``able(controller)``: whether it is enabled; None: always.  Evaluated after each change, not with the picture,
        because the next key may follow within milliseconds.
    after : str
        Name of the action that it follows in its menu; "" for after the window's own.
    everywhere : bool
        Its keys work in floating docks and in windows of features, too.
    """

    name: str
    menu: str
    text: str
    keys: tuple[str, ...]
    tip: str
    short: str = ""
    checkable: bool = False
    gap: bool = False
    simple: bool = True
    switch: str = ""
    of: type[FeatureSession] | None = None
    run: Callable[[Any], object] | None = None
    on: Callable[[Scene], bool] | None = None
    able: Callable[[Controller], bool] | None = None
    after: str = ""
    everywhere: bool = False

    def checked(self, scene: Scene) -> bool | None:
        """Return whether it is checked; None if that does not depend on the scene."""
        if self.switch:
            part = scene.session if self.of is None else scene.session.of(self.of)
            return bool(getattr(part, self.switch))
        return None if self.on is None else self.on(scene)

    def handler(self, around: Any) -> Callable[[], object] | None:
        """Return the function to call when it is triggered; None for the window's own commands."""
        run = partial(around.controller.toggle, self.switch, self.of) if self.switch else None
        return run if self.run is None else partial(self.run, around)


class Widget(Struct, frozen=True):
    """Factory of widgets, or of other parts of the window, whose class is imported when the first one is made.

    Attributes
    ----------
    name : str
        Name of the class, with its module.
    takes : tuple of str
        Names of the `Surroundings` that it takes, in the order of its parameters; without names, it takes all as one.
    trains : bool
        It trains models of its own, which would reveal what a lesson covers.
    """

    name: str
    takes: tuple[str, ...] = ("controller",)
    trains: bool = False

    @property
    def kind(self) -> Any:
        """The widget's class, imported."""
        module, _, name = self.name.rpartition(".")
        return getattr(import_module(module), name)

    def __call__(self, around: object) -> Any:
        """Return a new widget, made from the attributes of `around` that it takes."""
        return self.kind(*(getattr(around, each) for each in self.takes) if self.takes else (around,))


class Dock(Struct, frozen=True):
    """A dock beside the pictures; those of a lower group are above the others.

    Attributes
    ----------
    name, title : str
    make : callable
        Makes its panel, a widget with ``render_scene(scene, theme)``; its attribute `first_stop`, if any, is the
        control that gets the focus.
    group : int
    height : int
        Least height at which its panel is useful (pixels), unless the panel has a method ``useful_height()``: with
        less it becomes a tab.
    tab : str
        A shorter title, for a tab.
    watches : tuple of Aspect
        Parts of a run that it shows; while it is visible, the pictures show more of them, too.
    kept : bool
        If left open, it is open at the next start.
    needs : tuple of str
        Those of `start_offer.POINTS` and `TRAINING` without which it is empty.
    pins : bool
        It shows one classifier, the selected one, and may be pinned to another.
    reveals : Cover
        Covered results, any of which it would reveal: while those of all classifiers are covered, it is empty.
    presented : bool
        Presenter mode neither hides nor widens it.
    """

    name: str
    title: str
    make: Callable[[Any], Any]
    group: int = 0
    height: int = 360
    tab: str = ""
    watches: tuple[Aspect, ...] = ()
    kept: bool = True
    needs: tuple[str, ...] = (POINTS,)
    pins: bool = False
    reveals: Cover = Cover.PAINT
    presented: bool = False


class LegendEntry(Struct, frozen=True):
    """An entry of the legend.

    Attributes
    ----------
    kind : str
        Name in the plots: a `LineStyle`, "differ" for a `Hatch`, or a mark.
    text : str
    called : callable or None
        ``called(scene)``: the text, if it depends on the scene.
    drawn : callable or None
        ``drawn(scene)``: whether an overlay draws it; None for what is drawn by a sheet, or is a mark.
    """

    kind: str
    text: str
    called: Callable[[Scene], str] | None = None
    drawn: Callable[[Scene], bool] | None = None

    def title(self, scene: Scene) -> str:
        """Return the text for `scene`."""
        return self.text if self.called is None else self.called(scene)


class Feature(Struct, frozen=True):
    """One feature; every field is optional.

    Attributes
    ----------
    actions : tuple of Action
        In the order of their menus.
    dock : Dock or None
    window : (str, callable) or None
        Name of a window of its own, and its factory, which returns a widget with ``render_scene(scene, theme)`` and a
        signal ``finished``.
    help : tuple of (str, str, str)
        Section, key and sentence of each of its lines on the help page.
    queries : callable or None
        ``queries(context)``: its queries by name; earlier ones that are missing are discarded.
    scene : callable or None
        ``scene(context, lanes)``: values that it adds to the scene.
    lane : callable or None
        ``lane(context, index)``: a value that it adds to the scene of the lane at `index`, or None.
    status : callable or None
        ``status(context, index)``: its parts of the status line of the lane at `index`.
    sheets : callable or None
        ``sheets(context, index)``: what it draws over the picture of the lane at `index`; the same objects while
        nothing has changed, because new ones are painted anew.
    legend : tuple of LegendEntry
        Legend entries of its sheets, in order.
    watches : callable or None
        ``watches(session)``: parts of a run to display, whether its dock is visible or not.
    other_marks : callable or None
        ``other_marks(context, index)``: marks of points in addition to those of the training of the lane at `index`;
        the same object while nothing has changed.
    covers : callable or None
        ``covers(document, session)``: what is covered of which lanes, by their slots.
    opens : dict
        By the kind of a file or text, ``open(around, source)``, which opens the paths of such files, or such a text.
    pointed : callable or None
        ``pointed(controller, pointer)``: called when the pointer has moved over a picture, or left it.  A feature with
        this gets new scenes and queries whenever the controller's `pointer` changes; the others do not.
    views : dict
        Classes of widgets and layers, by location:

        "overlay", made without arguments: a drawing over the picture of a lane, in pixels.  ``lay(scene, lane, grid,
        area, font, hovering)`` returns the region to repaint, and ``laid`` is None or has ``paint(painter, theme,
        rect)``.

        "cover", made from the controller and a canvas: a cover of part of that, as `views.plot.canvas.Cover`.

        "below slider", made from a slider of a lane's form, its parameter and a setter: a widget whose
        ``render_lane(lane, theme)`` returns whether it is visible; the class has `name`, `title` and `use`, a
        sentence.

        "lesson", made from the controller and ``do(name)``, which runs a command: a widget below the question of a
        lesson, which shows or hides itself in ``render_scene(scene, theme)``.
    """

    actions: tuple[Action, ...] = ()
    dock: Dock | None = None
    window: tuple[str, Callable[[Any], Any]] | None = None
    help: tuple[tuple[str, str, str], ...] = ()
    queries: Callable[[Context], dict[str, Query]] | None = None
    scene: Callable[[Context, tuple[LaneScene, ...]], tuple[object, ...]] | None = None
    lane: Callable[[Context, int], object | None] | None = None
    status: Callable[[Context, int], tuple[StatusPart, ...]] | None = None
    sheets: Callable[[Context, int], tuple[Sheet, ...]] | None = None
    legend: tuple[LegendEntry, ...] = ()
    watches: Callable[[Session], tuple[Aspect, ...]] | None = None
    other_marks: Callable[[Context, int], Marks] | None = None
    covers: Callable[[Document, Session], Mapping[int, Cover]] | None = None
    opens: Mapping[Kind, Callable[[Any, Sequence[Path] | str], object]] = field(default_factory=dict)
    pointed: Callable[[Controller, PointerPosition | None], None] | None = None
    views: Mapping[Place, Widget] = field(default_factory=dict)


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
        found = (feature.lane(context, index) for feature in self.rows if feature.lane)
        return tuple(each for each in found if each is not None)

    def status(self, context: Context, index: int) -> tuple[StatusPart, ...]:
        """Return the parts of the status line of the lane at `index`."""
        return tuple(each for feature in self.rows if feature.status for each in feature.status(context, index))

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
