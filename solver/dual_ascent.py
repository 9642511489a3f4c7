"""DualAscentSVC: the scikit-learn shaped classifier over DualAscentSolver, projected gradient ascent on the dual."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .certificate import Status
from .estimator import all_or_nothing
from .kernel_classifier import OneVsOneClassifier
from .multiclass import Pair, PairTrainer
from .problem import check_number
from .projected_gradient import LARGEST_C, LARGEST_COORDINATE, DualAscentSolver


class DualAscentSVC(OneVsOneClassifier):
    """Support vector classifier trained by projected gradient ascent, one-vs-one for more than two classes.

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
        Gradient steps per pair of classes; -1 means 20 000.
    step_size : {"barzilai-borwein", "constant"}, default="barzilai-borwein"

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_features_in_, certificates_
        As in `OneVsOneClassifier`.
    n_iter_ : ndarray of shape (n_pairs,)
        Gradient steps.
    """

    _largest_coordinate = LARGEST_COORDINATE

    def __init__(
        self, C: float = 1.0, kernel: str = "rbf", degree: int = 3, gamma: str | float = "scale", coef0: float = 0.0,
        fit_intercept: bool = True, tol: float = 1e-3, max_iter: int = -1, step_size: str = "barzilai-borwein",
    ) -> None:  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.step_size = step_size

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on `X` (n, n_features) and labels `y` (n,).

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence.
        """
        points, pairs = self._pairs_of(X, y)
        C = check_number("C", self.C, 0.0, LARGEST_C, open_low=True)
        kernel = self._kernel

        def solver(pair: Pair) -> Any:  # PairTrainer wants no more of a SmoSolver than this one has
            return DualAscentSolver(
                points[pair.index], pair.y, kernel, C=C, fit_intercept=self.fit_intercept, tol=self.tol,
                max_iter=self.max_iter, step_size=self.step_size, cache_size=200.0 / len(pairs),
            )  # fmt: skip

        trainer = PairTrainer(pairs, solver)
        while trainer.status is Status.RUNNING:
            trainer.step(1_000_000)
        coef = np.zeros((len(points), len(pairs)))
        for p, (pair, trained) in enumerate(zip(pairs, trainer.solvers, strict=True)):
            coef[pair.index, p] = trained.beta
        support = np.flatnonzero((coef != 0).any(axis=1))
        self._adopt(support, points[support], self._codes_of(y)[support], coef[support], trainer.solvers)
        return self
