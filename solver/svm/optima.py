"""Optima: whether the multipliers of an SVM are the only optimal ones, and how far each may differ between optima.

w, and so f up to its constant, is the same in every optimum (Burges, Crisp, NIPS 12, 2000); alpha need not be.  A point
with ``y f != 1`` has the same alpha, 0 or C, in every optimum.  Let M be the points with ``y f = 1``, and Z a matrix
with a row for each of them: its features in the space of the kernel, and a one.  Other optima lie in the directions

    d != 0,  Z'(y d) = 0,  d_i >= 0 where alpha_i = 0,  d_i <= 0 where alpha_i = C,

so alpha is unique if there is no such d.  The rows of M alone do not decide: they may be dependent, while the bounds
allow no d.  Nor do the singular values of K: a strictly positive definite kernel may have a low rank in double
precision.  So Z is made of the features themselves, in a basis that is well conditioned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solver.core.arrays import Array, Indices
from solver.core.certificate import EPS
from solver.kernels.kinds import DifferenceKind
from solver.kernels.table import Kernel

#: Largest numbers of kernel values for which the multipliers are polished, of points of M, and of features of a kernel.
MOST_ENTRIES, MOST_ON_MARGIN, MOST_FEATURES = 4_000_000, 200, 500
#: Tolerances of the trainings whose multipliers are polished, the first mostly without an update; largest number of
#: updates of each; and the share of the largest multiplier below which one is tried at its bound.
TOLERANCES, MOST_UPDATES, SHARE = (1.0, 1e-6, 1e-10), 100_000, 1e-6
#: Largest violation of the KKT conditions after polishing.  M is what is as near to the margin as the first of `NEAR`;
#: if another point is nearer than the second, M is not decided.
VIOLATION, NEAR = 1e-9, (1e-8, 1e-6)
#: Singular values up to the first share of the largest are 0; a rank is not decided with one from there to the second.
#: A direction that is shorter than the last number, and a gain that is smaller, is 0.
RANK, ZERO = (1e-12, 1e-8), 1e-7


@dataclass(frozen=True, eq=False)
class Optima:
    """The optimal multipliers of one binary problem, known from nearly optimal ones; computed when they are first read.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
    y, C : ndarray of shape (n,)
    kernel : Kernel
    solver : type of SmoSolver
        Trains to smaller tolerances.
    alpha : ndarray of shape (n,)
    """

    X: Array
    y: Array
    C: Array
    kernel: Kernel
    solver: Any
    alpha: Array

    @cached_property
    def unique(self) -> bool | None:
        """As `Certificate.unique`."""
        separate = isinstance(self.kernel.kind, DifferenceKind) and self.kernel.gamma > 0.0  # different points
        if separate and len(np.unique(self.X + 0.0, axis=0)) == len(self.X):
            return True
        try:
            (M, Z), (alpha, _) = self._margin, self._polished
            inward = np.where(alpha == 0.0, 1.0, np.where(alpha == self.C, -1.0, 0.0))[M]
            if separate:  # equal points share one sum, which has a bound
                total, most = (np.where(Z == 0.0, 0.0, each[:, None]).sum(axis=0) for each in (alpha[M], self.C[M]))
                return not ((total > 0.0) & (total < most)).any()
            if _independent(Z) or not _independent(Z[inward == 0.0]):
                return _independent(Z)
            d = _highest(inward, Z, 0.0 * inward, np.where(inward > 0.0, 0.0, -1.0), np.where(inward < 0.0, 0.0, 1.0))
            return bool(inward @ d <= ZERO)
        except ArithmeticError:
            return None

    def ranges(self) -> Iterator[tuple[int, float, float]]:
        """Yield index, least and largest alpha over all optima of each point whose alpha differs; if not `unique`."""
        M, Z = self._margin
        alpha, C = self._polished[0][M], self.C[M]
        zero = ZERO * float(alpha.max())
        for i, goal in enumerate(np.eye(len(M))):
            ends = [float(_highest(sign * goal, Z, alpha, np.zeros(len(M)), C)[i]) for sign in (-1.0, 1.0)]
            low, high = (0.0 if end < zero else float(C[i]) if C[i] - end < zero else end for end in ends)
            if high - low > zero:
                yield int(M[i]), low, high

    @cached_property
    def _margin(self) -> tuple[Indices, Array]:
        """Indices of the points of M, without those that no other point can replace, and their rows of Z times y."""
        distance = np.abs(self._polished[1])
        M = np.flatnonzero(distance <= NEAR[0])
        features = _features(self.kernel, self.X[M])
        alone = (features[:, np.count_nonzero(features, axis=0) == 1] != 0.0).any(axis=1)
        M, Z = M[~alone], features[~alone]
        if ((distance > NEAR[0]) & (distance <= NEAR[1])).any() or len(M) > MOST_ON_MARGIN:
            raise ArithmeticError
        return M, Z * self.y[M, None]

    @cached_property
    def _polished(self) -> tuple[Array, Array]:
        """Multipliers that satisfy the KKT conditions nearly to double precision, and 1 - y f."""
        alpha = self.alpha
        for tol in TOLERANCES:
            smo = self.solver(self.X, self.y, self.kernel, C=self.C, tol=tol, max_iter=MOST_UPDATES, alpha=alpha)
            smo.run()
            alpha = smo.alpha
            if found := self._solved(alpha, SHARE) or self._solved(alpha, 0.0):
                return self._solved(found[0], SHARE) or found
        raise ArithmeticError

    def _solved(self, alpha: Array, share: float) -> tuple[Array, Array] | None:
        """Return `_polished` from the linear system of the free multipliers, or None; `share` as `SHARE`."""
        y, C, near = self.y, self.C, share * alpha.max()
        alpha = np.where(alpha <= near, 0.0, np.where(alpha >= C - near, C, alpha))
        support = np.flatnonzero(alpha)
        if len(support) * len(y) > MOST_ENTRIES:
            raise ArithmeticError
        K, free, beta = self.kernel.gram(self.X, self.X[support]), alpha[support] < C[support], (y * alpha)[support]
        own = K[support[free]][:, free]
        unit = np.full((1, len(own)), np.abs(own).max(initial=0.0))
        right = np.append((y - K @ beta)[support[free]], -unit.max(initial=0.0) * beta.sum())
        beta[free] += np.linalg.lstsq(np.block([[own, unit.T], [unit, 0.0]]), right, rcond=1e-14)[0][:-1]
        v, alpha[support] = y - K @ beta, y[support] * beta
        m = v[np.where(y > 0, alpha < C, alpha > 0.0)].max(initial=-np.inf)
        M = v[np.where(y > 0, alpha > 0.0, alpha < C)].min(initial=np.inf)
        wrong = m - M > max(VIOLATION, 100.0 * EPS * (np.abs(K) @ np.abs(beta)).max(initial=0.0)) or (
            max(abs(beta.sum()), (-alpha).max(), (alpha - C).max()) > VIOLATION * alpha.sum()
        )
        return None if wrong else (alpha, y * (v - 0.5 * (m + M)))


def _features(kernel: Kernel, X: Array) -> Array:
    """Return features and a one, shape (n, n_features), whose rows at X are dependent exactly as those of K and a one.

    Factors, and a change of the basis, change no dependence: so powers are those of coordinates from -1 to 1, from the
    first point where a kernel has all lower degrees, too; and where it makes all different points independent, each of
    them has a feature of its own, and the one says nothing new.
    """
    if isinstance(kernel.kind, DifferenceKind) and kernel.gamma > 0.0:
        return np.eye(len(X))[np.unique(X + 0.0, axis=0, return_inverse=True)[1].reshape(-1)]
    degree, below = (1, True) if kernel.kind.is_linear else (kernel.degree, kernel.coef0 > 0.0)  # with lower degrees
    if kernel.name not in ("linear", "poly") or kernel.gamma == 0.0 or (degree + 1) ** X.shape[1] > MOST_FEATURES:
        raise ArithmeticError
    powers = np.indices((degree + 1,) * X.shape[1]).reshape(X.shape[1], -1)
    chosen = powers[:, np.isin(powers.sum(axis=0), range(degree + 1) if below else (0, degree))]
    at = X - X[:1].sum(axis=0) * below
    features: Array = ((at / np.abs(at).max(axis=0, initial=1e-300))[:, :, None] ** chosen).prod(axis=1)
    return features


def _independent(rows: Array) -> bool:
    """Return whether the rows are linearly independent."""
    values = np.linalg.svd(rows, compute_uv=False)
    if ((values > RANK[0] * values.max(initial=0.0)) & (values < RANK[1] * values.max(initial=0.0))).any():
        raise ArithmeticError
    return len(values) == len(rows) and bool((values > RANK[0] * values.max(initial=0.0)).all())


def _highest(c: Array, Z: Array, x: Array, low: Array, high: Array) -> Array:
    """Return an x with the largest c'x, from `low` to `high` and with the same Z'x as the given x.

    A linear programme, by an active set: x moves along c, projected on the directions that are allowed, until a bound
    stops it and is held; where none is left, a bound with a multiplier of the wrong sign is let go, by Bland's rule.
    """
    moves = (Z[:, (Z[c != 0.0] != 0.0).any(axis=0)] != 0.0).any(axis=1)  # the others have no feature in common
    x, held = x.copy(), ~moves
    for _ in range(50 * len(x) + 50):
        slope = c - Z @ np.linalg.lstsq(Z[~held], c[~held], rcond=RANK[1])[0]
        along = np.where(held | (np.abs(slope) <= ZERO), 0.0, slope)
        if along.any():
            ends = np.where(along > 0.0, high, low)
            room = np.divide(ends - x, along, out=np.full(len(x), np.inf), where=along != 0.0)
            first = int(room.argmin())
            x += max(0.0, float(room[first])) * along
            x[first], held[first] = ends[first], True
        else:
            leaving = held & moves & np.where(x <= low, slope > ZERO, slope < -ZERO)
            if not leaving.any():
                return x
            held[leaving.argmax()] = False
    raise ArithmeticError
