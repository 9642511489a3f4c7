"""KeptPoints: the expansion of LASVM, to which points are added and from which they are removed.

Notation as in `lasvm` and `_online_loops`.  The order of the places is arbitrary: the last point takes the place of a
point that leaves, so that no other point is shifted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.core.arrays import Array, Integers
from solver.kernels.table import Kernel

from . import _online_loops as loops
from ._online_loops import KeptExpansion

#: Largest number of kernel values that are copied when the arrays grow.
COPIED = 1 << 21


@dataclass(frozen=True)
class KeptState:
    """State of `KeptPoints`.

    Attributes
    ----------
    batch : tuple of ndarray
        X, y, C and numbers of the batch; not copies, because they are never written to.
    XT, reals, number, ints : ndarray
        Copies for the points of S, see `KeptExpansion`.
    """

    batch: tuple[Array, Array, Array, Integers]
    XT: Array
    reals: Array
    number: Integers
    ints: Integers

    @property
    def nbytes(self) -> int:
        """Memory of the copies, in bytes."""
        return sum(array.nbytes for array in (self.XT, self.reals, self.number, self.ints))


class KeptPoints:
    """The arrays of the expansion S, and the batch from which its next points come.

    Parameters
    ----------
    kernel : Kernel
    n_features : int
    cache_numbers : float
        Bound on the number of kernel values kept; at least two rows are kept.

    Attributes
    ----------
    S : KeptExpansion
        Arrays of the compiled loops; replaced by larger ones when they are full.
    X, y, C : ndarray
        The batch: points (n, n_features), labels (n,) and upper bounds (n,).
    index_of : ndarray of shape (n,)
        Index in S of each point of the batch, or -1.
    """

    X: Array
    y: Array
    C: Array
    index_of: Integers

    def __init__(self, kernel: Kernel, n_features: int, cache_numbers: float) -> None:
        self._made_with = kernel, n_features, cache_numbers
        none = np.zeros(0, dtype=np.int64)
        ints = np.zeros(6, dtype=np.int64)
        ints[[loops.LAST_I, loops.LAST_J]] = -1
        self.S = KeptExpansion(
            kernel.numbers,
            np.zeros((n_features, 0)),
            np.zeros((5, 0)),
            none,
            none,
            np.zeros(0, dtype=bool),
            np.zeros((0, 0)),
            np.zeros((3, 0), dtype=np.int64),
            ints,
        )
        self._grow(64)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without kernel rows, which are computed again when needed."""
        return _unpickled, (self._made_with, self.state())

    @property
    def size(self) -> int:
        """Number of points in S."""
        return int(self.S.ints[loops.SIZE])

    def hold(self, X: Array, y: Array, C: Array, numbers: Integers) -> None:
        """Make (X, y, C) the present batch, with ascending `numbers` above all former ones; S is unchanged."""
        self.X, self.y, self.C, self._numbers = X, y, C, numbers
        self.index_of = np.full(len(X), -1)

    def state(self) -> KeptState:
        """Return the present state, without kernel rows."""
        S, size = self.S, self.size
        return KeptState(
            (self.X, self.y, self.C, self._numbers),
            S.XT[:, :size].copy(),
            S.reals[:, :size].copy(),
            S.number[:size].copy(),
            S.ints.copy(),
        )

    def restore(self, state: KeptState) -> None:
        """Go back to `state`; kernel rows are computed again when needed, to the same bits."""
        self.hold(*state.batch)
        self.S.ints[loops.SIZE] = 0
        size = len(state.number)
        if size > self.S.XT.shape[1]:
            self._grow(size)
        S = self.S
        S.ints[:], S.slot_of[:], S.doomed[:], S.slots[:] = state.ints, -1, False, 0
        S.slots[loops.HOLDER] = -1
        S.XT[:, :size], S.reals[:, :size], S.number[:size] = state.XT, state.reals, state.number
        ours = np.flatnonzero(np.isin(state.number, self._numbers))
        self.index_of[np.searchsorted(self._numbers, state.number[ours])] = ours

    def join(self, k: int) -> int:
        """Add point k of the batch to S with alpha = 0, and return its index."""
        index = self.size
        if index == self.S.XT.shape[1]:
            self._grow(2 * index)
        S = self.S
        S.ints[loops.SIZE] += 1
        S.XT[:, index] = self.X[k]
        S.reals[: loops.DIAGONAL, index] = 0.0, 0.0, min(0.0, self.y[k] * self.C[k]), max(0.0, self.y[k] * self.C[k])
        S.number[index], S.slot_of[index], S.doomed[index] = self._numbers[k], -1, False
        self.index_of[k] = index
        self.refresh(index)
        return index

    def refresh(self, index: int) -> None:
        """Compute g at `index` from its definition, so that no certificate relies on sums of many rounding errors."""
        S, size = self.S, self.size
        row = S.rows[loops.kept_row(S, index), :size]
        S.reals[loops.DIAGONAL, index] = row[index]
        S.reals[loops.G, index] = (1.0 if S.reals[loops.HI, index] > 0 else -1.0) - row @ S.reals[loops.BETA, :size]

    def drop(self, p: int) -> None:
        """Remove the point at index p from S; the last point takes its index, in all kernel rows, too."""
        S, last = self.S, self.size - 1
        S.ints[loops.SIZE] = last
        holder, length, used = S.slots
        self._note(int(S.number[p]), -1)
        if S.slot_of[p] >= 0:
            holder[S.slot_of[p]], length[S.slot_of[p]], used[S.slot_of[p]] = -1, 0, 0
        for array in (S.XT, S.reals, S.number, S.slot_of):
            array[..., p] = array[..., last]
        S.doomed[p] = False
        if p < last:
            self._note(int(S.number[p]), p)
            if S.slot_of[p] >= 0:
                holder[S.slot_of[p]] = p
            whole = np.flatnonzero(length > last)
            S.rows[whole, p] = S.rows[whole, last]
        # A row that does not reach the last index is now valid up to p only.
        length[:] = np.where(length > last, last, np.minimum(length, p))

    def drop_doomed(self) -> None:
        """Remove the points marked by REPROCESS from S."""
        for p in np.flatnonzero(self.S.doomed[: self.size])[::-1]:  # downwards, so that no doomed point moves to p
            self.drop(int(p))

    def _note(self, number: int, index: int) -> None:
        """Store the place of a point, if it is in the batch."""
        if number >= self._numbers[0]:
            self.index_of[np.searchsorted(self._numbers, number)] = index

    def _grow(self, capacity: int) -> None:
        """Replace the arrays by larger ones for `capacity` points, with as many kernel rows as the bounds allow."""
        S, size = self.S, self.size
        n_slots = int(min(capacity, max(2, self._made_with[2] // capacity)))
        grown: dict[str, Any] = {}
        for name in ("XT", "reals", "number", "slot_of", "doomed"):
            array = getattr(S, name)
            grown[name] = np.zeros((*array.shape[:-1], capacity), dtype=array.dtype)
            grown[name][..., :size] = array[..., :size]
        rows, slots = np.zeros((n_slots, capacity)), np.zeros((3, n_slots), dtype=np.int64)
        slots[loops.HOLDER] = -1
        newest = np.argsort(-S.slots[loops.USED], kind="stable")
        kept = newest[: min(n_slots, COPIED // max(1, size))]
        kept = kept[S.slots[loops.HOLDER, kept] >= 0]
        slots[:, : len(kept)] = S.slots[:, kept]
        grown["slot_of"][:] = -1
        grown["slot_of"][S.slots[loops.HOLDER, kept]] = np.arange(len(kept))
        rows[: len(kept), :size] = S.rows[kept, :size]
        self.S = S._replace(rows=rows, slots=slots, **grown)


def _unpickled(made_with: tuple[Kernel, int, float], state: KeptState) -> KeptPoints:
    kept = KeptPoints(*made_with)
    kept.restore(state)
    return kept
