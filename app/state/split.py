"""Split: which points are test points; a setting of the document, and the training and test points by it.

Folds: the assignment of points to folds of a cross-validation, by lifelong ids and a seed, class by class.
"""

from __future__ import annotations

from collections import deque
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from app.core.caches import clears, kept
from app.core.points import Ids, Points, shuffled
from solver.core.arrays import Indices

Kind = Literal["none", "ratio", "painted"]
KINDS: tuple[Kind, ...] = ("none", "ratio", "painted")
LEAST_RATIO, MOST_RATIO = 0.05, 0.95
MOST_SEED = 2**31 - 1


class IdSet:
    """A frozen set of lifelong ids; sets with the same ids are equal.

    Parameters
    ----------
    ids : array-like of int, optional
        Ids of 0 or more, in any order, repeated or not.

    Attributes
    ----------
    ids : ndarray of int64, shape (n,)
        Ascending, read-only.
    """

    __slots__ = ("ids",)
    ids: Ids

    def __init__(self, ids: ArrayLike = ()) -> None:
        self.ids = np.unique(np.asarray(ids, dtype=np.int64))
        self.ids.flags.writeable = False

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, IdSet) and np.array_equal(self.ids, other.ids)

    def __hash__(self) -> int:
        # Cheap, because every cache lookup computes it; equal sets still have equal hashes.
        return hash((len(self.ids), *self.ids[:2].tolist(), *self.ids[-2:].tolist()))

    def __repr__(self) -> str:
        return f"IdSet({self.ids.tolist() if len(self) <= 20 else f'{len(self)} ids'})"


NO_IDS = IdSet()


class Split(Struct, frozen=True):
    """How test points are chosen.

    Attributes
    ----------
    kind : {"none", "ratio", "painted"}
        No test points; a random share of each class; or those chosen by hand.
    ratio : float
        Share of each class, 0.05 to 0.95.
    seed : int
        Seed of the random choice, 0 to 2**31 - 1.
    painted : IdSet
        Test points chosen by hand; kept while another kind is chosen.

    Raises
    ------
    ValueError
        One sentence naming what is wrong.
    """

    kind: Kind = "none"
    ratio: float = 0.3
    seed: int = 0
    painted: IdSet = NO_IDS

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"There is no split of kind {self.kind!r}; there are {', '.join(KINDS)}.")
        if not LEAST_RATIO <= self.ratio <= MOST_RATIO:
            raise ValueError(f"The share of test points is {self.ratio:g}; it must be {LEAST_RATIO} to {MOST_RATIO}.")
        if not (isinstance(self.seed, int) and 0 <= self.seed <= MOST_SEED):
            raise ValueError(f"The seed of the split is {self.seed}; it must be a whole number of 0 to {MOST_SEED}.")


NO_SPLIT = Split()
NO_POINTS = Points()
NONE_HELD_OUT: NDArray[np.intp] = np.empty(0, dtype=np.intp)


class SplitPoints(Struct, frozen=True, eq=False):
    """Training and test points by a split; the same object while nothing has changed.

    Attributes
    ----------
    training : Points
        Points that the lanes train on: all but the test points, or a sample of them.
    test : Points
        The test points.
    held_out : ndarray of intp
        Indices of the test points among all points, ascending.
    n_trainable : int
        Number of points that are not test points.
    """

    training: Points
    test: Points
    held_out: NDArray[np.intp]
    n_trainable: int


def unsplit(points: Points) -> SplitPoints:
    """Return the parts of points without test points."""
    return SplitPoints(points, NO_POINTS, NONE_HELD_OUT, len(points))


@kept(8)
def parts_of(points: Points, split: Split, training_limit: int) -> SplitPoints:
    """Return the parts of `points`; a part with the same points as before is the same object as before."""
    if split.kind == "none":
        return SplitPoints(points.sample(training_limit), NO_POINTS, NONE_HELD_OUT, len(points))
    test, trainable, held_out = _parted(points, _relevant(split))
    return SplitPoints(trainable.sample(training_limit), test, held_out, len(trainable))


