"""Wording of the evaluation: sentences about splits, scores, cross-validations and thresholds."""

from __future__ import annotations

import math
from html import escape

from app.core.number_format import count, counted, grouped, percent, short, signed
from app.engine.cross_validation import Validated

from .scene import Evaluation, LaneEvaluation

NO_TEST_POINTS = "No test points: choose a share of each class, or paint some with the brush N."
NOTHING_PAINTED = "No test points yet: paint some with the brush N; Shift gives them back."
NO_ROC = "A ROC curve needs a model of two classes, and points of both to measure it on."
UNDEFINED_SCORE = "0*"
UNDEFINED = "* 0 by convention: no point was predicted as this class, or none is of this class."
TIES = "Ties: a point at which m classes tie counts 1/\u2060m for each of them, here and in every accuracy."
STALE = "… of an earlier model; newer numbers will follow."
WAITING = "Missing or newer numbers follow when the training has stopped."
DASH = "–"


def split_words(evaluation: Evaluation) -> str:
    """Return how many points are kept back, or how to get test points."""
    if not evaluation.n_test:
        sentence = NOTHING_PAINTED if evaluation.split.kind == "painted" else NO_TEST_POINTS
        return (
            f"{sentence} Without them, test scores are measured on {evaluation.measured}."
            if evaluation.measured
            else sentence
        )
    share = evaluation.n_test / (evaluation.n_test + evaluation.n_trainable)
    sentence = (
        f"{count(evaluation.n_test, 'test point')} ({percent(share)}), {grouped(evaluation.n_trainable)} to train on"
    )
    if evaluation.n_trained < evaluation.n_trainable:
        sentence += f", of which a sample of {grouped(evaluation.n_trained)}"
    return sentence + ". Nothing is trained on a test point: in the pictures it is drawn with a hole."


def titles(evaluation: Evaluation) -> dict[str, str]:
    """Return the title of each row of the table, with what it is measured on."""
    test = f", on {evaluation.measured}" if evaluation.measured else ""
    each = "leave-one-out" if evaluation.validation.kind == "leave-one-out" else f"{evaluation.validation.k} folds"
    return {
        "test": f"Test accuracy{test}",
        "training": "Training accuracy",
        "balanced": "Balanced test accuracy",
        "auc": "Test AUC",
        "validated": f"Validation accuracy, {each}",
    }


def unbroken(text: str) -> str:
    """Return `text` as HTML without line breaks between a number and its %."""
    return escape(text).replace(" %", "\u00a0%")


def lane_title(index: int, lane: LaneEvaluation) -> str:
    """Return the number and short name of a lane: "1 kNN"."""
    return f"{index + 1} {lane.name.partition(',')[0]}"


def share(value: float, stale: bool = False) -> str:
    """Return a share, "96.7 %", with "…" if it belongs to an earlier model; a dash if it is unknown."""
    return percent(value) + ("…" if stale and not math.isnan(value) else "")


def auc(value: float) -> str:
    """Return an area, "0.987"; never 1 if a pair is ranked wrongly."""
    return "0.999+" if 0.9995 <= value < 1.0 else f"{value:.3f}"


def state_words(state: str) -> str:
    """Return a remark on the training behind the numbers; "" if it came to its end."""
    return {
        "training": "still training, not certified yet.",
        "paused": "its training is paused, not certified yet.",
        "uncertified": "its training ended without proof of optimality.",
    }.get(state, "")


def validated_cell(lane: LaneEvaluation) -> str:
    """Return mean and spread of a cross-validation so far, in two short lines."""
    value = lane.validated
    if lane.remark:  # an interrupted one is no result: the missing folds may be the difficult ones
        return DASH
    if value is None or not len(value.sizes):
        return "…" if lane.validating else DASH
    some = f"{counted(float(value.right.sum()))} of {grouped(int(value.sizes.sum()))}"
    return f"{share(value.mean, lane.validating)}\n{some if value.each else f'± {percent(value.spread)}'}"


