"""Compiled kernel rows, their bounded cache, and sums of rows.

The compiled formulas of the kernels are in `kernel_values` only.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from solver.core._compile import inlined, jit, part
from solver.core._vector import exp_of_negative
from solver.core.arrays import Array, Integers

#: Codes of the kernels of `kernels.KERNELS`.
LINEAR, POLY, RBF, LAPLACIAN, SIGMOID, PRECOMPUTED = range(6)
CLOCK, COMPUTED = range(2)
FIRST = np.int64(0)  # numba would compile a function again for a plain literal argument
#: Number of entries of a pass over all points that take as long as one kernel value.
ROW_COST = 4

#: Code, gamma, coef0 and degree.
KernelNumbers = tuple[int, float, float, int]


class RowCache(NamedTuple):
    """Points, and a bounded cache of the kernel rows among them; the record of the compiled loops."""

    kernel: KernelNumbers
    XT: Array  #: (n_features, n)
    rows: Array  #: (slots, n)
    slot_of: Integers  #: (n,) slot of a point's row, -1 if it is not kept
    owner: Integers  #: (slots,) index of the point whose row is in the slot, -1 if it is empty
    used: Integers  #: (slots,) time of the last request for the row
    head: Integers  #: (2,) numbers of requests, and of rows computed


def new_cache(kernel: KernelNumbers, XT: Array, megabytes: float) -> RowCache:
    """Return an empty cache of the rows of the points `XT` of at most `megabytes`, but of at least two rows."""
    n = XT.shape[1]
    slots = int(min(n, max(2, megabytes * 2**20 // (8 * n))))
    rows = np.empty((slots, n))
    rows[0] = 0.0  # a step of length 0 reads a row before any is computed
    return RowCache(
        kernel=kernel,
        XT=XT,
        rows=rows,
        slot_of=np.full(n, -1, dtype=np.int64),
        owner=np.full(slots, -1, dtype=np.int64),
        used=np.zeros(slots, dtype=np.int64),
        head=np.zeros(2, dtype=np.int64),
    )


@part
def oldest(used):  # type: ignore[no-untyped-def]
    """Return the slot whose row was requested longest ago."""
    slot = 0
    for other in range(1, used.shape[0]):
        if used[other] < used[slot]:
            slot = other
    return slot


@jit
def kernel_values(kernel, XT, x, begin, out):  # type: ignore[no-untyped-def]
    """Fill ``out[k] = k(x, x_k)`` for all k from `begin` on; `kernel` is (code, gamma, coef0, degree).

    `XT` has shape (n_features, n or more), so that the inner loop reads consecutive memory.  With a precomputed kernel
    x has kernel values.
    """
    code, gamma, coef0, degree = kernel
    first, end = np.uint64(begin), np.uint64(out.shape[0])
    for k in range(first, end):
        out[k] = x[k] if code == PRECOMPUTED else 0.0
    if code == PRECOMPUTED:
        return
    # Products are added feature by feature, four in a pass over `out`: its entries are read and written less often.
    fours = 0 if code in (RBF, LAPLACIAN) else XT.shape[0] // 4 * 4
    for f in range(0, fours, 4):
        a, b, c, d = x[f], x[f + 1], x[f + 2], x[f + 3]
        for k in range(first, end):
            out[k] = out[k] + XT[f, k] * a + XT[f + 1, k] * b + XT[f + 2, k] * c + XT[f + 3, k] * d
    for f in range(fours, XT.shape[0]):
        here = x[f]
        if code == RBF:
            for k in range(first, end):
                difference = XT[f, k] - here
                out[k] += gamma * (difference * difference)
        elif code == LAPLACIAN:
            for k in range(first, end):
                out[k] += gamma * abs(XT[f, k] - here)
        else:
            for k in range(first, end):
                out[k] += XT[f, k] * here
    if code == POLY:
        power = np.empty(out.shape[0])
        for k in range(first, end):
            power[k] = gamma * out[k] + coef0
            out[k] = 1.0
        left = degree
        while left > 0:  # exponentiation by squaring: base, base^2, base^4, ...
            if left & 1:
                for k in range(first, end):
                    out[k] *= power[k]
            left >>= 1
            if left > 0:
                for k in range(first, end):
                    power[k] *= power[k]
    elif code in (RBF, LAPLACIAN):
        exp_of_negative(out[begin:])
    elif code == SIGMOID:
        for k in range(first, end):
            out[k] = math.tanh(gamma * out[k] + coef0)
    elif code != LINEAR:
        raise ValueError("No compiled kernel has this code; there is one for each row of kernels.KERNELS.")


@jit
def kernel_row(kernel, XT, i, out):  # type: ignore[no-untyped-def]
    """Fill ``out[k] = k(x_i, x_k)`` for all k."""
    kernel_values(kernel, XT, XT[:, i], FIRST, out)


@jit
def gram_rows(kernel, XT, QT, out):  # type: ignore[no-untyped-def]
    """Fill ``out[q, k] = k(query q, x_k)``; the queries `QT` have shape (n_features, n_queries)."""
    for q in range(out.shape[0]):
        kernel_values(kernel, XT, QT[:, q], FIRST, out[q])


@inlined
def cached_row(cache, i):  # type: ignore[no-untyped-def]
    """Return the slot of the kernel row of point i; a new row replaces the least recently used one."""
    slot = cache.slot_of[i]
    if slot < 0:
        slot = oldest(cache.used) if cache.head[COMPUTED] >= cache.used.shape[0] else cache.head[COMPUTED]
        if cache.owner[slot] >= 0:
            cache.slot_of[cache.owner[slot]] = -1
        cache.owner[slot] = i
        cache.slot_of[i] = slot
        kernel_row(cache.kernel, cache.XT, i, cache.rows[slot])
        cache.head[COMPUTED] += 1
    cache.head[CLOCK] += 1
    cache.used[slot] = cache.head[CLOCK]
    return slot


@jit
def add_rows(cache, weights, total, size, begin, budget):  # type: ignore[no-untyped-def]
    """Add ``weights[j] K[j]`` to `total` and its absolute value to `size`, for j from `begin` on.

    Stop after about `budget` entries; return the next j, n at the end.
    """
    n = total.shape[0]
    done = 0
    for j in range(begin, n):
        weight = weights[j]
        if weight != 0.0:
            if done >= budget:
                return j
            before = cache.head[COMPUTED]
            row = cache.rows[cached_row(cache, j)]
            done += n * (1 + ROW_COST * (cache.head[COMPUTED] - before))
            for k in range(n):
                term = weight * row[k]
                total[k] += term
                size[k] += abs(term)
    return n
