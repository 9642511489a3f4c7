"""StartButtons: a sentence, and a button for each command that continues from an empty picture or panel."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QFontInfo
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout

from app.scene.model import StartOffer
from app.views.theme import LARGE, text_font
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.inputs import describe, filled, named, show_or_hide

#: Texts of the buttons.
TEXTS = {"examples": "Examples and lessons…", "paste": "Paste", "open": "Open…", "add_lane": "Add a classifier"}
#: Margin, and the largest text beside which that of an offer is larger still (pixels).
MARGIN, USUAL = 6, 15


class StartButtons(QFrame):
    """A frame of command buttons, hidden if nothing is offered; a click on a button triggers its action.

    Parameters
    ----------
    name : str
        Object name, and prefix of the buttons' names.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._actions: Mapping[str, QAction] = {}
        self._offer: StartOffer | None = None
        self._label = named(QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter), f"{name}.sentence")
        self._buttons = {each: self._button(each) for each in TEXTS}
        self._rows = ButtonRows(list(self._buttons.values()))
        filled(QVBoxLayout(self), self._label, self._rows, margins=MARGIN, spacing=MARGIN)
        self.hide()

    def _button(self, name: str) -> QPushButton:
        button = describe(QPushButton(TEXTS[name]), f"{self.objectName()}.{name}", TEXTS[name].rstrip("…"), "")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard focus with the picture
        button.clicked.connect(lambda: self._actions[name].trigger())
        return button

    def _dress(self) -> None:
        """Show large text if that is wanted, else that of the frame, which the caller sets."""
        own = QFontInfo(self.font()).pixelSize()
        large = self._offer is not None and self._offer.large and own <= USUAL
        for part in (self._label, self._rows):
            part.setFont(text_font(round(LARGE * own) if large else 0))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._dress()

    def height_at(self, width: int) -> int:
        """Return the height that all of it needs at this width."""
        frame = self.contentsMargins()
        self._rows.resize(width - frame.left() - frame.right() - 2 * MARGIN, self._rows.height())
        wanted = self.heightForWidth(width)  # -1 without a sentence: nothing else wraps
        return wanted if wanted > 0 else self.sizeHint().height()

    def show_offer(self, offer: StartOffer | None, actions: Mapping[str, QAction]) -> bool:
        """Show what is offered, or nothing; return True if that has changed."""
        self._actions = actions
        if offer is not None:
            for name in offer.actions:
                self._buttons[name].setEnabled(actions[name].isEnabled())
                self._buttons[name].setToolTip(actions[name].toolTip())
        if offer == self._offer:
            return False
        self._offer = offer
        if offer is not None:
            show_or_hide(self._label, offer.sentence)
            self._rows.show_only([self._buttons[name] for name in offer.actions])
            self._dress()
        self.setVisible(offer is not None)
        return True
