"""KernelClassifier: what classifiers of the form f(x) = sum_s coef_s k(x_s, x) + b share, whoever trained them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .certificate import Certificate, Status
from .estimator import Estimator
from .expansion import AnyKernel, Expansion, gamma_of
from .grids import GridRows
from .kernels import KERNELS, Kernel, PrecomputedKernel
from .multiclass import REST, Pair, one_vs_one, one_vs_rest_values, winners
from .problem import check_axis, check_choice, check_labels, check_points, check_size

Array = NDArray[np.float64]
#: Statuses of a training that has not come to its end.
UNFINISHED = (Status.RUNNING, Status.STOPPED_EARLY, Status.NOT_SEPARABLE)


class Trained(Protocol):
    """What is needed of the solver of a binary problem."""

    centre: Array

    @property
    def intercept(self) -> float:
        """b for points shifted by `centre`."""

    def certificate(self, thorough: bool = True) -> Certificate:
        """What is proved."""


class KernelClassifier(Estimator):
    """The use of a trained expansion.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; with two of them f > 0 is classes_[1].
    pairs_ : list of Pair
        The binary problems, in the order of `intercept_`.
    intercept_ : ndarray of shape (n_problems,)
    """

    #: A parameter of some subclasses, see `SVC`.
    decision_function_shape: str = "ovr"
    classes_: NDArray[Any]
    pairs_: list[Pair]
    _expansion: Expansion

    def _expand(
        self, kernel: AnyKernel, vectors: Array, support: NDArray[np.int32], coef: Array, intercepts: Array,
        centres: Sequence[Array], centre: Array,
    ) -> None:  # fmt: skip
        """Set `intercept_` and what predictions need.

        Parameters
        ----------
        vectors, support, coef
            As in `Expansion`.
        intercepts : ndarray of shape (n_problems,)
            For the points of each problem shifted by its own centre, of `centres`.
        centre : ndarray of shape (n_features,)
            The one to predict with.  Only a linear kernel has other centres than zeros.
        """
        offset = self.intercept_ = intercepts
        if kernel.is_translation_invariant:
            weights = coef.T @ (vectors - centre)
            offset = intercepts + [w @ (centre - own) for w, own in zip(weights, centres, strict=True)]
            self.intercept_ = offset - weights @ centre
        self._expansion = Expansion(kernel, vectors, support, coef, offset, centre)

    @property
    def coef_(self) -> Array:
        """Weights of a linear kernel, shape (n_problems, n_features); AttributeError for other kernels."""
        if not hasattr(self, "_expansion") or self._expansion.kernel.name != "linear":
            raise AttributeError("coef_ is only available after a fit with the linear kernel.")
        return self._expansion.linear_weights

    def pair_decision_function(self, X: ArrayLike) -> Array:
        """f of each binary problem, shape (n, n_problems); positive for the problem's `positive` class."""
        points = self._queries(X)
        return self._expansion(points)

    def decision_function(self, X: ArrayLike) -> Array:
        """f, shape (n,), for two classes; for more, one column per class, shape (n, n_classes).

        One-vs-one, the columns are votes and a fraction that orders equal votes, as in scikit-learn; with
        ``decision_function_shape="ovo"`` they are f of the pairs.  One-vs-rest, f of each class against the rest.
        """
        return self._joined(self.pair_decision_function(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Label of each point, shape (n,): the class `winner` names."""
        winner = self.winner(self.pair_decision_function(X))
        labels: NDArray[Any] = self.classes_[winner]
        return labels

    def winner(self, pair_values: Array) -> NDArray[np.intp]:
        """Class index for given f of the binary problems, shape (..., n_problems) -> (...): most duels won, or
        one-vs-rest the largest f; the lowest class of equals."""
        return winners(pair_values, self.pairs_, len(self.classes_))

    def surface(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """`decision_function` at (xs[i], ys[j]).

        Returns
        -------
        ndarray of shape (len(ys), len(xs)) for two classes, (len(ys), len(xs), n_columns) for more

        Raises
        ------
        ValueError
            Other than two features, bad axes, or a precomputed kernel, whose points are not in the plane.
        """
        n_features = self._fitted().n_features_in_
        if isinstance(self._expansion.kernel, PrecomputedKernel):
            raise ValueError("A precomputed kernel has no surface: its points are rows of a matrix, not of the plane.")
        columns, rows = check_axis("xs", xs, n_features), check_axis("ys", ys, n_features)
        check_size("xs", columns, self._largest_coordinate)
        check_size("ys", rows, self._largest_coordinate)
        return self._joined(self._expansion.finite(self.pair_surface_on(columns)(rows)))

    def pair_surface_on(self, xs: Array) -> GridRows:
        """Prepare f on columns `xs`; the result gives rows: ``rows(ys) -> (len(ys), len(xs), n_problems)``."""
        return self._fitted()._expansion.rows_on(check_axis("xs", xs, self.n_features_in_))

    def _joined(self, pair_values: Array) -> Array:
        if len(self.classes_) == 2:
            return pair_values[..., 0]
        if self.pairs_[0].negative == REST or self.decision_function_shape == "ovo":
            return pair_values
        return one_vs_rest_values(pair_values, self.pairs_, len(self.classes_))


class OneVsOneClassifier(KernelClassifier):
    """A kernel classifier that trains one solver per pair of classes.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Numbers of the training points with a multiplier above 0, in the order of their classes.
    support_vectors_ : ndarray of shape (n_support, n_features)
    n_support_ : ndarray of shape (n_classes,)
    dual_coef_ : ndarray of shape (n_pairs, n_support)
        y alpha of each pair (0, 1), (0, 2), .., (1, 2), ..; 0 where a point is not of the pair.  For two classes that
        is scikit-learn's table; for more it is not folded as LIBSVM's is.
    certificates_ : list of Certificate
        One per pair.
    n_iter_ : ndarray of shape (n_pairs,)
        Steps, as the certificates count them.
    fit_status_ : int
        0 when every pair is optimal (or stationary, or at the limit of double precision), else 1.
    """

    kernel: str
    degree: int
    gamma: str | float
    coef0: float
    _kernel: Kernel

    def _pairs_of(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, list[Pair]]:
        """Checked points and their pairs; sets `classes_` and the kernel."""
        points = check_points(X)
        check_size("X", points, self._largest_coordinate)
        self.classes_, codes = check_labels(y, len(points))
        if len(self.classes_) < 2:
            raise ValueError("y holds one class only; an SVM needs points of at least two classes.")
        self._kernel = self._checked_kernel(points)
        self.pairs_ = one_vs_one(codes, len(self.classes_))
        return points, self.pairs_

    def _codes_of(self, y: ArrayLike) -> NDArray[np.intp]:
        """Class index of each label, all of which are in `classes_`."""
        return np.searchsorted(self.classes_, np.asarray(y))

    def _checked_kernel(self, X: Array) -> Kernel:
        return Kernel(check_choice("kernel", self.kernel, KERNELS), gamma_of(self.gamma, X), self.coef0, self.degree)

    def _adopt(
        self, support: NDArray[np.intp], vectors: Array, codes: NDArray[np.intp], coef: Array,
        solvers: Sequence[Trained],
    ) -> None:  # fmt: skip
        """Set the learned attributes: numbers, points, class indices and coefficients (n_support, n_pairs)."""
        order = np.argsort(codes, kind="stable")
        self.support_ = support[order].astype(np.int32)
        self.support_vectors_ = vectors[order]
        self.n_support_ = np.bincount(codes, minlength=len(self.classes_)).astype(np.int32)
        self.dual_coef_ = coef[order].T.copy()
        self._expand(
            self._kernel, self.support_vectors_, self.support_, coef[order],
            np.array([solver.intercept for solver in solvers]), [solver.centre for solver in solvers],
            solvers[0].centre,
        )  # fmt: skip
        self.certificates_ = [solver.certificate() for solver in solvers]
        self.n_iter_ = np.array([c.n_iter for c in self.certificates_], dtype=np.int64)
        self.fit_status_ = int(any(c.status in UNFINISHED for c in self.certificates_))
        self.n_features_in_ = vectors.shape[1]
