"""ProbeController: user actions on the probe: point at a location, pin one, type one, unpin it.  No Qt."""

from __future__ import annotations

import math

from app.controllers.host import Host
from app.core.points import LIMIT
from app.tools import PointerPosition

from .scene import FOLLOWERS, Location, ProbeSession, vote_at


class ProbeController:
    """Translate user actions on the probe into session changes.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._pointer: tuple[float, float] | None = None

    def aim(self, pointer: PointerPosition | None) -> None:
        """Follow the pointer to another location, or out of the pictures, if panel or pictures display it."""
        session = self._host.session
        last, self._pointer = (
            self._pointer,
            None
            if pointer is None
            else (_as_displayed(pointer.x, pointer.unit), _as_displayed(pointer.y, pointer.unit * pointer.ratio)),
        )
        opened, pinned = bool(FOLLOWERS & session.open_panels), session.of(ProbeSession).probe is not None
        if pointer is None and opened and not pinned:
            return  # the pointer is on its way to the panel, which keeps its contents
        explained = "probe" in session.open_panels and not pinned
        if explained and self._pointer is not None:
            self._host.came_from = {} if last is None else self._crossed(last, self._pointer)
        self._host.point(self._pointer if opened or pinned or self._host.document.shown > 1 else None)

    def _crossed(self, last: Location, here: Location) -> dict[object, Location]:
        """Return, for each model of neighbours, the location before the pointer crossed the last cell edge."""
        document, crossed = self._host.document, dict[object, Location]()
        for slot in document.slots[: document.shown]:
            frame = self._host.results.frame(slot)
            model = None if frame is None else frame.neighbours
            if model is not None and set(vote_at(model, last).index) != set(vote_at(model, here).index):
                crossed[model] = last
            elif model in self._host.came_from:
                crossed[model] = self._host.came_from[model]
        return crossed

    def toggle(self) -> None:
        """Pin the probed location, or that of the keyboard cursor or pointer; unpin a pinned one."""
        session = self._host.session
        location = session.cursor or self._pointer or self._host.pointer
        if session.of(ProbeSession).probe is not None:
            self.unpin()
        elif location is not None:
            self.pin(*location)
        else:
            self._host.say(
                "Put the pointer over a picture, or call the keyboard cursor with an arrow key, then press Q."
            )

    def pin(self, x: float, y: float) -> None:
        """Pin the location (x, y)."""
        location = (min(max(x, -LIMIT), LIMIT), min(max(y, -LIMIT), LIMIT))
        self._host.change(ProbeSession, probe=location)
        opened = "probe" in self._host.session.open_panels
        more = "Q unpins it." if opened else "Ctrl+8 explains why it gets its class, Q unpins it."
        at = ", ".join(self._host.document.location_text(location))
        self._host.say(f"Pinned at ({at}). {more}")

    def unpin(self) -> None:
        """Follow the pointer again."""
        self._host.change(ProbeSession, probe=None)
        self._host.say("")

    def choose(self, index: int, pair: tuple[int, int]) -> None:
        """Choose another binary problem of lane `index`; its margins are drawn as well."""
        if tuple(self._host.document.lanes[index].pair) != pair:
            self._host.set_lane(index, pair=pair)


def _as_displayed(value: float, unit: float) -> float:
    """Return a coordinate rounded to less than a tenth of a pixel of size `unit`."""
    digits = math.ceil(-math.log10(0.2 * unit)) if unit > 0.0 else 15
    return round(value, min(max(digits, -15), 15))
