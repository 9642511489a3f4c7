"""GroundTruthController: boundaries and bootstrap models on and off, fresh points.  No Qt."""

from __future__ import annotations

from msgspec.structs import replace

from app.controllers.host import Host
from app.state.law import law_of

from . import text
from .bootstrap import LEAST, MOST
from .state import FreshDraw, GroundTruthSession

#: Fewest and most points of one throw, and most of all throws that add up.
FEWEST_POINTS, MOST_POINTS, MOST_TOGETHER = 10, 100_000, 1_000_000


class GroundTruthController:
    """Turns wishes about truth and stability into session changes.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def _now(self) -> GroundTruthSession:
        return self._host.session.of(GroundTruthSession)

    def toggle_ideal(self) -> None:
        """Show or hide the true or ideal boundary, and say which it is."""
        self._host.change(GroundTruthSession, ideal=not self._now.ideal)
        if self._now.ideal:
            document = self._host.document
            law = law_of(document.origin) if len(document.points) else None
            sentence = text.boundary_name(law)
            self._host.say(f"{sentence}." if law is not None else f"{sentence}: no generator made these points.")

    def set_resamples(self, number: int) -> None:
        """How many times the points are resampled."""
        self._host.change(GroundTruthSession, resamples=min(max(number, LEAST), MOST))

    def set_count(self, count: int) -> None:
        """Points of the next throw; those that lie there stay until then."""
        self._host.change(GroundTruthSession, fresh_count=min(max(count, FEWEST_POINTS), MOST_POINTS))

    def draw_fresh(self) -> None:
        """Throw new points in place of those thrown before."""
        last = self._now.fresh_draw
        self._host.change(GroundTruthSession, fresh_draw=FreshDraw(self._now.fresh_count, last.first + last.batches, 1))

    def draw_more_fresh(self) -> None:
        """As many once more, beside those thrown before; with another count, instead of them."""
        last, count = self._now.fresh_draw, self._now.fresh_count
        if not last.batches or last.count != count:
            self.draw_fresh()
        elif last.total + count <= MOST_TOGETHER:
            self._host.change(GroundTruthSession, fresh_draw=replace(last, batches=last.batches + 1))
        else:
            self._host.change(GroundTruthSession, fresh_going=False)

    def keep_drawing_fresh(self, going: bool) -> None:
        """Go on throwing, or stop."""
        self._host.change(GroundTruthSession, fresh_going=going)

    def pick_up(self) -> None:
        """Take the fresh points away."""
        last = self._now.fresh_draw
        self._host.change(
            GroundTruthSession, fresh_draw=FreshDraw(last.count, last.first + last.batches), fresh_going=False
        )
