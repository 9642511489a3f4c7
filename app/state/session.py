"""Session: what the person at the window is doing just now; neither saved nor undone."""

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

#: Steps per second that the speed slider offers; the last is full speed.
SPEEDS: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 10_000.0, float("inf"))
FULL_SPEED = len(SPEEDS) - 1
#: How many times as fast as usual a run can be replayed.
REPLAY_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
#: Least and most of the options of the tools.
OPTION_LIMITS: dict[str, tuple[int, int]] = {
    "radius": (4, 200),
    "density": (1, 200),
    "count": (1, 2000),
    "scatter": (0, 100),
}
SPREADS = ("uniform", "normal")
MOVES = ("point", "class")


class Seek(Struct, frozen=True):
    """Where a run is to go, said once and for all: a number of steps, never "one more".

    Attributes
    ----------
    recording : int
        The run it was said of; another run does not listen.
    step : int
    until : {"step", "next change", "previous change", "end", "replay"}
        To `step`, or to the first change of the support vectors after it, the last one before it, or the end.
        "replay": to `step`, and from there on at the speed of a replay while the lane plays.
    serial : int
        Tells a wish from the same one said before, which was followed already.
    """

    recording: int
    step: int = 0
    until: Literal["step", "next change", "previous change", "end", "replay"] = "step"
    serial: int = 0


class Selection(Struct, frozen=True, eq=False):
    """The selected points by their lifelong ids, ascending; two are the same only when they are one object."""

    ids: Ids

    def __len__(self) -> int:
        return len(self.ids)


NOTHING = Selection(np.empty(0, dtype=np.int64))


OutlineKind = Literal["line", "rectangle", "ellipse", "path"]


class Outline(Struct, frozen=True, eq=False):
    """What a gesture draws over the pictures while it lasts, in the plane.

    Attributes
    ----------
    kind : {"line", "rectangle", "ellipse", "path"}
    xy : ndarray of shape (n, 2)
        Two ends, or the corners of a path that will be closed.
    """

    kind: OutlineKind
    xy: Array


class PenStroke(Struct, frozen=True):
    """A line that the pen has drawn over the picture of the lane in `slot`, through the locations `xy` of the plane.

    `ink` is 0 for the first colour of the pen, 1 for the second.
    """

    slot: int
    xy: tuple[tuple[float, float], ...]
    ink: int = 0


