"""Two piecewise problems in one variable, solved exactly: projection onto the feasible set, and the best scale of f.

The feasible set of the SVM dual is a box cut by a hyperplane:

    project(b):  minimise ||beta - b||^2  subject to  lo <= beta <= hi,  sum beta = 0,   lo <= 0 <= hi

With the multiplier mu of the equality, ``beta_i = clip(b_i - mu, lo_i, hi_i)``.  Its sum falls with mu, piecewise
linearly: coordinate i moves while mu lies between its breakpoints ``b_i - hi_i`` and ``b_i - lo_i``.  So the
breakpoints are sorted, the sum is followed along them to the piece where it is 0, and on that piece mu is the solution
of a linear equation (Helgason, Kennington, Lall 1980; Dai, Fletcher 2006).  No iteration, no tolerance: O(n log n).
The best scale, for a primal bound without intercept, is found along its breakpoints in the same way.
"""

from __future__ import annotations

import numpy as np

from solver.core.arrays import Array

#: What rounding leaves of sums that ought to be 0, and between a multiplier and its bound, as a share of their size.
ROUNDING = 256.0 * float(np.finfo(np.float64).eps)


def project(b: Array, lo: Array, hi: Array) -> Array:
    """Return the point nearest to `b` that lies in a box and whose entries add up to 0.

    This is the projection onto the feasible set of the SVM dual, in beta = y alpha.

    Parameters
    ----------
    b : ndarray of shape (n,)
        Any finite point.
    lo, hi : ndarray of shape (n,)
        Bounds of the box, finite, with lo <= 0 <= hi; they are not checked.

    Returns
    -------
    ndarray of shape (n,)
        In the box exactly; its sum is 0 up to the rounding error of the sum.

    References
    ----------
    Helgason, Kennington, Lall, "A polynomially bounded algorithm for a singly constrained quadratic program",
    Mathematical Programming 18, 1980.  Dai, Fletcher, "New algorithms for singly linearly constrained quadratic
    programs", Mathematical Programming 106, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from solver import project
    >>> project(np.array([3.0, 1.0, -1.0]), lo=np.array([0.0, 0.0, -2.0]), hi=np.array([2.0, 2.0, 0.0])).tolist()
    [2.0, 0.0, -2.0]
    """
    mu = _multiplier(b, lo, hi)
    beta = np.clip(b - mu, lo, hi)
    for _ in range(3):  # once; again for the rounding of mu, which counts when b is far outside the box
        excess = float(beta.sum())
        free = (lo < beta) & (beta < hi)
        if excess == 0.0 or not free.any():
            break
        beta[free] -= excess / int(free.sum())
        np.clip(beta, lo, hi, out=beta)
    return beta


def _multiplier(b: Array, lo: Array, hi: Array) -> float:
    """Return mu with sum clip(b - mu, lo, hi) = 0."""
    starts, ends = b - hi, b - lo
    at = np.concatenate([starts, ends])
    order = at.argsort(kind="stable")
    at = at[order]
    moving = np.cumsum(np.where(order < len(b), 1, -1))  # coordinates that move after each breakpoint
    # Before the first breakpoint every coordinate is at hi.
    falls = np.concatenate(([0.0], np.cumsum(moving[:-1] * np.diff(at))))
    sums = float(hi.sum()) - falls
    k = int(np.searchsorted(-sums, 0.0, side="right")) - 1  # the last breakpoint with a sum of at least 0
    k = max(k, 0)
    if k + 1 == len(at) or moving[k] == 0:
        return float(at[k])
    return float(min(at[k] + sums[k] / moving[k], at[k + 1]))


def best_scaled_primal(C: Array, margin: Array, squared_norm: float) -> float:
    """Return ``min over s >= 0 of s^2 ||w||^2 / 2 + sum_i C_i max(0, 1 - s margin_i)``, without intercept, exactly.

    Its slope rises with s and jumps by C_i |margin_i| where a hinge turns on or off, at s = 1 / margin_i > 0.
    """
    turns = margin > 0.0
    at, jump = 1.0 / margin[turns], (C * margin)[turns]
    order = at.argsort(kind="stable")
    ends = np.append(at[order], np.inf)
    slopes = np.concatenate(([0.0], np.cumsum(jump[order]))) - float(C @ margin)  # of the pieces, less s ||w||^2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        zero = np.where(slopes < 0.0, -slopes / squared_norm, 0.0)
    k = int((zero <= ends).argmax())
    start = float(ends[k - 1]) if k else 0.0
    scales = [1.0, start, max(start, float(zero[k]))]  # the last is inf where ||w|| = 0
    return min(
        0.5 * s * s * squared_norm + float(C @ np.maximum(0.0, 1.0 - s * margin)) for s in scales if np.isfinite(s)
    )


def feasible(y: Array, C: Array, alpha: Array) -> Array:
    """Return ``beta = y alpha`` moved into the box and onto ``sum beta = 0``.

    The heavier side gives up its excess from its smallest multipliers on, so that most bounded support vectors stay
    bounded: they are the ones a small change of the data leaves alone.
    """
    size = np.clip(np.where(np.isfinite(alpha), alpha, 0.0), 0.0, C)
    for _ in range(3):  # once; again only for the rounding of the first
        excess = float(size[y > 0].sum() - size[y < 0].sum())
        if abs(excess) <= ROUNDING * float(size.sum()):
            break
        heavy = np.flatnonzero((y > 0) == (excess > 0))
        order = heavy[np.argsort(size[heavy], kind="stable")]
        before = np.concatenate(([0.0], np.cumsum(size[order])[:-1]))
        size[order] -= np.clip(abs(excess) - before, 0.0, size[order])
    return y * settled(size, C)


def settled(size: Array, C: Array) -> Array:
    """Return the multipliers `size` with those that are at a bound, 0 or C, up to rounding set to it exactly.

    One that is "free" by rounding would be counted, and alone it would decide the intercept.
    """
    at_zero, at_bound = size <= ROUNDING * size.max(initial=0.0), size >= (1.0 - ROUNDING) * C
    return np.where(at_bound, C, np.where(at_zero, 0.0, size))
