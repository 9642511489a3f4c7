"""Low-rank interior point method: all multipliers of a binary SVM at once, for kernel matrices of low rank.

Points of the plane under a smooth kernel give a kernel matrix with few eigenvalues that count.  Then ``K = G'G``, up
to a small error, with G of shape (r, n) and r much less than n (Fine, Scheinberg, JMLR 2, 2001), and an interior point
method, which needs some twenty linear systems in n unknowns whatever C is, pays O(n r^2) for each.

`pivoted_cholesky` finds G row by row: always the point whose diagonal entry of ``E = K - G'G`` is the largest comes
next; E is positive semidefinite, so that abs(E_ij) <= trace E.

`maximise` solves, over ``beta = y alpha``, for given feasible ``beta_0`` with ``v = y - K beta_0``,

    maximise  v'(beta - beta_0) - 1/2 (beta - beta_0)' G'G (beta - beta_0)
    subject to  0 <= y_i beta_i <= C_i,  sum beta = sum beta_0

which is the dual of `smo`, less its value at beta_0; points not among those given keep their multipliers.
Legend: ``c = max C``; ``t_i = alpha_i / C_i`` in [0, 1]; ``q_i = y_i C_i / c``; ``A = sqrt(c) G diag(q)``;
``p = q v + A'A t_0``: minimise ``1/2 |A t|^2 - p't`` with ``0 <= t <= 1, q't = q't_0`` (the problem divided by c).
With multipliers b of the equality, z >= 0 of t >= 0 and u >= 0 of ``s = 1 - t >= 0``, optimal means

    A'A t - p + b q - z + u = 0,  q't = q't_0,  t z = 0,  s u = 0

and each Newton step for these equations with t z = s u = sigma instead of 0 (Mehrotra, SIAM J. Optimization 2, 1992: a
predictor for 0, then a corrector) is a system in ``H + A'A``, ``H = diag(z / t + u / s)``, whose inverse is
``H^-1 - H^-1 A' (I + A H^-1 A')^-1 A H^-1`` (Sherman, Morrison, Woodbury).

Nothing here is exact, and nothing needs to be: `auto` hands the answer to SMO, which finishes and certifies it.  The
functions are generators, so that whoever runs them may stop and go on between two pieces of a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

import numpy as np

from solver.core.arrays import Array
from solver.kernels.table import Kernel

T = TypeVar("T")
#: Work in pieces: a generator that yields between two of them and returns the result.
Work = Generator[None, None, T]
#: trace(K - G'G) / trace(K) at which the factor is good enough, small because C, which multiplies it, may be large.
TRACE_SHARE = 1e-9
#: Multiplications of a piece of work: some milliseconds.
PIECE = 50_000_000
#: Relative duality gap plus residual at which the iteration ends, and how many there are at most.
ACCURACY, MAX_ITERATIONS = 1e-12, 60
#: A start as near to a bound as this share of the box; nearer, the first steps are short.
INSIDE = 0.01
#: Share of the way to the nearest bound that a step goes.
STEP_SHARE = 0.995
#: Below GOOD the iteration may end for lack of progress: rounding in the linear systems has the last word then.
GOOD, PATIENCE = 1e-4, 5
#: Multipliers this near to a bound, as a share of the box, are put onto it.
SNAP = 1e-6


def _quiet() -> np.errstate:
    """Of rounding to 0 and infinity; not to be held over a yield: the next piece may run in another thread."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


def pivoted_cholesky(kernel: Kernel, X: Array, max_rank: int, trace_share: float = TRACE_SHARE) -> Work[Array | None]:
    """A factor of low rank of the kernel matrix (Fine, Scheinberg 2001, section 4).

    Parameters
    ----------
    kernel : Kernel
        Positive semidefinite.
    X : ndarray of shape (n, n_features)
    max_rank : int
    trace_share : float, default=1e-9
        Largest ``trace(K - G'G) / trace(K)`` allowed.

    Returns
    -------
    ndarray of shape (rank, n) or None
        G with ``K = G'G`` up to that; None when `max_rank` does not do.
    """
    rest = kernel.diagonal(X)
    enough = trace_share * float(rest.sum())
    G = np.empty((min(max_rank, len(X)), len(X)))
    done = 0
    for rank in range(len(G) + 1):
        if rest.sum() <= enough:
            return G[:rank].copy()
        if rank == len(G):
            break
        pivot = int(rest.argmax())
        row = kernel.gram(X[pivot : pivot + 1], X)[0] - G[:rank, pivot] @ G[:rank]
        row /= np.sqrt(rest[pivot])
        G[rank] = row
        rest = np.maximum(rest - row * row, 0.0)
        rest[pivot] = 0.0  # exactly, whatever rounding makes of it: no point comes twice
        done += (rank + 10) * len(X)
        if done >= PIECE:
            done = 0
            yield
    return None


