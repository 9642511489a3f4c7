"""Feature: what the rest of the program needs to know of one question about the models; no Qt.

Widgets are named, and imported when they are first wanted: none of them may cost the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from functools import partial
from importlib import import_module
from typing import Any, Literal

from msgspec import Struct, field

from app.controllers.controller import Controller
from app.core.points import Points
from app.engine.cover import Cover
from app.engine.overlays import Sheet
from app.engine.query import Query
from app.engine.requests import Marks
from app.engine.run_state import RunState
from app.scene.context import Context
from app.scene.marks import PointMarks
from app.scene.model import LaneScene, Scene
from app.scene.start_offer import POINTS
from app.scene.status_badge import Status
from app.state.document import Document
from app.state.session import FeatureSession, Session
from app.tools import PointerPosition

#: Menus, and sections of the page of help, that several features have lines in.
TRAINING, COMPARE = "&Training", "&Compare"
WATCHING, BESIDE = "Watching a run", "Side by side"
#: What of a run is to be displayed: the run at all, the pair that moves, the last pair at its end, what curves are
#: drawn of, and the KKT case of each point.
Aspect = Literal["run", "pair", "last pair", "curves", "cases"]
#: Where views of a feature stand that are neither docks nor windows.
Place = Literal["overlay", "cover", "below slider", "lesson"]


class Action(Struct, frozen=True):
    """One of the window's commands.

    Attributes
    ----------
    name : str
        Its object name after "action.".
    menu, text : str
    keys : tuple of str
    tip : str
        A sentence.
    short : str
        Its name in the toolbar; "" leaves it out.
    checkable : bool
    simple : bool
        Simple has it in sight; else it is in the menu More there.
    gap : bool
        A separator stands before it.
    switch : str
        The field of the session that it turns on and off, or "".
    of : type or None
        The feature's part of the session that has this field.
    run : callable or None
        What it does; None for a switch, where it opens the dock or the window of its name, or where only the window
        can do it.
    on : callable or None
        ``on(scene)``: whether it is checked, where that is no switch and a scene can tell.
    able : callable or None
        ``able(controller)``: whether there is anything to do; None: always.  The window asks after each change, not
        when it draws: the next key may be a matter of milliseconds.
    after : str
        Name of the action that it follows in its menu; "" puts it behind the window's own.
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
    run: Callable[[Controller], object] | None = None
    on: Callable[[Scene], bool] | None = None
    able: Callable[[Controller], bool] | None = None
    after: str = ""

    def checked(self, scene: Scene) -> bool | None:
        """Whether it is checked; None where a scene cannot tell."""
        if self.switch:
            part = scene.session if self.of is None else scene.session.of(self.of)
            return bool(getattr(part, self.switch))
        return None if self.on is None else self.on(scene)

    def handler(self, controller: Controller) -> Callable[[], object] | None:
        """What is done when it is triggered; None where the window knows."""
        run = partial(controller.toggle, self.switch, self.of) if self.switch else None
        return run if self.run is None else partial(self.run, controller)


class Widget(Struct, frozen=True):
    """What makes a widget of a class that is imported when the first one is wanted.

    Attributes
    ----------
    name : str
        The class, with its module.
    takes : tuple of str
        Names of the `Surroundings` that it is made of, in the order of its parameters.
    trains : bool
        It trains models of its own, which would show what a lesson covers.
    """

    name: str
    takes: tuple[str, ...] = ("controller",)
    trains: bool = False

    @property
    def kind(self) -> Any:
        """The class."""
        module, _, name = self.name.rpartition(".")
        return getattr(import_module(module), name)

    def __call__(self, around: object) -> Any:
        """Return one more of them, made of the attributes of `around` that it takes."""
        return self.kind(*(getattr(around, each) for each in self.takes))


class Dock(Struct, frozen=True):
    """A dock beside the pictures; those of a group are tabs in one place, the groups stand one above the other.

    Attributes
    ----------
    name, title : str
    make : callable
        Makes its panel, a widget with ``render_scene(scene, theme)``; where it is to begin with another control than
        itself, that is its `first_stop`.
    group : int
    wide : bool
        It opens with a share of the window's width.
    tab : str
        A shorter title, for where several stand behind one another.
    watches : tuple of Aspect
        What it shows of a run; with it in sight the pictures show more of that, too.
    kept : bool
        Left open, it is open at the next start.
    needs : tuple of str
        Without which of `start_offer.POINTS` and `TRAINING` it has nothing to show.
    """

    name: str
    title: str
    make: Callable[[Any], Any]
    group: int = 0
    wide: bool = True
    tab: str = ""
    watches: tuple[Aspect, ...] = ()
    kept: bool = True
    needs: tuple[str, ...] = (POINTS,)


