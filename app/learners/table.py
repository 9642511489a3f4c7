"""Tables of the learners, by the names in `Lane.classifier`, and of their trainers; and the difference of two lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from .base import Learner, Trainer
from .estimators import ESTIMATORS
from .knn import Condensed, Edited, Neighbors
from .online import Mistakes, Subgradients
from .passed import PLACEHOLDERS
from .svm import Machine


class NoSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings without parameters."""


class Difference(Learner[NoSettings]):
    """Where two of the other lanes predict different classes."""

    title = "Difference"
    short = "Difference"
    note = "Where two of the other classifiers predict different classes."
    settings = NoSettings
    compares = True
    has_probability = False

    def formula(self, settings: NoSettings) -> str:
        return "share = places where the two predict different classes / all places in view"

    def remark(self, settings: NoSettings) -> str:
        return (
            "Stripes: the two classes that are predicted there. Solid line: the boundary of the first; dashed: of the"
            " second. Ctrl+7 chooses which two, and lists the points."
        )

    def name(self, settings: NoSettings) -> str:
        return "Difference of two"

    def refusal(self, settings: NoSettings) -> str:
        return "A difference of two classifiers does not learn."


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

#: Trainers of the SVM that the list of classifiers offers beside Pegasos; SMO is that of the entry "SVM".
LISTED_TRAINERS = {name: each for name, each in LEARNERS["svm"].trainers.items() if name != "smo"}


def entries() -> Iterator[tuple[str, str, str, str]]:
    """Yield title, short name, name and note of each entry of the list of classifiers."""
    for name, learner in LEARNERS.items():
        yield learner.title, learner.short, name, learner.note
        if name == "pegasos":
            for trainer, each in LISTED_TRAINERS.items():
                yield f"{each.title} (trains an SVM)", each.title, trainer, each.note
