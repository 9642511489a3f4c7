"""Terms: the contributions to f of a fitted model at a location, alpha_i y_i K(x_i, x) of each support vector, and b.

For linear learners, the contributions are w_1 x_1 and w_2 x_2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from solver.core.arrays import Array, Indices
from solver.core.binary_reduction import PairClassifier
from solver.kernels.kernel_classifier import KernelClassifier

if TYPE_CHECKING:  # nothing else of it is needed: a window without linear learners starts without them
    from solver.linear.classifiers import LinearClassifier

#: Default number of terms that are listed one by one.
MOST = 200


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of f of one binary problem at a location, in decreasing order of their absolute values.

    Attributes
    ----------
    index : ndarray of shape (m,)
        Rows of the training points that the terms belong to; for a linear learner, the features 0, 1, ...
    coef : ndarray of shape (m,)
        alpha_i y_i with y_i = +1 for the problem's positive class; for a linear learner, the weights w.
    kernel : ndarray of shape (m,)
        K(x_i, x); for a linear learner, the coordinates of x.
    value : ndarray of shape (m,)
        ``coef * kernel``.
    rest, n_rest : float, int
        Sum and number of the terms that are not listed.
    offset : float
        b.
    f : float
        Value of f computed by the model itself.
    size : float
        Sum of the absolute values of all terms and of b: the scale of rounding errors.
    of_points : bool
        Whether the terms belong to points; else they belong to features.
    """

    index: Indices
    coef: Array
    kernel: Array
    value: Array
    rest: float
    n_rest: int
    offset: float
    f: float
    size: float
    of_points: bool

    @property
    def total(self) -> float:
        """Sum of all terms and b."""
        return float(self.value.sum()) + self.rest + self.offset

    @property
    def agrees(self) -> bool:
        """Whether the sum equals f up to rounding."""
        return abs(self.total - self.f) <= 1e-9 * self.size


def terms_at(model: PairClassifier, point: Array, problem: int, f: float | None = None, most: int = MOST) -> Terms:
    """Return the terms of f of one of the model's binary problems at `point`.

    Parameters
    ----------
    model : KernelClassifier or LinearClassifier
        Fitted, with a kernel that is a function of two points.
    point : ndarray of shape (n_features,)
    problem : int
        Index into ``model.pairs_``.
    f : float, optional
        Value of f at `point`, if it is already known.
    most : int, default=200
        Largest number of terms of points that are listed; terms of features are all listed.

    Returns
    -------
    Terms

    Raises
    ------
    ValueError
        If `point` is invalid, or if values overflow.
    """
    if f is None:
        f = float(model.pair_decision_function(point[None, :])[0, problem])
    point = model.scaled(point)
    b = float(model.intercept_[problem])
    if isinstance(model, KernelClassifier):
        expansion = model.expansion
        used = np.flatnonzero(expansion.coef[:, problem])
        rows, coef = model.support_[used].astype(np.intp), expansion.coef[used, problem]
        kernel = expansion.kernel.gram(point[None, :], expansion.points[used])[0]
        expansion.finite(coef * kernel)
    else:
        coef, kernel = cast("LinearClassifier", model).coef_[problem], point
        rows, most = np.arange(len(coef)), len(coef)
    value = coef * kernel
    away = -np.abs(value)
    order = np.arange(len(value))
    if len(value) > 2 * most:  # only the few largest of many thousand are sorted
        order = np.sort(np.argpartition(away, most)[:most])
    order = order[np.argsort(away[order], kind="stable")][:most]
    n_rest = len(value) - len(order)
    rest = float(np.delete(value, order).sum()) if n_rest else 0.0
    size, of_points = float(-away.sum()) + abs(b), isinstance(model, KernelClassifier)
    return Terms(rows[order], coef[order], kernel[order], value[order], rest, n_rest, b, f, size, of_points)
