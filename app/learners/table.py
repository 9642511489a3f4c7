"""The table of learners, by the names that `Lane.classifier` has, and of what trains step by step."""

from __future__ import annotations

from typing import Any

from .base import Learner, Trainer
from .difference import Difference
from .estimators import ESTIMATORS
from .knn import Neighbors
from .passed import PLACEHOLDERS
from .pegasos import Subgradients
from .perceptron import Mistakes
from .reduction import Condensed, Edited
from .svm import Machine

LEARNERS: dict[str, Learner[Any]] = {
    "knn": Neighbors(),
    "svm": Machine(),
    "perceptron": Mistakes(),
    "pegasos": Subgradients(),
    "condensed_knn": Condensed(),
    "edited_knn": Edited(),
    **ESTIMATORS,
    "difference": Difference(),
    **PLACEHOLDERS,
}
#: By the names that `Lane.learner` has.
TRAINERS: dict[str, Trainer] = {name: trainer for each in LEARNERS.values() for name, trainer in each.trainers.items()}
