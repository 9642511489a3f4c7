"""Law: what the points of a generator are drawn from: densities, the ideal (Bayes) class, its error, fresh points.

A generator draws as many points of each class, so each has the prior 1 / K.  With the density p(x | c) of a class,
the generator's noise included, no classifier does better on average than the Bayes classifier, which takes the class
of the largest p(x | c); its error is

    1 - E[max_c p(c | x)],     p(c | x) = p(x | c) / sum_d p(x | d)

(Devroye, Gyoerfi, Lugosi: A Probabilistic Theory of Pattern Recognition, 1996, theorem 2.1).  The sets of the exercise
have a true class besides, whatever shift and noise do to the points.

What a generator spreads evenly (half circles, quadrants, fields) is here drawn by chance with the same shares.
Without noise moons, spirals and blobs are lines and single places, which have no density: then there is no ideal class
anywhere, and nothing that could be confused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .datasets import DATASETS, FIELDS, generate
from .densities import LENGTH, Boxes, Curve, Strips, even_edges, likeliest, panels

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: The generators round to six decimals: a point may lie so far beside its shape.
ROUNDING = 1e-6
#: Below this share of what a density reaches it is none: there the quadrature tells nothing.
FLOOR = 1e-9
#: Corner of the board, and of the squares of the exercise.
EDGE = 1.0


@dataclass(frozen=True)
class Law:
    """The distribution behind a generator's points.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    noise, shift, n_classes
        As `datasets.generate` takes them.
    """

    name: str
    noise: float = 0.0
    shift: float = 0.0
    n_classes: int = 2

    @property
    def has_truth(self) -> bool:
        """The exercise says what the true class is, everywhere."""
        return DATASETS[self.name].truth is not None

    @property
    def has_density(self) -> bool:
        """The classes have densities; without noise, curves and single places have none."""
        return self.noise > 0 or self.name not in ("moons", "spirals", "blobs")

    def true_class(self, X: Array) -> Labels:
        """The true class of the points `X` (n, 2), shape (n,); ValueError where the exercise has none."""
        truth = DATASETS[self.name].truth
        if truth is None:
            raise ValueError(f"The data set {self.name!r} has no true boundary, only an ideal one.")
        return truth(X)

    def log_density(self, X: Array) -> Array:
        """log p(x | c) at the points `X` (n, 2), shape (n, n_classes); -inf where a class has no points."""
        if not self.has_density:
            return np.full((len(X), self.n_classes), -np.inf)
        parts = []
        for shape in _shapes(self):
            if isinstance(shape, Curve):
                parts.append(shape.log_density(X))
            else:
                with np.errstate(divide="ignore"):
                    parts.append(np.log(shape(X)))
        return np.column_stack(parts)

    def _likeliest(self, X: Array) -> Array:
        """As `log_density`, but -inf for classes that are less likely than another by more than rounding."""
        shapes = _shapes(self) if self.has_density else ()
        curves = [shape for shape in shapes if isinstance(shape, Curve)]
        return likeliest(curves, X) if curves else self.log_density(X)

    def density(self, X: Array) -> Array:
        """p(x | c) at the points `X` (n, 2), shape (n, n_classes)."""
        result: Array = np.exp(self.log_density(X))
        return result

    def posterior(self, X: Array) -> Array:
        """p(c | x) at the points `X` (n, 2), shape (n, n_classes); NaN where no class has points."""
        logs = self._likeliest(X)
        largest = logs.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):  # -inf - -inf
            likely = np.exp(logs - largest)
        result: Array = likely / likely.sum(axis=1, keepdims=True)
        return result

    def bayes(self, X: Array) -> Labels:
        """The ideal class of the points `X` (n, 2), shape (n,); -1 where no class has points."""
        logs = self._likeliest(X)
        best: Labels = logs.argmax(axis=1)
        best[logs.max(axis=1) == -np.inf] = -1
        return best

    def risk(self, X: Array) -> Array:
        """How often even the ideal class is wrong at the points `X` (n, 2), shape (n,); 0 where no class has points."""
        result: Array = 1.0 - np.nan_to_num(self.posterior(X), nan=1.0).max(axis=1)
        return result

    def draw(self, number: int, seed: int | tuple[int, ...]) -> tuple[Array, Labels]:
        """`number` fresh points: places (n, 2) and classes (n,), class after class.

        How many are of each class is chance, too.  The same `seed` gives the same points.
        """
        random = np.random.default_rng(seed)
        counts = random.multinomial(number, np.full(self.n_classes, 1.0 / self.n_classes))
        y = np.repeat(np.arange(self.n_classes, dtype=np.int64), counts)
        if self.name in ("moons", "spirals"):
            parts = []
            for c, count in enumerate(counts):
                path, last, share = _path(self.name, c, self.n_classes)
                parts.append(path(last * share(random.uniform(0.0, 1.0, count))))
            X = np.concatenate(parts)
            return X + self.noise * random.standard_normal(X.shape), y
        # Of a chessboard the fields take turns, of xor the quadrants: some of whole turns, by chance, are no more even
        # than chance is.
        turn = FIELDS * FIELDS // 2
        each = -(-int(counts.max(initial=1)) // turn) * turn
        X, _ = generate(self.name, each, self.noise, int(random.integers(2**31)), self.shift, self.n_classes)
        parts = []
        for c, count in enumerate(counts):
            parts.append(X[c * each + random.permutation(each)[:count]])
        return np.concatenate(parts), y

    def true_lines(self, left: float, right: float, bottom: float, top: float) -> Array:
        """The true boundary in a rectangle, or a little beyond it: polylines joined with NaN rows, shape (m, 2).

        Exact but for the circle, from which a chord is away by less than 2e-6 of what is seen.
        """
        if self.name in ("line", "wrong"):
            low, high = max(left, bottom), min(right, top)
            return np.array([[low, low], [high, high]]) if low < high else np.empty((0, 2))
        if self.name == "circle":
            return _arc(math.sqrt(0.5), left, right, bottom, top)
        places, ends = [0.0], (left, right, bottom, top)
        if self.name == "chessboard":
            places = np.linspace(-EDGE, EDGE, FIELDS + 1)[1:-1].tolist()
            ends = (max(left, -EDGE), min(right, EDGE), max(bottom, -EDGE), min(top, EDGE))
        elif self.name != "xor":
            return np.empty((0, 2))
        left, right, bottom, top = ends
        rows: list[list[float]] = []
        if left < right and bottom < top:
            for place in places:
                if bottom <= place <= top:
                    rows += [[left, place], [right, place], [math.nan, math.nan]]
                if left <= place <= right:
                    rows += [[place, bottom], [place, top], [math.nan, math.nan]]
        return np.array(rows[:-1]) if rows else np.empty((0, 2))


def _arc(radius: float, left: float, right: float, bottom: float, top: float) -> Array:
    """The part of a circle about the origin that a rectangle shows, in 720 chords."""
    first, last = -math.pi, math.pi
    if not (left <= 0 <= right and bottom <= 0 <= top):  # then it is seen under less than half a turn
        middle = math.atan2(0.5 * (bottom + top), 0.5 * (left + right))
        corners = [math.atan2(y, x) - middle for x in (left, right) for y in (bottom, top)]
        turned = [(angle + math.pi) % (2.0 * math.pi) - math.pi for angle in corners]
        first, last = middle + min(turned), middle + max(turned)
    t = np.linspace(first, last, 721)
    xy = radius * np.column_stack([np.cos(t), np.sin(t)])
    margin = radius * (last - first) / 300.0  # the chord that crosses the edge stays
    seen = (xy[:, 0] >= left - margin) & (xy[:, 0] <= right + margin)
    seen &= (xy[:, 1] >= bottom - margin) & (xy[:, 1] <= top + margin)
    if seen.all():
        return xy
    xy[~seen] = math.nan
    kept = seen | np.append(False, seen[:-1])  # one row without a place between two pieces
    return xy[kept] if seen.any() else np.empty((0, 2))


def _path(name: str, c: int, n_classes: int) -> tuple[Callable[[Array], Array], float, Callable[[Array], Array]]:
    """The curve of class `c`: its places at t, the last t, and the share of the last t that a share of 1 makes."""
    if name == "moons":
        if c == 0:
            return lambda t: np.column_stack([np.cos(t), np.sin(t)]), math.pi, lambda u: u
        return lambda t: np.column_stack([1.0 - np.cos(t), 0.5 - np.sin(t)]), math.pi, lambda u: u
    start = 2.0 * math.pi * c / n_classes

    def arm(t: Array) -> Array:
        radius, angle = 0.1 + 0.9 * t, 3.0 * math.pi * t + start
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

    return arm, 1.0, np.sqrt


@lru_cache(maxsize=16)
def _shapes(law: Law) -> tuple[Curve | Callable[[Array], Array], ...]:
    """For each class its curve, or its density where that is better computed as such."""
    if law.name == "blobs":
        angles = 2.0 * math.pi * np.arange(law.n_classes) / law.n_classes
        centres = np.column_stack([np.cos(angles), np.sin(angles)])
        return tuple(Curve(centre[None], np.ones(1), law.noise) for centre in centres)
    if law.name == "moons":
        even = [(_path("moons", c, 2)[0], np.ones_like, 1.0, math.pi, law.noise) for c in range(2)]
        return tuple(Curve.along(*each) for each in even)
    if law.name == "spirals":
        speed = math.hypot(0.9, 3.0 * math.pi)  # where the radius is 1
        return tuple(
            Curve.along(_path("spirals", c, law.n_classes)[0], lambda t: 2.0 * t, speed, 1.0, law.noise)
            for c in range(law.n_classes)
        )
    if law.name == "xor":
        return tuple(_floored(law, _quadrants(law, other).density) for other in (1.0, -1.0))
    if law.name == "chessboard":
        return tuple(_floored(law, _fields(law, c).density) for c in range(2))
    if law.name == "circle":
        inner, outer = (0.0, 0.5 - law.shift), (0.5 + law.shift, 1.0)
        return tuple(_floored(law, _ring(law.noise, *squares)) for squares in (inner, outer))
    if law.name not in ("line", "wrong"):
        raise ValueError(f"Nobody has told the densities of the data set {law.name!r}.")
    above = _above(law)
    return _floored(law, above), _floored(law, lambda X: above(-X))


def _floored(law: Law, density: Callable[[Array], Array]) -> Callable[[Array], Array]:
    if law.noise == 0:
        return density
    floor = FLOOR * min(0.25, 1.0 / (2.0 * math.pi * law.noise**2))

    def floored(X: Array) -> Array:
        values = density(X)
        return np.where(values > floor, values, 0.0)

    return floored


def _quadrants(law: Law, other: float) -> Boxes:
    ends = np.array([[side * law.shift, side] for side in (1.0, -1.0)])
    x = np.sort(ends, axis=1)
    y = np.sort(other * ends, axis=1)
    return Boxes(np.column_stack([x[:, 0], y[:, 0]]), np.column_stack([x[:, 1], y[:, 1]]), law.noise, ROUNDING)


def _fields(law: Law, c: int) -> Boxes:
    width = 2.0 * EDGE / FIELDS
    corner = np.array([(i, j) for i in range(FIELDS) for j in range(FIELDS) if (i + j) % 2 == c]) * width - EDGE
    low = np.maximum(corner + 0.5 * law.shift, -EDGE)
    return Boxes(low, np.minimum(corner + width - 0.5 * law.shift, EDGE), law.noise, ROUNDING)


def _ring(noise: float, inner: float, outer: float) -> Callable[[Array], Array]:
    """Density of the ring between the squared radii `inner` and `outer`."""
    even = 1.0 / (math.pi * (outer - inner))
    if noise == 0:

        def sharp(X: Array) -> Array:
            squared = (X * X).sum(axis=1)
            return np.where((squared >= inner - 2 * ROUNDING) & (squared <= outer + 2 * ROUNDING), even, 0.0)

        return sharp
    parts = []
    for squared, sign in ((outer, even), (inner, -even)):
        radius = math.sqrt(squared)
        if radius > 0:
            t, w = panels(even_edges(-0.5 * math.pi, 0.5 * math.pi, LENGTH * noise / radius))
            height = radius * np.cos(t)  # dx = height dt: smooth to the ends
            parts.append((radius * np.sin(t), sign * height * w, -height, height))
    x, weight, low, high = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(x)
    return Strips(x[order], weight[order], low[order], high[order], noise).density


def _above(law: Law) -> Callable[[Array], Array]:
    """Density of class 0 of line and wrong: x as it is drawn, y even from x + shift, cut at the edge, to 1."""
    shift, last = law.shift, EDGE - max(law.shift, 0.0)

    def column(x: Array) -> Array:
        if law.name == "wrong":
            return np.full(len(x), 1.0 / (last + EDGE))
        return 0.5 * (1.0 - x) / (1.0 - max(0.5 * shift, 0.0) ** 2)

    if law.noise == 0:

        def sharp(X: Array) -> Array:
            x, y = np.clip(X[:, 0], -EDGE, last), X[:, 1]
            low = np.maximum(x + shift, -EDGE)
            inside = (np.abs(x - X[:, 0]) <= ROUNDING) & (y >= low - 2 * ROUNDING) & (y <= EDGE + ROUNDING)
            return np.where(inside, column(x) / np.maximum(EDGE - low, ROUNDING), 0.0)

        return sharp
    edges = even_edges(-EDGE, last, LENGTH * law.noise)
    kink = -EDGE - shift  # up to here the verticals reach down to the edge
    if -EDGE < kink < last:
        edges = np.sort(np.append(edges, kink))
    x, w = panels(edges)
    low = np.maximum(x + shift, -EDGE)
    return Strips(x, w * column(x) / (EDGE - low), low, np.full(len(x), EDGE), law.noise).density


def wilson(failures: int, thrown: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """The interval that holds the true share of failures in 95 of 100 such counts (Wilson 1927).

    Parameters
    ----------
    failures, thrown : int
        At least one thrown.
    z : float
        Of the normal distribution: 1.96 for 95 %.
    """
    share, more = failures / thrown, z * z / thrown
    middle = (share + 0.5 * more) / (1.0 + more)
    half = z / (1.0 + more) * math.sqrt(share * (1.0 - share) / thrown + 0.25 * more / thrown)
    low = 0.0 if failures == 0 else max(middle - half, 0.0)
    return low, 1.0 if failures == thrown else min(middle + half, 1.0)
