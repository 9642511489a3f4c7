"""ClassPanel: how many of a class gave which answer, below the question of a lesson; a count of raised hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QMessageBox, QPushButton, QSizePolicy, QVBoxLayout

from app.controllers.controller import Controller
from app.features.lessons.model import ENGLISH, Prediction
from app.features.lessons.phrases import say
from app.features.lessons.state import LessonSession
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.clickable import clickable, number_box
from app.views.widgets.inputs import WholeField, describe, filled, named, show_number, show_or_hide, show_text
from app.views.widgets.message_box import message_box
from app.views.widgets.painted import Painted
from app.views.widgets.painting import paint_with

from .controller import AnswersController
from .learning import sentences
from .scene import LETTERS, ClassScene

#: Largest number of raised hands, and height of a bar in multiples of the font's.
MOST_HANDS, HIGH = 999, 1.2
#: Largest number of sentences in the message about what was left out.
MOST_SENTENCES = 20


class Bar(Painted):
    """How many gave an answer, as a share of the most frequent answer."""

    def __init__(self) -> None:
        super().__init__()
        self._share, self._right = 0.0, False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, round(HIGH * self.metrics().height()))

    def show_share(self, share: float, right: bool, theme: Theme) -> None:
        """Show the share; green if this is known to be the right answer."""
        shown = (share, right, theme)
        if shown != (self._share, self._right, self._theme):
            self._share, self._right, self._theme = shown
            self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        whole = QRectF(self.rect()).adjusted(0.5, 2.5, -0.5, -2.5)
        painter.setPen(QColor(*theme.edge))
        painter.drawRoundedRect(whole, 3, 3)
        filled_part = QRectF(whole)
        filled_part.setWidth(self._share * whole.width())
        paint_with(painter, Qt.PenStyle.NoPen, QColor(*(theme.moods["certified"][1] if self._right else theme.accent)))
        painter.drawRoundedRect(filled_part, 3, 3)


class ClassPanel(QFrame):
    """The answers of a class to the current step.

    Parameters
    ----------
    controller : Controller
    do : callable
        ``do(name)`` runs one of the window's commands.
    """

    def __init__(self, controller: Controller, do: Callable[[str], object]) -> None:
        super().__init__(frameShape=QFrame.Shape.StyledPanel)
        answers = controller.feature(AnswersController)
        tip = "How many gave which answer, and how many solved the step."
        describe(self, "class", "Answers of the class", tip, hover=False)
        self._left_out: tuple[str, ...] = ()
        self._language = ENGLISH
        self._head = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "class.head")
        grid, self._grid = QGridLayout(), QGridLayout()
        for each in (grid, self._grid):
            each.setColumnStretch(1, 1)
        self._hands = named(QLabel(), "class.hands")
        grid.addWidget(self._hands, 0, 3)
        self._rows: list[tuple[QLabel, Bar, QLabel, WholeField]] = []
        for index, letter in enumerate(LETTERS):
            raised, tip = partial(answers.raise_hands, index), "Raised hands, added to the bar."
            hands = number_box(f"class.hands{letter}", f"Hands for {letter}", tip, raised, 0, MOST_HANDS)
            bar, number = named(Bar(), f"class.bar{letter}"), named(QLabel(), f"class.count{letter}")
            row = (named(QLabel(letter), f"class.letter{letter}"), bar, number, hands)
            for column, part in enumerate(row):
                grid.addWidget(part, index + 1, column)
            self._rows.append(row)
        #: Rows of who changed from which answer to which, made when the first are needed.
        self._changes: list[tuple[QLabel, Bar, QLabel]] = []
        self._facts = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "class.facts")
        self._more = clickable(
            QPushButton(), "class.left_out", "What was left out", "Why some answers do not count.", self._report
        )
        open_ = clickable(QPushButton(), "class.open", "", "", lambda: do("open_answers"))
        paste = clickable(QPushButton(), "class.paste", "", "", lambda: do("paste_answers"))
        self._buttons = ButtonRows((open_, paste, self._more))
        filled(QVBoxLayout(self), self._head, grid, self._facts, self._grid, self._buttons, margins=8, spacing=4)
        self._always = (open_, paste)

    def _report(self) -> None:
        """Open a message about what was left out, and why."""
        more = len(self._left_out) - MOST_SENTENCES
        sentences = [*self._left_out[:MOST_SENTENCES], *[say(self._language, "class_more", number=more)] * (more > 0)]
        close = QMessageBox.StandardButton.Close
        message_box("warning", "left_out", "Left out", "\n".join(sentences), self.window(), close).open()

    def _facts_of(self, answers: ClassScene) -> list[str]:
        """Return how many drew a boundary, and how many solved the step."""
        tally, asked, goal = answers.tally, answers.step.prediction, answers.step.goal
        draws = bool(tally.n_drawn) or (asked is not None and asked.kind == "boundary")
        solves = bool(goal) or (asked is not None and not answers.is_open)
        numbers = {"class_drew": tally.n_drawn} if draws else {}
        numbers |= {"class_solved" if goal else "class_right": tally.n_solved} if solves else {}
        return [say(self._language, name, some=some, number=tally.n_hand_ins) for name, some in numbers.items()]

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the answers of the scene; hide the panel if there are none."""
        answers = scene.feature(ClassScene)
        self.setVisible(answers is not None)
        if answers is None:
            return
        tally, asked, self._left_out = answers.tally, answers.step.prediction, answers.left_out
        self._language = language = scene.session.of(LessonSession).language
        show_text(self._head, say(language, "class_head", number=tally.n_hand_ins))
        most = max(tally.choices, default=0)
        self._hands.setVisible(bool(tally.choices))
        hands = (*answers.hands, *(0,) * len(LETTERS))
        for index, (letter, bar, number, field) in enumerate(self._rows):
            offered = index < len(tally.choices)
            for part in (letter, bar, number, field):
                part.setVisible(offered)
            if offered:
                right = asked is not None and index == asked.right and not answers.is_open
                bar.show_share(tally.choices[index] / max(most, 1), right, theme)
                show_text(number, str(tally.choices[index]))
                show_number(field, hands[index])
                field.setToolTip(say(language, "class.hands.tip"))
        facts = [] if answers.ended else self._facts_of(answers)
        for at, solved, goal in answers.ended:
            name = "class_step_solved" if goal else "class_step_right"
            facts.append(say(language, name, at=at, some=solved, number=tally.n_hand_ins))
        for found in answers.learned:
            facts += sentences(language, found)
        changes = () if answers.ended or not answers.learned else answers.learned[0].changes
        facts += [say(language, "measured_changes")] * bool(changes)
        show_or_hide(self._facts, "\n".join(facts))
        self._show_changes(changes, asked, theme)
        self._more.setText(say(language, "class_left_out", number=len(self._left_out)))
        self._buttons.show_only((*self._always, *[self._more] * bool(self._left_out)))

    def _show_changes(
        self, changes: Sequence[tuple[tuple[int, int], int]], asked: Prediction | None, theme: Theme
    ) -> None:
        """Show a bar for each change of answers, green where the later one is right; letters are those on screen."""
        for index in range(len(self._changes), len(changes)):
            change, bar = named(QLabel(), f"class.change{index}"), named(Bar(), f"class.change_bar{index}")
            self._changes.append((change, bar, named(QLabel(), f"class.changed{index}")))
            for column, part in enumerate(self._changes[-1]):
                self._grid.addWidget(part, index, column)
        most = max((number for _, number in changes), default=0)
        for index, row in enumerate(self._changes):
            for part in row:
                part.setVisible(index < len(changes))
            if index < len(changes):
                (before, after), number = changes[index]
                show_text(row[0], f"{LETTERS[before]} → {LETTERS[after]}")
                row[1].show_share(number / most, asked is not None and after == asked.right, theme)
                show_text(row[2], str(number))
