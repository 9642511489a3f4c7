"""Exceptions and tags that are derived from scikit-learn's classes; imported only after scikit-learn itself."""

from __future__ import annotations

from inspect import getattr_static
from typing import Any

from sklearn import exceptions
from sklearn.base import BaseEstimator

from . import conventions


class NotFittedError(conventions.NotFittedError, exceptions.NotFittedError):  # type: ignore[misc]  # scikit-learn has no types
    """As `conventions.NotFittedError`, for scikit-learn as well."""


class ConvergenceWarning(conventions.ConvergenceWarning, exceptions.ConvergenceWarning):  # type: ignore[misc]  # scikit-learn has no types
    """As `conventions.ConvergenceWarning`, for scikit-learn as well."""


class DataConversionWarning(conventions.DataConversionWarning, exceptions.DataConversionWarning):  # type: ignore[misc]  # scikit-learn has no types
    """As `conventions.DataConversionWarning`, for scikit-learn as well."""


def routing_of(estimator: Any, name: str) -> Any:
    """Return a method bound to `estimator` that it would inherit from scikit-learn's base class."""
    kind = type(type(estimator).__name__, (type(estimator), BaseEstimator), {})
    return getattr_static(kind, name).__get__(estimator, kind)


def tags_of(estimator: Any) -> Any:
    """Return the tags of a classifier or sampler; with kernel="precomputed", X is a matrix of pairs of points."""
    from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags  # since 1.6; the classes above are older

    return Tags(
        estimator_type="classifier" if hasattr(estimator, "predict") else "sampler",
        target_tags=TargetTags(required=True),
        transformer_tags=None,
        classifier_tags=ClassifierTags(),
        regressor_tags=None,
        input_tags=InputTags(sparse=True, pairwise=getattr(estimator, "kernel", None) == "precomputed"),
    )
