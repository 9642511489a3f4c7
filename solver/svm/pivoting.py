"""An active set method: the free multipliers all at once, exactly; one point comes or goes at a time.

Notation as in `smo`.  While the free points F stay free, their optimum is a linear system,

    K_FF d + level 1 = v_F,  sum d = 0,

and the way to it raises the dual all along.  If a multiplier meets a bound on the way, it stops there and leaves F
(a pivot); if none does, v is the same at all free points, and the point that violates its condition most comes to F.
Each pivot raises the dual, so no F comes twice and it ends (Scheinberg, JMLR 7, 2006, with older work named there).
SMO needs the more updates the larger C is, pivots are some tens to a few thousand, about twice the support vectors.

``K_FF + tau 11' + delta I`` has the same d as K_FF, but for delta, because d sums to 0.  It is positive definite, and
its Cholesky factor is brought up to date for O(|F|^2) at each pivot.  A small delta makes steps in directions that
hardly count shorter, never longer.  Until no bound is in the way, v of the free points is enough, and the linear system
tells it; then the kernel rows of all that have moved are added up at once.
"""

from __future__ import annotations

import numpy as np

from solver.kernels._kernel_rows import KernelNumbers

from . import _pivot_loops as loops
from .shrinking import Subproblem

#: Most free points, and how many more than at the start: a bound of the memory, 5 MB, and of the time of a pivot.
MOST, MORE = 800, 400
#: delta as a share of the mean of the diagonal.
RIDGE = 1e-10
#: Rows of the cache needed at least.
ROWS = 8


class Pivoting:
    """Pivots on the points of `part`, whose multipliers and v are changed in place.

    Parameters
    ----------
    kernel : tuple
        (code, gamma, coef0, degree), positive semidefinite.
    part : Subproblem
        With finite bounds.
    """

    def __init__(self, kernel: KernelNumbers, part: Subproblem) -> None:
        self._kernel, self._part = kernel, part
        free = np.flatnonzero((part.up == 0.0) & (part.low == 0.0))[:MOST]
        self._members = np.zeros(min(MOST, len(free) + MORE, len(part.index)), dtype=np.int64)
        self._state = np.zeros(4, dtype=np.int64)
        self._members[: len(free)], self._state[loops.COUNT] = free, len(free)
        self._state[loops.COMING] = loops.ADDED
        self._factor = np.empty((len(self._members), len(self._members)))
        self._tau = float(part.diagonal.mean()) + 1e-300

    @property
    def pivots(self) -> int:
        """How many there were."""
        return int(self._state[loops.PIVOTS])

    def work(self, tol: float, budget: int) -> int:
        """Go on for about `budget` entries; how it ended, a result of `_pivot_loops.pivots`."""
        part = self._part
        if len(part.cache[0]) < min(ROWS, len(part.index)):
            return loops.FULL
        outcome: int = loops.pivots(
            self._kernel,
            part.XT,
            part.lo,
            part.hi,
            part.diagonal,
            part.beta,
            part.v,
            part.up,
            part.low,
            *part.cache,
            self._members,
            self._state,
            self._factor,
            self._tau,
            RIDGE * self._tau,
            tol,
            budget,
        )
        return outcome