class Sign(Struct, frozen=True):
    """What the legend says of a sign in the pictures.

    Attributes
    ----------
    kind : str
        As the plots name it: a `LineStyle`, "differ" for a `Hatch`, or a mark.
    text : str
    called : callable or None
        ``called(scene)``: what it is called at a moment, where that changes.
    """

    kind: str
    text: str
    called: Callable[[Scene], str] | None = None

    def title(self, scene: Scene) -> str:
        """What it is called now."""
        return self.text if self.called is None else self.called(scene)


class Feature(Struct, frozen=True):
    """One question, by what it has; everything may be missing.

    Attributes
    ----------
    actions : tuple of Action
        In the order of their menus.
    dock : Dock or None
    window : (str, callable) or None
        Name of a window of its own, and what makes it: a widget with ``render_scene(scene, theme)`` and a signal
        ``finished``.
    help : tuple of (str, str, str)
        Section, key and sentence of each of its lines on the page of help.
    queries : callable or None
        What is to be found out at a moment, by name; what is not given any more is dropped.
    scene : callable or None
        ``scene(context, lanes)``: what it adds to the scene.
    lane : callable or None
        ``lane(context, index)``: what it says of the lane at place `index`, or None.
    status : callable or None
        ``status(context, index)``: what stands in the status line of the lane at place `index`, or None.
    sheets : callable or None
        ``sheets(context, index)``: what lies over the picture of the lane at place `index`; the very same sheets as
        long as nothing about them has changed, for new ones are painted anew.
    signs : tuple of Sign
        Those of its sheets, in the order of the legend.
    watches : callable or None
        ``watches(session)``: what of a run is wanted, whether its dock is in sight or not.
    marks : callable or None
        ``marks(run_state, points)``: while it watches, marks among all `points` in place of those of support vectors
        and errors, the very same as long as both are; None where the run has none.
    mark_signs : tuple of Sign
        Those of its marks.
    other_marks : callable or None
        ``other_marks(context, index)``: marks, among all points, besides those of the training of the lane at place
        `index`; the very same as long as nothing about them has changed.
    shows : callable or None
        ``shows(session)``: names of the controls that alone are to be seen, as `lessons.controls` has them; None: all.
    covers : callable or None
        ``covers(document, session)``: what is not to be seen yet of which lanes, by their slots.
    pointed : callable or None
        ``pointed(controller, pointer)``: the pointer has moved over a picture, or left it.  Scene and queries of a
        feature with it are made anew whenever the controller's `pointer` changes; nothing else is.
    views : dict
        Classes of widgets and layers, by where they stand:

        "overlay", made of nothing: what is drawn over the picture of a lane, in pixels.  ``lay(scene, lane, grid, area,
        font, hovering)`` returns what must be painted anew, and ``laid`` is None or has ``paint(painter, theme,
        rect)``.

        "cover", made of the controller and a canvas: what covers part of that, as `views.plot.canvas.Cover` says.

        "below slider", made of a slider of a lane's form, what it controls and what sets that: a widget whose
        ``render_lane(lane, theme)`` returns whether it is to be seen; the class has `name`, `title` and `use`, a
        sentence.

        "lesson", made of the controller and of ``do(name)``, which runs a command: a widget below the question of a
        lesson, which shows itself in ``render_scene(scene, theme)`` where there is something to see.
    """

    actions: tuple[Action, ...] = ()
    dock: Dock | None = None
    window: tuple[str, Callable[[Any], Any]] | None = None
    help: tuple[tuple[str, str, str], ...] = ()
    queries: Callable[[Context], dict[str, Query]] | None = None
    scene: Callable[[Context, tuple[LaneScene, ...]], tuple[object, ...]] | None = None
    lane: Callable[[Context, int], object | None] | None = None
    status: Callable[[Context, int], Status | None] | None = None
    sheets: Callable[[Context, int], tuple[Sheet, ...]] | None = None
    signs: tuple[Sign, ...] = ()
    watches: Callable[[Session], tuple[Aspect, ...]] | None = None
    marks: Callable[[RunState, Points], PointMarks | None] | None = None
    mark_signs: tuple[Sign, ...] = ()
    other_marks: Callable[[Context, int], Marks] | None = None
    shows: Callable[[Session], Set[str] | None] | None = None
    covers: Callable[[Document, Session], Mapping[int, Cover]] | None = None
    pointed: Callable[[Controller, PointerPosition | None], None] | None = None
    views: Mapping[Place, Widget] = field(default_factory=dict)
