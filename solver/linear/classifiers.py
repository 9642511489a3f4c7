"""Perceptron and PegasosClassifier: the scikit-learn shaped linear learners over their step-able solvers.

Both give ``f_c(x) = <coef_[c], x> + intercept_[c]``: one f for two classes, positive for the higher one; for more
classes one per class, trained against all others (one-vs-rest), and the largest f wins.  One-vs-rest, not one-vs-one as
in `svc`, because a linear model then has one weight vector per class that a reader can look at.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array
from solver.core.binary_reduction import PairClassifier, run
from solver.core.certificate import Status
from solver.core.checks import check_axis, check_integer, check_number, check_seed
from solver.core.class_weights import classes_with_weight, sample_weights
from solver.core.multiclass import BinaryProblem, PairTrainer, one_vs_rest
from solver.kernels.expansion import Expansion
from solver.kernels.grids import GridRows
from solver.kernels.table import Kernel

from . import pegasos, perceptron
from .pegasos import PegasosCertificate, PegasosSnapshot, PegasosSolver
from .perceptron import PerceptronCertificate, PerceptronSnapshot, PerceptronSolver


@dataclass(frozen=True)
class Training:
    """What a call of `prepare` found out about the data; `adopt` makes learned attributes of it."""

    n_features: int
    classes: NDArray[Any]
    trainer: PairTrainer[Any]


class LinearClassifier(PairClassifier):
    """What linear classifiers share: their checked data as one-vs-rest problems, and the use of their weights.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels seen in `fit`, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        One row for two classes, f > 0 being classes_[1]; else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    pairs_ : list of Pair
        The classes of the binary problems: of the only one, or each class against the rest.
    n_features_in_ : int
    """

    coef_: Array
    _learner = "a linear classifier"

    @property
    def expansion(self) -> Expansion:
        """f of each binary problem as <w, x> + b: the linear kernel of one point, w."""
        w, b = self._fitted().coef_, self.intercept_
        rows, each, centre = np.arange(len(w), dtype=np.int32), np.eye(len(w)), np.zeros(w.shape[1])
        return Expansion(Kernel("linear"), w, rows, each, b, centre)

    def _pair_values(self, points: Array) -> Array:
        values: Array = points @ self.coef_.T + self.intercept_
        return values

    def surface(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """`decision_function` at (xs[i], ys[j]).

        Returns
        -------
        ndarray of shape (len(ys), len(xs)) for two classes, (len(ys), len(xs), n_classes) for more

        Raises
        ------
        ValueError
            Not fitted, other than two features, or axes that are not finite.
        """
        n_features = self._fitted().n_features_in_
        columns = check_axis("xs", xs, n_features, self._largest_coordinate)
        rows = check_axis("ys", ys, n_features, self._largest_coordinate)
        return self._joined(self.pair_surface_on(columns)(rows))

    def pair_surface_on(self, xs: Array) -> GridRows:
        """Prepare f on columns `xs`; the result gives rows: ``rows(ys) -> (len(ys), len(xs), n_problems)``."""
        columns = check_axis("xs", xs, self._fitted().n_features_in_)
        weights, intercept = self.coef_, self.intercept_

        def rows(ys: Array) -> Array:
            planes = np.empty((len(weights), len(ys), len(columns)))
            for plane, w, b in zip(planes, weights, intercept, strict=True):
                np.add(columns * w[0], (np.asarray(ys) * w[1])[:, None], out=plane)
                plane += b
            return np.moveaxis(planes, 0, 2)

        return rows

    @property
    def rounding(self) -> float:
        """Size of f, among points of unit size, below which it may be its own rounding error."""
        size = float(np.abs(self._fitted().coef_).sum(axis=1).max() + np.abs(self.intercept_).max())
        return 8 * float(np.finfo(np.float64).eps) * size

    def rounding_at(self, points: Array) -> Array:
        """`rounding` at each of `points`, shape (n, n_features): it grows with their size."""
        scaled: Array = self.rounding * np.maximum(1.0, np.abs(points).max(axis=1))
        return scaled

    @abstractmethod
    def _solver(self, points: Array, signs: Array, sample_weight: Array | None) -> Any:
        """The solver of one binary problem; weights are above 0."""

    def _joined(self, pair_values: Array) -> Array:
        return pair_values[..., 0] if len(self.classes_) == 2 else pair_values

    def _checked(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Training:
        points, classes, codes = self._training_data(X, y)
        weights = sample_weights(sample_weight, len(points))
        left, codes = classes_with_weight(classes, codes, weights, self._learner)

        def solver(pair: BinaryProblem) -> Any:
            own = None if sample_weight is None else weights[pair.index]
            return self._solver(points[pair.index], pair.y, own)

        return Training(points.shape[1], classes[left], PairTrainer(one_vs_rest(codes, len(left)), solver))

    def _adopt(self, training: Training, snapshots: Sequence[Any]) -> Self:
        self.classes_, self.pairs_ = training.classes, [pair.pair for pair in training.trainer.pairs]
        self.coef_ = np.array([snapshot.coef for snapshot in snapshots])
        self.certificates_ = [snapshot.certificate for snapshot in snapshots]
        self.converged_ = all(certificate.status is Status.OPTIMAL for certificate in self.certificates_)
        self.n_features_in_ = training.n_features
        return self


@dataclass(repr=False, eq=False)
class Perceptron(LinearClassifier):
    """Rosenblatt's perceptron: ``w += y_i x_i`` on a mistake; one-vs-rest for more than two classes.

    Which separating line comes out depends on the order of the points.  On classes that are not separable it never
    comes to rest, and the weights after `max_iter` passes may be poor.

    Parameters
    ----------
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Passes over the points (epochs) at most, for each binary problem.
    shuffle : bool, default=True
        A new random order for each pass, instead of the order of the data.
    random_state : int, RandomState or None, default=None
        Seed of the orders.  None means 0: the same call gives the same answer.
    tol : None, default=None
        As in scikit-learn, None sets no other end than `max_iter` and a pass without a mistake.  A number is refused.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_
        As in `LinearClassifier`; intercept_ is 0 without intercept.
    n_iter_ : int
        Passes, the last without a mistake included; the most over the binary problems.
    mistakes_ : int
        Updates of the weights, over all binary problems.
    converged_ : bool
        Whether each binary problem ended with a pass without a mistake.
    certificates_ : list of PerceptronCertificate
        One per binary problem, with the bound on its mistakes.

    Notes
    -----
    Theory, bound and sources at the top of `solver.linear.perceptron`.
    """

    certificates_: list[PerceptronCertificate] = field(init=False)
    _largest_coordinate = perceptron.LARGEST_COORDINATE

    fit_intercept: bool = True
    max_iter: int = 1000
    shuffle: bool = True
    random_state: int | np.random.RandomState | None = None
    tol: None = field(default=None, kw_only=True)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on `X` (n, n_features) and labels `y` (n,), of any type that can be sorted.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Factors of the updates, ``w += s_i y_i x_i``, at least 0.  A point of weight 0 is left out.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence; then the estimator is as it was before.
        """
        if self.tol is not None:
            raise ValueError(f"tol is {self.tol!r}; it must be None: training goes on to a pass without a mistake.")
        training = self._checked(X, y, sample_weight)
        run(training.trainer)
        # Without convergence there is most likely no bound, and looking for it may take longer than the training.
        solvers = training.trainer.solvers
        self._adopt(training, [solver.snapshot(solver.status is Status.OPTIMAL) for solver in solvers])._learned_from(X)
        self._warn_unless_converged(self.certificates_)
        return self

    def _solver(self, points: Array, signs: Array, sample_weight: Array | None) -> PerceptronSolver:
        return PerceptronSolver(
            points,
            signs,
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            shuffle=self.shuffle,
            random_state=check_seed(self.random_state),
            sample_weight=sample_weight,
        )

    def _adopt(self, training: Training, snapshots: Sequence[PerceptronSnapshot]) -> Self:
        super()._adopt(training, snapshots)
        self.intercept_ = np.array([snapshot.intercept for snapshot in snapshots])
        self.n_iter_ = max(certificate.n_epochs for certificate in self.certificates_)
        self.mistakes_ = sum(certificate.mistakes for certificate in self.certificates_)
        return self


