"""scikit-learn's own checks of an estimator, run on the learners of `solver` through a thin adapter.

`solver` does not depend on scikit-learn, so its learners lack what only scikit-learn's base classes can give: tags, the
checks that know sparse matrices and data frames, and scikit-learn's exceptions.  The adapter adds just these.
A further learner is a further line of `LEARNERS`.
"""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from solver import DualAscentSVC, OnlineSVC, PegasosClassifier, Perceptron

#: Learner -> the parameters it is checked with, and the checks left out with their reasons.
LEARNERS: dict[type, tuple[dict[str, Any], dict[str, str]]] = {
    Perceptron: ({}, {}),
    PegasosClassifier: ({}, {}),
    DualAscentSVC: ({}, {}),
    OnlineSVC: ({}, {}),
}


def adapted(learner: type) -> type:
    """`learner` as a scikit-learn classifier."""

    class Adapter(ClassifierMixin, BaseEstimator, learner):  # type: ignore[misc,valid-type]
        def fit(self, X: Any, y: Any) -> Any:
            X, y = validate_data(self, X, y)
            check_classification_targets(y)
            return super().fit(X, y)

        def _queries(self, X: Any) -> Any:
            check_is_fitted(self)
            return super()._queries(validate_data(self, X, reset=False))

        if hasattr(learner, "partial_fit"):

            def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
                X, y = validate_data(self, X, y, reset=not getattr(self, "_online", []))
                check_classification_targets(y)
                return super().partial_fit(X, y, classes)

    Adapter.__name__ = Adapter.__qualname__ = f"Checked{learner.__name__}"
    globals()[Adapter.__name__] = Adapter  # where pickle looks for it
    return Adapter


def left_out(estimator: Any) -> dict[str, str]:
    """The checks this estimator need not pass."""
    return {name: reasons for kind, (_, out) in LEARNERS.items() if kind in type(estimator).__mro__
            for name, reasons in out.items()}  # fmt: skip


@parametrize_with_checks(
    [adapted(learner)(**parameters) for learner, (parameters, _) in LEARNERS.items()], expected_failed_checks=left_out
)
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_learners_own_protocol(learner: type) -> None:
    model: Any = learner(**LEARNERS[learner][0])
    parameters = model.get_params()
    assert model.set_params(**parameters).get_params() == parameters
    with pytest.raises(ValueError, match="parameter name is 'nonsense'"):
        model.set_params(nonsense=1)
    with pytest.raises(ValueError, match=f"This {learner.__name__} is not fitted yet"):
        model.predict([[0.0, 0.0]])
