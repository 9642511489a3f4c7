"""Surface values: predictions of a model at each pixel: class, certainty, and the f of the margins; and its lines.

A `Source` evaluates one or two models in blocks of rows; `painted` turns them into a picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from functools import partial

import numpy as np
from msgspec import Struct

from app.learners.model import Model, RemoteModel, SharesModel, remote
from app.state.document import Lane
from solver import REST, Grid, Pair, RunningExpansion
from solver.core.arrays import Array, Mask
from solver.core.binary_reduction import PairClassifier
from solver.kernels.lines import level_lines, region_lines
from solver.kernels.pixels import (
    SHARE,
    TIED,
    Pixels,
    Ramp,
    Regions,
    colour,
    of_one_vs_one,
    of_one_vs_rest,
    of_probabilities,
    of_shares,
    of_two_classes,
)
from solver.knn.running_votes import RunningVotes

from .frames import Picture, Sides
from .pacing import Pace, Step
from .probability import LEVELS, Probability
from .shading import FULL_VALUE, Shades, colours_of

#: Most ends of line segments in a picture: more lines would hide the colours.
MOST_VERTICES = 30_000
#: Certainty displayed for a learner whose f gives the class, but no certainty.
UNKNOWN = 0.6
#: Pixels in one request to another process, which can start a new training between two requests.
BAND = 25_000
#: Certainty displayed where two models agree, and the width of the stripes where they differ (pixels).
AGREED, STRIPE = 0.1, 5


class Values(Struct, frozen=True):
    """A block of surface rows: its pixels, f of the problem with the margins, and the values of f at the margins."""

    pixels: Pixels
    f: Array | None = None
    margins: tuple[float, ...] = ()
    #: For a difference: the classes of the first and of the second model; `pixels` has stripes of both.
    two: tuple[Regions, Regions] | None = None
    #: Shares of the predicted classes, if `margins` are values of these and not of f.
    shares: Array | None = None
    #: The predicted classes, if the colours show the most probable ones instead.
    predicted: Pixels | None = None


class Source(Struct, frozen=True):
    """The models of a picture, as a function of the pixels.

    Attributes
    ----------
    on : callable
        Prepares the columns `xs`, and returns a function ``rows(ys) -> Values``.
    remote : tuple of RemoteModel
        The models that are in other processes.
    """

    on: Callable[[Array], Callable[[Array], Values]]
    remote: tuple[RemoteModel, ...] = ()


def vote_source(model: SharesModel, lane: Lane, running: RunningVotes | None = None) -> Source:
    """Return the source of a model of shares; certainty is the predicted class's share above an even one.

    The shares are the model's probabilities; their lines are drawn if the lane shows probabilities.  With `running`,
    for kNN on its grid only, the picture updates the one before it.
    """
    names = model.classes_.astype(np.int8)
    lines = share_levels(len(names)) if lane.shows_probability else ()

    def on(xs: Array) -> Callable[[Array], Values]:
        rows = (
            model.surface_classes_on(xs)
            if running is None or model.neighbours is None
            else model.neighbours.next_surface_classes(running)
        )

        def values(ys: Array) -> Values:
            top, share, tie = rows(ys)
            return Values(of_shares(top, share, tie, names), margins=lines, shares=share if lines else None)

        return values

    return Source(on, () if (there := remote(model)) is None else (there,))


def pair_source(model: PairClassifier, lane: Lane, running: RunningExpansion | None = None) -> Source:
    """Return the source of a model of binary problems; certainty is |f| relative to `FULL_VALUE`.

    The margins are those of the problem chosen in the lane.  A learner whose f has no unit, like the perceptron, has no
    margins and the certainty `UNKNOWN` everywhere.  With `running`, for its grid only, the picture updates the one
    before it.
    """
    pairs = model.pairs_
    names = model.classes_.astype(np.int8)
    shown = shown_pair(model, lane)
    noise = model.rounding  # bound on the rounding error of f
    margins = (-1.0, 1.0) if lane.trainer is None or lane.trainer.has_margins else ()
    ramp = Ramp(1.0 / FULL_VALUE) if margins else Ramp(0.0, UNKNOWN)

    def on(xs: Array) -> Callable[[Array], Values]:
        rows = model.pair_surface_on(xs) if running is None else model.expansion.next_rows(running)

        def values(ys: Array) -> Values:
            f = np.ascontiguousarray(np.moveaxis(rows(ys), 2, 0))
            if len(pairs) == 1:
                return Values(of_two_classes(f[0], noise, ramp, names), f[0], margins)
            return Values(of_problems(f, pairs, noise, ramp, names), f[shown], margins)

        return values

    return Source(on)


def share_levels(n_classes: int) -> tuple[float, ...]:
    """Return the shares of the predicted class at which lines are drawn; for two classes, the boundary is at 1/2."""
    return tuple(level for level in LEVELS if level > 1.0 / n_classes)


def of_problems(f: Array, pairs: list[Pair], noise: float, ramp: Ramp, names: Regions) -> Pixels:
    """Return the pixels of several classes from f of their binary problems, shape (n_pairs, height, width)."""
    if pairs[0].negative == REST:
        return of_one_vs_rest(f, noise, ramp, names)
    return of_one_vs_one(f, pairs, noise, ramp, names)


def probability_source(model: PairClassifier, probability: Probability) -> Source:
    """Return the source of a model of binary problems that shades the most probable class by its probability.

    The boundary remains that of the predictions; lines of probability replace the margins.
    """
    names, pairs = model.classes_.astype(np.int8), model.pairs_
    a, b = float(probability.A[0]), float(probability.B[0])
    lines = share_levels(len(names))

    def two_classes(rows: Callable[[Array], Array]) -> Callable[[Array], Values]:
        def values(ys: Array) -> Values:
            f = np.ascontiguousarray(rows(ys)[..., 0])
            z = a * f
            z += b
            top, tie = (z < 0.0).view(np.uint8), z == 0.0
            np.abs(z, out=z)
            np.negative(z, out=z)
            np.exp(z, out=z)
            z += 1.0
            share = np.divide(1.0, z, out=z)
            return Values(of_shares(top, share, tie, names), f, probability.levels)

        return values

    def several_classes(rows: Callable[[Array], Array]) -> Callable[[Array], Values]:
        def values(ys: Array) -> Values:
            f = np.ascontiguousarray(np.moveaxis(rows(ys), 2, 0))
            predicted = of_problems(f, pairs, model.rounding, SHARE, names)
            shares = np.moveaxis(probability.of(np.moveaxis(f, 0, 2)), 2, 0)
            pixels, best = of_probabilities(shares, names)
            return Values(pixels, None, lines, shares=best, predicted=predicted)

        return values

    def on(xs: Array) -> Callable[[Array], Values]:
        rows = model.pair_surface_on(xs)
        return two_classes(rows) if len(names) == 2 else several_classes(rows)

    return Source(on)


def shown_pair(model: PairClassifier, lane: Lane) -> int:
    """Return the index of the binary problem whose margins are drawn: the chosen one, else the first."""
    classes = model.classes_.tolist()
    return lane.drawn([problem_of(pair, classes) for pair in model.pairs_])


def problem_of(pair: Pair, classes: list[int]) -> tuple[int, int]:
    """Return the two class numbers of a binary problem, ascending; both equal for one class against the rest."""
    first = classes[pair.positive]
    second = first if pair.negative == REST else classes[pair.negative]
    return min(first, second), max(first, second)


def source_of(model: Model, lane: Lane) -> Source:
    """Return the source of one model, trained with the settings of `lane`."""
    return pair_source(model, lane) if model.kind == "f" else vote_source(model, lane)


def difference_source(sides: Sides) -> Source:
    """Return the source of a difference: pale where two models agree, stripes of both classes where they differ.

    A tie differs from every class.
    """
    sources = [source_of(side.model, side.lane) for side in sides]

    def on(xs: Array) -> Callable[[Array], Values]:
        first, second = (source.on(xs) for source in sources)
        pixel = (xs[-1] - xs[0]) / max(len(xs) - 1, 1) or 1.0

        def values(ys: Array) -> Values:
            two = first(ys).pixels.regions, second(ys).pixels.regions
            differ = two[0] != two[1]
            # Counted in pixels from the plane's origin, so that the stripes continue across blocks of rows.
            stripe = (np.rint(xs / pixel)[None, :] + np.rint(ys / pixel)[:, None]) % (2 * STRIPE) < STRIPE
            classes = np.where(stripe, two[0], two[1])
            shade = SHARE.shade(np.where(differ, 1.0, AGREED))
            return Values(Pixels(classes, classes == TIED, shade), two=two)

        return values

    return Source(on, tuple(model for source in sources for model in source.remote))


class Surface(Struct, eq=False):
    """Predictions of a model at the pixels of `grid`; row 0 is the bottom.

    Attributes
    ----------
    grid : Grid
    classes : ndarray of shape (height, width), int8
        Predicted classes; for a difference, those of the first model.
    tie : ndarray of shape (height, width), bool
    f : ndarray of shape (height, width) or None
        f of the problem with the margins.
    other : ndarray of shape (height, width), int8, or None
        For a difference, the classes predicted by the second model.
    shares : ndarray of shape (height, width) or None
        Shares of the predicted classes, if `levels` are values of these.
    levels : tuple of float
        Values of f at the margins, or shares at the lines of probability.
    """

    grid: Grid
    classes: Regions
    tie: Mask
    f: Array | None = None
    other: Regions | None = None
    shares: Array | None = None
    levels: tuple[float, ...] = ()

    def put(self, block: slice, values: Values) -> None:
        """Set the values of a block of rows."""
        predicted = values.predicted or values.pixels
        self.tie[block], self.levels = predicted.tie, values.margins
        if values.two is None:
            self.classes[block] = predicted.classes
        else:
            self.other = np.empty_like(self.classes) if self.other is None else self.other
            self.classes[block], self.other[block] = values.two
        self.f = self._with(self.f, block, values.f)
        self.shares = self._with(self.shares, block, values.shares)

    def _with(self, whole: Array | None, block: slice, part: Array | None) -> Array | None:
        """Return `whole`, created if necessary, with `part` in the rows of `block`."""
        if part is None or len(part) == self.grid.height:
            return part
        whole = np.empty(self.classes.shape) if whole is None else whole
        whole[block] = part
        return whole

    def boundary(self, n_classes: int) -> Array:
        """Return the boundary: f = 0 for two classes, else the lines between the regions of the classes."""
        if self.f is not None and n_classes == 2:
            return level_lines(self.grid, self.f, (0.0,))
        return region_lines(self.grid, np.where(self.tie, TIED, self.classes) if self.tie.any() else self.classes)

    def margins(self) -> Array:
        """Return the lines where f, or the share, is one of `levels`; for a difference, the second model's boundary."""
        if self.other is not None:
            return region_lines(self.grid, self.other)
        values = self.f if self.shares is None else self.shares
        return np.empty((0, 2)) if values is None else level_lines(self.grid, values, self.levels)


