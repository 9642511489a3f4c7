"""CodePanel: the program of the displayed picture, to read, copy and save."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QFontDatabase, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import count
from app.scene.model import Scene
from app.state.document import Document
from app.views.surroundings import AskWhere
from app.views.task_runner import TaskRunner
from app.views.theme import Theme
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.changed_text import replace_lines
from app.views.widgets.clickable import check_box, clickable
from app.views.widgets.inputs import describe, filled, keeps_key, named, show_text

from .export import SUFFIXES, points_beside, saving
from .program import Program, program

#: Least time between two programs during a drag (ms).
PAUSE = 100
#: Number of lines kept visible above a change.
ABOVE = 3


class CodeText(QPlainTextEdit):
    """The text of the program; unchanged parts of it do not move."""

    def __init__(self) -> None:
        flag = Qt.TextInteractionFlag
        super().__init__(
            readOnly=True,
            textInteractionFlags=flag.TextSelectableByMouse | flag.TextSelectableByKeyboard,
            undoRedoEnabled=False,
            tabChangesFocus=True,
            lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap,
        )
        self._program = ""
        # Its family only: the size is that of all texts.
        self.setFont(QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()))
        describe(self, "code.text", "Program", "The scikit-learn program of this picture.", hover=False)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def event(self, event: QEvent) -> bool:
        # A read-only text leaves these keys to the window, which would copy and select points.
        keys = (QKeySequence.StandardKey.Copy, QKeySequence.StandardKey.SelectAll)
        return keeps_key(event, lambda pressed: any(map(pressed.matches, keys))) or super().event(event)

    def show_program(self, text: str, head: int) -> None:
        """Replace the lines that have changed, and scroll to them, except to the `head` lines with the points."""
        old = self._program
        if old == text:
            return
        self._program = text
        bar, across = self.verticalScrollBar(), self.horizontalScrollBar()
        scrolled = bar.value(), across.value()
        changed = replace_lines(self.document(), old, text)
        bar.setValue(scrolled[0])
        across.setValue(scrolled[1])
        line = next((number for number in changed if number >= head), -1) if old else -1
        if line >= 0 and not bar.value() <= line < bar.value() + bar.pageStep():
            bar.setValue(line - ABOVE)


class CodePanel(QWidget):
    """The program, the choice of its classifiers, and buttons to copy and save it.

    Parameters
    ----------
    controller : Controller
    tasks : TaskRunner
    ask_where : AskWhere
        Asks for the path of a file.
    """

    def __init__(self, controller: Controller, tasks: TaskRunner, ask_where: AskWhere) -> None:
        super().__init__()
        self._controller, self._tasks, self._ask_where = controller, tasks, ask_where
        self._shown: tuple[Document | None, tuple[int, ...] | None, str] = (None, None, "")
        self._soon = QTimer(self, singleShot=True, interval=PAUSE)
        self._soon.timeout.connect(self._render)
        self.program = Program(())
        tip = "The program of the selected classifier alone; else all of them in one figure."
        self.choice = check_box(
            "Only the selected classifier", "code.lanes", "Only the selected classifier", tip, lambda on: self._render()
        )
        self.text = CodeText()
        self.note = named(QLabel(wordWrap=True), "code.note")
        tip = "The whole program to the clipboard."
        saves = (
            clickable(
                QPushButton(f"Save as {suffix}…"),
                f"code.save{suffix}",
                f"Save as {suffix}",
                tip,
                partial(self._ask_save, suffix),
            )
            for suffix, (_, tip) in SUFFIXES.items()
        )
        rows = ButtonRows((clickable(QPushButton("&Copy"), "code.copy", "Copy the program", tip, self._copy), *saves))
        filled(QVBoxLayout(self), self.choice, (self.text, 1), self.note, rows, margins=(8, 6, 8, 6), spacing=4)
        self.first_stop = self.text

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the program of the document; during a drag, only some of the programs."""
        if self._wanted() == self._shown or self._soon.isActive():
            return
        if self._shown[0] is None:
            self._render()
        else:
            self._soon.start()

    @property
    def lanes(self) -> tuple[int, ...] | None:
        """Indices of the chosen lanes; None for all."""
        controller = self._controller
        alone = self.choice.isChecked() and controller.document.shown > 1
        return (controller.session.selected_lane(controller.document, "code"),) if alone else None

    def _render(self) -> None:
        document = self._controller.document
        self.choice.setVisible(document.shown > 1)
        shown = self._wanted()
        if shown == self._shown:
            return
        self._shown = shown
        self.program = program(document, self.lanes, shown[2])
        self.text.show_program(self.program.text, self.program.n_head_lines)
        rows = count(self.program.n_rows, "point")
        show_text(self.note, f"{rows} would be long here: saving writes them to a file beside it.")
        self.note.setVisible(self.program.n_rows > 0)

    def _wanted(self) -> tuple[Document, tuple[int, ...] | None, str]:
        """Return what the program is made of: document, lanes, and the name of the file of points."""
        return self._controller.document, self.lanes, points_beside(Path(self._controller.store.title)).name

    def _copy(self) -> None:
        self._render()  # the program may be older than the last change
        QApplication.clipboard().setText(self.program.text)
        reads = f" It reads {self._shown[2]}, which comes with Save as .py." if self.program.n_rows else ""
        self._controller.say(f"The program is in the clipboard.{reads}")

    def _ask_save(self, suffix: str) -> None:
        title, lanes, document = SUFFIXES[suffix][0], self.lanes, self._controller.document
        name = f"{Path(self._controller.store.title).stem}{suffix}"

        def save(path: Path) -> None:
            self._tasks.run(saving(document, lanes, path), self._controller.say)

        self._ask_where("Save the program", "save_code", name, {title: suffix}, save)
