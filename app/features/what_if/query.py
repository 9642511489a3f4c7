"""What if: what a lane's model was before an edit, beside what it is now: the old boundary, and what changed.

Both are worked out from the models: lines on the grid that is looked at now, f and classes at the same places for both.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.engine.fitting import fitted, next_size, predictions
from app.engine.lane_job import MOST_VERTICES
from app.engine.overlays import Lines
from app.engine.pool import Priority
from app.engine.query import Step
from app.engine.requests import Frame, Model, Phase
from app.engine.shading import level_lines, region_lines
from app.engine.surface_values import shown_pair, source_of
from app.learners.estimators import estimator_of
from app.state.document import Lane
from app.state.points import Points
from solver import Certificate, Grid, KNeighborsClassifier
from solver.core.binary_reduction import PairClassifier
from solver.kernels.kernel_classifier import UNFINISHED, KernelClassifier
from solver.linear.classifiers import LinearClassifier

Array = NDArray[np.float64]
#: Two trainings to a tolerance tol may end with f so many tol apart; less than that is no change.
TOLERANCES = 10.0
#: Of learners without a tolerance.
TOLERANCE = 0.01
#: Support vectors that f is asked at in one go.
BLOCK = 400


@dataclass(frozen=True)
class StateSide:
    """One of two states of a lane.

    Attributes
    ----------
    points : Points
        Trained on.
    lane : Lane
    model : Model or None
        None: it is to be trained, to its end.
    finished : bool
        The model is certified, or has nothing to certify; of one that is to be trained its training will tell.
    """

    points: Points
    lane: Lane
    model: Model | None
    finished: bool = True


@dataclass(frozen=True, eq=False)
class Ghost:
    """The boundary of a model, and the model."""

    lines: Lines
    model: Model


@dataclass(frozen=True)
class GhostQuery:
    """Where the boundary of the old state runs on `grid`."""

    side: StateSide
    grid: Grid
    compiled: bool

    def answer(self, post: Callable[[Ghost], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post one `Ghost`; ValueError with a sentence where there was no model."""
        side = yield from _learnt(self.side, self.compiled, overtaken)
        if side is None or side.model is None:
            return
        model = side.model
        regions, f = yield from _surface(model, side.lane, self.grid, self.compiled, overtaken)
        if regions is None:
            return
        lines = boundary(regions, f, len(model.classes_), self.grid)
        post(Ghost(Lines(lines, "ghost"), model))


def boundary(regions: NDArray[np.int8], f: Array | None, n_classes: int, grid: Grid) -> Array:
    """The boundary as the lanes draw it: f = 0 for two classes, else the borders between the classes' regions."""
    exact = f is not None and n_classes == 2
    lines = level_lines(grid, f, (0.0,)) if exact and f is not None else region_lines(grid, regions)
    return lines if len(lines) <= MOST_VERTICES else np.empty((0, 2))


@dataclass(frozen=True)
class Facts:
    """Numbers of one state; NaN or -1 where there is none.

    Attributes
    ----------
    width : float
        2 / ||w|| of the problem whose margins are drawn.
    n_free, n_bounded : int
        Its support vectors.
    dual : float
        Its dual objective.
    n_points : int
    accuracy, test : float
        Share of the training points, and of the test points, classified rightly.
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


@dataclass(frozen=True)
class Change:
    """What an edit changed.

    Attributes
    ----------
    old, new : Facts
    largest : float
        Largest abs(f_new - f_old) of all problems on `grid`; NaN where f cannot be compared.
    moved : float
        Share of the places of `grid` where another class is predicted.
    tolerance : float
        Of `largest`, up to which nothing has moved.
    grid : Grid
    slack : float
        Of `moved`, where f is compared, too: so many places change class when the boundary moves by half a pixel.
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
        """Nothing moved."""
        return self.moved == 0.0 if math.isnan(self.largest) else self.within and self.moved <= self.slack

    @property
    def within(self) -> bool:
        """f moved by no more than two trainings may differ."""
        return self.largest <= self.tolerance


