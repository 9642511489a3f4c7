"""What if: the state that is kept before an edit, the queries about it, and what is drawn.  No Qt.

While it is armed, the first change of an undo step (a drag is one step) stores the document and the models before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.caches import kept
from app.core.points import Points
from app.engine.fitting import fitted
from app.engine.frames import Frame, Phase
from app.engine.outcome import outcome
from app.engine.overlays import Lines, LineStyle
from app.engine.pacing import Pace, Step
from app.engine.query import LaneQuestion, Query
from app.engine.surface_values import MOST_VERTICES, shown_pair, source_of, surface, unless_too_dense
from app.features.scores.scene import labelled, measured_on
from app.learners.model import Model
from app.scene.model import Context, is_present
from app.state.document import Document, Lane
from app.state.session import FeatureSession
from solver import Grid
from solver.core import fast_loops
from solver.core.arrays import Array, Integers
from solver.data.distribution import Law
from solver.inspection.boundary_distance import squared_norm

#: Largest difference of f between two trainings that counts as no change, in multiples of their tolerance.
TOLERANCES = 10.0
#: The same for learners without a tolerance.
TOLERANCE = 0.01
#: Style of the old boundary.
GHOST = LineStyle("ghost", 2, 2.2, (4.0, 3.0), (2.2, 1.6), accent=True)


class StateSide(Struct, frozen=True):
    """One of the two states of a lane.

    Attributes
    ----------
    points : Points
        The training points.
    lane : Lane
    model : Model or None
        None if it is still to be trained, to its end.
    finished : bool
        The model is certified, or needs no certificate; ignored for a model that is still to be trained.
    """

    points: Points
    lane: Lane
    model: Model | None
    finished: bool = True


class GhostQuery(Struct, frozen=True):
    """Query: the boundary of the old state on `grid`."""

    side: StateSide
    grid: Grid
    style: LineStyle = GHOST

    def answer(self, post: Callable[[tuple[Lines]], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the lines over the picture; raise ValueError with a sentence if there was no model."""
        pace = Pace(overtaken)
        model, _ = yield from _learnt(self.side, pace)
        found = yield from surface(source_of(model, self.side.lane), self.grid, pace)
        lines = unless_too_dense(found.boundary(len(model.classes_)), MOST_VERTICES)
        post((Lines(lines, self.style),))


class Facts(Struct, frozen=True):
    """Numbers of one state; NaN or -1 if there is none.

    Attributes
    ----------
    width : float
        2 / ||w|| of the displayed binary problem.
    n_free, n_bounded : int
        Numbers of its support vectors.
    dual : float
        Its dual objective.
    n_points : int
    accuracy, test : float
        Shares of the training points, and of the test points or new points, that are classified correctly.
    finished : bool
    """

    width: float = math.nan
    n_free: int = -1
    n_bounded: int = -1
    dual: float = math.nan
    n_points: int = 0
    accuracy: float = math.nan
    test: float = math.nan
    finished: bool = True


class Change(Struct, frozen=True):
    """What an edit changed.

    Attributes
    ----------
    old, new : Facts
    largest : float
        Largest abs(f_new - f_old) of all problems on `grid`; NaN if f cannot be compared.
    moved : float
        Share of the locations of `grid` where another class is predicted.
    tolerance : float
        Largest value of `largest` that counts as no change.
    grid : Grid
    slack : float
        Largest value of `moved` that counts as no change if f is compared: the boundary moves by half a pixel.
    """

    old: Facts
    new: Facts
    largest: float
    moved: float
    tolerance: float
    grid: Grid
    slack: float = 0.0

    @property
    def nothing(self) -> bool:
        """Whether nothing moved."""
        return self.moved == 0.0 if math.isnan(self.largest) else self.within and self.moved <= self.slack

    @property
    def within(self) -> bool:
        """Whether f changed by no more than two trainings may differ."""
        return self.largest <= self.tolerance


