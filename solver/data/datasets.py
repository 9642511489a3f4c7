"""Seeded generators of two-dimensional training sets, and the table of all that is known of each.

A new set is one row of `DATASETS`, with the functions it names: the generator, and what it draws from in `shapes`.

All generators return ``(X, y)``: `X` (n, 2) float64, rounded to six decimals so that one seed gives the same
points on every machine, and `y` (n,) int64 with labels 0, 1, ...; `count` points per class, class 0 first.

Source of line, circle and wrong: the classic exercise on the square [-1, 1]^2, in which k nearest neighbours
learn a straight and a round boundary from classes that touch, overlap (shift < 0) or leave a gap (shift > 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from solver.core.arrays import Array, Integers, Mask
from solver.core.checks import check_choice, check_integer, check_number

from . import shapes
from .shapes import FIELDS, Path, Shapes, polar

Points = tuple[Array, Integers]

LARGEST_COUNT = 1_000_000
LARGEST_NOISE = 1000.0
#: The largest share of flipped labels: at one half, two classes cannot be told apart any more.
MOST_FLIPPED = 0.5


@dataclass(frozen=True)
class Truth:
    """The true classes of an exercise, whatever the shift."""

    classes: Callable[[Array], Integers]
    """The true class of points (n, 2)."""
    equation: str
    lines: Callable[[float, float, float, float], Array]
    """The boundary within left, right, bottom and top: polylines joined with NaN rows, shape (m, 2)."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One row of `DATASETS`."""

    title: str
    sentence: str
    """What the set teaches."""
    function: Callable[..., Points]
    """Takes count, noise, seed and, where they apply, shift and n_classes."""
    shapes: Callable[[float, float, int], Shapes]
    """For each class what it is drawn from, at this noise, shift and number of classes."""
    count: int = 50
    """Default points per class."""
    noise: float = 0.0
    """Default standard deviation of the Gaussian added to both coordinates."""
    shift_range: tuple[float, float] | None = None
    """Lowest allowed shift and the first that is too large; None if shift means nothing here."""
    n_classes: tuple[int, int] = (2, 2)
    """Fewest and most classes."""
    truth: Truth | None = None
    """Where the exercise defines a true class."""
    paths: Callable[[int], tuple[Path, ...]] | None = None
    """The curves of that many classes, if the points lie on curves."""
    is_thin: bool = False
    """Without noise the points lie on curves or single places, which have no density."""

    @property
    def has_shift(self) -> bool:
        """Whether the generator takes a shift."""
        return self.shift_range is not None


def line(count: int, noise: float = 0.0, seed: int = 0, shift: float = 0.0) -> Points:
    """Two triangles of even density: class 0 above the line y = x, class 1 below.

    Class 0 has x with density proportional to 1 - x, then y uniform in [x + shift, 1]; class 1 is its mirror
    image, y in [-1, x - shift].  Without noise all points lie in the square: x is drawn where the shift
    leaves room, and y is cut at the edge.

    Parameters
    ----------
    count : int
        Points per class, 1 to 1000000.
    noise : float, default=0
        Standard deviation of the Gaussian added to both coordinates, up to 1000.
    seed : int, default=0
        Not negative.
    shift : float, default=0
        Distance in y that each class keeps from the line, in [-2, 2); below 0 the classes overlap.

    Raises
    ------
    ValueError
        A bad parameter, in one sentence.
    """
    random, shift = _start(count, noise, seed), _check_shift("line", shift)
    below = max(0.5 * shift, 0.0) ** 2  # the u that 1 - 2 sqrt(u) <= 1 - shift leaves out
    parts = []
    for _ in range(2):
        x = 1.0 - 2.0 * np.sqrt(random.uniform(below, 1.0, count))
        parts.append(_above(x, shift, random))
    return _finish([parts[0], -parts[1]], noise, random)


def wrong(count: int, noise: float = 0.0, seed: int = 0, shift: float = 0.0) -> Points:
    """Like `line` but drawn carelessly: x uniform, so the narrow corners are overcrowded.

    Then y is uniform between the line and the edge.  A separable problem is learned badly from such a sample.
    Parameters and errors as in `line`.
    """
    random, shift = _start(count, noise, seed), _check_shift("wrong", shift)
    parts = []
    for _ in range(2):
        x = random.uniform(-1.0, 1.0 - max(shift, 0.0), count)
        parts.append(_above(x, shift, random))
    return _finish([parts[0], -parts[1]], noise, random)


def circle(count: int, noise: float = 0.0, seed: int = 0, shift: float = 0.0) -> Points:
    """A disc (class 0, r^2 < 0.5) in a ring (class 1, up to r^2 = 1), both of even density.

    r^2 is uniform in [0, 0.5 - shift] and in [0.5 + shift, 1].  `shift` is in [-0.5, 0.5), the rest as in
    `line`.
    """
    random, shift = _start(count, noise, seed), _check_shift("circle", shift)
    parts = []
    for low, high in ((0.0, 0.5 - shift), (0.5 + shift, 1.0)):
        radius = np.sqrt(random.uniform(low, high, count))
        parts.append(polar(radius, random.uniform(0.0, 2.0 * math.pi, count)))
    return _finish(parts, noise, random)


