"""ShareDialog: what a share text of the document has come to, and what is not in it."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase, QTextOption
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.exchange.share_text import MOST_POINTS, moves
from app.state.document import Document
from app.state.number_format import count
from app.views.widgets.form_fields import describe, filled, named

LEFT_OUT = "Not in the text: notes, the generator, and what standardised points were standardised by."


def rounding(document: Document) -> str:
    """By how much points are moved at most, in a sentence."""
    x, y = moves(document)
    if x == y == 0:
        return "Points are kept at 12 bits; none of these is moved by that."
    return f"Points are kept at 12 bits: x moves by at most {_at_most(x)}, y by at most {_at_most(y)}."


def _at_most(value: float) -> str:
    """0.000366 -> "0.0004": one digit, rounded up."""
    if value == 0:
        return "0"
    unit = 10.0 ** math.floor(math.log10(value))
    rounded = math.ceil(value / unit * (1 - 1e-12)) * unit
    return f"{rounded:.0f}" if 1 <= rounded < 1e5 else f"{rounded:.1g}"


class ShareDialog(QDialog):
    """
    Parameters
    ----------
    parent : QWidget
    document : Document
    text : str
        What has been copied, or "" where the document has too many points for that.
    save : callable
        Asks where to save the document, once the dialog is closed.
    """

    def __init__(self, parent: QWidget, document: Document, text: str, save: Callable[[], object]) -> None:
        super().__init__(parent)
        self.setObjectName("share")
        self.setWindowTitle("Copy as text")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        points = count(len(document.points), "point")
        if text:
            copied = f"Copied: {points}, {count(len(text), 'character')}."
            said = [f"{copied}  To open it, paste it into this window.", rounding(document), LEFT_OUT]
        else:
            said = [f"Nothing was copied: a text holds at most {MOST_POINTS} points, and there are {points}."]
            said.append("A file holds them all.")
        about = named(QLabel("\n".join(said), wordWrap=True, textFormat=Qt.TextFormat.PlainText), "share.about")
        about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = filled(QVBoxLayout(self), about)
        if text:
            page = describe(QPlainTextEdit(text), "share.text", "Share text", "What has been copied.")
            page.setReadOnly(True)
            page.setTabChangesFocus(True)
            page.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
            page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            layout.addWidget(page, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        file = QPushButton("&Save a file for all digits…")
        describe(file, "share.save", "Save a file for all digits", "A .playground file keeps everything, exactly.")
        buttons.addButton(file, QDialogButtonBox.ButtonRole.ActionRole)
        file.clicked.connect(lambda: (self.close(), save()))
        buttons.rejected.connect(self.close)
        layout.addWidget(buttons)
        buttons.button(QDialogButtonBox.StandardButton.Close).setFocus()
        wanted = self.sizeHint().expandedTo(QSize(620, 420 if text else 0))
        self.resize(wanted.boundedTo(self.screen().availableSize()))
