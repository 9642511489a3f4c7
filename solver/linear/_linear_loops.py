"""Compiled loops of the linear learners: passes of the perceptron, steps of Pegasos.

Legend (theory in `perceptron` and `pegasos`): ``X`` (n, d) points, ``y`` -1 or +1; ``w`` weights, the intercept in its
last place; ``theta = sum of y_i x_i`` over the hits; ``count_i`` how often point i changed the weights.
"""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import jit

# Indices into the perceptron's integer state
CURSOR, LAST, MISTAKES = range(3)
# Indices into the integer and the real state of Pegasos
STEPS, LAST_DRAWN, LAST_HIT = range(3)
HARMONIC = 0


@jit
def margin(X, y, unit, w):  # type: ignore[no-untyped-def]
    """Return the number of points with y f <= 0, and min y f / ||w||, which is 0 while w = 0."""
    n, d = X.shape
    size = 0.0
    for k in range(d + 1):
        size = max(size, abs(w[k]))
    if size == 0.0:
        return n, 0.0
    square = 0.0
    for k in range(d + 1):
        square += (w[k] / size) ** 2
    wrong, least = 0, np.inf
    for i in range(n):
        f = w[d] * unit
        for k in range(d):
            f += w[k] * X[i, k]
        if y[i] * f <= 0.0:
            wrong += 1
        least = min(least, y[i] * f)
    return wrong, least / (size * math.sqrt(square))


@jit
def perceptron(X, y, weight, order, unit, w, count, ints, n_updates, notes):  # type: ignore[no-untyped-def]
    """Visit points in `order` from ``ints[CURSOR]`` on, until `n_updates` mistakes are corrected or the pass ends.

    `weight` scales the step at each point; `unit` is 1 with an intercept and 0 without: the constant feature of the
    augmented point.  Returns the number of mistakes.  Row s of `notes` gets the two values of `margin` after
    correction s, and whether it was the first mistake at its point; without rows nothing is noted.
    """
    n, d = X.shape
    made = 0
    while ints[CURSOR] < n and made < n_updates:
        i = order[ints[CURSOR]]
        ints[CURSOR] += 1
        f = w[d] * unit
        for k in range(d):
            f += w[k] * X[i, k]
        if y[i] * f <= 0.0:  # f = 0 is a mistake, else w = 0 would never move
            step = y[i] * weight[i]
            for k in range(d):
                w[k] += step * X[i, k]
            w[d] += step * unit
            count[i] += 1
            ints[LAST] = i
            made += 1
            if notes.shape[0] > 0:
                notes[made, 0], notes[made, 1] = margin(X, y, unit, w)
                notes[made, 2] = 1.0 if count[i] == 1 else 0.0
    ints[MISTAKES] += made
    return made


@jit
def pegasos(X, y, drawn, lam, theta, total, count, late, ints, reals, notes):  # type: ignore[no-untyped-def]
    """Make one step for each of the indices `drawn`.

    `total` is the sum of the w_t so far.  A hit at step t counts in w_{t+1}, w_{t+2}, .. with the weights 1 / (t + 1),
    1 / (t + 2), .. (over lam): in all H_T - H_t, with the harmonic numbers H.  ``late_i`` is the sum of H_t over the
    hits of point i, from which the multipliers of the average follow.  Row s of `notes` gets whether step s was the
    first hit of its point; without rows nothing is noted.
    """
    d = X.shape[1]
    for made, i in enumerate(drawn):
        t = ints[STEPS] + 1
        shrink = 1.0 / (lam * t)
        f = 0.0
        for k in range(d):
            w = theta[k] * shrink
            total[k] += w
            f += w * X[i, k]
        reals[HARMONIC] += 1.0 / t
        hit = y[i] * f < 1.0
        if hit:
            for k in range(d):
                theta[k] += y[i] * X[i, k]
            count[i] += 1
            late[i] += reals[HARMONIC]
        ints[STEPS], ints[LAST_DRAWN], ints[LAST_HIT] = t, i, hit
        if notes.shape[0] > 0:
            notes[made + 1, 0] = 1.0 if hit and count[i] == 1 else 0.0
