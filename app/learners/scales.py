"""Scales: limits of a learner's parameters, and the values at the positions of a slider.  No Qt."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct, inspect

from solver.core.arrays import Integers

#: Positions for each factor of ten, of numbers of any size, and of a number of neighbours.
PER_DECADE, PER_DECADE_OF_K = 20, 40


class LogScale(Struct, frozen=True):
    """Numbers from 10^least to 10^most, with `PER_DECADE` positions for each factor of ten."""

    least: int
    most: int

    @property
    def low(self) -> int:
        return self.least * PER_DECADE

    @property
    def high(self) -> int:
        return self.most * PER_DECADE

    def position_of(self, value: float) -> int:
        """Return the position nearest to `value`."""
        return round(PER_DECADE * min(max(math.log10(value), self.least), self.most))

    def value_at(self, position: int) -> float:
        """Return the number at `position`, in three digits."""
        return float(f"{10 ** (position / PER_DECADE):.3g}")

    def share(self, position: int) -> float:
        """Return the location of `position` along the slider, from 0 to 1."""
        return (position - self.low) / (self.high - self.low)


class LinearScale(Struct, frozen=True):
    """Numbers from `least` to `most`, `step` apart; whole numbers if `step` is one."""

    least: float
    most: float
    step: float
    low: ClassVar[int] = 0

    @property
    def high(self) -> int:
        return round((self.most - self.least) / self.step)

    def position_of(self, value: float) -> int:
        """Return the position nearest to `value`."""
        return round((min(max(value, self.least), self.most) - self.least) / self.step)

    def value_at(self, position: int) -> float:
        """Return the number at `position`."""
        return round(self.least + position * self.step, 9)

    def share(self, position: int) -> float:
        """Return the location of `position` along the slider, from 0 to 1."""
        return position / self.high


class RankScale(Struct, frozen=True):
    """Whole numbers from 1 to `most`: every small number, then some with equal ratios.

    Their locations on the slider are their logarithms.
    """

    most: int
    low: ClassVar[int] = 0

    @property
    def high(self) -> int:
        return len(_ladder(self.most)) - 1

    def position_of(self, value: float) -> int:
        """Return the position whose number has the smallest ratio to `value`."""
        ladder = _ladder(self.most)
        above = min(int(np.searchsorted(ladder, value)), len(ladder) - 1)
        below = max(above - 1, 0)
        return below if value * value < float(ladder[below]) * float(ladder[above]) else above

    def value_at(self, position: int) -> int:
        """Return the number at `position`."""
        return int(_ladder(self.most)[position])

    def share(self, position: int) -> float:
        """Return the location of `position` along the slider, from 0 to 1."""
        return math.log(self.value_at(position)) / math.log(self.most) if self.most > 1 else 0.0


#: Positions of a slider, `low` to `high`, and their values.
Scale = LogScale | LinearScale | RankScale


@lru_cache(maxsize=16)
def _ladder(most: int) -> Integers:
    steps = np.arange(math.ceil(PER_DECADE_OF_K * math.log10(most)) + 1)
    # If the ratios are finer than whole numbers, all of these: only duplicates are removed.
    return np.unique(np.minimum(np.round(10.0 ** (steps / PER_DECADE_OF_K)), most).astype(np.int64))


class Parameter(Struct, frozen=True):
    """Smallest and largest value of a parameter, and the scale of its slider, if its type defines one."""

    least: Any
    most: Any
    scale: Scale | None


@lru_cache(maxsize=64)
def parameter(struct: Any, name: str) -> Parameter:
    """Return the limits and the scale of the parameter `name`, by the type of the settings."""
    settings = inspect.type_info(struct)
    assert isinstance(settings, inspect.StructType)
    kind: Any = next(field.type for field in settings.fields if field.name == name)
    if isinstance(kind, inspect.TupleType):  # one for each class, of the same type
        kind = kind.item_types[0]
    extra: dict[str, Any] = {}
    if isinstance(kind, inspect.Metadata):
        kind, extra = kind.type, kind.extra or {}
    # The limits decide between a field for real and one for whole numbers: `ge=0` of a float is an int.
    number = float if isinstance(kind, inspect.FloatType) else int
    assert kind.ge is not None and kind.le is not None, f"The setting {name} needs both limits: Meta(ge=…, le=…)."
    scales: dict[str, Any] = {"decades": LogScale, "steps": LinearScale, "ranks": RankScale}
    return Parameter(
        number(kind.ge), number(kind.le), next((scales[name](*ends) for name, ends in extra.items()), None)
    )