@dataclass(repr=False, eq=False)
class PegasosClassifier(LinearClassifier):
    """Linear SVM without intercept by Pegasos; one-vs-rest for more than two classes.

    Parameters
    ----------
    alpha : float, default=1e-2
        The lambda of ``lambda/2 ||w||^2 + mean hinge``, from 1e-50 to 1e50.  Named as in scikit-learn's
        `SGDClassifier`, whose objective is the same one: grids of parameters written for it can be used.  (It is no
        multiplier.)  ``C = 1 / (n alpha)`` in `SVC`.
    n_iter : int, default=100_000
        Steps for each binary problem, one point each.
    tol : float, default=1e-2
        Largest relative gap called optimal; it decides `converged_` and never ends the training.
    random_state : int, RandomState or None, default=None
        Seed of the points drawn.  None means 0: the same call gives the same answer.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_
        As in `LinearClassifier`; coef_ is the average of the w_t, intercept_ is 0.
    newest_coef_ : ndarray of the shape of coef_
        The w that the next step would try; it wanders about the average.
    n_iter_ : int
        Steps made for each binary problem.
    converged_ : bool
        Whether the gap of each binary problem is proved to be at most `tol`.
    certificates_ : list of PegasosCertificate
        One per binary problem.

    Notes
    -----
    Theory and sources at the top of `solver.linear.pegasos`.
    """

    certificates_: list[PegasosCertificate] = field(init=False)
    _largest_coordinate = pegasos.LARGEST_COORDINATE

    alpha: float = 1e-2
    n_iter: int = 100_000
    tol: float = 1e-2
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on `X` (n, n_features) and labels `y` (n,), of any type that can be sorted.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weights of the losses in their mean, and of the points when one is drawn, at least 0: a weight of 2 counts
            as the point twice, and a point of weight 0 is left out.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence; then the estimator is as it was before.
        """
        training = self._checked(X, y, sample_weight)
        run(training.trainer)
        return self._adopt(training, training.trainer.snapshot())._learned_from(X)

    def _solver(self, points: Array, signs: Array, sample_weight: Array | None) -> PegasosSolver:
        lam = check_number("alpha", self.alpha, pegasos.SMALLEST_LAMBDA, pegasos.LARGEST_LAMBDA)
        n_iter = check_integer("n_iter", self.n_iter, 1)
        seed = check_seed(self.random_state)
        return PegasosSolver(
            points, signs, lam=lam, max_iter=n_iter, tol=self.tol, random_state=seed, sample_weight=sample_weight
        )

    def _adopt(self, training: Training, snapshots: Sequence[PegasosSnapshot]) -> Self:
        super()._adopt(training, snapshots)
        self.newest_coef_ = np.array([snapshot.newest for snapshot in snapshots])
        self.intercept_ = np.zeros(len(snapshots))
        self.n_iter_ = max(certificate.n_iter for certificate in self.certificates_)
        return self
