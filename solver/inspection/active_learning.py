"""Active learning: which unlabelled point to ask about next (uncertainty sampling).

The label that can teach a classifier most is that of the point it is least sure of: the smallest abs f(x) with two
classes (Bordes, Ertekin, Weston, Bottou 2005, section 5; Schohn, Cohn, ICML 2000), the smallest difference of the two
largest class values with more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array


def certainty(model: Any, pool: ArrayLike) -> Array:
    """How sure `model` is of each point: abs f, or how far its best class is ahead of the second.

    Parameters
    ----------
    model : fitted classifier
        With `decision_function`, or else with `predict_proba`.
    pool : array-like of shape (n, n_features)

    Returns
    -------
    ndarray of shape (n,)
        At least 0, in the units of the values of `model`; with one class only, as a nearest neighbour model may have,
        1 everywhere.

    Raises
    ------
    ValueError
        Not fitted, or a pool `model` refuses.
    TypeError
        A model with neither method.
    """
    if getattr(model, "decision_function_shape", "ovr") == "ovo" and len(model.classes_) > 2:
        raise ValueError(
            "decision_function_shape is 'ovo'; it must be 'ovr' here, where the values of classes are compared."
        )
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(pool), dtype=np.float64)
        if values.ndim == 1:
            return np.abs(values)
    elif hasattr(model, "predict_proba"):
        values = np.asarray(model.predict_proba(pool), dtype=np.float64)
        if values.shape[1] == 1:
            return values[:, 0]
    else:
        raise TypeError(f"A {type(model).__name__} has neither decision_function nor predict_proba.")
    two = np.partition(values, values.shape[1] - 2, axis=1)[:, -2:]
    ahead: Array = two[:, 1] - two[:, 0]
    return ahead


def most_informative(model: Any, pool: ArrayLike) -> int:
    """Index of the point of `pool` that `model` is least sure of; the lowest of equals.

    Parameters, Raises
        As `certainty`.
    """
    return int(certainty(model, pool).argmin())
