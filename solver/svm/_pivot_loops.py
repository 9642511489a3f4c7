"""Compiled loops of `pivoting`: the pivots, and the updates of a Cholesky factor for points that join and leave.

Legend (theory in `pivoting`): the free points F are ``members[:state[COUNT]]``, and the upper triangle of U satisfies
``U'U = K_FF + tau 11' + delta I`` for the first ``state[KNOWN]`` of them; everything else as in `_smo_loops`.
"""

from __future__ import annotations

import numpy as np

from solver.core._compile import jit, part
from solver.core._vector import BLOCK, larger, smaller
from solver.kernels._kernel_rows import COMPUTED, ROW_COST, cached_row

from ._smo_loops import SNAP

# Results of `pivots`: the budget is used up; optimal; no room for another free point; stopped by rounding errors
RUNNING, CONVERGED, FULL, STUCK = range(4)
# Indices into the integer state
COUNT, KNOWN, PIVOTS, COMING = range(4)
#: Number of multiplications that take as long as one entry.
PER_ENTRY = 4
#: Largest difference of v of the free points, as a share of tol, and number of tries to reach it.
LEVEL, TRIES = 0.25, 3
#: Smallest curvature in a direction, as a share of delta, that is no rounding error.
FLAT = 1e-5
#: Largest number of pivots per point, which only an endless cycle caused by rounding errors reaches.
LIMIT = 20
#: Largest number of points that join at once, the number of free points for one more, and smallest violation of such a
#: point, as a share of the largest one.
ADDED, FOR_ONE_MORE, SHARE = 3, 16, 0.3


@part
def append(U, n, column, square, least):  # type: ignore[no-untyped-def]
    """Add a point to the factor: `column`, its products with the others, is overwritten; `square` is with itself."""
    for i in range(n):
        r = column[i] / U[i, i]
        U[i, n] = r
        square -= r * r
        for k in range(np.uint64(i + 1), np.uint64(n)):
            column[k] -= r * U[i, k]
    U[n, n] = np.sqrt(larger(square, least))


@part
def leave(U, members, level, state, index):  # type: ignore[no-untyped-def]
    """Remove the member at `index`; rotations make the rest of the factor triangular again."""
    n = state[COUNT]
    for k in range(index + 1, n):
        members[k - 1], level[k - 1] = members[k], level[k]
    for i in range(index):
        for k in range(index + 1, n):
            U[i, k - 1] = U[i, k]
    for i in range(index, n - 1):
        a, b = U[i, i + 1], U[i + 1, i + 1]
        r = np.sqrt(a * a + b * b)
        a, b = a / r, b / r
        for k in range(i + 1, n):
            x, y = U[i, k], U[i + 1, k]
            U[i, k - 1] = a * x + b * y
            U[i + 1, k] = a * y - b * x
    state[COUNT] = state[KNOWN] = n - 1


@part
def solve(U, n, p, q):  # type: ignore[no-untyped-def]
    """Compute ``p, q = (U'U)^-1 p, (U'U)^-1 q`` in place."""
    for i in range(n):
        a, b = p[i] / U[i, i], q[i] / U[i, i]
        p[i], q[i] = a, b
        for k in range(np.uint64(i + 1), np.uint64(n)):
            p[k] -= a * U[i, k]
            q[k] -= b * U[i, k]
    for i in range(n - 1, -1, -1):
        # Four sums each, because each addition to one sum would wait for the last one.
        a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
        k = i + 1
        while k + 4 <= n:
            a0 += U[i, k] * p[k]
            b0 += U[i, k] * q[k]
            a1 += U[i, k + 1] * p[k + 1]
            b1 += U[i, k + 1] * q[k + 1]
            a2 += U[i, k + 2] * p[k + 2]
            b2 += U[i, k + 2] * q[k + 2]
            a3 += U[i, k + 3] * p[k + 3]
            b3 += U[i, k + 3] * q[k + 3]
            k += 4
        while k < n:
            a0 += U[i, k] * p[k]
            b0 += U[i, k] * q[k]
            k += 1
        p[i] = (p[i] - ((a0 + a1) + (a2 + a3))) / U[i, i]
        q[i] = (q[i] - ((b0 + b1) + (b2 + b3))) / U[i, i]


