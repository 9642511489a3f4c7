"""ShareDialog: the share text of the document, and what it leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from app.core.number_format import count
from app.exchange.share_text import encode, moves
from app.files.documents import FileError
from app.learners.passed import NOT_WRITTEN
from app.state.document import Document
from app.views.widgets.inputs import describe, filled, named
from app.views.widgets.qt_dialogs import NamedDialog, add_action, fixed_text

#: Number of characters that are read at a glance.
SHORT = 300
LEFT_OUT = "Not in the text: notes, and the means and deviations with which points were standardised."


def copied(document: Document) -> tuple[str, list[str]]:
    """Return the share text of the document and sentences about it; "" and the reason if no text can hold it."""
    try:
        text = encode(document)
    except FileError as error:
        return "", [f"Nothing was copied.  {error}", "A file holds all points."]
    lines = f"Copied: {count(len(document.points), 'point')}, {count(len(text), 'character')}."
    left_out = f"{LEFT_OUT}  {NOT_WRITTEN}" if document.has_passed else LEFT_OUT
    return text, [f"{lines}  To open it, paste it into this window.", rounding(document), left_out]


def rounding(document: Document) -> str:
    """Return a sentence on how far points are moved at most."""
    if document.is_generated:
        return "The text has the generator's settings instead of its points, so that none of them is moved."
    x, y = moves(document)
    of = "" if document.origin is None else " of edited points"
    kept = f"Coordinates{of} are rounded to 12 bits"
    if x == y == 0:
        return f"{kept}; none of these is moved by that."
    return f"{kept}: x moves by at most {_at_most(x)}, y by at most {_at_most(y)}."


def _at_most(value: float) -> str:
    """Format an upper bound: 0.000366 becomes "0.0004", one digit, rounded up."""
    if value == 0:
        return "0"
    unit = 10.0 ** math.floor(math.log10(value))
    rounded = math.ceil(value / unit * (1 - 1e-12)) * unit
    return f"{rounded:.0f}" if 1 <= rounded < 1e5 else f"{rounded:.1g}"


class ShareDialog(NamedDialog):
    """
    Parameters
    ----------
    parent : QWidget
    text : str
        The copied text, or "" if no text can hold the document.
    lines : list of str
        Sentences about it.
    save : callable
        Asks where to save the document, after the dialog has closed.
    """

    def __init__(self, parent: QWidget, text: str, lines: list[str], save: Callable[[], object]) -> None:
        super().__init__(parent, "share", "Copy as text", once=True)
        about = named(QLabel("\n".join(lines), wordWrap=True, textFormat=Qt.TextFormat.PlainText), "share.about")
        about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = filled(QVBoxLayout(self), about)
        if text:
            page = describe(fixed_text(text, "share.text"), "share.text", "Share text", "The copied text.")
            page.setTabChangesFocus(True)
            page.setMinimumHeight(80)
            page.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
            layout.addWidget(page, 1)
        buttons = self.button_box()
        title, tip = "Save a file for all digits", "A .playground file keeps everything, exactly."
        add_action(buttons, f"&{title}…", "share.save", title, tip, lambda: (self.close(), save()))
        layout.addWidget(buttons)
        buttons.button(QDialogButtonBox.StandardButton.Close).setFocus()
        wanted = self.sizeHint().expandedTo(QSize(620, 420 if len(text) > SHORT else 0))
        self.resize(wanted.boundedTo(self.screen().availableSize()))
