"""What is made of scikit-learn's own classes; imported only where scikit-learn is in use already."""

from __future__ import annotations

from typing import Any

from sklearn import exceptions

from . import conventions


class NotFittedError(conventions.NotFittedError, exceptions.NotFittedError):  # type: ignore[misc]  # scikit-learn has no types
    """As `conventions.NotFittedError`, for scikit-learn as well."""


class ConvergenceWarning(conventions.ConvergenceWarning, exceptions.ConvergenceWarning):  # type: ignore[misc]  # scikit-learn has no types
    """As `conventions.ConvergenceWarning`, for scikit-learn as well."""


class DataConversionWarning(conventions.DataConversionWarning, exceptions.DataConversionWarning):  # type: ignore[misc]  # scikit-learn has no types
    """As `conventions.DataConversionWarning`, for scikit-learn as well."""


def tags_of(estimator: Any) -> Any:
    """Tags of a classifier of dense data; "precomputed" wants points in rows and columns."""
    from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags  # since 1.6; the classes above are older

    return Tags(
        estimator_type="classifier",
        target_tags=TargetTags(required=True),
        transformer_tags=None,
        classifier_tags=ClassifierTags(),
        regressor_tags=None,
        input_tags=InputTags(pairwise=getattr(estimator, "kernel", None) == "precomputed"),
    )