class Presenting(Struct, frozen=True):
    """The pictures are shown to many: in presenter mode, on an audience window, or both.

    Attributes
    ----------
    here : bool
        Presenter mode: the window has nothing but the pictures.
    audience : bool
        A window of its own shows them; this one keeps its controls.
    frozen : bool
        The audience's pictures stay as they are, whatever is done here.
    peek : bool
        What is covered is seen here, but not by the audience.
    spotlight : bool
        All but a disc at the pointer is dark.
    pen : bool
        The mouse draws over the pictures.
    ink : int
        With which colour, 0 or 1.
    erasing : bool
        The pen takes away what it has drawn.
    strokes : tuple of PenStroke
        What it has drawn.
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
PER_SLOT = ("playing", "seeks", "speeds", "folds")


class FeatureSession(Struct, frozen=True):
    """What the person is doing with one feature; each has a type of its own, with a default for every field."""

    def of_new_document(self) -> Self:
        """When another document comes in place of this one."""
        return self

    def of_new_lane(self, slot: int) -> Self:
        """When the slot is that of another lane from now on."""
        return self


T = TypeVar("T", bound=FeatureSession)


_untouched: Callable[[Any], Any] = cache(lambda kind: kind())


class Session(Struct, frozen=True):
    """
    Attributes
    ----------
    active_class : int
        Class of the next point, 0 to 7.
    n_classes : int
        Classes that Simple's bar has at least, whether they have points or not.
    tool : str
        A name of `tools.TOOLS`.
    selection : Selection
    radius : int
        Of the brush of the tool in hand, in pixels.
    radii : tuple of (str, int)
        What it was changed to, by tool.
    density : int
        Points of one spray of the brush.
    spread : {"uniform", "normal"}
        How they lie about the pointer.
    count, scatter : int
        Points of a line or ellipse, and the standard deviation in pixels by which they miss it.
    filled : bool
        Points of an ellipse lie all over it, not on its rim.
    moves : {"point", "class"}
        What a press on a point that is not selected takes hold of.
    right_removes : bool
        With the eraser, a right click removes a point, where it opens the menu of the point otherwise.
    cursor : tuple of (float, float) or None
        Where the keyboard cursor is in the plane, once an arrow key has called it.
    outline : Outline or None
        Of the gesture that is going on.
    lent : str
        What gestures do meanwhile in place of the tool's, in a sentence; "": they are the tool's.
    drawing : bool
        A gesture is going on: nothing may move under the hand.
    playing : tuple of bool
        Per slot of a lane, training goes on by itself.
    seeks : tuple of Seek or None
        Per slot, where its run was last told to go; its timeline stays open until that is forgotten.
    studied : int
        Slot of the lane that the panels about training show, if it has something to show.
    hovered : int or None
        Lifelong id of the point under the pointer, in a picture or a panel.
    open_panels : frozenset of str
        Names of the panels in sight.
    speeds : tuple of int
        Per slot, an index into `SPEEDS`.
    replay_factor : float
        One of `REPLAY_FACTORS`, for all lanes: what is replayed side by side ends together.
    restarts : tuple of int
        Per slot, how often training was started from zero.
    folds : tuple of bool or None
        Per slot, the lane's further settings are folded away; None, too.
    legend : bool
    marks : bool
        Support vectors and errors stand out among the points.
    points_away : bool
        No points are drawn, for as long as a key is held.
    presenting : Presenting or None
        How the pictures are shown to many; None while they are not.
    first_start : bool
        The program runs for the first time, and nothing has been done yet.
    simple : bool
        Only what one plays with is in sight; the rest is one click away.
    theme : {"system", "light", "dark"}
    dark : bool
        What the theme comes to just now.
    features : tuple of FeatureSession
        Of those features that something was done with.
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
    lent: str = ""
    drawing: bool = False
    playing: tuple[bool, ...] = (True,) * MAX_LANES
    seeks: tuple[Seek | None, ...] = (None,) * MAX_LANES
    studied: int = 1
    hovered: int | None = None
    open_panels: frozenset[str] = frozenset()
    speeds: tuple[int, ...] = (FULL_SPEED,) * MAX_LANES
    replay_factor: float = 1.0
    restarts: tuple[int, ...] = (0,) * MAX_LANES
    folds: tuple[bool | None, ...] = (None,) * MAX_LANES
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
        """What is being done with a feature, by its type."""
        for each in self.features:
            if type(each) is kind:
                return each
        untouched: T = _untouched(kind)
        return untouched

    def having(self, *parts: FeatureSession) -> Session:
        """With these in place of others of their types."""
        kinds = [type(part) for part in parts]
        return replace(self, features=(*(each for each in self.features if type(each) not in kinds), *parts))

    def has_timeline(self, slot: int) -> bool:
        """Return whether the user follows the steps of a lane's run: it was sent to one, is paused or slow."""
        return self.seeks[slot] is not None or not self.playing[slot] or math.isfinite(SPEEDS[self.speeds[slot]])

    @property
    def presents_here(self) -> bool:
        """Presenter mode: the window has nothing but the pictures."""
        return self.presenting is not None and self.presenting.here

    @property
    def has_audience(self) -> bool:
        """There is an audience window."""
        return self.presenting is not None and self.presenting.audience

    @property
    def peeks(self) -> bool:
        """What is covered is seen here, but not by the audience."""
        return self.presenting is not None and self.presenting.peek

    @property
    def restarted(self) -> tuple[int, ...]:
        """The `restarts` with which every run begins from zero once more."""
        return tuple(each + 1 for each in self.restarts)

    def is_folded(self, document: Document, index: int) -> bool:
        """Whether a lane's settings are folded away: of more than two lanes one is open at most, and none unasked."""
        folds = [self.folds[slot] for slot in document.slots[: document.shown]]
        if document.shown < 3:
            return folds[index] is not False
        return False not in folds or index != folds.index(False)
