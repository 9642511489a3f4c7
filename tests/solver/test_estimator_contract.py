"""The learners keep scikit-learn's contract of estimators: its own checks, run on thin adapters."""

from __future__ import annotations

from functools import wraps
from typing import Any, Self

import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from solver import SVC, DualAscentSVC, KNeighborsClassifier, OnlineSVC, PegasosClassifier, Perceptron
from solver.estimator import Estimator

#: Each learner, in the settings it is checked with.
LEARNERS: list[Estimator] = [
    KNeighborsClassifier(),
    SVC(),
    SVC(tol=1e-10, gamma="auto"),
    SVC(multiclass="one-vs-rest", tol=1e-10, gamma=0.1),
    SVC(kernel="precomputed", tol=1e-10),
    Perceptron(),
    PegasosClassifier(),
    DualAscentSVC(),
    OnlineSVC(),
]
#: Checks left out, with the reason, by the learner as it is printed.
LEFT_OUT: dict[str, dict[str, str]] = {
    "SVC()": {
        "check_sample_weight_equivalence_on_dense_data": "It compares to 1e-7 what is solved to tol=1e-3, and"
        " gamma='scale' counts points, not weights, as scikit-learn's own SVC does; the settings below pass.",
    },
}


def adapted(learner: type[Estimator]) -> type[BaseEstimator]:
    """`learner` with scikit-learn's own checks of data in front of it."""

    class Adapter(ClassifierMixin, BaseEstimator, learner):  # type: ignore[misc, valid-type]
        @wraps(learner.fit)  # type: ignore[attr-defined]  # the signature says whether there are sample weights
        def fit(self, X: Any, y: Any, **weights: Any) -> Self:
            X, y = validate_data(self, X, y)
            check_classification_targets(y)
            return super().fit(X, y, **weights)

        def _queries(self, X: Any) -> Any:
            check_is_fitted(self)
            return super()._queries(validate_data(self, X, reset=False))

        if hasattr(learner, "partial_fit"):

            def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
                X, y = validate_data(self, X, y, reset=not hasattr(self, "n_samples_seen_"))
                check_classification_targets(y)
                return super().partial_fit(X, y, classes)

        def __sklearn_tags__(self) -> Tags:
            tags = super().__sklearn_tags__()
            tags.input_tags.pairwise = getattr(self, "kernel", "") == "precomputed"
            return tags

    Adapter.__name__ = Adapter.__qualname__ = f"Checked{learner.__name__}"
    globals()[Adapter.__name__] = Adapter  # where pickle looks for it
    return Adapter


ADAPTERS = {learner: adapted(learner) for learner in {type(each): None for each in LEARNERS}}
ESTIMATORS = [ADAPTERS[type(each)](**each.get_params()) for each in LEARNERS]


@parametrize_with_checks(
    ESTIMATORS,
    expected_failed_checks=lambda estimator: LEFT_OUT.get(repr(estimator).removeprefix("Checked"), {}),
)
def test_scikit_learn_finds_nothing_to_say(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def test_what_is_left_out_exists() -> None:
    names = {repr(estimator).removeprefix("Checked") for estimator in ESTIMATORS}
    assert LEFT_OUT.keys() <= names
    with pytest.raises(ValueError):
        ESTIMATORS[0].fit([[0.0]], [0.5])  # the adapter checks
