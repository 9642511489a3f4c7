"""Bootstrap: refit a lane's classifier to resampled points; the boundaries show how stable it is.

A resample draws n of the n training points with replacement (Efron's bootstrap, 1979); a point drawn m times counts as
m points at one location, so an SVM may give it m C, and kNN counts it m times.  With the share p_c of the B refitted
models that predict class c at a location, two random models of them predict different classes there with probability

    (1 - sum_c p_c^2) B / (B - 1),         for two classes about 2 p (1 - p)

and the disagreement is the mean of that over the locations: those of a grid, or the points.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.points import MAX_CLASSES, Points
from app.engine.fitting import fitted, predictions
from app.engine.overlays import Lines, LineStyle
from app.engine.pacing import Pace, Step
from app.engine.surface_values import source_of, surface
from app.learners.model import Model
from app.state.document import Lane
from solver import Grid
from solver.core.arrays import Array
from solver.kernels.lines import joined

#: Seed that distinguishes these draws from all others.
_RESAMPLE = 73
#: Smallest and largest number of resamples.
LEAST, MOST = 5, 200
#: Largest number of ends of line segments that are drawn: beyond it, the lines of later resamples are left out.
MOST_VERTICES = 25_000
#: Interval (s) between two partial answers.
INTERVAL = 0.3
#: Number of settings of lanes whose refitted models are kept, for other views of the same points.
KEPT = 6
#: Line style of the bootstrap boundaries.
HAZE = LineStyle("haze", 0, 1.2, faint=True)


class Refit(Struct, frozen=True, eq=False):
    """A model fitted to one resample.

    Attributes
    ----------
    model : Model or None
        None if only one class was drawn and the classifier needs two: then `only` is predicted everywhere.
    only : int
    labels : ndarray of shape (n,), int8
        Predicted classes of the training points.
    lost : bool
        True if a class was not drawn.
    finished : bool
        True if its training was completed.
    """

    model: Model | None
    only: int
    labels: NDArray[np.int8]
    lost: bool
    finished: bool


class Bootstrap(Struct, frozen=True, eq=False):
    """The known stability of a lane's classifier.

    Attributes
    ----------
    lines, drawn : Lines and int
        The boundaries of the first `drawn` models.
    done, of : int
        Numbers of finished resamples, and of all.
    area, at_points : float
        The disagreement on the grid and at the points; NaN before two resamples are finished.
    lost, unfinished : int
        Numbers of resamples without some class, and of those whose training was not completed.
    """

    lines: Lines
    drawn: int
    done: int
    of: int
    area: float
    at_points: float
    lost: int
    unfinished: int


class ResampleVotes:
    """Count the predictions of the models at some locations.

    Parameters
    ----------
    n_locations : int
        Number of locations.
    """

    def __init__(self, n_locations: int) -> None:
        self._counts = np.zeros((MAX_CLASSES, n_locations), dtype=np.int32)
        self._models = 0

    def add(self, classes: NDArray[Any]) -> None:
        """Add a model that predicts `classes`, shape (n_locations,)."""
        for c in range(MAX_CLASSES):
            self._counts[c] += classes == c
        self._models += 1

    @property
    def disagreement(self) -> float:
        """Mean probability that two random models differ; NaN for fewer than two, or without a location."""
        B = self._models
        if B < 2 or not self._counts.shape[1]:
            return float("nan")
        alike = np.einsum("cp,cp->", self._counts, self._counts, dtype=np.float64) / self._counts.shape[1]
        return float((1.0 - alike / B**2) * B / (B - 1))


def resampled(points: Points, number: int) -> Points:
    """Return the points of resample `number`: as many as before, drawn with replacement, in their old order."""
    picks = np.sort(np.random.default_rng((_RESAMPLE, number)).integers(len(points), size=len(points)))
    return Points.of(points.xy[picks], points.labels[picks])


_known: WeakKeyDictionary[Points, dict[Any, dict[int, Refit]]] = WeakKeyDictionary()
_lock = threading.Lock()


def _kept(points: Points, lane: Lane) -> dict[int, Refit]:
    """Return the known models by number; what is added there is kept while the points are."""
    key = lane.training_key
    with _lock:
        of_points = _known.setdefault(points, {})
        found = of_points.pop(key, {})
        of_points[key] = found  # the newest last
        for old in list(of_points)[:-KEPT]:
            del of_points[old]
        return found


class StabilityQuery(Struct, frozen=True):
    """Query: the classifier of a lane on resampled points.

    Parameters
    ----------
    lane : Lane
    points : Points
        The training points of the lane.
    resamples : int
    grid : Grid
        Where the models are compared, and their boundaries are followed.
    """

    lane: Lane
    points: Points
    resamples: int
    grid: Grid

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        points, grid = self.points, self.grid
        if len(points) < 2:
            raise ValueError("Resampling needs at least two points.")
        if len(points.classes) < self.lane.family.n_classes_needed:
            raise ValueError("This classifier needs points of two classes.")
        known = _kept(points, self.lane)
        area, at_points = ResampleVotes(grid.width * grid.height), ResampleVotes(len(points))
        refits: list[Refit] = []
        parts: list[Array] = []
        last, pace = time.monotonic(), Pace(overtaken)
        for number in range(self.resamples):
            refit = known.get(number)
            if refit is None:
                refit = known[number] = yield from _refit(self.lane, points, number, pace)
            classes, boundary = yield from _surface(refit, self.lane, grid, pace)
            area.add(classes.ravel())
            at_points.add(refit.labels)
            refits.append(refit)
            if sum(map(len, parts)) + len(boundary) <= MOST_VERTICES and len(parts) == number:
                parts.append(boundary)
            if number + 1 == self.resamples or time.monotonic() - last >= INTERVAL:
                last = time.monotonic()
                post(
                    Bootstrap(
                        Lines(joined(parts), HAZE),
                        len(parts),
                        number + 1,
                        self.resamples,
                        area.disagreement,
                        at_points.disagreement,
                        sum(each.lost for each in refits),
                        sum(not each.finished for each in refits),
                    )
                )
            yield from pace.pause()


def _refit(lane: Lane, points: Points, number: int, pace: Pace) -> Generator[Step, None, Refit]:
    drawn = resampled(points, number)
    yield from pace.pause()
    lost = len(drawn.classes) < len(points.classes)
    if len(drawn.classes) < lane.family.n_classes_needed:
        only = drawn.classes[0]
        return Refit(None, only, np.full(len(points), only, dtype=np.int8), lost, True)
    made = yield from fitted(lane, drawn, pace)
    labels = yield from predictions(made.model, points.xy, pace)
    return Refit(made.model, -1, labels.astype(np.int8), lost, made.finished)


def _surface(refit: Refit, lane: Lane, grid: Grid, pace: Pace) -> Generator[Step, None, tuple[NDArray[np.int8], Array]]:
    """Return the predictions of a model on `grid`, and its boundary."""
    model = refit.model
    if model is None:
        return np.full((grid.height, grid.width), refit.only, dtype=np.int8), np.empty((0, 2))
    found = yield from surface(source_of(model, lane), grid, pace)
    yield from pace.pause()
    return found.classes, found.boundary(len(model.classes_))
