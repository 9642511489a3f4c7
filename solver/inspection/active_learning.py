"""Active learning: which unlabelled point to ask about next (uncertainty sampling).

The label that can teach a classifier most is that of the point it is least certain of: the one with the smallest
abs f(x) for two classes, and with the smallest difference between the two largest class values for more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array


def certainty(model: Any, pool: ArrayLike) -> Array:
    """Return how certain `model` is of each point: abs f, or how far its best class is ahead of the second.

    Parameters
    ----------
    model : fitted classifier
        With `decision_function`, or else with `predict_proba`.
    pool : array-like of shape (n, n_features)
        Points without labels.

    Returns
    -------
    ndarray of shape (n,)
        At least 0, in the units of the values of `model`; 1 everywhere if it has one class only, as a nearest
        neighbours model may have.

    Raises
    ------
    ValueError
        If `model` is not fitted, refuses the pool, or has ``decision_function_shape="ovo"`` and more than two classes,
        so that its values are not those of classes.
    TypeError
        If `model` has neither method, or the pool holds an object that is not a number.

    References
    ----------
    Bordes, Ertekin, Weston, Bottou, "Fast kernel classifiers with online and active learning", JMLR 6, 2005, section 5.
    Schohn, Cohn, "Less is more: active learning with support vector machines", ICML 2000.

    Examples
    --------
    >>> from solver import KNeighborsClassifier, certainty
    >>> model = KNeighborsClassifier(3).fit([[0], [1], [2], [7], [8], [9]], [0, 0, 0, 1, 1, 1])
    >>> certainty(model, [[1], [4], [8]]).round(2).tolist()
    [1.0, 0.33, 1.0]
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
    return two[:, 1] - two[:, 0]


def most_informative(model: Any, pool: ArrayLike) -> int:
    """Return the index of the point that `model` is least certain of, the lowest of equals: the next one to label.

    Parameters
    ----------
    model : fitted classifier
        With `decision_function`, or else with `predict_proba`.
    pool : array-like of shape (n, n_features)
        Points without labels.

    Returns
    -------
    int
        Index in `pool`.

    Raises
    ------
    ValueError, TypeError
        As `certainty`.

    References
    ----------
    Schohn, Cohn, "Less is more: active learning with support vector machines", ICML 2000.

    Examples
    --------
    Four labels more find the boundary between two classes, 5.5:

    >>> from solver import SVC, most_informative
    >>> X, pool = [[0], [16]], [[x] for x in range(1, 16)]
    >>> for _ in range(4):
    ...     model = SVC(kernel="linear", C=100).fit(X, [x > 5.5 for (x,) in X])
    ...     X.append(pool.pop(most_informative(model, pool)))
    >>> [x for (x,) in X]
    [0, 16, 8, 4, 6, 5]
    """
    return int(certainty(model, pool).argmin())
