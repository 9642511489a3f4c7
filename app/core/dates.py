"""Dates: seconds since the beginning of 1970 (UTC) as ISO 8601 texts and back, and the texts of coordinates.

The seconds are those of Unix: all days have 86 400, and a text without an offset from UTC is in UTC.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
from msgspec import Struct

from .number_format import coordinate, full, number_of
from .points import LIMIT

#: Lengths of a second along x and y, both of which are numbers.
NO_DATES = (0.0, 0.0)
_DATE = re.compile(
    r"(?:\+?(?P<year>\d{4,8}|-\d{3,8})(?P<sign>[-/])(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?)"
    r"|(?P<first>\d\d?)(?P<other>[./])(?P<second>\d\d?)(?P=other)(?P<last>\d{4}))"
    r"(?:[T ](?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<s>\d\d)(?:[.,](?P<part>\d+))?)?\s?(?P<zone>Z|[-+]\d\d:?\d\d)?)?"
)


def seconds_of(text: str, day_first: bool | None = None) -> float:
    """Return the seconds of a date, with or without a time of day; NaN if the text is none.

    Parameters
    ----------
    text : str
    day_first : bool, optional
        How 01/02/2024 and 01.02.2024 are read; if it is not given, only dates are read that begin with the year.
    """
    found = _DATE.fullmatch(text.strip())
    if found is None or (found["year"] is None and day_first is None):
        return math.nan
    day, month = (found["first"], found["second"])[:: 1 if day_first else -1]
    date = f"{found['year'] or found['last']}-{found['month'] or month:0>2}-{found['day'] or day:0>2}"
    try:
        iso = f"{date}T{found['hour'] or '':0>2}:{found['minute'] or '00'}:{found['s'] or '00'}"
        whole = np.datetime64(iso, "s").astype(np.int64).item()
    except ValueError:  # 30 February
        return math.nan
    if (zone := found["zone"] or "Z") != "Z":
        whole -= int(f"{zone[0]}1") * (3600 * int(zone[1:3]) + 60 * int(zone[-2:]))
    return float(whole + Fraction(f"0.{found['part']}")) if found["part"] else float(whole)


def date_text(seconds: float) -> str:
    """Return the shortest text of a date from which `seconds_of` returns the same number."""
    if seconds.is_integer():
        return str(np.datetime64(int(seconds), "s")).removesuffix(":00").removesuffix("T00:00")
    sign, digits, places = Decimal(repr(seconds)).as_tuple()
    power = -int(places)
    whole, part = divmod(int(Decimal((sign, digits, 0))), 10**power)
    return f"{np.datetime64(whole, 's')}.{part:0{power}}"


class Coordinates(Struct, frozen=True):
    """How the coordinates along an axis are written and read.

    Attributes
    ----------
    second : float
        Length of a second if they are dates; 0 if they are numbers.
    """

    second: float = 0.0

    def text(self, value: float) -> str:
        """Return a coordinate with all its digits."""
        return date_text(value / self.second) if self.second else full(value)

    def brief(self, value: float, span: float, digits: int = 4) -> str:
        """Return a coordinate as `coordinate` does; of a date, what tells neighbouring pixels of a `span` apart."""
        if not self.second:
            return coordinate(value, span, digits)
        text, pixel = self.text(value), span / self.second / 1000
        if len(text) <= 16 or "T" not in text:  # with the minute
            return text
        return text[: 10 if pixel >= 86400 else 16 if pixel >= 60 else 19 if pixel >= 1 else None]

    def value(self, text: str) -> float:
        """Return the coordinate that was typed; NaN if it is none."""
        return seconds_of(text) * self.second if self.second else number_of(text)

    def wanted(self, low: float = -LIMIT, high: float = LIMIT) -> str:
        """Return what can be typed: "a date such as 2024-03-15T10:15", or a number from `low` to `high`."""
        return "a date such as 2024-03-15T10:15" if self.second else f"a number from {low:g} to {high:g}"


#: Coordinates of two axes of numbers.
NUMBERS = Coordinates(), Coordinates()
