"""Perceptron and PegasosClassifier: linear classifiers with scikit-learn's interface, trained by stepped solvers.

Both have ``f_c(x) = <coef_[c], x> + intercept_[c]``: one f for two classes, positive for the higher one; for more
classes one f per class, trained against all others (one-vs-rest), and the class with the largest f wins.  One-vs-rest,
not one-vs-one as in `svc`, because a linear model then has one weight vector per class that a reader can interpret.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array
from solver.core.binary_reduction import PairClassifier, PreparedTraining, trained
from solver.core.certificate import Status
from solver.core.checks import check_integer, check_number, check_seed
from solver.core.multiclass import BinaryProblem, PairTrainer, one_vs_rest
from solver.kernels.expansion import Expansion
from solver.kernels.grids import GridRows
from solver.kernels.table import Kernel

from . import pegasos, perceptron
from .pegasos import PegasosCertificate, PegasosSnapshot, PegasosSolver
from .perceptron import PerceptronCertificate, PerceptronSnapshot, PerceptronSolver


class LinearClassifier(PairClassifier):
    """Base class of linear classifiers: their one-vs-rest problems, and predictions from their weights.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels seen in `fit`, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        One row for two classes, f > 0 being classes_[1]; else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    pairs_ : list of Pair
        The classes of the binary problems: one problem for two classes, else each class against the rest.
    n_features_in_ : int
        Number of features.
    """

    coef_: Array
    _learner = "a linear classifier"

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on points and their labels.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Finite numbers of at most 1e75.
        y : array-like of shape (n,)
            Labels of at least two classes: whole numbers or strings.
        sample_weight : array-like of shape (n,), optional
            Weights of the losses in their mean, and of the points when one is drawn, at least 0: a weight of 2 counts
            as the point twice, and a point of weight 0 is left out.

        Returns
        -------
        Self
            This estimator, fitted; it never warns, see `converged_`.

        Raises
        ------
        ValueError
            If the data or a parameter is invalid; the estimator is then unchanged.
        TypeError
            If `X` holds an object that is not a number, such as a dict or a date, or if only some of its column names
            are strings.
        """
        training = self._checked(X, y, sample_weight)
        # A perceptron that has not converged has most likely no bound, and the search for it may be slow.
        snapshots = [solver.snapshot(solver.status is Status.OPTIMAL) for solver, _ in trained(training.trainer)]
        return self._adopt(training, snapshots)._learned_from(X)

    @property
    def expansion(self) -> Expansion:
        """f of each binary problem, <w, x> + b, as an expansion in the linear kernel with the one point w."""
        w, b = self._fitted().coef_, self.intercept_
        rows, each, centre = np.arange(len(w), dtype=np.int32), np.eye(len(w)), np.zeros(w.shape[1])
        return Expansion(Kernel("linear"), w, rows, each, b, centre)

    def _pair_values(self, points: Array) -> Array:
        return points @ self.coef_.T + self.intercept_

    def _rows_on(self, xs: Array) -> GridRows:
        weights, intercept = self.coef_, self.intercept_

        def rows(ys: Array) -> Array:
            planes = np.empty((len(weights), len(ys), len(xs)))
            for plane, w, b in zip(planes, weights, intercept, strict=True):
                np.add(xs * w[0], (np.asarray(ys) * w[1])[:, None], out=plane)
                plane += b
            return np.moveaxis(planes, 0, 2)

        return rows

    @property
    def rounding(self) -> float:
        """Bound on the rounding error of f at points of unit size."""
        size = float(np.abs(self._fitted().coef_).sum(axis=1).max() + np.abs(self.intercept_).max())
        return 8 * float(np.finfo(np.float64).eps) * size

    def _rounding_at(self, points: Array) -> Array:
        """Return `rounding` times the size of each point, at least 1."""
        scaled: Array = self.rounding * np.maximum(1.0, np.abs(points).max(axis=1))
        return scaled

    @abstractmethod
    def _solver(self, points: Array, signs: Array, sample_weight: Array | None) -> Any:
        """Return the solver of one binary problem; weights are above 0."""

    def _joined(self, pair_values: Array) -> Array:
        return pair_values[..., 0] if len(self.classes_) == 2 else pair_values

    def _checked(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **start: Any
    ) -> PreparedTraining:
        data = self._training_data(X, y, sample_weight)

        def solver(pair: BinaryProblem) -> Any:
            own = None if sample_weight is None else data.weights[pair.index]
            return self._solver(data.X[pair.index], pair.y, own)

        return PreparedTraining(data, PairTrainer(one_vs_rest(data.codes, len(data.classes)), solver))

    def _adopt(self, training: PreparedTraining, snapshots: Sequence[Any]) -> Self:
        self.coef_ = np.array([snapshot.coef for snapshot in snapshots])
        self.certificates_ = [snapshot.certificate for snapshot in snapshots]
        self.converged_ = all(certificate.status is Status.OPTIMAL for certificate in self.certificates_)
        return super()._adopt(training, snapshots)


