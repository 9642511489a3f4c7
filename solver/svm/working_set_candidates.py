"""RuleState: the values from which a working-set rule chooses; Ranking: its candidates, with the number it compares.

Legend as in `_smo_loops`.  The compiled `select` keeps only the best candidate; here each one gets its number, in plain
numpy, but by the same arithmetic in the same order, so that ties are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array, Indices, Integers, Mask

from . import _smo_loops as loops

Pair = tuple[int, int]
#: Largest number of candidates in a `Ranking`.
MOST = 24


@dataclass(frozen=True)
class RuleMeasure:
    """A number by which a rule compares candidates.

    Attributes
    ----------
    title, formula : str
        Texts on screen; a number that no rule compares by needs no title.
    base : str, default=""
        Reference value of the numbers: "m" or "M"; "" means 0.
    smallest_first : bool, default=False
        Whether the smallest number is the best.
    """

    title: str
    formula: str
    base: str = ""
    smallest_first: bool = False


V_ABOVE = RuleMeasure("largest v", "v = y − Σₖ yₖαₖKₖ", "M")
V_BELOW = RuleMeasure("smallest v", "v = y − Σₖ yₖαₖKₖ", "m", smallest_first=True)
GAIN = RuleMeasure("largest gain", "(vᵢ − vⱼ)² / 2η")
CLIPPED_GAIN = RuleMeasure("largest clipped gain", "λ(vᵢ − vⱼ) − ηλ²/2")
ERROR_DIFFERENCE = RuleMeasure("largest |Eᵢ − Eⱼ|", "E = f − y")
#: Distance beyond M or below m, whichever is larger.
VIOLATION = RuleMeasure("", "v − M or m − v")
DIFFERENCE = RuleMeasure("", "vᵢ − vⱼ")


@dataclass(frozen=True, eq=False)
class Ranking:
    """The candidates for one member of the pair, with the numbers that were compared.

    Attributes
    ----------
    candidates : ndarray of shape (m,)
        Points, at most `MOST` of them: the best first, equal ones by index; for `cyclic`, and for the search of
        `platt`, in the order in which they are tried.  The chosen point is always among them, if need be as the last.
    values : ndarray of shape (m,)
        Their numbers.
    chosen : int
        Index of the chosen point in `candidates`.
    total : int
        Number of all candidates.
    tied : int
        Number of candidates with the number of the chosen one, including itself; a rule that compares takes the first.
    measure : RuleMeasure
        Meaning of `values`.
    base : float
        Reference value of `values`: the one that `measure.base` names.
    how : {"best", "drawn", "next", "first"}
        Whether the rule compared the numbers, drew a point, or took the next violator or the first partner in order.
    member : {"i", "j"}
        Which point of the pair was chosen.
    sentence : str
        The reason on screen: "i has the largest v of the 31 points whose y·α can still increase."
    """

    candidates: Indices
    values: Array
    chosen: int
    total: int
    tied: int
    measure: RuleMeasure
    base: float
    how: str
    member: str
    sentence: str

    @property
    def compared(self) -> bool:
        """Whether the rule compared the numbers."""
        return self.how == "best"


@dataclass(frozen=True, eq=False)
class RuleState:
    """The values from which a rule chooses: those of the points under work, by indices among these points.

    Attributes
    ----------
    index : ndarray of shape (n,)
        Their indices among all points, ascending.
    lo, hi, beta, v, diagonal : ndarray of shape (n,)
    up, low : ndarray of shape (n,)
        Membership in I_up and I_low.
    tol : float
    ints : ndarray of shape (5,)
        Integer state of the rule, with indices of the last pair among the points under work, or -1.
    random : int
        RuleState of the random numbers.
    row : callable
        ``row(i)`` returns the kernel row of point i.
    left_out : int
        Number of points that are not under work.
    """

    index: Indices
    lo: Array
    hi: Array
    beta: Array
    v: Array
    diagonal: Array
    up: Mask
    low: Mask
    tol: float
    ints: Integers
    random: int
    row: Callable[[int], Array]
    left_out: int

    @property
    def worst(self) -> Pair:
        """Indices of m and M."""
        above, below = np.where(self.up, self.v, -np.inf), np.where(self.low, self.v, np.inf)
        return int(above.argmax()), int(below.argmin())

    @property
    def bounds(self) -> tuple[float, float]:
        """(m, M)."""
        i, j = self.worst
        return float(self.v[i]), float(self.v[j])

    @property
    def violations(self) -> Array:
        """Distance of each point beyond M or below m, whichever is larger; -inf if it cannot move."""
        m, M = self.bounds
        return np.maximum(np.where(self.up, self.v - M, -np.inf), np.where(self.low, m - self.v, -np.inf))

    @property
    def violators(self) -> Indices:
        """Indices of the points that violate by more than `tol`."""
        m, M = self.bounds
        return np.flatnonzero((self.up & (self.v > M + self.tol)) | (self.low & (self.v < m - self.tol)))

    @property
    def free(self) -> Mask:
        """Whether each multiplier is free, 0 < alpha < C."""
        return self.up & self.low

    def partners(self, i: int) -> Indices:
        """Return the points that move with point i, in either direction."""
        v, tol = self.v, self.tol
        as_j = self.low & (v[i] - v > tol) if self.up[i] else np.zeros(len(v), dtype=bool)
        as_i = self.up & (v - v[i] > tol) if self.low[i] else np.zeros(len(v), dtype=bool)
        return np.flatnonzero(as_j | as_i)

    def curvatures(self, i: int) -> Array:
        """Return K_ii + K_kk - 2 K_ik for all k, or a small positive number where that is not above 0."""
        k_ii = self.diagonal[i]
        floor = np.maximum(1e-12 * (abs(k_ii) + np.abs(self.diagonal)), 1e-150)
        eta: Array = np.maximum(k_ii + self.diagonal - 2.0 * self.row(i), floor)
        return eta

    def clipped_gains(self, i: int) -> Array:
        """Return the gain in D of the step of point i with each other point, 0 where the two do not move."""
        rise = self.v[i] - self.v
        size = np.abs(rise)
        room = np.where(
            rise > 0.0,
            np.minimum(self.hi[i] - self.beta[i], self.beta - self.lo),
            np.minimum(self.beta[i] - self.lo[i], self.hi - self.beta),
        )
        eta = self.curvatures(i)
        step = np.minimum(size / eta, room)
        with np.errstate(invalid="ignore", over="ignore"):  # for pairs that do not move
            gain = step * (size - 0.5 * eta * step)
        return np.where(size > self.tol, gain, 0.0)

    def is_near_bound(self, i: int) -> bool:
        """Return whether point i counts as bounded for maximum-gain."""
        lo, hi, beta = float(self.lo[i]), float(self.hi[i]), float(self.beta[i])
        near = loops.NEAR_BOUND * (hi - lo) if hi - lo < np.inf else 0.0
        return beta - lo <= near or hi - beta <= near

    def placed(self, first: int, second: int) -> tuple[str, str]:
        """Return the names, "i" or "j", of two points that move together."""
        return ("i", "j") if self.v[first] > self.v[second] else ("j", "i")

    def ranking(
        self,
        candidates: Indices,
        values: Array,
        chosen: int,
        *,
        measure: RuleMeasure,
        member: str,
        sentence: str = "",
        how: str = "best",
    ) -> Ranking:
        """Return the ranking of `candidates`, given by ascending index or in the order in which they are tried."""
        m, M = self.bounds
        total = len(candidates)
        mine = values[candidates == chosen]
        tied = int((values == mine[0]).sum())
        if how in ("next", "first"):
            kept = np.arange(min(total, MOST))
        else:
            worse = values if measure.smallest_first else -values
            kept = np.arange(total)
            if total > 4 * MOST:  # avoid sorting many thousand points
                kept = np.flatnonzero(worse <= np.partition(worse, MOST - 1)[MOST - 1])
            kept = kept[np.argsort(worse[kept], kind="stable")[:MOST]]
        if chosen not in candidates[kept]:
            kept[-1] = np.flatnonzero(candidates == chosen)[0]
        return Ranking(
            self.index[candidates[kept]],
            values[kept],
            int(np.flatnonzero(candidates[kept] == chosen)[0]),
            total,
            tied,
            measure,
            {"": 0.0, "m": m, "M": M}[measure.base],
            how,
            member,
            sentence,
        )
