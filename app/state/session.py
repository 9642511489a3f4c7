"""Session: the state of the interface that is neither saved nor undone: tool, selection, play or pause."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, Self, TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from app.core.points import Ids
from solver.core.arrays import Array

from .document import MAX_LANES, Document

#: Speeds of the slider (steps/s); the last is full speed.
SPEEDS: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 10_000.0, float("inf"))
FULL_SPEED = len(SPEEDS) - 1
#: Speeds of a replay, relative to the usual one.
REPLAY_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
#: Smallest and largest values of the tools' options.
OPTION_LIMITS: dict[str, tuple[int, int]] = {
    "radius": (4, 200),
    "density": (1, 200),
    "count": (1, 2000),
    "scatter": (0, 100),
}
SPREADS = ("uniform", "normal")
MOVES = ("point", "class")


class Seek(Struct, frozen=True):
    """The step to which a run is to go: an absolute number, so that it can be followed twice.

    Attributes
    ----------
    recording : int
        Number of the run; other runs ignore the seek.
    step : int
    until : {"step", "next change", "previous change", "end", "replay"}
        Go to `step`, or to the first change of the support vectors after it, the last one before it, or the end.
        "replay": go to `step`, and continue at the speed of a replay while the lane plays.
    serial : int
        Number that distinguishes equal seeks.
    """

    recording: int
    step: int = 0
    until: Literal["step", "next change", "previous change", "end", "replay"] = "step"
    serial: int = 0


class Selection(Struct, frozen=True, eq=False):
    """The selected points by their lifelong ids, ascending; selections are compared by identity."""

    ids: Ids

    def __len__(self) -> int:
        return len(self.ids)


NOTHING = Selection(np.empty(0, dtype=np.int64))


OutlineKind = Literal["line", "rectangle", "ellipse", "path"]


class Outline(Struct, frozen=True, eq=False):
    """The shape that a gesture in progress draws over the pictures, in the plane.

    Attributes
    ----------
    kind : {"line", "rectangle", "ellipse", "path"}
    xy : ndarray of shape (n, 2)
        Two ends, or the corners of a path that will be closed.
    """

    kind: OutlineKind
    xy: Array


class PenStroke(Struct, frozen=True):
    """A line drawn with the pen over the picture of the lane in `slot`, through the locations `xy` of the plane.

    `ink` is 0 for the first colour of the pen, 1 for the second.
    """

    slot: int
    xy: tuple[tuple[float, float], ...]
    ink: int = 0


class Presenting(Struct, frozen=True):
    """State of presenter mode and audience window, while at least one of them is open.

    Attributes
    ----------
    here : bool
        Presenter mode: the window shows only the pictures.
    audience : bool
        An audience window shows the pictures; this one keeps its controls.
    frozen : bool
        The audience window does not follow changes.
    peek : bool
        This window shows what is covered; the audience window does not.
    spotlight : bool
        Everything is dark except a disc at the pointer.
    pen : bool
        The mouse draws over the pictures.
    ink : int
        Colour of the pen, 0 or 1.
    erasing : bool
        The pen erases its lines.
    strokes : tuple of PenStroke
        Lines of the pen.
    """

    here: bool = True
    audience: bool = False
    frozen: bool = False
    peek: bool = False
    spotlight: bool = False
    pen: bool = False
    ink: int = 0
    erasing: bool = False
    strokes: tuple[PenStroke, ...] = ()


#: Fields of a session that have a value for each slot of a lane.
PER_SLOT = ("playing", "seeks", "speeds")


class FeatureSession(Struct, frozen=True):
    """A feature's part of the session; each has a type of its own, with a default for every field."""

    def of_new_document(self) -> Self:
        """Return the state after the document is replaced by another."""
        return self

    def of_new_lane(self, slot: int) -> Self:
        """Return the state after `slot` is assigned to another lane."""
        return self


T = TypeVar("T", bound=FeatureSession)


_untouched: Callable[[Any], Any] = cache(lambda kind: kind())


