"""PairClassifier: base class of the classifiers that are trained step by step on binary problems.

Each binary problem (`multiclass.BinaryProblem`) has a function f, which is positive for its positive class.  A training
can be inspected at any moment: `prepare` returns the trainer, and `snapshot_model` returns an independent model of the
trainer's present state.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.kernels.expansion import PIECE, Expansion
from solver.kernels.grids import GridRows
from solver.kernels.table import PrecomputedKernel

from .arrays import Array, Indices, Mask
from .certificate import Status
from .checks import check_axis, check_labels, check_number, check_points
from .class_weights import class_weights, classes_with_weight, sample_weights
from .estimator import Classifier
from .multiclass import BinaryProblem, Pair, PairTrainer, leaders, winners
from .stepping import never

#: ``start(pair, C)`` returns the multipliers a binary problem starts from, or None; `C` are their bounds.
Start = Callable[[BinaryProblem, Array], ArrayLike | None]


@dataclass(frozen=True)
class TrainingData:
    """Checked training data of a `PairClassifier`.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        The points, standardised if the classifier standardises.
    classes : ndarray of shape (n_classes,)
        Sorted labels of the points whose weight is above 0.
    codes : ndarray of shape (n,), int
        Class index of each point; -1 for a point of weight 0, which is left out of the training.
    class_weight : ndarray of shape (n_classes,)
        Weight of each class.
    weights : ndarray of shape (n,)
        Weight of each point: its sample weight times the weight of its class.
    """

    X: Array
    classes: NDArray[Any]
    codes: Indices
    class_weight: Array
    weights: Array


@dataclass(frozen=True)
class PreparedTraining:
    """Checked training data with the trainer that `PairClassifier.prepare` returns for them."""

    data: TrainingData
    trainer: PairTrainer[Any]


class PairClassifier(Classifier):
    """A classifier made of binary problems, trained step by step.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; with two classes, f > 0 is classes_[1].
    pairs_ : list of Pair
        The classes of the binary problems, in the order of `intercept_`.
    intercept_ : ndarray of shape (n_problems,)
    certificates_ : sequence of Certificate, PerceptronCertificate or PegasosCertificate
        What is proved, one per problem; each has a `status`.
    kind : "f"
        The classifier's values are those of f, not shares of votes.
    """

    kind: ClassVar[Literal["f"]] = "f"

    classes_: NDArray[Any]
    pairs_: list[Pair]
    intercept_: Array
    certificates_: Sequence[Any]
    _training: Any
    #: Its name in error messages.
    _learner = "an SVM"

    # -- training --------------------------------------------------------------------------------------------------

    def prepare(
        self,
        X: ArrayLike,
        y: ArrayLike,
        start: Start | None = None,
        sample_weight: ArrayLike | None = None,
        shrinking: bool = True,
    ) -> PairTrainer[Any]:
        """Check data and parameters, and return the trainer that `fit` would run.

        `adopt` makes a fitted model of the trainer's snapshots, at any moment.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
        start : callable, optional
            ``start(pair, C)`` returns the multipliers from which a binary problem starts, or None; `C` are their upper
            bounds.  Only `SVC` uses it: the other classifiers start from zero.
        sample_weight : array-like of shape (n,), optional
            Factor of C or of the loss at each point, at least 0.  A point of weight 0 is left out.
        shrinking : bool, default=True
            As in `SmoSolver`; only `SVC` uses it.

        Returns
        -------
        PairTrainer

        Raises
        ------
        ValueError, TypeError
            As `fit`.  But `SVC.prepare` does not raise NotSeparableError: its trainer ends with
            `Status.NOT_SEPARABLE`.
        """
        training = self._checked(X, y, sample_weight, start=start, shrinking=shrinking)
        trainer: PairTrainer[Any] = training.trainer
        if trainer.solvers:  # made here, with their errors
            self._training = training
        return trainer

    def move_points(self, X: ArrayLike) -> PairTrainer[Any] | None:
        """Restart the training of `prepare` with moved points, from its present multipliers.

        The steps are those of a new `prepare` that starts from these multipliers, but come sooner where few points have
        moved.  `adopt` and `snapshot_model` then take the snapshots of the new trainer.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            The points given to `prepare`, in their order, at their new coordinates; their labels and all parameters
            must be unchanged.

        Returns
        -------
        PairTrainer or None
            None, with nothing done, where a new `prepare` is needed.  Only `SVC` can restart.

        Raises
        ------
        ValueError, TypeError
            As `prepare`; the training can no longer be used then, and a new `prepare` is needed.
        """
        return None

    def adopt(self, snapshots: Sequence[Any]) -> Self:
        """Set the learned attributes from snapshots of the trainer that `prepare` made, finished or not.

        Parameters
        ----------
        snapshots : sequence
            As `PairTrainer.snapshot` returns them.

        Returns
        -------
        Self
            This estimator, fitted.
        """
        return self._adopt(self._training, snapshots)

    def snapshot_model(self, snapshots: Sequence[Any]) -> Self:
        """Return a new fitted model of `snapshots`; this estimator and its trainer can go on.

        Parameters
        ----------
        snapshots : sequence
            As `PairTrainer.snapshot` returns them.
        """
        model = type(self)(**self.get_params())._adopt(self._training, snapshots)
        model.scaler = self.scaler
        return model

    def pair_multipliers(self, snapshots: Sequence[Any]) -> list[tuple[Array, Array]]:
        """Return alpha and C of the points of each binary problem, in the order of `BinaryProblem.index`.

        `snapshots` are those of the trainer that `prepare` made.  The list is empty for a learner without multipliers.
        """
        return []

    def _training_data(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
    ) -> TrainingData:
        """Check points, labels and weights, and standardise the points if this classifier does so."""
        points = check_points(X, self._largest_coordinate)
        classes, codes = check_labels(y, len(points))
        if len(classes) < 2:
            raise ValueError(f"y holds one class only; {self._learner} needs points of at least two classes.")
        of_classes = class_weights(class_weight, classes, codes)
        weights = of_classes[codes] * sample_weights(sample_weight, len(points))
        left, codes = classes_with_weight(classes, codes, weights, self._learner)
        return TrainingData(self._scaled_to_learn(points), classes[left], codes, of_classes[left], weights)

    @abstractmethod
    def _checked(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **options: Any
    ) -> PreparedTraining:
        """Check data and parameters, and make the trainer; `options` are `start` and `shrinking` of `prepare`.

        This changes no attribute that `fit` sets.
        """

    def _adopt(self, training: Any, snapshots: Sequence[Any]) -> Self:
        """Set the learned attributes from snapshots of the trainer, and return this estimator."""
        data: TrainingData = training.data
        self.classes_, self.n_features_in_ = data.classes, data.X.shape[1]
        self.pairs_ = [pair.pair for pair in training.trainer.pairs]
        return self

    # -- use -------------------------------------------------------------------------------------------------------

    def pair_decision_function(self, X: ArrayLike) -> Array:
        """Return f of each binary problem at the queries `X`, shape (n, n_problems); > 0 for the positive class.

        Raises
        ------
        ValueError, TypeError
            As `decision_function`.
        """
        return self._pair_values(self._queries(X))

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f at the queries `X`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,) for two classes, (n, n_classes) for more
            f > 0 means classes_[1] for two classes; for more, the class with the largest f wins.

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError), or `X` does not hold finite numbers of `n_features_in_`
            features.
        TypeError
            If `X` holds an object that is not a number, such as a dict or a date.
        """
        return self._in_pieces(X, self._joined)

    @property
    @abstractmethod
    def expansion(self) -> Expansion:
        """f of each binary problem as a sum of kernel values, for pictures and explanations."""

    @abstractmethod
    def _pair_values(self, points: Array) -> Array:
        """Return `pair_decision_function` at checked `points`."""

    @abstractmethod
    def _joined(self, pair_values: Array) -> Array:
        """Return `decision_function` from f of the binary problems, shape (..., n_problems)."""

    def _in_pieces(self, X: ArrayLike, answer: Callable[[Array], NDArray[Any]]) -> NDArray[Any]:
        """Return ``answer(f of the binary problems)`` at the queries `X`, in pieces, to bound the memory."""
        return np.concatenate([answer(self._pair_values(part)) for part in self._parts(X)])

    def _parts(self, X: ArrayLike) -> list[Array]:
        """Return the checked queries `X` in parts, at least one."""
        points = self._queries(X)
        step = max(1, PIECE // len(self.pairs_))
        return [points[first : first + step] for first in range(0, len(points), step)]

    def surface(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """Return `decision_function` at all points (xs[i], ys[j]), much faster than point by point.

        Parameters
        ----------
        xs, ys : array-like of shape (n_columns,), (n_rows,)
            Coordinates of columns and rows.

        Returns
        -------
        ndarray of shape (n_rows, n_columns) for two classes, (n_rows, n_columns, n_columns of `decision_function`) else

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError) or has other than two features, if an axis is not finite, or
            if the kernel is precomputed, so that its points are not in the plane.
        TypeError
            If an axis holds an object that is not a number.
        """
        expansion = self.expansion
        if isinstance(expansion.kernel, PrecomputedKernel):
            raise ValueError("A precomputed kernel has no surface: its points are rows of a matrix, not of the plane.")
        columns = check_axis("xs", xs, self.n_features_in_, self._largest_coordinate)
        rows = check_axis("ys", ys, self.n_features_in_, self._largest_coordinate)
        return self._joined(expansion.finite(self.pair_surface_on(columns)(rows)))

    def pair_surface_on(self, xs: Array) -> GridRows:
        """Prepare f on columns `xs` of a grid, and return ``rows(ys)`` -> (len(ys), len(xs), n_problems)."""
        columns, scaler = check_axis("xs", xs, self._fitted().n_features_in_), self.scaler
        if scaler is None:
            return self._rows_on(columns)
        rows = self._rows_on(scaler.axis(0, columns))
        return lambda ys: rows(scaler.axis(1, np.asarray(ys)))

    @abstractmethod
    def _rows_on(self, xs: Array) -> GridRows:
        """Return `pair_surface_on` for checked columns as the learner gets them."""

    @property
    def plane_weights(self) -> Array:
        """w of each problem of a linear f, in the units of the data, shape (n_problems, n_features)."""
        weights = self.expansion.linear_weights
        return weights if self.scaler is None else weights / self.scaler.scale

    def leaders(self, X: ArrayLike) -> Mask:
        """Return which classes are ahead of all others at each query, shape (n, n_classes): several where they tie."""
        found = [self.leaders_of(self._pair_values(part), self._rounding_at(part)) for part in self._parts(X)]
        return np.concatenate(found)

    def leaders_of(self, pair_values: Array, rounding: Array | float = 0.0) -> Mask:
        """Return `leaders` for given f of the binary problems, shape (..., n_problems) -> (..., n_classes).

        One-vs-one, a pair with abs(f) <= `rounding` is a draw; one-vs-rest, all within `rounding` of the largest f
        lead.
        """
        return leaders(pair_values, self.pairs_, len(self.classes_), rounding)

    def rounding_at(self, points: Array) -> Array | float:
        """Return `rounding` at each of `points`, shape (n, n_features)."""
        return self._rounding_at(self.scaled(points))

    def _rounding_at(self, points: Array) -> Array | float:
        """Return `rounding_at` for points as the learner gets them."""
        return self.rounding

    @property
    @abstractmethod
    def rounding(self) -> float:
        """Bound on the rounding error of f at points of unit size; an f below it has no sign."""

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each query.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
            For two classes, classes_[1] where f > 0.  For more, one-vs-one: the class that wins most pairs;
            one-vs-rest: the class with the largest f; the lowest class where several are equal.

        Raises
        ------
        ValueError, TypeError
            As `decision_function`.

        Notes
        -----
        A point at exactly f = 0 belongs to the problem's negative class, which for two classes is classes_[0].  LIBSVM,
        and so scikit-learn's SVC, predicts classes_[1] there, and agrees with this learner when there are more classes.
        """
        return self._in_pieces(X, lambda pair_values: self.classes_[self.winner(pair_values)])

    def winner(self, pair_values: Array) -> Indices:
        """Return the index of the predicted class for given f of the binary problems, shape (..., n_problems) -> (...).

        One-vs-one: the class that wins most pairs; one-vs-rest: the class with the largest f; the lowest class of
        equals.
        """
        return winners(pair_values, self.pairs_, len(self.classes_))


def trained(trainer: PairTrainer[Any], max_time: float = np.inf) -> Iterator[tuple[Any, bool]]:
    """Train the solvers one after the other; yield each of them, and whether `max_time` (s) has passed.

    After that time a solver stops early, with its present answer.  A solver is made when its turn comes, so that only
    one at a time takes memory.
    """
    limit = check_number("max_time", max_time, 0.0, open_low=True)
    end = time.monotonic() + limit
    late = never if limit == np.inf else lambda: time.monotonic() >= end
    for pair in trainer.pairs:
        solver = trainer.make_solver(pair)
        while solver.status is Status.RUNNING and not late():
            solver.step(1_000_000, late)
        if solver.status is Status.RUNNING:
            solver.give_up()
        yield solver, late()
