"""AddStepDialog: add the present state to a lesson as its last step: a form, the file, and a trial of the step."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMargins, QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.core.plain_text import plain
from app.exchange.opening import LESSON_SUFFIX
from app.files import documents
from app.files.background_task import Progress, Task
from app.files.documents import FileError
from app.scene.control_names import WINDOW_CONTROLS
from app.state.document import Document
from app.views.surroundings import Surroundings
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.boxes import grid_on
from app.views.widgets.clickable import clickable
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.inputs import combo_box, describe, filled, named, show_choice
from app.views.widgets.qt_dialogs import NamedDialog, add_action, ask_path
from app.views.widgets.scrolling_form import Scrolled

from .check import spoilers
from .model import Lesson, PredictKind
from .reading import parse, text_of
from .state import LessonSession
from .writing import NewStep, WrittenAnswer, added

#: Largest number of answers of a question.
ANSWERS = 4
#: Least height of what is clicked (pixels).
LEAST = 24
#: Width of the narrowest list (characters), height of the text (lines), and number of columns of controls.
WIDTH, LINES, COLUMNS = 16, 4, 4
#: What may be covered while a question is open.
COVERED = (
    ("The pictures, and all that is known of them", "picture"),
    ("Accuracies and other numbers", "numbers"),
    ("Marks: rings, thick edges, crosses", "marks"),
    ("Numbers and marks", "numbers, marks"),
    ("The test accuracy", "test accuracy"),
    ("Nothing", "none"),
)

#: Examples of the wording, by the kind of question.
WORDINGS = {
    "choice": "What happens to the boundary when k grows?",
    "boundary": "Where will the boundary be?",
    "pair": "Which two points move next?",
}
#: What a question may ask for, with its words in a lesson.
ASKED = (("Nothing that is displayed", ""), *COVERED[:-1])


def questions(document: Document) -> list[tuple[str, tuple[PredictKind | None, int]]]:
    """Return the possible questions about the pictures of `document`: title, kind of answer, and classifier."""
    found: list[tuple[str, tuple[PredictKind | None, int]]] = [
        ("No question", (None, 0)),
        ("Choose an answer", ("choice", 0)),
    ]
    for index, lane in enumerate(document.lanes[: document.shown]):
        title = f"{index + 1} {lane.family.short}"
        if not lane.is_difference:
            found.append((f"Draw the boundary of {title}", ("boundary", index)))
        if lane.trainer is not None and lane.trainer.has_rules:
            found.append((f"Pick the two points that {title} moves next", ("pair", index)))
    return found


def controls(document: Document) -> dict[str, tuple[str, str]]:
    """Return the controls that a step of `document` can display, by their names in a lesson: title and tip."""
    fields = [field for lane in document.lanes[: document.shown] for field in lane.family.fields]
    return {
        **{field.name: (field.title or field.name, field.tip) for field in fields if field.kind != "text"},
        **{
            name: (f"{name[0].upper()}{name[1:]}", f"{what[0].upper()}{what[1:]}.")
            for name, what in WINDOW_CONTROLS.items()
        },
    }


class StepForm(QWidget):
    """Form with all fields of a step.

    Parameters
    ----------
    document : Document
        The document at the beginning of the step.

    Signals
    -------
    edited : ()
    """

    edited = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._form = AlignedForm(self, contentsMargins=QMargins())  # type: ignore[call-arg]  # a property of its base
        self._lesson = describe(
            QLineEdit(), "lesson_add.lesson", "Title of the lesson", "A new lesson is listed under it."
        )
        self._title = describe(QLineEdit(), "lesson_add.title", "Title of the step", "The heading of the step.")
        self._text = describe(
            QPlainTextEdit(placeholderText="What to look at, and what to try", tabChangesFocus=True),
            "lesson_add.text",
            "Text of the step",
            "What the student reads: Markdown, no pictures.",
        )
        self._text.setFixedHeight(LINES * self.fontMetrics().lineSpacing() + 12)
        self._kind = describe(
            combo_box(questions(document), WIDTH),
            "lesson_add.kind",
            "Question of the step",
            "The student answers before what is covered is shown.",
        )
        self._question = describe(QLineEdit(), "lesson_add.question", "The question", "One sentence.")
        self._answers = self._make_answers()
        self._because = describe(
            QLineEdit(), "lesson_add.because", "Because", "Why it is so; displayed with the answer."
        )
        self._cover = describe(
            combo_box(COVERED, WIDTH), "lesson_add.cover", "What is covered", "Until the student has answered."
        )
        self._all = describe(
            QCheckBox("All of them"), "lesson_add.all", "Show all controls", "Otherwise only those chosen below."
        )
        self._asks = describe(
            combo_box(ASKED, WIDTH), "lesson_add.asks", "What is asked", "No earlier step may show it."
        )
        self._controls = self._make_controls(document)
        self._form.add(
            ("&Lesson title", self._lesson),
            ("&Title", self._title),
            ("Te&xt", self._text),
            ("&Question", self._kind),
            ("&Wording", self._question),
            ("Answers", self._answers),
            ("&Because", self._because),
            ("Co&vered", self._cover),
            ("As&ked", self._asks),
            ("C&ontrols", self._all),
            ("", self._controls),
        )
        self.show_step(NewStep(""))
        self._text.textChanged.connect(self._changed)
        for kind, signal in ((QLineEdit, "textEdited"), (QComboBox, "activated"), (QAbstractButton, "clicked")):
            for field in self.findChildren(kind):
                getattr(field, signal).connect(self._changed)

    def _make_answers(self) -> QWidget:
        """Make the rows of answers: which is right, its text, and why it is wrong."""
        answers = QWidget()
        grid = grid_on(answers)
        for column, head in enumerate(("Right", "Answer", "Why it is wrong")):
            grid.addWidget(QLabel(head), 0, column)
        self._rights = QButtonGroup(self)
        self._rows: list[tuple[QRadioButton, QLineEdit, QLineEdit]] = []
        for number in range(1, ANSWERS + 1):
            name = f"lesson_add.answer{number}"
            right = describe(QRadioButton(), f"{name}.right", f"Answer {number} is right", "One answer is right.")
            text = describe(QLineEdit(), name, f"Answer {number}", "An answer to choose; 2 to 4 of them.")
            why, tip = f"Why answer {number} is wrong", "Displayed after this answer is chosen; it may be left empty."
            reason = describe(QLineEdit(), f"{name}.reason", why, tip)
            right.setMinimumSize(LEAST, LEAST)
            self._rights.addButton(right, number - 1)
            self._rows.append((right, text, reason))
            grid.addWidget(right, number, 0, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(text, number, 1)
            grid.addWidget(reason, number, 2)
        return answers

    def _make_controls(self, document: Document) -> QWidget:
        """Make a box for each control that a step of `document` can display."""
        boxes, offered = QWidget(), controls(document)
        grid = grid_on(boxes, down=0)
        self._boxes: dict[str, QCheckBox] = {}
        rows = -(-len(offered) // COLUMNS)
        for index, (name, (title, tip)) in enumerate(offered.items()):
            box = describe(QCheckBox(title), f"lesson_add.show.{name}", f"Show: {title}", tip)
            box.setMinimumHeight(LEAST)
            self._boxes[name] = box
            grid.addWidget(box, index % rows, index // rows)
        return boxes

    def _changed(self) -> None:
        self._show_rows()
        self.edited.emit()

    def _show_rows(self) -> None:
        """Show the fields that belong to the kind of question."""
        kind, _ = self._kind.currentData()
        self._question.setPlaceholderText(WORDINGS.get(kind, ""))
        for field, visible in (
            (self._question, kind is not None),
            (self._answers, kind == "choice"),
            (self._because, kind is not None),
            (self._cover, kind in ("choice", "pair")),
            (self._asks, kind == "choice"),
            (self._controls, not self._all.isChecked()),
        ):
            self._form.setRowVisible(field, visible)
        for right, _, reason in self._rows:
            reason.setEnabled(not right.isChecked())

    # -- contents ------------------------------------------------------------------------------------------------------

    def show_step(self, step: NewStep) -> None:
        """Fill the fields; a question or a control that does not exist here is left out."""
        self._lesson.setText(step.lesson)
        self._title.setText(step.title)
        self._text.setPlainText(step.text)
        show_choice(self._kind, (step.kind, step.lane))
        self._kind.setCurrentIndex(max(self._kind.currentIndex(), 0))
        self._question.setText(step.question)
        self._because.setText(step.because)
        show_choice(self._cover, step.cover)
        show_choice(self._asks, step.asks)
        answers = (*step.answers, *[WrittenAnswer("")] * ANSWERS)
        for index, (right, text, reason) in enumerate(self._rows):
            text.setText(answers[index].text)
            reason.setText(answers[index].reason)
            right.setChecked(index == step.right)
        self._all.setChecked(step.show is None)
        for name, box in self._boxes.items():
            box.setChecked(name in (step.show or ()))
        self._show_rows()

    def step(self) -> NewStep:
        """Return the contents of the fields."""
        kind, lane = self._kind.currentData()
        chosen = tuple(name for name, box in self._boxes.items() if box.isChecked())
        return NewStep(
            self._title.text(),
            self._text.toPlainText(),
            None if self._all.isChecked() else chosen,
            kind,
            lane,
            self._question.text(),
            self._because.text(),
            tuple(WrittenAnswer(text.text(), reason.text()) for _, text, reason in self._rows),
            self._rights.checkedId(),
            self._cover.currentData(),
            self._asks.currentData(),
            self._lesson.text(),
        )

    def ask_lesson(self, new: bool) -> None:
        """Show the field for the title of the lesson if the lesson is `new`."""
        self._form.setRowVisible(self._lesson, new)


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
        self._busy, self._is_new = False, self._path is None
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
        self._scroll = Scrolled(self._form)
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
        self._is_new = not os.path.exists(self._path)
        self._follow()

    def _follow(self) -> None:
        """Show the name of the file, and what is missing."""
        step = self._form.step()
        missing = step.missing
        self._file.setText("no file yet" if self._path is None else plain(self._path.name))
        self._file.setToolTip("" if self._path is None else plain(str(self._path)))
        self._form.ask_lesson(self._is_new)
        untitled = self._is_new and not step.lesson.strip()
        if not missing and self._path is None:
            fault = "Choose the file of the lesson."
        else:
            fault = missing or ("Write the title of the lesson." if untitled else "")
        self._fault.setText(fault)
        self._try.setEnabled(not (missing or self._busy or self._lesson_is_open))
        self._add.setEnabled(not (fault or self._busy))
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
