"""Axis: one side of a chart: its title, its scale and the numbers beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from app.core.number_format import grouped, percent, short
from solver.core.arrays import Array

#: Largest number of texts along an axis, and length of a number from which powers of ten may be shorter.
MOST, LONG = 12, 6
#: Factors and units of times.
TIMES = (1.0, " s"), (1e3, " ms"), (1e6, " µs")


class ChartAxis(Struct, frozen=True):
    """One axis of a chart.

    Attributes
    ----------
    title : str
    log : bool
        Logarithmic: equal ratios have equal lengths; values of 0 and below are not drawn.
    whole : bool
        Number whole values only.
    low, high : float or None
        Ends of the axis; None for a round number around the data.
    floor : float or None
        Smaller values are drawn here: a logarithmic axis has to end somewhere.
    least : float
        Minimum length, in axis positions (see `positions`).
    names : tuple of str
        Texts at 0, 1, 2, ... in place of numbers.
    at : tuple of float
        Values of the `names`, if they are not 0, 1, 2, ...
    unit : {"", "%", "s"}
        The numbers are in per cent, or times with their units.
    numbered : float
        Smaller values have no number.
    exact : callable
        ``exact(value)`` is the text of a value that the user reads off.
    bare : bool
        Draw no numbers.
    grid : bool
        Draw a line at each number.
    """

    title: str = ""
    log: bool = False
    whole: bool = False
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    least: float = 0.0
    names: tuple[str, ...] = ()
    at: tuple[float, ...] = ()
    unit: str = ""
    numbered: float = -math.inf
    exact: Callable[[float], str] = short
    bare: bool = False
    grid: bool = True

    @property
    def lined(self) -> bool:
        """Whether there are grid lines at the numbers."""
        return self.grid and not self.names

    @np.errstate(divide="ignore", invalid="ignore")
    def positions(self, values: ArrayLike) -> Array:
        """Return the axis positions of values: on a logarithmic axis their logarithms, NaN where there is none."""
        at = np.asarray(values, dtype=np.float64)
        if self.floor is not None:
            at = np.maximum(at, self.floor)
        return np.where(at > 0, np.log10(at), np.nan) if self.log else at

    def value(self, position: float) -> float:
        """Return the value at an axis position."""
        return float(10.0**position) if self.log else position

    def ends(self, values: ArrayLike) -> tuple[float, float]:
        """Return the axis positions of both ends: round numbers around `values`, so that they seldom change."""
        at = self.positions(values)
        at = at[np.isfinite(at)]
        low, high = (float(at.min()), float(at.max())) if len(at) else (0.0, 1.0)
        if self.at:
            low, high = float(self._named().min()), float(self._named().max())
        elif self.names:
            low, high = -0.5, len(self.names) - 0.5
        elif self.log:
            low, high = math.floor(low + 1e-9), max(math.ceil(high - 1e-9), math.floor(low + 1e-9) + 1.0)
        else:
            low, high = self._rounded(low, high)
        low = low if self.low is None else float(self.positions(self.low))
        high = high if self.high is None else float(self.positions(self.high))
        return low, max(high, low + (self.least or 1e-12 * max(abs(low), 1.0)))

    def _rounded(self, low: float, high: float) -> tuple[float, float]:
        if self.whole:
            low, high = 0.0, max(high, 1.0)
        if self.low is not None and self.high is not None:
            return self.low, self.high
        if high - low <= 1e-9 * max(abs(low), abs(high)):
            away = 0.5 * max(abs(low), abs(high)) or 1.0
            low, high = low - away, high + away
        by = max(round_up((high - low) / 4), 1.0 if self.whole else 0.0)
        return math.floor(low / by + 1e-9) * by, math.ceil(high / by - 1e-9) * by

    def marks(self, low: float, high: float, most: float) -> list[tuple[float, str]]:
        """Return positions and texts of about `most` round numbers between the positions `low` and `high`."""
        if self.names:
            shown, free = [], low
            for position, name in zip(self._named().tolist(), self.names, strict=True):
                if free - 1e-9 <= position <= high + 1e-9:
                    shown.append((position, name))
                    free = position + (high - low) / max(most, 1.0)
            return shown
        most = min(max(int(most), 1), MOST)
        values = self._ratios(low, high, most) if self.log else []
        if len(values) > 1:
            texts = [self._texts([value], value)[0] for value in values]
        else:
            low, high = self.value(low), self.value(high)
            by = max(round_up((high - low) / most), 1.0 if self.whole else 0.0)
            digits = max(0, 1 - math.floor(math.log10(by)))  # else values would have rounding errors
            values = [
                round(at * by, digits) + 0.0
                for at in range(math.ceil(low / by - 1e-9), math.floor(high / by + 1e-9) + 1)
            ]
            texts = self._texts(values, by)
        return [(float(self.positions(v)), text) for v, text in zip(values, texts, strict=True) if v >= self.numbered]

    def _named(self) -> Array:
        return self.positions(self.at or range(len(self.names)))

    @staticmethod
    def _ratios(low: float, high: float, most: int) -> list[float]:
        """Return powers of ten between two logarithms; where these are close, with their multiples by 2 and 5."""
        if high - low >= 2.0:
            first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
            every = max(1, math.ceil((last - first) / most))
            regular = [power for power in range(first, last + 1) if power % every == 0]
            return [10.0**power for power in (regular if len(regular) > 1 else (first, last))]
        powers = range(math.floor(low), math.ceil(high) + 1)
        found = [part * 10.0**power for power in powers for part in (1, 2, 5)]
        inside = [each for each in found if low - 1e-9 <= math.log10(each) <= high + 1e-9]
        return inside[:: max(1, math.ceil(len(inside) / most))]

    def _texts(self, values: Sequence[float], by: float) -> list[str]:
        """Return multiples of `by` with all their digits; as powers of ten if that is shorter."""
        if self.whole:
            return [whole(value) for value in values]
        largest = max(map(abs, values), default=0.0)
        factor, unit = (100.0, " %") if self.unit == "%" else (1.0, "")
        if self.unit == "s":
            factor, unit = next((each for each in TIMES if largest * each[0] >= 1 - 1e-9), TIMES[-1])
        power = math.floor(math.log10(factor * by) + 1e-9)
        plain = [f"{factor * value:.{max(-power, 0)}f}" for value in values]
        powers = [_in_powers(factor * value, power) for value in values]
        longest = [max(map(len, texts), default=0) for texts in (plain, powers)]
        is_long = longest[0] > LONG or (power < -2 and not unit)
        texts = powers if is_long and longest[1] < longest[0] else plain
        return [f"−{text[1:]}{unit}" if text[0] == "-" else text + unit for text in texts]


def of_shares(title: str = "", low: float | None = None, log: bool = False) -> ChartAxis:
    """Return an axis of percentages."""
    return ChartAxis(title, log=log, low=low, high=1.0, unit="%", exact=percent)


def whole(value: float) -> str:
    """Return a whole number with its digits in groups of three."""
    return grouped(round(value))


def exact(value: float) -> str:
    """Return a number with five significant digits, "−0.012346"."""
    text = f"{value:#.5g}".removesuffix(".") if value else "0"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return "−" + text[1:] if text[0] == "-" else text


def exact_percent(share: float) -> str:
    """Return a share as a percentage with five significant digits, "1.2346 %"."""
    text = exact(100 * share)
    return "above 99.999 %" if share < 1 and text == "100.00" else f"{text} %"


def round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, ... at or above `value`; 1 for values of 0 and below."""
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= value * (1 - 1e-9))


def _in_powers(value: float, power: int) -> str:
    """Return a multiple of ``10**power`` with all its digits, as in 1.25e6."""
    digits = math.floor(math.log10(abs(value)) + 1e-9) - power if value else 0
    mantissa, exponent = f"{value:.{max(digits, 0)}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.') if digits > 0 else mantissa}e{int(exponent)}" if value else "0"
