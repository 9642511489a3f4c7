"""Binary problems of more than two classes, one-vs-one or one-vs-rest, and the combination of their answers.

One-vs-one trains on each pair of classes and lets the pairs vote (Knerr, Personnaz, Dreyfus 1990; LIBSVM's way).
One-vs-rest trains each class against all others and predicts the class with the largest f (Rifkin, Klautau, JMLR 5,
2004).  With two classes both are the same single problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from .arrays import Array, Indices, Integers, Mask
from .certificate import GRAVITY, Status
from .stepping import Stop, never

REST = -1
"""Value of `Pair.negative` in one-vs-rest problems: the negative class is all other classes.

Examples
--------
>>> from solver import REST, SVC
>>> model = SVC(multiclass="one-vs-rest").fit([[0], [1], [2], [3], [4], [5]], [0, 0, 1, 1, 2, 2])
>>> [pair.negative == REST for pair in model.pairs_]
[True, True, True]
"""


@dataclass(frozen=True)
class Pair:
    """The two sides of a binary problem: one class against another, or one class against the rest.

    Attributes
    ----------
    positive, negative : int
        Indices (into `classes_`) of the classes where f > 0 and f < 0; `negative` is `REST` when it is all other
        classes.  As in scikit-learn, `positive` is the higher index when there are two classes in all, and the lower
        one when there are more.

    Examples
    --------
    >>> from solver import SVC
    >>> model = SVC().fit([[0], [1], [2]], ["ant", "bee", "cat"])
    >>> for pair, f in zip(model.pairs_, model.pair_decision_function([[1.9]])[0]):
    ...     print(model.classes_[pair.positive if f > 0 else pair.negative], "wins")
    bee wins
    cat wins
    cat wins
    """

    positive: int
    negative: int

    def among(self, codes: Indices) -> BinaryProblem:
        """Return the binary problem of this pair for points with the class indices `codes`, -1 for a point to omit."""
        rest = codes >= 0 if self.negative == REST else codes == self.negative
        index = np.flatnonzero((codes == self.positive) | rest)
        return BinaryProblem(self.positive, self.negative, index, np.where(codes[index] == self.positive, 1.0, -1.0))


@dataclass(frozen=True)
class BinaryProblem(Pair):
    """A pair with its training points; a fitted model keeps only the `pair`.

    Attributes
    ----------
    positive, negative : int
        As in `Pair`.
    index : ndarray of shape (n_pair,), int
        Indices of the training points of this problem, ascending.
    y : ndarray of shape (n_pair,)
        +1 for the positive class, -1 for the negative one.

    Examples
    --------
    >>> import numpy as np
    >>> from solver import Pair
    >>> problem = Pair(0, 2).among(np.array([0, 1, 2, 0]))
    >>> problem.index.tolist(), problem.y.tolist()
    ([0, 2, 3], [1.0, -1.0, 1.0])
    """

    index: Indices
    y: Array

    @property
    def pair(self) -> Pair:
        """The pair without its points."""
        return Pair(self.positive, self.negative)


def one_vs_one(codes: Indices, n_classes: int) -> list[BinaryProblem]:
    """Return the pairs (0, 1), (0, 2), ..., (1, 2), ... of `n_classes` classes; points of code -1 belong to none."""
    if n_classes == 2:
        return [Pair(1, 0).among(codes)]
    return [Pair(first, second).among(codes) for first, second in combinations(range(n_classes), 2)]


def one_vs_rest(codes: Indices, n_classes: int) -> list[BinaryProblem]:
    """Return class 0 against the rest, class 1 against the rest, ...; with two classes, the one pair of `one_vs_one`.

    Points of code -1 belong to no class and to no problem.
    """
    if n_classes == 2:
        return one_vs_one(codes, n_classes)
    return [Pair(c, REST).among(codes) for c in range(n_classes)]


@dataclass(frozen=True)
class Scheme:
    """One way to make binary problems of many classes.

    Attributes
    ----------
    problems : callable
        ``problems(codes, n_classes)`` returns the list of `BinaryProblem`; `codes` (n,) are class indices.
    title, note : str
        Name and one sentence for the screen.
    """

    problems: Callable[[Indices, int], list[BinaryProblem]]
    title: str
    note: str


SCHEMES: dict[str, Scheme] = {
    "one-vs-one": Scheme(one_vs_one, "One-vs-one", "One SVM for each pair of classes; the class with most duels won."),
    "one-vs-rest": Scheme(one_vs_rest, "One-vs-rest", "One SVM for each class against all others; the largest f wins."),
}
"""The ways to make binary problems of many classes, by their names: the values of the parameter `multiclass`.

