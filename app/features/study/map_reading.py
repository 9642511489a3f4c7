"""Reading a map: its best cell, how an axis continues beyond an edge, and the position of a lane's settings.  No Qt."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.number_format import distinct, grouped, signed
from app.state.document import GeneratorSettings, Lane
from solver.core.arrays import Array

from .cells import COARSE, CellIndex
from .model import DATA_AXES, MEASURES, Study, StudyAxis, Value, axis_kinds
from .planning import titles
from .results import Means, StudyResults

#: Number of values by which an axis is extended.
FURTHER = 2


class Best(Struct, frozen=True):
    """The best cell of a map, and the edge at which it lies.

    Attributes
    ----------
    cell : tuple of int
    axis : int
        The axis at whose edge it lies, if the axis can be extended there; else -1.
    low : bool
        True for the lower edge.
    """

    cell: CellIndex
    axis: int = -1
    low: bool = False


def best_of(kept: StudyResults, value: str, rest: tuple[int, ...]) -> Best | None:
    """Return the best cell of the map at `rest`; of several, the one farthest from an edge.

    Return None if no value is better than another, or none is computed yet.
    """
    mean = plane_of(kept.means(value).mean, kept.study, rest)
    best = MEASURES[value].best
    if not best or not np.isfinite(mean).any():
        return None
    target = np.nanmax(mean) if best == "largest" else np.nanmin(mean)
    tied = np.argwhere(np.abs(mean - target) <= 1e-12 * max(abs(target), 1.0)).tolist()
    lasts = [side - 1 for side in mean.shape]
    at = max(tied, key=lambda each: sorted(min(i, last - i) for i, last in zip(each, lasts, strict=True) if last))
    cell = (*at, *rest)[: len(kept.study.axes)]
    edges = [(axis, low) for axis in (0, 1) for low in (True, False) if at[axis] == (0 if low else lasts[axis])]
    return next((Best(cell, *edge) for edge in edges if further(kept.study, *edge)), Best(cell))


def plane_of(array: Any, study: Study, rest: tuple[int, ...]) -> Any:
    """Return the map of `array` at a choice of the axes beyond the second: by first and second axis."""
    return array[(slice(None), slice(None), *rest)] if len(study.axes) > 1 else array[:, None]


def further(study: Study, axis: int, low: bool) -> tuple[Value, ...]:
    """Return values that extend an axis of numbers beyond an edge, ascending; empty if that is impossible.

    Axes of the data cannot: with more points, or less noise, every result is better.
    """
    if axis >= len(study.axes) or study.axes[axis].name in DATA_AXES:
        return ()
    values = study.axes[axis].values
    if len(values) < 2 or any(isinstance(each, str) for each in values):
        return ()
    least, most, whole = axis_kinds(study.lane.classifier)[study.axes[axis].name].limits
    numbers = [float(each) for each in values]
    first, second = (numbers[0], numbers[1]) if low else (numbers[-1], numbers[-2])
    log, steps = is_log(study.axes[axis]), range(1, FURTHER + 1)
    exact = [first * (first / second) ** step if log else first + (first - second) * step for step in steps]
    rounded = [float(f"{number:.{3 if log else 6}g}") for number in exact]
    new = {round(number) if whole else number for number in rounded}
    return tuple(sorted(number for number in new if least <= number <= most and number not in values))


@lru_cache(maxsize=16)
def is_log(axis: StudyAxis) -> bool:
    """Return True if the values are in equal ratios rather than in equal steps."""
    numbers = [float(each) for each in axis.values if not isinstance(each, str)]
    if len(numbers) < 3 or numbers[0] <= 0:
        return bool(numbers) and len(numbers) == 2 and numbers[0] > 0 and numbers[1] / numbers[0] >= 4
    with np.errstate(all="ignore"):  # a file may have an axis of any values
        steps, ratios = np.diff(numbers), np.diff(np.log(numbers))
        return bool(np.std(ratios) / abs(np.mean(ratios)) < np.std(steps) / abs(np.mean(steps)))


def extended(study: Study, best: Best) -> Study:
    """Return `study` with its axis extended beyond the edge at which the best cell lies."""
    more = further(study, best.axis, best.low)
    axis = study.axes[best.axis]
    values = (*more, *axis.values) if best.low else (*axis.values, *more)
    axes = (*study.axes[: best.axis], StudyAxis(axis.name, values), *study.axes[best.axis + 1 :])
    return msgspec.structs.replace(study, axes=axes)


def standing(study: Study, lane: Lane, generator: GeneratorSettings) -> tuple[tuple[float, ...], bool] | None:
    """Return the position of the lane's settings on the first two axes, in cells from the first one, and whether all
    other settings are those of the study; None for another classifier.  Beyond an end the position is half a cell
    outside.
    """
    if lane.classifier != study.lane.classifier:
        return None
    kinds = axis_kinds(lane.classifier)
    values = {
        axis.name: getattr(generator if axis.name in DATA_AXES else lane.settings, kinds[axis.name].parameter)
        for axis in study.axes
    }
    same = study.lane_at(values).settings == lane.settings
    return tuple(_position(axis, values[axis.name]) for axis in study.axes[:2]), same


def _position(axis: StudyAxis, value: Value) -> float:
    if isinstance(value, str) or any(isinstance(each, str) for each in axis.values):
        return float(axis.values.index(value)) if value in axis.values else -0.5
    numbers = np.array(axis.values, dtype=np.float64)
    last = len(numbers) - 1
    if not numbers[0] <= value <= numbers[-1]:
        return -0.5 if value < numbers[0] else last + 0.5
    log = is_log(axis) and value > 0
    along, at = (np.log(numbers), math.log(value)) if log else (numbers, float(value))
    return float(np.interp(at, along, np.arange(last + 1)))


def blocks(there: NDArray[np.bool_], study: Study) -> NDArray[np.intp]:
    """Return the cell whose colour each cell of a map has, shape (columns, rows, 2).

    That is the cell itself or, while it has no result, the coarse one that represents it; -1 without either.
    """
    columns, rows = there.shape
    found = np.full((columns, rows, 2), -1, dtype=np.intp)
    x, y = np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij")
    for every in COARSE:  # finer ones over coarser ones
        cx = x if study.path_axis == 0 else x // every * every
        cy = y if study.path_axis == 1 else y // every * every
        use = there[cx, cy]
        found[use] = np.stack((cx, cy), axis=-1)[use]
    return found


# -- words -------------------------------------------------------------------------------------------------------------


def value_text(study: Study, axis: int, value: Value) -> str:
    """Return the text of a value of the axis at index `axis`; a choice has its title from the form."""
    kind = axis_kinds(study.lane.classifier)[study.axes[axis].name]
    if isinstance(value, str):
        return kind.choices.get(value, value)
    if isinstance(value, int) and not kind.per_cent:
        return signed(grouped(value))
    every, factor = study.axes[axis].values, 100.0 if kind.per_cent else 1.0
    texts = dict(zip(every, distinct([factor * float(each) for each in every]), strict=True))
    return texts[value] + " %" * kind.per_cent


def measure_text(value: str, number: float, more: int = 0) -> str:
    """Return the text of a mean or a spread, with `more` digits than usual: a share as a percentage, never 100 % for
    less than all.
    """
    if MEASURES[value].share:
        share, text = 100.0 * number, f"{100.0 * number:.{1 + more}f}"
        return f"99.9{'9' * more}+ %" if float(text) == 100 and share < 100.0 - 1e-9 else f"{text} %"
    size = abs(number)
    least = f".{2 + more}g" if 0 < size < 1e-3 else f".{(3 if size < 10 else 1 if size < 1000 else 0) + more}f"
    return signed(f"{number:{least}}")


def axis_title(study: Study, axis: int) -> str:
    """Return the title of an axis."""
    name = study.axes[axis].name
    return titles(study.lane, True).get(name, name)


def choice_text(study: Study, cell: CellIndex, first: int = 0) -> str:
    """Return "C = 10, γ = 0.1": the values of the axes from the `first` on."""
    return ", ".join(
        f"{axis_title(study, axis)} = {value_text(study, axis, study.axes[axis].values[index])}"
        for axis, index in enumerate(cell, first)
    )


def cell_text(kept: StudyResults, means: Means, value: str, cell: CellIndex) -> str:
    """Return the text of a cell: its number always with spread and repetitions."""
    study = kept.study
    where = choice_text(study, cell)
    if not kept.defined[cell]:
        return f"{where}: not defined, k is above n"
    count, errors = int(means.count[cell]), int(means.errors[cell])
    if not count:
        return f"{where}: {kept.error(cell) or 'not computed yet'}"
    title, mean = study.heading(value), measure_text(value, float(means.mean[cell]))
    spread = "" if count < 2 else f" ± {measure_text(value, float(means.spread[cell]))}"
    failed = f", {errors} failed" if errors else ""
    return f"{where}: {title[0].lower()}{title[1:]} {mean}{spread} ({runs_text(study, count)}{failed})"


def runs_text(study: Study, count: int) -> str:
    """Return "3 of 5 folds"."""
    whole = max(1, study.folds) * study.repetitions
    number = f"{count}" if count == whole else f"{count} of {whole}"
    return f"{number} {'fold' if study.folds > 1 else 'repetition'}{'' if number == '1' else 's'}"


def all_further(study: Study) -> list[tuple[int, ...]]:
    """Return all choices of the axes beyond the second."""
    return list(product(*(range(len(axis.values)) for axis in study.axes[2:])))


def span_of(array: Array, midpoint: float | None) -> tuple[float, float]:
    """Return the ends of the colour scale; with a midpoint, at equal distances from it."""
    finite = array[np.isfinite(array)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if midpoint is not None:
        away = max(abs(high - midpoint), abs(low - midpoint)) or 1.0
        return midpoint - away, midpoint + away
    return (low, high) if high > low else (low - 0.5, high + 0.5)
