"""Evaluation: its queries, and the values that panel and pictures display."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.caches import kept
from app.core.points import Points, copies
from app.engine.cover import Cover
from app.engine.cross_validation import Validated, cross_validated
from app.engine.frames import Frame, Phase
from app.engine.overlays import Lines, LineStyle, Sheet
from app.engine.pacing import Pace, Step
from app.engine.query import Answer, LaneQuestion, Query
from app.engine.surface_values import rows_of
from app.features.scores.scene import Scores, Scoring, measured_on, measured_words, plain_lane, scoring_of, threshold_of
from app.learners.model import Model, remote
from app.scene.model import Context, is_present
from app.state.document import MAX_LANES, Document, Lane
from app.state.session import FeatureSession, Session
from app.state.split import NO_VALIDATION, Split, Validation
from solver import Grid
from solver.core import fast_loops
from solver.core.arrays import Array
from solver.inspection.metrics import ClassScores, RocCurve, balanced_accuracy_of, class_scores
from solver.kernels.lines import joined, level_lines, region_lines

#: Style of the line of a threshold.
OTHER = LineStyle("other", 3, 2.0, (1.5, 2.0), (1.2, 1.6))
#: Pixels in which lines are searched at a time.
STRIP = 150_000

# -- cross-validation ----------------------------------------------------------------------------------------------


class CrossValidation(Struct, frozen=True):
    """Query: cross-validate the classifier of `lane`, see `cross_validated`."""

    lane: Lane
    points: Points
    k: int
    seed: int
    reveals: ClassVar[Cover] = Cover.TRAINING

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post `Validated` after each fold, or after some of the points."""
        yield from cross_validated(self.lane, self.points, self.k, self.seed, Pace(overtaken), post)


# -- threshold lines -----------------------------------------------------------------------------------------------


class ScoreGrid:
    """The score of a model of two classes on a grid, computed once for all thresholds, row by row.

    Only the job of its query writes to it, and there is one at a time.
    """

    def __init__(self, model: Model, grid: Grid) -> None:
        self.model, self.grid = model, grid
        self._values, self._known = np.empty((grid.height, grid.width)), 0
        self._rows: Callable[[Array], Array] | None = None

    def values(self, pace: Pace) -> Generator[Step, None, Array]:
        """Return the scores, shape (height, width), row 0 the lowest."""
        grid, process = self.grid, remote(self.model)
        if process is not None and not self._known:
            x, y = np.meshgrid(grid.xs, grid.ys)
            shares = yield from pace.wait(process.begin_shares(np.column_stack((x.ravel(), y.ravel()))))
            self._values[:], self._known = shares[:, 1].reshape(x.shape), grid.height
        if self._rows is None:
            self._rows = self._prepared()
            yield from pace.pause()
        values, rows, ys = self._values, self._rows, grid.ys

        def fill(block: slice) -> None:
            values[block] = rows(ys[block])
            self._known = block.stop

        yield from pace.in_blocks(grid.height, fill, size=8, begin=self._known)
        return values

    def _prepared(self) -> Callable[[Array], Array]:
        model = self.model
        if model.kind != "f":
            shares = model.surface_on(self.grid.xs)
            return lambda ys: shares(ys)[..., 1]
        rows = model.pair_surface_on(self.grid.xs)
        return lambda ys: rows(ys)[..., 0]


@kept(4)
def field_of(model: Model, grid: Grid) -> ScoreGrid:
    """Return the scores of a model on a grid; cached."""
    return ScoreGrid(model, grid)


