"""Compiled loops of LASVM: kernel rows of the expansion, the move of a pair, and REPROCESS.

Legend (theory in `lasvm`): the *expansion* S holds ``size`` points at the places 0 .. size - 1; ``beta_s =
y_s alpha_s`` in ``[lo_s, hi_s]``; ``g_s = y_s - sum_r beta_r K_rs`` (v in `smo`), for the points of S only.
A cached kernel row has the number of places for which it is valid, and is completed when it is used.

To compile quickly, only the functions that FINISH needs are compiled, the arrays are few and wide, and no function has
a constant argument, for which numba would compile it again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.core._compile import jit
from solver.core.arrays import Array, Integers, Mask
from solver.kernels._kernel_rows import KernelNumbers, kernel_values, oldest
from solver.svm._smo_loops import SNAP, curvature

# Results of `reprocess`
DONE, CONVERGED, STALLED, DROP = range(4)
# Rows of `KeptExpansion.reals` and `.slots`
BETA, G, LO, HI, DIAGONAL = range(5)
HOLDER, LENGTH, USED = range(3)  # place of the row, or -1; number of valid places; clock of the last use
# Indices into `KeptExpansion.ints`
SIZE, CLOCK, LAST_I, LAST_J, OUTCOME, CHANGES = range(6)


class KeptExpansion(NamedTuple):
    """Arrays with the points of S and the kernel rows among them."""

    kernel: KernelNumbers
    XT: Array  #: (n_features, capacity)
    reals: Array  #: (5, capacity)
    number: Integers  #: (capacity,) index of the point in the stream
    slot_of: Integers  #: (capacity,) slot of its kernel row, or -1
    doomed: Mask  #: (capacity,) whether it is dropped after a REPROCESS
    rows: Array  #: (n_slots, capacity)
    slots: Integers  #: (3, n_slots)
    ints: Integers  #: (6,); the last counts the points that entered or left {alpha > 0}


@jit
def kept_row(S, i):  # type: ignore[no-untyped-def]
    """Return the slot of the kernel row of place i, valid for all of S; it may replace the row unused for longest."""
    holder, length, used = S.slots[HOLDER], S.slots[LENGTH], S.slots[USED]
    slot, size = S.slot_of[i], S.ints[SIZE]
    if slot < 0:
        slot = oldest(used)
        if holder[slot] >= 0:
            S.slot_of[holder[slot]] = -1
        holder[slot], length[slot] = i, 0
        S.slot_of[i] = slot
    if length[slot] < size:
        kernel_values(S.kernel, S.XT, S.XT[:, i], length[slot], S.rows[slot, :size])
        length[slot] = size
    S.ints[CLOCK] += 1
    used[slot] = S.ints[CLOCK]
    return slot


@jit
def move_with_partner(S, i, sign, second_order, tol):  # type: ignore[no-untyped-def]
    """Move place i up (sign = 1) or down (-1) and its best partner the other way; return whether they moved.

    They move if they differ by more than tol.  First order: the partner with the largest difference of g.  Second
    order: the one with the largest gain, ``difference^2 / (2 curvature)``.  The step maximises D within the bounds.
    """
    beta, g, lo, hi, diagonal = S.reals[BETA], S.reals[G], S.reals[LO], S.reals[HI], S.reals[DIAGONAL]
    size = S.ints[SIZE]
    row = S.rows[kept_row(S, i)]
    best, j = 0.0, size  # size: none
    for s in range(size):
        rise = sign * (g[i] - g[s])
        if rise > tol and (beta[s] > lo[s] if sign > 0.0 else beta[s] < hi[s]):
            if second_order:
                rise = rise * rise / curvature(diagonal[i], diagonal[s], row[s])
            if rise > best:
                best, j = rise, s
    if j == size:
        return False
    other = S.rows[kept_row(S, j)]
    if sign < 0.0:
        i, j, row, other = j, i, other, row
    step = (g[i] - g[j]) / curvature(diagonal[i], diagonal[j], row[j])
    room_i, room_j = hi[i] - beta[i], beta[j] - lo[j]
    if room_i <= step:
        step = room_i
    if room_j <= step:
        step = room_j
    new_i = hi[i] if step == room_i else beta[i] + step  # exactly at the bound that is reached
    new_j = lo[j] if step == room_j else beta[j] - step
    if hi[i] - new_i <= SNAP * max(abs(beta[i]), abs(new_i)):  # "free" by rounding, it would determine the intercept
        new_i = hi[i]
    if new_j - lo[j] <= SNAP * max(abs(beta[j]), abs(new_j)):
        new_j = lo[j]
    if new_i == beta[i] and new_j == beta[j]:
        return False
    for old, new in ((beta[i], new_i), (beta[j], new_j)):
        if (old != 0.0) != (new != 0.0):
            S.ints[CHANGES] += 1
    beta[i], beta[j] = new_i, new_j
    S.ints[LAST_I], S.ints[LAST_J] = S.number[i], S.number[j]
    for s in range(size):
        g[s] -= step * (row[s] - other[s])
    return True


@jit
def write(S, note):  # type: ignore[no-untyped-def]
    """Write dual, m - M (0 if one is over no points), and numbers of free and bounded support vectors of S."""
    beta, g, lo, hi = S.reals[BETA], S.reals[G], S.reals[LO], S.reals[HI]
    m, M = -np.inf, np.inf
    total, free, bounded = 0.0, 0.0, 0.0
    for s in range(S.ints[SIZE]):
        if beta[s] < hi[s]:
            m = max(m, g[s])
        if beta[s] > lo[s]:
            M = min(M, g[s])
        total += abs(beta[s]) + beta[s] * g[s]
        if lo[s] < beta[s] < hi[s]:
            free += 1.0
        elif beta[s] != 0.0:
            bounded += 1.0
    note[0], note[1], note[2], note[3] = 0.5 * total, m - M if m - M > -np.inf else 0.0, free, bounded


@jit
def reprocess(S, second_order, tol, n_operations, notes):  # type: ignore[no-untyped-def]
    """Make at most `n_operations` REPROCESS, and return their number.

    Each moves the best pair of S, and marks the blatant non-support vectors as doomed.  The outcome, in `ints`, is
    CONVERGED or STALLED if a pair did not move, DROP if there are doomed points, which must be dropped before the next
    call, else DONE.  Row s of `notes` gets the values after operation s, before points are dropped; without rows
    nothing is noted.
    """
    beta, g, lo, hi = S.reals[BETA], S.reals[G], S.reals[LO], S.reals[HI]
    up, size = 1.0 + 0.0 * tol, S.ints[SIZE]  # the sign, but no constant
    S.ints[OUTCOME] = DONE
    for turn in range(n_operations + 1):
        if turn > 0 and notes.shape[0] > 0:
            write(S, notes[turn])
            notes[turn, 4] = S.ints[CHANGES]
            S.ints[CHANGES] = DONE
        i, j = size, size  # none
        m, M = -np.inf, np.inf
        for s in range(size):
            if g[s] > m and beta[s] < hi[s]:
                m, i = g[s], s
            if g[s] < M and beta[s] > lo[s]:
                M, j = g[s], s
        if turn > 0 and i < size and j < size:
            for s in range(size):
                if beta[s] == 0.0 and (g[s] <= M if hi[s] > 0.0 else g[s] >= m):
                    S.doomed[s] = True
                    S.ints[OUTCOME] = DROP
        if turn == n_operations or S.ints[OUTCOME] == DROP:
            return turn
        if i == size or j == size or m - M <= tol:
            S.ints[OUTCOME] = CONVERGED
            return turn
        if not move_with_partner(S, i, up, second_order, tol):
            S.ints[OUTCOME] = STALLED
            return turn
    return n_operations
