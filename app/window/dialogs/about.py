"""AboutDialog (Help > About): versions and folders, for a report of a fault."""

from __future__ import annotations

import os
import platform
from functools import partial
from importlib import metadata
from pathlib import Path

import PySide6
from PySide6.QtCore import QSize, Qt, QUrl, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.core import log
from app.core.plain_text import plain
from app.core.version import __version__
from app.files import licences
from app.views.widgets.boxes import grid_on
from app.views.widgets.clickable import clickable
from app.views.widgets.inputs import filled, named
from app.views.widgets.qt_dialogs import NamedDialog, add_action, fixed_text
from solver.core._cache_directory import cache_directory

#: Purpose of the program, in one sentence.
PURPOSE = (
    "Click labelled points, and watch k nearest neighbours and support vector machines learn them, step by step and "
    "side by side."
)
#: What the user should know before sending the details to anyone.
PRIVATE = "The names of the folders, and with them perhaps your own, are part of the details; nothing else of yours is."


def versions() -> dict[str, str]:
    """Return the versions of the program and of the packages that it uses."""
    return {
        "Classifier Playground": __version__,
        "Python": platform.python_version(),
        "Qt": qVersion(),
        "PySide6": PySide6.__version__,
        **{name: _version(name) for name in ("numpy", "numba")},
        # not platform.node(): the machine's name is private
        "Platform": f"{platform.platform()}, Qt platform {QGuiApplication.platformName()}",
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # a bundle may lack its metadata
        return "unknown"


def folders(settings: Path, recovery: Path) -> dict[str, Path]:
    """Return the folders of the program's files, by title."""
    log_file = log.path()
    found = {"Settings": settings, "Unsaved work": recovery}
    if log_file is not None:
        found["Log"] = log_file.parent
    return found | {"Machine code": cache_directory()}


def details(settings: Path, recovery: Path) -> str:
    """Return versions and folders as lines of text."""
    lines = versions() | {f"{name} in": str(path) for name, path in folders(settings, recovery).items()}
    return "".join(f"{name}: {plain(value)}\n" for name, value in lines.items())


class AboutDialog(NamedDialog):
    """Versions, and folders that can be opened.

    Parameters
    ----------
    parent : QWidget
    settings, recovery : Path
        Folders of settings and of recovery copies.
    """

    def __init__(self, parent: QWidget, settings: Path, recovery: Path) -> None:
        super().__init__(parent, "about", "About Classifier Playground")
        sheet = QWidget()
        grid = grid_on(sheet)
        grid.setColumnStretch(1, 1)
        for name, text in versions().items():
            _add(grid, name, text)
        for name, path in folders(settings, recovery).items():
            row = _add(grid, f"{name} in", plain(str(path)), 1)
            there = os.path.isdir(path)  # Path.is_dir raises if it has no permission
            tip = (
                "Show this folder in the file manager."
                if there
                else "This folder is made when something is kept in it."
            )
            key = f"about.open_{name.lower().replace(' ', '_')}"
            button = clickable(QPushButton("Open"), key, f"Open the folder: {name}", tip, partial(self._show, path))
            button.setEnabled(there)
            grid.addWidget(button, row, 2)
        grid.setRowStretch(grid.rowCount(), 1)
        page = named(QScrollArea(widgetResizable=True), "about.page")
        page.setAccessibleName("Versions and folders")
        page.setFrameShape(QScrollArea.Shape.NoFrame)
        page.setWidget(sheet)
        self._text = named(QLabel(PRIVATE, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "about.private")
        buttons = self.button_box()
        title, tip, copy = "Copy details for a report", f"As text.  {PRIVATE}", partial(self._copy, settings, recovery)
        add_action(buttons, f"&{title}", "about.copy", title, tip, copy)
        tip, show = "Licences of the program and of the packages that it uses.", lambda: LicencesDialog(self).open()
        add_action(buttons, "&Licences", "about.licences", "Licences", tip, show)
        purpose = named(QLabel(PURPOSE, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "about.purpose")
        filled(QVBoxLayout(self), purpose, (page, 1), self._text, buttons)
        wanted = sheet.sizeHint().grownBy(self.contentsMargins())
        self.resize(max(620, wanted.width() + 40), wanted.height() + 140)
        self.resize(self.size().boundedTo(self.screen().availableSize()))

    def _copy(self, settings: Path, recovery: Path) -> None:
        QApplication.clipboard().setText(details(settings, recovery))
        self._text.setText(f"Copied.  {PRIVATE}")

    def _show(self, path: Path) -> None:
        """Open a folder in the file manager."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._text.setText(f"No program here opens folders; this one is {plain(str(path))}")


class LicencesDialog(NamedDialog):
    """Licences of the program and of the packages that it uses."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "licences", "Licences", once=True)
        page = fixed_text(licences.notice(), "licences.text")
        page.setAccessibleName("Licences")
        filled(QVBoxLayout(self), page, self.button_box())
        self.resize(QSize(960, 520).boundedTo(self.screen().availableSize()))


def _add(grid: QGridLayout, name: str, text: str, columns: int = 2) -> int:
    """Append a row with a name and its text; return the index of the row."""
    row = grid.rowCount()
    selectable = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    # Qt cannot wrap a path: the page scrolls.
    value = QLabel(text, textFormat=Qt.TextFormat.PlainText, textInteractionFlags=selectable)
    value.setAccessibleName(name)
    value.setAccessibleDescription(text)
    grid.addWidget(QLabel(name), row, 0)
    grid.addWidget(value, row, 1, 1, columns)
    return row
