"""Reliability: bins, losses and intervals against scikit-learn, and the intervals by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve

from solver.data.distribution import Law
from solver.inspection.reliability import brier_score, log_loss, reliability_curve


def drawn(n: int, seed: int = 0, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return classes and probabilities that are wrong by some amount; a few are 0 and 1."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.7), n)
    p[: n // 20] = np.eye(k)[rng.integers(0, k, n // 20)]
    return (p.cumsum(axis=1) ** 1.3 > rng.uniform(0, 1, (n, 1))).argmax(axis=1), p


@pytest.mark.parametrize("n_bins", [1, 2, 5, 10, 33])
@pytest.mark.parametrize("n", [1, 7, 2000])
def test_bins_are_those_of_scikit_learn(n: int, n_bins: int) -> None:
    y, p = drawn(n)
    p[: n // 4, 1] = np.round(p[: n // 4, 1] * n_bins) / n_bins  # on the edges
    found = reliability_curve(y == 1, p[:, 1], n_bins, posterior=p[:, 1] / 2)
    if len(np.unique(y)) == 2:  # else scikit-learn refuses
        observed, predicted = calibration_curve(y, p[:, 1], n_bins=n_bins)
        assert found.observed == pytest.approx(observed) and found.predicted == pytest.approx(predicted)
    assert found.counts.sum() == n and (found.counts > 0).all()
    assert found.expected == pytest.approx(found.predicted / 2)
    assert ((found.low <= found.observed) & (found.observed <= found.high)).all()


@pytest.mark.parametrize("k", [2, 3, 8])
def test_losses_are_those_of_scikit_learn(k: int) -> None:
    y, p = drawn(500, k, k)
    labels = list(range(k))
    assert log_loss(y, p) == pytest.approx(metrics.log_loss(y, p, labels=labels), rel=1e-12)
    theirs = metrics.brier_score_loss(y, p, labels=labels, scale_by_half=True)
    assert brier_score(y, p) == pytest.approx(theirs, rel=1e-12)


def test_the_intervals_hold_the_true_share_in_95_of_100_cases() -> None:
    """Draw labels again and again with known probabilities: the mean of these in each bin is what the bar estimates.

    Within a bin they differ, so that the count varies less than a binomial one: bars may be too wide, never too narrow.
    """
    rng = np.random.default_rng(5)
    p = rng.beta(0.8, 0.8, 600)
    held = np.zeros(10)
    for _ in range(1000):
        curve = reliability_curve(rng.uniform(size=len(p)) < p, p, posterior=p)
        assert curve.expected is not None and len(curve.counts) == 10
        held += (curve.low <= curve.expected) & (curve.expected <= curve.high)
    coverage = held / 1000
    assert coverage.min() > 0.93 and 0.945 < coverage.mean() < 0.985, coverage


@pytest.mark.parametrize("name", ["moons", "blobs", "circle"])
def test_the_true_probabilities_have_the_least_losses(name: str) -> None:
    law = Law(name, noise=0.3)
    X, y = law.draw(20_000, 3)
    truth = law.posterior(X)
    curve = reliability_curve(y == 1, truth[:, 1], posterior=truth[:, 1])
    off = (curve.predicted < curve.low) | (curve.predicted > curve.high)
    assert off.sum() <= 2  # of ten intervals of 95 %
    for power in (0.5, 2.0):  # underconfident, overconfident
        other = truth**power / (truth**power).sum(axis=1, keepdims=True)
        assert log_loss(y, other) > log_loss(y, truth) and brier_score(y, other) > brier_score(y, truth)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: reliability_curve([0, 1], [0.5, 0.5]), "positive must hold True or False for each point."),
        (
            lambda: reliability_curve([True], [1.5]),
            "probability must hold one number from 0 to 1 for each of 1 points.",
        ),
        (lambda: reliability_curve([True], [np.nan]), "probability must hold one number from 0 to 1"),
        (lambda: reliability_curve([True], [0.5], posterior=[]), "posterior must hold one number from 0 to 1"),
        (lambda: reliability_curve([True], [0.5], 0), "n_bins"),
        (lambda: log_loss([0], [[0.7, 0.7]]), "probabilities must hold a row for each point"),
        (lambda: log_loss([2], [[0.5, 0.5]]), "classes must hold an index from 0 to 1 for each of 1 points"),
        (lambda: brier_score([], np.empty((0, 2))), "classes must hold an index"),
        (lambda: brier_score([0.0], [[0.5, 0.5]]), "classes must hold an index"),
    ],
)
def test_invalid_arguments_are_reported(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()
