"""Models trained step by step to their end, as in the lanes; `SVC.fit` uses faster algorithms for the same optimum."""

from __future__ import annotations

from typing import Any, TypeVar

from solver.core.binary_reduction import PairClassifier
from solver.core.certificate import Status
from solver.core.multiclass import PairTrainer

Model = TypeVar("Model", bound=PairClassifier)


def run(trainer: PairTrainer[Any]) -> None:
    """Step until every problem has finished."""
    while trainer.status is Status.RUNNING:
        trainer.step(1_000_000)


def stepped(model: Model, X: Any, y: Any) -> Model:
    """Return the `model`, trained by the steps of the trainer that it prepares."""
    trainer = model.prepare(X, y)
    run(trainer)
    return model.adopt(trainer.snapshot())
