"""Pivoting: an active set method, which solves for all free multipliers exactly; one point joins or leaves at a time.

Notation as in `smo`.  While the free points F stay free, their optimum is a linear system,

    K_FF d + level 1 = v_F,  sum d = 0,

and the dual increases all the way to it.  If a multiplier reaches a bound on the way, it stops there and leaves F (a
pivot).  If none does, v is equal at all free points, and the point that violates its condition most joins F.  Each
pivot increases the dual, so no F recurs and the method ends (Scheinberg, JMLR 7, 2006, who cites older work).  The
number of SMO's updates grows with C; the number of pivots is some tens to a few thousand, about twice that of the
support vectors.

``K_FF + tau 11' + delta I`` has the same d as K_FF, apart from the effect of delta, because d sums to 0.  It is
positive definite, and its Cholesky factor is updated in O(|F|^2) at each pivot.  A small delta shortens steps in
directions of small curvature, and never lengthens a step.  As long as a bound stops the steps, only v of the free
points is needed, and it follows from the linear system; afterwards the kernel rows of all points that have moved are
added at once.
"""

from __future__ import annotations

import numpy as np

from . import _pivot_loops as loops
from .shrinking import Subproblem

#: Largest number of free points, in all and beyond those at the start: bounds memory (5 MB) and time of a pivot.
MOST, MORE = 800, 400
#: delta as a share of the mean of the diagonal.
RIDGE = 1e-10
#: Smallest number of rows that the cache must hold.
ROWS = 8


class Pivoting:
    """Pivots on the points of `part`, whose multipliers and v are changed in place.

    Parameters
    ----------
    part : Subproblem
        With a positive semidefinite kernel and finite bounds.
    """

    def __init__(self, part: Subproblem) -> None:
        self._part = part
        free = np.flatnonzero((part.up == 0.0) & (part.low == 0.0))[:MOST]
        self._members = np.zeros(min(MOST, len(free) + MORE, len(part.index)), dtype=np.int64)
        self._state = np.zeros(4, dtype=np.int64)
        self._members[: len(free)], self._state[loops.COUNT] = free, len(free)
        self._state[loops.COMING] = loops.ADDED
        self._factor = np.empty((len(self._members), len(self._members)))
        self._tau = float(part.diagonal.mean()) + 1e-300

    @property
    def expected(self) -> float:
        """Number of entries to visit before the optimum if half as many points leave or join; inf if too many are free.

        It is an estimate: which points at a bound will join is not known yet.
        """
        count = int(self._state[loops.COUNT])
        pivot = count * count + len(self._part.index) * (4 + count / loops.PER_ENTRY)
        return 0.5 * count * pivot if count < MOST else np.inf

    def work(self, tol: float, budget: int) -> int:
        """Make pivots for about `budget` entries, and return how they ended, as `_pivot_loops.pivots` does."""
        part = self._part
        if len(part.cache.rows) < min(ROWS, len(part.index)):
            return loops.FULL
        return int(
            loops.pivots(
                part.arrays, self._members, self._state, self._factor, self._tau, RIDGE * self._tau, tol, budget
            )
        )
