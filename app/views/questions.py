"""Questions: the dialogs about files.  None of them holds the window up: what is to follow is handed over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app import files
from app.controller import Controller

FILTER = f"Playground documents (*{files.SUFFIX})"


class Questions:
    """Asks in front of `window` where to open and save, and what to do with unsaved changes."""

    def __init__(self, window: QWidget, controller: Controller, settings: QSettings) -> None:
        self._window = window
        self._controller = controller
        self._settings = settings

    def alert(self, sentence: str) -> None:
        """Tell something that must not be overlooked."""
        box = QMessageBox(QMessageBox.Icon.Warning, "Classifier Playground", sentence, parent=self._window)
        box.setObjectName("alert")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def unless_unsaved(self, then: Callable[[], object]) -> None:
        """Run `then`, after asking what to do with unsaved changes; the question does not block the window's work."""
        if not self._controller.store.modified:
            then()
            return
        kind = QMessageBox.StandardButton
        box = QMessageBox(
            QMessageBox.Icon.Question, "Unsaved changes", f"Save the changes to {self._controller.store.title} first?",
            kind.Save | kind.Discard | kind.Cancel, self._window,
        )  # fmt: skip
        box.setObjectName("unsaved")
        box.setDefaultButton(kind.Save)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def answered(button: int) -> None:
            if button == kind.Discard:
                then()
            elif button == kind.Save:
                self.save(then)

        box.finished.connect(answered)
        box.open()

    def save(self, then: Callable[[], object] = lambda: None) -> None:
        """Save where the document came from, or ask where; run `then` once it is saved."""
        path = self._controller.store.path
        if path is None:
            self.ask_save(then)
        elif self._controller.save(path):
            then()

    def ask_save(self, then: Callable[[], object] = lambda: None) -> None:
        """Ask where to save; run `then` once it is saved."""
        dialog = QFileDialog(self._window, "Save as", str(self._folder() / f"points{files.SUFFIX}"), FILTER)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(files.SUFFIX[1:])
        self._ask_path(dialog, lambda path: then() if self._controller.save(path) else None)

    def ask_open(self) -> None:
        """Ask which file to open."""
        dialog = QFileDialog(self._window, "Open", str(self._folder()), FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._ask_path(dialog, self._controller.open)

    def _ask_path(self, dialog: QFileDialog, use: Callable[[Path], object]) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def chosen(name: str) -> None:
            self._settings.setValue("folder", str(Path(name).parent))
            use(Path(name))

        dialog.fileSelected.connect(chosen)
        dialog.open()

    def _folder(self) -> Path:
        path = self._controller.store.path
        return path.parent if path else Path(str(self._settings.value("folder", str(Path.home()))))
