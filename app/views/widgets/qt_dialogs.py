"""Buttons of dialogs, and opening Qt's own, which ask for a file or a colour."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from .form_fields import TURNED, pass_wheel_on


def button_box(button: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """A row of buttons with one of Qt's, which has no icon: Qt's are coloured, or black in the dark theme."""
    box = QDialogButtonBox(button)
    box.button(button).setIcon(QIcon())
    return box


def open_dialog(dialog: QDialog) -> None:
    """Open a dialog of Qt's, which is gone once it is closed; the wheel changes none of its controls."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for control in dialog.findChildren(QWidget):
        if isinstance(control, TURNED):
            pass_wheel_on(control)
    dialog.open()
