"""Compiled steps on all free multipliers at once, between updates of pairs: for many values of C in succession.

Legend as in `_smo_loops`; F are the free points.  The step solves ``K_FF d + b 1 = v_F`` with ``sum d = 0``, which is
the optimum if no point enters or leaves F.  The step ends where the first multiplier reaches a bound and leaves F, and
the next step is that of the others; each raises the dual (Scheinberg, JMLR 7, 2006).  Updates of pairs then find points
that enter F.
"""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import jit, part

from ._smo_loops import ITERATION, RUNNING, run

#: Added to the diagonal of K_FF, as a share of its largest entry: then nearly equal points share their multiplier.
RIDGE = 1e-10
#: Largest number of free points with which a search begins with a step on all of them.
FIRST_FREE = 60
#: Smallest numbers of pair updates before the first step on all free points and between two such steps; and the cost
#: of the pair updates that follow, relative to such a step, and to the steps just made.
FIRST_PAIRS, PAIRS, FIRST_SHARE, SHARE = 20, 100, 5.0, 1.0


@part
def free_points(up, low, index):  # type: ignore[no-untyped-def]
    """Write the indices of the free points into `index`, and return their number."""
    count = 0
    for k in range(up.shape[0]):
        if up[k] == 0.0 and low[k] == 0.0:
            index[count] = k
            count += 1
    return count


@part
def free_direction(rows, index, count, v, ridge, U, d, ones):  # type: ignore[no-untyped-def]
    """Compute ``d`` of the first `count` points in `index`; return False if K_FF has no Cholesky factor U'U."""
    for r in range(count):
        for c in range(r, count):
            U[r, c] = rows[index[r], index[c]]
        U[r, r] += ridge
        d[r], ones[r] = v[index[r]], 1.0
    for r in range(count):
        if not U[r, r] > 0.0:
            return False
        scale = 1.0 / math.sqrt(U[r, r])
        for c in range(r, count):
            U[r, c] *= scale
        d[r] *= scale
        ones[r] *= scale
        for e in range(r + 1, count):
            factor = U[r, e]
            for c in range(e, count):
                U[e, c] -= factor * U[r, c]
            d[e] -= factor * d[r]
            ones[e] -= factor * ones[r]
    sum_d, sum_ones = 0.0, 0.0
    for r in range(count - 1, -1, -1):
        for c in range(r + 1, count):
            d[r] -= U[r, c] * d[c]
            ones[r] -= U[r, c] * ones[c]
        d[r] /= U[r, r]
        ones[r] /= U[r, r]
        sum_d += d[r]
        sum_ones += ones[r]
    b, rest = sum_d / sum_ones, 0.0
    for r in range(count):
        d[r] -= b * ones[r]
        rest += d[r]
    for r in range(count):  # subtract the rounding error of the sum
        d[r] -= rest / count
    return True


@part
def free_steps(rows, lo, hi, beta, v, up, low, ridge, index, count, most):  # type: ignore[no-untyped-def]
    """Make at most `most` steps on the `count` points in `index`, until one is not cut; return their number."""
    n = v.shape[0]
    made = 0
    U, d, ones, change = np.empty((count, count)), np.empty(count), np.empty(count), np.empty(n)
    while made < most and count > 1 and free_direction(rows, index, count, v, ridge, U, d, ones):
        for k in range(n):
            change[k] = 0.0
        gain, curvature = 0.0, 0.0
        for r in range(count):
            gain += d[r] * v[index[r]]
            for k in range(n):
                change[k] += d[r] * rows[index[r], k]
        for r in range(count):
            curvature += d[r] * change[index[r]]
        length = gain / curvature if curvature > 0.0 else np.inf
        cut = -1
        for r in range(count):
            i = index[r]
            bound = hi[i] if d[r] > 0.0 else lo[i]
            if d[r] != 0.0 and (bound - beta[i]) / d[r] < length:
                length, cut = (bound - beta[i]) / d[r], r
        if not (gain > 0.0 and length < np.inf):
            break
        kept = 0
        for r in range(count):
            i = index[r]
            beta[i] = min(max(beta[i] + length * d[r], lo[i]), hi[i])
            if r == cut:
                beta[i] = hi[i] if d[r] > 0.0 else lo[i]
            up[i] = 0.0 if beta[i] < hi[i] else -np.inf
            low[i] = 0.0 if beta[i] > lo[i] else np.inf
            if lo[i] < beta[i] < hi[i]:
                index[kept] = i
                kept += 1
        for k in range(n):
            v[k] -= length * change[k]
        made += 1
        if kept == count:
            break
        count = kept
    return made


@jit
def search(  # type: ignore[no-untyped-def]
    rule,
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
    rng,
    tol,
    n_steps,
    budget,
    notes,
):
    """Run `_smo_loops.run` with steps on all free multipliers in between, each counted as one; all rows are known.

    Both kinds of steps together take at most about twice `budget`.
    """
    n = v.shape[0]
    index = np.empty(n, dtype=np.int64)
    ridge = RIDGE * max(diagonal.max(), 1e-300)
    goal = ints[ITERATION] + n_steps
    first, spent = True, 0.0
    while True:
        count = free_points(up, low, index)
        cost = count * (count * count / 12.0 + n)
        pairs = max(FIRST_PAIRS, FIRST_SHARE * cost / (2 * n))
        if not first or count <= FIRST_FREE:
            most = 1 + int(budget / (cost + n))
            made = free_steps(rows, lo, hi, beta, v, up, low, ridge, index, count, most)
            spent += made * cost
            ints[ITERATION] += made
            if not first:
                pairs = max(PAIRS, SHARE * made * cost / (2 * n))
        first = False
        left = max(0, min(int(pairs), goal - ints[ITERATION]))
        outcome = run(
            rule, kernel, XT, lo, hi, diagonal, beta, v, up, low, rows, slot_of, owner, used, head, ints, rng, tol,
            left, budget, notes,
        )  # fmt: skip
        spent += 2 * n * left
        if outcome != RUNNING or ints[ITERATION] >= goal or spent >= budget:
            return outcome
