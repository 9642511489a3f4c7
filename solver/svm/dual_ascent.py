"""DualAscentSVC: the scikit-learn shaped classifier over DualAscentSolver, projected gradient ascent on the dual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Indices
from solver.core.binary_reduction import run
from solver.core.multiclass import BinaryProblem
from solver.kernels.kernel_classifier import SteppedKernelClassifier
from solver.kernels.table import Kernel

from .projected_gradient import LARGEST_C, LARGEST_COORDINATE, DualAscentSnapshot, DualAscentSolver


@dataclass(repr=False, eq=False)
class DualAscentSVC(SteppedKernelClassifier):
    """Support vector classifier trained by projected gradient ascent.

    Parameters
    ----------
    C : float, default=1.0
        Price of slack, at most 1e50; not inf.
    kernel, degree, gamma, coef0
        As in `SVC`.
    fit_intercept : bool, default=True
        False leaves out the intercept, and with it the constraint sum alpha_i y_i = 0.
    tol : float, default=1e-3
        Largest violation called optimal.
    max_iter : int, default=-1
        Gradient steps per binary problem; -1 means 20 000.
    step_size : {"barzilai-borwein", "constant"}, default="barzilai-borwein"
    multiclass : {"one-vs-one", "one-vs-rest"}, default="one-vs-one"
    class_weight : dict, "balanced" or None, default=None
        As in `SVC`, but above 0.
    max_time : float, default=inf
        Seconds after which training ends with what it has, and `fit_status_` 1, as in `SVC`.

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_features_in_, certificates_
        As in `SteppedKernelClassifier`.
    n_iter_ : ndarray of shape (n_problems,)
        Gradient steps.
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

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on `X` (n, n_features) and labels `y` (n,); after an error the estimator is as it was before.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence.
        """
        training = self._checked(X, y)
        late = run(training.trainer, self.max_time)
        self._adopt(training, training.trainer.snapshot())._learned_from(X)
        self._warn_unless_converged(self.certificates_, f"max_time={self.max_time:g} s" if late else None)
        return self

    def _solver(
        self, points: Array, signs: Array, C: Array, numbers: Indices, kernel: Kernel, cache_size: float
    ) -> DualAscentSolver:
        return DualAscentSolver(
            points,
            signs,
            kernel,
            C=C,
            fit_intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
            step_size=self.step_size,
            cache_size=cache_size,
        )

    def _multipliers(self, snapshot: DualAscentSnapshot, pair: BinaryProblem) -> tuple[Indices, Array]:
        return pair.index, snapshot.alpha
