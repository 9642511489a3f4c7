"""Number format: format numbers for display in a few characters, and parse numbers from text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from msgspec import Struct


def count(number: int, noun: str) -> str:
    """Return a number with its noun: "1 point", "12 300 points"."""
    return f"{grouped(number)} {noun}{'' if number == 1 else 's'}"


def grouped(number: int) -> str:
    """Return a whole number with its digits in groups of three, separated by narrow no-break spaces."""
    return f"{number:,}".replace(",", "\u202f")


def counted(number: float) -> str:
    """Return a number of points in which ties count as fractions: "12", "12.5"."""
    return grouped(round(number)) if abs(number - round(number)) < 1e-6 else f"{number:.1f}"


def short(value: float, digits: int = 3) -> str:
    """Return a number in a few characters: 0.5, 1e-3, 12.3, ∞; "–" for NaN."""
    if value < 0:
        return f"−{short(-value, digits)}"
    if not math.isfinite(value):
        return "∞" if value > 0 else "–"
    if value != 0 and not 1e-2 <= value < max(1e5, 10.0 ** (digits - 1)):
        mantissa, exponent = f"{value:.{digits - 2}e}".split("e")
        return f"{mantissa.rstrip('0').removesuffix('.')}e{int(exponent)}"
    text = f"{value + 0.0:.{digits}g}"  # no "-0"
    return f"{value:.0f}" if "e" in text else text


def distinct(values: Sequence[float], write: Callable[[float, int], str] = short, digits: int = 3) -> list[str]:
    """Return the texts ``write(value, digits)`` of numbers, with more digits if different numbers need them."""
    for each in range(digits, 19):
        texts = [write(value, each) for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return texts


def full(value: float) -> str:
    """Return a number with all its digits: 0.1, 5, 1e-05, ∞."""
    return "∞" if math.isinf(value) else repr(value).removesuffix(".0")


def signed(text: str) -> str:
    """Return the text of a number with a true minus sign."""
    return text.replace("-", "−")


def even(numbers: Sequence[str]) -> list[str]:
    """Return the texts of numbers on one axis: the same number of decimals for all, with true minus signs."""
    typed = [number.replace("−", "-") for number in numbers]
    if any("e" in number for number in typed):
        return [signed(number) for number in typed]
    decimals = max((len(number.partition(".")[2]) for number in typed), default=0)
    return [signed(f"{float(number) + 0.0:.{decimals}f}") for number in typed]  # no "−0.0"


def percent(share: float) -> str:
    """Return a share as a percentage: 0.1234 -> "12.3 %", "–" for NaN; small shares keep one significant digit."""
    value = 100.0 * share
    if math.isnan(value):
        return "–"
    if 0 < value < 0.001:
        return "below 0.001 %"
    if 99.95 <= value < 100:  # less than all is not displayed as 100 %
        return "above 99.9 %"
    return f"{value:.1f} %" if value >= 1 or value == 0 else f"{value:.1g} %"


def number_in(text: str, decimal: str = ".") -> float:
    """Return the number in `text`, NaN if there is none.  Stricter than Python, which accepts 1_000."""
    if decimal == ",":
        # A point would then separate thousands; 1.500 must not become one and a half.
        text = text.replace(".", "?").replace(",", ".")
    try:
        return float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan


def number_of(text: str) -> float:
    """Return the typed number, which may have a comma, spaces between thousands, true minus signs and ∞; NaN if it is
    none."""
    text = re.sub(r"(?<=\d)\s(?=\d{3}(?!\d))", "", text)
    return number_in(text.replace(",", ".").replace("−", "-").replace("∞", "inf"))


def share_text(share: float) -> str:
    """Return a typed share as a percentage with every digit: 0.1 -> "10 %"."""
    return f"{Decimal(repr(share)).scaleb(2).normalize():f} %"


def share_of(percentage: float) -> float:
    """Return the share of a typed percentage: 7 -> 0.07, where 7 * 0.01 is a different number."""
    return float(Decimal(repr(percentage)).scaleb(-2))


def span_of_time(seconds: float) -> str:
    """Return a duration with its unit: 0.0034 -> "3.4 ms"."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds:.0f} s"


def about(seconds: float) -> str:
    """Return an estimated duration in one digit: 2.3 -> "about 2 s"."""
    if seconds < 0.1:
        return "below 0.1 s"
    if seconds < 90:
        return f"about {float(f'{seconds:.1g}' if seconds < 10 else f'{round(seconds, -1)}'):g} s"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min"
    return f"about {grouped(round(seconds / 3600))} h"


def coordinate(value: float, span: float, digits: int = 4) -> str:
    """Return a coordinate in at least `digits` digits, and in as many as tell neighbouring pixels of a `span` apart.

    One below a million has no exponent.
    """
    places = _exponent(value) - _exponent(span / 1000), _exponent(round(value)) * (abs(value) < 1e6)
    return signed(f"{value + 0.0:.{max(digits, max(places) + 1)}g}")


class AxisNumbers(Struct, frozen=True):
    """How the numbers beside an axis are written; a number is its text plus the offset.

    Attributes
    ----------
    offset : float
        Printed at the end of the axis if it is not 0, as matplotlib does: numbers with many equal leading digits are
        longer than the space between them.
    scientific : bool
        Write "1.5e9" in place of "1500000000".
    """

    offset: float = 0.0
    scientific: bool = False

    @classmethod
    def between(cls, low: float, high: float, few: int = 7, most: int = 10) -> AxisNumbers:
        """Return how numbers between `low` and `high` are written.

        Parameters
        ----------
        few, most : int
            Most signs of a number that is written without exponent at once, and of one that needs no offset.
        """
        if not low < high:
            return cls()
        finest = _exponent((high - low) / 20)
        largest = _exponent(max(abs(low), abs(high)))
        width = max(largest, 0) + 1 + max(1 - finest, 0) * (finest < 0)
        if width <= few:
            return cls()
        if largest - finest < 3:
            return cls(scientific=True)
        if width <= most and largest >= 0:
            return cls()
        unit = Decimal(10) ** math.ceil(math.log10(high - low))
        offset = float(round(Decimal(low + 0.5 * (high - low)) / unit) * unit)
        return cls(offset, cls.between(low - offset, high - offset).scientific)

    def text(self, value: float, spacing: float) -> str:
        """Return the text of `value`, one of several that are multiples of `spacing`."""
        number = value - self.offset
        if not self.scientific:
            places = max(0, math.ceil(-math.log10(spacing) - 1e-9))
            return signed(f"{round(number, places) + 0.0:.{places}f}")
        if abs(number) < 0.5 * spacing:
            return "0"
        digits = max(0, _exponent(number) - math.floor(math.log10(spacing) + 1e-9))
        mantissa, exponent = f"{number:.{digits}e}".split("e")
        return signed(f"{mantissa}e{int(exponent)}")

    @property
    def end(self) -> str:
        """Text of the offset, every digit of it, "+1.7e9" or "+13.6627"; "" for none."""
        if not self.offset:
            return ""
        offset = Decimal(repr(self.offset)).normalize()
        mantissa, _, exponent = f"{offset:+e}".partition("e")
        return signed(min(f"{offset:+f}", f"{mantissa}e{int(exponent)}", key=len))


def _exponent(value: float) -> int:
    """Return the power of ten of the first digit of `value`; 0 for 0."""
    return int(f"{abs(value):e}".partition("e")[2]) if value else 0
