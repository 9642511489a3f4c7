"""ActiveSet: the points that SMO works on for a while, and v of all points; Subproblem and KernelSum are its parts.

Most points settle early: they are no support vectors, or at the bound C, and no pair with them would move.  Leaving
them out ("shrinking", Joachims 1998; Chang, Lin, LIBSVM 2011) makes updates cheaper.  At intervals, and always before
the multipliers are called optimal, v of all points is computed from the multipliers that have changed, and the points
are chosen again.  Notation as in `smo`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.core.arrays import Array, Indices, Integers
from solver.core.certificate import EPS
from solver.kernels._kernel_rows import COMPUTED, PRECOMPUTED, ROW_COST, KernelNumbers, RowCache, add_rows, new_cache
from solver.kernels.kept_rows import MovedRows, keep_rows
from solver.kernels.plane_sums import BLOCK, PlaneSums

from . import _smo_loops as loops
from . import _smo_plain

#: Number of updates before settled points are first left out, and smallest number of points for which that pays.
FIRST_REVIEW, LEAST_SHRUNK = 1000, 100
#: Smallest share of points left out that is worth new arrays.
WORTHWHILE = 0.3
EVERYTHING = int(np.iinfo(np.int64).max)


class Subproblem:
    """Some of the points, in the arrays of the compiled loop; notation as in `smo`.

    Parameters
    ----------
    index : ndarray of shape (n_part,)
        Indices of the points, ascending.
    cache : RowCache
        The points, and the kernel rows among them.
    lo, hi, diagonal, beta, v : ndarray of shape (n_part,)
        Not copied: for the whole problem they are the solver's own arrays.
    is_whole : bool, default=True
        Whether these are all points.
    """

    def __init__(
        self,
        index: Indices,
        cache: RowCache,
        *,
        lo: Array,
        hi: Array,
        diagonal: Array,
        beta: Array,
        v: Array,
        is_whole: bool = True,
    ) -> None:
        self.index, self.cache, self.is_whole = index, cache, is_whole
        self.lo, self.hi, self.diagonal = lo, hi, diagonal
        self.beta, self.v = beta, v
        self.up, self.low = np.empty(len(index)), np.empty(len(index))
        self.mark_bounds()

    def mark_bounds(self) -> None:
        """Set membership in I_up and I_low from beta."""
        self.up[:] = np.where(self.beta < self.hi, 0.0, -np.inf)
        self.low[:] = np.where(self.beta > self.lo, 0.0, np.inf)

    @property
    def arrays(self) -> loops.PointArrays:
        """The record for the compiled loops."""
        return loops.PointArrays(
            cache=self.cache,
            lo=self.lo,
            hi=self.hi,
            diagonal=self.diagonal,
            beta=self.beta,
            v=self.v,
            up=self.up,
            low=self.low,
        )

    def part(self, index: Indices, megabytes: float) -> Subproblem:
        """Return the subproblem of the points `index`, with copies of their values."""
        kernel, XT = self.cache.kernel, self.cache.XT
        own = XT[index][:, index] if kernel[0] == PRECOMPUTED else np.ascontiguousarray(XT[:, index])
        return Subproblem(
            index,
            new_cache(kernel, own, megabytes),
            lo=self.lo[index],
            hi=self.hi[index],
            diagonal=self.diagonal[index],
            beta=self.beta[index],
            v=self.v[index],
            is_whole=False,
        )

    @property
    def n_evaluations(self) -> int:
        """Number of kernel values computed for the rows of these points."""
        return int(self.cache.head[COMPUTED]) * len(self.index)

    @property
    def bounds(self) -> tuple[float, float]:
        """(m, M) over these points."""
        return float((self.v + self.up).max()), float((self.v + self.low).min())

    @property
    def violation(self) -> float:
        """m - M over these points."""
        m, M = self.bounds
        return m - M

    @property
    def undecided(self) -> Indices:
        """Indices of the points that a pair could move now: free, or at a bound and beyond m or M."""
        m, M = self.bounds
        above, below = self.up == 0.0, self.low == 0.0
        return np.flatnonzero((above & below) | (above & (self.v >= M)) | (below & (self.v <= m)))

    def run(
        self, rule: int, ints: Integers, rng: NDArray[np.uint64], tol: float, n_steps: int, budget: int, notes: Array
    ) -> int:
        """Run `_smo_loops.run` on these points; the pair in `ints` has indices among all points, before and after."""
        pair = ints[[loops.LAST_I, loops.LAST_J]]
        if not self.is_whole:
            rows = np.searchsorted(self.index, pair)
            here = (rows < len(self.index)) & (self.index[np.minimum(rows, len(self.index) - 1)] == pair)
            ints[[loops.LAST_I, loops.LAST_J]] = rows if here.all() else -1
        outcome: int = loops.run(rule, self.arrays, ints, rng, tol, n_steps, budget, notes)
        if not self.is_whole:
            local = ints[[loops.LAST_I, loops.LAST_J]]
            ints[[loops.LAST_I, loops.LAST_J]] = self.index[local] if local[0] >= 0 else pair
        return outcome


class KernelSum:
    """The sums ``total = sum_j weights_j K_j`` and ``size = sum_j abs(weights_j K_j)``, computed in pieces.

    Parameters
    ----------
    part : Subproblem
        The points.
    weights : ndarray of shape (n,)
    """

    #: Bound on the error of `total`, apart from the rounding error, eps times `size`.
    error = 0.0

    def __init__(self, part: Subproblem, weights: Array) -> None:
        self._cache, self._weights = part.cache, weights
        self._next = 0
        self.total, self.size = np.zeros(len(weights)), np.zeros(len(weights))

    def work(self, budget: int = EVERYTHING) -> bool:
        """Compute about `budget` entries more, and return whether the sums are complete."""
        self._next = add_rows(self._cache, self._weights, self.total, self.size, self._next, budget)
        return self._next == len(self._weights)


class PlaneSum(KernelSum):
    """The sums of `KernelSum` by an expansion of the kernel (see `plane_sums`); `size` is one bound for all points.

    Parameters
    ----------
    plane : PlaneSums
    XT : ndarray of shape (2, n)
        The points to which the weights belong.
    weights : ndarray of shape (n,)
    queries : ndarray of shape (2, m), optional
        Points at which the sum is computed; None means XT.
    """

    def __init__(self, plane: PlaneSums, XT: Array, weights: Array, queries: Array | None = None) -> None:
        queries = XT if queries is None else queries
        self.total = np.empty(queries.shape[1])
        self.error = plane.uncertainty(weights)
        self.size = np.full(queries.shape[1], self.error / EPS)
        self._cost = plane.cost * BLOCK
        self._work = self._pieces(plane, XT, weights, queries)

    def _pieces(self, plane: PlaneSums, XT: Array, weights: Array, queries: Array) -> Iterator[None]:
        for self.moments in plane.moments(XT, weights):
            yield
        yield from plane.values(self.moments, queries, self.total)

    def work(self, budget: int = EVERYTHING) -> bool:
        """Compute about `budget` entries more, and return whether the sum is complete."""
        return any(next(self._work, self) is self for _ in range(max(1, budget // self._cost)))


@dataclass(frozen=True)
class ActiveState:
    """State of an `ActiveSet`.

    Attributes
    ----------
    XT : ndarray of shape (n_features, n)
        The points to which it belongs; not a copy.
    beta, v, size : ndarray of shape (n,)
    part : tuple
        While some points are left out: index and v of the others, and the multipliers to which v of all belongs.
    review_at, interval : int
    """

    XT: Array
    beta: Array
    v: Array
    size: Array
    part: tuple[Indices, Array, Array] | tuple[()]
    review_at: int
    interval: int

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return sum(array.nbytes for array in (self.beta, self.v, self.size, *self.part))


class ActiveSet:
    """The points under work, and multipliers and v of all points.

    Parameters
    ----------
    kernel : tuple
        (code, gamma, coef0, degree).
    XT : ndarray of shape (n_features, n)
    y, lo, hi, diagonal : ndarray of shape (n,)
    megabytes : float
        Bound on the memory of kernel rows.
    shrinking : bool
        Whether points are ever left out.
    matrix : ndarray of shape (n, n), optional
        The Gram matrix; with it all points are worked on, in plain numpy.

    Attributes
    ----------
    beta : ndarray of shape (n,)
    size : ndarray of shape (n,)
        sum_j abs(beta_j K_ij) at the newest `refresh`; eps times it is the rounding error of v.
    """

    def __init__(
        self,
        kernel: KernelNumbers,
        XT: Array,
        y: Array,
        lo: Array,
        hi: Array,
        diagonal: Array,
        megabytes: float,
        shrinking: bool,
        matrix: Array | None,
    ) -> None:
        n = len(y)
        self._y, self._matrix = y, matrix
        self.shrinking = shrinking and matrix is None and n >= LEAST_SHRUNK
        self.megabytes = megabytes
        # One half for the rows of all points, one for those of a part.
        self._megabytes = 0.5 * megabytes if self.shrinking else megabytes
        self.beta: Array = np.zeros(n)
        self.size: Array = np.zeros(n)
        #: v for the multipliers `_base`; a part under work keeps v of its own points.
        self._v: Array = y.copy()
        self._base: Array = np.zeros(n)
        self.whole = self.part = Subproblem(
            np.arange(n),
            new_cache(kernel, XT, self._megabytes if matrix is None else 0.0),
            lo=lo,
            hi=hi,
            diagonal=diagonal,
            beta=self.beta,
            v=self._v,
        )
        #: Expansion for sums of kernel rows (`AutoSolver`), used if its error is at most `largest_error`.
        self.plane: PlaneSums | None = None
        self.largest_error = 0.0
        #: Bound on the error of v by expansions, apart from rounding errors.
        self.error = 0.0
        self.review_at, self._interval = FIRST_REVIEW, FIRST_REVIEW
        self._read: tuple[int, Array] | None = None
        #: Number of kernel values computed for former parts.
        self._spent = 0

    @property
    def n_evaluations(self) -> int:
        """Number of kernel values computed so far, including repetitions."""
        if self._matrix is not None:
            return self._matrix.size
        return self.whole.n_evaluations + self._spent + (0 if self.part.is_whole else self.part.n_evaluations)

    def v(self, n_iter: int) -> Array:
        """Return v of all points after `n_iter` updates."""
        if self.part.is_whole:
            return self._v
        if self._read is None or self._read[0] != n_iter:
            change = self.changes()
            change.work()
            v = self._v - change.total
            v[self.part.index] = self.part.v
            self._read = n_iter, v
        return self._read[1]

    def run(
        self, rule: int, ints: Integers, rng: NDArray[np.uint64], tol: float, n_steps: int, budget: int, notes: Array
    ) -> int:
        """Run `_smo_loops.run` on the points under work.  The `notes` are right only if these are all points."""
        whole, part = self.whole, self.part
        if self._matrix is not None:
            return _smo_plain.run(self._matrix, whole.lo, whole.hi, self.beta, self._v, ints, tol, n_steps, notes)
        outcome = part.run(rule, ints, rng, tol, n_steps, budget, notes)
        if not part.is_whole:
            self.beta[part.index] = part.beta
        return outcome

    def replace(self, beta: Array, v: Array) -> None:
        """Replace multipliers of the points under work, and their v."""
        self.part.beta[:], self.part.v[:] = beta, v
        self.part.mark_bounds()
        self.beta[self.part.index] = beta
        self._read = None

    def state(self) -> ActiveState:
        """Return the present state."""
        part = self.part
        left = () if part.is_whole else (part.index, part.v.copy(), self._base.copy())
        # No copies: `size` is replaced, and the index of a part is never written to.
        return ActiveState(
            self.whole.cache.XT, self.beta.copy(), self._v.copy(), self.size, left, self.review_at, self._interval
        )

    def restore(self, state: ActiveState) -> None:
        """Go back to `state`; missing kernel rows are computed again when needed, to the same bits.

        Raises
        ------
        RuntimeError
            If points have moved since (`move_points`).
        """
        if state.XT is not self.whole.cache.XT:
            raise RuntimeError("The checkpoint was made before points moved; it cannot be gone back to.")
        self.beta[:], self._v[:], self.size = state.beta, state.v, state.size
        self.review_at, self._interval = state.review_at, state.interval
        self._all_points()
        if state.part:
            index, v, self._base[:] = state.part
            self.part = self.whole.part(index, self._megabytes)
            self.part.v[:] = v

    # -- v of all points -------------------------------------------------------------------------------------------

    def definition(self) -> KernelSum:
        """Return the sum for `refresh`, to be computed."""
        return self.sum_of_rows(self.beta)

    def changes(self) -> KernelSum:
        """Return the sum for `synchronise`, to be computed."""
        return self.sum_of_rows(self.beta - self._base)

    def sum_of_rows(self, weights: Array) -> KernelSum:
        """Return the sum ``sum_j weights_j K_j``, to be computed; by the expansion if cheaper and precise enough."""
        if self._matrix is not None:
            terms = self._matrix * weights
            return FinishedSum(terms.sum(axis=1), np.abs(terms).sum(axis=1))
        plane, n, used = self.plane, len(weights), np.count_nonzero(weights)
        cheap = plane is not None and plane.cost * (n + used) < (1 + ROW_COST) * used * n
        if cheap and plane is not None and plane.uncertainty(weights) <= self.largest_error:
            return PlaneSum(plane, self.whole.cache.XT, weights)
        return KernelSum(self.whole, weights)

    def refresh(self, definition: KernelSum) -> None:
        """Set v of all points from its definition."""
        self._v[:] = self._y - definition.total
        self.size, self.error = definition.size, definition.error
        self._all_points()

    def synchronise(self, changes: KernelSum) -> None:
        """Set v of the points left out by `changes`, the sum over the multipliers that have changed since."""
        self._v -= changes.total
        self.error += changes.error
        self._v[self.part.index] = self.part.v
        self._all_points()

    def _all_points(self) -> None:
        if not self.part.is_whole:
            self._spent += self.part.n_evaluations
        self.part = self.whole
        self.whole.mark_bounds()
        self._read = None

    def move_points(
        self, XT: Array, y: Array, lo: Array, hi: Array, diagonal: Array, matrix: Array | None
    ) -> MovedRows | None:
        """Replace points, labels and bounds, and keep the multipliers; v and `size` must be set afterwards.

        Parameters
        ----------
        XT, y, lo, hi, diagonal, matrix
            As in the constructor, for the same number of points.

        Returns
        -------
        MovedRows or None
            The rows of the points that have moved; None if the rows of all points must be computed again.
        """
        whole = self.part = self.whole
        moved = None if matrix is not None else keep_rows(whole.cache, XT)
        keeps = moved is not None or matrix is not None
        whole.cache = whole.cache._replace(XT=XT) if keeps else new_cache(whole.cache.kernel, XT, self._megabytes)
        known = whole.n_evaluations
        whole.lo, whole.hi, whole.diagonal = lo, hi, diagonal
        self._y, self._matrix, self.plane, self._read = y, matrix, None, None
        self.review_at, self._interval = FIRST_REVIEW, FIRST_REVIEW
        self._spent = (0 if moved is None else moved.rows.size) - known
        return moved

    def follow(self, moved: MovedRows) -> bool:
        """Set v of the `moved` points, and return True; return False if one of them has a multiplier above 0.

        The result equals that of `refresh` bit for bit: the terms are added in the same order.
        """
        if self.beta[moved.index].any():
            return False
        self.size = self.size.copy()
        for point, row in zip(moved.index, moved.rows, strict=True):
            terms = row * self.beta
            self._v[point] = self._y[point] - terms.cumsum()[-1]
            self.size[point] = np.abs(terms).cumsum()[-1]
        self._all_points()
        return True

    # -- the choice ------------------------------------------------------------------------------------------------

    def is_due(self, n_iter: int) -> bool:
        """Return whether the points should be chosen again after `n_iter` updates."""
        return self.shrinking and n_iter >= self.review_at

    def review(self, n_iter: int, before: Subproblem | None = None, longer: bool = False, early: bool = False) -> None:
        """Choose the points to work on, from v of all points.

        Parameters
        ----------
        n_iter : int
        before : Subproblem, optional
            Used again if it holds the same points.
        longer : bool, default=False
            Double the interval between choices: the longer the same points are worked on, the less there is to gain.
        early : bool, default=False
            Choose even before `FIRST_REVIEW` updates, because the multipliers do not come from updates.
        """
        if not self.shrinking or (n_iter < FIRST_REVIEW and not early):
            return
        if longer:
            self._interval *= 2
        self.review_at = n_iter + self._interval
        index = self.whole.undecided
        if len(index) > (1.0 - WORTHWHILE) * len(self._y):
            return
        if before is not None and np.array_equal(before.index, index):
            before.v[:] = self._v[index]
            self._spent -= before.n_evaluations  # it continues to count
        else:
            before = self.whole.part(index, self._megabytes)
        self.part = before
        self._base[:] = self.beta


class FinishedSum(KernelSum):
    """A kernel sum that is complete."""

    def __init__(self, total: Array, size: Array) -> None:
        self.total, self.size = total, size

    def work(self, budget: int = EVERYTHING) -> bool:
        """Return True: the sum is complete."""
        return True
