"""PresentingController: presenter mode, the audience window, spotlight and pen.  No Qt."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from app.controllers.host import SubjectController
from app.state.session import PenStroke, Presenting


class PresentingController(SubjectController):
    """Change only the session: presenting leaves no trace in the document."""

    @property
    def _state(self) -> Presenting:
        return self._host.session.presenting or Presenting()

    def _change(self, **changes: Any) -> None:
        """Change what is shown, but only while presenting."""
        if self._host.session.presenting is not None:
            self._host.set_session(presenting=replace(self._state, **changes))

    def _show(self, **where: Any) -> None:
        """Show the pictures here, on an audience window, or on neither."""
        state = replace(self._host.session.presenting or Presenting(here=False), **where)
        if not state.audience:
            state = replace(state, frozen=False, peek=False)
        self._host.set_session(presenting=state if state.here or state.audience else None)

    def toggle(self) -> None:
        """Begin or end presenter mode."""
        self._show(here=not self._host.session.presents_here)

    def end(self) -> None:
        """End presenter mode."""
        self._show(here=False)

    def toggle_audience(self) -> None:
        """Open or close the audience window."""
        self._show(audience=not self._host.session.has_audience)

    def toggle_frozen(self) -> None:
        """Freeze the audience's pictures, or let them follow again."""
        self._change(frozen=not self._state.frozen)

    def toggle_peek(self) -> None:
        """Uncover here what is covered for the audience, or cover it here as well."""
        self._change(peek=not self._state.peek)

    def light(self, on: bool) -> None:
        """Darken everything except a disc around the pointer, or nothing."""
        self._change(spotlight=on)

    def toggle_light(self) -> None:
        """Switch the spotlight on or off."""
        self.light(not self._state.spotlight)

    def toggle_pen(self, ink: int = 0) -> None:
        """Let the mouse draw over the pictures in one of the two colours, or use the tool again."""
        drawing = self._state.pen and not self._state.erasing and self._state.ink == ink
        self._change(pen=not drawing, ink=ink, erasing=False)

    def toggle_eraser(self) -> None:
        """Let the mouse erase lines of the pen, or use the tool again."""
        erasing = self._state.pen and self._state.erasing
        self._change(pen=not erasing, erasing=not erasing)

    def begin(self, lane: int, x: float, y: float) -> None:
        """Begin a line of the pen on the picture of a lane."""
        stroke = PenStroke(self._host.document.slots[lane], ((x, y),), self._state.ink)
        self._change(strokes=(*self._state.strokes, stroke))

    def go_on(self, x: float, y: float) -> None:
        """Continue the line to (x, y)."""
        if self._state.strokes:
            *others, last = self._state.strokes
            self._change(strokes=(*others, replace(last, xy=(*last.xy, (x, y)))))

    def erase(self, lane: int, x: float, y: float, reach: float) -> None:
        """Erase the lines on the picture of a lane that pass within `reach` of (x, y), a length along x."""
        slot, strokes, ratio = self._host.document.slots[lane], self._state.strokes, self._host.document.view.ratio
        kept = tuple(each for each in strokes if each.slot != slot or _distance(each, x, y, ratio) > reach)
        if len(kept) < len(strokes):
            self._change(strokes=kept)

    def clear(self) -> None:
        """Erase everything drawn with the pen."""
        self._change(strokes=())


def _distance(stroke: PenStroke, x: float, y: float, ratio: float) -> float:
    """Return the distance on screen of (x, y) from a line, in units of x, where the view has this `ratio`."""
    corners = (np.array(stroke.xy) - (x, y)) / (1.0, ratio)
    first, last = (corners, corners) if len(corners) == 1 else (corners[:-1], corners[1:])
    along = last - first
    squared = np.maximum((along * along).sum(axis=1), np.finfo(float).tiny)
    share = np.clip(-(first * along).sum(axis=1) / squared, 0.0, 1.0)
    return float(np.hypot(*(first + share[:, None] * along).T).min())
