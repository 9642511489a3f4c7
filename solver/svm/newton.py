"""Newton's method for the multipliers near the margin, for a kernel of few features.

Given multipliers beta_0 with ``v = y - K beta_0``, maximise over beta, in the box and of the same sum,

    v'(beta - beta_0) - 1/2 |Z'(beta - beta_0)|^2,   Z of shape (n, r), r much less than n

by the proximal point method: each time ``- |beta - centre|^2 / (2 sigma)`` is added, and the centre moved to the
answer.  With ``w = Z'(beta - beta_0)`` the dual of that is a smooth problem in r unknowns,

    minimise over w   |w|^2 / 2 + s'w + max_beta [ beta'(v - Z w) - |beta - centre|^2 / (2 sigma) ],   s = Z'beta_0

whose inner maximum is at ``beta = project(centre + sigma (v - Z w))``, projected on the feasible set: so the intercept,
the multiplier of the sum, is exact at every step, also where no multiplier is free.  The gradient ``w + s - Z'beta``
is piecewise linear, and Newton's method with ``I + sigma Z_F'(I - 11'/|F|) Z_F``, F the free points, ends after few
steps (Rockafellar 1976; Li, Sun, Toh, SIAM J. Optimization 28, 2018).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import numpy as np

from solver.core.arrays import Array

T = TypeVar("T")
#: Work in pieces: a generator that yields between two pieces and returns the result.
Work = Generator[None, None, T]
#: Number of multiplications in a piece: some milliseconds.
PIECE = 50_000_000

#: Largest numbers of Newton steps, of tried step lengths, and of steps in the search for the intercept.
STEPS, TRIES, SEARCH = 40, 12, 60
#: The search along a line ends when the slope is at most this share of the first one.
SLOPE = 0.1


class Projection:
    """The projection on the box and ``sum beta = total``; each search for its multiplier starts at the former one.

    Parameters
    ----------
    lo, hi : ndarray of shape (n,)
    total : float
        A sum that some point of the box has.
    mu : float
        Start of the first search.
    """

    def __init__(self, lo: Array, hi: Array, total: float, mu: float) -> None:
        self._lo, self._hi, self._total, self._mu = lo, hi, total, mu
        self._enough = 1e-13 * float(abs(total) + (hi - lo).sum())

    def __call__(self, p: Array) -> Array:
        """Return ``clip(p - mu, lo, hi)`` with the sum `total`, which falls with mu: Newton's method between bounds."""
        lo, hi, mu, low, high = self._lo, self._hi, self._mu, -np.inf, np.inf
        for _ in range(SEARCH):
            x: Array = p - mu
            np.clip(x, lo, hi, out=x)
            excess = float(x.sum()) - self._total
            if abs(excess) <= self._enough:
                break
            low, high = (mu, high) if excess > 0.0 else (low, mu)
            slope = int(np.count_nonzero((lo < x) & (x < hi)))
            new = mu + excess / slope if slope else np.nan
            if not low < new < high:  # no free point, or too far: the middle, between what is beyond all breakpoints
                low = max(low, float((p - hi).min()) - 1.0)
                high = min(high, float((p - lo).max()) + 1.0)
                new = 0.5 * (low + high)
                if new in (low, high):
                    break
            mu = new
        self._mu = mu
        return x


def ramped(
    Z: Array, v: Array, lo: Array, hi: Array, beta: Array, centre: Array, w: Array, sigma: float, tol: float
) -> Work[Array]:
    """Return the answer of one proximal step, in pieces; theory and legend are at the top.

    Parameters
    ----------
    Z : ndarray of shape (n, rank)
    v, lo, hi, beta, centre : ndarray of shape (n,)
    w : ndarray of shape (rank,)
        Start of Newton's method.
    sigma : float
    tol : float
        The method ends at a step that changes f by no more.
    """
    s = Z.T @ beta
    f = Z @ w
    nearest = Projection(lo, hi, float(beta.sum()), sigma * float(np.median(v - f)))
    x = nearest(centre + sigma * (v - f))
    for _ in range(STEPS):
        gradient = w + s - x @ Z
        on_ramp = Z[(lo < x) & (x < hi)]
        H = np.eye(len(w))
        for start in range(0, len(on_ramp), block := max(64, PIECE // len(w) ** 2)):
            part = on_ramp[start : start + block]
            H += sigma * (part.T @ part)
            yield
        mean = on_ramp.sum(axis=0)
        H -= np.outer(mean, mean * (sigma / max(1, len(on_ramp))))
        try:
            d = -np.linalg.solve(H, gradient)
        except np.linalg.LinAlgError:
            break
        along = Z @ d
        change = float(along.max() - along.min())
        if not change < np.inf:
            break
        # The slope along d rises: the length is where it is 0, by false position that never goes to the very ends.
        constant, square = float((w + s) @ d), float(d @ d)
        low, high, at_high, length = 0.0, 1.0, 0.0, 1.0
        at_low = first = float(gradient @ d)
        for _ in range(TRIES):
            x = nearest(centre + sigma * (v - f - length * along))
            slope = constant + length * square - float(x @ along)
            if abs(slope) <= SLOPE * abs(first) or (slope < 0.0 and length == 1.0):
                break
            if slope > 0.0:
                high, at_high = length, slope
            else:
                low, at_low = length, slope
            length = low + (high - low) * min(0.9, max(0.1, at_low / (at_low - at_high)))
        w, f = w + length * d, f + length * along
        if change <= tol:
            break
        yield
    return x
