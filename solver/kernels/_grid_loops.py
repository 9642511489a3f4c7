"""Compiled loop for the picture of the Laplacian kernel: sums whose terms decay from column to column."""

from __future__ import annotations

import numpy as np

from solver.core._compile import jit

#: Number of rows of a pass, so that the compiler uses vector instructions.
TOGETHER = 8


@jit
def fading_sums(weights, right, to_right, to_left, fade, constant, out):  # type: ignore[no-untyped-def]
    """Fill ``out[r, i] = constant + sum_s weights[s, r] exp(-gamma |x_i - p_s|)`` for ascending x and p.

    ``right[s]`` is the first column with x >= p_s, ``to_right[s]`` and ``to_left[s]`` are the exponential there and in
    the column before, ``fade[i]`` is the one between columns i - 1 and i.
    """
    n_support = weights.shape[0]
    height, width = out.shape
    carried = np.empty(TOGETHER)
    own = np.zeros((n_support, TOGETHER))
    tile = np.empty((width, TOGETHER))
    for top in range(0, height, TOGETHER):
        many = min(TOGETHER, height - top)
        for s in range(n_support):
            for q in range(many):
                own[s, q] = weights[s, top + q]
        for q in range(TOGETHER):
            carried[q] = 0.0
        s = 0
        for i in range(width):  # points left of the column, or on it
            for q in range(TOGETHER):
                carried[q] *= fade[i]
            while s < n_support and right[s] <= i:
                for q in range(TOGETHER):
                    carried[q] += own[s, q] * to_right[s]
                s += 1
            for q in range(TOGETHER):
                tile[i, q] = constant + carried[q]
        for q in range(TOGETHER):
            carried[q] = 0.0
        s = n_support - 1
        for i in range(width - 1, -1, -1):  # points right of it
            while s >= 0 and right[s] > i:
                for q in range(TOGETHER):
                    carried[q] += own[s, q] * to_left[s]
                s -= 1
            for q in range(TOGETHER):
                tile[i, q] += carried[q]
                carried[q] *= fade[i]
        for q in range(many):
            for i in range(width):
                out[top + q, i] = tile[i, q]
