"""Message boxes: a sentence with the program's own icon beside it, and buttons."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.views.widgets.icons import drawn
from app.views.widgets.inputs import named

SIGN_SIZE = 40  # pixels


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
