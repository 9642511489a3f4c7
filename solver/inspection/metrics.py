"""KKT cases, scores of classes and the ROC curve: how a model does on given points.

Legend: ``y_i`` is -1 or +1, ``f_i = f(x_i)``; slack ``xi_i = max(0, 1 - y_i f_i)``, the hinge loss of the point;
``alpha_i`` in [0, C_i] its multiplier.

The optimality conditions (Karush, Kuhn, Tucker) of the soft-margin SVM, complete:

    alpha_i           name                       slack      y_i f_i
    0                 not a support vector       0          >= 1
    0 < alpha < C     free support vector        0          = 1, on the margin
    C                 bounded support vector     >= 0       <= 1: inside the margin (xi <= 1) or misclassified (xi > 1)

Conversely, y f < 1 forces alpha = C, y f > 1 forces alpha = 0, and at exactly 1 any alpha is possible.

The ROC curve shows how well a score ranks the points of one class above the others, at every threshold at once.  P and
N are the numbers of positive and negative points; at a threshold, TP and FP of them have at least this score.  The
curve consists of the points (FP / N, TP / P), from (0, 0) to (1, 1); points of equal scores make one step of it.
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
    """Row of the KKT table for a point, by its multiplier; bounded support vectors have two rows, by their slack.

    Attributes
    ----------
    NOT_SUPPORT
        alpha = 0.
    FREE
        0 < alpha < C.
    INSIDE
        alpha = C and slack xi <= 1: on the margin or inside it, but not misclassified.
    MISCLASSIFIED
        alpha = C and xi > 1.

    See Also
    --------
    kkt_case : Returns the case of each point.

    Examples
    --------
    >>> from solver import KktCase, kkt_case
    >>> report = kkt_case(alpha=[0, 0.5, 1, 1], C=1, y=[1, 1, 1, -1], f=[2, 1, 0.3, 0.4])
    >>> [KktCase(number).name for number in report.case]
    ['NOT_SUPPORT', 'FREE', 'INSIDE', 'MISCLASSIFIED']
    """

    NOT_SUPPORT = 0
    FREE = 1
    INSIDE = 2
    MISCLASSIFIED = 3


#: (case, side of the margin as in `KktReport`) -> sentence for the screen.
KKT_WORDS: dict[tuple[KktCase, int], str] = {
    (KktCase.NOT_SUPPORT, 1): "Not a support vector: beyond the margin",
    (KktCase.NOT_SUPPORT, 0): "Not a support vector: on the margin, with α = 0",
    (KktCase.NOT_SUPPORT, -1): "No multiplier yet, but inside the margin: α must grow",
    (KktCase.FREE, 1): "Free support vector, but beyond the margin: α must shrink",
    (KktCase.FREE, 0): "Free support vector: exactly on the margin",
    (KktCase.FREE, -1): "Free support vector, but inside the margin: α must grow",
    (KktCase.INSIDE, 1): "Bounded support vector, but beyond the margin: α must shrink",
    (KktCase.INSIDE, 0): "Bounded support vector: on the margin, with α = C",
    (KktCase.INSIDE, -1): "Bounded support vector: inside the margin",
    (KktCase.MISCLASSIFIED, -1): "Bounded support vector: misclassified, slack above 1",
    (KktCase.MISCLASSIFIED, 0): "Bounded support vector: misclassified, slack above 1",  # with a tol of 1 or more
}


@dataclass(frozen=True)
class KktReport:
    """The KKT case of each point, and whether it is satisfied.

    Attributes
    ----------
    case : ndarray of shape (n,), int
        `KktCase` numbers.
    satisfied : ndarray of shape (n,), bool
        Whether y f is what the table requires for this alpha, up to tol.
    violation : ndarray of shape (n,)
        Distance of y f from what the table requires; 0 where it is satisfied exactly.
    side : ndarray of shape (n,), int
        1 beyond the margin, y f > 1; 0 on it, up to tol; -1 inside it.

    See Also
    --------
    kkt_case : Returns it.

    Examples
    --------
    >>> from solver import kkt_case
    >>> report = kkt_case(alpha=[0, 0], C=1, y=[1, -1], f=[0.25, -2])
    >>> report.satisfied.tolist(), report.violation.tolist()
    ([False, True], [0.75, 0.0])
    >>> report.words(0)
    'No multiplier yet, but inside the margin: α must grow'
    """

    case: Integers
    satisfied: Mask
    violation: Array
    side: Integers

    def words(self, i: int) -> str:
        """Return the sentence about point `i` for the screen."""
        return KKT_WORDS[KktCase(int(self.case[i])), int(self.side[i])]


def kkt_case(
    alpha: ArrayLike, C: ArrayLike, y: ArrayLike, f: ArrayLike, *, tol: float = 1e-3, alpha_tol: float = 0.0
) -> KktReport:
    """Return the row of the KKT table for each point, and whether the point satisfies it.

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
        Largest distance of y f from what the table requires that counts as satisfied, at least 0.
    alpha_tol : float, default=0
        Share of C, from 0 to below 1/2, within which alpha counts as being at a bound.  0 suits the solvers of this
        package, which reach their bounds exactly.  (For an infinite C it is a share of 1.)

    Returns
    -------
    KktReport

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it, its value and what is allowed.
    TypeError
        If an array holds an object that is not a number.

    References
    ----------
    Kuhn, Tucker, "Nonlinear programming", Berkeley Symposium, 1951.  Schölkopf, Smola, "Learning with kernels", MIT
    Press, 2002, section 7.5, for the soft margin.

    Examples
    --------
    Count the cases of a trained support vector machine:

    >>> from solver import Kernel, KktCase, SmoSolver, kkt_case
    >>> X, y = [[0], [1], [2], [4], [8], [9]], [-1, 1, -1, -1, 1, 1]
    >>> smo = SmoSolver(X, y, Kernel("linear"), C=0.2)
    >>> print(smo.run())
    optimal
    >>> report = kkt_case(smo.alpha, smo.C, y, y - smo.v + smo.intercept)
    >>> {case.name: int((report.case == case).sum()) for case in KktCase}, bool(report.satisfied.all())
    ({'NOT_SUPPORT': 2, 'FREE': 2, 'INSIDE': 1, 'MISCLASSIFIED': 1}, True)
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
    side = (beyond > tol).astype(np.int64) - (short > tol)
    return KktReport(case, violation <= tol, violation, side)


@dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 of each class, read from a confusion matrix; a share of nothing is 0.

    Attributes
    ----------
    precision : ndarray of shape (n_classes,)
        Share of the points predicted as this class that are of it: TP / (TP + FP).
    recall : ndarray of shape (n_classes,)
        Share of the points of this class that are predicted as it: TP / (TP + FN).
    f1 : ndarray of shape (n_classes,)
        2 TP / (2 TP + FP + FN), the harmonic mean of the two.
    support : ndarray of shape (n_classes,)
        Number of points of this class.
    called : ndarray of shape (n_classes,)
        Number of points predicted as this class.  Where it is 0 the precision is not defined; where `support` is 0, the
        recall; where both are 0, the F1.

    See Also
    --------
    class_scores : Returns it.

    Examples
    --------
    A class that is never predicted has an undefined precision, which counts as 0:

    >>> from solver import class_scores
    >>> scores = class_scores([[8, 0], [2, 0]])
    >>> scores.precision.tolist(), (scores.called == 0).tolist()
    ([0.8, 0.0], [False, True])
    """

    precision: Array
    recall: Array
    f1: Array
    support: NDArray[Any]
    called: NDArray[Any]


def class_scores(confusion: ArrayLike) -> ClassScores:
    """Return precision, recall and F1 of each class, as scikit-learn's `precision_recall_fscore_support` with zeros.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Counts, rows true and columns predicted, as scikit-learn's `confusion_matrix`; fractions are allowed, as for a
        tied point that counts a share for each class.

    Returns
    -------
    ClassScores

    Raises
    ------
    ValueError
        If it is not a square of numbers of at least 0.

    References
    ----------
    van Rijsbergen, "Information retrieval", 2nd ed. 1979, chapter 7.

    Examples
    --------
    >>> from solver import class_scores
    >>> scores = class_scores([[8, 2], [1, 9]])
    >>> scores.precision.round(3).tolist(), scores.recall.tolist(), scores.f1.round(3).tolist()
    ([0.889, 0.818], [0.8, 0.9], [0.842, 0.857])
    """
    counts = np.asarray(confusion)
    numbers = counts.dtype.kind in "iuf" and (counts >= 0).all()
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not numbers:
        raise ValueError("confusion must be a square of counts, as scikit-learn's confusion_matrix gives it.")
    right, support, called = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    return ClassScores(
        _share(right, called), _share(right, support), _share(2 * right, support + called), support, called
    )


def balanced_accuracy_of(confusion: ArrayLike) -> float:
    """Return the mean recall of the classes that have points, from a confusion matrix; NaN if it counts no points.

    A constant prediction scores 1 / n_classes, however frequent its class is.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        As in `class_scores`.

    Raises
    ------
    ValueError
        As `class_scores`.

    References
    ----------
    Brodersen, Ong, Stephan, Buhmann, "The balanced accuracy and its posterior distribution", ICPR 2010.
    """
    scores = class_scores(confusion)
    there = scores.support > 0
    return float(scores.recall[there].mean()) if there.any() else float("nan")


def _share(part: NDArray[Any], whole: NDArray[Any]) -> Array:
    shares: Array = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return shares


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The ROC curve of a score: true and false positives at each threshold that makes a difference.

    Attributes
    ----------
    thresholds : ndarray of shape (m,)
        Descending; the first one is inf, where no point is called positive.  A point is called positive if its score is
        at least the threshold.
    tp, fp : ndarray of shape (m,), int
        Numbers of positive and negative points that are called positive.
    n_positive, n_negative : int
        Numbers of positive and negative points, at least 1 each.

    See Also
    --------
    roc_curve : Returns it.

    Examples
    --------
    The highest threshold at which half of the positive points are found:

    >>> from solver import roc_curve
    >>> curve = roc_curve([True, True, False, True, False, True], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> at = int((curve.tpr >= 0.5).argmax())
    >>> float(curve.thresholds[at]), float(curve.tpr[at]), float(curve.fpr[at])
    (0.8, 0.5, 0.0)
    """

    thresholds: Array
    tp: Integers
    fp: Integers
    n_positive: int
    n_negative: int

    @property
    def tpr(self) -> Array:
        """Share of the positive points that are called positive (recall, sensitivity), shape (m,)."""
        return self.tp / self.n_positive

    @property
    def fpr(self) -> Array:
        """Share of the negative points that are called positive (1 - specificity), shape (m,)."""
        return self.fp / self.n_negative

    @cached_property
    def auc(self) -> float:
        """Area under the curve, from 0 to 1; 1/2 for a random score.

        It is the probability that a positive point scores above a negative one, ties counting half (Mann, Whitney 1947;
        Hanley, McNeil, Radiology 143, 1982).
        """
        twice = int(np.sum(np.diff(self.fp) * (self.tp[1:] + self.tp[:-1])))
        return twice / (2 * self.n_positive * self.n_negative)


def roc_curve(positive: ArrayLike, score: ArrayLike) -> RocCurve:
    """Return the ROC curve of a score, as scikit-learn's function of this name with ``drop_intermediate=False``.

    Parameters
    ----------
    positive : array-like of bool, shape (n,)
        Whether each point is of the positive class: at least one is, and not all are.
    score : array-like of shape (n,)
        Finite; higher means more likely positive.

    Returns
    -------
    RocCurve

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it and what is allowed.
    TypeError
        If `score` holds an object that is not a number.

    References
    ----------
    Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27, 2006.

    Examples
    --------
    >>> from solver import roc_curve
    >>> curve = roc_curve([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    >>> curve.fpr.tolist(), curve.tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> curve.auc
    0.75
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
