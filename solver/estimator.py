"""Estimator: what all learners share, scikit-learn's protocol of parameters, checked queries and the score."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .problem import check_choice, check_numbers, check_points, check_size

Array = NDArray[np.float64]
Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(method: Method) -> Method:
    """`method` of an estimator, such that after an exception every attribute is what it was before."""

    @wraps(method)
    def guarded(self: Any, *arguments: Any, **named: Any) -> Any:
        before = dict(vars(self))
        try:
            return method(self, *arguments, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, guarded)


class NotFittedError(ValueError, AttributeError):
    """A learned attribute or a prediction was asked for before `fit`."""


class Estimator:
    """A learner whose constructor only stores its parameters, under their names.

    Attributes
    ----------
    n_features_in_ : int
        Set by `fit`, as every name that ends in "_".
    """

    n_features_in_: int
    #: Coordinates beyond this would overflow inside the learner.
    _largest_coordinate = 1e140

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters by name; `deep` is for scikit-learn and changes nothing."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; those of the training count from the next `fit` on.

        Raises
        ------
        ValueError
            A name that is no parameter; then nothing is set.
        """
        names = self.get_params()
        for name in params:
            check_choice("parameter name", name, names)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels of the queries `X` (n_queries, n_features), shape (n_queries,)."""
        raise NotImplementedError

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Share of the queries `X` whose predicted label is the one in `y`, weighted by `sample_weight` if given.

        Raises
        ------
        ValueError
            As `predict`, or not one label per query.
        """
        predicted = self.predict(X)
        expected = np.asarray(y)
        if expected.shape != predicted.shape:
            wanted = f"one label for each of the {len(predicted)} queries"
            raise ValueError(f"y must have {wanted}; its shape is {expected.shape}.")
        weights = np.ones(len(predicted)) if sample_weight is None else check_numbers("sample_weight", sample_weight)
        if weights.shape != predicted.shape or not ((weights >= 0) & np.isfinite(weights)).all() or not weights.any():
            raise ValueError("sample_weight must hold one number of at least 0 for each query, not all of them 0.")
        return float(np.average(predicted == expected, weights=weights))

    def _fitted(self) -> Self:
        """This estimator, or NotFittedError."""
        if not hasattr(self, "n_features_in_"):
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit first.")
        return self

    def _queries(self, X: ArrayLike) -> Array:
        """`X` as checked points of the features this estimator was fitted with; every query method begins here."""
        points = check_points(X, n_features=self._fitted().n_features_in_)
        check_size("X", points, self._largest_coordinate)
        return points
