"""Seeded generators of two-dimensional training sets, and a table of their properties.

A new data set is one row of `DATASETS`, with the functions it names: the generator, and its densities in `shapes`.

`generate` returns ``(X, y)``: `X` (n, 2) float64, rounded to six decimals so that one seed gives the same points on
every machine, and `y` (n,) int64 with labels 0, 1, ...; `count` points per class, class 0 first.

The sets line, circle and wrong are those of a classic exercise on the square [-1, 1]^2, in which k nearest neighbours
learn a straight and a round boundary from classes that touch, overlap (shift < 0) or leave a gap (shift > 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from solver.core.arrays import Array, Integers, Mask
from solver.core.checks import check_choice, check_integer, check_number
from solver.kernels.surface import Grid

from . import shapes
from .rules import OwnRule
from .shapes import FIELDS, ClassCurve, Shapes, polar

Points = tuple[Array, Integers]

LARGEST_COUNT = 1_000_000
LARGEST_NOISE = 1000.0
#: Largest share of flipped labels: at one half, two classes cannot be distinguished any more.
MOST_FLIPPED = 0.5
#: The rule that the data set of an own rule begins with, and its square: the ends of x and y.
RULE, SQUARE = "y > sin(3*x)", (-1.0, 1.0)


@dataclass(frozen=True)
class Truth:
    """The true classes of an exercise, which do not depend on the shift."""

    classes: Callable[[Array], Integers]
    """Returns the true class of points (n, 2)."""
    equation: str
    lines: Callable[[float, float, float, float], Array] | None
    """Returns the boundary within left, right, bottom and top: polylines separated by NaN rows, shape (m, 2)."""
    lines_on: Callable[[Grid], Array] | None = None
    """Returns the boundary between the samples of a grid, where `lines` is None."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One row of `DATASETS`."""

    title: str
    sentence: str
    """What the data set teaches."""
    draw: Callable[[np.random.Generator, int, float, int], list[Array]]
    """Returns the points of each class without noise, from a generator, count, shift and number of classes."""
    shapes: Callable[[float, float, int], Shapes]
    """Returns the distribution of each class, from noise, shift and number of classes."""
    count: int = 50
    """Default number of points per class."""
    noise: float = 0.0
    """Default standard deviation of the Gaussian noise added to both coordinates."""
    shift_range: tuple[float, float] | None = None
    """Smallest allowed shift, and the smallest one that is too large; None if the data set has no shift."""
    n_classes: tuple[int, int] = (2, 2)
    """Smallest and largest number of classes."""
    truth: Truth | None = None
    """The true classes, if the exercise defines them."""
    paths: Callable[[int], tuple[ClassCurve, ...]] | None = None
    """Returns the curves of a number of classes, if the points lie on curves."""
    is_thin: bool = False
    """Whether points without noise lie on curves or single locations, which have no density."""
    rule: OwnRule | None = None
    """The rule that defines the true classes, if it is the user's own."""

    @property
    def has_shift(self) -> bool:
        """Whether the generator takes a shift."""
        return self.shift_range is not None


def _line(random: np.random.Generator, count: int, shift: float, n_classes: int) -> list[Array]:
    """Draw from two triangles of even density: class 0 above the line y = x, class 1 below.

    Class 0 has x with density proportional to 1 - x, then y uniform in [x + shift, 1]; class 1 is its mirror
    image, y in [-1, x - shift].  Without noise, all points lie in the square: x is drawn where the shift
    leaves space, and y is clipped at the edge.
    """
    below = max(0.5 * shift, 0.0) ** 2  # the u that 1 - 2 sqrt(u) <= 1 - shift leaves out
    above, other = (_above(1.0 - 2.0 * np.sqrt(random.uniform(below, 1.0, count)), shift, random) for _ in range(2))
    return [above, -other]


