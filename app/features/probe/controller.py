"""ProbeController: what the hand does with the probe: point somewhere, pin a place, type one, let go.  No Qt."""

from __future__ import annotations

import math

from app.controllers.host import Host
from app.core.points import LIMIT
from app.tools import PointerPosition

from .scene import FOLLOWERS, Place, ProbeSession, vote_at
from .tables import figure


class ProbeController:
    """Turns wishes about the probe into session changes.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._pointer: tuple[float, float] | None = None

    def aim(self, pointer: PointerPosition | None) -> None:
        """The pointer is there, or in no picture; it is followed only where panel or pictures show it."""
        session = self._host.session
        last, self._pointer = (
            self._pointer,
            None if pointer is None else (_as_seen(pointer.x, pointer.unit), _as_seen(pointer.y, pointer.unit)),
        )
        opened, pinned = bool(FOLLOWERS & session.open_panels), session.of(ProbeSession).probe is not None
        if pointer is None and opened and not pinned:
            return  # on its way to the panel: what that tells stays
        explained = "probe" in session.open_panels and not pinned
        if explained and self._pointer is not None:
            self._host.came_from = {} if last is None else self._crossed(last, self._pointer)
        self._host.point(self._pointer if opened or pinned or self._host.document.shown > 1 else None)

    def _crossed(self, last: Place, here: Place) -> dict[object, Place]:
        """Return, of each picture of neighbours, the place before the last border that the pointer has crossed."""
        document, crossed = self._host.document, dict[object, Place]()
        for slot in document.slots[: document.shown]:
            frame = self._host.results.frame(slot)
            model = None if frame is None else frame.neighbours
            if model is not None and set(vote_at(model, last).index) != set(vote_at(model, here).index):
                crossed[model] = last
            elif model in self._host.came_from:
                crossed[model] = self._host.came_from[model]
        return crossed

    def toggle(self) -> None:
        """Pin the place that is probed, or where keyboard cursor or pointer are; let go of one that is pinned."""
        session = self._host.session
        place = session.cursor or self._pointer or self._host.pointer
        if session.of(ProbeSession).probe is not None:
            self.unpin()
        elif place is not None:
            self.pin(*place)
        else:
            self._host.say(
                "Put the pointer over a picture, or call the keyboard cursor with an arrow key, then press Q."
            )

    def pin(self, x: float, y: float) -> None:
        """Keep explaining the place (x, y)."""
        place = (min(max(x, -LIMIT), LIMIT), min(max(y, -LIMIT), LIMIT))
        self._host.change(ProbeSession, probe=place)
        opened = "probe" in self._host.session.open_panels
        more = "Q unpins it." if opened else "Ctrl+8 says why it gets its class, Q unpins it."
        self._host.say(f"Pinned at ({figure(place[0])}, {figure(place[1])}). {more}")

    def unpin(self) -> None:
        """Follow the pointer again."""
        self._host.change(ProbeSession, probe=None)
        self._host.say("")

    def choose(self, index: int, pair: tuple[int, int]) -> None:
        """Look into another binary problem of the lane at place `index`; its margins are drawn, too."""
        if tuple(self._host.document.lanes[index].pair) != pair:
            self._host.set_lane(index, pair=pair)


def _as_seen(value: float, unit: float) -> float:
    """A coordinate with as many digits as pixels of size `unit` can tell apart: a tenth of a pixel at most is lost."""
    digits = math.ceil(-math.log10(0.2 * unit)) if unit > 0.0 else 15
    return round(value, min(max(digits, -15), 15))
