"""Compiled inner loop of SMO with conjugate directions (theory in `conjugate`, legend in `_smo_loops`).

The direction of the last step is d, and q = K d.  d is other than 0 at few points, its `members`; what the step looks
at of them stands side by side in `table`: so these loops are vectorised, too.
"""

from __future__ import annotations

import numpy as np

from solver.core._compile import inlined, jit, lean_part
from solver.core._vector import BLOCK, larger, smaller
from solver.core.arrays import Array, Integers
from solver.kernels._kernel_rows import COMPUTED, ROW_COST, cached_row

from ._smo_loops import (
    CONVERGED,
    FIRST,
    ITERATION,
    LAST_I,
    LAST_J,
    RUNNING,
    SNAP,
    STALLED,
    curvature,
    move_and_scan,
    no_pair,
    same,
)

#: Rows of the table.
D, BETA, LO, HI = range(4)
#: Share of a pair's own curvature that must be left of it in the conjugate direction: below, rounding would tell.
LEAST = 1e-3
#: Share of a conjugate step that the bounds must leave: below, the pair alone moves.
SHORT = 1e-2
#: A step beyond every bound.
FAR = 1e300

#: table (4, n + 2), q (n,), members (n + 1,) with their number at the end, place (n,) of each point, d'Kd (1,)
Direction = tuple[Array, Array, Integers, Integers, Array]