References
----------
One-vs-one: Knerr, Personnaz, Dreyfus, "Single-layer learning revisited", Neurocomputing, 1990.  One-vs-rest: Rifkin,
Klautau, "In defense of one-vs-all classification", JMLR 5, 2004.

Examples
--------
How many problems each of them makes of five classes:

>>> import numpy as np
>>> from solver import SCHEMES
>>> codes = np.arange(20) % 5
>>> {name: len(scheme.problems(codes, 5)) for name, scheme in SCHEMES.items()}
{'one-vs-one': 10, 'one-vs-rest': 5}
"""


class PairSolver(Protocol):
    """Members of a binary problem's solver that `PairTrainer` uses; every `SteppedSolver` has them."""

    status: Status

    @property
    def n_iter(self) -> int:
        """Number of steps so far."""

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """Make at most `n` steps, and return how many were made."""

    def snapshot(self, thorough: bool = True) -> Any:
        """Return the present state, in arrays of its own."""


Solver = TypeVar("Solver", bound=PairSolver)


class PairTrainer(Generic[Solver]):
    """The solvers of several binary problems, stepped together.

    `SVC.prepare` and its siblings return one, ready to be stepped.

    Parameters
    ----------
    pairs : list of BinaryProblem
        The binary problems.
    make_solver : callable
        ``make_solver(pair)`` returns the solver of a binary problem, such as a `SmoSolver`.

    Attributes
    ----------
    pairs : list of BinaryProblem
    make_solver : callable
        Deleted once `solvers` has been read.
    solvers : list
        One solver per pair, in the order of `pairs`; they are made when they are first read.

    Examples
    --------
    Watch a training: five steps at a time for each pair of classes.

    >>> from solver import SVC, Status
    >>> model = SVC(C=10)
    >>> trainer = model.prepare([[0], [1], [2], [3], [4], [5]], ["a", "a", "b", "b", "a", "c"])
    >>> while trainer.status is Status.RUNNING:
    ...     n_steps = trainer.step(5)
    ...     violation = max(solver.kkt_violation for solver in trainer.solvers)
    >>> violation <= model.tol
    True
    >>> model.adopt(trainer.snapshot()).predict([[0.5], [2.5], [5]]).tolist()
    ['a', 'b', 'c']
    """

    def __init__(self, pairs: list[BinaryProblem], make_solver: Callable[[BinaryProblem], Solver]) -> None:
        self.pairs, self.make_solver = pairs, make_solver
        self._turn = 0

    @cached_property
    def solvers(self) -> list[Solver]:
        solvers = [self.make_solver(pair) for pair in self.pairs]
        # It may refer to the estimator that keeps this trainer: a cycle, which would outlive both until the next
        # collection of garbage, with the cached kernel rows of all solvers.
        del self.make_solver
        return solvers

    @property
    def status(self) -> Status:
        """The worst status among the pairs: RUNNING while one of them is."""
        return min((solver.status for solver in self.solvers), key=GRAVITY.index)

    @property
    def n_iter(self) -> int:
        """Number of steps so far, over all pairs."""
        return sum(solver.n_iter for solver in self.solvers)

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """Make at most `n` steps of each pair's solver, and return how many were made in all.

        Parameters
        ----------
        n : int, default=1
            Steps of each solver, at least 0.
        stop : callable, optional
            As in `SteppedSolver.step`.  After an interruption the next call goes on with the next pair.

        Raises
        ------
        ValueError
            If `n` is not a whole number of at least 0.
        """
        made = 0
        for _ in self.solvers:
            made += self.solvers[self._turn].step(n, stop)
            self._turn = (self._turn + 1) % len(self.solvers)
            if stop():
                break
        return made

    def snapshot(self, thorough: bool = True) -> list[Any]:
        """Return the present state of each pair's solver, in the order of `pairs`.

        Parameters
        ----------
        thorough : bool, default=True
            As in the `certificate` of the solvers.
        """
        return [solver.snapshot(thorough) for solver in self.solvers]


