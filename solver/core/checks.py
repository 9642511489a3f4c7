"""Checks of training data and parameters, with an error message in one plain sentence."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, Indices
from .conventions import DataConversionWarning
from .scikit_learn import as_scikit_learn

#: Largest number of entries, zeros included, of a sparse X that is made dense: 400 MB.
DENSE = 50_000_000


def check_numbers(name: str, values: Any, copy: bool = True) -> Array:
    """Return `values` as float64, of any shape; without `copy` possibly the given array, which must stay unchanged.

    Only a copy is known to have the order of C.

    Raises
    ------
    ValueError
        If `values` are not real numbers.
    TypeError
        If `values` are sparse, or hold an object that is neither a number nor a text.
    """
    check_dense(name, values)
    try:
        given = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must hold numbers only.") from None
    if given.dtype.kind == "c":  # numpy would drop the imaginary parts with no more than a warning
        raise ValueError(f"Complex data not supported: {name} must hold real numbers only.")
    try:
        return np.array(given, dtype=np.float64, order="C" if copy else "K", copy=True if copy else None)
    except TypeError as error:  # scikit-learn's class and words
        raise TypeError(f"{name} must hold numbers only: {error}.") from None
    except (ValueError, OverflowError):
        raise ValueError(f"{name} must hold numbers only.") from None


def check_dense(name: str, values: Any, largest: int = 0) -> Any:
    """Return `values`, those of a sparse matrix or array of scipy as a dense one of at most `largest` entries.

    Raises
    ------
    TypeError
        In scikit-learn's words, if they are sparse and larger.
    """
    if not (hasattr(values, "toarray") and hasattr(values, "nnz")):
        return values
    if math.prod(values.shape) <= largest:
        return values.toarray()
    raise TypeError(
        f"Sparse data was passed for {name}, but dense data is required."
        f" Use '.toarray()' to convert to a dense numpy array."
        + (f" (Up to {largest:,} entries this is done by itself.)" if largest else "")
    )


def check_points(X: ArrayLike, largest: float = np.inf, *, copy: bool = True) -> Array:
    """Return `X` as a finite float64 array of shape (n, d), n >= 1, d >= 1; also if it is sparse, up to `DENSE`.

    `largest` is the limit of `check_size`; `copy` and the errors are those of `check_numbers`.
    """
    feature_names(X)  # bad names are refused before the training
    points = check_numbers("X", check_dense("X", X, DENSE), copy)
    if points.ndim != 2:
        raise ValueError(
            f"X: Expected 2D array, got {points.ndim}D array instead. Reshape your data, as by X.reshape(1, -1)."
        )
    if 0 in points.shape:
        what = "sample" if len(points) == 0 else "feature"
        raise ValueError(f"X has 0 {what}(s) (shape={points.shape}) while a minimum of 1 is required.")
    low, high = float(points.min()), float(points.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise ValueError(f"X holds a value that is not finite (NaN or infinity), first in row {row}.")
    if max(high, -low) > largest:
        check_size("X", points, largest)
    return points


def feature_names(X: Any) -> NDArray[np.object_] | None:
    """Return the column names of a data frame, of any package, if they are strings; else None.

    Raises
    ------
    TypeError
        If some of them are strings, and some are not.
    """
    columns = getattr(X, "columns", None)
    if columns is None or callable(columns):
        return None
    names = np.empty(len(columns), dtype=object)
    names[:] = list(columns)
    texts = [isinstance(name, str) for name in names]
    if any(texts) and not all(texts):
        raise TypeError("Feature names are only supported if all input features have string names; X mixes them.")
    return names if any(texts) else None


def check_n_features(learner: object, points: Array, expected: int) -> Array:
    """Return `points`; ValueError if they do not have the number of features that `learner` was fitted with."""
    if points.shape[1] != expected:
        name = type(learner).__name__
        raise ValueError(f"X has {points.shape[1]} features, but {name} is expecting {expected} features as input.")
    return points


def check_labels(y: ArrayLike, n_points: int) -> tuple[NDArray[Any], Indices]:
    """Return sorted classes and the class index of each point; ValueError if `y` is not valid for `n_points`."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None.")
    labels = column(y)
    if labels.ndim != 1 or len(labels) != n_points:
        raise ValueError(f"y must have one label for each of the {n_points} points; its shape is {labels.shape}.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("y holds a label that is not finite (NaN or infinity).")
    if labels.dtype.kind == "O" and any(label != label for label in labels):
        raise ValueError("y holds a label that is not finite (NaN or infinity).")
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError("y mixes labels that cannot be put in order; use numbers only or texts only.") from None
    if labels.dtype.kind == "f" and (classes != np.floor(classes)).any():
        first = classes[classes != np.floor(classes)][0]
        raise ValueError(f"y is continuous: it holds {first:g}; labels must be whole numbers, or texts.")
    return classes, codes


def column(y: ArrayLike) -> NDArray[Any]:
    """Return `y` as an array; a table of one column as a vector, with a DataConversionWarning."""
    check_dense("y", y)
    try:
        labels = np.asarray(y)
    except ValueError:
        raise ValueError("y must be a list of labels; it is a ragged table.") from None
    if labels.ndim == 2 and labels.shape[1] == 1:
        message = "A column-vector y was passed when a 1d array was expected; y.ravel() makes one of it."
        warnings.warn(message, as_scikit_learn(DataConversionWarning), stacklevel=2)
        return labels[:, 0]
    return labels


def check_seed(random_state: Any) -> int:
    """Return the seed for `random_state`: 0 for None, the next random number of a `RandomState`."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return check_integer("random_state", 0 if random_state is None else random_state, 0)


def check_axis(name: str, values: ArrayLike, n_features: int, largest: float = np.inf) -> Array:
    """Return columns or rows of a grid as a finite one-dimensional array.

    `n_features` is that of the model, which must be 2; `largest` is the limit of `check_size`.
    """
    if n_features != 2:
        raise ValueError(f"A surface needs a model of 2 features; this one was fitted with {n_features}.")
    axis = check_numbers(name, values)
    if axis.ndim != 1 or not np.isfinite(axis).all():
        raise ValueError(f"{name} must be a one-dimensional array of finite numbers.")
    check_size(name, axis, largest)
    return axis


def check_size(name: str, values: Array, limit: float) -> None:
    """Raise ValueError if a coordinate lies outside [-limit, limit], where products of coordinates may overflow."""
    if values.size and max(values.max(), -values.min()) > limit:  # without an array of absolute values
        worst = values.flat[np.abs(values).argmax()]
        raise ValueError(f"{name} holds the value {worst:g}; coordinates must lie in [-{limit:g}, {limit:g}].")


def check_number(
    name: str, value: Any, low: float, high: float = np.inf, *, open_low: bool = False, open_high: bool = False
) -> float:
    """Return `value` as a float in [low, high]; ValueError with name, value and allowed range otherwise."""
    inside = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if inside:
        inside = (value > low if open_low else value >= low) and (value < high if open_high else value <= high)
    try:
        number = float(value) if inside else np.nan
    except OverflowError:  # a whole number beyond 1e308
        number = np.nan
    if np.isnan(number):
        left, right = "(" if open_low else "[", ")" if open_high else "]"
        raise ValueError(f"{name} is {value!r}; it must be a number in {left}{low:g}, {high:g}{right}.")
    return number


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` as an int in [low, high]; ValueError with name, value and allowed range otherwise."""
    inside = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not inside or value < low or (high is not None and value > high):
        allowed = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} is {value!r}; it must be a whole number {allowed}.")
    return int(value)


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False; ValueError with name and value otherwise."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; it must be True or False.")
    return bool(value)


