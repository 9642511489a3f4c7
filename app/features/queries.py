"""Queries: the table of features that ask the background something."""

from __future__ import annotations

from collections.abc import Callable

from app.engine.query import Query
from app.features.difference import scene as difference
from app.features.evaluation import scene as evaluation
from app.features.ground_truth import scene as ground_truth
from app.features.probe import scene as probe
from app.features.validation_curves import scene as validation_curves
from app.features.what_if import scene as what_if
from app.scene.context import Context

#: Each gives its questions of this moment by name; those that are not given any more are dropped.
FEATURES: tuple[Callable[[Context], dict[str, Query]], ...] = (
    probe.queries,
    difference.queries,
    ground_truth.queries,
    validation_curves.queries,
    what_if.queries,
    evaluation.queries,
)


def queries(context: Context) -> dict[str, Query]:
    """All questions of this moment."""
    return {name: query for feature in FEATURES for name, query in feature(context).items()}