@part
def take_away(S, change, members, count):  # type: ignore[no-untyped-def]
    """Compute ``v -= sum_k change[members[k]] K[members[k]]``, four rows at a time, and set the changes to 0."""
    cache, rows, v = S.cache, S.cache.rows, S.v
    n = v.shape[0]
    k = 0
    while k + 4 <= count:
        s0 = cached_row(cache, members[k])
        s1 = cached_row(cache, members[k + 1])
        s2 = cached_row(cache, members[k + 2])
        s3 = cached_row(cache, members[k + 3])
        d0, d1, d2, d3 = change[members[k]], change[members[k + 1]], change[members[k + 2]], change[members[k + 3]]
        for e in range(n):
            v[e] -= (d0 * rows[s0, e] + d1 * rows[s1, e]) + (d2 * rows[s2, e] + d3 * rows[s3, e])
        k += 4
    while k < count:
        s0 = cached_row(cache, members[k])
        d0 = change[members[k]]
        for e in range(n):
            v[e] -= d0 * rows[s0, e]
        k += 1
    for k in range(count):
        change[members[k]] = 0.0


@part
def step(S, U, members, level, state, change, p, q, d, delta):  # type: ignore[no-untyped-def]
    """Make one step towards the optimum of the free points; return True if it reached the optimum, not a bound.

    Their v, in `level`, follows from the linear system: no row of the kernel is needed.
    """
    lo, hi, beta, count = S.lo, S.hi, S.beta, state[COUNT]
    mean = 0.0
    for k in range(count):
        mean += level[k] / count
    for k in range(count):
        p[k], q[k] = level[k] - mean, 1.0
    solve(U, count, p, q)
    sum_p, sum_q = 0.0, 0.0
    for k in range(count):
        sum_p += p[k]
        sum_q += q[k]
    shift = sum_p / sum_q
    slope, square = 0.0, 0.0
    for k in range(count):
        d[k] = p[k] - shift * q[k]
        slope += (level[k] - mean) * d[k]
        square += d[k] * d[k]
    # Along d, of sum 0, the dual has this slope and the curvature d'K_FF d = slope - delta |d|^2.
    length, blocker = 1.0, -1
    if slope > 0.0:
        length = slope / larger(slope - delta * square, FLAT * delta * square)
    for k in range(count):
        i = members[k]
        if d[k] != 0.0:
            room = (hi[i] - beta[i] if d[k] > 0.0 else lo[i] - beta[i]) / d[k]
            if room < length:
                length, blocker = room, k
    if length <= 0.0:  # several points have joined, but not all of them can move
        length, state[COMING] = 0.0, 1
    for k in range(count):
        i = members[k]
        # K_FF d = v_F - mean - shift - delta d
        level[k] -= length * (level[k] - mean - shift - delta * d[k])
        new = beta[i] + length * d[k]
        snap = SNAP * larger(abs(beta[i]), abs(new))
        if hi[i] - new <= snap or (k == blocker and d[k] > 0.0):
            new = hi[i]
        elif new - lo[i] <= snap or k == blocker:
            new = lo[i]
        change[i] += new - beta[i]
        beta[i] = new
    for k in range(count - 1, -1, -1):
        i = members[k]
        if k == blocker or (length > 0.0 and beta[i] in (lo[i], hi[i])):
            leave(U, members, level, state, k)
    state[PIVOTS] += 1
    return blocker < 0


@part
def extremes(S, highest, lowest):  # type: ignore[no-untyped-def]
    """Return (m, M), and write those of each block of points into `highest` and `lowest`."""
    v, up, low = S.v, S.up, S.low
    n = v.shape[0]
    m, M = -np.inf, np.inf
    for block in range(highest.shape[0]):
        a, b = -np.inf, np.inf
        for k in range(np.uint64(block * BLOCK), np.uint64(min(block * BLOCK + BLOCK, n))):
            a = larger(a, v[k] + up[k])
            b = smaller(b, v[k] + low[k])
        highest[block], lowest[block] = a, b
        m, M = larger(m, a), smaller(M, b)
    return m, M