class ThresholdLine(Struct, frozen=True):
    """Query: the line on which a model's score is `threshold`."""

    field: ScoreGrid
    threshold: float

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post what is drawn over the picture, once."""
        pace = Pace(overtaken)
        values = yield from self.field.values(pace)
        grid, votes = self.field.grid, self.field.model.kind == "votes"
        # In strips that share a row: the lines of a large picture take longer than a piece may.
        step, parts = max(1, STRIP // grid.width), []
        for row in range(0, max(grid.height - 1, 1), step):
            yield from pace.pause()
            block = slice(row, min(row + step + 1, grid.height))
            strip = rows_of(grid, block)
            if votes:  # not a smooth function: edges of pixels
                parts.append(region_lines(strip, (values[block] > self.threshold).astype(np.int8)))
            else:
                parts.append(level_lines(strip, values[block], (self.threshold,)))
        post((Lines(joined(parts), OTHER),))


PANEL = "evaluation"


class EvaluationSession(FeatureSession, frozen=True):
    """Settings of the evaluation.

    Attributes
    ----------
    validation : Validation
        The kind of cross-validation.
    thresholds : tuple of Threshold or None
        By slot, the threshold that the user has moved; None for the model's own.
    """

    validation: Validation = NO_VALIDATION
    thresholds: tuple[Threshold | None, ...] = (None,) * MAX_LANES

    def of_new_document(self) -> EvaluationSession:
        return replace(self, thresholds=EvaluationSession().thresholds)

    def of_new_lane(self, slot: int) -> EvaluationSession:
        return replace(self, thresholds=(*self.thresholds[:slot], None, *self.thresholds[slot + 1 :]))


# -- questions -----------------------------------------------------------------------------------------------------


def queries(context: Context) -> dict[str, Query]:
    """Return the queries by name, while the panel is open."""
    document, session, results = context.document, context.session, context.results
    if PANEL not in session.open_panels:
        return {}
    asked: dict[str, Query] = {}
    for index, slot in enumerate(document.slots[: document.shown]):
        frame, threshold = results.frame(slot), threshold_in(document, session, index)
        model = frame.model if frame is not None and is_present(document, index, frame) else None
        if model is not None and len(model.classes_) == 2 and threshold is not None and index < len(context.grids):
            asked[LaneQuestion("threshold", slot)] = ThresholdLine(field_of(model, context.grids[index]), threshold)
        validation = validation_of(document, session, index)
        if validation is not None:
            asked[LaneQuestion("validated", slot)] = validation
    return asked


def state_of(document: Document, index: int, frame: Frame | None) -> str:
    """Return the state of the training behind the numbers: "training", "paused", "uncertified"; "" at its end."""
    if frame is None or not is_present(document, index, frame) or frame.phase in (Phase.EMPTY, Phase.FAILED):
        return ""
    if frame.phase is Phase.TRAINING:
        return "training"
    if frame.model is None or frame.ended:
        return ""
    return "paused" if frame.phase is Phase.PAUSED else "uncertified"


def validation_of(document: Document, session: Session, index: int) -> CrossValidation | None:
    """Return the cross-validation of a lane; None if it is off, or there are no points."""
    spec, points = session.of(EvaluationSession).validation, document.training_points
    if spec.kind == "none" or not len(points) or not fast_loops.ready():
        return None
    k = spec.k if spec.kind == "folds" else 0
    return CrossValidation(plain_lane(document.lanes[index]), points, k, spec.seed if k else 0)


class Threshold(Struct, frozen=True):
    """A score above which a lane predicts its second class, with the settings under which the user moved it.

    It is valid for these settings only: f of another kernel, or a share of votes, has another scale.

    Attributes
    ----------
    value : float
    lane : Lane
        As of `plain_lane`.
    """

    value: float
    lane: Lane


def threshold_in(document: Document, session: Session, index: int) -> float | None:
    """Return the threshold moved by the user in lane `index` under its present settings; None for the model's own."""
    threshold = session.of(EvaluationSession).thresholds[document.slots[index]]
    valid = threshold is not None and threshold.lane == plain_lane(document.lanes[index])
    return threshold.value if threshold is not None and valid else None


# -- the pictures --------------------------------------------------------------------------------------------------


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """Return the line of a threshold that differs from the model's own."""
    answer = context.results.answer(f"threshold{context.document.slots[index]}")
    moved = threshold_in(context.document, context.session, index) is not None
    visible = moved and PANEL in context.session.open_panels
    lines: tuple[Sheet, ...] = () if answer is None or answer.value is None else answer.value
    return lines if visible else ()


# -- the panel -----------------------------------------------------------------------------------------------------


class LaneEvaluation(Struct, frozen=True, eq=False):
    """The evaluation of one lane.

    Attributes
    ----------
    slot : int
    name : str
        Title of the classifier with its settings.
    stale : bool
        The numbers belong to an earlier model or other points; newer ones will follow.
    scores : Scores or None
    confusion : ndarray or None
        Confusion matrix of the test points at the threshold; None if there are none.
    of_classes : ClassScores or None
    accuracy, balanced, training : float
        NaN if unknown.
    roc : RocCurve or None
    threshold, own_threshold : float
    moved : bool
        The threshold is not the model's own.
    validated : Validated or None
    validating : bool
        The cross-validation is still running.
    remark : str
        Sentence why there is no cross-validation, or "".
    state : {"", "training", "paused", "uncertified"}
        State of the training; "" at its end.
    lane : Lane
        The settings that the scores belong to.
    """

    slot: int
    name: str
    stale: bool
    scores: Scores | None
    confusion: Array | None
    of_classes: ClassScores | None
    accuracy: float
    balanced: float
    training: float
    roc: RocCurve | None
    threshold: float
    own_threshold: float
    moved: bool
    validated: Validated | None
    validating: bool
    remark: str
    state: str
    lane: Lane


