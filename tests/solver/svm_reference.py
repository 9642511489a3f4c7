"""An independent reference for SmoSolver: kernel formulas, a dense QP solver, optimality conditions, problems.

Nothing here uses `solver`.  A primal-dual interior point method (Mehrotra 1992), which has nothing in common with SMO,
solves the dual and proves its answer: it returns a dual value and a primal value that enclose the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Formula:
    """A kernel by its textbook formula."""

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3

    def __call__(self, A: Array, B: Array) -> Array:
        if self.name in ("rbf", "laplacian"):
            difference = np.abs(A[:, None, :] - B[None, :, :])
            power = difference**2 if self.name == "rbf" else difference
            return np.exp(-self.gamma * power.sum(axis=2))
        product = (A[:, None, :] * B[None, :, :]).sum(axis=2)
        if self.name == "linear":
            return product
        if self.name == "poly":
            return (self.gamma * product + self.coef0) ** self.degree
        if self.name == "sigmoid":
            return np.tanh(self.gamma * product + self.coef0)
        raise ValueError(f"Formula has no formula of the kernel {self.name!r}: add it.")


# -- the dual and the primal -------------------------------------------------------------------------------------------


def dual_value(K: Array, y: Array, alpha: Array) -> float:
    """Return sum alpha - 1/2 sum_ij alpha_i alpha_j y_i y_j K_ij."""
    beta = y * alpha
    return float(alpha.sum() - 0.5 * beta @ K @ beta)


def primal_value(K: Array, y: Array, C: float, alpha: Array) -> float:
    """Return 1/2 ||w||^2 + C sum of hinge losses, with w from alpha and the best intercept, one of the breakpoints."""
    beta = y * alpha
    g = K @ beta
    b = y - g
    hinge = np.maximum(0.0, 1.0 - y * (g + b[:, None])).sum(axis=1)
    return float(0.5 * beta @ g + C * hinge.min())


def kkt_violation(K: Array, y: Array, C: float, alpha: Array) -> float:
    """Return m - M of Keerthi et al. by its definition; alpha is at a bound only if it equals the bound."""
    v = y - K @ (y * alpha)
    up = np.where(y > 0, alpha < C, alpha > 0)
    low = np.where(y > 0, alpha > 0, alpha < C)
    return float(v[up].max() - v[low].min())


def resolution(K: Array, alpha: Array) -> float:
    """Return max_i sum_j |alpha_j K_ij|; eps times this is the rounding error of v."""
    return float((np.abs(K) @ alpha).max())


@dataclass(frozen=True)
class Solution:
    """Multipliers, and two values that enclose the optimum."""

    alpha: Array
    dual: float
    primal: float


def solve_dual(K: Array, y: Array, C: float, max_iter: int = 200) -> Solution:
    """Solve the SVM dual by a dense interior point method, as accurately as double precision allows.

    Over a = alpha / C in [0, 1]:  minimise 1/2 a'Qa - 1'a  subject to y'a = 0, with Q = C y y' K.  Multipliers: b of
    the equality, z >= 0 of a >= 0, u >= 0 of s = 1 - a >= 0.
    """
    n = len(y)
    Q = C * np.outer(y, y) * K
    # A feasible start: every multiplier is positive, and both classes have the same sum.
    share = min((y > 0).sum(), (y < 0).sum())
    a = np.where(y > 0, share / (y > 0).sum(), share / (y < 0).sum()) * 0.5
    gradient = Q @ a - 1.0
    z, u = np.maximum(gradient, 0.0) + 1.0, np.maximum(-gradient, 0.0) + 1.0
    b = 0.0
    best = Solution(np.zeros(n), 0.0, np.inf)
    for _ in range(max_iter):
        s = 1.0 - a
        mu = (a @ z + s @ u) / (2 * n)
        residual = Q @ a - 1.0 + b * y - z + u
        diagonal = z / a + u / s
        matrix = np.zeros((n + 1, n + 1))
        matrix[:n, :n] = Q
        matrix[np.arange(n), np.arange(n)] += diagonal
        matrix[:n, n] = matrix[n, :n] = y
        inverse = np.linalg.inv(matrix)

        # Predictor: straight for a z = 0, s u = 0.
        right = np.append(-residual - z + u, -y @ a)
        da = _solved(matrix, inverse, right)[:n]
        dz, du = -z - z / a * da, -u + u / s * da
        step = min(_reach(a, da), _reach(s, -da), _reach(z, dz), _reach(u, du))
        after = ((a + step * da) @ (z + step * dz) + (s - step * da) @ (u + step * du)) / (2 * n)
        sigma = (after / mu) ** 3 * mu
        # Corrector: for a z = sigma, s u = sigma, with the second-order terms of the predictor.
        lower, upper = (sigma - da * dz) / a, (sigma + da * du) / s
        right = np.append(-residual + lower - z - upper + u, -y @ a)
        d = _solved(matrix, inverse, right)
        da = d[:n]
        dz, du = lower - z - z / a * da, upper - u + u / s * da
        step = 0.995 * min(_reach(a, da), _reach(s, -da), _reach(z, dz), _reach(u, du))
        a, z, u, b = a + step * da, z + step * dz, u + step * du, b + step * float(d[n])
        a = np.clip(a, 1e-300, 1.0 - 1e-16)
        alpha = C * balanced(np.where(a < 1e-13, 0.0, np.where(a > 1 - 1e-13, 1.0, a)), y)
        found = Solution(alpha, dual_value(K, y, alpha), primal_value(K, y, C, alpha))
        best = Solution(
            alpha if found.dual > best.dual else best.alpha, max(best.dual, found.dual), min(best.primal, found.primal)
        )
        if best.primal - best.dual <= 1e-9 * best.primal or mu < 1e-18:
            break
    return best


def _solved(matrix: Array, inverse: Array, right: Array) -> Array:
    x = inverse @ right
    return x + inverse @ (right - matrix @ x)  # one refinement


def _reach(x: Array, dx: Array) -> float:
    """Return the largest step up to 1 with x + step dx >= 0."""
    return float(np.min(-x[dx < 0] / dx[dx < 0], initial=1.0))


def balanced(a: Array, y: Array) -> Array:
    """Return `a` in [0, 1] with the rounding error of sum y a spread over the class with the larger sum."""
    excess = float(y @ a)
    heavy = y * excess > 0
    total = a[heavy].sum()
    return a * np.where(heavy, 1.0 - abs(excess) / total, 1.0) if total > 0 else a


def hull_distance(A: Array, B: Array) -> float:
    """Return the distance of the convex hulls of two separable sets of points in the plane."""

    def to_segments(P: Array, S: Array) -> float:
        start = S[:, None, :]
        along = S[None, :, :] - start
        length = np.maximum((along**2).sum(axis=2), 1e-300)
        best = np.inf
        for p in P:
            t = np.clip(((p - start) * along).sum(axis=2) / length, 0.0, 1.0)
            best = min(best, float(np.sqrt((((start + t[:, :, None] * along) - p) ** 2).sum(axis=2)).min()))
        return best

    return min(to_segments(A, B), to_segments(B, A))


# -- problems ----------------------------------------------------------------------------------------------------------


def points(shape: str, n: int, seed: int) -> tuple[Array, Array]:
    """Return `n` labelled points in [-1, 1]^2, with both labels."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 2))
    if shape == "line":
        score = X[:, 1] - X[:, 0]
    elif shape == "noisy line":
        score = X[:, 1] - X[:, 0] + rng.normal(0.0, 0.3, n)
    elif shape == "circle":
        score = 0.5 - (X**2).sum(axis=1)
    elif shape == "noisy circle":
        score = 0.5 - (X**2).sum(axis=1) + rng.normal(0.0, 0.2, n)
    elif shape == "chessboard":
        score = (np.floor(2 * X).sum(axis=1) % 2) - 0.5
    elif shape == "random":
        score = rng.normal(size=n)
    else:
        raise ValueError(shape)
    y = np.where(score > 0, 1.0, -1.0)
    if abs(y.sum()) == n:
        y[0] = -y[0]
    return X, y


