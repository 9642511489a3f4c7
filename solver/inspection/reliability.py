"""Reliability of probabilities: predicted against observed shares, log loss and Brier score.

A probability is reliable (calibrated) if, of the points to which it gives p, a share of p is of the predicted class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Indices, Integers
from solver.core.checks import check_integer, check_numbers
from solver.data.distribution import wilson

#: Farthest that the probabilities of a point may add up from 1 (rounding).
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Predicted and observed shares in bins of equal width; bins without points are left out.

    Attributes
    ----------
    predicted : ndarray of shape (m,)
        Mean of the predicted probabilities in each bin.
    observed : ndarray of shape (m,)
        Share of the bin's points that are positive.
    low, high : ndarray of shape (m,)
        Wilson's interval of 95 % for the share that would be observed in the long run.
    counts : ndarray of shape (m,), int
        Number of points in each bin.
    expected : ndarray of shape (m,) or None
        Mean of the true probabilities in each bin; None if they were not given.

    See Also
    --------
    reliability_curve : Returns it.

    Examples
    --------
    >>> from solver.inspection.reliability import reliability_curve
    >>> curve = reliability_curve([False, True, True, True], [0.1, 0.6, 0.8, 0.9], n_bins=2)
    >>> curve.counts.tolist(), curve.low.round(2).tolist(), curve.high.round(2).tolist()
    ([1, 3], [0.0, 0.44], [0.79, 1.0])
    """

    predicted: Array
    observed: Array
    low: Array
    high: Array
    counts: Integers
    expected: Array | None = None


def reliability_curve(
    positive: ArrayLike, probability: ArrayLike, n_bins: int = 10, posterior: ArrayLike | None = None
) -> ReliabilityCurve:
    """Return predicted against observed shares, as scikit-learn's `calibration_curve` with ``strategy="uniform"``.

    Parameters
    ----------
    positive : array-like of bool, shape (n,)
        Whether each point is of the class whose probability is given.
    probability : array-like of shape (n,)
        From 0 to 1.
    n_bins : int, default=10
        Number of bins of equal width, at least 1.
    posterior : array-like of shape (n,), optional
        The true probabilities, from 0 to 1, if they are known.

    Returns
    -------
    ReliabilityCurve

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it and what is allowed.
    TypeError
        If `probability` or `posterior` holds an object that is not a number.

    References
    ----------
    DeGroot, Fienberg, "The comparison and evaluation of forecasters", The Statistician 32, 1983.  Wilson, "Probable
    inference, the law of succession, and statistical inference", JASA 22, 1927.

    Examples
    --------
    >>> from solver.inspection.reliability import reliability_curve
    >>> curve = reliability_curve([False, True, False, True], [0.2, 0.4, 0.6, 0.8], n_bins=2)
    >>> curve.predicted.round(1).tolist(), curve.observed.tolist()
    ([0.3, 0.7], [0.5, 0.5])
    """
    truth, n_bins = np.asarray(positive), check_integer("n_bins", n_bins, 1)
    if truth.dtype != np.bool_ or truth.ndim != 1:
        raise ValueError("positive must hold True or False for each point.")
    p = _shares("probability", probability, len(truth))
    of = np.searchsorted(np.linspace(0.0, 1.0, n_bins + 1)[1:-1], p)
    bins, counts = np.unique(of, return_counts=True)

    def means(values: Array) -> Array:
        return np.bincount(of, values, minlength=n_bins)[bins] / counts

    observed = means(truth.astype(np.float64))
    ends = [wilson(hits, count) for hits, count in zip((observed * counts).tolist(), counts.tolist(), strict=True)]
    low, high = np.array(ends).reshape(-1, 2).T
    expected = None if posterior is None else means(_shares("posterior", posterior, len(truth)))
    return ReliabilityCurve(means(p), observed, low, high, counts.astype(np.int64), expected)


def _shares(name: str, values: ArrayLike, n_points: int) -> Array:
    shares = check_numbers(name, values)
    if shares.shape != (n_points,) or not ((shares >= 0.0) & (shares <= 1.0)).all():
        raise ValueError(f"{name} must hold one number from 0 to 1 for each of {n_points} points.")
    return shares


def log_loss(classes: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the mean of ``-log p`` over the points, p the probability of a point's own class.

    Its least mean is reached by the true probabilities.  A probability of 0 counts as the smallest step from 0
    (2.2e-16), as in scikit-learn's `log_loss`.

    Parameters
    ----------
    classes : array-like of int, shape (n,)
        Index of each point's class, at least one point.
    probabilities : array-like of shape (n, n_classes)
        Each row adds up to 1.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it and what is allowed.
    TypeError
        If `probabilities` holds an object that is not a number.

    Examples
    --------
    >>> from solver.inspection.reliability import log_loss
    >>> round(log_loss([0, 1], [[0.5, 0.5], [0.2, 0.8]]), 4)
    0.4581
    """
    index, p = _checked(classes, probabilities)
    own = p[np.arange(len(p)), index]
    return float(-np.log(np.clip(own, np.finfo(np.float64).eps, 1.0)).mean())


def brier_score(classes: ArrayLike, probabilities: ArrayLike) -> float:
    """Return half the mean squared distance of the probabilities from those of certainty about the true class.

    It is from 0 to 1; for two classes it is the mean of ``(p - t)^2``, t being 1 for a point of the class of p, else 0.
    Its least mean is reached by the true probabilities.

    Parameters
    ----------
    classes, probabilities
        As in `log_loss`.

    Raises
    ------
    ValueError, TypeError
        As `log_loss`.

    References
    ----------
    Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78, 1950; half of his.

    Examples
    --------
    >>> from solver.inspection.reliability import brier_score
    >>> round(brier_score([0, 1], [[0.5, 0.5], [0.2, 0.8]]), 3)
    0.145
    """
    index, p = _checked(classes, probabilities)
    return float(0.5 * ((p - np.eye(p.shape[1])[index]) ** 2).sum(axis=1).mean())


def _checked(classes: ArrayLike, probabilities: ArrayLike) -> tuple[Indices, Array]:
    p, index = check_numbers("probabilities", probabilities), np.asarray(classes)
    if p.ndim != 2 or not ((p >= 0.0) & (p <= 1.0)).all() or not (np.abs(p.sum(axis=1) - 1.0) <= ROUNDING).all():
        raise ValueError("probabilities must hold a row for each point, of numbers from 0 to 1 that add up to 1.")
    whole = np.issubdtype(index.dtype, np.integer)
    if index.shape != (len(p),) or not len(p) or not whole or not ((index >= 0) & (index < p.shape[1])).all():
        raise ValueError(
            f"classes must hold an index from 0 to {p.shape[1] - 1} for each of {len(p)} points, at least one."
        )
    return index.astype(np.intp), p