def surface(
    source: Source,
    grid: Grid,
    pace: Pace,
    show: Callable[[slice, Values], None] = lambda block, values: None,
    size: int = 8,
    least: int = 2,
) -> Generator[Step, None, Surface]:
    """Return the surface of `source` at all pixels of `grid`, computed in blocks of rows.

    The first block has `size` rows, and all but the last at least `least`; `show` is called with each.
    """
    return (yield from band(source, source.on(grid.xs), grid, range(grid.height), pace, show, size, least))


def band(
    source: Source,
    values_at: Callable[[Array], Values],
    grid: Grid,
    rows: range,
    pace: Pace,
    show: Callable[[slice, Values], None],
    size: int = 16,
    least: int = 2,
) -> Generator[Step, None, Surface]:
    """Return the surface of some `rows` of `grid`, given the function that `source` has prepared for its columns."""
    xs, ys, shape = grid.xs, grid.ys, (len(rows), grid.width)
    own = grid if len(rows) == grid.height else rows_of(grid, rows)
    found = Surface(own, np.empty(shape, dtype=np.int8), np.empty(shape, dtype=bool))

    def fill(block: slice) -> None:
        values = values_at(ys[block])
        found.put(slice(block.start - rows.start, block.stop - rows.start), values)
        show(block, values)

    if not source.remote:
        yield from pace.in_blocks(rows.stop, fill, size=size, least=least, begin=rows.start)
        return found
    step = max(BAND // len(xs), 1)
    for row in rows[::step]:  # after the models in other processes have computed their values
        block = slice(row, min(row + step, rows.stop))
        for pending in [model.begin_surface(xs, ys[block]) for model in source.remote]:
            yield from pace.wait(pending)
        fill(block)
    return found


def painted(
    source: Source,
    grid: Grid,
    shades: Shades,
    n_classes: int,
    pace: Pace,
    size: int = 16,
    least: int = 2,
    most_vertices: int = MOST_VERTICES,
) -> Generator[Step, None, Picture]:
    """Return the picture of `source` on `grid`, computed in blocks of rows.

    The first block has `size` rows, and all but the last at least `least`.  Lines with more than `most_vertices` ends
    are left out.
    """
    argb, table = np.empty((grid.height, grid.width), dtype=np.uint32), colours_of(shades)

    def show(block: slice, values: Values) -> None:
        colour(values.pixels, table, argb[grid.height - block.stop : grid.height - block.start])

    found = yield from surface(source, grid, pace, show, size=size, least=least)
    lines = []
    for find in (partial(found.boundary, n_classes), found.margins):
        if pace.late():
            yield from pace.pause()
        lines.append(unless_too_dense(find(), most_vertices))
    differing = math.nan if found.other is None else float((found.classes != found.other).mean())
    return Picture(argb, grid, lines[0], lines[1], differing, np.count_nonzero(found.tie) / found.tie.size)


def rows_of(grid: Grid, block: slice | range) -> Grid:
    """Return the grid of some rows of `grid`."""
    row = (grid.top - grid.bottom) / grid.height
    bottom, top = (grid.bottom + line * row for line in (block.start, block.stop))
    return Grid(grid.left, grid.right, bottom, top, grid.width, block.stop - block.start)


def unless_too_dense(lines: Array, most: int) -> Array:
    """Return `lines`, or none if they would cover the picture and take seconds to paint."""
    return lines if len(lines) <= most else np.empty((0, 2))
