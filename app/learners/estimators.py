"""Estimators: the one that trains a lane by steps, and why some of what a lane can ask for does not exist."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from app.state.document import Lane, SvmSettings
from solver.core.binary_reduction import PairClassifier


def estimator_of(lane: Lane) -> PairClassifier:
    """What trains `lane`, with `prepare` and `snapshot_model`; ValueError with a sentence where that does not exist."""
    sentence = refusal(lane)
    if sentence:
        raise ValueError(sentence)
    # Fetched one by one: the window starts without those that no lane uses.
    import solver

    s = lane.svm
    if lane.learner == "perceptron":
        p = lane.perceptron
        return solver.Perceptron(p.fit_intercept, p.max_iter, p.shuffle, p.random_state)
    if lane.learner == "pegasos":
        g = lane.pegasos
        return solver.PegasosClassifier(g.lam, g.n_iter, random_state=g.random_state)
    weights = class_weight(s)
    if lane.learner == "lasvm":
        return solver.OnlineSVC(
            s.C,
            s.kernel,
            s.degree,
            s.gamma,
            s.coef0,
            s.tol,
            s.partner,
            s.n_epochs,
            s.finish,
            random_state=0,
            multiclass=s.multiclass,
            class_weight=weights,
        )
    if lane.learner == "dual-ascent":
        return solver.DualAscentSVC(
            s.C,
            s.kernel,
            s.degree,
            s.gamma,
            s.coef0,
            s.fit_intercept,
            s.tol,
            step_size=s.step_size,
            multiclass=s.multiclass,
            class_weight=weights,
        )
    return solver.SVC(
        math.inf if s.hard_margin else s.C,
        s.kernel,
        s.degree,
        s.gamma,
        s.coef0,
        s.tol,
        -1,
        s.selection,
        0,
        class_weight=weights,
        multiclass=s.multiclass,
    )


def refusal(lane: Lane) -> str:
    """Why what the lane asks for does not exist, in one sentence; "" when it does."""
    trainer = lane.trainer
    if lane.is_difference:
        return "A difference of two classifiers does not learn."
    if trainer is None:
        return "kNN does not train: it looks at the points themselves."
    if lane.classifier != "svm" or not lane.svm.hard_margin:
        return ""
    if not trainer.allows_hard_margin:
        return f"{trainer.title} needs a box, 0 ≤ α ≤ C, so it has no hard margin: choose a finite C, or SMO."
    if not lane.svm.as_kernel().is_positive_semidefinite:
        return "This kernel is not positive semidefinite, so it has no hard margin: choose a finite C."
    return ""


def training_key(lane: Lane) -> tuple[Any, ...]:
    """What of `lane` a training depends on: it goes on while this stays the same."""
    if lane.classifier == "perceptron":  # the other orders are trained beside it
        return lane.learner, msgspec.structs.replace(lane.perceptron, orders=0)
    return lane.learner, lane.pegasos if lane.classifier == "pegasos" else lane.svm


def class_weight(settings: SvmSettings) -> dict[int, float] | str | None:
    """The class weights as SVC takes them."""
    if settings.class_weight == "own":
        return dict(enumerate(settings.own_weights))
    return "balanced" if settings.class_weight == "balanced" else None
