"""SVC: the scikit-learn shaped support vector classifier over SmoSolver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .certificate import Status
from .estimator import Estimator
from .kernels import KERNELS, GridRows, Kernel
from .multiclass import Pair, PairTrainer, one_vs_one, one_vs_rest_values, votes
from .problem import check_axis, check_choice, check_labels, check_number, check_points, check_size
from .selection import RULES
from .smo import LARGEST_COORDINATE, SmoSnapshot, SmoSolver

Array = NDArray[np.float64]


class SVC(Estimator):
    """Support vector classifier trained by sequential minimal optimisation, one-vs-one for more than two classes.

    Parameters
    ----------
    C : float, default=1.0
        Price of slack; inf is the hard margin.
    kernel : {"linear", "poly", "rbf", "laplacian", "sigmoid"}, default="rbf"
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
        "scale" is 1 / (n_features * X.var()), "auto" 1 / n_features.
    coef0 : float, default=0.0
    tol : float, default=1e-3
        Largest KKT violation called optimal.
    max_iter : int, default=-1
        Steps per pair of classes; -1 means max(10^7, 100 n).  Reaching a limit sets `fit_status_` to 1.
    selection : {"cyclic", "random", "platt", "first-order", "second-order"}, default="second-order"
        Working-set rule.
    random_state : int or None, default=None
        Seed of the rules that draw.  None means 0: the same call gives the same answer.

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_iter_, n_features_in_, coef_
        As in scikit-learn, with its shapes and signs: for two classes f > 0 is classes_[1].
    fit_status_ : int
        0 when every pair is optimal (or stationary, or at the limit of double precision), else 1.
    certificates_ : list of Certificate
        One per pair of classes.
    """

    _largest_coordinate = LARGEST_COORDINATE

    def __init__(
        self, C: float = 1.0, kernel: str = "rbf", degree: int = 3, gamma: str | float = "scale", coef0: float = 0.0,
        tol: float = 1e-3, max_iter: int = -1, selection: str = "second-order", random_state: int | None = None,
    ) -> None:  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.selection = selection
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on `X` (n, n_features) and labels `y` (n,).

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence.
        """
        trainer = self.prepare(X, y)
        while trainer.status is Status.RUNNING:
            trainer.step(1_000_000)
        self.adopt(trainer.snapshot())
        del self._trainer  # its kernel rows may fill 200 MB
        return self

    def prepare(
        self, X: ArrayLike, y: ArrayLike,
        start: Callable[[Pair], ArrayLike | None] | None = None, compiled: bool = True,
    ) -> PairTrainer:  # fmt: skip
        """Check data and parameters and return the trainer that `fit` would run; `adopt` takes its snapshots.

        Parameters
        ----------
        start : callable, optional
            ``start(pair)`` gives the multipliers a pair starts from, or None.
        compiled : bool, default=True
            See `SmoSolver`.
        """
        points = check_points(X)
        check_size("X", points, LARGEST_COORDINATE)
        self.classes_, codes = check_labels(y, len(points))
        if len(self.classes_) < 2:
            raise ValueError("y holds one class only; an SVM needs points of at least two classes.")
        C = check_number("C", self.C, 0.0, open_low=True)
        tol = check_number("tol", self.tol, 0.0, np.inf, open_low=True, open_high=True)
        check_choice("selection", self.selection, RULES)
        self._kernel = self._checked_kernel(points)
        self._X, self._codes = points, codes
        self.n_features_in_ = points.shape[1]
        # The points may be shifted for a linear kernel: products of differences keep the digits far from the origin.
        translatable = self._kernel.is_translation_invariant
        self._centre = points.mean(axis=0) if translatable else np.zeros(points.shape[1])
        self._pairs = one_vs_one(codes, len(self.classes_))

        def solver(pair: Pair) -> SmoSolver:
            return SmoSolver(
                points[pair.index], pair.y, self._kernel, C=C, tol=tol, max_iter=self.max_iter,
                selection=self.selection, random_state=0 if self.random_state is None else self.random_state,
                alpha=None if start is None else start(pair), compiled=compiled,
                cache_size=200.0 / len(self._pairs),  # MB in all
            )  # fmt: skip

        self._trainer = PairTrainer(self._pairs, solver)
        return self._trainer

    def adopt(self, snapshots: list[SmoSnapshot]) -> Self:
        """Set the learned attributes from the trainer's snapshots, finished or not."""
        X, codes, n_classes = self._X, self._codes, len(self.classes_)
        full = np.zeros((len(X), len(self._pairs)))
        for p, (pair, snapshot) in enumerate(zip(self._pairs, snapshots, strict=True)):
            full[pair.index, p] = pair.y * snapshot.alpha
        support = np.flatnonzero((full != 0).any(axis=1))
        support = support[np.argsort(codes[support], kind="stable")]
        self.support_ = support.astype(np.int32)
        self.support_vectors_ = X[support]
        self.n_support_ = np.bincount(codes[support], minlength=n_classes).astype(np.int32)
        self._pair_coef = full[support]
        self.dual_coef_ = self._libsvm_coef()
        shift = np.zeros(len(self._pairs))
        if self._kernel.is_translation_invariant:
            weights = self._pair_coef.T @ (self.support_vectors_ - self._centre)
            for p, solver in enumerate(self._trainer.solvers):
                shift[p] = weights[p] @ (self._centre - solver.centre)
            self._offset = shift + [s.intercept for s in snapshots]
            self.intercept_ = self._offset - weights @ self._centre
        else:
            self.intercept_ = self._offset = np.array([s.intercept for s in snapshots])
        self.certificates_ = [s.certificate for s in snapshots]
        n_iter = np.array([c.n_iter for c in self.certificates_], dtype=np.int32)
        self.n_iter_ = n_iter
        bad = (Status.RUNNING, Status.STOPPED_EARLY, Status.NOT_SEPARABLE)
        self.fit_status_ = int(any(c.status in bad for c in self.certificates_))
        return self

    def snapshot_model(self, snapshots: list[SmoSnapshot]) -> SVC:
        """A model of its own with the learned attributes of `snapshots`; this one and its trainer go on."""
        model = SVC(**self.get_params())
        for name in ("classes_", "_kernel", "_X", "_codes", "n_features_in_", "_centre", "_pairs", "_trainer"):
            setattr(model, name, getattr(self, name))
        model.adopt(snapshots)
        del model._trainer  # it moves on; a model never changes
        return model

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
        """Label of each point: the class with most duels won, the lowest of equals."""
        winner = self.winner(self.pair_decision_function(X))
        labels: NDArray[Any] = self.classes_[winner]
        return labels

    def winner(self, pair_values: Array) -> NDArray[np.intp]:
        """Class index for given values of the pairs' f, shape (..., n_pairs) -> (...)."""
        won: NDArray[np.intp] = votes(pair_values, self._pairs, len(self.classes_)).argmax(axis=-1)
        return won

    def surface(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """`decision_function` at (xs[i], ys[j]).

        Returns
        -------
        ndarray of shape (len(ys), len(xs)) for two classes, (len(ys), len(xs), n_classes) for more
        """
        n_features = self._fitted().n_features_in_
        columns, rows = check_axis("xs", xs, n_features), check_axis("ys", ys, n_features)
        check_size("xs", columns, LARGEST_COORDINATE)
        check_size("ys", rows, LARGEST_COORDINATE)
        return self._joined(self._finite(self.pair_surface_on(columns)(rows)))

    def pair_surface_on(self, xs: Array) -> GridRows:
        """Prepare the pairs' f on columns `xs`; the result gives rows: ``rows(ys) -> (len(ys), len(xs), n_pairs)``."""
        rows = self._kernel.expansion_on(
            self.support_vectors_ - self._centre, self._pair_coef, np.asarray(xs) - self._centre[0]
        )
        offset, centre = self._offset, self._centre[1]

        def shifted(ys: Array) -> Array:
            values = rows(np.asarray(ys) - centre)
            values += offset
            return values

        return shifted

    # -- inside ----------------------------------------------------------------------------------------------------

    def _finite(self, values: Array) -> Array:
        if not np.isfinite(values).all():
            raise ValueError(f"The {self._kernel.name} kernel overflows at these coordinates; go nearer to 0.")
        return values

    def _checked_kernel(self, X: Array) -> Kernel:
        name = check_choice("kernel", self.kernel, KERNELS)
        n_features = X.shape[1]
        gamma = self.gamma
        if isinstance(gamma, str):
            if check_choice("gamma", gamma, ("scale", "auto")) == "auto":
                gamma = 1.0 / n_features
            else:
                variance = float(X.var())
                # Points so close together that the formula overflows are one point to every kernel.
                gamma = 1.0 / (n_features * variance) if variance > 1e-300 else 1.0
        return Kernel(name, gamma, self.coef0, self.degree)

    def _joined(self, pair_values: Array) -> Array:
        if len(self.classes_) == 2:
            return pair_values[..., 0]
        return one_vs_rest_values(pair_values, self._pairs, len(self.classes_))

    def _libsvm_coef(self) -> Array:
        """LIBSVM's compact table: in the block of class c, row r belongs to the pair of c with its r-th other class."""
        n_classes = len(self.classes_)
        if n_classes == 2:
            return self._pair_coef.T.copy()
        table = np.zeros((n_classes - 1, len(self.support_)))
        codes = self._codes[self.support_]
        for p, pair in enumerate(self._pairs):
            i, j = pair.positive, pair.negative  # i < j
            table[j - 1, codes == i] = self._pair_coef[codes == i, p]
            table[i, codes == j] = self._pair_coef[codes == j, p]
        return table
