"""Buttons of dialogs, and opening Qt's own, which ask for a file or a colour."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QWidget

from .form_fields import TURNED, pass_wheel_on


def button_box(button: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """A row of buttons with one of Qt's, which has no icon: Qt's are coloured, or black in the dark theme."""
    box = QDialogButtonBox(button)
    box.button(button).setIcon(QIcon())
    return box


def ask_where(
    parent: QWidget, name: str, title: str, offered: Path, kinds: Mapping[str, str], use: Callable[[Path], object]
) -> QFileDialog:
    """Ask where to save a file.

    Parameters
    ----------
    parent : QWidget
    name : str
        Object name of the dialog.
    title : str
    offered : Path
        Folder and name to begin with.
    kinds : mapping of str to str
        Suffixes by their titles; a name without one gets that of the chosen kind.
    use : callable
        ``use(path)`` gets the answer.
    """
    filters = {f"{kind} (*{suffix})": suffix[1:] for kind, suffix in kinds.items()}
    save, first = QFileDialog.AcceptMode.AcceptSave, next(iter(filters.values()))
    dialog = QFileDialog(parent, title, str(offered), ";;".join(filters), acceptMode=save, defaultSuffix=first)
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(filters[kind]))
    return ask_path(dialog, name, use)


def ask_path(dialog: QFileDialog, name: str, use: Callable[[Path], object]) -> QFileDialog:
    """Open a dialog for one path, which ``use(path)`` gets."""
    dialog.setObjectName(name)
    dialog.fileSelected.connect(lambda path: use(Path(path)))
    open_dialog(dialog)
    return dialog


def open_dialog(dialog: QDialog) -> None:
    """Open a dialog of Qt's, which is gone once it is closed; the wheel changes none of its controls."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for control in dialog.findChildren(QWidget):
        if isinstance(control, TURNED):
            pass_wheel_on(control)
    dialog.open()
