"""SVC: the scikit-learn shaped support vector classifier over SmoSolver."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Indices, Mask
from solver.core.certificate import Certificate, NotSeparableError, PrimalSearch, Status, joined
from solver.core.checks import check_choice, check_flag, check_number, check_points, check_seed
from solver.core.class_weights import bounds, class_weights, sample_weights
from solver.core.multiclass import REST, SCHEMES, Pair, PairTrainer, libsvm_table
from solver.core.scikit_learn import of_scikit_learn
from solver.core.stepping import never
from solver.kernels.expansion import AnyKernel, gram_for_training, kernel_of
from solver.kernels.kernel_classifier import UNFINISHED, KernelClassifier
from solver.kernels.table import Kernel, PrecomputedKernel

from .auto import AutoSolver
from .c_path import PathSolver
from .smo import LARGEST_C, LARGEST_COORDINATE, SmoSnapshot, SmoSolver
from .working_set_rules import RULES

#: Ways to train; see the parameter `solver` of SVC.
SOLVERS: dict[str, type[SmoSolver]] = {"auto": AutoSolver, "smo": SmoSolver, "path": PathSolver}
_SHAPES = ("ovr", "ovo")


@dataclass(frozen=True)
class _Training:
    """What a call of `prepare` found out about data and parameters; `adopt` makes learned attributes of it."""

    X: Array
    classes: NDArray[Any]
    codes: Indices  #: class index of each point, -1 for a point of weight 0
    class_weight: Array
    kernel: AnyKernel
    centre: Array
    trainer: PairTrainer[SmoSolver]


@dataclass(repr=False, eq=False)
class SVC(KernelClassifier):
    """Support vector classifier trained by sequential minimal optimisation.

    It maximises the dual ``sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j k(x_i, x_j)`` over
    ``0 <= alpha_i <= C_i``, ``sum_i y_i alpha_i = 0``, with C_i = C * class weight * sample weight.

    Parameters
    ----------
    C : float, default=1.0
        Price of slack, above 0; inf is the hard margin.
    kernel : {"linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed"} or callable, default="rbf"
        With "precomputed", X is the Gram matrix, (n, n) in `fit` and (n_queries, n) in queries.  A callable
        ``kernel(A, B)`` gives the kernel values (len(A), len(B)).
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
        "scale" is 1 / (n_features * X.var()), "auto" 1 / n_features.
    coef0 : float, default=0.0
    tol : float, default=1e-3
        Largest KKT violation called optimal.
    max_iter : int, default=-1
        Steps per binary problem; -1 means max(10^7, 100 n).  Reaching a limit sets `fit_status_` to 1.
    selection : str, default="second-order"
        Working-set rule, a name of `RULES`.
    random_state : int, RandomState or None, default=None
        Seed of the rules that draw.  None means 0: the same call gives the same answer.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, 1 where there is none; "balanced" is n / (n_classes * n_c).
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        For more than two classes, one column per class or, only one-vs-one, one per pair.
    multiclass : {"one-vs-one", "one-vs-rest"}, default="one-vs-one"
        How more than two classes become binary problems, a name of `multiclass.SCHEMES`.
    cache_size : float, default=200
        Bound of the kernel rows kept while training, in MB.
    solver : {"auto", "smo", "path"}, default="auto"
        "auto" looks for the optimum as quickly as it can: SMO, and once that has made some hundred updates, all free
        multipliers at once; thousands of points of the plane start next to the optimum, in time nearly linear in the
        points, where the kernel is not "laplacian".  SMO finishes and certifies.  It pays for many points and for
        large C, where C is below inf and the kernel "linear", "poly" (coef0 at least 0), "rbf" or "laplacian"; see
        `auto`.  `n_iter_` does not count what was jumped over.  "smo" is pair updates and nothing else, as the
        playground's lanes show them.  "path" keeps the whole kernel matrix of up to 1000 points; its trainer's solvers
        can go on to another C (see `c_path`).
    max_time : float, default=inf
        Seconds after which training ends with what it has, and `fit_status_` 1; certificates tell how good that is.
        Certifying it takes time besides.  With it, the same call may give another answer.
    shrinking, verbose
        Taken as scikit-learn takes them, without effect: what is left out of a step is looked at again before the end,
        and nothing is printed.
    probability : bool, default=False
        True is refused: an SVM has no probabilities; ``CalibratedClassifierCV`` fits some to its values.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the points whose weight is above 0.
    support_ : ndarray of shape (n_SV,), int32
        Rows of the X given to `fit`, by class.
    support_vectors_ : ndarray of shape (n_SV, n_features)
        Empty, (0, 0), for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,), int32
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        y alpha, arranged as LIBSVM does.  One-vs-rest with more than two classes: (n_classes, n_SV), row c is
        y alpha of class c against the rest.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        One-vs-rest with more than two classes: (n_classes,).
    coef_ : ndarray of shape (len(intercept_), n_features)
        Linear kernel only.
    class_weight_ : ndarray of shape (n_classes,)
    n_iter_ : ndarray of shape (len(intercept_),), int32
    n_features_in_ : int
    shape_fit_ : tuple of int
        Shape of the X given to `fit`.
    fit_status_ : int
        0 when every problem is optimal (or stationary, or at the limit of double precision), else 1.
    certificate_ : Certificate
        What is proved about the answer; of several problems together, as in `certificate.joined`.
    certificates_ : list of Certificate
        One per binary problem.  After `fit` the best primal bounds are looked for when it is first read.
    pairs_ : list of Pair
        The binary problems, in the order of `intercept_`.

    Notes
    -----
    Shapes and signs are scikit-learn's: for two classes f > 0 is classes_[1].

    Source: Chang, Lin, "LIBSVM", ACM TIST 2, 2011; and the papers named in `smo`, `working_set_rules` and `multiclass`.
    """

    _largest_coordinate = LARGEST_COORDINATE

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
    shrinking: bool = field(default=True, kw_only=True)
    verbose: bool = field(default=False, kw_only=True)
    probability: bool = field(default=False, kw_only=True)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on `X` (n, n_features) and labels `y` (n,); after an error the estimator is as it was before.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
            At least two classes.
        sample_weight : array-like of shape (n,), optional
            Factors of C, at least 0.  A point of weight 0 is left out.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence.
        NotSeparableError
            C is inf and some classes cannot be separated; a ValueError as well.
        """
        training = self._checked(X, y, sample_weight)
        trainer = training.trainer
        limit = check_number("max_time", self.max_time, 0.0, open_low=True)
        end = time.monotonic() + limit
        late = never if limit == np.inf else lambda: time.monotonic() >= end
        while trainer.status is Status.RUNNING:
            trainer.step(1_000_000, late)
            if late():
                for solver in trainer.solvers:
                    solver.give_up()
            for pair, solver in zip(trainer.pairs, trainer.solvers, strict=True):
                if solver.status is Status.NOT_SEPARABLE:
                    raise NotSeparableError(_not_separable(training, pair, solver))
        self._adopt(training, trainer.snapshot(thorough=False))._learned_from(X)
        quick = self.certificates_
        del self.certificates_  # made when asked for
        self._searches: list[PrimalSearch] = [
            solver.primal_search(certificate) for solver, certificate in zip(trainer.solvers, quick, strict=True)
        ]
        self._warn_unless_converged(
            quick, f"max_time={limit:g} s" + _outlook(trainer, self.certificate_, limit) if late() else None
        )
        return self

    def prepare(
        self,
        X: ArrayLike,
        y: ArrayLike,
        start: Callable[[Pair, Array], ArrayLike | None] | None = None,
        sample_weight: ArrayLike | None = None,
        shrinking: bool = True,
    ) -> PairTrainer[SmoSolver]:
        """Check data and parameters and return a trainer to step; `adopt` takes its snapshots.

        Parameters
        ----------
        start : callable, optional
            ``start(pair, C)`` gives the multipliers a binary problem starts from, or None; `C` are their bounds.
        shrinking : bool, default=True
            See `SmoSolver`.

        Notes
        -----
        Unlike `fit` it lets a hard margin that does not exist be seen: the trainer ends as `Status.NOT_SEPARABLE`.
        With solver="smo" its steps are those of `SmoSolver`.
        """
        training = self._training = self._checked(X, y, sample_weight, start, shrinking)
        return training.trainer

    def move_points(self, X: ArrayLike) -> PairTrainer[SmoSolver] | None:
        """As `PairClassifier.move_points`; None with a Gram matrix, a callable kernel, another gamma, or "path"."""
        training: _Training = self._training
        points = check_points(X, self._largest_coordinate)
        kernel = kernel_of(self.kernel, points, **self._kernel_parameters)
        known = training.kernel
        # Points of a Gram matrix are columns as well; and gamma="scale" may be another number now.
        if type(known) is not Kernel or kernel != known or points.shape != training.X.shape or self.solver == "path":
            return None
        solvers = iter(training.trainer.solvers)

        def moved(pair: Pair) -> SmoSolver:
            solver = next(solvers)
            solver.move_points(points[pair.index])
            return solver

        trainer = PairTrainer(training.trainer.pairs, moved)
        centre = _centre(kernel, points, training.codes >= 0)
        self._training = replace(training, X=points, centre=centre, trainer=trainer)
        return trainer

    def to_sklearn(self) -> Any:
        """The estimator of scikit-learn with the corresponding parameters, not fitted.

        It is an `sklearn.svm.SVC`; for one-vs-rest, the `OneVsRestClassifier` of one.  No parameter corresponds to
        `selection`, `random_state` and `solver`, which change the way to the optimum only, nor to `max_time`, nor to a
        `max_iter` of -1, which is no limit there.

        Raises
        ------
        ValueError
            Nothing corresponds: C is inf, the Laplacian kernel has no number as gamma, or classes have weights in
            one-vs-rest.
        ImportError
            scikit-learn, which nothing else here needs, is not installed.
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
        names = ("C", "degree", "gamma", "coef0", "tol", "max_iter", "class_weight", "decision_function_shape")
        parameters = {name: getattr(self, name) for name in names}
        svc = of_scikit_learn("svm", "SVC")(kernel=kernel, cache_size=max(self.cache_size, 1), **parameters)
        return of_scikit_learn("multiclass", "OneVsRestClassifier")(svc) if rest else svc

    def pair_multipliers(self, snapshots: Sequence[SmoSnapshot]) -> list[tuple[Array, Array]]:
        """alpha and C of the points of each binary problem, in the order of `Pair.index`."""
        solvers = self._training.trainer.solvers
        return [(snapshot.alpha, solver.C) for snapshot, solver in zip(snapshots, solvers, strict=True)]

    @cached_property
    def certificates_(self) -> list[Certificate]:  # type: ignore[override]
        """One per binary problem."""
        return [search.result() for search in self._fitted()._searches]

    @property
    def certificate_(self) -> Certificate:
        """What is proved about the answer."""
        return joined(self.certificates_)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy needs: certificates, and not what they are made from."""
        if not hasattr(self, "_searches"):
            return dict(vars(self))
        return vars(self) | {"certificates_": self.certificates_, "_searches": []}

    # -- inside ----------------------------------------------------------------------------------------------------

    def _checked(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        start: Callable[[Pair, Array], ArrayLike | None] | None = None,
        shrinking: bool = True,
    ) -> _Training:
        """Data and parameters, checked, and the trainer made of them; changes nothing in this estimator."""
        points, classes, codes = self._training_data(X, y)
        check_number("tol", self.tol, 0.0, np.inf, open_low=True, open_high=True)
        cache_size = check_number("cache_size", self.cache_size, 0.0, open_high=True)
        check_choice("selection", self.selection, RULES)
        if check_flag("probability", self.probability):
            raise ValueError("probability is True; an SVM has none: fit CalibratedClassifierCV(SVC(), ensemble=False).")
        check_choice("solver", self.solver, SOLVERS)
        scheme = SCHEMES[check_choice("multiclass", self.multiclass, SCHEMES)]
        shape = check_choice("decision_function_shape", self.decision_function_shape, _SHAPES)
        if shape == "ovo" and self.multiclass != "one-vs-one":
            raise ValueError(f"decision_function_shape is 'ovo'; with multiclass={self.multiclass!r} it must be 'ovr'.")
        kernel = kernel_of(self.kernel, points, **self._kernel_parameters)

        of_classes = class_weights(self.class_weight, classes, codes)
        of_points = of_classes[codes] * sample_weights(sample_weight, len(points))
        kept = of_points > 0
        left = np.unique(codes[kept])
        if len(left) < 2:
            who = f"only points of class {classes[left[0]]!s} have" if len(left) else "no point has"
            what = "a weight above zero; an SVM needs points of at least two classes."
            raise ValueError(f"After weighting, {who} {what}")
        C_i = bounds(self.C, of_points, LARGEST_C, or_inf=True)
        gram = gram_for_training(kernel, points)
        codes = np.where(kept, np.searchsorted(left, codes), -1)
        pairs = scheme.problems(codes, len(left))
        centre = _centre(kernel, points, kept)

        def solver(pair: Pair) -> SmoSolver:
            rows = points[pair.index] if gram is None else gram[np.ix_(pair.index, pair.index)]
            C_pair = C_i[pair.index]
            return self._solver(
                SOLVERS[self.solver],
                rows,
                pair.y,
                kernel if isinstance(kernel, Kernel) else PrecomputedKernel(),
                C=C_pair,
                alpha=None if start is None else start(pair, C_pair),
                cache_size=cache_size / len(pairs),
                shrinking=shrinking,
            )

        trainer = PairTrainer(pairs, solver)
        return _Training(points, classes[left], codes, of_classes[left], kernel, centre, trainer)

    def _solver(self, kind: type[SmoSolver], X: Array, y: Array, kernel: Kernel, **arguments: Any) -> SmoSolver:
        """The solver of one binary problem, of this `kind`."""
        return kind(
            X,
            y,
            kernel,
            tol=self.tol,
            max_iter=self.max_iter,
            selection=self.selection,
            random_state=check_seed(self.random_state),
            **arguments,
        )

    def _adopt(self, training: _Training, snapshots: Sequence[SmoSnapshot]) -> Self:
        X, codes, pairs = training.X, training.codes, training.trainer.pairs
        kernel, centre, n_classes = training.kernel, training.centre, len(training.classes)
        full = np.zeros((len(X), len(pairs)))
        for p, (pair, snapshot) in enumerate(zip(pairs, snapshots, strict=True)):
            full[pair.index, p] = pair.y * snapshot.alpha
        support = np.flatnonzero((full != 0).any(axis=1))
        support = support[np.argsort(codes[support], kind="stable")]
        coef, vectors = full[support], X[support]
        precomputed = isinstance(kernel, PrecomputedKernel)
        self.classes_, self.class_weight_ = training.classes, training.class_weight
        self.n_features_in_, self.shape_fit_ = X.shape[1], X.shape
        self.support_ = support.astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if precomputed else vectors
        self.n_support_ = np.bincount(codes[support], minlength=n_classes).astype(np.int32)
        self.pairs_ = pairs
        self._expand(
            kernel,
            self.support_vectors_,
            self.support_,
            coef,
            np.array([s.intercept for s in snapshots]),
            [solver.centre for solver in training.trainer.solvers],
            centre,
        )
        one_row_each = n_classes == 2 or pairs[0].negative == REST
        self.dual_coef_ = coef.T.copy() if one_row_each else libsvm_table(coef, pairs, codes[support])
        self.certificates_ = [snapshot.certificate for snapshot in snapshots]
        self._searches = []
        self.n_iter_ = np.array([c.n_iter for c in self.certificates_], dtype=np.int32)
        self.fit_status_ = int(any(c.status in UNFINISHED for c in self.certificates_))
        return self


