"""Scene of the reliability: what is asked about the probabilities of each lane, and what the panel shows."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, ClassVar, cast

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.core.points import MAX_CLASSES, Points
from app.engine.cover import Cover
from app.engine.frames import Frame, Phase
from app.engine.pacing import Pace, Step
from app.engine.probability import Calibration, probabilities
from app.engine.query import Answer, LaneQuestion, Query
from app.engine.surface_values import source_of, surface
from app.features.scores.scene import labelled, measured_on, measured_words, plain_lane, scoring_of
from app.learners.model import Model
from app.scene.model import Context
from app.state.document import Document, Lane
from app.state.law import law_of
from solver import Grid
from solver.core import fast_loops
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


PANEL = "reliability"
#: Width and height (pixels) whose product is the number of pixels of a map.
MAP = 120, 90


class LaneReliability(Struct, frozen=True):
    """One lane in the panel.

    Attributes
    ----------
    name : str
        "1 kNN".
    value : Reliability or None
    stale : bool
        The value is of an earlier model, or missing; a newer one follows.
    message : str
        Why there is none, in a sentence; or "".
    errors : ErrorMap or None
    errors_stale : bool
        `errors` is of an earlier model, or missing.
    """

    name: str
    value: Reliability | None
    stale: bool
    message: str
    errors: ErrorMap | None
    errors_stale: bool


class ReliabilityScene(Struct, frozen=True):
    """Content of the panel.

    Attributes
    ----------
    measured : str
        What the curves are measured on, such as "60 test points"; "" where there is nothing.
    lanes : tuple of LaneReliability
    class_names : tuple of str
        All eight.
    truth_known : bool
        The true probabilities of the points are known.
    """

    measured: str
    lanes: tuple[LaneReliability, ...]
    class_names: tuple[str, ...]
    truth_known: bool


def queries(context: Context) -> dict[str, Query]:
    """Ask about each finished model on screen, while the panel is in sight."""
    document, asked = context.document, dict[str, Query]()
    if PANEL not in context.session.open_panels or context.session.drawing or not fast_loops.ready():
        return asked
    for index, slot in enumerate(document.slots[: document.shown]):
        query, answer = query_of(document, index, context.results.frame(slot)), context.results.answer(_question(slot))
        if query is None:
            continue
        asked[_question(slot)] = query
        # Only after the curve: the map then finds the probability fitted, and two jobs never fit the same one.
        known = answer is not None and answer.done and answer.query == query
        last = context.results.answer(_map_question(slot))
        if answer is not None and answer.message:
            continue
        if known and query.law is not None and query.law.has_density and index < len(context.grids):
            grid = context.grids[index].coarse(*MAP, share=0.0)
            asked[_map_question(slot)] = ErrorMapQuery(slot, query.model, query.lane, query.training, query.law, grid)
        elif last is not None:
            asked[_map_question(slot)] = last.query
    return asked


def query_of(document: Document, index: int, frame: Frame | None) -> ReliabilityQuery | None:
    """Return the query about the finished model of the lane at place `index`; None where there is none."""
    scoring = scoring_of(document, index, frame)
    if scoring is None or frame is None or frame.phase is not Phase.DONE or document.lanes[index].is_difference:
        return None
    slot, law = document.slots[index], law_of(document.origin)
    return ReliabilityQuery(slot, scoring.model, plain_lane(frame.lane), frame.points, scoring.of, law)


def scene(context: Context, lanes: object) -> tuple[ReliabilityScene, ...]:
    """Return the content of the panel while it is open."""
    document, results = context.document, context.results
    if PANEL not in context.session.open_panels:
        return ()
    rows = []
    for index, slot in enumerate(document.slots[: document.shown]):
        if not document.lanes[index].is_difference:
            query, answer = query_of(document, index, results.frame(slot)), results.answer(_question(slot))
            fresh = answer is not None and answer.query == query
            mapped = results.answer(_map_question(slot))
            of_now = (
                mapped is not None and query is not None and cast("ErrorMapQuery", mapped.query).model is query.model
            )
            errors = None if mapped is None else mapped.value
            rows.append(_lane(index, document.lanes[index].title, answer, fresh, errors, not of_now))
    law, measured = law_of(document.origin), measured_words(measured_on(document), FRESH)
    truth_known = law is not None and law.has_density
    return (ReliabilityScene(measured, tuple(rows), document.class_names, truth_known),)


def _question(slot: int) -> LaneQuestion:
    return LaneQuestion("reliability", slot)


def _map_question(slot: int) -> LaneQuestion:
    return LaneQuestion("errors", slot)


@kept(16)
def _lane(
    index: int, title: str, answer: Answer | None, fresh: bool, errors: ErrorMap | None, errors_stale: bool
) -> LaneReliability:
    value = None if answer is None else answer.value
    done = answer is not None and fresh and answer.done
    return LaneReliability(
        f"{index + 1} {title.partition(',')[0]}",
        value,
        not done,
        answer.message if answer is not None and fresh else "",
        errors,
        errors_stale,
    )
