"""KeptPoints: the expansion of LASVM between its moves: points join, leave, and find room.

Notation as in `lasvm` and `_online_loops`.  The order of the places is arbitrary: a point that leaves is replaced by
the last one, so that nothing has to be shifted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.core.arrays import Array, Integers
from solver.kernels.table import Kernel

from . import _online_loops as loops
from ._online_loops import KeptExpansion

#: Of more points that leave at once, the kernel rows are not moved but forgotten, so that it does not take long.
FEW = 32
#: Numbers in kernel rows that are copied at once, at most.
COPIED = 1 << 21


@dataclass(frozen=True)
class KeptState:
    """What `KeptPoints` are restored from.

    Attributes
    ----------
    batch : tuple of ndarray
        X, y, C and numbers of the batch, which are never written to.
    XT, reals, number, ints : ndarray
        Of the points of S, see `KeptExpansion`.
    """

    batch: tuple[Array, Array, Array, Integers]
    XT: Array
    reals: Array
    number: Integers
    ints: Integers

    @property
    def nbytes(self) -> int:
        """Memory of the copies."""
        return sum(array.nbytes for array in (self.XT, self.reals, self.number, self.ints))


class KeptPoints:
    """The arrays of the expansion S, and the batch its next points come from.

    Parameters
    ----------
    kernel : Kernel
    n_features : int
    cache_numbers : float
        Bound of the numbers in kept kernel rows; two rows are kept in any case.

    Attributes
    ----------
    S : KeptExpansion
        What the compiled loops work on; replaced by a larger one when there is no more room.
    X, y, C : ndarray
        The batch: points (n, n_features), labels (n,) and upper bounds (n,).
    place : ndarray of shape (n,)
        Place in S of each point of the batch, or -1.
    """

    X: Array
    y: Array
    C: Array
    place: Integers

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
        """A pickle holds no kernel rows, which take up to `cache_numbers`: they are computed again."""
        return _unpickled, (self._made_with, self.state())

    @property
    def size(self) -> int:
        """Points in S."""
        return int(self.S.ints[loops.SIZE])

    def hold(self, X: Array, y: Array, C: Array, numbers: Integers) -> None:
        """Make (X, y, C) the batch at hand, its points with rising `numbers` above all former ones; S stays."""
        self.X, self.y, self.C, self._numbers = X, y, C, numbers
        self.place = np.full(len(X), -1)

    def state(self) -> KeptState:
        """S as it is now, but for the kernel rows."""
        S, size = self.S, self.size
        return KeptState(
            (self.X, self.y, self.C, self._numbers),
            S.XT[:, :size].copy(),
            S.reals[:, :size].copy(),
            S.number[:size].copy(),
            S.ints.copy(),
        )

    def restore(self, state: KeptState) -> None:
        """Back to `state`.  The kernel rows are computed again when they are asked for: to the same bits."""
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
        self.place[np.searchsorted(self._numbers, state.number[ours])] = ours

    def join(self, k: int) -> int:
        """Point k of the batch joins S with alpha = 0; returns its place."""
        place = self.size
        if place == self.S.XT.shape[1]:
            self._grow(2 * place)
        S = self.S
        S.ints[loops.SIZE] += 1
        S.XT[:, place] = self.X[k]
        S.reals[: loops.DIAGONAL, place] = 0.0, 0.0, min(0.0, self.y[k] * self.C[k]), max(0.0, self.y[k] * self.C[k])
        S.number[place], S.slot_of[place], S.doomed[place] = self._numbers[k], -1, False
        self.place[k] = place
        self.refresh(place)
        return place

    def refresh(self, place: int) -> None:
        """g of the point at `place` from its definition: rounding errors of many moves must not certify anything."""
        S, size = self.S, self.size
        row = S.rows[loops.kept_row(S, place), :size]
        S.reals[loops.DIAGONAL, place] = row[place]
        S.reals[loops.G, place] = (1.0 if S.reals[loops.HI, place] > 0 else -1.0) - row @ S.reals[loops.BETA, :size]

    def drop(self, p: int) -> None:
        """The point at place p leaves S, and the last one takes its place, in all rows as well."""
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
        # A row that does not reach the last place is from now on valid up to p only.
        length[:] = np.where(length > last, last, np.minimum(length, p))

    def drop_doomed(self) -> None:
        """The points marked by REPROCESS leave S."""
        S, size = self.S, self.size
        doomed = np.flatnonzero(S.doomed[:size])
        if len(doomed) <= FEW:
            for p in doomed[::-1]:  # downwards: whoever moves to p is not doomed
                self.drop(int(p))
            return
        stay = np.flatnonzero(~S.doomed[:size])
        for number in S.number[doomed]:
            self._note(int(number), -1)
        holder, length, used = S.slots
        gone = S.slot_of[doomed]
        gone = gone[gone >= 0]
        holder[gone], length[gone], used[gone] = -1, 0, 0
        for array in (S.XT, S.reals, S.number, S.slot_of):
            array[..., : len(stay)] = array[..., stay]
        S.doomed[:size] = False
        S.ints[loops.SIZE] = len(stay)
        for p in range(int(doomed[0]), len(stay)):
            self._note(int(S.number[p]), p)
        held = np.flatnonzero(S.slot_of[: len(stay)] >= 0)
        holder[S.slot_of[held]] = held
        np.minimum(length, doomed[0], out=length)

    def _note(self, number: int, place: int) -> None:
        """Remember the place of a point, if it is of the batch."""
        if number >= self._numbers[0]:
            self.place[np.searchsorted(self._numbers, number)] = place

    def _grow(self, capacity: int) -> None:
        """Room for `capacity` points; kept rows move along as far as the cache's bound allows."""
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
