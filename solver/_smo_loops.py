"""Compiled inner loops of SMO: kernel rows, their bounded cache, the working-set rules, the pair update.

Legend (theory in `smo`): ``beta_i = y_i alpha_i`` lies in ``[lo_i, hi_i]``; ``v_i = y_i - sum_j beta_j K_ij``;
``I_up = {beta < hi}``, ``I_low = {beta > lo}``; ``m = max v over I_up``, ``M = min v over I_low``.
There is one loop, with the rule as a number, and kernels occur in `kernel_row` only: a loop per rule and kernel would
multiply the time it takes to compile.
"""

from __future__ import annotations

import math

import numpy as np

from ._compile import jit

# Results of `run`
RUNNING, CONVERGED, STALLED, CONFLICT = range(4)
# Places in the integer state
ITERATION, CURSOR, FREE_TURN, LAST_I, LAST_J, NEWEST, ROWS_COMPUTED = range(7)
# Places in the real state
UP, LOW, STEP = range(3)


@jit
def kernel_row(code, gamma, coef0, degree, XT, i, out):  # type: ignore[no-untyped-def]
    """``out[k] = k(x_i, x_k)`` for all k; `XT` has shape (n_features, n), so that the inner loop runs along memory.

    The precomputed kernel's `XT` is the Gram matrix itself.
    """
    d, n = XT.shape
    if code == 5:
        out[:] = XT[i]
        return
    out[:] = 0.0
    for f in range(d):
        x = XT[f, i]
        if code == 2:
            for k in range(n):
                difference = XT[f, k] - x
                out[k] += difference * difference
        elif code == 3:
            for k in range(n):
                out[k] += abs(XT[f, k] - x)
        else:
            for k in range(n):
                out[k] += XT[f, k] * x
    if code == 1:
        for k in range(n):
            out[k] = (gamma * out[k] + coef0) ** degree
    elif code == 2 or code == 3:
        for k in range(n):
            out[k] = math.exp(-gamma * out[k])
    elif code == 4:
        for k in range(n):
            out[k] = math.tanh(gamma * out[k] + coef0)


@jit
def cached_row(kernel, XT, i, rows, slot_of, owner, newer, older, ints):  # type: ignore[no-untyped-def]
    """Slot of the kernel row of point i: least recently used rows make room.  `newer`/`older` are a ring of slots."""
    slot = slot_of[i]
    newest = ints[NEWEST]
    if slot == newest:
        return slot
    if slot < 0:
        slot = newer[newest]  # behind the newest in the ring stands the oldest
        if owner[slot] >= 0:
            slot_of[owner[slot]] = -1
        owner[slot] = i
        slot_of[i] = slot
        kernel_row(kernel[0], kernel[1], kernel[2], kernel[3], XT, i, rows[slot])
        ints[ROWS_COMPUTED] += 1
    else:  # unlink, then link in behind the newest
        newer[older[slot]] = newer[slot]
        older[newer[slot]] = older[slot]
        newer[slot] = newer[newest]
        older[newer[newest]] = slot
        newer[newest] = slot
        older[slot] = newest
    ints[NEWEST] = slot
    return slot


