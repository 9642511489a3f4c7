"""Scales: the limits of a learner's parameters, and which value stands at which position of a slider, without Qt."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct, inspect

from solver.core.arrays import Integers

#: Positions per factor of ten of numbers of any size, and of a number of neighbours.
PER_DECADE, PER_DECADE_OF_K = 20, 40


class LogScale(Struct, frozen=True):
    """Powers of ten, from 10^least to 10^most, `PER_DECADE` positions to each factor of ten."""

    least: int
    most: int

    @property
    def low(self) -> int:
        return self.least * PER_DECADE

    @property
    def high(self) -> int:
        return self.most * PER_DECADE

    def place_of(self, value: float) -> int:
        """The position nearest to `value`."""
        return round(PER_DECADE * min(max(math.log10(value), self.least), self.most))

    def value_at(self, place: int) -> float:
        """The number at `place`, in three digits."""
        return float(f"{10 ** (place / PER_DECADE):.3g}")

    def share(self, place: int) -> float:
        """How far along the slider `place` is, from 0 to 1."""
        return (place - self.low) / (self.high - self.low)


class LinearScale(Struct, frozen=True):
    """Numbers from `least` to `most`, `step` apart; whole ones where `step` is."""

    least: float
    most: float
    step: float
    low: ClassVar[int] = 0

    @property
    def high(self) -> int:
        return round((self.most - self.least) / self.step)

    def place_of(self, value: float) -> int:
        """The position nearest to `value`."""
        return round((min(max(value, self.least), self.most) - self.least) / self.step)

    def value_at(self, place: int) -> float:
        """The number at `place`."""
        return round(self.least + place * self.step, 9)

    def share(self, place: int) -> float:
        """How far along the slider `place` is, from 0 to 1."""
        return place / self.high


class RankScale(Struct, frozen=True):
    """Whole numbers from 1 to `most`: each of the small ones, then ever fewer, in equal ratios.

    On the slider they stand where their logarithms are.
    """

    most: int
    low: ClassVar[int] = 0

    @property
    def high(self) -> int:
        return len(_ladder(self.most)) - 1

    def place_of(self, value: float) -> int:
        """The position nearest to `value`, in ratio."""
        ladder = _ladder(self.most)
        above = min(int(np.searchsorted(ladder, value)), len(ladder) - 1)
        below = max(above - 1, 0)
        return below if value * value < float(ladder[below]) * float(ladder[above]) else above

    def value_at(self, place: int) -> int:
        """The number at `place`."""
        return int(_ladder(self.most)[place])

    def share(self, place: int) -> float:
        """How far along the slider `place` is, from 0 to 1."""
        return math.log(self.value_at(place)) / math.log(self.most) if self.most > 1 else 0.0


#: Positions of a slider, `low` to `high`, and what they stand for.
Scale = LogScale | LinearScale | RankScale


@lru_cache(maxsize=16)
def _ladder(most: int) -> Integers:
    steps = np.arange(math.ceil(PER_DECADE_OF_K * math.log10(most)) + 1)
    values = np.unique(np.minimum(np.round(10.0 ** (steps / PER_DECADE_OF_K)), most).astype(np.int64))
    # Where the ratio is finer than whole numbers, each of them; `unique` has dropped none between.
    return values


class Parameter(Struct, frozen=True):
    """Least and largest value of a parameter, and the scale of its slider where its type has one."""

    least: Any
    most: Any
    scale: Scale | None


@lru_cache(maxsize=64)
def parameter(struct: Any, name: str) -> Parameter:
    """What the type of some settings says of the parameter `name`."""
    settings = inspect.type_info(struct)
    assert isinstance(settings, inspect.StructType)
    kind: Any = next(field.type for field in settings.fields if field.name == name)
    if isinstance(kind, inspect.TupleType):  # one for each class, alike
        kind = kind.item_types[0]
    extra: dict[str, Any] = {}
    if isinstance(kind, inspect.Metadata):
        kind, extra = kind.type, kind.extra or {}
    scales: dict[str, Any] = {"decades": LogScale, "steps": LinearScale, "ranks": RankScale}
    return Parameter(kind.ge, kind.le, next((scales[name](*ends) for name, ends in extra.items()), None))
