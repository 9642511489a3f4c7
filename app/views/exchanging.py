"""Exchanging: asks which file to import points from or export them to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QMessageBox

from app.controller import Controller
from app.plain import plain
from app.settings import EXCHANGE_FOLDER, Settings

if TYPE_CHECKING:
    from app.exchange import Dialect, Table


class Exchanging:
    """Points from and for other programs, in front of `window`.

    Parameters
    ----------
    window : QMainWindow
    controller : Controller
    settings : Settings
        Where the folder used last is remembered.
    """

    def __init__(self, window: QMainWindow, controller: Controller, settings: Settings) -> None:
        self._window, self._controller, self._settings = window, controller, settings

    def ask_import(self) -> None:
        """Ask which file to import."""
        from app import exchange

        suffixes = {title: " ".join(f"*{suffix}" for suffix in each) for title, each in exchange.IMPORTS.items()}
        kinds = {"All points": " ".join(suffixes.values())} | suffixes | {"All files": "*"}
        filters = ";;".join(f"{title} ({each})" for title, each in kinds.items())
        dialog = QFileDialog(self._window, "Import points", self._folder(), filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._ask(dialog, "import_file", self.import_file)

    def import_file(self, path: Path) -> None:
        """Show what the file at `path` holds, and import it when that is wanted."""
        from app import exchange  # only now: nothing of it is needed to start

        self._show(lambda dialect: exchange.read(path, dialect))

    def import_clipboard(self, add: bool = False) -> None:
        """Show what the clipboard holds, and import it when that is wanted: to `add` it is what is offered first."""
        from app import exchange

        text = QApplication.clipboard().text()
        self._show(lambda dialect: exchange.read_text(text, dialect=dialect), add)

    def ask_export(self) -> None:
        """Ask where to export all points to."""
        from app import exchange

        kinds = {f"{title} (*{suffix})": suffix for suffix, title in exchange.EXPORTS.items()}
        name = Path(self._controller.store.title).stem
        dialog = QFileDialog(self._window, "Export points", str(Path(self._folder()) / name), ";;".join(kinds))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(next(iter(kinds.values()))[1:])
        dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(kinds[kind][1:]))
        self._ask(dialog, "export_file", self._export)

    def _export(self, path: Path) -> None:
        """Export to `path`; where a name could run as a formula, ask whether it may."""
        from app import exchange

        document, export = self._controller.document, self._controller.export
        names = tuple(style.name for style in document.styles)
        formula = exchange.running(document.points.labels, names, document.axes, path)
        if not formula:
            export(path)
            return
        box = QMessageBox(
            QMessageBox.Icon.Question, "Export points",
            f"A spreadsheet may run the name {plain(formula)} as a formula. Put an apostrophe before such names?"
            " Importing here takes it away.", parent=self._window,
        )  # fmt: skip
        box.setObjectName("formulas")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        put = box.addButton("&Put apostrophes", QMessageBox.ButtonRole.AcceptRole)
        put.clicked.connect(lambda: export(path))
        leave = box.addButton("&Leave names as they are", QMessageBox.ButtonRole.AcceptRole)
        leave.clicked.connect(lambda: export(path, guard=False))
        box.setEscapeButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.setDefaultButton(put)
        box.open()

    def _show(self, read: Callable[[Dialect], Table], add: bool = False) -> None:
        from .import_dialog import ImportDialog  # only now: nothing of it is needed to start

        ImportDialog(self._window, read, self._controller.import_points, add).open()

    def _ask(self, dialog: QFileDialog, name: str, use: Callable[[Path], object]) -> None:
        dialog.setObjectName(name)

        def chosen(file: str) -> None:
            self._settings.write(EXCHANGE_FOLDER, str(Path(file).parent))
            use(Path(file))

        dialog.fileSelected.connect(chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _folder(self) -> str:
        return self._settings.read(EXCHANGE_FOLDER)
