"""Evaluation: what is asked about models on test points, and what the panel and the pictures show of the answers."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.engine.cross_validation import Validated
from app.engine.overlays import Lines, LineStyle, Sheet
from app.engine.query import Answer, LaneQuestion, Query
from app.engine.requests import Frame, Phase
from app.features.scores.query import Scores, Scoring, threshold_of
from app.features.scores.scene import measured_on, measured_words, plain_lane, scoring_of
from app.scene.context import Context, is_present
from app.state.document import MAX_LANES, Document, Lane
from app.state.session import FeatureSession, Session
from app.state.test_split import NO_VALIDATION, Split, Validation
from solver.core import fast_loops
from solver.core.arrays import Array
from solver.inspection.metrics import ClassScores, RocCurve, balanced_accuracy_of, class_scores

from .query import CrossValidation, ThresholdLine, field_of

PANEL = "evaluation"
#: Where the score is the threshold.
OTHER = LineStyle("other", 3, 2.0, (1.5, 2.0), (1.2, 1.6))


class EvaluationSession(FeatureSession, frozen=True):
    """What is done with the evaluation.

    Attributes
    ----------
    validation : Validation
        How the learners are cross-validated.
    thresholds : tuple of float or None
        Per lane, the score above which its second class is said; None where the model's own holds.  A `Threshold`
        holds only as long as the lane is set as it was when the user moved it.
    judged : int
        The lane whose threshold the user moves.
    """

    validation: Validation = NO_VALIDATION
    thresholds: tuple[float | None, ...] = (None,) * MAX_LANES
    judged: int = 0

    def of_new_document(self) -> EvaluationSession:
        return replace(self, thresholds=EvaluationSession().thresholds)

    def of_new_lane(self, slot: int) -> EvaluationSession:
        return replace(self, thresholds=(*self.thresholds[:slot], None, *self.thresholds[slot + 1 :]))


# -- questions -----------------------------------------------------------------------------------------------------


def queries(context: Context) -> dict[str, Query]:
    """What is to be found out while the panel is in sight, by name."""
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
    """How far the training is that the numbers come from: "training", "paused", "uncertified"; "" at its end."""
    if frame is None or not is_present(document, index, frame) or frame.phase in (Phase.EMPTY, Phase.FAILED):
        return ""
    if frame.phase is Phase.TRAINING:
        return "training"
    if frame.model is None or frame.ended:
        return ""
    return "paused" if frame.phase is Phase.PAUSED else "uncertified"


def validation_of(document: Document, session: Session, index: int) -> CrossValidation | None:
    """The cross-validation of a lane that is wished; None when none is, or there is nothing to do it with."""
    spec, points = session.of(EvaluationSession).validation, document.training_points
    if spec.kind == "none" or not len(points) or not fast_loops.ready():
        return None
    k = spec.k if spec.kind == "folds" else 0
    return CrossValidation(plain_lane(document.lanes[index]), points, k, spec.seed if k else 0)


class Threshold(float):
    """A score above which a lane's second class is said, with the settings of the lane it was moved under.

    It holds for these only: f of another kernel, or a share of votes, has another scale.
    """

    lane: Lane

    def __new__(cls, value: float, lane: Lane) -> Threshold:
        made = super().__new__(cls, value)
        made.lane = plain_lane(lane)
        return made

    def __eq__(self, other: object) -> bool:
        return float(self) == other and (not isinstance(other, Threshold) or self.lane == other.lane)

    def __ne__(self, other: object) -> bool:  # a float has its own
        return not self == other

    def __hash__(self) -> int:
        return hash(float(self))


def threshold_in(document: Document, session: Session, index: int) -> float | None:
    """The threshold that the user moved in the lane at place `index` as it is set now; None for the model's own."""
    threshold = session.of(EvaluationSession).thresholds[document.slots[index]]
    if isinstance(threshold, Threshold):
        return float(threshold) if threshold.lane == plain_lane(document.lanes[index]) else None
    return threshold


# -- the pictures --------------------------------------------------------------------------------------------------


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """The line of a threshold that was moved away from the model's own."""
    answer = context.results.answer(f"threshold{context.document.slots[index]}")
    moved = threshold_in(context.document, context.session, index) is not None
    seen = moved and PANEL in context.session.open_panels
    return _line(answer) if seen and answer is not None and answer.value is not None else ()


