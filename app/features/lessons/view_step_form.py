"""StepForm: the fields of a new lesson step: its text, its question with answers, its cover, and its controls."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QWidget,
)

from app.scene.control_names import WINDOW_CONTROLS
from app.state.document import Document
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.boxes import grid_on
from app.views.widgets.inputs import combo_box, describe, show_choice

from .model import PredictKind
from .writing import NewStep, WrittenAnswer

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
        self._form = AlignedForm(self)
        self._form.setContentsMargins(0, 0, 0, 0)
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
        self._question = describe(
            QLineEdit(placeholderText="What happens to the boundary when k grows?"),
            "lesson_add.question",
            "The question",
            "One sentence.",
        )
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
        for text, field in (
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
        ):
            self._form.addRow(text, field)
        self.show_step(NewStep(""))
        self._text.textChanged.connect(self._changed)
        for line in self.findChildren(QLineEdit):
            line.textEdited.connect(self._changed)
        for combo in self.findChildren(QComboBox):
            combo.activated.connect(self._changed)
        for button in self.findChildren(QAbstractButton):
            button.clicked.connect(self._changed)

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
        )
