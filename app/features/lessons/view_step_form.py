"""StepForm: the fields of a new lesson step: its text, its question with answers, what is covered, the controls."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QWidget,
)

from app.scene.controls import PLACES
from app.state.document import Document
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.form_fields import combo_box, describe, show_choice

from .model import PredictKind
from .writing import Answer, NewStep

#: Answers that a question has at most.
ANSWERS = 4
#: Pixels of what is clicked on, at least.
LEAST = 24
#: Characters of the narrowest choice, lines of the text, and columns of controls.
WIDTH, LINES, COLUMNS = 16, 4, 4
#: What may be covered while a question waits.
COVERED = (
    ("The pictures, and all that is known of them", "picture"),
    ("Accuracies and other numbers", "numbers"),
    ("Marks: rings, thick edges, crosses", "marks"),
    ("Numbers and marks", "numbers, marks"),
    ("The test accuracy", "test accuracy"),
    ("Nothing", "none"),
)


@dataclass(frozen=True)
class _AnswerRow:
    """The fields of an answer."""

    right: QRadioButton
    text: QLineEdit
    reason: QLineEdit


def questions(document: Document) -> list[tuple[str, tuple[PredictKind | None, int]]]:
    """Ways to ask about the pictures of `document`: what each is called, how it is answered, and the classifier."""
    found: list[tuple[str, tuple[PredictKind | None, int]]] = [
        ("No question", (None, 0)),
        ("Choose an answer", ("choice", 0)),
    ]
    for place, lane in enumerate(document.lanes[: document.shown]):
        who = f"{place + 1} {lane.family.short}"
        if not lane.is_difference:
            found.append((f"Draw the boundary of {who}", ("boundary", place)))
        if lane.trainer is not None and lane.trainer.has_rules:
            found.append((f"Pick the two points that {who} moves next", ("pair", place)))
    return found


def controls(document: Document) -> dict[str, tuple[str, str]]:
    """The controls that a step of `document` can show, by their names in a lesson: what each is called, and a tip."""
    found = {}
    for lane in document.lanes[: document.shown]:
        for field in lane.family.fields:
            if field.kind != "text":
                found[field.name] = (field.title or field.label or field.name, field.tip)
    for name, what in PLACES.items():
        found[name] = (f"{name[0].upper()}{name[1:]}", f"{what[0].upper()}{what[1:]}.")
    return found


class StepForm(QWidget):
    """
    Parameters
    ----------
    document : Document
        The one that the step begins with.

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
            QPlainTextEdit(), "lesson_add.text", "Text of the step", "What the student reads: Markdown, no pictures."
        )
        self._text.setPlaceholderText("What to look at, and what to try")
        self._text.setTabChangesFocus(True)
        self._kind = describe(
            combo_box(questions(document), WIDTH),
            "lesson_add.kind",
            "Question of the step",
            "The student answers before what is covered is shown.",
        )
        self._make_question()
        self._all = describe(
            QCheckBox("All of them"), "lesson_add.all", "Show all controls", "Else only those that are chosen below."
        )
        self._boxes = {
            name: describe(QCheckBox(title), f"lesson_add.show.{name}", f"Show: {title}", tip)
            for name, (title, tip) in controls(document).items()
        }
        self._lay_out()
        self.show_step(NewStep(""))
        self._connect()

    def _make_question(self) -> None:
        self._question = describe(QLineEdit(), "lesson_add.question", "The question", "One sentence.")
        self._question.setPlaceholderText("What happens to the boundary when k grows?")
        self._because = describe(
            QLineEdit(), "lesson_add.because", "Because", "Why it is so; told when the answer is shown."
        )
        self._cover = describe(
            combo_box(COVERED, WIDTH), "lesson_add.cover", "What is covered", "Until the student has answered."
        )
        self._rights = QButtonGroup(self)
        self._rows: list[_AnswerRow] = []
        for number in range(1, ANSWERS + 1):
            name = f"lesson_add.answer{number}"
            row = _AnswerRow(
                describe(QRadioButton(), f"{name}.right", f"Answer {number} is right", "One answer is right."),
                describe(QLineEdit(), name, f"Answer {number}", "An answer to choose; 2 to 4 of them."),
                describe(
                    QLineEdit(),
                    f"{name}.reason",
                    f"Why answer {number} is wrong",
                    "Told to whoever chooses it; it may be left empty.",
                ),
            )
            row.right.setMinimumSize(LEAST, LEAST)
            self._rights.addButton(row.right, number - 1)
            self._rows.append(row)

    def _lay_out(self) -> None:
        self._answers = QWidget()
        grid = QGridLayout(self._answers)
        grid.setContentsMargins(0, 0, 0, 0)
        for column, head in enumerate(("Right", "Answer", "Why it is wrong")):
            grid.addWidget(QLabel(head), 0, column)
        for place, row in enumerate(self._rows, 1):
            grid.addWidget(row.right, place, 0, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(row.text, place, 1)
            grid.addWidget(row.reason, place, 2)
        self._controls = QWidget()
        grid = QGridLayout(self._controls)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(0)
        rows = -(-len(self._boxes) // COLUMNS)
        for place, box in enumerate(self._boxes.values()):
            box.setMinimumHeight(LEAST)
            grid.addWidget(box, place % rows, place // rows)
        self._text.setFixedHeight(LINES * self.fontMetrics().lineSpacing() + 12)
        for text, field in (
            ("&Title", self._title),
            ("Te&xt", self._text),
            ("&Question", self._kind),
            ("&Wording", self._question),
            ("Answers", self._answers),
            ("&Because", self._because),
            ("Co&vered", self._cover),
            ("C&ontrols", self._all),
            ("", self._controls),
        ):
            self._form.addRow(text, field)

    def _connect(self) -> None:
        texts = [each for row in self._rows for each in (row.text, row.reason)]
        for field in (self._title, self._question, self._because, *texts):
            field.textEdited.connect(self._changed)
        self._text.textChanged.connect(self._changed)
        for combo in (self._kind, self._cover):
            combo.activated.connect(self._changed)
        for box in (self._all, *self._boxes.values()):
            box.clicked.connect(self._changed)
        self._rights.idClicked.connect(self._changed)

    def _changed(self) -> None:
        self._show_rows()
        self.edited.emit()

    def _show_rows(self) -> None:
        """What matters to the way the question is answered."""
        kind, _ = self._kind.currentData()
        for field, there in (
            (self._question, kind is not None),
            (self._answers, kind == "choice"),
            (self._because, kind is not None),
            (self._cover, kind in ("choice", "pair")),
            (self._controls, not self._all.isChecked()),
        ):
            self._form.setRowVisible(field, there)
        for row in self._rows:
            row.reason.setEnabled(not row.right.isChecked())

    # -- what is written -------------------------------------------------------------------------------------------

    def show_step(self, step: NewStep) -> None:
        """Fill the fields; a question or a control that there is not here is left out."""
        self._title.setText(step.title)
        self._text.setPlainText(step.text)
        show_choice(self._kind, (step.kind, step.lane))
        self._kind.setCurrentIndex(max(self._kind.currentIndex(), 0))
        self._question.setText(step.question)
        self._because.setText(step.because)
        show_choice(self._cover, step.cover)
        for place, row in enumerate(self._rows):
            answer = step.answers[place] if place < len(step.answers) else Answer("")
            row.text.setText(answer.text)
            row.reason.setText(answer.reason)
            row.right.setChecked(place == step.right)
        self._all.setChecked(step.show is None)
        for name, box in self._boxes.items():
            box.setChecked(name in (step.show or ()))
        self._show_rows()

    def step(self) -> NewStep:
        """What is written in the fields."""
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
            tuple(Answer(row.text.text(), row.reason.text()) for row in self._rows),
            self._rights.checkedId(),
            self._cover.currentData(),
        )
