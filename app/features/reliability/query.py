"""Queries of the reliability: probabilities of a model at new points and over the plane, against the true ones."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.core.points import MAX_CLASSES, Points
from app.engine.cover import Cover
from app.engine.pacing import Pace, Step
from app.engine.probability import Calibration, probabilities
from app.engine.surface_values import source_of, surface
from app.features.scores.query import labelled
from app.learners.model import Model
from app.state.document import Lane
from solver import Grid
from solver.core.arrays import Array, Indices
from solver.data.densities import neighbourhoods
from solver.data.distribution import Law
from solver.inspection.reliability import ReliabilityCurve, brier_score, log_loss, reliability_curve

#: Number of new points of a generator: with 500 in a bin, an interval is 9 points of a percent wide at most.
FRESH = 5000
#: Seed of the new points, other than those of other panels.
SEED = (1000, 2)


class Reliability(Struct, frozen=True, eq=False):
    """How reliable the probabilities of one model are.

    Attributes
    ----------
    label : int or None
        The class whose probability the curve is about; None for the most probable class of several.
    n_points : int
    curve : ReliabilityCurve
    log_loss, brier_score : float
    ideal : (float, float) or None
        The two of the true probabilities at the same points; None where these are not known.
    """

    label: int | None
    n_points: int
    curve: ReliabilityCurve
    log_loss: float
    brier_score: float
    ideal: tuple[float, float] | None


class ReliabilityQuery(Struct, frozen=True):
    """Query: how reliable the probabilities of a model are.

    Parameters
    ----------
    slot : int
    model : Model
    lane : Lane
        The settings it was trained with, as `plain_lane` has them.
    training : Points
        What it was trained on.
    of : Points or Law
        The test points, or what new points are drawn from.
    law : Law or None
        What the true probabilities are computed from.
    """

    slot: int
    model: Model
    lane: Lane
    training: Points
    of: Points | Law
    law: Law | None
    reveals: ClassVar[Cover] = Cover.TEST

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post `Reliability` once; ValueError with a sentence where the model has no probability."""
        if not self.lane.family.has_probability:
            raise ValueError("This classifier has no probabilities.")
        pace, model = Pace(overtaken), self.model
        xy, labels = labelled(self.of, FRESH, SEED)
        yield from pace.pause()
        calibration = calibration_of(self.slot, self.lane, self.training)
        p = yield from probabilities(model, calibration, xy, pace)
        truth = None if self.law is None else (yield from true_probabilities(self.law, xy, pace))
        if truth is not None and np.isnan(truth).any():  # no class has points there
            truth = None
        yield from pace.pause()
        post(reliability_of(p, model.classes_, labels, truth))


class ErrorMap(Struct, frozen=True, eq=False):
    """Predicted minus true probability: of the later of two classes, or of the most probable of several.

    Attributes
    ----------
    label : int or None
        The class; None for the most probable class of several.
    grid : Grid
    error : ndarray of shape (height, width)
        Row 0 is the lowest; NaN where no class has points.
    boundary : ndarray of shape (m, 2)
        Polylines joined with NaN rows.
    """

    label: int | None
    grid: Grid
    error: Array
    boundary: Array


class ErrorMapQuery(Struct, frozen=True):
    """Query: where the probabilities of a model are too high or too low.

    Parameters
    ----------
    slot, model, lane, training
        As in `ReliabilityQuery`.
    law : Law
        What the true probabilities are computed from.
    grid : Grid
    """

    slot: int
    model: Model
    lane: Lane
    training: Points
    law: Law
    grid: Grid

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post an `ErrorMap` once."""
        pace, model, grid = Pace(overtaken), self.model, self.grid
        xy = np.column_stack([each.ravel() for each in np.meshgrid(grid.xs, grid.ys)])
        calibration = calibration_of(self.slot, self.lane, self.training)
        p = yield from probabilities(model, calibration, xy, pace)
        truth = yield from true_probabilities(self.law, xy, pace)
        found = yield from surface(source_of(model, self.lane), grid, pace)
        yield from pace.pause()
        classes = model.classes_
        label, chosen = _chosen(p, classes)
        at = np.arange(len(xy))
        error = p[at, chosen] - _among(truth, np.arange(truth.shape[1]), np.arange(MAX_CLASSES))[at, classes[chosen]]
        post(ErrorMap(label, grid, error.reshape(grid.height, grid.width), found.boundary(len(classes))))


@kept(8)
def calibration_of(slot: int, lane: Lane, training: Points) -> Calibration:
    """Return the calibration of a lane's models: the same one as long as settings and points stay, done or not."""
    return Calibration(lane, training)


def reliability_of(p: Array, classes: Any, labels: Any, truth: Array | None) -> Reliability:
    """Return how reliable the probabilities `p` of `classes`, shape (n, n_classes), are at points of class `labels`.

    `truth` are the true probabilities of the classes 0, 1, ... at these points, or None.
    """
    every = np.union1d(classes, labels) if truth is None else np.union1d(np.arange(truth.shape[1]), classes)
    codes = np.searchsorted(every, labels)
    shares = _among(p, classes, every)
    label, index = _chosen(p, classes)
    chosen = np.searchsorted(every, classes)[index]
    at = np.arange(len(p)), chosen
    posterior, ideal = None, None
    if truth is not None:
        known = _among(truth, np.arange(truth.shape[1]), every)
        posterior = known[at]
        ideal = log_loss(codes, known), brier_score(codes, known)
    curve = reliability_curve(codes == chosen, shares[at], posterior=posterior)
    return Reliability(label, len(p), curve, log_loss(codes, shares), brier_score(codes, shares), ideal)


def _chosen(p: Array, classes: Any) -> tuple[int | None, Indices]:
    """Return the class whose probability is meant, None for the most probable one, and its column in each row."""
    if len(classes) == 2:
        return int(classes[1]), np.ones(len(p), np.intp)
    return None, p.argmax(axis=1)


def _among(p: Array, classes: Any, every: Any) -> Array:
    """Return the columns of `p` as those of `every`: 0 for a class that is not one of `classes`."""
    shares = np.zeros((len(p), len(every)))
    shares[:, np.searchsorted(every, classes)] = np.clip(p, 0.0, 1.0)
    return shares


def true_probabilities(law: Law, xy: Array, pace: Pace) -> Generator[Step, None, Array]:
    """Return the true probability of each class, shape (n, n_classes); NaN where no class has points."""
    truth = np.full((len(xy), law.n_classes), np.nan)
    if law.has_density:
        order = np.concatenate([np.empty(0, dtype=np.intp), *neighbourhoods(xy)])

        def fill(block: slice) -> None:
            truth[order[block]] = law.posterior(xy[order[block]])

        yield from pace.in_blocks(len(order), fill, size=32)
    return truth