@jit
def below(n, rng):  # type: ignore[no-untyped-def]
    """Random whole number in [0, n): xorshift64*, whose state `rng[0]` is part of the solver's state."""
    x = rng[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    rng[0] = x
    return np.int64((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % n


@jit
def scan(lo, hi, beta, v, reals):  # type: ignore[no-untyped-def]
    """Indices of m = max v over I_up and M = min v over I_low; -1 for an empty set."""
    up, low = -1, -1
    m, M = -np.inf, np.inf
    for k in range(v.shape[0]):
        value = v[k]
        if value > m and beta[k] < hi[k]:
            m, up = value, k
        if value < M and beta[k] > lo[k]:
            M, low = value, k
    reals[UP], reals[LOW] = m, M
    return up, low


@jit
def random_violator(lo, hi, beta, v, m, M, tol, free_only, rng):  # type: ignore[no-untyped-def]
    """A violator, each with the same chance; -1 when there is none (among the free points, if so asked)."""
    count = 0
    chosen = -1
    for turn in range(2):
        pick = 0 if turn == 0 else below(count, rng)
        seen = 0
        for k in range(v.shape[0]):
            up, low = beta[k] < hi[k], beta[k] > lo[k]
            if free_only and not (up and low):
                continue
            if (up and v[k] > M + tol) or (low and v[k] < m - tol):
                if turn == 1 and seen == pick:
                    return k
                seen += 1
        count = seen
        if count == 0:
            return chosen
    return chosen


@jit
def oriented(lo, hi, beta, v, i, j, tol):  # type: ignore[no-untyped-def]
    """1 when (i, j) moves as (up, low), -1 when (j, i) does, 0 when neither."""
    if beta[i] < hi[i] and beta[j] > lo[j] and v[i] - v[j] > tol:
        return 1
    if beta[j] < hi[j] and beta[i] > lo[i] and v[j] - v[i] > tol:
        return -1
    return 0


@jit
def first_partner(lo, hi, beta, v, i, start, free_only, tol):  # type: ignore[no-untyped-def]
    """First j at or after `start` (around the end) that moves with i; -1 when there is none."""
    n = v.shape[0]
    for c in range(n):
        j = (start + c) % n
        if free_only and not (lo[j] < beta[j] < hi[j]):
            continue
        if oriented(lo, hi, beta, v, i, j, tol) != 0:
            return j
    return -1


@jit
def curvature(k_ii, k_jj, k_ij):  # type: ignore[no-untyped-def]
    """``K_ii + K_jj - 2 K_ij``, or a small positive number where duplicates or an indefinite kernel leave none."""
    return max(k_ii + k_jj - 2.0 * k_ij, 1e-12 * (abs(k_ii) + abs(k_jj)), 1e-150)


@jit
def same(row_i, row_j):  # type: ignore[no-untyped-def]
    """True when two kernel rows are equal: the same point twice, so that moving the pair changes no v."""
    for k in range(row_i.shape[0]):  # noqa: SIM110
        if row_i[k] != row_j[k]:
            return False
    return True


@jit
def select(rule, kernel, XT, lo, hi, diagonal, beta, v, rows, slot_of, owner, newer, older, ints, rng, up, low, tol):  # type: ignore[no-untyped-def]
    """The pair (i in I_up, j in I_low) that the rule chooses; `selection.RULES` names the numbers."""
    n = v.shape[0]
    m, M = v[up], v[low]
    if rule == 3:
        return up, low
    if rule == 4:
        row = rows[cached_row(kernel, XT, up, rows, slot_of, owner, newer, older, ints)]
        best, partner = -1.0, low
        for j in range(n):
            rise = m - v[j]
            if rise > 0.0 and beta[j] > lo[j]:
                gain = rise * rise / curvature(diagonal[up], diagonal[j], row[j])
                if gain > best:
                    best, partner = gain, j
        return up, partner
    i, j = up, low
    if rule == 0:
        for c in range(n):
            i = (ints[CURSOR] + c) % n
            if (beta[i] < hi[i] and v[i] > M + tol) or (beta[i] > lo[i] and v[i] < m - tol):
                break
        ints[CURSOR] = (i + 1) % n
        j = first_partner(lo, hi, beta, v, i, 0, False, tol)
    elif rule == 1:
        i = random_violator(lo, hi, beta, v, m, M, tol, False, rng)
        count = 0
        for k in range(n):
            if oriented(lo, hi, beta, v, i, k, tol) != 0:
                count += 1
        pick = below(count, rng)
        for k in range(n):
            if oriented(lo, hi, beta, v, i, k, tol) != 0:
                if pick == 0:
                    j = k
                    break
                pick -= 1
    else:
        i = -1
        if ints[FREE_TURN] == 1:
            i = random_violator(lo, hi, beta, v, m, M, tol, True, rng)
        if i < 0:
            i = random_violator(lo, hi, beta, v, m, M, tol, False, rng)
        ints[FREE_TURN] = 1 - ints[FREE_TURN]
        far = -1.0
        for k in range(n):  # E_i - E_j = v_j - v_i
            if abs(v[i] - v[k]) > far:
                far, j = abs(v[i] - v[k]), k
        if oriented(lo, hi, beta, v, i, j, tol) == 0:
            j = first_partner(lo, hi, beta, v, i, below(n, rng), True, tol)
            if j < 0:
                j = first_partner(lo, hi, beta, v, i, below(n, rng), False, tol)
    # A violator always has a partner that moves: v_i > M + tol moves with low, v_i < m - tol with up.  Only where v is
    # so large that v + tol rounds to v is there no violator although m - M > tol; the worst pair moves even then.
    if i < 0 or j < 0:
        return up, low
    way = oriented(lo, hi, beta, v, i, j, tol)
    if way == 0:
        return up, low
    return (i, j) if way > 0 else (j, i)


@jit
def run(  # type: ignore[no-untyped-def]
    rule, kernel, XT, lo, hi, diagonal, beta, v, rows, slot_of, owner, newer, older, ints, reals, rng, tol, n_steps
):
    """At most `n_steps` pair updates.  Returns how it ended.

    RUNNING, CONVERGED (m - M <= tol), STALLED (a step that moves nothing) or CONFLICT (one point with two labels and
    no upper bound).
    """
    n = v.shape[0]
    up, low = scan(lo, hi, beta, v, reals)
    for _ in range(n_steps):
        if up < 0 or low < 0 or v[up] - v[low] <= tol:
            return CONVERGED
        i, j = select(
            rule, kernel, XT, lo, hi, diagonal, beta, v, rows, slot_of, owner, newer, older, ints, rng, up, low, tol
        )
        row_i = rows[cached_row(kernel, XT, i, rows, slot_of, owner, newer, older, ints)]
        row_j = rows[cached_row(kernel, XT, j, rows, slot_of, owner, newer, older, ints)]
        room_i, room_j = hi[i] - beta[i], beta[j] - lo[j]
        step = min(room_i, room_j)
        # One point with two labels: its pull is the same however far the pair is moved, so it moves all the way.
        twins = same(row_i, row_j)
        if step == np.inf or not twins:
            step = min((v[i] - v[j]) / curvature(diagonal[i], diagonal[j], row_i[j]), step)
        new_i = hi[i] if step == room_i else beta[i] + step
        new_j = lo[j] if step == room_j else beta[j] - step
        ints[LAST_I], ints[LAST_J], reals[STEP] = i, j, step
        if new_i == beta[i] and new_j == beta[j]:
            return STALLED
        beta[i], beta[j] = new_i, new_j
        ints[ITERATION] += 1
        for k in range(n):
            v[k] -= step * (row_i[k] - row_j[k])
        up, low = scan(lo, hi, beta, v, reals)
        if twins and hi[i] == np.inf and lo[j] == -np.inf:
            return CONFLICT
    if up < 0 or low < 0 or v[up] - v[low] <= tol:
        return CONVERGED
    return RUNNING


@jit
def recompute(kernel, XT, y, beta, v, rows, slot_of, owner, newer, older, ints, size):  # type: ignore[no-untyped-def]
    """``v`` from its definition, and ``size_i = sum_j |beta_j K_ij|``, which bounds how exact it can be."""
    n = v.shape[0]
    size[:] = 0.0
    total = np.zeros(n)
    for j in range(n):
        if beta[j] != 0.0:
            row = rows[cached_row(kernel, XT, j, rows, slot_of, owner, newer, older, ints)]
            for k in range(n):
                term = beta[j] * row[k]
                total[k] += term
                size[k] += abs(term)
    for k in range(n):
        v[k] = y[k] - total[k]