@dataclass(repr=False, eq=False)
class Perceptron(LinearClassifier):
    """Rosenblatt's perceptron: ``w += y_i x_i`` on a mistake; one-vs-rest for more than two classes.

    Which separating line it finds depends on the order of the points.  On classes that are not separable it never stops
    by itself, and the weights after `max_iter` passes may be poor.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether f has a constant, learned as the weight of a constant feature 1.
    max_iter : int, default=1000
        Largest number of passes over the points (epochs), for each binary problem; at least 1.
    shuffle : bool, default=True
        Whether each pass has a new random order, instead of the order of the data.
    random_state : int, RandomState or None, default=None
        Seed of the orders.  None means 0: the same call gives the same answer.
    tol : None, default=None
        As in scikit-learn, None sets no other end than `max_iter` and a pass without a mistake.  A number is refused.

    Attributes
    ----------
    classes_, coef_, intercept_, pairs_, n_features_in_
        As in `LinearClassifier`; intercept_ is 0 without `fit_intercept`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if `fit` was given a data frame whose column names are strings.
    n_iter_ : int
        Number of passes, including the last one without a mistake; the largest over the binary problems.
    mistakes_ : int
        Number of updates of the weights, over all binary problems.
    converged_ : bool
        Whether each binary problem ended with a pass without a mistake.
    certificates_ : list of PerceptronCertificate
        One per binary problem; where the training converged, with the bound on its mistakes.

    See Also
    --------
    PerceptronSolver : The same training, step by step.
    largest_margin : The bound on the number of mistakes.

    References
    ----------
    Rosenblatt, "The perceptron", Psychological Review 65, 1958.  Novikoff, "On convergence proofs on perceptrons",
    Symposium on the Mathematical Theory of Automata, 1962 (the bound; its proof is in `solver.linear.perceptron`).

    Examples
    --------
    >>> from solver import Perceptron
    >>> model = Perceptron().fit([[0, 0], [1, 0], [3, 2], [4, 3]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5, 0], [5, 5]]).tolist()
    ['low', 'high']

    No order of the points leads to more mistakes than the bound:

    >>> model.converged_, model.mistakes_ <= model.certificates_[0].mistake_bound
    (True, True)
    """

    certificates_: list[PerceptronCertificate] = field(init=False)
    _largest_coordinate = perceptron.LARGEST_COORDINATE

    fit_intercept: bool = True
    max_iter: int = 1000
    shuffle: bool = True
    random_state: int | np.random.RandomState | None = None
    tol: None = field(default=None, kw_only=True)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on points and their labels.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Finite numbers of at most 1e140.
        y : array-like of shape (n,)
            Labels of at least two classes: whole numbers or strings.
        sample_weight : array-like of shape (n,), optional
            Factors of the updates, ``w += s_i y_i x_i``, at least 0.  A point of weight 0 is left out.

        Returns
        -------
        Self
            This estimator, fitted.

        Raises
        ------
        ValueError
            If the data or a parameter is invalid; the estimator is then unchanged.
        TypeError
            If `X` holds an object that is not a number, such as a dict or a date, or if only some of its column names
            are strings.

        Warns
        -----
        ConvergenceWarning
            If `max_iter` ended the training.
        """
        super().fit(X, y, sample_weight)
        self._warn_unless_converged(self.certificates_)
        return self

    def _solver(self, points: Array, signs: Array, sample_weight: Array | None) -> PerceptronSolver:
        if self.tol is not None:
            raise ValueError(f"tol is {self.tol!r}; it must be None: training goes on to a pass without a mistake.")
        return PerceptronSolver(
            points,
            signs,
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            shuffle=self.shuffle,
            random_state=check_seed(self.random_state),
            sample_weight=sample_weight,
        )

    def _adopt(self, training: PreparedTraining, snapshots: Sequence[PerceptronSnapshot]) -> Self:
        super()._adopt(training, snapshots)
        self.intercept_ = np.array([snapshot.intercept for snapshot in snapshots])
        self.n_iter_ = max(certificate.n_epochs for certificate in self.certificates_)
        self.mistakes_ = sum(certificate.mistakes for certificate in self.certificates_)
        return self


@dataclass(repr=False, eq=False)
class PegasosClassifier(LinearClassifier):
    """Linear support vector machine without intercept, trained by Pegasos; one-vs-rest for more than two classes.

    Parameters
    ----------
    alpha : float, default=1e-2
        The lambda of the objective ``lambda/2 ||w||^2 + mean hinge loss``, from 1e-50 to 1e50.  The name is that of
        scikit-learn's `SGDClassifier`, which has the same objective; it is not a multiplier.  ``C = 1 / (n alpha)`` in
        `SVC`.
    n_iter : int, default=100_000
        Number of steps for each binary problem, one point each; at least 1.
    tol : float, default=1e-2
        Largest relative duality gap called optimal; it decides `converged_` and never ends the training.
    random_state : int, RandomState or None, default=None
        Seed of the points drawn.  None means 0: the same call gives the same answer.

    Attributes
    ----------
    classes_, coef_, intercept_, pairs_, n_features_in_
        As in `LinearClassifier`; coef_ is the average of the w_t of all steps, intercept_ is 0.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if `fit` was given a data frame whose column names are strings.
    newest_coef_ : ndarray, in the shape of coef_
        The w that the next step would use; it fluctuates about the average.
    n_iter_ : int
        Number of steps made for each binary problem.
    converged_ : bool
        Whether the gap of each binary problem is proved to be at most `tol`.
    certificates_ : list of PegasosCertificate
        One per binary problem.

    See Also
    --------
    PegasosSolver : The same training, step by step.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro, "Pegasos: primal estimated sub-gradient solver for SVM", ICML 2007 (the gap is
    derived in `solver.linear.pegasos`).

    Examples
    --------
    >>> from solver import PegasosClassifier
    >>> model = PegasosClassifier(alpha=0.1, n_iter=5000).fit([[1, 0], [0, 1], [-1, 0]], ["up", "up", "down"])
    >>> model.predict([[1, 1], [-1, -1]]).tolist(), model.intercept_.tolist()
    (['up', 'down'], [0.0])

    The optimum is proved to be at least 95 % of its objective:

    >>> model.certificates_[0].gap < 0.05
    True
    """

    certificates_: list[PegasosCertificate] = field(init=False)
    _largest_coordinate = pegasos.LARGEST_COORDINATE

    alpha: float = 1e-2
    n_iter: int = 100_000
    tol: float = 1e-2
    random_state: int | np.random.RandomState | None = None

    def _solver(self, points: Array, signs: Array, sample_weight: Array | None) -> PegasosSolver:
        lam = check_number("alpha", self.alpha, pegasos.SMALLEST_LAMBDA, pegasos.LARGEST_LAMBDA)
        n_iter = check_integer("n_iter", self.n_iter, 1)
        seed = check_seed(self.random_state)
        return PegasosSolver(
            points, signs, lam=lam, max_iter=n_iter, tol=self.tol, random_state=seed, sample_weight=sample_weight
        )

    def _adopt(self, training: PreparedTraining, snapshots: Sequence[PegasosSnapshot]) -> Self:
        super()._adopt(training, snapshots)
        self.newest_coef_ = np.array([snapshot.newest for snapshot in snapshots])
        self.intercept_ = np.zeros(len(snapshots))
        self.n_iter_ = max(certificate.n_iter for certificate in self.certificates_)
        return self
