"""Weights of classes and points, and the bounds of the multipliers that follow from them and C."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, Indices
from .checks import check_number, check_numbers


def class_weights(class_weight: Mapping[Any, float] | str | None, classes: NDArray[Any], codes: Indices) -> Array:
    """Return the weight of each class, as scikit-learn's ``compute_class_weight`` does.

    Parameters
    ----------
    class_weight : None, "balanced" or dict
        None means 1 for all classes; "balanced" means n / (n_classes * n_c) for a class of n_c points, so that all
        classes have the same total weight; a dict has weights by label, and 1 is the weight of missing labels.
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (n,)
        Index into `classes` of each point.

    Returns
    -------
    ndarray of shape (n_classes,)

    Raises
    ------
    ValueError
        If a weight is negative or not finite, or if a dict has a label that no point has, and lacks a label that points
        have: probably a typing error.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return len(codes) / (len(classes) * np.bincount(codes, minlength=len(classes)))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight is {class_weight!r}; it must be None, 'balanced' or a dict of label: weight.")
    labels = classes.tolist()
    missing = [label for label in labels if label not in class_weight]
    unknown = [label for label in class_weight if label not in labels]
    if missing and unknown:
        raise ValueError(
            f"class_weight has a weight for {unknown[0]!r}, a label of no point, but none for {missing[0]!r}."
        )
    return np.array(
        [
            check_number(f"class_weight of {label!r}", class_weight.get(label, 1.0), 0.0, open_high=True)
            for label in labels
        ]
    )


def sample_weights(sample_weight: ArrayLike | None, n_points: int) -> Array:
    """Return the weight of each point, 1 without `sample_weight`; ValueError unless finite and at least 0."""
    if sample_weight is None:
        return np.ones(n_points)
    weights = check_numbers("sample_weight", sample_weight)
    if weights.shape != (n_points,):
        wanted = f"one weight for each of the {n_points} points"
        raise ValueError(f"sample_weight must have {wanted}; its shape is {weights.shape}.")
    bad = np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))
    if len(bad):
        raise ValueError(f"sample_weight is {weights[bad[0]]:g} at point {bad[0]}; it must be a number in [0, inf).")
    return weights


def positive_weights(sample_weight: ArrayLike | None, n_points: int) -> Array:
    """Return `sample_weights`; ValueError if a weight is 0."""
    weights = sample_weights(sample_weight, n_points)
    if not weights.all():
        raise ValueError("sample_weight is 0 at some points; a solver takes points of weights above 0 only.")
    return weights


def classes_with_weight(
    classes: NDArray[Any], codes: Indices, of_points: Array, learner: str
) -> tuple[Indices, Indices]:
    """Leave out the points of weight 0, and the classes that have no others.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (n,)
        Index into `classes` of each point.
    of_points : ndarray of shape (n,)
        Weight of each point.
    learner : str
        Its name in error messages.

    Returns
    -------
    left : ndarray of int
        Indices of the remaining classes.
    codes : ndarray of shape (n,)
        Index into `left` of each point, -1 for a point that is left out.

    Raises
    ------
    ValueError
        If fewer than two classes remain; the message begins with LIBSVM's words.
    """
    kept = of_points > 0
    left = np.unique(codes[kept])
    if len(left) == 0:
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    if len(left) == 1:
        raise ValueError(
            "Invalid input - all samples with positive weights belong to the same class,"
            f" {classes[left[0]]!s}; {learner} needs points of at least two classes."
        )
    return left, np.where(kept, np.searchsorted(left, codes), -1)


def bounds(C: Any, of_points: Array, largest: float, *, or_inf: bool = False) -> Array:
    """Return C_i = C * w_i, the upper bound of each multiplier, 0 where w_i is 0.

    Parameters
    ----------
    C : float
    of_points : ndarray of shape (n,)
        The weights w, at least 0.
    largest : float
        Largest bound allowed.
    or_inf : bool, default=False
        Whether C may also be inf.

    Raises
    ------
    ValueError
        If C or a bound is too large, or if a positive weight times C is 0 in double precision.
    """
    C = check_number("C", C, 0.0, np.inf if or_inf else largest, open_low=True)
    present = of_points > 0
    C_i = np.zeros(len(of_points))
    with np.errstate(over="ignore"):
        C_i[present] = C * of_points[present]
    if np.isfinite(C):
        if largest < C:
            raise ValueError(f"C is {C:g}; it must be at most {largest:g}, or inf.")
        if C_i.max(initial=0.0) > largest:
            raise ValueError(f"C times the largest weight is {C_i.max():g}; it must be at most {largest:g}.")
    if not (C_i[present] > 0).all():
        raise ValueError(f"C is {C:g}; times the smallest weight, {of_points[present].min():g}, it vanishes.")
    return C_i
