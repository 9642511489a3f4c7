"""Queries about the probabilities of models, against scikit-learn and the densities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from app.engine.fitting import fitted
from app.engine.pacing import Pace
from app.engine.probability import N_FOLDS, TOO_FEW
from app.features.reliability.scene import (
    FRESH,
    SEED,
    ErrorMap,
    ErrorMapQuery,
    Reliability,
    ReliabilityQuery,
    reliability_of,
)
from app.state.document import GeneratorSettings, KnnSettings, Lane, SvmSettings
from app.state.law import law_of
from app.state.split import folds_of
from solver import SVC, CalibratedSVC, Grid
from solver.data.distribution import Law

MOONS = GeneratorSettings("moons", count=60, noise=0.3)
BLOBS = GeneratorSettings("blobs", count=40, noise=0.9, n_classes=3)
SVM, KNN = Lane("svm", svm=SvmSettings(gamma=1.0, tol=1e-6)), Lane("knn", knn=KnnSettings(n_neighbors=15))


def run(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def asked(lane: Lane, made: GeneratorSettings, of: Any = None) -> tuple[Reliability, Any]:
    points, law, found = made.points(), law_of(made), list[Reliability]()
    model = run(fitted(lane, points, Pace())).model
    query = ReliabilityQuery(0, model, lane, points, law if of is None else of, law)
    run(query.answer(found.append, lambda: False))
    (value,) = found
    return value, model


@pytest.mark.parametrize("lane", [SVM, KNN], ids=["svm", "knn"])
@pytest.mark.parametrize("made", [MOONS, BLOBS], ids=["two", "three"])
def test_numbers_are_those_of_scikit_learn_at_the_same_points(lane: Lane, made: GeneratorSettings) -> None:
    value, model = asked(lane, made)
    law, points = law_of(made), made.points()
    assert law is not None
    xy, labels = law.draw(FRESH, SEED)
    p = model.predict_proba(xy) if lane is KNN else of_the_library(points).predict_proba(xy)
    kinds = list(range(made.n_classes))
    assert value.n_points == FRESH == len(xy)
    assert value.log_loss == pytest.approx(log_loss(labels, p, labels=kinds), rel=1e-4)
    assert value.brier_score == pytest.approx(brier_score_loss(labels, p, labels=kinds, scale_by_half=True), rel=1e-4)
    truth = law.posterior(xy)
    assert value.ideal is not None and value.ideal[0] == pytest.approx(log_loss(labels, truth), rel=1e-9)
    assert value.ideal[0] < value.log_loss and value.ideal[1] < value.brier_score
    curve = value.curve
    assert curve.expected is not None and curve.counts.sum() == FRESH
    assert value.label == (1 if made.n_classes == 2 else None)
    chosen = np.full(len(p), 1) if made.n_classes == 2 else p.argmax(axis=1)
    assert (curve.expected * curve.counts).sum() / FRESH == pytest.approx(
        truth[np.arange(FRESH), chosen].mean(), abs=2e-3
    )
    assert (np.abs(curve.observed - curve.expected) < 4 * np.sqrt(0.25 / curve.counts)).all()


def of_the_library(points: Any) -> CalibratedSVC:
    fold = folds_of(points, N_FOLDS, 0)
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(N_FOLDS)]
    return CalibratedSVC(SVC(gamma=1.0, tol=1e-6), cv=folds).fit(points.xy, points.labels)


def test_test_points_replace_new_ones() -> None:
    test = GeneratorSettings("moons", count=30, noise=0.3, seed=8).points()
    value, _ = asked(KNN, MOONS, of=test)
    assert value.n_points == 60 and value.ideal is not None


def test_a_class_that_was_not_trained_on_has_probability_0() -> None:
    p = np.array([[0.4, 0.6], [0.9, 0.1]])
    value = reliability_of(p, np.array([0, 2]), np.array([2, 1]), None)
    assert value.label == 2 and value.ideal is None
    assert value.log_loss == pytest.approx(-(np.log(0.6) + np.log(np.finfo(float).eps)) / 2)
    assert value.brier_score == pytest.approx((0.4**2 + (0.9**2 + 0.1**2 + 1) / 2) / 2)


def test_without_noise_there_are_no_true_probabilities() -> None:
    value, _ = asked(KNN, GeneratorSettings("moons", count=30, noise=0.0))
    assert value.ideal is None and value.curve.expected is None


def test_a_missing_probability_is_reported_in_a_sentence() -> None:
    few = GeneratorSettings("blobs", count=1, noise=0.1, n_classes=2)
    with pytest.raises(ValueError, match=TOO_FEW[:30]):
        asked(SVM, few)
    points = MOONS.points()
    model = run(fitted(KNN, points, Pace())).model
    with pytest.raises(ValueError, match="has no probabilities"):
        run(ReliabilityQuery(0, model, Lane("python_object"), points, points, None).answer(print, lambda: False))


def mapped(lane: Lane, made: GeneratorSettings, grid: Grid) -> tuple[ErrorMap, Any, Law, Any]:
    """Return the map, the model, the law and the pixels' locations."""
    points, law, found = made.points(), law_of(made), list[ErrorMap]()
    assert law is not None
    model = run(fitted(lane, points, Pace())).model
    run(ErrorMapQuery(0, model, lane, points, law, grid).answer(found.append, lambda: False))
    (value,) = found
    return value, model, law, np.array([(x, y) for y in grid.ys for x in grid.xs])


