"""StatusLine: the bottom of the window: what was said last, else what the pointer can do where it is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QStatusBar

from app.document import Document
from app.tools import GRAB_PIXELS, Spot, nearest

SAID_FOR = 8000  # milliseconds


class StatusLine(QStatusBar):
    """Sentences and coordinates; `renew()` is called when a sentence has stood long enough."""

    def __init__(self, renew: Callable[[], None]) -> None:
        super().__init__()
        self._said = ""
        self._said_of: Document | None = None
        self._hint, self._coordinates = QLabel(), QLabel()
        self._hint.setObjectName("hint")
        self._coordinates.setObjectName("coordinates")
        self._hint.setContentsMargins(6, 0, 0, 0)
        self.addWidget(self._hint, 1)
        self.addPermanentWidget(self._coordinates)
        self._silence = QTimer(self)
        self._silence.setSingleShot(True)
        self._silence.timeout.connect(self._forget)
        self._renew = renew
        self._shown: tuple[Document, int, Spot | None] | None = None
        self._gestures = ""

    def say(self, sentence: str, document: Document) -> None:
        """Show `sentence` for a while, or until there is another document than this."""
        self._said, self._said_of = sentence, document
        self._silence.start(SAID_FOR)

    def _forget(self) -> None:
        self._said = ""
        self._renew()

    def text(self) -> str:
        """What stands there."""
        return self._hint.text()

    def show_hint(self, document: Document, active_class: int, spot: Spot | None) -> None:
        """Show what was said, or what a pointer at `spot` (None: at no picture) can do."""
        if document is not self._said_of:
            self._said = ""
        shown = self._shown
        # Each new frame asks, too; looking for the nearest of 100 000 points takes 1.5 ms.
        if shown is None or shown[0] is not document or shown[1:] != (active_class, spot):
            self._shown = (document, active_class, spot)
            self._gestures = _gestures_at(document, active_class, spot)
            self._coordinates.setText(f"x = {spot.x:.4g}   y = {spot.y:.4g}" if spot else "")
        self._hint.setText(self._said or self._gestures)
        self._hint.setToolTip(self._said)


def _gestures_at(document: Document, active_class: int, spot: Spot | None) -> str:
    if spot is None:
        return "Point at a picture: click to add points, drag to move them.  F1: keys and gestures"
    index = nearest(document, spot, GRAB_PIXELS)
    if index is None:
        return f"Click: add a point of class {active_class + 1}  ·  wheel: zoom  ·  middle drag: move the view"
    of = int(document.points.labels[index]) + 1
    return f"A point of class {of}  ·  drag: move it  ·  right click or Delete: remove it"
