"""ROC: how well a score ranks the points of one class above the others, at every threshold at once.

Legend: P and N, how many points are positive and negative; at a threshold, TP and FP, how many of each score as much
or more.  The ROC curve is (FP / N, TP / P) from (0, 0) to (1, 1); equal scores are one step of it, across both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Integers, Mask
from solver.core.checks import check_numbers


@dataclass(frozen=True, eq=False)
class RocCurve:
    """What calling a point positive costs and brings, at each threshold that makes a difference.

    Attributes
    ----------
    thresholds : ndarray of shape (m,)
        Descending, the first one infinite: there nothing is called positive.  Called positive are the points with a
        score of at least the threshold; that is, of more than the next lower one.
    tp, fp : ndarray of shape (m,)
        How many positive and negative points that is.
    n_positive, n_negative : int
        At least 1 each.
    """

    thresholds: Array
    tp: Integers
    fp: Integers
    n_positive: int
    n_negative: int

    @property
    def tpr(self) -> Array:
        """Share of the positive points that are called so (recall, sensitivity), shape (m,)."""
        return self.tp / self.n_positive

    @property
    def fpr(self) -> Array:
        """Share of the negative points that are called positive (1 - specificity), shape (m,)."""
        return self.fp / self.n_negative

    @cached_property
    def auc(self) -> float:
        """Area under the curve: how often a positive point scores above a negative one, ties counting half.

        The two are the same number (Mann, Whitney 1947; Hanley, McNeil, Radiology 143, 1982).
        """
        twice = int(np.sum(np.diff(self.fp) * (self.tp[1:] + self.tp[:-1])))
        return twice / (2 * self.n_positive * self.n_negative)


def roc_curve(positive: ArrayLike, score: ArrayLike) -> RocCurve:
    """The ROC curve of a score, as scikit-learn's function of that name with ``drop_intermediate=False``.

    Parameters
    ----------
    positive : array-like of bool, shape (n,)
        Which points are of the positive class: at least one, and not all.
    score : array-like of shape (n,)
        Finite; the higher, the likelier positive.

    Raises
    ------
    ValueError
        One sentence naming what is wrong.

    Notes
    -----
    Source: Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27, 2006, algorithm 2.
    """
    truth, values = _truth_and_score(positive, score)
    if not truth.any() or truth.all():
        raise ValueError("A ROC curve needs points of both classes.")
    order = np.argsort(-values, kind="stable")
    values, truth = values[order], truth[order]
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)  # of each run of equal scores
    tp = np.cumsum(truth, dtype=np.int64)[last]
    fp = last + 1 - tp
    return RocCurve(
        np.append(np.inf, values[last]),
        np.append(0, tp),
        np.append(0, fp).astype(np.int64),
        int(truth.sum()),
        int((~truth).sum()),
    )


def confusion_at(positive: ArrayLike, score: ArrayLike, threshold: float) -> Integers:
    """Confusion matrix when points with a score above `threshold` are called positive.

    Strictly above, as in a classifier that says its second class where f > 0.

    Parameters
    ----------
    positive, score
        As in `roc_curve`; any number of points, of one class too.
    threshold : float

    Returns
    -------
    ndarray of shape (2, 2)
        [[TN, FP], [FN, TP]]: rows true, columns predicted, the negative class first.

    Raises
    ------
    ValueError
        One sentence naming what is wrong.
    """
    truth, values = _truth_and_score(positive, score)
    counts = np.bincount(2 * truth.astype(np.int64) + (values > threshold), minlength=4)
    return counts.reshape(2, 2).astype(np.int64)


@dataclass(frozen=True, eq=False)
class ThresholdTable:
    """What each threshold of a ROC curve comes to, one row each, all of shape (m,).

    Attributes
    ----------
    thresholds, tp, fp
        As in `RocCurve`.
    fn, tn : ndarray
        The positive points that are not called so, and the negative ones.
    accuracy, precision, recall, f1 : ndarray
        As in `metrics`; a precision of nothing is 0.
    """

    thresholds: Array
    tp: Integers
    fp: Integers
    fn: Integers
    tn: Integers
    accuracy: Array
    precision: Array
    recall: Array
    f1: Array


def threshold_table(curve: RocCurve) -> ThresholdTable:
    """The counts and scores at each threshold of `curve`."""
    tp, fp = curve.tp, curve.fp
    fn, tn = curve.n_positive - tp, curve.n_negative - fp
    return ThresholdTable(
        curve.thresholds,
        tp,
        fp,
        fn,
        tn,
        (tp + tn) / (curve.n_positive + curve.n_negative),
        tp / np.maximum(tp + fp, 1),
        tp / curve.n_positive,
        2 * tp / (2 * tp + fp + fn),
    )


def _truth_and_score(positive: ArrayLike, score: ArrayLike) -> tuple[Mask, Array]:
    truth, values = np.asarray(positive), check_numbers("score", score)
    if truth.dtype != np.bool_ or truth.ndim != 1:
        raise ValueError("positive must hold True or False for each point.")
    if values.shape != truth.shape or not np.isfinite(values).all():
        raise ValueError(f"score must hold one finite number for each of {len(truth)} points.")
    return truth, values
