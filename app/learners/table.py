"""The table of learners, by the names that `Lane.classifier` has, and of what trains step by step."""

from __future__ import annotations

from . import pegasos, perceptron, svm
from .base import Learner, Trainer
from .difference import Difference
from .knn import Neighbors

LEARNERS: dict[str, Learner] = {
    "knn": Neighbors(),
    "svm": svm.Machine(),
    "perceptron": perceptron.Mistakes(),
    "pegasos": pegasos.Subgradients(),
    "difference": Difference(),
}
#: By the names that `Lane.learner` has.
TRAINERS: dict[str, Trainer] = svm.TRAINERS | {"perceptron": perceptron.TRAINER, "pegasos": pegasos.TRAINER}
#: Those that train a support vector machine.
SVM_TRAINERS = tuple(svm.TRAINERS)