def _centre(kernel: AnyKernel, points: Array, kept: Mask) -> Array:
    """By how much the points are shifted for a linear kernel: products of differences keep the digits far away."""
    return points[kept].mean(axis=0) if kernel.is_translation_invariant else np.zeros(points.shape[1])


def _outlook(trainer: PairTrainer[SmoSolver], certificate: Certificate, spent: float) -> str:
    """What can be said of the problems that had no time to end."""
    left = (s.outlook(spent) for s in trainer.solvers if isinstance(s, AutoSolver) and s.status is Status.STOPPED_EARLY)
    words = next(filter(None, left), "")
    gap = f"; the gap is {100.0 * certificate.gap:.3g} %" if np.isfinite(certificate.gap) else ""
    return f"{gap}.  {words}" if words else gap


def _not_separable(training: _Training, pair: Pair, solver: SmoSolver) -> str:
    """The sentence about a hard margin that does not exist."""
    names = training.classes
    who = ""
    if len(names) > 2:
        other = "the rest" if pair.negative == REST else f"class {names[pair.negative]!s}"
        who = f" for class {names[pair.positive]!s} against {other}"
    bound = solver.certificate(thorough=False).margin_bound
    return (
        f"C is inf, but with the {training.kernel.name} kernel the classes are not separable{who}: no margin is wider"
        f" than {bound:.2g} on each side.  Choose a finite C."
    )
