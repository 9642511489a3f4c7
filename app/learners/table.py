"""Tables of the learners, by the names in `Lane.classifier`, and of their trainers."""

from __future__ import annotations

from typing import Any

from .base import Learner, Trainer
from .difference import Difference
from .estimators import ESTIMATORS
from .knn import Condensed, Edited, Neighbors
from .online import Mistakes, Subgradients
from .passed import PLACEHOLDERS
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
#: Trainers, by the names in `Lane.learner`.
TRAINERS: dict[str, Trainer] = {name: trainer for each in LEARNERS.values() for name, trainer in each.trainers.items()}