def moons(count: int, noise: float = 0.1, seed: int = 0) -> Points:
    """Two interleaved half circles of radius 1, as scikit-learn's ``make_moons`` places them.

    Parameters and errors as in `line`, without shift.
    """
    random = _start(count, noise, seed)
    return _finish([path.at(np.linspace(0.0, path.last, count)) for path in shapes.half_circles(2)], noise, random)


def blobs(count: int, noise: float = 0.25, seed: int = 0, n_classes: int = 3) -> Points:
    """One Gaussian cloud per class, the centres evenly on the unit circle; `noise` is its standard deviation.

    `n_classes` from 2 to 8; the rest as in `line`, without shift.
    """
    random = _start(count, noise, seed)
    n_classes = _check_classes("blobs", n_classes)
    angles = 2.0 * math.pi * np.arange(n_classes) / n_classes
    parts = [polar(np.ones(count), np.full(count, angle)) for angle in angles]
    return _finish(parts, noise, random)


def xor(count: int, noise: float = 0.0, seed: int = 0, shift: float = 0.0) -> Points:
    """Four quadrants of the square: class 0 where the signs of x and y agree, class 1 where they differ.

    |x| and |y| are uniform in [shift, 1].  `shift` in [-1, 1); the rest as in `line`.
    """
    random, shift = _start(count, noise, seed), _check_shift("xor", shift)
    side = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)  # the two quadrants of a class get half each
    parts = []
    for other in (1.0, -1.0):
        size = random.uniform(shift, 1.0, (count, 2))
        parts.append(size * np.column_stack([side, other * side]))
    return _finish(parts, noise, random)


def spirals(count: int, noise: float = 0.03, seed: int = 0, n_classes: int = 2) -> Points:
    """One arm per class, winding once and a half around the centre from radius 0.1 to 1.

    `n_classes` from 2 to 8; the rest as in `line`, without shift.
    """
    random = _start(count, noise, seed)
    n_classes = _check_classes("spirals", n_classes)
    parts = [path.at(path.quantile(random.uniform(0.0, 1.0, count))) for path in shapes.arms(n_classes)]
    return _finish(parts, noise, random)