def _wrong(random: np.random.Generator, count: int, shift: float, n_classes: int) -> list[Array]:
    """Draw from the triangles of `_line`, but with x uniform, so that the narrow corners hold too many points.

    y is uniform between the line and the edge.  A separable problem is learned badly from such a sample.
    """
    last = 1.0 - max(shift, 0.0)
    above, other = (_above(random.uniform(-1.0, last, count), shift, random) for _ in range(2))
    return [above, -other]


def _circle(random: np.random.Generator, count: int, shift: float, n_classes: int) -> list[Array]:
    """Draw from a disc (class 0, r^2 < 0.5) in a ring (class 1, up to r^2 = 1), both of even density.

    r^2 is uniform in [0, 0.5 - shift] and in [0.5 + shift, 1].
    """
    return [
        polar(np.sqrt(random.uniform(low, high, count)), random.uniform(0.0, 2.0 * math.pi, count))
        for low, high in ((0.0, 0.5 - shift), (0.5 + shift, 1.0))
    ]


def _moons(random: np.random.Generator, count: int, shift: float, n_classes: int) -> list[Array]:
    """Return points on two interleaved half circles of radius 1, placed as by scikit-learn's ``make_moons``."""
    return [path.at(np.linspace(0.0, path.last, count)) for path in shapes.half_circles(2)]


def _blobs(random: np.random.Generator, count: int, shift: float, n_classes: int) -> list[Array]:
    """Return the centres, evenly on the unit circle, of one Gaussian cloud per class, which the noise makes."""
    angles = 2.0 * math.pi * np.arange(n_classes) / n_classes
    return [polar(np.ones(count), np.full(count, angle)) for angle in angles]


def _xor(random: np.random.Generator, count: int, shift: float, n_classes: int) -> list[Array]:
    """Draw from four quadrants of the square: class 0 where the signs of x and y agree, class 1 where they differ.

    |x| and |y| are uniform in [shift, 1].
    """
    side = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)  # the two quadrants of a class get half each
    signs = [np.column_stack([side, other * side]) for other in (1.0, -1.0)]
    return [random.uniform(shift, 1.0, (count, 2)) * sign for sign in signs]


def _spirals(random: np.random.Generator, count: int, shift: float, n_classes: int) -> list[Array]:
    """Draw from one spiral arm per class, which winds one and a half times around the centre, radius 0.1 to 1."""
    return [path.at(path.quantile(random.uniform(0.0, 1.0, count))) for path in shapes.arms(n_classes)]