def maximise(G: Array, y: Array, C: Array, v: Array, beta: Array) -> Work[Array | None]:
    """Better multipliers than `beta`, for ``K = G'G``; theory and legend at the top.

    Parameters
    ----------
    G : ndarray of shape (rank, n)
    y : ndarray of shape (n,)
        -1 and +1, not necessarily both.
    C : ndarray of shape (n,)
        Finite bounds of the multipliers.
    v : ndarray of shape (n,)
    beta : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,) or None
        The new y alpha, in the box, of the same sum as `beta` up to rounding, and at a bound where it is within a
        1e-6 of the box of it, or nearer to it than the multiplier of that bound is to 0.  None when the linear
        systems broke down before anything was found.
    """
    c = float(C.max())
    q = y * C / c
    A = G * (np.sqrt(c) * q)
    t0 = np.abs(beta) / C
    p = q * v + (A @ t0) @ A
    total = float(q @ t0)
    # From `beta`, drawn inside; b as if half of the points were below their level and half above.
    t = np.clip(t0, INSIDE, 1.0 - INSIDE)
    gradient = (A @ t) @ A - p
    b = -float(np.median(gradient / q))
    slope = gradient + b * q
    level = float(np.abs(slope).mean()) + np.finfo(np.float64).tiny
    z, u = np.maximum(slope, 0.0) + level, np.maximum(-slope, 0.0) + level
    size = 1.0 + float(np.abs(p).max())
    best, best_error, since = None, np.inf, 0
    for _ in range(MAX_ITERATIONS):
        At = A @ t
        gap, value = float(t @ z + (1.0 - t) @ u), abs(float(p @ t - 0.5 * At @ At))
        residual, excess = At @ A - p + b * q - z + u, float(q @ t) - total
        error = gap / max(value, 1e-300) + float(np.abs(residual).max()) / size
        since = 0 if error < 0.5 * best_error else since + 1
        if error < best_error:
            best, best_error = (t, z, u), error
        # A NaN ends it, too.
        if best_error <= ACCURACY or not error < np.inf or (best_error < GOOD and since >= PATIENCE):
            break
        yield
        try:
            solve = yield from _factorised(A, t, z, u)
            step = yield from _step(solve, q, t, z, u, residual, excess)
        except np.linalg.LinAlgError:
            break
        dt, dz, du, db = step
        with _quiet():
            length = min(1.0, STEP_SHARE * _reach(t, dt, z, dz, u, du))
            # Where only rounding is left, t and 1 - t must not become 0.
            t = np.clip(t + length * dt, 1e-300, 1.0 - 1e-16)
            z, u, b = z + length * dz, u + length * du, b + length * db
    if best is None:
        return None
    t, z, u = best
    t = np.where((t < SNAP) | ((t < z) & (t < 0.5)), 0.0, t)
    s = 1.0 - t
    t = np.where((s < SNAP) | ((s < u) & (s < 0.5)), 1.0, t)
    return repaired(y, C, y * C * t, float(beta.sum()))


def _factorised(A: Array, t: Array, z: Array, u: Array) -> Work[Callable[[Array], Array]]:
    """The solver of ``(H + A'A) x = right`` by Sherman, Morrison, Woodbury."""
    with _quiet():
        inverse = 1.0 / (z / t + u / (1.0 - t))
        root = np.sqrt(inverse)
    rank, n = A.shape
    inner = np.eye(rank)
    block = max(64, PIECE // max(1, rank * rank))
    for start in range(0, n, block):
        with _quiet():
            part = A[:, start : start + block] * root[start : start + block]
            inner += part @ part.T
        if n > block:
            yield
    with _quiet():
        half = np.linalg.inv(np.linalg.cholesky(inner))

    def solve(right: Array) -> Array:
        x = inverse * right
        answer: Array = x - inverse * ((half.T @ (half @ (A @ x))) @ A)
        return answer

    return solve


def _step(
    solve: Callable[[Array], Array], q: Array, t: Array, z: Array, u: Array, residual: Array, excess: float
) -> Work[tuple[Array, Array, Array, float]]:
    """The directions of t, z, u and b: Mehrotra's corrector after his predictor."""
    s, n = 1.0 - t, len(t)
    with _quiet():
        of_q = solve(q)
        weight = float(q @ of_q)

    def newton(right: Array) -> tuple[Array, float]:
        x = solve(right)
        db = (float(q @ x) + excess) / weight
        return x - db * of_q, db

    with _quiet():
        dt, _ = newton(-residual - z + u)
        dz, du = -z - z / t * dt, -u + u / s * dt
    yield
    with _quiet():
        length = _reach(t, dt, z, dz, u, du)
        now = float(t @ z + s @ u)
        after = float((t + length * dt) @ (z + length * dz) + (s - length * dt) @ (u + length * du))
        sigma = (after / now) ** 3 * now / (2 * n)
        low, high = (sigma - dt * dz) / t, (sigma + dt * du) / s
        dt, db = newton(-residual + low - z - high + u)
        return dt, low - z - z / t * dt, high - u + u / s * dt, db


def _reach(t: Array, dt: Array, z: Array, dz: Array, u: Array, du: Array) -> float:
    """The largest step, at most 1, that leaves t, 1 - t, z and u at least 0."""
    most = 1.0
    for x, dx in ((t, dt), (1.0 - t, -dt), (z, dz), (u, du)):
        falls = dx < 0
        most = min(most, float((x[falls] / -dx[falls]).min(initial=1.0)))
    return most


def repaired(y: Array, C: Array, beta: Array, total: float) -> Array:
    """`beta`, in the box, brought onto ``sum beta = total``, which must be possible in the box.

    What is missing is shared out among the free points in proportion to the room they have, so that they stay free;
    only when they have too little, among all.
    """
    lo, hi = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    for free_only in (True, False):
        missing = total - float(beta.sum())
        room = hi - beta if missing > 0 else beta - lo
        if free_only:
            room = np.where((lo < beta) & (beta < hi), room, 0.0)
        there = float(room.sum())
        if there > abs(missing):
            return np.clip(beta + missing / there * room, lo, hi)
        if there > 0.0:
            beta = np.clip(beta + np.sign(missing) * room, lo, hi)
    return beta