def chessboard(count: int, noise: float = 0.0, seed: int = 0, shift: float = 0.0) -> Points:
    """The 4 x 4 fields of a chessboard on [-1, 1]^2, of alternating class; class 0 has the lower left corner.

    `shift` in [-0.5, 0.5) is the gap between neighbouring fields, which overlap if it is below 0, but not
    beyond the edge of the board; the rest as in `line`.
    """
    random, shift = _start(count, noise, seed), _check_shift("chessboard", shift)
    width = 2.0 / FIELDS
    parts = []
    for c in range(2):
        turn = np.arange(count) % (FIELDS * FIELDS // 2)  # the fields of a class take turns
        row = turn // (FIELDS // 2)
        column = 2 * (turn % (FIELDS // 2)) + (row + c) % 2
        corner = np.column_stack([column, row]) * width - 1.0
        low = np.maximum(corner + 0.5 * shift, -1.0)
        parts.append(random.uniform(low, np.minimum(corner + width - 0.5 * shift, 1.0)))
    return _finish(parts, noise, random)


def chessboard_classes(X: Array) -> Integers:
    """Class of points (n, 2) in `chessboard`: that of the field, beyond the board that of the nearest one."""
    field = np.clip(np.floor((X + 1.0) * (FIELDS / 2.0)), 0, FIELDS - 1).astype(np.int64)
    label: Integers = field.sum(axis=1) % 2
    return label


def _first_where(is_first: Callable[[Array], Mask]) -> Callable[[Array], Integers]:
    """Class 0 there, else 1."""
    return lambda X: np.where(is_first(X), 0, 1).astype(np.int64)


_LINE = Truth(_first_where(lambda X: X[:, 1] > X[:, 0]), "y = x", shapes.diagonal)

DATASETS: Mapping[str, Dataset] = MappingProxyType(
    {
        "line": Dataset(
            title="Line",
            sentence="A straight boundary: even here the number of points decides how well it is learned.",
            function=line,
            shift_range=(-2.0, 2.0),
            truth=_LINE,
            shapes=shapes.triangles,
        ),
        "circle": Dataset(
            title="Circle",
            sentence="A round boundary that no straight line can follow, but a kernel or the neighbours can.",
            function=circle,
            shift_range=(-0.5, 0.5),
            truth=Truth(_first_where(lambda X: (X * X).sum(axis=1) < 0.5), "x² + y² = ½", shapes.arc),
            shapes=shapes.rings,
        ),
        "wrong": Dataset(
            title="Biased sample",
            sentence="A straight boundary sampled unevenly: crowded corners mislead.",
            function=wrong,
            shift_range=(-2.0, 2.0),
            truth=_LINE,
            shapes=shapes.crowded_triangles,
        ),
        "moons": Dataset(
            title="Moons",
            sentence="Two interleaved half circles: nearly separable, but only by a curved boundary.",
            function=moons,
            noise=0.1,
            paths=shapes.half_circles,
            shapes=shapes.along(shapes.half_circles),
            is_thin=True,
        ),
        "blobs": Dataset(
            title="Blobs",
            sentence="One cloud per class: where clouds overlap, no classifier can be always right.",
            function=blobs,
            noise=0.25,
            n_classes=(2, 8),
            shapes=shapes.places,
            is_thin=True,
        ),
        "xor": Dataset(
            title="XOR",
            sentence="Neither coordinate alone says anything about the class; only both together do.",
            function=xor,
            shift_range=(-1.0, 1.0),
            truth=Truth(_first_where(lambda X: X[:, 0] * X[:, 1] > 0), "x = 0 and y = 0", shapes.axes),
            shapes=shapes.quadrants,
        ),
        "spirals": Dataset(
            title="Spirals",
            sentence="Winding arms: local rules follow them easily, smooth global ones hardly.",
            function=spirals,
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
            function=chessboard,
            count=200,
            shift_range=(-0.5, 0.5),
            truth=Truth(chessboard_classes, "the edges of the fields", shapes.board),
            shapes=shapes.fields,
        ),
    }
)


def generate(
    name: str, count: int, noise: float, seed: int, shift: float = 0.0, n_classes: int = 2, flipped: float = 0.0
) -> Points:
    """The data set `name` of `DATASETS`, with `count` points per class.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    count, noise, seed
        As in `line`.
    shift : float, default=0
        Must be 0 where the set has none.
    n_classes : int, default=2
        Must be within the range of the set.
    flipped : float, default=0
        Share of each class, up to 0.5, that gets the label of another class, each of them as likely.  The points stay
        where they are without; the same seed flips the same ones, and a larger share flips those of a smaller, too.

    Returns
    -------
    X : ndarray of shape (count * n_classes, 2)
    y : ndarray of shape (count * n_classes,)

    Raises
    ------
    ValueError
        A bad parameter, in one sentence.
    """
    dataset = DATASETS[check_choice("name", name, DATASETS)]
    shift, n_classes = _check_shift(name, shift), _check_classes(name, n_classes)
    options: dict[str, float] = {}
    if dataset.has_shift:
        options["shift"] = shift
    if dataset.n_classes != (2, 2):
        options["n_classes"] = n_classes
    check_number("flipped", flipped, 0.0, MOST_FLIPPED)
    X, y = dataset.function(count, noise, seed, **options)
    return (X, _flip(y, count, flipped, seed)) if flipped > 0.0 else (X, y)


def _flip(y: Integers, count: int, share: float, seed: int) -> Integers:
    """`y`, `count` of each class, with labels of other classes for this share of each."""
    # A stream of its own: the places of the points do not depend on the share.
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, _FLIPS])))
    n_classes = len(y) // count
    flipped = y.copy()
    for c in range(n_classes):
        order = c * count + random.permutation(count)
        others = (c + random.integers(1, n_classes, count)) % n_classes
        some = round(share * count)
        flipped[order[:some]] = others[:some]
    return flipped


#: What tells the stream of the flips from any other of the same seed.
_FLIPS = 13


def _start(count: int, noise: float, seed: int) -> np.random.Generator:
    check_integer("count", count, 1, LARGEST_COUNT)
    check_number("noise", noise, 0.0, LARGEST_NOISE)
    return np.random.Generator(np.random.PCG64(check_integer("seed", seed, 0)))


def _check_shift(name: str, shift: float) -> float:
    allowed = DATASETS[name].shift_range
    if allowed is not None:
        return check_number("shift", shift, *allowed, open_high=True)  # at the upper end no room is left
    if check_number("shift", shift, -np.inf) != 0.0:
        raise ValueError(f"shift is {shift!r}; the data set {name!r} has no shift, so it must be 0.")
    return 0.0


def _check_classes(name: str, n_classes: int) -> int:
    fewest, most = DATASETS[name].n_classes
    if fewest == most and n_classes != most:
        raise ValueError(f"n_classes is {n_classes!r}; the data set {name!r} has {most} classes.")
    return check_integer("n_classes", n_classes, fewest, most)


def _above(x: Array, shift: float, random: np.random.Generator) -> Array:
    """Points over the line: y uniform between x + shift, cut at the lower edge, and 1."""
    return np.column_stack([x, random.uniform(np.maximum(x + shift, -1.0), 1.0)])


def _finish(parts: list[Array], noise: float, random: np.random.Generator) -> Points:
    """Stack the classes, add the noise, round; -0.0 becomes 0.0."""
    X = np.concatenate(parts)
    if noise > 0.0:
        X = X + noise * random.standard_normal(X.shape)
    return np.round(X, 6) + 0.0, np.repeat(np.arange(len(parts), dtype=np.int64), len(parts[0]))
