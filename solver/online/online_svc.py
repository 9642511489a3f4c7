"""OnlineSVC: an online support vector classifier in the shape of scikit-learn, over LasvmSolver.

By default, more than two classes are learned one-vs-one: each pair sees only the points of its two classes, so a point
costs a PROCESS in k - 1 small expansions instead of in k large ones.  After FINISH the classifier is that of `SVC`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Indices, Integers
from solver.core.binary_reduction import run
from solver.core.certificate import Certificate, Status
from solver.core.checks import check_labels, check_n_features, check_points, check_seed
from solver.core.estimator import all_or_nothing
from solver.core.multiclass import BinaryProblem, one_vs_one
from solver.kernels.kernel_classifier import CACHE_SIZE, SteppedKernelClassifier
from solver.kernels.table import Kernel

from .lasvm import LARGEST_C, LARGEST_COORDINATE, LasvmSnapshot, LasvmSolver


@dataclass(repr=False, eq=False)
class OnlineSVC(SteppedKernelClassifier):
    """Support vector classifier trained by LASVM, point by point.

    `fit` has all points and may continue to the optimum; `partial_fit` takes them as they arrive, and keeps only those
    that may still become support vectors.

    Parameters
    ----------
    C : float, default=1.0
        Penalty on slack, above 0 and at most 1e50; not inf.
    kernel : {"linear", "poly", "rbf", "laplacian", "sigmoid"}, default="rbf"
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
        As in `SVC`; in `partial_fit`, gamma "scale" is that of the first batch.
    tol : float, default=1e-3
        KKT violation above which a pair of multipliers moves, and largest one called optimal.
    selection : {"first-order", "second-order"}, default="second-order"
        Partner of a point: the most violating one, or the one with the largest gain.
    n_epochs : int, default=1
        Number of passes of `fit` over the points, from 1 to 1000.
    finish : bool, default=True
        Whether `fit` continues to the optimum after them.
    shuffle : bool, default=True
        Whether `fit` draws a random order for each pass.  `partial_fit` never does.
    max_iter : int, default=-1
        Largest number of operations per binary problem, in all calls of `partial_fit` together; -1 means
        max(10^7, 100 n), with n points in the first batch of the problem.
    random_state : int, RandomState or None, default=None
        Seed of the orders.  None means 0: the same call gives the same answer.
    multiclass : {"one-vs-one", "one-vs-rest"}, default="one-vs-one"
        How more than two classes become binary problems; `partial_fit` allows the first only.
    class_weight : dict, "balanced" or None, default=None
        As in `SVC`, but above 0.  `partial_fit` refuses "balanced", because it does not know how many points will come.

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_features_in_, certificates_, pairs_
        As in `SteppedKernelClassifier`; `support_` counts all points since `fit` or the first `partial_fit`.
    n_iter_ : ndarray of shape (n_problems,), int
        Number of PROCESS, REPROCESS and SWEEP operations.
    fit_status_ : int
        0 if every problem is optimal, else 1; after `partial_fit`, or without `finish`, it is 1.
    n_samples_seen_ : int
        Number of points in `fit`, or since the first `partial_fit`.

    See Also
    --------
    LasvmSolver : The same training, step by step.

    References
    ----------
    Bordes, Ertekin, Weston, Bottou, "Fast kernel classifiers with online and active learning", JMLR 6, 2005.

    Examples
    --------
    Two batches, of which the first names all classes that may come:

    >>> from solver import OnlineSVC
    >>> model = OnlineSVC(kernel="linear", C=10)
    >>> model = model.partial_fit([[0], [9]], ["a", "b"], classes=["a", "b", "c"])
    >>> model = model.partial_fit([[1], [8], [16], [17]], ["a", "b", "c", "c"])
    >>> model.predict([[2], [7], [18]]).tolist(), model.n_samples_seen_
    (['a', 'b', 'c'], 6)
    """

    _largest_coordinate = LARGEST_COORDINATE
    _largest_C = LARGEST_C

    tol: float = 1e-3
    selection: str = "second-order"
    n_epochs: int = 1
    finish: bool = True
    shuffle: bool = True
    max_iter: int = -1
    random_state: int | np.random.RandomState | None = None
    multiclass: str = "one-vs-one"
    class_weight: Mapping[Any, float] | str | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on points and their labels; points of a former `fit` or `partial_fit` are forgotten.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Finite numbers of at most 1e75.
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
            If `finish` was interrupted by `max_iter` or the limit of double precision.
        """
        training = self._checked(X, y)
        run(training.trainer)
        self._adopt(training, training.trainer.snapshot())._learned_from(X)
        self.n_samples_seen_ = len(training.X)
        if self.finish:
            self._warn_unless_converged(self.certificates_)
        return self

    @all_or_nothing
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn a batch of points in one pass, in their order.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            A batch of at least one point; finite numbers of at most 1e75.
        y : array-like of shape (n,)
            Labels: whole numbers or strings.
        classes : array-like of shape (n_classes,), optional
            All labels that may ever come; used by the first call, where None means those in `y`.

        Returns
        -------
        Self
            This estimator, fitted to all batches so far.

        Raises
        ------
        ValueError
            If the data or a parameter is invalid, or a label is not one of the classes; nothing is learned then.
        TypeError
            If `X` holds an object that is not a number, or if only some of its column names are strings; nothing is
            learned then.
        """
        online: list[LasvmSolver | None] = getattr(self, "_online", [])
        if self.multiclass != "one-vs-one":
            raise ValueError(f"multiclass is {self.multiclass!r}; partial_fit knows 'one-vs-one' only.")
        if isinstance(self.class_weight, str):
            raise ValueError(f"class_weight is {self.class_weight!r}; with partial_fit it must be None or a dict.")
        if online:
            self._check_names(X)
        points = check_points(X, self._largest_coordinate)
        if online:
            check_n_features(self, points, self.n_features_in_)
        labels, places = check_labels(y, len(points))
        if not online:
            known = labels if classes is None else np.unique(check_labels(classes, len(np.atleast_1d(classes)))[0])
            if len(known) < 2:
                raise ValueError("y holds one class only; name all classes, at least two, at the first partial_fit.")
            self.classes_, self._kernel, self.n_samples_seen_ = known, self._checked_kernel(points), 0
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y holds the label {unknown.tolist()[0]!r}, which is not one of the classes.")
        codes = np.searchsorted(self.classes_, labels)[places]
        C = self._prices(self.classes_, codes)
        # All that a solver could refuse is refused here, before the first one has learned anything.
        if self._kernel.largest(points) > LARGEST_COORDINATE**2:
            raise ValueError(f"The {self._kernel.name} kernel overflows at these coordinates; scale the data down.")
        problems = one_vs_one(codes, len(self.classes_))
        self.pairs_ = [problem.pair for problem in problems]
        online = online or [None] * len(problems)
        for p, pair in enumerate(problems):
            solver, own, numbers = online[p], points[pair.index], pair.index + self.n_samples_seen_
            if not len(own):
                continue
            if solver is None:
                share = CACHE_SIZE / len(self.pairs_)
                solver = online[p] = self._new(own, pair.y, C[pair.index], numbers, self._kernel, share)
            else:
                solver.extend(own, pair.y, C[pair.index], numbers)
            solver.run()
        self._online = online
        if not self.n_samples_seen_:
            self._learned_from(X)
        self.n_samples_seen_ += len(points)
        self._combine(online, points.shape[1])
        for trained in filter(None, online):
            trained.forget_batch()
        return self

    def _new(
        self,
        points: Array,
        signs: Array,
        C: Array,
        numbers: Indices,
        kernel: Kernel,
        cache_size: float,
        n_epochs: int = 1,
        finish: bool = False,
        shuffle: bool = False,
    ) -> LasvmSolver:
        return LasvmSolver(
            points,
            signs,
            kernel,
            C=C,
            tol=self.tol,
            max_iter=self.max_iter,
            selection=self.selection,
            n_epochs=n_epochs,
            finish=finish,
            shuffle=shuffle,
            random_state=check_seed(self.random_state),
            cache_size=cache_size,
            numbers=numbers,
        )

    def _solver(
        self, points: Array, signs: Array, C: Array, numbers: Indices, kernel: Kernel, cache_size: float
    ) -> LasvmSolver:
        return self._new(points, signs, C, numbers, kernel, cache_size, self.n_epochs, self.finish, self.shuffle)

    def _multipliers(self, snapshot: LasvmSnapshot, pair: BinaryProblem) -> tuple[Integers, Array]:
        return snapshot.expansion, snapshot.alpha

    def _adopt(self, training: Any, snapshots: Sequence[LasvmSnapshot]) -> Self:
        self._online = []  # a later partial_fit starts anew
        return super()._adopt(training, snapshots)

    def _combine(self, solvers: list[LasvmSolver | None], n_features: int) -> None:
        """Set the learned attributes from the expansions of the pairs, which may share points."""
        trained = [Untrained(n_features) if solver is None else solver for solver in solvers]
        used = [np.flatnonzero(solver.beta) for solver in trained]
        numbers = [solver.expansion[at] for solver, at in zip(trained, used, strict=True)]
        support, first = np.unique(np.concatenate(numbers), return_index=True)
        vectors = np.concatenate([solver.points[at] for solver, at in zip(trained, used, strict=True)])[first]
        coef = np.zeros((len(support), len(trained)))
        codes = np.zeros(len(support), dtype=np.intp)
        for p, (solver, at, pair) in enumerate(zip(trained, used, self.pairs_, strict=True)):
            rows, beta = np.searchsorted(support, numbers[p]), solver.beta[at]
            coef[rows, p] = beta
            codes[rows] = np.where(beta > 0, pair.positive, pair.negative)
        self._take_over(
            support,
            vectors,
            codes,
            coef,
            np.array([solver.intercept for solver in trained]),
            [solver.centre for solver in trained],
            [solver.certificate() for solver in trained],
        )


class Untrained:
    """Placeholder for the solver of a pair of classes without points so far: f = 0."""

    intercept = 0.0

    def __init__(self, n_features: int) -> None:
        self.centre = np.zeros(n_features)
        self.points = np.zeros((0, n_features))
        self.beta = np.zeros(0)
        self.expansion = np.zeros(0, dtype=np.int64)

    def certificate(self, thorough: bool = True) -> Certificate:
        """Return a certificate that proves nothing."""
        return Certificate(Status.STOPPED_EARLY, 0.0, 0.0, np.inf, np.nan, 0, 0, 0, np.nan)
