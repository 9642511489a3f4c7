"""OnlineSVC: an online support vector classifier with scikit-learn's interface, trained by LasvmSolver.

By default, more than two classes are learned one-vs-one: each pair sees only the points of its two classes, so a point
costs a PROCESS in k - 1 small expansions instead of in k large ones.  After FINISH the classifier is that of `SVC`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Integers
from solver.core.certificate import Certificate, Status
from solver.core.checks import check_labels, check_n_features, check_points, check_seed
from solver.core.class_weights import bounds, class_weights
from solver.core.estimator import all_or_nothing
from solver.core.multiclass import BinaryProblem, one_vs_one
from solver.kernels.kernel_classifier import KernelClassifier, KernelTraining
from solver.kernels.table import Kernel

from .lasvm import LARGEST_C, LARGEST_COORDINATE, LasvmSnapshot, LasvmSolver

_NONE = np.zeros(0)
#: Snapshot for a pair of classes without points so far: f = 0, and nothing is proved.
UNTRAINED = LasvmSnapshot(
    _NONE.astype(np.int64),
    _NONE,
    _NONE,
    0.0,
    (-1, -1),
    "none",
    Certificate(Status.STOPPED_EARLY, 0.0, 0.0, np.inf, np.nan, 0, 0, 0, np.nan),
    _NONE,
)


@dataclass(repr=False, eq=False)
class OnlineSVC(KernelClassifier):
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
        As in `SVC`.  `partial_fit` refuses "balanced", because it does not know how many points will come, and 0.

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_features_in_, certificates_, pairs_
        As in `KernelClassifier`; `support_` counts all points since `fit` or the first `partial_fit`.
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
    _kernel: Kernel = field(init=False)

    tol: float = 1e-3
    selection: str = "second-order"
    n_epochs: int = 1
    finish: bool = True
    shuffle: bool = True
    max_iter: int = -1
    random_state: int | np.random.RandomState | None = None
    multiclass: str = "one-vs-one"
    class_weight: Mapping[Any, float] | str | None = None

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
        labels, indices = check_labels(y, len(points))
        if not online:
            known = labels if classes is None else np.unique(check_labels(classes, len(np.atleast_1d(classes)))[0])
            if len(known) < 2:
                raise ValueError("y holds one class only; name all classes, at least two, at the first partial_fit.")
            self.classes_, self._kernel, self.n_samples_seen_ = known, self._checked_kernel(points), 0
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y holds the label {unknown.tolist()[0]!r}, which is not one of the classes.")
        codes = np.searchsorted(self.classes_, labels)[indices]
        C = bounds(self.C, class_weights(self.class_weight, self.classes_, codes)[codes], LARGEST_C)
        if not C.all():
            raise ValueError(
                f"class_weight of {labels[indices[C.argmin()]]!s} is 0; partial_fit wants weights above 0."
            )
        # Errors that a solver could raise are raised here, before the first solver has learned anything.
        if self._kernel.largest(points) > LARGEST_COORDINATE**2:
            raise ValueError(f"The {self._kernel.name} kernel overflows at these coordinates; scale the data down.")
        problems = one_vs_one(codes, len(self.classes_))
        self.pairs_, self.n_features_in_ = [problem.pair for problem in problems], points.shape[1]
        online = online or [None] * len(problems)
        for p, pair in enumerate(problems):
            solver, own, numbers = online[p], points[pair.index], pair.index + self.n_samples_seen_
            if not len(own):
                continue
            if solver is None:
                share = self.cache_size / len(problems)
                solver = online[p] = self._solver(own, pair, self._kernel, C[pair.index], share, numbers)
            else:
                solver.extend(own, pair.y, C[pair.index], numbers)
            solver.run()
        self._online = online
        if not self.n_samples_seen_:
            self._learned_from(X)
        self.n_samples_seen_ += len(points)
        self._combine(online)
        for trained in filter(None, online):
            trained.forget_batch()
        return self

    def _solver(
        self,
        X: Array,
        pair: BinaryProblem,
        kernel: Kernel,
        C: Array,
        cache_size: float,
        numbers: Integers | None = None,
        **start: Any,
    ) -> LasvmSolver:
        """As `KernelClassifier._solver`; with `numbers` of the points, for one pass in the order of the data."""
        once = numbers is not None
        return LasvmSolver(
            X,
            pair.y,
            kernel,
            C=C,
            tol=self.tol,
            max_iter=self.max_iter,
            selection=self.selection,
            n_epochs=1 if once else self.n_epochs,
            finish=False if once else self.finish,
            shuffle=False if once else self.shuffle,
            random_state=check_seed(self.random_state),
            cache_size=cache_size,
            numbers=numbers if once else pair.index,
        )

    def _multipliers(self, snapshot: LasvmSnapshot, pair: BinaryProblem) -> tuple[Integers, Array]:
        return snapshot.expansion, snapshot.alpha

    def _adopt(self, training: KernelTraining, snapshots: Sequence[LasvmSnapshot]) -> Self:
        self._online = []  # a later partial_fit starts anew
        self.n_samples_seen_ = len(training.C)
        return super()._adopt(training, snapshots)

    def _combine(self, solvers: list[LasvmSolver | None]) -> None:
        """Set the learned attributes from the expansions of the pairs, which may share points.

        `solvers` holds None for a pair of classes without points so far.
        """
        trained = [(p, solver, np.flatnonzero(solver.beta)) for p, solver in enumerate(solvers) if solver is not None]
        numbers = [solver.expansion[at] for _, solver, at in trained]
        support, first = np.unique(np.concatenate(numbers), return_index=True)
        vectors = np.concatenate([solver.points[at] for _, solver, at in trained])[first]
        coef = np.zeros((len(support), len(solvers)))
        codes = np.zeros(len(support), dtype=np.intp)
        for (p, solver, at), own in zip(trained, numbers, strict=True):
            rows, beta = np.searchsorted(support, own), solver.beta[at]
            coef[rows, p] = beta
            codes[rows] = np.where(beta > 0, self.pairs_[p].positive, self.pairs_[p].negative)
        snapshots = [UNTRAINED if solver is None else solver.snapshot() for solver in solvers]
        centres = [np.zeros(self.n_features_in_) if solver is None else solver.centre for solver in solvers]
        self._expand(self._kernel, support, vectors, codes, coef, snapshots, centres, centres[0])
