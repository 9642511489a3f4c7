"""Estimator and Classifier: base classes of samplers and classifiers, with the protocol and the checks of scikit-learn.

`Estimator` does not inherit from scikit-learn's ``BaseEstimator``, also not where scikit-learn is installed.  A base
class has to be imported with the learner: that would add 0.7 s to the 0.13 s of ``from solver import SVC``, for users
of the window as well, who need no scikit-learn; and a base class that depends on what is installed, or imported first,
gives two kinds of learners and of pickles.  What scikit-learn needs of an estimator works without: ``clone``,
``GridSearchCV``, ``Pipeline``, ``is_classifier``, tags (``__sklearn_tags__``, which alone imports scikit-learn) and
its estimator checks; its diagram in notebooks, where scikit-learn has been imported; and the methods of its metadata
routing, such as ``set_fit_request``, which are scikit-learn's own, borrowed when one is called for.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache, wraps
from inspect import signature
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array
from .certificate import Status
from .checks import check_choice, check_n_features, check_numbers, check_points, column, feature_names
from .conventions import ConvergenceWarning, NotFittedError
from .scaler import Scaler
from .scikit_learn import as_scikit_learn, of_scikit_learn

Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(method: Method) -> Method:
    """Decorate a method of an estimator so that an exception leaves every attribute as it was before the call."""

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


@cache
def _parameters(learner: type) -> tuple[str, ...]:
    """Return the parameter names of a learner's constructor; cached, because a drag needs them for every picture."""
    return tuple(signature(learner).parameters)


class Estimator:
    """A learner whose constructor only stores its parameters, under their names.

    Attributes
    ----------
    n_features_in_ : int
        Number of features seen in `fit`.  Attributes that end in "_" are set by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` was given a data frame whose column names are strings; queries in a data frame
        must have the same names in the same order.
    """

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    #: Coordinates beyond this would overflow inside the learner.
    _largest_coordinate = 1e140
    #: Transformation of training points and queries; None if there is none.
    scaler: Scaler | None = None
    #: Whether each training fits a scaler first.
    _standardises = False

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters by name; `deep` has no effect and is there for scikit-learn."""
        return {name: getattr(self, name) for name in _parameters(type(self))}  # type: ignore[arg-type]  # classes are hashable

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; parameters of the training take effect at the next `fit`.

        Raises
        ------
        ValueError
            If a name is not a parameter; nothing is set then.
        """
        names = self.get_params()
        for name in params:
            check_choice("parameter name", name, names)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags; only scikit-learn calls this."""
        from ._scikit import tags_of

        return tags_of(self)

    def __getattr__(self, name: str) -> Any:
        """Return a method of scikit-learn's metadata routing; every other attribute that is missing here is missing."""
        if "_request" not in name and "_metadata_" not in name:
            return object.__getattribute__(self, name)  # raises again, in the words of a property if it is one
        from ._scikit import routing_of

        return routing_of(self, name)

    def _repr_html_(self) -> str | None:
        """Return scikit-learn's diagram for a notebook; None, so that the text is shown, where it was not imported."""
        return of_scikit_learn("utils", "estimator_html_repr")(self) if "sklearn" in sys.modules else None

    def __repr__(self) -> str:
        """Return the constructor call, as scikit-learn does: with the parameters that differ from the defaults."""
        defaults = type(self)().get_params(deep=False)
        changed = (f"{k}={v!r}" for k, v in self.get_params(deep=False).items() if repr(v) != repr(defaults[k]))
        return f"{type(self).__name__}({', '.join(changed)})"

    def _fitted(self) -> Self:
        """Return this estimator, or raise NotFittedError."""
        if not hasattr(self, "n_features_in_"):
            kind = as_scikit_learn(NotFittedError)
            raise kind(f"This {type(self).__name__} is not fitted yet; call fit first.")
        return self

    def _queries(self, X: ArrayLike) -> Array:
        """Return `X` as checked points with the features seen in `fit`; every query method begins here."""
        self._fitted()._check_names(X)
        points = np.ascontiguousarray(check_points(X, self._largest_coordinate, copy=False))
        return self.scaled(check_n_features(self, points, self.n_features_in_))

    def standardised(self) -> Self:
        """Return this estimator, which from now on is the pipeline of a `Scaler` and itself.

        Each training fits the scaler on its points; queries and grids are in the units of the data.
        """
        self._standardises = True
        return self

    def scaled(self, points: Array) -> Array:
        """Return `points`, shape (n, n_features), as the learner gets them: standardised if it has a `scaler`."""
        return points if self.scaler is None else self.scaler.transform(points)

    def _scaled_to_learn(self, points: Array) -> Array:
        """Return training points as the learner gets them, with a new `scaler` where it standardises."""
        if self._standardises:
            self.scaler = Scaler.of(points)
        return self.scaled(points)

    def _learned_from(self, X: ArrayLike) -> Self:
        """Return this estimator with the feature names of `X`, which `fit` has just used, if it has names."""
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _check_names(self, X: ArrayLike) -> None:
        """Raise ValueError if the features of `X` have other names than those in `fit`, or another order."""
        learned, names = getattr(self, "feature_names_in_", None), feature_names(X)
        if learned is None or names is None:
            learner = type(self).__name__
            if names is not None:
                warnings.warn(f"X has feature names, but {learner} was fitted without feature names", stacklevel=4)
            elif learned is not None:
                lacking = f"X does not have valid feature names, but {learner} was fitted with feature names"
                warnings.warn(lacking, stacklevel=4)
        elif not np.array_equal(learned, names):
            raise ValueError(_other_names(learned, names))

    def _warn_unless_converged(self, certificates: Sequence[Any], limit: str | None = None) -> None:
        """Warn the caller of `fit` (ConvergenceWarning) if `max_iter`, `limit` or double precision ended it."""
        ended = [certificate.status for certificate in certificates]
        learner = type(self).__name__
        if Status.STOPPED_EARLY in ended:
            limit = limit or f"max_iter={self.get_params()['max_iter']}; allow more, or scale the data"
            words = f"{learner} did not converge within {limit.removesuffix('.')}."
        elif Status.PRECISION in ended:
            words = f"{learner} did not converge: double precision does not reach tol here; scale the data, or lower C."
        else:
            return
        warnings.warn(words, as_scikit_learn(ConvergenceWarning), stacklevel=3)