class ChangeQuery(Struct, frozen=True):
    """Query: the change from the old to the new state of a lane.

    `test` are the points of the new test set, or the distribution of new points; None if there is neither.
    """

    old: StateSide
    new: StateSide
    grid: Grid
    test: Points | Law | None

    def answer(self, post: Callable[[Change], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post one `Change`; raise ValueError with a sentence if one of the two has no model."""
        facts, surfaces, models = [], [], []
        pace = Pace(overtaken)
        for side in (self.old, self.new):
            model, finished = yield from _learnt(side, pace)
            facts.append((yield from _facts(model, finished, side, self.test, pace)))
            surfaces.append((yield from _surfaces(model, side.lane, self.grid, pace)))
            models.append(model)
        (regions, f), (new_regions, new_f) = surfaces
        largest = math.nan
        if f is not None and new_f is not None and _comparable(*models):
            largest = float(np.abs(new_f - f).max())
        moved = float((regions != new_regions).mean())
        tolerance = max(_tolerance(self.old.lane), _tolerance(self.new.lane))
        slack = max(_half_a_pixel(regions), _half_a_pixel(new_regions))
        post(Change(facts[0], facts[1], largest, moved, tolerance, self.grid, slack))


def _half_a_pixel(classes: NDArray[np.int8]) -> float:
    """Return the share of locations that change class if all edges move by half a pixel: half of their length."""
    steps = np.count_nonzero(classes[:, 1:] != classes[:, :-1]) + np.count_nonzero(classes[1:] != classes[:-1])
    return float(0.5 * steps / classes.size)


def _tolerance(lane: Lane) -> float:
    return TOLERANCES * lane.settings.tol if hasattr(lane.settings, "tol") else TOLERANCE


def _comparable(old: Model, new: Model) -> bool:
    """Whether the two models have the same problems, with f in the same unit."""
    return (
        old.kind == "f"
        and new.kind == "f"
        and np.array_equal(old.classes_, new.classes_)
        and [(pair.positive, pair.negative) for pair in old.pairs_]
        == [(pair.positive, pair.negative) for pair in new.pairs_]
    )


def _learnt(side: StateSide, pace: Pace) -> Generator[Step, None, tuple[Model, bool]]:
    """Return the model of a state, trained now if necessary, and whether it is certified."""
    yield from pace.pause()
    if side.model is not None:
        return side.model, side.finished
    made = yield from fitted(side.lane, side.points, pace)
    return made.model, made.finished


def _surfaces(
    model: Model, lane: Lane, grid: Grid, pace: Pace
) -> Generator[Step, None, tuple[NDArray[np.int8], Array | None]]:
    """Return the predicted classes, and f of all problems if f has a unit."""
    found = yield from surface(source_of(model, lane), grid, pace)
    if model.kind != "f" or lane.trainer is None or not lane.trainer.has_margins:
        return found.classes, None
    rows, ys = model.pair_surface_on(grid.xs), grid.ys
    f = np.empty((*found.classes.shape, len(model.pairs_)))

    def fill(block: slice) -> None:
        f[block] = rows(ys[block])

    yield from pace.in_blocks(grid.height, fill, size=8)
    return found.classes, f


def _facts(
    model: Model, finished: bool, side: StateSide, test: Points | Law | None, pace: Pace
) -> Generator[Step, None, Facts]:
    shares = []
    for of in (side.points, test):
        if of is None or (isinstance(of, Points) and not len(of)):
            shares.append(math.nan)
            continue
        shares.append((yield from outcome(model, *labelled(of), pace)).accuracy)
    n, trainer = len(side.points), side.lane.trainer
    if model.kind != "f" or trainer is None:
        return Facts(n_points=n, accuracy=shares[0], test=shares[1])
    p = shown_pair(model, side.lane)
    norm = yield from pace.through(squared_norm(model, p))
    width = 2.0 / math.sqrt(norm) if norm > 0 and trainer.has_margins else math.nan
    certificate, known = model.certificates_[p], trainer.has_multipliers
    return Facts(
        width,
        certificate.n_free if known else -1,
        certificate.n_bounded if known else -1,
        certificate.dual if known else math.nan,
        n,
        shares[0],
        shares[1],
        finished,
    )


def exists(lane: Lane, points: Points) -> bool:
    """Whether there is a model of these points at all."""
    if lane.trainer is None:
        return len(points) > 0 and not lane.is_difference
    return len(points.classes) >= lane.family.n_classes_needed and not lane.family.refusal(lane.settings)


class Baseline(Struct, frozen=True, eq=False):
    """A state of the lanes with which a later one is compared.

    Attributes
    ----------
    document : Document
    frames : tuple of Frame or None
        By slot, the last frame of each lane trained on these points; None if its training had not ended.
    """

    document: Document
    frames: tuple[Frame | None, ...]

    @staticmethod
    def of(document: Document, frame_of: Callable[[int], Frame | None]) -> Baseline:
        """Return the state of `document`, with its known models."""
        frames: list[Frame | None] = [None] * len(document.slots)
        for index, slot in enumerate(document.slots[: len(document.lanes)]):
            frame = frame_of(slot)
            if frame is not None and is_present(document, index, frame):
                frames[slot] = frame if frame.phase is Phase.DONE and frame.model is not None else None
        return Baseline(document, tuple(frames))


class WhatIfSession(FeatureSession, frozen=True):
    """What-if in the session.

    Attributes
    ----------
    armed : bool
        Whether the state before an edit is drawn beside the present one.
    baseline : Baseline or None
        The state before the last edit, if there was one.
    """

    armed: bool = False
    baseline: Baseline | None = None


def side_of(baseline: Baseline, slot: int) -> StateSide | None:
    """Return the old state of the lane with this slot; None if it was not displayed, or had no model."""
    document = baseline.document
    index = document.slots.index(slot)
    if index >= document.shown or not exists(document.lanes[index], document.training_points):
        return None
    frame = baseline.frames[slot]
    model = None if frame is None else frame.model
    return StateSide(document.training_points, document.lanes[index], model, frame is None or frame.ended)


def differs(old: Document, new: Document) -> bool:
    """Whether some lane is trained differently in `new`."""
    if old.training_points is not new.training_points:
        return True
    before = dict(zip(old.slots, old.lanes, strict=False))
    return any(before.get(slot, lane) != lane for slot, lane in zip(new.slots, new.lanes, strict=False))


# -- queries and pictures ----------------------------------------------------------------------------------------------


def queries(context: Context) -> dict[str, Query]:
    """Return the queries for each lane's old boundary and its changes, while what-if is armed, after an edit."""
    document, session = context.document, context.session
    baseline = session.of(WhatIfSession).baseline
    if baseline is None or not fast_loops.ready():
        return {}
    asked: dict[str, Query] = {}
    for index, (slot, grid) in enumerate(zip(document.slots, context.grids, strict=False)):
        old, new = side_of(baseline, slot), _present(document, context.results.frame(slot), index)
        if old is None or is_present(document, index, old):
            continue
        asked[LaneQuestion("ghost", slot)] = GhostQuery(old, grid)
        if new is not None and "whatif" in session.open_panels:
            asked[LaneQuestion("whatif", slot)] = ChangeQuery(old, new, grid.coarse(), measured_on(document))
    return asked


def _present(document: Document, frame: Frame | None, index: int) -> StateSide | None:
    """Return the present state of the lane at `index`; None while it displays none."""
    if frame is None or frame.model is None or not is_present(document, index, frame):
        return None
    return StateSide(frame.points, frame.lane, frame.model, frame.ended)


def sheets(context: Context, index: int) -> tuple[Lines, ...]:
    """Return the old boundary over the picture of lane `index`."""
    slot, baseline = context.document.slots[index], context.session.of(WhatIfSession).baseline
    answer = context.results.answer(f"ghost{slot}")
    if answer is None or baseline is None or not isinstance(answer.query, GhostQuery):
        return ()
    laid: tuple[Lines, ...] = answer.value or ()
    # An answer about an older state would be wrong; one on another grid is right within that grid.
    return laid if answer.query.side == side_of(baseline, slot) else ()


class Removable(Struct, frozen=True, eq=False):
    """Ids of points that can be removed to see what support vectors are; `reason` tells why there are none.

    Attributes
    ----------
    ids, support : ndarray of int64
        Points that are no support vectors, and those that are, free ones first.
    reason : str
    idle : bool
        The picture is that of nearest neighbours, and some points may be idle.
    """

    ids: Integers
    support: Integers
    reason: str = ""
    idle: bool = False


NONE = np.empty(0, dtype=np.int64)


def removable(document: Document, frame: Frame | None) -> Removable:
    """Return what can be removed from the points of a frame."""
    if frame is None or frame.points is not document.training_points or frame.phase is not Phase.DONE:
        return Removable(NONE, NONE, "Wait until the training has come to its end.")
    return _removable(
        document.points, frame, document.split.kind, len(document.parts.training) < document.parts.n_trainable
    )


@kept(8)
def _removable(points: object, frame: Frame, split: str, sampled: bool) -> Removable:
    lane, trainer = frame.lane, frame.lane.trainer
    neighbours = frame.neighbours if trainer is None else None  # a trainer may have left out some of the points itself
    vectors = trainer is not None and trainer.has_multipliers
    optimal = vectors and frame.ended and lane.same_optimum
    obstacles = (
        (lane.standardises, "It standardises: without one point, mean, deviation and the picture would change."),
        (
            neighbours is not None and len(frame.points) <= neighbours.n_neighbors,
            "There are no more points than k: all of them vote everywhere.",
        ),
        (
            neighbours is None and not vectors,
            "Only a support vector machine has support vectors; here every point may count.",
        ),
        (
            neighbours is None and not optimal,
            "This training did not end at the optimum: its multipliers prove nothing.",
        ),
        (sampled, "The classifier learns from a sample: without these points it would draw others."),
        (split == "ratio", "Test points kept back as a share would be drawn anew; paint them, or keep none."),
    )
    reason = next((sentence for applies, sentence in obstacles if applies), "")
    if reason or neighbours is not None:
        return Removable(NONE, NONE, reason, idle=not reason)
    support = np.concatenate((frame.marks.free, frame.marks.bounded))
    others = np.setdiff1d(np.arange(len(frame.points)), support)
    return Removable(frame.points.ids[others], frame.points.ids[support])