class Session(Struct, frozen=True):
    """The state of the interface that is not saved.

    Attributes
    ----------
    active_class : int
        Class of the next point, 0 to 7.
    n_classes : int
        Fewest classes in Simple's bar, with or without points.
    tool : str
        Name in `tools.TOOLS`.
    selection : Selection
    radius : int
        Radius of the present tool's brush, in pixels.
    radii : tuple of (str, int)
        Changed radii, by tool.
    density : int
        Points of one spray of the brush.
    spread : {"uniform", "normal"}
        Distribution of these points about the pointer.
    count, scatter : int
        Number of points of a line or ellipse, and their standard deviation from it in pixels.
    filled : bool
        Points of an ellipse fill it, rather than lie on its rim.
    moves : {"point", "class"}
        What a press on a point that is not selected moves.
    right_removes : bool
        With the eraser, a right click removes a point instead of opening its menu.
    cursor : tuple of (float, float) or None
        Location of the keyboard cursor in the plane; None until an arrow key is pressed.
    outline : Outline or None
        Shape of the gesture in progress.
    gesture_hint : str
        Hint for the feature that has taken over the pointer; empty while the tool has it.
    idle_hint : str
        Hint in place of the document's notes.
    controls : frozenset of str or None
        Names of the only visible controls, as in `scene.control_names`; None: all.
    announcement : str
        Text above the pictures of the audience window.
    gesture_undo : str
        What undo takes back of that feature's gestures; empty while it takes the last step back.
    drawing : bool
        A gesture is in progress: the layout must not move.
    playing : tuple of bool
        Per slot of a lane, whether it plays.
    seeks : tuple of Seek or None
        Per slot, the last seek of its run; its timeline stays open until this is None.
    selected_slot : int
        Slot of the selected lane, which the panels beside the pictures show.
    pins : tuple of (str, int)
        Panels that keep showing a lane, by name, with its slot.
    hovered : int or None
        Lifelong id of the point under the pointer, in a picture or a panel.
    open_panels : frozenset of str
        Names of the visible panels.
    speeds : tuple of int
        Per slot, an index into `SPEEDS`.
    replay_factor : float
        One of `REPLAY_FACTORS`, for all lanes, so that replays side by side end together.
    restarts : tuple of int
        Per slot, the number of times training was restarted.
    legend : bool
    marks : bool
        Mark support vectors and errors.
    points_away : bool
        Draw no points, while a key is held.
    presenting : Presenting or None
        State of presenter mode and audience window, if open.
    first_start : bool
        The program runs for the first time, and the user has done nothing yet.
    simple : bool
        Show only the main settings; the others are one click away.
    theme : {"system", "light", "dark"}
    dark : bool
        Whether the theme is dark at present.
    features : tuple of FeatureSession
        Parts of the features that differ from the default.
    """

    active_class: int = 0
    n_classes: int = 2
    tool: str = "pointer"
    selection: Selection = field(default=NOTHING)
    radius: int = 30
    radii: tuple[tuple[str, int], ...] = ()
    density: int = 5
    spread: str = "uniform"
    count: int = 20
    scatter: int = 0
    filled: bool = False
    moves: str = "point"
    right_removes: bool = False
    cursor: tuple[float, float] | None = None
    outline: Outline | None = None
    gesture_hint: str = ""
    idle_hint: str = ""
    controls: frozenset[str] | None = None
    announcement: str = ""
    gesture_undo: str = ""
    drawing: bool = False
    playing: tuple[bool, ...] = (True,) * MAX_LANES
    seeks: tuple[Seek | None, ...] = (None,) * MAX_LANES
    selected_slot: int = 1
    pins: tuple[tuple[str, int], ...] = ()
    hovered: int | None = None
    open_panels: frozenset[str] = frozenset()
    speeds: tuple[int, ...] = (FULL_SPEED,) * MAX_LANES
    replay_factor: float = 1.0
    restarts: tuple[int, ...] = (0,) * MAX_LANES
    legend: bool = False
    marks: bool = True
    points_away: bool = False
    presenting: Presenting | None = None
    first_start: bool = False
    simple: bool = False
    theme: str = "system"
    dark: bool = False
    features: tuple[FeatureSession, ...] = ()

    def of(self, kind: type[T]) -> T:
        """Return a feature's part of the session, by its type."""
        for each in self.features:
            if type(each) is kind:
                return each
        untouched: T = _untouched(kind)
        return untouched

    def having(self, *parts: FeatureSession) -> Session:
        """Return the session with `parts` in place of those of their types."""
        kinds = [type(part) for part in parts]
        return replace(self, features=(*(each for each in self.features if type(each) not in kinds), *parts))

    def has_timeline(self, slot: int) -> bool:
        """Return whether the user follows the steps of a lane's run: after a seek, paused, or slowly."""
        return self.seeks[slot] is not None or not self.playing[slot] or math.isfinite(SPEEDS[self.speeds[slot]])

    @property
    def presents_here(self) -> bool:
        """Whether presenter mode is on."""
        return self.presenting is not None and self.presenting.here

    @property
    def has_audience(self) -> bool:
        """Whether there is an audience window."""
        return self.presenting is not None and self.presenting.audience

    @property
    def peeks(self) -> bool:
        """Whether this window shows what is covered."""
        return self.presenting is not None and self.presenting.peek

    @property
    def restarted(self) -> tuple[int, ...]:
        """Return `restarts` with every number increased, which restarts every run."""
        return tuple(each + 1 for each in self.restarts)

    def slot_for(self, panel: str) -> int:
        """Return the slot of the lane that a panel shows: the one it is pinned to, else the selected one."""
        return dict(self.pins).get(panel, self.selected_slot)

    def selected_lane(self, document: Document, panel: str = "") -> int:
        """Return the index of the lane that a panel shows; 0 if that is not displayed."""
        slots = document.slots[: document.shown]
        wanted = self.slot_for(panel), self.selected_slot  # a pinned lane may have been removed
        return next((slots.index(slot) for slot in wanted if slot in slots), 0)
