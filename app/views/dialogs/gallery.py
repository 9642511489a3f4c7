"""GalleryDialog: the examples as cards, each with a picture and a sentence; a click or Enter opens one."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.files.examples import EXAMPLES, Example, thumbnail
from app.views.widgets.form_fields import describe

#: Pixels of a card's picture, which the files have; and what stands around it.
PICTURE, GAP = (192, 96), 6
#: Letters in a line of a card's text: as many as it likes to have, and the least beside another card.
LETTERS, LEAST_LETTERS = 32, 18


class Card(QPushButton):
    """One example: its picture, and beside it number, title and sentence."""

    def __init__(self, number: int, example: Example) -> None:
        super().__init__()
        describe(self, f"example.{example.name}", f"{number}. {example.title}", example.sentence)
        self.setToolTip("")  # all of it is to be read already
        self.setAutoDefault(True)
        picture, text = QLabel(), QLabel()
        pixmap = QPixmap()
        pixmap.loadFromData(thumbnail(example))
        picture.setPixmap(pixmap)
        picture.setFixedSize(*PICTURE)
        text.setTextFormat(Qt.TextFormat.RichText)
        text.setText(f"<b>{number}&nbsp; {escape(example.title)}</b><br>{escape(example.sentence)}")
        text.setWordWrap(True)
        line = QHBoxLayout(self)
        line.setContentsMargins(GAP, GAP, GAP, GAP)
        line.setSpacing(2 * GAP)
        line.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(text, 1)
        for label in (picture, text):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._text = text
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        beside = width - PICTURE[0] - 4 * GAP
        return max(PICTURE[1], self._text.heightForWidth(max(beside, 120))) + 2 * GAP

    def sizeHint(self) -> QSize:
        """A button asks for room for a line of text, not for what lies in it."""
        return QSize(420, self.heightForWidth(420))

    def minimumSizeHint(self) -> QSize:
        return QSize(PICTURE[0] + 4 * GAP + 120, PICTURE[1] + 2 * GAP)


class GalleryDialog(QDialog):
    """The gallery.

    Parameters
    ----------
    parent : QWidget
    choose : callable
        ``choose(example)`` opens it, once the gallery is closed.
    """

    def __init__(self, parent: QWidget, choose: Callable[[Example], object]) -> None:
        super().__init__(parent)
        self.setObjectName("gallery")
        self.setWindowTitle("Examples")
        self._choose = choose
        letter = parent.fontMetrics().averageCharWidth()
        room, around = parent.screen().availableSize(), PICTURE[0] + 6 * GAP
        width = min(2 * (around + LETTERS * letter) + 4 * GAP, room.width() - 20)
        self._columns = 2 if width >= 2 * (around + LEAST_LETTERS * letter) else 1
        cards = QWidget()
        grid = QGridLayout(cards)
        grid.setSpacing(GAP)
        for place, example in enumerate(EXAMPLES):
            card = Card(place + 1, example)
            card.installEventFilter(self)
            card.clicked.connect(lambda checked, example=example: self._take(example))
            grid.addWidget(card, *divmod(place, self._columns))
        for column in range(self._columns):
            grid.setColumnStretch(column, 1)
        self._cards = cards.findChildren(Card)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(cards)
        self._scroll = scroll
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.setCenterButtons(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.addWidget(scroll)
        layout.addWidget(buttons)
        self.resize(width, min(cards.heightForWidth(width - 4 * GAP) + 70, room.height() - 60))
        self._cards[0].setFocus()

    def _take(self, example: Example) -> None:
        self.accept()
        self._choose(example)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrow keys go from card to card, by rows and columns; a button alone would take them in their order."""
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        keys = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -self._columns, Qt.Key.Key_Down: self._columns}
        by = keys.get(Qt.Key(event.key()))
        if by is None or watched not in self._cards:
            return False
        place = self._cards.index(watched) + by
        if 0 <= place < len(self._cards):
            self._cards[place].setFocus(Qt.FocusReason.TabFocusReason)
            self._scroll.ensureWidgetVisible(self._cards[place])
        return True
