"""Law: what the points of a generator are drawn from: densities, the ideal (Bayes) class, its error, fresh points.

A generator draws as many points of each class, so each has the prior 1 / K.  With the density p(x | c) of a class,
the generator's noise included, no classifier does better on average than the Bayes classifier, which takes the class
of the largest p(x | c); its error is

    1 - E[max_c p(c | x)],     p(c | x) = p(x | c) / sum_d p(x | d)

(Devroye, Gyoerfi, Lugosi: A Probabilistic Theory of Pattern Recognition, 1996, theorem 2.1).  The sets of the exercise
have a true class besides, whatever shift and noise do to the points.

With flipped labels, a share e of each class has the label of another, each of the K - 1 as likely.  Priors stay equal,

    p'(x | c) = (1 - e) p(x | c) + e / (K - 1) sum_{d != c} p(x | d),

and posteriors are mixed alike.  As long as e < 1 - 1 / K the Bayes classifier stays what it is, and its error r becomes
r + (1 - r - r / (K - 1)) e on the average: flips can be learned around, but not foreseen.

What a generator spreads evenly (half circles, quadrants, fields) is here drawn by chance with the same shares.
Without noise moons, spirals and blobs are lines and single places, which have no density: then there is no ideal class
anywhere, and nothing that could be confused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from solver.core.arrays import Array, Integers
from solver.core.checks import check_choice, check_number

from .datasets import DATASETS, MOST_FLIPPED, Dataset, Truth, generate
from .densities import Curve, Density, likeliest
from .shapes import FIELDS, Shapes

#: Below this share of what a density reaches it is none: there the quadrature tells nothing.
FLOOR = 1e-9


@dataclass(frozen=True)
class Law:
    """The distribution behind a generator's points.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    noise, shift, n_classes, flipped
        As `datasets.generate` takes them.
    """

    name: str
    noise: float = 0.0
    shift: float = 0.0
    n_classes: int = 2
    flipped: float = 0.0

    def __post_init__(self) -> None:
        check_choice("name", self.name, DATASETS)
        check_number("flipped", self.flipped, 0.0, MOST_FLIPPED)

    @property
    def unflipped(self) -> Law:
        """The same without flipped labels: it has the same ideal classes and boundaries."""
        return replace(self, flipped=0.0) if self.flipped else self

    @property
    def dataset(self) -> Dataset:
        """The row of `DATASETS` it belongs to."""
        return DATASETS[self.name]

    @property
    def has_truth(self) -> bool:
        """The exercise says what the true class is, everywhere."""
        return self.dataset.truth is not None

    @property
    def truth(self) -> Truth:
        """The true classes; ValueError where the exercise has none."""
        truth = self.dataset.truth
        if truth is None:
            raise ValueError(f"The data set {self.name!r} has no true boundary, only an ideal one.")
        return truth

    @property
    def has_density(self) -> bool:
        """The classes have densities; without noise, curves and single places have none."""
        return self.noise > 0 or not self.dataset.is_thin

    def log_density(self, X: Array) -> Array:
        """log p(x | c) at the points `X` (n, 2), shape (n, n_classes); -inf where a class has no points."""
        logs = self._log_density(X)
        if not self.flipped:
            return logs
        largest = logs.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):  # where no class has points
            mixed: Array = np.log(self._mixed(np.exp(logs - largest))) + largest
        return np.where(largest == -np.inf, -np.inf, mixed)

    def _mixed(self, shares: Array) -> Array:
        """Numbers (n, n_classes) of the classes as those of the labels."""
        other = self.flipped / (self.n_classes - 1)
        mixed: Array = (1.0 - self.flipped - other) * shares + other * shares.sum(axis=1, keepdims=True)
        return mixed

    def _log_density(self, X: Array) -> Array:
        """The same of the classes that the points were drawn of, before labels were flipped."""
        if not self.has_density:
            return np.full((len(X), self.n_classes), -np.inf)
        parts = []
        for shape in _shapes(self.unflipped):
            if isinstance(shape, Curve):
                parts.append(shape.log_density(X))
            else:
                with np.errstate(divide="ignore"):
                    parts.append(np.log(shape(X)))
        return np.column_stack(parts)

    def _likeliest(self, X: Array) -> Array:
        """As `_log_density`, but -inf for classes that are less likely than another by more than rounding."""
        shapes = _shapes(self.unflipped) if self.has_density else ()
        curves = [shape for shape in shapes if isinstance(shape, Curve)]
        return likeliest(curves, X) if curves else self._log_density(X)

    def posterior(self, X: Array) -> Array:
        """p(c | x) at the points `X` (n, 2), shape (n, n_classes); NaN where no class has points."""
        logs = self._likeliest(X)
        largest = logs.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):  # -inf - -inf
            likely = np.exp(logs - largest)
        result: Array = likely / likely.sum(axis=1, keepdims=True)
        return self._mixed(result) if self.flipped else result

    def bayes(self, X: Array) -> Integers:
        """The ideal class of the points `X` (n, 2), shape (n,); -1 where no class has points."""
        logs = self._likeliest(X)
        best: Integers = logs.argmax(axis=1)
        best[logs.max(axis=1) == -np.inf] = -1
        return best

    def risk(self, X: Array) -> Array:
        """How often even the ideal class is wrong at the points `X` (n, 2), shape (n,); 0 where no class has points."""
        return self.risks(X)[0]

    def risks(self, X: Array) -> tuple[Array, Array]:
        """Return how often the ideal class is wrong at the points `X` (n, 2), and 1-NN with infinitely many points.

        The nearest of those lies at the point itself, with a label drawn as the point's own: the two differ with
        probability 1 - sum_c p(c | x)^2.  Both are 0 where no class has points.
        """
        posterior = self.posterior(X)
        nowhere = np.isnan(posterior).any(axis=1)
        ideal, nearest = 1.0 - posterior.max(axis=1), 1.0 - (posterior * posterior).sum(axis=1)
        return np.where(nowhere, 0.0, ideal), np.where(nowhere, 0.0, nearest)

    def draw(self, number: int, seed: int | tuple[int, ...]) -> tuple[Array, Integers]:
        """`number` fresh points: places (n, 2) and labels (n,), class after class but for the flipped labels.

        How many are of each class is chance, and which labels are flipped, too.  The same `seed` gives the same points.
        """
        X, y, random = self._draw(number, seed)
        if self.flipped:
            others = (y + random.integers(1, self.n_classes, number)) % self.n_classes
            y = np.where(random.uniform(0.0, 1.0, number) < self.flipped, others, y)
        return X, y

    def _draw(self, number: int, seed: int | tuple[int, ...]) -> tuple[Array, Integers, np.random.Generator]:
        """Without flipped labels; and what to draw those with."""
        random = np.random.default_rng(seed)
        counts = random.multinomial(number, np.full(self.n_classes, 1.0 / self.n_classes))
        y = np.repeat(np.arange(self.n_classes, dtype=np.int64), counts)
        if self.dataset.paths is not None:
            parts = [
                path.at(path.last * path.quantile(random.uniform(0.0, 1.0, count)))
                for path, count in zip(self.dataset.paths(self.n_classes), counts, strict=True)
            ]
            X = np.concatenate(parts)
            return X + self.noise * random.standard_normal(X.shape), y, random
        # Of a chessboard the fields take turns, of xor the quadrants: some of whole turns, by chance, are no more even
        # than chance is.
        turn = FIELDS * FIELDS // 2
        each = -(-int(counts.max(initial=1)) // turn) * turn
        X, _ = generate(self.name, each, self.noise, int(random.integers(2**31)), self.shift, self.n_classes)
        parts = []
        for c, count in enumerate(counts):
            parts.append(X[c * each + random.permutation(each)[:count]])
        return np.concatenate(parts), y, random


@lru_cache(maxsize=16)
def _shapes(law: Law) -> Shapes:
    shapes = law.dataset.shapes(law.noise, law.shift, law.n_classes)
    return tuple(each if isinstance(each, Curve) or law.noise == 0 else _floored(law, each) for each in shapes)


def _floored(law: Law, density: Density) -> Density:
    floor = FLOOR * min(0.25, 1.0 / (2.0 * math.pi * law.noise**2))

    def floored(X: Array) -> Array:
        values = density(X)
        return np.where(values > floor, values, 0.0)

    return floored


def cover_hart(bayes: float, n_classes: int) -> float:
    """Return the most that the error of 1-NN can be for infinitely many points, R (2 - M R / (M - 1)).

    Source: Cover, Hart, "Nearest neighbor pattern classification", IEEE Trans. Inf. Theory 13, 1967.

    Parameters
    ----------
    bayes : float
        The Bayes error R, from 0 to 1 - 1 / M.
    n_classes : int
        M, at least 2.

    Examples
    --------
    >>> cover_hart(0.25, n_classes=2)
    0.375
    >>> cover_hart(0.5, n_classes=2)
    0.5
    """
    return bayes * (2.0 - n_classes * bayes / (n_classes - 1))


def wilson(failures: float, thrown: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """The interval that holds the true share of failures in 95 of 100 such counts (Wilson 1927).

    Parameters
    ----------
    failures : float
        A draw decided by halves counts in parts.
    thrown : int
        At least one.
    z : float
        Of the normal distribution: 1.96 for 95 %.
    """
    share, more = failures / thrown, z * z / thrown
    middle = (share + 0.5 * more) / (1.0 + more)
    half = z / (1.0 + more) * math.sqrt(share * (1.0 - share) / thrown + 0.25 * more / thrown)
    low = 0.0 if failures == 0 else max(middle - half, 0.0)
    return low, 1.0 if failures == thrown else min(middle + half, 1.0)
