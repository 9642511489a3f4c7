"""Dialogs with a name, a title and buttons; opening Qt's own dialogs for files and colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QPlainTextEdit, QPushButton, QWidget

from .inputs import TURNED, describe, named, pass_wheel_on


class NamedDialog(QDialog):
    """A dialog with an object name and a title.

    Parameters
    ----------
    parent : QWidget
    name, title : str
    once : bool
        Delete the dialog when it is closed.
    """

    def __init__(self, parent: QWidget, name: str, title: str, once: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, once)

    def button_box(
        self, button: QDialogButtonBox.StandardButton = QDialogButtonBox.StandardButton.Close
    ) -> QDialogButtonBox:
        """Return a row of buttons with one that closes; without Qt's icons, which do not follow the theme."""
        box = QDialogButtonBox(button)
        box.button(button).setIcon(QIcon())
        box.rejected.connect(self.close)
        return box


def show_one(parent: QWidget, kind: type[QDialog], *made_from: Any) -> None:
    """Bring the dialog of this class to the front, or make it from `parent` and these arguments; it may stay open."""
    dialog = parent.findChild(kind) or kind(parent, *made_from)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    dialog.activateWindow()


def add_action(
    box: QDialogButtonBox, text: str, name: str, title: str, tip: str, act: Callable[[], object]
) -> QPushButton:
    """Add a button that acts and leaves the dialog open; `name`, `title` and `tip` as for `describe`."""
    button = describe(box.addButton(text, QDialogButtonBox.ButtonRole.ActionRole), name, title, tip)
    button.clicked.connect(lambda: act())
    return button


def fixed_text(text: str, name: str) -> QPlainTextEdit:
    """Return a read-only text in a monospaced font."""
    page = named(QPlainTextEdit(text, readOnly=True), name)
    page.setFont(QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()))
    return page


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
        Proposed folder and name.
    kinds : mapping of str to str
        Suffixes by their titles; a name without a suffix gets that of the chosen kind.
    use : callable
        ``use(path)`` receives the answer.
    """
    filters = {f"{kind} (*{suffix})": suffix[1:] for kind, suffix in kinds.items()}
    save, first = QFileDialog.AcceptMode.AcceptSave, next(iter(filters.values()))
    dialog = QFileDialog(parent, title, str(offered), ";;".join(filters), acceptMode=save, defaultSuffix=first)
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(filters[kind]))
    return ask_path(dialog, name, use)


def ask_path(dialog: QFileDialog, name: str, use: Callable[[Path], object]) -> QFileDialog:
    """Open a dialog for one path; ``use(path)`` receives it."""
    dialog.setObjectName(name)
    dialog.fileSelected.connect(lambda path: use(Path(path)))
    open_dialog(dialog)
    return dialog


def open_dialog(dialog: QDialog) -> None:
    """Open a Qt dialog, which is deleted when closed; the wheel changes none of its controls."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for control in dialog.findChildren(QWidget):
        if isinstance(control, TURNED):
            pass_wheel_on(control)
    dialog.open()
