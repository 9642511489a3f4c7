"""Scene: everything the views draw, as frozen values; those of features are found by their type.

Context: the state on which the queries and scenes of features depend.  StartOffer: a sentence and commands, offered in
an empty picture or panel.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from app.core.points import Points
from app.engine.cover import Cover
from app.engine.frames import Marks, Picture
from app.engine.overlays import Sheet
from app.engine.results import Results
from app.engine.run_state import RunState
from app.learners.perceptron_orders import Orders
from app.state.document import Document, Lane, View
from app.state.session import Session
from app.state.split import SplitPoints
from solver import Grid

from .marks import PointMarks
from .status_badge import Badge, StatusPart

#: Requirements of panels.
POINTS, TRAINING = "points", "training"
TRAINED = (POINTS, TRAINING)


class StartOffer(Struct, frozen=True):
    """An offer: a sentence and commands.

    Attributes
    ----------
    sentence : str
        "" if the picture has it already.
    actions : tuple of str
        Names of the commands, the likeliest first.
    large : bool
        Shown in large text, at the lower edge of the picture.
    """

    sentence: str
    actions: tuple[str, ...]
    large: bool = False


BEGIN = ("examples", "paste", "open")
FIRST = StartOffer("New here? Begin with an example, a lesson or real data.", ("examples",), large=True)
EMPTY_PICTURE = StartOffer("", BEGIN)
EMPTY_PANEL = StartOffer("No points yet: click in a picture, or begin with", BEGIN)
COVERED = StartOffer("Covered until the reveal.", ())
UNTRAINED = StartOffer("No classifier shown here is trained step by step, as an SVM is.", ("add_lane",))


def run_of(lanes: Sequence[LaneScene], slot: int) -> dict[str, Any]:
    """Return what panels about training show of a scene: the run of the lane in `slot`, else the first run."""
    ways = sorted(enumerate(lanes), key=lambda way: way[1].slot != slot)
    stepless = next((way for way in ways if way[1].no_steps), (0, lanes[0]))
    at, lane = next((way for way in ways if way[1].run_state), stepless)
    return {"run_lane": at, "run_state": lane.run_state, "no_run": "" if lane.run_state else lane.no_steps}


def in_picture(document: Document, session: Session) -> StartOffer | None:
    """Return the offer in the first picture: the gallery at the first start, ways to begin without points, or None."""
    if session.presents_here or session.drawing:
        return None
    if session.first_start:
        return None if session.legend else FIRST  # the legend has the same corner
    return None if len(document.points) else EMPTY_PICTURE


def in_panel(needs: Collection[str], n_points: int, lanes: Sequence[Lane]) -> StartOffer | None:
    """Return the offer in a panel that lacks what it `needs`, or None."""
    if POINTS in needs and not n_points:
        return EMPTY_PANEL
    return UNTRAINED if TRAINING in needs and all(lane.trainer is None for lane in lanes) else None


T = TypeVar("T")
#: Name of the panel with the settings of the selected lane.
SETTINGS = "settings"


class _Composed:
    """A scene to which features have added values."""

    features: tuple[object, ...]

    def feature(self, kind: type[T]) -> T | None:
        """Return the value that a feature has added, by its type, or None."""
        return next((each for each in self.features if isinstance(each, kind)), None)


class LaneScene(Struct, _Composed, frozen=True):
    """Everything that one lane shows.

    Attributes
    ----------
    lane : Lane
    slot : int
        Its slot, a lifelong number.
    picture : Picture or None
    marks : Marks
        Empty while the newest frame belongs to other points than those drawn.
    run_marks : PointMarks or None
        Marks that replace them.
    job : int
        Number of the job that made the picture.
    message : str
        A sentence across the canvas, or "".
    headline, details : str
        Its state in words, and its numbers.
    scores : tuple of StatusPart
        The accuracies.
    formula, note : str
    fields : frozenset of str
        Names of the parameter fields that apply.
    n_training : int
        Number of points available for training.
    pairs : tuple of (int, int)
        With more than two classes, the binary problems whose margins can be drawn, as returned by `problems_of`.
    pair_names : tuple of str
        Names of `pairs`.
    pair : int
        Index of the pair that is drawn.
    speed : int
        Index into `SPEEDS`.
    run_state : RunState or None
        The run that the playback controls, if it trains on the points that are drawn.
    playing : bool
        The run plays, or would if it were not at its end.
    shows_pair : bool
        The working pair is marked in the picture.
    steps_visible : bool
        The run is stopped, or slow enough to follow each step.
    orders : Orders or None
        A perceptron's lines from other orders of the points.
    badge : Badge
        Badge of what is certified.
    remark : str
        Text beside the badge, or "".
    probability : bool
        The picture shades the probability, and draws its lines.
    provisional : bool
        The picture is marked as not certified.
    sheets : tuple of Sheet
        Drawings between surface and points.
    title : str
        The classifier in a few words.
    selected : bool
        Panels beside the pictures show this lane.
    settings_open : bool
        The panel with its further settings is open.
    simple : bool
        Only the main settings are offered.
    not_default : tuple of str
        Words for the hidden settings that differ from their defaults.
    watched : bool
        The user follows its run, so that the playback controls are below the picture.
    features : tuple of object
        Values of features for this lane.
    hidden : frozenset of str
        Hidden parts of the row: "classifier", "classifiers", "playback", "settings".
    replay_factor : float
        Speed of a replay, relative to the usual one.
    no_steps : str
        Sentence that says why its training has no steps to follow, or "".
    cover : Cover
        What is covered of its results.
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
    scores: tuple[StatusPart, ...]
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
    steps_visible: bool
    orders: Orders | None
    badge: Badge
    remark: str
    probability: bool
    provisional: bool
    sheets: tuple[Sheet, ...]
    title: str
    selected: bool
    settings_open: bool
    simple: bool
    not_default: tuple[str, ...]
    watched: bool
    features: tuple[object, ...]
    hidden: frozenset[str] = frozenset()
    no_steps: str = ""
    replay_factor: float = 1.0
    cover: Cover = Cover.NOTHING


