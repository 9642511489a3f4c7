"""Message boxes: a sentence with the program's own icon beside it, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.core.plain_text import plain
from app.views.widgets.icons import drawn
from app.views.widgets.inputs import named

SIGN_SIZE = 40  # pixels


def do_nothing() -> None:
    """Do nothing (default continuation)."""


def message_box(
    sign: Literal["warning", "question"],
    name: str,
    title: str,
    sentence: str,
    parent: QWidget,
    buttons: QMessageBox.StandardButton = QMessageBox.StandardButton.NoButton,
) -> QMessageBox:
    """Return a message box, not yet open, that shows `sentence` as plain text and is deleted when closed.

    Parameters
    ----------
    sign : str
        Name of the icon.
    name : str
        Object name.
    title, sentence : str
    parent : QWidget
    buttons : QMessageBox.StandardButton, optional
    """
    box = named(QMessageBox(QMessageBox.Icon.NoIcon, title, sentence, buttons, parent), name)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIconPixmap(drawn(sign, parent.palette().windowText().color(), SIGN_SIZE, parent.devicePixelRatioF()))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


def ask(
    sign: Literal["warning", "question"],
    name: str,
    title: str,
    sentence: str,
    parent: QWidget,
    answers: Sequence[tuple[str, Callable[[], object]]],
    last: QMessageBox.StandardButton = QMessageBox.StandardButton.Cancel,
    otherwise: Callable[[], object] = do_nothing,
    role: QMessageBox.ButtonRole = QMessageBox.ButtonRole.AcceptRole,
    first: bool = False,
) -> None:
    """Open a message box with `answers`, each a button of this role and its function, and `last`.

    `last` is also what Esc means; it calls `otherwise`.  It is the default button, unless that is the `first` answer.
    """
    box = message_box(sign, name, title, plain(sentence), parent)
    acts = [(box.addButton(text, role), act) for text, act in answers]
    harmless = box.addButton(last)
    box.setDefaultButton(acts[0][0] if first else harmless)
    box.setEscapeButton(harmless)

    def finished() -> None:
        clicked = box.clickedButton()
        next((act for button, act in acts if button is clicked), otherwise)()

    box.finished.connect(finished)
    box.open()