def drawn(labels: NDArray[np.uint8], ids: Ids, ratio: float, seed: int) -> NDArray[np.bool_]:
    """Return which points a split by ratio makes test points.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Classes, 0 to 7.
    ids : ndarray of shape (n,)
        Lifelong ids, all different.
    ratio, seed
        As in `Split`.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the ``round(ratio * n_c)`` points with the smallest hashes of each class of n_c points, never for all.
    """
    chosen = np.zeros(len(ids), dtype=bool)
    draw = shuffled(ids, seed)
    for label in np.flatnonzero(np.bincount(labels, minlength=1)):
        own = np.flatnonzero(labels == label)
        number = min(round(ratio * len(own)), len(own) - 1)
        if number:
            chosen[own[np.argpartition(draw[own], number - 1)[:number]]] = True
    return chosen


def _relevant(split: Split) -> Split:
    """Return `split` with defaults for fields that its kind ignores, so that a change of those changes nothing."""
    if split.kind == "ratio":
        return replace(split, painted=NO_IDS)
    return replace(split, ratio=NO_SPLIT.ratio, seed=NO_SPLIT.seed)


@kept(8)
def _parted(points: Points, split: Split) -> tuple[Points, Points, NDArray[np.intp]]:
    role = _role(points, split)
    if not len(role.held_out):
        return NO_POINTS, points, NONE_HELD_OUT
    return _same_as_before(points.chosen(role.chosen)), _same_as_before(points.chosen(~role.chosen)), role.held_out


class _Role(Struct, frozen=True, eq=False):
    """Which points are test points, with the inputs of that computation."""

    ids: Ids
    labels: NDArray[np.uint8]
    split: Split
    chosen: NDArray[np.bool_]
    held_out: NDArray[np.intp]


#: The last roles: a drag moves points without a change of their roles.
_roles: deque[_Role] = deque(maxlen=4)
#: The last parts: training points are compared by identity, so equal parts must be the same object.
_recent: deque[Points] = deque(maxlen=8)
clears += [_roles.clear, _recent.clear]


def _role(points: Points, split: Split) -> _Role:
    ids, labels = points.ids, points.labels
    for known in list(_roles):
        if known.split == split and np.array_equal(known.ids, ids) and np.array_equal(known.labels, labels):
            return known
    if split.kind == "ratio":
        chosen = drawn(labels, ids, split.ratio, split.seed)
    else:
        chosen = np.isin(ids, split.painted.ids, assume_unique=True)
    role = _Role(ids, labels, split, chosen, np.flatnonzero(chosen))
    role.held_out.flags.writeable = False
    _roles.append(role)
    return role


def _same_as_before(part: Points) -> Points:
    for known in list(_recent):
        if known.same_as(part):
            return known
    _recent.append(part)
    return part


FEWEST_FOLDS, MOST_FOLDS = 2, 20


class Validation(Struct, frozen=True):
    """How classifiers are validated without test points.

    Attributes
    ----------
    kind : {"none", "folds", "leave-one-out"}
    k : int
        Number of folds, 2 to 20.
    seed : int
        Seed of the folds, 0 to 2**31 - 1.

    Raises
    ------
    ValueError
        One sentence naming what is wrong.
    """

    kind: Literal["none", "folds", "leave-one-out"] = "none"
    k: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in ("none", "folds", "leave-one-out"):
            raise ValueError(f"There is no validation of kind {self.kind!r}.")
        if not FEWEST_FOLDS <= self.k <= MOST_FOLDS:
            raise ValueError(f"There are {self.k} folds; there must be {FEWEST_FOLDS} to {MOST_FOLDS}.")
        if not 0 <= self.seed <= MOST_SEED:
            raise ValueError(f"The seed of the folds is {self.seed}; it must be 0 to {MOST_SEED}.")


NO_VALIDATION = Validation()


def folds_of(points: Points, k: int, seed: int) -> Indices:
    """Return the fold of each point, 0 to k - 1, shape (n,): dealt like cards, class by class in random order.

    The sizes of folds differ by at most one, in all and for each class; with k = n each point is a fold of its own.
    """
    # With another seed than that of the test points, which have the smallest of those numbers.
    order = np.lexsort((shuffled(points.ids, seed + MOST_SEED + 1), points.labels))
    fold = np.empty(len(points), dtype=np.intp)
    fold[order] = np.arange(len(points)) % k
    return fold
