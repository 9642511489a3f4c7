"""Scales: where the steps of a run and the values of a curve lie on screen, and the numbers written beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from app.core.number_format import even, grouped, short
from solver.core.arrays import Array, Integers
from solver.core.trace import FACTOR, LEVELS

#: Numbers beside a vertical axis, about.
MOST = 7
#: A number beside an axis: its place in pixels, and its text.
Tick = tuple[float, str]


@dataclass(frozen=True)
class StepScale:
    """Steps along a row of pixels: `first` in the middle of the first, `last` in the middle of the last.

    Attributes
    ----------
    first, last : int
        ``0 <= first <= last``.
    columns : int
        Pixels, 2 at least.
    log : bool
        Equal ratios are equal lengths; the scale then begins at step 1, for there is no room for step 0.
    """

    first: int
    last: int
    columns: int
    log: bool = False

    @property
    def start(self) -> int:
        """The step in the middle of the first pixel."""
        return max(self.first, 1) if self.log else self.first

    def place(self, steps: ArrayLike) -> Array:
        """Pixels from the middle of the first one."""
        at = np.asarray(steps, dtype=np.float64)
        start, end = self.start, max(self.last, self.start + 1)
        if self.log:
            return np.asarray(np.log(np.maximum(at, 0.5) / start) / math.log(end / start) * (self.columns - 1))
        return np.asarray((at - start) / (end - start) * (self.columns - 1))

    def step_at(self, place: float) -> int:
        """The step nearest to `place`, never one outside the scale."""
        start, end = self.start, max(self.last, self.start + 1)
        share = min(max(place / (self.columns - 1), 0.0), 1.0)
        at = start * (end / start) ** share if self.log else start + share * (end - start)
        return min(max(round(at), self.first), self.last)

    def edges(self) -> Integers:
        """Of cells of one pixel each: the steps of pixel p are those in ``edges[p] < step <= edges[p + 1]``.

        Each step from `start` to `last` is in one of them.
        """
        twice = 2 * np.arange(self.columns + 1, dtype=np.int64) - 1
        if self.log:
            ratio = max(self.last / self.start, 1.0)
            edges = np.floor(self.start * ratio ** (0.5 * twice / (self.columns - 1))).astype(np.int64)
        else:
            edges = self.first + (twice * (self.last - self.first)) // (2 * (self.columns - 1))
        edges[0], edges[-1] = self.start - 1, self.last
        return np.clip(edges, min(self.start - 1, self.last), self.last)

    def ticks(self, room: float) -> list[Tick]:
        """Round numbers of steps, at least `room` pixels apart."""
        most = max(2, int(self.columns / max(room, 1.0)))
        if self.log and self.last >= 10 * self.start:
            decades = range(math.ceil(math.log10(self.start)), math.floor(math.log10(self.last)) + 1)
            steps = [10**each for each in decades[:: -(-len(decades) // most)]]
        else:
            by = max(1, round(_round_up((self.last - self.start) / most)))
            steps = list(range(-(-self.start // by) * by, self.last + 1, by))
        return [(float(self.place(step)), grouped(step)) for step in steps]


@dataclass(frozen=True)
class ValueScale:
    """Values along a column of pixels, the largest on top.

    Attributes
    ----------
    low, high : float
        The values at the bottom and at the top, ``low < high``; both positive where `log`.
    bottom, top : float
        Where they lie, in pixels from above.
    log, whole : bool
        Logarithmic; of whole numbers only.
    """

    low: float
    high: float
    bottom: float
    top: float
    log: bool = False
    whole: bool = False

    @staticmethod
    def around(low: float, high: float, bottom: float, top: float, *, log: bool, whole: bool = False) -> ValueScale:
        """The scale over the values from `low` to `high`, widened to round numbers so that it seldom changes.

        `whole` for counts, which begin at 0.
        """
        if log:
            floor, ceiling = math.floor(math.log10(low)), math.ceil(math.log10(high))
            return ValueScale(10.0**floor, 10.0 ** max(ceiling, floor + 1), bottom, top, log=True)
        if whole:
            low, high = 0.0, max(high, 1.0)
        if high - low <= 1e-9 * max(abs(low), abs(high)):
            away = 0.5 * max(abs(low), abs(high)) or 1.0
            low, high = low - away, high + away
        by = _round_up((high - low) / 4)
        by = max(by, 1.0) if whole else by
        return ValueScale(math.floor(low / by + 1e-9) * by, math.ceil(high / by - 1e-9) * by, bottom, top, whole=whole)

    def place(self, values: ArrayLike) -> Array:
        """Pixels from above; what lies outside the scale is at its edge."""
        at = np.minimum(np.maximum(np.asarray(values, dtype=np.float64), self.low), self.high)
        if self.log:
            share = np.log(at / self.low) / math.log(self.high / self.low)
        else:
            share = (at - self.low) / (self.high - self.low)
        return np.asarray(self.bottom + share * (self.top - self.bottom))

    def place_one(self, value: float) -> float:
        """`place` of one value."""
        at = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(at / self.low) / math.log(self.high / self.low)
        else:
            share = (at - self.low) / (self.high - self.low)
        return self.bottom + share * (self.top - self.bottom)

    def ticks(self, room: float) -> list[Tick]:
        """Round numbers, at least `room` pixels apart where there is room for more than two."""
        most = min(max(1, int((self.bottom - self.top) / max(room, 1.0))), MOST)
        if self.log:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            powers = range(first, last + 1, max(1, -(-(last - first) // most)))
            return [(self.place_one(10.0**power), short(10.0**power)) for power in powers]
        for by in (_round_up((self.high - self.low) / most), _round_up((self.high - self.low) / 4)):
            by = max(by, 1.0) if self.whole else by
            numbers = range(math.ceil(self.low / by - 1e-9), math.floor(self.high / by + 1e-9) + 1)
            if len(numbers) > 0:
                break
        few = numbers if len(numbers) <= most + 1 else numbers[len(numbers) // 2 :][:1]
        texts = even([_plain(number * by, by) for number in few])
        return [(self.place_one(number * by), text) for number, text in zip(few, texts, strict=True)]


def powers(low: float, high: float, most: int) -> list[int]:
    """The exponents of the powers of ten from `low` to `high`, about `most` of them at most."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / max(most, 1)))
    return [exponent for exponent in range(first, last + 1) if exponent % every == 0]


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, ... at or above `value`; 1 for none."""
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= value * (1 - 1e-9))


def _plain(value: float, by: float) -> str:
    """`value`, a multiple of `by`, in as many digits as tell it from its neighbours."""
    if not value:
        return "0"
    last = math.floor(math.log10(by) + 1e-9)  # the decimal place that counts
    if abs(value) >= 1e5 or abs(value) < 1e-3:
        mantissa, exponent = f"{value:.{max(0, math.floor(math.log10(abs(value)) + 1e-9) - last)}e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    else:
        text = f"{value:.{max(0, -last)}f}"
    return "−" + text[1:] if text[0] == "-" else text


@lru_cache(maxsize=8)
def cell_edges(scale: StepScale) -> Integers:
    """The edges of the scale's cells, those of wide cells moved by up to a fourteenth of a pixel.

    They then lie where the entries of a coarser level of the trace do, so that each cell is read exactly: `extremes`
    would take in a little of its neighbours.
    """
    edges = scale.edges()
    width, bucket = np.diff(edges), np.ones_like(edges)
    for size in (FACTOR**power for power in range(1, LEVELS + 1)):
        wide = 1.15 * width >= 8 * size  # and so whatever the moving makes of a width
        bucket[:-1][wide] = bucket[1:][wide] = size
    inner = slice(1, -1)
    edges[inner] = (edges[inner] + bucket[inner] // 2) // bucket[inner] * bucket[inner]
    return np.maximum.accumulate(np.minimum(edges, scale.last))