@lru_cache(maxsize=8)
def _line(answer: Answer) -> tuple[Sheet, ...]:
    return (Lines(answer.value, OTHER),)


# -- the panel -----------------------------------------------------------------------------------------------------


class LaneEvaluation(Struct, frozen=True, eq=False):
    """What is known of one lane.

    Attributes
    ----------
    slot : int
    name : str
        The classifier with its settings.
    stale : bool
        The numbers are of an earlier model or other points; newer ones are on their way.
    scores : Scores or None
    confusion : ndarray or None
        Of the points measured on, at the threshold; None where there are none.
    of_classes : ClassScores or None
    accuracy, balanced, training : float
        NaN where unknown.
    roc : RocCurve or None
    threshold, own_threshold : float
    moved : bool
        The threshold is not the model's own.
    validated : Validated or None
    validating : bool
        More is to come.
    remark : str
        Why there is no cross-validation, in a sentence, or "".
    state : {"", "training", "paused", "uncertified"}
        How far the training of the model is; "" when it came to its end.
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
    """What the panel shows.

    Attributes
    ----------
    split : Split
    n_test, n_trainable, n_trained : int
        Points kept back, all others, and those of them that are trained on.
    measured : str
        What the test scores are measured on, such as "60 test points"; "" where there is nothing to measure on.
    validation : Validation
    judged : int
        Place of the lane whose threshold the user moves.
    lanes : tuple of LaneEvaluation
    class_names : tuple of str
        All eight.
    """

    split: Split
    n_test: int
    n_trainable: int
    n_trained: int
    measured: str
    validation: Validation
    judged: int
    lanes: tuple[LaneEvaluation, ...]
    class_names: tuple[str, ...]


def scene(context: Context, others: object) -> tuple[Evaluation, ...]:
    """What the panel shows, while it is in sight; the same object while nothing has changed."""
    document, session, results = context.document, context.session, context.results
    if PANEL not in session.open_panels:
        return ()
    lanes, slots = [], document.slots[: document.shown]
    for index, slot in enumerate(slots):
        scored, frame = results.answer(f"scores{slot}"), results.frame(slot)
        scoring = scoring_of(document, index, frame)
        wished, validated = validation_of(document, session, index), results.answer(f"validated{slot}")
        if wished is None or (validated is not None and validated.query != wished):
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
                wished is not None,
                state_of(document, index, frame),
            )
        )
    chosen, parts, measured = session.of(EvaluationSession), document.parts, measured_words(measured_on(document))
    judged = slots.index(chosen.judged) if chosen.judged in slots else 0
    sizes = len(parts.test), parts.n_trainable, len(parts.training)
    names = document.class_names
    return (_whole(document.split, *sizes, measured, chosen.validation, judged, tuple(lanes), names),)


#: The same evaluation as long as nothing in it changes: views compare it by identity.
_whole = lru_cache(maxsize=4)(Evaluation)


@lru_cache(maxsize=16)
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


def place_of(roc: RocCurve, threshold: float) -> int:
    """Where on the curve one stands when points with a score above `threshold` are called positive."""
    return max(int(np.searchsorted(-roc.thresholds, -threshold, side="left")) - 1, 0)


def threshold_at(roc: RocCurve, place: int) -> float:
    """A threshold, half-way between two scores, at which one stands at this place of the curve."""
    scores = roc.thresholds[1:]
    place = min(max(place, 0), len(scores))
    if place == len(scores):  # below all of them
        return float(scores[-1] - max(1e-6, 0.05 * (scores[0] - scores[-1])))
    above = scores[place - 1] if place else scores[0] + 2.0 * max(1e-6, 0.05 * (scores[0] - scores[-1]))
    middle = 0.5 * (above + scores[place])
    return float(middle if middle < above else scores[place])


def at_threshold(scores: Scores, threshold: float) -> Array:
    """The confusion matrix when the second class is predicted above `threshold`."""
    roc = scores.roc
    assert roc is not None
    place = place_of(roc, threshold)
    tp, fp = int(roc.tp[place]), int(roc.fp[place])
    return np.array([[roc.n_negative - fp, fp], [roc.n_positive - tp, tp]], dtype=np.float64)