def _chessboard(random: np.random.Generator, count: int, shift: float, n_classes: int) -> list[Array]:
    """Draw from the 4 x 4 fields of a chessboard on [-1, 1]^2, of alternating class; class 0 has the lower left corner.

    The shift is the gap between neighbouring fields.  If it is below 0, they overlap, but not beyond the edge.
    """
    width, parts = 2.0 / FIELDS, []
    turn = np.arange(count) % (FIELDS * FIELDS // 2)  # the fields of a class take turns
    row = turn // (FIELDS // 2)
    for c in range(2):
        column = 2 * (turn % (FIELDS // 2)) + (row + c) % 2
        corner = np.column_stack([column, row]) * width - 1.0
        low = np.maximum(corner + 0.5 * shift, -1.0)
        parts.append(random.uniform(low, np.minimum(corner + width - 0.5 * shift, 1.0)))
    return parts


def chessboard_classes(X: Array) -> Integers:
    """Return the class of points (n, 2) of `chessboard`: that of the field, or of the nearest field outside."""
    field = np.clip(np.floor((X + 1.0) * (FIELDS / 2.0)), 0, FIELDS - 1).astype(np.int64)
    label: Integers = field.sum(axis=1) % 2
    return label


def _first_where(is_first: Callable[[Array], Mask]) -> Callable[[Array], Integers]:
    """Return the function that returns class 0 where `is_first` is True, else class 1."""
    return lambda X: np.where(is_first(X), 0, 1).astype(np.int64)


def _ruled(rule: OwnRule) -> Dataset:
    """Return the data set of a rule."""
    return Dataset(
        title="Own rule",
        sentence="Class 1 where your rule holds, class 2 elsewhere, evenly on the square; with a shift s > 0 the rule"
        " is the same within s of each point, with s < 0 each class reaches |s| across the boundary.",
        draw=rule.draw,
        shift_range=(-1.0, 1.0),
        truth=Truth(_first_where(rule.holds), f"where the rule {rule.text} begins to hold", None, rule.boundary),
        shapes=rule.densities,
        rule=rule,
    )


_LINE = Truth(_first_where(lambda X: X[:, 1] > X[:, 0]), "y = x", shapes.diagonal)

DATASETS: Mapping[str, Dataset] = MappingProxyType(
    {
        "line": Dataset(
            title="Line",
            sentence="A straight boundary: even here the number of points decides how well it is learned.",
            draw=_line,
            shift_range=(-2.0, 2.0),
            truth=_LINE,
            shapes=shapes.triangles,
        ),
        "circle": Dataset(
            title="Circle",
            sentence="A round boundary that no straight line can follow, but a kernel or the neighbours can.",
            draw=_circle,
            shift_range=(-0.5, 0.5),
            truth=Truth(_first_where(lambda X: (X * X).sum(axis=1) < 0.5), "x² + y² = ½", shapes.arc),
            shapes=shapes.rings,
        ),
        "wrong": Dataset(
            title="Biased sample",
            sentence="A straight boundary sampled unevenly: crowded corners mislead.",
            draw=_wrong,
            shift_range=(-2.0, 2.0),
            truth=_LINE,
            shapes=shapes.crowded_triangles,
        ),
        "moons": Dataset(
            title="Moons",
            sentence="Two interleaved half circles: nearly separable, but only by a curved boundary.",
            draw=_moons,
            noise=0.1,
            paths=shapes.half_circles,
            shapes=shapes.along(shapes.half_circles),
            is_thin=True,
        ),
        "blobs": Dataset(
            title="Blobs",
            sentence="One cloud per class: where clouds overlap, no classifier can be always right.",
            draw=_blobs,
            noise=0.25,
            n_classes=(2, 8),
            shapes=shapes.single_locations,
            is_thin=True,
        ),
        "xor": Dataset(
            title="XOR",
            sentence="Neither coordinate alone says anything about the class; only both together do.",
            draw=_xor,
            shift_range=(-1.0, 1.0),
            truth=Truth(_first_where(lambda X: X[:, 0] * X[:, 1] > 0), "x = 0 and y = 0", shapes.axes),
            shapes=shapes.quadrants,
        ),
        "spirals": Dataset(
            title="Spirals",
            sentence="Winding arms: local rules follow them easily, smooth global ones hardly.",
            draw=_spirals,
            count=100,
            noise=0.03,
            n_classes=(2, 8),
            paths=shapes.arms,
            shapes=shapes.along(shapes.arms),
            is_thin=True,
        ),
        "chessboard": Dataset(
            title="Chessboard",
            sentence="Many small fields: the boundary is long, so many points are needed to learn it.",
            draw=_chessboard,
            count=200,
            shift_range=(-0.5, 0.5),
            truth=Truth(chessboard_classes, "the edges of the fields", shapes.board),
            shapes=shapes.fields,
        ),
        "rule": _ruled(OwnRule(RULE, *SQUARE)),
    }
)


@lru_cache(maxsize=32)
def dataset_of(name: str, rule: str = RULE, square: tuple[float, float] = SQUARE) -> Dataset:
    """Return the row `name` of `DATASETS`; "rule" with this rule on this square.

    Raises
    ------
    ValueError
        If there is no such data set or square, or the rule cannot be read; one sentence.
    """
    dataset = DATASETS[check_choice("name", name, DATASETS)]
    return dataset if dataset.rule is None else _ruled(OwnRule(rule, *square))


def generate(
    name: str,
    count: int,
    noise: float,
    seed: int,
    shift: float = 0.0,
    n_classes: int = 2,
    flipped: float = 0.0,
    rule: str = RULE,
    square: tuple[float, float] = SQUARE,
) -> Points:
    """Return the data set `name` of `DATASETS`, with `count` points per class.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    count : int
        Points per class, 1 to 1000000.
    noise : float
        Standard deviation of the Gaussian added to both coordinates, up to 1000.
    seed : int
        Not negative.
    shift : float, default=0
        Distance that each class keeps from the boundary, within the range of the set; below 0 the classes overlap.
        Must be 0 where the set has none.
    n_classes : int, default=2
        Must be within the range of the set.
    flipped : float, default=0
        Share of each class, up to 0.5, that gets the label of another class, each equally likely.  The coordinates do
        not depend on it.  For one seed, a larger share flips the points of a smaller share and others.
    rule : str, default="y > sin(3*x)"
        Where it holds is class 0 of the data set "rule", see `rules`; the other data sets ignore it.
    square : tuple of float, default=(-1, 1)
        Smallest and largest x and y of the data set "rule", before noise.

    Returns
    -------
    X : ndarray of shape (count * n_classes, 2)
        Coordinates.
    y : ndarray of shape (count * n_classes,)
        Labels 0, 1, ...

    Raises
    ------
    ValueError
        If a parameter is invalid.

    Examples
    --------
    >>> from solver.data.datasets import generate
    >>> X, y = generate("moons", count=50, noise=0.1, seed=0)
    >>> X.shape, y.tolist() == [0] * 50 + [1] * 50
    ((100, 2), True)
    """
    dataset = dataset_of(name, rule, square)
    shift, n_classes = _check_shift(name, shift), _check_classes(name, n_classes)
    check_number("flipped", flipped, 0.0, MOST_FLIPPED)
    check_integer("count", count, 1, LARGEST_COUNT)
    check_number("noise", noise, 0.0, LARGEST_NOISE)
    random = np.random.Generator(np.random.PCG64(check_integer("seed", seed, 0)))
    X = np.concatenate(dataset.draw(random, count, shift, n_classes))
    if noise > 0.0:
        X = X + noise * random.standard_normal(X.shape)
    y = np.repeat(np.arange(n_classes, dtype=np.int64), count)
    return np.round(X, 6) + 0.0, _flip(y, count, flipped, seed) if flipped > 0.0 else y  # -0.0 becomes 0.0


def _flip(y: Integers, count: int, share: float, seed: int) -> Integers:
    """Return `y`, `count` labels of each class, with this share of each class relabelled."""
    # Random numbers of their own, so that the coordinates of the points do not depend on the share.
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, _FLIPS])))
    n_classes = len(y) // count
    flipped = y.copy()
    for c in range(n_classes):
        order = c * count + random.permutation(count)
        others = (c + random.integers(1, n_classes, count)) % n_classes
        some = round(share * count)
        flipped[order[:some]] = others[:some]
    return flipped


#: Makes the random numbers of the flips different from others of the same seed.
_FLIPS = 13


def _check_shift(name: str, shift: float) -> float:
    allowed = DATASETS[name].shift_range
    if allowed is not None:
        return check_number("shift", shift, *allowed, open_high=True)  # at the upper end no space is left
    if check_number("shift", shift, -np.inf) != 0.0:
        raise ValueError(f"shift is {shift!r}; the data set {name!r} has no shift, so it must be 0.")
    return 0.0


def _check_classes(name: str, n_classes: int) -> int:
    fewest, most = DATASETS[name].n_classes
    if fewest == most and n_classes != most:
        raise ValueError(f"n_classes is {n_classes!r}; the data set {name!r} has {most} classes.")
    return check_integer("n_classes", n_classes, fewest, most)


def _above(x: Array, shift: float, random: np.random.Generator) -> Array:
    """Return points above the line: y uniform between x + shift, clipped at the lower edge, and 1."""
    return np.column_stack([x, random.uniform(np.maximum(x + shift, -1.0), 1.0)])
