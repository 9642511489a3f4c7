"""Session: what the person at the window is doing just now; neither saved nor undone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from app.engine.run_state import Seek
from app.features.ground_truth.fresh_draws import NO_THROW, FreshDraw
from app.features.what_if.state import Baseline
from solver.core.arrays import Array

from .document import MAX_LANES, Document
from .points import Ids
from .test_split import NO_VALIDATION, Validation

#: Steps per second that the speed slider offers; the last is full speed.
SPEEDS: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 10_000.0, float("inf"))
FULL_SPEED = len(SPEEDS) - 1
#: Least and most of the options of the tools.
OPTION_LIMITS: dict[str, tuple[int, int]] = {
    "radius": (4, 200),
    "density": (1, 200),
    "count": (1, 2000),
    "scatter": (0, 100),
}
SPREADS = ("uniform", "normal")
MOVES = ("point", "class")


@dataclass(frozen=True, eq=False)
class Selection:
    """The selected points by their lifelong ids, ascending; two are the same only when they are one object."""

    ids: Ids

    def __len__(self) -> int:
        return len(self.ids)


NOTHING = Selection(np.empty(0, dtype=np.int64))


OutlineKind = Literal["line", "rectangle", "ellipse", "path"]


@dataclass(frozen=True, eq=False)
class Outline:
    """What a gesture draws over the pictures while it lasts, in the plane.

    Attributes
    ----------
    kind : {"line", "rectangle", "ellipse", "path"}
    xy : ndarray of shape (n, 2)
        Two ends, or the corners of a path that will be closed.
    """

    kind: OutlineKind
    xy: Array


#: Fields of a session that have a value for each slot of a lane.
PER_SLOT = ("playing", "seeks", "speeds", "folds", "thresholds")


@dataclass(frozen=True)
class Session:
    """
    Attributes
    ----------
    active_class : int
        Class of the next point, 0 to 7.
    tool : str
        A name of `tools.TOOLS`.
    selection : Selection
    radius : int
        Of the brush, in pixels.
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
    cursor : tuple of (float, float) or None
        Where the keyboard cursor is in the plane, once an arrow key has called it.
    outline : Outline or None
        Of the gesture that is going on.
    drawing : bool
        A gesture is going on: nothing may move under the hand.
    playing : tuple of bool
        Per slot of a lane, training goes on by itself.
    seeks : tuple of Seek or None
        Per slot, where its run was last told to go.
    studied : int
        Slot of the lane that the panels about training show, if it has something to show.
    hovered : int or None
        Lifelong id of the point under the pointer, in a picture or a panel.
    open_panels : frozenset of str
        Names of the panels in sight.
    kkt : bool
        The pictures mark each point's KKT case and draw its slack.
    speeds : tuple of int
        Per slot, an index into `SPEEDS`.
    restarts : tuple of int
        Per slot, how often training was started from zero.
    differing : bool
        The pictures mark where the two compared lanes differ.
    wipe : float or None
        From which share of its width on the first compared lane shows the other's picture; None for nowhere.
    folds : tuple of bool or None
        Per slot, the lane's settings are folded away; None as there is room: of more than two lanes.
    armed : bool
        What-if: what was before an edit is drawn beside what is now.
    baseline : Baseline or None
        What was before the last edit, once there was one.
    validation : Validation
        How the learners are cross-validated.
    thresholds : tuple of float or None
        Per lane, the score above which its second class is said; None where the model's own holds.  A `Threshold`
        holds only as long as the lane is set as it was when the hand moved it.
    judged : int
        The lane whose threshold the hand moves.
    ideal : bool
        The pictures show the true boundary, or the ideal one.
    bootstrap : bool
        The pictures show the boundaries of models fitted to resampled points.
    fresh_draw : FreshDraw
        Which fresh points are thrown at the models.
    fresh_going : bool
        More are thrown, one batch after the other.
    fresh_count : int
        Points of the next throw.
    resamples : int
        How many times the points are resampled.
    strips : bool
        Under each slider, accuracy over its whole range.
    probe : tuple of (float, float) or None
        The place whose class is explained, once it is pinned.
    aim : tuple of (float, float) or None
        Where the pointer is in one of the pictures, for the others to mark and for what follows it.
    legend : bool
    theme : {"system", "light", "dark"}
    dark : bool
        What the theme comes to just now.
    """

    active_class: int = 0
    tool: str = "pointer"
    selection: Selection = field(default=NOTHING)
    radius: int = 30
    density: int = 5
    spread: str = "uniform"
    count: int = 20
    scatter: int = 0
    filled: bool = False
    moves: str = "point"
    cursor: tuple[float, float] | None = None
    outline: Outline | None = None
    drawing: bool = False
    playing: tuple[bool, ...] = (True,) * MAX_LANES
    seeks: tuple[Seek | None, ...] = (None,) * MAX_LANES
    studied: int = 1
    hovered: int | None = None
    open_panels: frozenset[str] = frozenset()
    kkt: bool = False
    speeds: tuple[int, ...] = (FULL_SPEED,) * MAX_LANES
    restarts: tuple[int, ...] = (0,) * MAX_LANES
    differing: bool = False
    wipe: float | None = None
    folds: tuple[bool | None, ...] = (None,) * MAX_LANES
    armed: bool = False
    baseline: Baseline | None = None
    validation: Validation = NO_VALIDATION
    thresholds: tuple[float | None, ...] = (None,) * MAX_LANES
    judged: int = 0
    ideal: bool = False
    bootstrap: bool = False
    fresh_draw: FreshDraw = NO_THROW
    fresh_going: bool = False
    fresh_count: int = 1000
    resamples: int = 30
    strips: bool = False
    probe: tuple[float, float] | None = None
    aim: tuple[float, float] | None = None
    legend: bool = True
    theme: str = "system"
    dark: bool = False

    def is_folded(self, document: Document, index: int) -> bool:
        """Whether a lane's settings are folded away: of more than two lanes one is open at most, and none unasked."""
        folds = [self.folds[slot] for slot in document.slots[: document.shown]]
        if document.shown <= 2:
            return bool(folds[index])
        return False not in folds or index != folds.index(False)
