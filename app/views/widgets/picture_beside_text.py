"""PictureBesideText: a picture with text below it, or beside it if the widget is wide; or one plain sentence."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QLabel, QVBoxLayout, QWidget

from app.views.widgets.inputs import filled, named, show_or_hide

from .fitted import FittedWidget
from .scrolling_form import LEAST_HEIGHT, ScrollingForm

#: Ratio of width to height from which the text is beside the picture.
WIDE = 1.6


class PictureBesideText(FittedWidget):
    """A picture with a line and texts below or beside it.

    Parameters
    ----------
    name : str
        Object name of the plain sentence.
    picture : QWidget
        Gets all room that the text leaves.
    line : QWidget
        Always visible.
    texts : sequence of QWidget
        Below the line; they scroll if they do not fit.
    """

    def __init__(self, name: str, picture: QWidget, line: QWidget, texts: tuple[QWidget, ...]) -> None:
        super().__init__()
        form = QWidget()
        filled(QVBoxLayout(form), *texts, 1, margins=(0, 0, 4, 0), spacing=4)
        self._scrolled = ScrollingForm(form)
        words = QWidget()
        filled(QVBoxLayout(words), line, (self._scrolled, 1), margins=0)
        self._drawn = QWidget()
        parts = QBoxLayout(QBoxLayout.Direction.TopToBottom, self._drawn)
        self._parts = filled(parts, (picture, 1), words, margins=0)
        self._plain = named(QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter), name)
        self._plain.hide()
        filled(QVBoxLayout(self), (self._drawn, 1), (self._plain, 1), margins=(8, 6, 8, 6))

    def show_plain(self, sentence: str) -> None:
        """Show `sentence` in place of everything; show everything again if it is ""."""
        show_or_hide(self._plain, sentence)
        self._drawn.setVisible(not sentence)

    def fit(self) -> None:
        wide = self.width() > WIDE * self.height()
        ways = QBoxLayout.Direction
        self._parts.setDirection(ways.LeftToRight if wide else ways.TopToBottom)
        self._parts.setStretch(0, 3 if wide else 1)
        self._parts.setStretch(1, 2 if wide else 0)
        self._scrolled.setMaximumHeight(16_777_215 if wide else max(2 * self.height() // 5, LEAST_HEIGHT))
