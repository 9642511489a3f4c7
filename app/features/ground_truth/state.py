"""FreshDraw: which new points are drawn, by their serial numbers; GroundTruthSession: the user's choices."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.state.session import FeatureSession
from solver.core.arrays import Array, Integers
from solver.data.distribution import Law

#: Seed that distinguishes these draws from all others of the same law.
_FRESH = 71


class FreshDraw(Struct, frozen=True):
    """New points: `batches` of `count` points each, numbered from `first`; the same numbers give the same points.

    There are no points while `batches` is 0.
    """

    count: int = 1000
    first: int = 1
    batches: int = 0

    @property
    def total(self) -> int:
        """Number of points."""
        return self.count * self.batches

    @property
    def last(self) -> int:
        """Number of the last batch."""
        return self.first + self.batches - 1

    def points(self, law: Law, batch: int) -> tuple[Array, Integers]:
        """Return locations (count, 2) and classes (count,) of one batch, counted from 0."""
        return law.draw(self.count, (_FRESH, self.first + batch))


class GroundTruthSession(FeatureSession, frozen=True):
    """The user's choices for truth and stability.

    Attributes
    ----------
    ideal : bool
        True if the pictures show the true boundary, or the ideal one.
    bootstrap : bool
        True if the pictures show the boundaries of models fitted to resampled points.
    fresh_draw : FreshDraw
        The new points that are drawn.
    fresh_going : bool
        True while more are drawn, one batch after the other.
    fresh_count : int
        Number of points of the next draw.
    resamples : int
        Number of resamples.
    """

    ideal: bool = False
    bootstrap: bool = False
    fresh_draw: FreshDraw = FreshDraw()
    fresh_going: bool = False
    fresh_count: int = 1000
    resamples: int = 30

    def of_new_document(self) -> GroundTruthSession:
        return replace(self, fresh_draw=FreshDraw(), fresh_going=False)
