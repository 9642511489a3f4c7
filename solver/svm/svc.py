"""SVC: the support vector classifier with scikit-learn's interface, trained by SmoSolver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Indices
from solver.core.binary_reduction import Start, trained
from solver.core.certificate import Certificate, Evidence, NotSeparableError, Status, joined
from solver.core.checks import check_choice, check_flag, check_number, check_points, check_seed
from solver.core.multiclass import REST, SCHEMES, BinaryProblem, PairTrainer, libsvm_table
from solver.core.scikit_learn import of_scikit_learn
from solver.kernels.expansion import AnyKernel, kernel_of
from solver.kernels.kernel_classifier import KernelClassifier, KernelTraining
from solver.kernels.table import Kernel

from .auto import AutoSolver, Solved
from .c_path import PathSolver
from .smo import LARGEST_C, LARGEST_COORDINATE, SmoSnapshot, SmoSolver

#: Ways to train; see the parameter `solver` of SVC.
SOLVERS: dict[str, type[SmoSolver]] = {"auto": AutoSolver, "smo": SmoSolver, "path": PathSolver}
_SHAPES = ("ovr", "ovo")


@dataclass(repr=False, eq=False)
class SVC(KernelClassifier):
    """Support vector classifier trained by sequential minimal optimisation.

    It maximises the dual ``sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j k(x_i, x_j)`` over
    ``0 <= alpha_i <= C_i``, ``sum_i y_i alpha_i = 0``, with C_i = C * class weight * sample weight.

    Parameters
    ----------
    C : float, default=1.0
        Penalty on slack, above 0 and at most 1e50; inf is the hard margin.
    kernel : {"linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed"} or callable, default="rbf"
        With "precomputed", X is the Gram matrix, (n, n) in `fit` and (n_queries, n) in queries.  A callable
        ``kernel(A, B)`` returns the kernel values, shape (len(A), len(B)).
    degree : int, default=3
        Degree of "poly", from 0 to 100.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of all kernels but "linear", at least 0; "scale" is 1 / (n_features * X.var()), "auto"
        1 / n_features.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest KKT violation called optimal.
    max_iter : int, default=-1
        Largest number of steps per binary problem; -1 means max(10^7, 100 n).  Reaching it sets `fit_status_` to 1.
    selection : str, default="second-order"
        Working-set rule, a name of `RULES`.
    random_state : int, RandomState or None, default=None
        Seed of the rules that draw.  None means 0: the same call gives the same answer.
    class_weight : dict, "balanced" or None, default=None
        Factor of C by label, at least 0, and 1 for labels not in it; "balanced" is n / (n_classes * n_c), with n_c
        points of the class.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Columns of `decision_function` for more than two classes: one per class or, only one-vs-one, one per pair.
    multiclass : {"one-vs-one", "one-vs-rest"}, default="one-vs-one"
        How more than two classes become binary problems, a name of `SCHEMES`.
    cache_size : float, default=200
        Bound on the memory of kernel rows kept during training (MB).
    solver : {"auto", "smo", "path"}, default="auto"
        "auto" reaches the optimum as quickly as it can: by SMO, which after some hundred updates moves all free
        multipliers at once, and which starts next to the optimum from thousands of points of the plane, in time nearly
        linear in the points (not with "laplacian").  SMO ends the training and certifies the answer.  It saves most
        with many points and with a large C; C must be finite and the kernel "linear", "poly" (coef0 at least 0), "rbf"
        or "laplacian", else it is "smo".  At most 800 free multipliers are moved at once: with more, as with a linear
        kernel of more features, a large C takes millions of updates.  `n_iter_` counts pair updates only.  Meanwhile
        BLAS has one thread in the whole process, as within ``threadpoolctl.threadpool_limits(1, "blas")``; afterwards
        as many as before.
        "smo" makes pair updates only, the steps that the playground's lanes show.
        "path" keeps the whole kernel matrix of up to 5000 points; its trainer's solvers can go on to another C (see
        `c_path`).
    max_time : float, default=inf
        Time limit of the training (s), above 0.  At the limit the training stops early, and `fit_status_` is 1; the
        certificates, which take further time, show how good the answer is.  With a limit, the same call may give
        another answer.
    break_ties : bool, default=False
        With more than two classes, one-vs-one, and ``decision_function_shape="ovr"``: whether `predict` decides equal
        votes by the largest `decision_function`; else by the lowest of the classes.
    shrinking, verbose : ignored
        Accepted as in scikit-learn, without effect: points left out of a step are checked again before the end, and
        nothing is printed.
    probability : bool, default=False
        True is refused: an SVM has no probabilities; `CalibratedSVC` fits some to its f.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the points whose weight is above 0.
    support_ : ndarray of shape (n_SV,), int32
        Indices of the support vectors, as rows of the X given to `fit`, by class.
    support_vectors_ : ndarray of shape (n_SV, n_features)
        Empty, (0, 0), for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,), int32
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        y alpha, arranged as LIBSVM does.  One-vs-rest with more than two classes: (n_classes, n_SV), row c is
        y alpha of class c against the rest.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        One-vs-rest with more than two classes: (n_classes,).
    coef_ : ndarray of shape (len(intercept_), n_features)
        Weights of the features; linear kernel only.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C of each class.
    n_iter_ : ndarray of shape (len(intercept_),), int32
        Number of steps of each binary problem.
    n_features_in_ : int
        Number of features; for a precomputed kernel, number of training points.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if `fit` was given a data frame whose column names are strings.
    shape_fit_ : tuple of int
        Shape of the X given to `fit`.
    fit_status_ : int
        0 if every problem is optimal (or stationary, or at the limit of double precision), else 1.
    certificate_ : Certificate
        What is proved about the answer; for several problems, about the sum of their objectives.
    certificates_ : list of Certificate
        One per binary problem.  After `fit` the best primal bounds are looked for when it is first read.
    pairs_ : list of Pair
        The classes of the binary problems, in the order of `intercept_`.

    See Also
    --------
    SmoSolver : The training of one binary problem, step by step.

    Notes
    -----
    Shapes and signs are scikit-learn's: for two classes f > 0 is classes_[1].

    References
    ----------
    Cortes, Vapnik, "Support-vector networks", Machine Learning 20, 1995.  Chang, Lin, "LIBSVM: a library for support
    vector machines", ACM TIST 2, 2011.

    Examples
    --------
    >>> from solver import SVC
    >>> X, y = [[0, 0], [1, 0], [3, 0], [4, 1], [5, 0]], ["left", "left", "right", "right", "right"]
    >>> model = SVC(kernel="linear", C=10).fit(X, y)
    >>> model.predict([[0, 1], [4, 4]]).tolist(), model.support_.tolist()
    (['left', 'right'], [1, 2])

    How far the answer can be from the optimum, proved:

    >>> print(model.certificate_.status, model.certificate_.gap < 1e-3)
    optimal True
    """

    _largest_coordinate = LARGEST_COORDINATE
    _largest_C = LARGEST_C
    _takes_hard_margin = True

    tol: float = 1e-3
    max_iter: int = -1
    selection: str = "second-order"
    random_state: int | np.random.RandomState | None = None
    class_weight: Mapping[Any, float] | str | None = None
    decision_function_shape: str = "ovr"
    multiclass: str = "one-vs-one"
    cache_size: float = 200
    solver: str = "auto"
    max_time: float = np.inf
    break_ties: bool = field(default=False, kw_only=True)
    shrinking: bool = field(default=True, kw_only=True)
    verbose: bool = field(default=False, kw_only=True)
    probability: bool = field(default=False, kw_only=True)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on points and their labels.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Finite numbers of at most 1e75; for a precomputed kernel, the symmetric Gram matrix of shape (n, n).
        y : array-like of shape (n,)
            Labels of at least two classes: whole numbers or strings.
        sample_weight : array-like of shape (n,), optional
            Factors of C, at least 0.  A point of weight 0 is left out.

        Returns
        -------
        Self
            This estimator, fitted.

        Raises
        ------
        ValueError
            If the data or a parameter is invalid; the estimator is then unchanged.
        NotSeparableError
            If C is inf and some classes cannot be separated; a ValueError as well.
        TypeError
            If `X` or `sample_weight` holds an object that is not a number, such as a dict or a date, or if only some
            column names of `X` are strings.

        Warns
        -----
        ConvergenceWarning
            If `max_iter`, `max_time` or the limit of double precision ended the training.
        """
        training = self._checked(X, y, sample_weight, first=[])
        late, outlook, snapshots = False, "", []
        for pair, (solver, late) in zip(training.trainer.pairs, trained(training.trainer, self.max_time), strict=True):
            snapshots.append(solver.snapshot())
            if solver.status is Status.NOT_SEPARABLE:
                raise NotSeparableError(_not_separable(training, pair, solver))
            if late and solver.status is Status.STOPPED_EARLY and isinstance(solver, AutoSolver):
                outlook = outlook or solver.outlook(self.max_time)
        self._adopt(training, snapshots)._learned_from(X)
        limit = f"max_time={self.max_time:g} s{_words_of(self.certificate_, outlook)}" if late else None
        self._warn_unless_converged([snapshot.evidence for snapshot in snapshots], limit)
        return self

    def move_points(self, X: ArrayLike) -> PairTrainer[SmoSolver] | None:
        """Restart the training with moved points, as `PairClassifier.move_points`.

        None with a Gram matrix, a callable kernel, another gamma, a scaler, or solver="path".
        """
        if self._standardises:  # all points move with each that does
            return None
        training: KernelTraining = self._training
        points, data = check_points(X, self._largest_coordinate), training.data
        kernel = self._checked_kernel(points)
        # Points of a Gram matrix are columns as well; and gamma="scale" may be another number now.
        known = type(kernel) is Kernel and kernel == training.kernel
        if not known or points.shape != data.X.shape or self.solver == "path":
            return None
        solvers = iter(training.trainer.solvers)

        def moved(pair: BinaryProblem) -> SmoSolver:
            solver: SmoSolver = next(solvers)
            solver.move_points(points[pair.index])
            return solver

        trainer = PairTrainer(training.trainer.pairs, moved)
        if trainer.solvers:
            self._training = replace(training, data=replace(data, X=points), trainer=trainer)
        return trainer

    def to_sklearn(self) -> Any:
        """Return the estimator of scikit-learn with the corresponding parameters, not fitted.

        It is an `sklearn.svm.SVC`; for one-vs-rest, the `OneVsRestClassifier` of one.  No parameter corresponds to
        `selection`, `random_state` and `solver`, which only change the way to the optimum, nor to `max_time`, nor to a
        `max_iter` of -1, which is no limit there.

        Raises
        ------
        ValueError
            If nothing corresponds: C is inf, the Laplacian kernel has no number as gamma, or classes have weights in
            one-vs-rest.
        ImportError
            If scikit-learn is not installed.
        """
        check_choice("multiclass", self.multiclass, SCHEMES)
        rest = self.multiclass == "one-vs-rest"
        if np.isinf(check_number("C", self.C, 0.0, open_low=True)):
            raise ValueError("C is inf, the hard margin, which scikit-learn does not have; choose a large number.")
        if rest and self.class_weight is not None:
            raise ValueError("multiclass is 'one-vs-rest', for which scikit-learn does not have a class_weight.")
        kernel: Any = self.kernel
        if kernel == "laplacian":
            if isinstance(self.gamma, str):
                raise ValueError(f"gamma is {self.gamma!r}; for kernel='laplacian' scikit-learn wants a number.")
            kernel = partial(of_scikit_learn("metrics.pairwise", "laplacian_kernel"), gamma=self.gamma)
        names = (
            "C",
            "degree",
            "gamma",
            "coef0",
            "tol",
            "max_iter",
            "class_weight",
            "break_ties",
            "decision_function_shape",
        )
        parameters = {name: getattr(self, name) for name in names}
        svc = of_scikit_learn("svm", "SVC")(kernel=kernel, cache_size=max(self.cache_size, 1), **parameters)
        return of_scikit_learn("multiclass", "OneVsRestClassifier")(svc) if rest else svc

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each point, shape (n,): the class that `winner` names.

        A point at exactly f = 0 belongs to the problem's negative class, see `PairClassifier.predict`.  With
        `break_ties` a point of equal votes belongs to the class with the largest `decision_function`.

        Raises
        ------
        ValueError
            As `decision_function`, or `break_ties` with ``decision_function_shape="ovo"``, as in scikit-learn.
        """
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return super().predict(X)

    def winner(self, pair_values: Array) -> Indices:
        """As `PairClassifier.winner`, with `break_ties` as in `predict`."""
        if not self.break_ties or len(self.classes_) == 2:
            return super().winner(pair_values)
        largest: Indices = self._joined(pair_values).argmax(axis=-1)
        return largest

    @cached_property
    def certificates_(self) -> list[Certificate]:  # type: ignore[override]
        """One per binary problem."""
        return [snapshot.certificate for snapshot in self._fitted()._snapshots]

    @property
    def certificate_(self) -> Certificate:
        """What is proved about the answer."""
        return joined(self.certificates_)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a pickle: certificates, but not the snapshots from which they are computed."""
        if not hasattr(self, "_snapshots"):
            return dict(vars(self))
        return vars(self) | {"certificates_": self.certificates_, "_snapshots": ()}

    # -- inside ----------------------------------------------------------------------------------------------------

    def _checked(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **start: Any
    ) -> KernelTraining:
        if check_flag("probability", self.probability):
            raise ValueError("probability is True; an SVM has none: fit CalibratedSVC(SVC()).")
        check_flag("break_ties", self.break_ties)
        check_choice("solver", self.solver, SOLVERS)
        shape = check_choice("decision_function_shape", self.decision_function_shape, _SHAPES)
        if shape == "ovo" and self.multiclass != "one-vs-one":
            raise ValueError(f"decision_function_shape is 'ovo'; with multiclass={self.multiclass!r} it must be 'ovr'.")
        return super()._checked(X, y, sample_weight, **start)

    def _checked_kernel(self, X: Array) -> AnyKernel:
        return kernel_of(self.kernel, X, **self._kernel_parameters)

    def _solver(
        self,
        X: Array,
        pair: BinaryProblem,
        kernel: Kernel,
        C: Array,
        cache_size: float,
        start: Start | None = None,
        shrinking: bool = True,
        first: list[SmoSolver] | None = None,
        **_: Any,
    ) -> SmoSolver | Solved:
        """As `KernelClassifier._solver`; `fit` gives a list, to which the first solver is added."""
        if first and type(first[0]) is AutoSolver:
            return first[0].another(X, pair.y, C)
        solver = SOLVERS[self.solver](
            X,
            pair.y,
            kernel,
            C=C,
            tol=self.tol,
            max_iter=self.max_iter,
            selection=self.selection,
            random_state=check_seed(self.random_state),
            alpha=None if start is None else start(pair, C),
            cache_size=cache_size,
            shrinking=shrinking,
        )
        if first == []:
            first.append(solver)  # it has checked the parameters
        return solver

    def _evidence(self, snapshots: Sequence[SmoSnapshot]) -> list[Evidence]:
        return [snapshot.evidence for snapshot in snapshots]

    def _adopt(self, training: KernelTraining, snapshots: Sequence[SmoSnapshot]) -> Self:
        super()._adopt(training, snapshots)
        self.class_weight_, self.shape_fit_ = training.data.class_weight, training.data.X.shape
        if len(self.classes_) > 2 and self.pairs_[0].negative != REST:
            self.dual_coef_ = libsvm_table(self._expansion.coef, self.pairs_, training.data.codes[self.support_])
        self._snapshots = snapshots
        del self.certificates_  # computed when they are first read
        return self


def _words_of(certificate: Certificate, outlook: str) -> str:
    """Return the end of the warning about a time limit: the gap, and an estimate of the remaining time."""
    gap = f"; the gap is {100.0 * certificate.gap:.3g} %" if np.isfinite(certificate.gap) else ""
    return f"{gap}.  {outlook}" if outlook else gap


def _not_separable(training: KernelTraining, pair: BinaryProblem, solver: SmoSolver) -> str:
    """Return the error message about a hard margin that does not exist."""
    names = training.data.classes
    who = ""
    if len(names) > 2:
        other = "the rest" if pair.negative == REST else f"class {names[pair.negative]!s}"
        who = f" for class {names[pair.positive]!s} against {other}"
    bound = solver.certificate(thorough=False).margin_bound
    return (
        f"C is inf, but with the {training.kernel.name} kernel the classes are not separable{who}: no margin is wider"
        f" than {bound:.2g} on each side.  Choose a finite C."
    )
