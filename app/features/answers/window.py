"""HandInDialog: the answers to the open lesson as one small text to copy or save.

AnswerReader: open files and texts with the answers that a class has handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QApplication, QFileDialog, QHBoxLayout, QLabel, QLineEdit, QMainWindow, QVBoxLayout

from app.controllers.controller import Controller
from app.features.lessons.phrases import say
from app.features.lessons.state import LessonSession
from app.features.lessons.view_phrases import translate
from app.files.background_task import saving
from app.files.documents import FileError
from app.scene.model import Scene
from app.views.surroundings import AskWhere, Surroundings
from app.views.task_runner import TaskRunner
from app.views.theme import Theme
from app.views.widgets.inputs import describe, filled, label_for, named, show_text
from app.views.widgets.qt_dialogs import NamedDialog, add_action, fixed_text, open_dialog

from .controller import AnswersController
from .hand_in import LONGEST_NICKNAME, HandIn, encode

if TYPE_CHECKING:
    from .hand_in import AnswerSource


#: Width of the dialog (pixels) where there is room.
WIDE = 460


class HandInDialog(NamedDialog):
    """Dialog that displays the text to hand in.

    Parameters
    ----------
    controller : Controller
    window : QMainWindow
    tasks : TaskRunner
    ask_where : AskWhere
    """

    def __init__(self, controller: Controller, window: QMainWindow, tasks: TaskRunner, ask_where: AskWhere) -> None:
        now = controller.session.of(LessonSession)
        self._language = now.language
        super().__init__(window, "hand_in", say(now.language, "hand_in"), once=True)
        self._controller, self._tasks, self._ask_where = controller, tasks, ask_where
        self._made: HandIn | None = None
        self._text = ""
        about = named(QLabel(wordWrap=True), "hand_in.about")
        self._summary = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "hand_in.summary")
        self._nickname = describe(QLineEdit(maxLength=LONGEST_NICKNAME), "hand_in.nickname", "", "")
        self._nickname.textEdited.connect(self._make)
        self._page = describe(
            fixed_text("", "hand_in.text"), "hand_in.text", "Text to hand in", "One line of letters and digits."
        )
        self._page.setTabChangesFocus(True)
        self._page.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        buttons = self.button_box()
        self._copy = add_action(buttons, "", "hand_in.copy", "", "", self._to_clip)
        self._save = add_action(buttons, "", "hand_in.save", "", "", self._ask)
        label = named(label_for("", self._nickname), "hand_in.nickname_label")
        row = filled(QHBoxLayout(), label, (self._nickname, 1))
        filled(QVBoxLayout(self), about, self._summary, row, (self._page, 1), buttons)
        translate(self, self._language)
        self.resize(self.sizeHint().expandedTo(QSize(WIDE, 0)).boundedTo(self.screen().availableSize()))
        self._copy.setDefault(True)
        self._make()

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Follow the lesson, which has gone on or is over."""
        self._make()

    def _make(self) -> None:
        """Make the text again if something has changed."""
        made = self._controller.feature(AnswersController).hand_in(self._nickname.text())
        if made is None or made == self._made:
            return
        self._made = made
        try:
            self._text, fault = encode(made), ""
        except FileError as error:
            self._text, fault = "", str(error)
        show_text(self._summary, fault or self._summary_of(made))
        self._page.setPlainText(self._text)
        self._copy.setEnabled(bool(self._text))
        self._save.setEnabled(bool(self._text))

    def _summary_of(self, made: HandIn) -> str:
        """Return how many questions are answered, and how many goals are reached."""
        lesson = self._controller.session.of(LessonSession).lesson
        steps = [] if lesson is None else list(zip(lesson.steps, made.steps, strict=True))
        answered = [bool(each.choices or each.lines) for step, each in steps if step.prediction is not None]
        solved = [each.solved for step, each in steps if step.goal]
        numbers = {"hand_in_answered": answered, "hand_in_solved": solved}
        parts = (say(self._language, name, some=sum(of), number=len(of)) for name, of in numbers.items() if of)
        return "  ".join(parts)

    def _to_clip(self) -> None:
        QApplication.clipboard().setText(self._text)
        copied = say(self._language, "hand_in_copied")
        self._controller.say(copied)
        show_text(self._summary, copied)

    def _ask(self) -> None:
        assert self._made is not None
        name = " ".join(filter(None, (self._made.lesson, self._made.nickname)))
        self._ask_where(say(self._language, "hand_in"), "hand_in_file", name, {"Answers": ".txt"}, self._write)

    def _write(self, path: Path) -> None:
        data = self._text.encode()
        self._tasks.run(saving(path, lambda progress: data), self._controller.say)


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
        from .hand_in import sources_in, sources_of

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
