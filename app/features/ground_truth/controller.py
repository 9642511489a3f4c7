"""GroundTruthController: switch boundaries and bootstrap models, draw new points.  No Qt."""

from __future__ import annotations

from msgspec.structs import replace

from app.controllers.host import SubjectController
from app.state.law import law_of

from . import text
from .bootstrap import LEAST, MOST
from .fresh_points import FreshDraw
from .model import GroundTruthSession

#: Smallest and largest number of points of one draw, and largest number of draws that add up.
FEWEST_POINTS, MOST_POINTS, MOST_TOGETHER = 10, 100_000, 1_000_000


class GroundTruthController(SubjectController):
    """Translate user actions on truth and stability into session changes."""

    @property
    def _now(self) -> GroundTruthSession:
        return self._host.session.of(GroundTruthSession)

    def toggle_ideal(self) -> None:
        """Show or hide the true or ideal boundary, and report which one it is."""
        self._host.change(GroundTruthSession, ideal=not self._now.ideal)
        if self._now.ideal:
            document = self._host.document
            law = law_of(document.origin) if len(document.points) else None
            sentence = text.boundary_name(law)
            self._host.say(f"{sentence}." if law is not None else f"{sentence}: no generator made these points.")

    def set_resamples(self, number: int) -> None:
        """Set the number of resamples."""
        self._host.change(GroundTruthSession, resamples=min(max(number, LEAST), MOST))

    def set_count(self, count: int) -> None:
        """Set the number of points of the next draw; the present ones stay until then."""
        self._host.change(GroundTruthSession, fresh_count=min(max(count, FEWEST_POINTS), MOST_POINTS))

    def draw_fresh(self) -> None:
        """Draw new points in place of the present ones."""
        last = self._now.fresh_draw
        self._host.change(GroundTruthSession, fresh_draw=FreshDraw(self._now.fresh_count, last.first + last.batches, 1))

    def draw_more_fresh(self) -> None:
        """Draw as many points again, in addition to the present ones; with another number, in their place."""
        last, count = self._now.fresh_draw, self._now.fresh_count
        if not last.batches or last.count != count:
            self.draw_fresh()
        elif last.total + count <= MOST_TOGETHER:
            self._host.change(GroundTruthSession, fresh_draw=replace(last, batches=last.batches + 1))
        else:
            self._host.change(GroundTruthSession, fresh_going=False)

    def keep_drawing_fresh(self, going: bool) -> None:
        """Continue to draw, or stop."""
        self._host.change(GroundTruthSession, fresh_going=going)

    def pick_up(self) -> None:
        """Remove the new points."""
        last = self._now.fresh_draw
        self._host.change(
            GroundTruthSession, fresh_draw=FreshDraw(last.count, last.first + last.batches), fresh_going=False
        )
