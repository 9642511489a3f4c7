"""Perceptron and PegasosClassifier: the scikit-learn shaped linear learners over their step-able solvers.

Both give ``f_c(x) = <coef_[c], x> + intercept_[c]``: one f for two classes, positive for the higher one; for more
classes one per class, trained against all others (one-vs-rest), and the largest f wins.  One-vs-rest, not one-vs-one as
in `svc`, because a linear model then has one weight vector per class that a reader can look at.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import pegasos, perceptron
from .certificate import Status
from .estimator import Estimator, all_or_nothing
from .pegasos import PegasosCertificate, PegasosSolver
from .perceptron import PerceptronCertificate, PerceptronSolver
from .problem import check_axis, check_integer, check_labels, check_number, check_points, check_size

Array = NDArray[np.float64]


class LinearClassifier(Estimator):
    """What linear classifiers share: their checked data as one-vs-rest problems, and the use of their weights.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels seen in `fit`, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        One row for two classes, f > 0 being classes_[1]; else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_features_in_ : int
    """

    classes_: NDArray[Any]
    coef_: Array
    intercept_: Array

    def decision_function(self, X: ArrayLike) -> Array:
        """f, shape (n,), for two classes; one column per class, shape (n, n_classes), for more."""
        points = self._queries(X)
        values: Array = points @ self.coef_.T + self.intercept_
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Label of each query, shape (n,): the class with the largest f, the lowest of equals."""
        values = self.decision_function(X)
        best = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

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
        columns, rows = check_axis("xs", xs, n_features), check_axis("ys", ys, n_features)
        check_size("xs", columns, self._largest_coordinate)
        check_size("ys", rows, self._largest_coordinate)
        across, down = columns[:, None] * self.coef_[:, 0], rows[:, None] * self.coef_[:, 1]
        values: Array = across[None, :, :] + down[:, None, :] + self.intercept_
        return values[:, :, 0] if len(self.classes_) == 2 else values

    def _problems(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, list[Array]]:
        """Checked points, and the labels -1 and +1 of each one-vs-rest problem; sets `classes_`."""
        points = check_points(X)
        check_size("X", points, self._largest_coordinate)
        self.classes_, codes = check_labels(y, len(points))
        if len(self.classes_) < 2:
            raise ValueError("y holds one class only; a linear classifier needs points of at least two classes.")
        positive = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        return points, [np.where(codes == c, 1.0, -1.0) for c in positive]

    def _seed(self, random_state: int | None) -> int:
        return check_integer("random_state", 0 if random_state is None else random_state, 0)


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
    random_state : int or None, default=None
        Seed of the orders.  None means 0: the same call gives the same answer.

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
    Theory, bound and sources at the top of `solver.perceptron`.
    """

    _largest_coordinate = perceptron.LARGEST_COORDINATE

    def __init__(
        self, fit_intercept: bool = True, max_iter: int = 1000, shuffle: bool = True, random_state: int | None = None
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on `X` (n, n_features) and labels `y` (n,), of any type that can be sorted.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence.
        """
        points, problems = self._problems(X, y)
        seed = self._seed(self.random_state)
        solvers = []
        for signs in problems:
            solver = PerceptronSolver(
                points, signs, fit_intercept=self.fit_intercept, max_iter=self.max_iter, shuffle=self.shuffle,
                random_state=seed,
            )  # fmt: skip
            solver.run()
            solvers.append(solver)
        self.coef_ = np.array([solver.coef for solver in solvers])
        self.intercept_ = np.array([solver.intercept for solver in solvers])
        self.n_iter_ = max(solver.n_epochs for solver in solvers)
        self.mistakes_ = sum(solver.n_iter for solver in solvers)
        self.converged_ = all(solver.status is Status.OPTIMAL for solver in solvers)
        # Without convergence there is most likely no bound, and looking for it may take longer than the training.
        self.certificates_: list[PerceptronCertificate] = [
            solver.certificate(thorough=solver.status is Status.OPTIMAL) for solver in solvers
        ]
        self.n_features_in_ = points.shape[1]
        return self


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
    random_state : int or None, default=None
        Seed of the points drawn.  None means 0: the same call gives the same answer.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_
        As in `LinearClassifier`; coef_ is the average of the w_t, intercept_ is 0.
    n_iter_ : int
        Steps made for each binary problem.
    converged_ : bool
        Whether the gap of each binary problem is proved to be at most `tol`.
    certificates_ : list of PegasosCertificate
        One per binary problem.

    Notes
    -----
    Theory and sources at the top of `solver.pegasos`.
    """

    _largest_coordinate = pegasos.LARGEST_COORDINATE

    def __init__(
        self, alpha: float = 1e-2, n_iter: int = 100_000, tol: float = 1e-2, random_state: int | None = None
    ) -> None:
        self.alpha = alpha
        self.n_iter = n_iter
        self.tol = tol
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on `X` (n, n_features) and labels `y` (n,), of any type that can be sorted.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence.
        """
        points, problems = self._problems(X, y)
        lam = check_number("alpha", self.alpha, pegasos.SMALLEST_LAMBDA, pegasos.LARGEST_LAMBDA)
        n_iter = check_integer("n_iter", self.n_iter, 1)
        seed = self._seed(self.random_state)
        solvers = []
        for signs in problems:
            solver = PegasosSolver(points, signs, lam=lam, max_iter=n_iter, tol=self.tol, random_state=seed)
            solver.run()
            solvers.append(solver)
        self.coef_ = np.array([solver.coef for solver in solvers])
        self.intercept_ = np.zeros(len(solvers))
        self.n_iter_ = n_iter
        self.converged_ = all(solver.status is Status.OPTIMAL for solver in solvers)
        self.certificates_: list[PegasosCertificate] = [solver.certificate() for solver in solvers]
        self.n_features_in_ = points.shape[1]
        return self
