"""Opening Qt's own dialogs, which ask for a file or a colour."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from .form_fields import TURNED, pass_wheel_on


def open_dialog(dialog: QDialog) -> None:
    """Open a dialog of Qt's, which is gone once it is closed; the wheel changes none of its controls."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for control in dialog.findChildren(QWidget):
        if isinstance(control, TURNED):
            pass_wheel_on(control)
    dialog.open()