def votes(pair_values: Array, pairs: Sequence[Pair], n_classes: int) -> Integers:
    """Return the number of pairs that each class wins; at f <= 0 the negative class wins.

    Parameters
    ----------
    pair_values : ndarray of shape (..., n_pairs)

    Returns
    -------
    ndarray of shape (..., n_classes)
    """
    winner = np.where(pair_values > 0, [pair.positive for pair in pairs], [pair.negative for pair in pairs])
    return np.stack([(winner == c).sum(axis=-1) for c in range(n_classes)], axis=-1)


def _for_less_against(values: Array, pairs: Sequence[Pair], n_classes: int) -> Array:
    """Return for each class the sum of the `values` of the pairs where it is positive, less those where negative."""
    total = np.zeros((*values.shape[:-1], n_classes))
    for p, pair in enumerate(pairs):
        total[..., pair.positive] += values[..., p]
        total[..., pair.negative] -= values[..., p]
    return total


def one_vs_rest_values(pair_values: Array, pairs: Sequence[Pair], n_classes: int) -> Array:
    """Return votes plus a bounded sum of the decision values, as scikit-learn's ``decision_function_shape="ovr"``.

    The sum is scaled into (-1/3, 1/3), so that it orders classes of equal votes and never outweighs a vote.
    """
    confidence = _for_less_against(pair_values, pairs, n_classes)
    return votes(pair_values, pairs, n_classes) + confidence / (3.0 * (np.abs(confidence) + 1.0))


def winners(pair_values: Array, pairs: Sequence[Pair], n_classes: int) -> Indices:
    """Return the index of the winning class, the lowest of equals, shape (..., n_pairs) -> (...).

    One-vs-one: the class that wins most pairs; one-vs-rest: the class with the largest f.
    """
    won: Indices = (pair_values if pairs[0].negative == REST else votes(pair_values, pairs, n_classes)).argmax(axis=-1)
    return won


def leaders(pair_values: Array, pairs: Sequence[Pair], n_classes: int, slack: Array | float = 0.0) -> Mask:
    """Return which classes lead, several if they tie, shape (..., n_pairs) -> (..., n_classes).

    One-vs-one, a pair with abs(f) <= `slack` is half a win for both; one-vs-rest, all f within `slack` of the largest
    lead.
    """
    bound = np.asarray(slack)[..., None]
    if pairs[0].negative == REST:
        return np.asarray(pair_values >= pair_values.max(axis=-1, keepdims=True) - bound)
    won = _for_less_against(np.where(np.abs(pair_values) <= bound, 0.0, np.sign(pair_values)), pairs, n_classes)
    return np.asarray(won == won.max(axis=-1, keepdims=True))


def libsvm_table(pair_coef: Array, pairs: Sequence[Pair], codes: Indices) -> Array:
    """Return LIBSVM's compact table of one-vs-one coefficients, shape (n_classes - 1, n_support).

    In the block of class c, row r belongs to the pair of c with its r-th other class.

    Parameters
    ----------
    pair_coef : ndarray of shape (n_support, n_pairs)
        y alpha of each support vector in each pair.
    codes : ndarray of shape (n_support,)
        Class index of each support vector, ascending.
    """
    n_rows = max(pair.negative for pair in pairs)
    table, first = np.zeros((n_rows, len(codes))), codes.searchsorted(np.arange(n_rows + 2)).tolist()
    for p, pair in enumerate(pairs):
        i, j = pair.positive, pair.negative  # i < j
        table[j - 1, first[i] : first[i + 1]] = pair_coef[first[i] : first[i + 1], p]
        table[i, first[j] : first[j + 1]] = pair_coef[first[j] : first[j + 1], p]
    return table
