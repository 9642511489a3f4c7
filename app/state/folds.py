"""Folds: how points are dealt into parts that are tested on in turn; by lifelong ids and a seed, class by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from solver.core.arrays import Indices

from .points import Points, shuffled

FEWEST_FOLDS, MOST_FOLDS = 2, 20
MOST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Validation:
    """How the learners are validated without test points.

    Attributes
    ----------
    kind : {"none", "folds", "leave-one-out"}
    k : int
        How many folds, 2 to 20.
    seed : int
        Another seed deals them otherwise; 0 to 2**31 - 1.

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
    """The fold of each point, 0 to k - 1, shape (n,): dealt like cards, one class after the other in random order.

    So folds differ by one point at most, in all and of each class; with k = n each point is a fold of its own.
    """
    # Not the numbers that chose the test points: those were the smallest.
    order = np.lexsort((shuffled(points.ids, seed + MOST_SEED + 1), points.labels))
    fold = np.empty(len(points), dtype=np.intp)
    fold[order] = np.arange(len(points)) % k
    return fold