@dataclass(frozen=True)
class ChangeQuery:
    """What changed from the old to the new state of a lane; `test` are the points of the new test set, if any."""

    old: StateSide
    new: StateSide
    grid: Grid
    test: Points | None
    compiled: bool

    def answer(self, post: Callable[[Change], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post one `Change`; ValueError with a sentence where one of the two has no model."""
        facts, surfaces, models = [], [], []
        for side in (self.old, self.new):
            learnt = yield from _learnt(side, self.compiled, overtaken)
            if learnt is None or learnt.model is None:
                return
            model = learnt.model
            known = yield from _facts(model, learnt, self.test, self.compiled, overtaken)
            surface = yield from _surfaces(model, side.lane, self.grid, self.compiled, overtaken)
            if known is None or surface is None:
                return
            facts.append(known)
            surfaces.append(surface)
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
    """The share of places that would change class were all borders half a pixel elsewhere: half of their length."""
    steps = np.count_nonzero(classes[:, 1:] != classes[:, :-1]) + np.count_nonzero(classes[1:] != classes[:-1])
    return float(0.5 * steps / classes.size)


def _tolerance(lane: Lane) -> float:
    return TOLERANCES * lane.svm.tol if lane.classifier == "svm" else TOLERANCE


def _comparable(old: Model, new: Model) -> bool:
    """Whether the two have the same problems, with f in the same unit."""
    return (
        isinstance(old, PairClassifier)
        and isinstance(new, PairClassifier)
        and np.array_equal(old.classes_, new.classes_)
        and [(pair.positive, pair.negative) for pair in old.pairs_]
        == [(pair.positive, pair.negative) for pair in new.pairs_]
    )


def _learnt(side: StateSide, compiled: bool, overtaken: Callable[[], bool]) -> Generator[Step, None, StateSide | None]:
    """A state with its model, known or trained now, and whether that is certified; None when overtaken."""
    if side.model is not None:
        yield Priority.BACKGROUND
        return None if overtaken() else side
    result = yield from fitted(side.lane, side.points, compiled, overtaken)
    return None if result is None else replace(side, model=result.model, finished=result.finished)


def _surface(
    model: Model, lane: Lane, grid: Grid, compiled: bool, overtaken: Callable[[], bool], *, tie: int | None = -1
) -> Generator[Step, None, tuple[NDArray[np.int8] | None, Array | None]]:
    """Winning classes, `tie` for ties (None: the class that is predicted there), and f of the drawn problem.

    (None, None) when overtaken.
    """
    ys, rows = grid.ys, source_of(model, lane, compiled)(grid.xs)
    regions, f = np.empty((grid.height, grid.width), dtype=np.int8), None
    row, height = 0, 8
    while row < grid.height:
        begun, block = time.perf_counter(), slice(row, min(row + height, grid.height))
        values = rows(ys[block])
        regions[block] = values.classes
        if tie is not None:
            regions[block][values.tie] = tie
        if values.f is not None:
            f = np.empty(regions.shape) if f is None else f
            f[block] = values.f
        row = block.stop
        height = next_size(height, time.perf_counter() - begun)
        yield Priority.BACKGROUND
        if overtaken():
            return None, None
    return regions, f


def _surfaces(
    model: Model, lane: Lane, grid: Grid, compiled: bool, overtaken: Callable[[], bool]
) -> Generator[Step, None, tuple[NDArray[np.int8], Array | None] | None]:
    """The classes predicted, and f of all problems where f has a unit; None when overtaken."""
    regions, _ = yield from _surface(model, lane, grid, compiled, overtaken, tie=None)
    if regions is None:
        return None
    if isinstance(model, KNeighborsClassifier) or lane.trainer is None or not lane.trainer.has_margins:
        return regions, None
    rows = model.pair_surface_on(grid.xs)
    parts, row, height, ys = [], 0, 8, grid.ys
    while row < grid.height:
        begun = time.perf_counter()
        parts.append(rows(ys[row : row + height]).copy())
        row += height
        height = next_size(height, time.perf_counter() - begun)
        yield Priority.BACKGROUND
        if overtaken():
            return None
    return regions, np.concatenate(parts)


def _facts(
    model: Model, side: StateSide, test: Points | None, compiled: bool, overtaken: Callable[[], bool]
) -> Generator[Step, None, Facts | None]:
    shares = []
    for points in (side.points, test):
        if points is None or not len(points):
            shares.append(math.nan)
            continue
        found = yield from predictions(model, points.xy, compiled, overtaken)
        if found is None:
            return None
        shares.append(float((found == points.labels).mean()))
    n = len(side.points)
    if not isinstance(model, PairClassifier):
        return Facts(n_points=n, accuracy=shares[0], test=shares[1])
    p = shown_pair(model, side.lane)
    norm = yield from squared_norm(model, p, overtaken)
    if norm is None:
        return None
    trainer, certificate = side.lane.trainer, model.certificates_[p]
    width = 2.0 / math.sqrt(norm) if norm > 0 and trainer is not None and trainer.has_margins else math.nan
    known = isinstance(certificate, Certificate)
    return Facts(
        width,
        certificate.n_free if known else -1,
        certificate.n_bounded if known else -1,
        certificate.dual if known else math.nan,
        n,
        shares[0],
        shares[1],
        side.finished,
    )


def squared_norm(
    model: PairClassifier, p: int, overtaken: Callable[[], bool] = lambda: False
) -> Generator[Step, None, float | None]:
    """||w||^2 of problem `p`: sum_s coef_s (f(x_s) - b) over the support vectors; None when overtaken."""
    if isinstance(model, LinearClassifier):
        return float(model.coef_[p] @ model.coef_[p])
    assert isinstance(model, KernelClassifier)
    if model.expansion.kernel.name == "linear":
        w = model.coef_[p]
        return float(w @ w)
    total, vectors, coef = 0.0, model.expansion.points, model.expansion.coef[:, p]
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        f = model.pair_decision_function(vectors[part])[:, p] - model.intercept_[p]
        total += float(coef[part] @ f)
        yield Priority.BACKGROUND
        if overtaken():
            return None
    return max(total, 0.0)


def ended(frame: Frame) -> bool:
    """Whether the frame shows the model of a training that came to its end, as all problems' certificates say."""
    if frame.phase is not Phase.DONE or frame.provisional or frame.model is None:
        return False
    return all(certificate.status not in UNFINISHED for certificate in frame.certificates)


def exists(lane: Lane, points: Points) -> bool:
    """Whether there is a model of these points at all."""
    if lane.classifier == "knn":
        return len(points) > 0
    if lane.is_difference or len(points.classes) < 2:
        return False
    try:
        estimator_of(lane)
    except ValueError:
        return False
    return True
