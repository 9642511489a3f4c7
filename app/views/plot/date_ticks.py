"""Date ticks: ticks of an axis of dates with their texts, at the steps of pyqtgraph: from years to milliseconds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from pyqtgraph.graphicsItems import DateAxisItem as Steps

#: Spacing, seconds and texts of ticks.
Ticks = list[tuple[float, list[float], list[str]]]
#: Least distance (pixels) between the texts of two ticks.
GAP = 14
#: Parts of an ISO date: 2024, 2024-03, 03-15, 10:15, 10:15:30 and 30.125.
_YEAR, _MONTH, _DAY, _MINUTE, _SECOND, _PART = map(slice, (0, 0, 5, 11, 11, 17), (4, 7, 10, 16, 19, 23))


def _next_month(seconds: float, n: int, first: bool) -> float:
    """Return the next month that is a multiple of `n` from January 1970; pyqtgraph's step would begin anywhere."""
    month = int(np.datetime64(math.floor(seconds), "s").astype("datetime64[M]").astype(np.int64))
    return float(np.datetime64((month // n + 1) * n, "M").astype("datetime64[s]").astype(np.int64))


def _every(spacing: float, part: slice, factors: list[int]) -> Steps.TickSpec:
    return Steps.TickSpec(spacing, Steps.makeSStepper(spacing), part, factors)


_YEARS = Steps.TickSpec(Steps.YEAR_SPACING, Steps.makeYStepper(1), _YEAR, [1, 5, 10, 25])
_MONTHS = Steps.TickSpec(Steps.MONTH_SPACING, _next_month, _MONTH, [1, 3, 6, 12])
_DAYS = _every(86400, _DAY, [1, 5])
#: Largest distance of two texts (s), text of a fine tick, length of the beginning of a date that the texts lack, and
#: coarse and fine ticks.
_LEVELS = (
    (math.inf, "0000-00", 0, (_YEARS, _MONTHS)),
    (5 * 86400, "00-00", 4, (_MONTHS, _DAYS)),
    (6 * 3600, "00-00", 10, (_DAYS, _every(3600, _MINUTE, [1, 6]))),
    (900, "00-00", 10, (_DAYS, _every(60, _MINUTE, [1, 5, 15]))),
    (30, "00:00:00", 10, (_every(1, _SECOND, [1, 5, 15, 30]),)),
    (1, "00.000", 16, (Steps.TickSpec(0.001, Steps.makeMSStepper(0.001), _PART, [1, 5, 10, 25]),)),
)


def date_ticks(low: float, high: float, length: float, width: Callable[[str], float]) -> tuple[Ticks, str]:
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
    pixel, ticks = (high - low) / length, Ticks()
    fitting = [level for level in _LEVELS if pixel * (width(level[1]) + GAP) <= level[0]]
    _, example, lacking, specs = fitting[-1]
    low, high = max(low, Steps.MIN_REGULAR_TIMESTAMP), min(high, Steps.MAX_REGULAR_TIMESTAMP)
    if not low < high:
        return [], ""
    least = pixel * (width(example) + GAP)
    for spec in specs:
        seconds, factor = spec.makeTicks(low, high, least)
        before = [other for _, others, _ in ticks for other in others]
        fresh = [at for at in seconds.tolist() if all(abs(at - other) > 0.01 * least for other in before)]
        ticks += [(spec.spacing, fresh, [_iso(at)[spec.format] for at in fresh])] if fresh else []
        if factor > 1:
            break
    first, last = _iso(low), _iso(high)
    size = next((n for n in (16, 10, 7, 4) if n >= lacking and first[:n] == last[:n]), lacking)
    return ticks, " to ".join(dict.fromkeys((first[:size], last[:size])))


def apart(ticks: Ticks, unit: float, width: Callable[[str], float]) -> list[tuple[float, str]]:
    """Return seconds and texts of the ticks whose texts do not overlap, where a pixel is `unit` seconds wide."""
    kept = list[tuple[float, str]]()
    for at, text in (pair for _, *level in ticks for pair in zip(*level, strict=True)):
        if all(abs(at - other) > unit * (0.5 * width(text + word) + 4) for other, word in kept):
            kept.append((at, text))
    return sorted(kept)


def _iso(seconds: float) -> str:
    return str(np.datetime64(round(1000 * seconds), "ms"))
