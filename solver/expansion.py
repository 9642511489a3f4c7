"""KernelClassifier: what classifiers of the form f(x) = sum_s coef_s k(x_s, x) + b share, whoever trained them.

More than two classes are joined one-vs-one as in `multiclass`: one f per pair of classes, and votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .certificate import Certificate, Status
from .estimator import Estimator
from .kernels import KERNELS, GridRows, Kernel
from .multiclass import Pair, one_vs_one, one_vs_rest_values, votes
from .problem import check_axis, check_choice, check_labels, check_points, check_size

Array = NDArray[np.float64]


class Trained(Protocol):
    """What is needed of the solver of a pair."""

    centre: Array

    @property
    def intercept(self) -> float:
        """b for points shifted by `centre`."""

    def certificate(self, thorough: bool = True) -> Certificate:
        """What is proved."""


class KernelClassifier(Estimator):
    """The kernel of the parameters, the pairs of classes, and the use of a trained expansion.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; with two of them f > 0 is classes_[1].
    support_ : ndarray of shape (n_support,)
        Numbers of the training points with a multiplier above 0, in the order of their classes.
    support_vectors_ : ndarray of shape (n_support, n_features)
    n_support_ : ndarray of shape (n_classes,)
    dual_coef_ : ndarray of shape (n_pairs, n_support)
        y alpha of each pair (0, 1), (0, 2), .., (1, 2), ..; 0 where a point is not of the pair.  For two classes that
        is scikit-learn's table; for more it is not folded as LIBSVM's is.
    intercept_ : ndarray of shape (n_pairs,)
    certificates_ : list of Certificate
        One per pair.
    n_iter_ : ndarray of shape (n_pairs,)
        Steps, as the certificates count them.
    fit_status_ : int
        0 when every pair is optimal (or stationary, or at the limit of double precision), else 1.
    n_features_in_ : int
    """

    kernel: str
    degree: int
    gamma: str | float
    coef0: float
    classes_: NDArray[Any]
    _kernel: Kernel
    _pairs: list[Pair]

    # -- training, for the subclasses ------------------------------------------------------------------------------

    def _pairs_of(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, list[Pair]]:
        """Checked points and their pairs; sets `classes_` and the kernel."""
        points = check_points(X)
        check_size("X", points, self._largest_coordinate)
        self.classes_, codes = check_labels(y, len(points))
        if len(self.classes_) < 2:
            raise ValueError("y holds one class only; an SVM needs points of at least two classes.")
        self._kernel = self._checked_kernel(points)
        self._pairs = one_vs_one(codes, len(self.classes_))
        return points, self._pairs

    def _codes_of(self, y: ArrayLike) -> NDArray[np.intp]:
        """Class index of each label, all of which are in `classes_`."""
        return np.searchsorted(self.classes_, np.asarray(y))

    def _checked_kernel(self, X: Array) -> Kernel:
        name = check_choice("kernel", self.kernel, KERNELS)
        gamma = self.gamma
        if isinstance(gamma, str):
            if check_choice("gamma", gamma, ("scale", "auto")) == "auto":
                gamma = 1.0 / X.shape[1]
            else:
                variance = float(X.var())
                # Points so close together that the formula overflows are one point to every kernel.
                gamma = 1.0 / (X.shape[1] * variance) if variance > 1e-300 else 1.0
        return Kernel(name, gamma, self.coef0, self.degree)

    def _adopt(
        self, support: NDArray[np.intp], vectors: Array, codes: NDArray[np.intp], coef: Array,
        solvers: Sequence[Trained],
    ) -> None:  # fmt: skip
        """Set the learned attributes: numbers, points, class indices and coefficients (n_support, n_pairs)."""
        order = np.argsort(codes, kind="stable")
        self.support_ = support[order].astype(np.int32)
        self.support_vectors_ = vectors[order]
        self.n_support_ = np.bincount(codes, minlength=len(self.classes_)).astype(np.int32)
        self._pair_coef = coef[order]
        self.dual_coef_ = self._pair_coef.T.copy()
        # Only the linear kernel has a centre: <w, x - centre_p> + b_p, told for the first pair's centre, and for 0.
        self._centre = solvers[0].centre
        self._offset = np.array([solver.intercept for solver in solvers])
        self.intercept_ = self._offset
        if self._kernel.is_translation_invariant:
            weights = self._pair_coef.T @ (self.support_vectors_ - self._centre)
            shifts = self._centre - np.array([solver.centre for solver in solvers])
            self._offset = self._offset + np.einsum("pd,pd->p", weights, shifts)
            self.intercept_ = self._offset - weights @ self._centre
        self.certificates_ = [solver.certificate() for solver in solvers]
        self.n_iter_ = np.array([c.n_iter for c in self.certificates_], dtype=np.int64)
        bad = (Status.RUNNING, Status.STOPPED_EARLY, Status.NOT_SEPARABLE)
        self.fit_status_ = int(any(c.status in bad for c in self.certificates_))
        self.n_features_in_ = vectors.shape[1]

    # -- using the model -------------------------------------------------------------------------------------------

    @property
    def pairs_(self) -> list[Pair]:
        """The binary problems, in the order of the columns of `pair_decision_function`."""
        return self._pairs

    @property
    def coef_(self) -> Array:
        """Weights of a linear kernel, shape (n_pairs, n_features); AttributeError for other kernels."""
        if not hasattr(self, "_pair_coef") or self._kernel.name != "linear":
            raise AttributeError("coef_ is only available after a fit with the linear kernel.")
        coef: Array = self._pair_coef.T @ (self.support_vectors_ - self._centre)
        return coef

    def pair_decision_function(self, X: ArrayLike) -> Array:
        """f of each pair, shape (n, n_pairs); positive for the pair's `positive` class."""
        points = self._queries(X)
        gram = self._kernel.gram(points - self._centre, self.support_vectors_ - self._centre)
        with np.errstate(over="ignore", invalid="ignore"):
            values: Array = gram @ self._pair_coef + self._offset
        return self._finite(values)

    def decision_function(self, X: ArrayLike) -> Array:
        """f, shape (n,), for two classes; one column per class, shape (n, n_classes), for more."""
        return self._joined(self.pair_decision_function(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Label of each query, shape (n,): the class with most duels won, the lowest of equals."""
        won = votes(self.pair_decision_function(X), self._pairs, len(self.classes_)).argmax(axis=-1)
        labels: NDArray[Any] = self.classes_[won]
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
        return self._joined(self._finite(self.pair_surface_on(columns)(rows)))

    def pair_surface_on(self, xs: Array) -> GridRows:
        """Prepare the pairs' f on columns `xs`; the result gives rows: ``rows(ys) -> (len(ys), len(xs), n_pairs)``."""
        rows = self._kernel.expansion_on(
            self.support_vectors_ - self._centre, self._pair_coef, np.asarray(xs) - self._centre[0]
        )
        offset, height = self._offset, self._centre[1]

        def shifted(ys: Array) -> Array:
            values = rows(np.asarray(ys) - height)
            values += offset
            return values

        return shifted

    def _finite(self, values: Array) -> Array:
        if not np.isfinite(values).all():
            raise ValueError(f"The {self._kernel.name} kernel overflows at these coordinates; go nearer to 0.")
        return values

    def _joined(self, pair_values: Array) -> Array:
        if len(self.classes_) == 2:
            return pair_values[..., 0]
        return one_vs_rest_values(pair_values, self._pairs, len(self.classes_))