@pytest.mark.parametrize("lane", [SVM, KNN], ids=["svm", "knn"])
def test_the_map_is_predicted_minus_true_at_a_thousand_locations(lane: Lane) -> None:
    """For blobs, whose densities are written out here: Gaussian about points of a circle."""
    value, model, law, xy = mapped(lane, BLOBS, Grid(-3.0, 3.0, -2.0, 2.5, 40, 30))
    many = law.draw(300_000, 5)
    centres = np.array([many[0][many[1] == c].mean(axis=0) for c in range(3)])
    assert np.hypot(*centres.T) == pytest.approx(1.0, abs=0.02)
    angles = np.arctan2(*centres.T[::-1])
    exact = np.column_stack((np.cos(angles), np.sin(angles)))
    density = np.exp(-((xy[:, None] - exact) ** 2).sum(axis=2) / (2 * BLOBS.noise**2))
    truth = density / density.sum(axis=1, keepdims=True)
    p = model.predict_proba(xy) if lane is KNN else of_the_library(BLOBS.points()).predict_proba(xy)
    top = p.argmax(axis=1)
    expected = p[np.arange(len(xy)), top] - truth[np.arange(len(xy)), top]
    assert value.label is None and value.error.shape == (30, 40) and len(xy) >= 1000
    # Where two classes are equally probable, within the precision of the training, either is right.
    sure = np.diff(np.sort(p, axis=1)[:, -2:], axis=1)[:, 0] > 1e-4 if lane is SVM else np.ones(len(xy), bool)
    assert sure.mean() > 0.99 and np.ptp(expected) > 0.2
    assert value.error.ravel()[sure] == pytest.approx(expected[sure], abs=5e-3)


def test_the_map_of_two_classes_is_of_the_second_and_empty_where_no_class_has_points() -> None:
    made = GeneratorSettings("xor", count=30, noise=0.02)
    value, model, law, xy = mapped(KNN, made, Grid(-3.0, 3.0, -3.0, 3.0, 12, 12))
    truth = np.exp(law.log_density(xy))
    there = truth.sum(axis=1) > 0
    assert value.label == 1 and 0 < there.sum() < 144 and (np.isfinite(value.error.ravel()) == there).all()
    expected = model.predict_proba(xy)[there, 1] - truth[there, 1] / truth[there].sum(axis=1)
    assert value.error.ravel()[there] == pytest.approx(expected, abs=1e-9) and len(value.boundary)
