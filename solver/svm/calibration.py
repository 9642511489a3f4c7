"""CalibratedSVC: probabilities for a support vector classifier, by Platt's sigmoid of its f.

The sigmoid is fitted to f of points that the classifier has not seen: with f of its own training points it would be too
steep.  Of more than two classes, the sigmoids of the binary problems are combined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Indices, Mask
from solver.core.checks import check_choice, check_integer
from solver.core.estimator import Classifier
from solver.core.multiclass import Pair
from solver.core.scikit_learn import of_scikit_learn

from ._coupling_loops import couple
from .svc import SVC

#: Folds as scikit-learn takes them: how many, or the indices of the training and the test points of each.
Folds: TypeAlias = "int | Iterable[tuple[ArrayLike, ArrayLike]]"
#: Newton's method: largest gradient of the mean loss, and number of steps.  Lin, Lin and Weng stop at a gradient of the
#: sum of 1e-5, too early for six digits of a probability.
GRADIENT, MOST_STEPS = 1e-12, 100
#: Added to the diagonal of the Hessian, which is singular if all f are equal.
RIDGE = 1e-12
#: Backtracking: share of the predicted decrease that is enough, and shortest step.
DECREASE, SHORTEST = 1e-4, 1e-10


def fit_sigmoid(f: Array, positive: Mask, weights: Array) -> tuple[float, float]:
    """Fit Platt's sigmoid ``p = 1 / (1 + exp(A f + B))`` and return A and B.

    It minimises the log loss ``-sum_i w_i (t_i log p_i + (1 - t_i) log(1 - p_i))`` with the targets
    ``t_i = (N_+ + 1) / (N_+ + 2)`` of positive and ``1 / (N_- + 2)`` of negative points, so that A and B are finite for
    separable data, too; N_+ and N_- are the sums of their weights.

    Parameters
    ----------
    f : ndarray of shape (n,)
        Values of points that were not in the training.
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
        At least 0, not all 0.

    References
    ----------
    Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin Classifiers, 2000.  Lin, Lin,
    Weng, "A note on Platt's probabilistic outputs for support vector machines", Machine Learning 68, 2007.
    """
    n_positive, n_negative = float(weights[positive].sum()), float(weights[~positive].sum())
    targets = np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))
    w = weights / weights.sum()
    scale = float(np.abs(f).max()) or 1.0
    terms = np.column_stack((f / scale, np.ones(len(f))))

    def loss(x: Array) -> float:
        z = terms @ x
        return float(w @ (np.logaddexp(0.0, z) - (1.0 - targets) * z))

    x = np.array([0.0, np.log((n_negative + 1.0) / (n_positive + 1.0))])
    value = loss(x)
    for _ in range(MOST_STEPS):
        p = sigmoid(terms @ x)
        gradient = terms.T @ (w * (targets - p))
        if np.abs(gradient).max() < GRADIENT:
            break
        hessian = (terms.T * (w * p * (1.0 - p))) @ terms + RIDGE * np.eye(2)
        direction = -np.linalg.solve(hessian, gradient)
        slope, step = float(gradient @ direction), 1.0
        while step >= SHORTEST and not loss(x + step * direction) < value + DECREASE * step * slope:
            step /= 2.0
        if step < SHORTEST:  # the loss decreases by less than its rounding error
            break
        x = x + step * direction
        value = loss(x)
    return float(x[0]) / scale, float(x[1])


def sigmoid(z: Array) -> Array:
    """Return ``1 / (1 + exp(z))``."""
    with np.errstate(over="ignore"):  # 1 / inf is 0, as it should be
        falling: Array = np.exp(z)
    falling += 1.0
    return np.divide(1.0, falling, out=falling)


def class_probabilities(f: Array, A: Array, B: Array, pairs: Sequence[Pair], n_classes: int) -> Array:
    """Return the probabilities of all classes from f of the binary problems.

    With r_ij the probability of class i against class j by the sigmoid of their problem, they minimise
    ``sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2`` over ``sum_i p_i = 1``: the second method of Wu, Lin and Weng,
    LIBSVM's.  One-vs-rest, the probabilities are divided by their sum, as scikit-learn does.

    Parameters
    ----------
    f : ndarray of shape (..., n_pairs)
    A, B : ndarray of shape (n_pairs,)
        Of the sigmoid ``1 / (1 + exp(A f + B))`` of each problem.
    pairs : sequence of Pair
    n_classes : int

    Returns
    -------
    ndarray of shape (..., n_classes)

    References
    ----------
    Wu, Lin, Weng, "Probability estimates for multi-class classification by pairwise coupling", JMLR 5, 2004.
    """
    if len(pairs) == 1:
        p = sigmoid(A * f + B)
        return np.concatenate((1.0 - p, p), axis=-1)
    shares = np.empty((n_classes, *f.shape[:-1]))
    rows = np.ascontiguousarray(np.moveaxis(f, -1, 0)).reshape(len(pairs), -1)
    sides = np.array([(pair.positive, pair.negative) for pair in pairs])
    couple(rows, A, B, sides, shares.reshape(n_classes, -1))
    return np.moveaxis(shares, 0, -1)


@dataclass(repr=False, eq=False)
class CalibratedSVC(Classifier):
    """Support vector classifier with probabilities: Platt's sigmoid of f, fitted by cross-validation.

    It corresponds to scikit-learn's ``CalibratedClassifierCV(SVC(), ensemble=False)``: each point gets its f from an
    SVC trained without the point's fold; one sigmoid for each binary problem is fitted to these values, and applied to
    f of one SVC trained on all points.

    Parameters
    ----------
    estimator : SVC, optional
        The classifier; default ``SVC()``.
    cv : int or iterable of (train, test), default=5
        Number of folds, at least 2 and at most that of the points of the smallest class; the points are dealt class by
        class in their order, as scikit-learn's ``StratifiedKFold`` does.  Or the indices of the training and the test
        points of each fold; each point must be tested once.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the points whose weight is above 0.
    estimator_ : SVC
        Trained on all points.
    probA_, probB_ : ndarray of shape (n_problems,)
        A and B of the sigmoid ``1 / (1 + exp(A f + B))`` of each binary problem, in the order of ``estimator_.pairs_``.
        The probability is 1/2 at f = -B/A.
    n_features_in_ : int
        Number of features; for a precomputed kernel, number of training points.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if `fit` was given a data frame whose column names are strings.

    See Also
    --------
    SVC : The classifier itself, without probabilities.

    Notes
    -----
    The probability of 1/2 is in general not at the boundary f = 0, so `predict`, the class of the largest probability,
    can contradict ``estimator_.predict``.  If A is above 0, the sigmoid falls where f rises: out of fold, f was wrong
    more often than right.

    With `sample_weight` the targets of the sigmoid use the raw sums of the weights of both classes, as scikit-learn's
    sigmoid does: weights ten times as large count as ten times as many points, and draw the targets nearer to 0 and 1.

    Of more than two classes, one-vs-one, the pairs are coupled as in LIBSVM, where scikit-learn's
    ``CalibratedClassifierCV`` calibrates each class against the rest; the probabilities differ.  LIBSVM stops its
    iteration near the solution that is computed here.

    References
    ----------
    Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin Classifiers, 2000.  Lin, Lin,
    Weng, "A note on Platt's probabilistic outputs for support vector machines", Machine Learning 68, 2007.  Wu, Lin,
    Weng, "Probability estimates for multi-class classification by pairwise coupling", JMLR 5, 2004.

    Examples
    --------
    >>> from solver import SVC, CalibratedSVC
    >>> X, y = [[0], [1], [2], [3], [4], [5], [6], [7]], ["dry", "dry", "dry", "wet", "dry", "wet", "wet", "wet"]
    >>> model = CalibratedSVC(SVC(kernel="linear"), cv=4).fit(X, y)
    >>> model.predict_proba([[0], [3.5], [7]]).round(2).tolist()
    [[0.67, 0.33], [0.5, 0.5], [0.33, 0.67]]
    """

    estimator: SVC | None = None
    cv: Folds = 5

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on points and their labels, and fit the sigmoids.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            As in `SVC.fit`.
        y : array-like of shape (n,)
            Labels of at least two classes, each with at least `cv` points, or with points in two of the folds given.
        sample_weight : array-like of shape (n,), optional
            Factors of C and weights of the loss of the sigmoids, at least 0.  A point of weight 0 is left out.

        Returns
        -------
        Self
            This estimator, fitted.

        Raises
        ------
        ValueError, TypeError
            As `SVC.fit`; or if a class has fewer than `cv` points, if a fold leaves no point of some class to train on,
            or if the folds do not test each point once.  The estimator is then unchanged.
        """
        svc = self._svc()
        data = svc._training_data(X, y, sample_weight)
        points, classes, codes, weights = data.X, data.classes, data.codes, data.weights
        fold_of = _stratified(self.cv, codes) if isinstance(self.cv, int | np.integer) else _given(self.cv, len(points))
        for c, label in enumerate(classes):
            folds = fold_of[codes == c]
            if (folds == folds[0]).all():
                raise ValueError(f"All points of class {label!s} are in one fold; each class needs points in two.")

        names, gram = classes[codes], svc.kernel == "precomputed"
        whole = SVC(**svc.get_params()).fit(points, names, weights)
        values = np.zeros((len(points), len(whole.pairs_)))
        for fold in np.unique(fold_of[codes >= 0]):
            train = np.flatnonzero((fold_of != fold) & (codes >= 0))
            test = np.flatnonzero((fold_of == fold) & (codes >= 0))
            folds_found, unseen = (points[np.ix_(i, train)] if gram else points[i] for i in (train, test))
            model = SVC(**svc.get_params()).fit(folds_found, names[train], weights[train])
            values[test] = model.pair_decision_function(unseen)

        self.estimator_, self.classes_, self.n_features_in_ = whole, classes, points.shape[1]
        self.probA_, self.probB_ = fit_sigmoids(whole.pairs_, values, codes, weights)
        return self._learned_from(X)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probability of each class at each query.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n, n_classes)
            In the order of `classes_`; each row adds up to 1.

        Raises
        ------
        ValueError, TypeError
            As `SVC.decision_function`.
        """
        points = self._queries(X)
        return self.estimator_._in_pieces(points, self.probabilities)

    def probabilities(self, pair_values: Array) -> Array:
        """Return `predict_proba` for given f of the binary problems, shape (n, n_problems) -> (n, n_classes)."""
        pairs, n_classes = self.estimator_.pairs_, len(self.classes_)
        return class_probabilities(pair_values, self.probA_, self.probB_, pairs, n_classes)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of the largest probability at each query, shape (n,): the lowest class of equals.

        Raises
        ------
        ValueError, TypeError
            As `predict_proba`.
        """
        points = self._queries(X)
        labels: NDArray[Any] = self.classes_[self.estimator_._in_pieces(points, self.probabilities).argmax(axis=1)]
        return labels

    def to_sklearn(self) -> Any:
        """Return the ``CalibratedClassifierCV`` of scikit-learn with the corresponding parameters, not fitted.

        Its probabilities of two classes, and of more one-vs-rest, are the same up to the precision of both; those of
        more classes one-vs-one are others, see the Notes of the class.

        Raises
        ------
        ValueError, ImportError
            As `SVC.to_sklearn`.
        """
        calibrated = of_scikit_learn("calibration", "CalibratedClassifierCV")
        return calibrated(self._svc().to_sklearn(), method="sigmoid", ensemble=False, cv=self.cv)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters by name; if `deep`, those of a given SVC, too, as ``estimator__C``."""
        params = super().get_params()
        inner = self.estimator.get_params() if deep and isinstance(self.estimator, SVC) else {}
        return params | {f"estimator__{name}": value for name, value in inner.items()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of the estimator as ``estimator__C``.

        Raises
        ------
        ValueError
            If a name is not a parameter; nothing is set then.
        """
        known = self.get_params(deep=False)
        estimator = params.get("estimator", self.estimator)
        inner = {name.removeprefix("estimator__"): v for name, v in params.items() if name.startswith("estimator__")}
        for name in params:
            if not name.startswith("estimator__"):
                check_choice("parameter name", name, known)
        if inner:
            if not isinstance(estimator, SVC):
                raise ValueError(f"estimator is {estimator!r}, so it has no parameters to set; give an SVC().")
            estimator.set_params(**inner)
        return super().set_params(**{name: v for name, v in params.items() if name in known})

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags, which are those of the estimator; only scikit-learn calls this."""
        return self._svc().__sklearn_tags__()

    def _svc(self) -> SVC:
        """Return the estimator, or the default one."""
        if self.estimator is None:
            return SVC()
        if not isinstance(self.estimator, SVC):
            raise ValueError(f"estimator is {self.estimator!r}; it must be an SVC of this package.")
        return self.estimator


def fit_sigmoids(pairs: list[Pair], values: Array, codes: Indices, weights: Array) -> tuple[Array, Array]:
    """Return A and B of each pair, fitted to its points' out-of-fold `values`, shape (n, n_pairs)."""
    found = []
    for column, pair in enumerate(pairs):
        problem = pair.among(codes)
        found.append(fit_sigmoid(values[problem.index, column], problem.y > 0.0, weights[problem.index]))
    A, B = np.array(found).T
    return A, B


