"""OnlineSVC: the scikit-learn shaped online support vector classifier over LasvmSolver.

More than two classes are learned one-vs-one, unless one asks for other: each pair sees the points of its two classes
only, so a point costs a PROCESS in k - 1 small expansions instead of in k large ones.  After FINISH the classifier is
that of `SVC`.
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

    `fit` has all points and may go on to the optimum; `partial_fit` takes them as they arrive and keeps only those
    that may still become support vectors.

    Parameters
    ----------
    C : float, default=1.0
        Price of slack, at most 1e50; not inf.
    kernel, degree, gamma, coef0
        As in `SVC`; with `partial_fit`, gamma "scale" is that of the first batch.
    tol : float, default=1e-3
        KKT violation above which a pair of multipliers moves, and largest one called optimal.
    selection : {"first-order", "second-order"}, default="second-order"
        Partner of a point: the most violating one, or the one with the largest gain.
    n_epochs : int, default=1
        Passes of `fit` over the points.
    finish : bool, default=True
        Whether `fit` goes on to the optimum after them.
    shuffle : bool, default=True
        Whether `fit` draws a random order for each pass.  `partial_fit` never does.
    max_iter : int, default=-1
        Operations per binary problem, in all calls of `partial_fit` together; -1 means max(10^7, 100 n).
    random_state : int, RandomState or None, default=None
        Seed of the orders.  None means 0: the same call gives the same answer.
    multiclass : {"one-vs-one", "one-vs-rest"}, default="one-vs-one"
        `partial_fit` knows the first only.
    class_weight : dict, "balanced" or None, default=None
        As in `SVC`, but above 0; `partial_fit`, which does not know how many points will come, wants no "balanced".

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_features_in_, certificates_
        As in `SteppedKernelClassifier`; `support_` counts all points since `fit` or the first `partial_fit`.
    n_iter_ : ndarray of shape (n_problems,)
        PROCESS, REPROCESS and SWEEP operations.
    fit_status_ : int
        0 when every problem is optimal; after `partial_fit`, or without `finish`, 1.
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
        """Train on `X` (n, n_features) and labels `y` (n,), from nothing.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence; then the estimator is as it was before.
        """
        training = self._checked(X, y)
        run(training.trainer)
        self._adopt(training, training.trainer.snapshot())._learned_from(X)
        if self.finish:
            self._warn_unless_converged(self.certificates_)
        return self

    @all_or_nothing
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn the points `X` (n, n_features) with labels `y` (n,), in their order, one pass.

        Parameters
        ----------
        X, y : array-like
            A batch of at least one point.
        classes : array-like of shape (n_classes,), optional
            All labels that may ever come; read at the first call, where None means those in `y`.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, or a label that is not one of the classes; nothing is learned then.
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
        """Set the learned attributes from the expansions of the pairs, who may share points."""
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
    """Stands for the solver of a pair of classes of which no point has come yet: f = 0."""

    intercept = 0.0

    def __init__(self, n_features: int) -> None:
        self.centre = np.zeros(n_features)
        self.points = np.zeros((0, n_features))
        self.beta = np.zeros(0)
        self.expansion = np.zeros(0, dtype=np.int64)

    def certificate(self, thorough: bool = True) -> Certificate:
        """Nothing is known."""
        return Certificate(Status.STOPPED_EARLY, 0.0, 0.0, np.inf, np.nan, 0, 0, 0, np.nan)
