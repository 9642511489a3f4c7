"""The pair updates of `_smo_loops` in plain numpy, by the second-order rule, until the loops are compiled."""

from __future__ import annotations

import numpy as np

from solver.core.arrays import Array, Integers
from solver.core.step_log import of_multipliers

from . import _smo_loops as loops


def run(
    K: Array, lo: Array, hi: Array, beta: Array, v: Array, ints: Integers, tol: float, n_steps: int, notes: Array
) -> int:
    """Make at most `n_steps` pair updates on a whole kernel matrix; `notes` and results as in `_smo_loops.run`."""
    diagonal = K.diagonal()
    for step_number in range(n_steps + 1):
        above = np.where(beta < hi, v, -np.inf)
        below = np.where(beta > lo, v, np.inf)
        i, low = int(above.argmax()), int(below.argmin())
        if above[i] - below[low] <= tol:
            return loops.CONVERGED
        if step_number == n_steps:
            return loops.RUNNING
        rise = np.maximum(v[i] - below, 0.0)
        floor = np.maximum(1e-12 * (np.abs(diagonal[i]) + np.abs(diagonal)), 1e-150)
        eta = np.maximum(diagonal[i] + diagonal - 2.0 * K[i], floor)
        j = int((rise * rise / eta).argmax())
        room_i, room_j = hi[i] - beta[i], beta[j] - lo[j]
        step = min(room_i, room_j)
        twins = bool((K[i] == K[j]).all())  # one point with two labels: the pair moves up to a bound
        if step == np.inf or not twins:
            step = min((v[i] - v[j]) / eta[j], step)
        new_i = hi[i] if step == room_i else beta[i] + step
        new_j = lo[j] if step == room_j else beta[j] - step
        if hi[i] - new_i <= loops.SNAP * max(abs(beta[i]), abs(new_i)):
            new_i = hi[i]
        if new_j - lo[j] <= loops.SNAP * max(abs(beta[j]), abs(new_j)):
            new_j = lo[j]
        if new_i == beta[i] and new_j == beta[j]:
            return loops.STALLED
        gain = step * ((v[i] - v[j]) - 0.5 * (diagonal[i] + diagonal[j] - 2.0 * K[i, j]) * step)
        changes = int((beta[i] != 0.0) != (new_i != 0.0)) + int((beta[j] != 0.0) != (new_j != 0.0))
        beta[i], beta[j] = new_i, new_j
        ints[loops.ITERATION] += 1
        ints[loops.LAST_I], ints[loops.LAST_J] = i, j
        v -= step * (K[i] - K[j])
        if len(notes):
            _, *others = of_multipliers(beta, v, lo, hi)
            notes[step_number + 1] = notes[step_number, loops.DUAL] + gain, *others, changes
        if twins and hi[i] == np.inf and lo[j] == -np.inf:
            return loops.CONFLICT
    return loops.RUNNING