class Classifier(Estimator):
    """A learner that predicts labels."""

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels predicted for the queries `X` (n_queries, n_features), shape (n_queries,)."""
        raise NotImplementedError

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy on the queries `X`: the share whose predicted label is the one in `y`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        y : array-like of shape (n_queries,)
            True labels.
        sample_weight : array-like of shape (n_queries,), optional
            Weight of each query, at least 0 and not all 0.  Default: all weigh the same.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        ValueError
            As `predict`, or if `y` or `sample_weight` does not have one entry for each query.
        TypeError
            As `predict`.
        """
        predicted = self.predict(X)
        expected = column(y)
        if expected.shape != predicted.shape:
            wanted = f"one label for each of the {len(predicted)} queries"
            raise ValueError(f"y must have {wanted}; its shape is {expected.shape}.")
        weights = np.ones(len(predicted)) if sample_weight is None else check_numbers("sample_weight", sample_weight)
        if weights.shape != predicted.shape or not ((weights >= 0) & np.isfinite(weights)).all() or not weights.any():
            raise ValueError("sample_weight must hold one number of at least 0 for each query, not all of them 0.")
        return float(np.average(predicted == expected, weights=weights))


def _other_names(learned: NDArray[np.object_], names: NDArray[np.object_]) -> str:
    """Return, in scikit-learn's words, how `names` differ from those `learned` in `fit`."""
    lines = ["The feature names should match those that were passed during fit."]
    for title, unexpected in (
        ("Feature names unseen at fit time:", sorted(set(names) - set(learned))),
        ("Feature names seen at fit time, yet now missing:", sorted(set(learned) - set(names))),
    ):
        if unexpected:
            lines += [title, *(f"- {name}" for name in unexpected[:5]), *(["- ..."] if len(unexpected) > 5 else [])]
    if len(lines) == 1:
        lines.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(lines) + "\n"
