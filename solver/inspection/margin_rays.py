"""Margin rays: the straight line from a point with slack, along the gradient of y f, to the margin y f = 1.

The slack xi = 1 - y f(x) has no length in the plane.  The length of the ray represents it: with a linear kernel, it is
exactly the distance from the margin, xi / ||w||.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from solver.core.arrays import Array, Indices, Mask
from solver.core.scaler import Scaler
from solver.kernels.expansion import Expansion
from solver.kernels.table import Kernel

#: Smallest and largest number of samples along the diagonal of the rectangle, and number of samples per length over
#: which a kernel of differences falls to about one half.
FEWEST, MOST, PER_LENGTH = 128, 512, 4.0
#: Samples of each ray computed at once, and kernel values computed between two pauses: some milliseconds.
AT_ONCE, PIECE = 16, 100_000
#: Ratio of the length of a gradient to the size of its terms up to which it counts as 0.
VANISHING = 1e-12
#: Tolerance of the end of a ray, as a share of the diagonal.
EXACT = 1e-10


@dataclass(frozen=True)
class Decision:
    """A decision function ``f(x) = sum_s coef_s k(points_s - centre, x - centre) + offset``, with its gradient.

    Attributes
    ----------
    kernel : Kernel
        A formula.
    points : ndarray of shape (n_support, d)
    coef : ndarray of shape (n_support,)
    offset : float
    centre : ndarray of shape (d,)
        As in `Expansion`.
    scaler : Scaler or None
        What `x` is transformed by first.
    """

    kernel: Kernel
    points: Array
    coef: Array
    offset: float
    centre: Array
    scaler: Scaler | None = None

    @classmethod
    def of(cls, expansion: Expansion, problem: int = 0, scaler: Scaler | None = None) -> Decision:
        """Return the decision function of one binary problem of a fitted model.

        Raises
        ------
        ValueError
            If the kernel is not a formula.
        """
        if not isinstance(expansion.kernel, Kernel):
            raise ValueError(f"kernel is {expansion.kernel.name!r}, which has no gradient.")
        coef = expansion.coef[:, problem]
        used = coef != 0.0
        offset = float(expansion.offset[problem])
        return cls(expansion.kernel, expansion.points[used], coef[used], offset, expansion.centre, scaler)

    def value(self, queries: Array) -> Array:
        """Return f at `queries` (m, d), shape (m,); not finite where it overflows."""
        queries = queries if self.scaler is None else self.scaler.transform(queries)
        with np.errstate(over="ignore", invalid="ignore"):
            values: Array = self.kernel.gram(queries - self.centre, self.points - self.centre) @ self.coef + self.offset
        return values

    def gradient(self, queries: Array) -> tuple[Array, Array]:
        """Return the gradient of f, shape (m, d), and the size of its terms, shape (m,), as in `Kernel.gradient`."""
        if self.scaler is None:
            return self.kernel.gradient(queries - self.centre, self.points - self.centre, self.coef)
        slope, size = replace(self, scaler=None).gradient(self.scaler.transform(queries))
        return slope / self.scaler.scale, size / self.scaler.scale.min()

    def n_samples(self, length: float) -> int:
        """Return the number of samples on a line of this length."""
        if self.kernel.kind.is_linear:
            return 1
        rate = self.kernel.kind.rate(self.kernel)
        if rate is None:
            return MOST // 2
        longest = length if self.scaler is None else length / float(self.scaler.scale.min())
        return int(np.clip(PER_LENGTH * longest * rate, FEWEST, MOST))


def margin_reach(
    decision: Decision, X: Array, y: Array, limits: tuple[float, float, float, float]
) -> Generator[None, None, tuple[Array, Mask]]:
    """Return the end of the margin ray of each point: the first location with y f = 1 along its gradient.

    A ray ends within a rectangle.  It is sampled at distances of at most 1/128 of the diagonal, or less with a narrow
    kernel.  If y f rises above 1 and falls again between two samples, that is missed.  Ends are exact to 1e-9 of the
    diagonal.

    Parameters
    ----------
    decision : Decision
    X : ndarray of shape (m, 2)
        Points with y f(x) < 1; the ray of a point with y f(x) >= 1 ends at the point itself.
    y : ndarray of shape (m,)
        -1 and +1.
    limits : tuple of float
        (left, right, bottom, top).

    Yields
    ------
    None
        Every few milliseconds.

    Returns
    -------
    end : ndarray of shape (m, 2)
        End of each ray.  If y f = 1 nowhere on it, the end is where the ray leaves the rectangle, or the point itself
        if no part of the ray lies in the rectangle.
    capped : ndarray of shape (m,)
        True if y f = 1 nowhere on the ray in the rectangle, or if f has no gradient at the point.

    Raises
    ------
    ValueError
        If the limits are not those of a rectangle.
    """
    left, right, bottom, top = limits
    if not (left < right and bottom < top and np.isfinite(limits).all()):
        raise ValueError(f"limits are {limits}; they must be (left, right, bottom, top), rising and finite.")
    diagonal = float(np.hypot(right - left, top - bottom))
    end, capped = np.array(X, dtype=np.float64), np.ones(len(X), dtype=np.bool_)
    block = max(1, PIECE // (AT_ONCE * max(1, len(decision.coef))))
    for start in range(0, len(X), block):
        rays = _Rays(decision, end[start : start + block].copy(), y[start : start + block], limits)
        while rays.search(decision.n_samples(diagonal)):
            yield
        rays.refine(EXACT * diagonal)
        end[start : start + block], capped[start : start + block] = rays.end, rays.capped
        yield
    return end, capped


class _Rays:
    """Some rays ``origin + t direction``, each from where it enters the rectangle (t = 0 inside) to `_far`.

    Each has a bracket `_t`, of shape (2, n_rays): the ray has been searched up to ``t[0]``, and ``t[1]`` is a sample
    beyond the first crossing of y f = 1 after it, once the ray has `_crossed`.  `_g` is ``y f - 1`` there times
    `_sign`, and so positive before a crossing.  `_open` marks the rays whose search is not at its end.
    """

    def __init__(self, decision: Decision, origin: Array, y: Array, limits: tuple[float, float, float, float]) -> None:
        self._decision, self._origin, self._y = decision, origin, y
        left, right, bottom, top = limits
        self._corner, self._opposite = np.array([left, bottom]), np.array([right, top])
        slope, size = decision.gradient(origin)
        length = np.sqrt(np.einsum("ij,ij->i", slope, slope))
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            usable = np.isfinite(length) & (length > VANISHING * size)
            self._direction = np.where(usable[:, None], y[:, None] * slope / length[:, None], 0.0)
            sides = np.stack([(side - origin) / self._direction for side in (self._corner, self._opposite)])
            # Across a rectangle that is much longer than wide, a ray is short.
            sizes = (self._opposite - self._corner) / np.abs(self._direction)
        self._longest = np.fmin(np.hypot(right - left, top - bottom), sizes.min(axis=1))
        inside = ((self._corner <= origin) & (origin <= self._opposite)).all(axis=1)
        # A ray along a side of the rectangle never leaves that side: 0 / 0.
        near = np.where(np.isnan(sides).any(axis=0), -np.inf, sides.min(axis=0)).max(axis=1)
        far = np.where(np.isnan(sides).any(axis=0), np.inf, sides.max(axis=0)).min(axis=1)
        start = np.maximum(0.0, near)
        meets = usable & np.isfinite(far) & (far >= start)
        start, self._far = np.where(meets, start, 0.0), np.where(meets, far, 0.0)
        self._sign = np.ones(len(y))
        g = self._values(np.arange(len(y)), start)
        # Rays without an end yet: y f = 1 is not reached at the beginning.
        self.capped = ~(inside & (g >= 0.0))
        self._open = meets & self.capped & np.isfinite(g)
        self._sign = np.where(g < 0.0, -1.0, 1.0)
        self._crossed = np.zeros(len(y), dtype=np.bool_)
        self._t, self._g = np.stack((start, start)), np.stack((np.abs(g), np.abs(g)))

    def _values(self, which: Indices, t: Array) -> Array:
        """Return g on the rays `which` at one or several `t` of each, in the shape of `t`."""
        shape = (len(which),) + (1,) * (t.ndim - 1) + (2,)
        locations = self._origin[which].reshape(shape) + t[..., None] * self._direction[which].reshape(shape)
        values = self._decision.value(locations.reshape(-1, 2)).reshape(t.shape)
        return self._sign[which].reshape(shape[:-1]) * (self._y[which].reshape(shape[:-1]) * values - 1.0)

    def search(self, n: int) -> bool:
        """Search the next of `n` samples of each open ray; return whether a ray is left."""
        which = np.flatnonzero(self._open)
        if not len(which):
            return False
        step = self._longest[which, None] / n
        t = np.minimum(self._t[0, which, None] + step * np.arange(1, AT_ONCE + 1), self._far[which, None])
        g = self._values(which, t)
        beyond, rows = g <= 0.0, np.arange(len(which))
        first = beyond.argmax(axis=1)
        hit = beyond[rows, first]
        # The last sample before the crossing, or of all, and the first beyond it; sample 0 is where the search began.
        bracket = np.stack((np.where(hit, first, AT_ONCE), first + 1))
        self._t[:, which] = np.column_stack((self._t[0, which], t))[rows, bracket]
        self._g[:, which] = np.column_stack((self._g[0, which], g))[rows, bracket]
        self._crossed[which] = hit
        self._open[which] = ~hit & (self._t[0, which] < self._far[which])
        return bool(self._open.any())

    def refine(self, width: float) -> None:
        """Narrow the brackets with a crossing down to `width`.

        The method is regula falsi that halves g at an end that has stayed twice (Illinois), with a bisection every
        third time (Dowell, Jarratt, "A modified regula falsi method", BIT 11, 1971).
        """
        moved = np.zeros(
            self._t.shape[1]
        )  # 1 where the end before the crossing has moved last, -1 where the other one has
        for turn in range(200):
            wide = np.abs(self._t[1] - self._t[0]) > width
            which = np.flatnonzero(self._crossed & wide & (self._g[1] != 0.0))
            if not len(which):
                break
            (a, b), (g_a, g_b) = self._t[:, which], self._g[:, which]
            with np.errstate(invalid="ignore", over="ignore"):
                t = a - g_a * ((b - a) / (g_b - g_a))
            t = np.where((turn % 3 == 2) | ~((a < t) & (t < b)), 0.5 * (a + b), t)
            g = self._values(which, t)
            before = g > 0.0
            moves = np.where(before, 1.0, -1.0)
            share = np.where(moved[which] == moves, 0.5, 1.0)
            moved[which] = moves
            self._t[:, which] = np.where(before, (t, b), (a, t))
            self._g[:, which] = np.where(before, (g, share * g_b), (share * g_a, g))
        self.capped &= ~self._crossed

    @property
    def end(self) -> Array:
        """End of each ray, as `margin_reach` returns it."""
        t = np.where(self._crossed, self._t[1], np.where(self.capped, self._far, 0.0))
        locations: Array = self._origin + t[:, None] * self._direction
        inside = np.clip(locations, self._corner, self._opposite)
        return np.where((t > 0.0)[:, None], inside, self._origin)
