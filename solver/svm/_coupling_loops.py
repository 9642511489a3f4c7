"""Compiled loop of `calibration.class_probabilities`: the probabilities of several classes from f of their problems."""

from __future__ import annotations

import numpy as np

from solver.core._compile import jit
from solver.core._vector import exp_of_negative, larger, smaller

#: Number of locations computed together: long enough for the vector instructions, and of eight classes the used half of
#: the matrices (18 KB) stays in the fastest cache.
TOGETHER = 64
#: Smallest probability of a class against another, as LIBSVM's: with 0 the coupling may have no unique solution.
SMALLEST = 1e-7


@jit
def couple(f, A, B, sides, shares):  # type: ignore[no-untyped-def]
    """Fill in `shares`, shape (n_classes, n), from f of the problems, shape (n_pairs, n).

    `sides`, shape (n_pairs, 2), are the classes for which f is positive and negative; the latter is -1 for the rest.

    r = 1 / (1 + exp(A f + B)) is the probability of class i against class j.  Equation (21) of Wu, Lin and Weng is
    Q p + b e = 0, e' p = 1; so p is the solution x of (Q + e e') x = e, divided by its sum.  That matrix is positive
    definite: elimination needs no pivots, and is done for many locations at once.  Only its upper half is filled in.
    """
    n_pairs, n_classes, n = len(f), len(shares), f.shape[1]
    matrix, x = np.empty((n_classes, n_classes, TOGETHER)), np.empty((n_classes, TOGETHER))
    rest, r, total = sides[0, 1] < 0, np.empty(TOGETHER), np.empty(TOGETHER)
    for begin in range(0, n, TOGETHER):
        width = min(TOGETHER, n - begin)
        for i in range(n_classes):
            for t in range(TOGETHER):
                x[i, t] = matrix[i, i, t] = 1.0
        for p in range(n_pairs):
            a, b, i, j, here = A[p], B[p], sides[p, 0], sides[p, 1], f[p, begin : begin + TOGETHER]
            for t in range(width):
                r[t] = abs(a * here[t] + b)
            exp_of_negative(r)
            for t in range(width):
                low = r[t] / (1.0 + r[t])
                value = low if a * here[t] + b > 0.0 else 1.0 - low
                r[t] = smaller(larger(value, SMALLEST), 1.0 - SMALLEST)
            if rest:
                for t in range(width):
                    x[i, t] = r[t]
            else:
                first, second = min(i, j), max(i, j)
                for t in range(width):
                    other = 1.0 - r[t]
                    matrix[i, i, t] += other * other
                    matrix[j, j, t] += r[t] * r[t]
                    matrix[first, second, t] = 1.0 - r[t] * other
        if not rest:
            for k in range(n_classes):
                for t in range(TOGETHER):
                    matrix[k, k, t] = 1.0 / matrix[k, k, t]
                for i in range(k + 1, n_classes):
                    for t in range(TOGETHER):
                        r[t] = matrix[k, i, t] * matrix[k, k, t]
                        x[i, t] -= r[t] * x[k, t]
                    for j in range(i, n_classes):
                        for t in range(TOGETHER):
                            matrix[i, j, t] -= r[t] * matrix[k, j, t]
            for k in range(n_classes - 1, -1, -1):
                for j in range(k + 1, n_classes):
                    for t in range(TOGETHER):
                        x[k, t] -= matrix[k, j, t] * x[j, t]
                for t in range(TOGETHER):
                    x[k, t] = larger(x[k, t] * matrix[k, k, t], 0.0)  # below 0 by rounding only
        for t in range(TOGETHER):
            total[t] = x[0, t]
        for i in range(1, n_classes):
            for t in range(TOGETHER):
                total[t] += x[i, t]
        for i in range(n_classes):
            out = shares[i, begin : begin + TOGETHER]
            for t in range(width):
                out[t] = x[i, t] / total[t]