def new_direction(n: int) -> Direction:
    """No direction yet, of `n` points."""
    members, place = np.zeros(n + 1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    return np.zeros((4, n + 2)), np.zeros(n), members, place, np.ones(1)


@inlined
def best_partner(i, rows, slot, diagonal, v, low, q, share, gains):  # type: ignore[no-untyped-def]
    """The partner in I_low whose conjugate direction with point i promises the largest gain; -1 when none has any."""
    n = v.shape[0]
    m, k_ii, q_i = v[i], diagonal[i], q[i]
    best, chosen = 0.0, -1
    for start in range(0, n, BLOCK):
        most = 0.0
        for k in range(np.uint64(start), np.uint64(min(start + BLOCK, n))):
            rise, lean = larger(m - (v[k] + low[k]), 0.0), q_i - q[k]
            eta = curvature(k_ii, diagonal[k], rows[slot, k])
            gain = rise * rise / larger(eta - share * (lean * lean), LEAST * eta)
            gains[k - np.uint64(start)] = gain
            most = larger(most, gain)
        if most > best:
            best, chosen = most, start
            while gains[chosen - start] != best:
                chosen += 1
    return chosen


@inlined
def turn_move_and_scan(gamma, step, rows, slot_i, slot_j, q, v, up, low):  # type: ignore[no-untyped-def]
    """``q = gamma q + row_i - row_j`` and ``v -= step q``; the rest as `move_and_scan`."""
    n = v.shape[0]
    m, M = -np.inf, np.inf
    block_m, block_M = 0, 0
    for start in range(0, n, BLOCK):
        a, b = -np.inf, np.inf
        for k in range(np.uint64(start), np.uint64(min(start + BLOCK, n))):
            slope = gamma * q[k] + (rows[slot_i, k] - rows[slot_j, k])
            q[k] = slope
            value = v[k] - step * slope
            v[k] = value
            a = larger(a, value + up[k])
            b = smaller(b, value + low[k])
        if a > m:
            m, block_m = a, start
        if b < M:
            M, block_M = b, start
    i, j = -1, -1
    if m > -np.inf:
        i = block_m
        while v[i] + up[i] != m:
            i += 1
    if np.inf > M:
        j = block_M
        while v[j] + low[j] != M:
            j += 1
    return i, j


@lean_part
def turn(gamma, i, j, beta, lo, hi, table, members, place, count):  # type: ignore[no-untyped-def]
    """``d = gamma d + e_i - e_j``; returns the number of its members."""
    if gamma == 0.0:
        for c in range(count):
            place[members[c]] = -1
        count = 0
    for c in range(np.uint64(count)):
        table[D, c] *= gamma
    for k, sign in ((i, 1.0), (j, -1.0)):
        if place[k] < 0:
            place[k], members[count] = count, k
            table[D, count], table[BETA, count] = 0.0, beta[k]
            table[LO, count], table[HI, count] = lo[k], hi[k]
            count += 1
        table[D, place[k]] += sign
    return count


@lean_part
def within(step, table, count):  # type: ignore[no-untyped-def]
    """The step, or as much of it as the bounds leave."""
    over = 0.0
    for c in range(np.uint64(count)):
        new = table[BETA, c] + step * table[D, c]
        over = larger(over, larger(new - table[HI, c], table[LO, c] - new))
    if over > 0.0:
        for c in range(count):
            if table[D, c] != 0.0:
                bound = table[HI, c] if table[D, c] > 0.0 else table[LO, c]
                step = smaller(step, (bound - table[BETA, c]) / table[D, c])
    return step


@lean_part
def move(step, table, count):  # type: ignore[no-untyped-def]
    """The multipliers of the members after the step: whether one met a bound, and whether one changed, as numbers."""
    met, moved = 0.0, 0.0
    for c in range(np.uint64(count)):
        old = table[BETA, c]
        new = old + step * table[D, c]
        snap = SNAP * larger(abs(old), abs(new))  # as in `_smo_loops.step_of`
        new = table[HI, c] if table[HI, c] - new <= snap else new
        new = table[LO, c] if new - table[LO, c] <= snap else new
        met = larger(met, 0.0 if table[LO, c] < new < table[HI, c] else 1.0)
        moved = larger(moved, abs(new - old))
        table[BETA, c] = new
    return met, moved


@lean_part
def updates(  # type: ignore[no-untyped-def]
    kernel,
    XT,
    lo,
    hi,
    diagonal,
    beta,
    v,
    up,
    low,
    rows,
    slot_of,
    owner,
    used,
    head,
    ints,
    table,
    q,
    members,
    place,
    curved,
    tol,
    n_steps,
    budget,
    gains,
):
    """As `_smo_loops.updates`, without notes."""
    n = v.shape[0]
    visited = 0
    up_index, low_index = move_and_scan(0.0, rows, FIRST, FIRST, v, up, low)
    for _ in range(n_steps):
        if no_pair(up_index, low_index, v, tol):
            return CONVERGED
        if visited >= budget:
            return RUNNING
        before, count = head[COMPUTED], members[n]
        share = 1.0 / curved[0] if count > 0 else 0.0
        i = up_index
        slot_i = cached_row(kernel, XT, i, rows, slot_of, owner, used, head)
        j = best_partner(i, rows, slot_i, diagonal, v, low, q, share, gains)
        if j < 0:
            j = low_index
        slot_j = cached_row(kernel, XT, j, rows, slot_of, owner, used, head)
        alone, lean = curvature(diagonal[i], diagonal[j], rows[slot_i, j]), q[i] - q[j]
        eta = alone - share * (lean * lean)
        gamma = -share * lean if eta >= LEAST * alone else 0.0
        step = 0.0
        if gamma != 0.0:
            count = turn(gamma, i, j, beta, lo, hi, table, members, place, count)
            full = smaller((v[i] - v[j]) / eta, FAR)
            step = within(full, table, count)
            if step < SHORT * full:
                gamma = 0.0
        if gamma == 0.0:
            eta = alone
            count = turn(0.0, i, j, beta, lo, hi, table, members, place, count)
            # One point with two labels: its pull is the same however far the pair is moved, so it moves all the way.
            twins = diagonal[i] == diagonal[j] and rows[slot_i, j] == diagonal[i] and same(rows, slot_i, slot_j)
            full = FAR if twins else smaller((v[i] - v[j]) / eta, FAR)
            step = within(full, table, count)
        met, moved = move(step, table, count)
        if moved == 0.0 and gamma == 0.0:
            for c in range(count):
                place[members[c]] = -1
            members[n] = 0
            return STALLED
        for c in range(count):
            beta[members[c]] = table[BETA, c]
        up[i], low[i], up[j], low[j] = 0.0, 0.0, 0.0, 0.0
        if met > 0.0:
            for c in range(count):
                k = members[c]
                up[k], low[k] = 0.0 if beta[k] < hi[k] else -np.inf, 0.0 if beta[k] > lo[k] else np.inf
        up_index, low_index = turn_move_and_scan(gamma, step, rows, slot_i, slot_j, q, v, up, low)
        if met > 0.0 or moved == 0.0:  # not the best step along d, or a point that must not move on
            for c in range(count):
                place[members[c]] = -1
            count = 0
        members[n], curved[0] = count, eta
        ints[ITERATION] += 1
        ints[LAST_I], ints[LAST_J] = i, j
        visited += n * (2 + ROW_COST * (head[COMPUTED] - before))
    if no_pair(up_index, low_index, v, tol):
        return CONVERGED
    return RUNNING


@jit
def run(  # type: ignore[no-untyped-def]
    kernel,
    XT,
    lo,
    hi,
    diagonal,
    beta,
    v,
    up,
    low,
    rows,
    slot_of,
    owner,
    used,
    head,
    ints,
    table,
    q,
    members,
    place,
    curved,
    tol,
    n_steps,
    budget,
):
    """`updates`, with its scratch."""
    gains = np.empty(BLOCK)
    return updates(
        kernel, XT, lo, hi, diagonal, beta, v, up, low, rows, slot_of, owner, used, head, ints, table, q, members,
        place, curved, tol, n_steps, budget, gains,
    )  # fmt: skip
