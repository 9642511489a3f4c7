"""PresentingController: presenter mode, its spotlight and its pen.  No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.state.host import Host
from app.state.session import PenStroke, Presenting


class PresentingController:
    """Changes nothing but the session: what is shown to many leaves no trace.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def _now(self) -> Presenting | None:
        return self._host.session.presenting

    def _change(self, **changes: Any) -> None:
        if self._now is not None:
            self._host.set_session(presenting=replace(self._now, **changes))

    def toggle(self) -> None:
        """Show the pictures to many, or everything as before."""
        self._host.set_session(presenting=Presenting() if self._now is None else None)

    def end(self) -> None:
        """Everything as before."""
        self._host.set_session(presenting=None)

    def light(self, on: bool) -> None:
        """Darken all but a disc at the pointer, or nothing."""
        self._change(spotlight=on)

    def toggle_light(self) -> None:
        """Switch the spotlight on or off."""
        if self._now is not None:
            self.light(not self._now.spotlight)

    def toggle_pen(self) -> None:
        """Have the mouse draw over the pictures, or use the tool again."""
        if self._now is not None:
            self._change(pen=not self._now.pen)

    def begin(self, lane: int, x: float, y: float) -> None:
        """Put the pen down on the picture of a lane."""
        if self._now is not None:
            self._change(strokes=(*self._now.strokes, PenStroke(self._host.document.slots[lane], ((x, y),))))

    def go_on(self, x: float, y: float) -> None:
        """Draw on to (x, y)."""
        if self._now is not None and self._now.strokes:
            *others, last = self._now.strokes
            self._change(strokes=(*others, replace(last, xy=(*last.xy, (x, y)))))

    def clear(self) -> None:
        """Take away what the pen has drawn."""
        self._change(strokes=())
