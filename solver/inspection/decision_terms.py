"""Terms: f of a fitted model at one place, as the sum it is: alpha_i y_i K(x_i, x) of each support vector, plus b.

For linear learners the terms are w_1 x_1 and w_2 x_2.
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

#: Terms that are told one by one, unless said otherwise.
MOST = 200


@dataclass(frozen=True, eq=False)
class Terms:
    """f of one binary problem at a place, term by term, the largest (without sign) first.

    Attributes
    ----------
    index : ndarray of shape (m,)
        Rows of the training points the terms belong to; of a linear learner, the features 0, 1, ...
    coef : ndarray of shape (m,)
        alpha_i y_i with y_i = +1 for the problem's positive class; of a linear learner the weights w.
    kernel : ndarray of shape (m,)
        K(x_i, x); of a linear learner the coordinates of x.
    value : ndarray of shape (m,)
        ``coef * kernel``.
    rest, n_rest : float, int
        Sum of the terms that are left out, and how many these are.
    offset : float
        b.
    f : float
        What the model itself says.
    size : float
        Sum of the sizes of all terms and of b: rounding is to be seen against it.
    of_points : bool
        The terms belong to points, not to features.
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
        """The sum of all terms and b."""
        return float(self.value.sum()) + self.rest + self.offset

    @property
    def agrees(self) -> bool:
        """Whether the sum is f, up to rounding."""
        return abs(self.total - self.f) <= 1e-9 * self.size


def terms_at(model: PairClassifier, place: Array, problem: int, f: float | None = None, most: int = MOST) -> Terms:
    """The terms of f of one of the model's binary problems at `place`.

    Parameters
    ----------
    model : KernelClassifier or LinearClassifier
        Fitted, with a kernel that is a function of two points.
    place : ndarray of shape (n_features,)
    problem : int
        Which of ``model.pairs_``.
    f : float, optional
        That of the model, if it is known already.
    most : int, default=200
        Terms that are told one by one; of features, all are.

    Raises
    ------
    ValueError
        A bad place, or values that overflow.
    """
    if f is None:
        f = float(model.pair_decision_function(place[None, :])[0, problem])
    place = model.scaled(place)
    if not isinstance(model, KernelClassifier):
        w, b = cast("LinearClassifier", model).coef_[problem], float(model.intercept_[problem])
        value = w * place
        order = np.argsort(-np.abs(value), kind="stable")
        size = float(np.abs(value).sum()) + abs(b)
        return Terms(order, w[order], place[order], value[order], 0.0, 0, b, f, size, False)
    expansion = model.expansion
    used = np.flatnonzero(expansion.coef[:, problem])
    coef = expansion.coef[used, problem]
    kernel = expansion.kernel.gram(place[None, :], expansion.points[used])[0]
    value = coef * kernel
    expansion.finite(value)
    b = float(model.intercept_[problem])
    away = -np.abs(value)
    order = np.arange(len(value))
    if len(value) > 2 * most:  # of many thousand, only the few that are told need an order
        order = np.sort(np.argpartition(away, most)[:most])
    order = order[np.argsort(away[order], kind="stable")][:most]
    n_rest = len(value) - len(order)
    rest = float(np.delete(value, order).sum()) if n_rest else 0.0
    size = float(-away.sum()) + abs(b)
    return Terms(
        model.support_[used[order]].astype(np.intp),
        coef[order],
        kernel[order],
        value[order],
        rest,
        n_rest,
        b,
        f,
        size,
        True,
    )
