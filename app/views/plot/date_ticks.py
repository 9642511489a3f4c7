"""Date ticks: ticks of an axis of dates with their texts, at the steps of pyqtgraph: from years to milliseconds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct
from pyqtgraph.graphicsItems import DateAxisItem as steps

#: Least distance (pixels) between the texts of two ticks.
GAP = 14
#: Parts of an ISO date: 2024, 2024-03, 03-15, 10:15, 10:15:30 and 30.125.
_YEAR, _MONTH, _DAY, _MINUTE, _SECOND, _PART = map(slice, (0, 0, 5, 11, 11, 17), (4, 7, 10, 16, 19, 23))


def _next_month(seconds: float, n: int, first: bool) -> float:
    """Return the next month that is a multiple of `n` from January 1970; pyqtgraph's step would begin anywhere."""
    month = int(np.datetime64(math.floor(seconds), "s").astype("datetime64[M]").astype(np.int64))
    return float(np.datetime64((month // n + 1) * n, "M").astype("datetime64[s]").astype(np.int64))


_MONTHS = steps.TickSpec(steps.MONTH_SPACING, _next_month, _MONTH, [1, 3, 6, 12])
_DAYS = steps.TickSpec(steps.DAY_SPACING, steps.makeSStepper(steps.DAY_SPACING), _DAY)


class _Level(Struct, frozen=True):
    """Ticks of two spacings.

    Attributes
    ----------
    most : float
        Largest distance (s) at which two texts still fit.
    example : str
        Text of a finer tick.
    end : int
        Length of the beginning of an ISO date that the texts lack.
    specs : tuple of TickSpec
        Coarse and fine ticks; their `format` is a part of an ISO date.
    """

    most: float
    example: str
    end: int
    specs: tuple[Any, ...]


def _seconds(spacing: float, part: slice, factors: list[int]) -> Any:
    return steps.TickSpec(spacing, steps.makeSStepper(spacing), part, factors)


_LEVELS = (
    _Level(
        math.inf,
        "0000-00",
        0,
        (steps.TickSpec(steps.YEAR_SPACING, steps.makeYStepper(1), _YEAR, [1, 5, 10, 25]), _MONTHS),
    ),
    _Level(5 * 86400, "00-00", 4, (_MONTHS, _seconds(86400, _DAY, [1, 5]))),
    _Level(6 * 3600, "00-00", 10, (_DAYS, _seconds(3600, _MINUTE, [1, 6]))),
    _Level(900, "00-00", 10, (_DAYS, _seconds(60, _MINUTE, [1, 5, 15]))),
    _Level(30, "00:00:00", 10, (_seconds(1, _SECOND, [1, 5, 15, 30]),)),
    _Level(
        1,
        "00.000",
        16,
        (_seconds(60, _SECOND, [1]), steps.TickSpec(0.001, steps.makeMSStepper(0.001), _PART, [1, 5, 10, 25])),
    ),
)


def date_ticks(
    low: float, high: float, length: float, width: Callable[[str], float]
) -> tuple[list[tuple[float, list[float], list[str]]], str]:
    """Return the ticks of an axis, and the text at its end.

    Parameters
    ----------
    low, high : float
        Ends of the axis: seconds since 1970.
    length : float
        Its length in pixels.
    width : callable
        ``width(text)`` is the length along the axis (pixels) of a text.

    Returns
    -------
    ticks : list of (float, list of float, list of str)
        Spacing, seconds and texts, the coarsest first; only in the years 1 to 9998.
    end : str
        What the texts lack, from one end of the axis to the other: "2024", "2023 to 2024".
    """
    pixel, level = (high - low) / length, _LEVELS[0]
    for each in _LEVELS:
        if pixel * (width(each.example) + GAP) > each.most:
            break
        level = each
    low, high = max(low, steps.MIN_REGULAR_TIMESTAMP), min(high, steps.MAX_REGULAR_TIMESTAMP)
    if not low < high:
        return [], ""
    ticks, least = list[tuple[float, list[float], list[str]]](), pixel * (width(level.example) + GAP)
    for spec in level.specs:
        seconds, factor = spec.makeTicks(low, high, least)
        before = [other for _, others, _ in ticks for other in others]
        fresh = [at for at in seconds.tolist() if all(abs(at - other) > 0.01 * least for other in before)]
        if fresh:
            ticks.append((spec.spacing, fresh, [_iso(at)[spec.format] for at in fresh]))
        if factor > 1:
            break
    first, last = _iso(low), _iso(high)
    size = next((n for n in (16, 10, 7, 4) if n >= level.end and first[:n] == last[:n]), level.end)
    return ticks, first[:size] if first[:size] == last[:size] else f"{first[:size]} to {last[:size]}"


def _iso(seconds: float) -> str:
    return str(np.datetime64(round(1000 * seconds), "ms"))
