"""AnswerReader: open files and texts with the answers that a class has handed in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QFileDialog

from app.views.surroundings import Surroundings
from app.views.widgets.qt_dialogs import open_dialog

from .controller import AnswersController

if TYPE_CHECKING:
    from .collecting import AnswerSource


class AnswerReader:
    """
    Parameters
    ----------
    around : Surroundings
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def ask(self) -> None:
        """Ask which files of answers to open."""
        folder, several = self._around.settings.values.exchange_folder, QFileDialog.FileMode.ExistingFiles
        kinds = "Answers (*.txt);;All files (*)"
        dialog = QFileDialog(self._around.window, "Open answers", folder, kinds, fileMode=several)
        dialog.setObjectName("open_answers_files")
        dialog.filesSelected.connect(lambda names: self.open([Path(name) for name in names]))
        open_dialog(dialog)

    def paste(self) -> None:
        """Read the answers in the clipboard."""
        self.open(QApplication.clipboard().text())

    def open(self, source: Sequence[Path] | str) -> None:
        """Read the answers in these files, or in a text."""
        from .collecting import sources_in, sources_of

        if isinstance(source, str):
            self._collect(lambda: sources_in(source, ""))
        else:
            self._around.settings.write(exchange_folder=str(source[0].parent))
            self._collect(lambda: [each for path in source for each in sources_of(path)])

    def _collect(self, sources: Callable[[], list[AnswerSource]]) -> None:
        answers = self._around.controller.feature(AnswersController)
        task = answers.collecting(sources)
        if task is not None:
            self._around.tasks.run(task, answers.take)
