"""KernelClassifier: base class of the classifiers f(x) = sum_s coef_s k(x_s, x) + b, however they are trained."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Indices
from solver.core.binary_reduction import PairClassifier
from solver.core.certificate import Certificate, Status
from solver.core.checks import check_axis, check_choice
from solver.core.class_weights import bounds, class_weights
from solver.core.multiclass import REST, SCHEMES, BinaryProblem, PairTrainer, one_vs_rest_values

from .expansion import AnyKernel, Expansion, gamma_of
from .grids import GridRows
from .table import KERNELS, PARAMETERS, Kernel, PrecomputedKernel

#: Statuses of a training that has not come to its end.
UNFINISHED = (Status.RUNNING, Status.STOPPED_EARLY, Status.NOT_SEPARABLE)
#: Bound of the kernel rows that are kept while training, in MB, where a learner has no parameter for it.
CACHE_SIZE = 200.0


@dataclass(repr=False, eq=False)
class KernelParameters:
    """The first parameters of every classifier with a kernel: C, and those of `Kernel`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty on slack.
    kernel : str, default="rbf"
        A name of `KERNELS`; `SVC` takes others, too.
    degree, gamma, coef0
        As in `SVC`.
    """

    C: float = 1.0
    kernel: Any = "rbf"
    degree: int = 3
    gamma: str | float = "scale"
    coef0: float = 0.0

    @property
    def _kernel_parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in PARAMETERS}


class KernelClassifier(KernelParameters, PairClassifier):
    """A classifier that predicts by an expansion in kernel values.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_rows, n_support)
        y alpha of the support vectors, arranged as each learner documents it.
    """

    #: A parameter of some subclasses, see `SVC`.
    decision_function_shape: str = "ovr"
    support_: NDArray[np.int32]
    dual_coef_: Array
    certificates_: list[Certificate]
    _expansion: Expansion

    def _expand(
        self,
        kernel: AnyKernel,
        vectors: Array,
        support: NDArray[np.int32],
        coef: Array,
        intercepts: Array,
        centres: Sequence[Array],
        centre: Array,
    ) -> None:
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
        self._expansion, self.intercept_ = Expansion(kernel, vectors, support, coef, intercepts, centre), intercepts
        if kernel.is_translation_invariant:
            weights = self._expansion.linear_weights
            offset = intercepts + [w @ (centre - own) for w, own in zip(weights, centres, strict=True)]
            self._expansion, self.intercept_ = replace(self._expansion, offset=offset), offset - weights @ centre

    @property
    def expansion(self) -> Expansion:
        """f of each binary problem as a sum of kernel values."""
        return self._fitted()._expansion

    @property
    def coef_(self) -> Array:
        """Weights of a linear kernel, shape (n_problems, n_features), read-only; AttributeError for other kernels."""
        if not hasattr(self, "_expansion") or not self._expansion.kernel.is_translation_invariant:
            raise AttributeError("coef_ is only available after a fit with the linear kernel.")
        weights = self._expansion.linear_weights
        weights.flags.writeable = False  # predictions would not follow
        return weights

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f at the queries `X`; for more than two classes, one column per class.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            With a precomputed kernel, shape (n, n_samples): kernel values between the queries and the points of `fit`.

        Returns
        -------
        ndarray of shape (n,) for two classes, (n, n_classes) for more
            Two classes: f, positive for classes_[1].  One-vs-one: the number of pairs that the class wins, and a
            fraction that orders classes of equal votes, as in scikit-learn; with ``decision_function_shape="ovo"``, f
            of each pair, shape (n, n_pairs).  One-vs-rest: f of each class against the rest.

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError), if `X` does not hold finite numbers of `n_features_in_`
            features, or if kernel values overflow.
        TypeError
            If `X` holds an object that is not a number, such as a dict or a date.
        """
        return super().decision_function(X)

    def _pair_values(self, points: Array) -> Array:
        return self._expansion(points)

    @property
    def rounding(self) -> float:
        """Bound on the rounding error of f."""
        # Conflicting duplicates make a plain of zeros, not of noise.
        size = float(np.abs(self._fitted().dual_coef_).sum() + np.abs(self.intercept_).max())
        return 8 * float(np.finfo(np.float64).eps) * size

    def surface(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """Return `decision_function` at all points (xs[i], ys[j]), much faster than point by point.

        Parameters
        ----------
        xs, ys : array-like of shape (n_columns,), (n_rows,)
            Coordinates of columns and rows.

        Returns
        -------
        ndarray of shape (n_rows, n_columns) for two classes, (n_rows, n_columns, n_classes) for more
            The last axis as the columns of `decision_function`.

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError) or has other than two features, if an axis is not finite, or
            if the kernel is precomputed, so that its points are not in the plane.
        TypeError
            If an axis holds an object that is not a number.
        """
        n_features = self._fitted().n_features_in_
        if isinstance(self._expansion.kernel, PrecomputedKernel):
            raise ValueError("A precomputed kernel has no surface: its points are rows of a matrix, not of the plane.")
        columns = check_axis("xs", xs, n_features, self._largest_coordinate)
        rows = check_axis("ys", ys, n_features, self._largest_coordinate)
        return self._joined(self._expansion.finite(self.pair_surface_on(columns)(rows)))

    def _rows_on(self, xs: Array) -> GridRows:
        return self._expansion.rows_on(xs)

    def _joined(self, pair_values: Array) -> Array:
        if len(self.classes_) == 2:
            return pair_values[..., 0]
        if self.pairs_[0].negative == REST or self.decision_function_shape == "ovo":
            return pair_values
        return one_vs_rest_values(pair_values, self.pairs_, len(self.classes_))


@dataclass(frozen=True)
class Training:
    """What a call of `prepare` found out about data and parameters; `adopt` makes learned attributes of it."""

    X: Array
    classes: NDArray[Any]
    codes: Indices  #: class index of each point
    C: Array  #: bound of each point's multipliers
    kernel: Kernel
    trainer: PairTrainer[Any]


class SteppedKernelClassifier(KernelClassifier):
    """A kernel classifier with one stepped solver for each binary problem.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,), int32
        Indices of the training points with a multiplier above 0, by class.
    support_vectors_ : ndarray of shape (n_support, n_features)
    n_support_ : ndarray of shape (n_classes,), int32
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_problems, n_support)
        y alpha of each problem, in the order of `pairs_`; 0 for points that are not of the problem.  For two classes
        this is scikit-learn's table; for more, one-vs-one, it is not folded as LIBSVM's is.
    certificates_ : list of Certificate
        One per problem.
    n_iter_ : ndarray of shape (n_problems,), int
        Steps, as the certificates count them.
    fit_status_ : int
        0 if every problem is optimal (or stationary, or at the limit of double precision), else 1.
    """

    multiclass: str
    class_weight: Mapping[Any, float] | str | None
    _largest_C = np.inf
    _kernel: Kernel

    def pair_multipliers(self, snapshots: Sequence[Any]) -> list[tuple[Array, Array]]:
        """Return alpha and C of the points of each binary problem, in the order of `Pair.index`.

        `snapshots` are those of the trainer that `prepare` made.  Points that LASVM has dropped have alpha = 0.
        """
        training: Training = self._training
        found = []
        for pair, snapshot in zip(training.trainer.pairs, snapshots, strict=True):
            numbers, alpha = self._multipliers(snapshot, pair)
            of_all = np.zeros(len(training.X))
            of_all[numbers] = alpha
            found.append((of_all[pair.index], training.C[pair.index]))
        return found

    @abstractmethod
    def _solver(
        self, points: Array, signs: Array, C: Array, numbers: Indices, kernel: Kernel, cache_size: float
    ) -> Any:
        """The solver of one binary problem; `numbers` are those of its points, `cache_size` its share in MB."""

    @abstractmethod
    def _multipliers(self, snapshot: Any, pair: BinaryProblem) -> tuple[NDArray[Any], Array]:
        """Numbers of points, and their alpha; those of all others are 0."""

    def _checked(self, X: ArrayLike, y: ArrayLike) -> Training:
        points, classes, codes = self._training_data(X, y)
        kernel = self._checked_kernel(points)
        scheme = SCHEMES[check_choice("multiclass", self.multiclass, SCHEMES)]
        C = self._prices(classes, codes)
        pairs = scheme.problems(codes, len(classes))
        share = CACHE_SIZE / len(pairs)

        def solver(pair: BinaryProblem) -> Any:
            return self._solver(points[pair.index], pair.y, C[pair.index], pair.index, kernel, share)

        return Training(points, classes, codes, C, kernel, PairTrainer(pairs, solver))

    def _prices(self, classes: NDArray[Any], codes: Indices) -> Array:
        """C of each point: C times the weight of its class, which must be above 0."""
        weights = class_weights(self.class_weight, classes, codes)
        if not (weights > 0).all():
            label = classes[weights.argmin()]
            raise ValueError(f"class_weight of {label!s} is 0; {type(self).__name__} wants weights above 0.")
        return bounds(self.C, weights[codes], self._largest_C)

    def _checked_kernel(self, X: Array) -> Kernel:
        numbers = self._kernel_parameters | {"gamma": gamma_of(self.gamma, X)}
        return Kernel(check_choice("kernel", self.kernel, KERNELS), **numbers)

    def _adopt(self, training: Training, snapshots: Sequence[Any]) -> Self:
        pairs, solvers = training.trainer.pairs, training.trainer.solvers
        coef = np.zeros((len(training.X), len(pairs)))
        for p, (pair, snapshot) in enumerate(zip(pairs, snapshots, strict=True)):
            numbers, alpha = self._multipliers(snapshot, pair)
            signs = np.where(training.codes[numbers] == pair.positive, 1.0, -1.0)
            coef[numbers, p] = signs * alpha
        support = np.flatnonzero((coef != 0).any(axis=1))
        self.classes_, self._kernel = training.classes, training.kernel
        self.pairs_ = [pair.pair for pair in pairs]
        self._take_over(
            support,
            training.X[support],
            training.codes[support],
            coef[support],
            np.array([snapshot.intercept for snapshot in snapshots]),
            [solver.centre for solver in solvers],
            [snapshot.certificate for snapshot in snapshots],
        )
        return self

    def _take_over(
        self,
        support: Indices,
        vectors: Array,
        codes: Indices,
        coef: Array,
        intercepts: Array,
        centres: Sequence[Array],
        certificates: list[Certificate],
    ) -> None:
        """Set the learned attributes: numbers, points, class indices and coefficients (n_support, n_problems)."""
        order = np.argsort(codes, kind="stable")
        self.support_ = support[order].astype(np.int32)
        self.support_vectors_ = vectors[order]
        self.n_support_ = np.bincount(codes, minlength=len(self.classes_)).astype(np.int32)
        self.dual_coef_ = coef[order].T.copy()
        self._expand(self._kernel, self.support_vectors_, self.support_, coef[order], intercepts, centres, centres[0])
        self.certificates_ = certificates
        self.n_iter_ = np.array([c.n_iter for c in certificates], dtype=np.int64)
        self.fit_status_ = int(any(c.status in UNFINISHED for c in certificates))
        self.n_features_in_ = vectors.shape[1]
