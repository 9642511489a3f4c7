"""Law: the distribution that a generator draws its points from, with its densities, Bayes classifier and Bayes error.

A generator draws the same number of points of each of K classes, so each class has the prior 1 / K.  Let p(x | c) be
the density of a class, the generator's noise included.  On average no classifier does better than the Bayes classifier,
which predicts the class with the largest p(x | c); its error is

    1 - E[max_c p(c | x)],     p(c | x) = p(x | c) / sum_d p(x | d)

(Devroye, Györfi, Lugosi: A Probabilistic Theory of Pattern Recognition, 1996, chapter 2).  The data sets of the
exercise also define a true class everywhere, whatever shift and noise do to the points.

With flipped labels, a share e of each class has the label of another class, each of the K - 1 equally often.  Priors
stay equal,

    p'(x | c) = (1 - e) p(x | c) + e / (K - 1) sum_{d != c} p(x | d),

and posteriors are mixed in the same way.  As long as e < 1 - 1 / K, the Bayes classifier is the same, and its error r
becomes r + (1 - r - r / (K - 1)) e: a classifier can learn in spite of flips, but cannot predict them.

Where a generator spreads points evenly (over half circles, quadrants, fields), `Law.draw` draws them at random with the
same shares.  Without noise, the points of moons, spirals and blobs lie on lines and single locations, which have no
density: then there is no ideal class anywhere, and the Bayes error is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from solver.core.arrays import Array, Integers
from solver.core.checks import check_number

from .datasets import MOST_FLIPPED, RULE, SQUARE, Dataset, Truth, dataset_of, generate
from .densities import Density, NoisyCurve, likeliest
from .shapes import FIELDS

#: Share of the largest possible density below which a density counts as 0, because quadrature has no correct digits.
FLOOR = 1e-9


@dataclass(frozen=True)
class Law:
    """The distribution of a generator's points.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    noise, shift, n_classes, flipped, rule, square
        As in `datasets.generate`.

    Raises
    ------
    ValueError
        If `name`, `flipped`, `rule` or `square` is invalid.

    Examples
    --------
    >>> import numpy as np
    >>> from solver.data.distribution import Law
    >>> law = Law("blobs", noise=0.5)
    >>> law.bayes(np.array([[0.9, 0.1], [-0.9, 0.1]])).tolist()
    [0, 1]
    """

    name: str
    noise: float = 0.0
    shift: float = 0.0
    n_classes: int = 2
    flipped: float = 0.0
    rule: str = RULE
    square: tuple[float, float] = SQUARE

    def __post_init__(self) -> None:
        dataset_of(self.name, self.rule, self.square)
        check_number("flipped", self.flipped, 0.0, MOST_FLIPPED)

    @property
    def unflipped(self) -> Law:
        """The same distribution without flipped labels, which has the same ideal classes and boundaries."""
        return replace(self, flipped=0.0) if self.flipped else self

    @property
    def dataset(self) -> Dataset:
        """Row of `DATASETS` with this name; that of an own rule with the rule."""
        return dataset_of(self.name, self.rule, self.square)

    @property
    def has_truth(self) -> bool:
        """Whether the data set defines a true class everywhere."""
        return self.dataset.truth is not None

    @property
    def truth(self) -> Truth:
        """The true classes; ValueError if the data set defines none."""
        truth = self.dataset.truth
        if truth is None:
            raise ValueError(f"The data set {self.name!r} has no true boundary, only an ideal one.")
        return truth

    @property
    def of_truth(self) -> Law:
        """The law with the same true classes, and no noise, shift or flipped labels."""
        return replace(self, noise=0.0, shift=0.0, flipped=0.0)

    @property
    def has_density(self) -> bool:
        """Whether the classes have densities; curves and single locations without noise have none."""
        return self.noise > 0 or not self.dataset.is_thin

    def log_density(self, X: Array) -> Array:
        """Return log p(x | c) at the points `X` (n, 2), shape (n, n_classes); -inf where a class has no points."""
        logs = self._log_density(X)
        if not self.flipped:
            return logs
        largest = logs.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):  # where no class has points
            mixed: Array = np.log(self._mixed(np.exp(logs - largest))) + largest
        return np.where(largest == -np.inf, -np.inf, mixed)

    def _mixed(self, shares: Array) -> Array:
        """Return the shares (n, n_classes) of labels that follow from the shares of classes."""
        other = self.flipped / (self.n_classes - 1)
        mixed: Array = (1.0 - self.flipped - other) * shares + other * shares.sum(axis=1, keepdims=True)
        return mixed

    def _log_density(self, X: Array) -> Array:
        """Return `log_density` as it is without flipped labels."""
        if not self.has_density:
            return np.full((len(X), self.n_classes), -np.inf)
        return np.column_stack([shape(X) for shape in _shapes(self.unflipped)])

    def _likeliest(self, X: Array) -> Array:
        """Return `_log_density`, but -inf for classes too unlikely beside another one to change a posterior."""
        shapes = _shapes(self.unflipped) if self.has_density else ()
        curves = [shape for shape in shapes if isinstance(shape, NoisyCurve)]
        return likeliest(curves, X) if curves else self._log_density(X)

    def posterior(self, X: Array) -> Array:
        """Return p(c | x) at the points `X` (n, 2), shape (n, n_classes); NaN where no class has points."""
        logs = self._likeliest(X)
        largest = logs.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):  # -inf - -inf
            likely = np.exp(logs - largest)
        result: Array = likely / likely.sum(axis=1, keepdims=True)
        return self._mixed(result) if self.flipped else result

    def bayes(self, X: Array) -> Integers:
        """Return the ideal (Bayes) class at the points `X` (n, 2), shape (n,); -1 where no class has points."""
        logs = self._likeliest(X)
        best: Integers = logs.argmax(axis=1)
        best[logs.max(axis=1) == -np.inf] = -1
        return best

    def risk(self, X: Array) -> Array:
        """Return the error of the ideal class at the points `X` (n, 2), shape (n,); 0 where no class has points."""
        return self.risks(X)[0]

    def risks(self, X: Array) -> tuple[Array, Array]:
        """Return the errors, at the points `X` (n, 2), of the ideal class and of 1-NN with infinitely many points.

        The nearest of infinitely many points lies at the point itself, with a label drawn independently from the same
        distribution: the two labels differ with probability 1 - sum_c p(c | x)^2.  Both errors are 0 where no class has
        points.
        """
        posterior = self.posterior(X)
        nowhere = np.isnan(posterior).any(axis=1)
        ideal, nearest = 1.0 - posterior.max(axis=1), 1.0 - (posterior * posterior).sum(axis=1)
        return np.where(nowhere, 0.0, ideal), np.where(nowhere, 0.0, nearest)

    def draw(self, number: int, seed: int | tuple[int, ...]) -> tuple[Array, Integers]:
        """Return `number` new points: their coordinates (n, 2) and labels (n,), in order of the class before flipping.

        The number of points of each class and the flipped labels are random.  The same `seed` gives the same points.
        """
        random = np.random.default_rng(seed)
        counts = random.multinomial(number, np.full(self.n_classes, 1.0 / self.n_classes))
        y = np.repeat(np.arange(self.n_classes, dtype=np.int64), counts)
        if self.dataset.paths is not None:
            parts = [
                path.at(path.last * path.quantile(random.uniform(0.0, 1.0, count)))
                for path, count in zip(self.dataset.paths(self.n_classes), counts, strict=True)
            ]
            X = np.concatenate(parts)
            X += self.noise * random.standard_normal(X.shape)
        else:
            # The generator fills the fields of the chessboard and the quadrants of xor in turn.  A random selection
            # from whole turns is no more even than independent points.
            turn = FIELDS * FIELDS // 2
            each = -(-int(counts.max(initial=1)) // turn) * turn
            seed, own = int(random.integers(2**31)), (self.rule, self.square)
            even, _ = generate(self.name, each, self.noise, seed, self.shift, self.n_classes, 0.0, *own)
            X = np.concatenate([even[c * each + random.permutation(each)[:n]] for c, n in enumerate(counts)])
        if self.flipped:
            others = (y + random.integers(1, self.n_classes, number)) % self.n_classes
            y = np.where(random.uniform(0.0, 1.0, number) < self.flipped, others, y)
        return X, y


@lru_cache(maxsize=16)
def _shapes(law: Law) -> tuple[Density, ...]:
    """Return the logarithm of the density of each class, as a function of points."""
    floor = FLOOR * min(0.25, 1.0 / (2.0 * math.pi * law.noise**2)) if law.noise else 0.0
    shapes = law.dataset.shapes(law.noise, law.shift, law.n_classes)
    return tuple(each if isinstance(each, NoisyCurve) else _logarithm(each, floor) for each in shapes)


def _logarithm(density: Density, floor: float) -> Density:
    """Return the function that computes the logarithm of `density`; -inf where that is not above `floor`."""

    def log_density(X: Array) -> Array:
        values = density(X)
        with np.errstate(divide="ignore"):
            return np.log(np.where(values > floor, values, 0.0))

    return log_density


def cover_hart(bayes: float, n_classes: int) -> float:
    """Return the upper bound of the error of 1-NN with infinitely many points, R (2 - M R / (M - 1)).

    Parameters
    ----------
    bayes : float
        The Bayes error R, from 0 to 1 - 1 / M.
    n_classes : int
        M, at least 2.

    References
    ----------
    Cover, Hart, "Nearest neighbor pattern classification", IEEE Trans. Inf. Theory 13, 1967.

    Examples
    --------
    >>> cover_hart(0.25, n_classes=2)
    0.375
    >>> cover_hart(0.5, n_classes=2)
    0.5
    """
    return bayes * (2.0 - n_classes * bayes / (n_classes - 1))


def wilson(failures: float, thrown: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return Wilson's confidence interval for the probability of a failure, from the failures among `thrown` points.

    Parameters
    ----------
    failures : float
        Number of failures; a tie counts as a fraction.
    thrown : int
        Number of points, at least 1.
    z : float
        Quantile of the normal distribution: 1.96 for an interval that holds the true probability in 95 % of cases.

    Returns
    -------
    tuple of float
        Lower and upper end.

    References
    ----------
    Wilson, "Probable inference, the law of succession, and statistical inference", J. Am. Stat. Assoc. 22, 1927.

    Examples
    --------
    >>> low, high = wilson(5, 100)
    >>> round(low, 3), round(high, 3)
    (0.022, 0.112)
    """
    share, more = failures / thrown, z * z / thrown
    middle = (share + 0.5 * more) / (1.0 + more)
    half = z / (1.0 + more) * math.sqrt(share * (1.0 - share) / thrown + 0.25 * more / thrown)
    low = 0.0 if failures == 0 else max(middle - half, 0.0)
    return low, 1.0 if failures == thrown else min(middle + half, 1.0)
