"""DualAscentSVC: a classifier with scikit-learn's interface, trained by projected gradient ascent on the dual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.core.arrays import Array
from solver.core.multiclass import BinaryProblem
from solver.kernels.kernel_classifier import KernelClassifier
from solver.kernels.table import Kernel

from .projected_gradient import LARGEST_C, LARGEST_COORDINATE, DualAscentSolver


@dataclass(repr=False, eq=False)
class DualAscentSVC(KernelClassifier):
    """Support vector classifier trained by projected gradient ascent on the dual.

    It reaches the optimum of `SVC`, usually in far more time, by steps that move all multipliers at once.

    Parameters
    ----------
    C : float, default=1.0
        Penalty on slack, above 0 and at most 1e50; not inf.
    kernel : {"linear", "poly", "rbf", "laplacian", "sigmoid"}, default="rbf"
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
        As in `SVC`.
    fit_intercept : bool, default=True
        Whether f has an intercept; without it the dual has no constraint sum alpha_i y_i = 0.
    tol : float, default=1e-3
        Largest KKT violation called optimal.
    max_iter : int, default=-1
        Largest number of gradient steps per binary problem; -1 means 20 000.
    step_size : {"barzilai-borwein", "constant"}, default="barzilai-borwein"
        Length of a step: from the curvature of the last one, or the same for all steps.
    multiclass : {"one-vs-one", "one-vs-rest"}, default="one-vs-one"
        How more than two classes become binary problems.
    class_weight : dict, "balanced" or None, default=None
        As in `SVC`.
    max_time : float, default=inf
        Time limit of the training (s), as in `SVC`.

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_features_in_, certificates_, pairs_
        As in `KernelClassifier`.
    n_iter_ : ndarray of shape (n_problems,), int
        Number of gradient steps.
    fit_status_ : int
        0 if every problem is optimal (or stationary, or at the limit of double precision), else 1.

    See Also
    --------
    DualAscentSolver : The same training, step by step.

    References
    ----------
    Birgin, Martínez, Raydan, "Nonmonotone spectral projected gradient methods on convex sets", SIAM J. Optim. 10, 2000.

    Examples
    --------
    >>> from solver import SVC, DualAscentSVC
    >>> X, y = [[0, 0], [1, 1], [2, 0], [3, 3], [4, 2], [5, 3]], [0, 0, 0, 1, 1, 1]
    >>> model = DualAscentSVC(kernel="linear", tol=1e-6).fit(X, y)
    >>> smo = SVC(kernel="linear", tol=1e-6).fit(X, y)
    >>> bool(abs(model.coef_ - smo.coef_).max() < 1e-3)
    True

    Without an intercept the boundary goes through the origin:

    >>> DualAscentSVC(kernel="linear", fit_intercept=False).fit(X, y).decision_function([[0, 0]]).tolist()
    [0.0]
    """

    _largest_coordinate = LARGEST_COORDINATE
    _largest_C = LARGEST_C

    fit_intercept: bool = True
    tol: float = 1e-3
    max_iter: int = -1
    step_size: str = "barzilai-borwein"
    multiclass: str = "one-vs-one"
    class_weight: Mapping[Any, float] | str | None = None
    max_time: float = np.inf

    def _solver(
        self, X: Array, pair: BinaryProblem, kernel: Kernel, C: Array, cache_size: float, **start: Any
    ) -> DualAscentSolver:
        return DualAscentSolver(
            X,
            pair.y,
            kernel,
            C=C,
            fit_intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
            step_size=self.step_size,
            cache_size=cache_size,
        )
