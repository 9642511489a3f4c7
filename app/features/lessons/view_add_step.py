"""AddStepDialog: the present state as one more step of a lesson: its title, its controls, and the file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
)

from app.controllers.controller import Controller
from app.files import documents
from app.files.background_task import Progress, Task
from app.state.plain_text import plain
from app.views.task_runner import TaskRunner
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.form_fields import describe, named
from app.views.widgets.qt_dialogs import open_dialog

from .names import control
from .state import LessonSession

SUFFIX = ".lesson.md"


class AddStepDialog(QDialog):
    """
    Parameters
    ----------
    window : QMainWindow
    controller : Controller
    tasks : TaskRunner
    """

    def __init__(self, window: QMainWindow, controller: Controller, tasks: TaskRunner) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("lesson_add")
        self.setWindowTitle("New lesson step")
        self._controller, self._tasks = controller, tasks
        self._path = controller.session.of(LessonSession).making
        self._title = describe(QLineEdit(), "lesson_add.title", "Title of the step", "The heading of the step.")
        self._show = describe(
            QLineEdit(),
            "lesson_add.show",
            "Controls that are shown",
            "Names such as k, weights, C; all others are hidden.  Empty: all are shown.",
        )
        self._show.setPlaceholderText("all; or names such as k, weights")
        self._file = named(ElidedLabel(""), "lesson_add.file")
        choose = describe(QPushButton("Choose…"), "lesson_add.choose", "Choose the file", "A lesson, or a new file.")
        choose.clicked.connect(lambda: self._ask_file())
        self._fault = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "lesson_add.fault")
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._add = self._buttons.addButton("Add", QDialogButtonBox.ButtonRole.AcceptRole)
        named(self._add, "lesson_add.add")
        self._buttons.accepted.connect(self._take)
        self._buttons.rejected.connect(self.reject)
        rows = QFormLayout(self)
        rows.addRow(QLabel("What is on screen becomes the last step; write its text in any editor.", wordWrap=True))
        rows.addRow("&Title", self._title)
        rows.addRow("&Controls", self._show)
        rows.addRow("Lesson", self._file)
        rows.addRow("", choose)
        rows.addRow(self._fault)
        rows.addRow(self._buttons)
        self.setMinimumWidth(420)
        self._title.textChanged.connect(self._follow)
        self._show.textChanged.connect(self._follow)
        self._follow()

    def _ask_file(self) -> None:
        dialog = named(
            QFileDialog(
                self,
                "Lesson",
                str(self._path or Path.home() / f"my{SUFFIX}"),
                f"Lessons (*{SUFFIX})",
                acceptMode=QFileDialog.AcceptMode.AcceptSave,
                fileMode=QFileDialog.FileMode.AnyFile,
            ),
            "lesson_file",
        )
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # a step is added: nothing is lost
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, "Choose")
        dialog.fileSelected.connect(self._chosen)
        open_dialog(dialog)

    def _chosen(self, name: str) -> None:
        path = Path(name)
        self._path = path if path.name.lower().endswith(SUFFIX) else path.with_name(path.name + SUFFIX)
        self._follow()

    @property
    def _names(self) -> list[str]:
        return [each.strip() for each in self._show.text().split(",") if each.strip()]

    def _follow(self) -> None:
        """Say which file it is, and what is missing."""
        unknown = next((name for name in self._names if control(name) is None), None)
        self._file.setText("none yet" if self._path is None else plain(self._path.name))
        self._file.setToolTip("" if self._path is None else plain(str(self._path)))
        self._fault.setText("" if unknown is None else f"There is no control “{plain(unknown)}”.")
        ready = self._path is not None and bool(self._title.text().strip()) and unknown is None
        self._add.setEnabled(ready)

    def _take(self) -> None:
        path, controller = self._path, self._controller
        if path is None:
            return
        document, title = controller.document, self._title.text()
        show = [control(name) or name for name in self._names] or None

        def work(progress: Progress) -> int:
            from .reading import parse, text_of
            from .writing import added

            before = text_of(path) if path.exists() else None
            text = added(before, document, title, show)
            lesson = parse(text, path.name, path.parent)  # what cannot be read again is not written
            progress.commit()
            documents.write_bytes(text.encode(), path)
            return len(lesson.steps)

        def done(number: int) -> None:
            controller.change(LessonSession, making=path)
            controller.say(f"Added as step {number} of {path.name}.")

        self.accept()
        self._tasks.run(Task(f"Writing {path.name}", work, f"{path.name} was not written"), done)