def validated_words(lane: LaneEvaluation) -> str:
    """Return the cross-validation as a sentence, with the least and largest accuracy of a fold."""
    value = lane.validated
    if lane.remark:
        if value is None or not len(value.sizes):
            return lane.remark
        came = value.left_out if value.each else len(value.sizes)
        return f"broken off after {came} of {count(value.folds, 'fold')}. {lane.remark}"
    if value is None or not len(value.sizes):
        return ""
    if value.each:
        if value.left_out < value.folds:
            return f"{grouped(value.left_out)} of {count(value.folds, 'point')} left out so far."
        return _unfinished(value).strip()
    done = "" if len(value.sizes) == value.folds else f"{len(value.sizes)} of "
    folds = value.accuracies
    return (
        f"{done}{value.folds} folds: mean {percent(value.mean)}, standard deviation {percent(value.spread)}, "
        f"least {percent(float(folds.min()))}, most {percent(float(folds.max()))}.{_unfinished(value)}"
    )


def _unfinished(value: Validated) -> str:
    alone = f" Without {count(value.one_class, 'fold')} only one class was left to learn, and was always predicted."
    unproven = f" In {count(value.unfinished, 'fold')} training ended without its certificate."
    return alone * bool(value.one_class) + unproven * bool(value.unfinished)


def moved_words(lane: LaneEvaluation) -> str:
    """Return a remark if the test scores belong to a threshold moved by the user; else ""."""
    return f"test scores at the threshold {signed(short(lane.threshold))}." if lane.moved else ""


def threshold_words(evaluation: Evaluation, lane: LaneEvaluation) -> str:
    """Return the rule by which a point is predicted positive."""
    if lane.scores is None or lane.roc is None:
        return NO_ROC
    name = evaluation.class_names[lane.scores.classes[1]]
    what = "its share" if lane.own_threshold == 0.5 else "f"
    own = "" if lane.moved else ", the model's own"
    return f"Predicts {name} where {what} > {signed(short(lane.threshold))}{own}."


def roc_words(evaluation: Evaluation, lane: LaneEvaluation) -> str:
    """Return rates and area of the chosen lane's curve."""
    if lane.roc is None or lane.confusion is None:
        return ""
    (tn, fp), (fn, tp) = lane.confusion.tolist()
    return (
        f"True positive rate {percent(tp / (tp + fn))}, false positive rate {percent(fp / (tn + fp))}. "
        f"AUC = {auc(lane.roc.auc)}: how often a point of {evaluation.class_names[lane.scores.classes[1]]} "  # type: ignore[union-attr]
        "scores above one of the other class."
    )


def matrix_words(evaluation: Evaluation, lane: LaneEvaluation) -> str:
    """Return the confusion matrix in words, for screen readers."""
    if lane.confusion is None or lane.scores is None:
        return NO_TEST_POINTS
    names = [evaluation.class_names[c] for c in lane.scores.classes]
    rows = []
    for name, counts in zip(names, lane.confusion.tolist(), strict=True):
        predicted = ", ".join(
            f"{counted(number)} predicted {other}" for number, other in zip(counts, names, strict=True) if number
        )
        rows.append(f"Of {name}: {predicted or 'no points'}.")
    return " ".join(rows)


def class_scores(evaluation: Evaluation, lane: LaneEvaluation) -> str:
    """Return precision, recall and F1 of each class as an HTML table, "0*" for undefined scores."""
    scores = lane.of_classes
    if scores is None or lane.scores is None:
        return ""
    rows = ["<tr><th></th><th>precision</th><th>recall</th><th>F1</th></tr>"]
    for index, label in enumerate(lane.scores.classes):
        unpredicted, missing = scores.called[index] == 0, scores.support[index] == 0
        values = (scores.precision, unpredicted), (scores.recall, missing), (scores.f1, unpredicted and missing)
        texts = [UNDEFINED_SCORE if undefined else share(float(value[index])) for value, undefined in values]
        cells = "".join(f'<td align="center">{unbroken(text)}</td>' for text in texts)
        rows.append(f"<tr><td>{escape(evaluation.class_names[label])}</td>{cells}</tr>")
    return f'<table width="100%">{"".join(rows)}</table>'
