"""Compiled inner loops of SMO: the working-set rules and the pair update.

Legend (theory in `smo`): ``beta_i = y_i alpha_i`` lies in ``[lo_i, hi_i]``; ``v_i = y_i - sum_j beta_j K_ij``;
``I_up = {beta < hi}``, ``I_low = {beta > lo}``; ``m = max v over I_up``, ``M = min v over I_low``.
There is one loop, with the rule as a number: one loop for each rule would multiply the compile time.

Membership is kept in two arrays that are added to v, so that a running maximum needs no branch: ``up`` is 0 in I_up and
-inf outside, ``low`` is 0 in I_low and +inf outside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.core._compile import inlined, jit, lean_part
from solver.core._vector import BLOCK, larger, smaller
from solver.core.arrays import Array
from solver.kernels._kernel_rows import COMPUTED, ROW_COST, RowCache, add_rows, cached_row

#: The codes of the rules in `working_set_rules.RULES`.
CYCLIC, RANDOM, PLATT, FIRST_ORDER, SECOND_ORDER, MAXIMUM_GAIN = range(6)
# Results of `run`
RUNNING, CONVERGED, STALLED, CONFLICT = range(4)
# Indices into the integer state
ITERATION, CURSOR, FREE_TURN, LAST_I, LAST_J = range(5)
# numpy integers, because numba compiles a function again for each plain literal argument
FIRST, EVERYONE, FREE_ONLY, EVERYTHING = np.int64(0), np.int64(0), np.int64(1), np.int64(2**62)
#: Largest distance by rounding between a multiplier and a bound it has reached, as a share of its size: a few units in
#: the last digit after a few steps, some dozen after many.
SNAP = 256.0 * np.finfo(np.float64).eps
#: Largest distance from a bound, as a share of the box, that counts as bounded for maximum-gain (Glasmachers, Igel).
NEAR_BOUND = 1e-8
#: Columns of the record of steps; the last is the number of points that entered or left {alpha > 0} in the step.
DUAL, VIOLATION, FREE, BOUNDED, CHANGES = range(5)


class PointArrays(NamedTuple):
    """The arrays of the points under work, all of shape (n,) but the cache."""

    cache: RowCache
    lo: Array
    hi: Array
    diagonal: Array  #: K_ii
    beta: Array
    v: Array
    up: Array
    low: Array


@lean_part
def below(n, rng):  # type: ignore[no-untyped-def]
    """Return a random whole number in [0, n): xorshift64*, whose state `rng[0]` is part of the solver's state."""
    x = rng[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    rng[0] = x
    return np.int64((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % n


@inlined
def move_and_scan(S, step, slot_i, slot_j):  # type: ignore[no-untyped-def]
    """Compute ``v -= step (row_i - row_j)``, and return the indices of m and M, or -1.

    The pass keeps the extremes of each block, and is vectorised; then each index is searched for in one block.
    """
    rows, v, up, low = S.cache.rows, S.v, S.up, S.low
    n = v.shape[0]
    m, M = -np.inf, np.inf
    block_m, block_M = 0, 0
    for start in range(0, n, BLOCK):
        a, b = -np.inf, np.inf
        for k in range(np.uint64(start), np.uint64(min(start + BLOCK, n))):
            value = v[k] - step * (rows[slot_i, k] - rows[slot_j, k])
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


@inlined
def curvature(k_ii, k_jj, k_ij):  # type: ignore[no-untyped-def]
    """Return ``K_ii + K_jj - 2 K_ij``, or a small positive number for duplicates or an indefinite kernel."""
    return larger(larger(k_ii + k_jj - 2.0 * k_ij, 1e-12 * (abs(k_ii) + abs(k_jj))), 1e-150)


@inlined
def largest_gain(S, i, slot, gains):  # type: ignore[no-untyped-def]
    """Return the partner in I_low with the largest unclipped gain for point i; -1 if no gain is above 0."""
    rows, diagonal, v, low = S.cache.rows, S.diagonal, S.v, S.low
    n = v.shape[0]
    m, k_ii = v[i], diagonal[i]
    best, chosen = 0.0, -1
    for start in range(0, n, BLOCK):
        most = 0.0
        for k in range(np.uint64(start), np.uint64(min(start + BLOCK, n))):
            rise = larger(m - (v[k] + low[k]), 0.0)
            gain = rise * rise / curvature(k_ii, diagonal[k], rows[slot, k])
            gains[k - np.uint64(start)] = gain
            most = larger(most, gain)
        if most > best:
            best, chosen = most, start
            while gains[chosen - start] != best:
                chosen += 1
    return chosen


@lean_part
def largest_clipped_gain(S, a, slot, tol, gains):  # type: ignore[no-untyped-def]
    """Return (gain, partner) of the best step of point `a`; (0, -1) if it moves with no other point.

    Its partner of the last step needs no exception: after that step the two have no gain.
    """
    rows, lo, hi, diagonal, beta, v = S.cache.rows, S.lo, S.hi, S.diagonal, S.beta, S.v
    n = v.shape[0]
    room_up, room_low = hi[a] - beta[a], beta[a] - lo[a]
    best, chosen = 0.0, -1
    for start in range(0, n, BLOCK):
        most = 0.0
        for k in range(np.uint64(start), np.uint64(min(start + BLOCK, n))):
            rise = v[a] - v[k]
            size = abs(rise)
            room = smaller(room_up, beta[k] - lo[k]) if rise > 0.0 else smaller(room_low, hi[k] - beta[k])
            eta = curvature(diagonal[a], diagonal[k], rows[slot, k])
            step = smaller(size / eta, room)
            gain = step * (size - 0.5 * eta * step) if size > tol else 0.0
            gains[k - np.uint64(start)] = gain
            most = larger(most, gain)
        if most > best:
            best, chosen = most, start
            while gains[chosen - start] != best:
                chosen += 1
    return best, chosen


@lean_part
def near_bound(S, i):  # type: ignore[no-untyped-def]
    """Return whether a multiplier counts as bounded for maximum-gain; an infinite upper bound is never reached."""
    lo, hi = S.lo[i], S.hi[i]
    near = NEAR_BOUND * (hi - lo) if hi - lo < np.inf else 0.0
    return S.beta[i] - lo <= near or hi - S.beta[i] <= near


@lean_part
def random_violator(S, m, M, tol, free_only, rng):  # type: ignore[no-untyped-def]
    """Return a violator drawn with equal chances, of the free points if `free_only` is FREE_ONLY; -1 if none."""
    v, up, low, count = S.v, S.up, S.low, 0
    for turn in range(2):
        pick = 0 if turn == 0 else below(count, rng)
        n_checked = 0
        for k in range(v.shape[0]):
            if free_only == FREE_ONLY and not (up[k] == 0.0 and low[k] == 0.0):
                continue
            if v[k] + up[k] > M + tol or v[k] + low[k] < m - tol:
                if turn == 1 and n_checked == pick:
                    return k
                n_checked += 1
        count = n_checked
        if count == 0:
            return -1
    return -1


@lean_part
def oriented(S, i, j, tol):  # type: ignore[no-untyped-def]
    """Return 1 if (i, j) moves as (up, low), -1 if (j, i) does, else 0."""
    v, up, low = S.v, S.up, S.low
    if (v[i] + up[i]) - (v[j] + low[j]) > tol:
        return 1
    if (v[j] + up[j]) - (v[i] + low[i]) > tol:
        return -1
    return 0


@lean_part
def first_partner(S, i, start, free_only, tol):  # type: ignore[no-untyped-def]
    """Return the first j from `start` on, cyclically, that moves with i; -1 if there is none."""
    n = S.v.shape[0]
    for c in range(n):
        j = (start + c) % n
        if free_only == FREE_ONLY and not (S.up[j] == 0.0 and S.low[j] == 0.0):
            continue
        if oriented(S, i, j, tol) != 0:
            return j
    return -1


@inlined
def select(rule, S, ints, rng, i, j, tol, gains):  # type: ignore[no-untyped-def]
    """Return the pair (in I_up, in I_low) chosen by the rule with the code `rule`; (i, j) is the worst pair."""
    v, up, low = S.v, S.up, S.low
    n = v.shape[0]
    m, M = v[i], v[j]
    if rule == FIRST_ORDER:
        return i, j
    if rule == MAXIMUM_GAIN and ints[LAST_I] >= 0:
        a, b = ints[LAST_I], ints[LAST_J]
        if not (near_bound(S, a) and near_bound(S, b)):
            gain, partner = largest_clipped_gain(S, a, cached_row(S.cache, a), tol, gains)
            other_gain, other = largest_clipped_gain(S, b, cached_row(S.cache, b), tol, gains)
            if other_gain > gain:
                a, partner = b, other
            if partner >= 0:
                return (a, partner) if v[a] > v[partner] else (partner, a)
    if rule in (SECOND_ORDER, MAXIMUM_GAIN):
        partner = largest_gain(S, i, cached_row(S.cache, i), gains)
        return i, partner if partner >= 0 else j
    worst_i, worst_j = i, j
    if rule == CYCLIC:
        for c in range(n):
            i = (ints[CURSOR] + c) % n
            if v[i] + up[i] > M + tol or v[i] + low[i] < m - tol:
                break
        ints[CURSOR] = (i + 1) % n
        j = first_partner(S, i, FIRST, EVERYONE, tol)
    elif rule == RANDOM:
        i = random_violator(S, m, M, tol, EVERYONE, rng)
        count = 0
        for k in range(n):
            if i >= 0 and oriented(S, i, k, tol) != 0:
                count += 1
        pick = below(max(count, 1), rng)
        for k in range(n):
            if i >= 0 and oriented(S, i, k, tol) != 0:
                if pick == 0:
                    j = k
                    break
                pick -= 1
    elif rule == PLATT:
        i = -1
        if ints[FREE_TURN] == 1:
            i = random_violator(S, m, M, tol, FREE_ONLY, rng)
        if i < 0:
            i = random_violator(S, m, M, tol, EVERYONE, rng)
        ints[FREE_TURN] = 1 - ints[FREE_TURN]
        far = -1.0
        for k in range(n):  # E_i - E_j = v_j - v_i
            if i >= 0 and abs(v[i] - v[k]) > far:
                far, j = abs(v[i] - v[k]), k
        if i >= 0 and oriented(S, i, j, tol) == 0:
            j = first_partner(S, i, below(n, rng), FREE_ONLY, tol)
            if j < 0:
                j = first_partner(S, i, below(n, rng), EVERYONE, tol)
    else:
        raise ValueError("No compiled working-set rule has this code; there is one for each row of RULES.")
    # A violator always has a partner that moves: v_i > M + tol moves with low, v_i < m - tol with up.  Only if v is so
    # large that v + tol rounds to v, there may be no violator although m - M > tol; then the worst pair moves.
    way = oriented(S, i, j, tol) if i >= 0 and j >= 0 else 0
    if way == 0:
        return worst_i, worst_j
    return (i, j) if way > 0 else (j, i)


@lean_part
def same(rows, slot_i, slot_j):  # type: ignore[no-untyped-def]
    """Return whether two kernel rows are equal: the same point twice, so that moving the pair changes no v."""
    for k in range(rows.shape[1]):  # noqa: SIM110
        if rows[slot_i, k] != rows[slot_j, k]:
            return False
    return True


@lean_part
def count(note, sign, beta, lo, hi):  # type: ignore[no-untyped-def]
    """Add `sign` to the number of free or of bounded support vectors, according to the multiplier `beta`."""
    if beta in (lo, hi):
        if beta != 0.0:
            note[BOUNDED] += sign
    else:
        note[FREE] += sign


@lean_part
def write(S, notes, made, gain, i, j, new_i, new_j):  # type: ignore[no-untyped-def]
    """Write row ``made + 1`` of the record, except the violation, before the pair is moved."""
    lo, hi, beta, note = S.lo, S.hi, S.beta, notes[made + 1]
    for column in range(notes.shape[1]):
        note[column] = notes[made, column]
    note[DUAL] += gain
    note[CHANGES] = 0.0
    for k, new in ((i, new_i), (j, new_j)):
        if (beta[k] != 0.0) != (new != 0.0):
            note[CHANGES] += 1.0
        count(note, -1.0, beta[k], lo[k], hi[k])
        count(note, 1.0, new, lo[k], hi[k])


@inlined
def step_of(S, i, j, slot_i, slot_j):  # type: ignore[no-untyped-def]
    """Return the step of the pair (i, j), their multipliers after it, and whether the two are the same point."""
    rows, lo, hi, diagonal, beta, v = S.cache.rows, S.lo, S.hi, S.diagonal, S.beta, S.v
    room_i, room_j = hi[i] - beta[i], beta[j] - lo[j]
    step = min(room_i, room_j)
    # One point with two labels: the gain per length is constant, so the pair moves up to a bound.
    twins = diagonal[i] == diagonal[j] and rows[slot_i, j] == diagonal[i] and same(rows, slot_i, slot_j)
    if step == np.inf or not twins:
        step = min((v[i] - v[j]) / curvature(diagonal[i], diagonal[j], rows[slot_i, j]), step)
    new_i = hi[i] if step == room_i else beta[i] + step
    new_j = lo[j] if step == room_j else beta[j] - step
    # Set a multiplier next to its bound to it: one that is "free" by rounding would determine the intercept.
    if hi[i] - new_i <= SNAP * max(abs(beta[i]), abs(new_i)):
        new_i = hi[i]
    if new_j - lo[j] <= SNAP * max(abs(beta[j]), abs(new_j)):
        new_j = lo[j]
    return step, new_i, new_j, twins


@inlined
def no_pair(i, j, v, tol):  # type: ignore[no-untyped-def]
    """Return whether the worst pair (i, j) does not exist or violates by at most `tol`."""
    return i < 0 or j < 0 or v[i] - v[j] <= tol


@lean_part
def updates(rule, S, ints, rng, tol, n_steps, budget, notes, gains):  # type: ignore[no-untyped-def]
    """Make at most `n_steps` pair updates, until about `budget` entries were visited, and return how it ended.

    The result is RUNNING, CONVERGED (m - M <= tol), STALLED (a step that moves nothing) or CONFLICT (one point with two
    labels and no upper bound).

    `notes` is a record: row 0 holds the present values, row s gets those after step s.  It must have more than
    `n_steps` rows, or none: then nothing is noted.
    """
    lo, hi, beta, v, head = S.lo, S.hi, S.beta, S.v, S.cache.head
    visited = 0
    up_index, low_index = move_and_scan(S, 0.0, FIRST, FIRST)
    noting = notes.shape[0] > 0
    for made in range(n_steps):
        if no_pair(up_index, low_index, v, tol):
            return CONVERGED
        if visited >= budget:
            return RUNNING
        before = head[COMPUTED]
        i, j = select(rule, S, ints, rng, up_index, low_index, tol, gains)
        slot_i, slot_j = cached_row(S.cache, i), cached_row(S.cache, j)
        step, new_i, new_j, twins = step_of(S, i, j, slot_i, slot_j)
        if new_i == beta[i] and new_j == beta[j]:
            return STALLED
        if noting:
            eta = S.diagonal[i] + S.diagonal[j] - 2.0 * S.cache.rows[slot_i, j]
            write(S, notes, made, step * ((v[i] - v[j]) - 0.5 * eta * step), i, j, new_i, new_j)
        beta[i], beta[j] = new_i, new_j
        ints[ITERATION] += 1
        ints[LAST_I], ints[LAST_J] = i, j
        # i has left its lower bound, and j its upper one, unless rounding has kept them there.
        for k in (i, j):
            S.up[k], S.low[k] = 0.0 if beta[k] < hi[k] else -np.inf, 0.0 if beta[k] > lo[k] else np.inf
        up_index, low_index = move_and_scan(S, step, slot_i, slot_j)
        if noting:
            some = up_index >= 0 and low_index >= 0
            notes[made + 1, VIOLATION] = v[up_index] - v[low_index] if some else 0.0
        visited += v.shape[0] * (2 + ROW_COST * (head[COMPUTED] - before))
        if twins and hi[i] == np.inf and lo[j] == -np.inf:
            return CONFLICT
    return CONVERGED if no_pair(up_index, low_index, v, tol) else RUNNING


@jit
def run(rule, S, ints, rng, tol, n_steps, budget, notes):  # type: ignore[no-untyped-def]
    """Run `updates` with an array for gains, which a lean function cannot make."""
    return updates(rule, S, ints, rng, tol, n_steps, budget, notes, np.empty(BLOCK))


@jit
def solved(rule, kernel, XT, y, C, diagonal, rng, tol, n_steps, budget, notes):  # type: ignore[no-untyped-def]
    """Make updates from zeros, as `run` does, and compute v from its definition.

    Returns how the updates ended, beta, v, the integer state, m, M, and ``size_i = sum_j abs(beta_j K_ij)``.
    """
    n = y.shape[0]
    cache = RowCache(
        kernel=kernel, XT=XT, rows=np.empty((n, n)), slot_of=np.empty(n, np.int64), owner=np.empty(n, np.int64),
        used=np.zeros(n, np.int64), head=np.zeros(2, np.int64),
    )  # fmt: skip
    S = PointArrays(
        cache=cache, lo=np.empty(n), hi=np.empty(n), diagonal=diagonal, beta=np.zeros(n), v=y.copy(), up=np.empty(n),
        low=np.empty(n),
    )  # fmt: skip
    ints = np.zeros(5, dtype=np.int64)
    ints[LAST_I], ints[LAST_J] = -1, -1
    total, size = np.zeros(n), np.zeros(n)
    for k in range(n):
        cache.slot_of[k], cache.owner[k], cache.rows[0, k] = -1, -1, 0.0
        S.lo[k], S.hi[k] = min(y[k] * C[k], 0.0), max(y[k] * C[k], 0.0)
        S.up[k], S.low[k] = 0.0 if y[k] > 0.0 else -np.inf, 0.0 if y[k] < 0.0 else np.inf
    outcome = run(rule, S, ints, rng, tol, n_steps, budget, notes)
    add_rows(cache, S.beta, total, size, FIRST, EVERYTHING)
    m, M = -np.inf, np.inf
    for k in range(n):
        S.v[k] = y[k] - total[k]
        m, M = max(m, S.v[k] + S.up[k]), min(M, S.v[k] + S.low[k])
    return outcome, S.beta, S.v, ints, m, M, size
