"""FreshDraw: which fresh points are thrown at the models, by their serial numbers."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.state.session import FeatureSession
from solver.core.arrays import Array, Integers
from solver.data.distribution import Law

#: What tells these draws from any others of the same law.
_FRESH = 71


class FreshDraw(Struct, frozen=True):
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


class GroundTruthSession(FeatureSession, frozen=True):
    """What is done with truth and stability.

    Attributes
    ----------
    ideal : bool
        The pictures show the true boundary, or the ideal one.
    bootstrap : bool
        The pictures show the boundaries of models fitted to resampled points.
    fresh_draw : FreshDraw
        Which fresh points are thrown at the models.
    fresh_going : bool
        More are thrown, one batch after the other.
    fresh_count : int
        Points of the next throw.
    resamples : int
        How many times the points are resampled.
    """

    ideal: bool = False
    bootstrap: bool = False
    fresh_draw: FreshDraw = FreshDraw()
    fresh_going: bool = False
    fresh_count: int = 1000
    resamples: int = 30

    def of_new_document(self) -> GroundTruthSession:
        return replace(self, fresh_draw=FreshDraw(), fresh_going=False)
