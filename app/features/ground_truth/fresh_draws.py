"""FreshDraw: which fresh points are thrown at the models, by their serial numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.core.arrays import Array, Integers

if TYPE_CHECKING:
    from solver.data.distribution import Law

#: What tells these draws from any others of the same law.
_FRESH = 71


@dataclass(frozen=True)
class FreshDraw:
    """Which fresh points: `batches` of `count` points each, numbered from `first` on; the same number, the same points.

    Nothing is thrown while `batches` is 0.
    """

    count: int = 1000
    first: int = 1
    batches: int = 0

    @property
    def total(self) -> int:
        """How many points."""
        return self.count * self.batches

    @property
    def last(self) -> int:
        """Number of the last batch."""
        return self.first + self.batches - 1

    def points(self, law: Law, batch: int) -> tuple[Array, Integers]:
        """Places (count, 2) and classes (count,) of one batch, counted from 0."""
        return law.draw(self.count, (_FRESH, self.first + batch))


NO_THROW = FreshDraw()
