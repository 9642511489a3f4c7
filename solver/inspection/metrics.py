"""The table of KKT cases, scores of classes and ROC: what a model does on points.

Legend: ``y_i`` -1 or +1, ``f_i = f(x_i)``; slack ``xi_i = max(0, 1 - y_i f_i)``, the hinge loss of the point;
``alpha_i`` in [0, C_i] its multiplier.

The optimality conditions (Karush, Kuhn, Tucker) of the soft-margin SVM, complete:

    alpha_i           name                       slack      y_i f_i
    0                 not a support vector       0          >= 1
    0 < alpha < C     free support vector        0          = 1, on the margin
    C                 bounded support vector     >= 0       <= 1: inside the margin (xi <= 1) or misclassified (xi > 1)

Read backwards: y f < 1 forces alpha = C, y f > 1 forces alpha = 0, and at exactly 1 any alpha is possible.

The ROC curve tells how well a score ranks the points of one class above the others, at every threshold at once: with P
and N, how many points are positive and negative, and at a threshold TP and FP, how many of each score as much or more,
it is (FP / N, TP / P) from (0, 0) to (1, 1); equal scores are one step of it, across both.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Integers, Mask
from solver.core.checks import check_number, check_numbers, check_signs


class KktCase(IntEnum):
    """Row of the KKT table, by the multiplier; the bounded support vectors in two by their slack."""

    NOT_SUPPORT = 0  #: alpha = 0
    FREE = 1  #: 0 < alpha < C
    INSIDE = 2  #: alpha = C, xi <= 1
    MISCLASSIFIED = 3  #: alpha = C, xi > 1


#: (case, whether y f is as the table wants it) -> words for the screen.
KKT_WORDS: dict[tuple[KktCase, bool], str] = {
    (KktCase.NOT_SUPPORT, True): "Not a support vector: on the margin or beyond it",
    (KktCase.NOT_SUPPORT, False): "No multiplier yet, but inside the margin: alpha must grow",
    (KktCase.FREE, True): "Free support vector: exactly on the margin",
    (KktCase.FREE, False): "Free support vector, but not on the margin: alpha must change",
    (KktCase.INSIDE, True): "Bounded support vector: on the margin or inside it",
    (KktCase.INSIDE, False): "Bounded support vector, but beyond the margin: alpha must shrink",
    (KktCase.MISCLASSIFIED, True): "Bounded support vector: misclassified, slack above 1",
}


@dataclass(frozen=True)
class KktReport:
    """The KKT case of each point.

    Attributes
    ----------
    case : ndarray of shape (n,)
        `KktCase` numbers.
    satisfied : ndarray of shape (n,)
        Whether y f is what the table wants for this alpha, up to tol.
    violation : ndarray of shape (n,)
        How far y f is from that, 0 where it is exactly so.
    """

    case: Integers
    satisfied: Mask
    violation: Array

    def words(self, i: int) -> str:
        """What to say of point `i` on screen."""
        return KKT_WORDS[KktCase(int(self.case[i])), bool(self.satisfied[i])]


def kkt_case(
    alpha: ArrayLike, C: ArrayLike, y: ArrayLike, f: ArrayLike, *, tol: float = 1e-3, alpha_tol: float = 0.0
) -> KktReport:
    """Each point's row of the KKT table, and whether it is as the table says.

    Parameters
    ----------
    alpha : array-like of shape (n,)
        Multipliers in [0, C].
    C : float or array-like of shape (n,)
        Upper bounds, above 0; inf for the hard margin, where no support vector is bounded.
    y : array-like of shape (n,)
        -1 and +1.
    f : array-like of shape (n,)
        Decision values, finite.
    tol : float, default=1e-3
        How far y f may be from what the table wants.
    alpha_tol : float, default=0
        Share of C, below 1/2, up to which alpha counts as being at a bound.  0 suits the solvers here, which reach
        their bounds exactly.  (Of an infinite C, the share is taken of 1.)

    Raises
    ------
    ValueError
        One sentence naming what is wrong.
    """
    values = check_numbers("f", f)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise ValueError(f"f must hold one finite number for each of at least one point; its shape is {values.shape}.")
    n = len(values)
    signs = check_signs(y, n, both=False)
    check_number("tol", tol, 0.0, open_high=True)
    check_number("alpha_tol", alpha_tol, 0.0, 0.5, open_high=True)
    multipliers, prices = check_numbers("alpha", alpha), check_numbers("C", C)
    if multipliers.shape != (n,):
        raise ValueError(f"alpha has shape {multipliers.shape}; it must hold one number for each of {n} points.")
    if prices.shape not in ((), (n,)):
        raise ValueError(f"C has shape {prices.shape}; it must be one number, or one for each of {n} points.")
    bound: Array = np.array(np.broadcast_to(prices, (n,)))
    if not (bound > 0.0).all():
        raise ValueError(f"C is {bound.min():g}; it must be above 0.")
    near = alpha_tol * np.where(np.isfinite(bound), bound, 1.0)
    inside = (multipliers >= -near) & (multipliers <= bound + near) & np.isfinite(multipliers)
    if not inside.all():
        worst = int((~inside).argmax())
        raise ValueError(f"alpha is {multipliers[worst]:g} at point {worst}; it must be from 0 to {bound[worst]:g}.")
    margin = signs * values
    none, full = multipliers <= near, multipliers >= bound - near
    case = np.where(none, KktCase.NOT_SUPPORT, np.where(full, KktCase.INSIDE, KktCase.FREE)).astype(np.int64)
    case[full & ~none & (margin < 0.0)] = KktCase.MISCLASSIFIED
    short, beyond = np.maximum(0.0, 1.0 - margin), np.maximum(0.0, margin - 1.0)
    violation = np.where(none, short, np.where(full, beyond, short + beyond))
    return KktReport(case, violation <= tol, violation)


@dataclass(frozen=True)
class ClassScores:
    """How well each class was found, read off a confusion matrix; where a share would be of nothing it is 0.

    Attributes
    ----------
    precision : ndarray of shape (n_classes,)
        Of the points that were called this class, the share that are: TP / (TP + FP).
    recall : ndarray of shape (n_classes,)
        Of the points of this class, the share that were called so: TP / (TP + FN).
    f1 : ndarray of shape (n_classes,)
        2 TP / (2 TP + FP + FN), the harmonic mean of the two.
    support : ndarray of shape (n_classes,)
        How many points are of this class.
    called : ndarray of shape (n_classes,)
        How many points were called this class; where it is 0 the precision is not defined, where `support` is 0 the
        recall, and where both are the F1.
    """

    precision: Array
    recall: Array
    f1: Array
    support: NDArray[Any]
    called: NDArray[Any]


def class_scores(confusion: ArrayLike) -> ClassScores:
    """Precision, recall and F1 of each class, as scikit-learn's `precision_recall_fscore_support` with zeros.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Counts, rows true and columns predicted, as scikit-learn's `confusion_matrix` has them; a point may count in
        parts.

    Raises
    ------
    ValueError
        It is not a square of counts.

    Notes
    -----
    Source: van Rijsbergen, Information Retrieval, 2nd ed. 1979, chapter 7.
    """
    counts = _square(confusion)
    right, support, called = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    return ClassScores(
        _share(right, called), _share(right, support), _share(2 * right, support + called), support, called
    )


def balanced_accuracy_of(confusion: ArrayLike) -> float:
    """Mean recall of the classes that have points, of a confusion matrix; NaN when it counts no points.

    Calling everything the commonest class comes to 1 / n_classes, however common that is.

    Parameters, Raises
        As `class_scores`.

    Notes
    -----
    Source: Brodersen, Ong, Stephan, Buhmann, "The balanced accuracy and its posterior distribution", ICPR 2010.
    """
    scores = class_scores(confusion)
    there = scores.support > 0
    return float(scores.recall[there].mean()) if there.any() else float("nan")


def _square(confusion: ArrayLike) -> NDArray[Any]:
    counts = np.asarray(confusion)
    numbers = counts.dtype.kind in "iuf" and (counts >= 0).all()
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not numbers:
        raise ValueError("confusion must be a square of counts, as scikit-learn's confusion_matrix gives it.")
    return counts


def _share(part: NDArray[Any], whole: NDArray[Any]) -> Array:
    shares: Array = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return shares


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
    truth, values = np.asarray(positive), check_numbers("score", score)
    if truth.dtype != np.bool_ or truth.ndim != 1:
        raise ValueError("positive must hold True or False for each point.")
    if values.shape != truth.shape or not np.isfinite(values).all():
        raise ValueError(f"score must hold one finite number for each of {len(truth)} points.")
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
