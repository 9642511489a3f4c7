"""NotesPanel: the notes of the document; typing without a long pause is one undo step."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QSignalBlocker, QSize, QTimer
from PySide6.QtGui import QFocusEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.changed_text import replace_changed
from app.views.widgets.inputs import describe, is_undo

PAUSE = 2000  # time without a key that ends a period of writing (ms)
#: Length of a word (characters) above which a line may end anywhere: Qt searches such a word for its end again for each
#: of its lines, 0.5 s per key at 100 000 characters.
LONGEST_WORD = 2000
_Wrap = QTextOption.WrapMode


class NotesPanel(QPlainTextEdit):
    """A field for plain text, with the document's undo instead of its own."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(undoRedoEnabled=False, tabChangesFocus=True)
        self._controller = controller
        self._shown = ""
        self._writing: object = object()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self._end_of_writing)
        describe(self, "notes", "Notes", "Notes on this document; they are saved with it.")
        self.setToolTip("")
        self.setPlaceholderText("What to observe, what to ask…\nNotes are saved with the document.")
        self.textChanged.connect(self._written)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 100)

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's notes; if only a part of them changed, the cursor moves there."""
        if scene.document.notes != self._shown:
            self._show(scene.document.notes)

    def _show(self, text: str) -> None:
        old, new = self.toPlainText(), text.replace("\r\n", "\n").replace("\r", "\n")
        self._shown = text
        like_qt = new.replace("\xa0", " ")  # Qt returns such spaces as plain ones
        if old == like_qt:
            return
        self._wrap(new, widen=False)
        with QSignalBlocker(self):  # `textChanged` does not tell typed text from text set here
            cursor = replace_changed(self.document(), old, like_qt)
        self._wrap(new)
        self.setTextCursor(cursor)
        self.viewport().update()

    def _written(self) -> None:
        text = self.toPlainText()
        if text == self._shown:
            return
        self._shown = text
        self._wrap(self.document().toRawText() if len(text) > LONGEST_WORD else text)
        self._pause.start()
        self._controller.set_notes(text, self._writing)
        if len(self._controller.document.notes) < len(text):
            self._show(self._controller.document.notes)
            self._controller.say("The notes are full: they hold 100 000 characters.")

    def _wrap(self, text: str, widen: bool = True) -> None:
        """Break lines between words, but anywhere if `text` has a very long word; with `widen` also restore that."""
        words = text.replace("\xa0", "_").split() if len(text) > LONGEST_WORD else []  # no line ends at such a space
        long = max(map(len, words), default=0) > LONGEST_WORD
        mode = _Wrap.WrapAnywhere if long else _Wrap.WrapAtWordBoundaryOrAnywhere
        if mode != self.wordWrapMode() and (long or widen):
            self.setWordWrapMode(mode)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self._wrap(source.text(), widen=False)  # before Qt lays it out
        super().insertFromMimeData(source)

    def _end_of_writing(self) -> None:
        self._pause.stop()
        self._writing = object()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._end_of_writing()

    def event(self, event: QEvent) -> bool:
        if is_undo(event):
            event.ignore()
            return False
        return super().event(event)