@part
def choose(S, members, state, highest, lowest, middle):  # type: ignore[no-untyped-def]
    """Make members of the points furthest beyond the `middle`, of different blocks, at most ``state[COMING]``."""
    worst = 0.0
    for _ in range(state[COMING]):
        most_up, most_low = 0, 0
        for block in range(1, highest.shape[0]):
            if highest[block] > highest[most_up]:
                most_up = block
            if lowest[block] < lowest[most_low]:
                most_low = block
        above, below = highest[most_up] - middle, middle - lowest[most_low]
        worst = larger(worst, larger(above, below))
        if larger(above, below) < SHARE * worst:
            return
        if above >= below:
            new = most_up * BLOCK
            while S.v[new] + S.up[new] != highest[most_up]:
                new += 1
            highest[most_up] = -np.inf
        else:
            new = most_low * BLOCK
            while S.v[new] + S.low[new] != lowest[most_low]:
                new += 1
            lowest[most_low] = np.inf
        here = state[COUNT] == members.shape[0]
        for k in range(state[COUNT]):
            here |= members[k] == new
        if not here:
            members[state[COUNT]] = new
            state[COUNT] += 1
        # A single one moves with none of its side: the next ones are of the other side.
        middle = S.v[new] if state[COUNT] == 1 else middle


@jit
def pivots(S, members, state, U, tau, delta, tol, budget):  # type: ignore[no-untyped-def]
    """Make pivots until about `budget` entries were visited, and return how it ended."""
    cache, beta, v = S.cache, S.beta, S.v
    n, most = v.shape[0], members.shape[0]
    p, q, d, level = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    change, moved = np.zeros(n), np.empty(most, dtype=np.int64)
    blocks = (n + BLOCK - 1) // BLOCK
    highest, lowest = np.empty(blocks), np.empty(blocks)
    visited, tries = 0, 0
    while visited < budget:
        before = cache.head[COMPUTED]
        while state[KNOWN] < state[COUNT]:
            known, new = state[KNOWN], members[state[KNOWN]]
            slot = cached_row(cache, new)
            for k in range(known):
                p[k] = cache.rows[slot, members[k]] + tau
            append(U, known, p, S.diagonal[new] + tau + delta, delta)
            state[KNOWN] = known + 1
            visited += known * known // PER_ENTRY
        at_start = state[COUNT]
        for k in range(at_start):
            moved[k] = members[k]
            level[k] = v[members[k]]
        while state[COUNT] >= 2:
            visited += state[COUNT] * state[COUNT]
            if step(S, U, members, level, state, change, p, q, d, delta) or visited >= budget:
                break
        take_away(S, change, moved, at_start)
        for k in range(at_start):
            i = moved[k]
            S.up[i] = 0.0 if beta[i] < S.hi[i] else -np.inf
            S.low[i] = 0.0 if beta[i] > S.lo[i] else np.inf
        visited += n * (4 + at_start // PER_ENTRY + ROW_COST * (cache.head[COMPUTED] - before))
        m, M = extremes(S, highest, lowest)
        if m - M <= tol:
            return CONVERGED
        count = state[COUNT]
        top, bottom = -np.inf, np.inf
        for k in range(count):
            top, bottom = larger(top, v[members[k]]), smaller(bottom, v[members[k]])
        if count > 1 and top - bottom > LEVEL * tol and tries < TRIES:
            tries += 1
            continue
        tries = 0
        if state[PIVOTS] >= LIMIT * n:
            return STUCK
        choose(S, members, state, highest, lowest, 0.5 * (top + bottom) if count > 0 else 0.5 * (m + M))
        state[COMING] = ADDED + count // FOR_ONE_MORE
        if state[COUNT] == count:
            return FULL if count == most else STUCK
    return RUNNING
