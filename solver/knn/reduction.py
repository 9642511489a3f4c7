"""Condensing and editing: which points kNN needs, and which mislead it, decided one point at a time.

Both go through the points in passes; each step checks one point.

    condensing (Hart 1968)   S begins with one point.  A point that 1-NN on S misclassifies is added to S, until a whole
                             pass adds none.  Then 1-NN on S is right on all points: S is consistent.  S need not be the
                             smallest consistent set, and depends on the order of the points.
    editing (Wilson 1972)    A point that its k nearest others outvote is removed.  All points of a pass vote until its
                             end, also those removed.  There is one pass, or passes until one removes no point.

The tie rule is that of `neighbors`: points at the k-th distance share the remaining votes.  Condensing adds a point if
its class ties with another, so that it does not matter that `predict` returns the lowest class of a tie.  Of equal
points of two classes, those of one class stay misclassified, whatever is kept.  Editing keeps a point whose class ties.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Indices, Mask
from solver.core.binary_reduction import trained
from solver.core.certificate import NoMultipliers, Status
from solver.core.checks import DENSE, check_dense, check_flag, check_integer, check_points, check_seed, column
from solver.core.estimator import Estimator
from solver.core.multiclass import REST, BinaryProblem, PairTrainer
from solver.core.step_log import AT_ONCE
from solver.core.stepping import SteppedSolver

from . import _knn_loops as loops
from . import _knn_plain as plain
from ._knn_index import Index
from .neighbors import WEIGHTS, KNeighborsClassifier
from .vote import SLACK, Vote, vote


@dataclass(frozen=True)
class ReductionCertificate(NoMultipliers):
    """State of the run, and number of points that are still wrong.

    Attributes
    ----------
    status : Status
        RUNNING; OPTIMAL: the last pass changed nothing, or was the only one; STATIONARY: the same, but points stay
        wrong because equal points have another class; STOPPED_EARLY: after `max_iter` passes, or before a pass that
        would have removed every point or, in repeated editing, every point of a class.
    n_points, n_kept : int
        Number of all points, and of those kept.
    n_wrong : int
        Number of points that a further pass would change, or that no pass can correct: in condensing, the points that
        1-NN on the points kept misclassifies; in editing, the outvoted points that have not been checked yet.
    n_epochs : int
        Number of passes begun.
    n_iter : int
        Number of points checked.

    Examples
    --------
    >>> from solver import CondensedNearestNeighbour
    >>> condensing = CondensedNearestNeighbour(shuffle=False)
    >>> X_kept, y_kept = condensing.fit_resample([[0], [1], [2], [5], [6], [7]], [0, 0, 0, 1, 1, 1])
    >>> certificate = condensing.certificate_
    >>> certificate.status.value, certificate.n_kept, certificate.n_wrong, certificate.n_epochs
    ('optimal', 2, 0, 2)
    """

    status: Status
    n_points: int
    n_kept: int
    n_wrong: int
    n_epochs: int
    n_iter: int


@dataclass(frozen=True, eq=False)
class ReductionSnapshot:
    """The solver's state at one moment, in arrays that are not written to again.

    Attributes
    ----------
    kept : ndarray of shape (n_points,)
        Whether each point is kept.
    touched : int
        Index of the point checked last; -1 before the first.
    neighbors : ndarray of shape (m,)
        Indices of the points that voted on it, up to the k-th distance, nearest first.
    own, against : float
        Votes for its class, and for the strongest other class.
    changed : bool
        Whether it was added or removed.
    certificate : ReductionCertificate

    Examples
    --------
    The points that the first three steps check, and whether they are added to the first one:

    >>> from solver import CondensedNearestNeighbour
    >>> trainer = CondensedNearestNeighbour(shuffle=False).prepare([[0], [1], [5], [6]], [0, 0, 1, 1])
    >>> snapshots = [trainer.snapshot()[0] for _ in range(3) if trainer.step()]
    >>> [(snapshot.touched, snapshot.changed) for snapshot in snapshots]
    [(1, False), (2, True), (3, False)]
    """

    kept: Mask
    touched: int
    neighbors: Indices
    own: float
    against: float
    changed: bool
    certificate: ReductionCertificate


class ReductionSolver(SteppedSolver):
    """Base class of the solvers that pass over the points of a fitted classifier, one point per step.

    Parameters
    ----------
    model : KNeighborsClassifier
        Fitted to all points.
    """

    #: Names of `n_kept` and `n_wrong` of the certificate.  A change of the support vectors, in the words of
    #: `take_notes`, is here a point that is added or removed.
    NOTES = ("kept", "wrong")
    VALUES = ("status", "n_epochs", "touched", "_n_looks", "_changes", "_changed", "_cursor", "_order")
    ARRAYS: ClassVar[tuple[str, ...]] = ("_kept", "_due", "_voting")

    def __init__(self, model: KNeighborsClassifier) -> None:
        self._index, self._k = model._index, model.n_neighbors
        self._codes = self._index.codes
        self.n_epochs = self._n_looks = self._changes = self._cursor = 0
        self.touched, self._changed = -1, False
        self._order: Indices = np.empty(0, np.intp)
        n = len(self._codes)
        #: Whether each point is kept, is to be changed when it is checked, and votes.
        self._kept, self._due, self._voting = (np.ones(n, bool) for _ in range(3))

    @property
    def n_iter(self) -> int:
        """Number of points checked so far."""
        return self._n_looks

    @abstractmethod
    def _begin_pass(self) -> None:
        """Set the order of the next pass, or a status that ends the run."""

    @abstractmethod
    def _change(self, point: int) -> None:
        """Add or remove a point."""

    @abstractmethod
    def _end_pass(self) -> None:
        """Set the status if the pass that is over was the last."""

    def _work(self, goal: int) -> bool:
        most = min(goal - self._n_looks, AT_ONCE)
        if not most:
            return False
        if self._cursor == len(self._order):
            self._cursor = self._changes = 0
            self._begin_pass()
            if self.status is not Status.RUNNING:
                return True
            self.n_epochs += 1
        before = self._present
        ahead = self._order[self._cursor : self._cursor + most]
        due = self._due[ahead]
        self._changed = bool(due.any())
        done = int(due.argmax()) + 1 if self._changed else len(ahead)
        self.touched = int(ahead[done - 1])
        self._cursor += done
        self._n_looks += done
        if self._changed:
            self._changes += 1
            self._change(self.touched)
        if self._cursor == len(self._order):
            self._end_pass()
        if self._notes:
            rows = self._notes.record[1 : done + 1]
            rows[:, :-1], rows[:, -1] = before, 0.0
            rows[-1] = *self._present, self._changed
            self._notes.add(done)
        return True

    @property
    def _present(self) -> Array:
        return np.array([self._kept.sum(), self._due.sum()], dtype=np.float64)

    def certificate(self, thorough: bool = True) -> ReductionCertificate:
        """Return the certificate of the present state; `thorough` has no effect."""
        n_kept, n_wrong = map(int, self._present)
        return ReductionCertificate(self.status, len(self._kept), n_kept, n_wrong, self.n_epochs, self._n_looks)

    def snapshot(self, thorough: bool = True) -> ReductionSnapshot:
        """Return the present state in arrays of its own; `thorough` has no effect."""
        kept = self._kept.copy()
        kept.flags.writeable = False
        return ReductionSnapshot(kept, self.touched, *self._votes_on(), self._changed, self.certificate())

    def _votes_on(self) -> tuple[Indices, float, float]:
        """Return `neighbors`, `own` and `against` of the snapshot."""
        voting, index = self._voting.copy(), self._index
        voting[self.touched] = False
        voters = np.flatnonzero(voting)
        k = min(self._k, len(voters))
        if self.touched < 0 or not k:
            return voters[:0], 0.0, 0.0
        among = replace(index, points=index.points[voters], codes=self._codes[voters])
        found, own = vote(among, index.own[self.touched], k, WEIGHTS["uniform"]), self._codes[self.touched]
        return voters[found.index], float(found.votes[own]), float(np.delete(found.votes, own).max(initial=0.0))


class CondensingSolver(ReductionSolver):
    """Hart's condensing: add each point that 1-NN on the points kept misclassifies.

    The first point of the first pass is kept from the start.

    Parameters
    ----------
    model : KNeighborsClassifier
        Fitted to all points, with one neighbor.
    shuffle : bool, default=False
        Whether each pass has a new random order, instead of the order of the points.
    random_state : int, default=0
        Seed of the orders.
    """

    ARRAYS = (*ReductionSolver.ARRAYS, "_nearest", "_votes")

    def __init__(self, model: KNeighborsClassifier, *, shuffle: bool = False, random_state: int = 0) -> None:
        super().__init__(model)
        self.shuffle = check_flag("shuffle", shuffle)
        self.random_state = check_integer("random_state", random_state, 0)
        n = len(self._codes)
        self._kept[:] = False
        self._voting = self._kept
        #: For each point: distance of the nearest points kept, and their numbers by class.
        self._nearest, self._votes = np.full(n, np.inf), np.zeros((n, self._index.n_classes), np.int64)
        first, self._order = np.split(self._drawn(np.arange(n)), [1])
        self._change(int(first[0]))
        self.n_epochs = 1
        if n == 1:
            self.status = Status.OPTIMAL

    def _drawn(self, points: Indices) -> Indices:
        """Return the points in the order of the next pass, whose random numbers depend on the pass alone."""
        rng = np.random.default_rng((self.random_state, self.n_epochs))
        return rng.permutation(points) if self.shuffle else points

    def _begin_pass(self) -> None:
        self._order = self._drawn(np.flatnonzero(~self._kept))

    def _change(self, point: int) -> None:
        self._kept[point] = True
        index, near = self._index, np.arange(len(self._kept))
        if index.metric == loops.MINKOWSKI:  # powers are slow, and the largest difference is a lower bound
            least = plain.distances(loops.CHEBYSHEV, 1.0, index.own, index.points[[point]])[:, 0]
            near = np.flatnonzero(least <= self._nearest * (1.0 + SLACK))
        d = plain.distances(index.metric, index.p, index.own[near], index.points[[point]])[:, 0]
        self._votes[near[d < self._nearest[near]]] = 0
        some = d <= self._nearest[near]
        reached = near[some]
        self._nearest[reached] = d[some]
        self._votes[reached, self._codes[point]] += 1
        votes, rows, own = self._votes[reached], np.arange(len(reached)), self._codes[reached]
        mine = votes[rows, own]
        votes[rows, own] = -1
        self._due[reached] = mine <= votes.max(axis=1)

    def _end_pass(self) -> None:
        if not self._changes or self._kept.all():
            self.status = Status.STATIONARY if self._due.any() else Status.OPTIMAL


class EditingSolver(ReductionSolver):
    """Wilson's editing: remove each point that its k nearest others outvote.

    Parameters
    ----------
    model : KNeighborsClassifier
        Fitted to all points; if fewer than its `n_neighbors` others are left, all of them vote.
    max_iter : int, default=1
        Largest number of passes.
    """

    def __init__(self, model: KNeighborsClassifier, *, max_iter: int = 1) -> None:
        super().__init__(model)
        self.max_iter = check_integer("max_iter", max_iter, 1)
        self._due[:] = False

    def _begin_pass(self) -> None:
        points, index, codes = np.flatnonzero(self._kept), self._index, self._codes[self._kept]
        k = min(self._k, len(points) - 1)
        outvoted = np.zeros(len(points), bool)
        if k:
            among = Index.build(index.own[points], codes, index.n_classes, index.metric, index.p)
            rows = np.arange(len(points))
            shares = among.shares(among.own, k, WEIGHTS["uniform"], rows)
            outvoted = shares.max(axis=1) > shares[rows, codes]
        left = np.unique(codes[~outvoted])
        if not len(left) or (self.max_iter > 1 and len(left) < len(np.unique(codes))):
            self.status = Status.STOPPED_EARLY
            return
        self._order, self._voting[:] = points, self._kept
        self._due[points] = outvoted

    def _change(self, point: int) -> None:
        self._kept[point] = self._due[point] = False

    def _end_pass(self) -> None:
        if not self._changes or self.max_iter == 1:
            self.status = Status.OPTIMAL
        elif self.n_epochs >= self.max_iter:
            self.status = Status.STOPPED_EARLY


class ReducedNeighbors(KNeighborsClassifier):
    """kNN on some of the points that were given.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        Rows of the points kept, ascending.
    certificates_ : tuple of ReductionCertificate
        Certificate of the reduction.
    """

    sample_indices_: Indices
    certificates_: tuple[ReductionCertificate, ...]

    def vote_at(self, point: ArrayLike) -> Vote:
        """Return the vote as `KNeighborsClassifier.vote_at`, but with rows of all points in `Vote.index`."""
        vote = super().vote_at(point)
        return replace(vote, index=self.sample_indices_[vote.index])


@dataclass(repr=False, eq=False, kw_only=True)
class Reduction(Estimator):
    """Base class of condensing and editing: check the data, run the solver, and return the points kept.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        The points kept, as rows of the `X` given to `fit_resample`, ascending.
    certificate_ : ReductionCertificate
    n_features_in_ : int
    """

    sample_indices_: Indices = field(init=False)
    certificate_: ReductionCertificate = field(init=False)

    metric: str = "minkowski"
    p: float = 2

    @property
    @abstractmethod
    def _k(self) -> int:
        """Number of neighbors that vote."""

    @abstractmethod
    def _solver(self, model: KNeighborsClassifier) -> ReductionSolver:
        """Return the solver for a classifier fitted to all points."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose the points to keep, as `fit_resample`, which returns them; this returns the sampler."""
        self.fit_resample(X, y)
        return self

    def fit_resample(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Choose the points to keep.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers of at most 1e140.
        y : array-like of shape (n_samples,)
            Labels that can be sorted: whole numbers or strings.  One class is enough.

        Returns
        -------
        X_resampled : ndarray of shape (n_kept, n_features)
            The points kept, in the order given.
        y_resampled : ndarray of shape (n_kept,)
            Their labels.

        Raises
        ------
        ValueError
            If the data or a parameter is invalid.
        """
        [(solver, _)] = trained(self.prepare(X, y))
        snapshot = solver.snapshot()
        self.sample_indices_, self.certificate_ = np.flatnonzero(snapshot.kept), snapshot.certificate
        points = np.asarray(check_dense("X", X, DENSE))
        self.n_features_in_ = points.shape[1]
        self._learned_from(X)
        del self._all, self._labels  # not needed any more, and a pickle would contain them
        return points[self.sample_indices_], column(y)[self.sample_indices_]

    def prepare(self, X: ArrayLike, y: ArrayLike, start: Any = None, *, shrinking: bool = True) -> PairTrainer[Any]:
        """Check data and parameters and return the trainer that `fit_resample` runs, with one solver for all classes.

        `start` and `shrinking` have no effect; they are parameters of `PairClassifier.prepare`.
        """
        points = self._scaled_to_learn(check_points(X, self._largest_coordinate)) if self._standardises else X
        self._all = KNeighborsClassifier(self._k, metric=self.metric, p=self.p).fit(points, y)
        self._labels = column(y)
        nothing = np.empty(0)
        whole = BinaryProblem(0, REST, nothing.astype(np.intp), nothing)  # no binary problem: no f, and no signs
        return PairTrainer([whole], lambda pair: self._solver(self._all))

    def move_points(self, X: ArrayLike) -> None:
        """Return None: moved points need another `prepare`."""

    def pair_multipliers(self, snapshots: Sequence[ReductionSnapshot]) -> list[tuple[Array, Array]]:
        """Return an empty list, because there are no multipliers."""
        return []

    def snapshot_model(self, snapshots: Sequence[ReductionSnapshot]) -> ReducedNeighbors:
        """Return kNN on the points kept in `snapshots` of the trainer from `prepare`; if fewer than k, all vote."""
        kept = np.flatnonzero(snapshots[0].kept)
        model = ReducedNeighbors(min(self._k, len(kept)), metric=self.metric, p=self.p)
        model.fit(self._all._index.own[kept], self._labels[kept])
        model.sample_indices_, model.scaler = kept, self.scaler
        model.certificates_ = (snapshots[0].certificate,)
        return model

    adopt = snapshot_model


@dataclass(repr=False, eq=False, kw_only=True)
class CondensedNearestNeighbour(Reduction):
    """Hart's condensed nearest neighbours: few points on which 1-NN classifies all points correctly.

    Parameters
    ----------
    metric, p
        As in `KNeighborsClassifier`.
    shuffle : bool, default=True
        Whether each pass has a new random order of the points, instead of the order given: the result depends on it.
    random_state : int, RandomState or None, default=None
        Seed of the orders.  None means 0, so that the same call returns the same points.

    Attributes
    ----------
    sample_indices_, certificate_, n_features_in_
        As in `Reduction`.

    See Also
    --------
    EditedNearestNeighbours : Removes the points that mislead instead.

    Notes
    -----
    imbalanced-learn's class of this name keeps one class whole and condenses the others (`sampling_strategy`), begins
    with points drawn at random (`n_seeds_S`), and goes through the points once: its result need not be consistent.
    Here all classes are condensed, in passes until none adds a point, as Hart describes it.

    References
    ----------
    Hart, "The condensed nearest neighbor rule", IEEE Trans. Inf. Theory 14, 1968.

    Examples
    --------
    >>> from solver import CondensedNearestNeighbour, KNeighborsClassifier
    >>> X = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]]
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> condensing = CondensedNearestNeighbour(shuffle=False)
    >>> X_kept, y_kept = condensing.fit_resample(X, y)
    >>> condensing.sample_indices_.tolist()
    [0, 3]
    >>> KNeighborsClassifier(1).fit(X_kept, y_kept).score(X, y)
    1.0
    """

    shuffle: bool = True
    random_state: int | np.random.RandomState | None = None

    @property
    def _k(self) -> int:
        return 1

    def _solver(self, model: KNeighborsClassifier) -> CondensingSolver:
        return CondensingSolver(model, shuffle=self.shuffle, random_state=check_seed(self.random_state))


@dataclass(repr=False, eq=False, kw_only=True)
class EditedNearestNeighbours(Reduction):
    """Wilson's editing: removes the points that their k nearest others outvote, all at once.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number of other points that vote; if there are fewer, all vote.
    metric, p
        As in `KNeighborsClassifier`.

    Attributes
    ----------
    sample_indices_, certificate_, n_features_in_
        As in `Reduction`.

    See Also
    --------
    RepeatedEditedNearestNeighbours : Edits until no point is outvoted.

    Notes
    -----
    The same points are kept as by imbalanced-learn's class of this name with ``kind_sel="mode"`` and
    ``sampling_strategy="all"`` (its defaults remove more, and nothing of the smallest class), except for ties.  If
    classes tie, imbalanced-learn chooses the lowest; here a point whose class ties is kept.  If others are at equal
    distances, the order of the data decides there, also which of several equal points is the point itself; here they
    share the votes.  If all points are outvoted, all are kept here and none there.  Its `sample_indices_` are in the
    order of the classes.

    References
    ----------
    Wilson, "Asymptotic properties of nearest neighbor rules using edited data", IEEE Trans. Syst. Man Cybern. 2, 1972.

    Examples
    --------
    >>> from solver import EditedNearestNeighbours
    >>> X = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0]]
    >>> y = [0, 1, 0, 0, 1, 1, 1]
    >>> editing = EditedNearestNeighbours(n_neighbors=3)
    >>> X_kept, y_kept = editing.fit_resample(X, y)
    >>> editing.sample_indices_.tolist()
    [0, 2, 3, 4, 5, 6]
    """

    n_neighbors: int = 3

    @property
    def _k(self) -> int:
        return self.n_neighbors

    def _solver(self, model: KNeighborsClassifier) -> EditingSolver:
        return EditingSolver(model)


@dataclass(repr=False, eq=False, kw_only=True)
class RepeatedEditedNearestNeighbours(EditedNearestNeighbours):
    """Wilson's editing, repeated until no point is outvoted, or a class would disappear.

    Parameters
    ----------
    n_neighbors, metric, p
        As in `EditedNearestNeighbours`.
    max_iter : int, default=100
        Largest number of passes.

    Attributes
    ----------
    sample_indices_, certificate_, n_features_in_
        As in `Reduction`.

    Notes
    -----
    A pass that would remove every point of a class is not made, and the status is STOPPED_EARLY.  imbalanced-learn's
    class of this name stops after it, and also when a class has become smaller than the smallest was at first.  For
    each pass, the notes of `EditedNearestNeighbours` apply.

    References
    ----------
    Tomek, "An experiment with the edited nearest-neighbor rule", IEEE Trans. Syst. Man Cybern. 6, 1976.

    Examples
    --------
    >>> from solver import RepeatedEditedNearestNeighbours
    >>> X = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0]]
    >>> y = [0, 1, 0, 0, 1, 1, 1]
    >>> editing = RepeatedEditedNearestNeighbours(n_neighbors=3)
    >>> X_kept, y_kept = editing.fit_resample(X, y)
    >>> editing.certificate_.n_epochs
    2
    """

    max_iter: int = 100

    def _solver(self, model: KNeighborsClassifier) -> EditingSolver:
        return EditingSolver(model, max_iter=self.max_iter)
