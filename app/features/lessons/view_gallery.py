"""GalleryDialog: examples, lessons and real data as cards with a picture and a sentence; a click or Enter opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any, cast

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.exchange.real_data import TABLES
from app.files.assets import card
from app.files.examples import EXAMPLES, thumbnail
from app.views.theme import text_font
from app.views.widgets.clickable import chooser
from app.views.widgets.inputs import describe, filled, label_for, named, show_choice
from app.views.widgets.qt_dialogs import NamedDialog
from app.views.widgets.scrolling_form import Scrolled

from .model import Lesson
from .phrases import languages
from .shipped import picture, shipped

#: Size of a card's picture (pixels), as in the files; space around it (pixels).
PICTURE, GAP = (192, 96), 6
#: Size of text (pixels) that the picture's size is made for; largest factor by which the picture grows with the text.
PLAIN_TEXT, LARGEST = 13, 2.0
#: Widths of a card's text in letters: the preferred one, and the least beside another card; and least height (pixels).
LETTERS, LEAST_LETTERS, LEAST_HEIGHT = 32, 18, 520

#: Name, title, sentence and picture of a card, and what it opens.
_Row = tuple[str, str, str, bytes, object]

#: Title of each tab, by name.
TABS = {"examples": "&Examples", "lessons": "&Lessons", "data": "Real &data"}


class Card(QPushButton):
    """Card of an example or lesson: picture, number, title and sentence."""

    def __init__(self, name: str, number: int, title: str, sentence: str, picture_data: bytes, size: QSize) -> None:
        super().__init__(autoDefault=True)
        self._name, self._number, self._size = name, number, size
        picture, text = QLabel(), QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        pixmap = QPixmap()
        pixmap.loadFromData(picture_data)
        larger = size.toTuple() != PICTURE and not pixmap.isNull()
        picture.setPixmap(pixmap.scaled(size, mode=Qt.TransformationMode.SmoothTransformation) if larger else pixmap)
        picture.setFixedSize(size)
        filled(QHBoxLayout(self), (picture, 0, Qt.AlignmentFlag.AlignTop), (text, 1), margins=GAP, spacing=2 * GAP)
        for label in (picture, text):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._text = text
        self.show_words(title, sentence)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

    def show_words(self, title: str, sentence: str) -> None:
        """Show the title, after the number, and the sentence."""
        describe(self, self._name, f"{self._number}. {title}", sentence)
        self.setToolTip("")  # the card already shows the whole text
        self._text.setText(f"<b>{self._number}&nbsp; {escape(title)}</b><br>{escape(sentence)}")

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        beside = width - self._size.width() - 4 * GAP
        return max(self._size.height(), self._text.heightForWidth(max(beside, 120))) + 2 * GAP

    def sizeHint(self) -> QSize:
        """Return the size of the card's content; a button's own hint has room for one line of text only."""
        return QSize(420, self.heightForWidth(420))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._size.width() + 4 * GAP + 120, self._size.height() + 2 * GAP)


class GalleryDialog(NamedDialog):
    """The gallery.

    Parameters
    ----------
    parent : QWidget
    open_by : mapping of str to callable
        By tab, what opens an example, the name of a lesson or a table, after the gallery has closed.
    language : str
        Code of the language of the lessons.
    choose_language : callable
        ``choose_language(language)`` remembers another language.
    scores : mapping of str to (int, int)
        Of each finished lesson, the number of right predictions and the number of predictions.
    text : int
        Size of text (pixels); 0 for the window's own size.
    tab : str
        The tab shown first, one of `TABS`."""

    def __init__(
        self,
        parent: QWidget,
        open_by: Mapping[str, Callable[[Any], object]],
        language: str,
        choose_language: Callable[[str], object],
        scores: Mapping[str, tuple[int, int]],
        text: int = 0,
        tab: str = "examples",
    ) -> None:
        super().__init__(parent, "gallery", "Examples, lessons and data")
        self.setFont(text_font(text))
        letter = self.fontMetrics().averageCharWidth()
        size = QSize(*PICTURE) * min(max(text / PLAIN_TEXT, 1.0), LARGEST)
        room, around = parent.screen().availableSize(), size.width() + 6 * GAP
        width = min(2 * (around + LETTERS * letter) + 4 * GAP, room.width() - 20)
        self._columns = 2 if width >= 2 * (around + LEAST_LETTERS * letter) else 1
        self._tabs = named(QTabWidget(), "gallery.tabs")
        self._scores, self._choose_language, self._size = scores, choose_language, size
        dark = self.palette().window().color().lightness() < 128
        self._rows: tuple[Callable[[], list[_Row]], ...] = (
            lambda: [
                (f"example.{each.name}", each.title, each.sentence, thumbnail(each, dark), each) for each in EXAMPLES
            ],
            lambda: [
                (f"lesson.{row.name}", *_words(row, scores), picture(row.name, dark), row.name)
                for row in shipped(self._of_lessons[1].currentData())
            ],
            lambda: [
                (f"data.{each.name}", each.title, each.sentence, card("data", each.name, dark), each) for each in TABLES
            ],
        )
        self._open_by, self._cards = open_by, {name: list[Card]() for name in TABS}
        for title in TABS.values():
            self._tabs.addTab(Scrolled(QWidget()), title)
        languages = self._language_choice(language)
        self._of_lessons = (label_for("Language of the lessons", languages), languages)
        self._tabs.currentChanged.connect(self._show_tab)
        buttons = self.button_box()
        buttons.setCenterButtons(False)
        filled(QVBoxLayout(self), self._tabs, filled(QHBoxLayout(), *self._of_lessons, (buttons, 1)), margins=GAP)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setDefault(True)  # else Return in the choice of a language would open a lesson
        self.show_tab(tab)
        cards = cast(QWidget, cast(QScrollArea, self._tabs.currentWidget()).widget())
        height = max(cards.heightForWidth(width - 4 * GAP) + 110, LEAST_HEIGHT)
        self.resize(width, min(height, room.height() - 60))

    def _language_choice(self, language: str) -> QComboBox:
        """Return the choice of the lessons' language, set to `language`."""
        choice = chooser(
            "gallery.language",
            "Language of the lessons",
            "Texts and buttons of the lessons; the window stays English.",
            self._change_language,
            ((title, code) for code, title in languages().items()),
        )
        show_choice(choice, language)
        return choice

    def _change_language(self, language: str) -> None:
        """Show the lessons in another language, and remember the choice."""
        self._choose_language(language)
        for row in shipped(language):
            made = self.findChild(Card, f"lesson.{row.name}")
            if made is not None:
                made.show_words(*_words(row, self._scores))

    def _show_tab(self, tab: int) -> None:
        """Show a tab, whose cards are created at the first time; below lessons, show the choice of the language."""
        called = list(TABS)[tab]
        for widget in self._of_lessons:
            widget.setVisible(called == "lessons")
        if self._cards[called]:
            return
        page = QWidget()
        grid = QGridLayout(page)
        grid.setSpacing(GAP)
        for index, (name, title, sentence, data, what) in enumerate(self._rows[tab]()):
            made = Card(name, index + 1, title, sentence, data, self._size)
            made.installEventFilter(self)
            made.clicked.connect(self._opens(self._open_by[called], what))
            grid.addWidget(made, *divmod(index, self._columns))
            self._cards[called].append(made)
        for column in range(self._columns):
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(len(self._cards[called]), 1)  # few cards stay as high as they are
        cast(QScrollArea, self._tabs.widget(tab)).setWidget(page)

    def show_tab(self, tab: str) -> None:
        """Show the examples, the lessons or the data, and focus the first card."""
        self._tabs.setCurrentIndex(list(TABS).index(tab))
        self._show_tab(self._tabs.currentIndex())
        for first in self._cards[tab][:1]:
            first.setFocus()

    def _opens(self, act: Callable[[Any], object], what: object) -> Callable[[], object]:
        def run() -> None:
            self.accept()
            act(what)

        return run

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move the focus from card to card, by rows and columns; a button alone would move it in tab order."""
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        keys = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -self._columns, Qt.Key.Key_Down: self._columns}
        by = keys.get(Qt.Key(event.key()))
        cards = next((each for each in self._cards.values() if watched in each), None)
        if by is None or cards is None or not isinstance(watched, Card):
            return False
        index = cards.index(watched) + by
        if 0 <= index < len(cards):
            cards[index].setFocus(Qt.FocusReason.TabFocusReason)
            cast(QScrollArea, self._tabs.currentWidget()).ensureWidgetVisible(cards[index])
        return True


def _words(row: Lesson, scores: Mapping[str, tuple[int, int]]) -> tuple[str, str]:
    """Return title and sentence of a lesson ("5 minutes, beginner"); of a finished one with a tick and its score."""
    about = ", ".join(each for each in (f"{row.minutes} minutes" if row.minutes else "", row.level) if each)
    if row.name not in scores:
        return row.title, about
    right, asked = scores[row.name]
    return f"{row.title} ✓", f"{about}, predicted right: {right} of {asked}" if asked else about