class TrainingTime(Struct, frozen=True):
    """Estimated time of training on at most `limit` points.

    Attributes
    ----------
    limit : int
    total : str
        "about 2 s"; "at least 2 s" if unknown for some classifiers; "" if for all.
    each : str
        The same for each classifier, one per line.
    """

    limit: int
    total: str
    each: str


class Scene(Struct, _Composed, frozen=True):
    """Everything that the window shows.

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
    parts : SplitPoints
        Training and test points.
    pies : PointMarks or None
        Symbols for locations of several classes.
    lanes : tuple of LaneScene
        The lanes on screen.
    run_state : RunState or None
        The run that the panels about training show.
    no_run : str
        Sentence that says why they show none, or "".
    shows_run : bool
        Panels about training are open: the point under the pointer shows its values in the run.
    run_lane : int
        Index of the lane of `run_state`.
    limited : bool
        Whether there are enough points to offer a limit on training points.
    training_times : tuple of TrainingTime
        Estimated times for each choice of the limit, the present one included.
    legend_kinds : frozenset of str
        Kinds of the legend entries.
    history : tuple of str
        Names of all steps, undone ones included; `position` of them are done.
    saved_at : int or None
        Position of the saved document.
    own_points : str
        Title of the data set if the points are not as generated; else "".
    n_classes : int
        Number of classes in the bar: all, or in Simple those in use, and at least two.
    features : tuple of object
        Values of features.
    offer : StartOffer or None
        Offer in the first picture.
    hidden : frozenset of str
        Hidden groups of controls: "commands", "classes", "data set", "tools", "classifiers".
    """

    title: str
    modified: bool
    document: Document
    session: Session
    points: Points
    selected: NDArray[np.intp]
    parts: SplitPoints
    pies: PointMarks | None
    lanes: tuple[LaneScene, ...]
    shown: int
    limited: bool
    training_times: tuple[TrainingTime, ...]
    run_state: RunState | None
    no_run: str
    shows_run: bool
    run_lane: int
    history: tuple[str, ...]
    position: int
    saved_at: int | None
    legend_kinds: frozenset[str]
    undo: str | None
    redo: str | None
    generator_fields: frozenset[str]
    generator_note: str
    own_points: str
    n_classes: int
    features: tuple[object, ...]
    offer: StartOffer | None
    hidden: frozenset[str] = frozenset()


#: Smallest gain in the plane's scale for which three or four pictures are put into one row instead of two.
CLEARLY_LARGER = 1.1


def columns_for(number: int, width: float, height: float, beside: float, above: float, least: float = 0.0) -> int:
    """Return the number of columns for `number` pictures that shows the plane at the largest scale.

    A picture shows the view's span along its shorter side, as `grid_of` does.  There is one row, or two columns; of two
    nearly equal scales, two columns leave more space for the controls of each picture.

    Parameters
    ----------
    number : int
    width, height : float
        Size of all pictures together, in pixels.
    beside, above : float
        Parts of each picture's width and height for axes, controls and text.
    least : float, default=0.0
        Smallest width of a picture with more than two in a row.
    """
    if number <= 2:
        return number
    one = min(width / number - beside, height - above)
    two = min(width / 2 - beside, height / math.ceil(number / 2) - above)
    return number if one > CLEARLY_LARGER * two and width >= number * least else 2


def grid_over(first: Grid, second: Grid) -> Grid:
    """Return the finer of two grids, extended to cover the other."""
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
    """Return the grid of a canvas of `width` x `height` pixels, all of the size that the view's scales give them."""
    unit = view.shown_span / min(width, height)
    half_w, half_h = 0.5 * unit * width, 0.5 * unit * view.ratio * height
    return Grid(
        view.x - half_w,
        view.x + half_w,
        view.y - half_h,
        view.y + half_h,
        max(1, round(width * pixels_per_unit)),
        max(1, round(height * pixels_per_unit)),
    )


class Context(Struct, frozen=True, eq=False):
    """The inputs of features' queries and scenes.

    Attributes
    ----------
    document : Document
    session : Session
    results : Results
        The displayed models of lanes, and the answers to queries.
    grids : tuple of Grid
        Grid of each lane on screen, one sample per device pixel; empty while the scene is composed, before the layout.
    pointer : (x, y) or None
        Location of the pointer in the plane, for features that follow it.
    came_from : mapping of model to (x, y)
        For kNN models, the pointer's location before it crossed the last boundary of a cell.
    """

    document: Document
    session: Session
    results: Results
    grids: tuple[Grid, ...] = ()
    pointer: tuple[float, float] | None = None
    came_from: Mapping[object, tuple[float, float]] = field(default_factory=dict)


class Learnt(Protocol):
    """A frame, or another result of one lane's settings and points."""

    @property
    def points(self) -> Points: ...
    @property
    def lane(self) -> Lane: ...


def is_present(document: Document, index: int, learnt: Learnt | None) -> bool:
    """Return whether `learnt` is for the present points and settings of the lane at `index`."""
    return learnt is not None and learnt.points is document.training_points and learnt.lane == document.lanes[index]
