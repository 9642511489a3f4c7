"""Estimators: what trains a lane by steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import LaneSettings

if TYPE_CHECKING:
    from solver.core.binary_reduction import PairClassifier


def estimator_of(lane: LaneSettings[Any]) -> PairClassifier:
    """What trains `lane`, with `prepare` and `snapshot_model`; ValueError with a sentence where that does not exist."""
    sentence = lane.family.refusal(lane)
    if sentence:
        raise ValueError(sentence)
    return lane.family.estimator(lane)


def training_key(lane: LaneSettings[Any]) -> tuple[str, Any]:
    """What of `lane` its model depends on: a training goes on while this stays the same."""
    return lane.classifier, lane.family.training_key(lane)