def _stratified(cv: int, codes: Indices) -> Indices:
    """Deal the points of each class among `cv` folds, as ``StratifiedKFold``; -1 for points with code -1.

    Raises
    ------
    ValueError
        If a class has fewer points than there are folds.
    """
    n_folds = check_integer("cv", cv, 2)
    present = np.flatnonzero(codes >= 0)
    if (fewest := int(np.bincount(codes[present]).min())) < n_folds:
        raise ValueError(
            f"Requesting {n_folds}-fold cross-validation but provided less than {n_folds} examples for at least one"
            f" class: the smallest has {fewest}, "
            + (f"for which cv={fewest} would do." if fewest > 1 else "which is too few for any folds.")
        )
    # scikit-learn numbers the classes by their first point.
    _, first, numbers = np.unique(codes[present], return_index=True, return_inverse=True)
    numbers = first.argsort().argsort()[numbers]
    dealt = np.sort(numbers)
    fold_of = np.full(len(codes), -1)
    for number in range(len(first)):
        shares = [int((dealt[fold::n_folds] == number).sum()) for fold in range(n_folds)]
        fold_of[present[numbers == number]] = np.arange(n_folds).repeat(shares)
    return fold_of


def _given(cv: Any, n_points: int) -> Indices:
    """Return the fold of each point; ValueError unless the folds `cv` test each point once and train on the others."""
    wrong = ValueError(
        "cv must be a whole number of at least 2, or pairs (train, test) of indices that test each point once and train"
        " on all others."
    )
    fold_of = np.full(n_points, -1)
    try:
        for fold, (train, test) in enumerate(cv):
            tested = np.asarray(test)
            if (
                (fold_of[tested] >= 0).any()
                or not np.array_equal(np.union1d(train, tested), np.arange(n_points))
                or np.intersect1d(train, tested).size
            ):
                raise wrong
            fold_of[tested] = fold
    except (TypeError, IndexError, ValueError):
        raise wrong from None
    if (fold_of < 0).any():
        raise wrong
    return fold_of
