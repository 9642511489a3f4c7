"""One-vs-one: many classes as one binary SVM per pair of classes, and the votes that join them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .certificate import Status
from .smo import SmoSnapshot, SmoSolver

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """The binary problem of two classes.

    Attributes
    ----------
    positive, negative : int
        Class indices where f > 0 and f < 0.  As in scikit-learn, with two classes in all the positive one is the
        higher, with more it is the lower.
    index : ndarray of shape (n_pair,)
        The training points of the two classes, in their order.
    y : ndarray of shape (n_pair,)
        +1 for the positive class, -1 for the negative one.
    """

    positive: int
    negative: int
    index: NDArray[np.intp]
    y: Array


def one_vs_one(codes: NDArray[np.intp], n_classes: int) -> list[Pair]:
    """The pairs (0, 1), (0, 2), ..., (1, 2), ... of `n_classes` classes."""
    pairs = []
    for first, second in combinations(range(n_classes), 2):
        positive, negative = (second, first) if n_classes == 2 else (first, second)
        index = np.flatnonzero((codes == first) | (codes == second))
        pairs.append(Pair(positive, negative, index, np.where(codes[index] == positive, 1.0, -1.0)))
    return pairs


#: From the gravest to the best: the status of many pairs is the gravest of theirs.
_GRAVITY = (
    Status.RUNNING, Status.NOT_SEPARABLE, Status.STOPPED_EARLY, Status.PRECISION, Status.STATIONARY, Status.OPTIMAL,
)  # fmt: skip


class PairTrainer:
    """The solvers of all pairs, stepped together.

    Parameters
    ----------
    pairs : list of Pair
    make_solver : callable
        ``make_solver(pair) -> SmoSolver``.
    """

    def __init__(self, pairs: list[Pair], make_solver: Callable[[Pair], SmoSolver]) -> None:
        self.pairs = pairs
        self.solvers = [make_solver(pair) for pair in pairs]

    @property
    def status(self) -> Status:
        """The gravest status among the pairs."""
        return min((solver.status for solver in self.solvers), key=_GRAVITY.index)

    @property
    def n_iter(self) -> int:
        """Pair updates so far, over all pairs."""
        return sum(solver.n_iter for solver in self.solvers)

    def step(self, n: int = 1) -> int:
        """At most `n` updates of each pair's solver; returns how many were made in all."""
        return sum(solver.step(n) for solver in self.solvers)

    def snapshot(self, thorough: bool = True) -> list[SmoSnapshot]:
        """The state of each pair's solver now; `thorough` as in `SmoSolver.certificate`."""
        return [solver.snapshot(thorough) for solver in self.solvers]


def votes(pair_values: Array, pairs: list[Pair], n_classes: int) -> NDArray[np.int64]:
    """Duels won by each class; a duel at f <= 0 goes to the negative class.

    Parameters
    ----------
    pair_values : ndarray of shape (..., n_pairs)

    Returns
    -------
    ndarray of shape (..., n_classes)
    """
    count = np.zeros((*pair_values.shape[:-1], n_classes), dtype=np.int64)
    for p, pair in enumerate(pairs):
        won = pair_values[..., p] > 0
        count[..., pair.positive] += won
        count[..., pair.negative] += ~won
    return count


def one_vs_rest_values(pair_values: Array, pairs: list[Pair], n_classes: int) -> Array:
    """Votes plus a bounded sum of the decision values, as scikit-learn's ``decision_function_shape="ovr"``.

    The sum is squeezed into (-1/3, 1/3), so that it orders classes of equal votes and never overrules a vote.
    """
    confidence = np.zeros((*pair_values.shape[:-1], n_classes))
    for p, pair in enumerate(pairs):
        confidence[..., pair.positive] += pair_values[..., p]
        confidence[..., pair.negative] -= pair_values[..., p]
    return votes(pair_values, pairs, n_classes) + confidence / (3.0 * (np.abs(confidence) + 1.0))
