"""KernelClassifier: base class of the classifiers f(x) = sum_s coef_s k(x_s, x) + b, and their shared training code."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Indices
from solver.core.binary_reduction import PairClassifier, PreparedTraining, trained
from solver.core.certificate import Certificate, Status
from solver.core.checks import check_choice, check_number
from solver.core.class_weights import bounds
from solver.core.multiclass import REST, SCHEMES, BinaryProblem, PairTrainer, one_vs_rest_values

from .expansion import AnyKernel, Expansion, gamma_of, gram_for_training
from .grids import GridRows
from .table import KERNELS, PARAMETERS, Kernel, PrecomputedKernel

#: Statuses of a training that is running, or that ended without an optimum.
UNFINISHED = (Status.RUNNING, Status.STOPPED_EARLY, Status.NOT_SEPARABLE)


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


@dataclass(frozen=True)
class KernelTraining(PreparedTraining):
    """A prepared training of a `KernelClassifier`.

    Attributes
    ----------
    kernel : Kernel, CallableKernel or PrecomputedKernel
    C : ndarray of shape (n,)
        Upper bound of each point's multipliers.
    """

    kernel: AnyKernel
    C: Array


class KernelClassifier(KernelParameters, PairClassifier):
    """A classifier that predicts by a sum of kernel values, with one stepped solver for each binary problem.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,), int32
        Indices of the training points with a multiplier above 0, by class.
    support_vectors_ : ndarray of shape (n_support, n_features)
        Empty, (0, 0), for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,), int32
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_problems, n_support)
        y alpha of each problem, in the order of `pairs_`; 0 for points that are not of the problem.  For two classes
        this is scikit-learn's table; for more, `SVC` alone arranges it as LIBSVM does.
    certificates_ : list of Certificate
        One per problem.
    n_iter_ : ndarray of shape (n_problems,), int32
        Number of steps, as the certificates count them.
    fit_status_ : int
        0 if every problem is optimal (or stationary, or at the limit of double precision), else 1.
    """

    #: Parameters of some subclasses, with the values that the others train with.
    decision_function_shape = "ovr"
    cache_size = 200.0
    max_time = np.inf
    finish = True
    multiclass: str
    class_weight: Mapping[Any, float] | str | None
    #: Largest C, and whether it may also be inf.
    _largest_C = np.inf
    _takes_hard_margin = False

    support_: NDArray[np.int32]
    dual_coef_: Array
    certificates_: list[Certificate]
    _expansion: Expansion

    # -- training --------------------------------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on points and their labels; points of earlier calls are forgotten.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Finite numbers of at most 1e70.
        y : array-like of shape (n,)
            Labels of at least two classes: whole numbers or strings.

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
            If a limit (`max_iter`, `max_time`) or double precision ended the training before the optimum.
        """
        training = self._checked(X, y)
        late, snapshots = False, []
        for solver, late in trained(training.trainer, self.max_time):  # noqa: B007
            snapshots.append(solver.snapshot())
        self._adopt(training, snapshots)._learned_from(X)
        if self.finish:
            self._warn_unless_converged(self.certificates_, f"max_time={self.max_time:g} s" if late else None)
        return self

    def pair_multipliers(self, snapshots: Sequence[Any]) -> list[tuple[Array, Array]]:
        """Return alpha and C of the points of each binary problem, in the order of `BinaryProblem.index`.

        `snapshots` are those of the trainer that `prepare` made.  Points that LASVM has dropped have alpha = 0.
        """
        training: KernelTraining = self._training
        found = []
        for pair, snapshot in zip(training.trainer.pairs, snapshots, strict=True):
            numbers, alpha = self._multipliers(snapshot, pair)
            of_all = np.zeros(len(training.C))
            of_all[numbers] = alpha
            found.append((of_all[pair.index], training.C[pair.index]))
        return found

    @abstractmethod
    def _solver(self, X: Array, pair: BinaryProblem, kernel: Kernel, C: Array, cache_size: float, **start: Any) -> Any:
        """Return the solver of one binary problem.

        Parameters
        ----------
        X : ndarray of shape (n_pair, n_features)
            The points of the problem; with a `PrecomputedKernel`, their Gram matrix.
        pair : BinaryProblem
        kernel : Kernel
        C : ndarray of shape (n_pair,)
            Upper bounds of the multipliers.
        cache_size : float
            Bound on the memory of this solver's kernel rows (MB).
        **start
            `start` and `shrinking` of `prepare`, if it was called.
        """

    def _multipliers(self, snapshot: Any, pair: BinaryProblem) -> tuple[NDArray[Any], Array]:
        """Return indices of training points and their alpha; alpha of all other points is 0."""
        return pair.index, snapshot.alpha

    def _evidence(self, snapshots: Sequence[Any]) -> list[Any]:
        """Return the certificates of snapshots, or the values from which they are made, with `status` and `n_iter`."""
        return [snapshot.certificate for snapshot in snapshots]

    def _checked(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **start: Any
    ) -> KernelTraining:
        data = self._training_data(X, y, sample_weight, self.class_weight)
        cache_size = check_number("cache_size", self.cache_size, 0.0, open_high=True)
        scheme = SCHEMES[check_choice("multiclass", self.multiclass, SCHEMES)]
        kernel = self._checked_kernel(data.X)
        C = bounds(self.C, data.weights, self._largest_C, or_inf=self._takes_hard_margin)
        gram = gram_for_training(kernel, data.X)
        pairs = scheme.problems(data.codes, len(data.classes))

        XT = np.array(data.X.T, order="C")  # solvers keep the points in this order

        def solver(pair: BinaryProblem) -> Any:
            rows = XT.take(pair.index, axis=1).T if gram is None else gram[np.ix_(pair.index, pair.index)]
            formula = kernel if isinstance(kernel, Kernel) else PrecomputedKernel()
            return self._solver(rows, pair, formula, C[pair.index], cache_size / len(pairs), **start)

        return KernelTraining(data, PairTrainer(pairs, solver), kernel, C)

    def _checked_kernel(self, X: Array) -> Any:
        """Return the kernel for the training points `X`."""
        numbers = self._kernel_parameters | {"gamma": gamma_of(self.gamma, X)}
        return Kernel(
            check_choice("kernel", self.kernel, KERNELS, " SVC takes a function or a Gram matrix."), **numbers
        )

    def _adopt(self, training: KernelTraining, snapshots: Sequence[Any]) -> Self:
        X, codes, pairs = training.data.X, training.data.codes, training.trainer.pairs
        coef = np.zeros((len(X), len(pairs)))
        for p, (pair, snapshot) in enumerate(zip(pairs, snapshots, strict=True)):
            numbers, alpha = self._multipliers(snapshot, pair)
            coef[numbers, p] = np.where(codes[numbers] == pair.positive, 1.0, -1.0) * alpha
        support = np.flatnonzero((coef != 0).any(axis=1))
        super()._adopt(training, snapshots)
        kernel, centres = training.kernel, [snapshot.centre for snapshot in snapshots]
        middle = np.mean(centres, axis=0) if kernel.is_translation_invariant else np.zeros(X.shape[1])
        self._expand(kernel, support, X[support], codes[support], coef[support], snapshots, centres, middle)
        return self

    def _expand(
        self,
        kernel: AnyKernel,
        support: Indices,
        vectors: Array,
        codes: Indices,
        coef: Array,
        snapshots: Sequence[Any],
        centres: Sequence[Array],
        centre: Array,
    ) -> None:
        """Set the attributes that `fit` learns, apart from classes, pairs and number of features.

        Parameters
        ----------
        kernel : Kernel, CallableKernel or PrecomputedKernel
        support, vectors, codes, coef
            Indices, points, class indices and coefficients (n_support, n_problems) of the support vectors.
        snapshots : sequence
            One per problem; its `intercept` is for points shifted by the problem's centre, of `centres`.
        centres : sequence of ndarray of shape (n_features,)
            Only a linear kernel has other centres than zeros.
        centre : ndarray of shape (n_features,)
            The one to predict with.
        """
        order = np.argsort(codes, kind="stable")
        vectors, coef = vectors[order], coef[order]
        self.support_ = support[order].astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if isinstance(kernel, PrecomputedKernel) else vectors
        self.n_support_ = np.bincount(codes, minlength=len(self.classes_)).astype(np.int32)
        self.dual_coef_ = coef.T.copy()
        offset = self.intercept_ = np.array([snapshot.intercept for snapshot in snapshots])
        expansion = Expansion(kernel, self.support_vectors_, self.support_, coef, offset, centre)
        if kernel.is_translation_invariant:
            weights = expansion.linear_weights
            offset = offset + [w @ (centre - own) for w, own in zip(weights, centres, strict=True)]
            self.intercept_ = offset - weights @ centre
        self._expansion = replace(expansion, offset=offset)
        self.certificates_ = self._evidence(snapshots)
        self.n_iter_ = np.array([each.n_iter for each in self.certificates_], dtype=np.int32)
        self.fit_status_ = int(any(each.status in UNFINISHED for each in self.certificates_))

    # -- use -------------------------------------------------------------------------------------------------------

    @property
    def expansion(self) -> Expansion:
        """f of each binary problem as a sum of kernel values."""
        return self._fitted()._expansion

    @property
    def coef_(self) -> Array:
        """Weights of a linear kernel, shape (n_problems, n_features), read-only; AttributeError for other kernels."""
        if not hasattr(self, "_expansion") or not self._expansion.kernel.is_translation_invariant:
            raise AttributeError("coef_ is only available after a fit with the linear kernel.")
        return self._expansion.linear_weights

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
        # Conflicting duplicates make an area of zeros, not of noise.
        size = float(np.abs(self._fitted().dual_coef_).sum() + np.abs(self.intercept_).max())
        return 8 * float(np.finfo(np.float64).eps) * size

    def _rows_on(self, xs: Array) -> GridRows:
        return self._expansion.rows_on(xs)

    def _joined(self, pair_values: Array) -> Array:
        if len(self.classes_) == 2:
            return pair_values[..., 0]
        if self.pairs_[0].negative == REST or self.decision_function_shape == "ovo":
            return pair_values
        return one_vs_rest_values(pair_values, self.pairs_, len(self.classes_))
