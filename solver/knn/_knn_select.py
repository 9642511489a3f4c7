"""Compiled search for the k-th distance by counting, which is fast and moves no data."""

from __future__ import annotations

import numpy as np

from solver.core._compile import lean_part

# Lists of distances are padded with inf to a multiple of this, the number of doubles that LLVM handles per turn with
# the widest vectors: a remainder would be handled one by one.
LANES = 32
ROUNDS = 6  # guesses by interpolation; where distances are spread evenly, three or four are enough
NEAR = 8  # number of distances between two bounds below which they are tried one by one
LAST = np.int64(2**63 - 1)  # larger than the bits of any distance


@lean_part
def separate(d, q, low, guess):  # type: ignore[no-untyped-def]
    """Return (v, number of distances up to v): the number is `q`, or v is the q-th distance and others equal it.

    `guess` is the first value tried, and `low` a value that few distances are below.  Bad hints only cost time, because
    each value is checked by counting.  The bits of non-negative doubles have the same order as the doubles, so integers
    can halve an interval of distances, and integer extrema vectorise.
    """
    bits = d.view(np.int64)
    under = -1.0  # fewer than q are up to here
    below = 0
    high = np.inf  # more than q are up to here
    above = d.size
    turn = 0
    while q > 1 and (turn < ROUNDS or above - below >= NEAR):
        count = 0
        for i in range(d.size):
            count += 1 if d[i] <= guess else 0
        if count == q:
            return guess, count
        part = (q + 0.5) / (count + 0.5)
        if count > q:
            high = guess
            above = count
        else:
            under = guess
            below = count
        if turn < ROUNDS:
            step = guess - low
            if count < q:
                low = guess
            if high < np.inf:
                step = high - low
                part = (q - below + 0.5) / (above - below + 1)
                guess = low + step * part
            else:
                guess += step * (part - 1.0)
        else:
            once = np.float64(under)  # numba reads a number's bits only under a name that is bound once
            and_once = np.float64(high)
            least = once.view(np.int64) if under >= 0.0 else np.int64(-1)
            most = and_once.view(np.int64)
            if most - least <= 1:
                return high, above
            middle = np.int64(least + (most - least) // 2)
            guess = middle.view(np.float64)
        turn += 1
    while True:
        least = LAST
        for i in range(d.size):
            least = min(least, bits[i] if d[i] > under else LAST)
        found = np.int64(least)
        under = found.view(np.float64)
        count = 0
        for i in range(d.size):
            count += 1 if d[i] <= under else 0
        if count >= q:
            return under, count


@lean_part
def kth(d, limit):  # type: ignore[no-untyped-def]
    """Return the largest distance at or below `limit`."""
    bits = d.view(np.int64)
    top = np.int64(0)
    for i in range(d.size):
        top = max(top, bits[i] if d[i] <= limit else np.int64(0))
    found = np.int64(top)
    return found.view(np.float64)