class Evaluation(Struct, frozen=True, eq=False):
    """Content of the panel.

    Attributes
    ----------
    split : Split
    n_test, n_trainable, n_trained : int
        Numbers of test points, of all others, and of those that are trained on.
    n_copies : int
        Number of test points with location and class of a point that is trained on.
    measured : str
        What the test scores are measured on, such as "60 test points"; "" if there is nothing.
    validation : Validation
    judged : int
        Index of the lane whose threshold is moved.
    lanes : tuple of LaneEvaluation
    class_names : tuple of str
        Names of all eight classes.
    """

    split: Split
    n_test: int
    n_trainable: int
    n_trained: int
    n_copies: int
    measured: str
    validation: Validation
    judged: int
    lanes: tuple[LaneEvaluation, ...]
    class_names: tuple[str, ...]


def scene(context: Context, others: object) -> tuple[Evaluation, ...]:
    """Return the contents of the panel while it is open; the same object while nothing has changed."""
    document, session, results = context.document, context.session, context.results
    if PANEL not in session.open_panels:
        return ()
    lanes, slots = [], document.slots[: document.shown]
    for index, slot in enumerate(slots):
        scored, frame = results.answer(f"scores{slot}"), results.frame(slot)
        scoring = scoring_of(document, index, frame)
        requested, validated = validation_of(document, session, index), results.answer(f"validated{slot}")
        if requested is None or (validated is not None and validated.query != requested):
            validated = None
        fresh = scored is not None and scoring is not None and scored.query == scoring
        lanes.append(
            _lane(
                slot,
                document.lanes[index],
                scored,
                fresh,
                math.nan if frame is None else frame.accuracy,
                threshold_in(document, session, index),
                validated,
                requested is not None,
                state_of(document, index, frame),
            )
        )
    chosen, parts, measured = session.of(EvaluationSession), document.parts, measured_words(measured_on(document))
    judged = session.selected_lane(document, "evaluation")
    sizes = len(parts.test), parts.n_trainable, len(parts.training), copies(parts.test, parts.training)
    names = document.class_names
    return (_whole(document.split, *sizes, measured, chosen.validation, judged, tuple(lanes), names),)


#: Cached, so that the same evaluation is the same object: views compare it by identity.
_whole = kept(4)(Evaluation)


@kept(16)
def _lane(
    slot: int,
    lane: Lane,
    scored: Answer | None,
    fresh: bool,
    training: float,
    threshold: float | None,
    validated: Answer | None,
    validating: bool,
    state: str,
) -> LaneEvaluation:
    scores: Scores | None = None if scored is None else scored.value
    confusion, own, roc, lane_of = None, 0.0, None, None
    if scores is not None and scored is not None:
        query = scored.query
        assert isinstance(query, Scoring)
        roc, own, lane_of = scores.roc, threshold_of(query.model), query.lane
        confusion = scores.confusion if threshold is None or roc is None else at_threshold(scores, threshold)
    moved = threshold is not None and roc is not None
    done = validated is not None and validated.done
    return LaneEvaluation(
        slot,
        lane.title,
        scores is not None and not fresh,
        scores,
        confusion,
        None if confusion is None else class_scores(confusion),
        float("nan") if confusion is None else float(confusion.trace() / confusion.sum()),
        float("nan") if confusion is None else balanced_accuracy_of(confusion),
        training,
        roc,
        own if threshold is None or not moved else threshold,
        own,
        moved,
        None if validated is None else validated.value,
        validating and not done,
        "" if validated is None else validated.message,
        state,
        lane_of or lane,
    )


def index_of(roc: RocCurve, threshold: float) -> int:
    """Return the index on the curve at which points with a score above `threshold` are predicted positive."""
    return max(int(np.searchsorted(-roc.thresholds, -threshold, side="left")) - 1, 0)


def threshold_at(roc: RocCurve, index: int) -> float:
    """Return a threshold, half-way between two scores, that belongs to `index` of the curve."""
    scores = roc.thresholds[1:]
    index = min(max(index, 0), len(scores))
    if index == len(scores):  # below all of them
        return float(scores[-1] - max(1e-6, 0.05 * (scores[0] - scores[-1])))
    above = scores[index - 1] if index else scores[0] + 2.0 * max(1e-6, 0.05 * (scores[0] - scores[-1]))
    middle = 0.5 * (above + scores[index])
    return float(middle if middle < above else scores[index])


def at_threshold(scores: Scores, threshold: float) -> Array:
    """Return the confusion matrix if the second class is predicted above `threshold`."""
    roc = scores.roc
    assert roc is not None
    index = index_of(roc, threshold)
    tp, fp = int(roc.tp[index]), int(roc.fp[index])
    return np.array([[roc.n_negative - fp, fp], [roc.n_positive - tp, tp]], dtype=np.float64)
