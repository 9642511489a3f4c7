"""Pixels: the class, tie, sureness and colour of each pixel of a picture.

The loops are compiled; before they are, plain numpy gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.core import fast_loops
from solver.core.arrays import Array, Mask
from solver.core.multiclass import Pair, leaders, winners

from . import _picture_loops as loops

#: Number of shades of a class, from the least sure one on.
LEVELS = 64

#: Value in place of a class where several classes tie.
TIED = np.int8(-1)
#: Class of each pixel, 0 to 7; `TIED` for a tie.
Regions = NDArray[np.int8]


class Pixels(NamedTuple):
    """Predictions at all pixels; arrays of shape (height, width).

    Attributes
    ----------
    classes : int8
        The number of the class that wins.
    tie : bool
        Several classes tie.
    shade : uint8
        How sure the model is, below `LEVELS`.
    """

    classes: Regions
    tie: Mask
    shade: NDArray[np.uint8]

    @property
    def regions(self) -> Regions:
        """Return the winning classes, and `TIED` where several tie."""
        return np.where(self.tie, TIED, self.classes)


class Ramp(NamedTuple):
    """Shade of a pixel from its distance to a boundary, from 0 to 1: ``distance * slope + least``."""

    slope: float
    least: float = 0.0

    @property
    def in_levels(self) -> tuple[float, float, float]:
        """Slope, least and most in shades; rounding down the result gives the nearest shade."""
        most = LEVELS - 1.0
        return self.slope * most, self.least * most + 0.5, most

    def shade(self, distance: Array) -> NDArray[np.uint8]:
        """Return the shades of pixels at these distances."""
        scale, base, most = self.in_levels
        return np.minimum(distance * scale + base, most).astype(np.uint8)


#: Ramp of values that are already from 0 to 1.
SHARE = Ramp(1.0)


def of_two_classes(f: Array, noise: float, ramp: Ramp, names: Regions) -> Pixels:
    """Return the pixels of one f of shape (height, width), which becomes 0 where its size is at most `noise`."""
    if not fast_loops.ready():
        f[np.abs(f) <= noise] = 0.0
        return Pixels(names[(f > 0.0).view(np.int8)], f == 0.0, ramp.shade(np.abs(f)))
    made = _room(f.shape)
    loops.two_classes(f, noise, *ramp.in_levels, names, *made)
    return made


def of_one_vs_rest(f: Array, noise: float, ramp: Ramp, names: Regions) -> Pixels:
    """Return the pixels of an f for each class, shape (n_classes, height, width).

    The boundary between two classes is where their f are equal, not where one is 0; so the distance of a pixel is half
    the lead of the largest f over the next: 0 on every boundary, and abs(f) where the only rival of a class has -f.
    """
    halved = Ramp(0.5 * ramp.slope, ramp.least)
    if not fast_loops.ready():
        by_class = np.moveaxis(f, 0, 2)
        ordered = np.partition(by_class, -2, axis=-1)
        lead = ordered[..., -1] - ordered[..., -2]
        return Pixels(names[by_class.argmax(axis=-1)], lead <= noise, halved.shade(lead))
    made = _room(f.shape[1:])
    loops.one_vs_rest(f, noise, *halved.in_levels, names, *made)
    return made


def of_one_vs_one(f: Array, pairs: Sequence[Pair], noise: float, ramp: Ramp, names: Regions) -> Pixels:
    """Return the pixels of an f for each pair of classes, shape (n_pairs, height, width).

    The distance of a pixel is the abs(f) of the closest duel of its winner.  A class that has won every duel wins
    alone; elsewhere the duels won are counted, of which one with abs(f) up to `noise` is half a win for both.
    """
    if not fast_loops.ready():
        values = np.moveaxis(f, 0, 2)
        winner = winners(values, pairs, len(names))
        closest = np.full(winner.shape, np.inf)
        for p, pair in enumerate(pairs):
            np.minimum(closest, f[p], out=closest, where=winner == pair.positive)
            np.minimum(closest, -f[p], out=closest, where=winner == pair.negative)
        tie = closest <= noise
        tie[tie] = leaders(values[tie], pairs, len(names), noise).sum(axis=-1) > 1
        return Pixels(names[winner], tie, ramp.shade(np.maximum(closest, 0.0)))
    made = _room(f.shape[1:])
    sides = np.array([(pair.positive, pair.negative) for pair in pairs])
    loops.one_vs_one(f, sides, noise, *ramp.in_levels, names, *made)
    return made


def of_shares(top: NDArray[np.integer], share: Array, tie: Mask, names: Regions) -> Pixels:
    """Return the pixels of winners, indices into `names`, by their shares: a shade is the excess over an even share.

    `tie` becomes a part of them, not a copy.
    """
    even = 1.0 / len(names) if len(names) > 1 else 0.0  # the share of the only class is 1
    if not fast_loops.ready() or top.dtype != np.uint8:
        return Pixels(names[top], tie, SHARE.shade((share - even) / (1.0 - even)))
    made = Pixels(np.empty(top.shape, np.int8), tie, np.empty(top.shape, np.uint8))
    loops.votes(top, share, even, LEVELS - 1.0, names, made.classes, made.shade)
    return made


def of_probabilities(shares: Array, names: Regions) -> tuple[Pixels, Array]:
    """Return the pixels of the most probable classes, and their probabilities, from those of all.

    It needs the compiled loops: when a probability is fitted, they are available.

    Parameters
    ----------
    shares : ndarray of shape (n_classes, height, width)
    names : ndarray of shape (n_classes,), int8
    """
    shape = shares.shape[1:]
    top, best, tie = np.empty(shape, np.uint8), np.empty(shape), np.empty(shape, np.bool_)
    loops.most_probable(shares, top, best, tie)
    return of_shares(top, best, tie, names), best


def colour(pixels: Pixels, table: NDArray[np.uint32], out: NDArray[np.uint32]) -> None:
    """Fill in the colours of `pixels`, from the last row up.

    Parameters
    ----------
    pixels : Pixels
    table : ndarray of uint32
        The `LEVELS` shades of each class, one class after the other; the last entry is the colour of a tie.
    out : ndarray of shape (height, width), uint32
    """
    if fast_loops.ready():
        loops.colours(*pixels, LEVELS, table, out)
    else:
        out[::-1] = colours_at(pixels, table)


def colours_at(pixels: Pixels, table: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the colours of pixels of any shape, in plain numpy; `table` as in `colour`."""
    return table[np.where(pixels.tie, len(table) - 1, pixels.classes.astype(np.intp) * LEVELS + pixels.shade)]


def _room(shape: tuple[int, ...]) -> Pixels:
    return Pixels(np.empty(shape, np.int8), np.empty(shape, np.bool_), np.empty(shape, np.uint8))
