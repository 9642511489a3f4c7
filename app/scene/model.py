"""Scene: everything the views draw, as values; what a feature adds to it is found by its type."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.points import Points
from app.engine.overlays import Sheet
from app.engine.requests import Marks, Picture
from app.engine.run_state import RunState
from app.learners.perceptron_orders import Orders
from app.state.document import Document, Lane, View
from app.state.session import Session
from app.state.test_split import Parts
from solver import Grid

from .marks import PointMarks
from .start_offer import StartOffer
from .status_badge import Badge, Status
from .training_times import TrainingTime

T = TypeVar("T")


class _Composed:
    """What features have added to."""

    features: tuple[object, ...]

    def feature(self, kind: type[T]) -> T | None:
        """What a feature has added, by its type; None while it adds nothing."""
        return next((each for each in self.features if isinstance(each, kind)), None)


class LaneScene(Struct, _Composed, frozen=True):
    """What one lane shows.

    Attributes
    ----------
    lane : Lane
    slot : int
        Its lifelong number.
    picture : Picture or None
    marks : Marks
        Empty while the newest frame belongs to other points than are drawn.
    run_marks : PointMarks or None
        What takes their place.
    job : int
        Number of the job whose picture this is.
    message : str
        A sentence across the canvas, or "".
    headline, details : str
        Where it stands, and its numbers.
    scores : tuple of Status
        The accuracies, beside each other.
    formula, note : str
    fields : frozenset of str
        Names of the parameter fields that apply.
    n_training : int
        How many points there are to learn from.
    pairs : tuple of (int, int)
        With more than two classes, the binary problems whose margins can be drawn, as `problems_of` has them.
    pair_names : tuple of str
        What they are called.
    pair : int
        Which of `pairs` is drawn.
    speed : int
        Index into `SPEEDS`.
    run_state : RunState or None
        The run that the transport drives, on the points that are drawn.
    playing : bool
        The run moves, or would if it were not at its end.
    shows_pair : bool
        The pair that moves stands out in the picture.
    steps_seen : bool
        The run rests, or goes so slowly that each step can be seen.
    orders : Orders or None
        A perceptron's lines from other orders of the points.
    badge : Badge
        What is certified.
    remark : str
        What is to be said beside the badge, or "".
    probability : bool
        The picture shades the probability, and has lines of it.
    provisional : bool
        The picture is not certified, and looks so.
    sheets : tuple of Sheet
        What lies between surface and points.
    title : str
        The classifier in a few words, for where its settings are folded away.
    folded : bool
        Its further settings are out of sight.
    simple : bool
        Only what one plays with is offered.
    not_default : tuple of str
        What is said of those of them that have been changed.
    watched : bool
        Its run is being followed, so that the transport stands below the picture.
    features : tuple of object
        What features say of this lane.
    hidden : frozenset of str
        Which of the row's other parts are out of sight: "classifier", "classifiers", "playback", "settings".
    replay_factor : float
        How many times as fast as usual its run is replayed.
    no_steps : str
        Why its training cannot be followed step by step, or "".
    """

    lane: Lane
    slot: int
    picture: Picture | None
    marks: Marks
    run_marks: PointMarks | None
    job: int
    message: str
    headline: str
    details: str
    scores: tuple[Status, ...]
    formula: str
    note: str
    fields: frozenset[str]
    n_training: int
    pairs: tuple[tuple[int, int], ...]
    pair_names: tuple[str, ...]
    pair: int
    speed: int
    speed_text: str
    run_state: RunState | None
    playing: bool
    shows_pair: bool
    steps_seen: bool
    orders: Orders | None
    badge: Badge
    remark: str
    probability: bool
    provisional: bool
    sheets: tuple[Sheet, ...]
    title: str
    folded: bool
    simple: bool
    not_default: tuple[str, ...]
    watched: bool
    features: tuple[object, ...]
    hidden: frozenset[str] = frozenset()
    no_steps: str = ""
    replay_factor: float = 1.0


class Scene(Struct, _Composed, frozen=True):
    """What the window shows.

    Attributes
    ----------
    title : str
    modified : bool
    document : Document
    session : Session
        Tool, options, keyboard cursor and outline.
    points : Points
    selected : ndarray of intp
        Indices of the selected points.
    parts : Parts
        Which points are trained on, and which are kept back.
    lanes : tuple of LaneScene
        Those on screen; `shown` of them.
    run_state : RunState or None
        What the panels about training show.
    no_run : str
        Why they show nothing, in a sentence, or "".
    studying : bool
        Runs are being looked into: a point under the pointer tells what it is to them.
    studied : int
        The lane it is of.
    limited : bool
        There are so many points that the limit of training is worth a choice.
    training_times : tuple of TrainingTime
        What each choice of the limit comes to, the present one included.
    signs : frozenset of str
        Kinds of signs that the legend explains.
    history : tuple of str
        All steps, the undone ones included; `position` of them are done.
    saved_at : int or None
        The position that stands in the file.
    own_points : str
        Title of the data set where the points are not the generator's; "" where they are.
    n_classes : int
        Classes that the bar has: all, or in Simple those that are used, and two at least.
    features : tuple of object
        What features add.
    offer : StartOffer or None
        What is offered in the first picture.
    hidden : frozenset of str
        Which groups of controls are out of sight: "commands", "classes", "data set", "tools", "classifiers".
    """

    title: str
    modified: bool
    document: Document
    session: Session
    points: Points
    selected: NDArray[np.intp]
    parts: Parts
    lanes: tuple[LaneScene, ...]
    shown: int
    limited: bool
    training_times: tuple[TrainingTime, ...]
    run_state: RunState | None
    no_run: str
    studying: bool
    studied: int
    history: tuple[str, ...]
    position: int
    saved_at: int | None
    signs: frozenset[str]
    undo: str | None
    redo: str | None
    generator_fields: frozenset[str]
    generator_note: str
    own_points: str
    n_classes: int
    features: tuple[object, ...]
    offer: StartOffer | None
    hidden: frozenset[str] = frozenset()


#: Pictures of three or four classifiers stand in one row only where the plane is so many times as large there.
CLEARLY_LARGER = 1.1


def columns_for(number: int, width: float, height: float, beside: float, above: float, least: float = 0.0) -> int:
    """Return how many of `number` pictures stand in a row: as many as show the plane at the largest scale.

    A picture shows the view's span along its shorter side, as `grid_of` does.  One row, or two pictures in each row;
    where both are about as large, the latter leaves the controls of each picture more room.

    Parameters
    ----------
    number : int
    width, height : float
        Of all pictures together, in pixels.
    beside, above : float
        What each picture needs of its own width and height for axes, controls and words.
    least : float, default=0.0
        The least width of each of more than two in a row.
    """
    if number <= 2:
        return number
    one = min(width / number - beside, height - above)
    two = min(width / 2 - beside, height / math.ceil(number / 2) - above)
    return number if one > CLEARLY_LARGER * two and width >= number * least else 2


def grid_over(first: Grid, second: Grid) -> Grid:
    """Return the grid whose samples are those of the finer of two grids, and more round them where the other reaches
    further."""
    fine, other = sorted((first, second), key=lambda grid: (grid.right - grid.left) / grid.width)
    unit_x, unit_y = (fine.right - fine.left) / fine.width, (fine.top - fine.bottom) / fine.height
    beyond = (
        (fine.left - other.left) / unit_x,
        (other.right - fine.right) / unit_x,
        (fine.bottom - other.bottom) / unit_y,
        (other.top - fine.top) / unit_y,
    )
    left, right, bottom, top = (max(0, math.ceil(samples - 1e-6)) for samples in beyond)
    return Grid(
        fine.left - left * unit_x,
        fine.right + right * unit_x,
        fine.bottom - bottom * unit_y,
        fine.top + top * unit_y,
        fine.width + left + right,
        fine.height + bottom + top,
    )


def grid_of(view: View, width: int, height: int, pixels_per_unit: float = 1.0) -> Grid:
    """The part of the plane that a canvas of `width` x `height` shows, in device pixels: both axes equally scaled."""
    unit = view.shown_span / min(width, height)
    half_w, half_h = 0.5 * unit * width, 0.5 * unit * height
    return Grid(
        view.x - half_w,
        view.x + half_w,
        view.y - half_h,
        view.y + half_h,
        max(1, round(width * pixels_per_unit)),
        max(1, round(height * pixels_per_unit)),
    )