@dataclass(frozen=True)
class Problem:
    """One training problem, with everything needed to generate it again."""

    shape: str
    n: int
    formula: Formula
    C: float
    seed: int

    @property
    def data(self) -> tuple[Array, Array]:
        return points(self.shape, self.n, self.seed)

    def __str__(self) -> str:
        k = self.formula
        return f"{self.shape}-{self.n}-{k.name}(g{k.gamma:g},c{k.coef0:g},d{k.degree})-C{self.C:g}-seed{self.seed}"


def problems(count: int, sizes: tuple[int, ...], prices: tuple[float, ...], first_seed: int = 0) -> list[Problem]:
    """Return a seeded list of problems with varied combinations of shapes, kernels, sizes and C."""
    shapes = ("line", "noisy line", "circle", "noisy circle", "chessboard", "random")
    formulas = (
        Formula("linear"),
        Formula("rbf", 1.0),
        Formula("laplacian", 1.0),
        Formula("poly", 1.0, 1.0, 2),
        Formula("rbf", 10.0),
        Formula("poly", 2.0, 0.5, 3),
        Formula("laplacian", 0.1),
        Formula("rbf", 100.0),
        Formula("poly", 1.0, 0.0, 3),
        Formula("rbf", 0.1),
        Formula("poly", 0.5, 1.0, 5),
    )
    rng = np.random.default_rng(1234 + first_seed)
    out = []
    for i in range(count):
        out.append(
            Problem(
                shapes[int(rng.integers(len(shapes)))],
                sizes[i % len(sizes)],
                formulas[i % len(formulas)],
                prices[int(rng.integers(len(prices)))],
                first_seed + i,
            )
        )
    return out