def check_choice(name: str, value: Any, choices: Iterable[str], instead: str = "") -> str:
    """Return `value` if it is one of `choices`; ValueError with name, value and choices otherwise.

    The sentence `instead` is added for a function, and for "precomputed".
    """
    allowed = list(choices)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(
            f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}."
            + instead * (callable(value) or str(value) == "precomputed")
        )
    return value


def check_signs(y: ArrayLike, n_points: int, *, both: bool = True) -> Array:
    """Return the labels -1 and +1 of a binary problem as floats, shape (n_points,); ValueError otherwise.

    Parameters
    ----------
    both : bool, default=True
        Whether both labels must occur.
    """
    signs = check_numbers("y", y)
    wrong = signs.shape != (n_points,) or not (np.abs(signs) == 1.0).all()
    if wrong or (both and abs(signs.sum()) == n_points):
        raise ValueError(f"y must hold -1 and +1, {'both present, ' if both else ''}one for each point.")
    return signs


def check_prices(C: ArrayLike, n_points: int, largest: float, *, or_inf: bool = False) -> Array:
    """Return the upper bounds of the multipliers, one for each point.

    Raises
    ------
    ValueError
        If a bound is not above 0 and at most `largest`, nor inf with `or_inf`, or if their number is wrong.
    """
    prices = check_numbers("C", C)
    if prices.shape not in ((), (n_points,)):
        raise ValueError(f"C has shape {prices.shape}; it must be one number, or one for each of {n_points} points.")
    bounds: Array = np.full(n_points, prices)
    good = (bounds > 0.0) & (bounds <= largest)  # false for NaN, too
    if or_inf:
        good |= bounds == np.inf
    if not good.all():
        allowed = f"above 0 and at most {largest:g}{', or inf' if or_inf else ''}"
        raise ValueError(f"C is {bounds[~good][0]:g}; it must be {allowed}.")
    return bounds
