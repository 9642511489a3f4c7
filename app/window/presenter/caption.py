"""Caption: in presenter mode, a line above the pictures with the name of the document or example, and its sentence."""

from __future__ import annotations

import math

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QLabel

from app.controllers.controller import Controller
from app.core.plain_text import first_line, plain
from app.views.theme import text_font
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.fitted import FittedWidget
from app.views.widgets.inputs import filled, named

#: Margin at the sides, gap between name and sentence (pixels); least text of the sentence as a share of the mode's.
SIDE, GAP, LEAST = 8, 12, 0.7


class Caption(FittedWidget):
    """One line; hidden if it is empty, and while another document than the user's is staged."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self._text = 0
        self._name, self._sentence = named(QLabel(), "presenter.name"), named(ElidedLabel(), "presenter.sentence")
        filled(QHBoxLayout(self), self._name, (self._sentence, 1), margins=(SIDE, 1, SIDE, 1), spacing=GAP)
        self.hide()

    def show_document(self, text: int) -> None:
        """Show the name and the sentence of the document in text of size `text` (pixels)."""
        name, sentence = self._texts()
        self._name.setText(f"<b>{plain(name)}</b>" if name else "")
        self._name.setVisible(bool(name))
        if self._sentence.text() != sentence:
            self._sentence.setText(sentence)
            self._sentence.setToolTip(sentence)
            self.fit()
        self._text = text
        self.setFont(text_font(text))
        self.setVisible(bool(name or sentence))

    def fit(self) -> None:
        """Make the sentence as large as fits, within limits."""
        if not self._text:
            return
        room = self.width() - 2 * SIDE - (self._name.sizeHint().width() + GAP if self._name.text() else 0)
        needed = QFontMetrics(self.font()).horizontalAdvance(self._sentence.text()) + 2
        size = max(round(LEAST * self._text), math.floor(self._text * min(1.0, room / needed)))
        self._sentence.setFont(text_font(size))

    def _texts(self) -> tuple[str, str]:
        store, example = self._controller.store, self._controller.examples.present
        if self._controller.aside is not None:
            return "", ""
        if example is not None:
            return example.title, example.sentence
        return (store.path.stem if store.path is not None else ""), first_line(store.document.notes)
