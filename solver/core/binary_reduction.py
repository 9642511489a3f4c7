"""PairClassifier: what all classifiers share that solve binary problems by steps, however their f is made.

Each binary problem (`multiclass.BinaryProblem`) has an f, positive for its positive class.  A training can be looked at
at any moment: `prepare` gives the trainer, `snapshot_model` makes a model of its own of what the trainer knows.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.kernels.expansion import PIECE, Expansion
from solver.kernels.grids import GridRows

from .arrays import Array, Indices, Mask
from .certificate import Status
from .checks import check_labels, check_number, check_points
from .estimator import Estimator
from .multiclass import BinaryProblem, Pair, PairTrainer, leaders, winners
from .stepping import never

#: Gives the multipliers a binary problem starts from, or None: ``start(pair, C)``, `C` being their bounds.
Start = Callable[[BinaryProblem, Array], ArrayLike | None]


class Prepared(Protocol):
    """What a call of `prepare` found out about data and parameters."""

    @property
    def trainer(self) -> PairTrainer[Any]:
        """The solvers of all binary problems."""


class PairClassifier(Estimator):
    """A classifier made of binary problems, trained by steps.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; with two of them f > 0 is classes_[1].
    pairs_ : list of Pair
        The classes of the binary problems, in the order of `intercept_`.
    intercept_ : ndarray of shape (n_problems,)
    certificates_ : sequence of Certificate, PerceptronCertificate or PegasosCertificate
        What is proved, one per problem; each has a `status`.
    kind : "f"
        Its values are those of f.
    """

    kind: ClassVar[Literal["f"]] = "f"

    classes_: NDArray[Any]
    pairs_: list[Pair]
    intercept_: Array
    certificates_: Sequence[Any]
    _training: Any
    #: What it is called in sentences.
    _learner = "an SVM"

    # -- training --------------------------------------------------------------------------------------------------

    def prepare(
        self, X: ArrayLike, y: ArrayLike, start: Start | None = None, *, shrinking: bool = True
    ) -> PairTrainer[Any]:
        """Check data and parameters and return the trainer that `fit` would run; `adopt` takes its snapshots.

        Parameters
        ----------
        start : callable, optional
            ``start(pair, C)`` gives the multipliers a binary problem starts from, or None; `C` are their bounds.
            Only `SVC` listens: the others begin at zero.
        shrinking : bool, default=True
            As in `SmoSolver`; the others leave nothing out.
        """
        self._training = self._checked(X, y)
        trainer: PairTrainer[Any] = self._training.trainer
        return trainer

    def move_points(self, X: ArrayLike) -> PairTrainer[Any] | None:
        """The training that `prepare` gave begun again in place, with points elsewhere, from the multipliers it has.

        That is the training of a new `prepare` from these multipliers, step by step; only sooner where few points have
        moved.  `adopt` and `snapshot_model` take its snapshots from now on.  None, and nothing done, where another
        `prepare` is needed: only `SVC` keeps anything of use.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            The points given to `prepare` in their order, with the same labels; parameters must be as they were, too.

        Raises
        ------
        ValueError
            As `prepare`, in the same words; then the training is of no use any more, and `prepare` begins another.
        """
        return None

    def adopt(self, snapshots: Sequence[Any]) -> Self:
        """Set the learned attributes from snapshots of the trainer that `prepare` made, finished or not."""
        return self._adopt(self._training, snapshots)

    def snapshot_model(self, snapshots: Sequence[Any]) -> Self:
        """A model of its own with the learned attributes of `snapshots`; this one and its trainer go on."""
        return type(self)(**self.get_params())._adopt(self._training, snapshots)

    def pair_multipliers(self, snapshots: Sequence[Any]) -> list[tuple[Array, Array]]:
        """alpha and C of the points of each binary problem, in the order of `BinaryProblem.index`, as in `snapshots`
        of the trainer that `prepare` made; empty for a learner that has no multipliers."""
        return []

    def _training_data(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, NDArray[Any], Indices]:
        """Points, sorted classes and the class index of each point, checked."""
        points = check_points(X, self._largest_coordinate)
        classes, codes = check_labels(y, len(points))
        if len(classes) < 2:
            raise ValueError(f"y holds one class only; {self._learner} needs points of at least two classes.")
        return points, classes, codes

    @abstractmethod
    def _checked(self, X: ArrayLike, y: ArrayLike) -> Prepared:
        """Data and parameters, checked, and the trainer made of them; changes nothing in this estimator."""

    @abstractmethod
    def _adopt(self, training: Any, snapshots: Sequence[Any]) -> Self:
        """Set the learned attributes."""

    # -- use -------------------------------------------------------------------------------------------------------

    def pair_decision_function(self, X: ArrayLike) -> Array:
        """f of each binary problem, shape (n, n_problems); positive for the problem's `positive` class."""
        return self._pair_values(self._queries(X))

    def decision_function(self, X: ArrayLike) -> Array:
        """f, shape (n,), for two classes; one column per class, shape (n, n_classes), for more."""
        return self._in_pieces(X, self._joined)

    @property
    @abstractmethod
    def expansion(self) -> Expansion:
        """f of each binary problem as a sum of kernel values."""

    @abstractmethod
    def _pair_values(self, points: Array) -> Array:
        """`pair_decision_function` at checked `points`."""

    @abstractmethod
    def _joined(self, pair_values: Array) -> Array:
        """`decision_function` from f of the binary problems, shape (..., n_problems)."""

    def _in_pieces(self, X: ArrayLike, answer: Callable[[Array], NDArray[Any]]) -> NDArray[Any]:
        """``answer(f of the binary problems)`` at the queries `X`; many problems are never held for all of them."""
        return np.concatenate([answer(self._pair_values(part)) for part in self._parts(X)])

    def _parts(self, X: ArrayLike) -> list[Array]:
        """The checked queries `X` in parts, at least one."""
        points = self._queries(X)
        step = max(1, PIECE // len(self.pairs_))
        return [points[first : first + step] for first in range(0, len(points), step)]

    @abstractmethod
    def pair_surface_on(self, xs: Array) -> GridRows:
        """Prepare f on columns `xs`; the result gives rows: ``rows(ys) -> (len(ys), len(xs), n_problems)``."""

    def leaders(self, X: ArrayLike) -> Mask:
        """Which classes are ahead of all others at each point, shape (n, n_classes): several where they tie."""
        found = [self.leaders_of(self._pair_values(part), self.rounding_at(part)) for part in self._parts(X)]
        return np.concatenate(found)

    def leaders_of(self, pair_values: Array, rounding: Array | float = 0.0) -> Mask:
        """The same for given f of the binary problems, shape (..., n_problems) -> (..., n_classes).

        An f of at most `rounding` has no sign.
        """
        return leaders(pair_values, self.pairs_, len(self.classes_), rounding)

    def rounding_at(self, points: Array) -> Array | float:
        """`rounding` at each of `points`, shape (n, n_features)."""
        return self.rounding

    @property
    @abstractmethod
    def rounding(self) -> float:
        """Size of f, among points of unit size, below which it may be its own rounding error and has no sign."""

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Label of each point, shape (n,): the class `winner` names.

        A point at exactly f = 0 belongs to the problem's negative class, which of two classes is classes_[0].  LIBSVM,
        and so scikit-learn's SVC, gives it to classes_[1] then, and does the same as this one with more classes.
        """
        return self._in_pieces(X, lambda pair_values: self.classes_[self.winner(pair_values)])

    def winner(self, pair_values: Array) -> Indices:
        """Class index for given f of the binary problems, shape (..., n_problems) -> (...): most duels won, or
        one-vs-rest the largest f; the lowest class of equals."""
        return winners(pair_values, self.pairs_, len(self.classes_))


def run(trainer: PairTrainer[Any], max_time: float = np.inf) -> bool:
    """Step until every problem has finished, or one is not separable; returns whether `max_time` (s) ended it.

    After `max_time`, finite only for solvers with a ``give_up``, each ends with the multipliers that it has.
    """
    limit = check_number("max_time", max_time, 0.0, open_low=True)
    end = time.monotonic() + limit
    late = never if limit == np.inf else lambda: time.monotonic() >= end
    while trainer.status is Status.RUNNING:
        trainer.step(1_000_000, late)
        if late():
            for solver in trainer.solvers:
                solver.give_up()
        if any(solver.status is Status.NOT_SEPARABLE for solver in trainer.solvers):
            break
    return late()
