"""Estimators: the one that trains a lane by steps, and why some of what a lane can ask for does not exist."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from app.state.document import KnnSettings, Lane, SvmSettings
from solver.core.binary_reduction import PairClassifier

if TYPE_CHECKING:
    from solver import SVC, KNeighborsClassifier

INDEFINITE = "This kernel is not positive semidefinite, so it has no hard margin: choose a finite C."


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
    if lane.learner == "lasvm":
        own: dict[str, Any] = {"selection": s.partner, "n_epochs": s.n_epochs, "finish": s.finish}
        return solver.OnlineSVC(s.C, random_state=0, **_shared(s), **own)
    if lane.learner == "dual-ascent":
        return solver.DualAscentSVC(s.C, fit_intercept=s.fit_intercept, step_size=s.step_size, **_shared(s))
    return svc_of(s)


def svc_of(settings: SvmSettings, **others: Any) -> SVC:
    """`SVC` with the parameters of a lane, and `others`; ValueError with a sentence where that does not exist."""
    if settings.hard_margin and not settings.as_kernel().is_positive_semidefinite:
        raise ValueError(INDEFINITE)
    from solver import SVC

    C = math.inf if settings.hard_margin else settings.C
    return SVC(C, selection=settings.selection, random_state=0, **_shared(settings), **others)


def _shared(settings: SvmSettings) -> dict[str, Any]:
    """What all that train a support vector machine take, but for C."""
    names = ("kernel", "degree", "gamma", "coef0", "tol", "multiclass")
    weights: dict[str, Any] = {"equal": None, "balanced": "balanced", "own": dict(enumerate(settings.own_weights))}
    return {name: getattr(settings, name) for name in names} | {"class_weight": weights[settings.class_weight]}


def neighbors_of(settings: KnnSettings, n: int) -> KNeighborsClassifier:
    """kNN for `n` points with the parameters of a lane: of fewer points than k, all vote."""
    from solver import KNeighborsClassifier

    return KNeighborsClassifier(min(settings.n_neighbors, n), settings.weights, settings.metric, settings.p)


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
        return INDEFINITE
    return ""


def training_key(lane: Lane) -> tuple[Any, ...]:
    """What of `lane` a training depends on: it goes on while this stays the same."""
    if lane.classifier == "perceptron":  # the other orders are trained beside it
        return lane.learner, msgspec.structs.replace(lane.perceptron, orders=0)
    return lane.learner, lane.pegasos if lane.classifier == "pegasos" else lane.svm
