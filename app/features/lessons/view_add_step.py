"""AddStepDialog: add the present state to a lesson as its last step: a form, the file, and a trial of the step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from app.core.plain_text import plain
from app.exchange.opening import LESSON_SUFFIX
from app.files import documents
from app.files.background_task import Progress, Task
from app.files.documents import FileError
from app.views.surroundings import Surroundings
from app.views.widgets.clickable import clickable
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.inputs import describe, filled, named
from app.views.widgets.qt_dialogs import NamedDialog, add_action, ask_path
from app.views.widgets.scrolling_form import scrolling

from .check import spoilers
from .model import Lesson
from .reading import parse, text_of
from .state import LessonSession
from .view_step_form import StepForm
from .writing import NewStep, added

#: Width of the form (pixels) where there is room.
FORM = 680


class SpoiltError(FileError):
    """The answer to the question of a step is visible before the question."""


class AddStepDialog(NamedDialog):
    """Dialog that adds a step to a lesson file.

    Parameters
    ----------
    around : Surroundings
    try_out : callable
        ``try_out(lesson)`` opens a lesson of this step alone.
    """

    def __init__(self, around: Surroundings, try_out: Callable[[Lesson], object]) -> None:
        super().__init__(around.window, "lesson_add", "New lesson step", once=True)
        self._controller, self._features, self._tasks = around.controller, around.features, around.tasks
        self._try_out, session = try_out, self._controller.session.of(LessonSession)
        self._path, self._lesson_is_open = session.making, session.lesson is not None
        self._busy = False
        #: The step about which the dialog has warned that its answer is visible; it may be added nevertheless.
        self._warned_about: NewStep | None = None
        self._form = StepForm(self._controller.document)
        if session.draft is not None:
            self._form.show_step(session.draft)
        self._form.edited.connect(self._follow)
        self._file = named(ElidedLabel(""), "lesson_add.file")
        choose = clickable(
            QPushButton("Choose &file…"),
            "lesson_add.choose",
            "Choose the file",
            "A lesson, or a new file.",
            self._ask_file,
        )
        self._fault = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "lesson_add.fault")
        buttons = self.button_box(QDialogButtonBox.StandardButton.Cancel)
        meets = "The step as a student meets it; leaving it comes back here."
        tip = "Leave the lesson that is open first." if self._lesson_is_open else meets
        self._try = add_action(buttons, "Try &it", "lesson_add.try", "Try the step", tip, self._begin_trial)
        self._add = buttons.addButton("&Add", QDialogButtonBox.ButtonRole.AcceptRole)
        describe(self._add, "lesson_add.add", "Add the step", "As the last step of the lesson's file.")
        buttons.accepted.connect(self._take)
        about = QLabel("What is on screen becomes a step of a lesson, the last one of its file.", wordWrap=True)
        file = filled(QHBoxLayout(), QLabel("Lesson"), (self._file, 1), choose)
        self._scroll = scrolling(self._form)
        filled(QVBoxLayout(self), about, (self._scroll, 1), file, self._fault, buttons)
        self._follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._grow()

    def _grow(self) -> None:
        """Make the dialog as large as the form needs, where there is room, and keep it on the screen."""
        wanted = self._form.sizeHint().expandedTo(QSize(FORM, 0)) + self.size() - self._scroll.viewport().size()
        room, frame = self.screen().availableGeometry(), self.frameGeometry()
        self.resize(wanted.expandedTo(self.size()).boundedTo(room.size() - (frame.size() - self.size())))
        last = room.bottomRight() - self.frameGeometry().bottomRight() + frame.topLeft()
        self.move(max(min(frame.x(), last.x()), room.x()), max(min(frame.y(), last.y()), room.y()))

    # -- the file --------------------------------------------------------------------------------------------------

    def _ask_file(self) -> None:
        dialog = QFileDialog(
            self,
            "Lesson",
            str(self._path or Path.home() / f"my{LESSON_SUFFIX}"),
            f"Lessons (*{LESSON_SUFFIX})",
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            fileMode=QFileDialog.FileMode.AnyFile,
        )
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # a step is added to the file, which is not replaced
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, "Choose")
        ask_path(dialog, "lesson_file", self._chosen)

    def _chosen(self, path: Path) -> None:
        self._path = path if path.name.lower().endswith(LESSON_SUFFIX) else path.with_name(path.name + LESSON_SUFFIX)
        self._follow()

    def _follow(self) -> None:
        """Show the name of the file, and what is missing."""
        missing = self._form.step().missing
        self._file.setText("no file yet" if self._path is None else plain(self._path.name))
        self._file.setToolTip("" if self._path is None else plain(str(self._path)))
        self._fault.setText(missing or ("Choose the file of the lesson." if self._path is None else ""))
        self._try.setEnabled(not (missing or self._busy or self._lesson_is_open))
        self._add.setEnabled(not (missing or self._busy or self._path is None))
        if self.isVisible():
            self._grow()

    # -- try and add ---------------------------------------------------------------------------------------------------

    def _begin_trial(self) -> None:
        document, step, features = self._controller.document, self._form.step(), self._features

        def work(progress: Progress) -> Lesson:
            return parse(features, added(None, document, step), f"try{LESSON_SUFFIX}", None)

        self._run(Task("Trying the step", work, "The step cannot be tried", kept=False), self._try_out)

    def _take(self) -> None:
        path, controller, features = self._path, self._controller, self._features
        if path is None:
            return
        document, step = controller.document, self._form.step()
        warned = step == self._warned_about

        def work(progress: Progress) -> int:
            before = text_of(path) if path.exists() else None
            text = added(before, document, step)
            lesson = parse(features, text, path.name, path.parent)  # refuse to write what cannot be read again
            last = lesson.steps[-1].line
            spoiler = "" if warned else next((sentence for line, sentence in spoilers(lesson) if line == last), "")
            if spoiler:
                raise SpoiltError(f"The answer is visible before: {spoiler}  Press Add again to add it nevertheless.")
            progress.commit()
            documents.write_bytes(text.encode(), path)
            return len(lesson.steps)

        def done(number: int) -> None:
            controller.change(LessonSession, making=path, draft=None)
            controller.say(f"Added as step {number} of {path.name}.")

        self._run(Task(f"Writing {path.name}", work, f"{path.name} was not written"), done)

    def _run(self, task: Task[Any], then: Callable[[Any], object]) -> None:
        """Run `task` while the dialog waits, and close it afterwards; errors are displayed in the dialog."""

        def done(result: Any) -> None:
            self._busy = False
            self.accept()
            then(result)

        self._busy = True
        self._follow()
        self._tasks.run(task, done, self._fail)

    def _fail(self, error: FileError) -> None:
        self._busy = False
        self._warned_about = self._form.step() if isinstance(error, SpoiltError) else None
        self._follow()
        self._fault.setText(plain(str(error)))

    def reject(self) -> None:
        """Close the dialog, unless the step is being written."""
        if not self._busy:
            super().reject()

    def done(self, result: int) -> None:
        """Close the dialog in any way, and keep the form for the next time."""
        self._controller.change(LessonSession, draft=self._form.step())
        super().done(result)
