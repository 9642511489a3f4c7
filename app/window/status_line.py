"""StatusLine: the last message, else a hint on what the pointer can do at its location."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QStatusBar

from app.core.number_format import count
from app.core.plain_text import first_line, plain
from app.scene.text import stacked
from app.state.document import Document
from app.state.session import Session
from app.tools import TOOLS, PointerPosition, point_at
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.inputs import named, plain_tip
from app.views.widgets.stable_label import StableLabel

SHOWN_FOR = 8000  # duration of a message (ms)


class StatusLine(QStatusBar):
    """Messages and coordinates; `renew()` is called when a message has been shown long enough."""

    def __init__(self, renew: Callable[[], None]) -> None:
        super().__init__()
        #: The message that is displayed, or "".
        self.message = self._tip = ""
        self._subject: Document | None = None
        self._hint = named(ElidedLabel(textFormat=Qt.TextFormat.PlainText), "hint")  # it contains names
        self._hint.setContentsMargins(6, 0, 0, 0)
        self._location, self._progress = StableLabel(), named(QLabel(), "progress")
        self._coordinates = named(self._location.label, "coordinates")
        self._progress.hide()
        self._line = StableLabel(self._hint)
        self.addWidget(self._line, 1)
        self.addPermanentWidget(self._progress)
        self.addPermanentWidget(self._location)
        self._silence = QTimer(self, singleShot=True)
        self._silence.timeout.connect(self._forget)
        self._renew = renew
        self._hint_inputs: tuple[Document, Session, PointerPosition | None] | None = None
        self._gestures = ""

    def say(self, sentence: str, document: Document) -> None:
        """Show `sentence` for a while, or until the document is another."""
        self.message, self._subject = plain(sentence), document
        self._tip = plain_tip(sentence)
        self._silence.start(SHOWN_FOR)

    def _forget(self) -> None:
        self.message = ""
        self._renew()

    def show_progress(self, text: str) -> None:
        """Show the progress of background work, or hide it with ""."""
        self._progress.setText(text)
        self._progress.setVisible(bool(text))

    def text(self) -> str:
        """Return the displayed text."""
        return self._hint.text()

    def show_hint(self, document: Document, session: Session, pointer: PointerPosition | None) -> None:
        """Show the message, or a hint on what the pointer can do at `pointer` (None: over no picture)."""
        if document is not self._subject:
            self.message, self._subject = "", None  # which would keep all of a document that was closed
        # Called for each new frame, too; the search for the nearest of 100 000 points takes 1.5 ms.
        inputs = (document, session, pointer)
        if inputs != self._hint_inputs:
            self._hint_inputs = inputs
            self._gestures = _gestures_at(document, session, pointer)
            at = (pointer.x, pointer.y) if pointer else session.cursor
            x, y = document.location_text(at or (0.0, 0.0))
            self._coordinates.setText(f"x = {x}   y = {y}" if at else "")
            self._location.grow()
        self._hint.setText(self.message or self._gestures)
        self._line.grow()
        rest = "" if self._hint.is_whole() else plain_tip(self._hint.text())
        self._hint.setToolTip(self._tip if self.message else rest)


def _gestures_at(document: Document, session: Session, pointer: PointerPosition | None) -> str:
    if session.gesture_hint:
        return session.gesture_hint
    if session.tool == "pointer" and pointer is not None:
        return _click_at(document, session, pointer)
    if selected := len(session.selection):
        what = "it" if selected == 1 else "them"
        index = document.points.indices_of(session.selection.ids)
        here = stacked(document, int(index[0])) if len(index) == 1 else ""
        more = f", of {document.class_name(int(document.points.labels[index[0]]))}; {here}  ·  Tab: the next"
        return (
            f"{count(selected, 'point')} selected{more if here else ''}  ·  drag or arrow keys: move {what}"
            f"  ·  Delete: remove {what}  ·  Ctrl+D: duplicate  ·  Ctrl+R: relabel  ·  Esc: select none"
        )
    if session.tool != "pointer":
        kind = TOOLS[session.tool]
        return f"{kind.title}: {kind.sentence}"
    if session.cursor is not None:
        return "Arrow keys: move the cursor  ·  Enter: add a point  ·  Delete: remove the nearest  ·  Esc: hide it"
    if idle := session.idle_hint or first_line(document.notes):
        return idle
    return "Click adds points, dragging moves them  ·  Examples: Ctrl+Shift+O  ·  Help: F1  ·  Simple or full: F8"


def _click_at(document: Document, session: Session, pointer: PointerPosition) -> str:
    """Return a hint on what the point tool does at `pointer`."""
    index, selected = point_at(document, pointer), len(session.selection)
    if index is None:
        name = document.class_name(session.active_class)
        if selected:
            return (
                f"Click: add a point of {name}, select none  ·  {count(selected, 'point')} selected: arrow keys move,"
                " Delete removes  ·  Shift+drag: select more"
            )
        return (
            f"Click: add a point of {name}  ·  Shift+drag: select points  ·  wheel: zoom  ·  middle drag: move the view"
        )
    points, here, stack = document.points, stacked(document, index), document.points.stack(index)
    picked = stack[np.isin(points.ids[stack], session.selection.ids)]
    of = document.class_name(int(points.labels[picked[-1] if len(picked) else index]))
    if not len(picked):
        more = "  ·  Shift+click: it as well" if selected else "  ·  Delete: remove it"
        what = f"{here}  ·  click: select them in turn" if here else f"A point of {of}  ·  click: select it"
        return f"{what}  ·  drag: move it{more}  ·  right click: menu"
    if selected == 1:
        what = f"; {here}  ·  click or Tab: the next" if here else ""
        return (
            f"The selected point, of {of}{what}  ·  drag or arrow keys: move it  ·  Delete: remove it"
            "  ·  right click: menu"
        )
    return (
        f"One of {count(selected, 'selected point')}  ·  drag: move them  ·  click: select only it"
        "  ·  Ctrl+click: leave it out  ·  Delete: remove them  ·  right click: menu"
    )
